// What a provider counts, and how much work it is willing to do for one relay.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/sketch.h"

/** A town of streets in squares with one object in a corner, and what answers there. */
typedef struct town {
    sketch drawing;
    sc_map *map;
    sc_objects *objects;
    sc_lbs *lbs;
    sc_reply reply;
    sc_node_id border_nodes[4];
    sc_relay relay;
    sc_request request;
} town;

enum { SIDE = 20, CROSSINGS = SIDE * SIDE };

// One segment in the far corner: both its ends are border nodes.
static town town_new(uint64_t max_visits)
{
    town t = {.drawing = sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE)};
    sc_builder *builder = sketch_builder(&t.drawing);
    put_object(builder, 0, 0.5, "well", "");
    t.map = finish_builder(builder);
    CHECK_OK(sc_objects_new_from_map(t.map, &t.objects), NULL);
    sc_lbs_options options = sc_lbs_options_default();
    options.max_visits = max_visits;
    CHECK_OK(sc_lbs_new(t.map, &options, &t.lbs, NULL), NULL);
    sc_reply_init(&t.reply);
    return t;
}

static void town_free(town *t)
{
    sc_reply_fini(&t->reply);
    sc_lbs_free(t->lbs);
    sc_objects_release(t->objects);
    sc_map_free(t->map);
    sketch_free(&t->drawing);
}

// The k nearest of the ends of one segment.
static sc_err ask(town *t, uint32_t k, sc_diag *diag)
{
    static const sc_seg_id segment = 5;
    const sc_segment *road = &sc_map_segments(t->map)[segment];
    const sc_star *stars = sc_map_stars(t->map);
    const sc_node_id a = stars[road->star_a].node;
    const sc_node_id b = stars[road->star_b].node;
    t->border_nodes[0] = a < b ? a : b;
    t->border_nodes[1] = a < b ? b : a;
    t->request = (sc_request){.type = SC_REQUEST_KNN, .k = k};
    t->relay = (sc_relay){.map_checksum = sc_map_checksum(t->map),
                          .segments = &segment,
                          .segment_count = 1,
                          .border_nodes = t->border_nodes,
                          .border_node_count = 2,
                          .requests = &t->request,
                          .request_count = 1};
    return sc_lbs_evaluate(t->lbs, t->objects, &t->relay, &t->reply, diag);
}

// There is one object, so a search for two looks everywhere.
static void test_a_search_that_goes_on_and_on_is_refused(void **state)
{
    (void)state;
    sc_diag diag = {""};
    town t = town_new(CROSSINGS / 2);
    CHECK_REFUSED(ask(&t, 2, &diag), SC_ELIMIT, &diag, "takes more than 200 steps");
    town_free(&t);

    // Enough for this, and what earlier relays took does not count.
    t = town_new(UINT64_C(4) * CROSSINGS);
    for (int i = 0; i < 10; i++) {
        CHECK_OK(ask(&t, 2, &diag), &diag);
        assert_int_equal(t.reply.near_start[2], 2);
    }
    assert_true(sc_lbs_get_work(t.lbs).stars_visited > UINT64_C(4) * CROSSINGS);
    town_free(&t);
}

static void test_what_the_index_answers_takes_no_search(void **state)
{
    (void)state;
    sc_diag diag = {""};
    town t = town_new(0);
    sc_index_options options = sc_index_options_default();
    CHECK_OK(sc_objects_build_index(t.objects, &options, &diag), &diag);
    CHECK_OK(ask(&t, 2, &diag), &diag);
    const sc_lbs_work work = sc_lbs_get_work(t.lbs);
    assert_int_equal(work.looked_up, 2);
    assert_int_equal(work.searched, 0);
    assert_int_equal(work.searches, 0);
    assert_int_equal(work.stars_visited, 0);
    town_free(&t);
}

static void test_border_nodes_share_a_search_where_objects_are_rare(void **state)
{
    (void)state;
    sc_diag diag = {""};
    town t = town_new(UINT64_MAX);
    CHECK_OK(ask(&t, 1, &diag), &diag);
    const sc_lbs_work work = sc_lbs_get_work(t.lbs);
    assert_int_equal(work.looked_up, 0);
    assert_int_equal(work.searched, 2);
    assert_int_equal(work.searches, 1);
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_search_that_goes_on_and_on_is_refused),
    cmocka_unit_test(test_what_the_index_answers_takes_no_search),
    cmocka_unit_test(test_border_nodes_share_a_search_where_objects_are_rare),
};
SC_SUITE(tests)
