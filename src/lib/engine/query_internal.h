/**
 * @file query_internal.h
 * @brief What admission is made of: checks of needs, keyed hashes, and who was here just now.
 *
 * For: this folder and its tests.
 */
#ifndef SC_QUERY_QUERY_INTERNAL_H
#define SC_QUERY_QUERY_INTERNAL_H

#include <starcloak/admit.h>

/**
 * No time and no wait is farther from zero than this, 2^33 seconds or 272 years. So far
 * seconds with six decimals are exact as a double, which is how records are read; and
 * a deadline, or the difference of any two moments, fits an sc_time with room left.
 */
#define SC_TIME_FARTHEST ((sc_time)1000000 << 33)

/** As people read times; for messages, with 15 digits. */
static inline double sc__in_seconds(sc_time t)
{
    return (double)t * 1e-6;
}

// --- Needs (profile.c) ---------------------------------------------------------

/** SC_EINVAL if the limits admit nothing, or make no sense. */
SC_CHECKED sc_err sc__limits_check(const sc_limits *limits, sc_diag *diag);

/** SC_EPROFILE if a need is out of range. */
SC_CHECKED sc_err sc__profile_check(const sc_limits *limits, const sc_profile *profile,
                                    sc_diag *diag);

// --- Names (id.c) --------------------------------------------------------------

/** One key for each use, so that a pseudonym says nothing about an id. Wipe when done. */
typedef struct sc_name_keys {
    uint8_t of_users[SC_KEY_SIZE];
    uint8_t of_queries[SC_KEY_SIZE];
} sc_name_keys;

/** What a query is called: the id it has, and the pseudonym of whoever asked it. */
typedef struct sc_name {
    sc_query_id id;
    uint64_t user;
} sc_name;

/** Derive the keys from the one given. libsodium must have been started. */
void sc__name_keys_derive(const uint8_t key[SC_KEY_SIZE], sc_name_keys *out);

/** The name of a query that `user` asks at `t`. Two hashes: about half a microsecond. */
sc_name sc__name_of(const sc_name_keys *keys, const char *user, size_t user_size, sc_time t);

// --- Who was here at this very moment (recent.c) -------------------------------

typedef struct sc_recent_slot sc_recent_slot;

/** The ids put in since the last sc__recent_forget(). Zero-initialise; fini when done. */
typedef struct sc_recent {
    sc_recent_slot *slots;
    size_t capacity;  ///< a power of two, or 0
    size_t count;
    uint64_t round;  ///< slots of other rounds are free
} sc_recent;

/** Make room for one more. SC_OK or SC_ENOMEM; then nothing has changed. */
SC_CHECKED sc_err sc__recent_reserve(sc_recent *recent);

/** Whether `id` is among them. */
bool sc__recent_has(const sc_recent *recent, const sc_query_id *id);

/** Put `id` in; it is new, and room was made. */
void sc__recent_put(sc_recent *recent, const sc_query_id *id);

/** Forget all of them. Takes no time, however many there were. */
void sc__recent_forget(sc_recent *recent);

/** Release the memory; harmless twice. */
void sc__recent_fini(sc_recent *recent);

#endif
