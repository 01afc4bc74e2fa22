// Every allocation of an event stream fails once, in turn: it is reported, nothing leaks, no
// descriptor stays open. (Subscribers and texts that there is no memory for are in
// test_event_stream.c.)
#include "server/event_stream.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

static int open_files(void)
{
    return count_entries("/proc/self/fd");
}

static void answer(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    sc_http_reply(request, 204, NULL, NULL, 0, NULL, 0);
}

static sc_http *server(unsigned loops)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    sc_http *http = NULL;
    sc_diag diag = {""};
    options.addresses = addresses;
    options.address_count = 1;
    options.loops = loops;
    options.handle = answer;
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    return http;
}

static void test_an_event_stream_that_cannot_be_made(void **state)
{
    (void)state;
    enum { LOOPS = 2 };
    sc_http_free(server(LOOPS));  // what libraries keep open from now on is not counted
    const int before = open_files();
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_event_stream *stream = NULL;
        const sc_event_stream_options options = {
            .http = server(LOOPS), .loops = LOOPS, .max_listeners = 10};
        oom_arm(n);
        const sc_err err = sc_event_stream_new(&options, &stream);
        const bool happened = oom_happened();
        assert_int_equal(err, happened ? SC_ENOMEM : SC_OK);
        assert_int_equal(stream == NULL, happened);
        sc_http_free(options.http);
        sc_event_stream_free(stream);
        assert_int_equal(open_files(), before);
        if (!happened) break;
        failures++;
    }
    assert_true(failures >= 6);  // itself, its loops, two handovers of two parts each
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_event_stream_that_cannot_be_made),
};
SC_SUITE(tests)
