// A folder of reports over a real server: what is shown, and what a stranger tries in vain.
#include "demo/reports.h"

#include "base/process.h"
#include "base/sanitizers.h"
#include "support/check.h"
#include "support/http_caller.h"
#include "support/page_server.h"
#include "support/place.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/** A place with a folder "reports" in it, and beside that a secret. */
typedef struct fixture {
    place around;
    place folder;
    sc_reports *reports;
    sc_http *http;
    atomic_uint leaks;  ///< requests after which a descriptor was left open
} fixture;

static int lowest_free_descriptor(void)
{
    const int fd = dup(STDERR_FILENO);
    close(fd);
    return fd;
}

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)loop;
    fixture *f = context;
    const int before = lowest_free_descriptor();
    sc_reports_show(f->reports, request);
    // A connection that ended makes it lower. Under the thread sanitizer all threads have one
    // table, and others may have opened something meanwhile.
    if (SC_UNDER_THREAD_SANITIZER) return;
    if (lowest_free_descriptor() > before) atomic_fetch_add(&f->leaks, 1);
}

static void fixture_prepare(fixture *f)
{
    *f = (fixture){.around = place_new()};
    snprintf(f->folder.path, sizeof f->folder.path, "%s", place_path(&f->around, "reports"));
    assert_int_equal(mkdir(f->folder.path, 0755), 0);
    place_write_text(&f->around, "secret.txt", "secret");
    sc_diag diag = {""};
    CHECK_OK(sc_reports_new(f->folder.path, &f->reports, &diag), &diag);
}

static void fixture_open(fixture *f)
{
    fixture_prepare(f);
    f->http = page_server_start(handle, f);
}

static void fixture_close(fixture *f)
{
    sc_http_free(f->http);
    assert_int_equal(atomic_load(&f->leaks), 0);
    sc_reports_free(f->reports);
    place_free(&f->around);
}

/** What this process has in memory. */
static uint64_t resident_bytes(void)
{
    const sc_process_use use = sc_process_use_now();
    assert_true(use.knows_memory);
    return use.resident_bytes;
}

static void check_not_found(const fixture *f, const char *path, const char *part)
{
    web_reply reply = page_get(f->http, path, "");
    if (reply.status != 404) print_error("%s\n", path);
    page_check_problem(&reply, 404, "not-found", part);
}

static void test_the_files_of_a_report_are_shown(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *type;
    } files[] = {
        {"report.html", "text/html; charset=utf-8"},       {"city-success-k.svg", "image/svg+xml"},
        {"city-success-k.csv", "text/csv; charset=utf-8"}, {"a.b_c-D.9.png", "image/png"},
        {"style.css", "text/css; charset=utf-8"},          {"points.json", "application/json"},
        {"_notes.txt", "text/plain; charset=utf-8"},
    };
    fixture f;
    fixture_open(&f);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "/reports/%s", files[i].name);
        place_write_text(&f.folder, files[i].name, path);
        web_reply reply = page_get(f.http, path, "");
        assert_int_equal(reply.status, 200);
        assert_string_equal(reply.body, path);
        assert_string_equal(web_header(&reply, "Content-Type"), files[i].type);
        assert_string_equal(web_header(&reply, "Cache-Control"), "no-store");
        assert_string_equal(web_header(&reply, "X-Content-Type-Options"), "nosniff");
        assert_string_equal(web_header(&reply, "Referrer-Policy"), "no-referrer");
        assert_string_equal(web_header(&reply, "Cross-Origin-Opener-Policy"), "same-origin");
        assert_string_equal(web_header(&reply, "Cross-Origin-Resource-Policy"), "same-origin");
        assert_string_equal(web_header(&reply, "Content-Security-Policy"),
                            "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; "
                            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
        page_check_head(f.http, path, &reply);
        web_reply_free(&reply);
    }
    fixture_close(&f);
}

static void test_the_folder_itself_is_the_report(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "report.html", "<title>found</title>");
    web_reply reply = page_get(f.http, "/reports/", "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, "<title>found</title>");
    web_reply_free(&reply);
    // Without the slash its links would lead astray.
    reply = page_get(f.http, "/reports", "");
    assert_int_equal(reply.status, 308);
    assert_string_equal(web_header(&reply, "Location"), "/reports/");
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_a_report_may_appear_and_change_while_it_is_served(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    assert_false(sc_reports_is_there(f.reports));
    check_not_found(&f, "/reports/", "starcloak experiment");
    check_not_found(&f, "/reports/report.html", "starcloak experiment");
    check_not_found(&f, "/reports/points.csv", "no such file");
    for (unsigned i = 0; i < 2; i++) {
        static const char *const texts[] = {"one", "another, which is longer"};
        place_write_text(&f.folder, "report.html", texts[i]);
        assert_true(sc_reports_is_there(f.reports));
        web_reply reply = page_get(f.http, "/reports/", "");
        assert_string_equal(reply.body, texts[i]);
        web_reply_free(&reply);
    }
    assert_int_equal(unlink(place_path(&f.folder, "report.html")), 0);
    assert_false(sc_reports_is_there(f.reports));
    check_not_found(&f, "/reports/", "starcloak experiment");
    fixture_close(&f);
}

/** The same at a unix socket, where the kernel takes little of what is not read. */
static void fixture_open_narrow(fixture *f)
{
    fixture_prepare(f);
    char address[1024];
    snprintf(address, sizeof address, "unix:%s", place_path(&f->around, "s"));
    const char *const addresses[] = {address};
    sc_http_options options = sc_http_options_default();
    options.addresses = addresses;
    options.address_count = 1;
    options.handle = handle;
    options.context = f;
    sc_diag diag = {""};
    CHECK_OK(sc_http_new(&options, &f->http, &diag), &diag);
    CHECK_OK(sc_http_start(f->http, &diag), &diag);
}

// Each of them would have a copy of its own otherwise, for as long as it likes.
static void test_readers_that_do_not_read_cost_no_memory(void **state)
{
    (void)state;
    enum { CLIENTS = 40 };
    fixture f;
    fixture_open_narrow(&f);
    char *bytes = test_take(SC_REPORT_BYTES_MAX, 1);
    memset(bytes, 'x', SC_REPORT_BYTES_MAX);
    place_write(&f.folder, "a.csv", bytes, SC_REPORT_BYTES_MAX);
    free(bytes);
    caller clients[CLIENTS];
    for (size_t i = 0; i < CLIENTS; i++) {
        clients[i] = caller_dial(sc_http_address(f.http, 0));
    }
    uint64_t before = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        char first = 0;
        caller_send(&clients[i], "GET /reports/a.csv HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert_int_equal(recv(clients[i].fd, &first, 1, 0), 1);
        if (i == 0) before = resident_bytes();
    }
    const uint64_t after = resident_bytes();
    // A quarter of what copies would take.
    assert_in_range(after, 0, before + (uint64_t)CLIENTS / 4 * SC_REPORT_BYTES_MAX);
    for (size_t i = 0; i < CLIENTS; i++) {
        caller_hang_up(&clients[i]);
    }
    fixture_close(&f);
}

static void set_time(const fixture *f, const char *name, long nanoseconds)
{
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, place_path(&f->folder, name), times, 0), 0);
}

static void check_shown(const fixture *f, const char *path, const char *wanted)
{
    web_reply reply = page_get(f->http, path, "");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, wanted);
    web_reply_free(&reply);
}

static void test_a_file_is_read_again_only_when_it_has_changed(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "a.txt", "one");
    set_time(&f, "a.txt", 1);
    // To tell its size it need not be read.
    const int fd = web_connect(sc_http_address(f.http, 0));
    web_send(fd, "HEAD", "/reports/a.txt", "Connection: close\r\n", NULL);
    web_stream came = {0};
    web_stream_await_end(fd, &came);
    close(fd);
    CHECK_CONTAINS(came.text, "Content-Length: 3\r\n");
    free(came.text);
    place_write_text(&f.folder, "a.txt", "two");
    set_time(&f, "a.txt", 1);
    check_shown(&f, "/reports/a.txt", "two");
    place_write_text(&f.folder, "a.txt", "six");
    set_time(&f, "a.txt", 1);
    check_shown(&f, "/reports/a.txt", "two");
    set_time(&f, "a.txt", 2);
    check_shown(&f, "/reports/a.txt", "six");
    fixture_close(&f);
}

static void test_files_that_change_too_often_need_a_restart(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "b.txt", "kept");
    check_shown(&f, "/reports/b.txt", "kept");
    place_write_text(&f.folder, "a.csv", "");
    assert_int_equal(truncate(place_path(&f.folder, "a.csv"), SC_REPORT_BYTES_MAX), 0);
    int status = 200;
    long shown = 0;
    for (; status == 200 && shown < 100; shown++) {
        set_time(&f, "a.csv", shown);
        web_reply reply = page_get(f.http, "/reports/a.csv", "");
        status = reply.status;
        if (status == 200) {
            web_reply_free(&reply);
        } else {
            page_check_problem(&reply, 503, "overloaded",
                               "restart the service to show the newest one");
        }
    }
    assert_in_range(shown, 2, SC_REPORTS_BYTES_MAX / SC_REPORT_BYTES_MAX);
    // What has not changed is still there.
    check_shown(&f, "/reports/b.txt", "kept");
    fixture_close(&f);
}

static void test_the_folder_and_what_is_below_are_paths_of_reports(void **state)
{
    (void)state;
    assert_true(sc_reports_has("/reports"));
    assert_true(sc_reports_has("/reports/"));
    assert_true(sc_reports_has("/reports/a.txt"));
    static const char *const others[] = {"",         "/",         "/report",       "reports/",
                                         "/Reports", "/reportsa", "/reports.html", "//reports"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(sc_reports_has(others[i]));
    }
}

static void test_no_path_leads_out_of_the_folder(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "/reports/../secret.txt",
        "/reports/..%2fsecret.txt",
        "/reports/%2e%2e/secret.txt",
        "/reports/%2e%2e%2fsecret.txt",
        "/reports/./a.txt",
        "/reports//a.txt",
        "/reports/reports/../a.txt",
        "/reports/inner/a.txt",
        "/reports/inner%2fa.txt",
        "/reports/..%5csecret.txt",
        "/reports/%2fetc%2fissue.txt",
        "/reports//etc/issue.txt",
        "/reports/..",
        "/reports/.",
        "/reports../secret.txt",
        "/reportsa.txt",
    };
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "a.txt", "a");
    assert_int_equal(mkdir(place_path(&f.folder, "inner"), 0755), 0);
    place_write_text(&f.folder, "inner/a.txt", "inner");
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        check_not_found(&f, paths[i], "report");
    }
    web_reply reply = page_get(f.http, "/reports/a.txt", "");
    assert_string_equal(reply.body, "a");
    web_reply_free(&reply);
    fixture_close(&f);
}

static void test_odd_names_are_refused_even_if_there_is_such_a_file(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *path;
    } files[] = {
        {".lock", "/reports/.lock"},
        {".hidden.txt", "/reports/.hidden.txt"},
        {"a b.txt", "/reports/a%20b.txt"},
        {"a+b.txt", "/reports/a+b.txt"},
        {"\xc3\xa4.txt", "/reports/%c3%a4.txt"},
        {"a\n.txt", "/reports/a%0a.txt"},
        {"a\\b.txt", "/reports/a%5cb.txt"},
        {"a%2e.txt", "/reports/a%252e.txt"},
        {"plain", "/reports/plain"},
        {"a.", "/reports/a."},
        {"a.exe", "/reports/a.exe"},
        {"a.html.bak", "/reports/a.html.bak"},
        {"a.HTML", "/reports/a.HTML"},
        {"a.htm", "/reports/a.htm"},
        {"a.js", "/reports/a.js"},
        {"html", "/reports/html"},
    };
    fixture f;
    fixture_open(&f);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        place_write_text(&f.folder, files[i].name, "odd");
        check_not_found(&f, files[i].path, "a report has no file of this name");
    }
    fixture_close(&f);
}

static void test_a_name_longer_than_any_is_not_found(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    char path[1024] = "/reports/";
    memset(path + strlen(path), 'a', 1000);
    memcpy(path + 1000, ".txt", 5);
    check_not_found(&f, path, "cannot be opened");
    fixture_close(&f);
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    assert_true(strlen(path) < sizeof address.sun_path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    close(fd);
}

// A pipe without a writer would be waited for; a link leads where it likes.
static void test_only_plain_files_are_read(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "plain.txt", "plain");
    assert_int_equal(mkdir(place_path(&f.folder, "folder.html"), 0755), 0);
    assert_int_equal(mkfifo(place_path(&f.folder, "pipe.txt"), 0644), 0);
    make_socket(place_path(&f.folder, "socket.txt"));
    assert_int_equal(symlink("../secret.txt", place_path(&f.folder, "out.txt")), 0);
    assert_int_equal(symlink("plain.txt", place_path(&f.folder, "in.txt")), 0);
    assert_int_equal(symlink("plain.txt", place_path(&f.folder, "report.html")), 0);
    check_not_found(&f, "/reports/folder.html", "only regular files");
    check_not_found(&f, "/reports/pipe.txt", "only regular files");
    check_not_found(&f, "/reports/socket.txt", "cannot be opened");
    check_not_found(&f, "/reports/out.txt", "links are not followed");
    check_not_found(&f, "/reports/in.txt", "links are not followed");
    check_not_found(&f, "/reports/", "links are not followed");
    assert_false(sc_reports_is_there(f.reports));
    // All of them on one connection, too: nothing is left open.
    static const char *const paths[] = {"folder.html", "pipe.txt", "out.txt", "plain.txt"};
    caller c = caller_dial(sc_http_address(f.http, 0));
    for (size_t i = 0; i < 40; i++) {
        char text[128];
        snprintf(text, sizeof text, "GET /reports/%s HTTP/1.1\r\nHost: localhost\r\n\r\n",
                 paths[i % 4]);
        caller_ask(&c, text);
        assert_int_equal(c.status, i % 4 == 3 ? 200 : 404);
    }
    caller_hang_up(&c);
    fixture_close(&f);
}

static void test_a_file_may_be_large_or_empty_but_not_huge(void **state)
{
    (void)state;
    static const struct {
        off_t size;
        int status;
    } cases[] = {{0, 200},
                 {SC_REPORT_BYTES_MAX, 200},
                 {SC_REPORT_BYTES_MAX + 1, 404},
                 {(off_t)1 << 40, 404}};
    fixture f;
    fixture_open(&f);
    place_write_text(&f.folder, "a.csv", "");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        // A hole: it takes no room on the disk.
        assert_int_equal(truncate(place_path(&f.folder, "a.csv"), cases[i].size), 0);
        web_reply reply = page_get(f.http, "/reports/a.csv", "");
        assert_int_equal(reply.status, cases[i].status);
        if (cases[i].status == 200) {
            assert_int_equal(reply.size, cases[i].size);
            web_reply_free(&reply);
        } else {
            page_check_problem(&reply, 404, "not-found", "too large");
        }
    }
    fixture_close(&f);
}

static void test_a_file_that_may_not_be_read_is_not_shown(void **state)
{
    (void)state;
    fixture f;
    fixture_prepare(&f);
    place_write_text(&f.folder, "a.txt", "not for you");
    assert_int_equal(chmod(place_path(&f.folder, "a.txt"), 0), 0);
    lose_rights(&f.around);
    f.http = page_server_start(handle, &f);
    check_not_found(&f, "/reports/a.txt", "not allowed to read");
    sc_http_stop(f.http);
    have_rights_again();
    fixture_close(&f);
}

static void test_a_folder_that_is_not_there_is_told(void **state)
{
    (void)state;
    const place around = place_new();
    place_write_text(&around, "file", "");
    sc_reports *reports = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_reports_new(place_path(&around, "nowhere"), &reports, &diag), SC_EIO, &diag,
                  "nowhere: the folder of reports cannot be opened");
    CHECK_REFUSED(sc_reports_new(place_path(&around, "file"), &reports, &diag), SC_EIO, &diag,
                  "Not a directory");
    assert_null(reports);
    sc_reports_free(NULL);
    place_free(&around);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_files_of_a_report_are_shown),
    cmocka_unit_test(test_the_folder_itself_is_the_report),
    cmocka_unit_test(test_a_report_may_appear_and_change_while_it_is_served),
    cmocka_unit_test(test_readers_that_do_not_read_cost_no_memory),
    cmocka_unit_test(test_a_file_is_read_again_only_when_it_has_changed),
    cmocka_unit_test(test_files_that_change_too_often_need_a_restart),
    cmocka_unit_test(test_the_folder_and_what_is_below_are_paths_of_reports),
    cmocka_unit_test(test_no_path_leads_out_of_the_folder),
    cmocka_unit_test(test_odd_names_are_refused_even_if_there_is_such_a_file),
    cmocka_unit_test(test_a_name_longer_than_any_is_not_found),
    cmocka_unit_test(test_only_plain_files_are_read),
    cmocka_unit_test(test_a_file_may_be_large_or_empty_but_not_huge),
    cmocka_unit_test(test_a_file_that_may_not_be_read_is_not_shown),
    cmocka_unit_test(test_a_folder_that_is_not_there_is_told),
};
SC_SUITE(tests)
