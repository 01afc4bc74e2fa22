// Writing relays and replies in the compact encoding, Protocol Buffers. See relay.proto.
//
// Ids ascend and are written as differences, categories as names. Most bytes of a reply are the
// lists of border nodes: an object, a distance and a duration each. Neighbours name the same
// objects again and again, so one that came before is named by how many new ones came since, and a
// new one by the difference to the last: on real maps a byte each instead of two to four.
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "relay.pb-c.h"
#include "relay/relay_codec_internal.h"

#include <math.h>
#include <protobuf-c/protobuf-c.h>

static sc_err pack(const sc__relay_codec *codec, const ProtobufCMessage *message, sc_bytes *out)
{
    const size_t size = protobuf_c_message_get_packed_size(message);
    if (!sc_bytes_reserve(out, size)) return sc_fail_memory(codec->diag, "writing a message");
    out->size += protobuf_c_message_pack(message, out->data + out->size);
    return SC_OK;
}

// === Relays =====================================================================================

/** A message and the memory behind it. */
typedef struct relay_draft {
    Starcloak__Relay relay;
    uint32_t *steps;  ///< of segments, then of border nodes
    Starcloak__Request *requests;
    Starcloak__Request **request_list;
    char **words;  ///< categories of all requests, one behind the other
} relay_draft;

static void relay_draft_fini(relay_draft *d)
{
    sc_free(d->steps);
    sc_free(d->requests);
    sc_free(d->request_list);
    sc_free(d->words);
}

static bool relay_draft_init(relay_draft *d, const sc_relay *relay)
{
    size_t word_count = 0;
    for (size_t i = 0; i < relay->request_count; i++) {
        word_count += relay->requests[i].category_count;
    }
    *d = (relay_draft){.relay = STARCLOAK__RELAY__INIT};
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

static void fill_requests(relay_draft *d, const sc_vocabulary *vocabulary, const sc_relay *relay)
{
    char **word = d->words;
    for (size_t i = 0; i < relay->request_count; i++) {
        const sc_request *request = &relay->requests[i];
        Starcloak__Request *to = &d->requests[i];
        *to = (Starcloak__Request)STARCLOAK__REQUEST__INIT;
        if (request->type == SC_REQUEST_KNN) {
            to->wanted_case = STARCLOAK__REQUEST__WANTED_K;
            to->k = request->k;
        } else if (request->metric == SC_METRIC_TIME) {
            to->wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_S;
            to->radius_s = request->radius_s;
        } else {
            to->wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_M;
            to->radius_m = request->radius_m;
        }
        to->metric = request->metric == SC_METRIC_TIME ? STARCLOAK__METRIC__METRIC_TIME
                                                       : STARCLOAK__METRIC__METRIC_DISTANCE;
        to->categories = word;
        to->n_categories = request->category_count;
        for (uint32_t c = 0; c < request->category_count; c++) {
            // protobuf-c has no constant texts; it only reads this one.
            *word++ = (char *)(uintptr_t)vocabulary->names[request->categories[c]];
        }
        d->request_list[i] = to;
    }
}

sc_err sc__compact_write_relay(const sc__relay_codec *codec, const sc_relay *relay, sc_bytes *out)
{
    relay_draft d;
    sc_err err = SC_ENOMEM;
    if (!relay_draft_init(&d, relay)) {
        err = sc_fail_memory(codec->diag, "writing a relay");
    } else {
        d.relay.map = relay->map_checksum;
        d.relay.segments = d.steps;
        d.relay.n_segments = relay->segment_count;
        d.relay.border_nodes = d.steps + relay->segment_count;
        d.relay.n_border_nodes = relay->border_node_count;
        d.relay.requests = d.request_list;
        d.relay.n_requests = relay->request_count;
        d.relay.version = SC__RELAY_VERSION;
        to_steps(relay->segments, relay->segment_count, d.relay.segments);
        to_steps(relay->border_nodes, relay->border_node_count, d.relay.border_nodes);
        fill_requests(&d, codec->vocabulary, relay);
        err = pack(codec, &d.relay.base, out);
    }
    relay_draft_fini(&d);
    return err;
}

// === Replies ====================================================================================

/** Room for all parts of a message; each part takes its share of every column. */
typedef struct reply_draft {
    Starcloak__Part *parts;
    Starcloak__Part **part_list;
    int32_t *run_first;
    uint32_t *run_count;
    uint32_t *list_size;
    uint64_t *list_object;
    uint64_t *list_cost;
    int64_t *list_other;
    uint32_t *different;  ///< the objects of a part's lists, ascending
    uint32_t *when;       ///< of each: how many were new before it; SC_NONE: not yet named
} reply_draft;

static void reply_draft_fini(reply_draft *d)
{
    sc_free(d->parts);
    sc_free(d->part_list);
    sc_free(d->run_first);
    sc_free(d->run_count);
    sc_free(d->list_size);
    sc_free(d->list_object);
    sc_free(d->list_cost);
    sc_free(d->list_other);
    sc_free(d->different);
    sc_free(d->when);
}

static bool reply_draft_init(reply_draft *d, const sc_reply *reply)
{
    const size_t lists = reply->request_count * reply->border_node_count;
    const size_t runs = reply->run_start[reply->request_count];
    const size_t nears = reply->near_start[lists];
    *d = (reply_draft){
        .parts = sc_malloc_array(reply->request_count, sizeof *d->parts),
        .part_list = sc_malloc_array(reply->request_count, sizeof(Starcloak__Part *)),
        .run_first = sc_malloc_array(runs, sizeof *d->run_first),
        .run_count = sc_malloc_array(runs, sizeof *d->run_count),
        .list_size = sc_malloc_array(lists, sizeof *d->list_size),
        .list_object = sc_malloc_array(nears, sizeof *d->list_object),
        .list_cost = sc_malloc_array(nears, sizeof *d->list_cost),
        .list_other = sc_malloc_array(nears, sizeof *d->list_other),
        .different = sc_malloc_array(nears, sizeof *d->different),
        .when = sc_malloc_array(nears, sizeof *d->when),
    };
    return d->parts && d->part_list && d->run_first && d->run_count && d->list_size &&
           d->list_object && d->list_cost && d->list_other && d->different && d->when;
}

/** How the message calls an object: by its number, or by its place among those that the reply
 * names. */
static uint32_t number_of(const sc__reply_objects *own, uint32_t object)
{
    return own ? sc__relay_id_place(own->objects, own->count, object) : object;
}

static void fill_runs(reply_draft *d, const sc_reply *reply, const sc__reply_objects *own, size_t r)
{
    const uint32_t first = reply->run_start[r];
    const uint32_t last = reply->run_start[r + 1];
    Starcloak__Part *part = &d->parts[r];
    part->run_first = d->run_first + first;
    part->run_count = d->run_count + first;
    part->n_run_first = last - first;

    uint32_t behind = 0;
    bool all_single = true;
    for (uint32_t i = first; i < last; i++) {
        const uint32_t number = number_of(own, reply->runs[i].first);
        d->run_first[i] = (int32_t)(number - behind);
        d->run_count[i] = reply->runs[i].count;
        behind = number + reply->runs[i].count;
        all_single = all_single && reply->runs[i].count == 1;
    }
    part->n_run_count = all_single ? 0 : part->n_run_first;
}

// Name the objects of all lists of a part, which are nears [first, last).
static void fill_objects(reply_draft *d, const sc_reply *reply, const sc__reply_objects *own,
                         uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++) {
        d->different[i - first] = number_of(own, reply->nears[i].object);
        d->when[i - first] = SC_NONE;
    }
    const uint32_t count = sc__relay_sort_ids(d->different, last - first);
    uint32_t new_count = 0;
    uint32_t last_new = 0;
    for (uint32_t i = first; i < last; i++) {
        const uint32_t number = number_of(own, reply->nears[i].object);
        uint32_t *when = &d->when[sc__relay_id_place(d->different, count, number)];
        if (*when == SC_NONE) {
            d->list_object[i] = sc_fold_sign((int64_t)number - last_new) << 1;
            *when = new_count++;
            last_new = number;
        } else {
            d->list_object[i] = (uint64_t)(new_count - 1 - *when) << 1 | 1;
        }
    }
}

// Both measures of each way of a list; `metric` is that of the request.
static void fill_costs(reply_draft *d, const sc_map *map, const sc_reply *reply, sc_metric metric,
                       size_t list)
{
    const bool is_by_time = metric == SC_METRIC_TIME;
    const double cost_unit = is_by_time ? sc_map_time_unit_s(map) : sc_map_unit_m(map);
    const double other_unit = is_by_time ? sc_map_unit_m(map) : sc_map_time_unit_s(map);
    int64_t last_cost = 0;
    int64_t last_other = 0;
    for (uint32_t i = reply->near_start[list]; i < reply->near_start[list + 1]; i++) {
        const sc_near *near = &reply->nears[i];
        const double other_amount = is_by_time ? near->distance_m : near->duration_s;
        const int64_t cost = llround(sc_near_cost(near, metric) / cost_unit);
        const int64_t other = llround(other_amount / other_unit);
        d->list_cost[i] = (uint64_t)(cost - last_cost);
        d->list_other[i] = other - last_other;
        last_cost = cost;
        last_other = other;
    }
}

static void fill_lists(reply_draft *d, const sc_map *map, const sc_relay *relay,
                       const sc_reply *reply, const sc__reply_objects *own, size_t r)
{
    const size_t first_list = r * reply->border_node_count;
    const uint32_t first = reply->near_start[first_list];
    const uint32_t last = reply->near_start[first_list + reply->border_node_count];
    Starcloak__Part *part = &d->parts[r];
    part->list_size = d->list_size + first_list;
    part->n_list_size = reply->border_node_count;
    part->list_object = d->list_object + first;
    part->list_cost = d->list_cost + first;
    part->list_other = d->list_other + first;
    part->n_list_object = part->n_list_cost = part->n_list_other = last - first;

    fill_objects(d, reply, own, first, last);
    for (size_t list = first_list; list < first_list + reply->border_node_count; list++) {
        d->list_size[list] = reply->near_start[list + 1] - reply->near_start[list];
        fill_costs(d, map, reply, relay->requests[r].metric, list);
    }
}

// --- The provider's own objects -------------------------------------------------

/** Columns for them, and the memory behind. */
typedef struct columns {
    Starcloak__Objects objects;
    char **texts;       ///< keys, names and the words for categories
    uint32_t *numbers;  ///< categories and offsets
    int32_t *edges;
    uint32_t *words;  ///< of each category its place in the message, or SC_NONE
} columns;

static void columns_fini(columns *c)
{
    sc_free(c->texts);
    sc_free(c->numbers);
    sc_free(c->edges);
    sc_free(c->words);
}

static bool columns_init(columns *c, const sc__relay_codec *codec, size_t count)
{
    const uint32_t words = codec->vocabulary->count;
    *c = (columns){.objects = STARCLOAK__OBJECTS__INIT};
    c->texts = sc_malloc_array(2 * count + words, sizeof(char *));
    c->numbers = sc_malloc_array(2 * count, sizeof *c->numbers);
    c->edges = sc_malloc_array(count, sizeof *c->edges);
    c->words = sc_malloc_array(words, sizeof *c->words);
    if (!c->texts || !c->numbers || !c->edges || !c->words) return false;

    for (uint32_t i = 0; i < words; i++) {
        c->words[i] = SC_NONE;
    }
    Starcloak__Objects *to = &c->objects;
    to->keys = c->texts;
    to->names = c->texts + count;
    to->categories = c->texts + 2 * count;
    to->category = c->numbers;
    to->offset = c->numbers + count;
    to->edge = c->edges;
    to->n_keys = to->n_category = to->n_offset = to->n_edge = count;
    return true;
}

// protobuf-c has no constant texts; it only reads them.
static char *text_at(const sc_object_table *table, uint32_t offset)
{
    return (char *)(uintptr_t)(table->strings + offset);
}

static void fill_columns(columns *c, const sc__relay_codec *codec, const sc_object_table *table,
                         const sc__reply_objects *named)
{
    Starcloak__Objects *to = &c->objects;
    uint32_t last_edge = 0;
    bool any_name = false;
    for (uint32_t i = 0; i < named->count; i++) {
        const uint32_t number = named->objects[i];
        const sc_object *object = &table->objects[number];
        uint32_t *word = &c->words[object->category];
        if (*word == SC_NONE) {
            *word = (uint32_t)to->n_categories;
            to->categories[to->n_categories++] =
                (char *)(uintptr_t)codec->vocabulary->names[object->category];
        }
        to->keys[i] = text_at(table, table->keys[number]);
        to->names[i] = text_at(table, object->name);
        to->category[i] = *word;
        to->edge[i] = (int32_t)(object->edge - last_edge);
        to->offset[i] = object->offset;
        last_edge = object->edge;
        any_name = any_name || to->names[i][0] != '\0';
    }
    to->n_names = any_name ? named->count : 0;
}

// --- Both together ----------------------------------------------------------------

static sc_err write_parts(const sc__relay_codec *codec, const sc_relay *relay,
                          const sc_reply *reply, const sc__reply_objects *own,
                          Starcloak__Objects *objects, sc_bytes *out)
{
    reply_draft d;
    sc_err err = SC_ENOMEM;
    if (!reply_draft_init(&d, reply)) {
        err = sc_fail_memory(codec->diag, "writing a reply");
    } else {
        for (size_t r = 0; r < reply->request_count; r++) {
            d.parts[r] = (Starcloak__Part)STARCLOAK__PART__INIT;
            d.part_list[r] = &d.parts[r];
            fill_runs(&d, reply, own, r);
            fill_lists(&d, codec->map, relay, reply, own, r);
        }
        Starcloak__Reply message = STARCLOAK__REPLY__INIT;
        message.map = reply->map_checksum;
        message.own = objects;
        message.parts = d.part_list;
        message.n_parts = reply->request_count;
        message.version = SC__RELAY_VERSION;
        err = pack(codec, &message.base, out);
    }
    reply_draft_fini(&d);
    return err;
}

sc_err sc__compact_write_reply(const sc__relay_codec *codec, const sc_relay *relay,
                               const sc_reply *reply, sc_bytes *out)
{
    if (!reply->table.keys) return write_parts(codec, relay, reply, NULL, NULL, out);

    sc__reply_objects named = {0};
    sc_err err = sc__reply_objects_init(codec, reply, &named);
    if (err) return err;
    columns c;
    if (!columns_init(&c, codec, named.count)) {
        err = sc_fail_memory(codec->diag, "writing a reply");
    } else {
        fill_columns(&c, codec, &reply->table, &named);
        err = write_parts(codec, relay, reply, &named, &c.objects, out);
    }
    columns_fini(&c);
    sc__reply_objects_fini(&named);
    return err;
}
