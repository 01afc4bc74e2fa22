/*
 * `starcloak demo`: the service with simulated travellers and a UI that shows both sides of it.
 *
 * The travellers and the pages that show them are src/demo; the service is run as by `starcloak
 * serve` (serve_run.c), which has none of these pages.
 */
#include "command.h"

#include <stdio.h>
#include <sys/resource.h>

#include "demo/demo.h"
#include "format.h"
#include "movement_options.h"
#include "serve_process.h"
#include "serve_run.h"
#include "values.h"
#include "workload_options.h"

// --- Usage ----------------------------------------------------------------------------

/** Between two looks at a record. */
#define REPLAY_EVERY_S 0.1

// Its settings: all but those of a cluster.
#define SC_FOR_ALL(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_HTTP(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_RUN(...) SC_ROW_TAKEN(__VA_ARGS__)
#define SC_FOR_NATS(...) SC_ROW_LEFT(__VA_ARGS__)

enum { KEY_TRAVELLERS = 'n', KEY_SEED = SC_KEY_FIRST, KEY_REPORTS, KEY_REPLAY };

static const sc_option options_table[] = {
    {"travellers", KEY_TRAVELLERS, "N",
     "how many travellers drive around and ask, up to 15k; k stands for thousands (default 3k; "
     "with --traces: all that the traces have)",
     NULL},
    {"seed", KEY_SEED, "N", "seed of their trips and queries (default 1)", NULL},
    {"traces", SC_KEY_TRACES, "PATH",
     "let travellers move as in these traces, again and again: a file or a folder of files "
     "(default: none)",
     SC_COMPLETE_FILES},
    SC_TRACE_OPTIONS,
    {"replay", KEY_REPLAY, "RUN.jsonl",
     "show this recorded run of 'starcloak simulate' or 'starcloak cloak', with pause, speed and a "
     "time slider, instead of travellers (default: none)",
     SC_COMPLETE_FILES},
    {"reports", KEY_REPORTS, "FOLDER",
     "show the report that 'starcloak experiment' wrote to this folder, to clients that may "
     "receive events (default: none)",
     SC_COMPLETE_FILES},
    SC_WORKLOAD_OPTIONS,
    SC_METRIC_OPTION,
    SC_SERVE_OPTIONS  //
    {NULL, 0, NULL, NULL, NULL},
};

typedef struct demo_options {
    sc_serve_flags flags;
    sc_demo_options demo;
    sc_asking asking;
    sc_trace_settings traces;
    bool has_travellers;
    const char *traveller_option;  ///< one that was given and is about travellers; NULL: none
} demo_options;

static void check_usage(const struct argp_state *state, const demo_options *options)
{
    if (!options->traces.path && options->traces.first_option) {
        sc_usage_error(state, "%s is about traces; add --traces PATH",
                       options->traces.first_option);
    }
    if (options->demo.replay && options->traveller_option) {
        sc_usage_error(state,
                       "--%s is about travellers, and with --replay there are none; leave one of "
                       "them out",
                       options->traveller_option);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    demo_options *options = state->input;
    if (sc_serve_option(key, argument, state, &options->flags)) return 0;
    if (sc_workload_option(key, argument, state, &options->asking) ||
        sc_trace_option(key, argument, state, &options->traces)) {
        options->traveller_option = sc_option_name(options_table, key);
        return 0;
    }
    switch (key) {
    case KEY_TRAVELLERS:
        options->demo.travellers =
            (uint32_t)sc_value_count(state, "--travellers", argument, 1, SC_DEMO_TRAVELLERS_MAX);
        options->has_travellers = true;
        options->traveller_option = "travellers";
        return 0;
    case KEY_SEED:
        options->demo.seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        options->traveller_option = "seed";
        return 0;
    case KEY_REPLAY:
        sc_value_file(state, "--replay", argument);
        options->demo.replay = argument;
        return 0;
    case KEY_REPORTS:
        options->demo.reports = argument;
        return 0;
    case ARGP_KEY_END:
        check_usage(state, options);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- Hooks for the service ------------------------------------------------------------------

typedef struct show {
    const sc_call *call;
    demo_options *options;
    sc_demo *demo;
    uint64_t violations;  ///< that the travellers found, once they are home
    char trouble[200];    ///< why they gave up; "" if they did not
} show;

static void keep_within(sc_normal *spread, double least, double most)
{
    if (spread->min < least) spread->min = least;
    if (spread->max > most) spread->max = most;
    if (spread->max < spread->min) spread->max = spread->min;
}

/** Who wants more than the operator allows would only be refused. */
static void obey(sc_workload *workload, const sc_policy *policy)
{
    keep_within(&workload->k, policy->least.k, policy->most.k);
    keep_within(&workload->l, policy->least.l, policy->most.l);
    keep_within(&workload->max_hops, policy->least.max_hops, policy->most.max_hops);
    keep_within(&workload->max_wait_s, (double)policy->least.max_wait_us * 1e-6,
                (double)policy->most.max_wait_us * 1e-6);
    keep_within(&workload->nearest, 1, policy->requests.max_k);
}

static sc_err fail(sc_diag *diag, sc_err err, const char *why)
{
    return sc_explain(diag, err, "%s", why);
}

/** Each traveller has a connection; what is left is for the rest, and for those who look. */
static sc_err check_descriptors(uint32_t travellers, sc_diag *diag)
{
    enum { REST = 200 };
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || travellers + REST <= limit.rlim_cur) return SC_OK;
    return sc_explain(
        diag, SC_ELIMIT,
        "--travellers: %u travellers need one file descriptor each, and %d more are needed, but "
        "the limit is %llu; choose fewer travellers, or raise 'ulimit -n'",
        travellers, REST, (unsigned long long)limit.rlim_cur);
}

/** Where the page is, the travellers are shown to all who come there: other machines may only come
 * if that is wanted. */
static sc_err check_reach(const sc_settings *settings, const sc_service_options *options,
                          sc_diag *diag)
{
    if (!options->http.is_admin_shared || settings->events != SC_ACCESS_LOCAL) return SC_OK;
    for (size_t i = 0; i < options->http.address_count; i++) {
        const char *address = options->http.addresses[i];
        if (sc_http_address_is_local(address)) continue;
        return sc_explain(diag, SC_EINVAL,
                          "listen: other machines can reach %s, and the demo's page shows all that "
                          "happens; listen at 127.0.0.1, or allow it with --events open or token",
                          address);
    }
    return SC_OK;
}

/** What became of the traces. */
static void note_traces(const show *s, const sc_traces *traces)
{
    const sc_movement_settings settings = {.traces = s->options->traces};
    const sc_crowd crowd = {.read = sc_traces_summary_of(traces),
                            .followed = *sc_demo_followed(s->demo)};
    const sc_crowd_wish wish = {.settings = &settings};
    sc_crowd_note(s->call, &crowd, &wish);
}

/** The demo with travellers who follow traces. */
static sc_err follow_traces(show *s, const sc_map *map, sc_diag *diag)
{
    sc_demo_options demo = s->options->demo;
    sc_traces *traces = NULL;
    sc_err err = sc_traces_read(s->options->traces.path, &s->options->traces.read, &traces, diag);
    if (err) return err;
    demo.traces = traces;
    demo.follow = s->options->traces.follow;
    if (!s->options->has_travellers) demo.travellers = SC_DEMO_TRAVELLERS_MAX;
    err = sc_demo_new(map, &demo, &s->demo, diag);
    if (!err) note_traces(s, traces);
    if (!err) err = check_descriptors(sc_demo_travellers(s->demo), diag);
    sc_traces_free(traces);
    return err;
}

/** The demo with a record: smoother than travellers, who move all the time. Its method is that of
 * the service, too, since the page names it and the adversary knows it; demands are not repeated.
 */
static sc_err prepare_replay(show *s, const sc_map *map, sc_service_options *options, sc_diag *diag)
{
    sc_demo_options *demo = &s->options->demo;
    demo->every_s = REPLAY_EVERY_S;
    const sc_err err = sc_demo_new(map, demo, &s->demo, diag);
    if (err) return err;
    const sc_engine_options *recorded = sc_demo_recorded_engine(s->demo);
    if (recorded) {
        const bool is_paranoid = options->ledger.engine.is_paranoid;
        options->ledger.engine = *recorded;
        options->ledger.engine.is_paranoid = is_paranoid;
    }
    return SC_OK;
}

static sc_err prepare(void *context, const sc_settings *settings, const sc_map *map,
                      sc_service_options *options, sc_diag *diag)
{
    show *s = context;
    sc_demo_options *demo = &s->options->demo;
    if (*settings->tls_certificate) {
        return fail(diag, SC_EINVAL,
                    "tls-certificate: the demo's travellers use plain HTTP; leave it out");
    }
    if (settings->no_ui) {
        return fail(
            diag, SC_EINVAL,
            "no-ui: a demo needs its page; 'starcloak load' drives a service that has no UI");
    }
    // Guests get tokens for the asking, which must be good for nothing else.
    if (*settings->token_keys) {
        return fail(diag, SC_EINVAL,
                    "token-keys: a demo has its own key, and gives a token to every visitor of its "
                    "page; leave it out");
    }
    const bool has_traces = s->options->traces.path != NULL;
    const bool has_trips = !has_traces && !demo->replay;
    sc_err err = has_trips ? check_descriptors(demo->travellers, diag) : SC_OK;
    if (!err) err = check_reach(settings, options, diag);
    if (!err) err = sc_workload_find_category(&s->options->asking, map, diag);
    if (err) return err;
    demo->workload = s->options->asking.workload;
    obey(&demo->workload, &options->policy);
    demo->max_listeners = options->max_listeners;
    // The built-in provider's, which answers may be compared with.
    demo->objects = options->courier.objects;
    demo->engine = options->ledger.engine;
    demo->density = options->density;
    if (demo->replay) {
        err = prepare_replay(s, map, options, diag);
    } else {
        err = has_traces ? follow_traces(s, map, diag) : sc_demo_new(map, demo, &s->demo, diag);
    }
    if (!err) options->extra = sc_demo_pages(s->demo, &options->extra_count);
    return err;
}

static sc_err attach(void *context, sc_service *service, sc_diag *diag)
{
    const show *s = context;
    return sc_demo_attach(s->demo, service, diag);
}

static sc_err start(void *context, sc_service *service, sc_diag *diag)
{
    const show *s = context;
    char url[SC_SERVING_URL_SIZE];
    if (!sc_serving_url(sc_service_http(service), false, url)) {
        return fail(diag, SC_EINVAL, "listen: the demo needs an address with a port");
    }
    const sc_err err = sc_demo_start(s->demo, url, diag);
    if (!err) {
        (void)sc_serving_admin_url(sc_service_http(service), url);
        if (s->options->demo.replay) {
            sc_print_text(stdout, s->options->demo.replay);
            printf(" is ready to be shown.");
        } else {
            printf("%u travellers are on their way.", sc_demo_travellers(s->demo));
        }
        printf(" Open this in a browser:\n\n    %s/\n\n", url);
        fflush(stdout);
    }
    return err;
}

static void stop(void *context)
{
    show *s = context;
    if (!s->demo) return;
    sc_demo_stop(s->demo);
    s->violations = sc_demo_violations(s->demo);
    const char *trouble = sc_demo_trouble(s->demo);
    snprintf(s->trouble, sizeof s->trouble, "%s", trouble ? trouble : "");
}

static void close_show(void *context)
{
    show *s = context;
    sc_demo_free(s->demo);
    s->demo = NULL;
}

static int run(sc_call *call)
{
    demo_options options = {.demo = sc_demo_options_default()};
    options.asking.workload = options.demo.workload;
    options.traces = sc_movement_settings_default().traces;
    if (sc_serve_flags_init(&options.flags, call, options_table)) {
        return sc_call_fail(call, SC_ENOMEM, NULL);
    }
    sc_call_parse(call, &options);
    // All travellers come from this machine.
    static const sc_serve_flag usual[] = {
        {"address-rate", "0"},
        {"address-connections", "0"},
        {"address-bandwidth", "0"},
        {"admin", SC_SETTINGS_ADMIN_SHARED},
        {NULL, NULL},
    };
    show s = {.call = call, .options = &options};
    const sc_serve_hooks hooks = {
        .usual = usual,
        .prepare = prepare,
        .attach = attach,
        .start = start,
        .stop = stop,
        .close = close_show,
        .context = &s,
    };
    int status = sc_serve_run(call, &options.flags, &hooks);
    sc_serve_flags_fini(&options.flags);
    if (s.trouble[0] != '\0') {
        fprintf(stderr, "%s: the travellers stopped: %s\n", call->path, s.trouble);
        status = SC_EXIT_FAILURE;
    }
    if (s.violations > 0) {
        fprintf(stderr,
                "%s: %llu replies broke a promise of the service; this is a bug, report it\n",
                call->path, (unsigned long long)s.violations);
        status = SC_EXIT_FAILURE;
    }
    return status;
}

// --- The command ------------------------------------------------------------------------

static const sc_entry examples[] = {
    {"starcloak demo city.scm", "3,000 travellers, the built-in provider, and a page to look at."},
    {"starcloak demo city.scm --engine hybrid --travellers 10k --k 8:2",
     "More travellers, who ask for larger cloaks."},
    {"starcloak demo city.scm --provider http://127.0.0.1:9090/",
     "Use a 'starcloak lbs' that runs elsewhere as the provider: the page then shows the bytes "
     "that are sent to it."},
    {"starcloak demo city.scm --traces cabs/ --trace-fold 3600",
     "Travellers who drive as recorded cabs did, all hours of the record at once."},
    {"starcloak demo city.scm --replay run.jsonl",
     "What 'starcloak simulate city.scm --record run.jsonl' wrote, with pause and a time slider."},
    {NULL, NULL},
};

const sc_command sc_cmd_demo = {
    .name = "demo",
    .summary = "the service with simulated travellers, to look at in a browser",
    .arguments = "[MAP.scm]",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Run the service of 'starcloak serve' together with simulated travellers, who drive around "
        "and ask it over HTTP. A page shows two views side by side: what the travellers do, and "
        "what the provider sees. On the page you can ask a query yourself, and attack a cloak.\n"
        "The positions of travellers are known because they are simulated: only this command shows "
        "them; 'starcloak serve' has no such page. All settings of 'starcloak serve' are flags "
        "here, too. There is no limit per address unless one is set, since all travellers are on "
        "this machine; and 'admin' is 'listen', so that the page shows all at one address. An "
        "--engine basic, bounded or hybrid can be exchanged on the page for another of the three.\n"
        "With --replay there are no travellers: a recorded run is shown in its own time. Queries "
        "cannot be asked then, and the engine is that of the record.\n"
        "Stop it with Ctrl-C.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
