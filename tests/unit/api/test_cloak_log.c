// The cloak log: what is added is in the file, whole lines for its user alone; what cannot be
// written is counted, and adding never waits.
#include "api/cloak_log.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static sc_cloak_log *log_at(const char *path, uint64_t max_bytes)
{
    sc_cloak_log *log = NULL;
    const sc_cloak_log_options options = {.path = path, .max_bytes = max_bytes, .traffic = 2};
    CHECK_OK(sc_cloak_log_new(&options, &log), NULL);
    return log;
}

static sc_cloak_log *opened(const char *path, uint64_t max_bytes)
{
    sc_cloak_log *log = log_at(path, max_bytes);
    sc_diag diag = {""};
    CHECK_OK(sc_cloak_log_open(log, &diag), &diag);
    return log;
}

static void add(sc_cloak_log *log, uint32_t users)
{
    static const sc_seg_id segments[] = {3, 4, 900};
    sc_cloak_log_add(log, 0x69ea1661e9c4f52b, segments, 3, users);
}

/** Until all of so many cloaks were written or lost. */
static sc_cloak_log_stats wait_for(sc_cloak_log *log, uint64_t count, sc_diag *why)
{
    for (;;) {
        const sc_cloak_log_stats stats = sc_cloak_log_stats_of(log, why);
        if (stats.written + stats.lost >= count) return stats;
        usleep(1000);
    }
}

/** The file without its times; release with free(). */
static char *timeless(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    char *to = text;
    for (const char *from = text; *from;) {
        if (strncmp(from, "\"t\":", 4) == 0) {
            char *end = NULL;
            const long long t = strtoll(from + 4, &end, 10);
            assert_true(t > 1500000000 && *end == ',');
            from = end + 1;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return text;
}

static void check_file(const char *path, const char *wanted)
{
    char *text = timeless(path);
    assert_string_equal(text, wanted);
    free(text);
}

#define START "{\"event\":\"start\",\"map\":\"69ea1661e9c4f52b\",\"traffic\":2}\n"
#define CLOAK(users) "{\"event\":\"cloak\",\"segments\":[3,4,900],\"users\":" users "}\n"

static void test_every_cloak_is_a_line_in_a_file_for_its_user_alone(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    sc_cloak_log *log = opened(path, 0);
    assert_false(sc_cloak_log_is_shared(log));
    add(log, 5);
    add(log, 6);
    sc_cloak_log_free(log);
    check_file(path, START CLOAK("5") CLOAK("6"));
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 07777, 0600);
    // One that is there is added to, and stays as it is.
    chmod(path, 0640);
    log = opened(path, 0);
    assert_true(sc_cloak_log_is_shared(log));
    add(log, 7);
    sc_cloak_log_free(log);
    check_file(path, START CLOAK("5") CLOAK("6") START CLOAK("7"));
    sc_cloak_log_free(NULL);
    place_free(&p);
}

static void test_lines_wait_until_the_file_is_open(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    sc_cloak_log *log = log_at(path, 0);
    add(log, 5);
    CHECK_OK(sc_cloak_log_open(log, NULL), NULL);
    assert_int_equal(wait_for(log, 1, NULL).written, 1);
    sc_cloak_log_free(log);
    check_file(path, START CLOAK("5"));
    // Never opened: nothing is written, nothing leaks.
    const char *other = place_path(&p, "other.jsonl");
    log = log_at(other, 0);
    add(log, 5);
    sc_cloak_log_free(log);
    assert_int_equal(access(other, F_OK), -1);
    place_free(&p);
}

static void test_a_file_that_was_moved_away_is_made_again(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    const char *moved = place_path(&p, "day.jsonl.1");
    sc_cloak_log *log = opened(path, 0);
    add(log, 5);
    wait_for(log, 1, NULL);
    assert_int_equal(rename(path, moved), 0);
    add(log, 6);
    wait_for(log, 2, NULL);
    CHECK_OK(sc_cloak_log_open(log, NULL), NULL);
    add(log, 7);
    // It cannot be opened again: all goes on with the file that is open.
    const char *away = place_path(&p, "day.jsonl.2");
    wait_for(log, 3, NULL);
    assert_int_equal(rename(path, away), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_cloak_log_open(log, &diag), SC_EIO, &diag, "day.jsonl");
    add(log, 8);
    sc_cloak_log_free(log);
    check_file(moved, START CLOAK("5") CLOAK("6"));
    check_file(away, START CLOAK("7") CLOAK("8"));
    rmdir(path);
    place_free(&p);
}

static void test_a_line_that_was_cut_off_is_ended(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "day.jsonl", "{\"event\":\"clo");
    sc_cloak_log *log = opened(path, 0);
    add(log, 5);
    sc_cloak_log_free(log);
    check_file(path, "{\"event\":\"clo\n" START CLOAK("5"));
    place_free(&p);
}

static void test_what_is_no_file_is_refused(void **state)
{
    (void)state;
    place p = place_new();
    const char *pipe = place_path(&p, "pipe");
    const char *link = place_path(&p, "link");
    const char *file = place_write_text(&p, "file", "");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_int_equal(symlink(file, link), 0);
    const char *const wrong[] = {pipe, link, p.path};
    for (size_t i = 0; i < 3; i++) {
        sc_cloak_log *log = log_at(wrong[i], 0);
        sc_diag diag = {""};
        CHECK_REFUSED(sc_cloak_log_open(log, &diag), SC_EIO, &diag, "cloak-log: ");
        CHECK_REFUSED(sc_cloak_log_check(wrong[i], &diag), SC_EIO, &diag, "not a regular file");
        sc_cloak_log_free(log);
    }
    sc_diag diag = {""};
    CHECK_REFUSED(sc_cloak_log_check(place_path(&p, "none/day"), &diag), SC_EIO, &diag, "none/day");
    CHECK_OK(sc_cloak_log_check(file, NULL), NULL);
    CHECK_OK(sc_cloak_log_check(place_path(&p, "day"), NULL), NULL);
    assert_int_equal(access(place_path(&p, "day"), F_OK), -1);
    place_free(&p);
}

static void test_a_file_has_a_limit_and_room_again_when_it_was_emptied(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    sc_cloak_log *log = opened(path, 190);
    sc_diag why = {""};
    add(log, 5);
    assert_int_equal(wait_for(log, 1, NULL).written, 1);
    add(log, 6);
    sc_cloak_log_stats stats = wait_for(log, 2, &why);
    assert_int_equal(stats.lost, 1);
    assert_true(stats.is_failing);
    assert_non_null(strstr(why.message, "has reached cloak-log-max"));
    // A copy was made, and the file emptied.
    assert_int_equal(truncate(path, 0), 0);
    add(log, 7);
    stats = wait_for(log, 3, NULL);
    assert_int_equal(stats.written, 2);
    assert_false(stats.is_failing);
    sc_cloak_log_free(log);
    check_file(path, START CLOAK("7"));
    place_free(&p);
}

static void test_lines_that_do_not_fit_on_the_disk_are_counted(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_cloak_log *log = log_at("/dev/full", 0);
    CHECK_REFUSED(sc_cloak_log_open(log, &diag), SC_EIO, &diag, "not a regular file");
    // No thread writes: what is beyond the bound is lost, and adding returns.
    const uint64_t count = SC_CLOAK_LOG_WAITING / 40;
    for (uint64_t i = 0; i < count; i++) {
        add(log, 5);
    }
    const sc_cloak_log_stats stats = sc_cloak_log_stats_of(log, NULL);
    assert_true(stats.lost > 0 && stats.lost < count);
    assert_int_equal(stats.written, 0);
    sc_cloak_log_free(log);
}

// --- Threads ------------------------------------------------------------------------------------

enum { THREADS = 4, EACH = 2000 };

static void *add_many(void *context)
{
    for (uint32_t i = 0; i < EACH; i++) {
        add(context, 5);
    }
    return NULL;
}

static void test_lines_of_several_threads_stay_whole_while_files_are_moved(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    sc_cloak_log *log = opened(path, 0);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, log), 0);
    }
    char names[8][600];
    for (size_t i = 0; i < 8; i++) {
        snprintf(names[i], sizeof names[i], "%s.%zu", path, i);
        assert_int_equal(rename(path, names[i]), 0);
        CHECK_OK(sc_cloak_log_open(log, NULL), NULL);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(wait_for(log, (uint64_t)THREADS * EACH, NULL).lost, 0);
    sc_cloak_log_free(log);
    size_t lines = 0;
    for (size_t i = 0; i < 9; i++) {
        char *text = timeless(i < 8 ? names[i] : path);
        char *rest = text;
        for (char *line; (line = strsep(&rest, "\n"));) {
            if (*line == '\0' || strncmp(line, "{\"event\":\"start\"", 16) == 0) continue;
            assert_string_equal(line, "{\"event\":\"cloak\",\"segments\":[3,4,900],\"users\":5}");
            lines++;
        }
        free(text);
    }
    assert_int_equal(lines, THREADS * EACH);
    place_free(&p);
}

static void test_a_log_for_which_there_is_no_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "day.jsonl");
    FOR_EACH_FAILURE(n)
    {
        sc_cloak_log *log = NULL;
        const sc_cloak_log_options options = {.path = path};
        const sc_err err = sc_cloak_log_new(&options, &log);
        if (!err) add(log, 5);
        sc_cloak_log_stats stats = {0};
        if (!err) stats = sc_cloak_log_stats_of(log, NULL);
        const bool has_happened = oom_happened();
        sc_cloak_log_free(log);
        if (!has_happened) {
            CHECK_OK(err, NULL);
            assert_int_equal(stats.lost, 0);
            break;
        }
        assert_true(err == SC_ENOMEM || stats.lost == 1);
    }
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_cloak_is_a_line_in_a_file_for_its_user_alone),
    cmocka_unit_test(test_lines_wait_until_the_file_is_open),
    cmocka_unit_test(test_a_file_that_was_moved_away_is_made_again),
    cmocka_unit_test(test_a_line_that_was_cut_off_is_ended),
    cmocka_unit_test(test_what_is_no_file_is_refused),
    cmocka_unit_test(test_a_file_has_a_limit_and_room_again_when_it_was_emptied),
    cmocka_unit_test(test_lines_that_do_not_fit_on_the_disk_are_counted),
    cmocka_unit_test(test_lines_of_several_threads_stay_whole_while_files_are_moved),
    cmocka_unit_test(test_a_log_for_which_there_is_no_memory_is_told),
};
SC_SUITE(tests)
