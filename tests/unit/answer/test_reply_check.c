// Replies that cannot be, list by list; and the table of numbers that finds objects named twice.
#include "answer/answer_internal.h"
#include "base/rng.h"
#include "relay/relay_build.h"
#include "spoilt.h"
#include "support/check.h"

// === Roll =======================================================================================
// The table that tells which objects have been seen: started over again and again, never cleared.

static void test_a_number_is_kept_where_it_was_first_put(void **state)
{
    (void)state;
    sc_number_table table = {.slots = NULL};
    assert_true(sc__number_table_begin(&table, 3));
    assert_int_equal(sc__number_table_put(&table, 7, 0), 0);
    assert_int_equal(sc__number_table_put(&table, 9, 1), 1);
    assert_int_equal(sc__number_table_put(&table, 7, 2), 0);
    assert_int_equal(sc__number_table_put(&table, UINT32_MAX, 2), 2);
    assert_int_equal(sc__number_table_put(&table, UINT32_MAX, 5), 2);
    sc__number_table_fini(&table);
    sc__number_table_fini(&table);
}

static void test_a_new_round_has_seen_nothing(void **state)
{
    (void)state;
    sc_number_table table = {.slots = NULL};
    sc_rng rng;
    sc_rng_seed(&rng, 3);
    for (uint32_t round = 0; round < 300; round++) {
        const uint32_t count = sc_rng_below(&rng, round + 1);
        assert_true(sc__number_table_begin(&table, count));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(sc__number_table_put(&table, i * 1000, round + i), round + i);
        }
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(sc__number_table_put(&table, i * 1000, 0), round + i);
        }
    }
    sc__number_table_fini(&table);
}

static void test_when_rounds_can_no_longer_be_counted_old_ones_are_forgotten(void **state)
{
    (void)state;
    sc_number_table table = {.slots = NULL};
    assert_true(sc__number_table_begin(&table, 2));
    assert_int_equal(sc__number_table_put(&table, 5, 1), 1);
    table.round = UINT32_MAX;
    assert_true(sc__number_table_begin(&table, 2));
    // That would be the first round again, in which 5 was seen.
    assert_int_equal(table.round, 1);
    assert_int_equal(sc__number_table_put(&table, 5, 0), 0);
    sc__number_table_fini(&table);
}

// === Reply check ================================================================================
// Replies that cannot be: wrong shapes, objects that do not exist or were not asked for, distances
// that are none. Each honest reply is spoilt in one way (spoilt.h), and refused for that reason and
// no other.

// --- The reply as a whole ------------------------------------------------------------------

static void other_map(drawn_cloak *c)
{
    c->reply.map_checksum ^= 1;
}
static void a_request_less(drawn_cloak *c)
{
    c->reply.request_count--;
}
static void a_request_more(drawn_cloak *c)
{
    c->reply.request_count++;
}
static void a_border_node_less(drawn_cloak *c)
{
    c->reply.border_node_count--;
}
static void runs_begin_late(drawn_cloak *c)
{
    c->reply.run_start[0] = 1;
}
static void runs_descend(drawn_cloak *c)
{
    c->reply.run_start[1] = c->reply.run_start[3] + 1;
}
static void runs_beyond_room(drawn_cloak *c)
{
    c->reply.run_start[3] = 1u << 30;
}
static void no_room_for_run_starts(drawn_cloak *c)
{
    c->reply.memory->run_start_capacity = 3;
}
static void lists_descend(drawn_cloak *c)
{
    c->reply.near_start[7] = c->reply.near_start[8] + 1;
}
static void lists_beyond_room(drawn_cloak *c)
{
    c->reply.near_start[18] = UINT32_MAX;
}
static void no_room_for_list_starts(drawn_cloak *c)
{
    c->reply.memory->near_start_capacity = 18;
}
static void table_of_another_size(drawn_cloak *c)
{
    c->reply.table.count--;
}
static void texts_without_end(drawn_cloak *c)
{
    c->strings[c->table.strings_size - 1] = 'x';
}
static void no_texts(drawn_cloak *c)
{
    c->reply.table.strings_size = 0;
}

// --- Objects -------------------------------------------------------------------------------

static void object_beyond_table(drawn_cloak *c)
{
    list_of(c, THREE_NEAREST, 'B').nears[1].object = c->table.count;
}

static void object_none(drawn_cloak *c)
{
    list_of(c, ALL_SCHOOLS, 'K').nears[0].object = SC_NONE;
}

static void run_beyond_table(drawn_cloak *c)
{
    run_of(c, THREE_NEAREST, "on FG")->first = c->table.count;
}

static void run_that_wraps_around(drawn_cloak *c)
{
    *run_of(c, THREE_NEAREST, "on FG") = (sc_object_run){UINT32_MAX, 2};
}

static void run_longer_than_the_table(drawn_cloak *c)
{
    *run_of(c, THREE_NEAREST, "on FG") = (sc_object_run){0, c->table.count + 1};
}

static void object_off_the_map(drawn_cloak *c)
{
    c->objects[drawn_object_named(c, "on HM")].edge = sc_map_edge_count(c->map);
}

static void object_beyond_its_edge(drawn_cloak *c)
{
    c->objects[drawn_object_named(c, "on KL")].offset = 1000000;
}

static void name_outside(drawn_cloak *c)
{
    c->objects[drawn_object_named(c, "on FG")].name = (uint32_t)c->table.strings_size;
}

static void key_outside(drawn_cloak *c)
{
    c->keys[drawn_object_named(c, "on BC")] = UINT32_MAX;
}

static void school_among_cafes(drawn_cloak *c)
{
    entry_of(c, CAFES_AROUND, 'B', "on BC")->object = drawn_object_named(c, "on EI");
}

static void cafe_among_schools_on_segments(drawn_cloak *c)
{
    run_of(c, ALL_SCHOOLS, "on BF")->first = drawn_object_named(c, "on FG");
}

static void object_without_category(drawn_cloak *c)
{
    c->objects[drawn_object_named(c, "on FG")].category = SC_NONE;
}

static void object_twice_in_a_list(drawn_cloak *c)
{
    const near_list l = list_of(c, THREE_NEAREST, 'H');
    l.nears[2].object = l.nears[0].object;
}

static void object_twice_on_segments(drawn_cloak *c)
{
    *run_of(c, THREE_NEAREST, "on FG") = *run_of(c, THREE_NEAREST, "on BF");
}

static void object_elsewhere_on_segments(drawn_cloak *c)
{
    run_of(c, CAFES_AROUND, "on FG")->first = drawn_object_named(c, "on KL");
}

static void object_left_out_on_segments(drawn_cloak *c)
{
    drop_run(c, ALL_SCHOOLS, "on BF");
}

// --- How many ------------------------------------------------------------------------------

static void four_of_three(drawn_cloak *c)
{
    append_entry(c, THREE_NEAREST, 'J', (sc_near){drawn_object_named(c, "on HM"), 500.0, 50.0});
}

// --- Distances by themselves ---------------------------------------------------------------

static void not_a_number(drawn_cloak *c)
{
    list_of(c, THREE_NEAREST, 'C').nears[1].distance_m = NOT_A_NUMBER;
}

static void negative(drawn_cloak *c)
{
    list_of(c, CAFES_AROUND, 'C').nears[0].distance_m = -1e-9;
}

static void infinite(drawn_cloak *c)
{
    list_of(c, ALL_SCHOOLS, 'C').nears[2].distance_m = HUGE_VAL;
}

static void minus_infinite(drawn_cloak *c)
{
    list_of(c, ALL_SCHOOLS, 'C').nears[0].distance_m = -HUGE_VAL;
}

static void out_of_order(drawn_cloak *c)
{
    const near_list l = list_of(c, THREE_NEAREST, 'E');
    const sc_near first = l.nears[0];
    l.nears[0] = l.nears[1];
    l.nears[1] = first;
}

static void beyond_the_radius(drawn_cloak *c)
{
    const near_list l = list_of(c, CAFES_AROUND, 'H');
    l.nears[l.count - 1].distance_m = 90.003;
}

static void farther_than_all_roads(drawn_cloak *c)
{
    const near_list l = list_of(c, ALL_SCHOOLS, 'E');
    l.nears[l.count - 1].distance_m = 600.0;
}

static const lie lies[] = {
    {"other map", other_map, OF_BOTH, SC_EMISMATCH, "reply: it is for another map"},
    {"request less", a_request_less, OF_BOTH, SC_EREPLY, "it answers 2 requests, but 3 were made"},
    {"request more", a_request_more, OF_BOTH, SC_EREPLY, "it answers 4 requests, but 3 were made"},
    {"border node less", a_border_node_less, OF_BOTH, SC_EREPLY,
     "it answers for 5 border nodes, but there are 6"},
    {"runs begin late", runs_begin_late, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"runs descend", runs_descend, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"runs beyond room", runs_beyond_room, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"no room for run starts", no_room_for_run_starts, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"lists descend", lists_descend, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"lists beyond room", lists_beyond_room, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"no room for list starts", no_room_for_list_starts, OF_BOTH, SC_EREPLY,
     "its lists overlap or extend beyond its end"},
    {"table of another size", table_of_another_size, OF_MAP, SC_EREPLY,
     "it counts 7 objects of the map, but the map has 8"},
    {"texts without end", texts_without_end, OF_PROVIDER, SC_EREPLY,
     "its strings do not end with a zero byte"},
    {"no texts", no_texts, OF_PROVIDER, SC_EREPLY, "its strings do not end with a zero byte"},

    {"object beyond table", object_beyond_table, OF_BOTH, SC_EREPLY,
     "request 1, border node 1: object 8 is not in the table of objects"},
    {"object none", object_none, OF_BOTH, SC_EREPLY, "is not in the table of objects"},
    {"run beyond table", run_beyond_table, OF_BOTH, SC_EREPLY,
     "request 1, on the segments: object 8 begins a run that extends beyond the table"},
    {"run that wraps around", run_that_wraps_around, OF_BOTH, SC_EREPLY,
     "begins a run that extends beyond the table"},
    {"run longer than the table", run_longer_than_the_table, OF_BOTH, SC_EREPLY,
     "begins a run that extends beyond the table"},
    {"object off the map", object_off_the_map, OF_PROVIDER, SC_EREPLY,
     "lies on no edge of the map"},
    {"object beyond its edge", object_beyond_its_edge, OF_PROVIDER, SC_EREPLY,
     "lies beyond the end of its edge"},
    {"name outside", name_outside, OF_PROVIDER, SC_EREPLY,
     "has a text outside of the reply's strings"},
    {"key outside", key_outside, OF_PROVIDER, SC_EREPLY,
     "has a text outside of the reply's strings"},
    {"school among cafes", school_among_cafes, OF_BOTH, SC_EREPLY,
     "is of a category that was not asked for"},
    {"cafe among schools on segments", cafe_among_schools_on_segments, OF_BOTH, SC_EREPLY,
     "request 3, on the segments: object"},
    {"object without category", object_without_category, OF_PROVIDER, SC_EREPLY,
     "is of a category that was not asked for"},
    {"object twice in a list", object_twice_in_a_list, OF_BOTH, SC_EREPLY, "is listed twice"},
    {"object twice on segments", object_twice_on_segments, OF_BOTH, SC_EREPLY, "is listed twice"},
    {"object elsewhere on segments", object_elsewhere_on_segments, OF_BOTH, SC_EREPLY,
     "request 2, on the segments: object"},
    {"object left out on segments, known", object_left_out_on_segments, OF_MAP, SC_EREPLY,
     "request 3, on the segments: 0 objects are listed, but the map has 1 there"},
    {"object left out on segments", object_left_out_on_segments, OF_PROVIDER, SC_EREPLY,
     "lies on the segments but is not listed there"},

    {"four of three", four_of_three, OF_BOTH, SC_EREPLY,
     "4 objects are listed, but 3 were asked for"},

    {"not a number", not_a_number, OF_BOTH, SC_EREPLY, "is negative or not a number"},
    {"negative", negative, OF_BOTH, SC_EREPLY, "is negative or not a number"},
    {"infinite", infinite, OF_BOTH, SC_EREPLY, "is negative or not a number"},
    {"minus infinite", minus_infinite, OF_BOTH, SC_EREPLY, "is negative or not a number"},
    {"out of order", out_of_order, OF_BOTH, SC_EREPLY, "is nearer than the one before it"},
    {"beyond the radius", beyond_the_radius, OF_BOTH, SC_EREPLY, "is beyond the radius"},
    {"farther away than the length of all roads", farther_than_all_roads, OF_BOTH, SC_EREPLY,
     "is farther away than the length of all roads together"},
};

static void test_every_reply_that_cannot_be_is_refused_for_its_reason(void **state)
{
    (void)state;
    check_lies(lies, sizeof lies / sizeof *lies);
}

// --- What is allowed -----------------------------------------------------------------------

static void test_more_candidates_than_allowed_are_refused(void **state)
{
    (void)state;
    drawn_cloak *c = honest(false);
    size_t most = 0;
    for (size_t r = 0; r < 3; r++) {
        const size_t sent = sc_reply_candidate_count(&c->reply, r);
        if (sent > most) most = sent;
    }
    sc_diag diag = {""};
    sc_filter *enough = filter_with(c, most, 0.0);
    CHECK_OK(sc_filter_open(enough, &c->relay, &c->reply, &diag), &diag);
    sc_filter *less = filter_with(c, most - 1, 0.0);
    CHECK_REFUSED(sc_filter_open(less, &c->relay, &c->reply, &diag), SC_EREPLY, &diag,
                  "candidates, ");
    // Counted before they are looked at: this would be four thousand million.
    run_of(c, THREE_NEAREST, "on FG")->count = UINT32_MAX;
    CHECK_REFUSED(sc_filter_open(enough, &c->relay, &c->reply, &diag), SC_EREPLY, &diag,
                  "candidates, ");
    sc_filter_free(enough);
    sc_filter_free(less);
    drawn_cloak_free(c);
}

static void test_requests_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    const sc_request bad[] = {
        {.type = SC_REQUEST_KNN, .k = 0},
        {.type = SC_REQUEST_RANGE, .radius_m = -1.0},
        {.type = SC_REQUEST_RANGE, .radius_m = NOT_A_NUMBER},
        {.type = (sc_request_type)7},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = SC_REQUEST_CATEGORIES + 1},
    };
    drawn_cloak *c = honest(false);
    sc_filter *filter = drawn_filter(c);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        c->requests[1] = bad[i];
        assert_int_equal(sc_filter_open(filter, &c->relay, &c->reply, NULL), SC_EINVAL);
    }
    sc_diag diag = {""};
    c->relay.request_count = 0;
    CHECK_REFUSED(sc_filter_open(filter, &c->relay, &c->reply, &diag), SC_EINVAL, &diag,
                  "has no requests");
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_number_is_kept_where_it_was_first_put),
    cmocka_unit_test(test_a_new_round_has_seen_nothing),
    cmocka_unit_test(test_when_rounds_can_no_longer_be_counted_old_ones_are_forgotten),
    SC_CASES(test_every_reply_that_cannot_be_is_refused_for_its_reason),
    cmocka_unit_test(test_more_candidates_than_allowed_are_refused),
    cmocka_unit_test(test_requests_that_make_no_sense_are_refused),
};
SC_SUITE(tests)
