/*
 * `starcloak query`: ask a running service, as a traveller's device would, and wait for the
 * outcome.
 *
 * The position goes to the service and to nobody else, and is not repeated in any message.
 */
#include "command.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "progress_bar.h"
#include "query_options.h"
#include "query_report.h"

#define NEAREST_DEFAULT 5

/** Seconds for all but the waiting for company, and for all if that is not known. */
#define TIMEOUT_BESIDES_S 30.0
#define TIMEOUT_DEFAULT_S 120.0

// --- The token ------------------------------------------------------------------------

/** The first line of the file, without blanks at its end. */
static sc_err read_token(sc_query_options *options, sc_diag *diag)
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
    if (sc_query_is_token(options->token)) return SC_OK;
    snprintf(diag->message, sizeof(diag->message),
             "%.400s: its first line is no token; 'starcloak token issue' makes one", name);
    return SC_EPARSE;
}

static sc_err find_token(sc_query_options *options, sc_diag *diag)
{
    if (options->token[0] != '\0') return SC_OK;
    if (options->token_file) return read_token(options, diag);
    const char *token = getenv("STARCLOAK_TOKEN");
    if (!token || token[0] == '\0') return SC_OK;  // the service will say what it thinks of that
    if (!sc_query_is_token(token)) {
        snprintf(diag->message, sizeof(diag->message),
                 "what the environment has as STARCLOAK_TOKEN is no token");
        return SC_EPARSE;
    }
    snprintf(options->token, sizeof(options->token), "%s", token);
    return SC_OK;
}

// --- The question ---------------------------------------------------------------------

/** Numbers of an object: those that were given. False if memory is out. */
static bool put_number(json_t *object, const char *name, sc_maybe number, bool is_whole)
{
    if (!number.is_given) return true;
    return json_object_set_new(object, name,
                               is_whole ? json_integer((json_int_t)number.value)
                                        : json_real(number.value)) == 0;
}

static json_t *make_request(const sc_query_options *options)
{
    const sc_maybe nearest =
        options->nearest.is_given ? options->nearest : (sc_maybe){true, NEAREST_DEFAULT};
    json_t *request = json_object();
    bool is_fine = true;
    if (options->within_m.is_given) {
        is_fine &= !json_object_set_new(request, "type", json_string("range"));
        is_fine &= put_number(request, "radius_m", options->within_m, false);
    } else {
        is_fine &= !json_object_set_new(request, "type", json_string("knn"));
        is_fine &= put_number(request, "k", nearest, true);
    }
    if (options->category_count > 0) {
        json_t *categories = json_array();
        is_fine &= !json_object_set_new(request, "categories", categories);
        for (size_t i = 0; i < options->category_count; i++) {
            is_fine &= !json_array_append_new(categories, json_string(options->categories[i]));
        }
    }
    if (is_fine) return request;
    json_decref(request);
    return NULL;
}

/** The body; NULL if a category is not UTF-8, or memory is out. Free it. */
static char *make_body(const sc_query_options *options)
{
    json_t *position = json_object();
    json_t *profile = json_object();
    bool is_fine = put_number(position, "lon", options->lon, false) &&
                   put_number(position, "lat", options->lat, false) &&
                   put_number(position, "x", options->x, false) &&
                   put_number(position, "y", options->y, false) &&
                   put_number(position, "edge", options->edge, true) &&
                   put_number(position, "offset_m", options->offset_m, false) &&
                   put_number(profile, "k", options->k, true) &&
                   put_number(profile, "l", options->l, true) &&
                   put_number(profile, "max_hops", options->max_hops, true) &&
                   put_number(profile, "max_wait_s", options->max_wait_s, false);
    json_t *body = json_object();
    is_fine &= !json_object_set_new(body, "position", position);
    is_fine &= !json_object_set_new(body, "profile", profile);
    is_fine &= !json_object_set_new(body, "request", make_request(options));
    char *text = is_fine ? json_dumps(body, JSON_COMPACT) : NULL;
    json_decref(body);
    return text;
}

// --- Asking ---------------------------------------------------------------------------

static sc_err ask(const sc_query_options *options, const char *body, sc_post_reply *reply,
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
    sc_query_options options = {.service = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_post_reply reply = {.status = 0};
    char *body = NULL;
    sc_err err = find_token(&options, &diag);
    if (!err && !(body = make_body(&options))) {
        snprintf(diag.message, sizeof(diag.message), "the categories are not all UTF-8");
        err = SC_EINVAL;
    }
    if (!err && strncasecmp(options.url, "http:", 5) == 0 && !sc_post_is_local(options.url)) {
        sc_call_note(call, "over http:// everyone on the way can read the position and the token; "
                           "use https://");
    }
    if (!err) err = ask(&options, body, &reply, &diag);
    const int status =
        err ? sc_call_fail(call, err, &diag) : sc_query_report(call, &reply, options.json);
    sc_post_reply_fini(&reply);
    if (body) explicit_bzero(body, strlen(body));
    free(body);
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
    .options = sc_query_options_table,
    .examples = examples,
    .parse = sc_query_options_parse,
    .run = run,
};
