/**
 * @file token.h
 * @brief Bearer tokens: a user and an expiry time; signed, so that no user can ask as another.
 *
 * A token is "sct1_" and, in base64url without padding, these bytes:
 *
 *     issued (8, seconds since 1970, least byte first)  expires (8)  serial (8, random)
 *     user (1 to 64 bytes)  tag (16: keyed BLAKE2b of "sct1" and all before)
 *
 * Keyed BLAKE2b and not Ed25519: the checker of tokens is the service that is trusted
 * with positions anyway, and checking takes less than a microsecond instead of a hundred.
 *
 * Key files hold one key per line, 64 hexadecimal digits; lines that begin with # are comments. The
 * first key signs, all of them are accepted, so that keys can be changed without a gap. They must
 * be readable by their owner (and group) alone.
 */
#ifndef SC_GUARD_TOKEN_H
#define SC_GUARD_TOKEN_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SC_TOKEN_USER_MAX = 64,
    SC_TOKEN_SIZE = 160,  ///< room for the longest token, with its NUL
    SC_TOKEN_KEYS_MAX = 8,
};

/** Keys that sign and check. Read by any thread. */
typedef struct sc_token_keys sc_token_keys;

/**
 * @return SC_OK, SC_EIO (cannot be read, or others may read it too: `diag` has the remedy),
 *         SC_EPARSE (with the line; never quotes a key), SC_ENOMEM
 */
SC_CHECKED sc_err sc_token_keys_read(const char *path, sc_token_keys **out, sc_diag *diag);

/** One new random key that no file has, for a service that is only tried out. */
SC_CHECKED sc_err sc_token_keys_new(sc_token_keys **out);

/** Write a new key file with one random key, for its owner's eyes (0600). Never replaces a file. */
SC_CHECKED sc_err sc_token_keys_write(const char *path, sc_diag *diag);

/** Hold them once more; returns them. Any thread. */
sc_token_keys *sc_token_keys_hold(sc_token_keys *keys);

/** Give them back; the last call wipes and frees them. NULL is fine. Any thread. */
void sc_token_keys_free(sc_token_keys *keys);

/** How many there are. */
size_t sc_token_keys_count(const sc_token_keys *keys);

/**
 * Derive another key from key number `key`, for a use of its own: what is made with it says nothing
 * of the key.
 *
 * @param use   eight letters that name the use
 * @param part  one of several keys for that use
 * @param size  16 to 64 bytes
 */
void sc_token_keys_derive(const sc_token_keys *keys, size_t key, const char use[8], uint64_t part,
                          uint8_t *out, size_t size);

/** The content of a token. */
typedef struct sc_token {
    int64_t issued_s;   ///< seconds since 1970
    int64_t expires_s;  ///< from this second on it is no longer valid
    uint64_t serial;    ///< random; what a single token is revoked by
    bool is_of_epoch;   ///< who has it is another user from expires_s on (pass_issuer.h)
    size_t user_size;
    char user[SC_TOKEN_USER_MAX + 1];  ///< ended by NUL; UTF-8 without control characters
} sc_token;

/**
 * Write a token with a new serial.
 *
 * @param user  1 to SC_TOKEN_USER_MAX bytes of UTF-8 without control characters
 * @return SC_OK, SC_EINVAL (a user that cannot be, or an end that is not after the beginning)
 */
SC_CHECKED sc_err sc_token_issue(const sc_token_keys *keys, const char *user, int64_t issued_s,
                                 int64_t expires_s, char out[SC_TOKEN_SIZE], sc_diag *diag);

/**
 * Check the signature and read; in the same time for all bytes of a tag. Whether it has expired or
 * was revoked is for the caller to see.
 *
 * @return SC_OK, SC_EPARSE (not a token), SC_EBROKEN (not signed by one of these keys)
 */
SC_CHECKED sc_err sc_token_check(const sc_token_keys *keys, const char *text, sc_token *out);

/**
 * The content of a token, without checking its signature: to show it, never to admit a client.
 *
 * @return SC_OK, SC_EPARSE
 */
SC_CHECKED sc_err sc_token_read(const char *text, sc_token *out);

#endif
