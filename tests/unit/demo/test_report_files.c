// The files of reports: each version is read once and stays where it is, none is torn, and there is
// an end to how much is kept.
#include "demo/reports.h"

#include "support/check.h"
#include "support/place.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { PLENTY = 1 << 20 };

/** A folder, and a files for what is in it. */
typedef struct fixture {
    place folder;
    sc__report_files *files;
} fixture;

static void fixture_open(fixture *f, size_t room)
{
    *f = (fixture){.folder = place_new()};
    CHECK_OK(sc__report_files_new(room, &f->files), NULL);
}

static void fixture_close(const fixture *f)
{
    sc__report_files_free(f->files);
    place_free(&f->folder);
}

/** A file of the folder, opened. */
typedef struct opened {
    int fd;
    struct stat found;
} opened;

static opened open_file(const fixture *f, const char *name)
{
    opened file = {.fd = open(place_path(&f->folder, name), O_RDONLY | O_CLOEXEC)};
    assert_true(file.fd >= 0);
    assert_int_equal(fstat(file.fd, &file.found), 0);
    return file;
}

static sc_err find(const fixture *f, const char *name, sc__report *out)
{
    const opened file = open_file(f, name);
    const sc_err err = sc__report_files_find(f->files, name, file.fd, &file.found, out);
    close(file.fd);
    return err;
}

static sc__report find_whole(const fixture *f, const char *name)
{
    sc__report report = {0};
    CHECK_OK(find(f, name, &report), NULL);
    return report;
}

static void check_is(sc__report report, const char *text)
{
    assert_int_equal(report.size, strlen(text));
    assert_memory_equal(report.bytes, text, report.size);
}

/** Write it as if that had been `nanoseconds` after the epoch. */
static void write_at(const fixture *f, const char *name, const char *text, long nanoseconds)
{
    const char *path = place_write_text(&f->folder, name, text);
    const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = nanoseconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void test_a_file_is_read_once_until_it_changes(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, PLENTY);
    write_at(&f, "a.txt", "one", 1);
    const sc__report one = find_whole(&f, "a.txt");
    check_is(one, "one");
    // A change that cannot be noticed is not noticed: it is not read again.
    write_at(&f, "a.txt", "two", 1);
    assert_ptr_equal(find_whole(&f, "a.txt").bytes, one.bytes);
    // Another time, another size.
    write_at(&f, "a.txt", "two", 2);
    const sc__report two = find_whole(&f, "a.txt");
    check_is(two, "two");
    write_at(&f, "a.txt", "three", 2);
    check_is(find_whole(&f, "a.txt"), "three");
    // A client may still read the old ones.
    check_is(one, "one");
    check_is(two, "two");
    fixture_close(&f);
}

static void test_a_file_that_takes_the_place_of_another_is_another(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, PLENTY);
    write_at(&f, "a.txt", "one", 1);
    write_at(&f, "b.txt", "two", 1);
    const sc__report one = find_whole(&f, "a.txt");
    check_is(find_whole(&f, "b.txt"), "two");
    assert_ptr_equal(find_whole(&f, "a.txt").bytes, one.bytes);
    assert_int_equal(rename(place_path(&f.folder, "b.txt"), place_path(&f.folder, "a.txt")), 0);
    check_is(find_whole(&f, "a.txt"), "two");
    fixture_close(&f);
}

static void test_a_file_without_bytes_is_one_too(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, PLENTY);
    write_at(&f, "a.txt", "", 1);
    const sc__report none = find_whole(&f, "a.txt");
    check_is(none, "");
    assert_ptr_equal(find_whole(&f, "a.txt").bytes, none.bytes);
    fixture_close(&f);
}

// It changes between being looked at and being read, as it might in the middle of being read.
static void test_a_file_that_changes_meanwhile_is_not_kept(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        long nanoseconds;
    } changes[] = {{"longer than before", 1}, {"less", 1}, {"", 1}, {"OTHER", 2}};
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
        fixture f;
        fixture_open(&f, PLENTY);
        write_at(&f, "a.txt", "other", 1);
        const opened file = open_file(&f, "a.txt");
        write_at(&f, "a.txt", changes[i].text, changes[i].nanoseconds);
        sc__report report = {0};
        assert_int_equal(sc__report_files_find(f.files, "a.txt", file.fd, &file.found, &report),
                         SC_EBUSY);
        assert_null(report.bytes);
        close(file.fd);
        check_is(find_whole(&f, "a.txt"), changes[i].text);
        // Nor is it found when the file is again as it was.
        write_at(&f, "a.txt", "third", 1);
        check_is(find_whole(&f, "a.txt"), "third");
        fixture_close(&f);
    }
}

static void test_there_is_an_end_to_what_is_kept(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, PLENTY);
    char text[PLENTY / 4 + 1];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    // Three of these, and what is noted of them.
    sc__report first = {0};
    for (long i = 0; i < 3; i++) {
        write_at(&f, "a.txt", text, i);
        const sc__report report = find_whole(&f, "a.txt");
        if (i == 0) first = report;
    }
    sc__report report = {0};
    write_at(&f, "a.txt", text, 3);
    assert_int_equal(find(&f, "a.txt", &report), SC_ELIMIT);
    assert_null(report.bytes);
    // What is there is still shown, and there is room for something small.
    write_at(&f, "a.txt", text, 0);
    assert_ptr_equal(find_whole(&f, "a.txt").bytes, first.bytes);
    write_at(&f, "b.txt", "small", 0);
    check_is(find_whole(&f, "b.txt"), "small");
    fixture_close(&f);
}

static void test_files_without_bytes_take_room_as_well(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 4096);
    sc_err err = SC_OK;
    long count = 0;
    for (; !err && count < 4096; count++) {
        sc__report report;
        write_at(&f, "a.txt", "", count);
        err = find(&f, "a.txt", &report);
    }
    assert_int_equal(err, SC_ELIMIT);
    assert_true(count > 2);
    fixture_close(&f);
}

static void test_what_cannot_be_read_is_told(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, PLENTY);
    write_at(&f, "a.txt", "one", 1);
    const opened file = open_file(&f, "a.txt");
    const int blind = open(place_path(&f.folder, "a.txt"), O_WRONLY | O_CLOEXEC);
    sc__report report = {0};
    assert_int_equal(sc__report_files_find(f.files, "a.txt", blind, &file.found, &report), SC_EIO);
    assert_null(report.bytes);
    close(blind);
    close(file.fd);
    check_is(find_whole(&f, "a.txt"), "one");
    sc__report_files_free(NULL);
    fixture_close(&f);
}

enum { READERS = 4, FILES = 16, FILE_SIZE = 10000 };

typedef struct reader {
    sc__report_files *shared;
    const opened *files;
    pthread_t thread;
    const void *bytes[FILES];  ///< NULL: there was none
} reader;

/** All of them are called the same: the inode tells. */
static void *read_files(void *argument)
{
    reader *r = argument;
    for (size_t i = 0; i < FILES; i++) {
        sc__report report = {0};
        const opened *file = &r->files[i];
        const sc_err err =
            sc__report_files_find(r->shared, "a.txt", file->fd, &file->found, &report);
        r->bytes[i] = err ? NULL : report.bytes;
    }
    return NULL;
}

static void test_readers_in_many_threads_share_one_version(void **state)
{
    (void)state;
    fixture f;
    // Enough for each of them once, and not for half of them a second time.
    fixture_open(&f, FILES * FILE_SIZE * 3 / 2);
    char text[FILE_SIZE + 1];
    memset(text, 'x', sizeof text);
    text[FILE_SIZE] = '\0';
    opened files[FILES];
    for (size_t i = 0; i < FILES; i++) {
        char name[16];
        snprintf(name, sizeof name, "%zu.txt", i);
        write_at(&f, name, text, 1);
        files[i] = open_file(&f, name);
    }
    reader readers[READERS] = {0};
    for (size_t i = 0; i < READERS; i++) {
        readers[i].shared = f.files;
        readers[i].files = files;
        assert_int_equal(pthread_create(&readers[i].thread, NULL, read_files, &readers[i]), 0);
    }
    for (size_t i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        assert_memory_equal(readers[i].bytes, readers[0].bytes, sizeof readers[0].bytes);
    }
    for (size_t i = 0; i < FILES; i++) {
        assert_non_null(readers[0].bytes[i]);
        close(files[i].fd);
    }
    fixture_close(&f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_is_read_once_until_it_changes),
    cmocka_unit_test(test_a_file_that_takes_the_place_of_another_is_another),
    cmocka_unit_test(test_a_file_without_bytes_is_one_too),
    cmocka_unit_test(test_a_file_that_changes_meanwhile_is_not_kept),
    cmocka_unit_test(test_there_is_an_end_to_what_is_kept),
    cmocka_unit_test(test_files_without_bytes_take_room_as_well),
    cmocka_unit_test(test_what_cannot_be_read_is_told),
    cmocka_unit_test(test_readers_in_many_threads_share_one_version),
};
SC_SUITE(tests)
