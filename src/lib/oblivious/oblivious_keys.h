/**
 * @file oblivious_keys.h
 * @brief The keys of a gateway of Oblivious HTTP: which are published, which are still honoured,
 * and when the next one begins.
 *
 * A key has three times. It is published from `from_s` until `until_s`, when the next one takes
 * over, and requests for it are opened until `end_s`, for clients that fetched it before. Then its
 * seed is forgotten, and with it what was ever sealed for it can no longer be opened: seeds are
 * random, none can be computed from another. So how long a period is decides how much of a
 * recording a stolen file opens.
 *
 *     key 7   |---- published ----|-- honoured --|
 *     key 8               made |..|---- published ----|-- honoured --|
 *
 * The next key is made a while before it is published, so that all gateways that share a file can
 * have read it by then. All clients are given the same list at the same time: a key of its own
 * would mark a client (RFC 9458, section 7).
 *
 * A set of keys never changes, and any thread may read it. Rotating makes a new one.
 */
#ifndef SC_OBLIVIOUS_OBLIVIOUS_KEYS_H
#define SC_OBLIVIOUS_OBLIVIOUS_KEYS_H

#include "oblivious/oblivious_http.h"

enum {
    SC_OHTTP_KEYS_MAX = 16,  ///< of a set; a rotation needs three
    SC_OHTTP_SEED_SIZE = 32,
    SC_OHTTP_KEYS_LIST_MAX = SC_OHTTP_KEYS_MAX * (2 + SC_OHTTP_CONFIG_SIZE),
    SC_OHTTP_KEYS_TEXT_MAX = 4096,  ///< of a file
};

/** Seeds and times of a gateway's keys. Secret. */
typedef struct sc_ohttp_keys sc_ohttp_keys;

/** How keys follow each other. */
typedef struct sc_ohttp_rotation {
    int64_t period_s;  ///< how long each is published; at least 1
    int64_t grace_s;  ///< how long it is honoured after that, and how long before its turn the next
                      ///< one is made; 0 to period_s
} sc_ohttp_rotation;

/**
 * The keys that there must be at `now_s`: those of `old` that are still honoured, and the next one
 * if its time has come. Call it at any interval shorter than grace_s.
 *
 * @param old   or NULL: the first key is published at once
 * @param seed  32 random bytes, for the key that may be made; wipe them
 * @param out   set on success; free with sc_ohttp_keys_free()
 * @param made  whether there is a new key in it, so that it must be stored and published
 * @return SC_OK, SC_EINVAL (rotation out of range), SC_ELIMIT (more keys than SC_OHTTP_KEYS_MAX are
 *         still honoured), SC_ENOMEM
 */
SC_CHECKED sc_err sc_ohttp_keys_rotate(const sc_ohttp_keys *old, int64_t now_s,
                                       const sc_ohttp_rotation *rotation,
                                       const uint8_t seed[SC_OHTTP_SEED_SIZE], sc_ohttp_keys **out,
                                       bool *made);

/** Wipes. NULL is fine. */
void sc_ohttp_keys_free(sc_ohttp_keys *keys);

/** How many there are, honoured or not yet published ones included. */
size_t sc_ohttp_keys_count(const sc_ohttp_keys *keys);

/**
 * The list to publish at `now_s`: the keys whose turn it is. If there is none, since rotation is
 * late, the last one that is still honoured. Returns its size, 0: there is none.
 *
 * @param until_s  until when clients may keep it, if not NULL
 */
size_t sc_ohttp_keys_list(const sc_ohttp_keys *keys, int64_t now_s,
                          uint8_t out[SC_OHTTP_KEYS_LIST_MAX], int64_t *until_s);

/**
 * Open a request with the key that it names.
 *
 * @return as sc_ohttp_open_request(); SC_EUNKNOWN also for a key that has ended. The client should
 *         fetch keys again then (SC_OHTTP_KEY_PROBLEM).
 */
SC_CHECKED sc_err sc_ohttp_keys_open(const sc_ohttp_keys *keys, int64_t now_s, const uint8_t *bytes,
                                     size_t size, uint8_t *out, size_t *out_size,
                                     sc_ohttp_exchange *exchange);

// --- Files ---------------------------------------------------------------------------------------
//
// A line that says what it is, "starcloak-ohttp-keys-1", then one for each key: its number, its
// three times in seconds since 1970, and its seed in base64url.

/** Write them as text that ends with a line break. Returns its size; wipe it. */
size_t sc_ohttp_keys_print(const sc_ohttp_keys *keys, char out[SC_OHTTP_KEYS_TEXT_MAX]);

/** Read such a text. `name` is for errors, which repeat nothing of it. SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_ohttp_keys_parse(const char *name, const char *text, size_t size,
                                      sc_ohttp_keys **out, sc_diag *diag);

/** Read a file, which none but its owner and a group may read, and its owner alone may write.
 * SC_EIO, SC_EUNKNOWN (there is no such file), SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_ohttp_keys_read(const char *path, sc_ohttp_keys **out, sc_diag *diag);

/** Write a file for its owner alone (0600), which appears whole or not at all. SC_EIO, SC_ENOMEM.
 */
SC_CHECKED sc_err sc_ohttp_keys_write(const char *path, const sc_ohttp_keys *keys, sc_diag *diag);

#endif
