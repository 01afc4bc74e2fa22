// Events in words: what the provider is told, in the form of server-sent events, and no more.
#include "api/events.h"

#include "base/bytes.h"
#include "support/check.h"
#include "support/messages.h"
#include "support/openapi.h"

#include <stdio.h>

static const char *const words[] = {"cafe", "say \"hi\"\n", "hospital"};
static const sc_vocabulary vocabulary = {.names = words, .count = 3};

static const char *ended(sc_bytes *text)
{
    assert_true(sc_bytes_reserve(text, 1));
    text->data[text->size] = '\0';
    return (const char *)text->data;
}

static void test_a_cloak_is_told_as_the_provider_sees_it(void **state)
{
    (void)state;
    static const sc_seg_id segments[] = {3, 4, 9};
    static const sc_node_id border[] = {2, 7};
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN,
         .metric = SC_METRIC_TIME,
         .k = 5,
         .category_count = 1,
         .categories = {0}},
        {.type = SC_REQUEST_RANGE, .radius_m = 500.5},
        {.type = SC_REQUEST_KNN, .k = 1, .category_count = 2, .categories = {1, 2}},
    };
    const sc_relay relay = {.map_checksum = 0x1234,
                            .segments = segments,
                            .segment_count = 3,
                            .border_nodes = border,
                            .border_node_count = 2,
                            .requests = requests,
                            .request_count = 3};
    sc_bytes text = {0};
    assert_true(sc_event_text_cloak(&relay, 0x9f86d081884c7d65, &vocabulary, &text));
    assert_string_equal(ended(&text),
                        "event: cloak\n"
                        "data: {\"id\":\"9f86d081884c7d65\",\"segments\":[3,4,9],"
                        "\"border_nodes\":[2,7],\"requests\":["
                        "{\"type\":\"knn\",\"metric\":\"time\",\"k\":5,\"categories\":[\"cafe\"]},"
                        "{\"type\":\"range\",\"metric\":\"distance\",\"radius_m\":500.5},"
                        "{\"type\":\"knn\",\"metric\":\"distance\",\"k\":1,\"categories\":[\"say "
                        "\\\"hi\\\"\\u000a\","
                        "\"hospital\"]}]}\n\n");
    sc_bytes_fini(&text);
}

// A number has its zeros in front: it is compared as text.
static void test_what_is_sent_is_told_byte_by_byte(void **state)
{
    (void)state;
    // Bytes and what base64 makes of them, for each way in which they may end.
    static const struct {
        const char *bytes;
        const char *base64;
    } sent[] = {{"", ""},
                {"f", "Zg=="},
                {"fo", "Zm8="},
                {"foo", "Zm9v"},
                {"\xfb\xff\xfe", "+//+"},
                {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof sent / sizeof *sent; i++) {
        sc_bytes text = {0};
        char wanted[128];
        snprintf(wanted, sizeof wanted,
                 "event: sent\ndata: {\"cloak\":\"000000000000002a\",\"encoding\":\"%s\","
                 "\"bytes\":\"%s\"}\n\n",
                 i % 2 ? "geojson" : "compact", sent[i].base64);
        assert_true(sc_event_text_sent(42, i % 2 ? SC_ENCODING_GEOJSON : SC_ENCODING_COMPACT,
                                       sent[i].bytes, strlen(sent[i].bytes), &text));
        assert_string_equal(ended(&text), wanted);
        sc_bytes_fini(&text);
    }
}

static const sc_counters some_row = {.t = 312.0,
                                     .pending = 12,
                                     .answered = 103,
                                     .dropped = 7,
                                     .expired = 6,
                                     .infeasible = 1,
                                     .failed = 5,
                                     .gone = 4,
                                     .cloaks = 21,
                                     .wait_s = 140.25,
                                     .users = 127,
                                     .segments = 260,
                                     .bytes_out = 2610,
                                     .bytes_in = 21034,
                                     .provider_unreachable = 1,
                                     .provider_timeout = 2,
                                     .provider_refused = 3,
                                     .provider_unbelievable = 4,
                                     .provider_suspended = 5,
                                     .overloaded = 6,
                                     .not_sent_in_time = 7,
                                     .suspended = 1,
                                     .workers = 3,
                                     .unserved_parts = 8,
                                     .listeners = 2};

static void test_counters_are_told_by_name(void **state)
{
    (void)state;
    sc_bytes text = {0};
    assert_true(sc_event_text_counters(&some_row, &text));
    assert_string_equal(
        ended(&text),
        "event: counters\n"
        "data: {\"t\":312,\"pending\":12,\"answered\":103,\"dropped\":7,\"expired\":6,"
        "\"infeasible\":1,\"failed\":5,\"gone\":4,\"cloaks\":21,\"wait_s\":140.25,\"users\":127,"
        "\"segments\":260,\"bytes_out\":2610,\"bytes_in\":21034,\"provider_unreachable\":1,"
        "\"provider_timeout\":2,\"provider_refused\":3,\"provider_unbelievable\":4,"
        "\"provider_suspended\":5,\"overloaded\":6,\"not_sent_in_time\":7,\"suspended\":1,"
        "\"workers\":3,\"unserved_parts\":8,\"listeners\":2}\n\n");
    sc_bytes_fini(&text);
}

static void test_history_names_its_fields_once(void **state)
{
    (void)state;
    static sc_history history;
    sc_bytes text = {0};
    assert_true(sc_event_text_history(&history, &text));
#define FIELDS                                                                                   \
    "event: history\ndata: {\"fields\":[\"t\",\"pending\",\"answered\",\"dropped\",\"expired\"," \
    "\"infeasible\",\"failed\",\"gone\",\"cloaks\",\"wait_s\",\"users\",\"segments\","           \
    "\"bytes_out\",\"bytes_in\",\"provider_unreachable\",\"provider_timeout\","                  \
    "\"provider_refused\",\"provider_unbelievable\",\"provider_suspended\",\"overloaded\","      \
    "\"not_sent_in_time\",\"suspended\",\"workers\",\"unserved_parts\",\"listeners\"],"          \
    "\"rows\":["
    assert_string_equal(ended(&text), FIELDS "]}\n\n");
    text.size = 0;
    sc_history_add(&history, &some_row);
    sc_history_add(&history, &(sc_counters){.t = 313.0015, .listeners = 1});
    assert_true(sc_event_text_history(&history, &text));
    assert_string_equal(ended(&text),
                        FIELDS "[312,12,103,7,6,1,5,4,21,140.25,127,260,2610,21034,"
                               "1,2,3,4,5,6,7,1,3,8,2],"
                               "[313.002,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]]}\n\n");
#undef FIELDS
    sc_bytes_fini(&text);
}

// The rows in a history's words; the first number of each is its time.
static json_t *rows_of(const sc_history *history)
{
    sc_bytes text = {0};
    assert_true(sc_event_text_history(history, &text));
    const char *data = strchr(ended(&text), '{');
    json_t *value = json_loadb(data, strcspn(data, "\n"), JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(value);
    json_t *rows = json_incref(json_object_get(value, "rows"));
    json_decref(value);
    sc_bytes_fini(&text);
    return rows;
}

static void test_history_has_the_last_rows_oldest_first(void **state)
{
    (void)state;
    static sc_history history;
    for (size_t taken = 1; taken <= 2 * SC_HISTORY_ROWS + 7; taken++) {
        sc_history_add(&history, &(sc_counters){.t = (double)taken});
        const bool is_telling = taken % SC_HISTORY_ROWS <= 1 || taken % 97 == 0;
        if (!is_telling) continue;
        json_t *rows = rows_of(&history);
        const size_t count = taken < SC_HISTORY_ROWS ? taken : SC_HISTORY_ROWS;
        assert_int_equal(json_array_size(rows), count);
        for (size_t i = 0; i < count; i++) {
            const json_t *t = json_array_get(json_array_get(rows, i), 0);
            assert_int_equal(json_integer_value(t), taken - count + 1 + i);
        }
        json_decref(rows);
    }
}

// An event is two lines and an empty one: a line feed inside the data would be the end of it.
static void check_event(const json_t *document, sc_bytes *text, const char *name,
                        const char *schema)
{
    const char *line = ended(text);
    char head[64];
    const int size = snprintf(head, sizeof head, "event: %s\ndata: ", name);
    assert_int_equal(strncmp(line, head, (size_t)size), 0);
    const char *data = line + size;
    const char *end = strchr(data, '\n');
    assert_string_equal(end, "\n\n");
    openapi_check_text(document, schema, data, (size_t)(end - data));
}

static void test_events_are_as_described_whatever_they_tell(void **state)
{
    (void)state;
    json_t *document = openapi_load();
    sc_history *history = test_take(1, sizeof *history);
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, false);
        sc_bytes text = {0};
        assert_true(sc_event_text_cloak(x.relay, seed * UINT64_C(0x9e3779b97f4a7c15), &x.vocabulary,
                                        &text));
        check_event(document, &text, "cloak", "CloakEvent");
        text.size = 0;
        assert_true(sc_event_text_sent(seed, (sc_encoding)(seed % 2), x.relay->segments,
                                       x.relay->segment_count * sizeof *x.relay->segments, &text));
        check_event(document, &text, "sent", "SentEvent");
        text.size = 0;
        assert_true(sc_event_text_map(seed * UINT64_C(0x9e3779b97f4a7c15), &text));
        check_event(document, &text, "map", "MapEvent");
        text.size = 0;
        const sc_counters row = {.t = (double)seed * 1.37,
                                 .answered = UINT64_C(1) << (seed % 63),
                                 .wait_s = 1e-3 * (double)seed};
        assert_true(sc_event_text_counters(&row, &text));
        check_event(document, &text, "counters", "Counters");
        text.size = 0;
        sc_history_add(history, &row);
        assert_true(sc_event_text_history(history, &text));
        check_event(document, &text, "history", "HistoryEvent");
        sc_bytes_fini(&text);
        exchange_free(&x);
    }
    check_case_done();
    free(history);
    json_decref(document);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_cloak_is_told_as_the_provider_sees_it),
    cmocka_unit_test(test_what_is_sent_is_told_byte_by_byte),
    cmocka_unit_test(test_counters_are_told_by_name),
    cmocka_unit_test(test_history_names_its_fields_once),
    cmocka_unit_test(test_history_has_the_last_rows_oldest_first),
    SC_CASES(test_events_are_as_described_whatever_they_tell),
};
SC_SUITE(tests)
