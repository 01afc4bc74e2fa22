/**
 * @file private_token_http.h
 * @brief Privacy Pass in HTTP: the scheme PrivateToken in WWW-Authenticate and Authorization
 *        (RFC 9577, 2), and the directory of an issuer (RFC 9578, 4).
 *
 * Base64 is that of URLs with padding, which both RFCs require.
 */
#ifndef SC_OBLIVIOUS_PRIVATE_TOKEN_HTTP_H
#define SC_OBLIVIOUS_PRIVATE_TOKEN_HTTP_H

#include <starcloak/bytes.h>

#include "oblivious/privacy_pass.h"

#define SC_PASS_DIRECTORY_PATH "/.well-known/private-token-issuer-directory"
#define SC_PASS_DIRECTORY_TYPE "application/private-token-issuer-directory"

enum {
    SC_PASS_AUTHORIZATION_SIZE = 496,  ///< of "PrivateToken token=...", with its NUL
    SC_PASS_AUTHENTICATE_SIZE = 2496,  ///< of the longest challenge with its key, with its NUL
    SC_PASS_HEADER_MAX = 1 << 14,      ///< of a field that is read
    SC_PASS_DIRECTORY_MAX = 1 << 16,   ///< of a directory that is read
    SC_PASS_DIRECTORY_KEYS_MAX = 64,
    SC_PASS_URI_MAX = 1023,
};

// --- Authorization (RFC 9577, 2.2.2) -------------------------------------------------------------

/** Write the value of the field. */
void sc_pass_authorization_write(const uint8_t token[SC_PASS_TOKEN_SIZE],
                                 char out[SC_PASS_AUTHORIZATION_SIZE]);

/** Whether a value is of this scheme; if not, another one may know it. */
bool sc_pass_authorization_is_ours(const char *value, size_t size);

/** The token of a value. Parameters that are not known are passed over. SC_EPARSE: there is no
 * token of type 2 in it, or several. */
SC_CHECKED sc_err sc_pass_authorization_parse(const char *value, size_t size,
                                              uint8_t token[SC_PASS_TOKEN_SIZE]);

// --- WWW-Authenticate (RFC 9577, 2.1.2) ----------------------------------------------------------

/** A challenge with what stands beside it. */
typedef struct sc_pass_offer {
    uint8_t challenge[SC_PASS_CHALLENGE_MAX];
    size_t challenge_size;
    bool has_key;
    uint8_t key[SC_BLIND_RSA_SPKI_SIZE];
    int64_t max_age_s;  ///< for which it is good; -1: it does not say
} sc_pass_offer;

/** Write the value of the field. The offer's challenge is one of sc_pass_challenge_encode(). */
void sc_pass_authenticate_write(const sc_pass_offer *offer, char out[SC_PASS_AUTHENTICATE_SIZE]);

/**
 * The challenges of a value that a client here could meet: of type 2 and well-formed. Others, and
 * other schemes, are passed over (2.1.3).
 *
 * @param count  set on success; at most `room`
 * @return SC_OK, SC_EPARSE (not the grammar of the field), SC_ELIMIT
 */
SC_CHECKED sc_err sc_pass_authenticate_parse(const char *value, size_t size, sc_pass_offer *out,
                                             size_t room, size_t *count);

// --- Directories (RFC 9578, 4) -------------------------------------------------------------------

/** A published key. */
typedef struct sc_pass_listed_key {
    uint8_t spki[SC_BLIND_RSA_SPKI_SIZE];
    int64_t not_before_s;  ///< -1: it does not say
} sc_pass_listed_key;

/** The keys of type 2, the preferred ones first. */
typedef struct sc_pass_directory {
    char request_uri[SC_PASS_URI_MAX + 1];
    size_t count;
    sc_pass_listed_key keys[SC_PASS_DIRECTORY_KEYS_MAX];
} sc_pass_directory;

/** Append it as JSON. SC_ENOMEM. */
SC_CHECKED sc_err sc_pass_directory_write(const sc_pass_directory *directory, sc_bytes *out);

/** Read one. Keys of other types are passed over. SC_EPARSE, SC_ELIMIT, SC_ENOMEM. */
SC_CHECKED sc_err sc_pass_directory_parse(const char *text, size_t size, sc_pass_directory *out);

/** The key to ask with at `now_s`: the first one whose time has come (4). NULL: there is none. */
const sc_pass_listed_key *sc_pass_directory_choose(const sc_pass_directory *directory,
                                                   int64_t now_s);

#endif
