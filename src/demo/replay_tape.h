/**
 * @file replay_tape.h
 * @brief Secret: a run record as it is replayed: its events in order, without users, ready to be
 * shown from any moment on.
 *
 * A record is a stranger's file of any size. It is read once, as a whole, and refused as a whole if
 * anything is wrong with it (run_reader.h); so nothing can go wrong later, in the middle of a
 * replay. What is shown of it goes to a file without a name, the *tape*, that is mapped into
 * memory: the system keeps as much of it there as it likes. Beside it there is a *row* for each
 * second, with what was counted until then and where on the tape the queries begin that wait then:
 * so a seek reads the tape for as long as a query waits.
 *
 * Memory: a row is 96 bytes, and there are 86,400 of them at most. While the record is read,
 * what its reader takes.
 */
#ifndef SC_DEMO_REPLAY_TAPE_H
#define SC_DEMO_REPLAY_TAPE_H

#include <starcloak/engine.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "api/map_display.h"
#include "base/file.h"

// --- Entries -------------------------------------------------------------------------------------

typedef enum sc_tape_kind {
    SC_TAPE_QUERY,
    SC_TAPE_LOSS,   ///< a query ends without a cloak
    SC_TAPE_CLOAK,  ///< and with that all of its members end
} sc_tape_kind;

/** What every entry begins with. */
typedef struct sc_tape_entry {
    sc_time t;      ///< never before that of the entry before
    uint32_t size;  ///< bytes of all of it; the next entry follows
    uint32_t kind;  ///< sc_tape_kind
} sc_tape_entry;

typedef struct sc_tape_query {
    sc_tape_entry entry;
    sc_profile profile;
    uint32_t number;  ///< from 0 on, in the order of the tape, without gaps
    sc_seg_id segment;
    int32_t at[2];  ///< where it was, as sc_position_units()
} sc_tape_query;

enum { SC_TAPE_REASON_SIZE = 20 };

typedef struct sc_tape_loss {
    sc_tape_entry entry;
    uint32_t number;
    bool is_drop;
    char reason[SC_TAPE_REASON_SIZE];  ///< cut to fit
} sc_tape_loss;

typedef struct sc_tape_member {
    sc_time asked;
    uint32_t number;
    char failure[SC_TAPE_REASON_SIZE];  ///< why it was not answered; "": it was
} sc_tape_member;

/** Behind it follow its requests, members, segments and border nodes. */
typedef struct sc_tape_cloak {
    sc_tape_entry entry;
    uint64_t number;  ///< as the record has it
    double wait_s;    ///< of all answered members together; a sum of times may not fit into one
    uint32_t answered_count;
    uint32_t request_count;  ///< different ones
    uint32_t member_count;
    uint32_t segment_count;
    uint32_t border_node_count;
} sc_tape_cloak;

const sc_request *sc_tape_cloak_requests(const sc_tape_cloak *cloak);
const sc_tape_member *sc_tape_cloak_members(const sc_tape_cloak *cloak);
const sc_seg_id *sc_tape_cloak_segments(const sc_tape_cloak *cloak);
const sc_node_id *sc_tape_cloak_border_nodes(const sc_tape_cloak *cloak);

// --- What it looks like at a moment --------------------------------------------------------------

/** Counted since the record's beginning. */
typedef struct sc_replay_counts {
    uint64_t answered;
    uint64_t dropped;  ///< for whatever reason
    uint64_t expired;
    uint64_t infeasible;
    uint64_t failed;
    uint64_t cloaks;
    uint64_t users;  ///< of all cloaks together, as the next
    uint64_t segments;
    double wait_s;  ///< of all answered queries together
} sc_replay_counts;

/** A query that was asked. */
typedef struct sc_replay_query {
    const sc_tape_query *query;  ///< lent by the tape
    uint32_t who;                ///< for the caller; SC_NONE at first
    bool is_open;
} sc_replay_query;

/** Zero-initialise; sc_replay_state_fini(). One thread. */
typedef struct sc_replay_state {
    sc_replay_query *queries;  ///< from the first that is open on, by number, ended ones among them
    size_t begin;              ///< where that stands
    size_t end;
    size_t capacity;
    uint32_t open_count;
    sc_replay_counts counts;
} sc_replay_state;

void sc_replay_state_fini(sc_replay_state *state);

/** The open query of that number; NULL if there is none. */
sc_replay_query *sc_replay_state_find(const sc_replay_state *state, uint32_t number);

/** An entry happens. @return SC_OK, SC_ENOMEM (nothing has changed) */
SC_CHECKED sc_err sc_replay_state_apply(sc_replay_state *state, const sc_tape_entry *entry);

// --- The tape ------------------------------------------------------------------------------------

/** What was counted and what was open at one moment. */
typedef struct sc_replay_row {
    uint64_t next;     ///< where on the tape that begins which comes after it
    uint64_t oldest;   ///< where the first query stands that is open; `next` if none is
    uint64_t pending;  ///< open queries
    sc_replay_counts counts;
} sc_replay_row;

enum { SC_REPLAY_ROWS_MAX = 86400 };

typedef struct sc_tape sc_tape;

/**
 * Read the record at `path` (borrowed; "-" is standard input; xz and gzip are unpacked).
 *
 * @param map   of the run; borrowed, must outlive the tape
 * @param grid  of the map; NULL: it has no coordinates, and all positions are 0, 0
 * @return SC_OK, SC_EPARSE, SC_EMISMATCH and others as sc_run_reader_next(), SC_EINVAL (there is
 *         no query in it), SC_EIO (also: no room for the tape), SC_ENOMEM
 */
SC_CHECKED sc_err sc_tape_open(const sc_map *map, const sc_map_grid *grid, const char *path,
                               sc_tape **out, sc_diag *diag);

/** The same from memory. */
SC_CHECKED sc_err sc_tape_of(const sc_map *map, const sc_map_grid *grid, const sc_input *input,
                             sc_tape **out, sc_diag *diag);

/** NULL is fine. */
void sc_tape_free(sc_tape *tape);

/** When its first event happens, and its end. */
sc_time sc_tape_begin(const sc_tape *tape);
sc_time sc_tape_end(const sc_tape *tape);

/** How many queries are open at once, at most. */
uint32_t sc_tape_peak(const sc_tape *tape);

/** The engine that made the cloaks; NULL if the record does not tell. Lent. */
const sc_engine_options *sc_tape_engine(const sc_tape *tape);

/** The names of categories in requests: the map's own, and one for all others. Lent. */
const sc_vocabulary *sc_tape_vocabulary(const sc_tape *tape);

/** The entry at `place`, 0 or behind another; NULL behind the last. Lent. */
const sc_tape_entry *sc_tape_at(const sc_tape *tape, uint64_t place);

/** How many rows there are, and the moment of one: the first is at the beginning, and they are
 * evenly apart, a second or more. */
size_t sc_tape_row_count(const sc_tape *tape);
const sc_replay_row *sc_tape_row(const sc_tape *tape, size_t row, sc_time *t);

/** The last row that is not after `t`; the first if `t` is before all. */
size_t sc_tape_row_at(const sc_tape *tape, sc_time t);

/**
 * What it looks like at `t`, when all of that moment has happened.
 *
 * @param state  replaced; `who` of all queries is SC_NONE
 * @param next   where the entries after it begin
 * @return SC_OK, SC_ENOMEM (the state is empty then)
 */
SC_CHECKED sc_err sc_tape_seek(const sc_tape *tape, sc_time t, sc_replay_state *state,
                               uint64_t *next);

#endif
