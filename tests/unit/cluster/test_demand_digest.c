// What tells demands apart: each part of them, named by the setting to look at.
#include "cluster/demand_digest.h"

#include "support/check.h"
#include "support/sketch.h"

static sc_place_classes *marked(const sc_map *map, const char *name, sc_seg_id segment)
{
    sc_place_classes *classes = NULL;
    uint32_t number = 0;
    CHECK_OK(sc_place_classes_new(map, &classes), NULL);
    CHECK_OK(sc_place_classes_add(classes, name, &number), NULL);
    sc_place_classes_mark(classes, number, segment);
    return classes;
}

static const char *difference(const sc_demands *a, const sc_demands *b)
{
    const sc_continuity_digest none = {.is_asked = false};
    const sc_demand_digest x = sc_demand_digest_of(a, &none);
    const sc_demand_digest y = sc_demand_digest_of(b, &none);
    return sc_demand_digest_difference(&x, &y);
}

static const char *continuity_difference(sc_continuity_digest a, sc_continuity_digest b)
{
    const sc_demands none = {0};
    const sc_demand_digest x = sc_demand_digest_of(&none, &a);
    const sc_demand_digest y = sc_demand_digest_of(&none, &b);
    return sc_demand_digest_difference(&x, &y);
}

static void test_continuity_that_is_another_is_named(void **state)
{
    (void)state;
    const sc_continuity_digest off = {.vmax_m_s = 33, .tau_s = 300};
    const sc_continuity_digest on = {.is_asked = true, .vmax_m_s = 33, .tau_s = 300};
    const sc_continuity_digest fast = {.is_asked = true, .vmax_m_s = 50, .tau_s = 300};
    const sc_continuity_digest brief = {.is_asked = true, .vmax_m_s = 33, .tau_s = 60};
    const sc_continuity_digest worker = {.is_asked = true};
    assert_null(continuity_difference(on, on));
    assert_string_equal(continuity_difference(on, off), "continuity");
    assert_string_equal(continuity_difference(on, fast), "vmax");
    assert_string_equal(continuity_difference(on, brief), "tau");
    // Workers know that there is continuity, and not how far users come.
    assert_null(continuity_difference(fast, worker));
    assert_null(continuity_difference(worker, brief));
    assert_string_equal(continuity_difference(off, worker), "continuity");
    // Numbers of what is not asked for are of no account.
    assert_null(continuity_difference(off, (sc_continuity_digest){.vmax_m_s = 1}));
}

static void test_each_demand_that_is_another_is_named(void **state)
{
    (void)state;
    sketch grid = sketch_grid(SC_COORDS_PLANAR, 3, 3);  // eight segments
    sc_map *map = sketch_map(&grid);
    sketch_free(&grid);
    uint64_t counts[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    sc_density *one = NULL;
    sc_density *other = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &one), NULL);
    counts[7] = 9;
    CHECK_OK(sc_density_new_counted(map, counts, &other), NULL);
    sc_place_classes *clinic = marked(map, "clinic", 3);
    sc_place_classes *again = marked(map, "clinic", 3);
    sc_place_classes *elsewhere = marked(map, "clinic", 4);
    sc_place_classes *shelter = marked(map, "shelter", 3);

    const sc_demands none = {0};
    const sc_demands all = {.density = one, .traffic = 2, .is_strict = true, .classes = clinic};
    sc_demands next = all;
    assert_null(difference(&none, &none));
    next.classes = again;
    assert_null(difference(&all, &next));
    next.classes = elsewhere;
    assert_string_equal(difference(&all, &next), "classes");
    next.classes = shelter;
    assert_string_equal(difference(&all, &next), "classes");
    next.classes = NULL;
    assert_string_equal(difference(&all, &next), "classes");
    next = all;
    next.density = other;
    assert_string_equal(difference(&all, &next), "density");
    next = all;
    next.traffic = 3;
    assert_string_equal(difference(&all, &next), "traffic");
    next = all;
    next.is_strict = false;
    assert_string_equal(difference(&all, &next), "strict");
    // A table to measure by is no demand.
    assert_null(difference(&none, &(sc_demands){.density = one}));
    assert_string_equal(difference(&none, &(sc_demands){.density = one, .traffic = 2}), "density");

    sc_place_classes_free(clinic);
    sc_place_classes_free(again);
    sc_place_classes_free(elsewhere);
    sc_place_classes_free(shelter);
    sc_density_free(one);
    sc_density_free(other);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_each_demand_that_is_another_is_named),
    cmocka_unit_test(test_continuity_that_is_another_is_named),
};
SC_SUITE(tests)
