// Every allocation for the folder of reports fails once, in turn: it is told, and nothing leaks.
#include "demo/reports.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/page_server.h"
#include "support/place.h"

#include <pthread.h>
#include <stdatomic.h>

static void test_a_folder_of_reports_that_cannot_be_opened(void **state)
{
    (void)state;
    const place folder = place_new();
    sc_reports *reports = NULL;
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_reports_new(folder.path, &reports, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while opening the folder of reports");
        assert_null(reports);
        failures++;
    }
    assert_int_equal(failures, 2);  // itself, and its files
    sc_reports_free(reports);
    place_free(&folder);
}

typedef struct fixture {
    sc_reports *reports;
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
    sc_reports_show(f->reports, request);
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

static void test_a_report_that_cannot_be_read(void **state)
{
    (void)state;
    const place folder = place_new();
    place_write_text(&folder, "report.html", "<title>found</title>");
    fixture f = {.fail_at = 0};
    CHECK_OK(sc_reports_new(folder.path, &f.reports, NULL), NULL);
    assert_int_equal(ask_until_it_is_shown(&f, "/reports/"), 1);
    sc_reports_free(f.reports);
    place_free(&folder);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_folder_of_reports_that_cannot_be_opened),
    cmocka_unit_test(test_a_report_that_cannot_be_read),
};
SC_SUITE(tests)
