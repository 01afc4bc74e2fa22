/*
 * `starcloak audit`: for auditors of a running service. `key` makes a pair of keys, of which the
 * operator gets the public one; `open` makes a record out of what the service has sealed for it
 * (record-true-positions), for `starcloak verify` and `attack`.
 */
#include "command.h"
#include "format.h"
#include "report/report_key.h"
#include "report/sealed_stream.h"
#include "values.h"

#include "base/file.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { KEY_KEY = SC_KEY_FIRST };

typedef struct audit_options {
    const char *path;  ///< of the key to make, or of the sealed record
    const char *key;
    const char *output;
} audit_options;

// --- audit key -----------------------------------------------------------------------------------

static error_t parse_key(int key, char *argument, struct argp_state *state)
{
    audit_options *options = state->input;
    if (key == ARGP_KEY_ARG) {
        sc_parse_file("key", argument, state, &options->path);
        return 0;
    }
    if (key != ARGP_KEY_END) return ARGP_ERR_UNKNOWN;
    if (!options->path) sc_usage_error(state, "no file for the key given");
    return 0;
}

static int run_key(sc_call *call)
{
    audit_options options = {.key = NULL};
    sc_diag diag = {.message = ""};
    sc_call_parse(call, &options);
    const sc_err err = sc_report_key_make(SC_KEY_OPENING, options.path, &diag);
    if (err) return sc_call_fail(call, err, &diag);
    fputs("The private key is in ", stdout);
    sc_print_text(stdout, options.path);
    fputs(": it stays with you. Give the operator ", stdout);
    sc_print_text(stdout, options.path);
    puts(".pub.");
    return SC_EXIT_OK;
}

static const sc_entry key_examples[] = {
    {"starcloak audit key auditor.key",
     "Make auditor.key, which stays with the auditor, and auditor.key.pub for the operator."},
    {NULL, NULL},
};

static const sc_command cmd_audit_key = {
    .name = "key",
    .summary = "make a pair of keys for which a service can seal a record",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description = "Make a pair of keys (X25519, PEM): FILE gets the private one, which opens "
                   "records and stays with the auditor, and FILE.pub the public one, which the "
                   "operator gives to the service (--record-true-positions-key). Files that exist "
                   "are not overwritten.",
    .examples = key_examples,
    .parse = parse_key,
    .run = run_key,
};

// --- audit open ----------------------------------------------------------------------------------

static const sc_option open_option_table[] = {
    {"key", KEY_KEY, "FILE", "the auditor's private key (required)", SC_COMPLETE_FILES},
    {"output", 'o', "FILE", "where the record goes (required)", SC_COMPLETE_FILES},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_open(int key, char *argument, struct argp_state *state)
{
    audit_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = sc_value_file(state, "--key", argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case ARGP_KEY_ARG:
        sc_parse_file("sealed record", argument, state, &options->path);
        return 0;
    case ARGP_KEY_END:
        if (!options->path) sc_usage_error(state, "no sealed record given");
        if (!options->key) sc_usage_error(state, "no key given; add --key FILE");
        if (!options->output) sc_usage_error(state, "no output given; add -o FILE");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool take(void *context, const void *bytes, size_t size)
{
    return fwrite(bytes, 1, size, context) == size;
}

static sc_err explain(sc_err err, const char *path, sc_diag *diag)
{
    switch (err) {
    case SC_EPARSE:
        return sc_explain(diag, err, "%s: nothing is sealed there", path);
    case SC_EBROKEN:
        return sc_explain(diag, err, "%s: it is sealed for another key, or was changed", path);
    default:
        return err;
    }
}

static int run_open(sc_call *call)
{
    audit_options options = {.key = NULL};
    sc_diag diag = {.message = ""};
    sc_report_key key;
    sc_file file = {0};
    sc_outfile out;
    bool is_whole = false;
    sc_call_parse(call, &options);
    // Only the auditor may read what is in it.
    (void)umask(S_IRWXG | S_IRWXO);
    sc_err err = sc_report_key_read_private(SC_KEY_OPENING, options.key, &key, &diag);
    if (!err) err = sc_file_map(options.path, &file, &diag);
    if (!err) err = sc_outfile_open(options.output, &out, &diag);
    if (err) {
        sc_file_close(&file);
        explicit_bzero(&key, sizeof key);
        return sc_call_fail(call, err, &diag);
    }
    err = explain(sc_unseal(&key, file.input.data, file.input.size, take, out.stream, &is_whole),
                  options.path, &diag);
    explicit_bzero(&key, sizeof key);
    sc_file_close(&file);
    if (!err) err = sc_outfile_commit(&out, &diag);
    sc_outfile_abandon(&out);
    if (!err && !is_whole) {
        err = sc_explain(&diag, SC_EBROKEN,
                         "%s ends before its end: the service was killed, or could not go on "
                         "writing; what there is was opened",
                         options.path);
    }
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry open_examples[] = {
    {"starcloak audit open run-20261118T204500Z.sealed --key auditor.key -o run.jsonl",
     "Open what a service has recorded; then 'starcloak verify city.scm run.jsonl'."},
    {NULL, NULL},
};

static const sc_command cmd_audit_open = {
    .name = "open",
    .summary = "open a record that a service has sealed",
    .arguments = "SEALED",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Open a record of true positions that a service has sealed for the auditor's "
        "key. The output has users and positions: it is made for your eyes alone, and is "
        "to be deleted when it was verified. A record that was changed is refused; one "
        "that was cut off is opened up to there, and the exit status is 1.",
    .options = open_option_table,
    .examples = open_examples,
    .parse = parse_open,
    .run = run_open,
};

// --- The group -----------------------------------------------------------------------------------

static const sc_command *const audit_commands[] = {&cmd_audit_key, &cmd_audit_open, NULL};

static const sc_entry examples[] = {
    {"starcloak audit key auditor.key", "The auditor makes a pair of keys."},
    {"starcloak serve city.scm --record-true-positions run --record-true-positions-key "
     "auditor.key.pub --record-true-positions-until 2026-11-18T20:45:00Z",
     "The operator records for an hour."},
    {"starcloak audit open run-20261118T194500Z.sealed --key auditor.key -o run.jsonl",
     "The auditor opens the record."},
    {"starcloak verify city.scm run.jsonl", "And checks every promise."},
    {NULL, NULL},
};

const sc_command sc_cmd_audit = {
    .name = "audit",
    .summary = "keys and records for the audit of a running service",
    .description =
        "A service can record for an auditor, for a day at most, what 'starcloak verify' "
        "needs: users, true positions, cloaks and outcomes. It is sealed for the "
        "auditor's key, so that the operator cannot read it, and /v1/about tells users.",
    .examples = examples,
    .children = audit_commands,
};
