// A provider that is built in, with objects from a database that change while it answers: each
// errand is answered from one set, by words that stay the same.
#include <pthread.h>

#include "courier/courier.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/feeds.h"

static town here;

static int begin(void **state)
{
    (void)state;
    town_begin(&here);
    return 0;
}

static int end(void **state)
{
    (void)state;
    town_end(&here);
    return 0;
}

/** Objects of a category that are expected within a range of the whole town. */
static double expected(const sc_courier *courier, const char *word)
{
    const sc_request request = {
        .type = SC_REQUEST_RANGE,
        .radius_m = 1e6,
        .category_count = 1,
        .categories = {sc_vocabulary_find(sc_courier_vocabulary(courier), word)}};
    return sc_cost_reach_of(sc_courier_costs(courier), 0, &request).objects;
}

/** How many of a category are near: every object there is, from anywhere. */
static size_t ask(sc_courier *courier, errand_box *box, sc_rng *rng, const char *word)
{
    const sc_category_id category = sc_vocabulary_find(sc_courier_vocabulary(courier), word);
    assert_int_not_equal(category, SC_NONE);
    const sc_request request = {
        .type = SC_REQUEST_KNN, .k = 100, .category_count = 1, .categories = {category}};
    sc_errand *e = errand_new(here.map, 1, rng, 1);
    const sc_relay before = *e->relay;
    e->relay->requests = &request;
    e->relay->request_count = 1;
    e->places[0].request = 0;
    const size_t count = errand_box_count(box);
    CHECK_OK(sc_courier_send(courier, e), NULL);
    errand_box_await(box, count + 1);
    errand_check_well(e);
    const sc_answer *answer = e->places[0].answer;
    const size_t found = answer->count;
    for (size_t i = 0; i < found; i++) {
        assert_string_equal(answer->texts + answer->found[i].category, word);
    }
    *e->relay = before;
    errand_free(e);
    return found;
}

static void test_a_set_with_other_messages_is_asked_by_the_messages_of_the_start(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    add_rows(&here, 1, 3, "mill");
    add_rows(&here, 4, 5, "inn");
    sc_object_feed *feed = open_channel(&here, "objects");
    errand_box box;
    errand_box_init(&box);
    sc_courier_options options = sc_courier_options_default();
    options.feed = feed;
    options.threads = 2;
    options.back = errand_box_back;
    options.context = &box;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_courier *courier = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_courier_new(here.map, &options, &rng, &courier, &diag), &diag);
    const uint32_t words = sc_courier_vocabulary(courier)->count;
    assert_int_equal(ask(courier, &box, &rng, "mill"), 3);
    assert_int_equal(ask(courier, &box, &rng, "inn"), 2);
    CHECK_CLOSE(expected(courier, "mill"), 3, 1e-6);
    CHECK_CLOSE(expected(courier, "inn"), 2, 1e-6);

    // Now words come in another order, there is a new one, and one is gone.
    make_table(&here);
    add_rows(&here, 6, 9, "forge");
    add_rows(&here, 10, 15, "inn");
    postgres_run(&here.server, "NOTIFY objects");
    await_key(feed, "15", true);
    assert_int_equal(ask(courier, &box, &rng, "mill"), 0);
    assert_int_equal(ask(courier, &box, &rng, "inn"), 6);
    // The estimate of what requests cost goes by the new set.
    CHECK_CLOSE(expected(courier, "mill"), 0, 1e-6);
    CHECK_CLOSE(expected(courier, "inn"), 6, 1e-6);
    assert_int_equal(sc_courier_vocabulary(courier)->count, words);

    // And nothing at all is left.
    make_table(&here);
    postgres_run(&here.server, "NOTIFY objects");
    await_key(feed, "15", false);
    assert_int_equal(ask(courier, &box, &rng, "inn"), 0);
    sc_courier_free(courier);
    sc_object_feed_close(feed);
    errand_box_fini(&box);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_set_with_other_messages_is_asked_by_the_messages_of_the_start),
};
SC_SUITE_WITH(tests, begin, end)
