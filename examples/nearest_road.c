/*
 * Where am I, and what is around me? Snaps a position to the nearest road and
 * looks at the stars within four hops of the nearest one.
 *
 *     nearest_road                      a made-up city, and its middle
 *     nearest_road MAP.scm LON LAT      a map of your own
 *
 * Build: gcc nearest_road.c $(pkg-config --cflags --libs starcloak)
 */
#include <starcloak.h>

#include <stdio.h>
#include <stdlib.h>

/* The star at the nearer end of the road, and how far it is along the road. */
static sc_star_id nearest_star(const sc_map *map, const sc_snap *snap, double *distance_m)
{
    const sc_segment *road = &sc_map_segments(map)[snap->segment];
    double behind = snap->offset_m;
    for (sc_edge_id edge = road->first_edge; edge < snap->edge; edge++) {
        behind += sc_map_edge_length_m(map, edge);
    }
    const double ahead = sc_map_segment_length_m(map, snap->segment) - behind;
    const int back = road->star_b == SC_NONE || behind <= ahead;
    *distance_m = back ? behind : ahead;
    return back ? road->star_a : road->star_b;
}

static sc_err look_around(const sc_map *map, double x, double y)
{
    sc_snap snap;
    sc_err err = sc_map_snap(map, x, y, 1000.0, &snap);
    if (err) return err;
    printf("Position:      %.6f %.6f\n", x, y);
    printf("Nearest road:  segment %u, %s, %.1f m away\n", snap.segment,
           sc_road_class_name(sc_map_edge_classes(map)[snap.edge]), snap.distance_m);

    double distance_m = 0;
    const sc_star_id star = nearest_star(map, &snap, &distance_m);
    printf("Nearest star:  star %u, %.1f m along that road\n", star, distance_m);

    sc_ball *ball = NULL;
    size_t count = 0;
    err = sc_ball_new(map, &ball);
    if (err) return err;
    sc_ball_walk(ball, star, 4, &count);
    printf("Within 4 hops: %zu stars, %zu segments\n", count, sc_ball_segment_count(ball));
    sc_ball_free(ball);
    return SC_OK;
}

int main(int argc, char **argv)
{
    if (argc != 1 && argc != 4) {
        fprintf(stderr, "usage: nearest_road [MAP.scm LON LAT]\n");
        return 2;
    }
    const sc_city_options city = {.node_count = 2000, .seed = 1};
    sc_map *map = NULL;
    sc_map_info info;
    sc_diag diag = {""};
    sc_err err =
        argc == 4 ? sc_map_open(argv[1], &map, &diag) : sc_map_generate_city(&city, &map, &diag);
    if (!err) err = sc_map_describe(map, &info);
    if (!err) {
        const double x = argc == 4 ? strtod(argv[2], NULL) : (info.min_x + info.max_x) / 2;
        const double y = argc == 4 ? strtod(argv[3], NULL) : (info.min_y + info.max_y) / 2;
        err = look_around(map, x, y);
    }
    if (err)
        fprintf(stderr, "nearest_road: %s\n", diag.message[0] ? diag.message : sc_err_text(err));
    sc_map_free(map);
    return err ? 1 : 0;
}
