// Loading a table of a real PostgreSQL with PostGIS: what is in the table is in the set, whatever
// the columns are called and however positions are written.
#include <starcloak/object_feed.h>

#include "base/rng.h"
#include "import/utm.h"
#include "support/check.h"
#include "support/feeds.h"
#include "support/sketch.h"

#include <math.h>

#define PI 3.14159265358979323846

static town here;

static int begin(void **state)
{
    (void)state;
    town_begin(&here);
    return 0;
}

static int end(void **state)
{
    (void)state;
    town_end(&here);
    return 0;
}

/** A position inside the town, both from 0 to 1. */
static double lon_at(double part)
{
    return TOWN_LON + 3 * TOWN_STEP * part;
}

static double lat_at(double part)
{
    return TOWN_LAT + 3 * TOWN_STEP * part;
}

// --- What is in the table is in the set --------------------------------------------

static void test_the_first_load_equals_the_table(void **state)
{
    (void)state;
    need_server(&here);
    enum { ROWS = 40 };
    static const char *const categories[] = {"hospital", "fuel", "caf\xc3\xa9"};
    make_table(&here);
    sc_rng rng;
    sc_rng_seed(&rng, 4);
    double lon[ROWS];
    double lat[ROWS];
    char key[16];
    char name[16];
    char rows[4000] = "";
    size_t size = 0;
    for (int i = 0; i < ROWS; i++) {
        lon[i] = lon_at(sc_rng_unit(&rng));
        lat[i] = lat_at(sc_rng_unit(&rng));
        size += (size_t)snprintf(rows + size, sizeof rows - size,
                                 "%s('k%d',ST_MakePoint(%.17g,%.17g),'%s','no. %d')",
                                 i > 0 ? "," : "", i, lon[i], lat[i], categories[i % 3], i);
    }
    postgres_run(&here.server, "INSERT INTO objects VALUES %s", rows);

    const sc_feed_options options = town_options(&here);
    sc_feed_status status;
    sc_objects *objects = load_objects(here.map, &options, &status);
    assert_int_equal(sc_objects_table(objects)->count, ROWS);
    for (int i = 0; i < ROWS; i++) {
        snprintf(key, sizeof key, "k%d", i);
        snprintf(name, sizeof name, "no. %d", i);
        check_object(objects, key, lon[i], lat[i], categories[i % 3], name, 0.0);
    }
    assert_int_equal(status.loads, 1);
    assert_int_equal(status.failures, 0);
    assert_int_equal(status.row_count, ROWS);
    assert_int_equal(status.left_out, 0);
    assert_string_equal(status.last_failure.message, "");
    sc_objects_release(objects);
}

static void test_a_set_comes_with_its_index(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    postgres_run(&here.server,
                 "INSERT INTO objects SELECT i, ST_MakePoint(%g + i * %g, %g), 'c' || i %% 2, NULL "
                 "FROM generate_series(1, 9) AS i",
                 TOWN_LON, TOWN_STEP / 4, TOWN_LAT);
    const sc_feed_options options = town_options(&here);
    sc_objects *objects = load_objects(here.map, &options, NULL);
    const sc_index_info info = sc_objects_index_info(objects);
    assert_int_equal(info.k, options.index.k);
    assert_int_equal(info.list_count, 2 * 3);  // in each metric: all, and two categories
    sc_diag diag = {""};
    CHECK_OK(sc_objects_check_index(objects, &diag), &diag);
    sc_objects_release(objects);
}

static void test_a_table_without_rows_is_an_empty_set(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    const sc_feed_options options = town_options(&here);
    sc_feed_status status;
    sc_objects *objects = load_objects(here.map, &options, &status);
    assert_int_equal(sc_objects_table(objects)->count, 0);
    assert_int_equal(status.loads, 1);
    assert_int_equal(status.row_count, 0);
    sc_objects_release(objects);
}

static void test_a_feed_without_anything_to_wait_for_keeps_no_session(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    sc_feed_options options = town_options(&here);
    sc_object_feed *feed = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_object_feed_open(here.map, &options, &feed, &diag), &diag);
    assert_false(sc_object_feed_status(feed).is_connected);
    sc_object_feed_close(feed);

    options.channel = "objects";
    CHECK_OK(sc_object_feed_open(here.map, &options, &feed, &diag), &diag);
    assert_true(sc_object_feed_status(feed).is_connected);
    assert_int_equal(postgres_sessions(&here.server, "true"), 1);
    sc_object_feed_close(feed);
}

// --- Names -------------------------------------------------------------------------

static void test_schema_table_and_columns_may_have_any_name(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server,
                 "CREATE SCHEMA \"Odd. \"\"Schema\";"
                 "CREATE TYPE kind AS ENUM ('school', 'shop');"
                 "CREATE TABLE \"Odd. \"\"Schema\".\"select\" (\"Nr.\" bigint, \"a\"\"b\" geometry,"
                 " \"from\" kind, \"Name oder so\" varchar(20));"
                 "INSERT INTO \"Odd. \"\"Schema\".\"select\" VALUES"
                 " (9007199254740993, ST_MakePoint(%g, %g), 'shop', 'B\xc3\xa4"
                 "cker')",
                 lon_at(0.1), lat_at(0.0));
    sc_feed_options options = town_options(&here);
    options.table = "\"Odd. \"\"Schema\".select";
    options.key_column = "Nr.";
    options.position_column = "a\"b";
    options.category_column = "from";
    options.name_column = "Name oder so";
    sc_objects *objects = load_objects(here.map, &options, NULL);
    check_object(objects, "9007199254740993", lon_at(0.1), lat_at(0.0), "shop",
                 "B\xc3\xa4"
                 "cker",
                 0.0);
    sc_objects_release(objects);
}

static void test_a_column_of_names_is_not_needed(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server,
                 "CREATE TABLE nameless AS SELECT 1 AS id, ST_MakePoint(%g, %g) AS geom,"
                 " 'shop' AS category",
                 lon_at(0.5), lat_at(0.0));
    sc_feed_options options = town_options(&here);
    options.table = "public.nameless";
    options.name_column = NULL;
    sc_objects *objects = load_objects(here.map, &options, NULL);
    check_object(objects, "1", lon_at(0.5), lat_at(0.0), "shop", "", 0.0);
    sc_objects_release(objects);
}

static void test_a_view_does_as_well_as_a_table(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server,
                 "CREATE VIEW clinics AS SELECT 'x' || i AS id, ST_MakePoint(%g, %g) AS geom,"
                 " 'clinic' AS category, NULL AS name FROM generate_series(1, 3) AS i",
                 lon_at(0.5), lat_at(1.0));
    sc_feed_options options = town_options(&here);
    options.table = "clinics";
    sc_objects *objects = load_objects(here.map, &options, NULL);
    assert_int_equal(sc_objects_table(objects)->count, 3);
    check_object(objects, "x3", lon_at(0.5), lat_at(1.0), "clinic", "", 0.0);
    sc_objects_release(objects);
}

// --- Positions ---------------------------------------------------------------------

static void test_positions_of_every_kind_become_degrees(void **state)
{
    (void)state;
    need_server(&here);
    // Spherical Mercator by its formula, UTM by the map readers'.
    const double lon = lon_at(0.3);
    const double lat = lat_at(0.7);
    const double radius_m = 6378137.0;
    const double mercator_x = radius_m * lon * PI / 180.0;
    const double mercator_y = radius_m * log(tan(PI / 4.0 + lat * PI / 360.0));
    const double east_m = 741000.0;
    const double north_m = 3737250.0;
    double utm_lon = 0.0;
    double utm_lat = 0.0;
    assert_true(sc__utm_to_degrees(16, east_m, north_m, &utm_lon, &utm_lat));

    make_table(&here);
    postgres_run(&here.server,
                 "INSERT INTO objects WITH made AS (SELECT ST_MakePoint(%.17g, %.17g) AS degrees,"
                 " ST_SetSRID(ST_MakePoint(%.17g, %.17g), 3857) AS mercator,"
                 " ST_SetSRID(ST_MakePoint(%.17g, %.17g), 26916) AS utm)"
                 " SELECT kind, place, 'a', NULL FROM made, LATERAL (VALUES ('unsaid', degrees),"
                 " ('wgs84', ST_SetSRID(degrees, 4326)),"
                 " ('high', ST_SetSRID(ST_Force3DZ(degrees, 300), 4326)),"
                 " ('mercator', mercator), ('utm', utm),"
                 " ('line', ST_MakeLine(ST_Translate(mercator, -9, -9),"
                 "                      ST_Translate(mercator, 9, 9))),"
                 " ('area', ST_Expand(mercator, 5))) AS of_each_kind (kind, place)",
                 lon, lat, mercator_x, mercator_y, east_m, north_m);
    const sc_feed_options options = town_options(&here);
    sc_objects *objects = load_objects(here.map, &options, NULL);
    static const char *const same[] = {"unsaid", "wgs84", "high", "mercator", "line", "area"};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        check_object(objects, same[i], lon, lat, "a", "", 0.001);
    }
    check_object(objects, "utm", utm_lon, utm_lat, "a", "", 0.01);
    sc_objects_release(objects);
}

static void test_a_column_may_be_a_geography_or_a_plain_point(void **state)
{
    (void)state;
    need_server(&here);
    postgres_run(&here.server,
                 "CREATE TABLE kinds AS SELECT 1 AS id, 'shop' AS category, NULL AS name,"
                 " ST_SetSRID(place::geometry, 4326)::geography AS globe, place AS plain"
                 " FROM (SELECT point(%g, %g) AS place) AS made",
                 lon_at(0.2), lat_at(0.4));
    sc_feed_options options = town_options(&here);
    options.table = "kinds";
    static const char *const columns[] = {"globe", "plain"};
    for (int i = 0; i < 2; i++) {
        options.position_column = columns[i];
        sc_objects *objects = load_objects(here.map, &options, NULL);
        check_object(objects, "1", lon_at(0.2), lat_at(0.4), "shop", "", 0.0);
        sc_objects_release(objects);
    }
}

static void test_on_a_planar_map_positions_are_taken_as_they_are(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    postgres_run(&here.server, "INSERT INTO objects VALUES ('bare', ST_MakePoint(130, 1), 'a'),"
                               " ('mercator', ST_SetSRID(ST_MakePoint(1, 170), 3857), 'a')");
    sketch s = sketch_grid(SC_COORDS_PLANAR, 3, 3);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    const sc_feed_options options = town_options(&here);
    sc_objects *objects = load_objects(map, &options, NULL);
    check_object(objects, "bare", 130.0, 1.0, "a", "", 0.0);
    check_object(objects, "mercator", 1.0, 170.0, "a", "", 0.0);
    sc_objects_release(objects);
    sc_map_free(map);
}

// --- What is left out ----------------------------------------------------------------

static void test_rows_that_lack_something_are_left_out_and_counted(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    postgres_run(
        &here.server,
        "INSERT INTO objects SELECT made.* FROM (SELECT ST_MakePoint(%g, %g) AS here) AS p,"
        " LATERAL (VALUES ('whole', here, 'a', ''), ('no position', NULL, 'a', 'x'),"
        " ('nothing there', 'POINT EMPTY', 'a', 'x'), ('no category', here, NULL, 'x'),"
        " ('empty category', here, '', 'x'), (NULL, here, 'a', 'x'), ('', here, 'a', 'x'),"
        " ('far', ST_Translate(here, 0, -1), 'a', 'x'),"
        " ('nowhere', ST_MakePoint(0, 500), 'a', 'x'),"
        " ('no number', ST_MakePoint('NaN', 0), 'a', 'x')) AS made",
        lon_at(0.5), lat_at(0.0));
    sc_feed_options options = town_options(&here);
    sc_feed_status status;
    sc_objects *objects = load_objects(here.map, &options, &status);
    assert_int_equal(sc_objects_table(objects)->count, 1);
    assert_true(find_key(objects, "whole") != SC_NONE);
    assert_int_equal(status.row_count, 10);
    assert_int_equal(status.left_out, 9);
    sc_objects_release(objects);

    // How far is too far is for the operator to say; a degree is 111 km.
    options.max_snap_m = 200e3;
    objects = load_objects(here.map, &options, &status);
    assert_true(find_key(objects, "far") != SC_NONE);
    assert_int_equal(status.left_out, 8);
    sc_objects_release(objects);
}

static void test_two_rows_with_one_key_are_refused(void **state)
{
    (void)state;
    need_server(&here);
    make_table(&here);
    postgres_run(&here.server,
                 "INSERT INTO objects SELECT i %% 90, ST_MakePoint(%g, %g), 'a', NULL "
                 "FROM generate_series(1, 91) AS i",
                 lon_at(0.5), lat_at(0.0));
    const sc_feed_options options = town_options(&here);
    sc_diag diag = {""};
    CHECK_REFUSED(try_to_load(here.map, &options, &diag), SC_EPARSE, &diag,
                  "two rows of the table 'objects' have the key '1'");
    postgres_run(&here.server, "DELETE FROM objects WHERE id = '1'");
    CHECK_OK(try_to_load(here.map, &options, &diag), &diag);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_first_load_equals_the_table),
    cmocka_unit_test(test_a_set_comes_with_its_index),
    cmocka_unit_test(test_a_table_without_rows_is_an_empty_set),
    cmocka_unit_test(test_a_feed_without_anything_to_wait_for_keeps_no_session),
    cmocka_unit_test(test_schema_table_and_columns_may_have_any_name),
    cmocka_unit_test(test_a_column_of_names_is_not_needed),
    cmocka_unit_test(test_a_view_does_as_well_as_a_table),
    cmocka_unit_test(test_positions_of_every_kind_become_degrees),
    cmocka_unit_test(test_a_column_may_be_a_geography_or_a_plain_point),
    cmocka_unit_test(test_on_a_planar_map_positions_are_taken_as_they_are),
    cmocka_unit_test(test_rows_that_lack_something_are_left_out_and_counted),
    cmocka_unit_test(test_two_rows_with_one_key_are_refused),
};
SC_SUITE_WITH(tests, begin, end)
