/**
 * @file bench.h
 * @brief What the benchmarks share: CPU time, repetition, tables.
 *
 * Absolute times mean little on shared machines, so benchmarks compare: two
 * ways in one run, or one way at growing sizes. Times are CPU time of the
 * process, user and system together; the least of several runs stands.
 */
#ifndef SC_BENCH_BENCH_H
#define SC_BENCH_BENCH_H

#include <starcloak/map.h>

/** CPU seconds of this process so far. */
double bench_cpu_s(void);

/** The map at `path`, or the end of the program with a message. */
sc_map *bench_open(const char *path);

/** The least CPU time that opening (and freeing) the map at `path` took in `runs` runs. */
double bench_open_s(const char *path, int runs);

/** End the program with a message. */
_Noreturn void bench_die(const char *what, const char *why);

/** A position near a random road of `map`, as travellers' positions are: within about 30 m. */
void bench_position(const sc_map *map, uint64_t *seed, double *x, double *y);

/** A pseudo-random number; advances `seed`. */
uint64_t bench_random(uint64_t *seed);

/** The name of a map's file without directory and ending; valid until the next call. */
const char *bench_name(const char *path);

/** Bytes of a file, 0 if there is none. */
double bench_file_bytes(const char *path);

#endif
