// Events in words: what the provider is told, in the form of server-sent events, and no more.
#include "service/event_text.h"

#include "service/json_write.h"
#include "support/check.h"
#include "support/messages.h"
#include "support/openapi.h"

static const char *const words[] = {"cafe", "say \"hi\"\n", "hospital"};
static const sc_vocabulary vocabulary = {.names = words, .count = 3};

static const char *ended(sc_bytes *text)
{
    assert_true(sc_json_reserve(text, 1));
    text->data[text->size] = '\0';
    return (const char *)text->data;
}

static void test_a_cloak_is_told_as_the_provider_sees_it(void **state)
{
    (void)state;
    static const sc_seg_id segments[] = {3, 4, 9};
    static const sc_node_id border[] = {2, 7};
    static const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 5, .category_count = 1, .categories = {0}},
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
    assert_true(sc__event_cloak(&relay, &vocabulary, &text));
    assert_string_equal(ended(&text),
                        "event: cloak\n"
                        "data: {\"segments\":[3,4,9],\"border_nodes\":[2,7],\"requests\":["
                        "{\"type\":\"knn\",\"k\":5,\"categories\":[\"cafe\"]},"
                        "{\"type\":\"range\",\"radius_m\":500.5},"
                        "{\"type\":\"knn\",\"k\":1,\"categories\":[\"say \\\"hi\\\"\\u000a\","
                        "\"hospital\"]}]}\n\n");
    sc_bytes_fini(&text);
}

static void test_counters_are_sums_over_reasons(void **state)
{
    (void)state;
    sc_ledger_stats stats = {.pending = 12, .answered = 103, .gone = 1, .cloaks = 21};
    stats.dropped[SC_DROP_EXPIRED] = 4;
    stats.dropped[SC_DROP_INFEASIBLE] = 3;
    stats.failed[SC_FAILURE_TIMEOUT] = 5;
    stats.failed[SC_FAILURE_IN_DOUBT] = 1;
    sc_bytes text = {0};
    assert_true(sc__event_counters(&stats, 2, &text));
    assert_string_equal(ended(&text),
                        "event: counters\n"
                        "data: {\"pending\":12,\"answered\":103,\"dropped\":7,\"failed\":6,"
                        "\"gone\":1,\"cloaks\":21,\"listeners\":2}\n\n");
    sc_bytes_fini(&text);
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
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        exchange x = exchange_new(seed, false);
        sc_bytes text = {0};
        assert_true(sc__event_cloak(x.relay, &x.vocabulary, &text));
        check_event(document, &text, "cloak", "CloakEvent");
        text.size = 0;
        const sc_ledger_stats stats = {.pending = seed, .answered = UINT64_C(1) << (seed % 63)};
        assert_true(sc__event_counters(&stats, seed, &text));
        check_event(document, &text, "counters", "Counters");
        sc_bytes_fini(&text);
        exchange_free(&x);
    }
    check_case_done();
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_cloak_is_told_as_the_provider_sees_it),
        cmocka_unit_test(test_counters_are_sums_over_reasons),
        SC_CASES(test_events_are_as_described_whatever_they_tell),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
