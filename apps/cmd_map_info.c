/*
 * `starcloak map info`: what a map is like. The description itself is computed by
 * the library and printed by info_text.c or info_json.c.
 */
#include "command.h"

#include <stdlib.h>

#include <starcloak/map.h>
#include <starcloak/map_info.h>

#include "info.h"
#include "inputs.h"

typedef struct info_options {
    const char *path;
    bool json;
} info_options;

enum { KEY_JSON = SC_KEY_FIRST };

static const sc_option options_table[] = {
    {"json", KEY_JSON, NULL, "print everything as one JSON object", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
    info_options *options = state->input;
    switch (key) {
    case KEY_JSON:
        options->json = true;
        return 0;
    default:
        return sc_parse_map(key, argument, state, &options->path);
    }
}

static int most_frequent_first(const void *a, const void *b)
{
    const sc_category_count *left = a;
    const sc_category_count *right = b;
    if (left->count != right->count) return left->count > right->count ? -1 : 1;
    return left->category < right->category ? -1 : left->category > right->category;
}

/** Count the objects of each category, or NULL if memory is out. */
static sc_category_count *count_categories(const sc_map *map)
{
    const uint32_t category_count = sc_map_category_count(map);
    sc_category_count *counts = calloc((size_t)category_count + 1, sizeof(*counts));
    if (!counts) return NULL;
    for (sc_category_id i = 0; i < category_count; i++) {
        counts[i].category = i;
    }
    const sc_object *objects = sc_map_objects(map);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        counts[objects[i].category].count++;
    }
    qsort(counts, category_count, sizeof(*counts), most_frequent_first);
    return counts;
}

/** What the nearest index of the map holds; objects that make no sense have none. */
static sc_err describe_index(const sc_map *map, sc_index_info *out)
{
    sc_objects *objects = NULL;
    const sc_err err = sc_objects_new_from_map(map, &objects);
    if (!err) *out = sc_objects_index_info(objects);
    sc_objects_release(objects);
    return err == SC_ENOMEM ? err : SC_OK;
}

static int run(sc_call *call)
{
    info_options options = {.path = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    sc_err err = sc_input_open_map(options.path, NULL, &map, &diag);
    if (err) return sc_call_fail(call, err, &diag);

    sc_map_info info;
    err = sc_map_describe(map, &info);
    sc_category_count *categories = err ? NULL : count_categories(map);
    if (!err && !categories) err = SC_ENOMEM;
    sc_index_info index = {.k = 0};
    if (!err) err = describe_index(map, &index);
    int status = SC_EXIT_OK;
    if (err) {
        status = sc_call_fail(call, err, NULL);
    } else {
        const sc_info_view view = {.path = options.path,
                                   .map = map,
                                   .info = &info,
                                   .categories = categories,
                                   .index = index};
        (options.json ? sc_info_print_json : sc_info_print_text)(stdout, &view);
    }
    free(categories);
    sc_map_free(map);
    return status;
}

static const sc_entry meanings[] = {
    {"edges", "Straight pieces of road. All edges of the data are kept: roads that return to their "
              "start, and several between the same two nodes."},
    {"segments", "Roads between two nodes that are no mere bends."},
    {"stars", "Junctions of three roads or more, where every end of a road counts; and one "
              "for each component that has none."},
    {"merged", "The same map counted as most publications do: self-loops dropped, parallel edges "
               "counted once, rings apart from segments, no star where there is no "
               "intersection."},
    {"balls", "How many other stars are within some hops of a star: the company that a traveller "
              "can hope for."},
    {"nearest index", "The nearest objects of every star, if 'starcloak map index' has stored "
                      "them: a list for all categories together and lists for some."},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"Meanings", meanings}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak map info cal.scm", "Describe a map."},
    {"starcloak map info cal.scm --json", "The same for a program."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_info = {
    .name = "info",
    .summary = "describe a map",
    .arguments = "FILE.scm",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Print how large a map is and what it is like: degrees of its nodes, components, lengths "
        "of "
        "segments, stars and the neighbourhoods around them, objects by category, and the bytes of "
        "each table.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
