// Messages between gateways and workers as bytes: which kind has which fields (cluster.proto).
// What they mean is in messages/messages.h.
//
// Only the fields that a kind of message needs are sent, and others that a message has are ignored.
#include "cluster/cluster_codec_internal.h"

#include "base/alloc.h"

#include <string.h>

// --- Queries -----------------------------------------------------------------------------------
//
// A worker that drops a query, or has no memory for it, names it. To remove one it must be found:
// by its id, in the engines of all parts that its segment and hops reach. To add one all of it is
// needed. Its owner is the gateway that sends the message.

typedef Starcloak__Cluster__Query query_pb;

static bool has_place(sc_msg_kind kind)
{
    return kind == SC_MSG_ADD || kind == SC_MSG_COMPANY || kind == SC_MSG_REMOVE;
}

static bool has_needs(sc_msg_kind kind)
{
    return kind == SC_MSG_ADD || kind == SC_MSG_COMPANY;
}

static bool is_known(const sc_cluster_codec *codec, uint32_t part, uint32_t home, sc_seg_id segment)
{
    return part < codec->parts && home < codec->parts && segment < sc_map_segment_count(codec->map);
}

// --- Queries: what they ask of their roads -----------------------------------------------------

static bool write_steps(const sc_cluster_codec *codec, const sc_seg_id *ids, size_t count,
                        uint32_t *out)
{
    return sc__cluster_steps_write(ids, count, sc_map_segment_count(codec->map), out);
}

static sc_err own_write(const sc_cluster_codec *codec, const sc_own_demands *own,
                        sc__cluster_scratch *scratch, query_pb *out)
{
    if (own->zone_count > SC__CLUSTER_OWN_MAX || own->reached_count > SC__CLUSTER_OWN_MAX) {
        return SC_ELIMIT;
    }
    sc_seg_id *segments = sc__cluster_scratch_take(scratch, own->reached_count, sizeof *segments);
    out->zone = sc__cluster_scratch_take(scratch, own->zone_count, sizeof *out->zone);
    out->reached = sc__cluster_scratch_take(scratch, own->reached_count, sizeof *out->reached);
    out->missing = sc__cluster_scratch_take(scratch, own->reached_count, sizeof *out->missing);
    if (!segments || !out->zone || !out->reached || !out->missing) return SC_ENOMEM;
    for (size_t i = 0; i < own->reached_count; i++) {
        if (own->reached[i].part == 0) return SC_EINVAL;
        segments[i] = own->reached[i].segment;
        out->missing[i] = (uint32_t)(SC_REACHED_WHOLE - own->reached[i].part);
    }
    out->n_zone = own->zone_count;
    out->has_reached = own->has_reached;
    out->n_reached = out->n_missing = own->reached_count;
    const bool is_fine = write_steps(codec, own->zone, own->zone_count, out->zone) &&
                         write_steps(codec, segments, own->reached_count, out->reached);
    return is_fine ? SC_OK : SC_EINVAL;
}

/** Room for what is read; wiped and released by own_fini(). */
typedef struct own_draft {
    sc_seg_id *zone;
    sc_seg_id *segments;
    sc_reached *reached;
} own_draft;

static void own_fini(own_draft *draft, const query_pb *from)
{
    if (draft->zone) explicit_bzero(draft->zone, from->n_zone * sizeof *draft->zone);
    if (draft->segments) {
        explicit_bzero(draft->segments, from->n_reached * sizeof *draft->segments);
    }
    if (draft->reached) {
        explicit_bzero(draft->reached, from->n_reached * sizeof *draft->reached);
    }
    sc_free(draft->zone);
    sc_free(draft->segments);
    sc_free(draft->reached);
}

static sc_err own_fill(const sc_cluster_codec *codec, const query_pb *from, own_draft *draft)
{
    const uint32_t limit = sc_map_segment_count(codec->map);
    draft->zone = sc_malloc_array(from->n_zone, sizeof *draft->zone);
    draft->segments = sc_malloc_array(from->n_reached, sizeof *draft->segments);
    draft->reached = sc_malloc_array(from->n_reached, sizeof *draft->reached);
    if (!draft->zone || !draft->segments || !draft->reached) return SC_ENOMEM;
    sc_err err = sc__cluster_steps_read(from->zone, from->n_zone, limit, draft->zone);
    if (!err) err = sc__cluster_steps_read(from->reached, from->n_reached, limit, draft->segments);
    for (size_t i = 0; i < from->n_reached && !err; i++) {
        if (from->missing[i] >= SC_REACHED_WHOLE) return SC_EPARSE;
        draft->reached[i] = (sc_reached){.segment = draft->segments[i],
                                         .part = (uint16_t)(SC_REACHED_WHOLE - from->missing[i])};
    }
    return err;
}

static sc_err own_read(const sc_cluster_codec *codec, const query_pb *from, sc_msg *out)
{
    if (from->n_zone == 0 && !from->has_reached) {
        return from->n_reached == 0 && from->n_missing == 0 ? SC_OK : SC_EPARSE;
    }
    if (from->n_zone > SC__CLUSTER_OWN_MAX || from->n_reached > SC__CLUSTER_OWN_MAX) {
        return SC_ELIMIT;
    }
    if (from->n_reached != from->n_missing || (from->n_reached > 0 && !from->has_reached)) {
        return SC_EPARSE;
    }
    own_draft draft = {0};
    sc_err err = own_fill(codec, from, &draft);
    if (!err) {
        const sc_own_demands own = {
            .zone = draft.zone,
            .zone_count = from->n_zone,
            .reached = draft.reached,
            .reached_count = from->n_reached,
            .has_reached = from->has_reached,
        };
        err = sc_msg_set_own(out, &own) ? SC_OK : SC_ENOMEM;
    }
    own_fini(&draft, from);
    return err;
}

// --- Queries: all of them ----------------------------------------------------------------------

static sc_err query_write(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us,
                          sc__cluster_scratch *scratch, query_pb *out)
{
    const sc_query *query = &msg->query;
    out->id = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, (uint8_t *)(uintptr_t)query->id.bytes};
    if (msg->kind == SC_MSG_DROPPED) out->reason = (uint32_t)msg->reason;
    if (!has_place(msg->kind)) return SC_OK;

    if (!is_known(codec, msg->part, msg->home, query->segment) || query->owner != msg->from) {
        return SC_EINVAL;
    }
    out->part = msg->part;
    out->home = msg->home;
    out->segment = query->segment;
    out->max_hops = query->max_hops;
    if (!has_needs(msg->kind)) return SC_OK;

    out->user = query->user;
    out->k = query->k;
    out->l = query->l;
    out->result_size = query->result_size;
    if (!sc__cluster_time_write(query->deadline, offset_us, &out->deadline)) return SC_EINVAL;
    return query->own ? own_write(codec, query->own, scratch, out) : SC_OK;
}

static sc_err query_read(const sc_cluster_codec *codec, const query_pb *from, int64_t offset_us,
                         sc_msg *out)
{
    sc_query *query = &out->query;
    if (from->id.len != SC__CLUSTER_ID_SIZE) return SC_EPARSE;
    memcpy(query->id.bytes, from->id.data, SC__CLUSTER_ID_SIZE);
    if (out->kind == SC_MSG_DROPPED) {
        if (from->reason >= SC_DROP_REASON_COUNT) return SC_EUNKNOWN;
        out->reason = (sc_drop_reason)from->reason;
    }
    if (!has_place(out->kind)) return SC_OK;

    if (!is_known(codec, from->part, from->home, from->segment)) return SC_EUNKNOWN;
    if (from->max_hops > SC__CLUSTER_HOPS_MAX) return SC_ELIMIT;
    out->part = from->part;
    out->home = from->home;
    query->owner = out->from;
    query->segment = from->segment;
    query->max_hops = from->max_hops;
    if (!has_needs(out->kind)) return SC_OK;

    query->user = from->user;
    query->k = from->k;
    query->l = from->l;
    query->result_size = from->result_size;
    if (query->k < 1 || query->l < 1 ||
        !sc__cluster_time_read(from->deadline, offset_us, &query->deadline)) {
        return SC_EPARSE;
    }
    return own_read(codec, from, out);
}

// --- Messages by kind --------------------------------------------------------------------------

typedef Starcloak__Cluster__Proceeding proceeding;

// --- Messages: kinds ---------------------------------------------------------------------------

// The numbers in messages are part of the format and do not follow those of the program.
static const Starcloak__Cluster__Kind kinds[SC_MSG_KIND_COUNT] = {
    [SC_MSG_ADD] = STARCLOAK__CLUSTER__KIND__ADD,
    [SC_MSG_COMPANY] = STARCLOAK__CLUSTER__KIND__COMPANY,
    [SC_MSG_REMOVE] = STARCLOAK__CLUSTER__KIND__REMOVE,
    [SC_MSG_OK] = STARCLOAK__CLUSTER__KIND__OK,
    [SC_MSG_NO] = STARCLOAK__CLUSTER__KIND__NO,
    [SC_MSG_PUBLISHED] = STARCLOAK__CLUSTER__KIND__PUBLISHED,
    [SC_MSG_DEAD] = STARCLOAK__CLUSTER__KIND__DEAD,
    [SC_MSG_RESERVE] = STARCLOAK__CLUSTER__KIND__RESERVE,
    [SC_MSG_RELEASE] = STARCLOAK__CLUSTER__KIND__RELEASE,
    [SC_MSG_ABORT] = STARCLOAK__CLUSTER__KIND__ABORT,
    [SC_MSG_DROPPED] = STARCLOAK__CLUSTER__KIND__DROPPED,
    [SC_MSG_NOT_TAKEN] = STARCLOAK__CLUSTER__KIND__NOT_TAKEN,
    [SC_MSG_ASK] = STARCLOAK__CLUSTER__KIND__ASK,
    [SC_MSG_RESULT] = STARCLOAK__CLUSTER__KIND__RESULT,
    [SC_MSG_VISIT] = STARCLOAK__CLUSTER__KIND__VISIT,
    [SC_MSG_VISITED] = STARCLOAK__CLUSTER__KIND__VISITED,
};

static sc_msg_kind kind_of(Starcloak__Cluster__Kind number)
{
    for (unsigned kind = SC_MSG_NONE + 1; kind < SC_MSG_KIND_COUNT; kind++) {
        if (kinds[kind] == number) return (sc_msg_kind)kind;
    }
    return SC_MSG_NONE;
}

// What a message is about: a query, a proposal that is proposed, or what becomes of one.
static Starcloak__Cluster__Commit__AboutCase about(sc_msg_kind kind)
{
    switch (kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
    case SC_MSG_REMOVE:
    case SC_MSG_DROPPED:
    case SC_MSG_NOT_TAKEN:
        return STARCLOAK__CLUSTER__COMMIT__ABOUT_QUERY;
    case SC_MSG_RESERVE:
        return STARCLOAK__CLUSTER__COMMIT__ABOUT_PROPOSAL;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        return STARCLOAK__CLUSTER__COMMIT__ABOUT_VISIT;
    default:
        return STARCLOAK__CLUSTER__COMMIT__ABOUT_PROCEEDING;
    }
}

static bool has_deadline(sc_msg_kind kind)
{
    return kind == SC_MSG_OK || kind == SC_MSG_RELEASE || kind == SC_MSG_ABORT ||
           kind == SC_MSG_ASK || kind == SC_MSG_PUBLISHED;
}

static bool has_wishes(sc_msg_kind kind)
{
    return kind == SC_MSG_OK || kind == SC_MSG_RELEASE;
}

static bool has_number(sc_msg_kind kind)
{
    return kind == SC_MSG_PUBLISHED || kind == SC_MSG_RESULT;
}

// --- Messages: writing -------------------------------------------------------------------------

/** All parts that a message may need; those that it does not are not looked at. */
typedef struct draft {
    Starcloak__Cluster__Message message;
    Starcloak__Cluster__Commit msg;
    Starcloak__Cluster__Query query;
    Starcloak__Cluster__Proposal proposal;
    Starcloak__Cluster__Proceeding proceeding;
    Starcloak__Cluster__Wishes wishes;
    Starcloak__Cluster__Result result;
    Starcloak__Cluster__Visit visit;
} draft;

static ProtobufCBinaryData lent(const void *bytes, size_t size)
{
    // protobuf-c has no constant bytes; it only reads these.
    return (ProtobufCBinaryData){size, (uint8_t *)(uintptr_t)bytes};
}

static sc_err write_result(const sc_result *from, draft *d)
{
    if (!from || (unsigned)from->failure >= SC_FAILURE_COUNT) return SC_EINVAL;
    starcloak__cluster__result__init(&d->result);
    d->result.failure = (uint32_t)from->failure;
    if (!from->failure) {
        if (from->relay_size == 0) return SC_EINVAL;
        d->result.relay = lent(from->relay, from->relay_size);
        d->result.reply = lent(from->reply, from->reply_size);
    }
    d->proceeding.result = &d->result;
    return SC_OK;
}

static sc_err write_visit(const sc_msg *msg, draft *d)
{
    const sc_visit *from = msg->visit;
    if (!from) return SC_EINVAL;
    starcloak__cluster__visit__init(&d->visit);
    d->msg.visit = &d->visit;
    d->visit.number = from->number;
    if (msg->kind == SC_MSG_VISITED) {
        d->visit.status = from->status;
        d->visit.body = lent(from->body, from->size);
        return SC_OK;
    }
    if (from->wait_us < 0) return SC_EINVAL;
    d->visit.verb = from->verb;
    d->visit.id = lent(from->id, SC_VISIT_ID_SIZE);
    d->visit.owner = lent(from->owner, SC_VISIT_OWNER_SIZE);
    d->visit.wait_us = (uint64_t)from->wait_us;
    d->visit.known = from->known;
    return SC_OK;
}

static sc_err write_gone(const sc_msg *msg, sc__cluster_scratch *scratch, proceeding *out)
{
    if (msg->count > SC__CLUSTER_MEMBERS_MAX) return SC_EINVAL;
    out->gone.data = sc__cluster_scratch_take(scratch, msg->count, SC__CLUSTER_ID_SIZE);
    if (!out->gone.data) return SC_ENOMEM;
    out->gone.len = msg->count * SC__CLUSTER_ID_SIZE;
    for (size_t i = 0; i < msg->count; i++) {
        memcpy(out->gone.data + i * SC__CLUSTER_ID_SIZE, msg->gone[i].bytes, SC__CLUSTER_ID_SIZE);
    }
    return SC_OK;
}

static sc_err write_proceeding(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us,
                               sc__cluster_scratch *scratch, draft *d)
{
    proceeding *out = &d->proceeding;
    starcloak__cluster__proceeding__init(out);
    out->proposal = lent(msg->id.bytes, SC__CLUSTER_ID_SIZE);
    out->engine_thread = msg->engine_thread;
    if (has_number(msg->kind)) {
        out->users = msg->users;
        out->number = msg->number;
    }
    if (has_deadline(msg->kind) &&
        !sc__cluster_time_write(msg->deadline, offset_us, &out->deadline)) {
        return SC_EINVAL;
    }
    if (has_wishes(msg->kind)) {
        starcloak__cluster__wishes__init(&d->wishes);
        out->wishes = &d->wishes;
        return sc__cluster_wishes_write(codec, msg->wishes, msg->count, scratch, &d->wishes);
    }
    if (msg->kind == SC_MSG_ASK) out->member = lent(msg->member.bytes, SC__CLUSTER_ID_SIZE);
    if (msg->kind == SC_MSG_NO) return write_gone(msg, scratch, out);
    return msg->kind == SC_MSG_RESULT ? write_result(msg->result, d) : SC_OK;
}

static sc_err write_msg(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us,
                        sc__cluster_scratch *scratch, draft *d)
{
    starcloak__cluster__commit__init(&d->msg);
    d->msg.kind = kinds[msg->kind];
    d->msg.from = msg->from;
    d->msg.about_case = about(msg->kind);
    switch (d->msg.about_case) {
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_QUERY:
        starcloak__cluster__query__init(&d->query);
        d->msg.query = &d->query;
        return query_write(codec, msg, offset_us, scratch, &d->query);
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_PROPOSAL:
        if (!msg->proposal) return SC_EINVAL;
        starcloak__cluster__proposal__init(&d->proposal);
        d->msg.proposal = &d->proposal;
        return sc__cluster_proposal_write(codec, msg->proposal, msg->from, offset_us, scratch,
                                          &d->proposal);
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_VISIT:
        return write_visit(msg, d);
    default:
        d->msg.proceeding = &d->proceeding;
        return write_proceeding(codec, msg, offset_us, scratch, d);
    }
}

sc_err sc_msg_encode(const sc_cluster_codec *codec, const sc_msg *msg, int64_t offset_us,
                     sc_bytes *out)
{
    if (msg->kind == SC_MSG_NONE || (unsigned)msg->kind >= SC_MSG_KIND_COUNT ||
        msg->from == SC_PEER_NONE) {
        return SC_EINVAL;
    }
    draft d;
    sc__cluster_scratch scratch = sc__cluster_scratch_of(SIZE_MAX);
    sc_err err = write_msg(codec, msg, offset_us, &scratch, &d);
    if (!err) {
        starcloak__cluster__message__init(&d.message);
        d.message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_COMMIT;
        d.message.commit = &d.msg;
        err = sc__cluster_pack(&d.message, out);
    }
    sc__cluster_scratch_fini(&scratch);
    explicit_bzero(&d, sizeof d);
    return err;
}

// --- Messages: reading -------------------------------------------------------------------------

static sc_err read_result(const Starcloak__Cluster__Result *from, sc_msg *out)
{
    if (!from) return SC_EPARSE;
    if (from->failure >= SC_FAILURE_COUNT) return SC_EUNKNOWN;
    const sc_failure failure = (sc_failure)from->failure;
    if (!failure && from->relay.len == 0) return SC_EPARSE;
    out->result = failure ? sc_result_new(failure, NULL, 0, NULL, 0)
                          : sc_result_new(failure, from->relay.data, from->relay.len,
                                          from->reply.data, from->reply.len);
    return out->result ? SC_OK : SC_ENOMEM;
}

static sc_err read_gone(const proceeding *from, sc_msg *out)
{
    const size_t count = from->gone.len / SC__CLUSTER_ID_SIZE;
    if (from->gone.len % SC__CLUSTER_ID_SIZE != 0) return SC_EPARSE;
    if (count > SC__CLUSTER_MEMBERS_MAX) return SC_ELIMIT;
    if (count == 0) return SC_OK;
    out->gone = sc_malloc_array(count, sizeof *out->gone);
    if (!out->gone) return SC_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        memcpy(out->gone[i].bytes, from->gone.data + i * SC__CLUSTER_ID_SIZE, SC__CLUSTER_ID_SIZE);
    }
    out->count = count;
    return SC_OK;
}

static sc_err read_proceeding(const sc_cluster_codec *codec, const proceeding *from,
                              int64_t offset_us, sc_msg *out)
{
    if (from->proposal.len != SC__CLUSTER_ID_SIZE) return SC_EPARSE;
    memcpy(out->id.bytes, from->proposal.data, SC__CLUSTER_ID_SIZE);
    out->engine_thread = from->engine_thread;
    if (has_number(out->kind)) {
        out->users = from->users;
        out->number = from->number;
    }
    if (has_deadline(out->kind) &&
        !sc__cluster_time_read(from->deadline, offset_us, &out->deadline)) {
        return SC_EPARSE;
    }
    if (has_wishes(out->kind)) {
        return sc__cluster_wishes_read(codec, from->wishes, &out->wishes, &out->count);
    }
    // Processes from before it was sent name none: then R only tells what it remembers.
    if (out->kind == SC_MSG_ASK && from->member.len > 0) {
        if (from->member.len != SC__CLUSTER_ID_SIZE) return SC_EPARSE;
        memcpy(out->member.bytes, from->member.data, SC__CLUSTER_ID_SIZE);
    }
    if (out->kind == SC_MSG_NO) return read_gone(from, out);
    return out->kind == SC_MSG_RESULT ? read_result(from->result, out) : SC_OK;
}

static sc_err read_visit(const Starcloak__Cluster__Visit *from, sc_msg *out)
{
    const bool is_answer = out->kind == SC_MSG_VISITED;
    if (is_answer && (from->status < 100 || from->status > 599)) return SC_EPARSE;
    if (!is_answer && (from->id.len != SC_VISIT_ID_SIZE || from->owner.len != SC_VISIT_OWNER_SIZE ||
                       from->verb < SC_VISIT_LOOK || from->verb > SC_VISIT_LEAVE)) {
        return SC_EPARSE;
    }
    if (from->wait_us > SC__CLUSTER_VISIT_MAX_US) return SC_ELIMIT;
    out->visit = sc_visit_new(from->body.data, is_answer ? from->body.len : 0);
    if (!out->visit) return SC_ENOMEM;
    out->visit->number = from->number;
    if (is_answer) {
        out->visit->status = from->status;
        return SC_OK;
    }
    out->visit->verb = (sc_visit_verb)from->verb;
    memcpy(out->visit->id, from->id.data, SC_VISIT_ID_SIZE);
    memcpy(out->visit->owner, from->owner.data, SC_VISIT_OWNER_SIZE);
    out->visit->wait_us = (sc_time)from->wait_us;
    out->visit->known = from->known;
    return SC_OK;
}

static sc_err read_msg(const sc_cluster_codec *codec, const Starcloak__Cluster__Commit *from,
                       int64_t offset_us, sc_msg *out)
{
    *out = (sc_msg){.kind = kind_of(from->kind), .from = from->from};
    if (out->kind == SC_MSG_NONE) return SC_EUNKNOWN;
    if (out->from == SC_PEER_NONE || from->about_case != about(out->kind)) return SC_EPARSE;
    switch (from->about_case) {
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_QUERY:
        return query_read(codec, from->query, offset_us, out);
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_PROPOSAL:
        return sc__cluster_proposal_read(codec, from->proposal, out->from, offset_us,
                                         &out->proposal);
    case STARCLOAK__CLUSTER__COMMIT__ABOUT_VISIT:
        return read_visit(from->visit, out);
    default:
        return read_proceeding(codec, from->proceeding, offset_us, out);
    }
}

sc_err sc_msg_decode(const sc_cluster_codec *codec, const void *bytes, size_t size,
                     int64_t offset_us, sc_msg *out)
{
    sc__cluster_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_msg msg = {.kind = SC_MSG_NONE};
    sc_err err = sc__cluster_unpack(bytes, size, SC_MESSAGE_COMMIT, &scratch, &envelope);
    if (!err) err = read_msg(codec, envelope->commit, offset_us, &msg);
    sc__cluster_scratch_fini(&scratch);
    // Of a message that is refused halfway nothing is owned yet: its only part that could be is the
    // one that was refused.
    if (!err) *out = msg;
    explicit_bzero(&msg, sizeof msg);
    return err;
}
