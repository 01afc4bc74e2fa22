// A drawn map, a method, and an adversary to test. See toy_stage.h.
#include "support/toy_stage.h"

#include "support/check.h"

#include <ctype.h>

// --- Life ------------------------------------------------------------------------

void toy_set_variant(toy_stage *toy, sc_variant variant)
{
    sc_engine_options options = sc_engine_options_default();
    options.variant = variant;
    options.max_combinations = sc_variant_cap(variant);
    toy_town_init(&toy->town, toy->map, &options);
}

void toy_stage_take(toy_stage *toy, sketch s, sc_variant variant)
{
    // Error estimates of 64 batches are themselves good to a tenth.
    *toy = (toy_stage){.sketch = s, .map = sketch_map(&s), .runs = 64, .seed = 1};
    toy_set_variant(toy, variant);
}

void toy_stage_open(toy_stage *toy, const char *picture, sc_variant variant)
{
    toy_stage_take(toy, sketch_draw(SC_COORDS_PLANAR, picture, ""), variant);
}

void toy_stage_close(toy_stage *toy)
{
    sc_density_free(toy->density);
    sc_map_free(toy->map);
    sketch_free(&toy->sketch);
}

// --- Names -----------------------------------------------------------------------

sc_seg_id toy_road(const toy_stage *toy, const char *ends)
{
    const sc_node_id a = sketch_node(&toy->sketch, ends[0]);
    const sc_node_id b = sketch_node(&toy->sketch, ends[1]);
    const sc_edge *edges = sc_map_edges(toy->map);
    const sc_segment *segments = sc_map_segments(toy->map);
    sc_seg_id found = SC_NONE;
    for (sc_seg_id s = 0; s < sc_map_segment_count(toy->map); s++) {
        const sc_node_id first = edges[segments[s].first_edge].from;
        const sc_node_id last = edges[segments[s + 1].first_edge - 1].to;
        if (!(first == a && last == b) && !(first == b && last == a)) continue;
        assert_int_equal(found, SC_NONE);
        found = s;
    }
    if (found == SC_NONE) fail_msg("no road %.2s in the picture", ends);
    return found;
}

static toy_stars star_at(const toy_stage *toy, char letter)
{
    const sc_node_id node = sketch_node(&toy->sketch, letter);
    for (sc_star_id star = 0; star < sc_map_star_count(toy->map); star++) {
        if (sc_map_stars(toy->map)[star].node == node) return 1u << star;
    }
    fail_msg("no star at '%c'", letter);
    return 0;
}

// --- What is known ---------------------------------------------------------------

void toy_set_traffic(toy_stage *toy, const char *counts)
{
    uint64_t seen[TOY_SEGMENTS] = {0};
    while (*counts) {
        char *end = NULL;
        const sc_seg_id road = toy_road(toy, counts);
        seen[road] = strtoull(counts + 2, &end, 10);
        for (counts = end; isspace((unsigned char)*counts); counts++) {
        }
    }
    sc_density_free(toy->density);
    toy->density = NULL;
    CHECK_OK(sc_density_new_counted(toy->map, seen, &toy->density), NULL);
}

void toy_set_strangers(toy_stage *toy, size_t count, sc_needs needs)
{
    assert_in_range(count, 1, TOY_QUERIES);
    toy->stranger_count = count;
    for (size_t i = 0; i < count; i++) {
        toy->needs[i] = needs;
    }
}

void toy_inject(toy_stage *toy, const char *road, sc_needs needs)
{
    assert_true(toy->injected_count < TOY_QUERIES);
    toy->injected[toy->injected_count++] = (sc_injected){toy_road(toy, road), needs};
}

void toy_see(toy_stage *toy, toy_segments cloak)
{
    toy->segment_count = 0;
    for (sc_seg_id s = 0; s < toy->town.segment_count; s++) {
        if (cloak >> s & 1) toy->segments[toy->segment_count++] = s;
    }
}

void toy_see_stars(toy_stage *toy, const char *letters)
{
    toy_stars stars = 0;
    for (; *letters; letters++) {
        stars |= star_at(toy, *letters);
    }
    toy_see(toy, toy_segments_of(&toy->town, stars));
}

void toy_see_roads(toy_stage *toy, const char *roads)
{
    toy_segments cloak = 0;
    for (; *roads; roads += roads[2] == ' ' ? 3 : 2) {
        cloak |= (toy_segments)1 << toy_road(toy, roads);
    }
    toy_see(toy, cloak);
}

// --- The attack ------------------------------------------------------------------

static sc_sighting sighting_of(const toy_stage *toy)
{
    return (sc_sighting){
        .segments = toy->segments,
        .segment_count = toy->segment_count,
        .strangers = toy->needs,
        .stranger_count = toy->stranger_count,
        .injected = toy->injected,
        .injected_count = toy->injected_count,
    };
}

slow_posterior toy_exact(const toy_stage *toy, sc_likeness likeness)
{
    const sc_sighting sighting = sighting_of(toy);
    return slow_correlate(&toy->town, &sighting, toy->density, likeness);
}

double toy_link(const toy_stage *toy, const slow_posterior *exact, const char *road)
{
    return slow_link(exact, toy_road(toy, road));
}

static sc_adversary *new_adversary(const toy_stage *toy, sc_likeness likeness,
                                   uint64_t max_placements)
{
    sc_adversary_options options = sc_adversary_options_default();
    options.engine = toy->town.options;
    options.density = toy->density;
    options.likeness = likeness;
    options.max_placements = max_placements;
    options.runs = toy->runs;
    // Some thousand, and about as many one way as the other.
    options.samples = 32 * (uint64_t)toy->runs;
    options.fruitful = 0;
    options.seed = toy->seed;
    options.threads = 1;
    sc_adversary *adversary = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_adversary_new(toy->map, &options, NULL, &adversary, &diag), &diag);
    return adversary;
}

slow_posterior toy_attack(const toy_stage *toy, sc_likeness likeness)
{
    const sc_sighting sighting = sighting_of(toy);
    const slow_posterior exact = toy_exact(toy, likeness);
    sc_diag diag = {""};
    for (uint64_t max_placements = 0; max_placements <= 20000; max_placements += 20000) {
        sc_adversary *adversary = new_adversary(toy, likeness, max_placements);
        sc_posterior estimate = {0};
        CHECK_OK(sc_adversary_correlate(adversary, 1, &sighting, &estimate, &diag), &diag);
        assert_int_equal(estimate.is_enumerated, max_placements > 0);
        CHECK_AGREES(&estimate, &exact);
        sc_posterior_fini(&estimate);
        sc_adversary_free(adversary);
    }
    sc_adversary *adversary = new_adversary(toy, likeness, 0);
    sc_posterior estimate = {0};
    CHECK_OK(sc_adversary_replay(adversary, 1, &sighting, &estimate, &diag), &diag);
    const slow_posterior alone = slow_replay(&toy->town, &sighting, toy->density, likeness);
    CHECK_AGREES(&estimate, &alone);
    sc_posterior_fini(&estimate);
    sc_adversary_free(adversary);
    return exact;
}
