// Asking a provider of areas over real sockets: exact answers, what it is asked, and bad providers.
#include <starcloak/answer.h>
#include <starcloak/area_provider.h>
#include <starcloak/lbs.h>
#include <starcloak/map_generate.h>
#include <starcloak/map_import.h>

#include "areas/area_fetch.h"
#include "areas/area_settings.h"
#include "areas/tile_grid.h"
#include "base/rng.h"
#include "support/area_server.h"
#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/oom.h"
#include "support/place.h"

#include <math.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define SNAP_M 120.0
#define MORE "[tiles]\nsnap = 120\n[limits]\ndeadline = 20\nmax-questions = 1000\n"

/** A map, its provider, and those who ask and answer. */
typedef struct scene {
    sc_rng rng;
    const sc_map *map;
    area_world world;
    area_server *server;
    sc_area_settings *settings;
    sc_area_provider *provider;
    sc_area_asker *asker;
    sc_lbs *lbs;
    sc_filter *filter;
    sc_reply reply;
} scene;

static const sc_map *city(void)
{
    static sc_map *map;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = 3000, .seed = 5, .one_way_share = 0.3};
    if (!map) CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}

static void open_scene_with(scene *s, const sc_map *map, uint32_t count, area_mode mode,
                            const char *more, bool has_pages)
{
    sc_diag diag = {""};
    const sc_lbs_options options = sc_lbs_options_default();
    const sc_filter_options filter = sc_filter_options_default();
    *s = (scene){.map = map};
    sc_rng_seed(&s->rng, 7);
    s->world = area_world_new(map, count, SNAP_M, &s->rng);
    s->server = area_server_start(&s->world, mode);
    // Without pages, what does not fit into one reply is not listed.
    s->settings = has_pages ? area_server_settings(s->server, more)
                            : area_server_settings_without(s->server, "&offset={offset}", more);
    CHECK_OK(sc_area_provider_new(map, NULL, s->settings, &s->provider, &diag), &diag);
    CHECK_OK(sc_area_asker_new(s->provider, &s->asker, &diag), &diag);
    CHECK_OK(sc_lbs_new(map, &options, &s->lbs, &diag), &diag);
    CHECK_OK(sc_filter_new(map, &filter, &s->filter, &diag), &diag);
    sc_reply_init(&s->reply);
}

static void open_scene(scene *s, const sc_map *map, uint32_t count, area_mode mode,
                       const char *more)
{
    open_scene_with(s, map, count, mode, more, true);
}

static void close_scene(scene *s)
{
    sc_filter_free(s->filter);
    sc_reply_fini(&s->reply);
    sc_area_asker_free(s->asker);
    sc_area_provider_free(s->provider);
    sc_area_settings_free(s->settings);
    sc_lbs_free(s->lbs);
    area_server_stop(s->server);
    area_world_free(&s->world);
}

static sc_request draw_request(scene *s)
{
    sc_request r = {.type = sc_rng_below(&s->rng, 3) == 0 ? SC_REQUEST_RANGE : SC_REQUEST_KNN,
                    .metric = (sc_metric)sc_rng_below(&s->rng, 2)};
    if (r.type == SC_REQUEST_KNN) r.k = 1 + sc_rng_below(&s->rng, 8);
    if (r.type == SC_REQUEST_RANGE && r.metric == SC_METRIC_TIME) {
        r.radius_s = 120 * sc_rng_unit(&s->rng);
    } else if (r.type == SC_REQUEST_RANGE) {
        r.radius_m = 1500 * sc_rng_unit(&s->rng);
    }
    const uint32_t first = sc_rng_below(&s->rng, AREA_CATEGORIES);
    r.category_count = sc_rng_below(&s->rng, 3);
    const sc_vocabulary *v = sc_area_provider_vocabulary(s->provider);
    for (uint32_t i = 0; i < r.category_count; i++) {
        r.categories[i] = sc_vocabulary_find(v, area_categories[(first + i) % AREA_CATEGORIES]);
    }
    return sc_request_normalise(&r);
}

// The same in the words of the whole world's set.
static sc_request in_words_of(const sc_request *request, const sc_vocabulary *from,
                              const sc_vocabulary *to)
{
    sc_request r = *request;
    r.category_count = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        const sc_category_id c = sc_vocabulary_find(to, from->names[request->categories[i]]);
        if (c != SC_NONE) r.categories[r.category_count++] = c;
    }
    assert_int_equal(r.category_count, request->category_count);
    return sc_request_normalise(&r);
}

static void check_place(scene *s, odd_position at, size_t which, const sc_request *request)
{
    const sc_near *got = NULL;
    const sc_near *wanted = NULL;
    size_t got_count = 0;
    size_t count = 0;
    sc_diag diag = {""};
    const sc_road_point point = {at.edge, at.offset_m, at.direction};
    const sc_request plain = in_words_of(request, sc_area_provider_vocabulary(s->provider),
                                         sc_objects_vocabulary(s->world.objects));
    const sc_near_query query = {point, &plain};
    CHECK_OK(sc_filter_answer(s->filter, point, which, &got, &got_count, &diag), &diag);
    CHECK_OK(sc_lbs_nearest(s->lbs, s->world.objects, &query, &wanted, &count, &diag), &diag);
    assert_int_equal(got_count, count);
    for (size_t i = 0; i < count; i++) {
        CHECK_CLOSE(sc_near_cost(&got[i], request->metric),
                    sc_near_cost(&wanted[i], request->metric), 1e-3);
    }
}

// Ask for a cloak, and compare the answers of some places with a plain search over all objects.
static size_t check_cloak(scene *s, size_t stars, size_t places)
{
    sc_request requests[3];
    sc_diag diag = {""};
    for (size_t i = 0; i < 3; i++) {
        requests[i] = draw_request(s);
    }
    odd_cloak cloak = odd_cloak_of_stars(s->map, stars, &s->rng);
    sc_relay relay = odd_cloak_relay(&cloak, s->map, requests, 3);
    CHECK_OK(sc_area_asker_ask(s->asker, &relay, NULL, &s->reply, &diag), &diag);
    CHECK_OK(sc_filter_open(s->filter, &relay, &s->reply, &diag), &diag);
    for (size_t i = 0; i < places; i++) {
        const sc_seg_id segment =
            cloak.segments[sc_rng_below(&s->rng, (uint32_t)cloak.segment_count)];
        const size_t which = sc_rng_below(&s->rng, 3);
        check_place(s, odd_position_on(s->map, segment, &s->rng), which, &requests[which]);
    }
    sc_filter_forget(s->filter);
    odd_cloak_free(&cloak);
    return places;
}

static void test_answers_are_those_of_a_search_over_all_objects(void **state)
{
    (void)state;
    scene s;
    size_t checked = 0;
    open_scene(&s, city(), 600, AREA_GOOD, MORE);
    for (size_t i = 0; i < 200; i++) {
        // Some cold, some with tiles that are there, some with an index of them.
        if (i == 150) CHECK_OK(sc_area_provider_build_index(s.provider, NULL), NULL);
        checked += check_cloak(&s, 1 + i % 7, 10);
    }
    assert_int_equal(checked, 2000);
    const sc_area_status status = sc_area_provider_status(s.provider);
    assert_true(status.found > 0 && status.questions > 0 && status.left_out > 0);
    assert_int_equal(status.outside, 0);
    assert_int_equal(status.questions, area_server_count(s.server));
    close_scene(&s);
}

static void test_answers_are_exact_on_real_roads_for_ten_thousand_places(void **state)
{
    (void)state;
    char path[600];
    if (!data_path("osm/monaco.osm.pbf", path, sizeof path) &&
        !data_path("osm/monaco-latest.osm.pbf", path, sizeof path)) {
        skip();
    }
    const char *const inputs[] = {path};
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_OSM, inputs, 1}, &SC_IMPORT_DEFAULTS, &map,
                           NULL, &diag),
             &diag);
    scene s;
    open_scene(&s, map, 400, AREA_GOOD, MORE "[cache]\nbytes = 20000\n");
    size_t checked = 0;
    for (size_t i = 0; checked < 10000; i++) {
        checked += check_cloak(&s, 1 + i % 9, 25);
    }
    assert_true(sc_area_provider_status(s.provider).evicted > 0);
    close_scene(&s);
    sc_map_free(map);
}

static void test_what_is_asked_depends_on_roads_and_requests_alone(void **state)
{
    (void)state;
    sc_diag diag = {""};
    char *first = NULL;
    // Another order of members, another rng, another moment: the same questions.
    for (int round = 0; round < 2; round++) {
        scene s;
        open_scene(&s, city(), 300, AREA_GOOD, MORE);
        sc_rng rng;
        sc_rng_seed(&rng, 3);
        const sc_request request = {.type = SC_REQUEST_KNN, .k = 5};
        odd_cloak cloak = odd_cloak_of_stars(s.map, 4, &rng);
        sc_relay relay = odd_cloak_relay(&cloak, s.map, &request, 1);
        CHECK_OK(sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag), &diag);
        const char *asked = area_server_asked(s.server);
        assert_true(asked[0] != '\0');
        if (round == 0) first = strdup(asked);
        if (round == 1) assert_string_equal(asked, first);
        // Boxes are tiles: a cloak that is somewhere else in them asks the same, or nothing.
        area_server_forget(s.server);
        CHECK_OK(sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag), &diag);
        assert_int_equal(area_server_count(s.server), 0);
        odd_cloak_free(&cloak);
        close_scene(&s);
    }
    free(first);
}

// --- Bad providers ------------------------------------------------------------------------------

static sc_err ask_once(scene *s, sc_diag *diag)
{
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 3};
    odd_cloak cloak = odd_cloak_of_stars(s->map, 3, &s->rng);
    sc_relay relay = odd_cloak_relay(&cloak, s->map, &request, 1);
    const sc_err err = sc_area_asker_ask(s->asker, &relay, NULL, &s->reply, diag);
    odd_cloak_free(&cloak);
    return err;
}

static void test_bad_providers_are_refused_with_a_reason(void **state)
{
    (void)state;
    static const struct {
        area_mode mode;
        const char *more;
        sc_err err;
        const char *why;
    } bad[] = {
        {AREA_TWO_PLACES, MORE, SC_EREPLY, "one object in two places"},
        {AREA_UNSORTED, MORE "[paging]\npage-size = 7\n", SC_EREPLY, "came again"},
        {AREA_ENDLESS, MORE "[paging]\nnext = /next\nmax-pages = 5\n", SC_ELIMIT,
         "more than 5 pages"},
        {AREA_ELSEWHERE, MORE "[paging]\nnext = /next\n", SC_EREPLY, "the same scheme, host"},
        {AREA_HUGE, MORE "max-bytes = 100000\n", SC_ELIMIT, "larger than the limit"},
        {AREA_SLOW, MORE "timeout = 0.2\n", SC_ENET, "did not answer within"},
        {AREA_DRIPS, MORE "timeout = 0.2\n", SC_ENET, "did not answer within"},
        {AREA_ERROR, MORE, SC_ENET, "status 500"},
        {AREA_REDIRECT, MORE, SC_ENET, "redirect"},
        {AREA_NOT_JSON, MORE, SC_EREPLY, "not JSON"},
        {AREA_WRONG_TYPES, MORE, SC_EREPLY, "id is neither"},
        {AREA_NOT_A_NUMBER, MORE, SC_EREPLY, "not numbers"},
        {AREA_BUSY, MORE, SC_ENET, "status 503"},
        {AREA_LYING_TOTAL, MORE "[paging]\ntotal = /numberMatched\n", SC_EREPLY, "fewer objects"},
        {AREA_GOOD, "[tiles]\nsnap = 120\n[limits]\nmax-questions = 1\n", SC_ELIMIT,
         "more than 1 questions"},
        {AREA_GOOD, MORE "max-objects = 3\n", SC_ELIMIT, "max-objects"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        scene s;
        sc_diag diag = {""};
        open_scene(&s, city(), 2000, bad[i].mode, bad[i].more);
        sc_err err = SC_OK;
        for (int turn = 0; turn < 5 && !err; turn++) {
            err = ask_once(&s, &diag);
        }
        if (err != bad[i].err) print_message("mode %d\n", (int)bad[i].mode);
        CHECK_REFUSED(err, bad[i].err, &diag, bad[i].why);
        assert_null(strstr(diag.message, "bbox"));
        close_scene(&s);
    }
}

static void test_providers_with_quirks_give_exact_answers_all_the_same(void **state)
{
    (void)state;
    static const struct {
        area_mode mode;
        const char *more;
    } quirks[] = {
        {AREA_EVERYTHING, MORE},
        {AREA_BUSY_ONCE, MORE},
        {AREA_NO_STORE, MORE},
        {AREA_ETAG, MORE},
        {AREA_ONE_SECOND, MORE},
        {AREA_GOOD, MORE "[paging]\npage-size = 7\n"},
        {AREA_GOOD, MORE "[provider]\ncategories-at-once = 1\n"},
        {AREA_GOOD, MORE "rate = 1000\nparallel = 1\n"},
        {AREA_GOOD, "[tiles]\nsnap = 120\nsize = 150\nextent = 80\n"},
        {AREA_GOOD, MORE "[cache]\nbytes = 0\n"},
        {AREA_ROUNDS, MORE "[tiles]\nsize = 150\n"},
        // Fewer at a time than asked for; and linked pages that are not linked.
        {AREA_CAPPED, MORE},
        {AREA_CAPPED, MORE "[paging]\npage-size = 20\nnext = /next\n"},
    };
    for (size_t i = 0; i < sizeof quirks / sizeof *quirks; i++) {
        scene s;
        check_case(i);
        open_scene(&s, city(), 300, quirks[i].mode, quirks[i].more);
        for (size_t n = 0; n < 12; n++) {
            check_cloak(&s, 1 + n % 5, 5);
        }
        const sc_area_status status = sc_area_provider_status(s.provider);
        if (quirks[i].mode != AREA_ROUNDS) {
            assert_int_equal(status.outside > 0, quirks[i].mode == AREA_EVERYTHING);
        }
        if (quirks[i].mode == AREA_NO_STORE) assert_int_equal(status.tiles, 0);
        close_scene(&s);
    }
    check_case_done();
}

static void test_full_tiles_are_asked_for_in_parts(void **state)
{
    (void)state;
    sc_diag diag = {""};
    char *first = NULL;
    for (int round = 0; round < 2; round++) {
        scene s;
        open_scene_with(&s, city(), 600, AREA_GOOD, MORE "[paging]\npage-size = 40\n", false);
        const sc_request request = {.type = SC_REQUEST_KNN, .k = 5};
        odd_cloak cloak = odd_cloak_of_stars(s.map, 4, &s.rng);
        sc_relay relay = odd_cloak_relay(&cloak, s.map, &request, 1);
        CHECK_OK(sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag), &diag);
        const sc_area_work work = sc_area_asker_work(s.asker);
        // Each that was full is four questions more, and these are the same ones each time.
        assert_true(work.questions > work.tiles);
        assert_int_equal((work.questions - work.tiles) % 4, 0);
        if (round == 0) first = strdup(area_server_asked(s.server));
        if (round == 1) assert_string_equal(area_server_asked(s.server), first);
        odd_cloak_free(&cloak);
        for (size_t i = 0; i < 40; i++) {
            check_cloak(&s, 1 + i % 5, 10);
        }
        close_scene(&s);
    }
    free(first);
}

// What led to the last page of a part must not be asked for again in the place of the next part.
static void test_parts_are_asked_for_from_their_first_pages(void **state)
{
    (void)state;
    static const struct {
        area_mode mode;
        const char *more;
    } ways[] = {
        {AREA_FEW_LINKS, MORE "[paging]\npage-size = 20\nnext = /next\n"},
        {AREA_FEW_CURSORS, MORE "[paging]\npage-size = 20\ncursor = /next\n"},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        scene s;
        check_case(i);
        open_scene(&s, city(), 600, ways[i].mode, ways[i].more);
        for (size_t n = 0; n < 12; n++) {
            check_cloak(&s, 1 + n % 5, 10);
        }
        close_scene(&s);
    }
    check_case_done();
}

static void test_a_part_that_cannot_be_divided_is_refused_if_it_is_full(void **state)
{
    (void)state;
    scene s;
    sc_diag diag = {""};
    open_scene_with(&s, city(), 2000, AREA_EVERYTHING, MORE "[paging]\npage-size = 1\n", false);
    CHECK_REFUSED(ask_once(&s, &diag), SC_ELIMIT, &diag, "too small to be divided");
    // It goes down to the bottom at once, and is not asked for all parts of a level before.
    assert_true(area_server_count(s.server) <= (size_t)4 * (SC__TILE_LEVELS_MAX + 1));
    close_scene(&s);
    open_scene_with(&s, city(), 2000, AREA_GOOD, MORE "[paging]\npage-size = 40\nmax-pages = 3\n",
                    false);
    CHECK_REFUSED(ask_once(&s, &diag), SC_ELIMIT, &diag, "max-pages");
    close_scene(&s);
}

// What the same cloak takes for the first and for the second time, when tiles are stale at once.
static void ask_twice(scene *s, sc_area_work work[2])
{
    sc_diag diag = {""};
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 3};
    odd_cloak cloak = odd_cloak_of_stars(s->map, 3, &s->rng);
    sc_relay relay = odd_cloak_relay(&cloak, s->map, &request, 1);
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(sc_area_asker_ask(s->asker, &relay, NULL, &s->reply, &diag), &diag);
        work[i] = sc_area_asker_work(s->asker);
    }
    odd_cloak_free(&cloak);
}

static void test_a_known_tile_is_not_sent_again(void **state)
{
    (void)state;
    scene s;
    sc_area_work work[2];
    open_scene_with(&s, city(), 300, AREA_ETAG, MORE, false);
    ask_twice(&s, work);
    assert_int_equal(work[0].questions, work[1].questions);
    assert_true(work[0].bytes_in > 100);
    assert_int_equal(work[1].bytes_in, 0);
    close_scene(&s);
}

// The page may be full, and the next object one of the page behind, which was empty.
static void test_an_etag_of_a_page_says_nothing_of_the_one_behind(void **state)
{
    (void)state;
    scene s;
    sc_area_work work[2];
    open_scene(&s, city(), 300, AREA_ETAG, MORE);
    ask_twice(&s, work);
    // The page behind was asked for, to know whether the first was the last: so are both again.
    assert_true(work[0].questions > work[0].tiles);
    assert_int_equal(work[1].questions, work[0].questions);
    assert_int_equal(work[1].bytes_in, work[0].bytes_in);
    close_scene(&s);
}

/** Where tiles have the object that is in all of them. */
typedef struct moves {
    size_t count;
    uint64_t newest;
    sc_edge_id edge;
} moves;

static void ignore_need(void *context, uint64_t round, const sc_area_span *span)
{
    (void)context;
    (void)round;
    (void)span;
}

static void note_moving(void *context, uint64_t round, const sc_area_tile *tile)
{
    moves *m = context;
    (void)round;
    for (size_t i = 0; i < tile->count; i++) {
        const sc_object_row row = sc_area_tile_object(tile, i);
        if (strcmp(row.key, "moving") != 0) continue;
        m->count++;
        if (tile->number <= m->newest) continue;
        m->newest = tile->number;
        m->edge = row.edge;
    }
}

static void test_an_object_in_two_tiles_counts_where_it_was_seen_last(void **state)
{
    (void)state;
    scene s;
    sc_diag diag = {""};
    moves m = {.count = 0};
    const sc_area_watcher watcher = {ignore_need, note_moving, &m};
    open_scene(&s, city(), 1500, AREA_MOVING, MORE "[tiles]\nsize = 700\n");
    const sc_request request = {
        .type = SC_REQUEST_RANGE, .metric = SC_METRIC_DISTANCE, .radius_m = 1000};
    odd_cloak cloak = odd_cloak_of_stars(s.map, 3, &s.rng);
    sc_relay relay = odd_cloak_relay(&cloak, s.map, &request, 1);
    sc_area_asker_watch(s.asker, &watcher);
    CHECK_OK(sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag), &diag);
    assert_true(m.count > 1);
    const sc_object_table *table = sc_objects_table(sc_area_asker_objects(s.asker));
    size_t found = 0;
    for (sc_object_id i = 0; i < table->count; i++) {
        if (strcmp(table->strings + table->keys[i], "moving") != 0) continue;
        found++;
        assert_int_equal(table->objects[i].edge, m.edge);
    }
    assert_int_equal(found, 1);
    odd_cloak_free(&cloak);
    close_scene(&s);
}

static void test_what_was_held_for_long_elsewhere_is_stale(void **state)
{
    (void)state;
    scene s;
    sc_diag diag = {""};
    open_scene(&s, city(), 300, AREA_AGED, MORE);
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 3};
    odd_cloak cloak = odd_cloak_of_stars(s.map, 3, &s.rng);
    sc_relay relay = odd_cloak_relay(&cloak, s.map, &request, 1);
    for (int turn = 0; turn < 2; turn++) {
        CHECK_OK(sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag), &diag);
        assert_true(sc_area_asker_work(s.asker).bytes_in > 100);
    }
    odd_cloak_free(&cloak);
    close_scene(&s);
}

static void test_no_more_is_asked_than_a_cloak_may(void **state)
{
    (void)state;
    for (uint64_t most = 1; most < 12; most++) {
        scene s;
        sc_diag diag = {""};
        char more[200];
        snprintf(more, sizeof more,
                 "[tiles]\nsnap = 120\n[limits]\nmax-questions = %u\n[paging]\npage-size = 5\n",
                 (unsigned)most);
        open_scene(&s, city(), 2000, AREA_GOOD, more);
        CHECK_REFUSED(ask_once(&s, &diag), SC_ELIMIT, &diag, "max-questions");
        assert_int_equal(sc_area_asker_work(s.asker).questions, most);
        // Some that were on their way when the last was refused may not have arrived.
        assert_true(area_server_count(s.server) <= most);
        assert_int_equal(sc_area_provider_status(s.provider).questions, most);
        close_scene(&s);
    }
}

static sc_area_work ask_categories(scene *s, const odd_cloak *cloak, uint32_t count)
{
    sc_diag diag = {""};
    sc_request request = {.type = SC_REQUEST_RANGE, .radius_m = 1, .category_count = count};
    for (uint32_t i = 0; i < count; i++) {
        request.categories[i] =
            sc_vocabulary_find(sc_area_provider_vocabulary(s->provider), area_categories[i]);
    }
    request = sc_request_normalise(&request);
    sc_relay relay = odd_cloak_relay(cloak, s->map, &request, 1);
    CHECK_OK(sc_area_asker_ask(s->asker, &relay, NULL, &s->reply, &diag), &diag);
    return sc_area_asker_work(s->asker);
}

static void test_an_etag_of_two_categories_is_none_of_one(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, city(), 300, AREA_ETAG, MORE);
    odd_cloak cloak = odd_cloak_of_stars(s.map, 3, &s.rng);
    assert_true(ask_categories(&s, &cloak, 2).bytes_in > 0);
    assert_true(ask_categories(&s, &cloak, 1).bytes_in > 0);
    assert_int_equal(ask_categories(&s, &cloak, 1).bytes_in, 0);
    odd_cloak_free(&cloak);
    close_scene(&s);
}

static sc_err fill_slow(void *context, size_t i, sc_http_question *out, sc_diag *diag)
{
    (void)i;
    (void)diag;
    out->url = context;
    return SC_OK;
}

// Stopping does not wait for a tile that is being fetched again: with ten minutes to wait, this
// ends only if the descriptor is looked at.
static void test_questions_are_given_up_when_all_stops(void **state)
{
    (void)state;
    scene s;
    sc_diag diag = {""};
    open_scene(&s, city(), 10, AREA_SLOW, MORE);
    char url[200];
    const char *from = sc_area_settings_url(s.settings);
    snprintf(url, sizeof url, "%.*s", (int)strcspn(from, "?"), from);
    const int stop = eventfd(1, EFD_CLOEXEC);
    const sc_http_batch_options how = {
        .parallel = 1, .timeout_s = 600, .deadline_s = 600, .max_bytes = 1000, .stop = &stop};
    sc_http_connections *http = NULL;
    sc_http_batch batch = {.count = 1, .fill = fill_slow, .context = url};
    CHECK_OK(sc_http_connections_open(&how, &http, &diag), &diag);
    CHECK_REFUSED(sc_http_batch_run(http, &batch, &diag), SC_ENET, &diag, "given up");
    sc_http_connections_close(http);
    close(stop);
    close_scene(&s);
}

static void test_next_addresses_stay_at_the_same_place(void **state)
{
    (void)state;
    static const struct {
        const char *next;
        const char *wanted;
    } cases[] = {
        {"?b=2", "https://h.example/p/q?b=2"},
        {"/x", "https://h.example/x"},
        {"https://h.example:443/z", "https://h.example:443/z"},
        {"https://H.example/z", "https://H.example/z"},
        {"http://h.example/z", NULL},
        {"https://h.example:444/z", NULL},
        {"https://h.example.evil/z", NULL},
        {"//evil/z", NULL},
        {"https://me@h.example/z", NULL},
        {"file:///etc/passwd", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *address = sc__area_next_address("https://h.example/p/q?a=1", cases[i].next);
        if (cases[i].wanted) {
            assert_non_null(address);
            assert_string_equal(address, cases[i].wanted);
        } else {
            assert_null(address);
        }
        curl_free(address);
    }
}

static void test_memory_that_runs_out_is_said(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, city(), 60, AREA_GOOD, MORE "[cache]\nlifetime = 0\nstale = 0\n");
    const sc_request request = {.type = SC_REQUEST_KNN, .k = 2};
    odd_cloak cloak = odd_cloak_of_stars(s.map, 2, &s.rng);
    sc_relay relay = odd_cloak_relay(&cloak, s.map, &request, 1);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_area_asker_ask(s.asker, &relay, NULL, &s.reply, &diag);
        if (!oom_happened()) {
            assert_int_equal(err, SC_OK);
            break;
        }
        failures++;
        // A tile that cannot be kept is not an error.
        assert_true(err == SC_ENOMEM || err == SC_OK);
    }
    assert_true(failures > 20);
    odd_cloak_free(&cloak);
    close_scene(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_answers_are_those_of_a_search_over_all_objects),
    cmocka_unit_test(test_answers_are_exact_on_real_roads_for_ten_thousand_places),
    cmocka_unit_test(test_what_is_asked_depends_on_roads_and_requests_alone),
    cmocka_unit_test(test_bad_providers_are_refused_with_a_reason),
    SC_CASES(test_providers_with_quirks_give_exact_answers_all_the_same),
    cmocka_unit_test(test_full_tiles_are_asked_for_in_parts),
    SC_CASES(test_parts_are_asked_for_from_their_first_pages),
    cmocka_unit_test(test_a_part_that_cannot_be_divided_is_refused_if_it_is_full),
    cmocka_unit_test(test_a_known_tile_is_not_sent_again),
    cmocka_unit_test(test_an_etag_of_a_page_says_nothing_of_the_one_behind),
    cmocka_unit_test(test_an_object_in_two_tiles_counts_where_it_was_seen_last),
    cmocka_unit_test(test_what_was_held_for_long_elsewhere_is_stale),
    cmocka_unit_test(test_no_more_is_asked_than_a_cloak_may),
    cmocka_unit_test(test_an_etag_of_two_categories_is_none_of_one),
    cmocka_unit_test(test_questions_are_given_up_when_all_stops),
    cmocka_unit_test(test_next_addresses_stay_at_the_same_place),
    cmocka_unit_test(test_memory_that_runs_out_is_said),
};
SC_SUITE(tests)
