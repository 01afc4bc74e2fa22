// What the engine of a record demanded is read from the record, demanded again by a run with
// injected queries, and known to one who knows the rules.
#include "made_run.h"

#include "support/place.h"

enum { ZONES = 12, SEED = 5 };

/** A town, a run in it with every demand, and its record. */
typedef struct stage {
    sc_map *map;
    place here;
    made_lines made;
    sc_density *density;
    sc_place_classes *classes;
    sc_zone_table *zones;
    sc_run_options run;
    sc_case_record record;
} stage;

static sc_density *busier_roads(const sc_map *map)
{
    const size_t count = sc_map_segment_count(map);
    uint64_t *counts = test_take(count, sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        counts[i] = i % 7 == 0 ? 40 : i % 5;
    }
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(map, counts, &density), NULL);
    free(counts);
    return density;
}

static sc_place_classes *mark_some(const sc_map *map)
{
    sc_place_classes *classes = NULL;
    uint32_t number = 0;
    CHECK_OK(sc_place_classes_new(map, &classes), NULL);
    CHECK_OK(sc_place_classes_add(classes, "clinic", &number), NULL);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s += 3) {
        sc_place_classes_mark(classes, number, s);
    }
    return classes;
}

// Zones of users u0, u1, ...: the roads of a star each. With several of a user, which are stars
// side by side, two have a road in common.
static sc_err add_zones(sc_zone_table *zones, const sc_map *map, uint32_t of_a_user)
{
    const sc_star *stars = sc_map_stars(map);
    sc_err err = SC_OK;
    for (uint32_t i = 0; i < ZONES && !err; i++) {
        char name[16];
        const sc_seg_id *segments = sc_map_star_segments(map) + stars[i].first_segment;
        const int size = snprintf(name, sizeof name, "u%u", (unsigned)(i / of_a_user));
        const sc_user_zone zone = {.number = 100 + i,
                                   .user = {name, (size_t)size},
                                   .segments = segments,
                                   .count = stars[i + 1].first_segment - stars[i].first_segment};
        err = sc_zone_table_add(zones, &zone);
    }
    return err;
}

static void read_back(stage *on)
{
    const char *path = place_path(&on->here, "run");
    sc_run_report report;
    sc_diag diag = {""};
    on->run.record = path;
    CHECK_OK(sc_run_lines(on->map, on->made.lines, on->made.count, &on->run, &report, &diag),
             &diag);
    assert_true(report.cloaks > 20);
    CHECK_OK(sc_case_record_read(on->map, path, true, NULL, &on->record, &diag), &diag);
}

static stage stage_open(void)
{
    static const made_stream traffic = {
        .count = 400, .user_count = 60, .longest_gap = 200000, .most_k = 3, .most_l = 4};
    sketch s = sketch_grid(SC_COORDS_PLANAR, 7, 7);
    stage on = {.map = sketch_map(&s), .here = place_new(), .run = sc_run_options_default()};
    sketch_free(&s);
    on.made = made_lines_on(on.map, &traffic, SEED, false);
    on.density = busier_roads(on.map);
    on.classes = mark_some(on.map);
    CHECK_OK(sc_zone_table_new(&on.zones), NULL);
    CHECK_OK(add_zones(on.zones, on.map, 1), NULL);
    CHECK_OK(sc_zone_table_end(on.zones), NULL);
    on.run.engine.variant = SC_VARIANT_PATIENT;
    on.run.engine.max_combinations = sc_variant_cap(SC_VARIANT_PATIENT);
    on.run.engine.demands =
        (sc_demands){.density = on.density, .traffic = 2, .is_strict = true, .classes = on.classes};
    on.run.zones = on.zones;
    on.run.has_continuity = true;
    on.run.continuity.vmax_m_s = 20;
    on.run.continuity.tau_us = sc_time_from_seconds(60);
    on.run.seed = SEED;
    return on;
}

static void stage_close(stage *on)
{
    sc_case_record_fini(&on->record);
    sc_zone_table_free(on->zones);
    sc_place_classes_free(on->classes);
    sc_density_free(on->density);
    made_lines_free(&on->made);
    place_free(&on->here);
    sc_map_free(on->map);
}

/** What an attack takes from the record, and from the tables that were given. */
static sc_trial_options options_of(const stage *on, sc_trial_kind kind)
{
    const sc_case_demands *demands = &on->record.demands;
    sc_trial_options options = made_options(kind);
    options.adversary.engine = on->record.engine;
    options.adversary.engine.demands = (sc_demands){.density = on->density,
                                                    .traffic = demands->traffic,
                                                    .is_strict = demands->is_strict,
                                                    .classes = demands->classes};
    options.adversary.density = on->density;
    options.traffic = demands->traffic;
    options.counts_all = !demands->is_strict;
    options.zones = demands->zones;
    options.has_continuity = demands->has_continuity;
    options.continuity = demands->continuity;
    options.limit = 0;
    options.seed = SEED;
    return options;
}

// --- The record ------------------------------------------------------------------

static void test_demands_come_back_from_a_record(void **state)
{
    (void)state;
    stage on = stage_open();
    read_back(&on);
    const sc_case_demands *demands = &on.record.demands;
    assert_true(demands->has_any && demands->is_strict && demands->has_continuity);
    assert_int_equal(demands->traffic, 2);
    assert_true(demands->density_checksum == sc_density_checksum(on.density));
    CHECK_SAME(demands->continuity.vmax_m_s, 20.0);
    assert_int_equal(demands->continuity.tau_us, sc_time_from_seconds(60));
    assert_int_equal(sc_place_classes_count(demands->classes), 1);
    assert_memory_equal(sc_place_classes_bits(demands->classes), sc_place_classes_bits(on.classes),
                        sc_map_segment_count(on.map) * sizeof(uint32_t));
    size_t count = 0;
    size_t wanted_count = 0;
    const sc_user_zone *zones = sc_zone_table_zones(demands->zones, &count);
    const sc_user_zone *wanted = sc_zone_table_zones(on.zones, &wanted_count);
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(zones[i].number, wanted[i].number);
        assert_int_equal(zones[i].count, wanted[i].count);
        assert_memory_equal(zones[i].segments, wanted[i].segments,
                            zones[i].count * sizeof *zones[i].segments);
        assert_int_equal(zones[i].user.size, wanted[i].user.size);
        assert_memory_equal(zones[i].user.text, wanted[i].user.text, zones[i].user.size);
        const sc_user_zone *found = sc_zone_table_find(demands->zones, wanted[i].user.text,
                                                       wanted[i].user.size, wanted[i].segments[0]);
        assert_ptr_equal(found, &zones[i]);
    }
    stage_close(&on);
}

static void test_zones_of_one_user_have_no_road_in_common(void **state)
{
    (void)state;
    sc_map *map = made_town();
    sc_zone_table *zones = NULL;
    CHECK_OK(sc_zone_table_new(&zones), NULL);
    assert_int_equal(add_zones(zones, map, ZONES), SC_EDUPLICATE);
    sc_zone_table_free(zones);
    sc_map_free(map);
}

// --- The run with injected queries -------------------------------------------------

// How many victims have the cloak that they had in the record, of those who have one.
static size_t count_same(const stage *on, const sc_trial_options *options, size_t *all)
{
    sc_trial trial = made_trial(on->map, &on->record, options);
    size_t same = 0;
    for (size_t i = 0; i < trial.row_count; i++) {
        const sc_posterior *p = &trial.rows[i].posterior;
        if (trial.rows[i].cloak >= on->record.cases.count) continue;
        const sc_case one = sc_cases_at(&on->record.cases, (size_t)trial.rows[i].cloak);
        bool is_same = p->link_count == one.segment_count;
        for (size_t j = 0; is_same && j < p->link_count; j++) {
            is_same = p->links[j].segment == one.segments[j];
        }
        same += is_same;
    }
    *all = trial.row_count;
    sc_trial_fini(&trial);
    return same;
}

// With no query injected it is the run of the record again, by every demand and only so.
static void test_the_run_is_made_again_with_all_of_its_demands(void **state)
{
    (void)state;
    stage on = stage_open();
    read_back(&on);
    sc_trial_options options = options_of(&on, SC_TRIAL_INJECTION);
    options.injection.injected = 0;
    options.adversary.samples = SC_ATTACK_BATCHES;
    options.adversary.max_placements = 0;
    size_t all = 0;
    const size_t same = count_same(&on, &options, &all);
    assert_true(all > 20);
    assert_int_equal(same, all);

    sc_trial_options others[5];
    for (size_t i = 0; i < 5; i++) {
        others[i] = options;
    }
    others[0].zones = NULL;
    others[1].has_continuity = false;
    others[2].adversary.engine.demands.classes = NULL;
    others[3].adversary.engine.demands.traffic = 0;
    others[4].adversary.engine.demands.is_strict = false;
    for (size_t i = 0; i < 5; i++) {
        check_case(i);
        size_t others_all = 0;
        const size_t others_same = count_same(&on, &others[i], &others_all);
        assert_true(others_same < others_all);
    }
    check_case_done();
    stage_close(&on);
}

// --- The rules -------------------------------------------------------------------

/** What a trial excludes. */
typedef struct excluded {
    double ruled_out;
    size_t rows;
    size_t truths;  ///< true roads that are excluded
} excluded;

static excluded exclude(const stage *on, const sc_trial_options *options)
{
    sc_trial trial = made_trial(on->map, &on->record, options);
    const excluded found = {.ruled_out = sc_trial_means_of(&trial, 0).ruled_out,
                            .rows = trial.row_count,
                            .truths = sc_trial_exposure_of(&trial, 0).excluded.count};
    sc_trial_fini(&trial);
    return found;
}

static void test_known_zones_exclude_roads_and_no_true_one(void **state)
{
    (void)state;
    stage on = stage_open();
    read_back(&on);
    sc_trial_options options = options_of(&on, SC_TRIAL_RULE);
    const excluded without = exclude(&on, &options);
    options.knows_zones = true;
    const excluded with = exclude(&on, &options);
    assert_int_equal(with.rows, without.rows);
    assert_int_equal(without.truths, 0);
    assert_int_equal(with.truths, 0);
    assert_true(with.ruled_out > without.ruled_out);
    stage_close(&on);
}

static void test_who_links_cloaks_excludes_by_what_was_reached(void **state)
{
    (void)state;
    stage on = stage_open();
    read_back(&on);
    sc_trial_options options = options_of(&on, SC_TRIAL_TRACKING);
    options.knows_rules = true;
    // Faster than anyone, so that nothing is excluded but by the rules.
    options.top_speed_m_s = 1000;
    options.ignores_one_ways = true;
    const excluded with = exclude(&on, &options);
    options.has_continuity = false;
    const excluded without = exclude(&on, &options);
    assert_int_equal(with.truths, 0);
    assert_int_equal(without.truths, 0);
    assert_true(with.ruled_out > without.ruled_out);
    stage_close(&on);
}

// An engine that is not strict asks of all roads of the cloak: who takes it for strict is wrong.
static void test_an_engine_that_is_not_strict_is_not_taken_for_one(void **state)
{
    (void)state;
    stage on = stage_open();
    on.run.engine.demands.is_strict = false;
    on.run.has_continuity = false;
    read_back(&on);
    sc_trial_options options = options_of(&on, SC_TRIAL_RULE);
    assert_true(options.counts_all);
    assert_int_equal(exclude(&on, &options).truths, 0);
    options.counts_all = false;
    assert_true(exclude(&on, &options).truths > 0);
    stage_close(&on);
}

// --- What was reached --------------------------------------------------------------

/** Two cloaks of one user: a road, and ten seconds later all roads. */
typedef struct two_cloaks {
    sc_cases cases;
    sc_trails trails;
} two_cloaks;

static two_cloaks see_twice(const sc_map *map, sc_seg_id first)
{
    const uint32_t count = sc_map_segment_count(map);
    two_cloaks seen = {.cases = {.count = 0}};
    sc_seg_id *all = test_take(count, sizeof *all);
    for (sc_seg_id s = 0; s < count; s++) {
        all[s] = s;
    }
    sc_case_member member = {
        .needs = {.k = 1, .l = 1, .max_hops = 50}, .segment = first, .user = 7};
    sc_case one = {.segments = &first, .segment_count = 1, .members = &member, .member_count = 1};
    CHECK_OK(sc_cases_add(&seen.cases, &one), NULL);
    one = (sc_case){.number = 1,
                    .segments = all,
                    .segment_count = count,
                    .members = &member,
                    .member_count = 1};
    member.asked = sc_time_from_seconds(10);
    one.t = sc_time_from_seconds(12);
    CHECK_OK(sc_cases_add(&seen.cases, &one), NULL);
    CHECK_OK(sc_trails_init(&seen.trails, &seen.cases, 2, 1), NULL);
    free(all);
    return seen;
}

static uint64_t count_touching(const sc_segment *a, const sc_segment *b)
{
    const sc_star_id ends[] = {b->star_a, b->star_b};
    uint64_t count = 0;
    for (size_t i = 0; i < 2; i++) {
        count += ends[i] != SC_NONE && (ends[i] == a->star_a || ends[i] == a->star_b);
    }
    return count;
}

static void test_parts_of_roads_are_those_within_the_way_since_the_last_asking(void **state)
{
    (void)state;
    sc_map *map = made_town();
    const sc_segment *segments = sc_map_segments(map);
    const uint32_t count = sc_map_segment_count(map);
    const sc_seg_id first = count / 2;
    two_cloaks seen = see_twice(map, first);
    // Half a block in ten seconds.
    uint64_t half = segments[first].length / 2;
    sc_continuity_options options = sc_continuity_options_default();
    options.vmax_m_s = (double)half * sc_map_unit_m(map) / 10;
    sc_trail_reach *reach = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_trail_reach_new(map, &options, &reach, &diag), &diag);
    for (int again = 0; again < 2; again++) {
        CHECK_OK(sc_trail_reach_find(reach, &seen.trails, 0), NULL);
        assert_null(sc_trail_reach_at(reach, 0));
        const uint16_t *parts = sc_trail_reach_at(reach, 1);
        for (sc_seg_id s = 0; s < count; s++) {
            const uint64_t length = segments[s].length;
            uint64_t covered = half * count_touching(&segments[first], &segments[s]);
            if (covered > length || s == first) covered = length;
            assert_int_equal(parts[s], covered * SC_REACHED_WHOLE / length);
        }
    }
    sc_trail_reach_free(reach);

    // A cloak that is too old does not count.
    options.tau_us = sc_time_from_seconds(9);
    CHECK_OK(sc_trail_reach_new(map, &options, &reach, &diag), &diag);
    CHECK_OK(sc_trail_reach_find(reach, &seen.trails, 0), NULL);
    assert_null(sc_trail_reach_at(reach, 1));
    sc_trail_reach_free(reach);
    sc_trails_fini(&seen.trails);
    sc_cases_fini(&seen.cases);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_demands_come_back_from_a_record),
    cmocka_unit_test(test_zones_of_one_user_have_no_road_in_common),
    SC_CASES(test_the_run_is_made_again_with_all_of_its_demands),
    cmocka_unit_test(test_known_zones_exclude_roads_and_no_true_one),
    cmocka_unit_test(test_who_links_cloaks_excludes_by_what_was_reached),
    cmocka_unit_test(test_an_engine_that_is_not_strict_is_not_taken_for_one),
    cmocka_unit_test(test_parts_of_roads_are_those_within_the_way_since_the_last_asking),
};
SC_SUITE(tests)
