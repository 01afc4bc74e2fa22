/**
 * @file replay_store.h
 * @brief What was accepted lately, so that it is accepted once: sealed requests, and used tokens.
 *
 * A relay can send a sealed request again, and the gateway must not act on it twice (RFC
 * 9458, 6.5). What identifies a request is its `enc`, 32 bytes that a client draws for it.
 * Remembering them for as long as a key lives would take memory without bound, so a request also
 * says when it was made (its Date field), and only what is at most `window_s` old or ahead is
 * accepted:
 *
 *  1. A request is refused if its date is farther than window_s from now.
 *  2. It is refused if its identity is remembered. Each is for at least 2 * window_s, so when it is
 *     forgotten its date is too old.
 *  3. When the store is full, everything new is refused until something is forgotten: forgetting
 *     early would let a flood of requests make room for a replay.
 *
 * Identities are kept as 16 bytes of a hash whose key is the store's own, so nobody can prepare
 * collisions. Memory is taken once. Any thread may use a store.
 */
#ifndef SC_OBLIVIOUS_REPLAY_STORE_H
#define SC_OBLIVIOUS_REPLAY_STORE_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_replay_store sc_replay_store;

enum {
    SC_REPLAY_KEY_SIZE = 32,
    SC_REPLAY_CAPACITY_MAX = 1 << 26,
};

/**
 * @param capacity  identities that are remembered at once, 1 to SC_REPLAY_CAPACITY_MAX: what comes
 * in four windows at the highest rate; each takes 64 to 128 bytes
 * @param window_s  1 to 2^31
 * @param key       random; wipe it
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_CHECKED sc_err sc_replay_store_new(size_t capacity, int64_t window_s,
                                      const uint8_t key[SC_REPLAY_KEY_SIZE], sc_replay_store **out);

/** NULL is fine. */
void sc_replay_store_free(sc_replay_store *store);

/**
 * Accept something once.
 *
 * @param date_s  when it says that it was made
 * @return SC_OK, SC_ETIME (rule 1), SC_EDUPLICATE (rule 2), SC_ELIMIT (rule 3)
 */
SC_CHECKED sc_err sc_replay_store_add(sc_replay_store *store, const void *identity, size_t size,
                                      int64_t date_s, int64_t now_s);

/** How many are remembered. */
size_t sc_replay_store_count(sc_replay_store *store);

/**
 * The time of a Date field, "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, 5.6.7), as seconds since
 * 1970. The two obsolete forms are refused. SC_EPARSE.
 */
SC_CHECKED sc_err sc_http_date_parse(const char *text, size_t size, int64_t *out);

#endif
