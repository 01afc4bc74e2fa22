/**
 * @file issued_accounts.h
 * @brief Which accounts have their token of the present epoch: as keyed hashes, on the disk before
 *        anything is signed.
 *
 * A record of 48 bytes: the epoch (8, most significant first), a hash of the account (16) and one
 * of what it asked for (16), both keyed by the epoch's hash key (epoch_keys.h), and a check (8),
 * keyed too. A new epoch begins at the beginning of the file again; what is left of the one before
 * can then be read by nobody, since its key is gone.
 *
 * An account that asks for the same signature again, since a reply was lost, gets the same one:
 * blind RSA signs deterministically, so that is no second token.
 */
#ifndef SC_ISSUER_ISSUED_ACCOUNTS_H
#define SC_ISSUER_ISSUED_ACCOUNTS_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Of one thread. */
typedef struct sc_issued_accounts sc_issued_accounts;

/** Open the file, or make it, for its owner alone. SC_EIO, SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_issued_accounts_open(const char *path, size_t max_accounts,
                                          sc_issued_accounts **out, sc_diag *diag);

/** NULL is fine. */
void sc_issued_accounts_free(sc_issued_accounts *issued);

/** An epoch begins, or goes on after a restart: then its accounts are read. SC_EIO, SC_ENOMEM.
 * `hash_key` is copied. */
SC_CHECKED sc_err sc_issued_accounts_begin(sc_issued_accounts *issued, uint64_t epoch,
                                           const uint8_t *hash_key, sc_diag *diag);

/**
 * Take down that an account gets a signature.
 *
 * @return SC_OK (it may be signed), SC_EDUPLICATE (it had another one), SC_ELIMIT (too many
 *         accounts), SC_EIO (it cannot be written, so it must not be signed), SC_ENOMEM
 */
SC_CHECKED sc_err sc_issued_accounts_add(sc_issued_accounts *issued, const char *account,
                                         size_t account_size, const uint8_t *request,
                                         size_t request_size);

/** How many there are. */
size_t sc_issued_accounts_count(const sc_issued_accounts *issued);

#endif
