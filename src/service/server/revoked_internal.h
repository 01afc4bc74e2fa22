/**
 * @file revoked_internal.h
 * @brief One line of a list of revoked tokens, for the file that reads them and the one that
 * writes.
 *
 * Used by: revoked.c, revoked_add.c.
 */
#ifndef SC_GUARD_REVOKED_INTERNAL_H
#define SC_GUARD_REVOKED_INTERNAL_H

#include "base/text.h"
#include "server/token_internal.h"

/** A million lines, and comments. */
enum { SC__REVOKED_FILE_MAX = 128 << 20 };

#define SC__NOT_THERE UINT32_MAX

typedef enum sc__revocation_kind {
    SC__REVOKES_NOTHING,  ///< a comment, or blank
    SC__REVOKES_TOKEN,
    SC__REVOKES_USER,
} sc__revocation_kind;

typedef struct sc__revocation {
    sc__revocation_kind kind;
    int64_t time_s;  ///< until, of a token; before, of a user
    uint64_t serial;
    uint8_t user_hash[SC__USER_HASH_SIZE];
} sc__revocation;

/** Read the current line of `lines`. SC_OK, SC_EPARSE. */
SC_CHECKED sc_err sc__revocation_parse(const sc_lines *lines, sc_slice line, sc__revocation *out,
                                       sc_diag *diag);

/** The bytes of the list at `path`; without data, if it is NULL or there is no such file. */
SC_CHECKED sc_err sc__revoked_file(const char *path, sc_input *out, sc_diag *diag);

#endif
