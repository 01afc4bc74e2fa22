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
    const sc__hello hello = {.t_s = 12.5, .travellers = 3000, .every_s = 0.25, .engine = "basic"};
    CHECK_TEXT(sc__demo_text_hello(&hello, &text),
               "event: hello\ndata: {\"t\":12.5,\"travellers\":3000,\"every_s\":0.25,"
               "\"engine\":\"basic\"}\n\n");
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

static void test_positions_are_base64(void **state)
{
    (void)state;
    const uint8_t bytes[] = {1, 0, 0, 0, 0, 1, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255};
    int32_t at[4];
    memcpy(at, bytes, sizeof(at));
    CHECK_TEXT(sc__demo_text_positions(12.25, at, 2, &text),
               "event: positions\ndata: {\"t\":12.25,\"at\":\"AQAAAAABAAD//////////w==\"}\n\n");
    CHECK_TEXT(sc__demo_text_positions(0.5, at, 1, &text),
               "event: positions\ndata: {\"t\":0.5,\"at\":\"AQAAAAABAAA=\"}\n\n");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_newcomer_is_told_how_things_are),
    cmocka_unit_test(test_queries_are_told_with_their_needs),
    cmocka_unit_test(test_every_end_has_its_word),
    cmocka_unit_test(test_positions_are_base64),
};
SC_SUITE(tests)
