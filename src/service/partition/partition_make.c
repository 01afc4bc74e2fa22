// Cutting a map, step by step. See partition.h.
//
//  1. Stars weigh what the segments weigh whose home they are (cut.h), so that parts that weigh the
//     same have the same to do.
//  2. A star that is heavier than a mean part is set apart: it is a part of its own, since no cut
//     can divide it, and METIS goes astray over weights of which one fills several parts.
//  3. Of what is left, large pieces are cut, into as many parts as they fill.
//  4. Small pieces are packed into these parts and into what is left of them.
//  5. Parts that are empty get some stars, and all are numbered along the curve.
#include "partition/partition_make.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "partition/mend.h"
#include "partition/pack_pieces.h"

#include <math.h>
#include <string.h>

/**
 * A piece lighter than this share of a mean part is small. With whole pieces no larger than that,
 * the last one packed cannot make a part heavier than the others by more.
 */
static const double small_share = 0.1;

/**
 * No star weighs less than this share of a mean one. Roads where nobody asked yesterday are not
 * free today, and METIS needs something to balance with.
 */
static const double least_share = 0.01;

static sc_err check_options(const sc_map *map, const sc_partition_options *options, sc_diag *diag)
{
    const uint32_t star_count = sc_map_star_count(map);
    if (options->parts < 1 || options->parts > SC_CUT_PARTS_MAX) {
        return sc_fail(diag, SC_EINVAL, "a map cannot be cut into %u parts; choose 1 to %u",
                       options->parts, SC_CUT_PARTS_MAX);
    }
    if (options->parts > star_count) {
        return sc_fail(diag, SC_EINVAL,
                       "the map has %u stars and cannot be cut into %u parts; choose %u or fewer",
                       star_count, options->parts, star_count);
    }
    return SC_OK;
}

static void weigh_stars(sc__cutting *cutting, const sc__scale *scale)
{
    const sc_segment *segments = sc_map_segments(cutting->map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(cutting->map); s++) {
        cutting->weight[segments[s].star_a] += sc__share(scale, s);
    }
}

/** What the stars weigh that are in no part yet, and how many there are. */
static double weight_left(const sc__cutting *cutting, uint32_t *count)
{
    double weight = 0;
    *count = 0;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (cutting->part_of_star[i] != SC__NO_PART) continue;
        weight += cutting->weight[i];
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
static uint32_t set_apart(sc__cutting *cutting, uint32_t parts)
{
    for (bool is_changed = true; is_changed && parts > 1;) {
        uint32_t count = 0;
        const double mean = weight_left(cutting, &count) / parts;
        is_changed = false;
        for (sc_star_id i = 0; i < cutting->star_count && parts > 1; i++) {
            if (cutting->part_of_star[i] != SC__NO_PART || cutting->weight[i] <= mean) continue;
            cutting->part_of_star[i] = (uint16_t)--parts;
            is_changed = true;
        }
    }
    return parts;
}

/** Lift stars that weigh next to nothing; what all that are not set apart then weigh. */
static double lift(sc__cutting *cutting)
{
    uint32_t count = 0;
    const double weight = weight_left(cutting, &count);
    // Where nobody asks at all, one star is like the other.
    const double least = weight > 0 ? least_share * weight / count : 1;
    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (cutting->part_of_star[i] != SC__NO_PART) continue;
        cutting->weight[i] = fmax(cutting->weight[i], least);
    }
    return weight_left(cutting, &count);
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

static sc_err pieces_init(pieces *p, const sc__cutting *cutting, double mean, sc_diag *diag)
{
    *p = (pieces){.of_star = sc_malloc_array(cutting->star_count, sizeof *p->of_star)};
    sc_star_id *queue = sc_malloc_array(cutting->star_count, sizeof *queue);
    if (p->of_star && queue) {
        // Stars set apart have parts that differ: each of them is a piece of its own.
        p->count = sc__label_pieces(cutting->map, cutting->part_of_star, p->of_star, queue);
        p->weight = sc_calloc(p->count, sizeof *p->weight);
        p->is_large = sc_calloc(p->count, sizeof *p->is_large);
    }
    sc_free(queue);
    if (!p->weight || !p->is_large) return sc_fail_memory(diag, "cutting the map");

    for (sc_star_id i = 0; i < cutting->star_count; i++) {
        if (cutting->part_of_star[i] != SC__NO_PART) continue;
        p->weight[p->of_star[i]] += cutting->weight[i];
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

static sc_err give_parts(sc__cutting *cutting, const sc_partition_options *options, sc_diag *diag)
{
    const uint32_t parts = set_apart(cutting, options->parts);
    const double mean = lift(cutting) / parts;
    pieces p = {0};
    sc_err err = pieces_init(&p, cutting, mean, diag);
    if (!err) {
        err = sc__cut_large(cutting, p.of_star, p.is_large, parts_to_fill(&p, mean, parts),
                            options->seed, diag);
    }
    if (!err) err = sc__pack_small(cutting, p.of_star, p.weight, p.count, parts, diag);
    pieces_fini(&p);
    if (!err) err = sc__mend_empty(cutting, options->parts, diag);
    if (!err) err = sc__renumber(cutting, options->parts, diag);
    return err;
}

sc_err sc_partition(const sc_map *map, const sc_partition_options *options, sc_cut **out,
                    sc_diag *diag)
{
    sc__scale scale;
    sc_err err = check_options(map, options, diag);
    if (!err) err = sc__scale_init(&scale, map, options->weights, diag);
    if (err) return err;
    if (options->parts == 1) return sc_cut_whole(map, out, diag);

    const uint32_t star_count = sc_map_star_count(map);
    sc__cutting cutting = {
        .map = map,
        .star_count = star_count,
        .weight = sc_calloc(star_count, sizeof *cutting.weight),
        .part_of_star = sc_malloc_array(star_count, sizeof *cutting.part_of_star),
    };
    if (!cutting.weight || !cutting.part_of_star) {
        err = sc_fail_memory(diag, "cutting the map");
        goto done;
    }
    memset(cutting.part_of_star, 0xff, star_count * sizeof *cutting.part_of_star);  // SC__NO_PART
    weigh_stars(&cutting, &scale);
    err = give_parts(&cutting, options, diag);
    if (!err) err = sc_cut_new(map, cutting.part_of_star, options->parts, out, diag);
done:
    sc_free(cutting.weight);
    sc_free(cutting.part_of_star);
    return err;
}
