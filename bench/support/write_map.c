// Writers for the formats that the readers read. See write_map.h.
#include "support/write_map.h"
#include "support/bench.h"

#include <shapefil.h>
#include <stdio.h>
#include <stdlib.h>

static FILE *open_file(const char *stem, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", stem, ending);
    FILE *file = fopen(path, "w");
    if (!file) bench_die(path, "cannot write");
    return file;
}

static void close_file(FILE *file)
{
    if (fclose(file) != 0) bench_die("bench", "cannot write; is the disk full?");
}

static bool write_cnode(const sc_map *map, const char *stem)
{
    FILE *file = open_file(stem, ".cnode");
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, v, &x, &y);
        fprintf(file, "%u %.6f %.6f\n", v, x, y);
    }
    close_file(file);
    file = open_file(stem, ".cedge");
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        fprintf(file, "%u %u %u %.6f\n", e, edge->from, edge->to,
                sc_map_edge_length_m(map, e) / 111195.0);
    }
    close_file(file);
    return true;
}

static bool write_dimacs(const sc_map *map, const char *stem)
{
    FILE *file = open_file(stem, ".co");
    fprintf(file, "p aux sp co %u\n", sc_map_node_count(map));
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, v, &x, &y);
        fprintf(file, "v %u %.0f %.0f\n", v + 1, x * 1e6, y * 1e6);
    }
    close_file(file);
    file = open_file(stem, ".gr");
    fprintf(file, "p sp %u %u\n", sc_map_node_count(map), 2 * sc_map_edge_count(map));
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        const sc_edge *edge = &sc_map_edges(map)[e];
        const double weight = sc_map_edge_length_m(map, e) * 10.0;
        fprintf(file, "a %u %u %.0f\na %u %u %.0f\n", edge->from + 1, edge->to + 1, weight,
                edge->to + 1, edge->from + 1, weight);
    }
    close_file(file);
    return true;
}

static bool write_osm_xml(const sc_map *map, const char *stem)
{
    FILE *file = open_file(stem, ".osm");
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<osm version=\"0.6\">\n", file);
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        double x = 0.0;
        double y = 0.0;
        sc_map_node_position(map, v, &x, &y);
        fprintf(file, " <node id=\"%llu\" lat=\"%.7f\" lon=\"%.7f\" version=\"1\"/>\n",
                v + 6000000000ull, y, x);
    }
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        fprintf(file, " <way id=\"%u\" version=\"1\">\n  <nd ref=\"%llu\"/>\n", s + 1,
                edges[segments[s].first_edge].from + 6000000000ull);
        for (sc_edge_id e = segments[s].first_edge; e < segments[s + 1].first_edge; e++) {
            fprintf(file, "  <nd ref=\"%llu\"/>\n", edges[e].to + 6000000000ull);
        }
        fputs("  <tag k=\"highway\" v=\"residential\"/>\n </way>\n", file);
    }
    fputs("</osm>\n", file);
    close_file(file);
    return true;
}

static bool write_osm_pbf(const sc_map *map, const char *stem)
{
    if (system("command -v osmium >/dev/null") != 0) return false;
    write_osm_xml(map, stem);
    char command[8300];
    snprintf(command, sizeof command,
             "osmium cat --overwrite -o '%s.osm.pbf' '%s.osm' && rm '%s.osm'", stem, stem, stem);
    return system(command) == 0;
}

static bool write_shapefile(const sc_map *map, const char *stem)
{
    SHPHandle shp = SHPCreate(stem, SHPT_ARC);
    DBFHandle dbf = DBFCreate(stem);
    if (!shp || !dbf) bench_die(stem, "cannot write");
    const int field = DBFAddField(dbf, "MTFCC", FTString, 5, 0);
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    double *x = NULL;
    double *y = NULL;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const uint32_t first = segments[s].first_edge;
        const uint32_t count = segments[s + 1].first_edge - first;
        double *more_x = realloc(x, (count + 1) * sizeof *x);
        double *more_y = realloc(y, (count + 1) * sizeof *y);
        if (!more_x || !more_y) bench_die(stem, "out of memory");
        x = more_x;
        y = more_y;
        sc_map_node_position(map, edges[first].from, &x[0], &y[0]);
        for (uint32_t i = 0; i < count; i++) {
            sc_map_node_position(map, edges[first + i].to, &x[i + 1], &y[i + 1]);
        }
        SHPObject *line = SHPCreateSimpleObject(SHPT_ARC, (int)count + 1, x, y, NULL);
        SHPWriteObject(shp, -1, line);
        SHPDestroyObject(line);
        DBFWriteStringAttribute(dbf, (int)s, field, "S1400");
    }
    free(x);
    free(y);
    SHPClose(shp);
    DBFClose(dbf);
    return true;
}

static bool write_mobisim(const sc_map *map, const char *stem)
{
    FILE *file = open_file(stem, ".svg");
    fputs("<?xml version=\"1.0\"?>\n<svg>\n<g id=\"ROAD_OR_STREET_CLASS_3\">\n", file);
    const sc_segment *segments = sc_map_segments(map);
    const sc_edge *edges = sc_map_edges(map);
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        fputs("<polyline points=\"", file);
        for (sc_edge_id e = segments[s].first_edge; e <= segments[s + 1].first_edge; e++) {
            const bool last = e == segments[s + 1].first_edge;
            double x = 0.0;
            double y = 0.0;
            sc_map_node_position(map, last ? edges[e - 1].to : edges[e].from, &x, &y);
            fprintf(file, "%s%.3f,%.3f", e > segments[s].first_edge ? " " : "", x * 78626.0,
                    y * 111195.0);
        }
        fputs("\"/>\n", file);
    }
    fputs("</g>\n</svg>\n", file);
    close_file(file);
    return true;
}

const bench_format bench_formats[BENCH_FORMATS] = {
    {"cnode", SC_FORMAT_CNODE, {".cnode", ".cedge"}, true, write_cnode},
    {"dimacs", SC_FORMAT_DIMACS, {".gr", ".co"}, true, write_dimacs},
    {"osm xml", SC_FORMAT_OSM, {".osm"}, false, write_osm_xml},
    {"osm pbf", SC_FORMAT_OSM, {".osm.pbf"}, false, write_osm_pbf},
    {"shapefile", SC_FORMAT_SHAPEFILE, {".shp", ".dbf"}, false, write_shapefile},
    {"mobisim", SC_FORMAT_MOBISIM, {".svg"}, false, write_mobisim},
};
