// Describing a partition: numbers about each part, and a drawing as GeoJSON for any program that
// shows maps.
//
// In the drawing a part is one feature with the lines of the segments whose home it is. Colours are
// those of the simplestyle convention, which many programs follow.
#include "partition/partition_make.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/export_geojson.h"
#include "partition/partition_internal.h"

#include <math.h>

// --- Which parts touch which -------------------------------------------------------------------

/** A bit per pair of parts. */
typedef struct touching_pairs {
    uint32_t parts;
    uint64_t *bits;
} touching_pairs;

static bool touch(const touching_pairs *touching, uint32_t a, uint32_t b)
{
    const size_t at = (size_t)a * touching->parts + b;
    return touching->bits[at / 64] >> at % 64 & 1;
}

static void set(touching_pairs *touching, uint32_t a, uint32_t b)
{
    const size_t at = (size_t)a * touching->parts + b;
    touching->bits[at / 64] |= UINT64_C(1) << at % 64;
}

static sc_err touching_init(touching_pairs *touching, const sc_partition *partition)
{
    const sc_map *map = sc_partition_map(partition);
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    const size_t parts = sc_partition_part_count(partition);
    *touching = (touching_pairs){.parts = (uint32_t)parts,
                                 .bits = sc_calloc(parts * parts / 64 + 1, sizeof(uint64_t))};
    if (!touching->bits) return SC_ENOMEM;
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        const uint32_t part = sc_partition_part_of_star(partition, i);
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            const uint32_t other = sc_partition_part_of_star(partition, neighbours[j]);
            if (other != part) set(touching, part, other);
        }
    }
    return SC_OK;
}

static void touching_fini(touching_pairs *touching)
{
    sc_free(touching->bits);
    *touching = (touching_pairs){0};
}

// --- Numbers -----------------------------------------------------------------------------------

static void count_stars(const sc_partition *partition, sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    uint64_t within[SC_PARTITION_HOPS + 1] = {0};
    for (sc_star_id i = 0; i < report->stars; i++) {
        const uint32_t part = sc_partition_part_of_star(partition, i);
        report->each[part].stars++;
        for (uint32_t h = sc_partition_hops_to_other(partition, i); h <= SC_PARTITION_HOPS; h++) {
            within[h]++;
        }
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            if (neighbours[j] < i) continue;  // each adjacency once
            report->adjacencies++;
            report->edge_cut += sc_partition_part_of_star(partition, neighbours[j]) != part;
        }
    }
    for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
        report->near[h] = (double)within[h] / (double)report->stars;
    }
}

static void weigh_parts(const sc_partition *partition, const sc__partition_scale *scale,
                        sc_partition_report *report)
{
    const uint32_t segment_count = sc_map_segment_count(sc_partition_map(partition));
    for (sc_seg_id s = 0; s < segment_count; s++) {
        sc_partition_part *part = &report->each[sc_partition_home(partition, s)];
        part->segments++;
        part->weight += sc__partition_share(scale, s);
    }
    double heaviest = 0;
    uint32_t most_segments = 0;
    for (uint32_t i = 0; i < report->parts; i++) {
        heaviest = fmax(heaviest, report->each[i].weight);
        if (report->each[i].segments > most_segments) most_segments = report->each[i].segments;
    }
    report->balance = heaviest * report->parts;
    report->balance_segments = (double)most_segments * report->parts / segment_count;
}

/** Connected pieces: of the map, and of each part. */
static sc_err count_pieces(const sc_partition *partition, sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    uint16_t *part = sc_malloc_array(report->stars, sizeof *part);
    uint32_t *label = sc_malloc_array(report->stars, sizeof *label);
    sc_star_id *queue = sc_malloc_array(report->stars, sizeof *queue);
    const bool is_allocated = part && label && queue;
    if (is_allocated) {
        report->components = sc__partition_label_pieces(map, NULL, label, queue);
        for (sc_star_id i = 0; i < report->stars; i++) {
            part[i] = (uint16_t)sc_partition_part_of_star(partition, i);
        }
        sc__partition_label_pieces(map, part, label, queue);
        uint32_t seen = 0;
        for (sc_star_id i = 0; i < report->stars; i++) {
            if (label[i] < seen) continue;
            seen++;  // the first star of a piece
            report->each[part[i]].pieces++;
        }
    }
    sc_free(part);
    sc_free(label);
    sc_free(queue);
    return is_allocated ? SC_OK : SC_ENOMEM;
}

static sc_err count_neighbours(const sc_partition *partition, sc_partition_report *report)
{
    touching_pairs touching;
    if (touching_init(&touching, partition)) return SC_ENOMEM;
    for (uint32_t a = 0; a < report->parts; a++) {
        for (uint32_t b = 0; b < report->parts; b++) {
            report->each[a].neighbours += touch(&touching, a, b);
        }
    }
    touching_fini(&touching);
    return SC_OK;
}

sc_err sc_partition_describe(const sc_partition *partition, const double *weights,
                             sc_partition_report *out, sc_diag *diag)
{
    sc__partition_scale scale;
    sc_err err = sc__partition_scale_init(&scale, sc_partition_map(partition), weights, diag);
    if (err) return err;
    sc_partition_report report = {
        .parts = sc_partition_part_count(partition),
        .stars = sc_map_star_count(sc_partition_map(partition)),
        .each = sc_calloc(sc_partition_part_count(partition), sizeof *report.each),
    };
    err = report.each ? count_pieces(partition, &report) : SC_ENOMEM;
    if (!err) err = count_neighbours(partition, &report);
    if (err) {
        sc_partition_report_fini(&report);
        return sc_fail_memory(diag, "describing a partition");
    }
    count_stars(partition, &report);
    weigh_parts(partition, &scale, &report);
    *out = report;
    return SC_OK;
}

void sc_partition_report_fini(sc_partition_report *report)
{
    sc_free(report->each);
    *report = (sc_partition_report){0};
}

// --- GeoJSON -----------------------------------------------------------------------------------

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
static void choose_colours(const touching_pairs *touching, const sc_partition_report *report,
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
            if (colour[i] != SC_NONE && touch(touching, part, i)) taken[colour[i]] = part;
        }
        uint32_t choice = 0;
        while (taken[choice] == part) {
            choice++;
        }
        colour[part] = choice;
    }
}

/** List the segments part by part: those of part i are [first[i], first[i + 1]). */
static void sort_segments(const sc_partition *partition, uint32_t *first, sc_seg_id *order)
{
    const uint32_t parts = sc_partition_part_count(partition);
    const uint32_t segment_count = sc_map_segment_count(sc_partition_map(partition));
    for (sc_seg_id s = 0; s < segment_count; s++) {
        first[sc_partition_home(partition, s) + 1]++;
    }
    for (uint32_t i = 0; i < parts; i++) {
        first[i + 1] += first[i];
    }
    // Filled from behind, so that each start ends up where it was.
    for (sc_seg_id s = segment_count; s-- > 0;) {
        order[--first[sc_partition_home(partition, s) + 1]] = s;
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

sc_err sc_partition_draw(const sc_partition *partition, const sc_partition_report *report,
                         FILE *file, sc_diag *diag)
{
    const sc_map *map = sc_partition_map(partition);
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        return sc_fail(diag, SC_ENOCOORDS,
                       "the map has no coordinates, so GeoJSON cannot show its parts");
    }
    const uint32_t parts = report->parts;
    touching_pairs touching = {0};
    sc_err err = touching_init(&touching, partition);
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
    sort_segments(partition, first, order);
    fprintf(file,
            "{\"type\":\"FeatureCollection\",\"starcloak:coordinates\":\"%s\",\"features\":[\n",
            sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? "geographic" : "planar");
    for (uint32_t i = 0; i < parts; i++) {
        if (i > 0) fputs(",\n", file);
        write_part(file, map, i, &report->each[i], colour[i], order + first[i]);
    }
    fputs("\n]}\n", file);
done:
    touching_fini(&touching);
    sc_free(colour);
    sc_free(taken);
    sc_free(first);
    sc_free(order);
    return err;
}
