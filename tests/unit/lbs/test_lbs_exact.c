// What a provider answers for a cloak, held against a plain Dijkstra from every border node
// (support/slow_nearest.h) and a plain look at every object: on thousands of odd maps and cloaks,
// by look-up and by search, for few and many objects, for one category, several and all.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"
#include "support/sketch.h"

enum { TOWNS = 1200, CLOAKS_PER_TOWN = 3, MOST_REQUESTS = 4 };

// --- Checking --------------------------------------------------------------------------

// Every object on the segments that is of a wanted category, each once, and no other.
static void check_runs(const odd_town *town, const odd_cloak *cloak, const sc_request *request,
                       const sc_reply *reply, size_t r)
{
    const sc_object_table *table = &reply->table;
    bool *is_listed = test_take(table->count, sizeof *is_listed);
    for (uint32_t i = reply->run_start[r]; i < reply->run_start[r + 1]; i++) {
        const sc_object_run run = reply->runs[i];
        assert_true(run.count <= table->count && run.first <= table->count - run.count);
        for (uint32_t o = run.first; o < run.first + run.count; o++) {
            assert_false(is_listed[o]);
            is_listed[o] = true;
        }
    }
    for (uint32_t o = 0; o < table->count; o++) {
        const sc_object *object = &table->objects[o];
        const sc_seg_id segment = sc_map_edges(town->map)[object->edge].segment;
        const bool is_due = cloak->inside[segment] && slow_is_wanted(request, object->category);
        assert_int_equal(is_listed[o], is_due);
    }
    free(is_listed);
}

static void check_reply(odd_town *town, const odd_cloak *cloak, const sc_relay *relay,
                        const sc_reply *reply)
{
    assert_int_equal(reply->map_checksum, relay->map_checksum);
    assert_int_equal(reply->request_count, relay->request_count);
    assert_int_equal(reply->border_node_count, relay->border_node_count);
    assert_ptr_equal(reply->table.objects, sc_objects_table(town->objects)->objects);
    assert_int_equal(reply->run_start[0], 0);
    assert_int_equal(reply->near_start[0], 0);
    for (size_t r = 0; r < relay->request_count; r++) {
        check_runs(town, cloak, &relay->requests[r], reply, r);
        for (size_t b = 0; b < relay->border_node_count; b++) {
            const size_t i = r * relay->border_node_count + b;
            slow_answer wanted =
                slow_nearest_at_node(&town->slow, relay->border_nodes[b], &relay->requests[r]);
            slow_check_answer(&town->slow, &wanted, &reply->nears[reply->near_start[i]],
                              reply->near_start[i + 1] - reply->near_start[i], "border node");
            slow_answer_free(&wanted);
        }
    }
}

/** What came of a test over many towns, so that it can say it has seen enough. */
typedef struct tally {
    uint64_t answers;
    sc_lbs_work work;
} tally;

// One provider and one reply for several cloaks: nothing may be left over from the one before.
static void ask_about_cloaks(odd_town *town, bool without_index, tally *all)
{
    const uint32_t category_count = sc_objects_vocabulary(town->objects)->count;
    sc_lbs *lbs = odd_town_lbs(town, without_index);
    sc_reply reply;
    sc_reply_init(&reply);
    for (int i = 0; i < CLOAKS_PER_TOWN; i++) {
        odd_cloak cloak = odd_cloak_new(town->map, &town->rng);
        sc_request requests[MOST_REQUESTS];
        const size_t count = odd_requests(town->map, category_count, &town->rng, requests,
                                          1 + sc_rng_below(&town->rng, MOST_REQUESTS));
        const sc_relay relay = odd_cloak_relay(&cloak, town->map, requests, count);
        sc_diag diag = {""};
        CHECK_OK(sc_lbs_evaluate(lbs, town->objects, &relay, &reply, &diag), &diag);
        check_reply(town, &cloak, &relay, &reply);
        all->answers += count * cloak.border_node_count;
        odd_cloak_free(&cloak);
    }
    const sc_lbs_work work = sc_lbs_get_work(lbs);
    all->work.looked_up += work.looked_up;
    all->work.searched += work.searched;
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
}

// --- Border nodes and segments -----------------------------------------------------------

static void test_without_an_index_every_border_node_gets_its_own_exact_answer(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        ask_about_cloaks(&town, false, &all);
        odd_town_free(&town);
    }
    check_case_done();
    // Only what is known to have no objects needs no search.
    assert_int_equal(all.work.searched + all.work.looked_up, all.answers);
    assert_true(all.work.searched > 5 * all.work.looked_up && all.work.searched / 5 > TOWNS);
}

static void test_with_an_index_every_border_node_gets_its_own_exact_answer(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        ask_about_cloaks(&town, false, &all);
        odd_town_free(&town);
    }
    check_case_done();
    // Both ways of finding an answer were well used.
    assert_int_equal(all.work.searched + all.work.looked_up, all.answers);
    assert_true(all.work.searched > TOWNS && all.work.looked_up > TOWNS);
}

static void test_an_index_can_be_left_unused(void **state)
{
    (void)state;
    tally all = {0};
    for (uint64_t seed = 0; seed < 100; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        ask_about_cloaks(&town, true, &all);
        odd_town_free(&town);
    }
    check_case_done();
    assert_int_equal(all.work.searched + all.work.looked_up, all.answers);
    assert_true(all.work.searched > 5 * all.work.looked_up);
}

// An object whose distance is the radius, to the last bit, is within it; one that is a unit farther
// is not.
static void test_an_object_at_exactly_the_radius_is_within_it(void **state)
{
    (void)state;
    uint64_t tried = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (seed % 2) odd_town_index(&town);
        odd_cloak cloak = odd_cloak_new(town.map, &town.rng);
        sc_lbs *lbs = odd_town_lbs(&town, false);
        sc_reply reply;
        sc_reply_init(&reply);
        const sc_request nearest = {.type = SC_REQUEST_KNN, .k = 3};
        for (size_t b = 0; b < cloak.border_node_count && b < 4; b++) {
            slow_answer known = slow_nearest_at_node(&town.slow, cloak.border_nodes[b], &nearest);
            for (size_t i = 0; i < known.least_count; i++) {
                const sc_request range = {.type = SC_REQUEST_RANGE,
                                          .radius_m =
                                              slow_metres(&town.slow, known.nears[i].distance)};
                const sc_relay relay = odd_cloak_relay(&cloak, town.map, &range, 1);
                sc_diag diag = {""};
                CHECK_OK(sc_lbs_evaluate(lbs, town.objects, &relay, &reply, &diag), &diag);
                slow_answer wanted =
                    slow_nearest_at_node(&town.slow, cloak.border_nodes[b], &range);
                assert_int_equal(reply.near_start[b + 1] - reply.near_start[b], wanted.most_count);
                slow_answer_free(&wanted);
                tried++;
            }
            slow_answer_free(&known);
        }
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        odd_cloak_free(&cloak);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(tried > 400);
}

// A cloak with more border nodes than one search serves: sixteen of them, then the rest.
static void test_a_cloak_of_many_border_nodes_is_answered_as_any_other(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 12, 12);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t i = 0; i < 40; i++) {
        put_object(builder, 7 * i % s.edge_count, (i % 4) / 4.0, i % 3 ? "common" : "rare", "");
    }
    odd_town town = {.map = finish_builder(builder)};
    sketch_free(&s);
    sc_rng_seed(&town.rng, 1);
    CHECK_OK(sc_objects_new_from_map(town.map, &town.objects), NULL);
    town.slow = slow_nearest_new(town.map, sc_objects_table(town.objects));
    bool *inside = test_take(sc_map_segment_count(town.map), sizeof *inside);
    for (sc_seg_id segment = 0; segment < sc_map_segment_count(town.map); segment += 2) {
        inside[segment] = true;
    }
    odd_cloak cloak = odd_cloak_of(town.map, inside);
    assert_true(cloak.border_node_count / 3 > 16);
    const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 1},
        {.type = SC_REQUEST_KNN, .k = 50, .category_count = 1, .categories = {1}},
        {.type = SC_REQUEST_RANGE, .radius_m = 250, .category_count = 2, .categories = {0, 1}},
    };
    const sc_relay relay = odd_cloak_relay(&cloak, town.map, requests, 3);
    sc_lbs *lbs = odd_town_lbs(&town, false);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(lbs, town.objects, &relay, &reply, &diag), &diag);
    check_reply(&town, &cloak, &relay, &reply);
    assert_in_range(sc_lbs_get_work(lbs).searches, cloak.border_node_count / 16 * 3,
                    3 * cloak.border_node_count);
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    odd_cloak_free(&cloak);
    odd_town_free(&town);
}

// Objects at the dead ends C, D and F, at distances that 30 bits of millimetres do not hold (1,074
// km), or 32 do not (4,295 km): by one road, by two together, or by all of them.
//
//      D   E
//      |   |
//      A---B---C
//      |
//      F
static odd_town wide_town(double to_f_km, double to_b_km, double to_c_km)
{
    sketch s = sketch_draw(SC_COORDS_NONE,
                           "D   E\n"
                           "|   |\n"
                           "A---B---C\n"
                           "|\n"
                           "F\n",
                           "");
    const uint32_t a = sketch_node(&s, 'A');
    const uint32_t c = sketch_node(&s, 'C');
    const uint32_t f = sketch_node(&s, 'F');
    for (uint32_t e = 0; e < s.edge_count; e++) {
        sketch_edge *edge = &s.edges[e];
        edge->length = 1e3;
        if (edge->to == f) edge->length = 1e3 * to_f_km;
        if (edge->to == c) edge->length = 1e3 * to_c_km;
        if (edge->from == a && edge->to == sketch_node(&s, 'B')) edge->length = 1e3 * to_b_km;
    }
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 0; e < s.edge_count; e++) {
        if (s.edges[e].to == f) put_object(builder, e, 1.0, "common", "at F");
        if (s.edges[e].to == c) put_object(builder, e, 1.0, "common", "at C");
        if (s.edges[e].to == a) put_object(builder, e, 0.0, "rare", "at D");
    }
    odd_town town = {.map = finish_builder(builder)};
    sketch_free(&s);
    sc_rng_seed(&town.rng, 1);
    CHECK_OK(sc_objects_new_from_map(town.map, &town.objects), NULL);
    town.slow = slow_nearest_new(town.map, sc_objects_table(town.objects));
    assert_int_equal(town.slow.table->count, 3);
    return town;
}

static void test_objects_farther_than_a_word_holds_are_found(void **state)
{
    (void)state;
    static const double lengths_km[][3] = {
        {2000, 1, 1}, {1, 900, 500}, {1, 2000, 1}, {3900, 3900, 3900}, {1, 3900, 3900}};
    for (size_t i = 0; i < sizeof lengths_km / sizeof *lengths_km; i++) {
        check_case(i);
        odd_town town = wide_town(lengths_km[i][0], lengths_km[i][1], lengths_km[i][2]);
        for (int round = 0; round < 40; round++) {
            tally all = {0};
            ask_about_cloaks(&town, false, &all);
            if (round == 20) odd_town_index(&town);
        }
        odd_town_free(&town);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_without_an_index_every_border_node_gets_its_own_exact_answer),
    SC_CASES(test_with_an_index_every_border_node_gets_its_own_exact_answer),
    SC_CASES(test_an_index_can_be_left_unused),
    SC_CASES(test_an_object_at_exactly_the_radius_is_within_it),
    SC_CASES(test_objects_farther_than_a_word_holds_are_found),
    cmocka_unit_test(test_a_cloak_of_many_border_nodes_is_answered_as_any_other),
};
SC_SUITE(tests)
