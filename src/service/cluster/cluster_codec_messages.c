// Messages between gateways and workers as bytes: which kind has which fields (cluster.proto).
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

static bool has_place(sc_word_kind kind)
{
    return kind == SC_WORD_ADD || kind == SC_WORD_COMPANY || kind == SC_WORD_REMOVE;
}

static bool has_needs(sc_word_kind kind)
{
    return kind == SC_WORD_ADD || kind == SC_WORD_COMPANY;
}

static bool is_known(const sc_cluster_codec *codec, uint32_t part, uint32_t home, sc_seg_id segment)
{
    return part < codec->parts && home < codec->parts && segment < sc_map_segment_count(codec->map);
}

static sc_err query_write(const sc_cluster_codec *codec, const sc_word *word, int64_t offset_us,
                          query_pb *out)
{
    const sc_query *query = &word->query;
    out->id = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, (uint8_t *)(uintptr_t)query->id.bytes};
    if (word->kind == SC_WORD_DROPPED) out->reason = (uint32_t)word->reason;
    if (!has_place(word->kind)) return SC_OK;

    if (!is_known(codec, word->part, word->home, query->segment) || query->owner != word->from) {
        return SC_EINVAL;
    }
    out->part = word->part;
    out->home = word->home;
    out->segment = query->segment;
    out->max_hops = query->max_hops;
    if (!has_needs(word->kind)) return SC_OK;

    out->user = query->user;
    out->k = query->k;
    out->l = query->l;
    out->result_size = query->result_size;
    return sc__cluster_time_write(query->deadline, offset_us, &out->deadline) ? SC_OK : SC_EINVAL;
}

static sc_err query_read(const sc_cluster_codec *codec, const query_pb *from, int64_t offset_us,
                         sc_word *out)
{
    sc_query *query = &out->query;
    if (from->id.len != SC__CLUSTER_ID_SIZE) return SC_EPARSE;
    memcpy(query->id.bytes, from->id.data, SC__CLUSTER_ID_SIZE);
    if (out->kind == SC_WORD_DROPPED) {
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
    return query->k >= 1 && query->l >= 1 &&
                   sc__cluster_time_read(from->deadline, offset_us, &query->deadline)
               ? SC_OK
               : SC_EPARSE;
}

// --- Messages by kind --------------------------------------------------------------------------

typedef Starcloak__Cluster__Proceeding proceeding;

// --- Messages: kinds ---------------------------------------------------------------------------

// The numbers in messages are part of the format and do not follow those of the program.
static const Starcloak__Cluster__Kind kinds[SC_WORD_KIND_COUNT] = {
    [SC_WORD_ADD] = STARCLOAK__CLUSTER__KIND__ADD,
    [SC_WORD_COMPANY] = STARCLOAK__CLUSTER__KIND__COMPANY,
    [SC_WORD_REMOVE] = STARCLOAK__CLUSTER__KIND__REMOVE,
    [SC_WORD_OK] = STARCLOAK__CLUSTER__KIND__OK,
    [SC_WORD_NO] = STARCLOAK__CLUSTER__KIND__NO,
    [SC_WORD_PUBLISHED] = STARCLOAK__CLUSTER__KIND__PUBLISHED,
    [SC_WORD_DEAD] = STARCLOAK__CLUSTER__KIND__DEAD,
    [SC_WORD_RESERVE] = STARCLOAK__CLUSTER__KIND__RESERVE,
    [SC_WORD_RELEASE] = STARCLOAK__CLUSTER__KIND__RELEASE,
    [SC_WORD_ABORT] = STARCLOAK__CLUSTER__KIND__ABORT,
    [SC_WORD_DROPPED] = STARCLOAK__CLUSTER__KIND__DROPPED,
    [SC_WORD_NOT_TAKEN] = STARCLOAK__CLUSTER__KIND__NOT_TAKEN,
    [SC_WORD_ASK] = STARCLOAK__CLUSTER__KIND__ASK,
    [SC_WORD_RESULT] = STARCLOAK__CLUSTER__KIND__RESULT,
};

static sc_word_kind kind_of(Starcloak__Cluster__Kind number)
{
    for (unsigned kind = SC_WORD_NONE + 1; kind < SC_WORD_KIND_COUNT; kind++) {
        if (kinds[kind] == number) return (sc_word_kind)kind;
    }
    return SC_WORD_NONE;
}

// What a word is about: a query, a bid that is proposed, or what becomes of one.
static Starcloak__Cluster__Word__AboutCase about(sc_word_kind kind)
{
    switch (kind) {
    case SC_WORD_ADD:
    case SC_WORD_COMPANY:
    case SC_WORD_REMOVE:
    case SC_WORD_DROPPED:
    case SC_WORD_NOT_TAKEN:
        return STARCLOAK__CLUSTER__WORD__ABOUT_QUERY;
    case SC_WORD_RESERVE:
        return STARCLOAK__CLUSTER__WORD__ABOUT_BID;
    default:
        return STARCLOAK__CLUSTER__WORD__ABOUT_PROCEEDING;
    }
}

static bool has_deadline(sc_word_kind kind)
{
    return kind == SC_WORD_OK || kind == SC_WORD_RELEASE || kind == SC_WORD_ABORT ||
           kind == SC_WORD_ASK || kind == SC_WORD_PUBLISHED;
}

static bool has_wishes(sc_word_kind kind)
{
    return kind == SC_WORD_OK || kind == SC_WORD_RELEASE;
}

static bool has_number(sc_word_kind kind)
{
    return kind == SC_WORD_PUBLISHED || kind == SC_WORD_RESULT;
}

// --- Messages: writing -------------------------------------------------------------------------

/** All parts that a word may need; those that it does not are not looked at. */
typedef struct draft {
    Starcloak__Cluster__Message message;
    Starcloak__Cluster__Word word;
    Starcloak__Cluster__Query query;
    Starcloak__Cluster__Bid bid;
    Starcloak__Cluster__Proceeding proceeding;
    Starcloak__Cluster__Wishes wishes;
    Starcloak__Cluster__Result result;
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

static sc_err write_gone(const sc_word *word, sc__cluster_scratch *scratch, proceeding *out)
{
    if (word->count > SC__CLUSTER_MEMBERS_MAX) return SC_EINVAL;
    out->gone.data = sc__cluster_scratch_take(scratch, word->count, SC__CLUSTER_ID_SIZE);
    if (!out->gone.data) return SC_ENOMEM;
    out->gone.len = word->count * SC__CLUSTER_ID_SIZE;
    for (size_t i = 0; i < word->count; i++) {
        memcpy(out->gone.data + i * SC__CLUSTER_ID_SIZE, word->gone[i].bytes, SC__CLUSTER_ID_SIZE);
    }
    return SC_OK;
}

static sc_err write_proceeding(const sc_cluster_codec *codec, const sc_word *word,
                               int64_t offset_us, sc__cluster_scratch *scratch, draft *d)
{
    proceeding *out = &d->proceeding;
    starcloak__cluster__proceeding__init(out);
    out->bid = lent(word->id.bytes, SC__CLUSTER_ID_SIZE);
    out->room = word->room;
    if (has_number(word->kind)) {
        out->users = word->users;
        out->number = word->number;
    }
    if (has_deadline(word->kind) &&
        !sc__cluster_time_write(word->deadline, offset_us, &out->deadline)) {
        return SC_EINVAL;
    }
    if (has_wishes(word->kind)) {
        starcloak__cluster__wishes__init(&d->wishes);
        out->wishes = &d->wishes;
        return sc__cluster_wishes_write(codec, word->wishes, word->count, scratch, &d->wishes);
    }
    if (word->kind == SC_WORD_NO) return write_gone(word, scratch, out);
    return word->kind == SC_WORD_RESULT ? write_result(word->result, d) : SC_OK;
}

static sc_err write_word(const sc_cluster_codec *codec, const sc_word *word, int64_t offset_us,
                         sc__cluster_scratch *scratch, draft *d)
{
    starcloak__cluster__word__init(&d->word);
    d->word.kind = kinds[word->kind];
    d->word.from = word->from;
    d->word.about_case = about(word->kind);
    switch (d->word.about_case) {
    case STARCLOAK__CLUSTER__WORD__ABOUT_QUERY:
        starcloak__cluster__query__init(&d->query);
        d->word.query = &d->query;
        return query_write(codec, word, offset_us, &d->query);
    case STARCLOAK__CLUSTER__WORD__ABOUT_BID:
        if (!word->bid) return SC_EINVAL;
        starcloak__cluster__bid__init(&d->bid);
        d->word.bid = &d->bid;
        return sc__cluster_bid_write(codec, word->bid, word->from, offset_us, scratch, &d->bid);
    default:
        d->word.proceeding = &d->proceeding;
        return write_proceeding(codec, word, offset_us, scratch, d);
    }
}

sc_err sc_word_encode(const sc_cluster_codec *codec, const sc_word *word, int64_t offset_us,
                      sc_bytes *out)
{
    if (word->kind == SC_WORD_NONE || (unsigned)word->kind >= SC_WORD_KIND_COUNT ||
        word->from == SC_PEER_NONE) {
        return SC_EINVAL;
    }
    draft d;
    sc__cluster_scratch scratch = sc__cluster_scratch_of(SIZE_MAX);
    sc_err err = write_word(codec, word, offset_us, &scratch, &d);
    if (!err) {
        starcloak__cluster__message__init(&d.message);
        d.message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_WORD;
        d.message.word = &d.word;
        err = sc__cluster_pack(&d.message, out);
    }
    sc__cluster_scratch_fini(&scratch);
    explicit_bzero(&d, sizeof d);
    return err;
}

// --- Messages: reading -------------------------------------------------------------------------

static sc_err read_result(const Starcloak__Cluster__Result *from, sc_word *out)
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

static sc_err read_gone(const proceeding *from, sc_word *out)
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
                              int64_t offset_us, sc_word *out)
{
    if (from->bid.len != SC__CLUSTER_ID_SIZE) return SC_EPARSE;
    memcpy(out->id.bytes, from->bid.data, SC__CLUSTER_ID_SIZE);
    out->room = from->room;
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
    if (out->kind == SC_WORD_NO) return read_gone(from, out);
    return out->kind == SC_WORD_RESULT ? read_result(from->result, out) : SC_OK;
}

static sc_err read_word(const sc_cluster_codec *codec, const Starcloak__Cluster__Word *from,
                        int64_t offset_us, sc_word *out)
{
    *out = (sc_word){.kind = kind_of(from->kind), .from = from->from};
    if (out->kind == SC_WORD_NONE) return SC_EUNKNOWN;
    if (out->from == SC_PEER_NONE || from->about_case != about(out->kind)) return SC_EPARSE;
    switch (from->about_case) {
    case STARCLOAK__CLUSTER__WORD__ABOUT_QUERY:
        return query_read(codec, from->query, offset_us, out);
    case STARCLOAK__CLUSTER__WORD__ABOUT_BID:
        return sc__cluster_bid_read(codec, from->bid, out->from, offset_us, &out->bid);
    default:
        return read_proceeding(codec, from->proceeding, offset_us, out);
    }
}

sc_err sc_word_decode(const sc_cluster_codec *codec, const void *bytes, size_t size,
                      int64_t offset_us, sc_word *out)
{
    sc__cluster_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_word word = {.kind = SC_WORD_NONE};
    sc_err err = sc__cluster_unpack(bytes, size, SC_MESSAGE_WORD, &scratch, &envelope);
    if (!err) err = read_word(codec, envelope->word, offset_us, &word);
    sc__cluster_scratch_fini(&scratch);
    // Of a word that is refused halfway nothing is owned yet: its only part that could be is the
    // one that was refused.
    if (!err) *out = word;
    explicit_bzero(&word, sizeof word);
    return err;
}
