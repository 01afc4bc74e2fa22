// Writing made-up records down, with members in the order in which StarCloak writes them. See
// made_record.h.
#include "support/made_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_time(FILE *out, const char *key, int64_t t_us)
{
    const int64_t size_us = t_us < 0 ? -t_us : t_us;
    fprintf(out, "\"%s\":%s%" PRId64 ".%06" PRId64, key, t_us < 0 ? "-" : "", size_us / 1000000,
            size_us % 1000000);
}

static void write_ids(FILE *out, const char *key, const made_ids *ids)
{
    fprintf(out, ",\"%s\":[", key);
    for (size_t i = 0; i < ids->count; i++) {
        fprintf(out, "%s%" PRIu32, i > 0 ? "," : "", ids->at[i]);
    }
    fputc(']', out);
}

static void write_query(FILE *out, const made_record *record, const made_event *e)
{
    fprintf(out, "\"query\":\"%s\",\"user\":\"%s\",", e->query, e->user);
    write_time(out, "t", e->t_us);
    fprintf(out,
            ",\"edge\":%" PRIu32 ",\"offset_m\":%.4f,\"segment\":%" PRIu32
            ",\"profile\":{\"k\":%" PRIu32 ",\"l\":%" PRIu32 ",\"sigma_s\":%" PRIu32 ",",
            e->edge, e->offset_m, e->segment, e->k, e->l, e->max_hops);
    write_time(out, "sigma_t", e->max_wait_us);
    if (e->nearest > 0) {
        fprintf(out, "},\"request\":{\"type\":\"knn\",\"k\":%" PRIu32, e->nearest);
    } else {
        fprintf(out, "},\"request\":{\"type\":\"range\",\"radius_m\":%.4f", e->radius_m);
    }
    if (e->category == SC_NONE) {
        fprintf(out, ",\"category\":null}");
    } else {
        fprintf(out, ",\"category\":\"%s\"}", sc_map_category_name(record->map, e->category));
    }
}

static void write_cloak(FILE *out, const made_event *e)
{
    fprintf(out, "\"cloak\":%" PRIu64 ",", e->cloak);
    write_time(out, "t", e->t_us);
    write_ids(out, "stars", &e->stars);
    write_ids(out, "segments", &e->segments);
    write_ids(out, "border_nodes", &e->border_nodes);
    fprintf(out, ",\"members\":[");
    for (size_t i = 0; i < e->member_count; i++) {
        fprintf(out, "%s{\"query\":\"%s\"", i > 0 ? "," : "", e->members[i].query);
        if (e->members[i].star != SC_NONE) fprintf(out, ",\"star\":%" PRIu32, e->members[i].star);
        fprintf(out, "%s}", e->member_more ? e->member_more : "");
    }
    fputc(']', out);
}

static void write_answer(FILE *out, const made_event *e)
{
    fprintf(out, "\"query\":\"%s\",\"cloak\":%" PRIu64 ",\"candidates\":31,\"results\":[", e->query,
            e->cloak);
    for (size_t i = 0; i < e->result_count; i++) {
        fprintf(out, "%s{\"poi\":%" PRIu32 ",\"distance_m\":%.4f}", i > 0 ? "," : "",
                e->results[i].poi, e->results[i].distance_m);
    }
    fputc(']', out);
}

char *made_text(const made_record *record, size_t *size)
{
    static const char *const names[] = {"query", "cloak", "drop", "failed", "answer", "end"};
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out) abort();
    for (size_t i = 0; i < record->count; i++) {
        const made_event *e = &record->events[i];
        fprintf(out, "{\"event\":\"%s\",%s", names[e->kind], e->more ? e->more : "");
        if (e->kind == MADE_END) write_time(out, "t", e->t_us);
        if (e->kind == MADE_QUERY) write_query(out, record, e);
        if (e->kind == MADE_CLOAK) write_cloak(out, e);
        if (e->kind == MADE_ANSWER) write_answer(out, e);
        if (e->kind == MADE_DROP || e->kind == MADE_FAILED) {
            fprintf(out, "\"query\":\"%s\",", e->query);
            write_time(out, "t", e->t_us);
            fprintf(out, ",\"reason\":\"%s\"", e->reason);
        }
        fputs("}\n", out);
    }
    if (fclose(out) != 0) abort();
    return text;
}
