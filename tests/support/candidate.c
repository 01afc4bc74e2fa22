// Candidates for tests of pruning. See candidate.h.
#include "support/candidate.h"

#include "engine/candidate.h"
#include "support/check.h"

ground ground_on(sketch s, uint64_t seed)
{
    ground g = {.sketch = s, .map = sketch_map(&s)};
    g.roads = slow_roads_new(g.map);
    CHECK_OK(sc_pruner_new(g.map, &g.pruner), NULL);
    sc_rng_seed(&g.rng, seed);
    return g;
}

void ground_free(ground *g)
{
    sc_pruner_free(g->pruner);
    slow_roads_free(&g->roads);
    sc_map_free(g->map);
    sketch_free(&g->sketch);
}

sc_star_id star_at(const ground *g, char letter)
{
    sc_star_id star = 0;
    while (sc_map_stars(g->map)[star].node != sketch_node(&g->sketch, letter)) {
        star++;
    }
    return star;
}

// --- Candidates -------------------------------------------------------------

sc_cloak *candidate_of(const ground *g, const bool *inside, const sc_star_id *at,
                       size_t member_count, uint32_t l)
{
    size_t star_count = 0;
    uint32_t *stars = slow_ids(inside, g->roads.star_count, &star_count);
    sc_cloak *c = sc__cloak_new(star_count, slow_segment_count(&g->roads, inside), member_count);
    assert_non_null(c);
    memcpy(c->stars, stars, star_count * sizeof *stars);
    free(stars);
    for (size_t i = 0; i < member_count; i++) {
        const uint32_t own_l = i == member_count / 2 ? l : 1;
        c->members[i] = (sc_member){.query = {.k = 1, .l = own_l}, .star = at[i]};
        c->members[i].query.id.bytes[0] = (uint8_t)i;
    }
    return c;
}

sc_cloak *candidate_at(const ground *g, const char *letters, const char *members, uint32_t l)
{
    bool *inside = test_take(g->roads.star_count, sizeof *inside);
    sc_star_id at[16];
    size_t member_count = 0;
    for (; *letters; letters++) {
        inside[star_at(g, *letters)] = true;
    }
    for (; *members; members++) {
        at[member_count++] = star_at(g, *members);
    }
    sc_cloak *c = candidate_of(g, inside, at, member_count, l);
    free(inside);
    return c;
}

sc_cloak *random_candidate(ground *g)
{
    const uint32_t n = g->roads.star_count;
    bool *inside = test_take(n, sizeof *inside);
    const sc_star_id centre = sc_rng_below(&g->rng, n);
    const uint32_t max_hops = sc_rng_below(&g->rng, 6);
    const bool is_ball = sc_rng_below(&g->rng, 2) == 0;
    for (sc_star_id x = 0; x < n; x++) {
        inside[x] = is_ball ? slow_hops(&g->roads, centre, x) <= max_hops
                            : x == centre || sc_rng_below(&g->rng, 5) > 0;
    }
    size_t star_count = 0;
    uint32_t *stars = slow_ids(inside, n, &star_count);
    sc_star_id at[8];
    const size_t member_count = 1 + sc_rng_below(&g->rng, 8);
    for (size_t i = 0; i < member_count; i++) {
        at[i] = stars[sc_rng_below(&g->rng, (uint32_t)star_count)];
    }
    const uint32_t most = (uint32_t)slow_segment_count(&g->roads, inside) + 1;
    sc_cloak *c = candidate_of(g, inside, at, member_count, 1 + sc_rng_below(&g->rng, most));
    free(stars);
    free(inside);
    return c;
}

static void *copy_of(const void *array, size_t count, size_t size)
{
    void *copy = test_take(count + 1, size);
    if (count > 0) memcpy(copy, array, count * size);
    return copy;
}

sc_cloak *twin_of(const sc_cloak *candidate)
{
    sc_cloak *twin = copy_of(candidate, 1, sizeof(sc__candidate));
    twin->stars = copy_of(candidate->stars, candidate->star_count, sizeof *twin->stars);
    twin->members = copy_of(candidate->members, candidate->member_count, sizeof *twin->members);
    twin->segments = NULL;
    twin->border_nodes = NULL;
    return twin;
}

// --- Checks -----------------------------------------------------------------

void check_same_ids(const char *what, const uint32_t *got, size_t got_count, const uint32_t *wanted,
                    size_t wanted_count)
{
    if (got_count != wanted_count) {
        fail_msg("%zu %s, wanted %zu", got_count, what, wanted_count);
    }
    for (size_t i = 0; i < got_count; i++) {
        if (got[i] != wanted[i]) fail_msg("%s %zu: %u, wanted %u", what, i, got[i], wanted[i]);
    }
}

void check_border(const sc_map *map, const sc_cloak *cloak)
{
    bool *in_cloak = test_take(sc_map_segment_count(map), sizeof *in_cloak);
    uint32_t *in_map_at = test_take(sc_map_node_count(map), sizeof *in_map_at);
    uint32_t *in_cloak_at = test_take(sc_map_node_count(map), sizeof *in_cloak_at);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        in_cloak[cloak->segments[i]] = true;
    }
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        in_map_at[edge->from]++;
        in_map_at[edge->to]++;
        in_cloak_at[edge->from] += in_cloak[edge->segment];
        in_cloak_at[edge->to] += in_cloak[edge->segment];
    }
    size_t count = 0;
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        if (in_cloak_at[v] == 0 || in_cloak_at[v] == in_map_at[v]) continue;
        assert_true(count < cloak->border_node_count);
        assert_int_equal(cloak->border_nodes[count++], v);
    }
    assert_int_equal(count, cloak->border_node_count);
    free(in_cloak);
    free(in_map_at);
    free(in_cloak_at);
}

void check_pruned(const slow_roads *roads, const sc_cloak *before, const sc_cloak *after)
{
    bool *inside = test_take(roads->star_count, sizeof *inside);
    bool *was_inside = test_take(roads->star_count, sizeof *was_inside);
    for (size_t i = 0; i < before->star_count; i++) {
        was_inside[before->stars[i]] = true;
    }
    for (size_t i = 0; i < after->star_count; i++) {
        inside[after->stars[i]] = true;
        assert_true(was_inside[after->stars[i]]);
    }
    uint32_t most_l = 0;
    for (size_t i = 0; i < after->member_count; i++) {
        const sc_member *member = &after->members[i];
        assert_true(inside[member->star]);
        if (member->query.l > most_l) most_l = member->query.l;
    }
    if (after->segment_count < most_l) assert_int_equal(after->star_count, before->star_count);
    size_t count = 0;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        if (!slow_touches(roads, inside, s)) continue;
        assert_true(count < after->segment_count);
        assert_int_equal(after->segments[count++], s);
    }
    assert_int_equal(count, after->segment_count);
    check_border(roads->map, after);
    free(inside);
    free(was_inside);
}
