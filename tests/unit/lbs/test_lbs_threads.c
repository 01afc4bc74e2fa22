// Any number of providers may share one set of objects: four threads, each with a provider of its
// own, answer as one does, while others hold the set and give it back. The thread sanitizer, where
// it is on, sees every access.
#include <starcloak/lbs.h>

#include "support/check.h"
#include "support/odd_cloak.h"
#include "support/odd_town.h"
#include "support/sketch.h"

#include <pthread.h>

enum { THREADS = 4, CLOAKS = 60 };

/** What one thread answers. */
typedef struct asker {
    sc_objects *objects;
    uint64_t sum;  ///< of all answers, in order
    sc_err err;
} asker;

static void add(uint64_t *sum, uint64_t value)
{
    *sum = (*sum ^ value) * 0x9e3779b97f4a7c15u + (*sum >> 29);
}

static sc_err answer_all(asker *c)
{
    const sc_map *map = sc_objects_map(c->objects);
    const sc_lbs_options options = sc_lbs_options_default();
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 2},
        {.type = SC_REQUEST_KNN, .k = 20, .category_count = 1, .categories = {1}},
        {.type = SC_REQUEST_RANGE, .radius_m = 350},
    };
    sc_lbs *lbs = NULL;
    sc_err err = sc_lbs_new(map, &options, &lbs, NULL);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int i = 0; i < CLOAKS && !err; i++) {
        sc_objects *held = sc_objects_hold(c->objects);
        odd_cloak cloak = odd_cloak_of_stars(map, 4, &rng);
        const sc_relay relay = odd_cloak_relay(&cloak, map, requests, 3);
        err = sc_lbs_evaluate(lbs, held, &relay, &reply, NULL);
        for (size_t j = 0; !err && j < reply.near_start[3 * cloak.border_node_count]; j++) {
            add(&c->sum, reply.nears[j].object);
            add(&c->sum, (uint64_t)reply.nears[j].distance_m);
        }
        odd_cloak_free(&cloak);
        sc_objects_release(held);
    }
    sc_reply_fini(&reply);
    sc_lbs_free(lbs);
    return err;
}

static void *work(void *argument)
{
    asker *c = argument;
    c->err = answer_all(c);
    sc_objects_release(c->objects);
    return NULL;
}

static void test_four_threads_answer_as_one_does(void **state)
{
    (void)state;
    sketch s = sketch_grid(SC_COORDS_PLANAR, 12, 12);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t e = 0; e < s.edge_count; e += 3) {
        put_object(builder, e, 0.4, e % 2 ? "common" : "rare", "");
    }
    odd_town town = {.map = finish_builder(builder)};
    sketch_free(&s);
    sc_rng_seed(&town.rng, 2);
    CHECK_OK(sc_objects_new_from_map(town.map, &town.objects), NULL);
    odd_town_index(&town);

    asker alone = {.objects = town.objects};
    CHECK_OK(answer_all(&alone), NULL);
    pthread_t threads[THREADS];
    asker askers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        askers[i] = (asker){.objects = sc_objects_hold(town.objects)};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &askers[i]), 0);
    }
    sc_objects_release(town.objects);  // the last one frees it
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        CHECK_OK(askers[i].err, NULL);
        assert_true(askers[i].sum == alone.sum);
    }
    assert_true(alone.sum != 0);
    sc_map_free(town.map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_four_threads_answer_as_one_does),
};
SC_SUITE(tests)
