/**
 * @file revoked.h
 * @brief Tokens that are no longer good, from a text file that an operator can read.
 *
 * One line each; comments begin with #:
 *
 *     serial 1f2e3d4c5b6a7988 until 1790000000
 *     user 0123456789abcdef0123456789abcdef before 1780000000
 *
 * The first is a single token, with the second when it would have expired; the other all tokens of
 * a user that were issued before that second. A user stands there as a hash under the token key
 * that was the first when the line was written, so the file has no names of users; it is looked for
 * under all keys, so a line holds as long as its key is accepted. Lines of single tokens that have
 * expired are dropped when the file is written again.
 */
#ifndef SC_GUARD_REVOKED_H
#define SC_GUARD_REVOKED_H

#include "server/token.h"

/** A list that never changes; read by any thread. */
typedef struct sc_revoked sc_revoked;

/** @param path  NULL, or a file that does not exist: nothing is revoked
 *  @return SC_OK, SC_EIO, SC_EPARSE (with the line), SC_ELIMIT, SC_ENOMEM */
SC_CHECKED sc_err sc_revoked_read(const char *path, sc_revoked **out, sc_diag *diag);

/** NULL is fine. */
void sc_revoked_free(sc_revoked *revoked);

size_t sc_revoked_count(const sc_revoked *revoked);

/** Whether `token` was revoked. Takes a look-up, not a search. */
bool sc_revoked_has(const sc_revoked *revoked, const sc_token_keys *keys, const sc_token *token);

/**
 * Add to the file at `path`, which is made if there is none and replaced as a whole otherwise;
 * lines of tokens that expired before `now_s` are dropped, comments stay. What stands there already
 * is not added again. Another process that adds at the same time waits.
 *
 * @param token  NULL, if a user is given
 * @param user   NULL: the single token; else all of this user's that were issued up to now_s
 * @return SC_OK, SC_EINVAL (a user that cannot be), SC_EIO, SC_EPARSE (the file is not such a list,
 *         and stays as it is), SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_revoked_add(const char *path, const sc_token_keys *keys, const sc_token *token,
                                 const char *user, int64_t now_s, sc_diag *diag);

#endif
