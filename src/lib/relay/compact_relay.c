// Relays in the compact encoding: ids as differences, categories as words. See relay.proto.
#include "relay/compact_internal.h"
#include "relay/relay_build.h"

#include "base/alloc.h"
#include "base/diag.h"

// --- Writing ------------------------------------------------------------------

/** A message and the memory behind it. */
typedef struct draft {
    Starcloak__Relay relay;
    uint32_t *steps;  ///< of segments, then of border nodes
    Starcloak__Request *requests;
    Starcloak__Request **request_list;
    char **words;  ///< categories of all requests, one behind the other
} draft;

static void draft_fini(draft *d)
{
    sc_free(d->steps);
    sc_free(d->requests);
    sc_free(d->request_list);
    sc_free(d->words);
}

static bool draft_init(draft *d, const sc_relay *relay)
{
    size_t word_count = 0;
    for (size_t i = 0; i < relay->request_count; i++) {
        word_count += relay->requests[i].category_count;
    }
    *d = (draft){.relay = STARCLOAK__RELAY__INIT};
    d->steps = sc_malloc_array(relay->segment_count + relay->border_node_count, sizeof *d->steps);
    d->requests = sc_malloc_array(relay->request_count, sizeof *d->requests);
    d->request_list = sc_malloc_array(relay->request_count, sizeof(Starcloak__Request *));
    d->words = sc_malloc_array(word_count, sizeof(char *));
    return d->steps && d->requests && d->request_list && d->words;
}

static void to_steps(const uint32_t *ids, size_t count, uint32_t *steps)
{
    for (size_t i = 0; i < count; i++) {
        steps[i] = i > 0 ? ids[i] - ids[i - 1] : ids[i];
    }
}

static void fill_requests(draft *d, const sc_vocabulary *vocabulary, const sc_relay *relay)
{
    char **word = d->words;
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_request *request = &relay->requests[i];
        Starcloak__Request *to = &d->requests[i];
        *to = (Starcloak__Request)STARCLOAK__REQUEST__INIT;
        if (request->type == SC_REQUEST_KNN) {
            to->wanted_case = STARCLOAK__REQUEST__WANTED_K;
            to->k = request->k;
        } else {
            to->wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_M;
            to->radius_m = request->radius_m;
        }
        to->categories = word;
        to->n_categories = request->category_count;
        for (uint32_t c = 0; c < request->category_count; c++) {
            // protobuf-c has no constant texts; it only reads this one.
            *word++ = (char *)(uintptr_t)vocabulary->names[request->categories[c]];
        }
        d->request_list[i] = to;
    }
}

sc_err sc__compact_write_relay(const sc__codec *codec, const sc_relay *relay, sc_bytes *out)
{
    draft d;
    sc_err err = SC_ENOMEM;
    if (!draft_init(&d, relay)) {
        err = sc_fail_memory(codec->diag, "writing a relay");
    } else {
        d.relay.map = relay->map_checksum;
        d.relay.segments = d.steps;
        d.relay.n_segments = relay->segment_count;
        d.relay.border_nodes = d.steps + relay->segment_count;
        d.relay.n_border_nodes = relay->border_node_count;
        d.relay.requests = d.request_list;
        d.relay.n_requests = relay->request_count;
        to_steps(relay->segments, relay->segment_count, d.relay.segments);
        to_steps(relay->border_nodes, relay->border_node_count, d.relay.border_nodes);
        fill_requests(&d, codec->vocabulary, relay);
        err = sc__compact_pack(codec, &d.relay.base, out);
    }
    draft_fini(&d);
    return err;
}

// --- Reading ------------------------------------------------------------------

static sc_err check_counts(const sc__codec *codec, const Starcloak__Relay *from)
{
    if (from->n_segments == 0 || from->n_requests == 0) {
        return sc_fail(codec->diag, SC_EPARSE, "the relay has no %s",
                       from->n_segments == 0 ? "segments" : "requests");
    }
    if (from->n_segments > codec->limits.max_segments) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the relay has %zu segments; at most %zu are allowed", from->n_segments,
                       codec->limits.max_segments);
    }
    if (from->n_requests > codec->limits.max_requests) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the relay has %zu requests; at most %zu are allowed", from->n_requests,
                       codec->limits.max_requests);
    }
    // A segment has two ends. Both counts are of numbers in memory, so this does not overflow.
    if (from->n_border_nodes > 2 * from->n_segments) {
        return sc_fail(codec->diag, SC_EPARSE, "the relay has %zu border nodes on %zu segments",
                       from->n_border_nodes, from->n_segments);
    }
    return SC_OK;
}

// Add up what `what` says in steps, below `limit`.
static sc_err read_ids(const sc__codec *codec, const char *what, const uint32_t *steps,
                       size_t count, uint32_t limit, uint32_t *ids)
{
    uint64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && steps[i] == 0) {
            return sc_fail(codec->diag, SC_EPARSE, "%s %zu is the one before once more", what, i);
        }
        id += steps[i];
        if (id >= limit) {
            return sc_fail(codec->diag, SC_EUNKNOWN, "%s %zu does not exist: the map has %u", what,
                           i, limit);
        }
        ids[i] = (uint32_t)id;
    }
    return SC_OK;
}

static sc_err read_request(const sc__codec *codec, size_t place, const Starcloak__Request *from,
                           sc_request *to)
{
    switch (from->wanted_case) {
    case STARCLOAK__REQUEST__WANTED_K:
        to->type = SC_REQUEST_KNN;
        to->k = from->k;
        break;
    case STARCLOAK__REQUEST__WANTED_RADIUS_M:
        to->type = SC_REQUEST_RANGE;
        to->radius_m = from->radius_m;
        break;
    default:
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is of no known type", place);
    }
    if (from->n_categories > SC_REQUEST_CATEGORIES) {
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu names %zu categories; at most %d",
                       place, from->n_categories, (int)SC_REQUEST_CATEGORIES);
    }
    to->category_count = (uint32_t)from->n_categories;
    for (size_t i = 0; i < from->n_categories; i++) {
        to->categories[i] = sc_vocabulary_find(codec->vocabulary, from->categories[i]);
    }
    return sc__request_accept(codec, place, to);
}

static sc_err read_all(const sc__codec *codec, const Starcloak__Relay *from, sc_seg_id *segments,
                       sc_node_id *border_nodes, sc_request *requests)
{
    sc_err err = read_ids(codec, "segment", from->segments, from->n_segments,
                          sc_map_segment_count(codec->map), segments);
    if (!err) {
        err = read_ids(codec, "border node", from->border_nodes, from->n_border_nodes,
                       sc_map_node_count(codec->map), border_nodes);
    }
    for (size_t i = 0; !err && i < from->n_requests; i++) {
        err = read_request(codec, i, from->requests[i], &requests[i]);
    }
    return err ? err : sc__requests_differ(codec, requests, from->n_requests);
}

static sc_err read_relay(const sc__codec *codec, const Starcloak__Relay *from, sc_relay **out)
{
    sc_err err = sc__compact_check_map(codec, from->map);
    if (!err) err = check_counts(codec, from);
    if (err) return err;

    sc_seg_id *segments = NULL;
    sc_node_id *border_nodes = NULL;
    sc_request *requests = NULL;
    sc_relay *relay = sc__relay_alloc(from->n_segments, from->n_border_nodes, from->n_requests,
                                      &segments, &border_nodes, &requests);
    if (!relay) return sc_fail_memory(codec->diag, "reading a relay");
    relay->map_checksum = from->map;
    err = read_all(codec, from, segments, border_nodes, requests);
    if (err) {
        sc_relay_free(relay);
        return err;
    }
    *out = relay;
    return SC_OK;
}

sc_err sc__compact_read_relay(const sc__codec *codec, sc__message message, sc_relay **out)
{
    ProtobufCMessage *unpacked = NULL;
    sc_err err = sc__compact_unpack(codec, &starcloak__relay__descriptor, message, &unpacked);
    if (err) return err;
    err = read_relay(codec, (const Starcloak__Relay *)(void *)unpacked, out);
    sc__compact_free(unpacked);
    return err;
}
