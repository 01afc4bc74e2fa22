// Door: messages of a cluster, as a gateway or a worker receives them once they are unsealed.
//
// The input is the message, about a town that is always the same, divided into seven parts. What is
// accepted is within all bounds, can be sent again, and is then received as the same bytes; a
// worker accepts it as well, whatever the categories are called. The same input is read as a batch,
// compressed or not, and each of its messages is received like that.
#include "town.h"

#include "cluster/cluster_codec.h"
#include "cluster/message_batch.h"

enum { PARTS = 7, MEMBERS_MAX = 10000, OWN_MAX = 65536 };

static void check_query(const sc_map *map, const sc_query *query)
{
    DOOR_PROMISE(query->segment < sc_map_segment_count(map), "a query is on a segment");
    DOOR_PROMISE(query->k >= 1 && query->l >= 1, "and needs something");
    DOOR_PROMISE(query->max_hops <= 1000, "that can be reached");
    DOOR_PROMISE(query->owner != SC_PEER_NONE, "and is somebody's");
}

static void check_ids(const uint32_t *ids, size_t count, uint32_t limit)
{
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(ids[i] < limit, "ids are of the map");
        DOOR_PROMISE(i == 0 || ids[i] > ids[i - 1], "and ascend");
    }
}

static void check_own(const sc_map *map, const sc_own_demands *own)
{
    if (!own) return;
    const uint32_t limit = sc_map_segment_count(map);
    check_ids(own->zone, own->zone_count, limit);
    DOOR_PROMISE(own->zone_count <= OWN_MAX && own->reached_count <= OWN_MAX, "in bounds");
    DOOR_PROMISE(own->has_reached || own->reached_count == 0, "of a last cloak");
    for (size_t i = 0; i < own->reached_count; i++) {
        DOOR_PROMISE(own->reached[i].segment < limit, "what is reached is of the map");
        DOOR_PROMISE(own->reached[i].part > 0, "and more than nothing");
        DOOR_PROMISE(i == 0 || own->reached[i].segment > own->reached[i - 1].segment,
                     "and ascends");
    }
}

static void check_proposal(const sc_map *map, const sc_proposal *proposal)
{
    DOOR_PROMISE(proposal->member_count >= 1 && proposal->member_count <= MEMBERS_MAX,
                 "a proposal has members");
    DOOR_PROMISE(proposal->segment_count >= 1 && proposal->part < PARTS, "and segments");
    check_ids(proposal->stars, proposal->star_count, sc_map_star_count(map));
    check_ids(proposal->segments, proposal->segment_count, sc_map_segment_count(map));
    check_ids(proposal->border_nodes, proposal->border_node_count, sc_map_node_count(map));
    bool has_releaser = false;
    bool is_single = true;
    for (size_t i = 0; i < proposal->member_count; i++) {
        const sc_proposal_member *member = &proposal->members[i];
        check_query(map, &member->query);
        DOOR_PROMISE(member->star == SC_NONE || member->star < sc_map_star_count(map),
                     "stars are of the map");
        DOOR_PROMISE(member->query.deadline >= proposal->deadline &&
                         member->query.deadline <= proposal->last,
                     "deadlines are between the least and the last");
        has_releaser |= member->query.owner == proposal->releaser;
        is_single &= member->query.owner == proposal->releaser;
    }
    DOOR_PROMISE(has_releaser && is_single == proposal->is_single, "R has a member");
}

static void check_wishes(const sc_msg *msg, uint32_t categories)
{
    const sc_request_limits any = {.max_k = UINT32_MAX,
                                   .max_radius_m = 1.7976931348623157e308,
                                   .max_radius_s = 1.7976931348623157e308};
    DOOR_PROMISE(msg->count <= MEMBERS_MAX, "not more wishes than members");
    for (size_t i = 0; i < msg->count; i++) {
        const sc_request *request = &msg->wishes[i].request;
        DOOR_PROMISE(!sc_request_check(request, &any, categories, NULL), "wishes make sense");
        const sc_request normal = sc_request_normalise(request);
        DOOR_PROMISE(sc_request_equal(request, &normal), "and are in normal form");
    }
}

static void check_msg(const sc_map *map, const sc_msg *msg, uint32_t categories)
{
    DOOR_PROMISE(msg->from != SC_PEER_NONE, "somebody says it");
    switch (msg->kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        check_query(map, &msg->query);
        check_own(map, msg->query.own);
        // fall through
    case SC_MSG_REMOVE:
        DOOR_PROMISE(msg->part < PARTS && msg->home < PARTS, "parts are of the partition");
        DOOR_PROMISE(msg->query.segment < sc_map_segment_count(map), "segments of the map");
        break;
    case SC_MSG_RESERVE:
        check_proposal(map, msg->proposal);
        break;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        check_wishes(msg, categories);
        break;
    case SC_MSG_NO:
        DOOR_PROMISE(msg->count <= MEMBERS_MAX, "not more gone than members");
        break;
    case SC_MSG_DROPPED:
        DOOR_PROMISE(sc_drop_reason_name(msg->reason) != NULL, "a reason has a name");
        break;
    case SC_MSG_RESULT:
        DOOR_PROMISE((unsigned)msg->result->failure < SC_FAILURE_COUNT, "a known failure");
        break;
    case SC_MSG_VISIT:
        DOOR_PROMISE(msg->visit->verb >= SC_VISIT_LOOK && msg->visit->verb <= SC_VISIT_LEAVE,
                     "a known verb");
        DOOR_PROMISE(msg->visit->wait_us >= 0, "a wait that is a time");
        break;
    case SC_MSG_VISITED:
        DOOR_PROMISE(msg->visit->status >= 100 && msg->visit->status < 600, "a status of HTTP");
        break;
    default:
        DOOR_PROMISE(sc_msg_kind_name(msg->kind) != NULL, "a known kind");
    }
}

// Said again, it is received as the same bytes: nothing of it is lost.
static void check_again(const sc_cluster_codec *codec, const sc_msg *msg)
{
    const int64_t offset_us = 12345678;
    sc_bytes bytes = {0};
    sc_bytes again = {0};
    sc_msg received;
    DOOR_PROMISE(!sc_msg_encode(codec, msg, offset_us, &bytes), "what was received can be sent");
    DOOR_PROMISE(!sc_msg_decode(codec, bytes.data, bytes.size, offset_us, &received),
                 "and received again");
    DOOR_PROMISE(!sc_msg_encode(codec, &received, offset_us, &again), "and sent again");
    DOOR_PROMISE(again.size == bytes.size && memcmp(again.data, bytes.data, bytes.size) == 0,
                 "in the same bytes");
    sc_msg_fini(&received);
    sc_bytes_fini(&bytes);
    sc_bytes_fini(&again);
}

static void receive(const sc_cluster_codec *codec, const uint8_t *bytes, size_t size,
                    uint32_t categories, bool *is_received)
{
    sc_msg msg;
    const sc_err err = sc_msg_decode(codec, bytes, size, 12345678, &msg);
    *is_received = !err;
    if (err) {
        DOOR_PROMISE(err != SC_ENOMEM, "no word blames memory");
        return;
    }
    check_msg(codec->map, &msg, categories);
    check_again(codec, &msg);
    sc_msg_fini(&msg);
}

/** A batch that is read. */
typedef struct batch_reader {
    const sc_cluster_codec *codec;
    uint32_t categories;
    size_t left;  ///< bytes that may still come
} batch_reader;

static void receive_one(void *context, const void *bytes, size_t size)
{
    batch_reader *reader = context;
    bool is_received = false;
    DOOR_PROMISE(size > 0 && size <= reader->left, "a batch grows no more than it may");
    reader->left -= size;
    receive(reader->codec, bytes, size, reader->categories, &is_received);
}

static void receive_batch(const sc_cluster_codec *codec, const uint8_t *bytes, size_t size,
                          uint32_t categories)
{
    batch_reader reader = {codec, categories, SC_BATCH_GROWTH * (size + 1)};
    const sc_err err = sc__batch_read(bytes, size, receive_one, &reader);
    DOOR_PROMISE(err != SC_ENOMEM, "no batch blames memory");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    static const char *const names[] = {"fuel", "food", "hospital"};
    static const sc_vocabulary vocabulary = {.names = names, .count = 3};
    static sc_map *map;
    if (!map) map = town_build();
    const sc_cluster_codec gateway = {.map = map, .parts = PARTS, .vocabulary = &vocabulary};
    sc_cluster_codec worker = {.map = map, .parts = PARTS};
    if (sc_category_table_new(&worker.categories)) abort();

    uint8_t *copy = door_copy(data, size);
    bool by_gateway = false;
    bool by_worker = false;
    receive(&gateway, copy, size, vocabulary.count, &by_gateway);
    receive(&worker, copy, size, UINT32_MAX, &by_worker);
    DOOR_PROMISE(by_worker || !by_gateway, "a worker receives what a gateway does");
    receive_batch(&gateway, copy, size, vocabulary.count);
    sc_category_table_free(worker.categories);
    free(copy);
    return 0;
}
