/**
 * @file admission.h
 * @brief Parts of admission: checks of limits, profiles and places, ids and pseudonyms, the latest
 * ids.
 */
#ifndef SC_ENGINE_ADMISSION_H
#define SC_ENGINE_ADMISSION_H

#include <starcloak/admit.h>

/**
 * No time and no wait is farther from zero than this, 2^33 seconds or 272 years. So far
 * seconds with six decimals are exact as a double, which is how records are read; and
 * a deadline, or the difference of any two times, fits an sc_time with room left.
 */
#define SC_TIME_FARTHEST ((sc_time)1000000 << 33)

/** For messages, which have 15 digits. */
static inline double sc__in_seconds(sc_time t)
{
    return (double)t * 1e-6;
}

// --- Limits and profiles ---------------------------------------------------------

/** SC_EINVAL if the limits admit nothing, or make no sense. */
SC_CHECKED sc_err sc__limits_check(const sc_limits *limits, sc_diag *diag);

/** SC_EPROFILE if a need is out of range. */
SC_CHECKED sc_err sc__profile_check(const sc_limits *limits, const sc_profile *profile,
                                    sc_diag *diag);

// --- Places -----------------------------------------------------------------------

/**
 * The place on an edge that is so far from its first node. Half a unit of the map beyond an end is
 * that end.
 *
 * @return SC_OK, SC_EUNKNOWN (no such edge), SC_EINVAL (beyond its ends)
 */
SC_CHECKED sc_err sc__place_on_edge(const sc_map *map, sc_edge_id edge, double offset_m,
                                    sc_snap *out, sc_diag *diag);

// --- Ids and pseudonyms ----------------------------------------------------------

/** One key for each use, so that a pseudonym reveals nothing about an id. Wipe when done. */
typedef struct sc__pseudonym_keys {
    uint8_t of_users[SC_KEY_SIZE];
    uint8_t of_queries[SC_KEY_SIZE];
} sc__pseudonym_keys;

/** The id of a query, and the pseudonym of its user. */
typedef struct sc__pseudonyms {
    sc_query_id id;
    uint64_t user;
} sc__pseudonyms;

/** Derive the keys from the one given. libsodium must have been started. */
void sc__pseudonym_keys_derive(const uint8_t key[SC_KEY_SIZE], sc__pseudonym_keys *out);

/** Id and pseudonym of a query that `user` asks at `t`. Two hashes: about half a microsecond. */
sc__pseudonyms sc__pseudonyms_of(const sc__pseudonym_keys *keys, const char *user, size_t user_size,
                                 sc_time t);

// --- Ids of the latest time ------------------------------------------------------

typedef struct sc__recent_id sc__recent_id;

/** The ids put in since the last sc__recent_forget(). Zero-initialise; fini when done. */
typedef struct sc__recent_ids {
    sc__recent_id *slots;
    size_t capacity;  ///< a power of two, or 0
    size_t count;
    uint64_t round;  ///< slots of other rounds are free
} sc__recent_ids;

/** Make room for one more. SC_OK or SC_ENOMEM; then nothing has changed. */
SC_CHECKED sc_err sc__recent_reserve(sc__recent_ids *recent);

/** Whether `id` is among them. */
bool sc__recent_has(const sc__recent_ids *recent, const sc_query_id *id);

/** Put `id` in; it is new, and room was made. */
void sc__recent_put(sc__recent_ids *recent, const sc_query_id *id);

/** Take `id` out again; it is there. */
void sc__recent_remove(sc__recent_ids *recent, const sc_query_id *id);

/** Forget all of them. Takes no time, however many there were. */
void sc__recent_forget(sc__recent_ids *recent);

/** Release the memory; harmless twice. */
void sc__recent_fini(sc__recent_ids *recent);

// --- Admission -------------------------------------------------------------------

/** Admit on another map from now on; ids, pseudonyms and times go on. Borrowed, as the first. */
void sc__admission_move(sc_admission *admission, const sc_map *map);

/** The query that was admitted last, and that could not be used, may be given again. */
void sc__admission_take_back(sc_admission *admission, const sc_query_id *id);

#endif
