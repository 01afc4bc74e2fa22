// A town of straight streets with names and some places, as OpenStreetMap would have it; imported by the program.
//
// Streets from west to east are "Querstraße 0", "Querstraße 1", ... from the north, those from north to south
// "Langstraße 0", ... from the west, a block of 100 m apart; every tenth is a main road.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program } from './programs';

const STREETS = 40;
const BLOCK = 0.0009; // degrees of latitude: 100 m
const NORTH = 49.43;
const WEST = 8.65;
/** A degree of longitude is shorter there. */
const NARROW = Math.cos((49.41 * Math.PI) / 180);

const PLACES = [
    { name: 'Café Mitte', amenity: 'cafe', row: 20.2, column: 20 },
    { name: 'Bücherei am Rand', amenity: 'library', row: 3, column: 35.4 },
];

export function namedTown(folder: string): string {
    const id = (row: number, column: number) => 1 + row * STREETS + column;
    const at = (row: number, column: number) =>
        `lat='${(NORTH - row * BLOCK).toFixed(7)}' lon='${(WEST + (column * BLOCK) / NARROW).toFixed(7)}'`;
    const all = Array.from({ length: STREETS }, (_, i) => i);
    const nodes = all.flatMap((row) =>
        all.map((column) => `<node id='${id(row, column)}' ${at(row, column)}/>`),
    );
    const way = (number: number, name: string, nodes: number[], isMain: boolean) =>
        `<way id='${number}'>${nodes.map((node) => `<nd ref='${node}'/>`).join('')}` +
        `<tag k='highway' v='${isMain ? 'secondary' : 'residential'}'/><tag k='name' v='${name}'/></way>`;
    const ways = all.flatMap((i) => [
        way(
            10_000 + i,
            `Querstraße ${i}`,
            all.map((column) => id(i, column)),
            i % 10 === 5,
        ),
        way(
            20_000 + i,
            `Langstraße ${i}`,
            all.map((row) => id(row, i)),
            i % 10 === 5,
        ),
    ]);
    const places = PLACES.map(
        ({ name, amenity, row, column }, i) =>
            `<node id='${30_000 + i}' ${at(row, column)}><tag k='amenity' v='${amenity}'/><tag k='name' v='${name}'/></node>`,
    );
    const text = `<?xml version='1.0' encoding='UTF-8'?>\n<osm version='0.6'>\n${[...nodes, ...places, ...ways].join('\n')}\n</osm>\n`;
    const [osm, map] = [join(folder, 'town.osm'), join(folder, 'town.scm')];
    writeFileSync(osm, text);
    execFileSync(program, ['map', 'import', '-f', 'osm', osm, '-o', map, '--quiet']);
    return map;
}
