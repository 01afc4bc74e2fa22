/**
 * @file pass_issuer.h
 * @brief The issuer whose anonymous tokens are accepted (Privacy Pass, privacy_pass.h): its keys,
 *        kept fresh, and the users that stand behind tokens.
 *
 * An issuer signs one token for each account and key, blind. For the users of an epoch to be as
 * many as the accounts that ask, whatever clients try:
 *
 *  1. An epoch has one key: the one of the issuer's directory with the last not-before that is not
 *     after the epoch's start, the first of several. Once a token was accepted the key stays until
 *     the epoch is over, whatever the directory says: an account that has a token of the old key
 *     and one of the new one would be two users.
 *  2. The challenge that was signed is that of this issuer, origin and epoch: a token that was not
 *     used in its epoch is good for no other, in which its account has another one.
 *  3. The user is a hash of nonce and epoch, and begins with a control character, which no user of
 *     another kind of token has (token.h, jwt.h). Used twice, a token is one user. In the next
 *     epoch there are other nonces and other users, and nothing links them.
 *  4. What a user asks for is over when its epoch is: see sc_token.is_of_epoch. A token of the
 *     epoch before is good for a while to look after what was asked for in it, and for nothing
 *     else.
 *
 * To check a signature takes some 30 us, so tokens that were good are remembered in a table of
 * fixed size, by a keyed hash.
 */
#ifndef SC_SERVER_PASS_ISSUER_H
#define SC_SERVER_PASS_ISSUER_H

#include <starcloak/err.h>

#include "oblivious/private_token_http.h"
#include "server/log.h"
#include "server/token.h"

typedef struct sc_pass_issuer_options {
    const char *directory;  ///< a file, or an address; copied
    const char *name;       ///< of the issuer, as challenges have it; copied
    const char *origin;     ///< of this service, the same; copied
    const char *ca;         ///< PEM file of authorities for the address; NULL: the system's; copied
    int64_t epoch_s;        ///< > 0
    double refresh_s;       ///< of an address, > 0
    double retry_s;         ///< at least between two questions to it, > 0
    sc_log *log;            ///< borrowed; may be NULL
} sc_pass_issuer_options;

/** Any thread may check tokens. */
typedef struct sc_pass_issuer sc_pass_issuer;

/**
 * Read the file. An address is asked after sc_pass_issuer_start().
 *
 * @return SC_OK, SC_EINVAL (names that cannot be in a challenge), SC_EIO, SC_EPARSE, SC_ELIMIT,
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc_pass_issuer_new(const sc_pass_issuer_options *options, sc_pass_issuer **out,
                                     sc_diag *diag);

/** Begin to ask an address, in a thread. */
SC_CHECKED sc_err sc_pass_issuer_start(sc_pass_issuer *issuer, sc_diag *diag);

/** Read the file again, or ask the address soon. On failure the old keys stay. */
SC_CHECKED sc_err sc_pass_issuer_reload(sc_pass_issuer *issuer, sc_diag *diag);

/** NULL is fine. */
void sc_pass_issuer_free(sc_pass_issuer *issuer);

/** What came of a token. */
typedef enum sc_pass_verdict {
    SC_PASS_GOOD,
    SC_PASS_MALFORMED,  ///< no token of type 2
    SC_PASS_EPOCH,      ///< for another challenge: of another epoch, origin or issuer
    SC_PASS_KEY,        ///< of a key that is not the epoch's, or there is none
    SC_PASS_FORGED,     ///< the key did not sign it
    SC_PASS_NO_MEMORY,
    SC_PASS_VERDICT_COUNT
} sc_pass_verdict;

/** Why a token is refused and what to do, for its sender; "" for SC_PASS_GOOD. */
const char *sc_pass_words(sc_pass_verdict verdict);

/**
 * Check the token of a field Authorization. `out` is set if it is good: a user, until the end of
 * its epoch.
 *
 * @param now_s   seconds since 1970
 * @param late_s  for how long after its epoch a token is still good; 0 for new queries
 */
sc_pass_verdict sc_pass_issuer_check(sc_pass_issuer *issuer, const char *authorization,
                                     int64_t now_s, int64_t late_s, sc_token *out);

/** The value of WWW-Authenticate for the epoch at `now_s`. False: there is no key for it. */
bool sc_pass_issuer_challenge(sc_pass_issuer *issuer, int64_t now_s,
                              char out[SC_PASS_AUTHENTICATE_SIZE]);

typedef struct sc_pass_issuer_stats {
    uint64_t keys;
    uint64_t verdicts[SC_PASS_VERDICT_COUNT];
    uint64_t remembered;  ///< of those that were good
    uint64_t fetched;     ///< directories that came from the address
    uint64_t failures;    ///< to fetch one
} sc_pass_issuer_stats;
sc_pass_issuer_stats sc_pass_issuer_stats_of(sc_pass_issuer *issuer);

#endif
