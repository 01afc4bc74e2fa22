/*
 * `starcloak worker`: engines for the parts of the map that it is given, and nothing else. It
 * does not listen: queries come, and proposals leave, by way of NATS.
 */
#include "command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cluster/worker.h"
#include "cluster_setup.h"
#include "inputs.h"
#include "serve_demands.h"
#include "serve_flags.h"
#include "serve_process.h"
#include "server/sandbox.h"

// Its settings: all but those of HTTP.
#define SC_FOR_ALL(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_HTTP(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_TAKEN(__VA_ARGS__)

static const sc_option options_table[] = {
    SC_SERVE_OPTIONS  //
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    return sc_serve_option(key, argument, state, state->input) ? 0 : ARGP_ERR_UNKNOWN;
}

// --- What it stands on -----------------------------------------------------------------------

/** A worker from its settings on. */
typedef struct working {
    sc_call *call;
    const sc_serve_flags *flags;
    sc_settings *settings;
    sc_log *log;
    sc_map *map;
    sc_partition *partition;
    sc_served_demands demands;
    sc_cluster_setup setup;
    sc_worker *worker;
    sigset_t signals;
    sc_serving_end end;
} working;

static sc_err open_files(working *w, sc_diag *diag)
{
    const sc_settings *s = w->settings;
    sc_err err = sc_log_new(STDERR_FILENO, (sc_log_format)s->log_format, (sc_log_level)s->log_level,
                            &w->log);
    if (!err) err = sc_cluster_setup_open(s, SC_CLUSTER_WORKER, &w->setup, diag);
    if (!err) err = sc_input_open_map(s->map, NULL, &w->map, diag);
    if (!err) err = sc_served_demands_open(s, w->map, &w->demands, diag);
    if (err) return err;
    return *s->partition ? sc_partition_read(s->partition, w->map, &w->partition, diag)
                         : sc_partition_whole(w->map, &w->partition, diag);
}

/** NATS has closed the connection: no goodbye can be sent; the gateways notice by heartbeats. */
static void give_up(void *context)
{
    sc_serving_end_within(context);
}

static sc_worker_options worker_options(working *w)
{
    const sc_settings *s = w->settings;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    sc_engine_options engine = sc_serve_engine_options(s);
    engine.demands = w->demands.asked;
    return (sc_worker_options){
        .bus = w->setup.bus,
        .engines =
            {
                .engine = engine,
                .partition = w->partition,
                .engine_threads = s->threads > 0   ? (unsigned)s->threads
                                  : processors > 0 ? (unsigned)processors
                                                   : 1,
                .prune_threads = (unsigned)s->prune_threads,
                .max_queries = s->max_pending,
                .patience_us = sc_time_from_seconds(s->patience_s),
            },
        .has_continuity = s->continuity,
        .name = w->setup.name,
        .heartbeat_s = s->heartbeat_s,
        .log = w->log,
        .given_up = give_up,
        .context = &w->end,
    };
}

/** From files to a worker that has given up all else. */
static sc_err begin(working *w, sc_diag *diag)
{
    sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = open_files(w, diag);
    if (err) return err;
    sc_serving_hold_signals(&w->signals);
    sc_served_demands_log(&w->demands, w->settings, w->log);
    const sc_worker_options options = worker_options(w);
    err = sc_worker_new(w->map, &options, &w->worker, diag);
    sc_cluster_setup_forget_password(&w->setup);
    if (err) return err;
    const char *user = *w->settings->user ? w->settings->user : NULL;
    if (w->flags->is_check) {
        err = sc_cluster_setup_check_files(w->settings, diag);
        return !err && user ? sc_sandbox_user_check(user, diag) : err;
    }
    err = sc_sandbox_become(user, diag);
    if (!err && !w->settings->no_sandbox) err = sc_sandbox_enter(false, diag);
    if (!err) err = sc_worker_start(w->worker, diag);
    return err;
}

// --- Running --------------------------------------------------------------------------------

static void tell_ready(const working *w)
{
    sc_log_line line;
    if (!sc_log_begin(w->log, &line, SC_LOG_INFO, "ready")) return;
    char user[64];
    sc_log_text(&line, "name", w->setup.name);
    sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
    sc_log_text(&line, "sandbox", w->settings->no_sandbox ? "no" : "yes");
    sc_log_end(&line);
}

/** Until told to stop, or shut out by NATS; gives the exit status. */
static int work(working *w)
{
    tell_ready(w);
    sc_sandbox_notify("READY=1");
    int signal = 0;
    do {
        if (sigwait(&w->signals, &signal) != 0) signal = SIGHUP;
    } while (signal == SIGHUP);  // there is nothing to read again
    sc_sandbox_notify("STOPPING=1");
    if (sc_serving_end_begins(&w->end, &w->signals)) return SC_EXIT_FAILURE;
    sc_log_message(w->log, SC_LOG_INFO, "draining", "other workers take over the parts");
    const size_t left = sc_worker_drain(w->worker, w->settings->drain_s);
    sc_log_line line;
    if (sc_log_begin(w->log, &line, left > 0 ? SC_LOG_WARNING : SC_LOG_INFO, "stopped")) {
        sc_log_count(&line, "parts_left", left);
        sc_log_end(&line);
    }
    // A part that no worker took is no failure: perhaps this was the last worker.
    return SC_EXIT_OK;
}

static int run_worker(working *w)
{
    sc_diag diag = {.message = ""};
    const sc_err err = begin(w, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(w->call, err, &diag);
    } else if (w->flags->is_check) {
        printf("all settings are valid\n");
    } else {
        status = work(w);
    }
    sc_worker_free(w->worker);
    sc_cluster_setup_close(&w->setup);
    sc_served_demands_close(&w->demands);
    sc_partition_free(w->partition);
    sc_map_free(w->map);
    sc_log_free(w->log);
    return status;
}

static int run_with(working *w)
{
    if (w->flags->is_print) {
        const sc_err err = sc_settings_write(w->settings, stdout);
        return err ? sc_call_fail(w->call, err, NULL) : SC_EXIT_OK;
    }
    if (*w->settings->map == '\0') {
        fprintf(stderr, "%s: no map given; name a FILE.scm\nTry '%s --help' for more.\n",
                w->call->path, w->call->path);
        return SC_EXIT_USAGE;
    }
    return run_worker(w);
}

static int run(sc_call *call)
{
    sc_serve_flags flags;
    if (sc_serve_flags_init(&flags, call, options_table)) {
        return sc_call_fail(call, SC_ENOMEM, NULL);
    }
    sc_call_parse(call, &flags);
    working w = {.call = call, .flags = &flags};
    sc_diag diag = {.message = ""};
    bool is_usage = false;
    const sc_err err = sc_serve_gather(&flags, NULL, &w.settings, &is_usage, &diag);
    int status = SC_EXIT_FAILURE;
    if (err) {
        sc_call_fail(call, err, &diag);
        if (is_usage) status = SC_EXIT_USAGE;
    } else {
        status = run_with(&w);
    }
    sc_settings_free(w.settings);
    sc_serve_flags_fini(&flags);
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry signals[] = {
    {"SIGTERM, SIGINT",
     "Leave the cluster: hand the parts over to other workers (for at most --drain seconds), and "
     "end with 0. No query is lost: its gateway has it. A worker that loses NATS for good ends "
     "with 1, so that a supervisor starts it again."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak worker --config cluster.ini --name w1",
     "One of several that share a configuration file."},
    {"starcloak worker city.scm --partition city.partition --cluster-key w1.key --nats "
     "nats://n1:4222,nats://n2:4222 --threads 4",
     "The same with flags."},
    {"starcloak worker --config cluster.ini --check",
     "Check a configuration and the files that it names; no connection is made."},
    {NULL, NULL},
};

const sc_command sc_cmd_worker = {
    .name = "worker",
    .summary = "find cloaks for the gateways of a cluster",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Run the engines of some parts of the map. Parts are assigned to the running workers by "
        "load, and move when a worker starts, leaves or dies. A worker proposes the cloaks that it "
        "finds to the gateways, which decide. It knows roads and pseudonyms, but neither positions "
        "nor users, and never contacts the provider.\nEach worker has the same map and partition "
        "as "
        "the gateways, and a --cluster-key of its own, made by 'starcloak cluster key --worker'; "
        "the same file may configure them all.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
