// Every allocation for kept pages, the UI and what the service says of itself fails once, in
// turn: it is told, and nothing leaks.
#include "api/response_cache.h"
#include "api/served_map.h"
#include "api/static_pages.h"
#include "base/bytes.h"

#include "support/check.h"
#include "support/default_policy.h"
#include "support/oom.h"
#include "support/page_server.h"
#include "support/sketch.h"

#include <pthread.h>
#include <stdatomic.h>

static const char text[] = "to be or not to be, to be or not to be, to be or not to be";
enum { TEXT_SIZE = sizeof text - 1 };

static void test_a_page_that_cannot_be_kept(void **state)
{
    (void)state;
    static const sc__cached_page_headers words = {.type = "text/plain",
                                                  .cache_control = "no-cache"};
    unsigned long failures = 0;
    for (unsigned long n = 1;; n++) {
        sc_bytes bytes = {0};
        sc__cached_page kept = {0};
        assert_true(sc_bytes_append(&bytes, text, strlen(text)));
        oom_arm(n);
        const sc_err err = sc__cached_page_own(&kept, &words, &bytes);
        const bool happened = oom_happened();
        // The first allocation and the last only give room back: without them it is as good.
        if (!err) {
            assert_memory_equal(kept.plain.bytes, text, TEXT_SIZE);
            assert_true(kept.packed.size > 0);
        } else {
            assert_int_equal(err, SC_ENOMEM);
        }
        // Kept or not, the bytes are no longer the caller's.
        assert_null(bytes.data);
        sc__cached_page_fini(&kept);
        if (!happened) break;
        failures++;
    }
    assert_true(failures > 4);
}

static void test_a_ui_that_cannot_be_made(void **state)
{
    (void)state;
    static const sc__ui_file files[] = {
        {"/index.html", "text/html", (const unsigned char *)text, TEXT_SIZE},
        {"/assets/a.js", "text/javascript", (const unsigned char *)text, TEXT_SIZE},
    };
    // Without any file there is a page that says so, which takes memory as well.
    for (size_t count = 0; count <= 2; count += 2) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_ui *ui = NULL;
            sc_diag diag = {""};
            const sc_err err = sc__ui_new_from(files, count, &ui, &diag);
            const bool happened = oom_happened();
            if (err) {
                CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while packing the UI");
                assert_null(ui);
            } else {
                assert_true(sc_ui_has(ui, "/"));
            }
            sc_ui_free(ui);
            if (!happened) break;
            failures++;
        }
        assert_true(failures > 4 * (count + 1));
    }
}

// --- A page that is made for each request --------------------------------------------------------

typedef struct fixture {
    sc_service_internal service;
    sc_served_map served;
    sc_policy policy;
    unsigned long fail_at;  ///< the loop's alone, once it runs
    atomic_uint failures;
} fixture;

/** Sees to it that the loop has room for the head of any reply to come. */
static void reply_at_length(sc_http_request *request)
{
    char value[1024];
    memset(value, 'x', sizeof value - 1);
    value[sizeof value - 1] = '\0';
    const sc_http_header large = {"X-Large", value};
    sc_http_reply(request, 200, NULL, NULL, 0, &large, 1);
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    fixture *f = context;
    const char *path = sc_http_request_path(request);
    if (strcmp(path, "/") == 0) {
        reply_at_length(request);
        return;
    }
    oom_arm(++f->fail_at);
    sc_about_show(&f->service, &f->policy, request);
    if (oom_happened()) atomic_fetch_add(&f->failures, 1);
}

/** Ask until it is shown; gives how often it was not. */
static unsigned ask_until_it_is_shown(fixture *f, const char *path)
{
    sc_http *http = page_server_start(handle, f);
    web_reply reply = page_get(http, "/", "");
    assert_int_equal(reply.status, 200);
    web_reply_free(&reply);
    unsigned refusals = 0;
    for (reply = page_get(http, path, ""); reply.status != 200; reply = page_get(http, path, "")) {
        page_check_problem(&reply, 503, "overloaded", "retry in a moment");
        refusals++;
    }
    web_reply_free(&reply);
    sc_http_free(http);
    assert_int_equal(refusals, atomic_load(&f->failures));
    return refusals;
}

static void settle(void *context, sc_ticket *ticket)
{
    (void)context;
    (void)ticket;
}

static void test_a_service_that_cannot_tell_of_itself(void **state)
{
    (void)state;
    fixture f = {.policy = default_policy()};
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    sc_ledger_options options = sc_ledger_options_default();
    options.settled = settle;
    f.service.version = "1.2.3";
    f.served.map = map;
    atomic_store(&f.service.served, &f.served);
    CHECK_OK(sc_ledger_new(map, &options, &f.served.ledger, NULL), NULL);
    assert_true(ask_until_it_is_shown(&f, "/v1/about") >= 2);
    sc_ledger_free(f.served.ledger);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_page_that_cannot_be_kept),
    cmocka_unit_test(test_a_ui_that_cannot_be_made),
    cmocka_unit_test(test_a_service_that_cannot_tell_of_itself),
};
SC_SUITE(tests)
