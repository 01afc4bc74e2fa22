/*
 * `starcloak relay`: the relay of Oblivious HTTP. It sends sealed requests on to one gateway, and
 * cannot read them.
 */
#include "command.h"

#include <signal.h>
#include <string.h>

#include "oblivious_relay/oblivious_relay.h"
#include "query_http.h"
#include "serve_process.h"
#include "server/sandbox.h"
#include "values.h"

enum { MAX_ADDRESSES = 16, MAX_LOOPS = 64 };

#define ADDRESS_DEFAULT "127.0.0.1:8090"
#define DRAIN_DEFAULT_S 10.0
#define A_DAY_S 86400.0
#define GATEWAY_PATH "/.well-known/ohttp-gateway"

typedef struct relay_options {
    const char *service;
    char gateway[SC_POST_URL_SIZE];
    const char *addresses[MAX_ADDRESSES];
    size_t address_count;
    const char *proxies[MAX_ADDRESSES];
    size_t proxy_count;
    bool is_check;
    sc_oblivious_relay_options relay;
    const char *user;
    bool no_sandbox;
    double drain_s;
} relay_options;

// --- Usage ---------------------------------------------------------------------------------------

enum {
    KEY_TLS_CERTIFICATE = SC_KEY_FIRST,
    KEY_TLS_KEY,
    KEY_PROXIES,
    KEY_GATEWAY_CA,
    KEY_GATEWAY_CERT,
    KEY_GATEWAY_KEY,
    KEY_TIMEOUT,
    KEY_LOOPS,
    KEY_MAX_CONNECTIONS,
    KEY_MAX_WAITING,
    KEY_ADDRESS_RATE,
    KEY_ADDRESS_BURST,
    KEY_USER,
    KEY_NO_SANDBOX,
    KEY_DRAIN,
    KEY_CHECK,
};

static const sc_option options_table[] = {
    {"listen", 'l', "ADDRESS",
     "listen here: HOST:PORT, [HOST]:PORT or unix:PATH; may be given up to 16 times (default "
     "127.0.0.1:8090, or the sockets that the service manager hands over)",
     NULL},
    {"tls-certificate", KEY_TLS_CERTIFICATE, "FILE.pem",
     "use TLS, with this certificate and its chain (default: plain HTTP)", SC_COMPLETE_FILES},
    {"tls-key", KEY_TLS_KEY, "FILE.pem",
     "private key of the certificate (default: in the certificate's file)", SC_COMPLETE_FILES},
    {"proxy", KEY_PROXIES, "ADDRESS",
     "a proxy in front that begins its connections with a PROXY protocol header: an address, or a "
     "network as 10.0.0.0/8; may be given up to 16 times (default: none)",
     NULL},
    {"gateway-ca", KEY_GATEWAY_CA, "FILE.pem",
     "authorities to trust for the gateway (default: those of the system)", SC_COMPLETE_FILES},
    {"gateway-cert", KEY_GATEWAY_CERT, "FILE.pem",
     "a certificate to show to the gateway (default: none)", SC_COMPLETE_FILES},
    {"gateway-key", KEY_GATEWAY_KEY, "FILE.pem",
     "its private key (default: in the certificate's file)", SC_COMPLETE_FILES},
    {"timeout", KEY_TIMEOUT, "S", "seconds that a request may take at the gateway (default 60)",
     NULL},
    {"loops", KEY_LOOPS, "N", "threads for HTTP connections, 1 to 64 (default 2)", NULL},
    {"max-connections", KEY_MAX_CONNECTIONS, "N", "connections at a time (default 50000)", NULL},
    {"max-waiting", KEY_MAX_WAITING, "N",
     "requests that may be under way; more are refused with status 503 (default 10000)", NULL},
    {"address-rate", KEY_ADDRESS_RATE, "N",
     "requests per second of one address, on average; 0: no limit (default 10)", NULL},
    {"address-burst", KEY_ADDRESS_BURST, "N",
     "requests of one address that may come at once after a pause (default 100)", NULL},
    {"user", KEY_USER, "NAME",
     "become this user once the sockets are open (default: nobody, if started by root)", NULL},
    {"no-sandbox", KEY_NO_SANDBOX, NULL, "do not filter system calls; for kernels without seccomp",
     NULL},
    {"drain", KEY_DRAIN, "S",
     "on SIGTERM, let requests under way take up to S seconds (default 10)", NULL},
    {"check", KEY_CHECK, NULL, "check addresses, certificates and the user, and end", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void add(const char *option, const char *argument, const struct argp_state *state,
                const char *texts[MAX_ADDRESSES], size_t *count)
{
    if (argument[0] == '\0') sc_usage_error(state, "--%s: the address is empty", option);
    if (*count == MAX_ADDRESSES) {
        sc_usage_error(state, "--%s may be given %d times at most", option, (int)MAX_ADDRESSES);
    }
    texts[(*count)++] = argument;
}

static void check_usage(relay_options *options, const struct argp_state *state)
{
    if (!options->service) {
        sc_usage_error(state, "no gateway given; give the URL of the service, as "
                              "https://cloak.example.org");
    }
    sc_tls_files *tls = &options->relay.http.tls;
    if (!tls->certificate && tls->key) {
        sc_usage_error(state, "--tls-key needs TLS; add --tls-certificate FILE");
    }
    if (!tls->key) tls->key = tls->certificate;
    sc_oblivious_relay_options *relay = &options->relay;
    if (!relay->certificate && relay->key) {
        sc_usage_error(state, "--gateway-key needs --gateway-cert FILE");
    }
    if (!relay->key) relay->key = relay->certificate;
}

static bool limit_option(int key, const char *argument, const struct argp_state *state,
                         sc_oblivious_relay_options *relay)
{
    switch (key) {
    case KEY_TIMEOUT:
        relay->timeout_s = sc_value_number(state, "--timeout", argument, 0.1, 3600);
        return true;
    case KEY_LOOPS:
        relay->http.loops = (unsigned)sc_value_count(state, "--loops", argument, 1, MAX_LOOPS);
        return true;
    case KEY_MAX_CONNECTIONS:
        relay->http.max_connections =
            sc_value_count(state, "--max-connections", argument, 1, 10000000);
        return true;
    case KEY_MAX_WAITING:
        relay->max_waiting = sc_value_count(state, "--max-waiting", argument, 1, 1000000);
        return true;
    case KEY_ADDRESS_RATE:
        relay->address_rate = sc_value_number(state, "--address-rate", argument, 0, 1e6);
        return true;
    case KEY_ADDRESS_BURST:
        relay->address_burst = sc_value_number(state, "--address-burst", argument, 1, 1e6);
        return true;
    default:
        return false;
    }
}

static bool file_option(int key, const char *argument, const struct argp_state *state,
                        sc_oblivious_relay_options *relay)
{
    switch (key) {
    case KEY_TLS_CERTIFICATE:
        relay->http.tls.certificate = sc_value_file(state, "--tls-certificate", argument);
        return true;
    case KEY_TLS_KEY:
        relay->http.tls.key = sc_value_file(state, "--tls-key", argument);
        return true;
    case KEY_GATEWAY_CA:
        relay->ca = sc_value_file(state, "--gateway-ca", argument);
        return true;
    case KEY_GATEWAY_CERT:
        relay->certificate = sc_value_file(state, "--gateway-cert", argument);
        return true;
    case KEY_GATEWAY_KEY:
        relay->key = sc_value_file(state, "--gateway-key", argument);
        return true;
    default:
        return false;
    }
}

static void take_service(relay_options *options, const struct argp_state *state,
                         const char *argument)
{
    if (options->service) sc_usage_error(state, "one gateway, please: '%s' is another", argument);
    options->service = argument;
    const char *wrong = sc_post_url(argument, GATEWAY_PATH, options->gateway);
    if (wrong) sc_usage_error(state, "'%s' %s", argument, wrong);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    relay_options *options = state->input;
    if (limit_option(key, argument, state, &options->relay)) return 0;
    if (file_option(key, argument, state, &options->relay)) return 0;
    switch (key) {
    case 'l':
        add("listen", argument, state, options->addresses, &options->address_count);
        return 0;
    case KEY_PROXIES:
        add("proxy", argument, state, options->proxies, &options->proxy_count);
        return 0;
    case KEY_USER:
        options->user = argument;
        return 0;
    case KEY_NO_SANDBOX:
        options->no_sandbox = true;
        return 0;
    case KEY_DRAIN:
        options->drain_s = sc_value_number(state, "--drain", argument, 0, A_DAY_S);
        return 0;
    case KEY_CHECK:
        options->is_check = true;
        return 0;
    case ARGP_KEY_ARG:
        take_service(options, state, argument);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- Serving -------------------------------------------------------------------------------------

typedef struct serving {
    sc_call *call;
    relay_options *options;
    sc_log *log;
    int inherited[SC_SERVING_SOCKETS];
    sc_oblivious_relay *relay;
    sigset_t signals;
} serving;

static void find_addresses(serving *s)
{
    static const char *const usual[] = {ADDRESS_DEFAULT};
    sc_http_options *http = &s->options->relay.http;
    http->inherited_count = sc_serving_inherit(s->inherited);
    http->inherited = s->inherited;
    const bool is_told = s->options->address_count > 0;
    http->addresses = is_told ? s->options->addresses : usual;
    http->address_count = is_told ? s->options->address_count : http->inherited_count == 0;
    http->proxies = s->options->proxies;
    http->proxy_count = s->options->proxy_count;
}

static sc_err check(const serving *s, sc_diag *diag)
{
    const relay_options *options = s->options;
    const sc_err err = sc_serving_check(&options->relay.http, s->call, diag);
    return err || !options->user ? err : sc_sandbox_user_check(options->user, diag);
}

static sc_err begin(serving *s, sc_diag *diag)
{
    relay_options *options = s->options;
    sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = sc_log_new(STDERR_FILENO, SC_LOG_LOGFMT, SC_LOG_INFO, &s->log);
    if (err) return err;
    sc_serving_hold_signals(&s->signals);
    options->relay.gateway = options->gateway;
    err = sc_oblivious_relay_new(&options->relay, &s->relay, diag);
    if (!err) err = sc_sandbox_become(options->user, diag);
    if (!err && !options->no_sandbox) err = sc_sandbox_enter(false, diag);
    if (!err) err = sc_oblivious_relay_start(s->relay, diag);
    return err;
}

static void reload(const serving *s)
{
    sc_sandbox_notify_reloading();
    sc_diag diag = {.message = ""};
    const sc_err err = s->options->relay.http.tls.certificate
                           ? sc_http_reload_tls(sc_oblivious_relay_http(s->relay), &diag)
                           : SC_OK;
    sc_log_message(s->log, err ? SC_LOG_ERROR : SC_LOG_INFO, err ? "reload_failed" : "reloaded",
                   err ? diag.message : "certificates");
    sc_sandbox_notify("READY=1");
}

static int serve(serving *s)
{
    sc_serving_tell_listening(s->log, sc_oblivious_relay_http(s->relay),
                              s->options->relay.http.tls.certificate != NULL);
    sc_log_message(s->log, SC_LOG_INFO, "ready", s->options->gateway);
    sc_sandbox_notify("READY=1");
    int signal = 0;
    while (sigwait(&s->signals, &signal) != 0 || signal == SIGHUP) {
        if (signal == SIGHUP) reload(s);
    }
    sc_sandbox_notify("STOPPING=1");
    const bool is_done = sc_oblivious_relay_drain(s->relay, s->options->drain_s);
    sc_log_message(s->log, is_done ? SC_LOG_INFO : SC_LOG_WARNING, "stopped",
                   is_done ? "nothing is under way" : "requests were still under way");
    return SC_EXIT_OK;
}

static int run(sc_call *call)
{
    relay_options options = {.relay = sc_oblivious_relay_options_default(),
                             .drain_s = DRAIN_DEFAULT_S};
    sc_call_parse(call, &options);
    serving s = {.call = call, .options = &options};
    sc_diag diag = {.message = ""};
    find_addresses(&s);
    const bool is_plain = strncmp(options.gateway, "http:", 5) == 0;
    if (is_plain && !sc_post_is_local(options.gateway)) {
        sc_call_note(call, "over http:// the network between can see who relays how much; use "
                           "https://");
    }
    sc_err err = options.is_check ? check(&s, &diag) : begin(&s, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (!options.is_check) {
        status = serve(&s);
    }
    sc_oblivious_relay_free(s.relay);
    sc_log_free(s.log);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak relay https://cloak.example.org --listen 0.0.0.0:443 --tls-certificate relay.pem",
     "Send sealed requests on to a service that somebody else runs."},
    {NULL, NULL},
};

const sc_command sc_cmd_relay = {
    .name = "relay",
    .summary = "send sealed requests on to a service, without reading them",
    .arguments = "URL",
    .description =
        "Be a relay of Oblivious HTTP (RFC 9458): take requests that clients have sealed for the "
        "service at an address, and send them on. The relay sees the clients' addresses and no "
        "request, the service the requests and no address of a client. That holds as long as they "
        "do not work together, so let another party run the relay. It logs no request and keeps "
        "nothing.\nIt serves until SIGTERM; SIGHUP reads the certificates again.",
    .options = options_table,
    .parse = parse,
    .run = run,
    .examples = examples,
};
