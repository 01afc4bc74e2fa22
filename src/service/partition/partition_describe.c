// What a cut is like. See partition.h.
#include "partition/partition_make.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "partition/partition_make_internal.h"

#include <math.h>

static void count_stars(const sc_cut *cut, sc_partition_report *report)
{
    const sc_map *map = sc_cut_map(cut);
    const sc_star *stars = sc_map_stars(map);
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    uint64_t within[SC_PARTITION_HOPS + 1] = {0};
    for (sc_star_id i = 0; i < report->stars; i++) {
        const uint32_t part = sc_cut_part_of_star(cut, i);
        report->each[part].stars++;
        for (uint32_t h = sc_cut_hops_to_other(cut, i); h <= SC_PARTITION_HOPS; h++) {
            within[h]++;
        }
        for (uint32_t j = stars[i].first_neighbour; j < stars[i + 1].first_neighbour; j++) {
            if (neighbours[j] < i) continue;  // each adjacency once
            report->adjacencies++;
            report->cut += sc_cut_part_of_star(cut, neighbours[j]) != part;
        }
    }
    for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
        report->near[h] = (double)within[h] / (double)report->stars;
    }
}

static void weigh_parts(const sc_cut *cut, const sc__scale *scale, sc_partition_report *report)
{
    const uint32_t segment_count = sc_map_segment_count(sc_cut_map(cut));
    for (sc_seg_id s = 0; s < segment_count; s++) {
        sc_partition_part *part = &report->each[sc_cut_home(cut, s)];
        part->segments++;
        part->weight += sc__share(scale, s);
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
static sc_err count_pieces(const sc_cut *cut, sc_partition_report *report)
{
    const sc_map *map = sc_cut_map(cut);
    uint16_t *part = sc_malloc_array(report->stars, sizeof *part);
    uint32_t *label = sc_malloc_array(report->stars, sizeof *label);
    sc_star_id *queue = sc_malloc_array(report->stars, sizeof *queue);
    const bool has_room = part && label && queue;
    if (has_room) {
        report->components = sc__label_pieces(map, NULL, label, queue);
        for (sc_star_id i = 0; i < report->stars; i++) {
            part[i] = (uint16_t)sc_cut_part_of_star(cut, i);
        }
        sc__label_pieces(map, part, label, queue);
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
    return has_room ? SC_OK : SC_ENOMEM;
}

static sc_err count_neighbours(const sc_cut *cut, sc_partition_report *report)
{
    sc__touching touching;
    if (sc__touching_init(&touching, cut)) return SC_ENOMEM;
    for (uint32_t a = 0; a < report->parts; a++) {
        for (uint32_t b = 0; b < report->parts; b++) {
            report->each[a].neighbours += sc__touch(&touching, a, b);
        }
    }
    sc__touching_fini(&touching);
    return SC_OK;
}

sc_err sc_partition_describe(const sc_cut *cut, const double *weights, sc_partition_report *out,
                             sc_diag *diag)
{
    sc__scale scale;
    sc_err err = sc__scale_init(&scale, sc_cut_map(cut), weights, diag);
    if (err) return err;
    sc_partition_report report = {
        .parts = sc_cut_parts(cut),
        .stars = sc_map_star_count(sc_cut_map(cut)),
        .each = sc_calloc(sc_cut_parts(cut), sizeof *report.each),
    };
    err = report.each ? count_pieces(cut, &report) : SC_ENOMEM;
    if (!err) err = count_neighbours(cut, &report);
    if (err) {
        sc_partition_report_fini(&report);
        return sc_fail_memory(diag, "describing a cut");
    }
    count_stars(cut, &report);
    weigh_parts(cut, &scale, &report);
    *out = report;
    return SC_OK;
}

void sc_partition_report_fini(sc_partition_report *report)
{
    sc_free(report->each);
    *report = (sc_partition_report){0};
}
