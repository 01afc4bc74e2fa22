/*
 * `starcloak provider check`: whether a provider of one's own speaks the provider protocol.
 */
#include "command.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_write.h"
#include "conformance/conformance.h"
#include "inputs.h"
#include "objects_options.h"
#include "values.h"

enum { MAX_CLOAKS = 10000, MAX_CATEGORIES = 256 };

typedef struct check_options {
    const char *url;
    const char *map;
    sc_objects_options objects;
    bool has_own_objects;
    const char *categories[MAX_CATEGORIES];
    size_t category_count;
    sc_conformance_options how;
    bool is_json;
} check_options;

// --- Usage ----------------------------------------------------------------------------

enum {
    KEY_ENCODING = SC_KEY_FIRST,
    KEY_OWN_OBJECTS,
    KEY_CATEGORIES,
    KEY_CLOAKS,
    KEY_SEED,
    KEY_SLACK,
    KEY_CA,
    KEY_CERTIFICATE,
    KEY_KEY,
    KEY_TIMEOUT,
    KEY_JSON,
};

static const char *const encodings[] = {"compact", "geojson", "both", NULL};

static const sc_option options_table[] = {
    {"encoding", KEY_ENCODING, "NAME",
     "check compact, geojson, or both (default): then one that the provider does not read is "
     "skipped",
     "compact geojson both"},
    SC_OBJECTS_OPTIONS,
    {"own-objects", KEY_OWN_OBJECTS, NULL,
     "the provider has other objects than the map: compare its replies with each other only", NULL},
    {"categories", KEY_CATEGORIES, "NAME,...",
     "categories that the provider has but the map does not, separated by commas (default: none)",
     NULL},
    {"provider-slack", KEY_SLACK, "SHARE",
     "the share by which the provider's distances may differ from those of the map, as for serve; "
     "above 0, replies are not compared with a plain evaluation (default 0)",
     NULL},
    {"provider-ca", KEY_CA, "FILE.pem",
     "the authorities that may have signed the provider's certificate (default: those of the "
     "system)",
     SC_COMPLETE_FILES},
    {"provider-certificate", KEY_CERTIFICATE, "FILE.pem",
     "the certificate to present to the provider (default: none)", SC_COMPLETE_FILES},
    {"provider-key", KEY_KEY, "FILE.pem",
     "the private key of provider-certificate (default: in the same file)", SC_COMPLETE_FILES},
    {"provider-timeout", KEY_TIMEOUT, "S", "seconds for one message (default 30)", NULL},
    {"cloaks", KEY_CLOAKS, "N", "cloaks to ask about, 1 to 10000 (default 20)", NULL},
    {"seed", KEY_SEED, "N", "which cloaks these are (default 1)", NULL},
    {"json", KEY_JSON, NULL, "print JSON instead of a table", NULL},
    {"quiet", 'q', NULL, "no progress bar while objects are prepared", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void take_categories(check_options *options, const struct argp_state *state, char *argument)
{
    for (char *rest = argument, *name; (name = strsep(&rest, ","));) {
        if (*name == '\0') sc_usage_error(state, "--categories: a name is empty");
        if (options->category_count == MAX_CATEGORIES) {
            sc_usage_error(state, "--categories: more than %d names", (int)MAX_CATEGORIES);
        }
        options->categories[options->category_count++] = name;
    }
}

static void take_argument(check_options *options, const struct argp_state *state,
                          const char *argument)
{
    if (!options->url) {
        if (strncmp(argument, "http://", 7) != 0 && strncmp(argument, "https://", 8) != 0) {
            sc_usage_error(state, "the provider's URL begins with http:// or https://");
        }
        options->url = argument;
    } else {
        sc_parse_map(ARGP_KEY_ARG, (char *)argument, state, &options->map);
    }
}

static void check_usage(const check_options *options, const struct argp_state *state)
{
    if (!options->url) {
        sc_usage_error(state, "which provider? give its URL, and the map to ask about");
    }
    if (!options->map) sc_usage_error(state, "which map? give it behind the URL");
    if (options->how.key && !options->how.certificate) {
        sc_usage_error(state, "--provider-key needs --provider-certificate FILE");
    }
    if (options->has_own_objects && options->objects.feed.database) {
        sc_usage_error(state, "--own-objects and --objects: one of them");
    }
    sc_objects_options_check(state, &options->objects);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    check_options *options = state->input;
    sc_conformance_options *how = &options->how;
    if (sc_objects_option(key, argument, state, &options->objects)) return 0;
    switch (key) {
    case KEY_ENCODING: {
        const size_t word = sc_value_word(state, "--encoding", argument, encodings);
        how->encodings[SC_ENCODING_COMPACT] = word != 1;
        how->encodings[SC_ENCODING_GEOJSON] = word != 0;
        return 0;
    }
    case KEY_OWN_OBJECTS:
        options->has_own_objects = true;
        return 0;
    case KEY_CATEGORIES:
        take_categories(options, state, argument);
        return 0;
    case KEY_CLOAKS:
        how->cloak_count = (unsigned)sc_value_count(state, "--cloaks", argument, 1, MAX_CLOAKS);
        return 0;
    case KEY_SEED:
        how->seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_SLACK:
        how->slack = sc_value_number(state, "--provider-slack", argument, 0, 1);
        return 0;
    case KEY_CA:
        how->ca = argument;
        return 0;
    case KEY_CERTIFICATE:
        how->certificate = argument;
        return 0;
    case KEY_KEY:
        how->key = argument;
        return 0;
    case KEY_TIMEOUT:
        how->timeout_s = sc_value_number(state, "--provider-timeout", argument, 0.01, 3600);
        return 0;
    case KEY_JSON:
        options->is_json = true;
        return 0;
    case 'q':
        options->objects.is_quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        take_argument(options, state, argument);
        return 0;
    case ARGP_KEY_END:
        check_usage(options, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

// --- Report ---------------------------------------------------------------------------

static const char *const verdicts[SC_VERDICT_COUNT] = {"pass", "FAIL", "skip"};
static const char *const verdict_names[SC_VERDICT_COUNT] = {"pass", "fail", "skip"};

static void print_text(void *context, const sc_finding *finding)
{
    (void)context;
    printf("%s  %-8s %-13s %s\n", verdicts[finding->verdict], finding->encoding, finding->check,
           finding->claim);
    if (finding->verdict != SC_VERDICT_PASS) {
        printf("      %s: %s\n", finding->verdict == SC_VERDICT_FAIL ? "found" : "why",
               finding->found);
    }
    if (finding->verdict == SC_VERDICT_FAIL) printf("      to do: %s\n", finding->advice);
    fflush(stdout);
}

static void print_json(void *context, const sc_finding *finding)
{
    sc_json_writer *json = context;
    sc_json_break_line(json);
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "encoding", finding->encoding);
    sc_json_put_string(json, "check", finding->check);
    sc_json_put_string(json, "claim", finding->claim);
    sc_json_put_string(json, "verdict", verdict_names[finding->verdict]);
    if (finding->verdict != SC_VERDICT_PASS) sc_json_put_string(json, "found", finding->found);
    if (finding->verdict == SC_VERDICT_FAIL) sc_json_put_string(json, "advice", finding->advice);
    sc_json_close_object(json);
}

/** As JSON all findings are one document, which is printed when it is whole. */
static sc_err run_checks(check_options *options, size_t counts[SC_VERDICT_COUNT], sc_diag *diag)
{
    sc_bytes document = {.data = NULL};
    sc_json_writer json = sc_json_writer_of(&document);
    options->how.report = options->is_json ? print_json : print_text;
    options->how.context = &json;
    sc_json_open_object(&json, NULL);
    sc_json_open_array(&json, "checks");
    sc_err err = sc_conformance_run(&options->how, counts, diag);
    sc_json_close_array(&json);
    sc_json_put_count(&json, "passed", counts[SC_VERDICT_PASS]);
    sc_json_put_count(&json, "failed", counts[SC_VERDICT_FAIL]);
    sc_json_put_count(&json, "skipped", counts[SC_VERDICT_SKIP]);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    if (!err && json.has_failed) err = SC_ENOMEM;
    if (!err && options->is_json) {
        fwrite(document.data, 1, document.size, stdout);
    } else if (!err) {
        printf("%zu passed, %zu failed, %zu skipped\n", counts[SC_VERDICT_PASS],
               counts[SC_VERDICT_FAIL], counts[SC_VERDICT_SKIP]);
    }
    sc_bytes_fini(&document);
    return err;
}

// --- Running --------------------------------------------------------------------------

/** The words of `from`, and those that were given. One block, for sc_free(). */
static sc_err make_words(const check_options *options, const sc_vocabulary *from,
                         sc_vocabulary *out)
{
    const size_t room = from->count + options->category_count;
    const char **names = sc_calloc(room + 1, sizeof *names);
    if (!names) return SC_ENOMEM;
    *out = (sc_vocabulary){.names = names};
    for (uint32_t i = 0; i < from->count; i++) {
        names[out->count++] = from->names[i];
    }
    for (size_t i = 0; i < options->category_count; i++) {
        if (sc_vocabulary_find(out, options->categories[i]) != SC_NONE) continue;
        names[out->count++] = options->categories[i];
    }
    return SC_OK;
}

static sc_err check(sc_call *call, check_options *options, const sc_map *map,
                    size_t counts[SC_VERDICT_COUNT], sc_diag *diag)
{
    sc_opened_objects opened = {.objects = NULL};
    sc_vocabulary own = {.names = NULL};
    sc_vocabulary words = {.names = NULL};
    const bool is_known = !options->has_own_objects &&
                          (options->objects.feed.database || sc_map_object_count(map) > 0);
    sc_err err = SC_OK;
    if (is_known) err = sc_objects_open(call, &options->objects, map, &opened, diag);
    if (!err && !is_known) err = sc_vocabulary_init_from_map(map, &own);
    if (!err)
        err = make_words(options, is_known ? sc_objects_vocabulary(opened.objects) : &own, &words);
    if (!err) {
        options->how.url = options->url;
        options->how.map = map;
        options->how.objects = opened.objects;
        options->how.vocabulary = &words;
        err = run_checks(options, counts, diag);
    }
    sc_free((void *)words.names);
    if (!is_known) sc_vocabulary_fini(&own);
    sc_objects_close(&opened);
    return err;
}

static int run(sc_call *call)
{
    check_options options = {.objects = sc_objects_options_default(),
                             .how = sc_conformance_options_default()};
    options.objects.no_index = true;
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    size_t counts[SC_VERDICT_COUNT] = {0};
    sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (!err) err = check(call, &options, map, counts, &diag);
    sc_map_free(map);
    if (err) return sc_call_fail(call, err, &diag);
    return counts[SC_VERDICT_FAIL] > 0 ? SC_EXIT_FAILURE : SC_EXIT_OK;
}

static const sc_entry examples[] = {
    {"starcloak provider check https://places.example.org/cloaks city.scm",
     "Check a provider that answers from the map's own objects."},
    {"starcloak provider check http://localhost:9090/ city.scm --encoding geojson --own-objects "
     "--categories cafe,museum",
     "Check one with objects of its own, by geometry alone."},
    {NULL, NULL},
};

const sc_command sc_cmd_provider_check = {
    .name = "check",
    .summary = "check that a provider speaks the provider protocol",
    .arguments = "URL FILE.scm",
    .complete_2 = SC_COMPLETE_MAPS,
    .description =
        "Ask a provider about cloaks at random places of a map, with requests of every kind, and "
        "send it messages that it must refuse. Each check is one line: what must hold, and "
        "whether it does; where it does not, what was found and what to do.\nReplies are compared "
        "with a plain evaluation of the map's objects, or of those of --objects. If the provider "
        "has others, --own-objects compares replies only with the map and with each other.\nNo "
        "traveller is involved: the cloaks are made up.\nThe exit status is 1 if a check fails.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
