// One request, waited for: the reply as it came, or why there is none.
#include "net/http_client.h"

#include "support/check.h"
#include "support/rough_provider.h"

enum { MAX_BYTES = 1 << 16 };

static sc_http_call call_to(const rough_provider *server, struct curl_slist *headers)
{
    return (sc_http_call){
        .rules = {.user_agent = "test", .headers = headers, .max_bytes = MAX_BYTES},
        .url = rough_provider_url(server),
        .body = "some bytes",
        .timeout_s = 20.0,
    };
}

static void count_call(void *context, double passed_s)
{
    assert_true(passed_s >= 0.0);
    ++*(unsigned *)context;
}

static void test_a_reply_comes_as_it_was_sent(void **state)
{
    (void)state;
    rough_provider *server = rough_provider_new(NULL, SC_ENCODING_COMPACT);
    rough_provider_up(server);
    struct curl_slist *headers = curl_slist_append(NULL, "X-Test: 1");
    sc_http_call call = call_to(server, headers);
    unsigned calls = 0;
    call.waits = count_call;
    call.context = &calls;
    sc_http_answer answer;
    assert_true(sc_http_call_wait(&call, &answer));
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.failure, SC_HTTP_FINE);
    assert_string_equal((const char *)answer.body.data, "some bytes");
    assert_int_equal(answer.body.size, strlen("some bytes"));
    assert_true(calls > 0);
    sc_http_answer_fini(&answer);
    sc_http_answer_fini(&answer);
    const char *head = rough_provider_head(server, 0);
    CHECK_CONTAINS(head, "X-Test: 1");
    CHECK_CONTAINS(head, "User-Agent: test");
    assert_null(strstr(head, "Cookie"));
    curl_slist_free_all(headers);
    rough_provider_free(server);
}

static void test_redirects_are_told_and_not_followed(void **state)
{
    (void)state;
    rough_provider *server = rough_provider_new(NULL, SC_ENCODING_COMPACT);
    rough_provider_up(server);
    rough_provider_next(server, ROUGH_REDIRECTS, 1);
    sc_http_call call = call_to(server, NULL);
    sc_http_answer answer;
    assert_true(sc_http_call_wait(&call, &answer));
    assert_int_equal(answer.status, 302);
    assert_int_equal(rough_provider_count(server), 1);
    sc_http_answer_fini(&answer);

    rough_provider_next(server, ROUGH_BUSY, 1);
    assert_true(sc_http_call_wait(&call, &answer));
    assert_int_equal(answer.status, 503);
    assert_int_equal(answer.retry_after_s, 1);
    sc_http_answer_fini(&answer);

    rough_provider_next(server, ROUGH_EMPTY, 1);
    assert_true(sc_http_call_wait(&call, &answer));
    assert_string_equal((const char *)answer.body.data, "");
    sc_http_answer_fini(&answer);
    rough_provider_free(server);
}

static void check_failure(rough_provider *server, rough_mode mode, sc_http_failure wanted)
{
    sc_http_call call = call_to(server, NULL);
    sc_http_answer answer;
    if (mode == ROUGH_SILENT) call.timeout_s = 0.2;
    rough_provider_next(server, mode, 1);
    assert_false(sc_http_call_wait(&call, &answer));
    if (answer.failure != wanted) {
        fail_msg("mode %d: failure %d (%s)", (int)mode, (int)answer.failure, answer.words);
    }
    assert_true(answer.words[0] != '\0');
    assert_null(answer.body.data);
    sc_http_answer_fini(&answer);
}

static void test_failures_are_told_apart(void **state)
{
    (void)state;
    rough_provider *server = rough_provider_new(NULL, SC_ENCODING_COMPACT);
    check_failure(server, ROUGH_GOOD, SC_HTTP_NO_CONNECTION);
    rough_provider_up(server);
    rough_provider_next(server, ROUGH_GOOD, 0);
    check_failure(server, ROUGH_HUGE, SC_HTTP_TOO_LARGE);
    check_failure(server, ROUGH_HUGE_IN_CHUNKS, SC_HTTP_TOO_LARGE);
    check_failure(server, ROUGH_HALFWAY, SC_HTTP_BROKEN);
    check_failure(server, ROUGH_NOT_HTTP, SC_HTTP_BROKEN);
    check_failure(server, ROUGH_SILENT, SC_HTTP_TIMED_OUT);
    rough_provider_free(server);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_reply_comes_as_it_was_sent),
    cmocka_unit_test(test_redirects_are_told_and_not_followed),
    cmocka_unit_test(test_failures_are_told_apart),
};
SC_SUITE(tests)
