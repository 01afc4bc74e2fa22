// Checking a reply, the last step before an answer.
//
//   1. Every list by itself: it has the shape of a reply, names objects that exist, were asked
//      for and lie where they may, each once, nearest first, and no more of them than allowed.
//   2. The lists against the roads, against each other, and against how many objects there are:
//      reply_agreement.c.
//
// The decoders check a part of the first, and refuse tables in which two objects have the same key;
// but a reply may also come from a provider in the same process.
#include "answer/answer_internal.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <xxhash.h>

// === A table of numbers =========================================================================

static uint64_t hash_of(const sc_number_table *table, uint32_t number)
{
    return XXH3_64bits_withSeed(&number, sizeof number, (uintptr_t)table->slots);
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_number_table
#define SC_TABLE_SLOT sc_number_slot
#define SC_TABLE_KEY uint32_t
#define SC_TABLE_IS_FREE(table, slot) ((slot)->round != (table)->round)
#define SC_TABLE_HAS(table, slot, wanted) ((slot)->number == (wanted))
#define SC_TABLE_HASH(table, wanted) hash_of(table, wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(table, (slot)->number)
#include "base/table_template.h"

void sc__number_table_fini(sc_number_table *table)
{
    table_fini(table);
}

bool sc__number_table_begin(sc_number_table *table, size_t count)
{
    table->count = 0;
    if (++table->round == 0) {
        // After 2^32 rounds, slots of old rounds would look like new ones.
        if (table->slots) memset(table->slots, 0, table->capacity * sizeof *table->slots);
        table->round = 1;
    }
    return table_reserve(table, count);
}

uint32_t sc__number_table_put(sc_number_table *table, uint32_t number, uint32_t place)
{
    sc_number_slot *slot = table_slot_of(table, number);
    if (slot->round != table->round) {
        *slot = (sc_number_slot){number, place, table->round};
        table->count++;
    }
    return slot->place;
}

// === Refusing ===================================================================================

sc_err sc__reply_refuse(const sc_filter *filter, sc_diag *diag, sc_reply_entry at,
                        const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (at.border == SC_NONE) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, on the segments: object %" PRIu32 " %s", at.request + 1,
                       at.object, what);
    }
    return sc_fail(diag, SC_EREPLY,
                   "reply: request %zu, border node %" PRIu32 ": object %" PRIu32 " %s",
                   at.request + 1, filter->relay->border_nodes[at.border], at.object, what);
}

// --- The reply as a whole ----------------------------------------------------

// Whether the starts of lists begin with 0, do not descend, and end within what there is.
static bool are_starts(const uint32_t *starts, size_t capacity, size_t list_count, size_t entries)
{
    if (list_count >= capacity || starts[0] != 0) return false;
    for (size_t i = 0; i < list_count; i++) {
        if (starts[i + 1] < starts[i]) return false;
    }
    return starts[list_count] <= entries;
}

static sc_err check_shape(const sc_filter *f, sc_diag *diag)
{
    const sc_relay *relay = f->relay;
    const sc_reply *reply = f->reply;
    if (reply->map_checksum != relay->map_checksum) {
        return sc_fail(diag, SC_EMISMATCH,
                       "reply: it is for another map; give both sides the same map file");
    }
    if (reply->request_count != relay->request_count) {
        return sc_fail(diag, SC_EREPLY, "reply: it answers %zu requests, but %zu were made",
                       reply->request_count, relay->request_count);
    }
    if (reply->border_node_count != relay->border_node_count) {
        return sc_fail(diag, SC_EREPLY, "reply: it answers for %zu border nodes, but there are %zu",
                       reply->border_node_count, relay->border_node_count);
    }
    const size_t list_count = relay->request_count * relay->border_node_count;
    const struct sc_reply_memory *memory = reply->memory;
    if (!memory ||
        !are_starts(reply->run_start, memory->run_start_capacity, relay->request_count,
                    memory->run_capacity) ||
        !are_starts(reply->near_start, memory->near_start_capacity, list_count,
                    memory->near_capacity)) {
        return sc_fail(diag, SC_EREPLY, "reply: its lists overlap or extend beyond its end");
    }
    return SC_OK;
}

// What the numbers of the reply stand for: the provider's own objects, or those of the map, which
// which are looked up there and not in the reply.
static sc_err choose_objects(sc_filter *f, sc_diag *diag)
{
    const sc_object_table *table = &f->reply->table;
    if (table->keys) {
        f->objects = table->objects;
        f->object_count = table->count;
        // Then no text that begins inside can end outside.
        if (table->strings_size > 0 && table->strings[table->strings_size - 1] == '\0')
            return SC_OK;
        if (table->count == 0) return SC_OK;
        return sc_fail(diag, SC_EREPLY, "reply: its strings do not end with a zero byte");
    }
    f->objects = sc_map_objects(f->map);
    f->object_count = sc_map_object_count(f->map);
    if (table->count == f->object_count) return SC_OK;
    return sc_fail(diag, SC_EREPLY,
                   "reply: it counts %" PRIu32 " objects of the map, but the map has %" PRIu32,
                   table->count, f->object_count);
}

// --- One object --------------------------------------------------------------

static bool is_wanted(const sc_request *request, sc_category_id category)
{
    if (request->category_count == 0) return category != SC_NONE;
    for (uint32_t i = 0; i < request->category_count; i++) {
        if (request->categories[i] == category) return true;
    }
    return false;
}

// What is wrong with an object, wherever it is named; NULL: nothing.
static const char *flaw_of(const sc_filter *f, const sc_request *request, uint32_t number)
{
    if (number >= f->object_count) return "is not in the table of objects";
    const sc_object *object = &f->objects[number];
    if (object->edge >= sc_map_edge_count(f->map)) return "lies on no edge of the map";
    if (object->offset > sc_map_edges(f->map)[object->edge].length) {
        return "lies beyond the end of its edge";
    }
    if (!is_wanted(request, object->category)) return "is of a category that was not asked for";
    const sc_object_table *table = &f->reply->table;
    if (!table->keys) return NULL;
    if (object->name >= table->strings_size || table->keys[number] >= table->strings_size) {
        return "has a text outside of the reply's strings";
    }
    return NULL;
}

// Number an object among the candidates of its request. `*flaw` is set if it cannot be one.
static inline sc_err admit(sc_filter *f, size_t r, uint32_t number, uint32_t *place,
                           const char **flaw)
{
    sc_request_candidates *taken = &f->taken[r];
    *flaw = NULL;
    *place = sc__number_table_put(&f->numbers, number, taken->candidate_count);
    if (*place < taken->candidate_count) return SC_OK;

    *flaw = flaw_of(f, &f->relay->requests[r], number);
    if (*flaw) return SC_OK;
    if (!sc_grow(&f->candidates, f->candidate_count, &f->candidate_capacity,
                 sizeof *f->candidates)) {
        return SC_ENOMEM;
    }
    const sc_object *object = &f->objects[number];
    sc_candidate *candidate = &f->candidates[f->candidate_count++];
    taken->candidate_count++;
    *candidate = (sc_candidate){.object = number, .approach = SC_NONE};
    candidate->segment =
        sc__inside_locate(&f->inside, object->edge, object->offset, &candidate->spot);
    return SC_OK;
}

// --- Objects on the segments -------------------------------------------------

// Candidates on the same segment that follow each other are one strip.
static bool add_to_strip(sc_filter *f, sc_request_candidates *taken, uint32_t candidate,
                         uint32_t segment)
{
    if (taken->strip_count > 0) {
        sc_strip *last = &f->strips[f->strip_count - 1];
        if (last->segment == segment) {
            last->count++;
            return true;
        }
    }
    if (!sc_grow(&f->strips, f->strip_count, &f->strip_capacity, sizeof *f->strips)) return false;
    f->strips[f->strip_count++] = (sc_strip){segment, candidate, 1};
    taken->strip_count++;
    return true;
}

static sc_err take_on_segments(sc_filter *f, size_t r, uint32_t number, sc_diag *diag)
{
    sc_request_candidates *taken = &f->taken[r];
    const uint32_t before = taken->candidate_count;
    uint32_t place = 0;
    const char *flaw = NULL;
    const sc_err err = admit(f, r, number, &place, &flaw);
    if (err) return err;
    if (!flaw && taken->candidate_count == before) flaw = "is listed twice";
    if (!flaw && sc__filter_candidates_of(f, r)[place].segment == SC_NONE)
        flaw = "does not lie on the segments";
    if (flaw) return sc__reply_refuse(f, diag, (sc_reply_entry){r, SC_NONE, number}, "%s", flaw);
    const uint32_t segment = sc__filter_candidates_of(f, r)[place].segment;
    return add_to_strip(f, taken, place, segment) ? SC_OK : SC_ENOMEM;
}

// How many objects of the map on the segments a request asks for.
static size_t count_wanted(const sc_filter *f, const sc_request *request)
{
    const sc_object *objects = sc_map_objects(f->map);
    size_t count = 0;
    for (size_t i = 0; i < f->relay->segment_count; i++) {
        sc_object_id first = 0;
        sc_object_id last = 0;
        sc_map_segment_objects(f->map, f->relay->segments[i], &first, &last);
        for (sc_object_id j = first; j < last; j++) {
            count += is_wanted(request, objects[j].category);
        }
    }
    return count;
}

static sc_err take_runs(sc_filter *f, size_t r, sc_diag *diag)
{
    const sc_reply *reply = f->reply;
    for (size_t i = reply->run_start[r]; i < reply->run_start[r + 1]; i++) {
        const sc_object_run run = reply->runs[i];
        if (run.count > f->object_count || run.first > f->object_count - run.count) {
            return sc__reply_refuse(f, diag, (sc_reply_entry){r, SC_NONE, run.first},
                                    "begins a run that extends beyond the table");
        }
        for (uint32_t j = 0; j < run.count; j++) {
            const sc_err err = take_on_segments(f, r, run.first + j, diag);
            if (err) return err;
        }
    }
    // The map's own objects are known here too: all that were given are on the segments, wanted
    // and different, so there must be as many of them.
    const size_t count = f->taken[r].candidate_count;
    if (!reply->table.keys && count != count_wanted(f, &f->relay->requests[r])) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, on the segments: %zu objects are listed, but the map "
                       "has %zu there",
                       r + 1, count, count_wanted(f, &f->relay->requests[r]));
    }
    return SC_OK;
}

// --- The answers of border nodes ---------------------------------------------

// What is wrong with what a way costs in a metric; NULL: nothing.
static const char *flaw_of_cost(const sc_filter *f, sc_metric metric, double cost)
{
    const double total = f->bounds[metric].total;
    if (cost <= total + sc__filter_tolerance(f, metric, total)) return NULL;
    return metric == SC_METRIC_TIME ? "takes longer than driving all roads together"
                                    : "is farther away than the length of all roads together";
}

// What is wrong with the way to an object, given what that to the one before it costs; NULL:
// nothing.
static const char *flaw_of_way(const sc_filter *f, const sc_request_candidates *taken,
                               sc_reach reach, double before)
{
    const sc_metric metric = taken->metric;
    if (reach.cost < before) return "is nearer than the one before it";
    if (reach.cost > taken->radius + sc__filter_tolerance(f, metric, taken->radius))
        return "is beyond the radius";
    const char *flaw = flaw_of_cost(f, metric, reach.cost);
    return flaw ? flaw : flaw_of_cost(f, sc__other_metric(metric), reach.other);
}

// Written so that NaN is refused: no comparison with it is true.
static bool is_amount(double amount)
{
    return amount >= 0.0 && amount < HUGE_VAL;
}

// Put a candidate on a list, counted from 1; what is wrong with that, or NULL.
static const char *put_on_list(const sc_filter *f, sc_candidate *candidate, size_t list,
                               bool is_on_segments)
{
    if (candidate->listed == list) return "is listed twice";
    candidate->listed = list;
    if (candidate->segment != SC_NONE && !is_on_segments) {
        if (f->options.slack == 0.0) return "lies on the segments but is not listed there";
        // A provider with another map may see it beside the cloak. Then that is where it is.
        candidate->segment = SC_NONE;
    }
    return NULL;
}

static sc_err take_list(sc_filter *f, size_t r, uint32_t b, uint32_t on_segments, sc_diag *diag)
{
    const sc_request_candidates *taken = &f->taken[r];
    const size_t list = sc__filter_list_of(f, r, b);
    const size_t first = f->reply->near_start[list];
    const size_t end = f->reply->near_start[list + 1];
    if (end - first > taken->k) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, border node %" PRIu32
                       ": %zu objects are listed, but %" PRIu32 " were asked for",
                       r + 1, f->relay->border_nodes[b], end - first, taken->k);
    }
    double before = 0.0;
    for (size_t i = first; i < end; i++) {
        const sc_near near = f->reply->nears[i];
        const sc_metric other = sc__other_metric(taken->metric);
        const sc_reach reach = {
            sc__filter_in_units(f, taken->metric, sc_near_cost(&near, taken->metric)),
            sc__filter_in_units(f, other, sc_near_cost(&near, other))};
        uint32_t place = 0;
        const char *flaw = NULL;
        const sc_err err = admit(f, r, near.object, &place, &flaw);
        if (err) return err;
        if (!flaw) {
            sc_candidate *candidate = &sc__filter_candidates_of(f, r)[place];
            flaw = put_on_list(f, candidate, list + 1, place < on_segments);
        }
        if (!flaw && !is_amount(near.distance_m)) {
            flaw = "has a distance that is negative or not a number";
        }
        if (!flaw && !is_amount(near.duration_s)) {
            flaw = "has a duration that is negative or not a number";
        }
        if (!flaw) flaw = flaw_of_way(f, taken, reach, before);
        if (flaw) return sc__reply_refuse(f, diag, (sc_reply_entry){r, b, near.object}, "%s", flaw);
        f->claims[i] = (sc_border_claim){reach, place};
        before = reach.cost;
    }
    return SC_OK;
}

// --- All of it ---------------------------------------------------------------

// What is on the very rim of a range is within, whatever rounding makes of its last digits.
static double rim_of(double radius)
{
    return radius * (1.0 + 1e-12) + 1e-6;
}

static sc_err take_request(sc_filter *f, size_t r, sc_diag *diag)
{
    const sc_request *request = &f->relay->requests[r];
    const bool is_knn = request->type == SC_REQUEST_KNN;
    const double radius = request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m;
    f->taken[r] = (sc_request_candidates){
        .first_candidate = f->candidate_count,
        .first_strip = f->strip_count,
        .metric = request->metric,
        .k = is_knn ? request->k : UINT32_MAX,
        .radius = is_knn ? HUGE_VAL : rim_of(sc__filter_in_units(f, request->metric, radius)),
    };
    const size_t sent = sc_reply_candidate_count(f->reply, r);
    if (sent > f->options.max_candidates) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu: it has %zu candidates, but %zu are allowed", r + 1,
                       sent, f->options.max_candidates);
    }
    if (!sc__number_table_begin(&f->numbers, sent)) return SC_ENOMEM;

    sc_err err = take_runs(f, r, diag);
    const uint32_t on_segments = f->taken[r].candidate_count;
    for (uint32_t b = 0; b < f->relay->border_node_count && !err; b++) {
        err = take_list(f, r, b, on_segments, diag);
    }
    return err;
}

sc_err sc__reply_check_lists(sc_filter *filter, sc_diag *diag)
{
    sc_filter *f = filter;
    sc_err err = check_shape(f, diag);
    if (!err) err = choose_objects(f, diag);
    if (err) return err;
    const size_t requests = f->relay->request_count;
    const size_t claims = f->reply->near_start[requests * f->relay->border_node_count];
    f->candidate_count = 0;
    f->strip_count = 0;
    // Room for one of each at least, so that no array is NULL where there is nothing to take in.
    const bool has_room =
        sc_reserve(&f->taken, requests, &f->taken_capacity, sizeof *f->taken) &&
        sc_reserve(&f->claims, claims + 1, &f->claim_capacity, sizeof *f->claims) &&
        sc_grow(&f->candidates, 0, &f->candidate_capacity, sizeof *f->candidates) &&
        sc_grow(&f->strips, 0, &f->strip_capacity, sizeof *f->strips);
    err = has_room ? SC_OK : SC_ENOMEM;
    for (size_t r = 0; r < requests && !err; r++) {
        err = take_request(f, r, diag);
    }
    return err == SC_ENOMEM ? sc_fail_memory(diag, "checking a reply") : err;
}
