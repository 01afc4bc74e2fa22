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
    {"SIGHUP", "Read the configuration again, and the files of keys, revoked tokens and "
               "certificates, those for the provider included: policy, tokens, log level and "
               "certificates change without a pause. So do the map, its partition and tables, new "
               "categories of a database, and the address of a provider: new queries are "
               "answered by the new ones, and queries that wait end on the old. Replace a map by "
               "renaming another file to it; never write into one that is in use. "
               "If anything is invalid, everything stays as it was, and the log says why. The "
               "file of --cloak-log is opened again in any case, since it may have been moved "
               "away."},
    {"SIGTERM, SIGINT", "Accept no more queries, finish the pending ones (for at most --drain "
                        "seconds), and end with 0."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak serve city.scm", "A complete system in one process: the built-in provider answers "
                                 "with the map's objects; a token for a first try is printed."},
    {"starcloak serve city.scm --token-keys keys --provider http://127.0.0.1:9090/",
     "Use a 'starcloak lbs' that runs elsewhere as the provider."},
    {"starcloak serve --config /etc/starcloak/starcloak.ini --check", "Check a configuration."},
    {"starcloak serve --print-config > starcloak.ini",
     "All settings with their defaults, as a first configuration file."},
    {NULL, NULL},
};

const sc_command sc_cmd_serve = {
    .name = "serve",
    .summary = "run the privacy proxy: queries in, exact answers out",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description = "Take travellers' queries over HTTP, hide each among others, ask the provider "
                   "about the cloak alone, and return exact answers. /openapi.json of the running "
                   "service describes what clients send and receive.\nEvery setting is a flag, and "
                   "also a line of the configuration file: there without the leading dashes, in "
                   "its section.\nNo user and no position is logged, counted or written to a disk.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
