/**
 * @file made_lines.h
 * @brief Streams of questions in memory: anybody, anywhere on a map, often at the same moment.
 */
#ifndef SC_TESTS_UNIT_SCORE_MADE_LINES_H
#define SC_TESTS_UNIT_SCORE_MADE_LINES_H

#include <stdio.h>

#include "base/rng.h"
#include "record/stream.h"
#include "support/check.h"

typedef struct made_lines {
    sc_request_line *lines;
    size_t count;
    char (*names)[16];
} made_lines;

/** What streams are like. */
typedef struct made_stream {
    uint32_t count;
    uint32_t user_count;
    sc_time longest_gap;  ///< between two questions; 0: all at one moment
    uint32_t most_k;
    uint32_t most_l;
} made_stream;

/** Whether the user of line `i` has asked at that moment already. */
static inline bool made_has_asked(const made_lines *made, uint32_t i, sc_time t)
{
    for (uint32_t j = i; j > 0 && made->lines[j - 1].ask.t == t; j--) {
        if (strcmp(made->names[j - 1], made->names[i]) == 0) return true;
    }
    return false;
}

/** One in eight is asked on no road at all where `has_strays`. Release with made_lines_free(). */
static inline made_lines made_lines_on(const sc_map *map, const made_stream *stream, uint64_t seed,
                                       bool has_strays)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    made_lines made = {.count = stream->count};
    made.lines = test_take(made.count + 1, sizeof *made.lines);
    made.names = test_take(made.count + 1, sizeof *made.names);
    sc_time t = sc_time_from_seconds(-1);
    for (uint32_t i = 0; i < made.count; i++) {
        const uint32_t user = sc_rng_below(&rng, stream->user_count);
        const int size = snprintf(made.names[i], sizeof made.names[i], "u%u", (unsigned)user);
        t += sc_rng_below(&rng, (uint32_t)stream->longest_gap + 1);
        t += made_has_asked(&made, i, t);
        sc_request_line *line = &made.lines[i];
        line->line = i + 1;
        line->request = (sc_request){.type = SC_REQUEST_KNN, .k = 1 + sc_rng_below(&rng, 9)};
        line->ask = (sc_ask){
            .user = made.names[i],
            .user_size = (size_t)size,
            .t = t,
            .is_on_edge = true,
            .edge = sc_rng_below(&rng, sc_map_edge_count(map)),
            .profile = {.k = 1 + sc_rng_below(&rng, stream->most_k),
                        .l = 1 + sc_rng_below(&rng, stream->most_l),
                        .max_hops = 2 + sc_rng_below(&rng, 3),
                        .max_wait_us = sc_time_from_seconds(1 + 9 * sc_rng_unit(&rng))},
            .result_size = line->request.k,
        };
        line->ask.offset_m = sc_map_edge_length_m(map, line->ask.edge) * sc_rng_unit(&rng);
        if (!has_strays || sc_rng_below(&rng, 8) > 0) continue;
        if (sc_rng_below(&rng, 2)) {
            line->ask.edge = sc_map_edge_count(map);
        } else {
            line->ask.is_on_edge = false;
            line->ask.x = NOT_A_NUMBER;
        }
    }
    return made;
}

static inline void made_lines_free(made_lines *made)
{
    free(made->lines);
    free(made->names);
}

/** Whether a line is asked on a road. */
static inline bool made_is_on_road(const sc_map *map, const sc_request_line *line)
{
    return line->ask.is_on_edge && line->ask.edge < sc_map_edge_count(map);
}

#endif
