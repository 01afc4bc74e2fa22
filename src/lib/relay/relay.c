// Relays, requests, category names and replies in memory. See starcloak/relay.h, relay_build.h.
//
// A relay is one block of memory: the struct, requests, segments, border nodes, places. A reply is
// a set of tables that are filled many times and keep their memory.
#include <starcloak/relay.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "relay/relay_build.h"
#include "relay/relay_codec_internal.h"

#include <float.h>
#include <inttypes.h>
#include <string.h>

// === Requests ===================================================================================
// Requests are compared, because members of a cloak who ask for the same share one request. So
// fields that a request does not use must not make it different: equal requests have one normal
// form.

sc_request_limits sc_request_limits_default(void)
{
    return (sc_request_limits){.max_k = 1000, .max_radius_m = 100000.0, .max_radius_s = 7200.0};
}

sc_err sc_request_check(const sc_request *request, const sc_request_limits *limits,
                        uint32_t category_count, sc_diag *diag)
{
    if ((unsigned)request->metric >= SC_METRIC_COUNT) {
        return sc_fail(diag, SC_EREQUEST, "the metric of a request is distance or time");
    }
    const bool is_by_time = request->metric == SC_METRIC_TIME;
    const double radius = is_by_time ? request->radius_s : request->radius_m;
    const double max_radius = is_by_time ? limits->max_radius_s : limits->max_radius_m;
    const char *unit = is_by_time ? "s" : "m";
    if (request->type == SC_REQUEST_KNN) {
        if (request->k < 1 || request->k > limits->max_k) {
            return sc_fail(diag, SC_EREQUEST, "k is %u; ask for 1 to %u objects", request->k,
                           limits->max_k);
        }
    } else if (request->type == SC_REQUEST_RANGE) {
        // Written so that NaN is refused: no comparison with it is true.
        if (!(radius >= 0.0 && radius <= max_radius)) {
            if (max_radius >= DBL_MAX) {  // the reader of it sets the limit later
                return sc_fail(diag, SC_EREQUEST, "the radius is %g %s; ask for 0 %s or more",
                               radius, unit, unit);
            }
            return sc_fail(diag, SC_EREQUEST, "the radius is %g %s; ask for 0 to %g %s", radius,
                           unit, max_radius, unit);
        }
    } else {
        return sc_fail(diag, SC_EREQUEST, "a request must be of type knn or range");
    }
    if (request->category_count > SC_REQUEST_CATEGORIES) {
        return sc_fail(diag, SC_EREQUEST,
                       "%u categories in one request; name at most %d, or none for all",
                       request->category_count, (int)SC_REQUEST_CATEGORIES);
    }
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] >= category_count) {
            return sc_fail(diag, SC_EREQUEST, "there is no category %u; the map has %u",
                           request->categories[i], category_count);
        }
    }
    return SC_OK;
}

sc_request sc_request_normalise(const sc_request *request)
{
    sc_request normal = {.type = request->type, .metric = request->metric};
    if (request->type == SC_REQUEST_KNN) {
        normal.k = request->k;
    } else if (request->metric == SC_METRIC_TIME) {
        // Adding zero makes a zero of a negative zero.
        normal.radius_s = request->radius_s + 0.0;
    } else {
        normal.radius_m = request->radius_m + 0.0;
    }

    sc_category_id sorted[SC_REQUEST_CATEGORIES];
    uint32_t count = 0;
    while (count < request->category_count && count < SC_REQUEST_CATEGORIES) {
        sorted[count] = request->categories[count];
        count++;
    }
    sc_sort_u32(sorted, count);
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && sorted[i] == sorted[i - 1]) continue;
        normal.categories[normal.category_count++] = sorted[i];
    }
    return normal;
}

bool sc_request_equal(const sc_request *a, const sc_request *b)
{
    if (a->type != b->type || a->metric != b->metric || a->k != b->k ||
        a->radius_m != b->radius_m || a->radius_s != b->radius_s ||
        a->category_count != b->category_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->category_count; i++) {
        if (a->categories[i] != b->categories[i]) return false;
    }
    return true;
}

// === Category names =============================================================================

sc_category_id sc_vocabulary_find(const sc_vocabulary *vocabulary, const char *name)
{
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        if (strcmp(vocabulary->names[i], name) == 0) return i;
    }
    return SC_NONE;
}

sc_err sc_vocabulary_init_from_map(const sc_map *map, sc_vocabulary *out)
{
    const uint32_t count = sc_map_category_count(map);
    const char **names = sc_malloc_array(count, sizeof *names);
    if (!names) return SC_ENOMEM;
    for (sc_category_id i = 0; i < count; i++) {
        names[i] = sc_map_category_name(map, i);
    }
    *out = (sc_vocabulary){names, count};
    return SC_OK;
}

void sc_vocabulary_fini(sc_vocabulary *vocabulary)
{
    // Ours since sc_vocabulary_init_from_map(), which lends it as constant.
    sc_free((void *)vocabulary->names);
    *vocabulary = (sc_vocabulary){0};
}

// === Relays =====================================================================================

// The tables follow the struct in the block, those with the strictest alignment first.
_Static_assert(sizeof(sc_relay) % _Alignof(sc_request) == 0, "requests follow the struct");
_Static_assert(sizeof(sc_request) % _Alignof(sc_seg_id) == 0, "ids follow the requests");

sc_relay *sc__relay_alloc_placed(const sc__relay_counts *counts, sc__relay_tables *tables)
{
    size_t request_bytes = 0;
    size_t ids = 0;
    size_t id_bytes = 0;
    size_t size = sizeof(sc_relay);
    if (__builtin_mul_overflow(counts->requests, sizeof(sc_request), &request_bytes) ||
        __builtin_add_overflow(counts->segments, counts->border_nodes, &ids) ||
        __builtin_add_overflow(ids, counts->places, &ids) ||
        __builtin_mul_overflow(ids, sizeof(uint32_t), &id_bytes) ||
        __builtin_add_overflow(size, request_bytes, &size) ||
        __builtin_add_overflow(size, id_bytes, &size)) {
        return NULL;
    }
    sc_relay *relay = sc_calloc(1, size);
    if (!relay) return NULL;

    tables->requests = (sc_request *)(void *)(relay + 1);
    tables->segments = (sc_seg_id *)(void *)(tables->requests + counts->requests);
    tables->border_nodes = tables->segments + counts->segments;
    tables->places = tables->border_nodes + counts->border_nodes;
    relay->segments = tables->segments;
    relay->segment_count = counts->segments;
    relay->border_nodes = tables->border_nodes;
    relay->border_node_count = counts->border_nodes;
    relay->requests = tables->requests;
    relay->request_count = counts->requests;
    relay->border_places = tables->places;
    relay->border_place_count = counts->places;
    return relay;
}

sc_relay *sc__relay_alloc(size_t segment_count, size_t border_node_count, size_t request_count,
                          sc_seg_id **segments, sc_node_id **border_nodes, sc_request **requests)
{
    const sc__relay_counts counts = {segment_count, border_node_count, request_count, 0};
    sc__relay_tables tables;
    sc_relay *relay = sc__relay_alloc_placed(&counts, &tables);
    if (!relay) return NULL;
    *segments = tables.segments;
    *border_nodes = tables.border_nodes;
    *requests = tables.requests;
    relay->border_places = NULL;
    return relay;
}

void sc_relay_free(sc_relay *relay)
{
    sc_free(relay);
}

// === Checking a relay ===========================================================================
// A provider checks every cloak, and answers many of them in less than a microsecond: hence a loop
// over the ids that only compares, and a second one that finds the reason, for relays that are
// refused.

// Whether the ids ascend, all below `limit`. If they ascend, the last is the greatest.
static bool are_ids(const uint32_t *ids, size_t count, uint32_t limit)
{
    for (size_t i = 1; i < count; i++) {
        if (ids[i] <= ids[i - 1]) return false;
    }
    return count == 0 || ids[count - 1] < limit;
}

static sc_err check_ids(const char *what, const uint32_t *ids, size_t count, uint32_t limit,
                        sc_diag *diag)
{
    if (are_ids(ids, count, limit)) return SC_OK;
    size_t place = 0;
    while (ids[place] < limit && (place == 0 || ids[place] > ids[place - 1])) {
        place++;
    }
    if (ids[place] >= limit) {
        return sc_fail(diag, SC_EUNKNOWN,
                       "%s %zu of the relay does not exist; the map has only %" PRIu32, what, place,
                       limit);
    }
    return sc_fail(diag, SC_EINVAL,
                   "%s %zu of the relay is not above the one before; sort them, each once", what,
                   place);
}

static sc_err check_segments(const sc_map *map, const sc_relay *relay, size_t max_segments,
                             sc_diag *diag)
{
    if (relay->segment_count == 0) {
        return sc_fail(diag, SC_EINVAL, "the relay has no segments; give at least one");
    }
    if (relay->segment_count > max_segments) {
        return sc_fail(diag, SC_ELIMIT, "the relay has %zu segments; at most %zu are allowed",
                       relay->segment_count, max_segments);
    }
    return check_ids("segment", relay->segments, relay->segment_count, sc_map_segment_count(map),
                     diag);
}

static sc_err check_border_nodes(const sc_map *map, const sc_relay *relay, sc_diag *diag)
{
    // A segment has two ends.
    if (relay->border_node_count > 2 * relay->segment_count) {
        return sc_fail(diag, SC_EINVAL, "%zu segments cannot have %zu border nodes",
                       relay->segment_count, relay->border_node_count);
    }
    return check_ids("border node", relay->border_nodes, relay->border_node_count,
                     sc_map_node_count(map), diag);
}

sc_err sc__relay_check(const sc_map *map, const sc_relay *relay, size_t max_segments, sc_diag *diag)
{
    if (relay->map_checksum != sc_map_checksum(map)) {
        return sc_fail(diag, SC_EMISMATCH,
                       "the relay is of another map (checksum %016" PRIx64 ", here %016" PRIx64
                       "); give both sides the same map file",
                       relay->map_checksum, sc_map_checksum(map));
    }
    sc_err err = check_segments(map, relay, max_segments, diag);
    if (!err) err = check_border_nodes(map, relay, diag);
    if (err) return err;
    if (relay->request_count == 0) {
        return sc_fail(diag, SC_EINVAL, "the relay has no requests; give at least one");
    }
    return SC_OK;
}

// === Replies ====================================================================================

void sc_reply_init(sc_reply *reply)
{
    *reply = (sc_reply){0};
}

void sc_reply_fini(sc_reply *reply)
{
    sc_free(reply->run_start);
    sc_free(reply->runs);
    sc_free(reply->near_start);
    sc_free(reply->nears);
    if (reply->memory) sc_free(reply->memory->owned);
    sc_free(reply->memory);
    sc_reply_init(reply);
}

size_t sc_reply_candidate_count(const sc_reply *reply, size_t request)
{
    size_t count = 0;
    for (uint32_t i = reply->run_start[request]; i < reply->run_start[request + 1]; i++) {
        count += reply->runs[i].count;
    }
    const size_t list = request * reply->border_node_count;
    return count + reply->near_start[list + reply->border_node_count] - reply->near_start[list];
}

/** At least `count` entries of `starts`, all of them zero. */
static bool clear_starts(uint32_t **starts, size_t *capacity, size_t count)
{
    if (!sc_reserve(starts, count, capacity, sizeof(**starts))) return false;
    memset(*starts, 0, count * sizeof(**starts));
    return true;
}

bool sc__reply_begin(sc_reply *reply, size_t request_count, size_t border_node_count)
{
    reply->map_checksum = 0;
    reply->request_count = 0;
    reply->border_node_count = 0;
    reply->table = (sc_object_table){0};
    if (!reply->memory) reply->memory = sc_calloc(1, sizeof *reply->memory);
    if (!reply->memory) return false;
    sc_free(reply->memory->owned);
    reply->memory->owned = NULL;

    size_t lists = 0;
    if (__builtin_mul_overflow(request_count, border_node_count, &lists) || lists == SIZE_MAX ||
        request_count == SIZE_MAX) {
        return false;
    }
    if (!clear_starts(&reply->run_start, &reply->memory->run_start_capacity, request_count + 1) ||
        !clear_starts(&reply->near_start, &reply->memory->near_start_capacity, lists + 1)) {
        return false;
    }
    // Never NULL, so that a list of nothing has a place too.
    if (!reply->runs && !sc__reply_grow_runs(reply)) return false;
    if (!reply->nears && !sc__reply_grow_nears(reply)) return false;
    reply->request_count = request_count;
    reply->border_node_count = border_node_count;
    return true;
}

bool sc__reply_grow_runs(sc_reply *reply)
{
    const size_t count = reply->memory->run_capacity;
    return count <= UINT32_MAX / 2 &&
           sc_grow(&reply->runs, count, &reply->memory->run_capacity, sizeof(*reply->runs));
}

bool sc__reply_grow_nears(sc_reply *reply)
{
    const size_t count = reply->memory->near_capacity;
    return count <= UINT32_MAX / 2 &&
           sc_grow(&reply->nears, count, &reply->memory->near_capacity, sizeof(*reply->nears));
}

// === The table of a provider's own objects ======================================================
// Objects, keys and texts, one behind the other in one block.

sc_err sc__reply_table_init(sc__reply_table *table, size_t count, size_t text_bytes)
{
    // The first byte of the texts is the empty one, which many objects share as their name.
    if (count >= UINT32_MAX || text_bytes >= UINT32_MAX) return SC_ELIMIT;
    const size_t block = count * (sizeof(sc_object) + sizeof(uint32_t)) + text_bytes + 1;
    table->objects = sc_malloc(block);
    if (!table->objects) return SC_ENOMEM;
    table->keys = (uint32_t *)(void *)(table->objects + count);
    table->strings = (char *)(table->keys + count);
    table->strings[0] = '\0';
    table->strings_used = 1;
    table->count = (uint32_t)count;
    return SC_OK;
}

uint32_t sc__reply_table_text(sc__reply_table *table, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (size == 1) return 0;
    const size_t at = table->strings_used;
    memcpy(table->strings + at, text, size);
    table->strings_used += size;
    return (uint32_t)at;
}

void sc__reply_table_give(sc__reply_table *table, sc_reply *reply)
{
    reply->memory->owned = table->objects;
    reply->table = (sc_object_table){.objects = table->objects,
                                     .count = table->count,
                                     .strings = table->strings,
                                     .strings_size = table->strings_used,
                                     .keys = table->keys};
    *table = (sc__reply_table){0};
}
