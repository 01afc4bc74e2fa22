/**
 * @file densities.h
 * @brief Where densities come from: counted on the roads, counted in a record, learnt from the
 * cloaks of records, or read.
 */
#ifndef SC_APPS_DENSITIES_H
#define SC_APPS_DENSITIES_H

#include <starcloak/density.h>

#include "movement_options.h"

/** How traffic is counted where nothing else is said. */
#define SC_COUNT_SECONDS_DEFAULT 600.0
#define SC_COUNT_STEP_DEFAULT 30.0

/** What is to be counted. */
typedef struct sc_counting {
    sc_movement_settings movement;
    uint64_t seed;
    double seconds;
    double step_s;
} sc_counting;

/** 10,000 travellers on trips, every 30 s for ten minutes. */
sc_counting sc_counting_default(void);

/**
 * Count where travellers are.
 *
 * @param counts  one per segment, zeroed; added to
 * @param crowd   zeroed; to be closed by the caller, who may want to tell of it
 */
SC_CHECKED sc_err sc_count_traffic(const sc_map *map, const sc_counting *counting,
                                   const sc_progress *progress, sc_crowd *crowd, uint64_t *counts,
                                   sc_diag *diag);

/** Count where the questions of the record at `path` were asked. */
SC_CHECKED sc_err sc_count_questions(const sc_map *map, const char *path,
                                     const sc_progress *progress, uint64_t *counts, sc_diag *diag);

/** What sc_count_cloaks() came across. */
typedef struct sc_cloaks_read {
    const char *balanced;  ///< the first file with cloaks of which traffic was demanded, which were
                           ///< made so that they tell little of it; NULL if there is none
    uint64_t cut_lines;    ///< that a service could not finish, and were left out
} sc_cloaks_read;

/**
 * Learn from the cloaks of all these logs and records (record/cloak_reader.h), which are of this
 * map, how many users were likely on each segment: from their segments and their numbers of users,
 * from no position.
 *
 * @param counts  one per segment; set
 */
SC_CHECKED sc_err sc_count_cloaks(const sc_map *map, const char *const *paths, size_t path_count,
                                  const sc_progress *progress, uint64_t *counts,
                                  sc_cloaks_read *read, sc_diag *diag);

/**
 * The density that `name` means: "uniform", "traffic" (counted as sc_counting_default() says, with
 * `seed`) or a table to read.
 *
 * @param out  NULL for uniform
 */
SC_CHECKED sc_err sc_density_by_name(const sc_map *map, const char *name, uint64_t seed,
                                     const sc_progress *progress, sc_density **out, sc_diag *diag);

#endif
