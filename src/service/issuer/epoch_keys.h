/**
 * @file epoch_keys.h
 * @brief The keys of a token issuer: one for each epoch, made ahead, destroyed when it is over.
 *
 * An issuer counts by its keys (privacy_pass.h), so an epoch has one key, which is on the disk
 * before it is published and never changes. Beside it there is a random key by which the names of
 * accounts are hashed (issued_accounts.h); both go when their epoch ends, so that what was written
 * of accounts says nothing any more.
 *
 * The file has a slot for each key, which is overwritten where it lies: with zeros when the epoch
 * is over, and with the next key. A slot that was half written is not whole by its checksum, and
 * has never been published.
 *
 * A slot of 4,096 bytes: "starcloak issuer key 1\n", epoch and seconds of an epoch as 8 bytes each,
 * most significant first, 32 bytes of the hash key, the secret key as PEM, zeros, and 32 bytes of
 * BLAKE2b of all before.
 */
#ifndef SC_ISSUER_EPOCH_KEYS_H
#define SC_ISSUER_EPOCH_KEYS_H

#include <starcloak/err.h>

#include "oblivious/private_token_http.h"

enum {
    /** Epochs whose keys are published before they begin; in the first half of an epoch one less.
     */
    SC_EPOCH_KEYS_AHEAD = 2,
    SC_EPOCH_HASH_KEY_SIZE = 32,
};

/** Of one thread. */
typedef struct sc_epoch_keys sc_epoch_keys;

/**
 * Open the file, or make it, for its owner alone; and lock it, since two issuers with one file
 * would sign twice. It stays open, so that it can be written to in a sandbox.
 *
 * @return SC_OK, SC_EIO (others may read it, another issuer has it, ...), SC_EPARSE (no such file,
 *         or of epochs of another length), SC_ENOMEM
 */
SC_CHECKED sc_err sc_epoch_keys_open(const char *path, int64_t epoch_s, sc_epoch_keys **out,
                                     sc_diag *diag);

/** NULL is fine. */
void sc_epoch_keys_free(sc_epoch_keys *keys);

/**
 * Destroy keys of epochs that are over, and make those that are missing. To make a key takes some
 * 0.1 s: it is done in the middle of an epoch, and not at its beginning, when accounts ask.
 *
 * @return SC_OK, SC_EIO (a key that cannot be written is not used), SC_ENOMEM
 */
SC_CHECKED sc_err sc_epoch_keys_pass_time(sc_epoch_keys *keys, int64_t now_s, sc_diag *diag);

/** The key of an epoch, and that for hashes; NULL: there is none. */
const sc_pass_key *sc_epoch_keys_at(const sc_epoch_keys *keys, uint64_t epoch);
const uint8_t *sc_epoch_keys_hash_key(const sc_epoch_keys *keys, uint64_t epoch);

/** The directory from the present epoch on. The last one comes first: a client takes the first one
 * whose time has come. */
void sc_epoch_keys_list(const sc_epoch_keys *keys, int64_t now_s, sc_pass_directory *out);

#endif
