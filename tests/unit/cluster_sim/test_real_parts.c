// What a partition costs on real roads: with company nothing to send of, and nothing of a cloak is
// ruled out by knowing the partition; without company both are otherwise.
#include "cluster_sim/sim_queries.h"

#include <starcloak/map_import.h>

#include "partition/partition_make.h"
#include "support/check.h"
#include "support/place.h"
#include "travel/walk.h"

enum { TRAVELLERS = 10000, SECONDS = 25, PARTS = 16 };

static sc_map *real_map(const char *name, sc_format format)
{
    char path[4096];
    if (!data_path(name, path, sizeof path)) skip();
    const char *paths[] = {path};
    const sc_import_options options = SC_IMPORT_DEFAULTS;
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_map_import(&(sc_import_source){format, paths, 1}, &options, &map, NULL, &diag),
             &diag);
    return map;
}

/** As many parts; a worker for each, or four parts each. */
static sc_cluster_sim_verdict play(const sc_map *map, uint32_t parts, uint32_t workers,
                                   bool is_company_off)
{
    const sc_partition_options division = {.parts = parts, .seed = 1};
    const sc_workload workload = sc_workload_default();
    sc_partition *partition = NULL;
    sc_movement *walk = NULL;
    sc_sim_crowd *crowd = NULL;
    sc_cluster_sim *sim = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_partition_make(map, &division, &partition, &diag), &diag);
    CHECK_OK(sc_walk_new(map, TRAVELLERS, 1, &walk, &diag), &diag);
    CHECK_OK(sc_sim_crowd_new(walk, &workload, 1, &crowd, &diag), &diag);
    sc_cluster_sim_options options = sc_cluster_sim_options_default();
    options.workers = workers;
    options.partition = partition;
    options.max_pending = TRAVELLERS;
    options.jitter_us = 0;
    options.guard_us = 1000;
    options.delay_us = 500;
    options.provider_us = 0;
    options.is_company_off = is_company_off;
    options.ended = sc_sim_crowd_ended;
    options.context = crowd;
    CHECK_OK(sc_cluster_sim_new(map, &options, &sim, &diag), &diag);
    CHECK_OK(sc_sim_crowd_ask(crowd, sim, sc_time_from_seconds(SECONDS), &diag), &diag);
    assert_int_equal(sc_cluster_sim_run(sim, SC_TIME_NEVER), SC_OK);
    const sc_cluster_sim_verdict verdict = *sc_cluster_sim_verdict_of(sim);
    assert_string_equal(verdict.what, "");
    sc_cluster_sim_free(sim);
    sc_sim_crowd_free(crowd);
    sc_movement_free(walk);
    sc_partition_free(partition);
    return verdict;
}

static double success(const sc_cluster_sim_verdict *verdict)
{
    assert_true(verdict->asked > TRAVELLERS);
    return (double)verdict->answered / (double)verdict->asked;
}

static void check_map(const char *name, sc_format format)
{
    sc_map *map = real_map(name, format);
    const sc_cluster_sim_verdict one = play(map, 1, 1, false);
    const sc_cluster_sim_verdict company = play(map, PARTS, 4, false);
    const sc_cluster_sim_verdict isolated = play(map, PARTS, PARTS, true);
    sc_map_free(map);

    // Half a point, and as much for chance, in so short a time. tests/cli/test_real_parts.sh has
    // the half point, with a longer run and real cabs, in a build without sanitizers.
    assert_true(success(&company) > success(&one) - 0.01);
    assert_int_equal(company.ruled_out_segments, 0);
    assert_true(isolated.ruled_out_cloaks > isolated.cloaks / 20);
    assert_true(isolated.ruled_out_below_l > 0);
    assert_true(company.msgs[SC_MSG_COMPANY] < company.asked);
}

static void test_sixteen_parts_of_northwest_atlanta_do_as_well_as_one(void **state)
{
    (void)state;
    check_map("northwest-atlanta/Northwest_Atlanta_GA_24k.svg.xz", SC_FORMAT_MOBISIM);
}

static void test_sixteen_parts_of_san_francisco_do_as_well_as_one(void **state)
{
    (void)state;
    check_map("san-francisco-tiger/tl_2017_06075_roads.shp.xz", SC_FORMAT_SHAPEFILE);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_sixteen_parts_of_northwest_atlanta_do_as_well_as_one),
    cmocka_unit_test(test_sixteen_parts_of_san_francisco_do_as_well_as_one),
};
SC_SUITE(tests)
