// Cloaks and requests that a provider is checked with: stars at random places with some neighbours,
// as cloaks are, and one request of every kind.
#include "conformance/conformance_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <stdlib.h>
#include <string.h>

/** Stars of one cloak: up to so many. */
enum { MAX_STARS = 6 };

/** Near enough for any provider, and far enough for some objects in a city. */
#define RADIUS_M 500.0
#define RADIUS_S 60.0

// --- Cloaks -------------------------------------------------------------------------------------

static int compare_ids(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/** Sort, and keep one of each. Returns how many are left. */
static size_t sort_ids(uint32_t *ids, size_t count)
{
    qsort(ids, count, sizeof *ids, compare_ids);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || ids[kept - 1] != ids[i]) ids[kept++] = ids[i];
    }
    return kept;
}

/** Whether roads lead from that star out of the segments. */
static bool leads_out(const sc_map *map, sc_star_id star, const sc_seg_id *segments, size_t count)
{
    const sc_star *at = &sc_map_stars(map)[star];
    for (uint32_t i = at->first_segment; i < at[1].first_segment; i++) {
        const sc_seg_id *segment = &sc_map_star_segments(map)[i];
        if (!bsearch(segment, segments, count, sizeof *segments, compare_ids)) return true;
    }
    return false;
}

sc_err sc__probe_cloak_init(const sc_map *map, const sc_seg_id *segments, size_t count,
                            sc__probe_cloak *out)
{
    // Each segment has two ends at most.
    uint32_t *block = sc_malloc_array(3 * count, sizeof *block);
    if (!block) return SC_ENOMEM;
    memcpy(block, segments, count * sizeof *segments);
    uint32_t *border = block + count;
    size_t border_count = 0;
    for (size_t i = 0; i < count; i++) {
        const sc_segment *segment = &sc_map_segments(map)[segments[i]];
        const sc_star_id ends[] = {segment->star_a, segment->star_b};
        for (size_t e = 0; e < 2; e++) {
            if (ends[e] == SC_NONE || !leads_out(map, ends[e], segments, count)) continue;
            border[border_count++] = sc_map_stars(map)[ends[e]].node;
        }
    }
    *out = (sc__probe_cloak){.segments = block,
                             .segment_count = count,
                             .border_nodes = border,
                             .border_node_count = sort_ids(border, border_count)};
    return SC_OK;
}

void sc__probe_cloak_fini(sc__probe_cloak *cloak)
{
    sc_free(cloak->segments);
    *cloak = (sc__probe_cloak){.segments = NULL};
}

/** All segments of a star and some of its neighbours. */
static sc_err make_cloak(sc__probe *probe, sc__probe_cloak *out)
{
    const sc_map *map = probe->options->map;
    sc_star_id stars[MAX_STARS];
    size_t star_count = 0;
    const size_t wanted = 1 + sc_rng_below(&probe->rng, MAX_STARS);
    stars[star_count++] = sc_rng_below(&probe->rng, sc_map_star_count(map));
    size_t segment_count = 0;
    for (size_t tries = 0; tries < MAX_STARS && star_count < wanted; tries++) {
        const sc_star *from =
            &sc_map_stars(map)[stars[sc_rng_below(&probe->rng, (uint32_t)star_count)]];
        const uint32_t neighbours = from[1].first_neighbour - from->first_neighbour;
        if (neighbours == 0) continue;
        stars[star_count++] = sc_map_star_neighbours(
            map)[from->first_neighbour + sc_rng_below(&probe->rng, neighbours)];
    }
    star_count = sort_ids(stars, star_count);
    for (size_t i = 0; i < star_count; i++) {
        const sc_star *star = &sc_map_stars(map)[stars[i]];
        segment_count += star[1].first_segment - star->first_segment;
    }
    sc_seg_id *segments = sc_malloc_array(segment_count, sizeof *segments);
    if (!segments) return SC_ENOMEM;
    size_t at = 0;
    for (size_t i = 0; i < star_count; i++) {
        const sc_star *star = &sc_map_stars(map)[stars[i]];
        for (uint32_t s = star->first_segment; s < star[1].first_segment; s++) {
            segments[at++] = sc_map_star_segments(map)[s];
        }
    }
    const sc_err err = sc__probe_cloak_init(map, segments, sort_ids(segments, at), out);
    sc_free(segments);
    return err;
}

sc_err sc__probe_make_cloaks(sc__probe *probe, sc_diag *diag)
{
    if (sc_map_star_count(probe->options->map) == 0) {
        return sc_fail(diag, SC_EINVAL, "the map has no star, so there can be no cloak");
    }
    probe->cloaks = sc_calloc(probe->options->cloak_count, sizeof *probe->cloaks);
    if (!probe->cloaks) return sc_fail_memory(diag, "making cloaks");
    for (size_t i = 0; i < probe->options->cloak_count; i++) {
        if (make_cloak(probe, &probe->cloaks[i])) return sc_fail_memory(diag, "making cloaks");
        probe->cloak_count++;
    }
    return SC_OK;
}

void sc__probe_free_cloaks(sc__probe *probe)
{
    for (size_t i = 0; i < probe->cloak_count; i++) {
        sc__probe_cloak_fini(&probe->cloaks[i]);
    }
    sc_free(probe->cloaks);
    probe->cloaks = NULL;
    probe->cloak_count = 0;
}

// --- Requests -----------------------------------------------------------------------------------

/** The two categories with most objects, as far as that is known. */
static void choose_categories(sc__probe *probe)
{
    const sc_conformance_options *options = probe->options;
    const uint32_t count = options->vocabulary->count;
    for (size_t i = 0; i < 2; i++) {
        probe->categories[i] = i < count ? (sc_category_id)i : SC_NONE;
    }
    uint32_t most[2] = {0, 0};
    const sc_object_table *table = options->objects ? sc_objects_table(options->objects) : NULL;
    for (sc_category_id c = 0; table && c < count; c++) {
        uint32_t size = 0;
        for (uint32_t i = 0; i < table->count; i++) {
            size += table->objects[i].category == c;
        }
        const size_t place = size > most[0] ? 0 : size > most[1] ? 1 : 2;
        if (place == 2) continue;
        if (place == 0) {
            probe->categories[1] = probe->categories[0];
            most[1] = most[0];
        }
        probe->categories[place] = c;
        most[place] = size;
    }
    // One category may have come first and been moved to where it was already.
    if (probe->categories[0] == probe->categories[1] && probe->categories[0] != SC_NONE) {
        probe->categories[1] = count > 1 ? (probe->categories[0] + 1) % count : SC_NONE;
    }
}

void sc__probe_make_requests(sc__probe *probe)
{
    choose_categories(probe);
    const sc_request all[SC__PROBE_REQUESTS] = {
        {.type = SC_REQUEST_KNN, .k = 1},
        {.type = SC_REQUEST_KNN, .k = 5, .metric = SC_METRIC_TIME},
        {.type = SC_REQUEST_KNN, .k = 10},
        {.type = SC_REQUEST_RANGE, .radius_m = RADIUS_M},
        {.type = SC_REQUEST_RANGE, .radius_s = RADIUS_S, .metric = SC_METRIC_TIME},
        {.type = SC_REQUEST_RANGE, .radius_m = 0.0},
    };
    memcpy(probe->requests, all, sizeof all);
    probe->request_count = SC__PROBE_REQUESTS;
    sc_request *nearest = &probe->requests[2];
    sc_request *within = &probe->requests[4];
    if (probe->categories[0] != SC_NONE) {
        nearest->categories[nearest->category_count++] = probe->categories[0];
        within->categories[within->category_count++] = probe->categories[0];
    }
    if (probe->categories[1] != SC_NONE) {
        within->categories[within->category_count++] = probe->categories[1];
    }
    for (size_t i = 0; i < SC__PROBE_REQUESTS; i++) {
        probe->requests[i] = sc_request_normalise(&probe->requests[i]);
    }
}

sc_relay sc__probe_relay(const sc__probe *probe, const sc__probe_cloak *cloak,
                         const sc_request *requests, size_t count)
{
    return (sc_relay){.map_checksum = sc_map_checksum(probe->options->map),
                      .segments = cloak->segments,
                      .segment_count = cloak->segment_count,
                      .border_nodes = cloak->border_nodes,
                      .border_node_count = cloak->border_node_count,
                      .requests = requests,
                      .request_count = count};
}
