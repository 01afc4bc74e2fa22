/*
 * `starcloak verify`: does a run keep its promises? Reads a map and the record of a run and
 * prints a line per promise. All doubting is done by the library (starcloak/verify.h); this
 * only finds words and columns.
 */
#include "command.h"

#include <inttypes.h>
#include <string.h>

#include <starcloak/density.h>
#include <starcloak/map.h>
#include <starcloak/verify.h>

#include "format.h"
#include "inputs.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"

typedef struct verify_options {
    const char *map;
    const char *record;
    const char *density;  ///< NULL: none
    uint64_t answers;
    bool json;
    bool quiet;
} verify_options;

enum { KEY_ANSWERS = SC_KEY_FIRST, KEY_JSON, KEY_DENSITY };

static const sc_option options_table[] = {
    {"answers", KEY_ANSWERS, "N",
     "compare up to N answers, chosen at random, with a plain search (default 1000)", NULL},
    {"density", KEY_DENSITY, "FILE",
     "how busy roads are, the table that the run was made with: needed if the run asked for "
     "traffic (default: none)",
     SC_COMPLETE_FILES},
    {"quiet", 'q', NULL,
     "print nothing but errors and what --json asks for; no progress bar; see the exit status",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    verify_options *options = state->input;
    switch (key) {
    case KEY_ANSWERS:
        options->answers = sc_value_count(state, "--answers", argument, 0, UINT64_MAX);
        return 0;
    case KEY_DENSITY:
        options->density = sc_value_file(state, "--density", argument);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num == 0) break;
        sc_parse_file("record", argument, state, &options->record);
        return 0;
    case ARGP_KEY_END:
        if (options->map && !options->record) {
            sc_usage_error(state, "no record given; name the RUN.jsonl to verify, or - for "
                                  "standard input");
        }
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

/**
 * On another map than the run's, promises would hold by chance at best; and of traffic nothing is
 * known without the density.
 */
static bool holds(const sc_verify_report *report)
{
    return report->violations == 0 && report->map_match != SC_MAP_MATCH_OTHER &&
           !report->lacks_density;
}

// --- Report ---------------------------------------------------------------------------

static const char *map_match_name(sc_map_match match)
{
    static const char *const names[] = {
        [SC_MAP_MATCH_UNTOLD] = "untold",
        [SC_MAP_MATCH_SAME] = "same",
        [SC_MAP_MATCH_DOUBTFUL] = "doubtful",
        [SC_MAP_MATCH_OTHER] = "other",
    };
    return names[match];
}

static void put_json_head(sc_report *table, const sc_verify_report *report)
{
    sc_report_count(table, NULL, "queries", report->queries, "");
    sc_report_count(table, NULL, "cloaks", report->cloaks, "");
    sc_report_count(table, NULL, "cloaked", report->cloaked, "");
    sc_report_count(table, NULL, "drops", report->drops, "");
    sc_report_count(table, NULL, "failed", report->failed, "");
    sc_report_count(table, NULL, "answers", report->answers, "");
    sc_report_count(table, NULL, "foreign_answers", report->foreign_answers, "");
    sc_report_count(table, NULL, "open_at_end", report->open_at_end, "");
    sc_report_count(table, NULL, "overdue", report->overdue, "");
    sc_report_string(table, "map_match", map_match_name(report->map_match));
    if (report->demanded >> SC_PROMISE_P14 & 1) {
        sc_report_flag(table, "traffic_checked", !report->lacks_density);
    }
    sc_report_flag(table, "holds", holds(report));
    sc_report_count(table, NULL, "violations", report->violations, "");
}

static void print_part(uint64_t count, const char *what)
{
    char number[SC_FORMAT_SIZE];
    if (count > 0) printf(", %s %s", sc_format_count(number, count), what);
}

static void print_head(const char *record, const sc_verify_report *report)
{
    char cloaked[SC_FORMAT_SIZE];
    char cloaks[SC_FORMAT_SIZE];
    sc_print_text(stdout, record);
    printf(": %s queries in %s cloaks", sc_format_count(cloaked, report->cloaked),
           sc_format_count(cloaks, report->cloaks));
    print_part(report->drops, "dropped");
    print_part(report->failed, "failed");
    print_part(report->open_at_end, "open at the end");
    print_part(report->overdue, "overdue");
    print_part(report->answers, "answers");
    print_part(report->foreign_answers, "of them with objects that are not on the map");
    putchar('\n');
}

/** What demands add to the promises has no row where the run did not ask for it. */
static bool has_row(const sc_verify_report *report, sc_promise promise)
{
    const bool is_demand =
        (promise >= SC_PROMISE_P9 && promise <= SC_PROMISE_P14) || promise == SC_PROMISE_AREAS;
    return !is_demand || report->demanded >> promise & 1;
}

static void put_promises(sc_report *table, const sc_verify_report *report)
{
    static const sc_column columns[] = {{"checked", "checked", 10, SC_COLUMN_COUNT},
                                        {"violated", "violated", 9, SC_COLUMN_COUNT},
                                        {NULL, NULL, 0, SC_COLUMN_COUNT}};
    sc_report_heading(table, "promise", columns);
    sc_report_open(table, "promises");
    for (unsigned i = 0; i < SC_PROMISE_COUNT; i++) {
        char label[96];
        if (!has_row(report, (sc_promise)i)) continue;
        const double values[] = {(double)report->checked[i], (double)report->violated[i]};
        const char *name = sc_promise_name((sc_promise)i);
        snprintf(label, sizeof(label), "%-8s %s", name, sc_promise_text((sc_promise)i));
        sc_report_row(table, label, name, columns, values, 0);
    }
    sc_report_close(table);
}

static void print_violations(const sc_verify_report *report)
{
    char count[SC_FORMAT_SIZE];
    if (report->violations == 0) {
        printf("\n%s\n", holds(report) ? "All promises hold."
                         : report->lacks_density
                             ? "No violation, but P14 was not checked without the density."
                             : "No violation, but the run was on another map.");
        return;
    }
    printf("\n%s violation%s%s\n", sc_format_count(count, report->violations),
           report->violations == 1 ? "" : "s",
           report->violations > report->shown_count ? "; the first are:" : ":");
    for (size_t i = 0; i < report->shown_count; i++) {
        printf("  line %" PRIu64 ": %s: ", report->shown[i].line,
               sc_promise_name(report->shown[i].promise));
        sc_print_text(stdout, report->shown[i].text);
        putchar('\n');
    }
}

static void put_json_violations(sc_json_writer *json, const sc_verify_report *report)
{
    sc_json_open_array(json, "first");
    for (size_t i = 0; i < report->shown_count; i++) {
        sc_json_open_object(json, NULL);
        sc_json_put_count(json, "line", report->shown[i].line);
        sc_json_put_string(json, "promise", sc_promise_name(report->shown[i].promise));
        sc_json_put_string(json, "text", report->shown[i].text);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

/** Before all that may come of it. */
static void tell_map(const sc_call *call, const verify_options *options,
                     const sc_verify_report *report)
{
    switch (report->map_match) {
    case SC_MAP_MATCH_OTHER:
        sc_call_note(
            call,
            "%.400s: the run was not on %.400s, but on the map with the checksum %016" PRIx64
            "; verify it with that map ('starcloak map info' shows checksums)",
            options->record, options->map, report->map_checksum);
        break;
    case SC_MAP_MATCH_DOUBTFUL:
        sc_call_note(call,
                     "%.400s: most of its queries are not on the roads of %.400s; check that this "
                     "is the map of the run",
                     options->record, options->map);
        break;
    default:
        break;
    }
}

static void tell_density(const sc_call *call, const verify_options *options,
                         const sc_verify_report *report)
{
    if (report->lacks_density) {
        sc_call_note(
            call,
            "%.400s: the run asked for traffic by the density with the checksum %016" PRIx64
            ", so P14 is not checked; give it with --density FILE",
            options->record, report->density_checksum);
    } else if (report->has_idle_density && !options->quiet) {
        sc_call_note(call, "note: the run did not ask for traffic, so --density is not used");
    }
}

static void print_report(const verify_options *options, const sc_verify_report *report)
{
    sc_report table = sc_report_begin_line(stdout, options->json, 58);
    table.indent = 0;
    if (!options->json) print_head(options->record, report);
    put_json_head(&table, report);
    put_promises(&table, report);
    if (!options->json) print_violations(report);
    if (options->json) put_json_violations(&table.json, report);
    sc_report_end(&table);
}

static int run(sc_call *call)
{
    sc_verify_options how = sc_verify_options_default();
    verify_options options = {.answers = how.answer_sample};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_density *density = NULL;
    sc_err err = sc_input_open_map(options.map, options.record, &map, &diag);
    if (!err && options.density) {
        err = sc_density_read(map, options.density, &density, &diag);
        if (err) err = sc_input_explain(err, options.density, SC_INPUT_DENSITY, &diag);
    }
    if (err) {
        sc_map_free(map);
        return sc_call_fail(call, err, &diag);
    }

    sc_bar bar;
    sc_bar_init(&bar, options.quiet);
    how.answer_sample = options.answers;
    how.density = density;
    how.progress = sc_bar_listen(&bar);
    sc_verify_report report;
    err = sc_record_verify(map, options.record, &how, &report, &diag);
    if (err) err = sc_input_explain(err, options.record, SC_INPUT_RECORD, &diag);
    sc_bar_clear(&bar);
    sc_density_free(density);
    sc_map_free(map);
    if (err) return sc_call_fail(call, err, &diag);
    tell_map(call, &options, &report);
    tell_density(call, &options, &report);
    if (options.json || !options.quiet) print_report(&options, &report);
    return holds(&report) ? SC_EXIT_OK : SC_EXIT_FAILURE;
}

static const sc_entry promises[] = {
    {"P1", "Each member's own segment is in its cloak, and so is the star it was assigned to."},
    {"P2", "There are as many different users among the members as each of them asks for."},
    {"P3",
     "There are as many segments as each member asks for; if the run is strict, of those that "
     "can be the member's own by P4. P12 to P14 count the same."},
    {"P4", "No star of the cloak is farther from a member's than that member allows."},
    {"P5", "The cloak comes no later than the deadline of each member; time never runs backwards."},
    {"P6", "All members share one set of segments, and the order in which they and their segments "
           "are listed does not tell who came first."},
    {"P7", "The cloak is exactly the segments of its stars and their border, and says no more."},
    {"P8", "Every query ends once: in a cloak, dropped or failed; and is answered at most once."},
    {"P9", "If asked for: as many segments as each member asks for can have been reached since its "
           "user's last cloak, counted by the part that can; by the density none of them stands "
           "out."},
    {"P12", "If a member is in its user's zone, the cloak has all of the zone."},
    {"P13", "If classes of places are marked: there are as many segments as each member asks for "
            "besides those of any one class."},
    {"P14", "If asked for: by the density no segment is likelier to be a member's than one of two "
            "(or three, or four, as asked)."},
    {"answers", "Answers are those of a plain search over the whole map from the true position; if "
                "a provider of areas gave them, over the objects that the record has of it."},
    {"areas",
     "If a provider was asked for areas: which tiles were asked for follows from the cloak's "
     "roads, the requests and the provider's replies, and no object outside of them could be in "
     "the answer of any place of the cloak."},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Promises", promises}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak simulate cal.scm --users 10k --record run.jsonl", "Make a record."},
    {"starcloak verify cal.scm run.jsonl", "Check that it keeps every promise."},
    {"starcloak verify cal.scm run.jsonl --density cal.csv", "A run that asked for traffic."},
    {"zstdcat run.jsonl.zst | starcloak verify cal.scm - --json", "From standard input."},
    {NULL, NULL},
};

const sc_command sc_cmd_verify = {
    .name = "verify",
    .summary = "check that a recorded run keeps every promise",
    .arguments = "FILE.scm RUN.jsonl",
    .complete = SC_COMPLETE_MAPS,
    .complete_2 = SC_COMPLETE_FILES,
    .description =
        "Read the record of a run, made with --record, and check the promises P1 to P8 "
        "of every cloak and every query in it, those of its demands, and a sample of its answers, "
        "with code "
        "that shares nothing with the engine but the map. RUN.jsonl may be compressed "
        "with xz or gzip; - is standard input.\n"
        "For each promise it prints how often it was checked and how often it was "
        "broken, and the first violations in words, with their lines. The exit status "
        "is 1 if there are any, if the record says that the run was on another map or with "
        "another density, or if it asked for traffic and no --density is given.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
