/**
 * @file record_write.h
 * @brief Writing a run record: one JSON object per line, in time order (docs/records.md).
 *
 * Records hold users and true positions. They are for simulations and for an
 * operator's explicit, temporary audit; `starcloak verify` reads them.
 *
 * A record appears under its name only when it is whole. Errors of writing are
 * collected and returned by sc_record_close() or sc_record_commit().
 */
#ifndef SC_RECORD_RECORD_WRITE_H
#define SC_RECORD_RECORD_WRITE_H

#include <starcloak/admit.h>
#include <starcloak/cloak.h>
#include <starcloak/continuity.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/relay.h>

#include <stdio.h>

#include "base/text.h"
#include "record/zone_table.h"

/**
 * A user that is not UTF-8, has the character 0 in it or begins with this is written as this and
 * its bytes in hexadecimal: so no two users look alike.
 */
#define SC_RECORD_HEX "hex:"

typedef struct sc_record sc_record;

/** Begin a record at `path` (borrowed; "-" is standard output). */
SC_CHECKED sc_err sc_record_open(const sc_map *map, const char *path, sc_record **out,
                                 sc_diag *diag);

/** The same to a stream, which is borrowed; nothing of it is a file's. sc_record_end() frees it. */
SC_CHECKED sc_err sc_record_begin(const sc_map *map, FILE *stream, sc_record **out);

/** Which engine makes the cloaks (copied); the end will say so. Without this it says nothing. */
void sc_record_engine(sc_record *record, const sc_engine_options *options);

/** What the queries of a run ask beyond l segments. Its tables are borrowed and must outlive the
 * record. */
typedef struct sc_recorded_demands {
    sc_demands demands;
    bool has_continuity;
    sc_continuity_options continuity;  ///< if it has
    const sc_zone_table *zones;        ///< NULL: none
} sc_recorded_demands;

/** Say what is demanded: before the first query if it is anything, with classes and zones. */
void sc_record_demands(sc_record *record, const sc_recorded_demands *demands);

/** A query was admitted. `ask` has the user, the time and the profile. */
void sc_record_query(sc_record *record, const sc_query *query, const sc_ask *ask,
                     const sc_snap *where, const sc_request *request);

/** A cloak was accepted at `t`. Returns its number, from 0. */
uint64_t sc_record_cloak(sc_record *record, const sc_cloak *cloak, sc_time t);

/** A query was dropped; `reason` is its word. */
void sc_record_drop(sc_record *record, const sc_query_id *query, sc_time t, const char *reason);

/** The exact answer to a query. All borrowed. */
typedef struct sc_answered {
    sc_slice query;  ///< its id, as the record has it
    uint64_t cloak;
    size_t candidates;  ///< objects that the provider sent for its request
    const sc_near *results;
    size_t result_count;
    const sc_object_table *table;  ///< what the results' numbers mean
    bool is_foreign;               ///< the objects are the provider's own, not the map's
} sc_answered;

/** A query was answered. Objects of the map are told by number, others by the provider's key. */
void sc_record_answer(sc_record *record, const sc_answered *answered);

/** A query ended without an answer at `t`; `reason` is a word of ours for why. */
void sc_record_failed(sc_record *record, sc_slice query, sc_time t, const char *reason);

/** Lines of another record, with their line ends, as they are. */
void sc_record_lines(sc_record *record, const char *text, size_t size);

/** Write the end to the stream of sc_record_begin(), with the map's checksum and the engine, and
 * free the record. */
void sc_record_end(sc_record *record, sc_time end);

/** Write the end, with the map's checksum and the engine, and bring the file into place. Frees the
 * record in any case. */
SC_CHECKED sc_err sc_record_close(sc_record *record, sc_time end, sc_diag *diag);

/** The same without writing an end: that was among the lines. */
SC_CHECKED sc_err sc_record_commit(sc_record *record, sc_diag *diag);

/** Give up: nothing of it stays. NULL is fine. */
void sc_record_abandon(sc_record *record);

#endif
