// Taking in a reply: every list by itself. What is accepted here has the shape of a reply, names
// objects that exist, were asked for and stand where they may, each once, nearest first, and no
// more of them than allowed. Whether it is true is for believe.c.
//
// The decoders have looked at much of this, and have refused tables in which two objects have the
// same key; but a reply may also come from a provider in the same process, and this is the last
// door before an answer.
#include "answer/answer_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "relay/relay_build.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

sc_err sc__refuse(const sc_filter *filter, sc_diag *diag, size_t request, uint32_t border,
                  uint32_t object, const char *format, ...)
{
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (border == SC_NONE) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, on the segments: object %" PRIu32 " %s", request + 1,
                       object, what);
    }
    return sc_fail(diag, SC_EREPLY,
                   "reply: request %zu, border node %" PRIu32 ": object %" PRIu32 " %s",
                   request + 1, filter->relay->border_nodes[border], object, what);
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
                       "reply: it is for another map; both sides must have the same");
    }
    if (reply->request_count != relay->request_count) {
        return sc_fail(diag, SC_EREPLY, "reply: it answers %zu requests, %zu were made",
                       reply->request_count, relay->request_count);
    }
    if (reply->border_node_count != relay->border_node_count) {
        return sc_fail(diag, SC_EREPLY, "reply: it answers for %zu border nodes, there are %zu",
                       reply->border_node_count, relay->border_node_count);
    }
    const size_t list_count = relay->request_count * relay->border_node_count;
    const struct sc_reply_memory *memory = reply->memory;
    if (!memory ||
        !are_starts(reply->run_start, memory->run_start_capacity, relay->request_count,
                    memory->run_capacity) ||
        !are_starts(reply->near_start, memory->near_start_capacity, list_count,
                    memory->near_capacity)) {
        return sc_fail(diag, SC_EREPLY, "reply: its lists overlap or lead outside of it");
    }
    return SC_OK;
}

// What the numbers of the reply stand for: the provider's own objects, or those of the map, which
// we look up there and not in what we are told.
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
        return sc_fail(diag, SC_EREPLY, "reply: its texts have no end");
    }
    f->objects = sc_map_objects(f->map);
    f->object_count = sc_map_object_count(f->map);
    if (table->count == f->object_count) return SC_OK;
    return sc_fail(diag, SC_EREPLY,
                   "reply: it numbers %" PRIu32 " objects of the map, which has %" PRIu32,
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
        return "has a text that is not there";
    }
    return NULL;
}

// Number an object among the candidates of its request. `*flaw` is set if it cannot be one.
static sc_err admit(sc_filter *f, size_t r, uint32_t number, uint32_t *place, const char **flaw)
{
    sc_taken *taken = &f->taken[r];
    *flaw = NULL;
    *place = sc__roll_call(&f->numbers, number, taken->candidate_count);
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
static bool add_to_strip(sc_filter *f, sc_taken *taken, uint32_t candidate, uint32_t segment)
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
    sc_taken *taken = &f->taken[r];
    const uint32_t before = taken->candidate_count;
    uint32_t place = 0;
    const char *flaw = NULL;
    const sc_err err = admit(f, r, number, &place, &flaw);
    if (err) return err;
    if (!flaw && taken->candidate_count == before) flaw = "stands twice in the list";
    if (!flaw && sc__candidates_of(f, r)[place].segment == SC_NONE) flaw = "lies elsewhere";
    if (flaw) return sc__refuse(f, diag, r, SC_NONE, number, "%s", flaw);
    const uint32_t segment = sc__candidates_of(f, r)[place].segment;
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
            return sc__refuse(f, diag, r, SC_NONE, run.first,
                              "begins a run that leads outside of the table");
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
        return sc_fail(
            diag, SC_EREPLY,
            "reply: request %zu, on the segments: %zu objects are listed, the map has %zu there",
            r + 1, count, count_wanted(f, &f->relay->requests[r]));
    }
    return SC_OK;
}

// --- The answers of border nodes ---------------------------------------------

// What is wrong with a distance, given the one before it; NULL: nothing.
static const char *flaw_of_distance(const sc_filter *f, const sc_taken *taken, double distance,
                                    double before)
{
    if (distance < before) return "is nearer than the one before it";
    if (distance > taken->radius + sc__tolerance(f, taken->radius)) return "is beyond the radius";
    if (distance > f->ground.total + sc__tolerance(f, f->ground.total)) {
        return "is farther than all roads together are long";
    }
    return NULL;
}

// Put a candidate on a list, counted from 1; what is wrong with that, or NULL.
static const char *put_on_list(const sc_filter *f, sc_candidate *candidate, size_t list,
                               bool is_on_segments)
{
    if (candidate->listed == list) return "stands twice in the list";
    candidate->listed = list;
    if (candidate->segment != SC_NONE && !is_on_segments) {
        if (f->options.slack == 0.0) return "lies on the segments, and is not listed there";
        // A provider with another map may see it beside the cloak. Then that is where it is.
        candidate->segment = SC_NONE;
    }
    return NULL;
}

static sc_err take_list(sc_filter *f, size_t r, uint32_t b, uint32_t on_segments, sc_diag *diag)
{
    const sc_taken *taken = &f->taken[r];
    const size_t list = sc__list_of(f, r, b);
    const size_t first = f->reply->near_start[list];
    const size_t end = f->reply->near_start[list + 1];
    if (end - first > taken->k) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu, border node %" PRIu32
                       ": %zu objects are listed, %" PRIu32 " were asked for",
                       r + 1, f->relay->border_nodes[b], end - first, taken->k);
    }
    double before = 0.0;
    for (size_t i = first; i < end; i++) {
        const sc_near near = f->reply->nears[i];
        const double distance = sc__in_units(f, near.distance_m);
        uint32_t place = 0;
        const char *flaw = NULL;
        const sc_err err = admit(f, r, near.object, &place, &flaw);
        if (err) return err;
        if (!flaw) {
            sc_candidate *candidate = &sc__candidates_of(f, r)[place];
            flaw = put_on_list(f, candidate, list + 1, place < on_segments);
        }
        // Written so that NaN is refused: no comparison with it is true.
        if (!flaw && !(near.distance_m >= 0.0 && near.distance_m < HUGE_VAL)) {
            flaw = "has a distance that is negative or no number";
        }
        if (!flaw) flaw = flaw_of_distance(f, taken, distance, before);
        if (flaw) return sc__refuse(f, diag, r, b, near.object, "%s", flaw);
        f->claims[i] = (sc_claim){distance, place};
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
    f->taken[r] = (sc_taken){
        .first_candidate = f->candidate_count,
        .first_strip = f->strip_count,
        .k = is_knn ? request->k : UINT32_MAX,
        .radius = is_knn ? HUGE_VAL : rim_of(sc__in_units(f, request->radius_m)),
    };
    const size_t sent = sc_reply_candidate_count(f->reply, r);
    if (sent > f->options.max_candidates) {
        return sc_fail(diag, SC_EREPLY,
                       "reply: request %zu: it has %zu candidates, %zu are allowed", r + 1, sent,
                       f->options.max_candidates);
    }
    if (!sc__roll_begin(&f->numbers, sent)) return SC_ENOMEM;

    sc_err err = take_runs(f, r, diag);
    const uint32_t on_segments = f->taken[r].candidate_count;
    for (uint32_t b = 0; b < f->relay->border_node_count && !err; b++) {
        err = take_list(f, r, b, on_segments, diag);
    }
    return err;
}

sc_err sc__take_in(sc_filter *filter, sc_diag *diag)
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
    return err == SC_ENOMEM ? sc_fail_memory(diag, "taking in a reply") : err;
}
