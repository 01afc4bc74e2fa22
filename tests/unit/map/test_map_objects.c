// Objects: put on edges or snapped to them, listed by segment, named in UTF-8.
#include "support/check.h"
#include "support/place.h"
#include "support/sketch.h"

#include <math.h>
#include <stdio.h>

static sc_builder *new_builder(sc_coords coords)
{
    sc_builder *builder = NULL;
    CHECK_OK(sc_builder_new(coords, &builder), NULL);
    return builder;
}

static void test_objects_lie_where_they_were_put_whichever_way_the_edge_runs(void **state)
{
    (void)state;
    // Each edge bears an object at a quarter of its way; where it ends up on the
    // ground must not depend on how the edge was turned.
    for (uint64_t seed = 0; seed < 500; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        for (uint32_t e = 0; e < s.edge_count; e++) {
            char name[16];
            snprintf(name, sizeof name, "%u", e);
            put_object(builder, e, 0.25, "quarter", name);
        }
        sc_map *map = finish_builder(builder);
        assert_int_equal(sc_map_object_count(map), s.edge_count);
        for (sc_object_id i = 0; i < s.edge_count; i++) {
            const sc_object *object = &sc_map_objects(map)[i];
            const sketch_edge *added = &s.edges[strtoul(sc_map_object_name(map, i), NULL, 10)];
            const sc_edge *edge = &sc_map_edges(map)[object->edge];
            const bool same_way = edge->from == added->from && edge->to == added->to;
            const bool turned = edge->from == added->to && edge->to == added->from;
            assert_true(same_way || turned);
            const double part = (double)object->offset;
            const double ahead = 0.25 * edge->length;
            const double behind = 0.75 * edge->length;
            const bool fits =
                (same_way && fabs(part - ahead) <= 0.5) || (turned && fabs(part - behind) <= 0.5);
            assert_true(fits);
            CHECK_CLOSE(sc_map_edge_length_m(map, object->edge), added->length, sc_map_unit_m(map));
        }
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_objects_are_listed_by_segment_edge_and_offset(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_builder *builder = sketch_builder(&s);
        for (uint32_t i = 0; i < 3 * s.edge_count; i += 1 + (uint32_t)(seed % 4)) {
            put_object(builder, (i * 7) % s.edge_count, i % 10 / 9.0, i % 2 ? "b" : "a", "");
        }
        sc_map *map = finish_builder(builder);
        const sc_object *objects = sc_map_objects(map);
        sc_object_id next = 0;
        for (sc_seg_id k = 0; k < sc_map_segment_count(map); k++) {
            sc_object_id first = SC_NONE;
            sc_object_id last = SC_NONE;
            sc_map_segment_objects(map, k, &first, &last);
            assert_int_equal(first, next);
            for (sc_object_id i = first; i < last; i++) {
                assert_int_equal(sc_map_edges(map)[objects[i].edge].segment, k);
                if (i == 0) continue;
                assert_true(objects[i - 1].edge < objects[i].edge ||
                            (objects[i - 1].edge == objects[i].edge &&
                             objects[i - 1].offset <= objects[i].offset));
            }
            next = last;
        }
        assert_int_equal(next, sc_map_object_count(map));
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

static void test_a_fraction_beyond_the_edge_is_clamped(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, -3.0, "before", "");
    put_object(builder, 0, 17.0, "behind", "");
    sc_map *map = finish_builder(builder);
    assert_int_equal(sc_map_objects(map)[0].offset, 0);
    assert_int_equal(sc_map_objects(map)[1].offset, sc_map_edges(map)[0].length);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_objects_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    sc_category_id cafe = SC_NONE;
    assert_int_equal(sc_builder_add_object_on_edge(builder, 0, 0.5, 0, "", 0), SC_EINVAL);
    CHECK_OK(sc_builder_add_category(builder, "cafe", 4, &cafe), NULL);
    assert_int_equal(sc_builder_add_object_on_edge(builder, 3, 0.5, cafe, "", 0), SC_EINVAL);
    assert_int_equal(sc_builder_add_object_on_edge(builder, 0, NOT_A_NUMBER, cafe, "", 0),
                     SC_EINVAL);
    assert_int_equal(sc_builder_add_object_on_edge(builder, 0, HUGE_VAL, cafe, "", 0), SC_EINVAL);
    assert_int_equal(sc_builder_add_object_on_edge(builder, 0, 0.5, cafe + 1, "", 0), SC_EINVAL);
    assert_int_equal(sc_builder_add_object_at(builder, NOT_A_NUMBER, 0, cafe, "", 0), SC_EINVAL);
    assert_int_equal(sc_builder_add_object_at(builder, 0, 2e8, cafe, "", 0), SC_EINVAL);
    assert_int_equal(sc_builder_object_count(builder), 0);
    sc_builder_free(builder);
    sketch_free(&s);

    builder = new_builder(SC_COORDS_NONE);
    CHECK_OK(sc_builder_add_category(builder, "cafe", 4, &cafe), NULL);
    assert_int_equal(sc_builder_add_object_at(builder, 0, 0, cafe, "", 0), SC_ENOCOORDS);
    sc_builder_free(builder);
}

//  A----------B      c is 3 m off the road, d 5 m, e 50 m
static void test_objects_farther_than_the_limit_are_left_out_and_counted(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_PLANAR);
    sketch_add_node(&s, 0, 0);
    sketch_add_node(&s, 100, 0);
    sketch_add_edge(&s, 0, 1, 200.0);  // twice as long as it looks: offsets follow its length
    sc_builder *builder = sketch_builder(&s);
    sketch_free(&s);
    sc_category_id near = SC_NONE;
    sc_category_id far = SC_NONE;
    CHECK_OK(sc_builder_add_category(builder, "far", 3, &far), NULL);
    CHECK_OK(sc_builder_add_category(builder, "near", 4, &near), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, 25, 3, near, "c", 1), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, 75, -5, near, "d", 1), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, 50, 50, far, "e", 1), NULL);
    sc_map *map = NULL;
    sc_build_report report = {0};
    CHECK_OK(sc_builder_finish(builder, 5.0, NULL, &map, &report, NULL), NULL);
    sc_builder_free(builder);
    assert_int_equal(report.objects_too_far, 1);
    assert_int_equal(sc_map_object_count(map), 2);
    assert_string_equal(sc_map_object_name(map, 0), "c");
    assert_int_equal(sc_map_objects(map)[0].offset, 50000);
    assert_int_equal(sc_map_objects(map)[1].offset, 150000);
    // A category that no object is left in is gone.
    assert_int_equal(sc_map_category_count(map), 1);
    assert_string_equal(sc_map_category_name(map, 0), "near");
    assert_int_equal(sc_map_category_find(map, "far"), SC_NONE);
    assert_int_equal(sc_map_category_find(map, "near"), 0);
    sc_map_free(map);
}

static void test_a_map_may_lose_all_its_objects(void **state)
{
    (void)state;
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    sc_category_id cafe = SC_NONE;
    CHECK_OK(sc_builder_add_category(builder, "cafe", 4, &cafe), NULL);
    CHECK_OK(sc_builder_add_object_at(builder, 1e6, 1e6, cafe, "x", 1), NULL);
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_builder_finish(builder, 1.0, NULL, &map, NULL, &diag), &diag);
    sc_builder_free(builder);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    assert_int_equal(sc_map_object_count(map), 0);
    assert_int_equal(sc_map_category_count(map), 0);
    sc_object_id first = 7;
    sc_object_id last = 7;
    sc_map_segment_objects(map, 0, &first, &last);
    assert_int_equal(first, last);

    // Also as a file.
    place p = place_new();
    sc_map *opened = NULL;
    CHECK_OK(sc_map_save(map, place_path(&p, "m.scm"), &diag), &diag);
    CHECK_OK(sc_map_open(place_path(&p, "m.scm"), &opened, &diag), &diag);
    sc_map_free(opened);
    place_free(&p);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_category_has_one_id_however_often_it_is_named(void **state)
{
    (void)state;
    sc_builder *builder = new_builder(SC_COORDS_NONE);
    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 500; i++) {
            char name[16];
            const int size = snprintf(name, sizeof name, "category %u", i);
            sc_category_id id = SC_NONE;
            CHECK_OK(sc_builder_add_category(builder, name, (size_t)size, &id), NULL);
            assert_int_equal(id, i);
        }
    }
    sc_builder_free(builder);
}

static void test_names_are_kept_as_utf8_whatever_they_were(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *kept;
    } names[] = {
        {"Caf\xc3\xa9", 5, "Caf\xc3\xa9"},
        {"Caf\xe9", 4, "Caf\xef\xbf\xbd"},
        {"a\0b", 3,
         "a\xef\xbf\xbd"
         "b"},
        {"\xf0\x9f\x8c\x9f\xf0\x9f", 6, "\xf0\x9f\x8c\x9f\xef\xbf\xbd\xef\xbf\xbd"},
        {"", 0, ""},
    };
    enum { COUNT = sizeof names / sizeof *names };
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    sc_category_id cafe = SC_NONE;
    CHECK_OK(sc_builder_add_category(builder, "cafe", 4, &cafe), NULL);
    for (int i = 0; i < COUNT; i++) {
        CHECK_OK(sc_builder_add_object_on_edge(builder, 0, i / 10.0, cafe, names[i].bytes,
                                               names[i].size),
                 NULL);
    }
    sc_map *map = finish_builder(builder);
    for (sc_object_id i = 0; i < COUNT; i++) {
        assert_string_equal(sc_map_object_name(map, i), names[i].kept);
    }
    sc_map_free(map);
    sketch_free(&s);
}

static void test_a_long_name_is_kept_whole(void **state)
{
    (void)state;
    enum { SIZE = 100000 };
    char *name = test_take(SIZE + 1, 1);
    memset(name, 'n', SIZE);
    sketch s = sketch_named("lone road");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", name);
    sc_map *map = finish_builder(builder);
    assert_string_equal(sc_map_object_name(map, 0), name);
    free(name);
    sc_map_free(map);
    sketch_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_objects_lie_where_they_were_put_whichever_way_the_edge_runs),
    SC_CASES(test_objects_are_listed_by_segment_edge_and_offset),
    cmocka_unit_test(test_a_fraction_beyond_the_edge_is_clamped),
    cmocka_unit_test(test_objects_that_cannot_be_are_refused),
    cmocka_unit_test(test_objects_farther_than_the_limit_are_left_out_and_counted),
    cmocka_unit_test(test_a_map_may_lose_all_its_objects),
    cmocka_unit_test(test_a_category_has_one_id_however_often_it_is_named),
    cmocka_unit_test(test_names_are_kept_as_utf8_whatever_they_were),
    cmocka_unit_test(test_a_long_name_is_kept_whole),
};
SC_SUITE(tests)
