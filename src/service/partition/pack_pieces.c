// Small pieces, packed whole into parts that are there already. See pack.h.
#include "partition/pack_pieces.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <stdlib.h>

/** A small piece. */
typedef struct parcel {
    double weight;
    uint32_t piece;
    uint16_t near;  ///< the part that the star numbered before it is in, or SC__NO_PART
} parcel;

/** The heaviest first; else as they are numbered. */
static int compare(const void *a, const void *b)
{
    const parcel *p = a;
    const parcel *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p->piece > q->piece) - (p->piece < q->piece);
}

/** List the small pieces of stars that are in no part yet, with their weights. */
static uint32_t list_parcels(const sc__cutting *cutting, const uint32_t *piece,
                             const double *piece_weight, parcel *parcels)
{
    uint32_t count = 0;
    uint32_t seen = 0;  // pieces are numbered by their first stars
    uint16_t near = SC__NO_PART;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        const bool is_first = piece[i] == seen;
        seen += is_first;
        if (cutting->part_of_star[i] != SC__NO_PART) {
            near = cutting->part_of_star[i];
        } else if (is_first) {
            parcels[count++] = (parcel){piece_weight[piece[i]], piece[i], near};
        }
    }
    return count;
}

static uint16_t lightest(const double *part_weight, uint32_t parts)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < parts; i++) {
        if (part_weight[i] < part_weight[best]) best = i;
    }
    return (uint16_t)best;
}

sc_err sc__pack_small(sc__cutting *cutting, const uint32_t *piece, const double *piece_weight,
                      uint32_t piece_count, uint32_t parts, sc_diag *diag)
{
    sc_err err = SC_OK;
    parcel *parcels = sc_malloc_array(piece_count, sizeof *parcels);
    double *part_weight = sc_calloc(parts, sizeof *part_weight);
    uint16_t *part_of_piece = sc_malloc_array(piece_count, sizeof *part_of_piece);
    if (!parcels || !part_weight || !part_of_piece) {
        err = sc_fail_memory(diag, "packing parts");
        goto done;
    }
    double total = 0;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        const uint16_t part = cutting->part_of_star[i];
        if (part != SC__NO_PART && part >= parts) continue;  // one of the stars set apart
        if (part != SC__NO_PART) part_weight[part] += cutting->weight[i];
        total += cutting->weight[i];
    }
    const uint32_t count = list_parcels(cutting, piece, piece_weight, parcels);
    qsort(parcels, count, sizeof *parcels, compare);
    for (uint32_t i = 0; i < count; i++) {
        const parcel *p = &parcels[i];
        const bool fits = p->near < parts && part_weight[p->near] + p->weight <= total / parts;
        const uint16_t part = fits ? p->near : lightest(part_weight, parts);
        part_of_piece[p->piece] = part;
        part_weight[part] += p->weight;
    }
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (cutting->part_of_star[i] != SC__NO_PART) continue;
        cutting->part_of_star[i] = part_of_piece[piece[i]];
    }
done:
    sc_free(parcels);
    sc_free(part_weight);
    sc_free(part_of_piece);
    return err;
}
