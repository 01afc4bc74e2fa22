/**
 * @file cloak_reader.h
 * @brief Cloaks without their members: of each its segments and how many it hides.
 *
 * Reads the cloak log of a service (api/cloak_log.h), a run record, and what is left of a record
 * when lines or fields with users and positions are taken out. Of queries, answers and zones no
 * field is looked at. A file is a stranger's: what is missing, of the wrong kind or not of this map
 * is refused with file and line.
 *
 * A service that is killed leaves a line that is cut off. In a cloak log such a line is left out
 * and counted, if it is the last one or the service has started again behind it. Anywhere else it
 * is damage, and refused.
 *
 * Memory: the line at hand.
 */
#ifndef SC_RECORD_CLOAK_READER_H
#define SC_RECORD_CLOAK_READER_H

#include <starcloak/map.h>

#include "base/file.h"

/** A cloak; all is lent until the next is read. */
typedef struct sc_seen_cloak {
    const sc_seg_id *segments;  ///< ascending, each once, one at least
    size_t segment_count;
    uint32_t user_count;  ///< `users` of a log, the members of a record; one at least
} sc_seen_cloak;

typedef struct sc_cloak_reader sc_cloak_reader;

/**
 * Open the file at `path` (borrowed; "-" is standard input; xz and gzip are unpacked).
 *
 * @param map  that the cloaks are of; borrowed
 * @return SC_OK, SC_ENOMEM, or as sc_line_reader_open()
 */
SC_CHECKED sc_err sc_cloak_reader_open(const sc_map *map, const char *path, sc_cloak_reader **out,
                                       sc_diag *diag);

/** The same from memory (borrowed, also where `input` points to). */
SC_CHECKED sc_err sc_cloak_reader_of(const sc_map *map, const sc_input *input,
                                     sc_cloak_reader **out, sc_diag *diag);

/** NULL is fine. */
void sc_cloak_reader_free(sc_cloak_reader *reader);

/**
 * The next cloak.
 *
 * @param cloak  its `segments` are NULL behind the last one
 * @return SC_OK, SC_EIO, SC_EPARSE (no such file, or a record that is cut short), SC_EMISMATCH (of
 *         another map), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_cloak_reader_next(sc_cloak_reader *reader, sc_seen_cloak *cloak,
                                       sc_diag *diag);

/** The largest `traffic` that was demanded of cloaks so far (docs/demands.md); 0: none was. */
uint32_t sc_cloak_reader_traffic(const sc_cloak_reader *reader);

/** Lines so far that were cut off, and left out. */
uint64_t sc_cloak_reader_cut_lines(const sc_cloak_reader *reader);

/** Lines so far. */
uint64_t sc_cloak_reader_lines(const sc_cloak_reader *reader);

/** What messages call the file: its path, or standard input. */
const char *sc_cloak_reader_name(const sc_cloak_reader *reader);

/** How many bytes have been read; *total is 0 if it is not known how many there are. */
uint64_t sc_cloak_reader_passed(const sc_cloak_reader *reader, uint64_t *total);

#endif
