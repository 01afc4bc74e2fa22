/*
 * The few lines that end an import or a generation. The full description of a
 * map is `map info`.
 */
#include "map_report.h"

#include <inttypes.h>
#include <string.h>

#include "format.h"

FILE *sc_report_stream(const char *output)
{
    return strcmp(output, "-") == 0 ? stderr : stdout;
}

void sc_report_line(FILE *stream, const char *label, const char *value, const char *remark)
{
    fprintf(stream, "  %-10s %13s%s%s\n", label, value, remark[0] != '\0' ? "  " : "", remark);
}

static void put_count(FILE *stream, const char *label, uint64_t count, const char *remark)
{
    char number[SC_FORMAT_SIZE];
    sc_report_line(stream, label, sc_format_count(number, count), remark);
}

void sc_report_sizes(FILE *stream, const sc_map *map)
{
    char number[SC_FORMAT_SIZE];
    char remark[SC_FORMAT_SIZE + 16] = "";
    put_count(stream, "nodes", sc_map_node_count(map), "");
    put_count(stream, "edges", sc_map_edge_count(map), "");
    put_count(stream, "segments", sc_map_segment_count(map), "");
    put_count(stream, "stars", sc_map_star_count(map), "");
    if (sc_map_category_count(map) > 0) {
        snprintf(remark, sizeof(remark), "in %s categories",
                 sc_format_count(number, sc_map_category_count(map)));
    }
    put_count(stream, "objects", sc_map_object_count(map), remark);
    snprintf(remark, sizeof(remark), "(%s)", sc_format_bytes(number, sc_map_bytes(map)));
    put_count(stream, "bytes", sc_map_bytes(map), remark);
}

void sc_report_sizes_json(FILE *stream, const sc_map *map)
{
    fprintf(stream,
            "\"nodes\":%" PRIu32 ",\"edges\":%" PRIu32 ",\"segments\":%" PRIu32
            ",\"stars\":%" PRIu32 ",\"objects\":%" PRIu32 ",\"categories\":%" PRIu32
            ",\"bytes\":%zu,\"checksum\":\"%016" PRIx64 "\"",
            sc_map_node_count(map), sc_map_edge_count(map), sc_map_segment_count(map),
            sc_map_star_count(map), sc_map_object_count(map), sc_map_category_count(map),
            sc_map_bytes(map), sc_map_checksum(map));
}
