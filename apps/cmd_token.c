/*
 * `starcloak token`: who may ask the service. A group; each of its commands is a file of its own.
 */
#include "token_arguments.h"

static const sc_command *const token_commands[] = {
    &sc_cmd_token_key, &sc_cmd_token_issue, &sc_cmd_token_show, &sc_cmd_token_revoke, NULL,
};

static const sc_entry examples[] = {
    {"starcloak token key token.key", "Make a key; the service gets it with --token-keys."},
    {"starcloak token issue --key token.key --user ann > ann.token",
     "Let ann ask for thirty days."},
    {"starcloak token revoke --key token.key --revoked revoked.txt - < ann.token",
     "Take that back."},
    {NULL, NULL},
};

const sc_command sc_cmd_token = {
    .name = "token",
    .summary = "issue, examine and revoke the tokens with which travellers ask",
    .description =
        "Whoever asks the service shows a token: a signed text that says who it is, and until "
        "when. It is signed so that nobody can ask as another, or count as several when the users "
        "of a cloak are counted. The service needs the key and the list of revoked tokens, and "
        "remembers no token.",
    .examples = examples,
    .children = token_commands,
};
