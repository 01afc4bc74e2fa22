/*
 * `starcloak lbs`: the provider as a process of its own. Cloaks come in over HTTP, and replies go
 * out; who is in a cloak is never known here.
 */
#include "command.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "flags_file.h"
#include "inputs.h"
#include "provider/provider.h"
#include "serve_process.h"
#include "server/sandbox.h"
#include "values.h"

enum { MAX_ADDRESSES = 16, MAX_LOOPS = 64, MAX_THREADS = 64 };

#define ADDRESS_DEFAULT "127.0.0.1:9090"
#define CONNECTIONS_DEFAULT 1000
#define DRAIN_DEFAULT_S 10.0
#define A_DAY_S 86400.0

typedef struct lbs_options {
    const char *map;
    const char *addresses[MAX_ADDRESSES];
    size_t address_count;
    const char *admin[MAX_ADDRESSES];
    size_t admin_count;
    bool is_check;
    sc_objects_options objects;
    sc_provider_options provider;
    sc_log_format log_format;
    sc_log_level log_level;
    const char *user;
    bool no_sandbox;
    double drain_s;
} lbs_options;

// --- Usage ----------------------------------------------------------------------------

enum {
    KEY_TLS_CERTIFICATE = SC_KEY_FIRST,
    KEY_TLS_KEY,
    KEY_CLIENT_CA,
    KEY_LOOPS,
    KEY_THREADS,
    KEY_MAX_CONNECTIONS,
    KEY_MAX_WAITING,
    KEY_MAX_K,
    KEY_MAX_RADIUS,
    KEY_MAX_DURATION,
    KEY_LOG_FORMAT,
    KEY_LOG_LEVEL,
    KEY_USER,
    KEY_NO_SANDBOX,
    KEY_DRAIN,
    KEY_ADMIN,
    KEY_CHECK,
    KEY_CONFIG,
};

static const char *const log_formats[] = {"logfmt", "json", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};

/** For --admin: where clients come in, too. */
static const char admin_shared[] = "listen";

static const sc_option options_table[] = {
    {"config", KEY_CONFIG, "FILE.ini",
     "read options from a file: a line 'name = value' for each, 'yes' or 'no' for switches, and "
     "'map = FILE.scm'; flags replace lines of the file (default: none)",
     SC_COMPLETE_FILES},
    {"check", KEY_CHECK, NULL,
     "check the map, objects, addresses, certificates and the user, and end: 0 if all can be used",
     NULL},
    {"listen", 'l', "ADDRESS",
     "listen here: HOST:PORT, [HOST]:PORT or unix:PATH; may be given up to 16 times (default "
     "127.0.0.1:9090, or the sockets that the service manager hands over)",
     NULL},
    {"admin", KEY_ADMIN, "ADDRESS",
     "listen here for operators, without TLS: /metrics is there and nowhere else; as --listen, up "
     "to 16 times, or 'listen': the same addresses, for trying out (default: nowhere)",
     NULL},
    {"tls-certificate", KEY_TLS_CERTIFICATE, "FILE.pem",
     "use TLS, with this certificate and its chain (default: plain HTTP)", SC_COMPLETE_FILES},
    {"tls-key", KEY_TLS_KEY, "FILE.pem",
     "private key of the certificate (default: in the certificate's file)", SC_COMPLETE_FILES},
    {"client-ca", KEY_CLIENT_CA, "FILE.pem",
     "answer only clients that show a certificate signed by one of these (default: any client)",
     SC_COMPLETE_FILES},
    SC_OBJECTS_OPTIONS,
    SC_OBJECTS_WATCH_OPTIONS,
    {"loops", KEY_LOOPS, "N", "threads for HTTP connections, 1 to 64 (default 2)", NULL},
    {"threads", KEY_THREADS, "N", "threads that evaluate, 1 to 64 (default: one per processor)",
     NULL},
    {"max-connections", KEY_MAX_CONNECTIONS, "N", "connections at a time (default 1000)", NULL},
    {"max-waiting", KEY_MAX_WAITING, "N",
     "cloaks that may wait for a thread; more are refused with status 503 (default 1000)", NULL},
    {"max-k", KEY_MAX_K, "N", "refuse requests for more nearest objects than N (default 1000)",
     NULL},
    {"max-radius", KEY_MAX_RADIUS, "M",
     "refuse requests for objects farther than M metres (default 100000)", NULL},
    {"max-duration", KEY_MAX_DURATION, "S",
     "refuse requests for objects more than S seconds away (default 7200)", NULL},
    {"log-format", KEY_LOG_FORMAT, "FORMAT",
     "how lines on standard error are written: logfmt (default) or json", "logfmt json"},
    {"log-level", KEY_LOG_LEVEL, "LEVEL",
     "what is logged: error, warning, info (default) or debug, each with those before it",
     "error warning info debug"},
    {"user", KEY_USER, "NAME",
     "become this user once the sockets are open (default: nobody, if started by root)", NULL},
    {"no-sandbox", KEY_NO_SANDBOX, NULL, "do not filter system calls; for kernels without seccomp",
     NULL},
    {"drain", KEY_DRAIN, "S",
     "on SIGTERM, let replies in progress take up to S seconds (default 10)", NULL},
    {"quiet", 'q', NULL, "no progress bar while objects are prepared", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void add_address(lbs_options *options, const struct argp_state *state, const char *address)
{
    if (address[0] == '\0') sc_usage_error(state, "--listen: the address is empty");
    if (options->address_count == MAX_ADDRESSES) {
        sc_usage_error(state, "--listen may be given %d times at most", (int)MAX_ADDRESSES);
    }
    options->addresses[options->address_count++] = address;
}

static void add_admin(lbs_options *options, const struct argp_state *state, const char *address)
{
    sc_http_options *http = &options->provider.http;
    if (address[0] == '\0') sc_usage_error(state, "--admin: the address is empty");
    const bool is_shared = strcmp(address, admin_shared) == 0;
    if (http->is_admin_shared || (is_shared && options->admin_count > 0)) {
        sc_usage_error(state, "--admin: '%s' stands alone", admin_shared);
    }
    http->is_admin_shared = is_shared;
    if (is_shared) return;
    if (options->admin_count == MAX_ADDRESSES) {
        sc_usage_error(state, "--admin may be given %d times at most", (int)MAX_ADDRESSES);
    }
    options->admin[options->admin_count++] = address;
}

/** What the server is told; false if `key` is about something else. */
static bool server_option(int key, const char *argument, const struct argp_state *state,
                          lbs_options *options)
{
    sc_http_options *http = &options->provider.http;
    switch (key) {
    case 'l':
        add_address(options, state, argument);
        return true;
    case KEY_ADMIN:
        add_admin(options, state, argument);
        return true;
    case KEY_TLS_CERTIFICATE:
        http->tls.certificate = argument;
        return true;
    case KEY_TLS_KEY:
        http->tls.key = argument;
        return true;
    case KEY_CLIENT_CA:
        http->tls.client_ca = argument;
        return true;
    case KEY_LOOPS:
        http->loops = (unsigned)sc_value_count(state, "--loops", argument, 1, MAX_LOOPS);
        return true;
    case KEY_MAX_CONNECTIONS:
        http->max_connections = sc_value_count(state, "--max-connections", argument, 1, 1000000);
        return true;
    default:
        return false;
    }
}

/** What answers are made of; false if `key` is about something else. */
static bool answer_option(int key, const char *argument, const struct argp_state *state,
                          lbs_options *options)
{
    sc_provider_options *provider = &options->provider;
    switch (key) {
    case KEY_THREADS:
        provider->threads = (unsigned)sc_value_count(state, "--threads", argument, 1, MAX_THREADS);
        return true;
    case KEY_MAX_WAITING:
        provider->max_waiting = sc_value_count(state, "--max-waiting", argument, 1, 1000000);
        return true;
    case KEY_MAX_K:
        provider->lbs.limits.max_k =
            (uint32_t)sc_value_count(state, "--max-k", argument, 1, 1000000);
        return true;
    case KEY_MAX_RADIUS:
        provider->lbs.limits.max_radius_m =
            sc_value_number(state, "--max-radius", argument, 0, 1e7);
        return true;
    case KEY_MAX_DURATION:
        provider->lbs.limits.max_radius_s =
            sc_value_number(state, "--max-duration", argument, 0, 1e6);
        return true;
    default:
        return false;
    }
}

static void check_usage(lbs_options *options, const struct argp_state *state)
{
    sc_tls_files *tls = &options->provider.http.tls;
    if (!tls->certificate && (tls->key || tls->client_ca)) {
        sc_usage_error(state, "%s needs TLS; add --tls-certificate FILE",
                       tls->key ? "--tls-key" : "--client-ca");
    }
    if (!tls->key) tls->key = tls->certificate;
    sc_objects_options_check(state, &options->objects);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    lbs_options *options = state->input;
    if (sc_objects_option(key, argument, state, &options->objects)) return 0;
    if (server_option(key, argument, state, options)) return 0;
    if (answer_option(key, argument, state, options)) return 0;
    switch (key) {
    case KEY_LOG_FORMAT:
        options->log_format =
            (sc_log_format)sc_value_word(state, "--log-format", argument, log_formats);
        return 0;
    case KEY_LOG_LEVEL:
        options->log_level =
            (sc_log_level)sc_value_word(state, "--log-level", argument, log_levels);
        return 0;
    case KEY_USER:
        options->user = argument;
        return 0;
    case KEY_CONFIG:
        return 0;  // was read before
    case KEY_CHECK:
        options->is_check = true;
        return 0;
    case KEY_NO_SANDBOX:
        options->no_sandbox = true;
        return 0;
    case KEY_DRAIN:
        options->drain_s = sc_value_number(state, "--drain", argument, 0, A_DAY_S);
        return 0;
    case 'q':
        options->objects.is_quiet = true;
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

// --- Serving --------------------------------------------------------------------------

/** One provider, from its options on. */
typedef struct serving {
    sc_call *call;
    lbs_options *options;
    sc_log *log;
    sc_map *map;
    sc_served_objects objects;
    int inherited[SC_SERVING_SOCKETS];
    sc_provider *provider;
    sigset_t signals;
} serving;

/** Where to listen: where we are told to, at the sockets that are handed over, or at the usual
 * place. */
static void find_addresses(serving *s)
{
    static const char *const usual[] = {ADDRESS_DEFAULT};
    sc_http_options *http = &s->options->provider.http;
    http->inherited_count = sc_serving_inherit(s->inherited);
    http->inherited = s->inherited;
    const bool is_told = s->options->address_count > 0;
    http->addresses = is_told ? s->options->addresses : usual;
    http->address_count = is_told ? s->options->address_count : http->inherited_count == 0;
    http->admin_addresses = s->options->admin;
    http->admin_address_count = s->options->admin_count;
}

/** Look at the addresses, and go elsewhere: where a provider is running, its connections must not
 * come to us. */
static sc_err check_more(const serving *s, sc_diag *diag)
{
    static const char *const anywhere[] = {"127.0.0.1:0"};
    sc_http_options *http = &s->options->provider.http;
    const sc_err err = sc_serving_check(http, s->call, diag);
    http->addresses = anywhere;
    http->address_count = 1;
    http->admin_address_count = 0;
    if (err || !s->options->user) return err;
    return sc_sandbox_user_check(s->options->user, diag);
}

/** From files to a provider that has given up all else, and then serves. */
static sc_err begin(serving *s, sc_diag *diag)
{
    lbs_options *options = s->options;
    sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = sc_log_new(STDERR_FILENO, options->log_format, options->log_level, &s->log);
    if (!err) err = sc_input_open_map(options->map, NULL, &s->map, diag);
    if (!err) {
        s->objects.log = s->log;
        err = sc_served_objects_open(s->call, &options->objects, s->map, options->map, &s->objects,
                                     diag);
    }
    if (err) return err;

    sc_serving_hold_signals(&s->signals);
    options->provider.objects = s->objects.own.objects;
    options->provider.feed = atomic_load(&s->objects.feed);
    options->provider.log = s->log;
    if (options->is_check) err = check_more(s, diag);
    if (!err) err = sc_provider_new(s->map, &options->provider, &s->provider, diag);
    if (options->is_check) return err;
    // Strangers are answered only when there is nothing left to be gained by them.
    if (!err) err = sc_sandbox_become(options->user, diag);
    if (!err && !options->no_sandbox) err = sc_sandbox_enter(false, diag);
    if (!err) err = sc_provider_start(s->provider, diag);
    return err;
}

static void tell_ready(const serving *s)
{
    const sc_provider_options *options = &s->options->provider;
    const sc_http *http = sc_provider_http(s->provider);
    sc_serving_tell_listening(s->log, http, options->http.tls.certificate != NULL);
    sc_log_line line;
    if (sc_log_begin(s->log, &line, SC_LOG_INFO, "ready")) {
        char user[64];
        sc_log_text(&line, "user", sc_sandbox_user(user, sizeof user));
        sc_log_text(&line, "sandbox", s->options->no_sandbox ? "no" : "yes");
        sc_log_text(&line, "objects", options->feed ? "database" : "map");
        sc_log_count(&line, "loops", options->http.loops);
        sc_log_count(&line, "threads", options->threads);
        sc_log_end(&line);
    }
    sc_sandbox_notify("READY=1");
}

/** Certificates are read again; all else stays as it is. */
static void reload(const serving *s)
{
    sc_sandbox_notify_reloading();
    sc_diag diag = {.message = ""};
    const sc_err err = s->options->provider.http.tls.certificate
                           ? sc_http_reload_tls(sc_provider_http(s->provider), &diag)
                           : SC_OK;
    if (err) {
        sc_log_message(s->log, SC_LOG_ERROR, "reload_failed",
                       diag.message[0] != '\0' ? diag.message : sc_err_text(err));
    } else {
        sc_log_message(s->log, SC_LOG_INFO, "reloaded", "certificates");
    }
    sc_sandbox_notify("READY=1");
}

/** Until told to stop. */
static int serve(serving *s)
{
    tell_ready(s);
    int signal = 0;
    while (sigwait(&s->signals, &signal) != 0 || signal == SIGHUP) {
        if (signal == SIGHUP) reload(s);
    }
    sc_sandbox_notify("STOPPING=1");
    sc_log_message(s->log, SC_LOG_INFO, "draining",
                   "no new connections are accepted; pending replies are sent");
    const bool is_done = sc_provider_drain(s->provider, s->options->drain_s);
    sc_log_message(s->log, is_done ? SC_LOG_INFO : SC_LOG_WARNING, "stopped",
                   is_done ? "all replies were sent" : "connections were still open");
    return is_done ? SC_EXIT_OK : SC_EXIT_FAILURE;
}

static int run(sc_call *call)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    lbs_options options = {.objects = sc_objects_options_default(),
                           .provider = sc_provider_options_default(),
                           .log_format = SC_LOG_LOGFMT,
                           .log_level = SC_LOG_INFO,
                           .drain_s = DRAIN_DEFAULT_S};
    options.provider.threads = processors < 1             ? 1
                               : processors > MAX_THREADS ? MAX_THREADS
                                                          : (unsigned)processors;
    options.provider.http.max_connections = CONNECTIONS_DEFAULT;
    sc_diag diag = {.message = ""};
    sc_flags_file file = {.argv = NULL};
    const sc_err refused = sc_flags_file_read(call, options_table, &file, &diag);
    if (refused) {
        sc_flags_file_fini(&file);
        return sc_call_fail(call, refused, &diag);
    }
    sc_call_parse(call, &options);

    serving s = {.call = call, .options = &options};
    find_addresses(&s);
    const sc_err err = begin(&s, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (options.is_check) {
        printf("all settings are valid\n");
    } else {
        status = serve(&s);
    }
    sc_provider_free(s.provider);
    sc_served_objects_close(&s.objects);
    sc_map_free(s.map);
    sc_log_free(s.log);
    sc_flags_file_fini(&file);
    return status;
}

// --- The command ----------------------------------------------------------------------

static const sc_entry pages[] = {
    {"POST /", "A cloak, application/x-protobuf or application/geo+json; its reply comes back in "
               "the same encoding. Any other path works as well."},
    {"GET /metrics", "Metrics for Prometheus; only at the addresses of --admin."},
    {"GET /healthz, /readyz", "Whether the provider runs, and whether it is ready for requests."},
    {"GET /v1/categories", "The categories of the objects, and how many objects each has."},
    {NULL, NULL},
};

static const sc_entry signals[] = {
    {"SIGHUP", "Read certificates and keys again; if they are invalid, the old ones stay."},
    {"SIGTERM, SIGINT", "Accept no more connections, answer the requests received, and end."},
    {NULL, NULL},
};

static const sc_topic topics[] = {
    {"Pages", pages},
    {"Signals", signals},
    {NULL, NULL},
};

static const sc_entry examples[] = {
    {"starcloak lbs city.scm", "Answer with the map's objects, on this machine only."},
    {"starcloak lbs city.scm --listen [::]:9443 --tls-certificate lbs.pem --client-ca proxy.pem",
     "Answer only clients that show a certificate."},
    {"starcloak lbs city.scm --admin 127.0.0.1:9091 --check",
     "Check all that is given, and listen nowhere."},
    {"starcloak lbs city.scm --objects postgresql://localhost/city --objects-channel objects",
     "Objects of a database, loaded again whenever the database notifies a change."},
    {NULL, NULL},
};

const sc_command sc_cmd_lbs = {
    .name = "lbs",
    .summary = "run a provider: cloaks in over HTTP, objects out",
    .arguments = "MAP.scm",
    .complete = SC_COMPLETE_MAPS,
    .description = "Answer the cloaks that 'starcloak serve --provider' sends, by the provider "
                   "protocol: for each request the objects on the cloak's segments, and the "
                   "nearest ones of each border node. It need not be trusted: it never receives a "
                   "user, a position, or the number of users in a cloak.\nIt drops all privileges "
                   "that it does not need before it answers the first request: it becomes an "
                   "ordinary user, and cannot start programs or write files any more.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
