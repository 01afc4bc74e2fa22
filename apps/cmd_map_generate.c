/*
 * `starcloak map generate`: a synthetic city, for those who have no map at hand
 * and for tests of scale.
 */
#include "command.h"

#include <inttypes.h>

#include <starcloak/map_generate.h>

#include "format.h"
#include "progress_bar.h"
#include "table.h"
#include "values.h"

#define NODES_DEFAULT 20000
#define SEED_DEFAULT 1

typedef struct generate_options {
    const char *output;
    uint64_t nodes;
    uint64_t seed;
    double one_way;
    bool quiet;
    bool json;
} generate_options;

enum {
    KEY_KIND = SC_KEY_FIRST,
    KEY_JSON,
    KEY_SEED,
    KEY_ONE_WAY,
};

static const sc_option options_table[] = {
    {"output", 'o', "FILE.scm", "where the map goes (required); - is standard output",
     SC_COMPLETE_MAPS},
    {"kind", KEY_KIND, "KIND", "the kind of map to make; only 'city' exists (default city)",
     "city"},
    {"nodes", 'n', "N",
     "about how many nodes, 100 to 30M; k and M stand for thousands and millions (default 20k)",
     NULL},
    {"seed", KEY_SEED, "S",
     "seed of the random numbers; the same seed gives the same city, bit for bit (default 1)",
     NULL},
    {"one-way", KEY_ONE_WAY, "SHARE",
     "how much of the road length is one-way, 0 to 1; never more, and less where some place could "
     "not be reached or left any more (default 0)",
     NULL},
    {"quiet", 'q', NULL, "print nothing but errors and what --json asks for; no progress bar",
     NULL},
    {"json", KEY_JSON, NULL, "print the report as one JSON object, with --quiet too", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static const char *const kinds[] = {"city", NULL};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    generate_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_KIND:
        sc_value_word(state, "--kind", argument, kinds);
        return 0;
    case 'n':
        options->nodes =
            sc_value_count(state, "--nodes", argument, SC_CITY_MIN_NODES, SC_CITY_MAX_NODES);
        return 0;
    case KEY_SEED:
        options->seed = sc_value_count(state, "--seed", argument, 0, UINT64_MAX);
        return 0;
    case KEY_ONE_WAY:
        options->one_way = sc_value_number(state, "--one-way", argument, 0.0, 1.0);
        return 0;
    case 'q':
        options->quiet = true;
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_ARG:
        sc_usage_error(state, "unexpected argument '%s'", argument);
    case ARGP_KEY_END:
        sc_value_output(state, options->output);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/** How much of the road length is open in one direction only. */
static double one_way_share(const sc_map *map)
{
    double length_m = 0.0;
    double one_way_m = 0.0;
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_travel_times times = sc_map_segment_times(map)[s];
        const double segment_m = sc_map_segment_length_m(map, s);
        length_m += segment_m;
        if ((times.forward == SC_CLOSED) != (times.backward == SC_CLOSED)) one_way_m += segment_m;
    }
    return length_m > 0.0 ? one_way_m / length_m : 0.0;
}

static void print_report(const generate_options *options, const sc_map *map, double seconds)
{
    sc_report table = sc_report_begin_line(sc_report_stream(options->output), options->json, 10);
    sc_report_output(&table, options->output, ": a city, seed %" PRIu64, options->seed);
    sc_report_string(&table, "kind", "city");
    sc_report_count(&table, NULL, "seed", options->seed, "");
    sc_report_sizes(&table, map);
    const double share = one_way_share(map);
    if (options->one_way > 0.0) {
        sc_report_number(&table, "one-way", NULL, 100.0 * share, 1, "% of the road length");
    }
    sc_report_number(&table, NULL, "one_way_share", share, 0, "");
    sc_report_seconds(&table, "time", "seconds", seconds, "");
    sc_report_end(&table);
}

static int run(sc_call *call)
{
    generate_options options = {.nodes = NODES_DEFAULT, .seed = SEED_DEFAULT};
    sc_call_parse(call, &options);

    sc_bar bar;
    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    const double start = sc_clock_s();
    sc_bar_init(&bar, options.quiet);
    const sc_city_options city = {
        .node_count = (uint32_t)options.nodes,
        .seed = options.seed,
        .one_way_share = options.one_way,
        .progress = sc_bar_listen(&bar),
    };
    sc_err err = sc_map_generate_city(&city, &map, &diag);
    if (!err) err = sc_map_save(map, options.output, &diag);
    sc_bar_clear(&bar);

    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, &diag);
    } else if (options.json || !options.quiet) {
        print_report(&options, map, sc_clock_s() - start);
    }
    sc_map_free(map);
    return status;
}

static const sc_entry examples[] = {
    {"starcloak map generate -o city.scm", "A city of 20,000 nodes."},
    {"starcloak map generate --nodes 10M --seed 7 -o big.scm", "A large city, from another seed."},
    {"starcloak map generate --one-way 0.25 -o city.scm",
     "A quarter of its road length is one-way."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_generate = {
    .name = "generate",
    .summary = "make a synthetic city",
    .arguments = "-o FILE.scm",
    .description =
        "Make a synthetic road map like that of a city: arterials, local streets, dead ends, "
        "curved "
        "streets, a river with bridges, and objects by category, clustered as real ones are. "
        "Degrees, lengths of segments and neighbourhoods lie in the range of real maps.\nWith "
        "--one-way, roads are one-way from end to end: roundabouts first, then streets, then "
        "arterials, in random order. Every place can still be reached from every other by driving. "
        "Motorways and dead ends stay open both ways, so that beyond 0.55 less may be reached than "
        "was asked for.\nThe map is written under another name first and then renamed: a run that "
        "fails leaves an older FILE.scm as it was.",
    .options = options_table,
    .examples = examples,
    .parse = parse,
    .run = run,
};
