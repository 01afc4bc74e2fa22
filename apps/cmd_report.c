/*
 * `starcloak report`: the privacy report of a service, from the counts of its days (report-log).
 * `key` makes a pair of keys, `show` prints what a report would say, `sign` makes one, and `verify`
 * is for everybody who gets one.
 */
#include "command.h"
#include "format.h"
#include "report/report_key.h"
#include "report/report_log.h"
#include "report/signed_report.h"
#include "table.h"
#include "values.h"

#include "base/bytes.h"
#include "base/file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** Options without a letter, of all the commands here. */
enum { KEY_KEY = SC_KEY_FIRST, KEY_FROM, KEY_TO, KEY_WITH_TODAY, KEY_JSON };

typedef struct report_options {
    char **paths;  ///< of argv: logs, a report, or a key
    size_t path_count;
    const char *key;
    const char *output;
    int64_t from;
    int64_t to;
    bool has_to;
    bool with_today;
    bool json;
} report_options;

static int64_t day_option(const struct argp_state *state, const char *option, const char *argument)
{
    int64_t day = 0;
    if (!sc_day_read(argument, &day)) {
        sc_usage_error(state, "%s: '%s' is not a day; give it as 2026-11-18, in UTC", option,
                       argument);
    }
    return day;
}

static error_t parse_shared(int key, char *argument, struct argp_state *state)
{
    report_options *options = state->input;
    switch (key) {
    case KEY_KEY:
        options->key = sc_value_file(state, "--key", argument);
        return 0;
    case 'o':
        options->output = argument;
        return 0;
    case KEY_FROM:
        options->from = day_option(state, "--from", argument);
        return 0;
    case KEY_TO:
        options->to = day_option(state, "--to", argument);
        options->has_to = true;
        return 0;
    case KEY_WITH_TODAY:
        options->with_today = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARGS:
        options->paths = state->argv + state->next;
        options->path_count = (size_t)(state->argc - state->next);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/** A command with one file. */
static error_t parse_one(int key, char *argument, struct argp_state *state, const char *what)
{
    const report_options *options = state->input;
    if (key != ARGP_KEY_END) return parse_shared(key, argument, state);
    if (options->path_count == 0) sc_usage_error(state, "no %s given", what);
    if (options->path_count > 1) sc_usage_error(state, "give one %s", what);
    return 0;
}

// --- From logs to a report
// ------------------------------------------------------------------------

/** Add up the logs that were named. A day that is not over is left out unless it was asked for:
 * two reports of it would tell what happened in between. */
static sc_err make_report(const report_options *options, sc_privacy_report *out, sc_diag *diag)
{
    const int64_t today = sc_day_of(time(NULL));
    const int64_t last = options->with_today ? today : today - 1;
    const int64_t to = options->has_to && options->to < last ? options->to : last;
    sc_report_days *logs = calloc(options->path_count, sizeof *logs);
    sc_err err = logs ? SC_OK : SC_ENOMEM;
    for (size_t i = 0; !err && i < options->path_count; i++) {
        err = sc_report_days_read(options->paths[i], &logs[i], diag);
    }
    if (!err) {
        err = sc_privacy_report_make(logs, options->path_count, options->from, to, out, diag);
    }
    for (size_t i = 0; logs && i < options->path_count; i++) {
        sc_report_days_fini(&logs[i]);
    }
    free(logs);
    return err;
}

// --- Printing ------------------------------------------------------------------------------------

static void put_group(sc_report *table, const sc_day_counts *counts, sc_count_group group)
{
    const sc_count_group_names *names = sc_count_group_of(group);
    const uint64_t sum = sc_day_counts_sum(counts, group);
    sc_report_title(table, names->title);
    sc_report_open(table, names->name);
    for (size_t i = 0; i < names->count; i++) {
        sc_report_share(table, names->bins[i], names->bins[i], counts->of[names->first + i],
                        group == SC_COUNT_BELOW ? 0 : sum, "");
    }
    sc_report_close(table);
}

static void put_groups(sc_report *table, const sc_day_counts *counts)
{
    for (unsigned g = 0; g < SC_COUNT_GROUPS; g++) {
        put_group(table, counts, (sc_count_group)g);
    }
}

static void put_days(sc_report *table, const sc_privacy_report *report)
{
    char text[SC_DAY_TEXT_SIZE];
    sc_report_open_cells(table, "days");
    for (size_t i = 0; i < report->count; i++) {
        const sc_day_counts *counts = &report->days[i].counts;
        const sc_cell cells[] = {
            sc_cell_text("day", "day", -12, sc_day_text(report->days[i].day, text)),
            sc_cell_count("answered", "answered", 10, counts->of[SC_REPORT_ANSWERED]),
            sc_cell_count("expired", "expired", 10, counts->of[SC_REPORT_EXPIRED]),
            sc_cell_count("queries", "queries", 10, sc_day_counts_sum(counts, SC_COUNT_QUERIES)),
            sc_cell_count("cloaks", "cloaks", 10, sc_day_counts_sum(counts, SC_COUNT_EFFECTIVE)),
            sc_cell_count("below asked", "below_asked", 12,
                          sc_day_counts_sum(counts, SC_COUNT_BELOW)),
        };
        sc_report_cells(table, cells, sizeof cells / sizeof *cells);
    }
    sc_report_close_cells(table);
}

static void print_report(const sc_privacy_report *report, bool is_json)
{
    char first[SC_DAY_TEXT_SIZE];
    char last[SC_DAY_TEXT_SIZE];
    sc_report table = sc_report_begin(stdout, is_json, 26);
    const bool has_days = report->count > 0;
    if (!is_json && has_days) {
        printf("%zu day%s, %s to %s; counts are rounded down to tens\n", report->count,
               report->count == 1 ? "" : "s", sc_day_text(report->days[0].day, first),
               sc_day_text(report->days[report->count - 1].day, last));
    } else if (!is_json) {
        printf("no days that are over\n");
    }
    sc_report_count(&table, "gateways", "gateways", report->gateways, "");
    sc_report_count(&table, report->damaged > 0 ? "damaged days" : NULL, "damaged", report->damaged,
                    "could not be read and are missing");
    put_groups(&table, &report->all);
    if (has_days) put_days(&table, report);
    sc_report_end(&table);
}

// --- report key ----------------------------------------------------------------------------------

static error_t parse_key(int key, char *argument, struct argp_state *state)
{
    return parse_one(key, argument, state, "file for the key");
}

static int run_key(sc_call *call)
{
    report_options options = {.key = NULL};
    sc_diag diag = {.message = ""};
    sc_call_parse(call, &options);
    const sc_err err = sc_report_key_make(SC_KEY_SIGNING, options.paths[0], &diag);
    if (err) return sc_call_fail(call, err, &diag);
    fputs("The private key is in ", stdout);
    sc_print_text(stdout, options.paths[0]);
    fputs(", for your eyes alone; publish ", stdout);
    sc_print_text(stdout, options.paths[0]);
    puts(".pub.");
    return SC_EXIT_OK;
}

static const sc_entry key_examples[] = {
    {"starcloak report key report.key", "Make report.key, and report.key.pub to be published."},
    {NULL, NULL},
};

static const sc_command cmd_report_key = {
    .name = "key",
    .summary = "make a pair of keys that signs reports",
    .arguments = "FILE",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Make a pair of keys (Ed25519, PEM): FILE gets the private one, which signs, and "
        "FILE.pub the public one, by which everybody can check reports. Files that "
        "exist are not overwritten.",
    .examples = key_examples,
    .parse = parse_key,
    .run = run_key,
};

// --- report show ---------------------------------------------------------------------------------

static const sc_option show_option_table[] = {
    {"from", KEY_FROM, "DAY", "the first day (default: the first there is)", NULL},
    {"to", KEY_TO, "DAY", "the last day (default: yesterday, in UTC)", NULL},
    {"with-today", KEY_WITH_TODAY, NULL, "count the day that is not over, too; for trying out",
     NULL},
    {"json", KEY_JSON, NULL, "print JSON", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_logs(int key, char *argument, struct argp_state *state)
{
    const report_options *options = state->input;
    if (key != ARGP_KEY_END) return parse_shared(key, argument, state);
    if (options->path_count == 0) {
        sc_usage_error(state, "no log given; name the files of report-log, one of each gateway");
    }
    return 0;
}

static int run_show(sc_call *call)
{
    report_options options = {.key = NULL};
    sc_diag diag = {.message = ""};
    sc_privacy_report report = {0};
    sc_call_parse(call, &options);
    const sc_err err = make_report(&options, &report, &diag);
    if (!err) print_report(&report, options.json);
    sc_privacy_report_fini(&report);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry show_examples[] = {
    {"starcloak report show /var/log/starcloak/days.log", "What a report would say."},
    {"starcloak report show g1.log g2.log --from 2026-11-01 --to 2026-11-07 --json",
     "A week of a cluster with two gateways, for programs."},
    {NULL, NULL},
};

static const sc_command cmd_report_show = {
    .name = "show",
    .summary = "print what a report would say",
    .arguments = "LOG...",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Add up the days of report logs, one of each gateway of a cluster, and print them "
        "as a report would have them: counts rounded down to tens, so that a 0 is none to "
        "nine.",
    .options = show_option_table,
    .examples = show_examples,
    .parse = parse_logs,
    .run = run_show,
};

// --- report sign ---------------------------------------------------------------------------------

static const sc_option sign_option_table[] = {
    {"key", KEY_KEY, "FILE", "the private key (required)", SC_COMPLETE_FILES},
    {"output", 'o', "FILE", "where the report goes (default: standard output)", SC_COMPLETE_FILES},
    {"from", KEY_FROM, "DAY", "the first day (default: the first there is)", NULL},
    {"to", KEY_TO, "DAY", "the last day (default: yesterday, in UTC)", NULL},
    {"with-today", KEY_WITH_TODAY, NULL, "count the day that is not over, too; for trying out",
     NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_sign(int key, char *argument, struct argp_state *state)
{
    const report_options *options = state->input;
    if (key == ARGP_KEY_END && !options->key) sc_usage_error(state, "no key given; add --key FILE");
    return parse_logs(key, argument, state);
}

static sc_err write_report(const char *path, const sc_bytes *bytes, sc_diag *diag)
{
    sc_outfile out;
    sc_err err = sc_outfile_open(path, &out, diag);
    if (err) return err;
    (void)fwrite(bytes->data, 1, bytes->size, out.stream);
    err = sc_outfile_commit(&out, diag);
    sc_outfile_abandon(&out);
    return err;
}

static int run_sign(sc_call *call)
{
    report_options options = {.output = "-"};
    sc_diag diag = {.message = ""};
    sc_privacy_report report = {0};
    sc_report_key key = {{0}};
    sc_bytes bytes = {0};
    sc_call_parse(call, &options);
    sc_err err = sc_report_key_read_private(SC_KEY_SIGNING, options.key, &key, &diag);
    if (!err) err = make_report(&options, &report, &diag);
    if (!err) err = sc_privacy_report_sign(&report, &key, &bytes);
    explicit_bzero(&key, sizeof key);
    if (!err) err = write_report(options.output, &bytes, &diag);
    if (!err && report.damaged > 0) {
        sc_call_note(call, "%" PRIu64 " days of the logs cannot be read; the report says so",
                     report.damaged);
    }
    sc_bytes_fini(&bytes);
    sc_privacy_report_fini(&report);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry sign_examples[] = {
    {"starcloak report sign --key report.key /var/log/starcloak/days.log -o 2026-11.report",
     "All days there are, until yesterday, as a file to be published."},
    {NULL, NULL},
};

static const sc_command cmd_report_sign = {
    .name = "sign",
    .summary = "make a signed report",
    .arguments = "LOG...",
    .complete = SC_COMPLETE_FILES,
    .description =
        "Add up the days of report logs, one of each gateway of a cluster, and sign the "
        "result. Counts are rounded down to tens; only the number of queries that were "
        "answered with less than they asked for is exact. A day that is not over is left "
        "out: two reports of it would tell what happened in between.",
    .options = sign_option_table,
    .examples = sign_examples,
    .parse = parse_sign,
    .run = run_sign,
};

// --- report verify -------------------------------------------------------------------------------

static const sc_option verify_option_table[] = {
    {"key", KEY_KEY, "FILE", "the public key of the operator (required)", SC_COMPLETE_FILES},
    {"json", KEY_JSON, NULL, "print JSON", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse_verify(int key, char *argument, struct argp_state *state)
{
    const report_options *options = state->input;
    if (key == ARGP_KEY_END && !options->key) {
        sc_usage_error(state, "no key given; add --key FILE.pub, which the operator publishes");
    }
    return parse_one(key, argument, state, "report");
}

static int run_verify(sc_call *call)
{
    report_options options = {.key = NULL};
    sc_diag diag = {.message = ""};
    sc_privacy_report report = {0};
    sc_report_key key = {{0}};
    sc_file file = {0};
    sc_call_parse(call, &options);
    const char *path = options.paths[0];
    sc_err err = sc_report_key_read_public(SC_KEY_SIGNING, options.key, &key, &diag);
    if (!err) err = sc_file_map(path, &file, &diag);
    if (!err) {
        err = sc_privacy_report_verify(path, (const char *)file.input.data, file.input.size, &key,
                                       &report, &diag);
        sc_file_close(&file);
    }
    if (!err) {
        if (!options.json) puts("The signature is good.");
        print_report(&report, options.json);
    }
    sc_privacy_report_fini(&report);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

static const sc_entry verify_examples[] = {
    {"starcloak report verify 2026-11.report --key report.key.pub",
     "Check the signature and print the report; ends with 1 if it is not as it was signed."},
    {NULL, NULL},
};

static const sc_command cmd_report_verify = {
    .name = "verify",
    .summary = "check a report's signature, and print it",
    .arguments = "REPORT",
    .complete = SC_COMPLETE_FILES,
    .description = "Check that a report is as its operator has signed it, and print it. Anything "
                   "that was changed, added or cut off ends with status 1.",
    .options = verify_option_table,
    .examples = verify_examples,
    .parse = parse_verify,
    .run = run_verify,
};

// --- The group -----------------------------------------------------------------------------------

static const sc_command *const report_commands[] = {
    &cmd_report_key, &cmd_report_show, &cmd_report_sign, &cmd_report_verify, NULL,
};

static const sc_entry examples[] = {
    {"starcloak report key report.key", "Make a pair of keys; publish report.key.pub."},
    {"starcloak report sign --key report.key days.log -o november.report",
     "Make a report of the days that the service has counted (--report-log days.log)."},
    {"starcloak report verify november.report --key report.key.pub", "What readers do with it."},
    {NULL, NULL},
};

const sc_command sc_cmd_report = {
    .name = "report",
    .summary = "make and check signed privacy reports of a service",
    .description =
        "A service with --report-log counts each day's queries and cloaks: how they ended, "
        "which k and l were asked and given, how many effective segments cloaks had. "
        "Nothing is about a single query. From these counts an operator makes reports "
        "that readers can check.",
    .examples = examples,
    .children = report_commands,
};
