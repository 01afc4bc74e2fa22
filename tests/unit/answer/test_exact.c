// The whole way, from a cloak to the exact answer of each member: relay, provider, reply, filter;
// without bytes between the two sides, and with compact ones or GeoJSON. What comes out equals a
// plain Dijkstra from the exact position over the whole map (support/slow_nearest.h), on thousands
// of odd maps and cloaks, with the map's own objects and with a provider's.
#include "support/both_sides.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"

#include <stdio.h>

enum { TOWNS = 800, CLOAKS_PER_TOWN = 2, MOST_MEMBERS = 5, POINTS_PER_MEMBER = 3 };

static void answer_cloaks(odd_town *town, way_between way)
{
    both_sides b = both_sides_new(town->objects, &town->slow, way);
    const uint32_t category_count = sc_objects_vocabulary(town->objects)->count;
    for (int i = 0; i < CLOAKS_PER_TOWN; i++) {
        odd_cloak cloak = odd_cloak_new(town->map, &town->rng);
        sc_request requests[MOST_MEMBERS];
        const size_t member_count = 1 + sc_rng_below(&town->rng, MOST_MEMBERS);
        for (size_t j = 0; j < member_count; j++) {
            requests[j] = odd_request(town->map, category_count, &town->rng);
        }
        assert_true(both_sides_open(&b, &cloak, requests, member_count, &town->rng));
        // The traveller may be anywhere in the cloak.
        for (size_t j = 0; j < POINTS_PER_MEMBER * member_count; j++) {
            const sc_seg_id segment =
                cloak.segments[sc_rng_below(&town->rng, (uint32_t)cloak.segment_count)];
            both_sides_check(&b, j % member_count, odd_position_on(town->map, segment, &town->rng));
        }
        odd_cloak_free(&cloak);
    }
    both_sides_free(&b);
}

// --- The map's own objects -----------------------------------------------------------------

static void test_every_member_gets_the_exact_answer(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (seed / ODD_TOWN_KINDS % 2) odd_town_index(&town);
        answer_cloaks(&town, BY_CALL);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_compact_bytes_between_both_sides_change_nothing(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (seed / ODD_TOWN_KINDS % 2) odd_town_index(&town);
        answer_cloaks(&town, BY_COMPACT_BYTES);
        odd_town_free(&town);
    }
    check_case_done();
}

// The nearest objects of a position that lies on a whole unit, as ranges: each is exactly at the
// rim of the range that ends there, to the last bit, and within it.
static void check_rims(both_sides *b, odd_town *town)
{
    odd_cloak cloak = odd_cloak_new(town->map, &town->rng);
    const sc_seg_id segment =
        cloak.segments[sc_rng_below(&town->rng, (uint32_t)cloak.segment_count)];
    const sc_edge_id edge = sc_map_segments(town->map)[segment].first_edge;
    const uint32_t length = sc_map_edges(town->map)[edge].length;
    const double offset_m =
        (length > 0 ? sc_rng_below(&town->rng, length) : 0) * sc_map_unit_m(town->map);
    const sc_request nearest = {.type = SC_REQUEST_KNN, .k = 4};
    slow_answer known = slow_nearest_at(&town->slow, edge, offset_m, &nearest);
    for (size_t i = 0; i < known.least_count; i++) {
        const sc_request range = {.type = SC_REQUEST_RANGE,
                                  .radius_m = slow_metres(&town->slow, known.nears[i].distance)};
        assert_true(both_sides_open(b, &cloak, &range, 1, &town->rng));
        const sc_near *got = NULL;
        size_t count = 0;
        sc_diag diag = {""};
        CHECK_OK(sc_filter_answer(b->filter, (sc_road_point){.edge = edge, .offset_m = offset_m}, 0,
                                  &got, &count, &diag),
                 &diag);
        slow_answer wanted = slow_nearest_at(&town->slow, edge, offset_m, &range);
        assert_int_equal(count, wanted.most_count);
        slow_answer_free(&wanted);
    }
    slow_answer_free(&known);
    odd_cloak_free(&cloak);
}

static void test_an_object_at_exactly_the_radius_is_within_it(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        both_sides b =
            both_sides_new(town.objects, &town.slow, seed % 2 ? BY_COMPACT_BYTES : BY_CALL);
        check_rims(&b, &town);
        both_sides_free(&b);
        odd_town_free(&town);
    }
    check_case_done();
}

// GeoJSON has positions to nine decimals, a tenth of a millimetre, and objects are put on the
// nearest whole unit of a road: that is what distances may be off by.
static void test_geojson_between_both_sides_changes_nothing_but_rounding(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS / 8; seed++) {
        check_case(seed);
        odd_town town = odd_town_drawn(seed);
        town.slow.tolerance = 2 * SLOW_PARTS;
        if (seed % 2) odd_town_index(&town);
        answer_cloaks(&town, BY_GEOJSON_BYTES);
        odd_town_free(&town);
    }
    check_case_done();
}

// --- A provider's own objects --------------------------------------------------------------

// The same objects, as rows from elsewhere: with keys, in any order.
static void take_objects_from_elsewhere(odd_town *town)
{
    sc_objects_builder *builder = NULL;
    CHECK_OK(sc_objects_builder_new(town->map, &builder), NULL);
    for (sc_object_id i = sc_map_object_count(town->map); i > 0; i--) {
        const sc_object *object = &sc_map_objects(town->map)[i - 1];
        char key[32];
        char category[64];
        snprintf(key, sizeof key, "row %u", i);
        // One category keeps the map's word for it, the others have words of the provider's.
        snprintf(category, sizeof category, "%s%s",
                 sc_map_category_name(town->map, object->category),
                 object->category == 0 ? "" : " elsewhere");
        sc_diag diag = {""};
        CHECK_OK(sc_objects_builder_add(
                     builder,
                     &(sc_object_row){.edge = object->edge,
                                      .offset_m = object->offset * sc_map_unit_m(town->map),
                                      .key = key,
                                      .category = category,
                                      .name = sc_map_object_name(town->map, i - 1)},
                     &diag),
                 &diag);
    }
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_builder_finish(builder, &objects), NULL);
    sc_objects_builder_free(builder);
    slow_nearest_free(&town->slow);
    sc_objects_release(town->objects);
    town->objects = objects;
    town->slow = slow_nearest_new(town->map, sc_objects_table(objects));
}

static void test_objects_of_the_providers_own_are_answered_as_exactly(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        take_objects_from_elsewhere(&town);
        if (seed / ODD_TOWN_KINDS % 2) odd_town_index(&town);
        answer_cloaks(&town, seed % 3 ? BY_COMPACT_BYTES : BY_CALL);
        odd_town_free(&town);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_member_gets_the_exact_answer),
    SC_CASES(test_compact_bytes_between_both_sides_change_nothing),
    SC_CASES(test_an_object_at_exactly_the_radius_is_within_it),
    SC_CASES(test_geojson_between_both_sides_changes_nothing_but_rounding),
    SC_CASES(test_objects_of_the_providers_own_are_answered_as_exactly),
};
SC_SUITE(tests)
