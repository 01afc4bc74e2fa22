/**
 * @file tracking.h
 * @brief A tracker, cloaks drawn at random for it, and what holds for whatever it believes.
 */
#ifndef SC_TESTS_UNIT_ATTACK_TRACKING_H
#define SC_TESTS_UNIT_ATTACK_TRACKING_H

#include <starcloak/attack.h>

#include "support/check.h"

#include "base/rng.h"
#include "base/sort.h"

#include <math.h>

static inline sc_tracker *tracker_on(const sc_map *map, const sc_density *density,
                                     double top_speed_m_s)
{
    const sc_tracker_options options = {.density = density, .top_speed_m_s = top_speed_m_s};
    sc_tracker *tracker = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_tracker_new(map, &options, &tracker, &diag), &diag);
    return tracker;
}

/** To be released with sc_posterior_fini(). */
static inline sc_posterior see(sc_tracker *tracker, const sc_seg_id *segments, size_t count,
                               sc_time from, sc_time until)
{
    const sc_tracked cloak = {
        .segments = segments, .segment_count = count, .asked_from = from, .asked_until = until};
    sc_posterior posterior = {0};
    CHECK_OK(sc_tracker_see(tracker, &cloak, &posterior), NULL);
    return posterior;
}

static inline double link_of(const sc_posterior *posterior, sc_seg_id segment)
{
    for (size_t i = 0; i < posterior->link_count; i++) {
        if (posterior->links[i].segment == segment) return posterior->links[i].linkability;
    }
    return -1;
}

/** What holds for every posterior, and that nothing was replayed. */
static inline void check_identities(const sc_posterior *posterior, const sc_seg_id *segments,
                                    size_t count)
{
    assert_int_equal(posterior->link_count, count);
    double sum = 0;
    double entropy = 0;
    size_t ruled_out = 0;
    for (size_t i = 0; i < count; i++) {
        const double p = posterior->links[i].linkability;
        assert_int_equal(posterior->links[i].segment, segments[i]);
        assert_true(p >= 0 && p <= 1 + 1e-12);
        CHECK_SAME(posterior->links[i].error, 0.0);
        sum += p;
        entropy -= p > 0 ? p * log2(p) : 0;
        ruled_out += p == 0;
    }
    CHECK_CLOSE(sum, 1.0, 1e-9);
    CHECK_CLOSE(posterior->entropy, entropy, 1e-9);
    CHECK_CLOSE(posterior->effective, exp2(entropy), 1e-6);
    CHECK_CLOSE(posterior->normalised_entropy, count > 1 ? entropy / log2((double)count) : 0, 1e-9);
    assert_int_equal(posterior->ruled_out, ruled_out);
    assert_true(posterior->replays == 0 && posterior->placements == 0);
    assert_false(posterior->is_enumerated);
}

/** Some segments of a map, ascending; at most `most`. */
static inline size_t draw_segments(sc_rng *rng, uint32_t segment_count, size_t most, sc_seg_id *out)
{
    for (size_t i = 0; i < most; i++) {
        out[i] = sc_rng_below(rng, segment_count);
    }
    sc_sort_u32(out, most);
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        if (count == 0 || out[count - 1] != out[i]) out[count++] = out[i];
    }
    return count;
}

static inline sc_density *draw_density(sc_rng *rng, const sc_map *map)
{
    const uint32_t segment_count = sc_map_segment_count(map);
    uint64_t *counts = test_take(segment_count, sizeof *counts);
    const bool is_even = sc_rng_below(rng, 4) == 0;
    for (sc_seg_id s = 0; s < segment_count; s++) {
        counts[s] = is_even ? 0 : sc_rng_below(rng, 50);
    }
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    free(counts);
    return density;
}

#endif
