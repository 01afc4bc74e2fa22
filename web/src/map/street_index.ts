// Streets by what is typed of their name: those that begin with it, then those of which a word does, then others.
import { boxAround } from './draw';
import type { Box } from './grid';
import type { RoadMap } from './road_map';
import { indexNames, type NameIndex } from './street_names';

export interface Street {
    name: string;
    segments: Uint32Array;
    box: Box;
}

export class StreetIndex {
    private folded: string[] | null = null;
    private index: NameIndex | null = null;

    constructor(private readonly map: RoadMap) {}

    get isEmpty(): boolean {
        return this.map.names.length === 0;
    }

    find(text: string, most: number): Street[] {
        const wanted = fold(text.trim());
        if (wanted === '') return [];
        this.folded ??= this.map.names.map(fold);
        const found: { name: number; rank: number }[] = [];
        for (const [name, folded] of this.folded.entries()) {
            const rank = rankOf(folded, wanted);
            if (rank !== null) found.push({ name, rank });
        }
        const { names } = this.map;
        found.sort(
            (a, b) =>
                a.rank - b.rank ||
                names[a.name].length - names[b.name].length ||
                names[a.name].localeCompare(names[b.name]),
        );
        return found.slice(0, most).flatMap(({ name }) => this.streetOf(name));
    }

    private streetOf(name: number): Street[] {
        this.index ??= indexNames(this.map);
        const { first, segments } = this.index;
        const own = segments.slice(first[name], first[name + 1]);
        const box = boxAround(this.map, own);
        return box ? [{ name: this.map.names[name], segments: own, box }] : [];
    }
}

/** 0 is best; null: it is not in it. Both are folded. */
export function rankOf(name: string, wanted: string): number | null {
    const at = name.indexOf(wanted);
    if (at < 0) return null;
    if (at === 0) return 0;
    return name.includes(` ${wanted}`) || name.includes(`-${wanted}`) ? 1 : 2;
}

/** Without accents and capital letters: "Ringstraße" is found by "ringstrasse", "Müller" by "muller". */
export function fold(text: string): string {
    return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase().replaceAll('ß', 'ss');
}
