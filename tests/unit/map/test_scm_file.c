// Map files: what is saved is opened again, and nothing else is. Every length a
// file can be cut to, every byte that can be changed, and forgeries with every
// checksum right are refused with a message that names the file.
#include "support/check.h"
#include "support/place.h"
#include "support/scm_patch.h"
#include "support/sketch.h"

#include <stdio.h>

// Refused by every way of opening it; the diagnosis is left in `diag`.
static void check_refused(const scm_bytes *file, sc_diag *diag)
{
    sc_map *map = NULL;
    *diag = (sc_diag){""};
    const sc_err err = sc_map_open_memory(file->data, file->size, "dir/some.scm", &map, diag);
    if (!err) sc_map_free(map);
    assert_int_equal(err, SC_EFORMAT);
    assert_null(map);
    assert_int_equal(strncmp(diag->message, "dir/some.scm: ", 14), 0);
    assert_null(strchr(diag->message, '\n'));
}

static sc_map *open_bytes(const scm_bytes *file)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_open_memory(file->data, file->size, "some.scm", &map, &diag), &diag);
    return map;
}

// --- What is saved is opened again -----------------------------------------------

static void check_same_map(const sc_map *a, const sc_map *b)
{
    for (int kind = 0; kind < SC_TABLE_COUNT; kind++) {
        assert_int_equal(a->tables[kind].count, b->tables[kind].count);
        const size_t bytes = a->tables[kind].count * sc__table_element_size((sc_table_kind)kind);
        if (bytes > 0) assert_memory_equal(a->tables[kind].data, b->tables[kind].data, bytes);
    }
    assert_int_equal(a->coords, b->coords);
    assert_int_equal(a->in_metres, b->in_metres);
    CHECK_SAME(a->unit_m, b->unit_m);
    CHECK_SAME(a->time_unit_s, b->time_unit_s);
    CHECK_SAME(a->grid.origin_x, b->grid.origin_x);
    CHECK_SAME(a->grid.origin_y, b->grid.origin_y);
    CHECK_SAME(a->grid.per_unit, b->grid.per_unit);
    assert_true(a->checksum == b->checksum);
    assert_string_equal(a->source, b->source);
    assert_int_equal(a->node_count, b->node_count);
    assert_int_equal(a->edge_count, b->edge_count);
    assert_int_equal(a->segment_count, b->segment_count);
    assert_int_equal(a->star_count, b->star_count);
    assert_int_equal(a->object_count, b->object_count);
    assert_int_equal(a->category_count, b->category_count);
    assert_memory_equal(&a->levels, &b->levels, sizeof a->levels);
}

static void test_an_opened_map_is_the_one_that_was_saved(void **state)
{
    (void)state;
    place p = place_new();
    for (uint64_t seed = 0; seed < 150; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        for (uint32_t i = 0; i < seed % 5; i++) {
            put_object(builder, i % s.edge_count, 0.5, i % 2 ? "a" : "b", "name");
        }
        // A third of the maps have directions, a third names, with and without objects.
        for (sc_edge_id e = 0; e < s.edge_count && seed % 3 == 0; e += 2) {
            CHECK_OK(sc_builder_set_edge_times(builder, e, e % 4 == 0 ? SC_CLOSED_S : e, 1.5),
                     NULL);
        }
        for (sc_edge_id e = 0; e < s.edge_count && seed / 3 % 3 == 1; e += 2) {
            CHECK_OK(sc_builder_set_edge_name(builder, e, e % 4 ? "Ost" : "Weg", 3), NULL);
        }
        sc_map *built = finish_builder(builder);
        sc_map *opened = NULL;
        sc_diag diag = {""};
        CHECK_OK(sc_map_save(built, place_path(&p, "m.scm"), &diag), &diag);
        CHECK_OK(sc_map_open(place_path(&p, "m.scm"), &opened, &diag), &diag);
        CHECK_OK(sc_map_check(opened, &diag), &diag);
        check_same_map(built, opened);
        // Nothing but the file is there.
        assert_int_equal(count_entries(p.path), 1);

        // An opened map can be saved again, byte for byte the same.
        scm_bytes one = scm_of(built);
        scm_bytes two = scm_of(opened);
        assert_int_equal(one.size, two.size);
        assert_memory_equal(one.data, two.data, one.size);
        scm_free(&one);
        scm_free(&two);
        sc_map_free(built);
        sc_map_free(opened);
        sketch_free(&s);
    }
    check_case_done();
    place_free(&p);
}

static void test_a_map_can_replace_the_file_that_it_was_opened_from(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "m.scm");
    sc_map *built = full_map_with_directions(SC_COORDS_PLANAR);
    sc_map *opened = NULL;
    sc_map *again = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_save(built, path, &diag), &diag);
    CHECK_OK(sc_map_open(path, &opened, &diag), &diag);
    CHECK_OK(sc_map_save(opened, path, &diag), &diag);
    CHECK_OK(sc_map_open(path, &again, &diag), &diag);
    check_same_map(built, opened);
    check_same_map(built, again);
    sc_map_free(built);
    sc_map_free(opened);
    sc_map_free(again);
    place_free(&p);
}

static void test_tables_lie_aligned_and_in_order(void **state)
{
    (void)state;
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    scm_bytes file = scm_of(map);
    const sc_scm_header *header = scm_header(&file);
    uint64_t end = sizeof *header;
    assert_memory_equal(header->magic, "\x89SCM\r\n\x1a\n", 8);
    assert_int_equal(header->file_size, file.size);
    for (uint32_t kind = 0; kind < SC_TABLE_COUNT; kind++) {
        assert_int_equal(header->tables[kind].kind, kind);
        assert_int_equal(header->tables[kind].offset % 64, 0);
        assert_true(header->tables[kind].offset >= end && header->tables[kind].offset < end + 64);
        end = header->tables[kind].offset +
              header->tables[kind].count * header->tables[kind].element_size;
    }
    assert_int_equal(end, file.size);
    scm_free(&file);
    sc_map_free(map);
}

// --- The checksum is the map's identity --------------------------------------------

static uint64_t checksum_of(const sketch *s, const char *source)
{
    sc_builder *builder = sketch_builder(s);
    sc_builder_set_source(builder, source);
    put_object(builder, 0, 0.5, "cafe", "Eck");
    sc_map *map = finish_builder(builder);
    const uint64_t checksum = sc_map_checksum(map);
    sc_map_free(map);
    return checksum;
}

static void test_the_checksum_does_not_depend_on_the_source_text(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    assert_true(checksum_of(&s, "one") == checksum_of(&s, "another, much longer"));
    sketch_free(&s);
}

static void test_the_checksum_depends_on_everything_that_a_map_says(void **state)
{
    (void)state;
    sketch s = sketch_named("theta");
    const uint64_t plain = checksum_of(&s, "x");
    s.edges[2].length += 0.001;
    assert_true(checksum_of(&s, "x") != plain);
    s.edges[2].length -= 0.001;
    s.edges[1].road_class = SC_ROAD_RAMP;
    assert_true(checksum_of(&s, "x") != plain);
    s.edges[1].road_class = SC_ROAD_LOCAL;
    s.x[3] += 0.001;
    assert_true(checksum_of(&s, "x") != plain);
    s.x[3] -= 0.001;
    assert_true(checksum_of(&s, "x") == plain);
    s.unit_unknown = true;
    assert_true(checksum_of(&s, "x") != plain);
    s.unit_unknown = false;
    // A node without a road counts where there are coordinates, and where not.
    sketch_add_node(&s, 0, 0);
    assert_true(checksum_of(&s, "x") != plain);
    s.coords = SC_COORDS_NONE;
    const uint64_t without = checksum_of(&s, "x");
    sketch_add_node(&s, 0, 0);
    assert_true(checksum_of(&s, "x") != without);
    sketch_free(&s);
}

static void test_every_byte_of_every_table_but_the_index_is_part_of_the_checksum(void **state)
{
    (void)state;
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    const uint64_t plain = sc__map_content_checksum(map);
    assert_true(plain == sc_map_checksum(map));
    for (int kind = 0; kind < SC_TABLE_NEAREST_LISTS; kind++) {
        uint8_t *bytes = map->tables[kind].data;
        const size_t size = map->tables[kind].count * sc__table_element_size((sc_table_kind)kind);
        for (size_t i = 0; i < size; i++) {
            bytes[i] ^= 0x10;
            assert_true(sc__map_content_checksum(map) != plain);
            bytes[i] ^= 0x10;
        }
    }
    assert_true(sc__map_content_checksum(map) == plain);
    sc_map_free(map);
}

static void test_objects_and_names_are_part_of_the_checksum(void **state)
{
    (void)state;
    static const struct {
        double fraction;
        const char *category;
        const char *name;
    } objects[] = {
        {0.5, "cafe", "Eck"}, {0.6, "cafe", "Eck"}, {0.5, "bar", "Eck"}, {0.5, "cafe", "Ecke"}};
    uint64_t checksums[4];
    sketch s = sketch_named("ring");
    for (int i = 0; i < 4; i++) {
        sc_builder *builder = sketch_builder(&s);
        put_object(builder, 0, objects[i].fraction, objects[i].category, objects[i].name);
        sc_map *map = finish_builder(builder);
        checksums[i] = sc_map_checksum(map);
        sc_map_free(map);
        for (int j = 0; j < i; j++) {
            assert_true(checksums[i] != checksums[j]);
        }
    }
    sketch_free(&s);
}

// --- Damage ------------------------------------------------------------------------

static void test_a_file_cut_at_any_length_is_refused(void **state)
{
    (void)state;
    for (int coords = 0; coords < 3; coords++) {
        sc_map *map = full_map_with_directions((sc_coords)coords);
        scm_bytes file = scm_of(map);
        for (size_t size = 0; size < file.size; size++) {
            check_case(size);
            // A copy of exactly that length, so that a step beyond is seen.
            scm_bytes cut = {test_take(size, 1), size};
            if (size > 0) memcpy(cut.data, file.data, size);
            sc_diag diag;
            check_refused(&cut, &diag);
            scm_free(&cut);
        }
        scm_free(&file);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_a_file_with_any_byte_changed_is_refused(void **state)
{
    (void)state;
    for (int coords = 0; coords < 3; coords++) {
        sc_map *map = full_map_with_directions((sc_coords)coords);
        scm_bytes file = scm_of(map);
        for (size_t i = 0; i < file.size; i++) {
            check_case(i);
            static const uint8_t changes[] = {0x01, 0x80, 0xff};
            for (size_t c = 0; c < sizeof changes; c++) {
                sc_diag diag;
                file.data[i] ^= changes[c];
                check_refused(&file, &diag);
                file.data[i] ^= changes[c];
            }
        }
        sc_map_free(open_bytes(&file));
        scm_free(&file);
        sc_map_free(map);
    }
    check_case_done();
}

static void test_bytes_behind_the_map_are_refused(void **state)
{
    (void)state;
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    scm_bytes file = scm_of(map);
    scm_bytes longer = {test_take(file.size + 64, 1), 0};
    memcpy(longer.data, file.data, file.size);
    for (longer.size = file.size + 1; longer.size <= file.size + 64; longer.size++) {
        sc_diag diag;
        check_refused(&longer, &diag);
        // Also when the header knows of them.
        scm_header(&longer)->file_size = longer.size;
        scm_seal_header(&longer);
        check_refused(&longer, &diag);
        memcpy(longer.data, file.data, file.size);
    }
    scm_free(&longer);
    scm_free(&file);
    sc_map_free(map);
}

static void test_foreign_files_are_told_to_be_foreign(void **state)
{
    (void)state;
#define BYTES(text) text, sizeof(text) - 1
    static const struct {
        const char *bytes;
        size_t size;
        const char *said;
    } files[] = {
        {BYTES(""), "is empty"},
        {BYTES("\x89"), "not a StarCloak map"},
        {BYTES("\x89SCM\r\n\x1a"), "not a StarCloak map"},
        {BYTES("\x89SCM\n\x1a\n carried as text, its line ends changed"), "not a StarCloak map"},
        {BYTES("\x89PNG\r\n\x1a\n\0\0\0\rIHDR"), "not a StarCloak map"},
        {BYTES("0 -121.904167 41.974556\n"), "not a StarCloak map"},
        {BYTES("\x89SCM\r\n\x1a\n"), "the file ends inside its header"},
    };
#undef BYTES
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        scm_bytes file = {test_take(files[i].size, 1), files[i].size};
        memcpy(file.data, files[i].bytes, files[i].size);
        sc_diag diag;
        check_refused(&file, &diag);
        CHECK_CONTAINS(diag.message, files[i].said);
        scm_free(&file);
    }
}

static void test_another_version_is_named(void **state)
{
    (void)state;
    sc_map *map = full_map_with_directions(SC_COORDS_GEOGRAPHIC);
    scm_bytes file = scm_of(map);
    scm_header(&file)->version = SC_SCM_VERSION + 1;
    sc_diag diag;
    check_refused(&file, &diag);
    char said[64];
    snprintf(said, sizeof said, "version %d", SC_SCM_VERSION + 1);
    CHECK_CONTAINS(diag.message, said);
    scm_seal_header(&file);
    check_refused(&file, &diag);
    CHECK_CONTAINS(diag.message, said);
    // An older one as well, with what to do about it.
    scm_header(&file)->version = SC_SCM_VERSION - 1;
    check_refused(&file, &diag);
    CHECK_CONTAINS(diag.message, "version 2, this program reads version 3; import it again");
    scm_free(&file);
    sc_map_free(map);
}

// --- Files on the disk -----------------------------------------------------------

static void test_what_is_no_file_cannot_be_opened(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_open(place_path(&p, "missing.scm"), &map, &diag), SC_EIO, &diag,
                  "missing.scm: cannot read: No such file");
    CHECK_REFUSED(sc_map_open(p.path, &map, &diag), SC_EIO, &diag, "is a directory");
    const char *empty = place_write(&p, "empty.scm", "", 0);
    CHECK_REFUSED(sc_map_open(empty, &map, &diag), SC_EFORMAT, &diag,
                  "empty.scm: the file is empty");
    assert_null(map);
    // No one needs to be told.
    assert_int_equal(sc_map_open(empty, &map, NULL), SC_EFORMAT);
    place_free(&p);
}

static void test_a_save_that_cannot_be_leaves_all_as_it_was(void **state)
{
    (void)state;
    place p = place_new();
    sc_map *map = full_map_with_directions(SC_COORDS_PLANAR);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_save(map, place_path(&p, "no/such/dir/m.scm"), &diag), SC_EIO, &diag,
                  "its directory does not exist");
    CHECK_REFUSED(sc_map_save(map, p.path, &diag), SC_EIO, &diag, "is a directory");
    CHECK_REFUSED(sc_map_save(map, "", &diag), SC_EIO, &diag, "name a file");
    const char *file = place_write(&p, "file", "old", 3);
    char below[1100];
    snprintf(below, sizeof below, "%s/m.scm", file);
    CHECK_REFUSED(sc_map_save(map, below, &diag), SC_EIO, &diag, "Not a directory");
    assert_int_equal(count_entries(p.path), 1);

    size_t size = 0;
    char *old = read_whole(file, &size);
    assert_string_equal(old, "old");
    free(old);
    sc_map_free(map);
    place_free(&p);
}

static void test_saving_over_an_old_file_replaces_it_whole(void **state)
{
    (void)state;
    place p = place_new();
    char *junk = test_take(100000, 1);
    const char *path = place_write(&p, "m.scm", junk, 100000);
    free(junk);
    sc_map *map = full_map_with_directions(SC_COORDS_PLANAR);
    sc_map *opened = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_save(map, path, &diag), &diag);
    CHECK_OK(sc_map_open(path, &opened, &diag), &diag);
    assert_int_equal(count_entries(p.path), 1);
    sc_map_free(opened);
    sc_map_free(map);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_an_opened_map_is_the_one_that_was_saved),
    cmocka_unit_test(test_a_map_can_replace_the_file_that_it_was_opened_from),
    cmocka_unit_test(test_tables_lie_aligned_and_in_order),
    cmocka_unit_test(test_the_checksum_does_not_depend_on_the_source_text),
    cmocka_unit_test(test_the_checksum_depends_on_everything_that_a_map_says),
    cmocka_unit_test(test_every_byte_of_every_table_but_the_index_is_part_of_the_checksum),
    cmocka_unit_test(test_objects_and_names_are_part_of_the_checksum),
    SC_CASES(test_a_file_cut_at_any_length_is_refused),
    SC_CASES(test_a_file_with_any_byte_changed_is_refused),
    cmocka_unit_test(test_bytes_behind_the_map_are_refused),
    cmocka_unit_test(test_foreign_files_are_told_to_be_foreign),
    cmocka_unit_test(test_another_version_is_named),
    cmocka_unit_test(test_what_is_no_file_cannot_be_opened),
    cmocka_unit_test(test_a_save_that_cannot_be_leaves_all_as_it_was),
    cmocka_unit_test(test_saving_over_an_old_file_replaces_it_whole),
};
SC_SUITE(tests)
