// The CSV files of a map: nodes, edges, segments, stars, objects.
//
// They appear together: each is written without a name, and only when all are whole on the disk do
// they get theirs. The columns are fixed: other programs read them.
#include <starcloak/map_export.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "map/map_internal.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Quoted only where it must be.
static void write_text(FILE *out, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_nodes(const sc_map *map, FILE *out)
{
    fputs("node,lon,lat\n", out);
    const bool placed = map->coords != SC_COORDS_NONE;
    const int decimals = placed ? sc__position_decimals(map) : 0;
    for (sc_node_id v = 0; v < map->node_count; v++) {
        if (!placed) {
            fprintf(out, "%u,,\n", v);
            continue;
        }
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, v, &x, &y);
        fprintf(out, "%u,%.*f,%.*f\n", v, decimals, x, decimals, y);
    }
}

// A travel time in seconds; nothing where the road is closed.
static void write_time(const sc_map *map, FILE *out, uint32_t units)
{
    fputc(',', out);
    if (units != SC_CLOSED) {
        fprintf(out, "%.*f", sc__time_decimals(map), units * map->time_unit_s);
    }
}

static void write_edges(const sc_map *map, FILE *out)
{
    fputs("edge,from,to,length_m,segment,forward_s,backward_s,name\n", out);
    const sc_edge *edges = sc__edges(map);
    const sc_travel_times *times = sc_map_edge_times(map);
    for (sc_edge_id e = 0; e < map->edge_count; e++) {
        fprintf(out, "%u,%u,%u,%.*f,%u", e, edges[e].from, edges[e].to, sc__length_decimals(map),
                sc_map_edge_length_m(map, e), edges[e].segment);
        write_time(map, out, times[e].forward);
        write_time(map, out, times[e].backward);
        fputc(',', out);
        write_text(out, sc_map_segment_name(map, edges[e].segment));
        fputc('\n', out);
    }
}

static void write_segments(const sc_map *map, FILE *out)
{
    fputs("segment,node_a,node_b,length_m\n", out);
    const sc_edge *edges = sc__edges(map);
    const sc_segment *segments = sc__segments(map);
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        fprintf(out, "%u,%u,%u,%.*f\n", s, edges[segments[s].first_edge].from,
                edges[segments[s + 1].first_edge - 1].to, sc__length_decimals(map),
                sc_map_segment_length_m(map, s));
    }
}

static void write_stars(const sc_map *map, FILE *out)
{
    fputs("star,node\n", out);
    for (sc_star_id i = 0; i < map->star_count; i++) {
        fprintf(out, "%u,%u\n", i, sc__stars(map)[i].node);
    }
}

static void write_objects(const sc_map *map, FILE *out)
{
    fputs("poi,edge,offset_m,category,lon,lat,name\n", out);
    const sc_object *objects = sc__objects(map);
    const bool placed = map->coords != SC_COORDS_NONE;
    for (sc_object_id i = 0; i < map->object_count; i++) {
        const double offset_m = objects[i].offset * map->unit_m;
        fprintf(out, "%u,%u,%.*f,", i, objects[i].edge, sc__length_decimals(map), offset_m);
        write_text(out, sc_map_category_name(map, objects[i].category));
        if (placed) {
            double x = 0.0;
            double y = 0.0;
            sc_map_edge_position(map, objects[i].edge, offset_m, &x, &y);
            const int decimals = sc__position_decimals(map) + SC__OBJECT_DECIMALS;
            fprintf(out, ",%.*f,%.*f,", decimals, x, decimals, y);
        } else {
            fputs(",,,", out);
        }
        write_text(out, sc_map_object_name(map, i));
        fputc('\n', out);
    }
}

typedef struct export_file {
    const char *name;
    void (*write)(const sc_map *map, FILE *out);
} export_file;

static const export_file files[] = {{"nodes.csv", write_nodes},
                                    {"edges.csv", write_edges},
                                    {"segments.csv", write_segments},
                                    {"stars.csv", write_stars},
                                    {"pois.csv", write_objects}};
enum { FILE_COUNT = sizeof files / sizeof *files };

static char *path_in(const char *directory, const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + 2;
    char *path = sc_malloc(size);
    if (path) snprintf(path, size, "%s/%s", directory, name);
    return path;
}

static sc_err write_all(const sc_map *map, char *const *paths, size_t count, sc_diag *diag)
{
    sc_outfile outs[FILE_COUNT] = {0};
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = sc_outfile_open(paths[i], &outs[i], diag);
        if (err) break;
        files[i].write(map, outs[i].stream);
        // A full disk shows here, before any file has its name.
        err = sc_outfile_settle(&outs[i], diag);
    }
    for (size_t i = 0; i < count && !err; i++) {
        err = sc_outfile_commit(&outs[i], diag);
    }
    for (size_t i = 0; i < count; i++) {
        sc_outfile_abandon(&outs[i]);
    }
    return err;
}

sc_err sc_map_export_csv(const sc_map *map, const char *directory, sc_diag *diag)
{
    const bool made = mkdir(directory, 0777) == 0;
    if (!made && errno != EEXIST) {
        return sc_fail(diag, SC_EIO, "%s: cannot create this directory: %s", directory,
                       strerror(errno));
    }
    char *paths[FILE_COUNT] = {0};
    const size_t count = map->object_count > 0 ? FILE_COUNT : FILE_COUNT - 1;
    sc_err err = SC_OK;
    for (size_t i = 0; i < FILE_COUNT && !err; i++) {
        paths[i] = path_in(directory, files[i].name);
        if (!paths[i]) err = sc_fail_memory(diag, "exporting");
    }
    if (!err) err = write_all(map, paths, count, diag);
    // Objects of another map, exported here before, would be taken for this one's.
    if (!err && count < FILE_COUNT) (void)unlink(paths[count]);
    if (err && made) (void)rmdir(directory);
    for (size_t i = 0; i < FILE_COUNT; i++) {
        sc_free(paths[i]);
    }
    return err;
}
