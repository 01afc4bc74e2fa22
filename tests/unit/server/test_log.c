// Logs: lines that can be read whatever was logged, whole or not at all, and never waited for.
#include "support/check.h"

#include "server/log.h"

#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/** A log into a pipe, and what comes out of it. */
typedef struct piped {
    int ends[2];
    sc_log *log;
    char text[65536];  ///< what a pipe holds
} piped;

static piped *piped_new(sc_log_format format, sc_log_level level)
{
    piped *p = test_take(1, sizeof *p);
    assert_int_equal(pipe(p->ends), 0);
    fcntl(p->ends[0], F_SETFL, O_NONBLOCK);
    CHECK_OK(sc_log_new(p->ends[1], format, level, &p->log), NULL);
    return p;
}

/** All that was written so far. */
static const char *read_all(piped *p)
{
    const ssize_t size = read(p->ends[0], p->text, sizeof p->text - 1);
    p->text[size > 0 ? size : 0] = '\0';
    return p->text;
}

static void piped_free(piped *p)
{
    sc_log_free(p->log);
    close(p->ends[0]);
    close(p->ends[1]);
    free(p);
}

/** What follows the time, which has its usual shape. */
static const char *after_time(const char *line, const char *before, const char *after)
{
    static const char shape[] = "0000-00-00T00:00:00.000Z";
    assert_int_equal(strncmp(line, before, strlen(before)), 0);
    line += strlen(before);
    for (const char *c = shape; *c; c++, line++) {
        if (*c == '0') {
            assert_true(*line >= '0' && *line <= '9');
        } else {
            assert_int_equal(*line, *c);
        }
    }
    assert_int_equal(strncmp(line, after, strlen(after)), 0);
    return line + strlen(after);
}

static void log_some(sc_log *log)
{
    sc_log_line line;
    assert_true(sc_log_begin(log, &line, SC_LOG_INFO, "listening"));
    sc_log_text(&line, "address", "127.0.0.1:8080");
    sc_log_count(&line, "loops", 2);
    sc_log_seconds(&line, "after", 0.26);
    sc_log_text(&line, "note", "two words");
    sc_log_end(&line);
}

static void test_a_line_of_logfmt(void **state)
{
    (void)state;
    piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_INFO);
    log_some(p->log);
    assert_string_equal(
        after_time(read_all(p), "time=", " "),
        "level=info event=listening address=127.0.0.1:8080 loops=2 after=0.3 note=\"two words\"\n");
    piped_free(p);
}

static void test_a_line_of_json(void **state)
{
    (void)state;
    piped *p = piped_new(SC_LOG_JSON, SC_LOG_INFO);
    log_some(p->log);
    assert_string_equal(after_time(read_all(p), "{\"time\":\"", "\","),
                        "\"level\":\"info\",\"event\":\"listening\",\"address\":\"127.0.0.1:8080\","
                        "\"loops\":2,\"after\":0.3,\"note\":\"two words\"}\n");
    piped_free(p);
}

static void test_only_what_is_wanted_is_written(void **state)
{
    (void)state;
    piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_WARNING);
    sc_log_line line;
    assert_false(sc_log_begin(p->log, &line, SC_LOG_INFO, "quiet"));
    assert_false(sc_log_begin(p->log, &line, SC_LOG_DEBUG, "quiet"));
    assert_false(sc_log_begin(NULL, &line, SC_LOG_ERROR, "nowhere"));
    sc_log_message(p->log, SC_LOG_INFO, "quiet", "not this");
    sc_log_message(NULL, SC_LOG_ERROR, "nowhere", "nor this");
    sc_log_message(p->log, SC_LOG_ERROR, "broken", "it broke");
    sc_log_set_level(p->log, SC_LOG_DEBUG);
    sc_log_message(p->log, SC_LOG_DEBUG, "detail", "now this too");
    const char *text = read_all(p);
    assert_null(strstr(text, "quiet"));
    CHECK_CONTAINS(text, "level=error event=broken message=\"it broke\"\n");
    CHECK_CONTAINS(text, "level=debug event=detail message=\"now this too\"\n");
    piped_free(p);
}

static void test_levels_have_names(void **state)
{
    (void)state;
    for (int i = SC_LOG_ERROR; i <= SC_LOG_DEBUG; i++) {
        assert_int_equal(sc_log_level_of(sc_log_level_name((sc_log_level)i)), i);
    }
    assert_int_equal(sc_log_level_of("warning"), SC_LOG_WARNING);
    assert_int_equal(sc_log_level_of("loud"), -1);
    assert_int_equal(sc_log_level_of(""), -1);
    assert_int_equal(sc_log_level_of("INFO"), -1);
}

// --- Strangers' texts ------------------------------------------------------------

static void test_no_text_breaks_a_line_of_logfmt(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *shown;
    } cases[] = {
        {"plain-word_1.5/x", "plain-word_1.5/x"},
        {"", "\"\""},
        {"a=b", "\"a=b\""},
        {"say \"hi\"", "\"say \\\"hi\\\"\""},
        {"back\\slash", "\"back\\\\slash\""},
        {"a\nlevel=error", "\"a\\u000alevel=error\""},
        {"\x1b[31mred", "\"\\u001b[31mred\""},
        {"\x7f", "\"\\u007f\""},
        {"\xc2\x9b", "\"\\u009b\""},
        {"M\xc3\xbcller", "\"M\xc3\xbcller\""},
        {"cut \xe2\x82", "\"cut \\ufffd\\ufffd\""},
        {"\xff", "\"\\ufffd\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_INFO);
        char wanted[100];
        snprintf(wanted, sizeof wanted, "level=info event=x message=%s\n", cases[i].shown);
        sc_log_message(p->log, SC_LOG_INFO, "x", cases[i].text);
        assert_string_equal(after_time(read_all(p), "time=", " "), wanted);
        piped_free(p);
    }
}

/** The line is one object of JSON; lent until the next. */
static json_t *parse_line(const char *text)
{
    const char *end = strchr(text, '\n');
    assert_non_null(end);
    assert_int_equal(end[1], '\0');
    json_error_t error;
    json_t *object = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!object) fail_msg("%s: %s", error.text, text);
    return object;
}

static void test_every_line_of_json_can_be_read_whatever_is_logged(void **state)
{
    (void)state;
    // Every byte, in every place where it may matter.
    for (int c = 1; c < 256; c++) {
        piped *p = piped_new(SC_LOG_JSON, SC_LOG_INFO);
        const char text[] = {'a', (char)c, 'b', (char)c, '\0'};
        sc_log_message(p->log, SC_LOG_INFO, "x", text);
        json_t *object = parse_line(read_all(p));
        const char *got = json_string_value(json_object_get(object, "message"));
        assert_non_null(got);
        if (c < 0x80) assert_string_equal(got, text);
        json_decref(object);
        piped_free(p);
    }
}

static void test_numbers_that_are_none_are_null(void **state)
{
    (void)state;
    static const double numbers[] = {HUGE_VAL, -HUGE_VAL, NOT_A_NUMBER, 1e300};
    piped *p = piped_new(SC_LOG_JSON, SC_LOG_INFO);
    for (size_t i = 0; i < 4; i++) {
        sc_log_line line;
        assert_true(sc_log_begin(p->log, &line, SC_LOG_INFO, "x"));
        sc_log_seconds(&line, "seconds", numbers[i]);
        sc_log_count(&line, "count", UINT64_MAX);
        sc_log_end(&line);
        const char *text = read_all(p);
        CHECK_CONTAINS(text, "\"seconds\":null,\"count\":18446744073709551615}\n");
    }
    piped_free(p);
}

static void test_a_long_text_is_cut_between_characters(void **state)
{
    (void)state;
    for (size_t lead = 0; lead < 4; lead++) {
        piped *p = piped_new(SC_LOG_JSON, SC_LOG_INFO);
        static const char euro[3] = {'\xe2', '\x82', '\xac'};
        char text[2000] = "xxx";
        for (size_t i = lead; i + 3 < sizeof text; i += 3) {
            memcpy(text + i, euro, sizeof euro);
        }
        sc_log_message(p->log, SC_LOG_INFO, "x", text);
        json_t *object = parse_line(read_all(p));
        const char *got = json_string_value(json_object_get(object, "message"));
        const size_t size = strlen(got);
        assert_true(size <= 512 + 3 && size > 512 - 3);
        assert_string_equal(got + size - 3, "...");
        assert_int_equal(strncmp(got, text, size - 3), 0);
        assert_null(strstr(got, "\xef\xbf\xbd"));
        json_decref(object);
        piped_free(p);
    }
    // Just as long as may be.
    piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_INFO);
    char text[600];
    memset(text, 'x', 512);
    text[512] = '\0';
    sc_log_message(p->log, SC_LOG_INFO, "x", text);
    CHECK_CONTAINS(read_all(p), "xxx\n");
    piped_free(p);
}

static void test_a_field_that_does_not_fit_is_left_out_whole(void **state)
{
    (void)state;
    char text[512];
    memset(text, '\x01', sizeof text - 1);  // each takes six bytes
    text[sizeof text - 1] = '\0';
    for (size_t size = 0; size < sizeof text; size++) {
        piped *p = piped_new(SC_LOG_JSON, SC_LOG_INFO);
        sc_log_line line;
        assert_true(sc_log_begin(p->log, &line, SC_LOG_INFO, "x"));
        sc_log_text(&line, "first", text + size);
        sc_log_text(&line, "second", "abcdefgh");
        sc_log_count(&line, "third", 12345678);
        sc_log_end(&line);
        json_t *object = parse_line(read_all(p));
        const char *first = json_string_value(json_object_get(object, "first"));
        const char *second = json_string_value(json_object_get(object, "second"));
        if (first) assert_string_equal(first, text + size);
        if (second) assert_string_equal(second, "abcdefgh");
        assert_true(first || size < 300);   // a short one fits
        assert_true(!first || size > 100);  // a long one does not
        json_decref(object);
        piped_free(p);
    }
}

// --- Writing ---------------------------------------------------------------------

static void test_a_log_without_a_reader_is_not_waited_for(void **state)
{
    (void)state;
    piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_INFO);
    // More than a pipe holds; if one were waited for, this would not come back.
    for (int i = 0; i < 5000; i++) {
        sc_log_message(p->log, SC_LOG_INFO, "x", "a sentence of some length");
    }
    assert_true(sc_log_lost(p->log) > 0);
    assert_true(sc_log_lost(p->log) < 5000);
    const uint64_t lost = sc_log_lost(p->log);
    while (read_all(p)[0] != '\0') {
    }
    sc_log_message(p->log, SC_LOG_INFO, "x", "room again");
    CHECK_CONTAINS(read_all(p), "room again");
    assert_int_equal(sc_log_lost(p->log), lost);
    piped_free(p);
}

static void test_a_line_that_cannot_be_written_is_counted(void **state)
{
    (void)state;
    sc_log *log = NULL;
    const int full = open("/dev/full", O_WRONLY);
    CHECK_OK(sc_log_new(full, SC_LOG_LOGFMT, SC_LOG_INFO, &log), NULL);
    sc_log_message(log, SC_LOG_INFO, "x", "y");
    sc_log_message(log, SC_LOG_DEBUG, "x", "not wanted, so not lost");
    assert_int_equal(sc_log_lost(log), 1);
    close(full);
    sc_log_message(log, SC_LOG_INFO, "x", "y");
    assert_int_equal(sc_log_lost(log), 2);
    sc_log_free(log);
    sc_log_free(NULL);
}

enum { THREADS = 4, EACH = 100 };

static void *log_many(void *context)
{
    for (int i = 0; i < EACH; i++) {
        sc_log_message(context, SC_LOG_INFO, "x", "one of many lines that must not mix");
    }
    return NULL;
}

static void test_lines_of_several_threads_do_not_mix(void **state)
{
    (void)state;
    piped *p = piped_new(SC_LOG_LOGFMT, SC_LOG_INFO);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, log_many, p->log), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    const char *text = read_all(p);
    size_t lines = 0;
    for (const char *end = strchr(text, '\n'); end; text = end + 1, end = strchr(text, '\n')) {
        const char *rest = after_time(text, "time=", " ");
        static const char wanted[] =
            "level=info event=x message=\"one of many lines that must not mix\"\n";
        assert_int_equal(strncmp(rest, wanted, strlen(wanted)), 0);
        assert_ptr_equal(rest + strlen(wanted), end + 1);
        lines++;
    }
    assert_int_equal(lines + sc_log_lost(p->log), THREADS * EACH);
    assert_int_equal(sc_log_lost(p->log), 0);
    piped_free(p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_line_of_logfmt),
    cmocka_unit_test(test_a_line_of_json),
    cmocka_unit_test(test_only_what_is_wanted_is_written),
    cmocka_unit_test(test_levels_have_names),
    cmocka_unit_test(test_no_text_breaks_a_line_of_logfmt),
    cmocka_unit_test(test_every_line_of_json_can_be_read_whatever_is_logged),
    cmocka_unit_test(test_numbers_that_are_none_are_null),
    cmocka_unit_test(test_a_long_text_is_cut_between_characters),
    cmocka_unit_test(test_a_field_that_does_not_fit_is_left_out_whole),
    cmocka_unit_test(test_a_log_without_a_reader_is_not_waited_for),
    cmocka_unit_test(test_a_line_that_cannot_be_written_is_counted),
    cmocka_unit_test(test_lines_of_several_threads_do_not_mix),
};
SC_SUITE(tests)
