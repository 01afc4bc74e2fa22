// Objects on roads that are drawn alike: GeoJSON cannot tell which road it is, and must not guess.
//
//      |   |
//    --A===B--        two roads between A and B, drawn on top of each other
//      |   |
#include <starcloak/lbs.h>
#include <starcloak/relay_codec.h>

#include "support/check.h"
#include "support/sketch.h"

/** The town with one object, what a provider says for all of its roads, and that as bytes. */
typedef struct town {
    sketch drawing;
    sc_map *map;
    sc_vocabulary words;
    sc_objects *objects;
    sc_lbs *lbs;
    sc_seg_id segments[16];
    sc_request request;
    sc_relay relay;
    sc_reply reply;
    sc_bytes bytes;
} town;

static town town_with_object(const char *more, uint32_t edge, double fraction)
{
    town t = {.drawing = sketch_draw(SC_COORDS_GEOGRAPHIC,
                                     "  o o  \n"
                                     "  | |  \n"
                                     "o-A-B-o\n"
                                     "  | |  \n"
                                     "  o o  \n",
                                     more),
              .request = {.type = SC_REQUEST_KNN, .k = 1}};
    sc_builder *builder = sketch_builder(&t.drawing);
    put_object(builder, edge, fraction, "well", "");
    t.map = finish_builder(builder);
    CHECK_OK(sc_vocabulary_init_from_map(t.map, &t.words), NULL);
    CHECK_OK(sc_objects_new_from_map(t.map, &t.objects), NULL);
    const sc_lbs_options options = sc_lbs_options_default();
    CHECK_OK(sc_lbs_new(t.map, &options, &t.lbs, NULL), NULL);
    sc_reply_init(&t.reply);
    return t;
}

static void town_free(town *t)
{
    sc_bytes_fini(&t->bytes);
    sc_reply_fini(&t->reply);
    sc_lbs_free(t->lbs);
    sc_objects_release(t->objects);
    sc_vocabulary_fini(&t->words);
    sc_map_free(t->map);
    sketch_free(&t->drawing);
}

// What becomes of the provider's reply for the whole town on its way through bytes.
static sc_err send(town *t, sc_encoding encoding, sc_diag *diag)
{
    const uint32_t count = sc_map_segment_count(t->map);
    assert_true(count <= 16);
    for (uint32_t i = 0; i < count; i++) {
        t->segments[i] = i;
    }
    t->relay = (sc_relay){.map_checksum = sc_map_checksum(t->map),
                          .segments = t->segments,
                          .segment_count = count,
                          .requests = &t->request,
                          .request_count = 1};
    CHECK_OK(sc_lbs_evaluate(t->lbs, t->objects, &t->relay, &t->reply, diag), diag);
    CHECK_OK(
        sc_reply_encode(&(sc_codec){.map = t->map, .vocabulary = &t->words, .encoding = encoding},
                        &t->relay, &t->reply, &t->bytes, diag),
        diag);
    const sc_codec_limits limits = sc_codec_limits_default();
    return sc_reply_decode(
        &(sc_codec){
            .map = t->map, .vocabulary = &t->words, .encoding = encoding, .limits = &limits},
        &t->relay, t->bytes.data, t->bytes.size, &t->reply, diag);
}

/** The road that is added to the picture comes behind the seven of it. */
enum { ADDED_ROAD = 7 };

static void test_an_object_on_one_of_two_roads_drawn_alike_is_refused(void **state)
{
    (void)state;
    sc_diag diag = {""};
    town t = town_with_object("AB", ADDED_ROAD, 0.4);
    CHECK_REFUSED(send(&t, SC_ENCODING_GEOJSON, &diag), SC_EREPLY, &diag, "with the same geometry");
    CHECK_OK(send(&t, SC_ENCODING_COMPACT, &diag), &diag);
    town_free(&t);
    // Drawn from the other end it is still the same line.
    t = town_with_object("BA", ADDED_ROAD, 0.4);
    CHECK_REFUSED(send(&t, SC_ENCODING_GEOJSON, &diag), SC_EREPLY, &diag, "with the same geometry");
    town_free(&t);
}

static void test_an_object_on_a_loop_drawn_as_a_point_is_refused(void **state)
{
    (void)state;
    sc_diag diag = {""};
    town t = town_with_object("AA", ADDED_ROAD, 0.4);
    CHECK_REFUSED(send(&t, SC_ENCODING_GEOJSON, &diag), SC_EREPLY, &diag, "with the same geometry");
    CHECK_OK(send(&t, SC_ENCODING_COMPACT, &diag), &diag);
    town_free(&t);
}

// At a crossing all roads begin, and elsewhere there is one.
static void test_an_object_that_can_be_told_is_taken_beside_roads_drawn_alike(void **state)
{
    (void)state;
    sc_diag diag = {""};
    for (uint32_t edge = 0; edge < ADDED_ROAD; edge++) {
        town t = town_with_object("AB", edge, 0.4);
        const sc_object *object = &sc_map_objects(t.map)[0];
        const sc_edge *road = &sc_map_edges(t.map)[object->edge];
        const bool is_between =
            road->from == sketch_node(&t.drawing, 'A') && road->to == sketch_node(&t.drawing, 'B');
        const sc_err err = send(&t, SC_ENCODING_GEOJSON, &diag);
        assert_int_equal(err, is_between ? SC_EREPLY : SC_OK);
        town_free(&t);
    }
    town t = town_with_object("AB", ADDED_ROAD, 0.0);
    CHECK_OK(send(&t, SC_ENCODING_GEOJSON, &diag), &diag);
    town_free(&t);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_object_on_one_of_two_roads_drawn_alike_is_refused),
    cmocka_unit_test(test_an_object_on_a_loop_drawn_as_a_point_is_refused),
    cmocka_unit_test(test_an_object_that_can_be_told_is_taken_beside_roads_drawn_alike),
};
SC_SUITE(tests)
