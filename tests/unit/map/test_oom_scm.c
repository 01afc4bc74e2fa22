// Every allocation of saving, opening and exporting a map fails once, in turn:
// it is told, nothing leaks, and no file is made or changed.
#include <starcloak/map_export.h>

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"
#include "support/sketch.h"

#include "base/file.h"

#include <unistd.h>

static void check_old(const char *path)
{
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "old");
    free(text);
}

static void test_saving_without_memory_leaves_the_old_file(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write(&p, "m.scm", "old", 3);
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_save(map, path, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        check_old(path);
        assert_int_equal(count_entries(p.path), 1);
        failures++;
    }
    assert_true(failures >= 1);
    sc_map_free(map);
    place_free(&p);
}

static void test_opening_without_memory_is_told(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "m.scm");
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    CHECK_OK(sc_map_save(map, path, NULL), NULL);
    sc_map_free(map);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_map *opened = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_map_open(path, &opened, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            sc_map_free(opened);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "out of memory while ");
        assert_null(opened);
        failures++;
    }
    assert_true(failures >= 1);
    place_free(&p);
}

static void test_exporting_without_memory_leaves_no_file_and_no_directory(void **state)
{
    (void)state;
    place p = place_new();
    const char *directory = place_path(&p, "csv");
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_export_csv(map, directory, &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            assert_int_equal(count_entries(directory), 5);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        // All files or none, also where memory ends while they get their names.
        assert_int_equal(count_entries(p.path), 0);
        failures++;
    }
    assert_true(failures >= 10);  // five paths, five outputs
    sc_map_free(map);
    place_free(&p);
}

static void test_exporting_geojson_without_memory_leaves_no_file(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    FOR_EACH_FAILURE(n)
    {
        sc_diag diag = {""};
        const sc_err err = sc_map_export_geojson(map, place_path(&p, "m.json"), &diag);
        if (!oom_happened()) {
            CHECK_OK(err, &diag);
            break;
        }
        CHECK_REFUSED(err, SC_ENOMEM, &diag, "memory");
        assert_int_equal(count_entries(p.path), 0);
    }
    assert_int_equal(count_entries(p.path), 1);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_saving_without_memory_leaves_the_old_file),
    cmocka_unit_test(test_opening_without_memory_is_told),
    cmocka_unit_test(test_exporting_without_memory_leaves_no_file_and_no_directory),
    cmocka_unit_test(test_exporting_geojson_without_memory_leaves_no_file),
};
SC_SUITE(tests)
