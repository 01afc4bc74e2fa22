/**
 * @file token_internal.h
 * @brief What token.c and revoked.c share: keys, names of users, small files.
 */
#ifndef SC_SERVER_TOKEN_INTERNAL_H
#define SC_SERVER_TOKEN_INTERNAL_H

#include <stdatomic.h>
#include <sys/types.h>

#include "base/file.h"
#include "server/revoked.h"
#include "server/token.h"

enum { SC__TOKEN_KEY_SIZE = 32, SC__USER_HASH_SIZE = 16 };

struct sc_token_keys {
    atomic_size_t others;  ///< holders beside the first
    size_t count;
    uint8_t keys[SC_TOKEN_KEYS_MAX][SC__TOKEN_KEY_SIZE];  ///< the first one signs
};

/** Whether these bytes can be a user: 1 to SC_TOKEN_USER_MAX, UTF-8, no control characters. */
bool sc__user_is_name(const char *user, size_t size);

/**
 * Read all of a file into memory of its own; a mapped one would be the end of a service whose
 * operator shortens the file at that moment.
 *
 * @param max_size  of a file that is not by mistake the wrong one
 * @param out       its data is allocated: give it to sc__small_file_free()
 * @param mode      set to the file's permissions; may be NULL
 * @return SC_OK, SC_EIO, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc__small_file_read(const char *path, size_t max_size, sc_input *out,
                                      mode_t *mode, sc_diag *diag);

/** Wipe and free; harmless on a zeroed one. */
void sc__small_file_free(sc_input *file);

/** As sc_token_keys_read() and sc_revoked_read(), from bytes. */
SC_CHECKED sc_err sc__token_keys_parse(const sc_input *input, sc_token_keys **out, sc_diag *diag);
SC_CHECKED sc_err sc__revoked_parse(const sc_input *input, sc_revoked **out, sc_diag *diag);

/** `user` as the list of revoked tokens has it, hashed under key number `key`. */
void sc__user_hash(const sc_token_keys *keys, size_t key, const char *user, size_t size,
                   uint8_t out[SC__USER_HASH_SIZE]);

#endif
