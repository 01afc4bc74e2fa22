// Every allocation of the demo fails once, in turn: it is told, nothing leaks, and the service goes
// on.
#include "demo/demo_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "support/check.h"
#include "support/live_service.h"
#include "support/oom.h"
#include "support/web_client.h"

static sc_demo_options few_travellers(void)
{
    sc_demo_options options = sc_demo_options_default();
    options.travellers = 4;
    return options;
}

static void test_a_demo_that_cannot_be_prepared(void **state)
{
    (void)state;
    // Four roads have few ways, and so few allocations to fail.
    sketch s = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    const sc_demo_options options = few_travellers();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_demo *demo = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_demo_new(map, &options, &demo, &diag);
        const bool happened = oom_happened();
        if (!happened) {
            CHECK_OK(err, &diag);
            sc_demo_free(demo);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        assert_null(demo);
        failures++;
    }
    assert_true(failures > 15);
    sc_map_free(map);
}

static void test_a_service_that_cannot_be_attached(void **state)
{
    (void)state;
    const sc_demo_options options = few_travellers();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        live_service live;
        live_service_prepare(&live);
        sc_demo *demo = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_demo_new(live.map, &options, &demo, &diag), &diag);
        CHECK_OK(sc_service_new(live.map, &live.options, &live.service, &diag), &diag);
        sc_alloc_fail_at(n);
        const sc_err err = sc_demo_attach(demo, live.service, &diag);
        const bool happened = oom_happened();
        live_service_close(&live);
        sc_demo_free(demo);
        if (!happened) {
            CHECK_OK(err, &diag);
            break;
        }
        assert_int_equal(err, SC_ENOMEM);
        assert_true(diag.message[0] != '\0');
        failures++;
    }
    assert_true(failures > 5);
}

static void test_travellers_who_cannot_set_out(void **state)
{
    (void)state;
    const sc_demo_options options = few_travellers();
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        live_service live;
        live_service_prepare(&live);
        sc_demo *demo = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_demo_new(live.map, &options, &demo, &diag), &diag);
        CHECK_OK(sc_service_new(live.map, &live.options, &live.service, &diag), &diag);
        CHECK_OK(sc_demo_attach(demo, live.service, &diag), &diag);
        CHECK_OK(sc_service_start(live.service, &diag), &diag);
        char url[64];
        snprintf(url, sizeof(url), "http://%s", live_service_address(&live));
        sc_alloc_fail_at(n);
        const sc_err err = sc_demo_start(demo, url, &diag);
        const bool happened = oom_happened();
        sc_demo_stop(demo);
        live_service_close(&live);
        sc_demo_free(demo);
        if (!happened) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory");
        failures++;
    }
    assert_true(failures > 0);
}

// --- Words ---------------------------------------------------------------------------------------

static bool write_hello(sc_bytes *out)
{
    return sc__demo_text_hello(&(sc__hello){.travellers = 3, .engine = "basic"}, out);
}

static bool write_pending(sc_bytes *out)
{
    const sc__waiting waiting[3] = {{.number = 1}, {.number = 2}, {.number = 3}};
    return sc__demo_text_pending(waiting, 3, 0, out);
}

static bool write_asked(sc_bytes *out)
{
    return sc__demo_text_asked(&(sc__waiting){.number = 1}, out);
}

static bool write_ended(sc_bytes *out)
{
    const sc_load_outcome ending = {.number = 1, .word = "", .cloak = "9f86d081884c7d65"};
    return sc__demo_text_ended(&ending, out);
}

static const sc__methods_hello methods = {.count = 3};

static bool write_methods_hello(sc_bytes *out)
{
    return sc__demo_text_methods_hello(&methods, 1.0, out);
}

static bool write_method_cloak(sc_bytes *out)
{
    const sc_cloak cloak = {0};
    const sc_compared_cloak found = {.variant = SC_VARIANT_XSTAR, .cloak = &cloak};
    return sc__demo_text_method_cloak(&found, 1, 1.0, out);
}

static bool write_methods(sc_bytes *out)
{
    const sc_comparison_figures figures[SC_COMPARISON_METHODS_MAX] = {{0}};
    return sc__demo_text_methods(&methods, 1.0, 0, figures, out);
}

static void test_words_that_cannot_be_found(void **state)
{
    (void)state;
    bool (*const writers[])(sc_bytes * out) = {
        write_hello,         write_pending,      write_asked,  write_ended,
        write_methods_hello, write_method_cloak, write_methods};
    for (size_t i = 0; i < sizeof(writers) / sizeof(writers[0]); i++) {
        unsigned long failures = 0;
        FOR_EACH_FAILURE(n)
        {
            sc_bytes text = {0};
            const bool fits = writers[i](&text);
            const bool happened = oom_happened();
            sc_bytes_fini(&text);
            assert_int_equal(fits, !happened);
            if (!happened) break;
            failures++;
        }
        assert_true(failures > 0);
    }
}

// --- Pages ---------------------------------------------------------------------------------------

/** A page of the demo, shown while an allocation of the loop's thread fails. */
typedef struct shaky {
    sc_extra_page page;
    atomic_ulong fail_at;
    atomic_bool has_failed;
    atomic_bool is_shown;
} shaky;

static void show_shakily(void *context, unsigned loop, sc_http_request *request)
{
    shaky *s = context;
    sc_alloc_fail_at(s->fail_at);
    s->page.show(s->page.context, loop, request);
    s->has_failed = oom_happened();
    s->is_shown = true;
}

/** Ask for the page; what came of it: all there is, or of a stream the beginning. */
static web_stream ask(const live_service *live, const sc_extra_page *page, const char *body)
{
    web_stream received = {.text = test_take(4096, 1)};
    const int fd = web_connect(live_service_address(live));
    web_send(fd, body ? "POST" : "GET", page->path, "Connection: close\r\n", body);
    const ssize_t got = recv(fd, received.text, 4095, 0);
    received.size = got > 0 ? (size_t)got : 0;
    close(fd);
    return received;
}

/** Whatever fails while the i-th page is shown, nothing breaks; and in the end it is shown. */
static void check_page(size_t i, const char *body, unsigned long least_failures)
{
    live_service live;
    live_service_prepare(&live);
    live.options.http.loops = 1;
    const sc_demo_options options = few_travellers();
    sc_demo *demo = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_demo_new(live.map, &options, &demo, &diag), &diag);
    size_t count = 0;
    shaky s = {.page = sc_demo_pages(demo, &count)[i]};
    const sc_extra_page extra = {
        .path = s.page.path, .method = s.page.method, .show = show_shakily, .context = &s};
    live.options.extra = &extra;
    live.options.extra_count = 1;
    CHECK_OK(sc_service_new(live.map, &live.options, &live.service, &diag), &diag);
    CHECK_OK(sc_demo_attach(demo, live.service, &diag), &diag);
    CHECK_OK(sc_service_start(live.service, &diag), &diag);
    do {
        s.fail_at++;
        atomic_store(&s.is_shown, false);
        web_stream received = ask(&live, &s.page, body);
        while (!atomic_load(&s.is_shown)) {
            usleep(100);
        }
        const bool is_done = strncmp(received.text, "HTTP/1.1 200 ", 13) == 0;
        const bool is_refused = strncmp(received.text, "HTTP/1.1 5", 10) == 0;
        // Without memory for a problem in words, the connection is closed.
        assert_true(is_done || (s.has_failed && (is_refused || received.size == 0)));
        free(received.text);
    } while (s.has_failed);
    assert_true(s.fail_at > least_failures);
    sc_service_free(live.service);
    live.service = NULL;
    sc_demo_free(demo);  // the map is needed until now
    live_service_close(&live);
}

static void test_pages_without_memory_do_no_harm(void **state)
{
    (void)state;
    check_page(0, NULL, 3);
    check_page(1, NULL, 3);
    check_page(2, "{\"engine\":\"hybrid\"}", 0);
    check_page(3, NULL, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_demo_that_cannot_be_prepared),
    cmocka_unit_test(test_a_service_that_cannot_be_attached),
    cmocka_unit_test(test_travellers_who_cannot_set_out),
    cmocka_unit_test(test_words_that_cannot_be_found),
    cmocka_unit_test(test_pages_without_memory_do_no_harm),
};
SC_SUITE(tests)
