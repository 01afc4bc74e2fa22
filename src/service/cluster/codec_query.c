// Queries as bytes: what a gateway tells of its own, and what it is told of them. See
// cluster.proto.
//
// A worker that drops a query, or has no memory for it, names it. To remove one it must be found:
// by its id, in the engines of all parts that its segment and hops reach. To add one all of it is
// needed. Its owner is the gateway that speaks.
#include "cluster/cluster_codec_internal.h"

#include <string.h>

typedef Starcloak__Cluster__Query message;

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

sc_err sc__query_write(const sc_cluster_codec *codec, const sc_word *word, int64_t offset_us,
                       message *out)
{
    const sc_query *query = &word->query;
    out->id = (ProtobufCBinaryData){SC__ID_SIZE, (uint8_t *)(uintptr_t)query->id.bytes};
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
    return sc__time_write(query->deadline, offset_us, &out->deadline) ? SC_OK : SC_EINVAL;
}

sc_err sc__query_read(const sc_cluster_codec *codec, const message *from, int64_t offset_us,
                      sc_word *out)
{
    sc_query *query = &out->query;
    if (from->id.len != SC__ID_SIZE) return SC_EPARSE;
    memcpy(query->id.bytes, from->id.data, SC__ID_SIZE);
    if (out->kind == SC_WORD_DROPPED) {
        if (from->reason >= SC_DROP_REASON_COUNT) return SC_EUNKNOWN;
        out->reason = (sc_drop_reason)from->reason;
    }
    if (!has_place(out->kind)) return SC_OK;

    if (!is_known(codec, from->part, from->home, from->segment)) return SC_EUNKNOWN;
    if (from->max_hops > SC__HOPS_MAX) return SC_ELIMIT;
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
                   sc__time_read(from->deadline, offset_us, &query->deadline)
               ? SC_OK
               : SC_EPARSE;
}
