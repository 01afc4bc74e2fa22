/*
 * `starcloak query`: ask a running service, as a traveller's device would, and wait for the
 * outcome.
 *
 * The position goes to the service alone, and is not repeated in any message.
 */
#include "base/bytes.h"
#include "base/json_tree.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "command.h"
#include "format.h"
#include "progress_bar.h"
#include "query_http.h"
#include "values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/** Longer ones are no tokens. */
#define SC_QUERY_TOKEN_SIZE 1025

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

    // The service has defaults.
    maybe k, l, max_hops, max_wait_s;

    // One of them at most.
    maybe nearest, within_m;
    char *categories[SC_QUERY_CATEGORIES_MAX];  ///< of argv
    size_t category_count;                      ///< 0: all

    char token[SC_QUERY_TOKEN_SIZE];  ///< of --token; "": not given
    const char *token_file;
    const char *ca;
    const char *cert;
    const char *key;
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

static const sc_option query_options_table[] = {
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
static void take_categories(query_options *options, const struct argp_state *state, char *argument)
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
    if (!query_is_token(argument)) sc_usage_error(state, "--token: this is no token");
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

static void take_service(query_options *options, const struct argp_state *state,
                         const char *argument)
{
    if (options->service) sc_usage_error(state, "one address at a time; what is '%s'?", argument);
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

// --- Report -------------------------------------------------------------------------------------

/** Widest column of categories; what is longer pushes the rest aside. */
enum { CATEGORY_MAX = 24 };

/** How much of a stranger's sentence a message repeats. */
enum { WORDS_SIZE = 301 };

/** Decimals of positions: about a decimetre on the globe, a centimetre on a plane. */
enum { DEGREE_DECIMALS = 6, PLANE_DECIMALS = 2 };

static const char *get_text(const sc_json_value *object, const char *name)
{
    const char *text = sc_json_text_at(sc_json_member(object, name));
    return text ? text : "";
}

/** False if there is no such number. */
static bool get_number(const sc_json_value *object, const char *name, double *out)
{
    const sc_json_value *value = sc_json_member(object, name);
    *out = sc_json_number_at(value);
    return sc_json_is_number(value);
}

// --- Objects --------------------------------------------------------------------------

/** One line of an answer. */
typedef struct row {
    const char *name;
    const char *category;
    double distance_m;
    bool has_position;
    bool is_planar;
    double x;
    double y;
} row;

/** False if it is no object as a service tells of them. */
static bool row_of(const sc_json_value *object, row *out)
{
    const sc_json_value *position = sc_json_member(object, "position");
    *out = (row){.name = get_text(object, "name"), .category = get_text(object, "category")};
    if (get_number(position, "lon", &out->x) && get_number(position, "lat", &out->y)) {
        out->has_position = true;
    } else if (get_number(position, "x", &out->x) && get_number(position, "y", &out->y)) {
        out->has_position = true;
        out->is_planar = true;
    }
    return get_number(object, "distance_m", &out->distance_m);
}

static void put_heading(const row *first, int category_width)
{
    printf("\n%4s %12s  %-*s", "rank", "metres", category_width, "category");
    if (first->has_position) {
        printf(" %12s %11s", first->is_planar ? "x" : "longitude",
               first->is_planar ? "y" : "latitude");
    }
    puts("  name");
}

static void put_row(size_t rank, const row *r, int category_width)
{
    char number[SC_FORMAT_SIZE];
    const int missing = category_width - sc_text_columns(r->category);
    const int decimals = r->is_planar ? PLANE_DECIMALS : DEGREE_DECIMALS;
    printf("%4zu %12s  ", rank, sc_format_decimal(number, r->distance_m, 2));
    sc_print_text(stdout, r->category);
    printf("%*s", missing > 0 ? missing : 0, "");
    if (r->has_position) printf(" %12.*f %11.*f", decimals, r->x, decimals, r->y);
    fputs("  ", stdout);
    sc_print_text(stdout, r->name[0] != '\0' ? r->name : "-");
    putchar('\n');
}

/** False if one of them is no object; nothing is printed then. */
static bool measure(const sc_json_value *objects, int *category_width)
{
    *category_width = (int)strlen("category");
    for (size_t i = 0; i < sc_json_size(objects); i++) {
        row r;
        if (!row_of(sc_json_at(objects, i), &r)) return false;
        const int columns = sc_text_columns(r.category);
        if (columns > *category_width) {
            *category_width = columns < CATEGORY_MAX ? columns : CATEGORY_MAX;
        }
    }
    return true;
}

static bool print_answer(const sc_json_value *reply)
{
    double users = 0;
    double segments = 0;
    double wait_s = 0;
    int category_width = 0;
    const sc_json_value *cloak = sc_json_member(reply, "cloak");
    const sc_json_value *objects = sc_json_member(reply, "objects");
    if (!get_number(cloak, "users", &users) || !get_number(cloak, "segments", &segments) ||
        !get_number(reply, "wait_s", &wait_s) || !sc_json_is_array(objects) ||
        !measure(objects, &category_width)) {
        return false;
    }
    char number[SC_FORMAT_SIZE];
    char other[SC_FORMAT_SIZE];
    char wait[SC_FORMAT_SIZE];
    printf("hidden among %s users on %s segments, after %s\n", sc_format_decimal(number, users, 0),
           sc_format_decimal(other, segments, 0), sc_format_seconds(wait, wait_s));
    if (sc_json_size(objects) == 0) puts("\nNothing of the kind is within reach.");
    for (size_t i = 0; i < sc_json_size(objects); i++) {
        row r;
        row_of(sc_json_at(objects, i), &r);
        if (i == 0) put_heading(&r, category_width);
        put_row(i + 1, &r, category_width);
    }
    return true;
}

// --- What is no answer ----------------------------------------------------------------

static void tell_dropped(const sc_call *call, const sc_json_value *reply)
{
    static const struct {
        const char *reason;
        const char *words;
    } known[] = {
        {"expired", "too little company came in time; wait longer (--max-wait), or hide among "
                    "fewer users (--k)"},
        {"infeasible", "there are not so many segments within reach; ask for fewer (--l), or let "
                       "the cloak reach farther (--max-hops)"},
    };
    const char *reason = get_text(reply, "reason");
    const char *words = reason;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(reason, known[i].reason) == 0) words = known[i].words;
    }
    double wait_s = 0;
    char wait[SC_FORMAT_SIZE];
    get_number(reply, "wait_s", &wait_s);
    sc_call_note(call, "dropped after %s: %.300s", sc_format_seconds(wait, wait_s), words);
}

/** "TITLE: DETAIL (field)", of problem details (RFC 9457); false if these are none. */
static bool tell_problem(const sc_call *call, const sc_post_reply *reply,
                         const sc_json_value *problem)
{
    char title[WORDS_SIZE];
    char detail[WORDS_SIZE];
    char field[WORDS_SIZE];
    char later[64] = "";
    sc_format_text(title, sizeof(title), get_text(problem, "title"));
    sc_format_text(detail, sizeof(detail), get_text(problem, "detail"));
    sc_format_text(field, sizeof(field), get_text(problem, "field"));
    if (title[0] == '\0') return false;
    if (reply->retry_after_s > 0) {
        snprintf(later, sizeof(later), "; try again in %ld s", reply->retry_after_s);
    }
    sc_call_note(call, "%s%s%s%s%s%s%s", title, detail[0] != '\0' ? ": " : "", detail,
                 field[0] != '\0' ? " (" : "", field, field[0] != '\0' ? ")" : "", later);
    return true;
}

static void tell_stranger(const sc_call *call, long status)
{
    if (status >= 300 && status < 400) {
        sc_call_note(call,
                     "the address leads elsewhere (status %ld), and nobody else is to know a "
                     "position; give the address of the service itself",
                     status);
    } else {
        sc_call_note(call,
                     "what is at that address does not reply as a StarCloak service does "
                     "(status %ld)",
                     status);
    }
}

/** The character of UTF-8 at `*text`, escaped; steps over it. */
static void print_escaped(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    const size_t size = *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    uint32_t code = *c & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        code = code << 6 | (c[i] & 0x3fU);
    }
    *text += size;
    if (code >= 0x10000) {
        printf("\\u%04X", 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + (code & 0x3ff);
    }
    printf("\\u%04X", code);
}

/**
 * Print JSON that has been read without an error in one line, with numbers as they were sent. Only
 * ASCII, since a name may hold characters that a terminal obeys.
 */
static void print_compact(const char *text)
{
    bool is_string = false;
    while (*text != '\0') {
        if ((unsigned char)*text >= 0x80) {
            print_escaped(&text);
            continue;
        }
        if (*text == '"') is_string = !is_string;
        if (*text == '\\') putchar(*text++);
        if (*text == 0x7f) {
            fputs("\\u007F", stdout);
        } else if (is_string || !strchr(" \t\r\n", *text)) {
            putchar(*text);
        }
        text++;
    }
    putchar('\n');
}

static int report(const sc_call *call, const sc_post_reply *reply, const sc_json_value *words,
                  bool json)
{
    const char *outcome = get_text(words, "outcome");
    if (json && words) print_compact(reply->body);
    if (reply->status == 200 && strcmp(outcome, "answered") == 0) {
        if (json || print_answer(words)) return SC_EXIT_OK;
    } else if (reply->status == 200 && strcmp(outcome, "dropped") == 0) {
        tell_dropped(call, words);
        return SC_EXIT_FAILURE;
    } else if (reply->status >= 400 && tell_problem(call, reply, words)) {
        return SC_EXIT_FAILURE;
    }
    tell_stranger(call, reply->status);
    return SC_EXIT_FAILURE;
}

/**
 * Print the reply.
 *
 * @param json  print the reply as JSON on standard output; what is no answer is also reported
 *              on standard error
 * @return the exit status: SC_EXIT_OK if it was answered
 */
static int query_report(const sc_call *call, const sc_post_reply *reply, bool json)
{
    sc_json_tree tree = {.root = NULL};
    sc_json_error error;
    const sc_err err = sc_json_tree_read(reply->body, reply->size, &tree, &error);
    if (err == SC_ENOMEM) return sc_call_fail(call, err, NULL);
    // A document that is a mere number or string is no reply of a service.
    const bool is_reply = !err && (sc_json_is_object(tree.root) || sc_json_is_array(tree.root));
    const int status = report(call, reply, is_reply ? tree.root : NULL, json);
    sc_json_tree_fini(&tree);
    return status;
}

// --- The command --------------------------------------------------------------------------------

#define NEAREST_DEFAULT 5

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
        snprintf(diag->message, sizeof(diag->message), "%.400s: cannot read the token: %s", name,
                 why);
        err = SC_EIO;
    }
    if (file && !is_stdin) fclose(file);
    if (err) return err;
    options->token[strcspn(options->token, " \t\r\n")] = '\0';
    if (query_is_token(options->token)) return SC_OK;
    snprintf(diag->message, sizeof(diag->message),
             "%.400s: its first line is no token; 'starcloak token issue' makes one", name);
    return SC_EPARSE;
}

static sc_err find_token(query_options *options, sc_diag *diag)
{
    if (options->token[0] != '\0') return SC_OK;
    if (options->token_file) return read_token(options, diag);
    const char *token = getenv("STARCLOAK_TOKEN");
    if (!token || token[0] == '\0') return SC_OK;  // the service will say what it thinks of that
    if (!query_is_token(token)) {
        snprintf(diag->message, sizeof(diag->message),
                 "what the environment has as STARCLOAK_TOKEN is no token");
        return SC_EPARSE;
    }
    snprintf(options->token, sizeof(options->token), "%s", token);
    return SC_OK;
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
    sc_json_put_string(json, "type", options->within_m.is_given ? "range" : "knn");
    if (options->within_m.is_given) {
        put_number(json, "radius_m", options->within_m, false);
    } else {
        put_number(json, "k", nearest, true);
    }
    if (options->category_count > 0) {
        sc_json_open_array(json, "categories");
        for (size_t i = 0; i < options->category_count; i++) {
            sc_json_put_string(json, NULL, options->categories[i]);
        }
        sc_json_close_array(json);
    }
    sc_json_close_object(json);
}

/** The body, ended by NUL; wipe it. */
static sc_err make_body(const query_options *options, sc_bytes *out, sc_diag *diag)
{
    for (size_t i = 0; i < options->category_count; i++) {
        if (sc_is_utf8(options->categories[i])) continue;
        snprintf(diag->message, sizeof(diag->message), "the categories are not all UTF-8");
        return SC_EINVAL;
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
    sc_json_close_object(&json);
    sc_json_open_object(&json, "profile");
    put_number(&json, "k", options->k, true);
    put_number(&json, "l", options->l, true);
    put_number(&json, "max_hops", options->max_hops, true);
    put_number(&json, "max_wait_s", options->max_wait_s, false);
    sc_json_close_object(&json);
    put_request(&json, options);
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
    sc_post post = {.url = options->url,
                    .body = body,
                    .token = options->token[0] != '\0' ? options->token : NULL,
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
    const sc_err err = sc_post_send(&post, reply, diag);
    sc_bar_clear(&bar);
    return err;
}

static int run(sc_call *call)
{
    query_options options = {.service = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_post_reply reply = {.status = 0};
    sc_bytes body = {.size = 0};
    sc_err err = find_token(&options, &diag);
    if (!err) err = make_body(&options, &body, &diag);
    if (!err && strncasecmp(options.url, "http:", 5) == 0 && !sc_post_is_local(options.url)) {
        sc_call_note(call, "over http:// everyone on the way can read the position and the token; "
                           "use https://");
    }
    if (!err) err = ask(&options, (const char *)body.data, &reply, &diag);
    const int status =
        err ? sc_call_fail(call, err, &diag) : query_report(call, &reply, options.json);
    sc_post_reply_fini(&reply);
    sc_bytes_wipe(&body);
    sc_bytes_fini(&body);
    explicit_bzero(&options, sizeof(options));
    return status;
}

static const sc_entry examples[] = {
    {"starcloak query https://cloak.example.org --token-file ann.token --lon -84.39 --lat 33.75",
     "The five nearest objects, asked for by nobody in particular."},
    {"starcloak query http://localhost:8080 --lon -84.39 --lat 33.75 --k 10 --max-wait 30 "
     "--nearest 3 --category hospital",
     "The three nearest hospitals, hidden among ten users; half a minute may pass until there are "
     "as many."},
    {NULL, NULL},
};

const sc_command sc_cmd_query = {
    .name = "query",
    .summary = "ask a running service for objects nearby",
    .arguments = "URL",
    .description =
        "Ask the service at an address for the objects around a position, and wait for the "
        "outcome. The service waits until there are enough others around, and asks the provider "
        "about a stretch of roads instead of a position. What comes back is exact nonetheless.\n"
        "The exit status is 0 if there is an answer, and 1 if the query was dropped because too "
        "little company came in time, was refused, or failed. No redirect is followed, and no "
        "proxy of the environment is used: the position goes to that address alone.",
    .options = query_options_table,
    .examples = examples,
    .parse = query_options_parse,
    .run = run,
};
