// Taking in whole files: plain, packed, empty, missing, forbidden, or none at all.
#include "support/check.h"
#include "support/place.h"

#include "base/file.h"

#include <stdio.h>
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
                  "secret: cannot read: Permission denied; you lack permission");
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_file_is_taken_in_as_it_is),
    cmocka_unit_test(test_an_empty_file_has_no_bytes_but_can_be_read),
    cmocka_unit_test(test_a_packed_file_is_unpacked_unless_it_is_only_mapped),
    cmocka_unit_test(test_what_cannot_be_read_is_told_by_name_and_reason),
    cmocka_unit_test(test_a_pipe_without_a_writer_does_not_make_us_wait),
    cmocka_unit_test(test_a_file_without_permission_is_refused),
    cmocka_unit_test(test_names_are_taken_apart),
};
SC_SUITE(tests)
