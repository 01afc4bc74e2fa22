/*
 * `starcloak issuer`: anonymous tokens for accounts, one for each epoch. It signs what it does not
 * see.
 */
#include "command.h"

#include <signal.h>
#include <string.h>

#include "issuer/issuer.h"
#include "serve_process.h"
#include "server/sandbox.h"
#include "values.h"

enum { MAX_ADDRESSES = 16 };

#define ADDRESS_DEFAULT "127.0.0.1:8070"
#define A_DAY_S 86400

typedef struct issuer_options {
    const char *addresses[MAX_ADDRESSES];
    size_t address_count;
    const char *proxies[MAX_ADDRESSES];
    size_t proxy_count;
    bool is_check;
    sc_issuer_options issuer;
    const char *user;
    bool no_sandbox;
} issuer_options;

// --- Usage ---------------------------------------------------------------------------------------

enum {
    KEY_STATE = SC_KEY_FIRST,
    KEY_TOKEN_KEYS,
    KEY_REVOKED,
    KEY_EPOCH,
    KEY_MAX_ACCOUNTS,
    KEY_TLS_CERTIFICATE,
    KEY_TLS_KEY,
    KEY_PROXIES,
    KEY_MAX_CONNECTIONS,
    KEY_ADDRESS_RATE,
    KEY_ADDRESS_BURST,
    KEY_USER,
    KEY_NO_SANDBOX,
    KEY_CHECK,
};

static const sc_option options_table[] = {
    {"state", KEY_STATE, "FOLDER",
     "keys of epochs, and which accounts have their token, are kept here; made if it is not there "
     "(required)",
     SC_COMPLETE_FILES},
    {"token-keys", KEY_TOKEN_KEYS, "FILE",
     "the keys that tokens of accounts are signed with, see 'starcloak token key'; not those of "
     "the service (required)",
     SC_COMPLETE_FILES},
    {"revoked", KEY_REVOKED, "FILE",
     "the list of revoked tokens and accounts, see 'starcloak token revoke' (default: none)",
     SC_COMPLETE_FILES},
    {"epoch", KEY_EPOCH, "S",
     "seconds of an epoch, counted since 1970, as the service's pass-epoch (default 3600)", NULL},
    {"max-accounts", KEY_MAX_ACCOUNTS, "N",
     "accounts that can have a token of one epoch; 48 bytes of a file for each (default 1000000)",
     NULL},
    {"listen", 'l', "ADDRESS",
     "listen here: HOST:PORT, [HOST]:PORT or unix:PATH; may be given up to 16 times (default "
     "127.0.0.1:8070, or the sockets that the service manager hands over)",
     NULL},
    {"tls-certificate", KEY_TLS_CERTIFICATE, "FILE.pem",
     "use TLS, with this certificate and its chain (default: plain HTTP)", SC_COMPLETE_FILES},
    {"tls-key", KEY_TLS_KEY, "FILE.pem",
     "private key of the certificate (default: in the certificate's file)", SC_COMPLETE_FILES},
    {"proxy", KEY_PROXIES, "ADDRESS",
     "a proxy in front that begins its connections with a PROXY protocol header: an address, or a "
     "network as 10.0.0.0/8; may be given up to 16 times (default: none)",
     NULL},
    {"max-connections", KEY_MAX_CONNECTIONS, "N", "connections at a time (default 50000)", NULL},
    {"address-rate", KEY_ADDRESS_RATE, "N",
     "requests per second of one address, on average; 0: no limit (default 10)", NULL},
    {"address-burst", KEY_ADDRESS_BURST, "N",
     "requests of one address that may come at once after a pause (default 100)", NULL},
    {"user", KEY_USER, "NAME",
     "become this user once sockets and files are open (default: nobody, if started by root)",
     NULL},
    {"no-sandbox", KEY_NO_SANDBOX, NULL, "do not filter system calls; for kernels without seccomp",
     NULL},
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

static void check_usage(issuer_options *options, const struct argp_state *state)
{
    sc_tls_files *tls = &options->issuer.http.tls;
    if (!options->issuer.state) sc_usage_error(state, "no folder given; add --state FOLDER");
    if (!options->issuer.token_keys) {
        sc_usage_error(state, "no keys of accounts given; add --token-keys FILE");
    }
    if (!tls->certificate && tls->key) {
        sc_usage_error(state, "--tls-key needs TLS; add --tls-certificate FILE");
    }
    if (!tls->key) tls->key = tls->certificate;
}

static bool value_option(int key, const char *argument, const struct argp_state *state,
                         sc_issuer_options *issuer)
{
    switch (key) {
    case KEY_STATE:
        issuer->state = sc_value_file(state, "--state", argument);
        return true;
    case KEY_TOKEN_KEYS:
        issuer->token_keys = sc_value_file(state, "--token-keys", argument);
        return true;
    case KEY_REVOKED:
        issuer->revoked = sc_value_file(state, "--revoked", argument);
        return true;
    case KEY_TLS_CERTIFICATE:
        issuer->http.tls.certificate = sc_value_file(state, "--tls-certificate", argument);
        return true;
    case KEY_TLS_KEY:
        issuer->http.tls.key = sc_value_file(state, "--tls-key", argument);
        return true;
    case KEY_EPOCH:
        issuer->epoch_s = (int64_t)sc_value_count(state, "--epoch", argument, 2, A_DAY_S);
        return true;
    case KEY_MAX_ACCOUNTS:
        issuer->max_accounts = sc_value_count(state, "--max-accounts", argument, 1, 1000000000);
        return true;
    case KEY_MAX_CONNECTIONS:
        issuer->http.max_connections =
            sc_value_count(state, "--max-connections", argument, 1, 10000000);
        return true;
    case KEY_ADDRESS_RATE:
        issuer->address_rate = sc_value_number(state, "--address-rate", argument, 0, 1e6);
        return true;
    case KEY_ADDRESS_BURST:
        issuer->address_burst = sc_value_number(state, "--address-burst", argument, 1, 1e6);
        return true;
    default:
        return false;
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    issuer_options *options = state->input;
    if (value_option(key, argument, state, &options->issuer)) return 0;
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
    case KEY_CHECK:
        options->is_check = true;
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
    issuer_options *options;
    sc_log *log;
    int inherited[SC_SERVING_SOCKETS];
    sc_issuer *issuer;
    sigset_t signals;
} serving;

static void find_addresses(serving *s)
{
    static const char *const usual[] = {ADDRESS_DEFAULT};
    sc_http_options *http = &s->options->issuer.http;
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
    const issuer_options *options = s->options;
    const sc_err err = sc_serving_check(&options->issuer.http, s->call, diag);
    return err || !options->user ? err : sc_sandbox_user_check(options->user, diag);
}

static sc_err begin(serving *s, sc_diag *diag)
{
    issuer_options *options = s->options;
    sc_sandbox_raise_descriptors();
    sc_err err = sc_sandbox_no_dumps(diag);
    if (!err) err = sc_log_new(STDERR_FILENO, SC_LOG_LOGFMT, SC_LOG_INFO, &s->log);
    if (err) return err;
    sc_serving_hold_signals(&s->signals);
    options->issuer.log = s->log;
    err = sc_issuer_new(&options->issuer, &s->issuer, diag);
    if (!err) err = sc_sandbox_become(options->user, diag);
    if (!err && !options->no_sandbox) err = sc_sandbox_enter(false, diag);
    if (!err) err = sc_issuer_start(s->issuer, diag);
    return err;
}

static void reload(const serving *s)
{
    sc_sandbox_notify_reloading();
    sc_diag diag = {.message = ""};
    const sc_err err = sc_issuer_reload(s->issuer, &diag);
    sc_log_message(s->log, err ? SC_LOG_ERROR : SC_LOG_INFO, err ? "reload_failed" : "reloaded",
                   err ? diag.message : "accounts and certificates");
    sc_sandbox_notify("READY=1");
}

static int serve(serving *s)
{
    sc_serving_tell_listening(s->log, sc_issuer_http(s->issuer),
                              s->options->issuer.http.tls.certificate != NULL);
    sc_log_message(s->log, SC_LOG_INFO, "ready", "the keys of this epoch are published");
    sc_sandbox_notify("READY=1");
    int signal = 0;
    while (sigwait(&s->signals, &signal) != 0 || signal == SIGHUP) {
        if (signal == SIGHUP) reload(s);
    }
    sc_sandbox_notify("STOPPING=1");
    sc_log_message(s->log, SC_LOG_INFO, "stopped", "");
    return SC_EXIT_OK;
}

static int run(sc_call *call)
{
    issuer_options options = {.issuer = sc_issuer_options_default()};
    sc_call_parse(call, &options);
    serving s = {.call = call, .options = &options};
    sc_diag diag = {.message = ""};
    find_addresses(&s);
    sc_err err = options.is_check ? check(&s, &diag) : begin(&s, &diag);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (!options.is_check) {
        status = serve(&s);
    }
    sc_issuer_free(s.issuer);
    sc_log_free(s.log);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak issuer --state issuer --token-keys accounts --listen 0.0.0.0:443 --tls-certificate "
     "issuer.pem",
     "Give each account one anonymous token for each hour."},
    {NULL, NULL},
};

const sc_command sc_cmd_issuer = {
    .name = "issuer",
    .summary = "give accounts anonymous tokens, one for each epoch",
    .description =
        "Be an issuer of anonymous tokens (Privacy Pass, RFC 9578, type 2) for a service that has "
        "'pass-issuer'. An account shows its token of 'starcloak token', signed with keys of the "
        "issuer's own, and gets one blind signature for each epoch. The issuer sees accounts and "
        "no "
        "query, the service queries and no account. That holds as long as no other than their own "
        "party has the keys of either, so let another party run the issuer. It logs nothing of "
        "accounts.\nA key is made for each epoch, one or two epochs ahead, and its secret is "
        "destroyed "
        "when "
        "the epoch is over. It serves until SIGTERM; SIGHUP reads token keys, revoked tokens and "
        "certificates again. A revoked account gets no token from the next epoch on.",
    .options = options_table,
    .parse = parse,
    .run = run,
    .examples = examples,
};
