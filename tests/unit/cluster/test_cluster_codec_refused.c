// Messages as bytes: what is out of bounds is refused, one thing after the other; and what
// contradicts itself is not encoded.
#include "support/check.h"
#include "support/made_words.h"

#include "cluster/cluster_codec_internal.h"

#include <math.h>
#include <stdio.h>

enum { PARTS = 40 };

// --- What is out of bounds
// ------------------------------------------------------------------------

// Read what a gateway of the town would, from a message that was put together by hand.
static sc_err read_by_hand(const word_town *town, Starcloak__Cluster__Word *by_hand)
{
    Starcloak__Cluster__Message message = STARCLOAK__CLUSTER__MESSAGE__INIT;
    message.what_case = STARCLOAK__CLUSTER__MESSAGE__WHAT_WORD;
    message.word = by_hand;
    sc_bytes bytes = {0};
    assert_int_equal(sc__cluster_pack(&message, &bytes), SC_OK);
    sc_word word = {.kind = SC_WORD_NONE};
    const sc_err err = sc_word_decode(&town->codec, bytes.data, bytes.size, 0, &word);
    sc_word_fini(&word);
    sc_bytes_fini(&bytes);
    return err;
}

static void test_queries_out_of_bounds_are_refused(void **state)
{
    (void)state;
    word_town town = word_town_new();
    uint8_t id[SC__CLUSTER_ID_SIZE] = {1};
    Starcloak__Cluster__Query query = STARCLOAK__CLUSTER__QUERY__INIT;
    query.id = (ProtobufCBinaryData){sizeof id, id};
    query.k = query.l = 1;
    Starcloak__Cluster__Word word = STARCLOAK__CLUSTER__WORD__INIT;
    word.kind = STARCLOAK__CLUSTER__KIND__ADD;
    word.from = 3;
    word.about_case = STARCLOAK__CLUSTER__WORD__ABOUT_QUERY;
    word.query = &query;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);
#define CHANGED(field, value, wanted)                           \
    do {                                                        \
        const Starcloak__Cluster__Query as_it_was = query;      \
        query.field = (value);                                  \
        assert_int_equal(read_by_hand(&town, &word), (wanted)); \
        query = as_it_was;                                      \
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
#undef CHANGED
    word.from = SC_PEER_NONE;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    word.from = 3;
    word.kind = STARCLOAK__CLUSTER__KIND__OK;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    word.kind = (Starcloak__Cluster__Kind)15;
    assert_int_equal(read_by_hand(&town, &word), SC_EUNKNOWN);
    word.kind = STARCLOAK__CLUSTER__KIND__DROPPED;
    query.reason = SC_DROP_REASON_COUNT;
    assert_int_equal(read_by_hand(&town, &word), SC_EUNKNOWN);
    word_town_free(&town);
}

static void test_bids_out_of_bounds_are_refused(void **state)
{
    (void)state;
    word_town town = word_town_new();
    uint8_t ids[2 * SC__CLUSTER_ID_SIZE] = {1};
    uint64_t users[] = {1, 2};
    uint64_t later[] = {0, 5};
    uint32_t ones[] = {1, 1};
    uint32_t zeroes[] = {0, 0};
    uint32_t places[] = {0, 1};
    uint64_t gateways[] = {7, 8};
    Starcloak__Cluster__Bid bid = STARCLOAK__CLUSTER__BID__INIT;
    bid.id = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, ids};
    bid.queries = (ProtobufCBinaryData){sizeof ids, ids};
    bid.users = users;
    bid.later = later;
    bid.k = bid.l = bid.star = bid.segments = ones;
    bid.segment = bid.max_hops = zeroes;
    bid.gateway = places;
    bid.gateways = gateways;
    bid.n_users = bid.n_later = bid.n_k = bid.n_l = bid.n_star = bid.n_segment = 2;
    bid.n_max_hops = bid.n_gateway = bid.n_gateways = bid.n_segments = 2;
    Starcloak__Cluster__Word word = STARCLOAK__CLUSTER__WORD__INIT;
    word.kind = STARCLOAK__CLUSTER__KIND__RESERVE;
    word.from = 3;
    word.about_case = STARCLOAK__CLUSTER__WORD__ABOUT_BID;
    word.bid = &bid;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);
#define CHANGED(field, value, wanted)                           \
    do {                                                        \
        const Starcloak__Cluster__Bid as_it_was = bid;          \
        bid.field = (value);                                    \
        assert_int_equal(read_by_hand(&town, &word), (wanted)); \
        bid = as_it_was;                                        \
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
    // A gateway that is not listed, is nobody, is listed twice, or R without a member.
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
    word_town_free(&town);
}

static void test_wishes_and_results_out_of_bounds_are_refused(void **state)
{
    (void)state;
    word_town town = word_town_new();
    uint8_t id[SC__CLUSTER_ID_SIZE] = {1};
    uint32_t places[17] = {0};
    char *words[] = {(char[]){"food"}};
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
    wishes.words = words;
    wishes.n_words = 1;
    Starcloak__Cluster__Proceeding proceeding = STARCLOAK__CLUSTER__PROCEEDING__INIT;
    proceeding.bid = wishes.queries;
    proceeding.wishes = &wishes;
    Starcloak__Cluster__Word word = STARCLOAK__CLUSTER__WORD__INIT;
    word.kind = STARCLOAK__CLUSTER__KIND__OK;
    word.from = 3;
    word.about_case = STARCLOAK__CLUSTER__WORD__ABOUT_PROCEEDING;
    word.proceeding = &proceeding;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);

    request.n_categories = 17;
    assert_int_equal(read_by_hand(&town, &word), SC_ELIMIT);
    request.n_categories = 1;
    places[0] = 1;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    places[0] = 0;
    request.k = 0;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_RADIUS_M;
    const double radii[] = {-1.0, NOT_A_NUMBER, HUGE_VAL};
    for (size_t i = 0; i < 3; i++) {
        request.radius_m = radii[i];
        assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    }
    request.radius_m = 5.0;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED__NOT_SET;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    request.wanted_case = STARCLOAK__CLUSTER__REQUEST__WANTED_K;
    request.k = 1;
    words[0] = (char[]){"nothing that anybody knows"};
    assert_int_equal(read_by_hand(&town, &word), SC_EUNKNOWN);
    char long_word[SC__CLUSTER_CATEGORY_MAX + 2];
    memset(long_word, 'a', sizeof long_word);
    long_word[SC__CLUSTER_CATEGORY_MAX + 1] = '\0';
    words[0] = long_word;
    assert_int_equal(read_by_hand(&town, &word), SC_ELIMIT);
    words[0] = (char[]){"food"};
    wishes.queries.len = 15;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);

    Starcloak__Cluster__Result result = STARCLOAK__CLUSTER__RESULT__INIT;
    word.kind = STARCLOAK__CLUSTER__KIND__RESULT;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    proceeding.result = &result;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    result.failure = SC_FAILURE_COUNT;
    assert_int_equal(read_by_hand(&town, &word), SC_EUNKNOWN);
    result.failure = SC_FAILURE_COUNT - 1;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);

    word.kind = STARCLOAK__CLUSTER__KIND__NO;
    proceeding.gone = (ProtobufCBinaryData){15, id};
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    proceeding.bid.len = 17 - 1 - 1;
    assert_int_equal(read_by_hand(&town, &word), SC_EPARSE);
    word_town_free(&town);
}

static void test_more_members_than_any_bid_has_are_refused(void **state)
{
    (void)state;
    word_town town = word_town_new();
    const size_t many = SC__CLUSTER_MEMBERS_MAX + 1;
    uint8_t *ids = test_take(many, SC__CLUSTER_ID_SIZE);
    Starcloak__Cluster__Proceeding proceeding = STARCLOAK__CLUSTER__PROCEEDING__INIT;
    proceeding.bid = (ProtobufCBinaryData){SC__CLUSTER_ID_SIZE, ids};
    proceeding.gone = (ProtobufCBinaryData){many * SC__CLUSTER_ID_SIZE, ids};
    Starcloak__Cluster__Word word = STARCLOAK__CLUSTER__WORD__INIT;
    word.kind = STARCLOAK__CLUSTER__KIND__NO;
    word.from = 3;
    word.about_case = STARCLOAK__CLUSTER__WORD__ABOUT_PROCEEDING;
    word.proceeding = &proceeding;
    assert_int_equal(read_by_hand(&town, &word), SC_ELIMIT);
    proceeding.gone.len -= SC__CLUSTER_ID_SIZE;
    assert_int_equal(read_by_hand(&town, &word), SC_OK);

    Starcloak__Cluster__Bid bid = STARCLOAK__CLUSTER__BID__INIT;
    uint64_t *users = test_take(many, sizeof *users);
    bid.id = proceeding.bid;
    bid.users = users;
    bid.n_users = many;
    word.kind = STARCLOAK__CLUSTER__KIND__RESERVE;
    word.about_case = STARCLOAK__CLUSTER__WORD__ABOUT_BID;
    word.bid = &bid;
    assert_int_equal(read_by_hand(&town, &word), SC_ELIMIT);

    sc_word too_many = {.kind = SC_WORD_NO, .from = 3, .count = many};
    sc_bytes bytes = {0};
    assert_int_equal(sc_word_encode(&town.codec, &too_many, 0, &bytes), SC_EINVAL);
    free(users);
    free(ids);
    word_town_free(&town);
}

static void test_a_small_message_cannot_take_much_memory(void **state)
{
    (void)state;
    word_town town = word_town_new();
    // Empty requests: two bytes each, for which protobuf-c takes more than a hundred.
    enum { COUNT = 200000, HEADS = 32 };
    uint8_t *bytes = test_take(HEADS + 2 * COUNT, 1);
    size_t size = HEADS;
    for (size_t i = 0; i < COUNT; i++) {
        bytes[size++] = 0x12;
        bytes[size++] = 0x00;
    }
    // Around them: wishes (6) of a proceeding (5) of a word (1), each a field with a length of
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
    sc_word word;
    assert_int_equal(sc_word_decode(&town.codec, start, (size_t)(bytes + size - start), 0, &word),
                     SC_ELIMIT);
    free(bytes);
    word_town_free(&town);
}

static void test_a_message_larger_than_any_is_not_looked_at(void **state)
{
    (void)state;
    word_town town = word_town_new();
    sc_word word;
    sc_heartbeat *heartbeat = NULL;
    const size_t size = (size_t)SC__CLUSTER_MESSAGE_MAX + 1;
    assert_int_equal(sc_word_decode(&town.codec, NULL, size, 0, &word), SC_ELIMIT);
    assert_int_equal(sc_heartbeat_decode(0, NULL, size, &heartbeat), SC_ELIMIT);
    // And none is written.
    uint8_t *relay = test_take(size, 1);
    sc_word result = {.kind = SC_WORD_RESULT, .from = 3};
    result.result = sc_result_new(SC_FAILURE_NONE, relay, size, NULL, 0);
    assert_non_null(result.result);
    sc_bytes bytes = {0};
    assert_int_equal(sc_word_encode(&town.codec, &result, 0, &bytes), SC_ELIMIT);
    sc_word_fini(&result);
    free(relay);
    word_town_free(&town);
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
    parts.room = parts.pending = parts.held = column32;
    parts.queries = parts.company = parts.cloaks = parts.dropped = parts.cpu_us = column64;
    parts.n_part = parts.n_room = parts.n_queries = parts.n_company = parts.n_cloaks = 2;
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
    word_town town = word_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 8);
    sc_bytes bytes = {0};
    sc_word word = made_word(&town, SC_WORD_ADD, &rng);
    word.query.owner ^= 2;
    assert_int_equal(sc_word_encode(&town.codec, &word, 0, &bytes), SC_EINVAL);
    word = made_word(&town, SC_WORD_ADD, &rng);
    word.part = town.codec.parts;
    assert_int_equal(sc_word_encode(&town.codec, &word, 0, &bytes), SC_EINVAL);
    word = made_word(&town, SC_WORD_ADD, &rng);
    word.from = SC_PEER_NONE;
    assert_int_equal(sc_word_encode(&town.codec, &word, 0, &bytes), SC_EINVAL);
    word = (sc_word){.kind = SC_WORD_NONE, .from = 1};
    assert_int_equal(sc_word_encode(&town.codec, &word, 0, &bytes), SC_EINVAL);

    word = made_word(&town, SC_WORD_RESERVE, &rng);
    sc_bid *bid = word.bid;
#define CONTRADICTS(change)                                                         \
    do {                                                                            \
        word.bid = sc_bid_clone(bid);                                               \
        assert_non_null(word.bid);                                                  \
        change;                                                                     \
        assert_int_equal(sc_word_encode(&town.codec, &word, 0, &bytes), SC_EINVAL); \
        sc_bid_free(word.bid);                                                      \
    } while (0)
    CONTRADICTS(word.bid->deadline--);
    CONTRADICTS(word.bid->last--);
    CONTRADICTS(word.bid->worker ^= 2);
    CONTRADICTS(word.bid->releaser ^= 2);
    CONTRADICTS(word.bid->is_single = !word.bid->is_single);
    CONTRADICTS(word.bid->segments[0] = UINT32_MAX);
    CONTRADICTS(word.bid->member_count = 0);
#undef CONTRADICTS
    sc_bid_free(bid);
    sc_bytes_fini(&bytes);
    word_town_free(&town);
}

static void test_what_was_in_the_bytes_before_is_wiped(void **state)
{
    (void)state;
    word_town town = word_town_new();
    sc_rng rng;
    sc_rng_seed(&rng, 9);
    sc_word add = made_word(&town, SC_WORD_ADD, &rng);
    sc_word dead = made_word(&town, SC_WORD_DEAD, &rng);
    sc_bytes bytes = {0};
    assert_int_equal(sc_word_encode(&town.codec, &add, 0, &bytes), SC_OK);
    const size_t longer = bytes.size;
    assert_int_equal(sc_word_encode(&town.codec, &dead, 0, &bytes), SC_OK);
    assert_true(bytes.size < longer);
    for (size_t i = bytes.size; i < longer; i++) {
        assert_int_equal(bytes.data[i], 0);
    }
    sc_bytes_fini(&bytes);
    word_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_queries_out_of_bounds_are_refused),
    cmocka_unit_test(test_bids_out_of_bounds_are_refused),
    cmocka_unit_test(test_wishes_and_results_out_of_bounds_are_refused),
    cmocka_unit_test(test_more_members_than_any_bid_has_are_refused),
    cmocka_unit_test(test_a_small_message_cannot_take_much_memory),
    cmocka_unit_test(test_a_message_larger_than_any_is_not_looked_at),
    cmocka_unit_test(test_heartbeats_out_of_bounds_are_refused),
    cmocka_unit_test(test_heartbeats_by_hand_are_refused_as_well),
    cmocka_unit_test(test_placements_out_of_bounds_are_refused),
    cmocka_unit_test(test_a_word_that_contradicts_itself_is_not_said),
    cmocka_unit_test(test_what_was_in_the_bytes_before_is_wiped),
};
SC_SUITE(tests)
