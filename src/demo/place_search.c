// Streets and objects by their name. See place_search.h.
//
// The text of an entry is its name, for an object MIDDLE and its category, and END. Both marks are
// control characters, which become blanks in names and in what is looked for: so what is found lies
// within one part of one entry. UTF-8 has no character within another, so bytes can be compared.
#include "demo/place_search.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_write.h"
#include "base/string_index.h"
#include "base/utf8.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

enum { MIDDLE = 0x1f, END = 0x1e };

/** Where an entry begins in the text, and what it is. */
typedef struct entry {
    size_t begin;
    uint32_t name_size;
    uint32_t number;  ///< of a street its longest segment; of an object its own
} entry;

struct sc_place_search {
    const sc_map *map;
    locale_t locale;  ///< (locale_t)0: there is none
    sc_bytes text;
    entry *entries;
    uint32_t street_count;  ///< these come first
    uint32_t count;
    size_t capacity;
};

// --- Small letters -------------------------------------------------------------------------------

/** The character at `text`, of `size` bytes in UTF-8. */
static uint32_t decode(const char *text, size_t size)
{
    static const uint8_t first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t character = (uint8_t)text[0] & first_bits[size];
    for (size_t i = 1; i < size; i++) {
        character = character << 6 | ((uint8_t)text[i] & 0x3f);
    }
    return character;
}

static size_t encode(uint32_t character, uint8_t out[4])
{
    static const uint8_t marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    const size_t size = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        out[i] = (uint8_t)(0x80 | (character & 0x3f));
        character >>= 6;
    }
    out[0] = (uint8_t)(marks[size] | character);
    return size;
}

static uint32_t small_letter(locale_t locale, uint32_t character)
{
    if (character < 0x20 || character == 0x7f) return ' ';
    if (character >= 'A' && character <= 'Z') return character + ('a' - 'A');
    if (character < 0x80 || !locale) return character;
    return (uint32_t)towlower_l((wint_t)character, locale);
}

/** Append `size` bytes of UTF-8 in small letters; false if memory is out. */
static bool put_small(locale_t locale, const char *text, size_t size, sc_bytes *out)
{
    for (size_t i = 0; i < size;) {
        const size_t bytes = sc_utf8_size(text + i, size - i);
        if (bytes == 0) break;  // no map and no request gets here with that
        uint8_t encoded[4];
        const size_t small = encode(small_letter(locale, decode(text + i, bytes)), encoded);
        if (!sc_bytes_append(out, encoded, small)) return false;
        i += bytes;
    }
    return true;
}

// --- All names -----------------------------------------------------------------------------------

static bool put_mark(sc_bytes *out, uint8_t mark)
{
    return sc_bytes_append(out, &mark, 1);
}

/** @param category  NULL: it is a street */
static bool add_entry(sc_place_search *search, const char *name, const char *category,
                      uint32_t number)
{
    if (!sc_grow(&search->entries, search->count, &search->capacity, sizeof *search->entries)) {
        return false;
    }
    entry *added = &search->entries[search->count];
    *added = (entry){.begin = search->text.size, .number = number};
    if (!put_small(search->locale, name, strlen(name), &search->text)) return false;
    added->name_size = (uint32_t)(search->text.size - added->begin);
    if (category && !(put_mark(&search->text, MIDDLE) &&
                      put_small(search->locale, category, strlen(category), &search->text))) {
        return false;
    }
    search->count++;
    return put_mark(&search->text, END);
}

static const char *street_name(const void *owner, uint32_t number)
{
    const sc_place_search *search = owner;
    return sc_map_segment_name(search->map, search->entries[number].number);
}

/** Each name once, with the longest segment that has it. */
static sc_err add_streets(sc_place_search *search)
{
    const sc_map *map = search->map;
    const sc_segment *segments = sc_map_segments(map);
    sc_string_index names = {.text_of = street_name, .owner = search};
    sc_err err = SC_OK;
    for (sc_seg_id s = 0; !err && s < sc_map_segment_count(map); s++) {
        const char *name = sc_map_segment_name(map, s);
        if (*name == '\0') continue;
        uint32_t number = sc_string_index_find(&names, name);
        if (number != UINT32_MAX) {
            entry *street = &search->entries[number];
            if (segments[s].length > segments[street->number].length) street->number = s;
            continue;
        }
        number = search->count;
        if (!add_entry(search, name, NULL, s)) err = SC_ENOMEM;
        if (!err) err = sc_string_index_put(&names, name, number, &number);
    }
    sc_string_index_fini(&names);
    search->street_count = search->count;
    return err;
}

static sc_err add_objects(sc_place_search *search)
{
    const sc_map *map = search->map;
    const sc_object *objects = sc_map_objects(map);
    for (sc_object_id i = 0; i < sc_map_object_count(map); i++) {
        const char *category = sc_map_category_name(map, objects[i].category);
        if (!add_entry(search, sc_map_object_name(map, i), category, i)) return SC_ENOMEM;
    }
    return SC_OK;
}

sc_err sc_place_search_new(const sc_map *map, sc_place_search **out)
{
    sc_place_search *search = sc_calloc(1, sizeof *search);
    if (!search) return SC_ENOMEM;
    search->map = map;
    search->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    sc_err err = add_streets(search);
    if (!err) err = add_objects(search);
    if (err) {
        sc_place_search_free(search);
        return err;
    }
    *out = search;
    return SC_OK;
}

void sc_place_search_free(sc_place_search *search)
{
    if (!search) return;
    if (search->locale) freelocale(search->locale);
    sc_bytes_fini(&search->text);
    sc_free(search->entries);
    sc_free(search);
}

// --- Searching -----------------------------------------------------------------------------------

/** The entry that the byte at `place` of the text is in. */
static uint32_t entry_at(const sc_place_search *search, uint32_t first, size_t place)
{
    uint32_t low = first;
    uint32_t high = search->count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (search->entries[middle].begin <= place) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool begins_word(const sc_place_search *search, size_t place)
{
    const uint8_t before = search->text.data[place - 1];
    const bool is_letter = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9');
    return !is_letter && before < 0x80;
}

static sc_place_rank rank_at(const sc_place_search *search, const entry *at, size_t place)
{
    if (place >= at->begin + at->name_size) {
        return begins_word(search, place) ? SC_PLACE_CATEGORY_BEGINS : SC_PLACE_CATEGORY_HAS;
    }
    if (place == at->begin) return SC_PLACE_BEGINS;
    return begins_word(search, place) ? SC_PLACE_HAS_WORD : SC_PLACE_HAS_TEXT;
}

static bool is_better(const sc_place_hit *a, const sc_place_hit *b)
{
    if (a->rank != b->rank) return a->rank < b->rank;
    if (a->name_size != b->name_size) return a->name_size < b->name_size;
    return a->entry < b->entry;
}

/** The best of all hits so far, in order. */
typedef struct best_hits {
    sc_place_hit *hits;
    size_t limit;
    size_t count;
    size_t found;  ///< that there were, also those that are not among these
} best_hits;

static void take_hit(best_hits *best, const sc_place_hit *hit)
{
    best->found++;
    if (best->count == best->limit && !is_better(hit, &best->hits[best->count - 1])) return;
    size_t at = best->count < best->limit ? best->count++ : best->count - 1;
    for (; at > 0 && is_better(hit, &best->hits[at - 1]); at--) {
        best->hits[at] = best->hits[at - 1];
    }
    best->hits[at] = *hit;
}

/** How well an entry fits in which the text was found at `place`, perhaps not for the last time. */
static sc_place_rank rank_of(const sc_place_search *search, const sc_bytes *wanted, const entry *at,
                             size_t place, size_t end)
{
    const uint8_t *text = search->text.data;
    sc_place_rank rank = rank_at(search, at, place);
    while (rank != SC_PLACE_BEGINS) {
        const uint8_t *next = memmem(text + place + 1, end - place - 1, wanted->data, wanted->size);
        if (!next) break;
        place = (size_t)(next - text);
        const sc_place_rank other = rank_at(search, at, place);
        if (other < rank) rank = other;
    }
    return rank;
}

static void look_through(const sc_place_search *search, const sc_bytes *wanted, best_hits *best)
{
    const uint8_t *text = search->text.data;
    const size_t size = search->text.size;
    uint32_t number = 0;
    for (size_t from = 0; from < size && best->found < SC_PLACE_SEARCH_MATCHES;) {
        const uint8_t *match = memmem(text + from, size - from, wanted->data, wanted->size);
        if (!match) return;
        const size_t place = (size_t)(match - text);
        number = entry_at(search, number, place);
        const entry *at = &search->entries[number];
        const bool is_street = number < search->street_count;
        const size_t end = number + 1 < search->count ? at[1].begin : size;
        const sc_place_hit hit = {
            .rank = rank_of(search, wanted, at, place, end),
            .name_size = at->name_size,
            .entry = number,
            .object = is_street ? SC_NONE : at->number,
            .segment = is_street
                           ? at->number
                           : sc_map_edges(search->map)[sc_map_objects(search->map)[at->number].edge]
                                 .segment,
        };
        take_hit(best, &hit);
        from = end;
    }
}

size_t sc_place_search_find(const sc_place_search *search, const char *text, size_t size,
                            size_t limit, sc_place_hit *out, bool *more)
{
    best_hits best = {.hits = out, .limit = limit};
    sc_bytes wanted = {0};
    *more = false;
    if (put_small(search->locale, text, size, &wanted) && wanted.size > 0) {
        look_through(search, &wanted, &best);
        *more = best.found > best.count;
    }
    sc_bytes_fini(&wanted);
    return best.count;
}

// --- What is asked -------------------------------------------------------------------------------

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/** Undo percent-encoding; false if it is none, or does not fit. */
static bool decode_value(const char *value, size_t size, sc__place_question *out)
{
    out->size = 0;
    for (size_t i = 0; i < size; i++) {
        char c = value[i] == '+' ? ' ' : value[i];
        if (c == '%') {
            if (size - i < 3) return false;
            const int high = hex_digit(value[i + 1]);
            const int low = hex_digit(value[i + 2]);
            if (high < 0 || low < 0) return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        if (out->size == sizeof out->text) return false;
        out->text[out->size++] = c;
    }
    return true;
}

static bool is_all_utf8(const char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        const size_t bytes = sc_utf8_size(text + i, size - i);
        if (bytes == 0) return false;
        i += bytes;
    }
    return true;
}

static bool read_text(const char *value, size_t size, sc__place_question *out, sc_problem *problem)
{
    if (decode_value(value, size, out) && out->size > 0 && is_all_utf8(out->text, out->size)) {
        return true;
    }
    return sc_problem_set(problem, SC_PROBLEM_REQUEST, "parameter text",
                          "it must be 1 to %d bytes of UTF-8, percent-encoded",
                          SC_PLACE_SEARCH_TEXT_MAX);
}

static bool read_limit(const char *value, size_t size, sc__place_question *out, sc_problem *problem)
{
    size_t limit = 0;
    bool is_number = size > 0 && size <= 2;
    for (size_t i = 0; is_number && i < size; i++) {
        is_number = value[i] >= '0' && value[i] <= '9';
        limit = limit * 10 + (size_t)(value[i] - '0');
    }
    out->limit = limit;
    if (is_number && limit >= 1 && limit <= SC_PLACE_SEARCH_LIMIT_MAX) return true;
    return sc_problem_set(problem, SC_PROBLEM_REQUEST, "parameter limit", "it must be 1 to %d",
                          SC_PLACE_SEARCH_LIMIT_MAX);
}

bool sc__place_question_read(const char *search, sc__place_question *out, sc_problem *problem)
{
    static const char text[] = "text=";
    static const char limit[] = "limit=";
    *out = (sc__place_question){.limit = SC_PLACE_SEARCH_LIMIT};
    for (const char *at = search; *at != '\0';) {
        const size_t size = strcspn(at, "&");
        if (size >= strlen(text) && strncmp(at, text, strlen(text)) == 0) {
            if (!read_text(at + strlen(text), size - strlen(text), out, problem)) return false;
        } else if (size >= strlen(limit) && strncmp(at, limit, strlen(limit)) == 0) {
            if (!read_limit(at + strlen(limit), size - strlen(limit), out, problem)) return false;
        }
        at += size + (at[size] == '&');
    }
    return out->size > 0 || read_text("", 0, out, problem);
}

// --- The page ------------------------------------------------------------------------------------

/** A centimetre of a road; on planes, whose unit may be anything, as outcomes have positions. */
enum { DECIMALS_DEGREES = 7, DECIMALS_PLANE = 6 };

static void put_position(sc_json_writer *json, const sc_map *map, sc_edge_id edge, double offset_m)
{
    const bool is_geographic = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC;
    const unsigned decimals = is_geographic ? DECIMALS_DEGREES : DECIMALS_PLANE;
    double x = 0.0;
    double y = 0.0;
    sc_map_edge_position(map, edge, offset_m, &x, &y);
    sc_json_open_object(json, "position");
    sc_json_put_fixed(json, is_geographic ? "lon" : "x", x, decimals);
    sc_json_put_fixed(json, is_geographic ? "lat" : "y", y, decimals);
    sc_json_close_object(json);
}

/** In the middle of its length. */
static void put_segment_position(sc_json_writer *json, const sc_map *map, sc_seg_id segment)
{
    double left_m = sc_map_segment_length_m(map, segment) / 2;
    sc_edge_id e = sc_map_segments(map)[segment].first_edge;
    const sc_edge_id last = sc_map_segments(map)[segment + 1].first_edge - 1;
    for (; e < last && sc_map_edge_length_m(map, e) < left_m; e++) {
        left_m -= sc_map_edge_length_m(map, e);
    }
    put_position(json, map, e, left_m);
}

static void put_street(sc_json_writer *json, const sc_map *map, const sc_place_hit *hit)
{
    sc_json_put_string(json, "kind", "street");
    sc_json_put_string(json, "name", sc_map_segment_name(map, hit->segment));
    sc_json_put_count(json, "segment", hit->segment);
    put_segment_position(json, map, hit->segment);
}

static void put_object(sc_json_writer *json, const sc_map *map, const sc_place_hit *hit)
{
    const sc_object *object = &sc_map_objects(map)[hit->object];
    const char *street = sc_map_segment_name(map, hit->segment);
    sc_json_put_string(json, "kind", "place");
    sc_json_put_string(json, "name", sc_map_object_name(map, hit->object));
    sc_json_put_string(json, "category", sc_map_category_name(map, object->category));
    if (*street) sc_json_put_string(json, "street", street);
    sc_json_put_count(json, "segment", hit->segment);
    put_position(json, map, object->edge, object->offset * sc_map_unit_m(map));
}

static bool put_hits(const sc_map *map, const sc_place_hit *hits, size_t count, bool more,
                     sc_bytes *out)
{
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_open_array(&json, "places");
    for (size_t i = 0; i < count; i++) {
        sc_json_open_object(&json, NULL);
        if (hits[i].object == SC_NONE) {
            put_street(&json, map, &hits[i]);
        } else {
            put_object(&json, map, &hits[i]);
        }
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    sc_json_put_flag(&json, "more", more);
    sc_json_close_object(&json);
    sc_json_put_text(&json, "\n");
    return !json.has_failed;
}

void sc_place_search_show(const sc_place_search *search, sc_http_request *request)
{
    sc_problem problem = {.field = NULL};
    sc__place_question asked;
    if (!sc__place_question_read(sc_http_request_search(request), &asked, &problem)) {
        sc_problem_reply(request, &problem, NULL);
        return;
    }
    sc_place_hit hits[SC_PLACE_SEARCH_LIMIT_MAX];
    bool more = false;
    const size_t count =
        sc_place_search_find(search, asked.text, asked.size, asked.limit, hits, &more);
    sc_bytes body = {0};
    if (put_hits(search->map, hits, count, more, &body)) {
        sc_http_reply(request, 200, "application/json", body.data, body.size, NULL, 0);
    } else {
        sc_problem_set(&problem, SC_PROBLEM_INTERNAL, NULL, "memory is out");
        sc_problem_reply(request, &problem, NULL);
    }
    sc_bytes_fini(&body);
}
