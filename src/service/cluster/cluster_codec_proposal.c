// Proposals as bytes, and what their members ask for (cluster.proto).
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <float.h>
#include <string.h>

// --- Proposals ---------------------------------------------------------------------------------
//
// A cloak's ids are sent as differences, its members as columns. What follows from something else
// is not sent: the sender proposes; R is the first of the gateways; deadlines are the least one and
// how much later the others are. Nor is what only engines need, the sizes of results: they are 0 in
// a proposal that was read.

typedef Starcloak__Cluster__Proposal proposal_pb;

// --- Proposals: writing ------------------------------------------------------------------------

// What a proposal promises of itself (messages.h), as far as it is not sent.
static bool is_consistent(const sc_proposal *proposal, sc_peer worker)
{
    bool is_single = true;
    bool has_releaser = false;
    sc_time least = SC_TIME_NEVER;
    sc_time last = INT64_MIN;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        is_single &= query->owner == proposal->releaser;
        has_releaser |= query->owner == proposal->releaser;
        if (query->deadline < least) least = query->deadline;
        if (query->deadline > last) last = query->deadline;
    }
    return proposal->worker == worker && has_releaser && is_single == proposal->is_single &&
           least == proposal->deadline && last == proposal->last;
}

static sc_err write_cloak(const sc_cluster_codec *codec, const sc_proposal *proposal,
                          sc__cluster_scratch *scratch, proposal_pb *out)
{
    out->stars = sc__cluster_scratch_take(scratch, proposal->star_count, sizeof *out->stars);
    out->segments =
        sc__cluster_scratch_take(scratch, proposal->segment_count, sizeof *out->segments);
    out->border_nodes =
        sc__cluster_scratch_take(scratch, proposal->border_node_count, sizeof *out->border_nodes);
    if (!out->stars || !out->segments || !out->border_nodes) return SC_ENOMEM;
    out->n_stars = proposal->star_count;
    out->n_segments = proposal->segment_count;
    out->n_border_nodes = proposal->border_node_count;
    const bool is_fine =
        sc__cluster_steps_write(proposal->stars, proposal->star_count,
                                sc_map_star_count(codec->map), out->stars) &&
        sc__cluster_steps_write(proposal->segments, proposal->segment_count,
                                sc_map_segment_count(codec->map), out->segments) &&
        sc__cluster_steps_write(proposal->border_nodes, proposal->border_node_count,
                                sc_map_node_count(codec->map), out->border_nodes);
    return is_fine ? SC_OK : SC_EINVAL;
}

static bool take_columns(size_t count, sc__cluster_scratch *scratch, proposal_pb *out)
{
    out->queries.data = sc__cluster_scratch_take(scratch, count, SC__CLUSTER_ID_SIZE);
    out->users = sc__cluster_scratch_take(scratch, count, sizeof *out->users);
    out->later = sc__cluster_scratch_take(scratch, count, sizeof *out->later);
    out->segment = sc__cluster_scratch_take(scratch, count, sizeof *out->segment);
    out->star = sc__cluster_scratch_take(scratch, count, sizeof *out->star);
    out->k = sc__cluster_scratch_take(scratch, count, sizeof *out->k);
    out->l = sc__cluster_scratch_take(scratch, count, sizeof *out->l);
    out->max_hops = sc__cluster_scratch_take(scratch, count, sizeof *out->max_hops);
    out->queries.len = count * SC__CLUSTER_ID_SIZE;
    out->n_users = out->n_later = out->n_segment = out->n_star = count;
    out->n_k = out->n_l = out->n_max_hops = count;
    return out->queries.data && out->users && out->later && out->segment && out->star && out->k &&
           out->l && out->max_hops;
}

static sc_err write_members(const sc_proposal *proposal, int64_t offset_us,
                            sc__cluster_scratch *scratch, proposal_pb *out)
{
    if (!take_columns(proposal->member_count, scratch, out)) return SC_ENOMEM;
    if (!sc__cluster_time_write(proposal->deadline, offset_us, &out->deadline)) return SC_EINVAL;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_query *query = &proposal->members[i].query;
        int64_t deadline = 0;
        if (!sc__cluster_time_write(query->deadline, offset_us, &deadline)) return SC_EINVAL;
        memcpy(out->queries.data + i * SC__CLUSTER_ID_SIZE, query->id.bytes, SC__CLUSTER_ID_SIZE);
        out->users[i] = query->user;
        out->later[i] = (uint64_t)deadline - (uint64_t)out->deadline;
        out->segment[i] = query->segment;
        out->star[i] = proposal->members[i].star + 1;  // SC_NONE is the greatest: 0
        out->k[i] = query->k;
        out->l[i] = query->l;
        out->max_hops[i] = query->max_hops;
    }
    return SC_OK;
}

// Where a gateway stands in the list, put there if it is new. They are few.
static size_t place_of(proposal_pb *out, sc_peer gateway)
{
    size_t place = 0;
    while (place < out->n_gateways && out->gateways[place] != gateway) {
        place++;
    }
    if (place == out->n_gateways && place < SC__CLUSTER_GATEWAYS_MAX) {
        out->gateways[out->n_gateways++] = gateway;
    }
    return place;
}

static sc_err write_gateways(const sc_proposal *proposal, sc__cluster_scratch *scratch,
                             proposal_pb *out)
{
    const size_t count = proposal->member_count;
    const size_t most = count < SC__CLUSTER_GATEWAYS_MAX ? count : SC__CLUSTER_GATEWAYS_MAX;
    out->gateways = sc__cluster_scratch_take(scratch, most, sizeof *out->gateways);
    out->gateway = sc__cluster_scratch_take(scratch, count, sizeof *out->gateway);
    if (!out->gateways || !out->gateway) return SC_ENOMEM;
    place_of(out, proposal->releaser);
    for (size_t i = 0; i < count; i++) {
        const size_t place = place_of(out, proposal->members[i].query.owner);
        if (place == SC__CLUSTER_GATEWAYS_MAX) return SC_EINVAL;
        out->gateway[i] = (uint32_t)place;
    }
    out->n_gateway = out->n_gateways > 1 ? count : 0;
    return SC_OK;
}

sc_err sc__cluster_proposal_write(const sc_cluster_codec *codec, const sc_proposal *proposal,
                                  sc_peer worker, int64_t offset_us, sc__cluster_scratch *scratch,
                                  proposal_pb *out)
{
    if (proposal->member_count > SC__CLUSTER_MEMBERS_MAX || !is_consistent(proposal, worker))
        return SC_EINVAL;
    out->id = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, (uint8_t *)(uintptr_t)proposal->id.bytes};
    out->engine_thread = proposal->engine_thread;
    out->part = proposal->part;
    sc_err err = write_cloak(codec, proposal, scratch, out);
    if (!err) err = write_members(proposal, offset_us, scratch, out);
    if (!err) err = write_gateways(proposal, scratch, out);
    return err;
}

// --- Proposals: reading ------------------------------------------------------------------------

static sc_err check_counts(const sc_cluster_codec *codec, const proposal_pb *from)
{
    const size_t count = from->n_users;
    if (count > SC__CLUSTER_MEMBERS_MAX || from->n_gateways > SC__CLUSTER_GATEWAYS_MAX)
        return SC_ELIMIT;
    // Ids ascend, so there cannot be more of them than the map has.
    if (from->n_stars > sc_map_star_count(codec->map) ||
        from->n_segments > sc_map_segment_count(codec->map) ||
        from->n_border_nodes > sc_map_node_count(codec->map)) {
        return SC_EUNKNOWN;
    }
    const bool is_fine =
        count > 0 && from->n_segments > 0 && from->queries.len == count * SC__CLUSTER_ID_SIZE &&
        from->n_later == count && from->n_segment == count && from->n_star == count &&
        from->n_k == count && from->n_l == count && from->n_max_hops == count &&
        from->n_gateways > 0 && from->n_gateway == (from->n_gateways > 1 ? count : 0);
    return is_fine ? SC_OK : SC_EPARSE;
}

static bool are_different(const uint64_t *gateways, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (gateways[i] == SC_PEER_NONE) return false;
        for (size_t k = 0; k < i; k++) {
            if (gateways[k] == gateways[i]) return false;
        }
    }
    return true;
}

static sc_err read_cloak(const sc_cluster_codec *codec, const proposal_pb *from,
                         sc_proposal *proposal)
{
    sc_err err = sc__cluster_steps_read(from->stars, from->n_stars, sc_map_star_count(codec->map),
                                        proposal->stars);
    if (!err) {
        err = sc__cluster_steps_read(from->segments, from->n_segments,
                                     sc_map_segment_count(codec->map), proposal->segments);
    }
    if (!err) {
        err = sc__cluster_steps_read(from->border_nodes, from->n_border_nodes,
                                     sc_map_node_count(codec->map), proposal->border_nodes);
    }
    return err;
}

static sc_err read_member(const sc_cluster_codec *codec, const proposal_pb *from, size_t i,
                          int64_t offset_us, sc_proposal_member *out)
{
    const uint32_t gateway = from->n_gateway > 0 ? from->gateway[i] : 0;
    int64_t deadline = 0;
    if (gateway >= from->n_gateways ||
        __builtin_add_overflow(from->deadline, from->later[i], &deadline)) {
        return SC_EPARSE;
    }
    sc_query *query = &out->query;
    memcpy(query->id.bytes, from->queries.data + i * SC__CLUSTER_ID_SIZE, SC__CLUSTER_ID_SIZE);
    query->user = from->users[i];
    query->segment = from->segment[i];
    query->k = from->k[i];
    query->l = from->l[i];
    query->max_hops = from->max_hops[i];
    query->owner = from->gateways[gateway];
    out->star = from->star[i] - 1;
    if (!sc__cluster_time_read(deadline, offset_us, &query->deadline) || query->k < 1 ||
        query->l < 1 || query->max_hops > SC__CLUSTER_HOPS_MAX) {
        return SC_EPARSE;
    }
    const bool is_known = query->segment < sc_map_segment_count(codec->map) &&
                          (out->star == SC_NONE || out->star < sc_map_star_count(codec->map));
    return is_known ? SC_OK : SC_EUNKNOWN;
}

// Sets what follows from the members, too.
static sc_err read_members(const sc_cluster_codec *codec, const proposal_pb *from,
                           int64_t offset_us, sc_proposal *proposal)
{
    bool has_releaser = false;
    proposal->releaser = from->gateways[0];
    proposal->is_single = true;
    proposal->deadline = SC_TIME_NEVER;
    proposal->last = INT64_MIN;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_err err = read_member(codec, from, i, offset_us, &proposal->members[i]);
        if (err) return err;
        const sc_query *query = &proposal->members[i].query;
        has_releaser |= query->owner == proposal->releaser;
        proposal->is_single &= query->owner == proposal->releaser;
        if (query->deadline < proposal->deadline) proposal->deadline = query->deadline;
        if (query->deadline > proposal->last) proposal->last = query->deadline;
    }
    return has_releaser ? SC_OK : SC_EPARSE;
}

sc_err sc__cluster_proposal_read(const sc_cluster_codec *codec, const proposal_pb *from,
                                 sc_peer worker, int64_t offset_us, sc_proposal **out)
{
    sc_err err = check_counts(codec, from);
    if (err) return err;
    if (from->id.len != SC__CLUSTER_ID_SIZE || !are_different(from->gateways, from->n_gateways)) {
        return SC_EPARSE;
    }
    if (from->part >= codec->parts) return SC_EUNKNOWN;
    sc_proposal *proposal =
        sc_proposal_new(from->n_stars, from->n_segments, from->n_border_nodes, from->n_users);
    if (!proposal) return SC_ENOMEM;
    memcpy(proposal->id.bytes, from->id.data, SC__CLUSTER_ID_SIZE);
    proposal->worker = worker;
    proposal->engine_thread = from->engine_thread;
    proposal->part = from->part;
    err = read_cloak(codec, from, proposal);
    if (!err) err = read_members(codec, from, offset_us, proposal);
    if (err) {
        sc_proposal_free(proposal);
        return err;
    }
    *out = proposal;
    return SC_OK;
}

// --- Requests of members -----------------------------------------------------------------------
//
// Each category stands once in a message, by name, and requests name it by its place there. A
// gateway finds names in its vocabulary, where an unknown one is an error: the gateways of a
// cluster have the same provider. A worker only carries them on, and numbers what it receives
// (category_table.c).

typedef Starcloak__Cluster__Wishes wishes_pb;

// Not HUGE_VAL: what is sent on is refused elsewhere if it is infinite.
static const sc_request_limits any = {
    .max_k = UINT32_MAX, .max_radius_m = DBL_MAX, .max_radius_s = DBL_MAX};

static const char *name_of(const sc_cluster_codec *codec, sc_category_id category)
{
    if (!codec->vocabulary) {
        return codec->categories ? sc__category_table_at(codec->categories, category) : NULL;
    }
    return category < codec->vocabulary->count ? codec->vocabulary->names[category] : NULL;
}

static sc_err number_of(const sc_cluster_codec *codec, const char *name, sc_category_id *out)
{
    if (strlen(name) > SC__CLUSTER_CATEGORY_MAX) return SC_ELIMIT;
    if (!codec->vocabulary) {
        return codec->categories ? sc__category_table_number(codec->categories, name, out)
                                 : SC_EUNKNOWN;
    }
    *out = sc_vocabulary_find(codec->vocabulary, name);
    return *out == SC_NONE ? SC_EUNKNOWN : SC_OK;
}

// --- Requests: writing -------------------------------------------------------------------------

/** Requests being written, and where each category stands in `names` of the message. */
typedef struct pen {
    const sc_cluster_codec *codec;
    sc__cluster_scratch *scratch;
    wishes_pb *out;
    sc_hash places;
} pen;

static sc_err write_category(pen *p, sc_category_id category, uint32_t *place)
{
    const uint32_t next = (uint32_t)p->out->n_names;
    if (sc_hash_put(&p->places, (sc_key){.low = category}, next, place)) return SC_ENOMEM;
    if (*place != next) return SC_OK;
    const char *name = name_of(p->codec, category);
    if (!name || strlen(name) > SC__CLUSTER_CATEGORY_MAX) return SC_EINVAL;
    // protobuf-c has no constant texts; it only reads this one.
    p->out->names[p->out->n_names++] = (char *)(uintptr_t)name;
    return SC_OK;
}

static sc_err write_request(pen *p, const sc_request *from, Starcloak__Cluster__Request *to)
{
    if (sc_request_check(from, &any, UINT32_MAX, NULL)) return SC_EINVAL;
    const bool is_by_time = from->metric == SC_METRIC_TIME;
    starcloak__cluster__request__init(to);
    to->metric = is_by_time ? STARCLOAK__CLUSTER__METRIC__METRIC_TIME
                            : STARCLOAK__CLUSTER__METRIC__METRIC_DISTANCE;
    if (from->type == SC_REQUEST_KNN) {
        to->wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_K;
        to->k = from->k;
    } else if (is_by_time) {
        to->wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_S;
        to->radius_s = from->radius_s;
    } else {
        to->wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M;
        to->radius_m = from->radius_m;
    }
    to->categories =
        sc__cluster_scratch_take(p->scratch, from->category_count, sizeof *to->categories);
    if (!to->categories) return SC_ENOMEM;
    to->n_categories = from->category_count;
    sc_err err = SC_OK;
    for (uint32_t i = 0; i < from->category_count && !err; i++) {
        err = write_category(p, from->categories[i], &to->categories[i]);
    }
    return err;
}

sc_err sc__cluster_wishes_write(const sc_cluster_codec *codec, const sc_wish *wishes, size_t count,
                                sc__cluster_scratch *scratch, wishes_pb *out)
{
    if (count > SC__CLUSTER_MEMBERS_MAX) return SC_EINVAL;
    size_t categories = 0;
    for (size_t i = 0; i < count; i++) {
        categories += wishes[i].request.category_count;
    }
    Starcloak__Cluster__Request *requests =
        sc__cluster_scratch_take(scratch, count, sizeof *requests);
    out->requests = sc__cluster_scratch_take(scratch, count, sizeof(void *));
    out->queries.data = sc__cluster_scratch_take(scratch, count, SC__CLUSTER_ID_SIZE);
    out->names = sc__cluster_scratch_take(scratch, categories, sizeof(char *));
    if (!requests || !out->requests || !out->queries.data || !out->names) return SC_ENOMEM;
    out->queries.len = count * SC__CLUSTER_ID_SIZE;
    out->n_requests = count;

    pen p = {.codec = codec, .scratch = scratch, .out = out};
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        memcpy(out->queries.data + i * SC__CLUSTER_ID_SIZE, wishes[i].query.bytes,
               SC__CLUSTER_ID_SIZE);
        out->requests[i] = &requests[i];
        err = write_request(&p, &wishes[i].request, &requests[i]);
    }
    sc_hash_fini(&p.places);
    return err;
}

// --- Requests: reading -------------------------------------------------------------------------

static sc_err read_request(const wishes_pb *from, const sc_category_id *numbers, size_t place,
                           sc_request *out)
{
    const Starcloak__Cluster__Request *request = from->requests[place];
    sc_request read = {.type = SC_REQUEST_KNN};
    switch (request->metric) {
    case STARCLOAK__CLUSTER__METRIC__METRIC_DISTANCE:
        read.metric = SC_METRIC_DISTANCE;
        break;
    case STARCLOAK__CLUSTER__METRIC__METRIC_TIME:
        read.metric = SC_METRIC_TIME;
        break;
    default:
        return SC_EPARSE;
    }
    switch (request->wanted_case) {
    case STARCLOAK__CLUSTER__REQUEST__WANTED_K:
        read.k = request->k;
        break;
    case STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M:
        if (read.metric != SC_METRIC_DISTANCE) return SC_EPARSE;
        read.type = SC_REQUEST_RANGE;
        read.radius_m = request->radius_m;
        break;
    case STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_S:
        if (read.metric != SC_METRIC_TIME) return SC_EPARSE;
        read.type = SC_REQUEST_RANGE;
        read.radius_s = request->radius_s;
        break;
    default:
        return SC_EPARSE;
    }
    if (request->n_categories > SC_REQUEST_CATEGORIES) return SC_ELIMIT;
    for (size_t i = 0; i < request->n_categories; i++) {
        if (request->categories[i] >= from->n_names) return SC_EPARSE;
        read.categories[read.category_count++] = numbers[request->categories[i]];
    }
    if (sc_request_check(&read, &any, UINT32_MAX, NULL)) return SC_EPARSE;
    *out = sc_request_normalise(&read);
    return SC_OK;
}

static sc_err read_names(const sc_cluster_codec *codec, const wishes_pb *from, sc_category_id **out)
{
    *out = sc_malloc_array(from->n_names, sizeof **out);
    if (!*out) return SC_ENOMEM;
    sc_err err = SC_OK;
    for (size_t i = 0; i < from->n_names && !err; i++) {
        err = number_of(codec, from->names[i], &(*out)[i]);
    }
    return err;
}

static sc_err read_all(const wishes_pb *from, const sc_category_id *numbers, sc_wish **out,
                       size_t *count)
{
    sc_err err = SC_OK;
    sc_wish *wishes = sc_calloc(from->n_requests, sizeof *wishes);
    if (!wishes) return SC_ENOMEM;
    for (size_t i = 0; i < from->n_requests && !err; i++) {
        memcpy(wishes[i].query.bytes, from->queries.data + i * SC__CLUSTER_ID_SIZE,
               SC__CLUSTER_ID_SIZE);
        err = read_request(from, numbers, i, &wishes[i].request);
    }
    if (err) {
        explicit_bzero(wishes, from->n_requests * sizeof *wishes);
        sc_free(wishes);
        return err;
    }
    *out = wishes;
    *count = from->n_requests;
    return SC_OK;
}

sc_err sc__cluster_wishes_read(const sc_cluster_codec *codec, const wishes_pb *from, sc_wish **out,
                               size_t *count)
{
    *out = NULL;
    *count = 0;
    if (!from || from->n_requests == 0) return SC_OK;
    const size_t categories_max = (size_t)SC__CLUSTER_MEMBERS_MAX * SC_REQUEST_CATEGORIES;
    if (from->n_requests > SC__CLUSTER_MEMBERS_MAX || from->n_names > categories_max)
        return SC_ELIMIT;
    if (from->queries.len != from->n_requests * SC__CLUSTER_ID_SIZE) return SC_EPARSE;
    sc_category_id *numbers = NULL;
    sc_err err = read_names(codec, from, &numbers);
    if (!err) err = read_all(from, numbers, out, count);
    sc_free(numbers);
    return err;
}
