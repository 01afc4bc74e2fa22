/*
 * `starcloak serve`: the privacy proxy. Its options are here; how it runs is in serve_run.c, and
 * the service itself is api/service.h.
 */
#include "command.h"

#include "serve_run.h"

// Its settings: all but those of a cluster.
#define SC_FOR_ALL(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_HTTP(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_LEFT(__VA_ARGS__)

static const sc_option options_table[] = {
    SC_SERVE_OPTIONS  //
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    return sc_serve_option(key, argument, state, state->input) ? 0 : ARGP_ERR_UNKNOWN;
}

static int run(sc_call *call)
{
    sc_serve_flags flags;
    if (sc_serve_flags_init(&flags, call, options_table))
        return sc_call_fail(call, SC_ENOMEM, NULL);
    sc_call_parse(call, &flags);
    const int status = sc_serve_run(call, &flags, NULL);
    sc_serve_flags_fini(&flags);
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry signals[] = {
    {"SIGHUP",
     "Read the configuration again, and the files of keys, revoked tokens and certificates: "
     "policy, tokens, log level and certificates change without a pause. If something is "
     "wrong, everything stays as it was, and the log says why."},
    {"SIGTERM, SIGINT",
     "Take no more queries, give those that wait their outcome (for at most --drain "
     "seconds), and end with 0."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak serve city.scm", "A complete system in one process: the map's objects are what the "
                                 "built-in provider knows; a token to try it with is printed."},
    {"starcloak serve city.scm --token-keys keys --provider http://127.0.0.1:9090/",
     "Ask 'starcloak lbs', which runs elsewhere."},
    {"starcloak serve --config /etc/starcloak/starcloak.ini --check", "Check a configuration."},
    {"starcloak serve --print-config > starcloak.ini",
     "All settings with their defaults, to begin with."},
    {NULL, NULL},
};

const sc_command sc_cmd_serve = {
    .name = "serve",
    .summary = "run the privacy proxy: queries in, exact answers out",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description = "Takes travellers' queries over HTTP, hides each among others, asks the "
                   "provider about the cloak alone, and answers exactly. What clients send and get "
                   "is described by the service itself, at /openapi.json.\nEvery setting is a "
                   "flag, or a line in the configuration file, where it stands without dashes in "
                   "its section.\nNo user and no position is logged, counted or written to a disk.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
