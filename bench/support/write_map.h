/**
 * @file write_map.h
 * @brief A map written in each format that StarCloak reads, to be read back.
 *
 * So that readers can be measured at any size, on the same roads.
 */
#ifndef SC_BENCH_WRITE_MAP_H
#define SC_BENCH_WRITE_MAP_H

#include <starcloak/map_import.h>

enum { BENCH_FORMATS = 6, BENCH_MAX_FILES = 2 };

/** One format: how to write it, and the endings of its files. */
typedef struct bench_format {
    const char *name;
    sc_format format;
    const char *endings[BENCH_MAX_FILES];  ///< the first is given to the reader, and the
                                           ///< second too where `reads_both`
    bool reads_both;
    bool (*write)(const sc_map *map, const char *stem);  ///< false: not possible here
} bench_format;

/** The formats; pbf is made by osmium and is left out where that is missing. */
extern const bench_format bench_formats[BENCH_FORMATS];

#endif
