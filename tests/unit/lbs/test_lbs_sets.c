// One provider and several sets of objects on its map, in turn: the map's own, rows from elsewhere,
// few and many, with an index, without one, and with one that came out of a map file. Nothing of
// the set before may be left in an answer.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_objects.h"
#include "support/odd_town.h"
#include "support/place.h"

#include <stdio.h>

enum { TOWNS = 300, ROUNDS = 6 };

static void check_nears(slow_nearest *slow, const sc_relay *relay, const sc_reply *reply)
{
    const size_t border = relay->border_node_count;
    for (size_t i = 0; i < relay->request_count * border; i++) {
        slow_answer wanted = slow_nearest_at_node(slow, relay->border_nodes[i % border],
                                                  &relay->requests[i / border]);
        slow_check_answer(slow, &wanted, &reply->nears[reply->near_start[i]],
                          reply->near_start[i + 1] - reply->near_start[i], "border node");
        slow_answer_free(&wanted);
    }
}

// Ask `lbs` about a random cloak, and hold its answers against the set itself.
static void ask_once(odd_town *town, sc_lbs *lbs, const sc_objects *objects, sc_reply *reply)
{
    slow_nearest slow = slow_nearest_new(town->map, sc_objects_table(objects));
    odd_cloak cloak = odd_cloak_new(town->map, &town->rng);
    sc_request requests[3];
    const size_t count = odd_requests(town->map, sc_objects_vocabulary(objects)->count, &town->rng,
                                      requests, sizeof requests / sizeof *requests);
    const sc_relay relay = odd_cloak_relay(&cloak, town->map, requests, count);
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_evaluate(lbs, objects, &relay, reply, &diag), &diag);
    assert_ptr_equal(reply->table.objects, sc_objects_table(objects)->objects);
    check_nears(&slow, &relay, reply);
    odd_cloak_free(&cloak);
    slow_nearest_free(&slow);
}

// Rows of the provider's own: anywhere, of categories that the map may never have heard of.
static sc_objects *other_objects(odd_town *town, uint32_t count)
{
    sc_objects_builder *builder = NULL;
    CHECK_OK(sc_objects_builder_new(town->map, &builder), NULL);
    for (uint32_t i = 0; i < count; i++) {
        const sc_edge_id edge = sc_rng_below(&town->rng, sc_map_edge_count(town->map));
        char key[32];
        char category[32];
        snprintf(key, sizeof key, "%u", i);
        snprintf(category, sizeof category, "kind %u", sc_rng_below(&town->rng, 3));
        sc_diag diag = {""};
        CHECK_OK(sc_objects_builder_add(
                     builder,
                     &(sc_object_row){.edge = edge,
                                      .offset_m = sc_rng_unit(&town->rng) *
                                                  sc_map_edge_length_m(town->map, edge),
                                      .key = key,
                                      .category = category,
                                      .name = NULL},
                     &diag),
                 &diag);
    }
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_builder_finish(builder, &objects), NULL);
    sc_objects_builder_free(builder);
    return objects;
}

static void test_one_provider_answers_from_several_sets_in_turn(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_objects *sets[] = {town.objects, other_objects(&town, 3), other_objects(&town, 150)};
        odd_town_index(&town);
        sc_lbs *lbs = odd_town_lbs(&town, false);
        sc_reply reply;
        sc_reply_init(&reply);
        for (int i = 0; i < ROUNDS; i++) {
            ask_once(&town, lbs, sets[sc_rng_below(&town.rng, 3)], &reply);
        }
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        sc_objects_release(sets[1]);
        sc_objects_release(sets[2]);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_an_index_out_of_a_map_file_gives_the_same_exact_answers(void **state)
{
    (void)state;
    place here = place_new();
    const char *path = place_path(&here, "town.scm");
    uint64_t looked_up = 0;
    for (uint64_t seed = 0; seed < TOWNS / 3; seed++) {
        check_case(seed);
        odd_town built = odd_town_new(seed);
        odd_town_index(&built);
        sc_diag diag = {""};
        CHECK_OK(sc_objects_save_map(built.objects, path, &diag), &diag);

        odd_town opened = {.rng = built.rng};
        CHECK_OK(sc_map_open(path, &opened.map, &diag), &diag);
        CHECK_OK(sc_objects_new_from_map(opened.map, &opened.objects), NULL);
        sc_lbs *lbs = odd_town_lbs(&opened, false);
        sc_reply reply;
        sc_reply_init(&reply);
        for (int i = 0; i < ROUNDS; i++) {
            ask_once(&opened, lbs, opened.objects, &reply);
        }
        if (sc_objects_index_info(built.objects).k > 0) {
            looked_up += sc_lbs_get_work(lbs).looked_up;
        }
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        sc_objects_release(opened.objects);
        sc_map_free(opened.map);
        odd_town_free(&built);
    }
    check_case_done();
    assert_true(looked_up > TOWNS);
    place_free(&here);
}

// A careless caller names a category twice, or in any order: it is wanted once.
static void test_a_category_named_twice_counts_once(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < TOWNS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        if (sc_map_category_count(town.map) < 2) {
            odd_town_free(&town);
            continue;
        }
        sc_lbs *lbs = odd_town_lbs(&town, false);
        sc_reply reply;
        sc_reply_init(&reply);
        odd_cloak cloak = odd_cloak_new(town.map, &town.rng);
        const sc_request request = {.type = SC_REQUEST_KNN,
                                    .k = 1 + sc_rng_below(&town.rng, 5),
                                    .category_count = 3,
                                    .categories = {1, 0, 0}};
        const sc_relay relay = odd_cloak_relay(&cloak, town.map, &request, 1);
        sc_diag diag = {""};
        CHECK_OK(sc_lbs_evaluate(lbs, town.objects, &relay, &reply, &diag), &diag);
        check_nears(&town.slow, &relay, &reply);
        odd_cloak_free(&cloak);
        sc_reply_fini(&reply);
        sc_lbs_free(lbs);
        odd_town_free(&town);
    }
    check_case_done();
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_one_provider_answers_from_several_sets_in_turn),
    SC_CASES(test_an_index_out_of_a_map_file_gives_the_same_exact_answers),
    SC_CASES(test_a_category_named_twice_counts_once),
};
SC_SUITE(tests)
