// Checking a reply, the last door before an answer.
//
//   1. Every list by itself: it has the shape of a reply, names objects that exist, were asked
//      for and lie where they may, each once, nearest first, and no more of them than allowed.
//   2. The lists against the roads, against each other, and against how many objects there are.
//
// The decoders check a part of the first, and refuse tables in which two objects have the same key;
// but a reply may also come from a provider in the same process.
//
// What the second part knows is the map, and that one provider answered for places that are
// connected by known roads:
//
//   a. No object is nearer to a border node than the straight line allows (reply_bounds.h).
//   b. A known way is an upper bound. If there is a way of length w from border node b to object o,
//      then o is in b's list, at no more than w, unless the list is full of nearer ones or w is
//      beyond the radius. Ways are known
//        - through the cloak, to objects on its segments;
//        - along its own segment, to an object on a road that ends at b;
//        - through the cloak to another border node, and on from there by that one's list.
//   c. If the objects are the map's own, it is known how many of them can be reached, and so how
//      long a list of nearest ones is.
//
// The last of the known ways is the triangle inequality in both directions, since every pair of
// border nodes is checked from both ends. An honest reply always passes: its distances are those of
// shortest ways. docs/trust.md has what cannot be detected.
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

/** Where a reply names an object. */
typedef struct entry {
    size_t request;
    uint32_t border;  ///< the place of the border node in the relay; SC_NONE: on the segments
    uint32_t object;
} entry;

// Refuse the reply because of an object in a list: "reply: request 1, border node 17: object 5 is
// listed twice". Requests are counted from 1, border nodes and objects called by their numbers;
// `format` is the end of the sentence.
SC_PRINTF(4, 5)
static sc_err refuse(const sc_filter *filter, sc_diag *diag, entry at, const char *format, ...)
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
        sc__inside_locate(&f->inside, object->edge, object->offset, &candidate->along);
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
    if (flaw) return refuse(f, diag, (entry){r, SC_NONE, number}, "%s", flaw);
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
            return refuse(f, diag, (entry){r, SC_NONE, run.first},
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

// What is wrong with a distance, given the one before it; NULL: nothing.
static const char *flaw_of_distance(const sc_filter *f, const sc_request_candidates *taken,
                                    double distance, double before)
{
    if (distance < before) return "is nearer than the one before it";
    if (distance > taken->radius + sc__filter_tolerance(f, taken->radius))
        return "is beyond the radius";
    if (distance > f->bounds.total + sc__filter_tolerance(f, f->bounds.total)) {
        return "is farther away than the length of all roads together";
    }
    return NULL;
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
        const double distance = sc__filter_in_units(f, near.distance_m);
        uint32_t place = 0;
        const char *flaw = NULL;
        const sc_err err = admit(f, r, near.object, &place, &flaw);
        if (err) return err;
        if (!flaw) {
            sc_candidate *candidate = &sc__filter_candidates_of(f, r)[place];
            flaw = put_on_list(f, candidate, list + 1, place < on_segments);
        }
        // Written so that NaN is refused: no comparison with it is true.
        if (!flaw && !(near.distance_m >= 0.0 && near.distance_m < HUGE_VAL)) {
            flaw = "has a distance that is negative or not a number";
        }
        if (!flaw) flaw = flaw_of_distance(f, taken, distance, before);
        if (flaw) return refuse(f, diag, (entry){r, b, near.object}, "%s", flaw);
        f->claims[i] = (sc_border_claim){distance, place};
        before = distance;
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
    f->taken[r] = (sc_request_candidates){
        .first_candidate = f->candidate_count,
        .first_strip = f->strip_count,
        .k = is_knn ? request->k : UINT32_MAX,
        .radius = is_knn ? HUGE_VAL : rim_of(sc__filter_in_units(f, request->radius_m)),
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

static sc_err check_lists(sc_filter *filter, sc_diag *diag)
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

// === Lists against the roads and each other =====================================================

/** The list of one border node for one request. */
typedef struct list {
    size_t request;
    uint32_t border;
    const sc_border_claim *claims;
    size_t count;
    sc_candidate *candidates;  ///< of the request
    size_t stamp;              ///< candidates that bear it are in the list
    double reach;              ///< what is nearer than this must be in the list
} list;

static const sc_border_claim *claims_of(const sc_filter *f, size_t request, size_t border,
                                        size_t *count)
{
    const uint32_t *starts = f->reply->near_start + sc__filter_list_of(f, request, border);
    *count = starts[1] - starts[0];
    // A reply without any near objects has no room for them either.
    return *count > 0 ? f->claims + starts[0] : NULL;
}

// What is nearer than this must be in a border node's list: one with room to spare holds all.
static double reach_of(const sc_filter *f, size_t request, size_t border)
{
    size_t count = 0;
    const sc_border_claim *claims = claims_of(f, request, border, &count);
    const sc_request_candidates *taken = &f->taken[request];
    return count > 0 && count == taken->k ? claims[count - 1].distance : taken->radius;
}

// Look a list up and stamp what is in it.
static list open_list(sc_filter *f, size_t request, uint32_t border)
{
    const size_t all_lists = f->relay->request_count * f->relay->border_node_count;
    list l = {
        .request = request,
        .border = border,
        .candidates = sc__filter_candidates_of(f, request),
        // Those below were used while taking in.
        .stamp = all_lists + sc__filter_list_of(f, request, border) + 1,
        .reach = reach_of(f, request, border),
    };
    l.claims = claims_of(f, request, border, &l.count);
    for (size_t i = 0; i < l.count; i++) {
        sc_candidate *candidate = &l.candidates[l.claims[i].candidate];
        candidate->listed = l.stamp;
        candidate->distance = l.claims[i].distance;
    }
    return l;
}

// Whether something that a known way of length `way` leads to must be in the list.
static bool must_hold(const sc_filter *f, const list *l, double way)
{
    return way + sc__filter_tolerance(f, way) < l->reach;
}

// Whether an object agrees with a known way to it.
static bool agrees(const sc_filter *f, const list *l, const sc_candidate *candidate, double way)
{
    if (candidate->listed != l->stamp) return !must_hold(f, l, way);
    return candidate->distance <= way + sc__filter_tolerance(f, way);
}

// --- The list and the map ----------------------------------------------------

// How an object can be approached; found when it is first asked for. NULL when memory is out.
static const sc_approach *approach_of(sc_filter *f, sc_candidate *candidate)
{
    if (candidate->approach == SC_NONE) {
        if (!sc_grow(&f->approaches, f->approach_count, &f->approach_capacity,
                     sizeof *f->approaches)) {
            return NULL;
        }
        const sc_object *object = &f->objects[candidate->object];
        // The roads of a provider with another map may lead there in other ways.
        f->approaches[f->approach_count] =
            f->options.slack == 0.0
                ? sc__approach_by_road(f->map, object->edge, object->offset)
                : sc__approach_by_position(f->map, object->edge, object->offset);
        candidate->approach = (uint32_t)f->approach_count++;
    }
    return &f->approaches[candidate->approach];
}

// A way from the border node of star `star`, where the last search began, that the map alone
// proves.
static double known_way(const sc_filter *f, const sc_candidate *candidate,
                        const sc_approach *approach, sc_star_id star)
{
    if (candidate->segment != SC_NONE) {
        return sc__inside_reach(&f->inside, candidate->segment, candidate->along);
    }
    double way = HUGE_VAL;
    for (int side = 0; side < 2; side++) {
        if (approach->star[side] == star) way = fmin(way, approach->way[side]);
    }
    return way;
}

static sc_err check_with_map(sc_filter *f, const list *l, sc_space_point spot, sc_diag *diag)
{
    const sc_star_id star = f->inside.stars[f->inside.border_vertex[l->border]];
    for (size_t i = 0; i < l->count; i++) {
        sc_candidate *candidate = &l->candidates[l->claims[i].candidate];
        const sc_approach *approach = approach_of(f, candidate);
        if (!approach) return SC_ENOMEM;
        const double distance = l->claims[i].distance;
        const double at_most = distance + sc__filter_tolerance(f, distance);
        if (!sc__approach_allows(&f->bounds, approach, spot, at_most)) {
            return refuse(f, diag, (entry){l->request, l->border, candidate->object},
                          "is nearer than the roads allow");
        }
        if (!agrees(f, l, candidate, known_way(f, candidate, approach, star))) {
            return refuse(f, diag, (entry){l->request, l->border, candidate->object},
                          "is farther than a known route to it");
        }
    }
    return SC_OK;
}

static sc_err check_on_segments(const sc_filter *f, const list *l, sc_diag *diag)
{
    const sc_request_candidates *taken = &f->taken[l->request];
    const sc_strip *strips = f->strips + taken->first_strip;
    for (size_t i = 0; i < taken->strip_count; i++) {
        const sc_strip *strip = &strips[i];
        // The ends of a segment are nearer than what is on it.
        const double length = f->inside.segments[strip->segment].length;
        const double nearest = fmin(sc__inside_reach(&f->inside, strip->segment, 0.0),
                                    sc__inside_reach(&f->inside, strip->segment, length));
        if (!must_hold(f, l, nearest)) continue;
        for (uint32_t j = strip->first; j < strip->first + strip->count; j++) {
            const sc_candidate *candidate = &l->candidates[j];
            const double way = sc__inside_reach(&f->inside, strip->segment, candidate->along);
            if (agrees(f, l, candidate, way)) continue;
            return refuse(f, diag, (entry){l->request, l->border, candidate->object},
                          "is missing, though it is near on the segments");
        }
    }
    return SC_OK;
}

// --- The list and the other lists --------------------------------------------

static sc_err check_with_others(const sc_filter *f, const list *l, sc_diag *diag)
{
    for (size_t i = 0; i < f->inside.met_count; i++) {
        const sc_inside_met *met = &f->inside.met[i];
        size_t count = 0;
        const sc_border_claim *claims = claims_of(f, l->request, met->border, &count);
        for (size_t j = 0; j < count; j++) {
            const double way = met->distance + claims[j].distance;
            // Nearest first: what follows is out of reach too.
            if (!must_hold(f, l, way)) break;
            const sc_candidate *candidate = &l->candidates[claims[j].candidate];
            if (agrees(f, l, candidate, way)) continue;
            return refuse(f, diag, (entry){l->request, l->border, candidate->object},
                          "is %s, though border node %" PRIu32 " is near and lists it",
                          candidate->listed == l->stamp ? "too far" : "missing",
                          f->relay->border_nodes[met->border]);
        }
    }
    return SC_OK;
}

// --- The list and what there is ----------------------------------------------

// The last check of a list: those above can name the object that is wrong, this one cannot.
static sc_err check_length(const sc_filter *f, const list *l, sc_diag *diag)
{
    const sc_request *request = &f->relay->requests[l->request];
    // On a map of the provider's own, roads may lead to other places.
    const bool is_known = !f->reply->table.keys && f->options.slack == 0.0;
    if (!is_known || request->type != SC_REQUEST_KNN) return SC_OK;
    const sc_star_id star = f->inside.stars[f->inside.border_vertex[l->border]];
    const uint64_t there = sc__object_counts_reachable(&f->counts, star, request);
    if (l->count == (there < request->k ? there : request->k)) return SC_OK;
    return sc_fail(diag, SC_EREPLY,
                   "reply: request %zu, border node %" PRIu32
                   ": %zu objects are listed, but %" PRIu64 " can be reached",
                   l->request + 1, f->relay->border_nodes[l->border], l->count, there);
}

// --- All of it ---------------------------------------------------------------

// Find the ways through the cloak from a border node, as far as they can matter to its lists.
static void search_from(sc_filter *f, uint32_t border)
{
    double limit = 0.0;
    for (size_t r = 0; r < f->relay->request_count; r++) {
        limit = fmax(limit, reach_of(f, r, border));
    }
    sc__inside_search_border(&f->inside, border, limit);
}

static sc_err check_agreement(sc_filter *filter, sc_diag *diag)
{
    sc_filter *f = filter;
    sc_err err = SC_OK;
    f->approach_count = 0;
    for (uint32_t b = 0; b < f->relay->border_node_count && !err; b++) {
        const sc_space_point spot = sc__space_point_of(f->map, f->relay->border_nodes[b]);
        search_from(f, b);
        for (size_t r = 0; r < f->relay->request_count && !err; r++) {
            const list l = open_list(f, r, b);
            err = check_with_map(f, &l, spot, diag);
            if (!err) err = check_on_segments(f, &l, diag);
            if (!err) err = check_with_others(f, &l, diag);
            if (!err) err = check_length(f, &l, diag);
        }
    }
    return err == SC_ENOMEM ? sc_fail_memory(diag, "checking a reply") : err;
}

sc_err sc__reply_check(sc_filter *filter, sc_diag *diag)
{
    const sc_err err = check_lists(filter, diag);
    return err ? err : check_agreement(filter, diag);
}
