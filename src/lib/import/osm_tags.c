// Which tags of OpenStreetMap matter: the filter of roads, what counts as an object; and the texts
// of tags that are kept. What the tags of a road mean is in osm_profile.c.
//
// A tag is a key and a value, both free text. Roads have the key `highway`; its value is the kind.
// An object has one of the keys in `object_keys`; of several, the one that stands first there gives
// the category, so that a restaurant in a hotel is a restaurant.
#include "base/alloc.h"
#include "base/utf8.h"
#include "import/osm_internal.h"

#include <string.h>
#include <xxhash.h>

// --- Objects ---------------------------------------------------------------

// What a traveller may look for. A key with values is an object only with one of
// them: most of what `railway` or `aeroway` mark is track and tarmac.
static const struct {
    const char *key;
    const char *values[6];  ///< none: any value will do
} object_keys[] = {
    {"amenity", {NULL}},
    {"shop", {NULL}},
    {"tourism", {NULL}},
    {"leisure", {NULL}},
    {"healthcare", {NULL}},
    {"office", {NULL}},
    {"craft", {NULL}},
    {"historic", {NULL}},
    {"club", {NULL}},
    {"emergency", {"ambulance_station", "defibrillator", "emergency_ward_entrance", "phone"}},
    {"railway", {"station", "halt", "tram_stop", "subway_entrance"}},
    {"public_transport", {"station"}},
    {"aeroway", {"aerodrome", "heliport", "terminal", "helipad"}},
};

enum { OBJECT_KEY_COUNT = sizeof object_keys / sizeof object_keys[0] };

#define KEY(meaning, text)                  \
    {                                       \
        (text), sizeof(text) - 1, (meaning) \
    }
#define ROAD_KEY(key, text) KEY(SC__OSM_KEY_ROAD + (key), text)
#define OBJECT_KEY(row, text) KEY(SC__OSM_KEY_OBJECT + (row), text)

// All keys that matter, the shorter before the longer.
static const struct {
    const char *text;
    uint8_t size;
    uint8_t meaning;
} keys[] = {
    ROAD_KEY(SC__OSM_REF, "ref"),
    KEY(SC__OSM_KEY_NAME, "name"),
    ROAD_KEY(SC__OSM_FOOT, "foot"),
    OBJECT_KEY(1, "shop"),
    OBJECT_KEY(8, "club"),
    ROAD_KEY(SC__OSM_ROUTE, "route"),
    OBJECT_KEY(6, "craft"),
    ROAD_KEY(SC__OSM_ONEWAY, "oneway"),
    ROAD_KEY(SC__OSM_ACCESS, "access"),
    OBJECT_KEY(5, "office"),
    KEY(SC__OSM_KEY_HIGHWAY, "highway"),
    ROAD_KEY(SC__OSM_VEHICLE, "vehicle"),
    ROAD_KEY(SC__OSM_BICYCLE, "bicycle"),
    ROAD_KEY(SC__OSM_INT_REF, "int_ref"),
    OBJECT_KEY(0, "amenity"),
    OBJECT_KEY(2, "tourism"),
    OBJECT_KEY(3, "leisure"),
    OBJECT_KEY(10, "railway"),
    OBJECT_KEY(12, "aeroway"),
    ROAD_KEY(SC__OSM_JUNCTION, "junction"),
    ROAD_KEY(SC__OSM_CYCLEWAY, "cycleway"),
    ROAD_KEY(SC__OSM_MOTORCAR, "motorcar"),
    ROAD_KEY(SC__OSM_MAXSPEED, "maxspeed"),
    ROAD_KEY(SC__OSM_DURATION, "duration"),
    OBJECT_KEY(7, "historic"),
    ROAD_KEY(SC__OSM_MOTORROAD, "motorroad"),
    OBJECT_KEY(9, "emergency"),
    OBJECT_KEY(4, "healthcare"),
    ROAD_KEY(SC__OSM_ONEWAY_FOOT, "oneway:foot"),
    ROAD_KEY(SC__OSM_MOTOR_VEHICLE, "motor_vehicle"),
    ROAD_KEY(SC__OSM_ONEWAY_BICYCLE, "oneway:bicycle"),
    ROAD_KEY(SC__OSM_MAXSPEED_FORWARD, "maxspeed:forward"),
    OBJECT_KEY(11, "public_transport"),
    ROAD_KEY(SC__OSM_MAXSPEED_BACKWARD, "maxspeed:backward"),
};

enum { KEY_COUNT = sizeof keys / sizeof keys[0], SHORTEST_KEY = 3, LONGEST_KEY = 17 };

// Where the keys of each size begin in the list.
static const uint8_t first_of_size[LONGEST_KEY + 2] = {0,  0,  0,  0,  1,  5,  7,  10, 19,       25,
                                                       27, 28, 29, 29, 30, 31, 31, 33, KEY_COUNT};

unsigned sc__osm_key(sc_slice key)
{
    if (key.size < SHORTEST_KEY || key.size > LONGEST_KEY) return SC__OSM_KEY_OTHER;
    for (unsigned i = first_of_size[key.size]; i < first_of_size[key.size + 1]; i++) {
        if (memcmp(key.text, keys[i].text, key.size) == 0) return keys[i].meaning;
    }
    return SC__OSM_KEY_OTHER;
}

static bool is_object_value(unsigned key, sc_slice value)
{
    if (value.size == 0 || sc_slice_is(value, "no")) return false;
    const char *const *values = object_keys[key - SC__OSM_KEY_OBJECT].values;
    if (!values[0]) return true;
    for (; *values; values++) {
        if (sc_slice_is(value, *values)) return true;
    }
    return false;
}

void sc__osm_tags_add(sc__osm_tags *tags, unsigned key, sc_slice value, sc__osm_text_cache *cache)
{
    if (key == SC__OSM_KEY_HIGHWAY) {
        tags->highway = value;
    } else if (key == SC__OSM_KEY_NAME) {
        tags->name = value;
        tags->name_cache = cache;
    } else if (key >= SC__OSM_KEY_ROAD) {
        if (!tags->road) return;
        tags->road->values[key - SC__OSM_KEY_ROAD] = value;
        tags->road->given |= 1u << (key - SC__OSM_KEY_ROAD);
    } else if (key >= SC__OSM_KEY_OBJECT && is_object_value(key, value) &&
               (!tags->object.text || key < tags->object_key)) {
        tags->object = value;
        tags->object_key = key;
        tags->object_cache = cache;
    }
}

sc_slice sc__osm_category(const sc__osm_tags *tags, bool *is_key)
{
    sc_slice value = tags->object;
    const char *semicolon = memchr(value.text, ';', value.size);
    if (semicolon) value.size = (size_t)(semicolon - value.text);
    value = sc_slice_trim(value);

    *is_key = value.size == 0 || sc_slice_is(value, "yes");
    if (!*is_key) return value;
    const char *key = object_keys[tags->object_key - SC__OSM_KEY_OBJECT].key;
    return (sc_slice){key, strlen(key)};
}

// --- Roads -----------------------------------------------------------------

// The sets that have a name. A set is a list of words as a user could write it.
static const struct {
    const char *name;
    const char *words;
} way_sets[] = {
    {"drivable", "motorway,motorway_link,trunk,trunk_link,primary,primary_link,secondary,"
                 "secondary_link,tertiary,tertiary_link,unclassified,residential,living_street,"
                 "service,road"},
    {"walk", "primary,primary_link,secondary,secondary_link,tertiary,tertiary_link,unclassified,"
             "residential,living_street,service,road,track,pedestrian,footway,path,steps,cycleway,"
             "bridleway,corridor,platform"},
    {"bike", "primary,primary_link,secondary,secondary_link,tertiary,tertiary_link,unclassified,"
             "residential,living_street,service,road,track,path,cycleway"},
};

static const char *set_of(sc_slice name)
{
    for (size_t i = 0; i < sizeof way_sets / sizeof way_sets[0]; i++) {
        if (sc_slice_is(name, way_sets[i].name)) return way_sets[i].words;
    }
    return NULL;
}

// Cut the next word off the front of *rest, which becomes NULL behind the last one.
static sc_slice next_word(const char **rest)
{
    const char *start = *rest;
    const char *comma = strchr(start, ',');
    *rest = comma ? comma + 1 : NULL;
    return sc_slice_trim((sc_slice){start, comma ? (size_t)(comma - start) : strlen(start)});
}

static bool add_word(sc__osm_filter *filter, sc_slice word)
{
    if (!sc_grow(&filter->words, filter->count, &filter->capacity, sizeof *filter->words)) {
        return false;
    }
    filter->words[filter->count++] = word;
    return true;
}

sc_err sc__osm_filter_init(sc__osm_filter *filter, const char *ways, sc_diag *diag)
{
    const char *rest = ways;
    while (rest) {
        const sc_slice word = next_word(&rest);
        if (word.size == 0) {
            return sc_fail(diag, SC_EINVAL,
                           "an empty value in the list of ways: %s; give highway values separated "
                           "by commas, or drivable, walk, bike, all",
                           sc_quote(ways, strlen(ways)).text);
        }
        if (sc_slice_is(word, "all")) {
            filter->all = true;
            continue;
        }
        const char *set = set_of(word);
        if (!set) {
            if (!add_word(filter, word)) return sc_fail_memory(diag, "reading the list of ways");
            continue;
        }
        while (set) {
            if (!add_word(filter, next_word(&set))) {
                return sc_fail_memory(diag, "reading the list of ways");
            }
        }
    }
    return SC_OK;
}

void sc__osm_filter_fini(sc__osm_filter *filter)
{
    sc_free(filter->words);
    *filter = (sc__osm_filter){0};
}

bool sc__osm_filter_wants(const sc__osm_filter *filter, sc_slice highway)
{
    if (filter->all) return true;
    for (size_t i = 0; i < filter->count; i++) {
        const sc_slice word = filter->words[i];
        if (word.size == highway.size && memcmp(word.text, highway.text, word.size) == 0) {
            return true;
        }
    }
    return false;
}

// --- Texts --------------------------------------------------------------------------------------
// Names and categories, each kept once. Thousands of objects share a few hundred categories and
// many names; and a hostile file may give one long name to millions of nodes at a byte each. So a
// text is looked up before it is kept.

// 255 characters of at most four bytes, or of three for U+FFFD.
enum { MAX_CHARACTERS = 255, MAX_BYTES = MAX_CHARACTERS * 4 };

// Control characters, both those of ASCII and U+0080 to U+009F: terminals obey them.
static bool is_control(const char *character, size_t size)
{
    const unsigned char *c = (const unsigned char *)character;
    if (size == 1) return c[0] < 0x20 || c[0] == 0x7f;
    return size == 2 && c[0] == 0xc2 && c[1] < 0xa0;
}

// Write `text` to `out` as a map may hold it; returns its size.
static size_t make_presentable(sc_slice text, char out[MAX_BYTES])
{
    static const char replacement[] = {'\xef', '\xbf', '\xbd'};
    size_t used = 0;
    size_t characters = 0;
    for (size_t i = 0; i < text.size && characters < MAX_CHARACTERS; characters++) {
        // Most are plain.
        if (text.text[i] >= 0x20 && text.text[i] < 0x7f) {
            out[used++] = text.text[i++];
            continue;
        }
        const size_t size = sc_utf8_size(text.text + i, text.size - i);
        if (size == 0) {
            memcpy(out + used, replacement, sizeof replacement);
            used += sizeof replacement;
            i++;
            continue;
        }
        if (is_control(text.text + i, size)) {
            out[used++] = ' ';
        } else {
            memcpy(out + used, text.text + i, size);
            used += size;
        }
        i += size;
    }
    return used;
}

static bool make_room(sc__osm_texts *texts, size_t size)
{
    if (!sc_grow(&texts->texts, texts->count, &texts->capacity, sizeof *texts->texts)) return false;
    if (texts->bytes && texts->byte_capacity - texts->size >= size) return true;
    const size_t capacity = texts->byte_capacity * 2 + 4096;
    char *bytes = sc_realloc(texts->bytes, capacity);
    if (!bytes) return false;
    texts->bytes = bytes;
    texts->byte_capacity = capacity;
    return true;
}

static sc_err append(sc__osm_texts *texts, const char *bytes, size_t size)
{
    if (texts->size > UINT32_MAX - MAX_BYTES || texts->count >= UINT32_MAX / 2) return SC_ELIMIT;
    if (!make_room(texts, size)) return SC_ENOMEM;
    memcpy(texts->bytes + texts->size, bytes, size);
    texts->texts[texts->count++] = (sc__osm_text){(uint32_t)texts->size, (uint32_t)size};
    texts->size += size;
    return SC_OK;
}

sc_err sc__osm_texts_put(sc__osm_texts *texts, sc_slice text, uint32_t *out)
{
    char bytes[MAX_BYTES];
    const size_t size = make_presentable(text, bytes);

    // 128 bits stand for the text: two texts with the same ones do not happen.
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    const sc_key key = {hash.high64, hash.low64};
    const uint32_t next = (uint32_t)texts->count;
    const uint32_t known = sc_hash_get(&texts->numbers, key, SC_NONE);
    if (known != SC_NONE) {
        *out = known;
        return SC_OK;
    }
    const sc_err err = append(texts, bytes, size);
    if (err) return err;
    return sc_hash_put(&texts->numbers, key, next, out);
}

sc_slice sc__osm_texts_at(const sc__osm_texts *texts, uint32_t number)
{
    const sc__osm_text *text = &texts->texts[number];
    return (sc_slice){texts->bytes + text->offset, text->size};
}

void sc__osm_texts_fini(sc__osm_texts *texts)
{
    sc_free(texts->bytes);
    sc_free(texts->texts);
    sc_hash_fini(&texts->numbers);
    *texts = (sc__osm_texts){0};
}
