// Each thing that can be wrong in a compact message, by itself: it is refused, with its reason.
//
// A small town that is always the same; messages are packed by hand, right but for one thing.
#include "support/check.h"
#include "support/sketch.h"

#include <starcloak/relay_codec.h>

#include "relay.pb-c.h"

#include <math.h>

//     A---B---C
//     |   |   |
//     D---E---F      two cafes and a school
typedef struct town {
    sc_map *map;
    sc_vocabulary vocabulary;
    sc_relay relay;
    sc_codec_limits limits;
} town;

static const sc_seg_id town_segments[] = {0, 1, 2};
static const sc_node_id town_border[] = {1, 4};
static const sc_request town_requests[] = {{.k = 2}};
static const sc_request town_requests_by_time[] = {{.k = 2, .metric = SC_METRIC_TIME}};

static town town_new(void)
{
    sketch s = sketch_draw(SC_COORDS_GEOGRAPHIC,
                           "A-B-C\n"
                           "| | |\n"
                           "D-E-F\n",
                           "");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "one");
    put_object(builder, 1, 0.5, "cafe", "");
    put_object(builder, 2, 0.5, "school", "three");
    sketch_free(&s);
    town t = {.map = finish_builder(builder), .limits = sc_codec_limits_default()};
    CHECK_OK(sc_vocabulary_init_from_map(t.map, &t.vocabulary), NULL);
    t.relay = (sc_relay){.map_checksum = sc_map_checksum(t.map),
                         .segments = town_segments,
                         .segment_count = 3,
                         .border_nodes = town_border,
                         .border_node_count = 2,
                         .requests = town_requests,
                         .request_count = 1};
    return t;
}

static void town_free(town *t)
{
    sc_vocabulary_fini(&t->vocabulary);
    sc_map_free(t->map);
}

static uint8_t *pack(const ProtobufCMessage *message, size_t *size)
{
    *size = protobuf_c_message_get_packed_size(message);
    uint8_t *bytes = test_take(*size + 1, 1);
    protobuf_c_message_pack(message, bytes);
    return bytes;
}

// --- Relays -------------------------------------------------------------------------

/** A message to be spoilt, with room for what it points to. */
typedef struct made_relay {
    Starcloak__Relay relay;
    uint32_t segments[4];
    uint32_t nodes[4];
    Starcloak__Request request[2];
    Starcloak__Request *list[2];
    char *words[20];
} made_relay;

static void make_relay(made_relay *m, const town *t)
{
    *m = (made_relay){.relay = STARCLOAK__RELAY__INIT,
                      .segments = {0, 1, 1},
                      .nodes = {1, 3},
                      .request = {STARCLOAK__REQUEST__INIT, STARCLOAK__REQUEST__INIT}};
    m->relay.map = sc_map_checksum(t->map);
    m->relay.version = 2;
    m->relay.segments = m->segments;
    m->relay.n_segments = 3;
    m->relay.border_nodes = m->nodes;
    m->relay.n_border_nodes = 2;
    m->relay.requests = m->list;
    m->relay.n_requests = 1;
    for (int i = 0; i < 2; i++) {
        m->list[i] = &m->request[i];
        m->request[i].wanted_case = STARCLOAK__REQUEST__WANTED_K;
        m->request[i].k = 3;
        m->request[i].categories = m->words;
    }
    for (int i = 0; i < 20; i++) {
        m->words[i] = (char *)(uintptr_t) "cafe";
    }
}

static sc_err read_relay(const town *t, const made_relay *m, sc_diag *diag)
{
    size_t size = 0;
    uint8_t *bytes = pack(&m->relay.base, &size);
    sc_relay *relay = NULL;
    const sc_err err = sc_relay_decode(&(sc_codec){.map = t->map,
                                                   .vocabulary = &t->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT,
                                                   .limits = &t->limits},
                                       bytes, size, &relay, diag);
    assert_true(!err == !!relay);
    sc_relay_free(relay);
    free(bytes);
    return err;
}

static void test_what_is_wrong_in_a_relay_is_told(void **state)
{
    (void)state;
    town t = town_new();
    made_relay m;
    sc_diag diag = {""};
    make_relay(&m, &t);
    CHECK_OK(read_relay(&t, &m, &diag), &diag);

    m.relay.n_segments = 0;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EPARSE, &diag, "no segments");
    make_relay(&m, &t);
    m.segments[1] = 0;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EPARSE, &diag,
                  "segment 1 is the same as the one before");
    make_relay(&m, &t);
    m.segments[2] = 100;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EUNKNOWN, &diag, "segment 2 does not exist");
    make_relay(&m, &t);
    m.segments[1] = UINT32_MAX;
    m.segments[0] = 1;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EUNKNOWN, &diag, "segment 1 does not exist");

    make_relay(&m, &t);
    m.nodes[1] = 0;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EPARSE, &diag,
                  "border node 1 is the same as the one before");
    make_relay(&m, &t);
    m.nodes[0] = 6;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EUNKNOWN, &diag, "border node 0 does not exist");
    make_relay(&m, &t);
    m.relay.n_segments = 1;
    m.relay.n_border_nodes = 3;
    m.nodes[2] = 1;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EPARSE, &diag,
                  "3 border nodes, too many for 1 segments");

    make_relay(&m, &t);
    m.relay.map++;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EMISMATCH, &diag, "another map");
    make_relay(&m, &t);
    t.limits.max_segments = 2;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_ELIMIT, &diag, "3 segments; at most 2");
    town_free(&t);
}

static void test_what_is_wrong_in_a_request_is_told(void **state)
{
    (void)state;
    town t = town_new();
    made_relay m;
    sc_diag diag = {""};
    make_relay(&m, &t);
    m.relay.n_requests = 0;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EPARSE, &diag, "no requests");
    make_relay(&m, &t);
    m.request[0].wanted_case = STARCLOAK__REQUEST__WANTED__NOT_SET;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "request 0 is of an unknown type");
    make_relay(&m, &t);
    m.request[0].k = 0;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "request 0 is invalid: k is 0");

    const double bad[] = {-1.0, NOT_A_NUMBER, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < 4; i++) {
        make_relay(&m, &t);
        m.request[0].wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_M;
        m.request[0].radius_m = bad[i];
        CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "request 0 is invalid");
    }
    for (size_t i = 0; i < 4; i++) {
        make_relay(&m, &t);
        m.request[0].wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_S;
        m.request[0].metric = STARCLOAK__METRIC__METRIC_TIME;
        m.request[0].radius_s = bad[i];
        CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "request 0 is invalid");
    }
    make_relay(&m, &t);
    m.words[1] = (char *)(uintptr_t) "zoo";
    m.request[0].n_categories = 2;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag,
                  "category 1 of request 0 is not known to this side");
    make_relay(&m, &t);
    m.request[0].n_categories = 17;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "17 categories; at most 16");
    // The same, once its categories are in order.
    make_relay(&m, &t);
    m.relay.n_requests = 2;
    m.request[0].n_categories = 1;
    m.request[1].n_categories = 2;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "requests 0 and 1 are the same");
    m.request[1].n_categories = 0;
    CHECK_OK(read_relay(&t, &m, &diag), &diag);
    t.limits.max_requests = 1;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_ELIMIT, &diag, "2 requests; at most 1");
    town_free(&t);
}

static void test_a_radius_is_in_the_unit_of_its_metric(void **state)
{
    (void)state;
    town t = town_new();
    made_relay m;
    sc_diag diag = {""};
    make_relay(&m, &t);
    m.request[0].metric = STARCLOAK__METRIC__METRIC_TIME;
    CHECK_OK(read_relay(&t, &m, &diag), &diag);
    // By time and by distance are two requests.
    m.relay.n_requests = 2;
    CHECK_OK(read_relay(&t, &m, &diag), &diag);
    m.request[0].wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_S;
    m.request[0].radius_s = 60.0;
    CHECK_OK(read_relay(&t, &m, &diag), &diag);
    m.request[0].metric = STARCLOAK__METRIC__METRIC_DISTANCE;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag,
                  "request 0 is by distance and has radius_s");
    m.request[0].wanted_case = STARCLOAK__REQUEST__WANTED_RADIUS_M;
    m.request[0].radius_m = 60.0;
    CHECK_OK(read_relay(&t, &m, &diag), &diag);
    m.request[0].metric = STARCLOAK__METRIC__METRIC_TIME;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag,
                  "request 0 is by time and has radius_m");
    m.request[0].metric = (Starcloak__Metric)2;
    CHECK_REFUSED(read_relay(&t, &m, &diag), SC_EREQUEST, &diag, "request 0 is of no known metric");
    town_free(&t);
}

// --- Replies ------------------------------------------------------------------------

/** Two lists of two objects, and a run of two; objects of one's own are at hand. */
typedef struct made_reply {
    Starcloak__Reply reply;
    Starcloak__Part part;
    Starcloak__Part *list[2];
    int32_t run_first[2];
    uint32_t run_count[2];
    uint32_t list_size[3];
    uint64_t list_object[4];
    uint64_t list_cost[4];
    int64_t list_other[4];
    Starcloak__Objects own;
    char *keys[3];
    char *names[3];
    char *words[4];
    uint32_t category[3];
    int32_t edge[3];
    uint32_t offset[3];
} made_reply;

static char *text(const char *constant)
{
    return (char *)(uintptr_t)constant;
}

static void make_own(made_reply *m)
{
    m->reply.own = &m->own;
    m->own.keys = m->keys;
    m->own.names = m->names;
    m->own.categories = m->words;
    m->own.category = m->category;
    m->own.edge = m->edge;
    m->own.offset = m->offset;
    m->own.n_keys = m->own.n_names = m->own.n_category = m->own.n_edge = m->own.n_offset = 3;
    m->own.n_categories = 2;
}

static void make_reply(made_reply *m, const town *t)
{
    *m = (made_reply){.reply = STARCLOAK__REPLY__INIT,
                      .part = STARCLOAK__PART__INIT,
                      .run_first = {1, -2},
                      .run_count = {2, 1},
                      .list_size = {2, 2},
                      // Object 0, then 2, then both once more.
                      .list_object = {0, 8, 1, 3},
                      .list_cost = {5, 5, 0, 0},
                      .list_other = {9, -4, 0, 3},
                      .own = STARCLOAK__OBJECTS__INIT,
                      .keys = {text("a"), text("b"), text("c")},
                      .names = {text(""), text("x"), text("")},
                      .words = {text("school"), text("cafe"), text("cafe")},
                      .category = {0, 1, 1},
                      .edge = {0, 1, -1},
                      .offset = {0, 7, 9}};
    m->list[0] = m->list[1] = &m->part;
    m->reply.map = sc_map_checksum(t->map);
    m->reply.version = 2;
    m->reply.parts = m->list;
    m->reply.n_parts = 1;
    m->part.run_first = m->run_first;
    m->part.run_count = m->run_count;
    m->part.list_size = m->list_size;
    m->part.list_object = m->list_object;
    m->part.list_cost = m->list_cost;
    m->part.list_other = m->list_other;
    m->part.n_run_first = m->part.n_run_count = 2;
    m->part.n_list_size = 2;
    m->part.n_list_object = m->part.n_list_cost = m->part.n_list_other = 4;
}

static sc_err read_reply(const town *t, const made_reply *m, sc_reply *reply, sc_diag *diag)
{
    size_t size = 0;
    uint8_t *bytes = pack(&m->reply.base, &size);
    const sc_err err = sc_reply_decode(&(sc_codec){.map = t->map,
                                                   .vocabulary = &t->vocabulary,
                                                   .encoding = SC_ENCODING_COMPACT,
                                                   .limits = &t->limits},
                                       &t->relay, bytes, size, reply, diag);
    free(bytes);
    return err;
}

static void test_what_is_wrong_in_the_lists_of_a_reply_is_told(void **state)
{
    (void)state;
    town t = town_new();
    made_reply m;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    make_reply(&m, &t);
    CHECK_OK(read_reply(&t, &m, &reply, &diag), &diag);
    assert_int_equal(reply.runs[0].first, 1);
    assert_int_equal(reply.runs[1].first, 1);
    assert_int_equal(reply.nears[1].object, 2);
    assert_int_equal(reply.nears[2].object, 2);
    assert_int_equal(reply.nears[3].object, 0);
    CHECK_SAME(reply.nears[1].distance_m, 10 * sc_map_unit_m(t.map));
    CHECK_SAME(reply.nears[1].duration_s, 5 * sc_map_time_unit_s(t.map));
    CHECK_SAME(reply.nears[3].duration_s, 3 * sc_map_time_unit_s(t.map));

    // Without sizes each run is of one.
    m.part.n_run_count = 0;
    CHECK_OK(read_reply(&t, &m, &reply, &diag), &diag);
    assert_int_equal(reply.runs[1].first, 0);
    assert_int_equal(reply.runs[0].count, 1);

    m.part.n_run_count = 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "part 0: runs and their");
    make_reply(&m, &t);
    m.run_count[0] = 3;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "part 0: a run has no objects");
    make_reply(&m, &t);
    m.run_count[0] = 0;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "part 0: a run has no objects");
    make_reply(&m, &t);
    m.run_first[0] = -1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "part 0: a run has no objects");

    make_reply(&m, &t);
    m.part.n_list_size = 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "the number of lists is not the number of border");
    make_reply(&m, &t);
    m.list_size[1] = 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "differ in number");
    make_reply(&m, &t);
    m.part.n_list_cost = 3;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "differ in number");
    make_reply(&m, &t);
    m.list_object[1] = 12;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "a list names no object");
    make_reply(&m, &t);
    m.list_object[0] = 2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "a list names no object");
    make_reply(&m, &t);
    m.list_object[2] = UINT64_MAX - 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "a list names no object");
    make_reply(&m, &t);
    m.list_object[3] = 5;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "an object that was not listed before");
    make_reply(&m, &t);
    m.part.n_list_other = 3;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "differ in number");
    m.part.n_list_other = 0;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "differ in number");
    const uint64_t bad_costs[] = {UINT64_MAX, (UINT64_C(1) << 53) - 4, UINT64_MAX - 4};
    for (size_t i = 0; i < sizeof bad_costs / sizeof *bad_costs; i++) {
        make_reply(&m, &t);
        m.list_cost[1] = bad_costs[i];
        CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                      "longer than that of any road, or below 0");
    }
    // The first below 0, a later one below 0, too long, and beyond all numbers both ways.
    const int64_t bad_others[][2] = {{-1, 4},        {9, -10},       {INT64_C(1) << 53, 1},
                                     {INT64_MAX, 0}, {INT64_MIN, 0}, {9, INT64_MAX},
                                     {9, INT64_MIN}};
    for (size_t i = 0; i < sizeof bad_others / sizeof *bad_others; i++) {
        make_reply(&m, &t);
        m.list_other[0] = bad_others[i][0];
        m.list_other[1] = bad_others[i][1];
        CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                      "longer than that of any road, or below 0");
    }

    make_reply(&m, &t);
    m.reply.n_parts = 2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "2 parts for 1 requests");
    make_reply(&m, &t);
    m.reply.map ^= 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EMISMATCH, &diag, "another map");
    make_reply(&m, &t);
    t.limits.max_objects = 6;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_ELIMIT, &diag, "more than the 6 objects");
    t.limits.max_objects = 7;
    CHECK_OK(read_reply(&t, &m, &reply, &diag), &diag);
    sc_reply_fini(&reply);
    town_free(&t);
}

static void test_the_first_measure_of_a_way_is_that_of_the_request(void **state)
{
    (void)state;
    town t = town_new();
    t.relay.requests = town_requests_by_time;
    made_reply m;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    make_reply(&m, &t);
    CHECK_OK(read_reply(&t, &m, &reply, &diag), &diag);
    CHECK_SAME(reply.nears[1].duration_s, 10 * sc_map_time_unit_s(t.map));
    CHECK_SAME(reply.nears[1].distance_m, 5 * sc_map_unit_m(t.map));
    sc_reply_fini(&reply);
    town_free(&t);
}

// Version 1 had no number; its replies had no column of the other measure.
static void test_other_versions_are_refused_with_what_to_update(void **state)
{
    (void)state;
    town t = town_new();
    made_relay asked;
    made_reply m;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    const uint32_t old[] = {0, 1};
    const uint32_t later[] = {3, UINT32_MAX};
    for (size_t i = 0; i < 2; i++) {
        make_relay(&asked, &t);
        make_reply(&m, &t);
        m.part.n_list_other = 0;
        // The map of an older side has another checksum, too: the version comes first.
        asked.relay.map++;
        m.reply.map++;
        asked.relay.version = m.reply.version = old[i];
        CHECK_REFUSED(read_relay(&t, &asked, &diag), SC_EPARSE, &diag,
                      "the relay is of version 1 of the provider protocol, and the provider reads "
                      "version 2; update the service");
        CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EPARSE, &diag,
                      "the reply is of version 1 of the provider protocol, and the service reads "
                      "version 2; update the provider");
        asked.relay.version = m.reply.version = later[i];
        CHECK_REFUSED(read_relay(&t, &asked, &diag), SC_EPARSE, &diag,
                      "the provider reads version 2; update the provider");
        CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EPARSE, &diag,
                      "the service reads version 2; update the service");
    }
    sc_reply_fini(&reply);
    town_free(&t);
}

static void test_what_is_wrong_in_the_objects_of_a_reply_is_told(void **state)
{
    (void)state;
    town t = town_new();
    made_reply m;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    make_reply(&m, &t);
    make_own(&m);
    CHECK_OK(read_reply(&t, &m, &reply, &diag), &diag);
    assert_int_equal(reply.table.count, 3);
    assert_int_equal(reply.table.objects[1].edge, 1);
    assert_int_equal(reply.table.objects[2].edge, 0);
    assert_int_equal(reply.table.objects[1].category, sc_vocabulary_find(&t.vocabulary, "cafe"));
    assert_string_equal(reply.table.strings + reply.table.objects[1].name, "x");
    assert_string_equal(reply.table.strings + reply.table.keys[2], "c");

    m.own.n_edge = 2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "columns of objects differ");
    make_own(&m);
    m.own.n_names = 1;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "columns of objects differ");
    make_own(&m);
    m.keys[1] = text("");
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "key of object 1 is empty");
    m.keys[1] = text("\xff");
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "key of object 1 is empty or");
    m.keys[1] = text("a");
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "object 1 has the same key as");
    m.keys[1] = text("b");
    m.names[2] = text("\xc3");
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "name of object 2 is not UTF");
    m.names[2] = text("");
    m.category[0] = 2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "object 0 has no category");
    m.category[0] = 0;
    m.words[1] = text("zoo");
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "category 1 of the objects");
    m.words[1] = text("cafe");
    m.own.n_categories = 3;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag, "only 2 are known");
    m.own.n_categories = 2;
    m.edge[2] = -2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "object 2 is not on an edge");
    m.edge[2] = -1;
    m.offset[1] = UINT32_MAX;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_EREPLY, &diag,
                  "object 1 is not on an edge");
    m.offset[1] = 7;
    t.limits.max_objects = 2;
    CHECK_REFUSED(read_reply(&t, &m, &reply, &diag), SC_ELIMIT, &diag, "3 objects; at most 2");
    sc_reply_fini(&reply);
    town_free(&t);
}

static void test_a_small_message_does_not_take_much_memory(void **state)
{
    (void)state;
    // Each empty part takes two bytes of the message, and fifty times as much unpacked.
    town t = town_new();
    t.limits.max_bytes = 100000;
    uint8_t *bytes = test_take(t.limits.max_bytes, 1);
    for (size_t i = 0; i < t.limits.max_bytes; i += 2) {
        bytes[i] = 0x1a;
    }
    sc_reply reply;
    sc_reply_init(&reply);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_reply_decode(&(sc_codec){.map = t.map,
                                              .vocabulary = &t.vocabulary,
                                              .encoding = SC_ENCODING_COMPACT,
                                              .limits = &t.limits},
                                  &t.relay, bytes, t.limits.max_bytes, &reply, &diag),
                  SC_ELIMIT, &diag, "far more memory than its size justifies");
    free(bytes);
    sc_reply_fini(&reply);
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_what_is_wrong_in_a_relay_is_told),
    cmocka_unit_test(test_what_is_wrong_in_a_request_is_told),
    cmocka_unit_test(test_a_radius_is_in_the_unit_of_its_metric),
    cmocka_unit_test(test_what_is_wrong_in_the_lists_of_a_reply_is_told),
    cmocka_unit_test(test_the_first_measure_of_a_way_is_that_of_the_request),
    cmocka_unit_test(test_other_versions_are_refused_with_what_to_update),
    cmocka_unit_test(test_what_is_wrong_in_the_objects_of_a_reply_is_told),
    cmocka_unit_test(test_a_small_message_does_not_take_much_memory),
};
SC_SUITE(tests)
