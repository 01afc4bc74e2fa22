// Placements as bytes: workers once, and of each part the place of its worker. See cluster.proto
// and messages.h.
#include "cluster/cluster_codec_internal.h"

typedef Starcloak__Cluster__Placement message;

// --- Writing ------------------------------------------------------------------------------------

// Where a worker stands in the list and one more, put there if it is new.
static uint32_t place_of(message *out, sc_peer worker)
{
    size_t place = 0;
    while (place < out->n_workers && out->workers[place] != worker) {
        place++;
    }
    if (place == out->n_workers) out->workers[out->n_workers++] = worker;
    return (uint32_t)place + 1;
}

static sc_err write_owners(const sc_placement *placement, sc__codec_scratch *scratch, message *out)
{
    out->workers = sc__codec_scratch_take(scratch, placement->parts, sizeof *out->workers);
    out->owner = sc__codec_scratch_take(scratch, placement->parts, sizeof *out->owner);
    if (!out->workers || !out->owner) return SC_ENOMEM;
    out->n_owner = placement->parts;
    for (uint32_t i = 0; i < placement->parts; i++) {
        const sc_peer owner = placement->owners[i];
        out->owner[i] = owner == SC_PEER_NONE ? 0 : place_of(out, owner);
    }
    return SC_OK;
}

sc_err sc_placement_encode(const sc_placement *placement, sc_bytes *out)
{
    if (placement->parts < 1 || placement->parts > SC_PARTITION_PARTS_MAX ||
        placement->leader == SC_PEER_NONE) {
        return SC_EINVAL;
    }
    message m = STARCLOAK__CLUSTER__PLACEMENT__INIT;
    sc__codec_scratch scratch = sc__codec_scratch_of(SIZE_MAX);
    m.epoch = placement->epoch;
    m.leader = placement->leader;
    m.cut = placement->cut;
    sc_err err = write_owners(placement, &scratch, &m);
    if (!err) {
        Starcloak__Cluster__Message envelope = STARCLOAK__CLUSTER__MESSAGE__INIT;
        envelope.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_PLACEMENT;
        envelope.placement = &m;
        err = sc__message_pack(&envelope, out);
    }
    sc__codec_scratch_fini(&scratch);
    return err;
}

// --- Reading ------------------------------------------------------------------------------------

static sc_err read_owners(const message *from, sc_placement *out)
{
    for (size_t i = 0; i < from->n_owner; i++) {
        const uint32_t place = from->owner[i];
        if (place > from->n_workers) return SC_EPARSE;
        out->owners[i] = place == 0 ? SC_PEER_NONE : from->workers[place - 1];
        if (place > 0 && out->owners[i] == SC_PEER_NONE) return SC_EPARSE;
    }
    return SC_OK;
}

static sc_err read_placement(uint32_t parts, const message *from, sc_placement **out)
{
    if (from->n_owner > SC_PARTITION_PARTS_MAX) return SC_ELIMIT;
    if (parts > 0 && from->n_owner != parts) return SC_EUNKNOWN;
    if (from->n_owner < 1 || from->leader == SC_PEER_NONE) return SC_EPARSE;
    sc_placement *placement = sc_placement_new((uint32_t)from->n_owner);
    if (!placement) return SC_ENOMEM;
    placement->epoch = from->epoch;
    placement->leader = from->leader;
    placement->cut = from->cut;
    const sc_err err = read_owners(from, placement);
    if (err) {
        sc_placement_free(placement);
        return err;
    }
    *out = placement;
    return SC_OK;
}

sc_err sc_placement_decode(uint32_t parts, const void *bytes, size_t size, sc_placement **out)
{
    sc__codec_scratch scratch = {.chunks = NULL};
    const Starcloak__Cluster__Message *envelope = NULL;
    sc_err err = sc__message_unpack(bytes, size, SC_MESSAGE_PLACEMENT, &scratch, &envelope);
    if (!err) err = read_placement(parts, envelope->placement, out);
    sc__codec_scratch_fini(&scratch);
    return err;
}
