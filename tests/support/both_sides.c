// The whole way from a cloak to exact answers. See both_sides.h.
#include "support/both_sides.h"

#include "support/check.h"

#include <math.h>

both_sides both_sides_new(sc_objects *objects, slow_nearest *slow, way_between way)
{
    both_sides b = {.map = sc_objects_map(objects), .objects = objects, .slow = slow, .way = way};
    sc_lbs_options lbs_options = sc_lbs_options_default();
    lbs_options.limits.max_radius_m = HUGE_VAL;
    lbs_options.limits.max_radius_s = HUGE_VAL;
    sc_filter_options filter_options = sc_filter_options_default();
    // An object at a border node may be put on either side of it.
    if (way == BY_GEOJSON_BYTES) filter_options.slack = 0.001;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_new(b.map, &lbs_options, &b.lbs, &diag), &diag);
    CHECK_OK(sc_filter_new(b.map, &filter_options, &b.filter, &diag), &diag);
    sc_reply_init(&b.made);
    sc_reply_init(&b.read);
    return b;
}

void both_sides_free(both_sides *b)
{
    sc_filter_free(b->filter);
    sc_lbs_free(b->lbs);
    sc_relay_free(b->relay);
    sc_relay_free(b->arrived);
    sc_reply_fini(&b->made);
    sc_reply_fini(&b->read);
    sc_bytes_fini(&b->bytes);
}

// --- There and back ------------------------------------------------------------------------

static sc_encoding encoding_of(const both_sides *b)
{
    return b->way == BY_GEOJSON_BYTES ? SC_ENCODING_GEOJSON : SC_ENCODING_COMPACT;
}

static const sc_relay *arrive(both_sides *b)
{
    if (b->way == BY_CALL) return b->relay;
    const sc_vocabulary *words = sc_objects_vocabulary(b->objects);
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_diag diag = {""};
    CHECK_OK(
        sc_relay_encode(&(sc_codec){.map = b->map, .vocabulary = words, .encoding = encoding_of(b)},
                        b->relay, &b->bytes, &diag),
        &diag);
    sc_relay_free(b->arrived);
    b->arrived = NULL;
    const sc_err err = sc_relay_decode(
        &(sc_codec){
            .map = b->map, .vocabulary = words, .encoding = encoding_of(b), .limits = &limits},
        b->bytes.data, b->bytes.size, &b->arrived, &diag);
    if (err == SC_EUNKNOWN && b->way == BY_GEOJSON_BYTES) {
        CHECK_CONTAINS(diag.message, "fits two");
        return NULL;
    }
    CHECK_OK(err, &diag);
    return b->arrived;
}

static const sc_reply *come_back(both_sides *b)
{
    if (b->way == BY_CALL) return &b->made;
    const sc_vocabulary *words = sc_objects_vocabulary(b->objects);
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_diag diag = {""};
    CHECK_OK(
        sc_reply_encode(&(sc_codec){.map = b->map, .vocabulary = words, .encoding = encoding_of(b)},
                        b->arrived, &b->made, &b->bytes, &diag),
        &diag);
    const sc_err err = sc_reply_decode(
        &(sc_codec){
            .map = b->map, .vocabulary = words, .encoding = encoding_of(b), .limits = &limits},
        b->relay, b->bytes.data, b->bytes.size, &b->read, &diag);
    if (err == SC_EREPLY && b->way == BY_GEOJSON_BYTES) {
        CHECK_CONTAINS(diag.message, "with the same geometry");
        return NULL;
    }
    CHECK_OK(err, &diag);
    return &b->read;
}

bool both_sides_open(both_sides *b, const odd_cloak *cloak, const sc_request *requests,
                     size_t member_count, sc_rng *rng)
{
    assert_true(member_count <= BOTH_SIDES_MEMBERS);
    memcpy(b->requests, requests, member_count * sizeof *requests);
    sc_relay_free(b->relay);
    b->relay = NULL;
    CHECK_OK(sc_relay_new(b->map,
                          &(sc_relay_content){.segments = cloak->segments,
                                              .segment_count = cloak->segment_count,
                                              .border_nodes = cloak->border_nodes,
                                              .border_node_count = cloak->border_node_count,
                                              .requests = requests,
                                              .member_count = member_count},
                          rng, b->which, &b->relay),
             NULL);
    sc_diag diag = {""};
    const sc_relay *arrived = arrive(b);
    if (!arrived) return false;
    CHECK_OK(sc_lbs_evaluate(b->lbs, b->objects, arrived, &b->made, &diag), &diag);
    const sc_reply *reply = come_back(b);
    if (!reply) return false;
    CHECK_OK(sc_filter_open(b->filter, b->relay, reply, &diag), &diag);
    return true;
}

// --- Checking ------------------------------------------------------------------------------

// The number that the provider has for an object of the reply: by its key, if it came with one. As
// GeoJSON the map's own objects have their numbers for keys.
static uint32_t original(const both_sides *b, const sc_object_table *table, uint32_t object)
{
    assert_true(object < table->count);
    if (!table->keys) return object;
    const sc_object_table *own = sc_objects_table(b->objects);
    const char *key = table->strings + table->keys[object];
    if (!own->keys) return (uint32_t)strtoul(key, NULL, 10);
    for (uint32_t o = 0; o < own->count; o++) {
        if (strcmp(own->strings + own->keys[o], key) == 0) return o;
    }
    fail_msg("the provider does not know the key '%s'", key);
    return SC_NONE;
}

// Whether an object is within rounding of the position: then it may come to lie on the other side
// of it, which makes all the difference on a one-way road, and to a traveller with a direction.
static bool is_beside_an_object(const both_sides *b, odd_position at)
{
    enum { ROUNDING = 4 };
    const sc_map *map = sc_objects_map(b->objects);
    const double offset = at.offset_m / sc_map_unit_m(map);
    const double length = sc_map_edges(map)[at.edge].length;
    const sc_object_table *table = sc_objects_table(b->objects);
    for (uint32_t i = 0; i < table->count; i++) {
        if (table->objects[i].edge != at.edge) continue;
        if (fabs(table->objects[i].offset - offset) <= ROUNDING) return true;
    }
    return offset <= ROUNDING || offset >= length - ROUNDING;
}

void both_sides_check(both_sides *b, size_t member, odd_position at)
{
    if (b->way == BY_GEOJSON_BYTES && is_beside_an_object(b, at)) return;
    const sc_object_table *table = b->way == BY_CALL ? &b->made.table : &b->read.table;
    const sc_near *got = NULL;
    size_t count = 0;
    sc_diag diag = {""};
    const sc_road_point point = {
        .edge = at.edge, .offset_m = at.offset_m, .direction = at.direction};
    CHECK_OK(sc_filter_answer(b->filter, point, b->which[member], &got, &count, &diag), &diag);
    const sc_metric metric = b->requests[member].metric;
    sc_near *named = test_take(count, sizeof *named);
    for (size_t i = 0; i < count; i++) {
        named[i] =
            (sc_near){original(b, table, got[i].object), got[i].distance_m, got[i].duration_s};
        assert_true(i == 0 || sc_near_cost(&got[i], metric) > sc_near_cost(&got[i - 1], metric) ||
                    got[i].object > got[i - 1].object);
    }
    b->slow->direction = at.direction;
    slow_answer wanted = slow_nearest_at(b->slow, at.edge, at.offset_m, &b->requests[member]);
    slow_check_answer(b->slow, &wanted, named, count, "member");
    b->slow->direction = SC_EITHER_WAY;
    slow_answer_free(&wanted);
    free(named);
}
