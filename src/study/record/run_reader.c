// Run records, line by line: queries, cloaks, and other ends of queries. docs/records.md has the
// format.
//
// Queries are numbered as they come. By its number, a query is open and has a place in the pool, or
// it is in a cloak, or it has ended otherwise.
#include "record/run_reader.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/item_pool.h"
#include "base/line_reader.h"
#include "base/sort.h"
#include "record/fields.h"
#include "record/record_write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** What is kept of a query while it is open. */
typedef struct open_query {
    sc_edge_id edge;
    uint32_t zone;
    double offset_m;
    sc_request request;

    // 0 unless they are wanted.
    sc_time asked;
    sc_profile profile;
    uint64_t user;
} open_query;

/** What a query has instead of a place in the pool when it is not open. */
#define QUERY_LOST (SC_ITEM_POOL_NONE - 1)
#define QUERY_CLOAKED SC_ITEM_POOL_NONE

/** Ids of segments or nodes. */
typedef struct id_list {
    uint32_t *ids;
    size_t count;
    size_t capacity;
} id_list;

struct sc_run_reader {
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc_line_reader source;
    sc_json_tree document;  ///< of the line at hand; ids of members are in it
    bool wants_users;
    bool wants_ends;
    bool has_ended;

    sc_hash numbers;   ///< from the hash of an id to the query's number
    uint32_t *places;  ///< by number: where it lies in the pool, or what became of it
    size_t query_count;
    size_t place_capacity;
    sc_item_pool open;  ///< of open_query
    sc_run_demand_lines demands;

    // Of the query or the zone at hand.
    sc_request_line request_line;
    sc_user_zone zone;
    char *name;  ///< of its user, if that is not as it stands in the line
    size_t name_capacity;

    // Of the cloak at hand.
    id_list segments;
    id_list border_nodes;
    id_list stars;
    sc_run_member *members;
    size_t member_capacity;
};

// === Queries ===================================================================================

/** How far beyond an edge an offset may be: records round, and lengths have a millimetre. */
#define OFFSET_TOLERANCE_M 1e-3

/** A line does not fit the map. Returns SC_EMISMATCH. */
static sc_err fail_map(const sc__place *place, const char *what)
{
    return sc_fail(place->diag, SC_EMISMATCH,
                   "%s:%" PRIu64 ": %s; check that this is the map of the run ('starcloak map "
                   "info' shows checksums, and a record ends with that of its map)",
                   place->name, place->number, what);
}

// --- Which are open --------------------------------------------------------------

/** The key of an id. Different ids have different ones, for all that chance can do. */
static sc_key key_of(sc_slice id)
{
    const XXH128_hash_t hash = XXH3_128bits(id.text, id.size);
    return (sc_key){hash.high64, hash.low64};
}

/** The number of a query, or SC_NONE if it was not asked. */
static uint32_t find_query(const sc_run_reader *reader, sc_slice id)
{
    return sc_hash_get(&reader->numbers, key_of(id), SC_NONE);
}

/** A query is no longer open; `place` is QUERY_LOST or QUERY_CLOAKED. */
static void end_query(sc_run_reader *reader, uint32_t number, uint32_t place)
{
    if (reader->places[number] < QUERY_LOST)
        sc_item_pool_give(&reader->open, reader->places[number]);
    reader->places[number] = place;
}

static sc_err keep_query(sc_run_reader *reader, const sc__place *place, sc_slice id,
                         const open_query *query)
{
    const uint32_t number = (uint32_t)reader->query_count;
    uint32_t holds = SC_NONE;
    if (reader->query_count >= SC_NONE) {
        return sc_fail(place->diag, SC_ELIMIT, "%s:%" PRIu64 ": more queries than can be counted",
                       place->name, place->number);
    }
    if (!sc_grow(&reader->places, reader->query_count, &reader->place_capacity,
                 sizeof *reader->places) ||
        sc_item_pool_reserve(&reader->open) ||
        sc_hash_put(&reader->numbers, key_of(id), number, &holds)) {
        return sc__line_fail_memory(place);
    }
    if (holds != number) return sc__line_fail(place, "a query is asked a second time");
    const uint32_t where = sc_item_pool_take(&reader->open);
    *(open_query *)sc_item_pool_at(&reader->open, where) = *query;
    reader->places[reader->query_count++] = where;
    return SC_OK;
}

// --- Where -----------------------------------------------------------------------

// The edge, the segment that it is said to be on, and the offset must agree with the map.
static sc_err read_position(const sc_run_reader *reader, const sc__fields *fields,
                            open_query *query, sc_seg_id *segment)
{
    sc_err err = sc__field_count(fields, "edge", &query->edge);
    if (!err) err = sc__field_count(fields, "segment", segment);
    if (!err) err = sc__field_number(fields, "offset_m", &query->offset_m);
    if (err) return err;
    if (query->edge >= sc_map_edge_count(reader->map)) {
        return fail_map(fields->place, "a query is on an edge that the map does not have");
    }
    if (*segment != sc_map_edges(reader->map)[query->edge].segment) {
        return fail_map(fields->place, "a query is not on the segment it names");
    }
    const double length_m = sc_map_edge_length_m(reader->map, query->edge);
    if (query->offset_m < -OFFSET_TOLERANCE_M || query->offset_m > length_m + OFFSET_TOLERANCE_M) {
        return fail_map(fields->place, "a query lies beyond the end of its edge");
    }
    query->offset_m = fmin(fmax(query->offset_m, 0.0), length_m);
    return SC_OK;
}

// --- Who, when and how privately -------------------------------------------------

enum { HEX_PREFIX = sizeof SC_RECORD_HEX - 1 };

/** So many bytes from twice as many digits; false if one is none. */
static bool unpack_hex(const char *text, size_t size, char *out)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < size; i++) {
        const char *high = memchr(digits, text[2 * i], sizeof digits - 1);
        const char *low = memchr(digits, text[2 * i + 1], sizeof digits - 1);
        if (!high || !low) return false;
        out[i] = (char)((high - digits) * 16 + (low - digits));
    }
    return true;
}

/** How many bytes `name` may have in hexadecimal behind its prefix; 0 if it is an ordinary name. */
static size_t hex_size(sc_slice name)
{
    if (name.size < HEX_PREFIX || memcmp(name.text, SC_RECORD_HEX, HEX_PREFIX) != 0) return 0;
    const size_t digit_count = name.size - HEX_PREFIX;
    return digit_count % 2 == 0 ? digit_count / 2 : 0;
}

// The user as it asked: what had to be written in hexadecimal becomes bytes again, so that a user
// has one name in a run and in its record.
static sc_err read_user(sc_run_reader *reader, const sc__fields *fields, sc_ask *ask)
{
    sc_slice name;
    const sc_err err = sc__field_text(fields, "user", &name);
    if (err) return err;
    const size_t size = hex_size(name);
    ask->user = name.text;
    ask->user_size = name.size;
    if (size == 0) return SC_OK;

    if (!sc_reserve(&reader->name, size, &reader->name_capacity, 1)) {
        return sc__line_fail_memory(fields->place);
    }
    if (unpack_hex(name.text + HEX_PREFIX, size, reader->name)) {
        ask->user = reader->name;
        ask->user_size = size;
    }
    return SC_OK;
}

// It was admitted, so what is never admitted is refused; limits are each operator's own.
static sc_err read_profile(const sc__fields *fields, sc_profile *out)
{
    sc__fields profile = {.prefix = "profile."};
    sc_err err = sc__field_object(fields, "profile", &profile);
    if (!err) err = sc__field_count(&profile, "k", &out->k);
    if (!err) err = sc__field_count(&profile, "l", &out->l);
    if (!err) err = sc__field_count(&profile, "sigma_s", &out->max_hops);
    if (!err) err = sc__field_time(&profile, "sigma_t", &out->max_wait_us);
    if (err) return err;
    if (out->k == 0)
        return sc__field_fail(&profile, "k",
                              "is 0; it must be 1 or more, since it counts the traveller too");
    if (out->l == 0) return sc__field_fail(&profile, "l", "is 0; a cloak has at least one segment");
    if (out->max_wait_us <= 0) return sc__field_fail(&profile, "sigma_t", "is not above 0");
    return SC_OK;
}

static sc_err read_asker(sc_run_reader *reader, const sc__fields *fields, open_query *query)
{
    sc_ask *ask = &reader->request_line.ask;
    reader->request_line =
        (sc_request_line){.request = query->request, .line = fields->place->number};
    *ask = (sc_ask){.is_on_edge = true,
                    .edge = query->edge,
                    .offset_m = query->offset_m,
                    .result_size = query->request.k};
    sc_err err = read_user(reader, fields, ask);
    if (!err) err = sc__field_time(fields, "t", &ask->t);
    if (!err) err = read_profile(fields, &ask->profile);
    if (err) return err;
    query->asked = ask->t;
    query->profile = ask->profile;
    query->user = sc_run_user(ask->user, ask->user_size);
    return SC_OK;
}

// --- All of it -------------------------------------------------------------------

static sc_err read_query(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_slice id;
    open_query query = {0};
    const sc__category_names names = {.map = reader->map, .vocabulary = reader->vocabulary};
    sc_err err = sc__field_text(fields, "query", &id);
    if (!err) err = read_position(reader, fields, &query, &out->segment);
    if (!err) err = sc__run_query_zone(&reader->demands, fields, out->segment, &query.zone);
    if (!err) err = sc__request_read(fields, &names, &query.request);
    if (!err && reader->wants_users) {
        out->asked = &reader->request_line;
        err = read_asker(reader, fields, &query);
    }
    out->query = (uint32_t)reader->query_count;
    return err ? err : keep_query(reader, fields->place, id, &query);
}

// === Cloaks and ends ============================================================================

/** JSON's numbers are exact up to here. */
#define MAX_CLOAK ((int64_t)1 << 53)

// --- Cloaks --------------------------------------------------------------------

static sc_err check_ascent(const sc__fields *fields, const char *key, const id_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        if (list->ids[i] <= list->ids[i - 1]) {
            return sc__field_fail(fields, key, "does not ascend");
        }
    }
    return SC_OK;
}

static sc_err read_ids(const sc__fields *fields, const char *key, uint32_t count, id_list *out)
{
    const sc_json_value *list = NULL;
    sc_err err = sc__field_list(fields, key, &list);
    out->count = 0;
    for (size_t i = 0; !err && i < sc_json_size(list); i++) {
        const sc_json_value *value = sc_json_at(list, i);
        const int64_t id = sc_json_integer(value);
        if (!sc_json_is_integer(value) || id < 0) {
            return sc__field_fail(fields, key,
                                  "contains something other than whole numbers of 0 or more");
        }
        if (id >= count) {
            return fail_map(fields->place, "a cloak names a segment, a node or a star that "
                                           "the map does not have");
        }
        if (!sc_grow(&out->ids, out->count, &out->capacity, sizeof *out->ids)) {
            return sc__line_fail_memory(fields->place);
        }
        out->ids[out->count++] = (uint32_t)id;
    }
    return err;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static sc_err read_member(sc_run_reader *reader, const sc__fields *fields,
                          const sc_json_value *value, sc_run_member *out)
{
    const sc__fields member = {.place = fields->place, .object = value, .prefix = "members."};
    if (!sc_json_is_object(value)) {
        return sc__field_fail(fields, "members", "contains something other than objects");
    }
    sc_slice id;
    const sc_err err = sc__field_text(&member, "query", &id);
    if (err) return err;
    const uint32_t number = find_query(reader, id);
    if (number == SC_NONE || reader->places[number] >= QUERY_LOST) {
        return sc__field_fail(&member, "query",
                              "names a query that was not asked, or that had ended before");
    }
    const open_query *query = sc_item_pool_at(&reader->open, reader->places[number]);
    *out = (sc_run_member){.query = id,
                           .number = number,
                           .edge = query->edge,
                           .offset_m = query->offset_m,
                           .request = query->request,
                           .segment = sc_map_edges(reader->map)[query->edge].segment,
                           .result_size = query->request.k,
                           .zone = query->zone,
                           .asked = query->asked,
                           .profile = query->profile,
                           .user = query->user};
    end_query(reader, number, QUERY_CLOAKED);
    if (!bsearch(&out->segment, reader->segments.ids, reader->segments.count, sizeof out->segment,
                 compare_ids)) {
        return sc__field_fail(
            &member, "query",
            "names a query that is not on a segment of the cloak; 'starcloak verify' shows more");
    }
    return SC_OK;
}

static sc_err read_members(sc_run_reader *reader, const sc__fields *fields, sc_run_cloak *out)
{
    const sc_json_value *list = NULL;
    sc_err err = sc__field_list(fields, "members", &list);
    size_t count = 0;
    for (; !err && count < sc_json_size(list); count++) {
        if (!sc_grow(&reader->members, count, &reader->member_capacity, sizeof *reader->members)) {
            return sc__line_fail_memory(fields->place);
        }
        err = read_member(reader, fields, sc_json_at(list, count), &reader->members[count]);
    }
    if (!err && count == 0)
        return sc__field_fail(fields, "members", "is empty; a cloak has at least one");
    out->members = reader->members;
    out->member_count = count;
    return err;
}

// Records of other programs may lack stars, or have them in another order.
static sc_err read_stars(sc_run_reader *reader, const sc__fields *fields)
{
    reader->stars.count = 0;
    if (!reader->wants_users || !sc_json_member(fields->object, "stars")) return SC_OK;
    id_list *stars = &reader->stars;
    const sc_err err = read_ids(fields, "stars", sc_map_star_count(reader->map), stars);
    if (err) return err;
    sc_sort_u32(stars->ids, stars->count);
    size_t kept = 0;
    for (size_t i = 0; i < stars->count; i++) {
        if (kept == 0 || stars->ids[kept - 1] != stars->ids[i]) stars->ids[kept++] = stars->ids[i];
    }
    stars->count = kept;
    return SC_OK;
}

static sc_err read_cloak(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_run_cloak *cloak = &out->cloak;
    int64_t number = 0;
    sc_err err = sc__field_whole(fields, "cloak", &number);
    if (err) return err;
    if (number < 0 || number > MAX_CLOAK) return sc__field_fail(fields, "cloak", "is out of range");
    cloak->number = (uint64_t)number;
    err = sc__field_time(fields, "t", &cloak->t);
    if (!err) {
        err = read_ids(fields, "segments", sc_map_segment_count(reader->map), &reader->segments);
    }
    if (!err) err = check_ascent(fields, "segments", &reader->segments);
    if (!err) {
        err =
            read_ids(fields, "border_nodes", sc_map_node_count(reader->map), &reader->border_nodes);
    }
    if (!err) err = check_ascent(fields, "border_nodes", &reader->border_nodes);
    if (!err) err = read_stars(reader, fields);
    if (err) return err;
    if (reader->segments.count == 0) {
        return sc__field_fail(fields, "segments", "is empty; a cloak has at least one");
    }
    cloak->segments = reader->segments.ids;
    cloak->segment_count = reader->segments.count;
    cloak->border_nodes = reader->border_nodes.ids;
    cloak->border_node_count = reader->border_nodes.count;
    cloak->stars = reader->stars.ids;
    cloak->star_count = reader->stars.count;
    return read_members(reader, fields, cloak);
}

// --- Ends ------------------------------------------------------------------------

// A failure behind a cloak stands in the place of an answer; all others are passed on. A query ends
// once: what is said of it afterwards is not.
static sc_err read_loss(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_slice id;
    sc_err err = sc__field_text(fields, "query", &id);
    if (!err && reader->wants_ends) {
        err = sc__field_text(fields, "reason", &out->reason);
        if (!err) err = sc__field_time(fields, "t", &out->t);
    }
    if (err) return err;
    const uint32_t number = find_query(reader, id);
    if (number == SC_NONE) return SC_OK;
    const bool has_ended = reader->places[number] == QUERY_LOST;
    if (reader->wants_ends && !has_ended) out->query = number;
    if (reader->places[number] == QUERY_CLOAKED) {
        out->kind = SC_RUN_ANSWER;
    } else {
        end_query(reader, number, QUERY_LOST);
    }
    return SC_OK;
}

static sc_err read_drop(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    out->is_drop = true;
    return read_loss(reader, fields, out);
}

static sc_err pass_over(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    (void)reader;
    (void)fields;
    (void)out;
    return SC_OK;
}

static sc_err read_end(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    reader->has_ended = true;
    sc_err err = sc__record_check_map(fields, reader->map);
    if (!err && reader->wants_ends) err = sc__field_time(fields, "t", &out->t);
    if (err || !reader->wants_users || !sc__field_exists(fields, "engine")) return err;
    out->has_engine = true;
    return sc__engine_read(fields, &out->engine);
}

// --- All of them -----------------------------------------------------------------

static const struct {
    const char *name;
    sc_run_kind kind;
    sc_err (*read)(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out);
} events[] = {
    {"query", SC_RUN_QUERY, read_query},  {"cloak", SC_RUN_CLOAK, read_cloak},
    {"drop", SC_RUN_OTHER, read_drop},    {"failed", SC_RUN_OTHER, read_loss},
    {"answer", SC_RUN_ANSWER, pass_over}, {"tiles", SC_RUN_AREAS, pass_over},
    {"area", SC_RUN_AREAS, pass_over},    {"areas", SC_RUN_AREAS, pass_over},
    {"end", SC_RUN_END, read_end},
};

// The zone that was read last.
static sc_err tell_zone(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    sc_ask owner = {.user = NULL};
    sc_user_zone *zone = &reader->zone;
    sc_err err = sc__field_count(fields, "zone", &zone->number);
    if (!err) err = read_user(reader, fields, &owner);
    if (err) return err;
    zone->user = (sc_slice){owner.user, owner.user_size};
    zone->segments = sc__run_zone_segments(&reader->demands,
                                           (uint32_t)reader->demands.zone_count - 1, &zone->count);
    out->zone = zone;
    return SC_OK;
}

/** Read the event that `fields` are; sets the kind of `out` and what belongs to it. */
static sc_err read_event(sc_run_reader *reader, const sc__fields *fields, sc_run_line *out)
{
    if (!sc__field_exists(fields, "event") && sc__field_exists(fields, "profile")) {
        return sc__line_fail(
            fields->place, "this is a query of a stream, not an event of a run record; 'starcloak "
                           "cloak --record' makes a record of a stream");
    }
    sc_slice name;
    sc_err err = sc__field_text(fields, "event", &name);
    if (err) return err;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        if (!sc_slice_is(name, events[i].name)) continue;
        out->kind = events[i].kind;
        return events[i].read(reader, fields, out);
    }
    if (sc__run_demands_has(name)) {
        err = sc__run_demands_read(&reader->demands, reader->map, name, fields);
        const bool tells_zone = !err && reader->wants_users && sc_slice_is(name, "zone");
        return tells_zone ? tell_zone(reader, fields, out) : err;
    }
    return sc__field_fail(
        fields, "event",
        "is not one of query, cloak, drop, failed, answer, end, demands, class, zone, tiles, area, "
        "areas");
}

// === The reader =================================================================================

// --- Life --------------------------------------------------------------------

static sc_err make_reader(const sc_map *map, const sc_vocabulary *vocabulary, sc_run_reader **out,
                          sc_diag *diag)
{
    sc_run_reader *reader = sc_calloc(1, sizeof *reader);
    if (!reader) return sc_fail_memory(diag, "opening the record");
    reader->map = map;
    reader->vocabulary = vocabulary;
    sc_item_pool_init(&reader->open, sizeof(open_query));
    *out = reader;
    return SC_OK;
}

sc_err sc_run_reader_open(const sc_map *map, const sc_vocabulary *vocabulary, const char *path,
                          sc_run_reader **out, sc_diag *diag)
{
    sc_run_reader *reader = NULL;
    sc_err err = make_reader(map, vocabulary, &reader, diag);
    if (err) return err;
    err = sc_line_reader_open(&reader->source, path, diag);
    if (err) {
        sc_item_pool_fini(&reader->open);
        sc_free(reader);
        return err;
    }
    *out = reader;
    return SC_OK;
}

sc_err sc_run_reader_of(const sc_map *map, const sc_vocabulary *vocabulary, const sc_input *input,
                        sc_run_reader **out, sc_diag *diag)
{
    const sc_err err = make_reader(map, vocabulary, out, diag);
    if (!err) sc_line_reader_of(&(*out)->source, input);
    return err;
}

void sc_run_reader_free(sc_run_reader *reader)
{
    if (!reader) return;
    sc_line_reader_close(&reader->source);
    sc_json_tree_fini(&reader->document);
    sc_hash_fini(&reader->numbers);
    sc_item_pool_fini(&reader->open);
    sc__run_demands_fini(&reader->demands);
    sc_free(reader->places);
    sc_free(reader->segments.ids);
    sc_free(reader->border_nodes.ids);
    sc_free(reader->stars.ids);
    sc_free(reader->members);
    sc_free(reader->name);
    sc_free(reader);
}

void sc_run_reader_want_users(sc_run_reader *reader)
{
    reader->wants_users = true;
}

void sc_run_reader_want_ends(sc_run_reader *reader)
{
    reader->wants_ends = true;
}

uint64_t sc_run_user(const char *name, size_t size)
{
    return XXH3_64bits(name, size);
}

const sc_run_demands *sc_run_reader_demands(const sc_run_reader *reader)
{
    return reader->demands.has_demands ? &reader->demands.demands : NULL;
}

sc_place_classes *sc_run_reader_take_classes(sc_run_reader *reader)
{
    sc_place_classes *classes = reader->demands.classes;
    reader->demands.classes = NULL;
    reader->demands.demands.classes = NULL;
    return classes;
}

const sc_seg_id *sc_run_reader_zone(const sc_run_reader *reader, uint32_t zone, size_t *count)
{
    return sc__run_zone_segments(&reader->demands, zone, count);
}

const char *sc_run_reader_name(const sc_run_reader *reader)
{
    return reader->source.name;
}

uint64_t sc_run_reader_passed(const sc_run_reader *reader, uint64_t *total)
{
    *total = reader->source.total;
    return reader->source.passed;
}

// --- Lines -------------------------------------------------------------------------

static sc_err read_line(sc_run_reader *reader, sc_slice text, sc_run_line *out, sc_diag *diag)
{
    const sc__place place = {.name = reader->source.name,
                             .number = reader->source.line,
                             .doing = "reading the record",
                             .passes_unknown = true,
                             .diag = diag};
    if (reader->has_ended) return sc__line_fail(&place, "is after the end event of the record");
    *out = (sc_run_line){.text = text, .number = reader->source.line, .query = SC_NONE};
    sc_json_tree_fini(&reader->document);
    const sc_err err = sc__line_load(&place, text, &reader->document);
    if (err) return err;
    const sc__fields fields = {.place = &place, .object = reader->document.root, .prefix = ""};
    return read_event(reader, &fields, out);
}

sc_err sc_run_reader_next(sc_run_reader *reader, sc_run_line *line, sc_diag *diag)
{
    sc_slice text = {NULL, 0};
    do {
        const sc_err err = sc_line_reader_next(&reader->source, &text, diag);
        if (err) return err;
    } while (text.text && text.size == 0);
    if (text.text) return read_line(reader, text, line, diag);
    if (!reader->has_ended) {
        return sc_fail(diag, SC_EPARSE, "%s: the record has no end event: %s", reader->source.name,
                       reader->source.line == 0 ? "the file is empty" : "the file is cut short");
    }
    *line = (sc_run_line){.kind = SC_RUN_END, .query = SC_NONE};
    return SC_OK;
}
