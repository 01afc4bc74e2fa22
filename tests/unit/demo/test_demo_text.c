// The demo's events, word by word as docs/ui.md shows them.
#include "demo/demo_internal.h"

#include "support/check.h"

#include <stdio.h>

#define CHECK_TEXT(call, wanted)               \
    do {                                       \
        sc_bytes text = {0};                   \
        assert_true(call);                     \
        check_text(&text, (wanted), __LINE__); \
    } while (0)

static void check_text(sc_bytes *text, const char *wanted, int line)
{
    if (text->size != strlen(wanted) || memcmp(text->data, wanted, text->size) != 0) {
        fail_msg("line %d: '%.*s' instead of '%s'", line, (int)text->size, (char *)text->data,
                 wanted);
    }
    sc_bytes_fini(text);
}

static const sc__waiting seventh = {
    .number = 7,
    .who = 17,
    .segment = 55,
    .profile = {.k = 5, .l = 3, .max_hops = 4, .max_wait_us = 10200000},
    .asked_us = 1000000,
};

static void test_a_newcomer_is_told_how_things_are(void **state)
{
    (void)state;
    const sc__hello hello = {
        .t_s = 12.5, .travellers = 3000, .every_s = 0.25, .step = 16, .engine = "basic"};
    CHECK_TEXT(sc__demo_text_hello(&hello, &text),
               "event: hello\ndata: {\"t\":12.5,\"travellers\":3000,\"every_s\":0.25,"
               "\"step\":16,\"engine\":\"basic\"}\n\n");
}

static void test_queries_are_told_with_their_needs(void **state)
{
    (void)state;
    CHECK_TEXT(sc__demo_text_asked(&seventh, &text),
               "event: asked\ndata: {\"query\":7,\"who\":17,\"segment\":55,\"k\":5,\"l\":3,"
               "\"max_hops\":4,\"max_wait_s\":10.2}\n\n");
    CHECK_TEXT(sc__demo_text_pending(NULL, 0, 0, &text),
               "event: pending\ndata: {\"queries\":[]}\n\n");
    sc__waiting two[] = {seventh, seventh};
    two[1].number = 8;
    two[1].asked_us = 4000000;
    CHECK_TEXT(sc__demo_text_pending(two, 2, 4100000, &text),
               "event: pending\ndata: {\"queries\":[{\"query\":7,\"who\":17,\"segment\":55,\"k\":5,"
               "\"l\":3,\"max_hops\":4,\"max_wait_s\":10.2,\"waited_s\":3.1},{\"query\":8,"
               "\"who\":17,\"segment\":55,\"k\":5,\"l\":3,\"max_hops\":4,\"max_wait_s\":10.2,"
               "\"waited_s\":0.1}]}\n\n");
}

static void test_every_end_has_its_word(void **state)
{
    (void)state;
    static const struct {
        sc_load_outcome ending;
        const char *wanted;
    } ends[] = {
        {{.end = SC_LOAD_ANSWERED, .word = "", .cloak = "9f86d081884c7d65", .wait_s = 3.4},
         "\"answered\",\"cloak\":\"9f86d081884c7d65\",\"wait_s\":3.4"},
        {{.end = SC_LOAD_DROPPED, .word = "expired", .cloak = "", .wait_s = 10.2},
         "\"dropped\",\"reason\":\"expired\",\"wait_s\":10.2"},
        {{.end = SC_LOAD_FAILED, .word = "provider_timeout", .cloak = ""},
         "\"failed\",\"reason\":\"provider_timeout\""},
        {{.end = SC_LOAD_REFUSED, .word = "rate", .cloak = ""}, "\"refused\",\"reason\":\"rate\""},
        {{.end = SC_LOAD_LEFT, .word = "closed", .cloak = ""}, "\"left\",\"reason\":\"closed\""},
        {{.end = SC_LOAD_LOST, .word = "", .cloak = ""}, "\"lost\""},
        {{.end = SC_LOAD_UNSENT, .word = "", .cloak = ""}, "\"lost\""},
    };
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        sc_load_outcome ending = ends[i].ending;
        ending.number = 7;
        char wanted[200];
        snprintf(wanted, sizeof(wanted), "event: ended\ndata: {\"query\":7,\"outcome\":%s}\n\n",
                 ends[i].wanted);
        CHECK_TEXT(sc__demo_text_ended(&ending, &text), wanted);
    }
}

// --- /demo/methods -------------------------------------------------------------------------------

static const sc__methods_hello three = {
    .since_t_s = 61.5,
    .variants = {SC_VARIANT_BASIC, SC_VARIANT_XSTAR, SC_VARIANT_EXPANSION},
    .count = 3,
};

static void test_methods_are_told_to_a_newcomer(void **state)
{
    (void)state;
    CHECK_TEXT(sc__demo_text_methods_hello(&three, 64.0, &text),
               "event: hello\ndata: {\"t\":64,\"methods\":[\"basic\",\"xstar\",\"expansion\"],"
               "\"since_t\":61.5,\"window_s\":60,\"cloaks_per_s\":20}\n\n");
}

static void test_a_cloak_of_a_method_is_what_a_provider_would_see(void **state)
{
    (void)state;
    sc_seg_id segments[] = {3, 4, 9};
    sc_node_id border_nodes[] = {2, 7};
    const sc_cloak cloak = {.segments = segments,
                            .segment_count = 3,
                            .border_nodes = border_nodes,
                            .border_node_count = 2};
    const sc_compared_cloak found = {
        .method = 1, .variant = SC_VARIANT_XSTAR, .cloak = &cloak, .users = 5};
    CHECK_TEXT(sc__demo_text_method_cloak(&found, 17, 64.02, &text),
               "event: method-cloak\ndata: {\"method\":\"xstar\",\"id\":\"xstar-17\",\"t\":64.02,"
               "\"users\":5,\"segments\":[3,4,9],\"border_nodes\":[2,7]}\n\n");
}

static void test_figures_of_methods_are_told_and_averages_of_nothing_are_null(void **state)
{
    (void)state;
    const double none = NOT_A_NUMBER;
    const sc__methods_hello two = {
        .since_t_s = 61.5, .variants = {SC_VARIANT_HYBRID, SC_VARIANT_XSTAR}, .count = 2};
    const sc_comparison_figures figures[] = {
        {.asked = 8,
         .cloaked = 6,
         .pending = 3,
         .cloaks = 2,
         .users = 5.318,
         .segments = 12.5,
         .border_nodes = 9,
         .wait_s = 2.1044,
         .chance = 0.0871239,
         .attacked = 1,
         .violations = 0},
        {.users = none, .segments = none, .border_nodes = none, .wait_s = none, .chance = none},
    };
    CHECK_TEXT(sc__demo_text_methods(&two, 125.0, 4, figures, &text),
               "event: methods\ndata: {\"t\":125,\"since_t\":61.5,\"left_out\":4,\"methods\":["
               "{\"method\":\"hybrid\",\"asked\":8,\"cloaked\":6,\"dropped\":2,\"success\":0.75,"
               "\"pending\":3,\"cloaks\":2,\"users\":5.32,\"segments\":12.5,\"border_nodes\":9,"
               "\"wait_s\":2.104,\"chance\":0.087124,\"attacked\":1,\"violations\":0},"
               "{\"method\":\"xstar\",\"asked\":0,\"cloaked\":0,\"dropped\":0,\"success\":null,"
               "\"pending\":0,\"cloaks\":0,\"users\":null,\"segments\":null,\"border_nodes\":null,"
               "\"wait_s\":null,\"chance\":null,\"attacked\":0,\"violations\":0}]}\n\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_newcomer_is_told_how_things_are),
    cmocka_unit_test(test_queries_are_told_with_their_needs),
    cmocka_unit_test(test_every_end_has_its_word),
    cmocka_unit_test(test_methods_are_told_to_a_newcomer),
    cmocka_unit_test(test_a_cloak_of_a_method_is_what_a_provider_would_see),
    cmocka_unit_test(test_figures_of_methods_are_told_and_averages_of_nothing_are_null),
};
SC_SUITE(tests)
