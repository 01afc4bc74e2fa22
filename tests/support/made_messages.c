// Messages, heartbeats and placements made at random.
#include "support/made_messages.h"

#include "base/alloc.h"
#include "support/check.h"
#include "support/sketch.h"

#include <stdio.h>

enum { PARTS = 7, MEMBERS = 9, GATEWAYS = 3 };

static const char *const categories[] = {"fuel", "food", "caf\xc3\xa9", "", "hospital"};
enum { CATEGORIES = sizeof categories / sizeof categories[0] };

msg_town msg_town_new(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 6);
    static const sc_vocabulary vocabulary = {.names = categories, .count = CATEGORIES};
    msg_town town = {.map = sketch_map(&s)};
    sketch_free(&s);
    town.codec = (sc_cluster_codec){.map = town.map, .parts = PARTS, .vocabulary = &vocabulary};
    return town;
}

void msg_town_free(msg_town *town)
{
    sc_map_free(town->map);
}

// --- Making
// ---------------------------------------------------------------------------------------

static void draw_bytes(sc_rng *rng, void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        ((uint8_t *)bytes)[i] = (uint8_t)sc_rng_next(rng);
    }
}

static sc_peer draw_peer(sc_rng *rng)
{
    return sc_rng_next(rng) | 1;
}

// Mostly a moment of this year, now and then a far one, or never.
static sc_time draw_time(sc_rng *rng)
{
    switch (sc_rng_below(rng, 12)) {
    case 0:
        return SC_TIME_NEVER;
    case 1:
        return 0;
    case 2:
        return sc_time_from_seconds(-8e9);
    default:
        return sc_time_from_seconds(1e9 + sc_rng_unit(rng) * 1e9);
    }
}

static uint32_t draw_count(sc_rng *rng)
{
    return sc_rng_below(rng, 20) == 0 ? UINT32_MAX : 1 + sc_rng_below(rng, 300);
}

static sc_query draw_query(const msg_town *town, sc_peer owner, sc_rng *rng)
{
    sc_query query = {.user = sc_rng_next(rng),
                      .deadline = draw_time(rng),
                      .segment = sc_rng_below(rng, sc_map_segment_count(town->map)),
                      .k = draw_count(rng),
                      .l = draw_count(rng),
                      .max_hops = sc_rng_below(rng, 1001),
                      .result_size = sc_rng_below(rng, 3),
                      .owner = owner};
    draw_bytes(rng, query.id.bytes, sizeof query.id.bytes);
    return query;
}

static void check_same_own(const sc_own_demands *got, const sc_own_demands *wanted)
{
    assert_int_equal(got != NULL, wanted != NULL);
    if (!got || !wanted) return;
    assert_int_equal(got->zone_count, wanted->zone_count);
    assert_int_equal(got->reached_count, wanted->reached_count);
    assert_int_equal(got->has_reached, wanted->has_reached);
    for (size_t i = 0; i < wanted->zone_count; i++) {
        assert_int_equal(got->zone[i], wanted->zone[i]);
    }
    for (size_t i = 0; i < wanted->reached_count; i++) {
        assert_int_equal(got->reached[i].segment, wanted->reached[i].segment);
        assert_int_equal(got->reached[i].part, wanted->reached[i].part);
    }
}

// About a third of the ids below `limit`, ascending.
static size_t draw_ids(uint32_t limit, uint32_t *ids, sc_rng *rng)
{
    size_t count = 0;
    for (uint32_t id = 0; id < limit; id++) {
        if (sc_rng_below(rng, 3) == 0) ids[count++] = id;
    }
    return count;
}

static void draw_members(const msg_town *town, sc_proposal *proposal, sc_rng *rng)
{
    sc_peer gateways[GATEWAYS];
    draw_bytes(rng, gateways, sizeof gateways);
    const uint32_t gateway_count = 1 + sc_rng_below(rng, GATEWAYS);
    proposal->is_single = true;
    proposal->deadline = SC_TIME_NEVER;
    proposal->last = INT64_MIN;
    for (size_t i = 0; i < proposal->member_count; i++) {
        sc_proposal_member *member = &proposal->members[i];
        member->query = draw_query(town, gateways[sc_rng_below(rng, gateway_count)] | 1, rng);
        member->star =
            proposal->star_count > 0 ? sc_rng_below(rng, sc_map_star_count(town->map)) : SC_NONE;
        if (member->query.deadline < proposal->deadline)
            proposal->deadline = member->query.deadline;
        if (member->query.deadline > proposal->last) proposal->last = member->query.deadline;
    }
    proposal->releaser =
        proposal->members[sc_rng_below(rng, (uint32_t)proposal->member_count)].query.owner;
    for (size_t i = 0; i < proposal->member_count; i++) {
        proposal->is_single &= proposal->members[i].query.owner == proposal->releaser;
    }
}

static sc_proposal *draw_proposal(const msg_town *town, sc_peer worker, sc_rng *rng)
{
    uint32_t stars[64];
    uint32_t segments[128];
    uint32_t nodes[64];
    assert_true(sc_map_segment_count(town->map) <= 128 && sc_map_node_count(town->map) <= 64);
    const size_t star_count =
        sc_rng_below(rng, 5) > 0 ? draw_ids(sc_map_star_count(town->map), stars, rng) : 0;
    size_t segment_count = draw_ids(sc_map_segment_count(town->map), segments, rng);
    const size_t node_count = draw_ids(sc_map_node_count(town->map), nodes, rng);
    if (segment_count == 0) segments[segment_count++] = 3;
    sc_proposal *proposal =
        sc_proposal_new(star_count, segment_count, node_count, 1 + sc_rng_below(rng, MEMBERS));
    assert_non_null(proposal);
    memcpy(proposal->stars, stars, star_count * sizeof *stars);
    memcpy(proposal->segments, segments, segment_count * sizeof *segments);
    memcpy(proposal->border_nodes, nodes, node_count * sizeof *nodes);
    draw_bytes(rng, proposal->id.bytes, sizeof proposal->id.bytes);
    proposal->worker = worker;
    proposal->engine_thread = sc_rng_below(rng, 4);
    proposal->part = sc_rng_below(rng, PARTS);
    draw_members(town, proposal, rng);
    return proposal;
}

static sc_request draw_request(sc_rng *rng)
{
    const sc_metric metric = (sc_metric)sc_rng_below(rng, SC_METRIC_COUNT);
    sc_request request = {.type = SC_REQUEST_KNN, .metric = metric, .k = draw_count(rng)};
    if (sc_rng_below(rng, 2) == 0) {
        const double radius = sc_rng_unit(rng) * 1e4;
        request = (sc_request){.type = SC_REQUEST_RANGE,
                               .metric = metric,
                               .radius_m = metric == SC_METRIC_TIME ? 0.0 : radius,
                               .radius_s = metric == SC_METRIC_TIME ? radius : 0.0};
    }
    const uint32_t count = sc_rng_below(rng, CATEGORIES + 1);
    for (uint32_t i = 0; i < count; i++) {
        request.categories[request.category_count++] = sc_rng_below(rng, CATEGORIES);
    }
    return sc_request_normalise(&request);
}

static void draw_wishes(sc_msg *msg, sc_rng *rng)
{
    msg->count = sc_rng_below(rng, MEMBERS);
    if (msg->count == 0) return;
    msg->wishes = sc_calloc(msg->count, sizeof *msg->wishes);
    assert_non_null(msg->wishes);
    for (size_t i = 0; i < msg->count; i++) {
        draw_bytes(rng, msg->wishes[i].query.bytes, sizeof msg->wishes[i].query.bytes);
        msg->wishes[i].request = draw_request(rng);
    }
}

static void draw_gone(sc_msg *msg, sc_rng *rng)
{
    msg->count = sc_rng_below(rng, MEMBERS);
    if (msg->count == 0) return;
    msg->gone = sc_calloc(msg->count, sizeof *msg->gone);
    assert_non_null(msg->gone);
    draw_bytes(rng, msg->gone, msg->count * sizeof *msg->gone);
}

static sc_result *draw_result(sc_rng *rng)
{
    uint8_t relay[40];
    uint8_t reply[60];
    draw_bytes(rng, relay, sizeof relay);
    draw_bytes(rng, reply, sizeof reply);
    // Without too_costly, which each gateway finds for its own members and never sends.
    const sc_failure failure = sc_rng_below(rng, 2) == 0
                                   ? (sc_failure)(1 + sc_rng_below(rng, SC_FAILURE_LOST))
                                   : SC_FAILURE_NONE;
    sc_result *result = failure ? sc_result_new(failure, NULL, 0, NULL, 0)
                                : sc_result_new(failure, relay, 1 + sc_rng_below(rng, 40), reply,
                                                sc_rng_below(rng, 61));
    assert_non_null(result);
    return result;
}

static sc_visit *draw_visit(sc_msg_kind kind, sc_rng *rng)
{
    uint8_t body[50];
    draw_bytes(rng, body, sizeof body);
    const bool is_answer = kind == SC_MSG_VISITED;
    sc_visit *visit = sc_visit_new(body, is_answer ? sc_rng_below(rng, 51) : 0);
    assert_non_null(visit);
    visit->number = sc_rng_next(rng);
    if (is_answer) {
        visit->status = 100 + sc_rng_below(rng, 500);
        return visit;
    }
    visit->verb = (sc_visit_verb)(1 + sc_rng_below(rng, SC_VISIT_LEAVE));
    draw_bytes(rng, visit->id, sizeof visit->id);
    draw_bytes(rng, visit->owner, sizeof visit->owner);
    visit->wait_us = sc_rng_below(rng, 60000000);
    visit->known = sc_rng_below(rng, 7);
    return visit;
}

sc_msg made_msg(const msg_town *town, sc_msg_kind kind, sc_rng *rng)
{
    sc_msg msg = {.kind = kind, .from = draw_peer(rng)};
    switch (kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
    case SC_MSG_REMOVE:
    case SC_MSG_DROPPED:
    case SC_MSG_NOT_TAKEN:
        msg.part = sc_rng_below(rng, PARTS);
        msg.home = sc_rng_below(rng, PARTS);
        msg.reason = (sc_drop_reason)sc_rng_below(rng, SC_DROP_REASON_COUNT);
        msg.query = draw_query(town, msg.from, rng);
        return msg;
    case SC_MSG_RESERVE:
        msg.proposal = draw_proposal(town, msg.from, rng);
        return msg;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        msg.visit = draw_visit(kind, rng);
        return msg;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        draw_wishes(&msg, rng);
        break;
    case SC_MSG_NO:
        draw_gone(&msg, rng);
        break;
    case SC_MSG_RESULT:
        msg.result = draw_result(rng);
        break;
    default:
        break;
    }
    draw_bytes(rng, msg.id.bytes, sizeof msg.id.bytes);
    msg.engine_thread = sc_rng_below(rng, 4);
    msg.users = draw_count(rng);
    msg.number = sc_rng_next(rng);
    msg.deadline = draw_time(rng);
    draw_bytes(rng, msg.member.bytes, sizeof msg.member.bytes);
    return msg;
}

sc_heartbeat *made_heartbeat(uint32_t parts, sc_rng *rng)
{
    uint32_t ids[64];
    assert_true(parts <= 64);
    const bool is_worker = sc_rng_below(rng, 3) > 0;
    const size_t count = is_worker ? draw_ids(parts, ids, rng) : 0;
    sc_heartbeat *heartbeat = sc_heartbeat_new(count);
    assert_non_null(heartbeat);
    uint64_t *const numbers[] = {&heartbeat->number,       &heartbeat->partition,
                                 &heartbeat->epoch,        &heartbeat->open,
                                 &heartbeat->messages_out, &heartbeat->messages_in,
                                 &heartbeat->bytes_out,    &heartbeat->bytes_in,
                                 &heartbeat->memory,       &heartbeat->cpu_us};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        *numbers[i] = sc_rng_next(rng) >> sc_rng_below(rng, 64);
    }
    heartbeat->peer = draw_peer(rng);
    heartbeat->is_worker = is_worker;
    heartbeat->is_leaving = sc_rng_below(rng, 2) == 0;
    heartbeat->calendar_us = sc_time_from_seconds(1e9 * sc_rng_unit(rng));
    heartbeat->threads = is_worker ? 1 + sc_rng_below(rng, 128) : 0;
    snprintf(heartbeat->name, sizeof heartbeat->name, "w%u.Host-%u_a", sc_rng_below(rng, 100),
             sc_rng_below(rng, 100));
    if (is_worker) {
        sc_engine_pool_stats *engines = &heartbeat->engines;
        uint64_t *const counts[] = {&engines->proposals,
                                    &engines->proposals_under_way,
                                    &engines->proposals_published,
                                    &engines->proposals_refused,
                                    &engines->proposals_silent,
                                    &engines->proposals_unknown,
                                    &engines->asked,
                                    &engines->lost,
                                    &engines->misdirected};
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            *counts[i] = sc_rng_next(rng) >> sc_rng_below(rng, 64);
        }
    }
    for (size_t i = 0; i < count; i++) {
        heartbeat->parts[i] = (sc_heartbeat_part){.part = ids[i],
                                                  .load = {.is_open = true,
                                                           .engine_thread = sc_rng_below(rng, 4),
                                                           .queries = sc_rng_next(rng),
                                                           .company = sc_rng_below(rng, 100),
                                                           .cloaks = sc_rng_below(rng, 100),
                                                           .dropped = sc_rng_below(rng, 100),
                                                           .cpu_us = sc_rng_next(rng) >> 30,
                                                           .pending = sc_rng_below(rng, 100),
                                                           .held = UINT32_MAX}};
    }
    for (size_t i = sc_rng_below(rng, 3); !is_worker && i > 0; i--) {
        heartbeat->ahead[heartbeat->ahead_count++] = (sc_heartbeat_clock){
            .peer = sc_rng_next(rng), .ahead_us = 1 + (int64_t)sc_rng_below(rng, 100000000)};
    }
    for (size_t i = sc_rng_below(rng, 4); i > 0; i--) {
        heartbeat->heard[heartbeat->heard_count++] =
            (sc_heartbeat_heard){.peer = sc_rng_next(rng), .number = sc_rng_below(rng, 100000000)};
    }
    if (sc_rng_below(rng, 2) == 0) {
        heartbeat->demands.density = sc_rng_next(rng);
        heartbeat->demands.traffic = 2 + sc_rng_below(rng, SC_TRAFFIC_MAX - 1);
        heartbeat->demands.is_strict = sc_rng_below(rng, 2) == 0;
        if (sc_rng_below(rng, 2) == 0) heartbeat->demands.classes = sc_rng_next(rng);
    }
    if (is_worker && sc_rng_below(rng, 4) > 0) {
        heartbeat->search.engine = 1 + sc_rng_below(rng, SC_VARIANT_COUNT);
        heartbeat->search.is_strict = sc_rng_below(rng, 2) == 0;
        heartbeat->search.lambda = sc_rng_below(rng, 3);
        heartbeat->search.alpha_us = (int64_t)sc_rng_below(rng, 3000000);
        heartbeat->search.crowd = sc_rng_below(rng, 9);
        heartbeat->search.k_spread = sc_rng_below(rng, 3);
        heartbeat->search.cap = sc_rng_below(rng, 100);
    }
    return heartbeat;
}

sc_placement *made_placement(uint32_t parts, sc_rng *rng)
{
    sc_placement *placement = sc_placement_new(parts);
    assert_non_null(placement);
    const sc_peer workers[] = {draw_peer(rng), draw_peer(rng), draw_peer(rng), SC_PEER_NONE};
    placement->epoch = sc_rng_next(rng) >> sc_rng_below(rng, 64);
    placement->leader = draw_peer(rng);
    placement->partition = sc_rng_next(rng);
    for (uint32_t i = 0; i < parts; i++) {
        placement->owners[i] = workers[sc_rng_below(rng, 4)];
    }
    return placement;
}

void made_own(const msg_town *town, sc_msg *msg, sc_rng *rng)
{
    const uint32_t limit = sc_map_segment_count(town->map);
    sc_seg_id *zone = test_take(limit, sizeof *zone);
    sc_seg_id *segments = test_take(limit, sizeof *segments);
    sc_reached *reached = test_take(limit, sizeof *reached);
    sc_own_demands own = {.zone = zone, .reached = reached};
    own.has_reached = sc_rng_below(rng, 3) > 0;
    if (!own.has_reached || sc_rng_below(rng, 2) == 0) own.zone_count = draw_ids(limit, zone, rng);
    if (own.has_reached) own.reached_count = draw_ids(limit, segments, rng);
    for (size_t i = 0; i < own.reached_count; i++) {
        const bool is_whole = sc_rng_below(rng, 2) == 0;
        const uint16_t part = (uint16_t)(1 + sc_rng_below(rng, SC_REACHED_WHOLE));
        reached[i] = (sc_reached){segments[i], is_whole ? SC_REACHED_WHOLE : part};
    }
    const bool has_any = own.zone_count > 0 || own.has_reached;
    assert_true(sc_msg_set_own(msg, has_any ? &own : NULL));
    free(zone);
    free(segments);
    free(reached);
}

// --- Comparing
// ------------------------------------------------------------------------------------

static void check_same_query(const sc_query *got, const sc_query *wanted)
{
    assert_memory_equal(got->id.bytes, wanted->id.bytes, sizeof wanted->id.bytes);
    assert_int_equal(got->user, wanted->user);
    assert_int_equal(got->deadline, wanted->deadline);
    assert_int_equal(got->segment, wanted->segment);
    assert_int_equal(got->k, wanted->k);
    assert_int_equal(got->l, wanted->l);
    assert_int_equal(got->max_hops, wanted->max_hops);
    assert_int_equal(got->result_size, wanted->result_size);
    assert_int_equal(got->owner, wanted->owner);
    check_same_own(got->own, wanted->own);
}

static void check_same_ids(const uint32_t *got, size_t count, const uint32_t *wanted,
                           size_t wanted_count)
{
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(got[i], wanted[i]);
    }
}

static void check_same_proposal(const sc_proposal *got, const sc_proposal *wanted)
{
    assert_memory_equal(got->id.bytes, wanted->id.bytes, sizeof wanted->id.bytes);
    assert_int_equal(got->worker, wanted->worker);
    assert_int_equal(got->engine_thread, wanted->engine_thread);
    assert_int_equal(got->part, wanted->part);
    assert_int_equal(got->releaser, wanted->releaser);
    assert_int_equal(got->is_single, wanted->is_single);
    assert_int_equal(got->deadline, wanted->deadline);
    assert_int_equal(got->last, wanted->last);
    check_same_ids(got->stars, got->star_count, wanted->stars, wanted->star_count);
    check_same_ids(got->segments, got->segment_count, wanted->segments, wanted->segment_count);
    check_same_ids(got->border_nodes, got->border_node_count, wanted->border_nodes,
                   wanted->border_node_count);
    assert_int_equal(got->member_count, wanted->member_count);
    for (size_t i = 0; i < got->member_count; i++) {
        // Only engines care for the size of a result: in a proposal it is not sent.
        sc_query said = wanted->members[i].query;
        said.result_size = 0;
        check_same_query(&got->members[i].query, &said);
        assert_int_equal(got->members[i].star, wanted->members[i].star);
    }
}

static void check_same_wishes(const sc_msg *got, const sc_msg *wanted)
{
    assert_int_equal(got->count, wanted->count);
    for (size_t i = 0; i < got->count; i++) {
        assert_memory_equal(got->wishes[i].query.bytes, wanted->wishes[i].query.bytes,
                            sizeof wanted->wishes[i].query.bytes);
        assert_true(sc_request_equal(&got->wishes[i].request, &wanted->wishes[i].request));
    }
}

static void check_same_result(const sc_result *got, const sc_result *wanted)
{
    assert_int_equal(got->failure, wanted->failure);
    assert_int_equal(got->relay_size, wanted->relay_size);
    assert_int_equal(got->reply_size, wanted->reply_size);
    if (got->relay_size > 0) assert_memory_equal(got->relay, wanted->relay, got->relay_size);
    if (got->reply_size > 0) assert_memory_equal(got->reply, wanted->reply, got->reply_size);
}

static void check_same_proceeding(const sc_msg *got, const sc_msg *wanted)
{
    const sc_msg_kind kind = wanted->kind;
    assert_memory_equal(got->id.bytes, wanted->id.bytes, sizeof wanted->id.bytes);
    assert_int_equal(got->engine_thread, wanted->engine_thread);
    if (kind == SC_MSG_PUBLISHED || kind == SC_MSG_RESULT) {
        assert_int_equal(got->users, wanted->users);
        assert_int_equal(got->number, wanted->number);
    }
    if (kind == SC_MSG_OK || kind == SC_MSG_RELEASE || kind == SC_MSG_ABORT || kind == SC_MSG_ASK ||
        kind == SC_MSG_PUBLISHED) {
        assert_int_equal(got->deadline, wanted->deadline);
    }
    if (kind == SC_MSG_ASK)
        assert_memory_equal(&got->member, &wanted->member, sizeof wanted->member);
    if (kind == SC_MSG_OK || kind == SC_MSG_RELEASE) check_same_wishes(got, wanted);
    if (kind == SC_MSG_NO) {
        assert_int_equal(got->count, wanted->count);
        if (got->count > 0) {
            assert_memory_equal(got->gone, wanted->gone, got->count * sizeof *got->gone);
        }
    }
    if (kind == SC_MSG_RESULT) check_same_result(got->result, wanted->result);
}

void check_same_msg(const sc_msg *got, const sc_msg *wanted)
{
    assert_int_equal(got->kind, wanted->kind);
    assert_int_equal(got->from, wanted->from);
    switch (wanted->kind) {
    case SC_MSG_REMOVE:
        assert_int_equal(got->query.segment, wanted->query.segment);
        assert_int_equal(got->query.max_hops, wanted->query.max_hops);
        assert_int_equal(got->query.owner, wanted->query.owner);
        // fall through
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        assert_int_equal(got->part, wanted->part);
        assert_int_equal(got->home, wanted->home);
        if (wanted->kind != SC_MSG_REMOVE) check_same_query(&got->query, &wanted->query);
        // fall through
    case SC_MSG_DROPPED:
    case SC_MSG_NOT_TAKEN:
        assert_memory_equal(got->query.id.bytes, wanted->query.id.bytes,
                            sizeof wanted->query.id.bytes);
        if (wanted->kind == SC_MSG_DROPPED) assert_int_equal(got->reason, wanted->reason);
        break;
    case SC_MSG_RESERVE:
        check_same_proposal(got->proposal, wanted->proposal);
        break;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        assert_int_equal(got->visit->size, wanted->visit->size);
        assert_memory_equal(got->visit, wanted->visit, sizeof *got->visit + got->visit->size);
        break;
    default:
        check_same_proceeding(got, wanted);
    }
}

void check_same_heartbeat(const sc_heartbeat *got, const sc_heartbeat *wanted)
{
    assert_int_equal(got->part_count, wanted->part_count);
    sc_heartbeat a = *got;
    sc_heartbeat b = *wanted;
    a.parts = b.parts = NULL;
    assert_string_equal(a.name, b.name);
    assert_memory_equal(&a, &b, sizeof a);  // both were zeroed when they were made
    for (size_t i = 0; i < got->part_count; i++) {
        const sc_part_load *x = &got->parts[i].load;
        const sc_part_load *y = &wanted->parts[i].load;
        assert_int_equal(got->parts[i].part, wanted->parts[i].part);
        assert_int_equal(x->is_open, y->is_open);
        assert_int_equal(x->engine_thread, y->engine_thread);
        assert_int_equal(x->queries, y->queries);
        assert_int_equal(x->company, y->company);
        assert_int_equal(x->cloaks, y->cloaks);
        assert_int_equal(x->dropped, y->dropped);
        assert_int_equal(x->cpu_us, y->cpu_us);
        assert_int_equal(x->pending, y->pending);
        assert_int_equal(x->held, y->held);
    }
}

void check_same_placement(const sc_placement *got, const sc_placement *wanted)
{
    assert_int_equal(got->epoch, wanted->epoch);
    assert_int_equal(got->leader, wanted->leader);
    assert_int_equal(got->partition, wanted->partition);
    assert_int_equal(got->parts, wanted->parts);
    assert_memory_equal(got->owners, wanted->owners, got->parts * sizeof *got->owners);
}
