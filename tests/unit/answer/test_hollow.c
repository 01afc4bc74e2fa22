// Replies that say too little, or too much, and agree with themselves. Of the map's own objects it
// is known how many can be reached, so a list of the nearest has its length; of a provider's own it
// is not, and this cannot be told.
#include "spoilt.h"

//     A-*-B-*-C---D      The cloak: B-F, E-F, F-G, F-J, C-G, G-H, G-K; nothing is on it.
//     |   |   |   |      Cafes: * ; schools: + ; no road leads to the island, which has a cafe and
//     E---F---G---H-*-M  the only inn (o).
//     +   |   |   +
//     I---J---K*--L
//                        Requests: 0  the 4 nearest of 6
//     N-*-o---O                    1  the 50 nearest cafes: 4 can be reached
//                                  2  the nearest inn: none can be reached
//                                  3  all within 60 m
static const char town_and_island[] = "A---B---C---D\n"
                                      "|   |   |   |\n"
                                      "E---F---G---H---M\n"
                                      "|   |   |   |\n"
                                      "I---J---K---L\n"
                                      "\n"
                                      "N-------O\n";

static const drawn_object around_the_cloak[] = {
    {"on BC", "BC", 20.0, "cafe"},  {"on HM", "HM", 30.0, "cafe"}, {"on EI", "EI", 10.0, "school"},
    {"on KL", "KL", 10.0, "cafe"},  {"on BA", "BA", 10.0, "cafe"}, {"on DH", "DH", 12.0, "school"},
    {"island", "NO", 10.0, "cafe"}, {"inn", "NO", 40.0, "inn"},    {NULL, NULL, 0.0, NULL},
};

enum { FOUR_NEAREST = 0, ALL_CAFES = 1, AN_INN = 2, ALL_AROUND = 3, REQUESTS = 4 };

static drawn_cloak *island_cloak(bool has_keys)
{
    drawn_cloak *c =
        drawn_cloak_of(drawn_sketch(town_and_island, ""), around_the_cloak, drawn_roads);
    if (has_keys) drawn_give_keys(c);
    drawn_ask(c, drawn_knn(4));
    drawn_ask(c, drawn_only(c, drawn_knn(50), "cafe"));
    drawn_ask(c, drawn_only(c, drawn_knn(1), "inn"));
    drawn_ask(c, drawn_range(60.0));
    drawn_reply(c);
    return c;
}

// Leave an object out of every list of a request that has it.
static void leave_out(drawn_cloak *c, size_t request, const char *name)
{
    const uint32_t object = drawn_object_named(c, name);
    for (const char *letter = "BCEHJK"; *letter; letter++) {
        const near_list l = list_of(c, request, *letter);
        for (size_t i = 0; i < l.count; i++) {
            if (l.nears[i].object != object) continue;
            drop_entry(c, request, *letter, name);
            break;
        }
    }
}

static void empty_all_lists(drawn_cloak *c, size_t request)
{
    for (const drawn_object *o = around_the_cloak; o->name; o++) {
        leave_out(c, request, o->name);
    }
}

// --- Lies ------------------------------------------------------------------------------------

static void nearest_emptied(drawn_cloak *c)
{
    empty_all_lists(c, FOUR_NEAREST);
}

static void everything_emptied(drawn_cloak *c)
{
    for (size_t r = 0; r < REQUESTS; r++) {
        empty_all_lists(c, r);
    }
}

static void cafes_halved(drawn_cloak *c)
{
    leave_out(c, ALL_CAFES, "on KL");
    leave_out(c, ALL_CAFES, "on BA");
}

static void one_cafe_left_out(drawn_cloak *c)
{
    leave_out(c, ALL_CAFES, "on HM");
}

// All border nodes agree on how far it is to the island; no road is as long as they say.
static void the_inn_on_the_island(drawn_cloak *c)
{
    for (const char *letter = "BCEHJK"; *letter; letter++) {
        append_entry(c, AN_INN, *letter, (sc_near){drawn_object_named(c, "inn"), 300.0, 30.0});
    }
}

static void a_cafe_too_many(drawn_cloak *c)
{
    for (const char *letter = "BCEHJK"; *letter; letter++) {
        append_entry(c, ALL_CAFES, *letter,
                     (sc_near){drawn_object_named(c, "island"), 300.0, 30.0});
    }
}

static const struct {
    void (*spoil)(drawn_cloak *c);
    const char *message;
} lies[] = {
    {nearest_emptied, "request 1, border node 1: 0 objects are listed, but 6 can be reached"},
    {everything_emptied, "request 1, border node 1: 0 objects are listed, but 6 can be reached"},
    {cafes_halved, "request 2, border node 1: 2 objects are listed, but 4 can be reached"},
    {one_cafe_left_out, "request 2, border node 1: 3 objects are listed, but 4 can be reached"},
    {the_inn_on_the_island, "request 3, border node 1: 1 objects are listed, but 0 can be"},
    {a_cafe_too_many, "request 2, border node 1: 5 objects are listed, but 4 can be reached"},
};

enum { LIES = sizeof lies / sizeof *lies };

static void test_the_maps_own_objects_are_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIES; i++) {
        check_case(i);
        drawn_cloak *c = island_cloak(false);
        sc_filter *filter = drawn_filter(c);  // the honest one is believed
        lies[i].spoil(c);
        sc_diag diag = {""};
        CHECK_REFUSED(sc_filter_open(filter, &c->relay, &c->reply, &diag), SC_EREPLY, &diag,
                      lies[i].message);
        sc_filter_free(filter);
        drawn_cloak_free(c);
    }
    check_case_done();
}

// --- What is believed ------------------------------------------------------------------------

static void check_believed(drawn_cloak *c, double slack)
{
    sc_diag diag = {""};
    sc_filter *filter = filter_with(c, 1000, slack);
    CHECK_OK(sc_filter_open(filter, &c->relay, &c->reply, &diag), &diag);
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static void test_a_providers_own_objects_cannot_be_counted(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIES; i++) {
        check_case(i);
        drawn_cloak *c = island_cloak(true);
        lies[i].spoil(c);
        check_believed(c, 0.0);
    }
    check_case_done();
}

static void test_with_slack_roads_may_lead_to_other_places(void **state)
{
    (void)state;
    for (size_t i = 0; i < LIES; i++) {
        check_case(i);
        drawn_cloak *c = island_cloak(false);
        lies[i].spoil(c);
        check_believed(c, 0.05);
    }
    check_case_done();
}

static void test_how_many_are_within_a_range_cannot_be_told(void **state)
{
    (void)state;
    drawn_cloak *c = island_cloak(false);
    assert_true(list_of(c, ALL_AROUND, 'B').count > 0);
    empty_all_lists(c, ALL_AROUND);
    check_believed(c, 0.0);
}

// A relay is our own; a category that it names twice is there once all the same.
static void test_a_category_named_twice_counts_once(void **state)
{
    (void)state;
    drawn_cloak *c = island_cloak(false);
    sc_request *cafes = &c->requests[ALL_CAFES];
    cafes->categories[cafes->category_count++] = cafes->categories[0];
    check_believed(c, 0.0);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_maps_own_objects_are_counted),
    SC_CASES(test_a_providers_own_objects_cannot_be_counted),
    SC_CASES(test_with_slack_roads_may_lead_to_other_places),
    cmocka_unit_test(test_how_many_are_within_a_range_cannot_be_told),
    cmocka_unit_test(test_a_category_named_twice_counts_once),
};
SC_SUITE(tests)
