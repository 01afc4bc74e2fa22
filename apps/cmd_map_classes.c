/*
 * `starcloak map classes`: which roads are at places that tell something of who is there? A table
 * of them, from the categories of the map's objects; demands on cloaks read it (docs/demands.md).
 */
#include "command.h"

#include <stdlib.h>
#include <string.h>

#include <starcloak/map.h>
#include <starcloak/place_classes.h>

#include "base/file.h"
#include "format.h"
#include "inputs.h"
#include "table.h"
#include "values.h"

/** Objects of a category make the roads at which they lie roads of a class. */
typedef struct class_rule {
    const char *category;
    char class_name[SC_PLACE_CLASS_NAME];
} class_rule;

// --- The preset ---------------------------------------------------------------------------------
//
// What laws on privacy call special: health, beliefs, opinions, sex life; and places of people who
// are looked for. Categories are values of OpenStreetMap's tags (amenity, healthcare, office, shop,
// historic) and words of other data. Not here are places where everybody goes (pharmacy, dentist,
// school), and OpenStreetMap's `shelter`, which is a roof against the rain.

static const class_rule sensitive[] = {
    {"clinic", "clinic"},
    {"doctors", "clinic"},
    {"doctor", "clinic"},
    {"hospital", "clinic"},
    {"healthcare", "clinic"},
    {"abortion_clinic", "clinic"},
    {"birthing_centre", "clinic"},
    {"counselling", "clinic"},
    {"dialysis", "clinic"},
    {"hospice", "clinic"},
    {"psychotherapist", "clinic"},
    {"rehabilitation", "clinic"},
    {"social_facility", "shelter"},
    {"homeless_shelter", "shelter"},
    {"womens_shelter", "shelter"},
    {"refugee_site", "shelter"},
    {"place_of_worship", "worship"},
    {"cathedral", "worship"},
    {"chapel", "worship"},
    {"church", "worship"},
    {"gurdwara", "worship"},
    {"monastery", "worship"},
    {"mosque", "worship"},
    {"shrine", "worship"},
    {"synagogue", "worship"},
    {"temple", "worship"},
    {"political_party", "politics"},
    {"trade_union", "politics"},
    {"union", "politics"},
    {"brothel", "sex"},
    {"erotic", "sex"},
    {"love_hotel", "sex"},
    {"stripclub", "sex"},
    {"swingerclub", "sex"},
};

enum { SENSITIVE_COUNT = sizeof(sensitive) / sizeof(sensitive[0]), GIVEN_MAX = 256 };

// --- Options ------------------------------------------------------------------------------------

typedef struct classes_options {
    const char *map;
    const char *output;
    bool has_preset;
    bool json;
    size_t count;
    class_rule rules[SENSITIVE_COUNT + GIVEN_MAX];  ///< those of --category, then the preset
} classes_options;

enum { KEY_PRESET = SC_KEY_FIRST, KEY_CATEGORY, KEY_JSON };

static const sc_option options_table[] = {
    {"output", 'o', "CLASSES.csv", "where the table goes (required); - is standard output",
     SC_COMPLETE_FILES},
    {"preset", KEY_PRESET, "NAME",
     "take a list of categories that comes with the program: sensitive (default: sensitive, unless "
     "there is a --category)",
     "sensitive"},
    {"category", KEY_CATEGORY, "WORD=CLASS",
     "roads at objects of the category WORD are of the class CLASS; may be given several times",
     NULL},
    {"json", KEY_JSON, NULL, "report as one JSON object", NULL},
    {NULL, 0, NULL, NULL, NULL},
};

static void take_category(const struct argp_state *state, classes_options *options, char *text)
{
    // The last one: a category may have any character, a class has none of these.
    const char *equals = strrchr(text, '=');
    const size_t word = equals ? (size_t)(equals - text) : 0;
    if (word == 0) {
        sc_usage_error(state,
                       "--category '%s': write a category of the map and a class, as in "
                       "--category clinic=health",
                       text);
    }
    const char *name = text + word + 1;
    const size_t size = strlen(name);
    if (size == 0 || size >= SC_PLACE_CLASS_NAME ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") != size) {
        sc_usage_error(state,
                       "--category '%s': '%s' is not the name of a class; write 1 to %d "
                       "lower-case letters, digits, '-' and '_'",
                       text, name, SC_PLACE_CLASS_NAME - 1);
    }
    if (options->count == GIVEN_MAX) {
        sc_usage_error(state, "there are more than %d --category; give fewer", (int)GIVEN_MAX);
    }
    class_rule *rule = &options->rules[options->count++];
    memcpy(rule->class_name, name, size + 1);
    text[word] = '\0';
    rule->category = text;
}

/** How many classes the rules name. */
static size_t class_count(const classes_options *options)
{
    size_t count = 0;
    for (size_t i = 0; i < options->count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i && is_new; j++) {
            is_new = strcmp(options->rules[i].class_name, options->rules[j].class_name) != 0;
        }
        count += is_new;
    }
    return count;
}

static void check_usage(const struct argp_state *state, classes_options *options)
{
    if (!options->output) sc_usage_error(state, "no output given; add -o CLASSES.csv");
    sc_value_file(state, "-o", options->output);
    if (sc_overlaps(options->output, options->map)) {
        sc_usage_error(state, "the output '%s' is also an input; choose another name",
                       options->output);
    }
    if (options->count == 0) options->has_preset = true;
    if (options->has_preset) {
        memcpy(options->rules + options->count, sensitive, sizeof(sensitive));
        options->count += SENSITIVE_COUNT;
    }
    if (class_count(options) > SC_PLACE_CLASSES_MAX) {
        sc_usage_error(state, "there are %zu classes; there may be %d: join classes that are alike",
                       class_count(options), SC_PLACE_CLASSES_MAX);
    }
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
    static const char *const presets[] = {"sensitive", NULL};
    classes_options *options = state->input;
    switch (key) {
    case 'o':
        options->output = argument;
        return 0;
    case KEY_PRESET:
        sc_value_word(state, "--preset", argument, presets);
        options->has_preset = true;
        return 0;
    case KEY_CATEGORY:
        take_category(state, options, argument);
        return 0;
    case KEY_JSON:
        options->json = true;
        return 0;
    case ARGP_KEY_END:
        if (options->map) check_usage(state, options);
        break;
    default:
        break;
    }
    return sc_parse_map(key, argument, state, &options->map);
}

// --- Marking ------------------------------------------------------------------------------------

/** What was marked. */
typedef struct marking {
    const sc_map *map;
    sc_place_classes *classes;
    uint64_t objects[SENSITIVE_COUNT + GIVEN_MAX];  ///< of each rule
} marking;

static sc_err mark(const classes_options *options, marking *m)
{
    const sc_object *objects = sc_map_objects(m->map);
    const sc_edge *edges = sc_map_edges(m->map);
    sc_err err = sc_place_classes_new(m->map, &m->classes);
    for (size_t i = 0; !err && i < options->count; i++) {
        const class_rule *rule = &options->rules[i];
        const sc_category_id category = sc_map_category_find(m->map, rule->category);
        if (category == SC_NONE) continue;
        uint32_t number = 0;
        err = sc_place_classes_add(m->classes, rule->class_name, &number);
        for (sc_object_id j = 0; !err && j < sc_map_object_count(m->map); j++) {
            if (objects[j].category != category) continue;
            sc_place_classes_mark(m->classes, number, edges[objects[j].edge].segment);
            m->objects[i]++;
        }
    }
    return err;
}

// --- Report -------------------------------------------------------------------------------------

static void note_absent(const sc_call *call, const sc_map *map, const char *word)
{
    sc_suggestion suggestion = sc_suggestion_for(word);
    for (sc_category_id i = 0; i < sc_map_category_count(map); i++) {
        sc_suggestion_offer(&suggestion, sc_map_category_name(map, i));
    }
    sc_call_note(call, "no object of the map has the category '%s'%s%s%s", word,
                 suggestion.best ? "; did you mean '" : " ('starcloak map info --json' lists them",
                 suggestion.best ? suggestion.best : ")", suggestion.best ? "'?" : "");
}

static void note_oddities(const sc_call *call, const classes_options *options, const marking *m)
{
    const size_t given = options->count - (options->has_preset ? SENSITIVE_COUNT : 0);
    uint64_t of_preset = 0;
    for (size_t i = 0; i < options->count; i++) {
        if (i >= given) {
            of_preset += m->objects[i];
        } else if (m->objects[i] == 0) {
            note_absent(call, m->map, options->rules[i].category);
        }
    }
    if (options->has_preset && of_preset == 0) {
        sc_call_note(call,
                     "the preset marks no road: no object of the map has one of its categories; "
                     "name those of this map ('starcloak map info' shows them) with --category");
    }
    const size_t count = sc_map_segment_count(m->map);
    const size_t marked = sc_input_marked_segments(m->classes, UINT32_MAX);
    if (marked > count / 5) {
        sc_call_note(call,
                     "%zu of %zu roads are of a class, more than a fifth, and do not count for l: "
                     "many queries will be dropped; mark fewer kinds of places",
                     marked, count);
    }
}

static void put_report(const classes_options *options, const marking *m)
{
    sc_report table = sc_report_begin(sc_report_stream(options->output), options->json, 24);
    char number[SC_FORMAT_SIZE];
    char all[SC_FORMAT_SIZE];
    const size_t segments = sc_map_segment_count(m->map);
    const size_t marked = sc_input_marked_segments(m->classes, UINT32_MAX);
    sc_report_output(&table, options->output, ": %s of %s segments are of a class",
                     sc_format_count(number, marked), sc_format_count(all, segments));
    sc_report_count(&table, NULL, "segments", segments, "");
    sc_report_count(&table, NULL, "marked", marked, "");
    sc_report_open_cells(&table, "classes");
    for (uint32_t i = 0; i < sc_place_classes_count(m->classes); i++) {
        const size_t of_class = sc_input_marked_segments(m->classes, UINT32_C(1) << i);
        const sc_cell cells[] = {
            sc_cell_text("class", "class", -SC_PLACE_CLASS_NAME,
                         sc_place_classes_name(m->classes, i)),
            sc_cell_count("segments", "segments", 10, of_class),
            sc_cell_number("%", "percent", 8, sc_share(of_class, segments), 2),
        };
        sc_report_cells(&table, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sc_report_close_cells(&table);
    sc_report_open_cells(&table, "categories");
    for (size_t i = 0; i < options->count; i++) {
        if (m->objects[i] == 0) continue;
        const sc_cell cells[] = {
            sc_cell_text("category", "category", -SC_PLACE_CLASS_NAME, options->rules[i].category),
            sc_cell_count("objects", "objects", 10, m->objects[i]),
            sc_cell_text("class", "class", -SC_PLACE_CLASS_NAME, options->rules[i].class_name),
        };
        sc_report_cells(&table, cells, sizeof(cells) / sizeof(cells[0]));
    }
    sc_report_close_cells(&table);
    sc_report_end(&table);
}

static int run(sc_call *call)
{
    classes_options options = {.map = NULL};
    sc_call_parse(call, &options);

    sc_diag diag = {.message = ""};
    sc_map *map = NULL;
    marking m = {.classes = NULL};
    sc_err err = sc_input_open_map(options.map, NULL, &map, &diag);
    if (!err && sc_map_object_count(map) == 0) {
        err = sc_explain(&diag, SC_EMAP,
                         "%.200s: the map has no objects; add objects when it is made ('starcloak "
                         "map import ... --objects FILE.csv')",
                         options.map);
    }
    if (!err) err = sc_outfile_check(options.output, &diag);
    m.map = map;
    if (!err) err = mark(&options, &m);
    if (!err) note_oddities(call, &options, &m);
    if (!err && sc_input_marked_segments(m.classes, UINT32_MAX) == 0) {
        // A service refuses such a table, too.
        err = sc_explain(&diag, SC_EINVAL,
                         "%.200s: no road would be of a class, and no table was written; name "
                         "categories that objects of the map have",
                         options.output);
    }
    if (!err) err = sc_place_classes_write(map, m.classes, options.output, &diag);
    if (!err) put_report(&options, &m);
    sc_place_classes_free(m.classes);
    sc_map_free(map);
    return err ? sc_call_fail(call, err, &diag) : SC_EXIT_OK;
}

// --- The command --------------------------------------------------------------------------------

static const sc_entry preset_classes[] = {
    {"clinic", "abortion_clinic, birthing_centre, clinic, counselling, dialysis, doctor, doctors, "
               "healthcare, hospice, hospital, psychotherapist, rehabilitation"},
    {"shelter", "homeless_shelter, refugee_site, social_facility, womens_shelter"},
    {"worship", "cathedral, chapel, church, gurdwara, monastery, mosque, place_of_worship, shrine, "
                "synagogue, temple"},
    {"politics", "political_party, trade_union, union"},
    {"sex", "brothel, erotic, love_hotel, stripclub, swingerclub"},
    {NULL, NULL},
};

static const sc_topic topics[] = {{"The preset 'sensitive'", preset_classes}, {NULL, NULL}};

static const sc_entry examples[] = {
    {"starcloak map classes cal.scm -o classes.csv", "Roads at clinics, shelters, churches."},
    {"starcloak map classes cal.scm --category hospital=clinic -o classes.csv",
     "Those at hospitals only."},
    {"starcloak map classes cal.scm --preset sensitive --category school=children -o classes.csv",
     "The preset, and roads at schools."},
    {"starcloak simulate cal.scm --engine patient --classes classes.csv",
     "What it costs to keep them from counting."},
    {NULL, NULL},
};

const sc_command sc_cmd_map_classes = {
    .name = "classes",
    .summary = "mark the roads at clinics, shelters and the like",
    .arguments = "FILE.scm -o CLASSES.csv",
    .complete = SC_COMPLETE_MAPS,
    .description =
        "Write a table of the segments at which objects of certain categories lie, with the "
        "columns segment and class. A service or a simulation that is given the table (--classes) "
        "makes cloaks with l roads besides those of any one class.\n"
        "An object lies at one road, the nearest when the map was made. Places that the data do "
        "not have are not marked: look at the table, and add lines to it.",
    .options = options_table,
    .topics = topics,
    .examples = examples,
    .parse = parse,
    .run = run,
};
