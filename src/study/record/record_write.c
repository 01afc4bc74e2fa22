// Writing run records, one line of JSON per event; docs/records.md has the format.
//
// A record of a million queries is usual, so lines are put together from whole numbers by hand;
// printf() is left to the numbers that need it. The streams belong to one thread, so their locks
// are bypassed.
//
// Invariants:
//  1. Events are written in the order of the calls; the callers keep to time order.
//  2. Nothing here fails before the end: a write error is returned by sc_record_close() or
//     sc_record_commit(), and a record that failed leaves no file.
//  3. Numbers read back the same.
#include "record/record_write.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"
#include "base/json_write.h"
#include "base/utf8.h"
#include "record/record_internal.h"
#include "record/stream.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// === Numbers ====================================================================================

/** Digits of the largest 64-bit number. */
enum { MAX_DIGITS = 20 };

// The digits of `count` end at `end`; returns where they begin.
static char *digits_before(char *end, uint64_t count)
{
    do {
        *--end = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    return end;
}

void sc__put_count(FILE *out, uint64_t count)
{
    char text[MAX_DIGITS];
    char *end = text + sizeof text;
    const char *start = digits_before(end, count);
    fwrite_unlocked(start, 1, (size_t)(end - start), out);
}

void sc__put_millionths(FILE *out, int64_t millionths)
{
    enum { DECIMALS = 6, MILLION = 1000000 };
    char text[1 + MAX_DIGITS + 1 + DECIMALS];
    char *end = text + sizeof text;
    const uint64_t size = millionths < 0 ? 0 - (uint64_t)millionths : (uint64_t)millionths;

    // A million more keeps the zeros in front; the digit it adds is overwritten.
    char *start = digits_before(end, size % MILLION + MILLION);
    *start = '.';
    start = digits_before(start, size / MILLION);
    if (millionths < 0) *--start = '-';
    fwrite_unlocked(start, 1, (size_t)(end - start), out);
}

void sc__put_exactly(FILE *out, double number)
{
    // 15 digits show 0.1 as 0.1; 17 tell any two numbers apart.
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    sc__put(out, text);
}

void sc_time_write(FILE *out, sc_time t)
{
    sc__put_millionths(out, t);
}

// === Profiles and requests, as streams and records have them ====================================

void sc__put_profile(FILE *out, const sc_profile *profile)
{
    sc__put(out, "{\"k\":");
    sc__put_count(out, profile->k);
    sc__put(out, ",\"l\":");
    sc__put_count(out, profile->l);
    sc__put(out, ",\"sigma_s\":");
    sc__put_count(out, profile->max_hops);
    sc__put(out, ",\"sigma_t\":");
    sc_time_write(out, profile->max_wait_us);
    sc__put(out, "}");
}

// None, one or a list: readers that do not expect lists can still read the first two.
static void put_categories(FILE *out, const sc_map *map, const sc_request *request)
{
    if (request->category_count == 0) {
        sc__put(out, "null");
        return;
    }
    if (request->category_count > 1) sc__put(out, "[");
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (i > 0) sc__put(out, ",");
        sc_json_string(out, sc_map_category_name(map, request->categories[i]));
    }
    if (request->category_count > 1) sc__put(out, "]");
}

void sc_request_write(FILE *out, const sc_map *map, const sc_request *request)
{
    const bool is_by_time = request->metric == SC_METRIC_TIME;
    sc__put(out, request->type == SC_REQUEST_RANGE ? "{\"type\":\"range\"" : "{\"type\":\"knn\"");
    // Where none is named, it is the distance.
    if (is_by_time) sc__put(out, ",\"metric\":\"time\"");
    if (request->type == SC_REQUEST_RANGE) {
        sc__put(out, is_by_time ? ",\"radius_s\":" : ",\"radius_m\":");
        sc__put_exactly(out, is_by_time ? request->radius_s : request->radius_m);
    } else {
        sc__put(out, ",\"k\":");
        sc__put_count(out, request->k);
    }
    sc__put(out, ",\"category\":");
    put_categories(out, map, request);
    sc__put(out, "}");
}

// === Events =====================================================================================

/** Lines are a few hundred bytes; this many at a time go to the disk. */
#define BUFFER_SIZE ((size_t)1 << 16)

struct sc_record {
    const sc_map *map;
    sc_outfile file;
    uint64_t cloak_count;
    bool has_engine;
    sc_engine_options engine;  ///< if it has one
    bool has_demands;          ///< and they are not written yet
    sc_recorded_demands demands;
    char buffer[BUFFER_SIZE];  ///< of file.stream; standard output has its own
};

static sc_record *record_new(const sc_map *map)
{
    sc_record *record = sc_malloc(sizeof *record);
    if (!record) return NULL;
    record->map = map;
    record->file = (sc_outfile){.stream = NULL};
    record->cloak_count = 0;
    record->has_engine = false;
    record->has_demands = false;
    record->demands = (sc_recorded_demands){.zones = NULL};
    return record;
}

sc_err sc_record_begin(const sc_map *map, FILE *stream, sc_record **out)
{
    sc_record *record = record_new(map);
    if (!record) return SC_ENOMEM;
    record->file.stream = stream;
    *out = record;
    return SC_OK;
}

sc_err sc_record_open(const sc_map *map, const char *path, sc_record **out, sc_diag *diag)
{
    sc_record *record = record_new(map);
    if (!record) return sc_fail_memory(diag, "opening the record");
    const sc_err err = sc_outfile_open(path, &record->file, diag);
    if (err) {
        sc_free(record);
        return err;
    }
    if (!record->file.to_stdout) {
        setvbuf(record->file.stream, record->buffer, _IOFBF, sizeof record->buffer);
    }
    *out = record;
    return SC_OK;
}

void sc_record_engine(sc_record *record, const sc_engine_options *options)
{
    record->has_engine = true;
    record->engine = *options;
}

static void put_id(FILE *out, const sc_query_id *id)
{
    char text[SC_QUERY_ID_TEXT];
    sc__put(out, "\"query\":\"");
    sc__put(out, sc_query_id_text(id, text));
    sc__put(out, "\"");
}

static void put_time(FILE *out, sc_time t)
{
    sc__put(out, ",\"t\":");
    sc_time_write(out, t);
}

static void put_list(FILE *out, const char *name, const uint32_t *ids, size_t count)
{
    sc__put(out, name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) sc__put(out, ",");
        sc__put_count(out, ids[i]);
    }
    sc__put(out, "]");
}

// Whether a user can be written as it is: in UTF-8, without the character 0, which few
// readers take, and not such that it could be mistaken for one in hexadecimal.
static bool is_plain(const char *user, size_t size)
{
    static const char prefix[] = SC_RECORD_HEX;
    if (size >= sizeof prefix - 1 && memcmp(user, prefix, sizeof prefix - 1) == 0) return false;
    for (size_t used = 0; used < size;) {
        const size_t step = sc_utf8_size(user + used, size - used);
        if (step == 0 || user[used] == '\0') return false;
        used += step;
    }
    return true;
}

// Users are counted by these names, so different users must not look alike.
static void put_user(FILE *out, const char *user, size_t size)
{
    if (is_plain(user, size)) {
        sc_json_text(out, user, size);
        return;
    }
    sc__put(out, "\"" SC_RECORD_HEX);
    for (size_t i = 0; i < size; i++) {
        fprintf(out, "%02x", (unsigned)(unsigned char)user[i]);
    }
    sc__put(out, "\"");
}

// --- Demands -------------------------------------------------------------------

void sc_record_demands(sc_record *record, const sc_recorded_demands *demands)
{
    const sc_demands *all = &demands->demands;
    record->demands = *demands;
    record->has_demands = all->is_strict || all->traffic > 0 || all->classes ||
                          demands->has_continuity || demands->zones;
}

static void put_classes(FILE *out, const sc_place_classes *classes)
{
    sc__put(out, ",\"classes\":[");
    for (uint32_t i = 0; i < sc_place_classes_count(classes); i++) {
        sc__put(out, i > 0 ? ",\"" : "\"");
        sc__put(out, sc_place_classes_name(classes, i));
        sc__put(out, "\"");
    }
    sc__put(out, "]");
}

static void put_demands_line(FILE *out, const sc_recorded_demands *demands, sc_time t)
{
    const sc_demands *all = &demands->demands;
    sc__put(out, "{\"event\":\"demands\"");
    put_time(out, t);
    sc__put(out, all->is_strict ? ",\"strict\":true" : ",\"strict\":false");
    if (all->traffic > 0) {
        sc__put(out, ",\"traffic\":");
        sc__put_count(out, all->traffic);
        fprintf(out, ",\"density\":\"%016" PRIx64 "\"", sc_density_checksum(all->density));
    }
    if (demands->has_continuity) {
        sc__put(out, ",\"continuity\":{\"vmax_m_s\":");
        sc__put_exactly(out, demands->continuity.vmax_m_s);
        sc__put(out, ",\"tau_s\":");
        sc_time_write(out, demands->continuity.tau_us);
        sc__put(out, "}");
    }
    if (all->classes) put_classes(out, all->classes);
    sc__put(out, "}\n");
}

static void put_class_line(FILE *out, const sc_place_classes *classes, uint32_t number)
{
    const uint32_t *bits = sc_place_classes_bits(classes);
    bool is_first = true;
    sc__put(out, "{\"event\":\"class\",\"class\":\"");
    sc__put(out, sc_place_classes_name(classes, number));
    sc__put(out, "\",\"segments\":[");
    for (sc_seg_id s = 0; s < sc_place_classes_segment_count(classes); s++) {
        if (!(bits[s] >> number & 1)) continue;
        if (!is_first) sc__put(out, ",");
        is_first = false;
        sc__put_count(out, s);
    }
    sc__put(out, "]}\n");
}

static void put_zone_line(FILE *out, const sc_user_zone *zone)
{
    sc__put(out, "{\"event\":\"zone\",\"zone\":");
    sc__put_count(out, zone->number);
    sc__put(out, ",\"user\":");
    put_user(out, zone->user.text, zone->user.size);
    put_list(out, ",\"segments\":[", zone->segments, zone->count);
    sc__put(out, "}\n");
}

// They are written with the first event, so that their time is not later than any other.
static void put_demands(sc_record *record, sc_time t)
{
    const sc_recorded_demands *demands = &record->demands;
    FILE *out = record->file.stream;
    if (!record->has_demands) return;
    record->has_demands = false;
    put_demands_line(out, demands, t);
    const sc_place_classes *classes = demands->demands.classes;
    for (uint32_t i = 0; classes && i < sc_place_classes_count(classes); i++) {
        put_class_line(out, classes, i);
    }
    size_t count = 0;
    const sc_user_zone *zones = demands->zones ? sc_zone_table_zones(demands->zones, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        put_zone_line(out, &zones[i]);
    }
}

static void put_zone(FILE *out, const sc_record *record, const sc_ask *ask, const sc_snap *where)
{
    const sc_zone_table *zones = record->demands.zones;
    const sc_user_zone *zone =
        zones ? sc_zone_table_find(zones, ask->user, ask->user_size, where->segment) : NULL;
    if (!zone) return;
    sc__put(out, ",\"zone\":");
    sc__put_count(out, zone->number);
}

// --- Queries and what becomes of them ------------------------------------------

void sc_record_query(sc_record *record, const sc_query *query, const sc_ask *ask,
                     const sc_snap *where, const sc_request *request)
{
    FILE *out = record->file.stream;
    put_demands(record, ask->t);
    sc__put(out, "{\"event\":\"query\",");
    put_id(out, &query->id);
    sc__put(out, ",\"user\":");
    put_user(out, ask->user, ask->user_size);
    put_time(out, ask->t);
    sc__put(out, ",\"edge\":");
    sc__put_count(out, where->edge);
    sc__put(out, ",\"offset_m\":");
    // No road is longer than 40,000 km, so that this fits.
    sc__put_millionths(out, llround(where->offset_m * 1e6));
    sc__put(out, ",\"segment\":");
    sc__put_count(out, where->segment);
    sc__put(out, ",\"profile\":");
    sc__put_profile(out, &ask->profile);
    sc__put(out, ",\"request\":");
    sc_request_write(out, record->map, request);
    put_zone(out, record, ask, where);
    sc__put(out, "}\n");
}

uint64_t sc_record_cloak(sc_record *record, const sc_cloak *cloak, sc_time t)
{
    FILE *out = record->file.stream;
    const uint64_t number = record->cloak_count++;
    sc__put(out, "{\"event\":\"cloak\",\"cloak\":");
    sc__put_count(out, number);
    put_time(out, t);
    put_list(out, ",\"stars\":[", cloak->stars, cloak->star_count);
    put_list(out, ",\"segments\":[", cloak->segments, cloak->segment_count);
    put_list(out, ",\"border_nodes\":[", cloak->border_nodes, cloak->border_node_count);
    sc__put(out, ",\"members\":[");
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_member *member = &cloak->members[i];
        sc__put(out, i > 0 ? ",{" : "{");
        put_id(out, &member->query.id);
        if (member->star != SC_NONE) {  // methods without stars assign none
            sc__put(out, ",\"star\":");
            sc__put_count(out, member->star);
        }
        sc__put(out, "}");
    }
    sc__put(out, "]}\n");
    return number;
}

void sc_record_drop(sc_record *record, const sc_query_id *query, sc_time t, const char *reason)
{
    FILE *out = record->file.stream;
    sc__put(out, "{\"event\":\"drop\",");
    put_id(out, query);
    put_time(out, t);
    sc__put(out, ",\"reason\":\"");
    sc__put(out, reason);  // a word of ours
    sc__put(out, "\"}\n");
}

// The id of a query of another record, which may be any text.
static void put_foreign_id(FILE *out, sc_slice id)
{
    sc__put(out, "\"query\":");
    sc_json_text(out, id.text, id.size);
}

static void put_result(FILE *out, const sc_object_table *table, const sc_near *result)
{
    sc__put(out, "{\"poi\":");
    if (table->keys) {
        sc_json_string(out, table->strings + table->keys[result->object]);
    } else {
        sc__put_count(out, result->object);
    }
    sc__put(out, ",\"distance_m\":");
    sc__put_millionths(out, llround(result->distance_m * 1e6));
    sc__put(out, ",\"duration_s\":");
    sc__put_millionths(out, llround(result->duration_s * 1e6));
    sc__put(out, "}");
}

void sc_record_answer(sc_record *record, const sc_answered *answered)
{
    FILE *out = record->file.stream;
    sc__put(out, "{\"event\":\"answer\",");
    put_foreign_id(out, answered->query);
    sc__put(out, ",\"cloak\":");
    sc__put_count(out, answered->cloak);
    sc__put(out, ",\"candidates\":");
    sc__put_count(out, answered->candidates);
    // An empty answer would otherwise not tell whose objects there are none of.
    if (answered->is_foreign) sc__put(out, ",\"objects\":\"provider\"");
    sc__put(out, ",\"results\":[");
    for (size_t i = 0; i < answered->result_count; i++) {
        if (i > 0) sc__put(out, ",");
        put_result(out, answered->table, &answered->results[i]);
    }
    sc__put(out, "]}\n");
}

void sc_record_failed(sc_record *record, sc_slice query, sc_time t, const char *reason)
{
    FILE *out = record->file.stream;
    sc__put(out, "{\"event\":\"failed\",");
    put_foreign_id(out, query);
    put_time(out, t);
    sc__put(out, ",\"reason\":\"");
    sc__put(out, reason);
    sc__put(out, "\"}\n");
}

void sc_record_lines(sc_record *record, const char *text, size_t size)
{
    if (size > 0) fwrite_unlocked(text, 1, size, record->file.stream);
}

static void put_constant(FILE *out, const char *name, double constant)
{
    sc__put(out, name);
    sc__put_exactly(out, constant);
}

// All that a cloak depends on; paranoia looks at cloaks and changes none.
static void put_engine(FILE *out, const sc_engine_options *engine)
{
    sc__put(out, ",\"engine\":{\"method\":\"");
    sc__put(out, sc_variant_name(engine->variant));
    sc__put(out, engine->is_strict ? "\",\"strict\":true" : "\",\"strict\":false");
    sc__put(out, ",\"lambda\":");
    sc__put_count(out, engine->compactness);
    sc__put(out, ",\"alpha_s\":");
    sc_time_write(out, engine->consideration_us);
    if (engine->variant == SC_VARIANT_PATIENT) {
        sc__put(out, ",\"crowd\":");
        sc__put_count(out, engine->crowd);
    }
    if (engine->k_spread > 0) {
        sc__put(out, ",\"k_spread\":");
        sc__put_count(out, engine->k_spread);
    }
    sc__put(out, ",\"cap\":");
    sc__put_count(out, engine->max_combinations);
    put_constant(out, ",\"cost\":{\"segment\":", engine->cost.segment);
    put_constant(out, ",\"border_node\":", engine->cost.border_node);
    put_constant(out, ",\"object\":", engine->cost.object);
    put_constant(out, ",\"balance\":", engine->cost.balance);
    sc__put(out, "}}");
}

static void put_end(sc_record *record, sc_time end)
{
    FILE *out = record->file.stream;
    put_demands(record, end);
    sc__put(out, "{\"event\":\"end\"");
    put_time(out, end);
    fprintf(out, ",\"map\":\"%016" PRIx64 "\"", sc_map_checksum(record->map));
    if (record->has_engine) put_engine(out, &record->engine);
    sc__put(out, "}\n");
}

void sc_record_end(sc_record *record, sc_time end)
{
    put_end(record, end);
    sc_free(record);
}

sc_err sc_record_close(sc_record *record, sc_time end, sc_diag *diag)
{
    put_end(record, end);
    return sc_record_commit(record, diag);
}

sc_err sc_record_commit(sc_record *record, sc_diag *diag)
{
    const sc_err err = sc_outfile_commit(&record->file, diag);
    sc_free(record);
    return err;
}

void sc_record_abandon(sc_record *record)
{
    if (!record) return;
    sc_outfile_abandon(&record->file);
    sc_free(record);
}
