// Taking in whole files: plain, packed, empty, missing, forbidden, or none at all.
#include "support/check.h"
#include "support/place.h"

#include "base/file.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static void test_a_file_is_taken_in_as_it_is(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "a.txt", "line\n\0more", 10);
    sc_file file = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_file_open(path, &file, &diag), &diag);
    assert_int_equal(file.input.size, 10);
    assert_memory_equal(file.input.data, "line\n\0more", 10);
    assert_string_equal(file.input.name, path);
    sc_file_close(&file);
    sc_file_close(&file);
    place_free(&p);
}

static void test_an_empty_file_has_no_bytes_but_can_be_read(void **state)
{
    (void)state;
    place p = place_new();
    sc_file file = {0};
    CHECK_OK(sc_file_open(place_write(&p, "empty", "", 0), &file, NULL), NULL);
    assert_int_equal(file.input.size, 0);
    assert_non_null(file.input.data);
    sc_file_close(&file);
    place_free(&p);
}

static void test_a_packed_file_is_unpacked_unless_it_is_only_mapped(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "a.txt.gz");
    gzFile packed = gzopen(path, "wb");
    assert_non_null(packed);
    assert_int_equal(gzwrite(packed, "0 1 2\n", 6), 6);
    gzclose(packed);
    sc_file file = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_file_open(path, &file, &diag), &diag);
    assert_int_equal(file.input.size, 6);
    assert_memory_equal(file.input.data, "0 1 2\n", 6);
    sc_file_close(&file);
    CHECK_OK(sc_file_map(path, &file, &diag), &diag);
    assert_int_equal(file.input.data[0], 0x1f);
    sc_file_close(&file);

    // Cut short, it is refused by name, and nothing is left open.
    assert_int_equal(truncate(path, 12), 0);
    CHECK_REFUSED(sc_file_open(path, &file, &diag), SC_EPARSE, &diag, "a.txt.gz: byte");
    assert_null(file.input.data);
    place_free(&p);
}

static void test_what_cannot_be_read_is_told_by_name_and_reason(void **state)
{
    (void)state;
    place p = place_new();
    sc_file file = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_file_open(place_path(&p, "missing"), &file, &diag), SC_EIO, &diag,
                  "missing: cannot read: No such file or directory; check the name");
    CHECK_REFUSED(sc_file_open(p.path, &file, &diag), SC_EIO, &diag,
                  "is a directory; a file is needed");
    CHECK_REFUSED(sc_file_open("/dev/null", &file, &diag), SC_EIO, &diag, "not a regular file");
    CHECK_REFUSED(sc_file_open("", &file, &diag), SC_EIO, &diag, "cannot read");
    assert_null(file.input.data);
    assert_int_equal(sc_file_open(place_path(&p, "missing"), &file, NULL), SC_EIO);
    place_free(&p);
}

static void test_a_pipe_without_a_writer_does_not_make_us_wait(void **state)
{
    (void)state;
    place p = place_new();
    sc_file file = {0};
    sc_diag diag = {""};
    assert_int_equal(mkfifo(place_path(&p, "pipe"), 0600), 0);
    alarm(20);  // waiting would last for ever
    CHECK_REFUSED(sc_file_open(place_path(&p, "pipe"), &file, &diag), SC_EIO, &diag,
                  "not a regular file");
    alarm(0);
    place_free(&p);
}

static void test_a_file_without_permission_is_refused(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "secret", "x", 1);
    sc_file file = {0};
    sc_diag diag = {""};
    assert_int_equal(chmod(path, 0), 0);
    lose_rights(&p);
    const sc_err err = sc_file_open(path, &file, &diag);
    have_rights_again();
    CHECK_REFUSED(err, SC_EIO, &diag,
                  "secret: cannot read: Permission denied; you do not have permission");
    place_free(&p);
}

static void test_names_are_taken_apart(void **state)
{
    (void)state;
    assert_string_equal(sc_file_base_name("a/b/c.txt"), "c.txt");
    assert_string_equal(sc_file_base_name("c.txt"), "c.txt");
    assert_string_equal(sc_file_base_name("a/"), "");
    assert_string_equal(sc_file_base_name(""), "");

    assert_true(sc_file_has_suffix("a/cal.cnode", ".cnode"));
    assert_true(sc_file_has_suffix("CAL.CNODE", ".cnode"));
    assert_true(sc_file_has_suffix("cal.cnode.xz", ".cnode"));
    assert_true(sc_file_has_suffix("cal.cnode.GZ", ".cnode"));
    assert_false(sc_file_has_suffix("cal.cnode.zip", ".cnode"));
    assert_false(sc_file_has_suffix("cal.cnode.xz.xz", ".cnode"));
    assert_false(sc_file_has_suffix("cnode", ".cnode"));
    assert_false(sc_file_has_suffix(".xz", ".cnode"));
    assert_false(sc_file_has_suffix("", ".cnode"));
}

// ------------------------------------------------------------------------------------------------
// Outputs appear whole or not at all.

static void check_content(const char *path, const char *wanted)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, wanted);
    free(text);
}

static void test_nothing_is_seen_until_the_commit(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "out.txt");
    sc_outfile out = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_outfile_open(path, &out, &diag), &diag);
    fputs("first half, ", out.stream);
    CHECK_OK(sc_outfile_settle(&out, &diag), &diag);
    assert_int_not_equal(access(path, F_OK), 0);
    fputs("second half", out.stream);
    CHECK_OK(sc_outfile_commit(&out, &diag), &diag);
    check_content(path, "first half, second half");
    assert_int_equal(count_entries(p.path), 1);
    assert_null(out.stream);
    sc_outfile_abandon(&out);  // harmless after a commit
    sc_outfile_abandon(&out);
    check_content(path, "first half, second half");
    place_free(&p);
}

static void test_what_is_abandoned_leaves_nothing_and_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "out.txt", "old", 3);
    sc_outfile out = {0};
    CHECK_OK(sc_outfile_open(path, &out, NULL), NULL);
    fputs("new", out.stream);
    CHECK_OK(sc_outfile_settle(&out, NULL), NULL);
    sc_outfile_abandon(&out);
    check_content(path, "old");
    assert_int_equal(count_entries(p.path), 1);

    CHECK_OK(sc_outfile_open(path, &out, NULL), NULL);
    fputs("new", out.stream);
    CHECK_OK(sc_outfile_commit(&out, NULL), NULL);
    check_content(path, "new");
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_a_new_file_has_the_permissions_that_the_user_wants(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "out.txt");
    const mode_t before = umask(027);
    sc_outfile out = {0};
    CHECK_OK(sc_outfile_open(path, &out, NULL), NULL);
    CHECK_OK(sc_outfile_commit(&out, NULL), NULL);
    umask(before);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(status.st_size, 0);
    place_free(&p);
}

static void test_a_file_that_is_replaced_keeps_its_permissions(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "out.txt", "old", 3);
    assert_int_equal(chmod(path, 0600), 0);
    sc_outfile out = {0};
    CHECK_OK(sc_outfile_open(path, &out, NULL), NULL);
    CHECK_OK(sc_outfile_commit(&out, NULL), NULL);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    place_free(&p);
}

static void test_a_link_stays_and_what_it_leads_to_is_replaced(void **state)
{
    (void)state;
    place p = place_new();
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", place_write(&p, "out.txt", "old", 3));
    char link[PATH_MAX];
    snprintf(link, sizeof link, "%s", place_path(&p, "link"));
    assert_int_equal(symlink("out.txt", link), 0);
    sc_outfile out = {0};
    CHECK_OK(sc_outfile_open(link, &out, NULL), NULL);
    fputs("new", out.stream);
    CHECK_OK(sc_outfile_commit(&out, NULL), NULL);
    struct stat status;
    assert_int_equal(lstat(link, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    check_content(path, "new");
    place_free(&p);
}

static void test_a_name_as_long_as_the_system_allows_can_be_written(void **state)
{
    (void)state;
    place p = place_new();
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    const char *path = place_path(&p, name);
    sc_outfile out = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_outfile_open(path, &out, &diag), &diag);
    CHECK_OK(sc_outfile_commit(&out, &diag), &diag);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_what_cannot_be_written_is_told_by_name_and_reason(void **state)
{
    (void)state;
    place p = place_new();
    sc_outfile out = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_outfile_open(place_path(&p, "no/out"), &out, &diag), SC_EIO, &diag,
                  "no/out: cannot write: No such file or directory; its directory does not exist");
    CHECK_REFUSED(sc_outfile_open(p.path, &out, &diag), SC_EIO, &diag, "it is a directory");
    CHECK_REFUSED(sc_outfile_open(place_path(&p, "new/"), &out, &diag), SC_EIO, &diag,
                  "it is a directory");
    CHECK_REFUSED(sc_outfile_open("", &out, &diag), SC_EIO, &diag, "name a file");
    assert_null(out.stream);
    assert_int_equal(count_entries(p.path), 0);
    place_free(&p);
}

static void test_a_directory_without_permission_is_told_and_left_alone(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "out.txt", "old", 3);
    sc_outfile out = {0};
    sc_diag diag = {""};
    lose_rights(&p);
    const bool own = getuid() != 0;
    if (own) assert_int_equal(chmod(p.path, 0500), 0);
    const sc_err err = sc_outfile_open(path, &out, &diag);
    if (own) assert_int_equal(chmod(p.path, 0700), 0);
    have_rights_again();
    CHECK_REFUSED(err, SC_EIO, &diag, "choose a place where you have permission to write");
    check_content(path, "old");
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_asking_whether_a_file_can_be_written_changes_nothing(void **state)
{
    (void)state;
    place p = place_new();
    const char *old = place_write(&p, "old.txt", "old", 3);
    sc_diag diag = {""};
    CHECK_OK(sc_outfile_check(old, &diag), &diag);
    CHECK_OK(sc_outfile_check(place_path(&p, "new.txt"), &diag), &diag);
    CHECK_OK(sc_outfile_check("-", &diag), &diag);
    CHECK_REFUSED(sc_outfile_check(place_path(&p, "nowhere/new.txt"), &diag), SC_EIO, &diag,
                  "its directory does not exist");
    check_content(old, "old");
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

// A device or a pipe must not be replaced by a file of its name, though root could.
static void test_what_is_no_plain_file_is_not_replaced(void **state)
{
    (void)state;
    place p = place_new();
    const char *pipe = place_path(&p, "pipe");
    sc_outfile out = {0};
    sc_diag diag = {""};
    assert_int_equal(mkfifo(pipe, 0600), 0);
    CHECK_REFUSED(sc_outfile_open(pipe, &out, &diag), SC_EIO, &diag, "not a regular file");
    struct stat status;
    assert_int_equal(stat(pipe, &status), 0);
    assert_true(S_ISFIFO(status.st_mode));
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_a_disk_that_fills_up_leaves_the_old_file(void **state)
{
    (void)state;
    // The largest size of a file stands in for a full disk.
    place p = place_new();
    const char *path = place_write(&p, "out.txt", "old", 3);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {10000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    sc_diag diag = {""};
    sc_err opened[2] = {SC_OK, SC_OK};
    sc_err checked = SC_OK;
    sc_err committed[2] = {SC_OK, SC_OK};
    for (int i = 0; i < 2; i++) {
        sc_outfile out = {0};
        opened[i] = sc_outfile_open(path, &out, &diag);
        if (opened[i]) break;
        for (int line = 0; line < 5000; line++) {
            fputs("a line of text\n", out.stream);
        }
        // Found when asked, and also when first asked at the end.
        if (i == 0) checked = sc_outfile_settle(&out, &diag);
        committed[i] = sc_outfile_commit(&out, &diag);
    }
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(opened[i], SC_OK);
        assert_int_equal(committed[i], SC_EIO);
    }
    assert_int_equal(checked, SC_EIO);
    CHECK_CONTAINS(diag.message, "out.txt: cannot write: File too large");
    check_content(path, "old");
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_a_minus_is_standard_output(void **state)
{
    (void)state;
    place p = place_new();
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int file = open(place_path(&p, "shown"), O_CREAT | O_WRONLY, 0600);
    assert_true(kept >= 0 && file >= 0);
    dup2(file, STDOUT_FILENO);
    sc_outfile out = {0};
    sc_diag diag = {""};
    const sc_err opened = sc_outfile_open("-", &out, &diag);
    if (!opened) fputs("shown at once", out.stream);
    const sc_err committed = opened ? opened : sc_outfile_commit(&out, &diag);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(file);
    sc_outfile_abandon(&out);
    CHECK_OK(opened, &diag);
    CHECK_OK(committed, &diag);
    check_content(place_path(&p, "shown"), "shown at once");
    assert_int_equal(count_entries(p.path), 1);  // and no file called "-"
    place_free(&p);
}

static void test_standard_output_that_is_full_is_told(void **state)
{
    (void)state;
    fflush(stdout);
    const int kept = dup(STDOUT_FILENO);
    const int full = open("/dev/full", O_WRONLY);
    if (full < 0) skip();
    dup2(full, STDOUT_FILENO);
    sc_outfile out = {0};
    sc_diag diag = {""};
    const sc_err opened = sc_outfile_open("-", &out, &diag);
    if (!opened) fputs("lost", out.stream);
    const sc_err committed = opened ? SC_OK : sc_outfile_commit(&out, &diag);
    clearerr(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    close(full);
    CHECK_OK(opened, NULL);
    CHECK_REFUSED(committed, SC_EIO, &diag, "standard output: cannot write: No space left");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_is_taken_in_as_it_is),
    cmocka_unit_test(test_an_empty_file_has_no_bytes_but_can_be_read),
    cmocka_unit_test(test_a_packed_file_is_unpacked_unless_it_is_only_mapped),
    cmocka_unit_test(test_what_cannot_be_read_is_told_by_name_and_reason),
    cmocka_unit_test(test_a_pipe_without_a_writer_does_not_make_us_wait),
    cmocka_unit_test(test_a_file_without_permission_is_refused),
    cmocka_unit_test(test_names_are_taken_apart),
    cmocka_unit_test(test_nothing_is_seen_until_the_commit),
    cmocka_unit_test(test_what_is_abandoned_leaves_nothing_and_the_old_file),
    cmocka_unit_test(test_a_new_file_has_the_permissions_that_the_user_wants),
    cmocka_unit_test(test_a_file_that_is_replaced_keeps_its_permissions),
    cmocka_unit_test(test_a_link_stays_and_what_it_leads_to_is_replaced),
    cmocka_unit_test(test_a_name_as_long_as_the_system_allows_can_be_written),
    cmocka_unit_test(test_what_cannot_be_written_is_told_by_name_and_reason),
    cmocka_unit_test(test_a_directory_without_permission_is_told_and_left_alone),
    cmocka_unit_test(test_asking_whether_a_file_can_be_written_changes_nothing),
    cmocka_unit_test(test_what_is_no_plain_file_is_not_replaced),
    cmocka_unit_test(test_a_disk_that_fills_up_leaves_the_old_file),
    cmocka_unit_test(test_a_minus_is_standard_output),
    cmocka_unit_test(test_standard_output_that_is_full_is_told),
};
SC_SUITE(tests)
