/*
 * `starcloak query`: ask a running service, as a traveller's device would, and wait for the
 * outcome.
 *
 * The position goes to the service alone, and is not repeated in any message.
 */
#include "base/bytes.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "command.h"
#include "progress_bar.h"
#include "query_http.h"
#include "query_pass.h"
#include "query_sealed.h"
#include "values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Longer ones are no tokens. */
#define SC_QUERY_TOKEN_SIZE 1025

/** A zone has a hundred letters or two; larger ones than this are none. */
#define SC_QUERY_ZONE_SIZE 8193

enum { SC_QUERY_CATEGORIES_MAX = 16 };

/** A number that may be missing. */
typedef struct maybe {
    bool is_given;
    double value;
} maybe;

/** Zero-initialise; sc_call_parse() with the two below fills it. */
typedef struct query_options {
    const char *service;         ///< as it was given
    char url[SC_POST_URL_SIZE];  ///< where queries go

    // One pair is given.
    maybe lon, lat;
    maybe x, y;
    maybe edge, offset_m;
    maybe heading_deg;

    // The service has defaults.
    maybe k, l, max_hops, max_wait_s;

    // One of them at most.
    maybe nearest, within_m, within_s;
    const char *metric;                         ///< NULL: the service's default
    char *categories[SC_QUERY_CATEGORIES_MAX];  ///< of argv
    size_t category_count;                      ///< 0: all

    char token[SC_QUERY_TOKEN_SIZE];  ///< of --token; "": not given
    const char *token_file;
    const char *zone_file;  ///< of a sealed zone; NULL: none
    bool is_for_zone;       ///< ask for the zone of the position instead
    char zone[SC_QUERY_ZONE_SIZE];
    const char *ca;
    const char *cert;
    const char *key;
    sc_sealing sealing;   ///< its relay is NULL: the request goes to the service itself
    sc_pass_source pass;  ///< its issuer is NULL: the service is shown the account's token
    char private_token[SC_PASS_AUTHORIZATION_SIZE];
    double timeout_s;  ///< 0: not given
    bool json;
} query_options;

// --- Options ------------------------------------------------------------------------------------

/** A day. */
#define SECONDS_MAX 86400.0

enum {
    KEY_LON = SC_KEY_FIRST,
    KEY_LAT,
    KEY_X,
    KEY_Y,
    KEY_EDGE,
    KEY_OFFSET_M,
    KEY_HEADING,
    KEY_K,
    KEY_L,
    KEY_MAX_HOPS,
    KEY_MAX_WAIT,
    KEY_NEAREST,
    KEY_WITHIN,
    KEY_WITHIN_S,
    KEY_METRIC,
    KEY_TOKEN,
    KEY_TOKEN_FILE,
    KEY_ZONE,
    KEY_DRAW_ZONE,
    KEY_CA,
    KEY_CERT,
    KEY_KEY,
    KEY_RELAY,
    KEY_RELAY_KEYS,
    KEY_ISSUER,
    KEY_ISSUER_NAME,
    KEY_PASS_FILE,
    KEY_PASS_ORIGIN,
    KEY_PASS_EPOCH,
    KEY_TIMEOUT,
    KEY_JSON,
};

static const sc_option query_options_table[] = {
    {"lon", KEY_LON, "X", "longitude in degrees (required, or one of the next two pairs)", NULL},
    {"lat", KEY_LAT, "Y", "latitude in degrees (required with --lon)", NULL},
    {"x", KEY_X, "X", "instead, on a planar map: x (default: --lon is used)", NULL},
    {"y", KEY_Y, "Y", "and y (required with --x)", NULL},
    {"edge", KEY_EDGE, "E", "instead: the number of an edge (default: --lon is used)", NULL},
    {"offset-m", KEY_OFFSET_M, "M",
     "metres along the edge, from its first node (required with --edge)", NULL},
    {"heading", KEY_HEADING, "DEG",
     "which way you go, on a road that is open both ways: degrees clockwise from north, 0 to 360 "
     "(default: either way)",
     NULL},
    {"k", KEY_K, "N", "hide among N users (default: the service's)", NULL},
    {"l", KEY_L, "N", "on N segments of road at least (default: the service's)", NULL},
    {"max-hops", KEY_MAX_HOPS, "N", "within N hops between junctions (default: the service's)",
     NULL},
    {"max-wait", KEY_MAX_WAIT, "S",
     "wait for a cloak for S seconds at most (default: the service's)", NULL},
    {"nearest", KEY_NEAREST, "N", "ask for the N nearest objects by road (default 5)", NULL},
    {"within", KEY_WITHIN, "M",
     "instead: ask for all objects within M metres by road (default: --nearest)", NULL},
    {"within-s", KEY_WITHIN_S, "S",
     "instead: ask for all objects within S seconds (default: --nearest)", NULL},
    {"metric", KEY_METRIC, "NAME",
     "what is near: 'time', by the quickest way, or 'distance', by the shortest (default: the "
     "service's)",
     "time distance"},
    {"category", 'c', "NAME[,...]", "only objects of these categories; up to 16 (default: all)",
     NULL},
    {"token", KEY_TOKEN, "TOKEN",
     "the token to ask with, see 'starcloak token' (default: $STARCLOAK_TOKEN, or none)", NULL},
    {"token-file", KEY_TOKEN_FILE, "FILE",
     "instead: the file that holds it, - for standard input (default: --token)", SC_COMPLETE_FILES},
    {"zone", KEY_ZONE, "FILE",
     "the file with your zone, roads that your cloaks near home hold together (default: none)",
     SC_COMPLETE_FILES},
    {"draw-zone", KEY_DRAW_ZONE, NULL,
     "ask for the zone of the position instead, and print it: keep it in a file, for --zone", NULL},
    {"ca", KEY_CA, "FILE",
     "certificates of the authorities to trust (default: those of the system)", SC_COMPLETE_FILES},
    {"cert", KEY_CERT, "FILE", "a certificate to show to the service (default: none)",
     SC_COMPLETE_FILES},
    {"key", KEY_KEY, "FILE", "the key of that certificate (required with --cert)",
     SC_COMPLETE_FILES},
    {"relay", KEY_RELAY, "URL",
     "send the request sealed, by this relay of Oblivious HTTP: it does not see the request, and "
     "the service does not see your address (default: to the service itself)",
     NULL},
    {"relay-keys", KEY_RELAY_KEYS, "FILE",
     "the keys to seal with, as the service publishes them at /.well-known/ohttp-gateway (default: "
     "the service is asked for them)",
     SC_COMPLETE_FILES},
    {"issuer", KEY_ISSUER, "URL",
     "show the token to this issuer of anonymous tokens instead, and its anonymous one to the "
     "service, which then counts an account and cannot tell which (default: the service is shown "
     "the token)",
     NULL},
    {"pass-file", KEY_PASS_FILE, "FILE",
     "keep the anonymous token here: an account gets one for each epoch (required with --issuer)",
     SC_COMPLETE_FILES},
    {"issuer-name", KEY_ISSUER_NAME, "NAME",
     "the issuer's name, as the service's pass-issuer-name (default: the host of --issuer)", NULL},
    {"pass-origin", KEY_PASS_ORIGIN, "NAME",
     "the service's name, as its pass-origin (default: the host of its address)", NULL},
    {"pass-epoch", KEY_PASS_EPOCH, "S",
     "seconds of an epoch, as the service's pass-epoch (default 3600)", NULL},
    {"timeout", KEY_TIMEOUT, "S",
     "give up after S seconds (default: --max-wait and 30 more, or 120 without --max-wait)", NULL},
    {"json", KEY_JSON, NULL, "print the reply as JSON, whatever the outcome", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Usage ----------------------------------------------------------------------------

static void check_pair(const struct argp_state *state, maybe a, maybe b, const char *name_a,
                       const char *name_b)
{
    if (a.is_given == b.is_given) return;
    sc_usage_error(state, "%s is missing: %s and %s belong together", a.is_given ? name_b : name_a,
                   name_a, name_b);
}

static void check_usage(query_options *options, const struct argp_state *state)
{
    if (!options->service) {
        sc_usage_error(
            state, "no address given; give the URL of the service (as https://cloak.example.org)");
    }
    check_pair(state, options->lon, options->lat, "--lon", "--lat");
    check_pair(state, options->x, options->y, "--x", "--y");
    check_pair(state, options->edge, options->offset_m, "--edge", "--offset-m");
    if (options->lon.is_given + options->x.is_given + options->edge.is_given != 1) {
        sc_usage_error(state,
                       "give one position: --lon and --lat, --x and --y, or --edge and --offset-m");
    }
    if (options->nearest.is_given + options->within_m.is_given + options->within_s.is_given > 1) {
        sc_usage_error(state, "--nearest asks for the nearest objects, --within and --within-s for "
                              "all within a distance or a time; give one of them");
    }
    const bool is_by_time = options->metric && strcmp(options->metric, "time") == 0;
    if (options->metric && options->within_m.is_given && is_by_time) {
        sc_usage_error(state, "a range in metres is by distance; give --within-s, or leave "
                              "--metric out");
    }
    if (options->metric && options->within_s.is_given && !is_by_time) {
        sc_usage_error(state, "a range in seconds is by time; give --within, or leave --metric "
                              "out");
    }
    if (options->token[0] != '\0' && options->token_file) {
        sc_usage_error(state, "give either --token or --token-file");
    }
    if (options->sealing.relay) {
        char url[SC_POST_URL_SIZE];
        const char *wrong = sc_post_url(options->sealing.relay, "", url);
        if (wrong) sc_usage_error(state, "--relay: '%s' %s", options->sealing.relay, wrong);
    } else if (options->sealing.keys) {
        sc_usage_error(state, "--relay-keys is used with --relay URL");
    }
    if (options->pass.issuer) {
        char url[SC_POST_URL_SIZE];
        const char *wrong = sc_post_url(options->pass.issuer, "", url);
        if (wrong) sc_usage_error(state, "--issuer: '%s' %s", options->pass.issuer, wrong);
        if (!options->pass.file) sc_usage_error(state, "--issuer needs --pass-file FILE");
    } else if (options->pass.file || options->pass.name || options->pass.origin) {
        sc_usage_error(state, "%s is used with --issuer URL",
                       options->pass.file   ? "--pass-file"
                       : options->pass.name ? "--issuer-name"
                                            : "--pass-origin");
    }
    if (options->is_for_zone) {
        if (options->zone_file) sc_usage_error(state, "give either --zone or --draw-zone");
        (void)sc_post_url(options->service, "/v1/zone", options->url);
    }
    if (!options->cert != !options->key) {
        sc_usage_error(state, "%s is missing: --cert and --key belong together",
                       options->cert ? "--key" : "--cert");
    }
}

/** "cafe,school": cut in place. */
static void take_categories(query_options *options, const struct argp_state *state, char *argument)
{
    for (char *name = strsep(&argument, ","); name; name = strsep(&argument, ",")) {
        if (name[0] == '\0') sc_usage_error(state, "--category: the name of the category is empty");
        if (options->category_count == SC_QUERY_CATEGORIES_MAX) {
            sc_usage_error(state, "--category: more than %d; leave them out to ask for all",
                           SC_QUERY_CATEGORIES_MAX);
        }
        options->categories[options->category_count++] = name;
    }
}

/** Whether `text` may be a token: a header can carry it. */
static bool query_is_token(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c <= ' ' || *c >= 0x7f) return false;
    }
    return text[0] != '\0' && strlen(text) < SC_QUERY_TOKEN_SIZE;
}

/** Take the token down, and wipe it from where all who list processes can see it. */
static void take_token(query_options *options, const struct argp_state *state, char *argument)
{
    if (!query_is_token(argument))
        sc_usage_error(state, "--token: this is not a token; tokens begin with sct1_");
    snprintf(options->token, sizeof(options->token), "%s", argument);
    explicit_bzero(argument, strlen(argument));
}

static maybe count_of(const struct argp_state *state, const char *option, const char *argument,
                      uint64_t min)
{
    return (maybe){true, (double)sc_value_count(state, option, argument, min, UINT32_MAX - 1)};
}

static maybe number_of(const struct argp_state *state, const char *option, const char *argument,
                       double min, double max)
{
    return (maybe){true, sc_value_number(state, option, argument, min, max)};
}

/** Where, and hidden how; false if `key` is about something else. */
static bool take_number(int key, const char *argument, const struct argp_state *state,
                        query_options *options)
{
    switch (key) {
    case KEY_LON:
        options->lon = number_of(state, "--lon", argument, -180, 180);
        return true;
    case KEY_LAT:
        options->lat = number_of(state, "--lat", argument, -90, 90);
        return true;
    case KEY_X:
        options->x = number_of(state, "--x", argument, -HUGE_VAL, HUGE_VAL);
        return true;
    case KEY_Y:
        options->y = number_of(state, "--y", argument, -HUGE_VAL, HUGE_VAL);
        return true;
    case KEY_EDGE:
        options->edge = count_of(state, "--edge", argument, 0);
        return true;
    case KEY_OFFSET_M:
        options->offset_m = number_of(state, "--offset-m", argument, 0, HUGE_VAL);
        return true;
    case KEY_HEADING:
        options->heading_deg = number_of(state, "--heading", argument, 0, 360);
        return true;
    case KEY_K:
        options->k = count_of(state, "--k", argument, 1);
        return true;
    case KEY_L:
        options->l = count_of(state, "--l", argument, 1);
        return true;
    case KEY_MAX_HOPS:
        options->max_hops = count_of(state, "--max-hops", argument, 0);
        return true;
    case KEY_MAX_WAIT:
        options->max_wait_s = number_of(state, "--max-wait", argument, 0, SECONDS_MAX);
        return true;
    case KEY_NEAREST:
        options->nearest = count_of(state, "--nearest", argument, 1);
        return true;
    case KEY_WITHIN:
        options->within_m = number_of(state, "--within", argument, 0, HUGE_VAL);
        return true;
    case KEY_WITHIN_S:
        options->within_s = number_of(state, "--within-s", argument, 0, HUGE_VAL);
        return true;
    case KEY_TIMEOUT:
        options->timeout_s = sc_value_number(state, "--timeout", argument, 0.001, SECONDS_MAX);
        return true;
    default:
        return false;
    }
}

static void take_service(query_options *options, const struct argp_state *state,
                         const char *argument)
{
    if (options->service)
        sc_usage_error(state, "unexpected argument '%s'; one address is needed", argument);
    // The address is looked at here; where it leads is known when all options are.
    const char *wrong = sc_post_url(argument, "/v1/queries", options->url);
    // Not repeated: it may have a password in it.
    if (wrong) sc_usage_error(state, "the address %s (as https://cloak.example.org)", wrong);
    options->service = argument;
}

static error_t query_options_parse(int key, char *argument, struct argp_state *state)
{
    query_options *options = state->input;
    if (take_number(key, argument, state, options)) return 0;
    switch (key) {
    case 'c':
        take_categories(options, state, argument);
        return 0;
    case KEY_METRIC:
        options->metric = sc_metric_name(sc_value_metric(state, "--metric", argument));
        return 0;
    case KEY_TOKEN:
        take_token(options, state, argument);
        return 0;
    case KEY_TOKEN_FILE:
        options->token_file = sc_value_file(state, "--token-file", argument);
        return 0;
    case KEY_ZONE:
        options->zone_file = sc_value_file(state, "--zone", argument);
        return 0;
    case KEY_DRAW_ZONE:
        options->is_for_zone = true;
        return 0;
    case KEY_CA:
        options->ca = sc_value_file(state, "--ca", argument);
        return 0;
    case KEY_CERT:
        options->cert = sc_value_file(state, "--cert", argument);
        return 0;
    case KEY_KEY:
        options->key = sc_value_file(state, "--key", argument);
        return 0;
    case KEY_RELAY:
        options->sealing.relay = sc_value_file(state, "--relay", argument);
        return 0;
    case KEY_RELAY_KEYS:
        options->sealing.keys = sc_value_file(state, "--relay-keys", argument);
        return 0;
    case KEY_ISSUER:
        options->pass.issuer = sc_value_file(state, "--issuer", argument);
        return 0;
    case KEY_ISSUER_NAME:
        options->pass.name = sc_value_file(state, "--issuer-name", argument);
        return 0;
    case KEY_PASS_FILE:
        options->pass.file = sc_value_file(state, "--pass-file", argument);
        return 0;
    case KEY_PASS_ORIGIN:
        options->pass.origin = sc_value_file(state, "--pass-origin", argument);
        return 0;
    case KEY_PASS_EPOCH:
        options->pass.epoch_s =
            (int64_t)sc_value_count(state, "--pass-epoch", argument, 2, (uint64_t)SECONDS_MAX);
        return 0;
    case KEY_JSON:
        options->json = true;
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

// --- The zone -----------------------------------------------------------------------------------

/** The first line of the file with the zone. */
static sc_err read_zone(query_options *options, sc_diag *diag)
{
    if (!options->zone_file) return SC_OK;
    FILE *file = fopen(options->zone_file, "re");
    errno = file ? 0 : errno;
    const bool is_read = file && fgets(options->zone, sizeof(options->zone), file);
    const int error = errno;
    if (file) fclose(file);
    if (!is_read) {
        return sc_explain(diag, SC_EIO, "%.400s: cannot read the zone: %s", options->zone_file,
                          error ? strerror(error) : "the file is empty");
    }
    options->zone[strcspn(options->zone, " \t\r\n")] = '\0';
    if (strncmp(options->zone, "scz1_", 5) == 0) return SC_OK;
    return sc_explain(diag, SC_EPARSE,
                      "%.400s: its first line is not a zone; 'starcloak query --draw-zone' asks "
                      "for one",
                      options->zone_file);
}

// --- The command --------------------------------------------------------------------------------

#define NEAREST_DEFAULT 5

/** As the service's pass-epoch and the issuer's. */
#define EPOCH_DEFAULT_S 3600

/** Seconds for everything but the wait for a cloak, and for all if that wait is not known. */
#define TIMEOUT_BESIDES_S 30.0
#define TIMEOUT_DEFAULT_S 120.0

// --- The token ------------------------------------------------------------------------

/** The first line of the file, without blanks at its end. */
static sc_err read_token(query_options *options, sc_diag *diag)
{
    const bool is_stdin = strcmp(options->token_file, "-") == 0;
    const char *name = is_stdin ? "standard input" : options->token_file;
    FILE *file = is_stdin ? stdin : fopen(options->token_file, "re");
    sc_err err = SC_OK;
    if (!file || !fgets(options->token, sizeof(options->token), file)) {
        const char *why = !file || ferror(file) ? strerror(errno) : "it is empty";
        err = sc_explain(diag, SC_EIO, "%.400s: cannot read the token: %s", name, why);
    }
    if (file && !is_stdin) fclose(file);
    if (err) return err;
    options->token[strcspn(options->token, " \t\r\n")] = '\0';
    if (query_is_token(options->token)) return SC_OK;
    return sc_explain(diag, SC_EPARSE,
                      "%.400s: its first line is not a token; 'starcloak token issue' makes one",
                      name);
}

static sc_err find_token(query_options *options, sc_diag *diag)
{
    if (options->token[0] != '\0') return SC_OK;
    if (options->token_file) return read_token(options, diag);
    const char *token = getenv("STARCLOAK_TOKEN");
    if (!token || token[0] == '\0') return SC_OK;  // the service will say what it thinks of that
    if (!query_is_token(token)) {
        return sc_explain(diag, SC_EPARSE, "STARCLOAK_TOKEN in the environment is not a token");
    }
    snprintf(options->token, sizeof(options->token), "%s", token);
    return SC_OK;
}

/** The account's token is for the issuer alone then. */
static sc_err find_private_token(query_options *options, sc_diag *diag)
{
    sc_pass_source *pass = &options->pass;
    if (!pass->issuer) return SC_OK;
    pass->service = options->service;
    pass->ca = options->ca;
    pass->account = options->token[0] != '\0' ? options->token : NULL;
    return sc_pass_source_get(pass, (int64_t)time(NULL), options->private_token, diag);
}

// --- The question ---------------------------------------------------------------------

/** A member, if it was given. */
static void put_number(sc_json_writer *json, const char *name, maybe number, bool is_whole)
{
    if (!number.is_given) return;
    if (is_whole) {
        sc_json_put_count(json, name, (uint64_t)number.value);
    } else {
        sc_json_put_number(json, name, number.value);
    }
}

static void put_request(sc_json_writer *json, const query_options *options)
{
    const maybe nearest =
        options->nearest.is_given ? options->nearest : (maybe){true, NEAREST_DEFAULT};
    sc_json_open_object(json, "request");
    const bool is_range = options->within_m.is_given || options->within_s.is_given;
    sc_json_put_string(json, "type", is_range ? "range" : "knn");
    if (options->metric) sc_json_put_string(json, "metric", options->metric);
    put_number(json, "radius_m", options->within_m, false);
    put_number(json, "radius_s", options->within_s, false);
    if (!is_range) put_number(json, "k", nearest, true);
    if (options->category_count > 0) {
        sc_json_open_array(json, "categories");
        for (size_t i = 0; i < options->category_count; i++) {
            sc_json_put_string(json, NULL, options->categories[i]);
        }
        sc_json_close_array(json);
    }
    sc_json_close_object(json);
}

/** All but the position. */
static void put_rest(sc_json_writer *json, const query_options *options)
{
    sc_json_open_object(json, "profile");
    put_number(json, "k", options->k, true);
    put_number(json, "l", options->l, true);
    put_number(json, "max_hops", options->max_hops, true);
    put_number(json, "max_wait_s", options->max_wait_s, false);
    sc_json_close_object(json);
    put_request(json, options);
    if (options->zone_file) sc_json_put_string(json, "zone", options->zone);
}

/** The body, ended by NUL; wipe it. */
static sc_err make_body(const query_options *options, sc_bytes *out, sc_diag *diag)
{
    for (size_t i = 0; i < options->category_count; i++) {
        if (sc_is_utf8(options->categories[i])) continue;
        return sc_explain(diag, SC_EINVAL, "--category: a name is not UTF-8");
    }
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    sc_json_open_object(&json, "position");
    put_number(&json, "lon", options->lon, false);
    put_number(&json, "lat", options->lat, false);
    put_number(&json, "x", options->x, false);
    put_number(&json, "y", options->y, false);
    put_number(&json, "edge", options->edge, true);
    put_number(&json, "offset_m", options->offset_m, false);
    put_number(&json, "heading_deg", options->heading_deg, false);
    sc_json_close_object(&json);
    if (!options->is_for_zone) put_rest(&json, options);
    sc_json_close_object(&json);
    if (json.has_failed || !sc_bytes_reserve_wiping(out, 1)) return SC_ENOMEM;
    out->data[out->size] = '\0';
    return SC_OK;
}

// --- Asking ---------------------------------------------------------------------------

static sc_err ask(const query_options *options, const char *body, sc_post_reply *reply,
                  sc_diag *diag)
{
    sc_bar bar;
    sc_bar_init(&bar, false);
    const bool is_private = options->pass.issuer != NULL;
    sc_post post = {.url = options->url,
                    .body = body,
                    .token = is_private || options->token[0] == '\0' ? NULL : options->token,
                    .private_token = is_private ? options->private_token : NULL,
                    .ca = options->ca,
                    .cert = options->cert,
                    .key = options->key,
                    .timeout_s = options->timeout_s,
                    .progress = sc_bar_listen(&bar),
                    .expected_wait_s = options->max_wait_s.value};
    if (post.timeout_s == 0) {
        post.timeout_s = options->max_wait_s.is_given
                             ? options->max_wait_s.value + TIMEOUT_BESIDES_S
                             : TIMEOUT_DEFAULT_S;
    }
    const sc_err err = options->sealing.relay
                           ? sc_post_send_sealed(&post, &options->sealing, reply, diag)
                           : sc_post_send(&post, reply, diag);
    sc_bar_clear(&bar);
    return err;
}

static int run(sc_call *call)
{
    query_options options = {.pass = {.epoch_s = EPOCH_DEFAULT_S}};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_post_reply reply = {.status = 0};
    sc_bytes body = {.size = 0};
    sc_err err = find_token(&options, &diag);
    if (!err) err = find_private_token(&options, &diag);
    if (!err) err = read_zone(&options, &diag);
    if (!err) err = make_body(&options, &body, &diag);
    if (!err && options.pass.issuer && strncasecmp(options.pass.issuer, "http:", 5) == 0 &&
        !sc_post_is_local(options.pass.issuer)) {
        sc_call_note(call, "over http:// anyone on the network can read the account's token; use "
                           "https:// for the issuer");
    }
    if (!err && strncasecmp(options.url, "http:", 5) == 0 && !sc_post_is_local(options.url)) {
        sc_call_note(
            call,
            "over http:// anyone on the network can read the position and the token; use https://");
    }
    if (!err) err = ask(&options, (const char *)body.data, &reply, &diag);
    const int status =
        err ? sc_call_fail(call, err, &diag) : sc_query_report(call, &reply, options.json);
    sc_post_reply_fini(&reply);
    sc_bytes_wipe(&body);
    sc_bytes_fini(&body);
    explicit_bzero(&options, sizeof(options));
    return status;
}

static const sc_entry examples[] = {
    {"starcloak query https://cloak.example.org --token-file ann.token --lon -84.39 --lat 33.75",
     "The five nearest objects, asked for through a cloak."},
    {"starcloak query http://localhost:8080 --lon -84.39 --lat 33.75 --k 10 --max-wait 30 "
     "--nearest 3 --category hospital",
     "The three nearest hospitals, hidden among ten users; wait up to half a minute for them."},
    {NULL, NULL},
};

const sc_command sc_cmd_query = {
    .name = "query",
    .summary = "ask a running service for objects nearby",
    .arguments = "URL",
    .description =
        "Ask the service at an address for the objects around a position, and wait for the "
        "outcome. The service waits until enough other users are nearby, and asks the provider "
        "about a set of roads instead of a position. The answer is exact nonetheless.\nThe exit "
        "status is 0 if there is an answer, and 1 if the query was dropped because too few users "
        "came in time, was refused, or failed. Redirects are not followed, and proxies named in "
        "the environment are not used: the position goes to that address alone.",
    .options = query_options_table,
    .examples = examples,
    .parse = query_options_parse,
    .run = run,
};
