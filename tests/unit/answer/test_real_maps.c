// Exact answers on real maps: cloaks as an engine makes them and cloaks at random, members anywhere
// in them, by call and by bytes, each answer held against a plain Dijkstra from the exact position
// over the whole map.
//
// California brings its own objects, 87,635 in 62 categories. The others get some: in San Francisco
// they are the map's own, in Northwest Atlanta a provider's, with keys.
#include <starcloak/engine.h>
#include <starcloak/map_import.h>
#include <starcloak/prune.h>
#include <starcloak/star.h>

#include "support/both_sides.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/place.h"
#include "support/streams.h"

#include <stdio.h>

enum { CROWDS = 100, CROWD_SIZE = 8, RANDOM_CLOAKS = 100, GEOJSON_CLOAKS = 40, PATH_SIZE = 1024 };

/** A real map with objects. */
typedef struct country {
    sc_map *map;
    sc_objects *objects;
    slow_nearest slow;
    sc_rng rng;
    double wide_m;  ///< a range that reaches some objects
    uint64_t answers;
    uint64_t untold;  ///< cloaks that GeoJSON cannot tell
} country;

static void open_country(country *c, sc_map *map, sc_objects *objects, double wide_m)
{
    *c = (country){.map = map, .objects = objects, .wide_m = wide_m};
    if (!objects) CHECK_OK(sc_objects_new_from_map(map, &c->objects), NULL);
    sc_index_options options = sc_index_options_default();
    options.k = 5;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_build_index(c->objects, &options, &diag), &diag);
    c->slow = slow_nearest_new(map, sc_objects_table(c->objects));
    sc_rng_seed(&c->rng, 4);
}

static void close_country(country *c)
{
    slow_nearest_free(&c->slow);
    sc_objects_release(c->objects);
    sc_map_free(c->map);
}

// --- Asking ----------------------------------------------------------------------------

// Mostly that of some object, so a frequent one; a rare one means a search over the whole map.
static sc_category_id any_category(country *c)
{
    if (sc_rng_below(&c->rng, 16) == 0) {
        return sc_rng_below(&c->rng, sc_objects_vocabulary(c->objects)->count);
    }
    const sc_object_table *table = sc_objects_table(c->objects);
    return table->objects[sc_rng_below(&c->rng, table->count)].category;
}

static sc_request any_request(country *c)
{
    sc_request request = {.type = SC_REQUEST_KNN, .k = 1 + sc_rng_below(&c->rng, 12)};
    if (sc_rng_below(&c->rng, 4) == 0) {
        request =
            (sc_request){.type = SC_REQUEST_RANGE, .radius_m = sc_rng_unit(&c->rng) * c->wide_m};
    }
    static const uint32_t sizes[] = {0, 1, 1, 3};
    request.category_count = sizes[sc_rng_below(&c->rng, 4)];
    for (uint32_t i = 0; i < request.category_count; i++) {
        request.categories[i] = any_category(c);
    }
    return sc_request_normalise(&request);
}

// A member on each of these segments, with a request each.
static void answer_cloak(country *c, both_sides *b, const odd_cloak *cloak, const sc_seg_id *at,
                         size_t member_count)
{
    sc_request requests[BOTH_SIDES_MEMBERS];
    for (size_t i = 0; i < member_count; i++) {
        requests[i] = any_request(c);
    }
    if (!both_sides_open(b, cloak, requests, member_count, &c->rng)) {
        c->untold++;
        return;
    }
    for (size_t i = 0; i < member_count; i++) {
        both_sides_check(b, i, odd_position_on(c->map, at[i], &c->rng));
        c->answers++;
    }
}

// --- Cloaks of an engine ---------------------------------------------------------------

/** Travellers who come in crowds, and what hides them. */
typedef struct scene {
    sc_engine *engine;
    sc_pruner *pruner;
    sc_ball *ball;
    sc_time now;
    uint64_t cloaks;
} scene;

static odd_cloak relayed_part(const sc_map *map, const sc_cloak *cloak)
{
    bool *inside = test_take(sc_map_segment_count(map), sizeof *inside);
    for (size_t i = 0; i < cloak->segment_count; i++) {
        inside[cloak->segments[i]] = true;
    }
    odd_cloak relayed = odd_cloak_of(map, inside);
    // The engine and the degree rule agree on what the border is.
    assert_int_equal(relayed.border_node_count, cloak->border_node_count);
    assert_memory_equal(relayed.border_nodes, cloak->border_nodes,
                        cloak->border_node_count * sizeof *cloak->border_nodes);
    return relayed;
}

static void answer_candidates(country *c, both_sides *b, scene *s)
{
    for (sc_cloak *cloak; (cloak = sc_engine_take_candidate(s->engine)); s->cloaks++) {
        sc_diag diag = {""};
        CHECK_OK(sc_pruner_prune(s->pruner, cloak, &c->rng), NULL);
        CHECK_OK(sc_engine_accept(s->engine, cloak, s->now, &diag), &diag);
        sc_seg_id at[BOTH_SIDES_MEMBERS];
        size_t count = 0;
        for (; count < cloak->member_count && count < BOTH_SIDES_MEMBERS; count++) {
            at[count] = cloak->members[count].query.segment;
        }
        odd_cloak relayed = relayed_part(c->map, cloak);
        answer_cloak(c, b, &relayed, at, count);
        odd_cloak_free(&relayed);
        sc_cloak_free(cloak);
    }
}

static void open_scene(scene *s, country *c)
{
    const sc_engine_options options = sc_engine_options_default();
    sc_diag diag = {""};
    *s = (scene){0};
    CHECK_OK(sc_engine_new(c->map, &options, &c->rng, &s->engine, &diag), &diag);
    CHECK_OK(sc_pruner_new(c->map, &s->pruner), NULL);
    CHECK_OK(sc_ball_new(c->map, &s->ball), NULL);
}

static void close_scene(scene *s)
{
    sc_ball_free(s->ball);
    sc_pruner_free(s->pruner);
    sc_engine_free(s->engine);
}

static sc_seg_id any_segment_of(country *c, sc_star_id star)
{
    const sc_star *at = &sc_map_stars(c->map)[star];
    const uint32_t count = at[1].first_segment - at->first_segment;
    return sc_map_star_segments(c->map)[at->first_segment + sc_rng_below(&c->rng, count)];
}

// A few travellers within two hops of a star, now here, now there.
static void answer_crowd(country *c, both_sides *b, scene *s)
{
    size_t near_count = 0;
    const sc_star_id centre = sc_rng_below(&c->rng, sc_map_star_count(c->map));
    const sc_star_id *near = sc_ball_walk(s->ball, centre, 2, &near_count);
    for (int i = 0; i < CROWD_SIZE; i++, s->now++) {
        const sc_star_id star = near[sc_rng_below(&c->rng, (uint32_t)near_count)];
        const sc_query query =
            plain_query((uint32_t)s->now + 1, any_segment_of(c, star), 2 + sc_rng_below(&c->rng, 3),
                        3 + sc_rng_below(&c->rng, 12), 4, s->now + 20);
        CHECK_OK(sc_engine_add(s->engine, &query), NULL);
        CHECK_OK(sc_engine_run(s->engine, s->now), NULL);
        answer_candidates(c, b, s);
    }
    for (sc_drop drop; sc_engine_take_drop(s->engine, &drop);) {
    }
}

static void answer_cloaks_of_an_engine(country *c, both_sides *b)
{
    scene s;
    open_scene(&s, c);
    for (int i = 0; i < CROWDS; i++) {
        answer_crowd(c, b, &s);
    }
    assert_true(s.cloaks > CROWDS);
    close_scene(&s);
}

// --- Cloaks at random --------------------------------------------------------------------

// A row of neighbouring segments without some, as methods that know no stars make them.
static odd_cloak any_segments(country *c)
{
    odd_cloak stars = odd_cloak_of_stars(c->map, 1 + sc_rng_below(&c->rng, 8), &c->rng);
    bool *inside = test_take(sc_map_segment_count(c->map), sizeof *inside);
    for (size_t i = 0; i < stars.segment_count; i++) {
        inside[stars.segments[i]] = i == 0 || sc_rng_below(&c->rng, 2);
    }
    odd_cloak_free(&stars);
    return odd_cloak_of(c->map, inside);
}

static void answer_random_cloaks(country *c, both_sides *b, int count)
{
    for (int i = 0; i < count; i++) {
        check_case((uint64_t)i);
        odd_cloak cloak = i % 2
                              ? any_segments(c)
                              : odd_cloak_of_stars(c->map, 1 + sc_rng_below(&c->rng, 12), &c->rng);
        sc_seg_id at[4];
        for (size_t j = 0; j < 4; j++) {
            at[j] = cloak.segments[sc_rng_below(&c->rng, (uint32_t)cloak.segment_count)];
        }
        answer_cloak(c, b, &cloak, at, 4);
        odd_cloak_free(&cloak);
    }
    check_case_done();
}

static void answer_all(country *c)
{
    static const way_between ways[] = {BY_CALL, BY_COMPACT_BYTES};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        both_sides b = both_sides_new(c->objects, &c->slow, ways[i]);
        answer_cloaks_of_an_engine(c, &b);
        answer_random_cloaks(c, &b, RANDOM_CLOAKS);
        both_sides_free(&b);
    }
    assert_true(c->answers > 1500);
    assert_int_equal(c->untold, 0);
}

// Positions are a tenth of a millimetre off, and objects are put on whole millimetres.
static void answer_by_geojson(country *c)
{
    c->answers = 0;
    c->slow.tolerance = 2 * SLOW_PARTS;
    both_sides b = both_sides_new(c->objects, &c->slow, BY_GEOJSON_BYTES);
    answer_random_cloaks(c, &b, GEOJSON_CLOAKS);
    both_sides_free(&b);
    assert_true(c->answers > GEOJSON_CLOAKS);
}

// --- The maps ----------------------------------------------------------------------------

// Skips the test if a file is not at hand.
static sc_map *import(sc_format format, const char *const *names, size_t count,
                      const sc_import_options *options)
{
    char paths[3][PATH_SIZE];
    const char *inputs[3];
    for (size_t i = 0; i < count; i++) {
        if (!data_path(names[i], paths[i], sizeof paths[i])) skip();
        inputs[i] = paths[i];
    }
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){format, inputs, count}, options, &map, NULL, &diag),
             &diag);
    return map;
}

/** Of a thousand objects: 888 common ones, 100, 11, and one. */
static const char *category_by_chance(sc_rng *rng)
{
    const uint32_t chance = sc_rng_below(rng, 1000);
    if (chance < 1) return "a thousandth";
    if (chance < 12) return "a hundredth";
    return chance < 112 ? "a tenth" : "common";
}

static void test_every_answer_in_california_is_exact(void **state)
{
    (void)state;
    static const char *const files[] = {"california/cal.cnode.xz", "california/cal.cedge.xz",
                                        "california/calmap.txt.xz"};
    char categories[PATH_SIZE];
    if (!data_path("california/poi-categories.csv.xz", categories, sizeof categories)) skip();
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.category_names = categories;
    country c;
    open_country(&c, import(SC_FORMAT_CNODE, files, 3, &options), NULL, 5000);
    assert_int_equal(sc_map_object_count(c.map), 87635);
    answer_all(&c);
    answer_by_geojson(&c);
    assert_int_equal(c.untold, 0);
    close_country(&c);
}

static void test_every_answer_in_san_francisco_is_exact(void **state)
{
    (void)state;
    static const char *const file = "san-francisco-tiger/tl_2017_06075_roads.shp.xz";
    char path[PATH_SIZE];
    if (!data_path(file, path, sizeof path)) skip();
    place here = place_new();
    sc_rng rng;
    sc_rng_seed(&rng, 5);
    FILE *csv = fopen(place_path(&here, "objects.csv"), "w");
    assert_non_null(csv);
    fprintf(csv, "lon,lat,category,name\n");
    for (int i = 0; i < 4000; i++) {
        fprintf(csv, "%.6f,%.6f,%s,object %d\n", -122.51 + 0.13 * sc_rng_unit(&rng),
                37.71 + 0.1 * sc_rng_unit(&rng), category_by_chance(&rng), i);
    }
    assert_int_equal(fclose(csv), 0);
    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.objects = place_path(&here, "objects.csv");
    country c;
    open_country(&c, import(SC_FORMAT_SHAPEFILE, &file, 1, &options), NULL, 800);
    assert_true(sc_map_object_count(c.map) > 3500);
    answer_all(&c);
    answer_by_geojson(&c);
    assert_true(c.untold > 0);  // some roads are drawn twice
    close_country(&c);
    place_free(&here);
}

static void test_every_answer_in_northwest_atlanta_is_exact(void **state)
{
    (void)state;
    static const char *const file = "northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz";
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_map *map = import(SC_FORMAT_MOBISIM, &file, 1, &options);
    sc_objects_builder *builder = NULL;
    CHECK_OK(sc_objects_builder_new(map, &builder), NULL);
    sc_rng rng;
    sc_rng_seed(&rng, 6);
    for (int i = 0; i < 4000; i++) {
        const sc_edge_id edge = sc_rng_below(&rng, sc_map_edge_count(map));
        char key[32];
        snprintf(key, sizeof key, "row-%d", i);
        sc_diag diag = {""};
        CHECK_OK(
            sc_objects_builder_add(
                builder,
                &(sc_object_row){.edge = edge,
                                 .offset_m = sc_rng_unit(&rng) * sc_map_edge_length_m(map, edge),
                                 .key = key,
                                 .category = category_by_chance(&rng),
                                 .name = NULL},
                &diag),
            &diag);
    }
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_builder_finish(builder, &objects), NULL);
    sc_objects_builder_free(builder);
    country c;
    open_country(&c, map, objects, 1500);
    answer_all(&c);
    close_country(&c);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_every_answer_in_california_is_exact),
    SC_CASES(test_every_answer_in_san_francisco_is_exact),
    SC_CASES(test_every_answer_in_northwest_atlanta_is_exact),
};
SC_SUITE(tests)
