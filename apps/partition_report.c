/*
 * The report of a cut: a few numbers, then a table with a row per part.
 */
#include "partition_report.h"

#include <inttypes.h>

#include "base/json_write.h"
#include "format.h"

static const sc_entry meanings[] = {
    {"cut", "Adjacencies of the star graph between two parts, of all."},
    {"balance", "The heaviest part by the mean: 1 is even. By weight it tells how evenly queries "
                "spread if they come as they did, by segments how evenly roads do."},
    {"pieces", "Connected ones of a part. Components that are small beside a part are packed whole "
               "wherever there is room."},
    {"stars near a cut", "Stars with another part within so many hops: queries there may need "
                         "company from several parts."},
    {NULL, NULL},
};

const sc_topic sc_partition_topics[] = {{"Meanings", meanings}, {NULL, NULL}};

// --- For people -----------------------------------------------------------------------------

static void put_row(FILE *stream, const char *label, const char *value, const char *remark)
{
    fprintf(stream, "  %-12s %12s%s%s\n", label, value, remark[0] != '\0' ? "  " : "", remark);
}

static void put_summary(FILE *stream, const sc_partition_report *report)
{
    char number[SC_FORMAT_SIZE];
    char all[SC_FORMAT_SIZE];
    char remark[SC_FORMAT_SIZE + 48];
    put_row(stream, "parts", sc_format_count(number, report->parts), "");
    snprintf(remark, sizeof(remark), "in %s component%s", sc_format_count(all, report->components),
             report->components == 1 ? "" : "s");
    put_row(stream, "stars", sc_format_count(number, report->stars), remark);
    const double share = report->adjacencies > 0
                             ? 100.0 * (double)report->cut_count / (double)report->adjacencies
                             : 0.0;
    snprintf(remark, sizeof(remark), "%.2f %% of %s adjacencies", share,
             sc_format_count(all, report->adjacencies));
    put_row(stream, "cut", sc_format_count(number, report->cut_count), remark);
    put_row(stream, "balance", sc_format_decimal(number, report->balance, 3), "by weight");
    put_row(stream, "", sc_format_decimal(number, report->balance_segments, 3), "by segments");
}

static void put_nearness(FILE *stream, const sc_partition_report *report)
{
    fputs("\nStars near a cut\n  within hops ", stream);
    for (int h = 1; h <= SC_PARTITION_HOPS; h++) {
        fprintf(stream, "%7d", h);
    }
    fputs("\n  %           ", stream);
    for (int h = 1; h <= SC_PARTITION_HOPS; h++) {
        fprintf(stream, "%7.1f", 100.0 * report->near[h]);
    }
    fputc('\n', stream);
}

static void put_parts(FILE *stream, const sc_partition_report *report)
{
    fprintf(stream, "\n  %5s %12s %12s %10s %8s %11s\n", "part", "stars", "segments", "weight %",
            "pieces", "neighbours");
    for (uint32_t i = 0; i < report->parts; i++) {
        const sc_partition_part *part = &report->each[i];
        char stars[SC_FORMAT_SIZE];
        char segments[SC_FORMAT_SIZE];
        fprintf(stream, "  %5" PRIu32 " %12s %12s %10.3f %8" PRIu32 " %11" PRIu32 "\n", i,
                sc_format_count(stars, part->stars), sc_format_count(segments, part->segments),
                100.0 * part->weight, part->pieces, part->neighbours);
    }
}

void sc_partition_view_print(FILE *stream, const sc_partition_view *view)
{
    char number[SC_FORMAT_SIZE];
    sc_print_text(stream, view->output);
    fputs(": a cut of ", stream);
    sc_print_text(stream, view->map);
    if (view->weights) {
        fputs(", weighted by ", stream);
        sc_print_text(stream, view->weights);
    }
    fputc('\n', stream);
    put_summary(stream, view->report);
    put_row(stream, "time", sc_format_seconds(number, view->seconds), "");
    put_nearness(stream, view->report);
    put_parts(stream, view->report);
}

// --- For programs ---------------------------------------------------------------------------

static void put_parts_json(FILE *stream, const sc_partition_report *report)
{
    fputs(",\n \"each\":[", stream);
    for (uint32_t i = 0; i < report->parts; i++) {
        const sc_partition_part *part = &report->each[i];
        fprintf(stream,
                "%s\n  {\"part\":%" PRIu32 ",\"stars\":%" PRIu32 ",\"segments\":%" PRIu32
                ",\"weight\":%.9g,\"pieces\":%" PRIu32 ",\"neighbours\":%" PRIu32 "}",
                i > 0 ? "," : "", i, part->stars, part->segments, part->weight, part->pieces,
                part->neighbours);
    }
    fputs("]}\n", stream);
}

void sc_partition_view_print_json(FILE *stream, const sc_partition_view *view)
{
    const sc_partition_report *report = view->report;
    fputs("{\"output\":", stream);
    sc_json_string(stream, view->output);
    fputs(",\"map\":", stream);
    sc_json_string(stream, view->map);
    fprintf(stream, ",\"map_checksum\":\"%016" PRIx64 "\",\"cut_checksum\":\"%016" PRIx64 "\"",
            sc_map_checksum(sc_partition_map(view->partition)),
            sc_partition_checksum(view->partition));
    fputs(",\n \"weights\":", stream);
    sc_json_string(stream, view->weights ? view->weights : "segments");
    fprintf(stream,
            ",\"seed\":%" PRIu32 ",\"seconds\":%.4f,\n \"parts\":%" PRIu32 ",\"stars\":%" PRIu64
            ",\"components\":%" PRIu32 ",\"adjacencies\":%" PRIu64 ",\"cut\":%" PRIu64
            ",\"balance\":%.9g,\"balance_segments\":%.9g,\n \"near\":[",
            view->seed, view->seconds, report->parts, report->stars, report->components,
            report->adjacencies, report->cut_count, report->balance, report->balance_segments);
    for (int h = 0; h <= SC_PARTITION_HOPS; h++) {
        fprintf(stream, "%s%.9g", h > 0 ? "," : "", report->near[h]);
    }
    fputc(']', stream);
    put_parts_json(stream, report);
}
