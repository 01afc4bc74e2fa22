/**
 * @file cloak_log.h
 * @brief The cloaks that left, as lines of a file (setting `cloak-log`): what an operator learns a
 * density from, without a position. Readers: src/study/record/cloak_reader.c; docs/records.md.
 *
 *     {"event":"start","t":1795000000,"map":"69ea1661e9c4f52b","traffic":0}
 *     {"event":"cloak","t":1795000012,"segments":[3,4,9],"users":6}
 *
 * Of a cloak the segments, which the provider receives, and the number of its users, which it does
 * not; the second at which it left, and nothing else: no requests, no border nodes, no id.
 *
 * The file is opened to append, by the user that the service has become, and made for that user
 * alone (mode 0600). A thread writes: to add a cloak waits for no disk. Lines are collected
 * for a moment, and each batch is one write of whole lines. What cannot be written, since the disk
 * or the limit of the file is full or too many lines wait for a slow disk, is left out and counted.
 * If a write stops within a line, or the file at its opening does not end with a line (the service
 * was killed), the next batch ends that line and begins with a `start`.
 */
#ifndef SC_API_CLOAK_LOG_H
#define SC_API_CLOAK_LOG_H

#include <starcloak/err.h>
#include <starcloak/map.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** More bytes that wait to be written than this are not taken. */
enum { SC_CLOAK_LOG_WAITING = 4 << 20 };

typedef struct sc_cloak_log_options {
    const char *path;    ///< copied
    uint64_t max_bytes;  ///< of the file; 0: any number
    uint32_t traffic;    ///< that is demanded of cloaks, for `start`; 0: none
} sc_cloak_log_options;

typedef struct sc_cloak_log sc_cloak_log;

/** A log whose file is not open; lines wait. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_cloak_log_new(const sc_cloak_log_options *options, sc_cloak_log **out);

/** Write what waits, if the file is open, close and free; NULL is fine. */
void sc_cloak_log_free(sc_cloak_log *log);

/**
 * Open the file, and the first time start to write. Any later time: what follows goes to the file
 * that has the name now, so that the one before may have been moved away. On failure all stays as
 * it was. Not from two threads at once.
 *
 * @return SC_OK, SC_EIO (cannot be opened, or is no regular file), SC_ENOMEM
 */
SC_CHECKED sc_err sc_cloak_log_open(sc_cloak_log *log, sc_diag *diag);

/** Whether it could be opened by the user of this process, as far as can be told without making it.
 * @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_cloak_log_check(const char *path, sc_diag *diag);

/** Whether others than its user may read the open file, which was there before. */
bool sc_cloak_log_is_shared(sc_cloak_log *log);

/** A cloak has left on the map with this checksum. Where the one before was of another map, a
 * `start` comes between them. Any thread; waits for no file. */
void sc_cloak_log_add(sc_cloak_log *log, uint64_t map_checksum, const sc_seg_id *segments,
                      size_t segment_count, uint32_t users);

typedef struct sc_cloak_log_stats {
    uint64_t written;  ///< cloaks that are in a file
    uint64_t lost;     ///< cloaks that are in none, and will not be
    bool is_failing;   ///< the last batch could not be written, or not all of it
} sc_cloak_log_stats;

/** Any thread. @param why  set to the reason of the last failure if it is failing; may be NULL */
sc_cloak_log_stats sc_cloak_log_stats_of(sc_cloak_log *log, sc_diag *why);

#endif
