/*
 * `starcloak gateway`: the service of `starcloak serve` with its engines elsewhere: in workers, by
 * way of NATS. How it runs is in serve_run.c.
 */
#include "command.h"

#include <string.h>

#include "cluster/gateway.h"
#include "cluster_setup.h"
#include "serve_run.h"

// Its settings: all but those of engines.
#define SC_FOR_ALL(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_HTTP(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_LEFT(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_TAKEN(__VA_ARGS__)

static const sc_option options_table[] = {
    SC_SERVE_OPTIONS  //
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    return sc_serve_option(key, argument, state, state->input) ? 0 : ARGP_ERR_UNKNOWN;
}

// --- Hooks for the service ------------------------------------------------------------------

typedef struct place {
    sc_cluster_setup setup;
    sc_gateway_options gateway;
    sc_partition *whole;  ///< the partition, if none is given
    const sc_serve_flags *flags;
    const sc_settings *settings;
    sc_serving_end end;
} place;

/** NATS has shut us out: there will be no more cloaks. */
static void give_up(void *context)
{
    sc_serving_end_within(context);
}

static sc_err prepare(void *context, const sc_settings *settings, const sc_map *map,
                      sc_service_options *options, sc_diag *diag)
{
    place *p = context;
    p->settings = settings;
    sc_err err = sc_cluster_setup_open(settings, SC_CLUSTER_GATEWAY, &p->setup, diag);
    if (!err && !options->ledger.partition) {
        err = sc_partition_whole(map, &p->whole, diag);
        options->ledger.partition = p->whole;
    }
    if (err) return err;
    p->gateway = (sc_gateway_options){
        .bus = p->setup.bus,
        .partition = options->ledger.partition,
        .demands = options->ledger.engine.demands,
        .continuity = {.is_asked = settings->continuity,
                       .vmax_m_s = settings->vmax_m_s,
                       .tau_s = settings->tau_s},
        .name = p->setup.name,
        .heartbeat_s = settings->heartbeat_s,
        .uneven = settings->uneven,
        .repack_s = settings->repack_s,
        .guard_s = settings->guard_s,
        .log = options->log,
        .given_up = give_up,
        .context = &p->end,
    };
    options->gateway = &p->gateway;
    options->names_key = sc_cluster_key_names(p->setup.key);
    return SC_OK;
}

static sc_err attach(void *context, sc_service *service, sc_diag *diag)
{
    place *p = context;
    (void)service;
    sc_cluster_setup_forget_password(&p->setup);
    return p->flags->is_check ? sc_cluster_setup_check_files(p->settings, diag) : SC_OK;
}

static void leave(void *context)
{
    place *p = context;
    sc_partition_free(p->whole);
    p->whole = NULL;
    sc_cluster_setup_close(&p->setup);
}

static int run(sc_call *call)
{
    sc_serve_flags flags;
    if (sc_serve_flags_init(&flags, call, options_table)) {
        return sc_call_fail(call, SC_ENOMEM, NULL);
    }
    sc_call_parse(call, &flags);
    place p = {.flags = &flags};
    const sc_serve_hooks hooks = {
        .prepare = prepare, .attach = attach, .close = leave, .context = &p, .end = &p.end};
    const int status = sc_serve_run(call, &flags, &hooks);
    sc_serve_flags_fini(&flags);
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry signals[] = {
    {"SIGHUP",
     "Read the configuration again, as 'starcloak serve' does: policy, tokens, log level "
     "and certificates change, and the file of --cloak-log is opened again. The map stays: "
     "a cluster has one map and partition."},
    {"SIGTERM, SIGINT",
     "Accept no more queries, finish the pending ones (for at most --drain seconds), leave the "
     "cluster, and end with 0. A gateway that loses NATS for good does the same by itself, and "
     "ends with 1, so that a supervisor starts it again."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak gateway --config cluster.ini --name g1",
     "One of several that share a configuration file."},
    {"starcloak gateway city.scm --partition city.partition --cluster-key gateways.key --nats "
     "nats://n1:4222,nats://n2:4222 --token-keys token.key",
     "The same with flags."},
    {"starcloak gateway --config cluster.ini --check",
     "Check a configuration and the files that it names; no connection is made."},
    {NULL, NULL},
};

const sc_command sc_cmd_gateway = {
    .name = "gateway",
    .summary = "run the privacy proxy, with its engines in separate workers",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "The service of 'starcloak serve', for more travellers than one process can serve: the "
        "gateway takes queries, 'starcloak worker' processes find cloaks and propose them, and the "
        "gateway decides. Any number of gateways and workers find each other through NATS; each "
        "has the same map and partition. Clients may ask any gateway.\nA user has one "
        "pseudonym at all gateways, and so counts once in a cloak. Tokens are valid at all "
        "gateways that have the same --token-keys.\nMessages over NATS are encrypted with the "
        "keys of the cluster: NATS servers need not be trusted. All gateways have the same "
        "--cluster-key, which 'starcloak cluster key' makes, and each worker has its own.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
