// Messages as bytes: what is out of bounds is refused, one thing after the other; and what
// contradicts itself is not encoded.
#include "support/check.h"
#include "support/made_messages.h"

#include "cluster/cluster_codec_internal.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 40 };

// --- What is out of bounds
// ------------------------------------------------------------------------

// Read what a gateway of the town would, from a message that was put together by hand.
static sc_err read_by_hand(const msg_town *town, Starcloak__Cluster__Commit *by_hand)
{
    Starcloak__Cluster__Message message = STARCLOAK__CLUSTER__MESSAGE__INIT;
    message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_COMMIT;
    message.commit = by_hand;
    sc_bytes bytes = {0};
    assert_int_equal(sc__cluster_pack(&message, &bytes), SC_OK);
    sc_msg msg = {.kind = SC_MSG_NONE};
    const sc_err err = sc_msg_decode(&town->codec, bytes.data, bytes.size, 0, &msg);
    sc_msg_fini(&msg);
    sc_bytes_fini(&bytes);
    return err;
}

static void test_queries_out_of_bounds_are_refused(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    uint8_t id[SC__CLUSTER_ID_SIZE] = {1};
    Starcloak__Cluster__Query query = STARCLOAK__CLUSTER__QUERY__INIT;
    query.id = (ProtobufCBinaryData){sizeof id, id};
    query.k = query.l = 1;
    Starcloak__Cluster__Commit msg = STARCLOAK__CLUSTER__COMMIT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__ADD;
    msg.from = 3;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_QUERY;
    msg.query = &query;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
#define CHANGED(field, value, wanted)                          \
    do {                                                       \
        const Starcloak__Cluster__Query as_it_was = query;     \
        query.field = (value);                                 \
        assert_int_equal(read_by_hand(&town, &msg), (wanted)); \
        query = as_it_was;                                     \
    } while (0)
    CHANGED(k, 0, SC_EPARSE);
    CHANGED(l, 0, SC_EPARSE);
    CHANGED(id.len, 15, SC_EPARSE);
    CHANGED(part, town.codec.parts, SC_EUNKNOWN);
    CHANGED(home, town.codec.parts, SC_EUNKNOWN);
    CHANGED(segment, sc_map_segment_count(town.map), SC_EUNKNOWN);
    CHANGED(max_hops, SC__CLUSTER_HOPS_MAX + 1, SC_ELIMIT);
    CHANGED(deadline, INT64_MAX - 1, SC_EPARSE);
    CHANGED(deadline, INT64_MIN, SC_EPARSE);
    CHANGED(deadline, INT64_MAX, SC_OK);
    // What it asks of its roads.
    uint32_t steps[] = {1, 1};
    uint32_t whole_and_half[] = {0, 30000};
    query.zone = query.reached = steps;
    query.missing = whole_and_half;
    query.n_zone = query.n_reached = query.n_missing = 2;
    query.has_reached = true;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
    uint32_t same[] = {4, 0};
    uint32_t beyond[] = {1, UINT32_MAX};
    uint32_t nothing[] = {0, SC_REACHED_WHOLE};
    CHANGED(zone, same, SC_EPARSE);
    CHANGED(zone, beyond, SC_EUNKNOWN);
    CHANGED(reached, same, SC_EPARSE);
    CHANGED(reached, beyond, SC_EUNKNOWN);
    CHANGED(missing, nothing, SC_EPARSE);
    CHANGED(n_missing, 1, SC_EPARSE);
    CHANGED(n_reached, 1, SC_EPARSE);
    CHANGED(has_reached, false, SC_EPARSE);
    CHANGED(n_zone, 0, SC_OK);
    uint32_t *many = test_take(SC__CLUSTER_OWN_MAX + 1, sizeof *many);
    for (size_t i = 0; i <= SC__CLUSTER_OWN_MAX; i++) {
        many[i] = 1;
    }
    query.zone = many;
    CHANGED(n_zone, SC__CLUSTER_OWN_MAX + 1, SC_ELIMIT);
    query.zone = steps;
    query.reached = query.missing = many;
    query.n_missing = SC__CLUSTER_OWN_MAX + 1;
    CHANGED(n_reached, SC__CLUSTER_OWN_MAX + 1, SC_ELIMIT);
    free(many);
    query.n_zone = query.n_reached = query.n_missing = 0;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);  // reached nothing at all
    query.has_reached = false;
#undef CHANGED
    msg.from = SC_PEER_NONE;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    msg.from = 3;
    msg.kind = STARCLOAK__CLUSTER__KIND__OK;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    msg.kind = (Starcloak__Cluster__Kind)17;
    assert_int_equal(read_by_hand(&town, &msg), SC_EUNKNOWN);
    msg.kind = STARCLOAK__CLUSTER__KIND__DROPPED;
    query.reason = SC_DROP_REASON_COUNT;
    assert_int_equal(read_by_hand(&town, &msg), SC_EUNKNOWN);
    msg_town_free(&town);
}

static void test_proposals_out_of_bounds_are_refused(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    uint8_t ids[2 * SC__CLUSTER_ID_SIZE] = {1};
    uint64_t users[] = {1, 2};
    uint64_t later[] = {0, 5};
    uint32_t ones[] = {1, 1};
    uint32_t zeroes[] = {0, 0};
    uint32_t places[] = {0, 1};
    uint64_t gateways[] = {7, 8};
    Starcloak__Cluster__Proposal proposal = STARCLOAK__CLUSTER__PROPOSAL__INIT;
    proposal.id = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, ids};
    proposal.queries = (ProtobufCBinaryData){sizeof ids, ids};
    proposal.users = users;
    proposal.later = later;
    proposal.k = proposal.l = proposal.star = proposal.segments = ones;
    proposal.segment = proposal.max_hops = zeroes;
    proposal.gateway = places;
    proposal.gateways = gateways;
    proposal.n_users = proposal.n_later = proposal.n_k = proposal.n_l = proposal.n_star =
        proposal.n_segment = 2;
    proposal.n_max_hops = proposal.n_gateway = proposal.n_gateways = proposal.n_segments = 2;
    Starcloak__Cluster__Commit msg = STARCLOAK__CLUSTER__COMMIT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__RESERVE;
    msg.from = 3;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_PROPOSAL;
    msg.proposal = &proposal;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
#define CHANGED(field, value, wanted)                            \
    do {                                                         \
        const Starcloak__Cluster__Proposal as_it_was = proposal; \
        proposal.field = (value);                                \
        assert_int_equal(read_by_hand(&town, &msg), (wanted));   \
        proposal = as_it_was;                                    \
    } while (0)
    // Columns of different lengths, or none.
    CHANGED(n_users, 1, SC_EPARSE);
    CHANGED(n_later, 1, SC_EPARSE);
    CHANGED(n_k, 1, SC_EPARSE);
    CHANGED(n_l, 1, SC_EPARSE);
    CHANGED(n_star, 1, SC_EPARSE);
    CHANGED(n_segment, 1, SC_EPARSE);
    CHANGED(n_max_hops, 1, SC_EPARSE);
    CHANGED(n_gateway, 1, SC_EPARSE);
    CHANGED(queries.len, 31, SC_EPARSE);
    CHANGED(id.len, 0, SC_EPARSE);
    CHANGED(n_segments, 0, SC_EPARSE);
    CHANGED(n_gateways, 0, SC_EPARSE);
    CHANGED(n_gateways, 1, SC_EPARSE);
    CHANGED(part, town.codec.parts, SC_EUNKNOWN);
    CHANGED(k, zeroes, SC_EPARSE);
    CHANGED(l, zeroes, SC_EPARSE);
    // Ids that the map does not have, or one twice.
    uint32_t twice[] = {4, 0};
    CHANGED(segments, twice, SC_EPARSE);
    uint32_t far[] = {1, UINT32_MAX};
    CHANGED(segments, far, SC_EUNKNOWN);
    CHANGED(segment, far, SC_EUNKNOWN);
    uint32_t no_star[] = {0, sc_map_star_count(town.map) + 1};
    CHANGED(star, no_star, SC_EUNKNOWN);
    CHANGED(star, zeroes, SC_OK);
    CHANGED(max_hops, far, SC_EPARSE);
    // A gateway that is not listed, is none, is listed twice, or R without a member.
    uint32_t third[] = {0, 2};
    CHANGED(gateway, third, SC_EPARSE);
    uint64_t no_responders[] = {7, SC_PEER_NONE};
    CHANGED(gateways, no_responders, SC_EPARSE);
    uint64_t same[] = {7, 7};
    CHANGED(gateways, same, SC_EPARSE);
    CHANGED(gateway, ones, SC_EPARSE);
    // Moments beyond all calendars.
    uint64_t much_later[] = {0, UINT64_MAX};
    CHANGED(later, much_later, SC_EPARSE);
    CHANGED(deadline, INT64_MAX, SC_EPARSE);
    CHANGED(deadline, INT64_MIN, SC_EPARSE);
#undef CHANGED
    msg_town_free(&town);
}

static void test_wishes_and_results_out_of_bounds_are_refused(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    uint8_t id[SC__CLUSTER_ID_SIZE] = {1};
    uint32_t places[17] = {0};
    char *names[] = {(char[]){"food"}};
    Starcloak__Cluster__Request request = STARCLOAK__CLUSTER__REQUEST__INIT;
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_K;
    request.k = 3;
    request.categories = places;
    request.n_categories = 1;
    Starcloak__Cluster__Request *requests[] = {&request};
    Starcloak__Cluster__Wishes wishes = STARCLOAK__CLUSTER__WISHES__INIT;
    wishes.queries = (ProtobufCBinaryData){sizeof id, id};
    wishes.requests = requests;
    wishes.n_requests = 1;
    wishes.names = names;
    wishes.n_names = 1;
    Starcloak__Cluster__Proceeding proceeding = STARCLOAK__CLUSTER__PROCEEDING__INIT;
    proceeding.proposal = wishes.queries;
    proceeding.wishes = &wishes;
    Starcloak__Cluster__Commit msg = STARCLOAK__CLUSTER__COMMIT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__OK;
    msg.from = 3;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_PROCEEDING;
    msg.proceeding = &proceeding;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);

    request.n_categories = 17;
    assert_int_equal(read_by_hand(&town, &msg), SC_ELIMIT);
    request.n_categories = 1;
    places[0] = 1;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    places[0] = 0;
    request.k = 0;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M;
    const double radii[] = {-1.0, NOT_A_NUMBER, HUGE_VAL};
    for (size_t i = 0; i < 3; i++) {
        request.radius_m = radii[i];
        assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    }
    request.radius_m = 5.0;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
    // Metres are a distance, and seconds a time.
    request.metric = STARCLOAK__CLUSTER__METRIC__METRIC_TIME;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_S;
    for (size_t i = 0; i < 3; i++) {
        request.radius_s = radii[i];
        assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    }
    request.radius_s = 5.0;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
    request.metric = STARCLOAK__CLUSTER__METRIC__METRIC_DISTANCE;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    request.metric = (Starcloak__Cluster__Metric)7;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    request.metric = STARCLOAK__CLUSTER__METRIC__METRIC_DISTANCE;
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED__NOT_SET;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_K;
    request.k = 1;
    names[0] = (char[]){"nothing that anybody knows"};
    assert_int_equal(read_by_hand(&town, &msg), SC_EUNKNOWN);
    char long_name[SC__CLUSTER_CATEGORY_MAX + 2];
    memset(long_name, 'a', sizeof long_name);
    long_name[SC__CLUSTER_CATEGORY_MAX + 1] = '\0';
    names[0] = long_name;
    assert_int_equal(read_by_hand(&town, &msg), SC_ELIMIT);
    names[0] = (char[]){"food"};
    wishes.queries.len = 15;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);

    Starcloak__Cluster__Result result = STARCLOAK__CLUSTER__RESULT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__RESULT;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    proceeding.result = &result;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    result.failure = SC_FAILURE_COUNT;
    assert_int_equal(read_by_hand(&town, &msg), SC_EUNKNOWN);
    result.failure = SC_FAILURE_COUNT - 1;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);

    msg.kind = STARCLOAK__CLUSTER__KIND__NO;
    proceeding.gone = (ProtobufCBinaryData){15, id};
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    proceeding.proposal.len = 17 - 1 - 1;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    msg_town_free(&town);
}

static void test_visits_out_of_bounds_are_refused(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    uint8_t bytes[SC_VISIT_ID_SIZE] = {1};
    Starcloak__Cluster__Visit visit = STARCLOAK__CLUSTER__VISIT__INIT;
    visit.verb = SC_VISIT_LOOK;
    visit.id = (ProtobufCBinaryData){SC_VISIT_ID_SIZE, bytes};
    visit.owner = (ProtobufCBinaryData){SC_VISIT_OWNER_SIZE, bytes};
    visit.wait_us = SC__CLUSTER_VISIT_MAX_US;
    Starcloak__Cluster__Commit msg = STARCLOAK__CLUSTER__COMMIT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__VISIT;
    msg.from = 1;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_VISIT;
    msg.visit = &visit;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
    visit.wait_us++;
    assert_int_equal(read_by_hand(&town, &msg), SC_ELIMIT);
    visit.wait_us = 0;
    visit.id.len--;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    visit.id.len++;
    visit.owner.len--;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    visit.owner.len++;
    static const unsigned verbs[] = {0, SC_VISIT_LEAVE + 1};
    for (size_t i = 0; i < 2; i++) {
        visit.verb = verbs[i];
        assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    }
    msg.kind = STARCLOAK__CLUSTER__KIND__VISITED;
    static const unsigned statuses[] = {0, 99, 600};
    for (size_t i = 0; i < 3; i++) {
        visit.status = statuses[i];
        assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    }
    visit.status = 204;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT__NOT_SET;
    assert_int_equal(read_by_hand(&town, &msg), SC_EPARSE);
    msg_town_free(&town);
}

static void test_more_members_than_any_proposal_has_are_refused(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    const size_t many = SC__CLUSTER_MEMBERS_MAX + 1;
    uint8_t *ids = test_take(many, SC__CLUSTER_ID_SIZE);
    Starcloak__Cluster__Proceeding proceeding = STARCLOAK__CLUSTER__PROCEEDING__INIT;
    proceeding.proposal = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, ids};
    proceeding.gone = (ProtobufCBinaryData){many * SC__CLUSTER_ID_SIZE, ids};
    Starcloak__Cluster__Commit msg = STARCLOAK__CLUSTER__COMMIT__INIT;
    msg.kind = STARCLOAK__CLUSTER__KIND__NO;
    msg.from = 3;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_PROCEEDING;
    msg.proceeding = &proceeding;
    assert_int_equal(read_by_hand(&town, &msg), SC_ELIMIT);
    proceeding.gone.len -= SC__CLUSTER_ID_SIZE;
    assert_int_equal(read_by_hand(&town, &msg), SC_OK);

    Starcloak__Cluster__Proposal proposal = STARCLOAK__CLUSTER__PROPOSAL__INIT;
    uint64_t *users = test_take(many, sizeof *users);
    proposal.id = proceeding.proposal;
    proposal.users = users;
    proposal.n_users = many;
    msg.kind = STARCLOAK__CLUSTER__KIND__RESERVE;
    msg.about_case = STARCLOAK__CLUSTER__COMMIT__ABOUT_PROPOSAL;
    msg.proposal = &proposal;
    assert_int_equal(read_by_hand(&town, &msg), SC_ELIMIT);

    sc_msg too_many = {.kind = SC_MSG_NO, .from = 3, .count = many};
    sc_bytes bytes = {0};
    assert_int_equal(sc_msg_encode(&town.codec, &too_many, 0, &bytes), SC_EINVAL);
    free(users);
    free(ids);
    msg_town_free(&town);
}

static void test_a_small_message_cannot_take_much_memory(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    // Empty requests: two bytes each, for which protobuf-c takes more than a hundred.
    enum { COUNT = 200000, HEADS = 32 };
    uint8_t *bytes = test_take(HEADS + 2 * COUNT, 1);
    size_t size = HEADS;
    for (size_t i = 0; i < COUNT; i++) {
        bytes[size++] = 0x12;
        bytes[size++] = 0x00;
    }
    // Around them: wishes (6) of a proceeding (5) of a message (1), each a field with a length of
    // three bytes.
    uint8_t *start = bytes + HEADS;
    const uint8_t tags[] = {0x32, 0x2a, 0x0a};
    for (size_t i = 0; i < sizeof tags; i++) {
        const size_t length = (size_t)(bytes + size - start);
        *--start = (uint8_t)(length >> 14);
        *--start = (uint8_t)(length >> 7 | 0x80);
        *--start = (uint8_t)(length | 0x80);
        *--start = tags[i];
    }
    sc_msg msg;
    assert_int_equal(sc_msg_decode(&town.codec, start, (size_t)(bytes + size - start), 0, &msg),
                     SC_ELIMIT);
    free(bytes);
    msg_town_free(&town);
}

static void test_a_message_larger_than_any_is_not_looked_at(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_msg msg;
    sc_heartbeat *heartbeat = NULL;
    const size_t size = (size_t)SC__CLUSTER_MESSAGE_MAX + 1;
    assert_int_equal(sc_msg_decode(&town.codec, NULL, size, 0, &msg), SC_ELIMIT);
    assert_int_equal(sc_heartbeat_decode(0, NULL, size, &heartbeat), SC_ELIMIT);
    // And none is written.
    uint8_t *relay = test_take(size, 1);
    sc_msg result = {.kind = SC_MSG_RESULT, .from = 3};
    result.result = sc_result_new(SC_FAILURE_NONE, relay, size, NULL, 0);
    assert_non_null(result.result);
    sc_bytes bytes = {0};
    assert_int_equal(sc_msg_encode(&town.codec, &result, 0, &bytes), SC_ELIMIT);
    sc_msg_fini(&result);
    free(relay);
    msg_town_free(&town);
}

static sc_err read_heartbeat(const sc_heartbeat *heartbeat, uint32_t parts)
{
    sc_bytes bytes = {0};
    sc_heartbeat *read = NULL;
    sc_err err = sc_heartbeat_encode(heartbeat, &bytes);
    if (!err) err = sc_heartbeat_decode(parts, bytes.data, bytes.size, &read);
    sc_heartbeat_free(read);
    sc_bytes_fini(&bytes);
    return err;
}

static void test_heartbeats_out_of_bounds_are_refused(void **state)
{
    (void)state;
    sc_heartbeat *heartbeat = sc_heartbeat_new(2);
    assert_non_null(heartbeat);
    heartbeat->peer = 5;
    heartbeat->is_worker = true;
    heartbeat->threads = 2;
    heartbeat->parts[0].part = 3;
    heartbeat->parts[1].part = 4;
    snprintf(heartbeat->name, sizeof heartbeat->name, "w1");
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_OK);
    assert_int_equal(read_heartbeat(heartbeat, 4), SC_EUNKNOWN);
    assert_int_equal(read_heartbeat(heartbeat, 0), SC_OK);
    const char *const names[] = {"", "two words", "w\n1", "\xc3\xa9", "a\"b"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(heartbeat->name, sizeof heartbeat->name, "%s", names[i]);
        assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    }
    memset(heartbeat->name, 'a', sizeof heartbeat->name);
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    heartbeat->name[SC_PEER_NAME_SIZE - 1] = '\0';
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_OK);
    heartbeat->parts[1].part = 3;
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    heartbeat->parts[1].part = 4;
    heartbeat->threads = 0;
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    heartbeat->threads = SC__CLUSTER_THREADS_MAX + 1;
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    heartbeat->threads = 2;
    heartbeat->peer = SC_PEER_NONE;
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    heartbeat->peer = 5;
    heartbeat->is_worker = false;  // with parts
    assert_int_equal(read_heartbeat(heartbeat, 5), SC_EINVAL);
    sc_heartbeat_free(heartbeat);
}

// The same from bytes that our encoder would not have written.
static void test_heartbeats_by_hand_are_refused_as_well(void **state)
{
    (void)state;
    uint32_t column32[] = {0, 0};
    uint64_t column64[] = {0, 0};
    uint32_t twice[] = {1, 0};
    Starcloak__Cluster__Parts parts = STARCLOAK__CLUSTER__PARTS__INIT;
    parts.part = twice;
    parts.engine_thread = parts.pending = parts.held = column32;
    parts.queries = parts.company = parts.cloaks = parts.dropped = parts.cpu_us = column64;
    parts.n_part = parts.n_engine_thread = parts.n_queries = parts.n_company = parts.n_cloaks = 2;
    parts.n_dropped = parts.n_cpu_us = parts.n_pending = parts.n_held = 2;
    Starcloak__Cluster__Heartbeat by_hand = STARCLOAK__CLUSTER__HEARTBEAT__INIT;
    by_hand.name = (char[]){"w1"};
    by_hand.peer = 5;
    by_hand.is_worker = true;
    by_hand.threads = 1;
    by_hand.parts = &parts;
    Starcloak__Cluster__Message message = STARCLOAK__CLUSTER__MESSAGE__INIT;
    message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_HEARTBEAT;
    message.heartbeat = &by_hand;
    sc_bytes bytes = {0};
    sc_heartbeat *heartbeat = NULL;
#define READ(wanted)                                                                     \
    do {                                                                                 \
        assert_int_equal(sc__cluster_pack(&message, &bytes), SC_OK);                     \
        assert_int_equal(sc_heartbeat_decode(PARTS, bytes.data, bytes.size, &heartbeat), \
                         (wanted));                                                      \
    } while (0)
    READ(SC_EPARSE);  // a part twice
    twice[1] = 1;
    READ(SC_OK);
    sc_heartbeat_free(heartbeat);
    twice[1] = PARTS - 1;
    READ(SC_EUNKNOWN);
    twice[1] = 1;
    parts.n_held = 1;
    READ(SC_EPARSE);
    parts.n_held = 2;
    by_hand.threads = 0;
    READ(SC_EPARSE);
    by_hand.threads = SC__CLUSTER_THREADS_MAX + 1;
    READ(SC_ELIMIT);
    by_hand.threads = 1;
    by_hand.peer = SC_PEER_NONE;
    READ(SC_EPARSE);
    by_hand.peer = 5;
    by_hand.name = (char[]){"w 1"};
    READ(SC_EPARSE);
    by_hand.name = (char[]){"w1"};
    by_hand.calendar_us = INT64_MAX;
    READ(SC_EPARSE);
    by_hand.calendar_us = 0;
    by_hand.is_worker = false;
    READ(SC_EPARSE);
#undef READ
    sc_bytes_fini(&bytes);
}

static void test_placements_out_of_bounds_are_refused(void **state)
{
    (void)state;
    uint64_t workers[] = {4, 5};
    uint32_t owners[] = {0, 1, 2};
    Starcloak__Cluster__Placement by_hand = STARCLOAK__CLUSTER__PLACEMENT__INIT;
    by_hand.leader = 3;
    by_hand.workers = workers;
    by_hand.n_workers = 2;
    by_hand.owner = owners;
    by_hand.n_owner = 3;
    Starcloak__Cluster__Message message = STARCLOAK__CLUSTER__MESSAGE__INIT;
    message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_PLACEMENT;
    message.placement = &by_hand;
    sc_bytes bytes = {0};
    sc_placement *placement = NULL;
#define READ(parts, wanted)                                                                \
    do {                                                                                   \
        assert_int_equal(sc__cluster_pack(&message, &bytes), SC_OK);                       \
        assert_int_equal(sc_placement_decode((parts), bytes.data, bytes.size, &placement), \
                         (wanted));                                                        \
    } while (0)
    READ(3, SC_OK);
    assert_int_equal(placement->owners[0], SC_PEER_NONE);
    assert_int_equal(placement->owners[2], 5);
    sc_placement_free(placement);
    READ(4, SC_EUNKNOWN);
    owners[2] = 3;
    READ(3, SC_EPARSE);
    owners[2] = 2;
    workers[1] = SC_PEER_NONE;
    READ(3, SC_EPARSE);
    workers[1] = 5;
    by_hand.leader = SC_PEER_NONE;
    READ(3, SC_EPARSE);
    by_hand.leader = 3;
    by_hand.n_owner = 0;
    READ(0, SC_EPARSE);
    uint32_t *many = test_take(SC_PARTITION_PARTS_MAX + 1, sizeof *many);
    by_hand.owner = many;
    by_hand.n_owner = SC_PARTITION_PARTS_MAX + 1;
    READ(0, SC_ELIMIT);
#undef READ
    free(many);
    sc_bytes_fini(&bytes);
}

// --- What must not be encoded
// ------------------------------------------------------------------------

static void test_a_word_that_contradicts_itself_is_not_said(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 8);
    sc_bytes bytes = {0};
    sc_msg msg = made_msg(&town, SC_MSG_ADD, &rng);
    msg.query.owner ^= 2;
    assert_int_equal(sc_msg_encode(&town.codec, &msg, 0, &bytes), SC_EINVAL);
    msg = made_msg(&town, SC_MSG_ADD, &rng);
    msg.part = town.codec.parts;
    assert_int_equal(sc_msg_encode(&town.codec, &msg, 0, &bytes), SC_EINVAL);
    msg = made_msg(&town, SC_MSG_ADD, &rng);
    msg.from = SC_PEER_NONE;
    assert_int_equal(sc_msg_encode(&town.codec, &msg, 0, &bytes), SC_EINVAL);
    msg = (sc_msg){.kind = SC_MSG_NONE, .from = 1};
    assert_int_equal(sc_msg_encode(&town.codec, &msg, 0, &bytes), SC_EINVAL);

    msg = made_msg(&town, SC_MSG_RESERVE, &rng);
    sc_proposal *proposal = msg.proposal;
#define CONTRADICTS(change)                                                       \
    do {                                                                          \
        msg.proposal = sc_proposal_clone(proposal);                               \
        assert_non_null(msg.proposal);                                            \
        change;                                                                   \
        assert_int_equal(sc_msg_encode(&town.codec, &msg, 0, &bytes), SC_EINVAL); \
        sc_proposal_free(msg.proposal);                                           \
    } while (0)
    CONTRADICTS(msg.proposal->deadline--);
    CONTRADICTS(msg.proposal->last--);
    CONTRADICTS(msg.proposal->worker ^= 2);
    CONTRADICTS(msg.proposal->releaser ^= 2);
    CONTRADICTS(msg.proposal->is_single = !msg.proposal->is_single);
    CONTRADICTS(msg.proposal->segments[0] = UINT32_MAX);
    CONTRADICTS(msg.proposal->member_count = 0);
#undef CONTRADICTS
    sc_proposal_free(proposal);
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

static void test_what_was_in_the_bytes_before_is_wiped(void **state)
{
    (void)state;
    msg_town town = msg_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    sc_msg add = made_msg(&town, SC_MSG_ADD, &rng);
    sc_msg dead = made_msg(&town, SC_MSG_DEAD, &rng);
    sc_bytes bytes = {0};
    assert_int_equal(sc_msg_encode(&town.codec, &add, 0, &bytes), SC_OK);
    const size_t longer = bytes.size;
    assert_int_equal(sc_msg_encode(&town.codec, &dead, 0, &bytes), SC_OK);
    assert_true(bytes.size < longer);
    for (size_t i = bytes.size; i < longer; i++) {
        assert_int_equal(bytes.data[i], 0);
    }
    sc_bytes_fini(&bytes);
    msg_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_queries_out_of_bounds_are_refused),
    cmocka_unit_test(test_proposals_out_of_bounds_are_refused),
    cmocka_unit_test(test_wishes_and_results_out_of_bounds_are_refused),
    cmocka_unit_test(test_visits_out_of_bounds_are_refused),
    cmocka_unit_test(test_more_members_than_any_proposal_has_are_refused),
    cmocka_unit_test(test_a_small_message_cannot_take_much_memory),
    cmocka_unit_test(test_a_message_larger_than_any_is_not_looked_at),
    cmocka_unit_test(test_heartbeats_out_of_bounds_are_refused),
    cmocka_unit_test(test_heartbeats_by_hand_are_refused_as_well),
    cmocka_unit_test(test_placements_out_of_bounds_are_refused),
    cmocka_unit_test(test_a_word_that_contradicts_itself_is_not_said),
    cmocka_unit_test(test_what_was_in_the_bytes_before_is_wiped),
};
SC_SUITE(tests)
