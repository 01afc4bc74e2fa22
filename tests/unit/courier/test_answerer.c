// An answerer, without threads: sets of objects with words and numbers of their own, and replies
// that are not to be believed.
#include "courier/answerer.h"

#include "support/check.h"
#include "support/errands.h"
#include "support/odd_town.h"
#include "support/sketch.h"

// A street of three blocks, with a cafe of the map's own.
//
//     a----b----c----d
typedef struct street {
    sketch drawing;
    sc_map *map;
    sc_rng rng;
    sc__answerer answerer;
    sc_courier_options options;
} street;

static const char *const fixed_names[] = {"cafe", "fuel", "zoo"};
static const sc_vocabulary fixed = {fixed_names, 3};

static void street_open(street *s)
{
    *s = (street){.drawing = sketch_grid(SC_COORDS_PLANAR, 4, 2)};
    sc_builder *builder = sketch_builder(&s->drawing);
    put_object(builder, 0, 0.5, "cafe", "Corner");
    s->map = finish_builder(builder);
    sc_rng_seed(&s->rng, 3);
    s->options = sc_courier_options_default();
    sc_diag diag = {""};
    CHECK_OK(sc__answerer_init(&s->answerer, s->map, &fixed, &s->options, &diag), &diag);
}

static void street_close(street *s)
{
    sc__answerer_fini(&s->answerer);
    sc__answerer_fini(&s->answerer);
    sc_map_free(s->map);
    sketch_free(&s->drawing);
}

/** One object for each word, all on the first road; called by the word itself. */
static sc_objects *set_of(const sc_map *map, const char *const *words, size_t count)
{
    sc_objects_builder *builder = NULL;
    sc_objects *objects = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_builder_new(map, &builder), NULL);
    for (size_t i = 0; i < count; i++) {
        CHECK_OK(sc_objects_builder_add(builder,
                                        &(sc_object_row){.edge = 0,
                                                         .offset_m = 10.0 * (double)(i + 1),
                                                         .key = words[i],
                                                         .category = words[i],
                                                         .name = i % 2 ? "named" : NULL},
                                        &diag),
                 &diag);
    }
    CHECK_OK(sc_objects_builder_finish(builder, &objects), NULL);
    sc_objects_builder_free(builder);
    return objects;
}

/** An errand for a traveller at the beginning of the first road, with these requests in turn. */
static sc_errand *errand_for(street *s, const sc_request *requests, size_t count)
{
    sc_errand *e = errand_new(s->map, 1, &s->rng, count);
    sc_relay_free(e->relay);
    e->relay = NULL;
    bool *inside = test_take(sc_map_segment_count(s->map), sizeof *inside);
    const sc_seg_id segment = sc_map_edges(s->map)[0].segment;
    inside[segment] = true;
    odd_cloak cloak = odd_cloak_of(s->map, inside);
    uint32_t which[8];
    assert_true(count <= 8);
    CHECK_OK(sc_relay_new(s->map,
                          &(sc_relay_content){.segments = cloak.segments,
                                              .segment_count = cloak.segment_count,
                                              .border_nodes = cloak.border_nodes,
                                              .border_node_count = cloak.border_node_count,
                                              .requests = requests,
                                              .member_count = count},
                          &s->rng, which, &e->relay),
             NULL);
    for (size_t i = 0; i < count; i++) {
        e->places[i] = (sc_answer_place){.at = {.edge = 0}, .request = which[i]};
    }
    odd_cloak_free(&cloak);
    return e;
}

static void check_answer(const sc_answer_place *place, const char *const *words, size_t count)
{
    const sc_answer *answer = place->answer;
    assert_non_null(answer);
    assert_int_equal(answer->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(answer->texts + answer->found[i].category, words[i]);
        assert_string_equal(answer->texts + answer->found[i].key, words[i]);
    }
}

static const sc_request for_each_word[] = {
    {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {0}},
    {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {1}},
    {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {2}},
    {.type = SC_REQUEST_KNN, .k = 5, .category_count = 2, .categories = {1, 2}},
    {.type = SC_REQUEST_KNN, .k = 5},
};

static void test_a_later_set_is_asked_by_messages(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    // The map has "cafe"; the set numbers bank 1, zoo 2, fuel 3.
    const char *const later[] = {"bank", "zoo", "fuel"};
    sc_objects *objects = set_of(s.map, later, 3);
    sc_errand *e = errand_for(&s, for_each_word, 5);
    assert_int_equal(sc__answerer_evaluate(&s.answerer, objects, e), SC_FAILURE_NONE);
    check_answer(&e->places[0], NULL, 0);
    check_answer(&e->places[1], (const char *const[]){"fuel"}, 1);
    check_answer(&e->places[2], (const char *const[]){"zoo"}, 1);
    check_answer(&e->places[3], (const char *const[]){"zoo", "fuel"}, 2);
    check_answer(&e->places[4], later, 3);
    const sc_answer *all = e->places[4].answer;
    assert_string_equal(all->texts + all->found[0].name, "");
    assert_string_equal(all->texts + all->found[1].name, "named");
    CHECK_CLOSE(all->found[2].distance_m, 30.0, 1e-9);
    errand_free(e);
    sc_objects_release(objects);
    street_close(&s);
}

static void test_what_a_set_has_no_message_for_has_an_empty_answer(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    const char *const later[] = {"fuel"};
    sc_objects *objects = set_of(s.map, later, 1);
    sc_errand *e = errand_for(&s, for_each_word, 5);
    assert_int_equal(sc__answerer_evaluate(&s.answerer, objects, e), SC_FAILURE_NONE);
    check_answer(&e->places[0], NULL, 0);
    check_answer(&e->places[1], later, 1);
    check_answer(&e->places[2], NULL, 0);
    check_answer(&e->places[3], later, 1);
    check_answer(&e->places[4], later, 1);
    errand_free(e);

    // Nothing at all is left to be asked.
    e = errand_for(&s, &for_each_word[2], 1);
    assert_int_equal(sc__answerer_evaluate(&s.answerer, objects, e), SC_FAILURE_NONE);
    check_answer(&e->places[0], NULL, 0);
    errand_free(e);
    sc_objects_release(objects);
    street_close(&s);
}

static void test_a_set_without_objects_has_empty_answers(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    sc_objects *objects = set_of(s.map, NULL, 0);
    sc_errand *e = errand_for(&s, for_each_word, 5);
    const sc_failure failure = sc__answerer_evaluate(&s.answerer, objects, e);
    assert_string_equal(e->diag.message, "");
    assert_int_equal(failure, SC_FAILURE_NONE);
    for (size_t i = 0; i < 5; i++) {
        check_answer(&e->places[i], NULL, 0);
    }
    errand_free(e);
    sc_objects_release(objects);
    street_close(&s);
}

static void test_objects_of_the_map_are_called_by_their_numbers(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    sc_objects *objects = NULL;
    CHECK_OK(sc_objects_new_from_map(s.map, &objects), NULL);
    sc_errand *e = errand_for(&s, for_each_word, 5);
    assert_int_equal(sc__answerer_evaluate(&s.answerer, objects, e), SC_FAILURE_NONE);
    const sc_answer *answer = e->places[0].answer;
    assert_int_equal(answer->count, 1);
    assert_string_equal(answer->texts + answer->found[0].key, "0");
    assert_string_equal(answer->texts + answer->found[0].name, "Corner");
    assert_string_equal(answer->texts + answer->found[0].category, "cafe");
    check_answer(&e->places[1], NULL, 0);
    errand_free(e);
    sc_objects_release(objects);
    street_close(&s);
}

static void test_more_than_the_provider_is_willing_to_answer_is_refused(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    sc_objects *objects = set_of(s.map, NULL, 0);
    const sc_request greedy = {.type = SC_REQUEST_KNN, .k = 1000000};
    sc_errand *e = errand_for(&s, &greedy, 1);
    assert_int_equal(sc__answerer_evaluate(&s.answerer, objects, e), SC_FAILURE_REFUSED);
    CHECK_CONTAINS(e->diag.message, "k");
    assert_null(e->places[0].answer);
    errand_free(e);
    sc_objects_release(objects);
    street_close(&s);
}

static void test_bytes_that_are_no_reply_are_not_believed(void **state)
{
    (void)state;
    street s;
    street_open(&s);
    sc_errand *e = errand_for(&s, for_each_word, 1);
    sc_bytes bytes = {.data = NULL};
    assert_int_equal(sc__answerer_write(&s.answerer, e, &bytes), SC_FAILURE_NONE);
    assert_true(bytes.size > 0);
    // The request itself, for one; or nothing.
    assert_int_equal(sc__answerer_read(&s.answerer, e, bytes.data, bytes.size),
                     SC_FAILURE_UNBELIEVABLE);
    assert_string_not_equal(e->diag.message, "");
    assert_int_equal(sc__answerer_read(&s.answerer, e, NULL, 0), SC_FAILURE_UNBELIEVABLE);
    assert_null(e->places[0].answer);
    sc_bytes_fini(&bytes);
    errand_free(e);
    street_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_later_set_is_asked_by_messages),
    cmocka_unit_test(test_what_a_set_has_no_message_for_has_an_empty_answer),
    cmocka_unit_test(test_a_set_without_objects_has_empty_answers),
    cmocka_unit_test(test_objects_of_the_map_are_called_by_their_numbers),
    cmocka_unit_test(test_more_than_the_provider_is_willing_to_answer_is_refused),
    cmocka_unit_test(test_bytes_that_are_no_reply_are_not_believed),
};
SC_SUITE(tests)
