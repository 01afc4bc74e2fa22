// Reading relays and replies in the compact encoding, Protocol Buffers. See relay.proto.
//
// The bytes are a stranger's. After reading, no number leads outside of its table, columns have the
// same length, and the lists of a reply fit the relay. Whether a reply is possible on the map is
// checked by the trusted side (answer/reply_check.c).
#include "base/alloc.h"
#include "base/diag.h"
#include "base/string_index.h"
#include "base/utf8.h"
#include "map/map_tables.h"
#include "relay.pb-c.h"
#include "relay/relay_build.h"
#include "relay/relay_codec_internal.h"

#include <protobuf-c/protobuf-c.h>
#include <string.h>

// === Unpacking within bounds ====================================================================
// protobuf-c allocates some hundred bytes for a part that has two, so that a message of a few
// megabytes could ask for a gigabyte. Memory comes from a budget instead, which honest messages do
// not reach: what they consist of, numbers of one byte or more, becomes four or eight bytes each.

enum { GROWTH = 8, ALLOWANCE = 1 << 20 };

typedef struct budget {
    size_t left;
    bool is_over;        ///< more was asked for than the budget has
    bool out_of_memory;  ///< or than there is
} budget;

static void *take(void *data, size_t size)
{
    budget *b = data;
    if (size > b->left) {
        b->is_over = true;
        return NULL;
    }
    b->left -= size;
    void *memory = sc_malloc(size);
    b->out_of_memory = !memory;
    return memory;
}

static void give_back(void *data, void *memory)
{
    (void)data;
    sc_free(memory);
}

// Unpack a message of that kind; free with free_unpacked(). SC_ELIMIT if it takes far more memory
// than its size explains.
static sc_err unpack(const sc__relay_codec *codec, const ProtobufCMessageDescriptor *kind,
                     sc__relay_message message, ProtobufCMessage **out)
{
    budget b = {.left = ALLOWANCE};
    if (__builtin_mul_overflow(codec->limits.max_bytes, (size_t)GROWTH, &b.left) ||
        __builtin_add_overflow(b.left, (size_t)ALLOWANCE, &b.left)) {
        b.left = SIZE_MAX;
    }
    ProtobufCAllocator allocator = {take, give_back, &b};
    ProtobufCMessage *unpacked =
        protobuf_c_message_unpack(kind, &allocator, message.size, message.bytes);
    if (!unpacked && b.is_over) {
        return sc_fail(codec->diag, SC_ELIMIT,
                       "the message needs far more memory than its size justifies");
    }
    if (!unpacked && b.out_of_memory) return sc_fail_memory(codec->diag, "reading a message");
    if (!unpacked) {
        return sc_fail(codec->diag, SC_EPARSE, "the message is not a %s in the compact encoding",
                       kind->short_name);
    }
    *out = unpacked;
    return SC_OK;
}

static void free_unpacked(ProtobufCMessage *message)
{
    ProtobufCAllocator allocator = {take, give_back, NULL};
    if (message) protobuf_c_message_free_unpacked(message, &allocator);
}

static sc_err check_map(const sc__relay_codec *codec, uint64_t checksum)
{
    if (checksum == sc_map_checksum(codec->map)) return SC_OK;
    return sc_fail(codec->diag, SC_EMISMATCH,
                   "the message is about another map (checksum %016llx, here %016llx); give both "
                   "sides the same .scm file, or use GeoJSON",
                   (unsigned long long)checksum, (unsigned long long)sc_map_checksum(codec->map));
}

// === Relays =====================================================================================

static sc_err check_counts(const sc__relay_codec *codec, const Starcloak__Relay *from)
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
        return sc_fail(codec->diag, SC_EPARSE,
                       "the relay has %zu border nodes, too many for %zu segments",
                       from->n_border_nodes, from->n_segments);
    }
    return SC_OK;
}

// Add up the steps of the ids, all below `limit`; `what` names them in messages.
static sc_err read_ids(const sc__relay_codec *codec, const char *what, const uint32_t *steps,
                       size_t count, uint32_t limit, uint32_t *ids)
{
    uint64_t id = 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && steps[i] == 0) {
            return sc_fail(codec->diag, SC_EPARSE, "%s %zu is the same as the one before", what, i);
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

// A range is in the unit of its metric.
static sc_err check_radius_metric(const sc__relay_codec *codec, size_t place,
                                  const Starcloak__Request *from)
{
    const bool is_by_time = from->metric == STARCLOAK__METRIC__METRIC_TIME;
    if (from->wanted_case == STARCLOAK__REQUEST__WANTED_RADIUS_M && is_by_time) {
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is by time and has radius_m", place);
    }
    if (from->wanted_case == STARCLOAK__REQUEST__WANTED_RADIUS_S && !is_by_time) {
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is by distance and has radius_s",
                       place);
    }
    return SC_OK;
}

static sc_err read_wanted(const sc__relay_codec *codec, size_t place,
                          const Starcloak__Request *from, sc_request *to)
{
    switch (from->metric) {
    case STARCLOAK__METRIC__METRIC_DISTANCE:
        to->metric = SC_METRIC_DISTANCE;
        break;
    case STARCLOAK__METRIC__METRIC_TIME:
        to->metric = SC_METRIC_TIME;
        break;
    default:
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is of no known metric", place);
    }
    switch (from->wanted_case) {
    case STARCLOAK__REQUEST__WANTED_K:
        to->type = SC_REQUEST_KNN;
        to->k = from->k;
        break;
    case STARCLOAK__REQUEST__WANTED_RADIUS_M:
        to->type = SC_REQUEST_RANGE;
        to->radius_m = from->radius_m;
        break;
    case STARCLOAK__REQUEST__WANTED_RADIUS_S:
        to->type = SC_REQUEST_RANGE;
        to->radius_s = from->radius_s;
        break;
    default:
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu is of an unknown type", place);
    }
    return check_radius_metric(codec, place, from);
}

static sc_err read_request(const sc__relay_codec *codec, size_t place,
                           const Starcloak__Request *from, sc_request *to)
{
    const sc_err err = read_wanted(codec, place, from, to);
    if (err) return err;
    if (from->n_categories > SC_REQUEST_CATEGORIES) {
        return sc_fail(codec->diag, SC_EREQUEST, "request %zu names %zu categories; at most %d",
                       place, from->n_categories, (int)SC_REQUEST_CATEGORIES);
    }
    to->category_count = (uint32_t)from->n_categories;
    for (size_t i = 0; i < from->n_categories; i++) {
        to->categories[i] = sc_vocabulary_find(codec->vocabulary, from->categories[i]);
    }
    return sc__relay_request_accept(codec, place, to);
}

static sc_err read_all(const sc__relay_codec *codec, const Starcloak__Relay *from,
                       sc_seg_id *segments, sc_node_id *border_nodes, sc_request *requests)
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
    return err ? err : sc__relay_requests_differ(codec, requests, from->n_requests);
}

static sc_err read_relay(const sc__relay_codec *codec, const Starcloak__Relay *from, sc_relay **out)
{
    // The version first: what the other numbers mean depends on it.
    sc_err err = sc__relay_version_accept(codec, false, from->version);
    if (!err) err = check_map(codec, from->map);
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

sc_err sc__compact_read_relay(const sc__relay_codec *codec, sc__relay_message message,
                              sc_relay **out)
{
    ProtobufCMessage *unpacked = NULL;
    sc_err err = unpack(codec, &starcloak__relay__descriptor, message, &unpacked);
    if (err || !unpacked) return err;
    err = read_relay(codec, (const Starcloak__Relay *)(void *)unpacked, out);
    free_unpacked(unpacked);
    return err;
}

// === Replies ====================================================================================

static sc_err fail_memory(const sc__relay_codec *codec)
{
    return sc_fail_memory(codec->diag, "reading a reply");
}

// --- The provider's own objects -------------------------------------------------

static sc_err check_columns(const sc__relay_codec *codec, const Starcloak__Objects *from)
{
    const size_t count = from->n_keys;
    if (count > codec->limits.max_objects) {
        return sc_fail(codec->diag, SC_ELIMIT, "the reply has %zu objects; at most %zu are allowed",
                       count, codec->limits.max_objects);
    }
    // Objects are numbered in 32 bits, whatever is allowed.
    if (count >= SC_NONE) return sc_fail(codec->diag, SC_ELIMIT, "the reply has too many objects");
    if (from->n_category != count || from->n_edge != count || from->n_offset != count ||
        (from->n_names != count && from->n_names != 0)) {
        return sc_fail(codec->diag, SC_EREPLY, "the columns of objects differ in length");
    }
    for (size_t i = 0; i < count; i++) {
        if (from->keys[i][0] == '\0' || !sc_is_utf8(from->keys[i])) {
            return sc_fail(codec->diag, SC_EREPLY, "the key of object %zu is empty or not UTF-8",
                           i);
        }
        if (from->n_names > 0 && !sc_is_utf8(from->names[i])) {
            return sc_fail(codec->diag, SC_EREPLY, "the name of object %zu is not UTF-8", i);
        }
    }
    return SC_OK;
}

static const char *key_at(const void *owner, uint32_t object)
{
    return ((const Starcloak__Objects *)owner)->keys[object];
}

static sc_err check_keys_differ(const sc__relay_codec *codec, const Starcloak__Objects *from)
{
    sc_string_index keys = {.text_of = key_at, .owner = from};
    sc_err err = SC_OK;
    for (size_t i = 0; !err && i < from->n_keys; i++) {
        uint32_t first = 0;
        err = sc_string_index_put(&keys, from->keys[i], (uint32_t)i, &first);
        if (!err && first != i) {
            err =
                sc_fail(codec->diag, SC_EREPLY, "object %zu has the same key as another object", i);
        }
    }
    sc_string_index_fini(&keys);
    return err == SC_ENOMEM ? fail_memory(codec) : err;
}

// What the words of the message mean here, one category each.
static sc_err read_words(const sc__relay_codec *codec, const Starcloak__Objects *from,
                         sc_category_id *words)
{
    for (size_t i = 0; i < from->n_categories; i++) {
        words[i] = sc_vocabulary_find(codec->vocabulary, from->categories[i]);
        if (words[i] == SC_NONE) {
            return sc_fail(codec->diag, SC_EREPLY,
                           "category %zu of the objects is not known to this side", i);
        }
    }
    return SC_OK;
}

static sc_err read_object(const sc__relay_codec *codec, const Starcloak__Objects *from, size_t i,
                          const sc_category_id *words, sc_edge_id edge, sc_object *out)
{
    if (from->category[i] >= from->n_categories) {
        return sc_fail(codec->diag, SC_EREPLY, "object %zu has no category", i);
    }
    if (edge >= sc_map_edge_count(codec->map) ||
        from->offset[i] > sc_map_edges(codec->map)[edge].length) {
        return sc_fail(codec->diag, SC_EREPLY, "object %zu is not on an edge of the map", i);
    }
    *out =
        (sc_object){.edge = edge, .offset = from->offset[i], .category = words[from->category[i]]};
    return SC_OK;
}

static sc_err read_objects(const sc__relay_codec *codec, const Starcloak__Objects *from,
                           const sc_category_id *words, sc__reply_table *table)
{
    size_t text_bytes = 0;
    for (size_t i = 0; i < from->n_keys; i++) {
        text_bytes += strlen(from->keys[i]) + 1;
        if (from->n_names > 0) text_bytes += strlen(from->names[i]) + 1;
    }
    sc_err err = sc__reply_table_init(table, from->n_keys, text_bytes);
    if (err == SC_ELIMIT) return sc_fail(codec->diag, err, "the reply has too many objects");
    if (err) return fail_memory(codec);

    sc_edge_id edge = 0;
    for (size_t i = 0; i < from->n_keys; i++) {
        edge += (uint32_t)from->edge[i];
        err = read_object(codec, from, i, words, edge, &table->objects[i]);
        if (err) return err;
        table->keys[i] = sc__reply_table_text(table, from->keys[i]);
        table->objects[i].name =
            from->n_names > 0 ? sc__reply_table_text(table, from->names[i]) : 0;
    }
    return SC_OK;
}

static sc_err fill_table(const sc__relay_codec *codec, const Starcloak__Objects *from,
                         sc__reply_table *table)
{
    // Each is looked up once, and more words than we know cannot all be known: a bound on the work.
    if (from->n_categories > codec->vocabulary->count) {
        return sc_fail(codec->diag, SC_EREPLY,
                       "the objects have %zu categories, but only %u are known", from->n_categories,
                       codec->vocabulary->count);
    }
    sc_category_id *words = sc_malloc_array(from->n_categories, sizeof *words);
    if (!words) return fail_memory(codec);
    sc_err err = read_words(codec, from, words);
    if (!err) err = read_objects(codec, from, words, table);
    sc_free(words);
    return err;
}

static sc_err read_own(const sc__relay_codec *codec, const Starcloak__Objects *from,
                       sc_reply *reply)
{
    sc_err err = check_columns(codec, from);
    if (!err) err = check_keys_differ(codec, from);
    if (err) return err;
    sc__reply_table table = {0};
    err = fill_table(codec, from, &table);
    if (err) {
        sc_free(table.objects);
    } else {
        sc__reply_table_give(&table, reply);
    }
    return err;
}

static void use_map_objects(const sc_map *map, sc_reply *reply)
{
    reply->table =
        (sc_object_table){.objects = sc_map_objects(map), .count = sc_map_object_count(map)};
    reply->table.strings = sc__map_strings(map, &reply->table.strings_size);
}

// --- The parts --------------------------------------------------------------------

/** How far the reading has come. */
typedef struct reading {
    const sc__relay_codec *codec;
    const sc_relay *relay;
    sc_reply *reply;
    size_t part;
    size_t objects_left;  ///< as many more may be named
} reading;

static sc_err fail_part(const reading *r, const char *what)
{
    return sc_fail(r->codec->diag, SC_EREPLY, "part %zu: %s", r->part, what);
}

static sc_err spend(reading *r, uint64_t count)
{
    if (count > r->objects_left) {
        return sc_fail(r->codec->diag, SC_ELIMIT,
                       "part %zu: the reply names more than the %zu objects allowed", r->part,
                       r->codec->limits.max_objects);
    }
    r->objects_left -= (size_t)count;
    return SC_OK;
}

static sc_err read_runs(reading *r, const Starcloak__Part *from)
{
    const uint32_t object_count = r->reply->table.count;
    if (from->n_run_count != 0 && from->n_run_count != from->n_run_first) {
        return fail_part(r, "runs and their sizes differ in number");
    }
    uint32_t behind = 0;
    for (size_t i = 0; i < from->n_run_first; i++) {
        const uint32_t first = behind + (uint32_t)from->run_first[i];
        const uint32_t count = from->n_run_count > 0 ? from->run_count[i] : 1;
        if (count < 1 || count > object_count || first > object_count - count) {
            return fail_part(r, "a run has no objects, or unknown ones");
        }
        const sc_err err = spend(r, count);
        if (err) return err;
        if (!sc__reply_add_run(r->reply, first, count)) return fail_memory(r->codec);
        behind = first + count;
    }
    sc__reply_end_runs(r->reply, r->part);
    return SC_OK;
}

// Turn the entries of the lists into numbers of objects, in place: the message is ours to change.
static sc_err read_names(const reading *r, Starcloak__Part *from, uint32_t *seen)
{
    size_t seen_count = 0;
    uint64_t last_new = 0;
    for (size_t i = 0; i < from->n_list_object; i++) {
        const uint64_t name = from->list_object[i] >> 1;
        if (from->list_object[i] & 1) {
            if (name >= seen_count)
                return fail_part(r, "a list refers to an object that was not listed before");
            from->list_object[i] = seen[seen_count - 1 - name];
            continue;
        }
        // The zigzag form undone, modulo 2^64: what goes below 0 is beyond all numbers.
        const uint64_t number = last_new + (name >> 1 ^ (0 - (name & 1)));
        if (number >= r->reply->table.count) return fail_part(r, "a list names no object");
        seen[seen_count++] = (uint32_t)number;
        from->list_object[i] = number;
        last_new = number;
    }
    return SC_OK;
}

// The ways of list entries [begin, end): costs ascend, the other measure goes up and down.
static sc_err read_list(const reading *r, const Starcloak__Part *from, size_t begin, size_t end)
{
    const double unit_m = sc_map_unit_m(r->codec->map);
    const double unit_s = sc_map_time_unit_s(r->codec->map);
    const bool is_by_time = r->relay->requests[r->part].metric == SC_METRIC_TIME;
    uint64_t cost = 0;
    int64_t other = 0;
    for (size_t i = begin; i < end; i++) {
        if (from->list_cost[i] > SC__COST_MAX_UNITS - cost ||
            __builtin_add_overflow(other, from->list_other[i], &other) || other < 0 ||
            (uint64_t)other > SC__COST_MAX_UNITS) {
            return fail_part(r, "a distance or a duration is longer than that of any road, or "
                                "below 0");
        }
        cost += from->list_cost[i];
        const double length = is_by_time ? (double)other : (double)cost;
        const double time = is_by_time ? (double)cost : (double)other;
        const sc_near near = {.object = (uint32_t)from->list_object[i],
                              .distance_m = length * unit_m,
                              .duration_s = time * unit_s};
        if (!sc__reply_add_near(r->reply, near)) return fail_memory(r->codec);
    }
    return SC_OK;
}

static sc_err read_lists(reading *r, Starcloak__Part *from)
{
    if (from->n_list_size != r->reply->border_node_count) {
        return fail_part(r, "the number of lists is not the number of border nodes");
    }
    uint64_t total = 0;
    for (size_t b = 0; b < from->n_list_size; b++) {
        total += from->list_size[b];
    }
    if (total != from->n_list_object || total != from->n_list_cost || total != from->n_list_other) {
        return fail_part(r, "lists, objects, distances and durations differ in number");
    }
    sc_err err = spend(r, total);
    if (err) return err;
    uint32_t *seen = sc_malloc_array(from->n_list_object, sizeof *seen);
    if (!seen) return fail_memory(r->codec);
    err = read_names(r, from, seen);
    sc_free(seen);
    size_t begin = 0;
    for (size_t b = 0; !err && b < from->n_list_size; b++) {
        err = read_list(r, from, begin, begin + from->list_size[b]);
        begin += from->list_size[b];
        sc__reply_end_nears(r->reply, r->part, b);
    }
    return err;
}

static sc_err read_reply(const sc__relay_codec *codec, const sc_relay *relay,
                         const Starcloak__Reply *from, sc_reply *reply)
{
    sc_err err = sc__relay_version_accept(codec, true, from->version);
    if (!err) err = check_map(codec, from->map);
    if (err) return err;
    if (from->n_parts != relay->request_count) {
        return sc_fail(codec->diag, SC_EREPLY, "the reply has %zu parts for %zu requests",
                       from->n_parts, relay->request_count);
    }
    if (!sc__reply_begin(reply, relay->request_count, relay->border_node_count)) {
        return fail_memory(codec);
    }
    reply->map_checksum = from->map;
    if (from->own) {
        err = read_own(codec, from->own, reply);
    } else {
        use_map_objects(codec->map, reply);
    }
    reading r = {
        .codec = codec, .relay = relay, .reply = reply, .objects_left = codec->limits.max_objects};
    for (; !err && r.part < from->n_parts; r.part++) {
        err = read_runs(&r, from->parts[r.part]);
        if (!err) err = read_lists(&r, from->parts[r.part]);
    }
    return err;
}

sc_err sc__compact_read_reply(const sc__relay_codec *codec, const sc_relay *relay,
                              sc__relay_message message, sc_reply *reply)
{
    ProtobufCMessage *unpacked = NULL;
    sc_err err = unpack(codec, &starcloak__reply__descriptor, message, &unpacked);
    if (err || !unpacked) return err;
    err = read_reply(codec, relay, (const Starcloak__Reply *)(void *)unpacked, reply);
    free_unpacked(unpacked);
    return err;
}
