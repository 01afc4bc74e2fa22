// The command line of a query. See query_options.h.
#include "query_options.h"

#include <math.h>
#include <string.h>

#include "values.h"

/** A day. */
#define SECONDS_MAX 86400.0

enum {
    KEY_LON = SC_KEY_FIRST,
    KEY_LAT,
    KEY_X,
    KEY_Y,
    KEY_EDGE,
    KEY_OFFSET_M,
    KEY_K,
    KEY_L,
    KEY_MAX_HOPS,
    KEY_MAX_WAIT,
    KEY_NEAREST,
    KEY_WITHIN,
    KEY_TOKEN,
    KEY_TOKEN_FILE,
    KEY_CA,
    KEY_CERT,
    KEY_KEY,
    KEY_TIMEOUT,
    KEY_JSON,
};

const sc_option sc_query_options_table[] = {
    {"lon", KEY_LON, "X", "longitude in degrees (required, or one of the next two pairs)", NULL},
    {"lat", KEY_LAT, "Y", "latitude in degrees (required with --lon)", NULL},
    {"x", KEY_X, "X", "instead, on a planar map: x (default: --lon)", NULL},
    {"y", KEY_Y, "Y", "and y (required with --x)", NULL},
    {"edge", KEY_EDGE, "E", "instead: the number of an edge (default: --lon)", NULL},
    {"offset-m", KEY_OFFSET_M, "M",
     "metres along the edge, from its first node (required with --edge)", NULL},
    {"k", KEY_K, "N", "hide among N users (default: what the service has)", NULL},
    {"l", KEY_L, "N", "on N segments of road at least (default: what the service has)", NULL},
    {"max-hops", KEY_MAX_HOPS, "N",
     "within N hops between junctions (default: what the service has)", NULL},
    {"max-wait", KEY_MAX_WAIT, "S",
     "wait for company for S seconds at most (default: what the service has)", NULL},
    {"nearest", KEY_NEAREST, "N", "ask for the N nearest objects by road (default 5)", NULL},
    {"within", KEY_WITHIN, "M", "instead: for all within M metres by road (default: --nearest)",
     NULL},
    {"category", 'c', "NAME[,...]", "only objects of these categories; up to 16 (default: all)",
     NULL},
    {"token", KEY_TOKEN, "TOKEN",
     "who asks, see 'starcloak token' (default: $STARCLOAK_TOKEN, or none)", NULL},
    {"token-file", KEY_TOKEN_FILE, "FILE",
     "instead: the file that holds it, - for standard input (default: --token)", SC_COMPLETE_FILES},
    {"ca", KEY_CA, "FILE",
     "certificates of the authorities to trust (default: those of the system)", SC_COMPLETE_FILES},
    {"cert", KEY_CERT, "FILE", "a certificate to show to the service (default: none)",
     SC_COMPLETE_FILES},
    {"key", KEY_KEY, "FILE", "the key of that certificate (required with --cert)",
     SC_COMPLETE_FILES},
    {"timeout", KEY_TIMEOUT, "S",
     "give up after S seconds (default: 30 more than --max-wait; 120 without that)", NULL},
    {"json", KEY_JSON, NULL, "print the reply as JSON, whatever it is", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

// --- Usage ----------------------------------------------------------------------------

static void check_pair(const struct argp_state *state, sc_maybe a, sc_maybe b, const char *name_a,
                       const char *name_b)
{
    if (a.is_given == b.is_given) return;
    sc_usage_error(state, "%s is missing: %s and %s belong together", a.is_given ? name_b : name_a,
                   name_a, name_b);
}

static void check_usage(sc_query_options *options, const struct argp_state *state)
{
    if (!options->service) {
        sc_usage_error(state, "no address given; name that of the service (as "
                              "https://cloak.example.org)");
    }
    check_pair(state, options->lon, options->lat, "--lon", "--lat");
    check_pair(state, options->x, options->y, "--x", "--y");
    check_pair(state, options->edge, options->offset_m, "--edge", "--offset-m");
    if (options->lon.is_given + options->x.is_given + options->edge.is_given != 1) {
        sc_usage_error(state, "where? Give one of --lon and --lat, --x and --y, or --edge and "
                              "--offset-m");
    }
    if (options->nearest.is_given && options->within_m.is_given) {
        sc_usage_error(state, "--nearest asks for some objects and --within for all in reach; give "
                              "one of them");
    }
    if (options->token[0] != '\0' && options->token_file) {
        sc_usage_error(state, "give either --token or --token-file");
    }
    if (!options->cert != !options->key) {
        sc_usage_error(state, "%s is missing: --cert and --key belong together",
                       options->cert ? "--key" : "--cert");
    }
}

static const char *file_option(const struct argp_state *state, const char *option,
                               const char *argument)
{
    if (argument[0] == '\0') sc_usage_error(state, "%s: the name of the file is empty", option);
    return argument;
}

/** "cafe,school": cut in place. */
static void take_categories(sc_query_options *options, const struct argp_state *state,
                            char *argument)
{
    for (char *name = strsep(&argument, ","); name; name = strsep(&argument, ",")) {
        if (name[0] == '\0') sc_usage_error(state, "--category: '' is no category");
        if (options->category_count == SC_QUERY_CATEGORIES_MAX) {
            sc_usage_error(state, "--category: more than %d; leave them out to ask for all",
                           SC_QUERY_CATEGORIES_MAX);
        }
        options->categories[options->category_count++] = name;
    }
}

bool sc_query_is_token(const char *text)
{
    for (const char *c = text; *c != '\0'; c++) {
        if (*c <= ' ' || *c >= 0x7f) return false;
    }
    return text[0] != '\0' && strlen(text) < SC_QUERY_TOKEN_SIZE;
}

/** Take the token down, and wipe it from where all who list processes can see it. */
static void take_token(sc_query_options *options, const struct argp_state *state, char *argument)
{
    if (!sc_query_is_token(argument)) sc_usage_error(state, "--token: this is no token");
    snprintf(options->token, sizeof(options->token), "%s", argument);
    explicit_bzero(argument, strlen(argument));
}

static sc_maybe count_of(const struct argp_state *state, const char *option, const char *argument,
                         uint64_t min)
{
    return (sc_maybe){true, (double)sc_value_count(state, option, argument, min, UINT32_MAX - 1)};
}

static sc_maybe number_of(const struct argp_state *state, const char *option, const char *argument,
                          double min, double max)
{
    return (sc_maybe){true, sc_value_number(state, option, argument, min, max)};
}

/** Where, and hidden how; false if `key` is about something else. */
static bool take_number(int key, const char *argument, const struct argp_state *state,
                        sc_query_options *options)
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
    case KEY_TIMEOUT:
        options->timeout_s = sc_value_number(state, "--timeout", argument, 0.001, SECONDS_MAX);
        return true;
    default:
        return false;
    }
}

static void take_service(sc_query_options *options, const struct argp_state *state,
                         const char *argument)
{
    if (options->service) sc_usage_error(state, "one address at a time; what is '%s'?", argument);
    const char *wrong = sc_post_url(argument, "/v1/queries", options->url);
    // Not repeated: it may have a password in it.
    if (wrong) sc_usage_error(state, "the address %s (as https://cloak.example.org)", wrong);
    options->service = argument;
}

error_t sc_query_options_parse(int key, char *argument, struct argp_state *state)
{
    sc_query_options *options = state->input;
    if (take_number(key, argument, state, options)) return 0;
    switch (key) {
    case 'c':
        take_categories(options, state, argument);
        return 0;
    case KEY_TOKEN:
        take_token(options, state, argument);
        return 0;
    case KEY_TOKEN_FILE:
        options->token_file = file_option(state, "--token-file", argument);
        return 0;
    case KEY_CA:
        options->ca = file_option(state, "--ca", argument);
        return 0;
    case KEY_CERT:
        options->cert = file_option(state, "--cert", argument);
        return 0;
    case KEY_KEY:
        options->key = file_option(state, "--key", argument);
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
