/**
 * @file tokens.h
 * @brief A token for each traveller: issued here with the service's own key, by somebody who has
 * it, or read from a file.
 *
 * Uses: guard/token. Used by: client/flock, demo, starcloak load.
 */
#ifndef SC_CLIENT_TOKENS_H
#define SC_CLIENT_TOKENS_H

#include <starcloak/err.h>
#include <stdint.h>

typedef struct sc_tokens sc_tokens;

/**
 * Issue tokens to "load-1", "load-2", ..., valid for `seconds` from now.
 *
 * @param key_path  the service's key file (guard/token.h)
 * @return as sc_token_keys_read(), or SC_ENOMEM
 */
SC_CHECKED sc_err sc_tokens_issue(const char *key_path, uint32_t count, double seconds,
                                  sc_tokens **out, sc_diag *diag);

/** Writes the token of traveller `i`, from 0 on, to `out`, which has room for SC_TOKEN_SIZE. */
typedef sc_err (*sc_token_issuer)(void *context, uint32_t i, char *out, sc_diag *diag);

/** Have each issued by `issue`. @return SC_OK, SC_ENOMEM, or what `issue` failed with */
SC_CHECKED sc_err sc_tokens_gather(uint32_t count, sc_token_issuer issue, void *context,
                                   sc_tokens **out, sc_diag *diag);

/**
 * Read them, one per line; empty lines and lines that begin with # are passed over.
 *
 * @param count  how many are needed; the file may have more
 * @return SC_OK, SC_EIO, SC_EPARSE (with the line; never quotes a token), SC_EINVAL (too few),
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc_tokens_read(const char *path, uint32_t count, sc_tokens **out, sc_diag *diag);

/** Wipe and free; NULL is fine. */
void sc_tokens_free(sc_tokens *tokens);

/** The token of traveller `i`; lent. Any thread. */
const char *sc_tokens_at(const sc_tokens *tokens, uint32_t i);

#endif
