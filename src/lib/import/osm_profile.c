// What the tags of a way mean to those who travel on it: whether it is open to them, in which
// directions, and how fast they go. docs/import-osm.md has all of it, tag by tag.
//
// A profile is a kind of traveller: car, bike or foot. `any` is none of them: every road is open
// both ways, at the usual speed of its class.
//
// Not looked at: restrictions of turns, barriers on nodes, conditions ("no @ 22:00-06:00"), lanes.
#include "import/osm_internal.h"

#include <math.h>
#include <string.h>

enum { PROFILE_COUNT = 3 };

// --- Kinds of roads ----------------------------------------------------------------

/** A value of the highway tag. */
typedef struct road_kind {
    const char *highway;
    uint8_t size;  ///< of that text
    uint8_t road_class;
    uint8_t km_h[PROFILE_COUNT];  ///< car, bike, foot
} road_kind;

#define KIND(highway, road_class, car, bike, foot)    \
    {                                                 \
        (highway), sizeof(highway) - 1, (road_class), \
        {                                             \
            (car), (bike), (foot)                     \
        }                                             \
    }

// For cars the speeds of classes (sc_road_class_speed_m_s()), but where more is known.
static const road_kind road_kinds[] = {
    KIND("motorway", SC_ROAD_MOTORWAY, 105, 15, 5),
    KIND("motorway_link", SC_ROAD_RAMP, 50, 15, 5),
    KIND("trunk", SC_ROAD_TRUNK, 85, 15, 5),
    KIND("trunk_link", SC_ROAD_RAMP, 50, 15, 5),
    KIND("primary", SC_ROAD_PRIMARY, 65, 15, 5),
    KIND("primary_link", SC_ROAD_RAMP, 50, 15, 5),
    KIND("secondary", SC_ROAD_SECONDARY, 55, 15, 5),
    KIND("secondary_link", SC_ROAD_RAMP, 50, 15, 5),
    KIND("tertiary", SC_ROAD_TERTIARY, 45, 15, 5),
    KIND("tertiary_link", SC_ROAD_RAMP, 45, 15, 5),
    KIND("unclassified", SC_ROAD_LOCAL, 35, 15, 5),
    KIND("residential", SC_ROAD_LOCAL, 35, 15, 5),
    KIND("living_street", SC_ROAD_LOCAL, 10, 10, 5),
    KIND("road", SC_ROAD_LOCAL, 35, 15, 5),
    KIND("service", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("services", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("rest_area", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("track", SC_ROAD_SERVICE, 15, 12, 5),
    KIND("busway", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("bus_guideway", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("escape", SC_ROAD_SERVICE, 20, 15, 5),
    KIND("pedestrian", SC_ROAD_PATH, 10, 10, 5),
    KIND("footway", SC_ROAD_PATH, 10, 10, 5),
    KIND("path", SC_ROAD_PATH, 10, 12, 5),
    KIND("steps", SC_ROAD_PATH, 5, 3, 3),
    KIND("cycleway", SC_ROAD_PATH, 15, 15, 5),
    KIND("bridleway", SC_ROAD_PATH, 10, 12, 5),
    KIND("corridor", SC_ROAD_PATH, 5, 5, 5),
    KIND("platform", SC_ROAD_PATH, 5, 5, 5),
    KIND("elevator", SC_ROAD_PATH, 3, 3, 3),
    KIND("via_ferrata", SC_ROAD_PATH, 3, 3, 2),
};

static const road_kind unknown_kind = {NULL, 0, SC_ROAD_UNKNOWN, {50, 15, 5}};
static const road_kind ferry_kind = {NULL, 0, SC_ROAD_UNKNOWN, {20, 20, 20}};

static const road_kind *kind_of(sc_slice highway)
{
    for (size_t i = 0; i < sizeof road_kinds / sizeof road_kinds[0]; i++) {
        const road_kind *kind = &road_kinds[i];
        if (kind->size == highway.size && memcmp(kind->highway, highway.text, kind->size) == 0) {
            return kind;
        }
    }
    return &unknown_kind;
}

sc_road_class sc__osm_road_class(sc_slice highway)
{
    return (sc_road_class)kind_of(highway)->road_class;
}

const char *sc__osm_profile_ways(sc_import_profile profile)
{
    static const char *const sets[] = {
        [SC_IMPORT_CAR] = "drivable",
        [SC_IMPORT_BIKE] = "bike",
        [SC_IMPORT_FOOT] = "walk",
        [SC_IMPORT_ANY] = "drivable",
    };
    return sets[profile];
}

// --- Values --------------------------------------------------------------------------

static sc_slice value_of(const sc__osm_road_tags *tags, sc__osm_road_key key)
{
    const sc_slice none = {NULL, 0};
    return tags->given & (1u << key) ? tags->values[key] : none;
}

// The first of the values that a list separates by ';'.
static sc_slice first_of(sc_slice value)
{
    if (value.size == 0) return value;
    const char *semicolon = memchr(value.text, ';', value.size);
    if (semicolon) value.size = (size_t)(semicolon - value.text);
    return sc_slice_trim(value);
}

static bool is_one_of(sc_slice value, const char *const *words)
{
    for (; *words; words++) {
        if (sc_slice_is(value, *words)) return true;
    }
    return false;
}

// --- Access ----------------------------------------------------------------------------

/** What a tag of access says. */
typedef enum verdict { SAYS_NOTHING, SAYS_OPEN, SAYS_CLOSED, SAYS_PUSH } verdict;

static verdict verdict_of(const sc__osm_road_tags *tags, sc__osm_road_key key)
{
    static const char *const open[] = {"yes",         "permissive", "designated",
                                       "destination", "official",   "customers",
                                       "discouraged", "public",     NULL};
    static const char *const closed[] = {
        "no",     "private", "agricultural", "forestry", "delivery",  "emergency",    "military",
        "permit", "psv",     "bus",          "taxi",     "residents", "use_sidepath", NULL};
    const sc_slice value = first_of(value_of(tags, key));
    if (value.size == 0) return SAYS_NOTHING;
    if (is_one_of(value, open)) return SAYS_OPEN;
    if (is_one_of(value, closed)) return SAYS_CLOSED;
    return sc_slice_is(value, "dismount") ? SAYS_PUSH : SAYS_NOTHING;
}

/** The tags that matter to a profile, the most specific first; the first `own` are of it alone. */
typedef struct access_keys {
    sc__osm_road_key keys[4];
    unsigned count;
    unsigned own;
} access_keys;

static const access_keys profile_keys[PROFILE_COUNT] = {
    [SC_IMPORT_CAR] = {{SC__OSM_MOTORCAR, SC__OSM_MOTOR_VEHICLE, SC__OSM_VEHICLE, SC__OSM_ACCESS},
                       4,
                       2},
    [SC_IMPORT_BIKE] = {{SC__OSM_BICYCLE, SC__OSM_VEHICLE, SC__OSM_ACCESS}, 3, 1},
    [SC_IMPORT_FOOT] = {{SC__OSM_FOOT, SC__OSM_ACCESS}, 2, 1},
};

// All of them, and of motorroad, as bits.
enum {
    ACCESS_BITS = 1u << SC__OSM_MOTORCAR | 1u << SC__OSM_MOTOR_VEHICLE | 1u << SC__OSM_VEHICLE |
                  1u << SC__OSM_BICYCLE | 1u << SC__OSM_FOOT | 1u << SC__OSM_ACCESS |
                  1u << SC__OSM_MOTORROAD
};

static verdict access_of(sc_import_profile profile, const sc__osm_road_tags *tags, bool only_own)
{
    const access_keys *keys = &profile_keys[profile];
    if ((tags->given & ACCESS_BITS) == 0) return SAYS_NOTHING;
    for (unsigned i = 0; i < (only_own ? keys->own : keys->count); i++) {
        const verdict said = verdict_of(tags, keys->keys[i]);
        if (said != SAYS_NOTHING) return said;
    }
    // Roads for motor vehicles only.
    const bool is_motorroad = sc_slice_is(value_of(tags, SC__OSM_MOTORROAD), "yes");
    return is_motorroad && profile != SC_IMPORT_CAR ? SAYS_CLOSED : SAYS_NOTHING;
}

bool sc__osm_profile_opens(sc_import_profile profile, const sc__osm_tags *tags)
{
    if (profile == SC_IMPORT_ANY || kind_of(tags->highway) == &unknown_kind) return false;
    const verdict said = access_of(profile, tags->road, true);
    return said == SAYS_OPEN || said == SAYS_PUSH;
}

// --- Directions ------------------------------------------------------------------------

typedef enum directions { UNSAID, BOTH_WAYS, FORWARD_ONLY, BACKWARD_ONLY, NEITHER_WAY } directions;

static directions said_directions(const sc__osm_road_tags *tags, sc__osm_road_key key)
{
    static const char *const forward[] = {"yes", "1", "true", NULL};
    static const char *const backward[] = {"-1", "reverse", NULL};
    // Alternating: one waits for the other direction's turn to end, and goes.
    static const char *const both[] = {"no", "0", "false", "alternating", NULL};
    const sc_slice value = first_of(value_of(tags, key));
    if (value.size == 0) return UNSAID;
    if (is_one_of(value, forward)) return FORWARD_ONLY;
    if (is_one_of(value, backward)) return BACKWARD_ONLY;
    if (is_one_of(value, both)) return BOTH_WAYS;
    // By the hour, and which way now is not known.
    return sc_slice_is(value, "reversible") ? NEITHER_WAY : UNSAID;
}

static directions vehicle_directions(const sc__osm_tags *tags)
{
    static const char *const rings[] = {"roundabout", "circular", NULL};
    static const char *const motorways[] = {"motorway", "motorway_link", NULL};
    const directions said = said_directions(tags->road, SC__OSM_ONEWAY);
    if (said != UNSAID) return said;
    const bool is_implied = is_one_of(value_of(tags->road, SC__OSM_JUNCTION), rings) ||
                            is_one_of(tags->highway, motorways);
    return is_implied ? FORWARD_ONLY : BOTH_WAYS;
}

static directions directions_of(sc_import_profile profile, const sc__osm_tags *tags)
{
    if (profile == SC_IMPORT_CAR) return vehicle_directions(tags);
    const bool is_bike = profile == SC_IMPORT_BIKE;
    const directions own =
        said_directions(tags->road, is_bike ? SC__OSM_ONEWAY_BICYCLE : SC__OSM_ONEWAY_FOOT);
    if (own != UNSAID) return own;
    if (!is_bike) return BOTH_WAYS;

    static const char *const opposite[] = {"opposite", "opposite_lane", "opposite_track", NULL};
    const directions usual = vehicle_directions(tags);
    const bool is_one_way = usual == FORWARD_ONLY || usual == BACKWARD_ONLY;
    return is_one_way && is_one_of(value_of(tags->road, SC__OSM_CYCLEWAY), opposite) ? BOTH_WAYS
                                                                                     : usual;
}

// --- Speeds ------------------------------------------------------------------------------

// What the words of countries mean, in km/h; without a country: where no other line has it.
static const struct {
    const char *words;
    double km_h;
} speed_words[] = {
    {"walk", 7},          {"none", 130},        {"urban", 50},           {"rural", 90},
    {"trunk", 110},       {"motorway", 130},    {"living_street", 20},   {"bicycle_road", 30},
    {"at:rural", 100},    {"at:trunk", 100},    {"be:rural", 70},        {"be:motorway", 120},
    {"by:urban", 60},     {"by:motorway", 110}, {"ch:rural", 80},        {"ch:trunk", 100},
    {"ch:motorway", 120}, {"de:rural", 100},    {"de:living_street", 7}, {"dk:rural", 80},
    {"es:motorway", 120}, {"fi:rural", 80},     {"fi:motorway", 120},    {"fr:rural", 80},
    {"gb:urban", 48},     {"gb:rural", 97},     {"gb:motorway", 113},    {"gb:nsl_single", 97},
    {"gb:nsl_dual", 113}, {"nl:rural", 80},     {"nl:trunk", 100},       {"nl:motorway", 100},
    {"no:rural", 80},     {"no:motorway", 110}, {"pl:motorway", 140},    {"pl:trunk", 120},
    {"pt:motorway", 120}, {"ro:trunk", 100},    {"ru:urban", 60},        {"ru:motorway", 110},
    {"se:rural", 70},     {"se:motorway", 110}, {"za:urban", 60},        {"za:rural", 100},
};

static bool find_speed_word(sc_slice words, double *km_h)
{
    for (size_t i = 0; i < sizeof speed_words / sizeof speed_words[0]; i++) {
        if (!sc_slice_is(words, speed_words[i].words)) continue;
        *km_h = speed_words[i].km_h;
        return true;
    }
    return false;
}

static sc_slice without(sc_slice text, const char *prefix)
{
    const size_t size = strlen(prefix);
    if (text.size < size || memcmp(text.text, prefix, size) != 0) return text;
    return (sc_slice){text.text + size, text.size - size};
}

// "50", "30 mph", "12 knots".
static bool read_speed(sc_slice value, double *km_h)
{
    static const struct {
        const char *unit;
        double km_h;
    } units[] = {{"", 1}, {"km/h", 1}, {"kmh", 1}, {"kph", 1}, {"mph", 1.609344}, {"knots", 1.852}};
    size_t digits = 0;
    while (digits < value.size && ((value.text[digits] >= '0' && value.text[digits] <= '9') ||
                                   value.text[digits] == '.')) {
        digits++;
    }
    if (digits == 0) return false;
    const sc_slice unit = sc_slice_trim((sc_slice){value.text + digits, value.size - digits});
    if (!sc_slice_double((sc_slice){value.text, digits}, km_h)) return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (!sc_slice_is(unit, units[i].unit)) continue;
        *km_h *= units[i].km_h;
        return *km_h >= 1 && *km_h <= 300;
    }
    return false;
}

bool sc__osm_max_speed(sc_slice value, double *km_h)
{
    enum { LONGEST = 32 };
    value = first_of(value);
    if (value.size == 0 || value.size > LONGEST) return false;
    if (read_speed(value, km_h)) return true;

    // "DE:urban", "RO:zone30", "FR:zone:30", "IT:30", in letters of either case.
    char lower[LONGEST];
    for (size_t i = 0; i < value.size; i++) {
        const char c = value.text[i];
        lower[i] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    }
    sc_slice words = {lower, value.size};
    if (find_speed_word(words, km_h)) return true;
    const char *colon = memchr(lower, ':', value.size);
    const bool has_country = colon && !(colon - lower == 4 && memcmp(lower, "zone", 4) == 0);
    if (has_country) words = (sc_slice){colon + 1, value.size - (size_t)(colon + 1 - lower)};
    return find_speed_word(words, km_h) || read_speed(without(without(words, "zone"), ":"), km_h);
}

// How fast a car goes on a road with a limit, `usual_km_h` where none is known.
static double car_speed(const sc__osm_road_tags *tags, sc__osm_road_key key, double usual_km_h)
{
    // Free flow is a little below what is allowed.
    const double share = 0.9;
    double km_h = 0;
    return sc__osm_max_speed(value_of(tags, key), &km_h) ? share * km_h : usual_km_h;
}

// --- Durations of ferries ------------------------------------------------------------------

// A number in front of `end`; cut off the front of *text.
static bool cut_number(sc_slice *text, char end, double *out)
{
    const char *at = text->size > 0 ? memchr(text->text, end, text->size) : NULL;
    if (!at) return false;
    const sc_slice number = {text->text, (size_t)(at - text->text)};
    uint64_t value = 0;
    if (!sc_slice_u64(number, &value) || value > 10000) return false;
    *out = (double)value;
    *text = (sc_slice){at + 1, text->size - number.size - 1};
    return true;
}

double sc__osm_duration(sc_slice value)
{
    enum { DAY_S = 24 * 3600 };
    double hours = 0;
    double minutes = 0;
    double seconds = 0;
    uint64_t last = 0;
    value = sc_slice_trim(value);
    const sc_slice iso = without(value, "PT");
    if (iso.size < value.size) {
        value = iso;
        cut_number(&value, 'H', &hours);
        cut_number(&value, 'M', &minutes);
        cut_number(&value, 'S', &seconds);
        if (value.size > 0) return 0;
    } else {
        // "mm", "hh:mm", "hh:mm:ss".
        const bool has_hours = cut_number(&value, ':', &hours);
        const bool has_seconds = has_hours && cut_number(&value, ':', &minutes);
        if (!sc_slice_u64(value, &last) || last > 10000) return 0;
        if (has_seconds) {
            seconds = (double)last;
        } else {
            minutes = (double)last;
        }
    }
    const double all = 3600 * hours + 60 * minutes + seconds;
    return all <= 10 * DAY_S ? all : 0;
}

// --- All together ----------------------------------------------------------------------------

bool sc__osm_is_ferry(const sc__osm_tags *tags)
{
    return !tags->highway.text && sc_slice_is(value_of(tags->road, SC__OSM_ROUTE), "ferry");
}

bool sc__osm_passage_find(sc_import_profile profile, const sc__osm_tags *tags, sc__osm_passage *out)
{
    *out = (sc__osm_passage){0};
    const bool is_ferry = sc__osm_is_ferry(tags);
    if (is_ferry) out->duration_s = (float)sc__osm_duration(value_of(tags->road, SC__OSM_DURATION));
    const road_kind *kind = is_ferry ? &ferry_kind : kind_of(tags->highway);
    out->road_class = kind->road_class;
    if (profile == SC_IMPORT_ANY) {
        out->is_usual = !is_ferry;
        out->forward_m_s = out->backward_m_s = (float)(kind->km_h[SC_IMPORT_CAR] / 3.6);
        return true;
    }
    const verdict access = access_of(profile, tags->road, false);
    const directions open = directions_of(profile, tags);
    if (access == SAYS_CLOSED || open == NEITHER_WAY) return false;

    double forward_km_h = kind->km_h[profile];
    double backward_km_h = forward_km_h;
    if (profile == SC_IMPORT_CAR && !is_ferry) {
        const double both_km_h = car_speed(tags->road, SC__OSM_MAXSPEED, forward_km_h);
        forward_km_h = car_speed(tags->road, SC__OSM_MAXSPEED_FORWARD, both_km_h);
        backward_km_h = car_speed(tags->road, SC__OSM_MAXSPEED_BACKWARD, both_km_h);
    }
    if (access == SAYS_PUSH) forward_km_h = backward_km_h = 5;
    out->forward_m_s = open == BACKWARD_ONLY ? 0 : (float)(forward_km_h / 3.6);
    out->backward_m_s = open == FORWARD_ONLY ? 0 : (float)(backward_km_h / 3.6);
    return true;
}

sc_slice sc__osm_road_number(const sc__osm_road_tags *tags)
{
    const sc_slice ref = first_of(value_of(tags, SC__OSM_REF));
    return ref.size > 0 ? ref : first_of(value_of(tags, SC__OSM_INT_REF));
}
