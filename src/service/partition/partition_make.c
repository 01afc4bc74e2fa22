// Making a partition of a map, step by step.
//
//  1. Stars weigh what the segments weigh whose home they are (partition.h), so that parts that
//     weigh the same have the same work.
//  2. A star that is heavier than a mean part becomes a part of its own: it cannot be divided, and
//     METIS balances badly when one weight fills several parts.
//  3. Of the rest, large connected pieces are divided into as many parts as they fill
//     (partition_metis.c).
//  4. Small pieces are packed whole into these parts and the remaining ones.
//  5. Empty parts get some stars, and all parts are numbered along the curve.
#include "partition/partition_make.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "partition/partition_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- Weights of segments, as shares of all -----------------------------------------------------

sc_err sc__partition_scale_init(sc__partition_scale *scale, const sc_map *map,
                                const double *weights, sc_diag *diag)
{
    const uint32_t count = sc_map_segment_count(map);
    *scale = (sc__partition_scale){.sum = count};
    if (!weights) return SC_OK;
    double largest = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        if (!(weights[s] >= 0) || !isfinite(weights[s])) {
            return sc_fail(diag, SC_EINVAL,
                           "segment %u has the weight %g; a weight is a number of 0 or more", s,
                           weights[s]);
        }
        largest = fmax(largest, weights[s]);
    }
    if (!(largest > 0)) return SC_OK;  // no weight at all: every segment counts the same
    double sum = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        sum += weights[s] / largest;
    }
    *scale = (sc__partition_scale){.weights = weights, .largest = largest, .sum = sum};
    return SC_OK;
}

// --- Connected pieces --------------------------------------------------------------------------

uint32_t sc__partition_label_pieces(const sc_map *map, const uint16_t *kind, uint32_t *label,
                                    sc_star_id *queue)
{
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    const uint32_t star_count = sc_map_star_count(map);
    for (sc_star_id i = 0; i < star_count; i++) {
        label[i] = SC_NONE;
    }
    uint32_t pieces = 0;
    for (sc_star_id first = 0; first < star_count; first++) {
        if (label[first] != SC_NONE) continue;
        size_t count = 0;
        queue[count++] = first;
        label[first] = pieces;
        for (size_t at = 0; at < count; at++) {
            const sc_star *star = &stars[queue[at]];
            for (uint32_t j = star[0].first_neighbour; j < star[1].first_neighbour; j++) {
                const sc_star_id next = neighbours[j];
                if (label[next] != SC_NONE || (kind && kind[next] != kind[first])) continue;
                label[next] = pieces;
                queue[count++] = next;
            }
        }
        pieces++;
    }
    return pieces;
}

// --- Packing small pieces ----------------------------------------------------------------------
//
// The heaviest first, each into the part of the stars around it while that is lighter than the
// mean, else into the lightest. Stars near on the ground are near in memory, so a part should not
// collect islands from all over the map without need.

/** A small piece. */
typedef struct small_piece {
    double weight;
    uint32_t piece;
    uint16_t near;  ///< the part that the star numbered before it is in, or SC__NO_PART
} small_piece;

/** The heaviest first; else as they are numbered. */
static int compare(const void *a, const void *b)
{
    const small_piece *p = a;
    const small_piece *q = b;
    if (p->weight != q->weight) return p->weight > q->weight ? -1 : 1;
    return (p->piece > q->piece) - (p->piece < q->piece);
}

/** List the small pieces of stars that are in no part yet, with their weights. */
static uint32_t list_small_pieces(const sc__partition_draft *draft, const uint32_t *piece,
                                  const double *piece_weight, small_piece *small_pieces)
{
    uint32_t count = 0;
    uint32_t seen = 0;  // pieces are numbered by their first stars
    uint16_t near = SC__NO_PART;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        const bool is_first = piece[i] == seen;
        seen += is_first;
        if (draft->part_of_star[i] != SC__NO_PART) {
            near = draft->part_of_star[i];
        } else if (is_first) {
            small_pieces[count++] = (small_piece){piece_weight[piece[i]], piece[i], near};
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

/**
 * Give every star that is in no part yet one, piece by piece.
 *
 * @param piece         of each star; numbered by their first stars
 * @param piece_weight  of each piece
 * @param parts         those below this are packed; parts from it on are left alone
 */
static sc_err pack_small(sc__partition_draft *draft, const uint32_t *piece,
                         const double *piece_weight, uint32_t piece_count, uint32_t parts,
                         sc_diag *diag)
{
    sc_err err = SC_OK;
    small_piece *small_pieces = sc_malloc_array(piece_count, sizeof *small_pieces);
    double *part_weight = sc_calloc(parts, sizeof *part_weight);
    uint16_t *part_of_piece = sc_malloc_array(piece_count, sizeof *part_of_piece);
    if (!small_pieces || !part_weight || !part_of_piece) {
        err = sc_fail_memory(diag, "packing parts");
        goto done;
    }
    double total = 0;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        const uint16_t part = draft->part_of_star[i];
        if (part != SC__NO_PART && part >= parts) continue;  // one of the stars set apart
        if (part != SC__NO_PART) part_weight[part] += draft->weight[i];
        total += draft->weight[i];
    }
    const uint32_t count = list_small_pieces(draft, piece, piece_weight, small_pieces);
    qsort(small_pieces, count, sizeof *small_pieces, compare);
    for (uint32_t i = 0; i < count; i++) {
        const small_piece *p = &small_pieces[i];
        const bool fits = p->near < parts && part_weight[p->near] + p->weight <= total / parts;
        const uint16_t part = fits ? p->near : lightest(part_weight, parts);
        part_of_piece[p->piece] = part;
        part_weight[part] += p->weight;
    }
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (draft->part_of_star[i] != SC__NO_PART) continue;
        draft->part_of_star[i] = part_of_piece[piece[i]];
    }
done:
    sc_free(small_pieces);
    sc_free(part_weight);
    sc_free(part_of_piece);
    return err;
}

// --- Empty parts and numbering -----------------------------------------------------------------
//
// METIS may leave parts empty without reporting it. An empty part would be an engine without
// queries, while another does the work of two.

/** A part while empty ones are filled. */
typedef struct load {
    double weight;
    uint32_t stars;
} load;

static uint32_t find_empty(const load *loads, uint32_t parts)
{
    for (uint32_t i = 0; i < parts; i++) {
        if (loads[i].stars == 0) return i;
    }
    return SC_NONE;
}

static uint32_t find_heaviest(const load *loads, uint32_t parts)
{
    uint32_t best = SC_NONE;
    for (uint32_t i = 0; i < parts; i++) {
        if (loads[i].stars < 2) continue;
        if (best == SC_NONE || loads[i].weight > loads[best].weight) best = i;
    }
    return best;
}

/** The stars of `from` that come after half of its weight go to `to`; each keeps one at least. */
static void halve(sc__partition_draft *draft, load *loads, uint32_t from, uint32_t to)
{
    const load all = loads[from];
    load kept = {0};
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (draft->part_of_star[i] != from) continue;
        const double weight = draft->weight[i];
        const bool keeps = kept.weight + weight / 2 <= all.weight / 2;
        if (kept.stars == 0 || (keeps && kept.stars < all.stars - 1)) {
            kept.weight += weight;
            kept.stars++;
        } else {
            draft->part_of_star[i] = (uint16_t)to;
            loads[to].weight += weight;
            loads[to].stars++;
        }
    }
    loads[from] = kept;
}

/**
 * As long as a part is empty, the heaviest of those with two stars or more gives it half of its
 * weight. There must not be more parts than stars, and every star is in a part.
 */
static sc_err mend_empty(sc__partition_draft *draft, uint32_t parts, sc_diag *diag)
{
    load *loads = sc_calloc(parts, sizeof *loads);
    if (!loads) return sc_fail_memory(diag, "repairing parts");
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        loads[draft->part_of_star[i]].weight += draft->weight[i];
        loads[draft->part_of_star[i]].stars++;
    }
    uint32_t empty;
    while ((empty = find_empty(loads, parts)) != SC_NONE) {
        halve(draft, loads, find_heaviest(loads, parts), empty);
    }
    sc_free(loads);
    return SC_OK;
}

/** Number the parts by their first stars, so that parts near in number are near on the ground. */
static sc_err renumber(sc__partition_draft *draft, uint32_t parts, sc_diag *diag)
{
    uint16_t *number = sc_malloc_array(parts, sizeof *number);
    if (!number) return sc_fail_memory(diag, "numbering parts");
    for (uint32_t i = 0; i < parts; i++) {
        number[i] = SC__NO_PART;
    }
    uint16_t next = 0;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        uint16_t *part = &draft->part_of_star[i];
        if (number[*part] == SC__NO_PART) number[*part] = next++;
        *part = number[*part];
    }
    sc_free(number);
    return SC_OK;
}

// --- The steps ---------------------------------------------------------------------------------

/**
 * A piece lighter than this share of a mean part is small. With whole pieces no larger than that,
 * the last one packed cannot make a part heavier than the others by more.
 */
static const double small_share = 0.1;

/**
 * No star weighs less than this share of a mean one. Roads without a query yesterday may have some
 * today, and METIS needs something to balance with.
 */
static const double least_share = 0.01;

static sc_err check_options(const sc_map *map, const sc_partition_options *options, sc_diag *diag)
{
    const uint32_t star_count = sc_map_star_count(map);
    if (options->parts < 1 || options->parts > SC_PARTITION_PARTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "a map cannot be divided into %u parts; choose 1 to %u",
                       options->parts, SC_PARTITION_PARTS_MAX);
    }
    if (options->parts > star_count) {
        return sc_fail(
            diag, SC_EINVAL,
            "the map has %u stars and cannot be divided into %u parts; choose %u or fewer",
            star_count, options->parts, star_count);
    }
    return SC_OK;
}

static void weigh_stars(sc__partition_draft *draft, const sc__partition_scale *scale)
{
    const sc_segment *segments = sc_map_segments(draft->map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(draft->map); s++) {
        draft->weight[segments[s].star_a] += sc__partition_share(scale, s);
    }
}

/** What the stars weigh that are in no part yet, and how many there are. */
static double weight_left(const sc__partition_draft *draft, uint32_t *count)
{
    double weight = 0;
    *count = 0;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (draft->part_of_star[i] != SC__NO_PART) continue;
        weight += draft->weight[i];
        (*count)++;
    }
    return weight;
}

/**
 * Give a part of its own, from the last one on downwards, to each star that is heavier than the
 * mean of what is left. There are always fewer of them than parts, so one is left at least.
 *
 * @return how many parts are left
 */
static uint32_t set_apart(sc__partition_draft *draft, uint32_t parts)
{
    for (bool is_changed = true; is_changed && parts > 1;) {
        uint32_t count = 0;
        const double mean = weight_left(draft, &count) / parts;
        is_changed = false;
        for (sc_star_id i = 0; i < draft->star_count && parts > 1; i++) {
            if (draft->part_of_star[i] != SC__NO_PART || draft->weight[i] <= mean) continue;
            draft->part_of_star[i] = (uint16_t)--parts;
            is_changed = true;
        }
    }
    return parts;
}

/** Lift stars that weigh next to nothing; what all that are not set apart then weigh. */
static double lift(sc__partition_draft *draft)
{
    uint32_t count = 0;
    const double weight = weight_left(draft, &count);
    // Without any weight, every star counts the same.
    const double least = weight > 0 ? least_share * weight / count : 1;
    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (draft->part_of_star[i] != SC__NO_PART) continue;
        draft->weight[i] = fmax(draft->weight[i], least);
    }
    return weight_left(draft, &count);
}

/** The stars that are not set apart, by connected pieces. */
typedef struct pieces {
    uint32_t *of_star;
    uint32_t count;
    double *weight;
    bool *is_large;
    double large_weight;  ///< of all large ones together
} pieces;

static void pieces_fini(pieces *p)
{
    sc_free(p->of_star);
    sc_free(p->weight);
    sc_free(p->is_large);
}

static sc_err pieces_init(pieces *p, const sc__partition_draft *draft, double mean, sc_diag *diag)
{
    *p = (pieces){.of_star = sc_malloc_array(draft->star_count, sizeof *p->of_star)};
    sc_star_id *queue = sc_malloc_array(draft->star_count, sizeof *queue);
    if (p->of_star && queue) {
        // Stars set apart have parts that differ: each of them is a piece of its own.
        p->count = sc__partition_label_pieces(draft->map, draft->part_of_star, p->of_star, queue);
        p->weight = sc_calloc(p->count, sizeof *p->weight);
        p->is_large = sc_calloc(p->count, sizeof *p->is_large);
    }
    sc_free(queue);
    if (!p->weight || !p->is_large) return sc_fail_memory(diag, "partitioning the map");

    for (sc_star_id i = 0; i < draft->star_count; i++) {
        if (draft->part_of_star[i] != SC__NO_PART) continue;
        p->weight[p->of_star[i]] += draft->weight[i];
    }
    for (uint32_t i = 0; i < p->count; i++) {
        p->is_large[i] = p->weight[i] >= small_share * mean;
        if (p->is_large[i]) p->large_weight += p->weight[i];
    }
    return SC_OK;
}

/** How many parts the large pieces fill: none of these should be heavier than the mean. */
static uint32_t parts_to_fill(const pieces *p, double mean, uint32_t parts)
{
    const double filled = ceil(p->large_weight / mean * (1 - 1e-9));
    return filled < 1 ? 1 : filled > parts ? parts : (uint32_t)filled;
}

static sc_err give_parts(sc__partition_draft *draft, const sc_partition_options *options,
                         sc_diag *diag)
{
    const uint32_t parts = set_apart(draft, options->parts);
    const double mean = lift(draft) / parts;
    pieces p = {0};
    sc_err err = pieces_init(&p, draft, mean, diag);
    if (!err) {
        err = sc__partition_divide_large(draft, p.of_star, p.is_large,
                                         parts_to_fill(&p, mean, parts), options->seed, diag);
    }
    if (!err && p.weight) err = pack_small(draft, p.of_star, p.weight, p.count, parts, diag);
    pieces_fini(&p);
    if (!err) err = mend_empty(draft, options->parts, diag);
    if (!err) err = renumber(draft, options->parts, diag);
    return err;
}

sc_err sc_partition_make(const sc_map *map, const sc_partition_options *options, sc_partition **out,
                         sc_diag *diag)
{
    sc__partition_scale scale;
    sc_err err = check_options(map, options, diag);
    if (!err) err = sc__partition_scale_init(&scale, map, options->weights, diag);
    if (err) return err;
    if (options->parts == 1) return sc_partition_whole(map, out, diag);

    const uint32_t star_count = sc_map_star_count(map);
    sc__partition_draft draft = {
        .map = map,
        .star_count = star_count,
        .weight = sc_calloc(star_count, sizeof *draft.weight),
        .part_of_star = sc_malloc_array(star_count, sizeof *draft.part_of_star),
    };
    if (!draft.weight || !draft.part_of_star) {
        err = sc_fail_memory(diag, "partitioning the map");
        goto done;
    }
    memset(draft.part_of_star, 0xff, star_count * sizeof *draft.part_of_star);  // SC__NO_PART
    weigh_stars(&draft, &scale);
    err = give_parts(&draft, options, diag);
    if (!err) err = sc_partition_new(map, draft.part_of_star, options->parts, out, diag);
done:
    sc_free(draft.weight);
    sc_free(draft.part_of_star);
    return err;
}
