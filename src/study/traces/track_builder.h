/**
 * @file track_builder.h
 * @brief Fixes come in as files have them, and go out as tracks.
 *
 * A file may tell of all travellers at one moment and then of the next moment (FCD, Brinkhoff), or
 * of one traveller after the other. So each track gathers its fixes by itself, and when all are in,
 * they are put in order and moved together.
 *
 *  1. A *traveller* is a kind and an id. A vehicle and a person may share an id and are two.
 *  2. A traveller has one track after the other, and at most one that takes fixes.
 *  3. A track has at least one fix: the first one makes it.
 *
 * Uses: base. Used by: the readers beside it, traces.c.
 */
#ifndef SC_TRACES_TRACK_BUILDER_H
#define SC_TRACES_TRACK_BUILDER_H

#include "traces/traces.h"

#include "base/names.h"
#include "base/text.h"

/** Ids are a few letters; what is longer is no id. */
#define SC__TRACE_MAX_ID 255

typedef enum sc__trace_kind { SC__TRACE_VEHICLE = 'v', SC__TRACE_PERSON = 'p' } sc__trace_kind;

typedef struct sc__traveller {
    size_t key;      ///< where its kind and its id begin in `texts`
    uint32_t track;  ///< that takes its fixes, or UINT32_MAX
} sc__traveller;

typedef struct sc__open_track {
    sc_fix *fixes;  ///< as they came
    size_t count;
    size_t capacity;
    uint32_t traveller;
} sc__open_track;

/** sc__tracks_init(), then sc__tracks_fini() in any case. It must not be moved meanwhile. */
typedef struct sc__tracks {
    sc_diag *diag;   ///< borrowed; may be NULL
    size_t most;     ///< fixes there may be, and travellers
    sc_names names;  ///< the traveller of each key
    char *texts;     ///< keys, each ended by NUL
    size_t texts_size;
    size_t texts_capacity;
    sc__traveller *travellers;
    size_t traveller_count;
    size_t traveller_capacity;
    sc__open_track *tracks;
    size_t track_count;
    size_t track_capacity;
    size_t fix_count;
} sc__tracks;

/** What was gathered, put together: memory that tracks and their names point into. */
typedef struct sc__gathered {
    sc_track *tracks;  ///< by name; no two are equal
    size_t track_count;
    sc_fix *fixes;
    size_t fix_count;
    size_t same_time_count;
    char *texts;
    char *more_texts;
} sc__gathered;

void sc__tracks_init(sc__tracks *tracks, sc_diag *diag);

/** Harmless twice. */
void sc__tracks_fini(sc__tracks *tracks);

/** What is wrong with an id, to follow "field 'id' "; NULL if nothing is. */
const char *sc__trace_id_problem(sc_slice id);

/** The traveller with that id, which has no problem; it need not be known before. */
SC_CHECKED sc_err sc__tracks_traveller(sc__tracks *tracks, sc__trace_kind kind, sc_slice id,
                                       uint32_t *out);

/** It was here; the numbers are finite. */
SC_CHECKED sc_err sc__tracks_add(sc__tracks *tracks, uint32_t traveller, sc_fix fix);

/** The next fix of that traveller begins another track. */
void sc__tracks_part(sc__tracks *tracks, uint32_t traveller);

/**
 * Put fixes in order of time and tracks in order of their names. Names that are equal so far (an id
 * used again, a person called like a vehicle) get "/2", "/3", ... in the order in which they came.
 *
 * @param tracks  left without tracks, also on failure
 * @param out     its parts are the caller's to free
 */
SC_CHECKED sc_err sc__tracks_finish(sc__tracks *tracks, sc__gathered *out);

void sc__gathered_fini(sc__gathered *gathered);

#endif
