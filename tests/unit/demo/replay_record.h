/**
 * @file replay_record.h
 * @brief Small run records for tests of the replay, written line by line.
 *
 *     script s = script_new(map);
 *     script_query(&s, 0, 1.5, edge);             // query 0, at 1.5 s
 *     script_cloak(&s, 0, 2.0, (const unsigned[]){0, 1}, 2);
 *     script_end(&s, 10);
 *     const char *path = place_write(&p, "run.jsonl", s.text, s.size);
 */
#ifndef SC_TESTS_UNIT_DEMO_REPLAY_RECORD_H
#define SC_TESTS_UNIT_DEMO_REPLAY_RECORD_H

#include <starcloak/map.h>

#include <inttypes.h>
#include <stdio.h>

#include "support/check.h"

enum { SCRIPT_QUERIES = 4096, SCRIPT_ROOM = 4 << 20 };

typedef struct script {
    const sc_map *map;
    char *text;
    size_t size;
    sc_seg_id *segments;  ///< by query
} script;

static inline script script_new(const sc_map *map)
{
    return (script){.map = map,
                    .text = test_take(SCRIPT_ROOM, 1),
                    .segments = test_take(SCRIPT_QUERIES, sizeof(sc_seg_id))};
}

static inline void script_free(script *s)
{
    free(s->text);
    free(s->segments);
}

__attribute__((format(printf, 2, 3))) static inline void script_put(script *s, const char *format,
                                                                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(s->text + s->size, SCRIPT_ROOM - s->size, format, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < SCRIPT_ROOM - s->size);
    s->size += (size_t)size;
}

/** Query `number` by a user of its own, in the middle of an edge. */
static inline void script_query(script *s, unsigned number, double t, sc_edge_id edge)
{
    assert_true(number < SCRIPT_QUERIES);
    s->segments[number] = sc_map_edges(s->map)[edge].segment;
    script_put(s,
               "{\"event\":\"query\",\"query\":\"q%u\",\"user\":\"secret%u\",\"t\":%.6f,"
               "\"edge\":%u,\"offset_m\":%.6f,\"segment\":%u,"
               "\"profile\":{\"k\":2,\"l\":2,\"sigma_s\":3,\"sigma_t\":10.000000},"
               "\"request\":{\"type\":\"knn\",\"k\":%u,\"category\":null}}\n",
               number, number, t, edge, sc_map_edge_length_m(s->map, edge) / 2, s->segments[number],
               number % 2 + 1);
}

static inline int script_compare(const void *a, const void *b)
{
    const sc_seg_id left = *(const sc_seg_id *)a;
    const sc_seg_id right = *(const sc_seg_id *)b;
    return (left > right) - (left < right);
}

/** A cloak of the segments of its members. */
static inline void script_cloak(script *s, unsigned number, double t, const unsigned *members,
                                size_t count)
{
    sc_seg_id segments[64] = {0};
    assert_true(count > 0 && count <= 64);
    for (size_t i = 0; i < count; i++) {
        segments[i] = s->segments[members[i]];
    }
    qsort(segments, count, sizeof *segments, script_compare);
    script_put(s, "{\"event\":\"cloak\",\"cloak\":%u,\"t\":%.6f,\"stars\":[],\"segments\":[",
               number, t);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && segments[i] == segments[i - 1]) continue;
        script_put(s, "%s%u", i > 0 ? "," : "", segments[i]);
    }
    script_put(s, "],\"border_nodes\":[0],\"members\":[");
    for (size_t i = 0; i < count; i++) {
        script_put(s, "%s{\"query\":\"q%u\"}", i > 0 ? "," : "", members[i]);
    }
    script_put(s, "]}\n");
}

/** `event` is drop or failed. */
static inline void script_loss(script *s, const char *event, unsigned number, double t,
                               const char *reason)
{
    script_put(s, "{\"event\":\"%s\",\"query\":\"q%u\",\"t\":%.6f,\"reason\":\"%s\"}\n", event,
               number, t, reason);
}

static inline void script_end(script *s, double t)
{
    script_put(s, "{\"event\":\"end\",\"t\":%.6f,\"map\":\"%016" PRIx64 "\"}\n", t,
               sc_map_checksum(s->map));
}

#endif
