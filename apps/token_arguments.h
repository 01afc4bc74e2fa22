/**
 * @file token_arguments.h
 * @brief What the commands of `starcloak token` share: options, tokens from the command line or
 * from standard input, times.
 *
 * A token on the command line can be seen by all who may list processes; "-" reads it from
 * standard input instead. No message repeats a token or a user.
 */
#ifndef SC_APPS_TOKEN_ARGUMENTS_H
#define SC_APPS_TOKEN_ARGUMENTS_H

#include "command.h"
#include "server/revoked.h"
#include "server/token.h"

extern const sc_command sc_cmd_token_issue;
extern const sc_command sc_cmd_token_key;
extern const sc_command sc_cmd_token_revoke;
extern const sc_command sc_cmd_token_show;

/** Texts that may be tokens. Zero-initialise; sc_token_texts_fini() when done. */
typedef struct sc_token_texts {
    char **texts;
    size_t count;
} sc_token_texts;

/** Take down an argument; "-" stands for the lines of standard input. */
SC_CHECKED sc_err sc_token_texts_add(sc_token_texts *texts, const char *argument, sc_diag *diag);

/** Wipe and free. */
void sc_token_texts_fini(sc_token_texts *texts);

/** Room for a time as below. */
#define SC_TIME_TEXT_SIZE 40

/** "2026-11-15 12:00:00 UTC", or with a T and a Z instead (RFC 3339). Returns `out`. */
const char *sc_time_text(char out[SC_TIME_TEXT_SIZE], int64_t time_s);
const char *sc_time_text_rfc3339(char out[SC_TIME_TEXT_SIZE], int64_t time_s);

/** For the value of --key and --revoked: the name of a file, which must not be empty or "-". */
const char *sc_token_file_option(const struct argp_state *state, const char *option,
                                 const char *argument);

#endif
