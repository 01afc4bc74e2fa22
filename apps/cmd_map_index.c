/*
 * `starcloak map index`: store with a map which of its objects are nearest to each star, so
 * that a provider looks up what it would otherwise search for.
 */
#include "command.h"

#include <inttypes.h>
#include <time.h>

#include <starcloak/objects.h>

#include "format.h"
#include "inputs.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"

/** No machine has more memory than that, and sums of sizes stay far from overflowing. */
#define MOST_BYTES (UINT64_C(1) << 50)

typedef struct index_options {
    const char *path;
    const char *output;
    sc_index_options index;
    bool has_index_option;
    bool remove;
    bool quiet;
    bool json;
} index_options;

enum {
    KEY_LIMIT = SC_KEY_FIRST,
    KEY_THREADS,
    KEY_REMOVE,
    KEY_JSON,
};

static const sc_option options_table[] = {
    {"output", 'o', "OUT.scm",
     "where the map with its index goes (default: FILE.scm itself); - is standard output",
     SC_COMPLETE_MAPS},
    {"nearest", 'k', "K",
     "objects to keep per star and category, 1 to 64 (default 8: requests for more are searched)",
     NULL},
    {"limit", KEY_LIMIT, "BYTES",
     "how large the index may become; k, M and G stand for powers of 1000 (default 1G). What does "
     "not fit is left out, the most frequent categories first",
     NULL},
    {"threads", KEY_THREADS, "N", "work in N threads (default: one per processor)", NULL},
    {"remove", KEY_REMOVE, NULL, "remove the index from the map instead", NULL},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    index_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case 'k':
        options->index.k = (uint32_t)sc_value_count(state, "-k", argument, 1, 64);
        options->has_index_option = true;
        return 0;
    case KEY_LIMIT:
        options->index.max_bytes = sc_value_count(state, "--limit", argument, 1, MOST_BYTES);
        options->has_index_option = true;
        return 0;
    case KEY_THREADS:
        options->index.threads = (unsigned)sc_value_count(state, "--threads", argument, 1, 1024);
        options->has_index_option = true;
        return 0;
    case KEY_REMOVE:
        options->remove = true;
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        if (options->remove && options->has_index_option) {
            sc_usage_error(state, "--remove makes no index; leave out -k, --limit and --threads");
        }
        if (!options->path) return sc_parse_map(key, argument, state, &options->path);
        if (!options->output) options->output = options->path;
        sc_value_output(state, options->output);
        return 0;
    default:
        return sc_parse_map(key, argument, state, &options->path);
    }
}

static double cpu_clock_s(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/** What became of it, and how long it took. */
typedef struct index_report {
    const sc_map *map;
    sc_index_info info;
    double cpu_s;
    double wall_s;
} index_report;

static void print_report(const index_options *options, const index_report *report)
{
    const sc_index_info *info = &report->info;
    const uint32_t objects = sc_map_object_count(report->map);
    const uint32_t stars = sc_map_star_count(report->map);
    const uint32_t categories = sc_map_category_count(report->map);
    const double bytes = (double)info->bytes;
    char number[SC_FORMAT_SIZE];
    char in_categories[SC_FORMAT_SIZE + 16];
    char of_lists[SC_FORMAT_SIZE + 48] = "by distance and by time, also of all categories";
    snprintf(in_categories, sizeof(in_categories), "in %s categories",
             sc_format_count(number, categories));
    if (info->left_out > 0) {
        snprintf(of_lists, sizeof(of_lists), "%s frequent categories left out: see --limit",
                 sc_format_count(number, info->left_out));
    }
    sc_report table = sc_report_begin_line(sc_report_stream(options->output), options->json, 10);
    if (options->remove && !options->json) {
        sc_report_output(&table, options->output, ": without an index");
        return;
    }
    sc_report_output(&table, options->output, ": the %" PRIu32 " nearest objects of every star",
                     info->k);
    sc_report_hex(&table, "checksum", sc_map_checksum(report->map));
    sc_report_count(&table, "objects", "objects", objects, in_categories);
    sc_report_count(&table, NULL, "categories", categories, "");
    sc_report_count(&table, "stars", "stars", stars, "");
    sc_report_count(&table, NULL, "k", info->k, "");
    sc_report_count(&table, "lists", "lists", info->list_count, of_lists);
    sc_report_count(&table, NULL, "left_out", info->left_out, "");
    sc_report_bytes(&table, "index_bytes", info->bytes);
    sc_report_number(&table, "per object", NULL, bytes / (objects > 0 ? objects : 1), 1, "bytes");
    sc_report_number(&table, "per star", NULL, bytes / (stars > 0 ? stars : 1), 1, "bytes");
    sc_report_seconds(&table, "CPU time", "cpu_seconds", report->cpu_s, "");
    sc_report_seconds(&table, "time", "seconds", report->wall_s, "");
    sc_report_end(&table);
}

/** Whether there is an index now; if not, why. */
static sc_err expect_index(const index_options *options, const index_report *report, sc_diag *diag)
{
    if (report->info.k > 0) return SC_OK;
    if (sc_map_object_count(report->map) == 0) {
        return sc_explain(diag, SC_EINVAL,
                          "%.400s: the map has no objects to index; import it with '--objects "
                          "FILE.csv', or from a format that has objects",
                          options->path);
    }
    char limit[SC_FORMAT_SIZE];
    return sc_explain(diag, SC_ELIMIT,
                      "%.400s: no list fits into %s; raise --limit, or keep fewer objects with -k",
                      options->path, sc_format_bytes(limit, options->index.max_bytes));
}

/** Make the index, or none where no byte is allowed for it, and save the map with it. */
static sc_err index_map(const index_options *options, sc_objects *objects, index_report *report,
                        sc_diag *diag)
{
    const double cpu_start = cpu_clock_s();
    const double start = sc_clock_s();
    sc_err err = sc_objects_build_index(objects, &options->index, diag);
    report->info = sc_objects_index_info(objects);
    report->cpu_s = cpu_clock_s() - cpu_start;
    report->wall_s = sc_clock_s() - start;
    if (!err && !options->remove) err = expect_index(options, report, diag);
    if (!err) err = sc_objects_save_map(objects, options->output, diag);
    return err;
}

static int run(sc_call *call)
{
    index_options options = {.index = sc_index_options_default()};
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_objects *objects = NULL;
    sc_bar_init(&bar, options.quiet);
    options.index.progress = sc_bar_listen(&bar);
    if (options.remove) options.index.max_bytes = 0;
    sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    if (!err) err = sc_objects_new_from_map(map, &objects);
    if (err == SC_EMAP) {
        snprintf(diag.message, sizeof(diag.message),
                 "%.400s: the map's objects are not valid; run 'starcloak map check' to see why",
                 options.path);
    }
    index_report report = {.map = map};
    if (!err) err = index_map(&options, objects, &report, &diag);
    sc_bar_clear(&bar);

    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (options.json || !options.quiet) {
        print_report(&options, &report);
    }
    sc_objects_release(objects);
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak map index cal.scm", "Store the 8 nearest objects of every star, by category."},
    {"starcloak map index cal.scm -k 16 --limit 4G -o cal16.scm",
     "Twice as many, in a copy, with room for more lists."},
    {"starcloak map index cal.scm --remove", "Remove the index again."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_index = {
    .name = "index",
    .summary = "store the nearest objects of every star with a map",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Find the objects that are nearest by road to every star, by distance and by travel time, "
        "for "
        "each category and for all of them together, and store them in the map. A provider then "
        "looks up what it would "
        "otherwise search for; answers are the same. An existing index is replaced.\n"
        "The index is derived from the map and not part of its identity: the checksum does not "
        "change. Importing the map again loses the index.\n"
        "The map is written under another name first and then renamed: a run that fails leaves "
        "FILE.scm as it was.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
