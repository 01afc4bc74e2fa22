// A town with a database of objects. See feeds.h.
#include "support/feeds.h"

#include "support/check.h"
#include "support/sketch.h"

#include <math.h>
#include <unistd.h>

enum { SIDE = 4 };

static sc_map *draw_town(void)
{
    const double metres_north = 111.0;
    const double metres_east = 92.0;
    sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
    for (uint32_t row = 0; row < SIDE; row++) {
        for (uint32_t column = 0; column < SIDE; column++) {
            const uint32_t here =
                sketch_add_node(&s, TOWN_LON + column * TOWN_STEP, TOWN_LAT + row * TOWN_STEP);
            if (column > 0) sketch_add_edge(&s, here - 1, here, metres_east);
            if (row > 0) sketch_add_edge(&s, here - SIDE, here, metres_north);
        }
    }
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

void town_begin(town *t)
{
    *t = (town){.map = draw_town()};
    t->has_server = postgres_begin(&t->server);
}

void town_end(town *t)
{
    postgres_end(&t->server);
    sc_map_free(t->map);
}

void need_server(const town *t)
{
    if (t->has_server) return;
    print_message("# PostgreSQL with PostGIS is not installed\n");
    skip();
}

void make_table(const town *t)
{
    postgres_run(&t->server, "DROP TABLE IF EXISTS objects; CREATE TABLE objects "
                             "(id text, geom geometry, category text, name text)");
}

void add_rows(const town *t, int from, int to, const char *category)
{
    postgres_run(&t->server,
                 "INSERT INTO objects SELECT i, ST_MakePoint(%g, %g), '%s', 'no. ' || i "
                 "FROM generate_series(%d, %d) AS i",
                 TOWN_LON, TOWN_LAT, category, from, to);
}

sc_feed_options town_options(const town *t)
{
    sc_feed_options options = sc_feed_options_default();
    options.database = t->server.url;
    options.index.k = 2;
    options.index.threads = 1;
    return options;
}

sc_object_feed *open_feed(const town *t, const sc_feed_options *options)
{
    sc_object_feed *feed = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_object_feed_open(t->map, options, &feed, &diag), &diag);
    return feed;
}

sc_object_feed *open_channel(const town *t, const char *channel)
{
    sc_feed_options options = town_options(t);
    options.channel = channel;
    return open_feed(t, &options);
}

sc_objects *load_objects(const sc_map *map, const sc_feed_options *options, sc_feed_status *status)
{
    sc_object_feed *feed = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_object_feed_open(map, options, &feed, &diag), &diag);
    sc_objects *objects = sc_object_feed_current(feed);
    if (status) *status = sc_object_feed_status(feed);
    sc_object_feed_close(feed);
    return objects;
}

sc_err try_to_load(const sc_map *map, const sc_feed_options *options, sc_diag *diag)
{
    sc_object_feed *feed = NULL;
    const sc_err err = sc_object_feed_open(map, options, &feed, diag);
    if (err) assert_null(feed);
    sc_object_feed_close(feed);
    return err;
}

uint32_t find_key(const sc_objects *objects, const char *key)
{
    const sc_object_table *table = sc_objects_table(objects);
    for (uint32_t i = 0; i < table->count; i++) {
        if (strcmp(table->strings + table->keys[i], key) == 0) return i;
    }
    return SC_NONE;
}

void check_object(const sc_objects *objects, const char *key, double x, double y,
                  const char *category, const char *name, double tolerance_m)
{
    const sc_map *map = sc_objects_map(objects);
    const sc_object_table *table = sc_objects_table(objects);
    const uint32_t i = find_key(objects, key);
    if (i == SC_NONE) fail_msg("no object has the key %s", key);
    sc_snap snap = {.edge = SC_NONE};
    CHECK_OK(sc_map_snap(map, x, y, HUGE_VAL, &snap), NULL);
    const sc_object *object = &table->objects[i];
    assert_int_equal(object->edge, snap.edge);
    // Offsets are whole units.
    CHECK_CLOSE(object->offset * sc_map_unit_m(map), snap.offset_m,
                tolerance_m + sc_map_unit_m(map));
    assert_string_equal(sc_objects_vocabulary(objects)->names[object->category], category);
    assert_string_equal(table->strings + object->name, name);
}

// --- Waiting --------------------------------------------------------------------

/** A moment; fails the test when there have been too many of them. */
static void wait_a_moment(int *moments, const char *what)
{
    enum { MOMENT_US = 5000, MOMENTS = 12000 };
    if (++*moments > MOMENTS) fail_msg("waited a minute for %s", what);
    usleep(MOMENT_US);
}

void await_loads(sc_object_feed *feed, uint64_t loads)
{
    for (int moments = 0; sc_object_feed_status(feed).loads < loads;) {
        wait_a_moment(&moments, "a load");
    }
}

void await_failures(sc_object_feed *feed, uint64_t failures)
{
    for (int moments = 0; sc_object_feed_status(feed).failures < failures;) {
        wait_a_moment(&moments, "a failure");
    }
}

void await_key(sc_object_feed *feed, const char *key, bool is_wanted)
{
    for (int moments = 0;; wait_a_moment(&moments, key)) {
        sc_objects *objects = sc_object_feed_current(feed);
        const bool is_there = find_key(objects, key) != SC_NONE;
        sc_objects_release(objects);
        if (is_there == is_wanted) return;
    }
}

void await_sessions(const town *t, const char *condition, int wanted)
{
    for (int moments = 0; postgres_sessions(&t->server, condition) != wanted;) {
        wait_a_moment(&moments, condition);
    }
}
