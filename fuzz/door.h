/**
 * @file door.h
 * @brief What every fuzzer asks, beyond "no crash".
 *
 * A reader that refuses must say so in one line that names its input, and must
 * not blame memory: inputs here are far too small for that. A reader that
 * accepts must give a map that passes its own check and answers every question.
 *
 * Where an input stands for several files, it is one text: a first line of
 * letters (what each fuzzer makes of them stands at its head), then the files,
 * separated by lines of "%%". Each file is copied to memory of exactly its size,
 * so that reading one byte too many is seen.
 */
#ifndef SC_FUZZ_DOOR_H
#define SC_FUZZ_DOOR_H

#include <starcloak/map_info.h>
#include <starcloak/star.h>

#include "import/import_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** Longer inputs are passed over: the time one may take is bounded. */
enum { DOOR_MAX_SIZE = 1 << 16, DOOR_MAX_FILES = 6 };

/** Stop, showing what was promised and not held. */
#define DOOR_PROMISE(condition, text)                                     \
    do {                                                                  \
        if (!(condition)) {                                               \
            fprintf(stderr, "broken promise: %s (%s)\n", text, __func__); \
            abort();                                                      \
        }                                                                 \
    } while (0)

/** The files of one input. */
typedef struct door_files {
    uint8_t *bytes[DOOR_MAX_FILES];  ///< each of exactly its size
    size_t sizes[DOOR_MAX_FILES];
    size_t count;
} door_files;

static inline uint8_t *door_copy(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, data, size);
    return copy;
}

/** Cut the text behind the first line into files; the last takes what is left. */
static inline door_files door_split(const uint8_t *data, size_t size)
{
    static const uint8_t separator[] = {'%', '%', '\n'};
    door_files files = {.count = 0};
    while (files.count < DOOR_MAX_FILES) {
        const uint8_t *stop = size > 0 ? memmem(data, size, separator, sizeof separator) : NULL;
        if (files.count == DOOR_MAX_FILES - 1) stop = NULL;
        const size_t part = stop ? (size_t)(stop - data) : size;
        files.bytes[files.count] = door_copy(data, part);
        files.sizes[files.count++] = part;
        if (!stop) break;
        data += part + sizeof separator;
        size -= part + sizeof separator;
    }
    return files;
}

static inline void door_files_free(door_files *files)
{
    for (size_t i = 0; i < files->count; i++) {
        free(files->bytes[i]);
    }
}

/** A refusal is one line that names one of the inputs; with none given, it need not. */
static inline void door_refused(sc_err err, const sc_diag *diag, const sc_input *inputs,
                                size_t count)
{
    DOOR_PROMISE(err != SC_ENOMEM, "a small input does not take all memory");
    DOOR_PROMISE(diag->message[0] != '\0', "a refusal says why");
    DOOR_PROMISE(!strpbrk(diag->message, "\r\n"), "a refusal is one line");
    bool named = count == 0;
    for (size_t i = 0; i < count; i++) {
        named = named || strstr(diag->message, inputs[i].name);
    }
    DOOR_PROMISE(named, "a refusal names its input");
}

// Positions on and off the roads; what comes back must be on the map.
static inline void door_snap(const sc_map *map)
{
    const uint32_t step = sc_map_node_count(map) / 8 + 1;
    for (sc_node_id v = 0; v < sc_map_node_count(map); v += step) {
        double x = 0.0;
        double y = 0.0;
        if (sc_map_coords(map) != SC_COORDS_NONE) sc_map_node_position(map, v, &x, &y);
        const double limits[] = {0.0, 100.0, HUGE_VAL};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            sc_snap snap;
            if (sc_map_snap(map, x + (double)i * 1e-3, y, limits[i], &snap)) continue;
            DOOR_PROMISE(snap.edge < sc_map_edge_count(map), "a snap is on an edge");
            DOOR_PROMISE(snap.segment == sc_map_edges(map)[snap.edge].segment,
                         "a snap names the segment of its edge");
            sc_map_edge_position(map, snap.edge, snap.offset_m, &x, &y);
        }
    }
}

static inline void door_walk_balls(const sc_map *map)
{
    sc_ball *ball = NULL;
    if (sc_ball_new(map, &ball)) abort();
    const uint32_t step = sc_map_star_count(map) / 8 + 1;
    for (sc_star_id star = 0; star < sc_map_star_count(map); star += step) {
        size_t count = 0;
        const sc_star_id *stars = sc_ball_walk(ball, star, star % 6, &count);
        DOOR_PROMISE(count >= 1 && stars[0] == star, "a ball begins with its own star");
        DOOR_PROMISE(count <= sc_map_star_count(map), "a ball names no star twice");
        DOOR_PROMISE(sc_ball_hops_of(ball, star) == 0, "a star is no hop from itself");
        const uint32_t *hops = sc_ball_hops(ball);
        for (size_t i = 1; i < count; i++) {
            DOOR_PROMISE(hops[i - 1] <= hops[i], "a ball lists the nearest first");
        }
        sc_ball_segment_count(ball);
    }
    sc_ball_free(ball);
}

// Every text is read to its end.
static inline size_t door_read_texts(const sc_map *map)
{
    size_t bytes = strlen(sc_map_source(map));
    for (sc_category_id i = 0; i < sc_map_category_count(map); i++) {
        const char *name = sc_map_category_name(map, i);
        bytes += strlen(name);
        DOOR_PROMISE(sc_map_category_find(map, name) <= i, "a category is found by its name");
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        sc_object_id first = 0;
        sc_object_id last = 0;
        sc_map_segment_objects(map, s, &first, &last);
        for (sc_object_id i = first; i < last; i++) {
            bytes += strlen(sc_map_object_name(map, i));
            bytes += sc_map_objects(map)[i].category;
        }
    }
    return bytes;
}

/** Ask the map everything it can be asked. */
static inline void door_exercise(const sc_map *map)
{
    size_t bytes = 0;
    size_t total = 0;
    for (size_t i = 0; sc_map_table(map, i, &bytes); i++) {
        total += bytes;
    }
    DOOR_PROMISE(total == sc_map_bytes(map), "the tables are the map");
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        DOOR_PROMISE(sc_road_class_name(sc_map_edge_classes(map)[e]) != NULL,
                     "every road class has a name");
        DOOR_PROMISE(sc_map_edge_length_m(map, e) >= 0.0, "a length is never negative");
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        DOOR_PROMISE(sc_map_segment_length_m(map, s) >= 0.0, "a length is never negative");
    }
    door_snap(map);
    door_walk_balls(map);
    door_read_texts(map);
    sc_map_info info;
    DOOR_PROMISE(!sc_map_describe(map, &info), "a map can be described");
}

/** What a reader accepted: finish it, check it, ask it everything. Takes the builder. */
static inline void door_accepted(sc_builder *builder, double max_object_snap_m)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_builder_finish(builder, max_object_snap_m, NULL, &map, NULL, &diag);
    sc_builder_free(builder);
    if (err) {
        door_refused(err, &diag, NULL, 0);
        return;
    }
    if (sc_map_check(map, &diag)) {
        fprintf(stderr, "%s\n", diag.message);
        DOOR_PROMISE(false, "what a reader accepts passes the map's own check");
    }
    door_exercise(map);
    sc_map_free(map);
}

#endif
