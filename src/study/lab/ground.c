// What all points of one map share. See ground.h.
#include "lab/ground.h"

#include "base/diag.h"
#include "travel/walk.h"

static sc_err fetch_objects(sc__ground *ground, const sc_lab_options *options, sc_diag *diag)
{
    const sc_err err = sc_objects_new_from_map(ground->map->map, &ground->objects);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "reading the objects of a map");
    if (err) return sc_fail(diag, err, "%s: %s", ground->map->name, sc_err_text(err));
    if (!options->is_indexed || sc_objects_index_info(ground->objects).k > 0) return SC_OK;
    const sc_index_options index = sc_index_options_default();
    return sc_objects_build_index(ground->objects, &index, diag);
}

static sc_err find_ways(sc__ground *ground, const sc_lab_options *options, sc_diag *diag)
{
    const sc_map *map = ground->map->map;
    if (ground->map->traces) return sc_routes_new(map, SC_CAR, NULL, &ground->routes, diag);
    return options->is_walk ? SC_OK : sc_route_table_init(&ground->table, map, NULL, diag);
}

sc_err sc__ground_init(sc__ground *ground, const sc_lab_options *options, const sc_lab_map *map,
                       sc_diag *diag)
{
    ground->map = map;
    sc_err err = find_ways(ground, options, diag);
    if (!err && sc_map_object_count(map->map) > 0) err = fetch_objects(ground, options, diag);
    if (err) sc__ground_fini(ground);
    return err;
}

void sc__ground_fini(sc__ground *ground)
{
    sc_route_table_fini(&ground->table);
    sc_routes_free(ground->routes);
    sc_objects_release(ground->objects);
    *ground = (sc__ground){.map = NULL};
}

static sc_err follow(const sc__ground *ground, const sc_lab_options *options, uint64_t seed,
                     sc_movement **out, sc_diag *diag)
{
    sc_follow_options follow = ground->map->follow;
    follow.max_count = options->travellers;
    follow.seed = seed;
    sc_follow_summary summary;
    sc_movement *movement = NULL;
    const sc_err err = sc_follow_new(ground->map->map, ground->routes, ground->map->traces, &follow,
                                     NULL, &movement, &summary, diag);
    if (err) return err;
    const double seconds = options->warm_up_s + options->counted_s;
    if (summary.seconds < seconds) {
        sc_movement_free(movement);
        return sc_fail(diag, SC_EINVAL,
                       "the traces of %s last %.0f s, and %.0f s are needed; take longer ones, "
                       "fold them less, or count for a shorter time",
                       ground->map->name, summary.seconds, seconds);
    }
    *out = movement;
    return SC_OK;
}

sc_err sc__ground_movement(const sc__ground *ground, const sc_lab_options *options, uint64_t seed,
                           sc_movement **out, sc_diag *diag)
{
    const sc_map *map = ground->map->map;
    if (ground->map->traces) return follow(ground, options, seed, out, diag);
    if (options->is_walk) return sc_walk_new(map, options->travellers, seed, out, diag);
    const sc_trips_options trips = {
        .count = options->travellers, .truck_share = options->truck_share, .seed = seed};
    return sc_trips_new(map, &ground->table, &trips, out, diag);
}
