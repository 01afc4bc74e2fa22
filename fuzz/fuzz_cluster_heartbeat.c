// Door: heartbeats and placements of a cluster, as all its processes receive them once unsealed.
//
// The input is the message. It is decoded for a partition of seven parts, and without knowing any.
// What is accepted is within all bounds, can be encoded again, and is then the same bytes; what the
// first accepts the second does.
#include "door.h"

#include "cluster/cluster_codec.h"

enum { PARTS = 7 };

static bool is_name(const char *name)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    const size_t size = strlen(name);
    return size > 0 && strspn(name, letters) == size;
}

static void check_same(const sc_bytes *a, const sc_bytes *b)
{
    DOOR_PROMISE(a->size == b->size && memcmp(a->data, b->data, a->size) == 0,
                 "encoded again it is the same");
}

static bool receive_heartbeat(uint32_t parts, const uint8_t *bytes, size_t size)
{
    sc_heartbeat *heartbeat = NULL;
    sc_heartbeat *again = NULL;
    sc_bytes encoded = {0};
    sc_bytes encoded_again = {0};
    const sc_err err = sc_heartbeat_decode(parts, bytes, size, &heartbeat);
    DOOR_PROMISE(err != SC_ENOMEM, "no heartbeat blames memory");
    if (err) return false;
    DOOR_PROMISE(heartbeat->peer != SC_PEER_NONE && is_name(heartbeat->name),
                 "a heartbeat has a sender");
    DOOR_PROMISE(heartbeat->is_worker ? heartbeat->threads >= 1 : heartbeat->part_count == 0,
                 "workers have threads, gateways no parts");
    for (size_t i = 0; i < heartbeat->part_count; i++) {
        DOOR_PROMISE(heartbeat->parts[i].part < (parts ? parts : SC_PARTITION_PARTS_MAX),
                     "parts are of the partition");
        DOOR_PROMISE(i == 0 || heartbeat->parts[i].part > heartbeat->parts[i - 1].part,
                     "and ascend");
    }
    DOOR_PROMISE(!sc_heartbeat_encode(heartbeat, &encoded), "what was decoded can be encoded");
    DOOR_PROMISE(!sc_heartbeat_decode(parts, encoded.data, encoded.size, &again),
                 "and decoded again");
    DOOR_PROMISE(!sc_heartbeat_encode(again, &encoded_again), "and encoded again");
    check_same(&encoded, &encoded_again);
    sc_heartbeat_free(heartbeat);
    sc_heartbeat_free(again);
    sc_bytes_fini(&encoded);
    sc_bytes_fini(&encoded_again);
    return true;
}

static bool receive_placement(uint32_t parts, const uint8_t *bytes, size_t size)
{
    sc_placement *placement = NULL;
    sc_placement *again = NULL;
    sc_bytes encoded = {0};
    sc_bytes encoded_again = {0};
    const sc_err err = sc_placement_decode(parts, bytes, size, &placement);
    DOOR_PROMISE(err != SC_ENOMEM, "no placement blames memory");
    if (err) return false;
    DOOR_PROMISE(placement->leader != SC_PEER_NONE, "a placement is somebody's");
    DOOR_PROMISE(parts ? placement->parts == parts : placement->parts <= SC_PARTITION_PARTS_MAX,
                 "and of the partition");
    DOOR_PROMISE(!sc_placement_encode(placement, &encoded), "what was decoded can be encoded");
    DOOR_PROMISE(!sc_placement_decode(parts, encoded.data, encoded.size, &again),
                 "and decoded again");
    DOOR_PROMISE(!sc_placement_encode(again, &encoded_again), "and encoded again");
    check_same(&encoded, &encoded_again);
    sc_placement_free(placement);
    sc_placement_free(again);
    sc_bytes_fini(&encoded);
    sc_bytes_fini(&encoded_again);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data, size);
    const bool is_accepted = receive_heartbeat(PARTS, copy, size);
    DOOR_PROMISE(receive_heartbeat(0, copy, size) || !is_accepted,
                 "without a partition as much is accepted");
    const bool is_placement = receive_placement(PARTS, copy, size);
    DOOR_PROMISE(receive_placement(0, copy, size) || !is_placement, "of placements too");
    DOOR_PROMISE(!(is_accepted && is_placement), "no message is both");
    free(copy);
    return 0;
}
