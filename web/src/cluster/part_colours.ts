// Colours for the parts of a map, so that parts that touch are not alike.
//
// Parts are cut out of a road network that is almost flat, so a handful of colours nearly always does. They are
// given greedily: next comes the part whose neighbours have the most different colours already (the one that is
// hardest to please), the one with more neighbours first. Where the colours run out, the one that is rarest
// around it is taken: then two neighbours are alike, and the numbers on the map tell them apart.

/** --part-0 to --part-7 in cluster.css. */
export const PART_COLOURS = 8;

/**
 * @param partOf  of each segment
 * @param ends    two nodes per segment
 * @returns a colour of each part
 */
export function colourParts(
    parts: number,
    partOf: ArrayLike<number>,
    ends: ArrayLike<number>,
    colours = PART_COLOURS,
): Uint8Array {
    const neighbours = neighboursOf(parts, partOf, ends);
    const colourOf = new Int16Array(parts).fill(-1);
    const taken = neighbours.map(() => new Set<number>());
    for (let given = 0; given < parts; given++) {
        const part = hardest(colourOf, taken, neighbours);
        const colour = bestColour(part, colourOf, neighbours[part], colours);
        colourOf[part] = colour;
        for (const other of neighbours[part]) taken[other].add(colour);
    }
    return Uint8Array.from(colourOf);
}

/** Parts that share a crossing. */
export function neighboursOf(
    parts: number,
    partOf: ArrayLike<number>,
    ends: ArrayLike<number>,
): Set<number>[] {
    const neighbours = Array.from({ length: parts }, () => new Set<number>());
    /** Of each node, the parts that were met there: nearly always one. */
    const met = new Map<number, number[]>();
    for (let segment = 0; segment < partOf.length; segment++) {
        const part = partOf[segment];
        for (const node of [ends[2 * segment], ends[2 * segment + 1]]) {
            const others = met.get(node);
            if (!others) met.set(node, [part]);
            else if (!others.includes(part)) {
                for (const other of others) {
                    neighbours[other].add(part);
                    neighbours[part].add(other);
                }
                others.push(part);
            }
        }
    }
    return neighbours;
}

function hardest(
    colourOf: Int16Array,
    taken: readonly Set<number>[],
    neighbours: readonly Set<number>[],
): number {
    let best = -1;
    for (let part = 0; part < colourOf.length; part++) {
        if (colourOf[part] >= 0) continue;
        const isHarder =
            best < 0 ||
            taken[part].size > taken[best].size ||
            (taken[part].size === taken[best].size &&
                neighbours[part].size > neighbours[best].size);
        if (isHarder) best = part;
    }
    return best;
}

/** The rarest among the neighbours; of those, the one that is rarest anywhere, so that all are used. */
function bestColour(
    part: number,
    colourOf: Int16Array,
    neighbours: ReadonlySet<number>,
    colours: number,
): number {
    const near = new Uint32Array(colours);
    const anywhere = new Uint32Array(colours);
    for (const neighbour of neighbours) if (colourOf[neighbour] >= 0) near[colourOf[neighbour]]++;
    for (const colour of colourOf) if (colour >= 0) anywhere[colour]++;
    let best = part % colours;
    for (let colour = 0; colour < colours; colour++) {
        const isBetter =
            near[colour] < near[best] ||
            (near[colour] === near[best] && anywhere[colour] < anywhere[best]);
        if (isBetter) best = colour;
    }
    return best;
}
