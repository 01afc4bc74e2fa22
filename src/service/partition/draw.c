// Parts as GeoJSON: open it in any program that shows maps. See partition.h.
//
// A part is one feature with the lines of the segments whose home it is. Colours are those of the
// simplestyle convention, which many programs follow.
#include "partition/partition.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/export_geojson.h"
#include "partition/partition_internal.h"

/** Hues lie this far apart, in degrees of 360; no divisor in common, so that all come by. */
enum { HUES = 360, HUE_STEP = 137 };

/** Colour number n: no two of the first 3,600 are the same. */
static void write_colour(FILE *out, uint32_t n)
{
    const uint32_t hue = n * HUE_STEP % HUES;
    const uint32_t dim = n / HUES % 10 * 8;  // darker when all hues are used up
    // Along the six edges of the colour cube one part rises or falls, from 40 to 220.
    const uint32_t low = 40;
    const uint32_t high = 220 - dim;
    const uint32_t along = hue % 60 * (high - low) / 60;
    const uint32_t up = low + along;
    const uint32_t down = high - along;
    const uint32_t edges[6][3] = {
        {high, up, low},   {down, high, low}, {low, high, up},
        {low, down, high}, {up, low, high},   {high, low, down},
    };
    const uint32_t *rgb = edges[hue / 60];
    fprintf(out, "\"#%02x%02x%02x\"", rgb[0], rgb[1], rgb[2]);
}

/**
 * Colour after colour: a part takes the first that none of its neighbours has. Those with many
 * neighbours choose first, so that few colours do.
 *
 * @param colour  one per part; SC_NONE at first
 * @param taken   one per part: which part took a colour from the one that is choosing
 */
static void choose_colours(const sc__touching *touching, const sc_partition_report *report,
                           uint32_t *colour, uint32_t *taken)
{
    for (uint32_t turn = 0; turn < report->parts; turn++) {
        uint32_t part = SC_NONE;
        for (uint32_t i = 0; i < report->parts; i++) {
            if (colour[i] != SC_NONE) continue;
            if (part == SC_NONE || report->each[i].neighbours > report->each[part].neighbours) {
                part = i;
            }
        }
        for (uint32_t i = 0; i < report->parts; i++) {
            if (colour[i] != SC_NONE && sc__touch(touching, part, i)) taken[colour[i]] = part;
        }
        uint32_t choice = 0;
        while (taken[choice] == part) {
            choice++;
        }
        colour[part] = choice;
    }
}

/** List the segments part by part: those of part i are [first[i], first[i + 1]). */
static void sort_segments(const sc_cut *cut, uint32_t *first, sc_seg_id *order)
{
    const uint32_t parts = sc_cut_parts(cut);
    const uint32_t segment_count = sc_map_segment_count(sc_cut_map(cut));
    for (sc_seg_id s = 0; s < segment_count; s++) {
        first[sc_cut_home(cut, s) + 1]++;
    }
    for (uint32_t i = 0; i < parts; i++) {
        first[i + 1] += first[i];
    }
    // Filled from behind, so that each start ends up where it was.
    for (sc_seg_id s = segment_count; s-- > 0;) {
        order[--first[sc_cut_home(cut, s) + 1]] = s;
    }
    for (uint32_t i = 0; i < parts; i++) {
        first[i] = first[i + 1];
    }
    first[parts] = segment_count;
}

static void write_part(FILE *out, const sc_map *map, uint32_t number, const sc_partition_part *part,
                       uint32_t colour, const sc_seg_id *segments)
{
    fprintf(out,
            "{\"type\":\"Feature\",\"properties\":{\"part\":%u,\"weight\":%.6g,\"stars\":%u,"
            "\"segments\":%u,\"pieces\":%u,\"neighbours\":%u,\"stroke\":",
            number, part->weight, part->stars, part->segments, part->pieces, part->neighbours);
    write_colour(out, colour);
    fputs(",\"stroke-width\":2},\"geometry\":{\"type\":\"MultiLineString\",\"coordinates\":[", out);
    for (uint32_t i = 0; i < part->segments && !ferror(out); i++) {
        if (i > 0) fputs(",\n", out);
        sc_geojson_write_coordinates(out, map, segments[i]);
    }
    fputs("]}}", out);
}

sc_err sc_partition_draw(const sc_cut *cut, const sc_partition_report *report, FILE *file,
                         sc_diag *diag)
{
    const sc_map *map = sc_cut_map(cut);
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so GeoJSON cannot show its parts");
    }
    const uint32_t parts = report->parts;
    sc__touching touching = {0};
    sc_err err = sc__touching_init(&touching, cut);
    uint32_t *colour = sc_malloc_array(parts, sizeof *colour);
    uint32_t *taken = sc_malloc_array(parts, sizeof *taken);
    uint32_t *first = sc_calloc((size_t)parts + 1, sizeof *first);
    sc_seg_id *order = sc_malloc_array(sc_map_segment_count(map), sizeof *order);
    if (err || !colour || !taken || !first || !order) {
        err = sc_fail_memory(diag, "drawing parts");
        goto done;
    }
    for (uint32_t i = 0; i < parts; i++) {
        colour[i] = taken[i] = SC_NONE;
    }
    choose_colours(&touching, report, colour, taken);
    sort_segments(cut, first, order);
    fprintf(file,
            "{\"type\":\"FeatureCollection\",\"starcloak:coordinates\":\"%s\",\"features\":[\n",
            sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? "geographic" : "planar");
    for (uint32_t i = 0; i < parts; i++) {
        if (i > 0) fputs(",\n", file);
        write_part(file, map, i, &report->each[i], colour[i], order + first[i]);
    }
    fputs("\n]}\n", file);
done:
    sc__touching_fini(&touching);
    sc_free(colour);
    sc_free(taken);
    sc_free(first);
    sc_free(order);
    return err;
}
