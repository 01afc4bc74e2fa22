// California, by road: the built-in provider plays one that knows points only, and the answers made
// of what it says are those that it gives for the exact positions.
#include "gather.h"

#include "support/odd_cloak.h"
#include "support/place.h"

#include <starcloak/lbs.h>
#include <starcloak/map_import.h>
#include <starcloak/objects.h>

/** A provider, and the state that it answers for. */
typedef struct state_of {
    sc_map *map;
    sc_objects *objects;
    sc_lbs *lbs;
} state_of;

static bool california(state_of *out)
{
    char paths[3][600];
    if (!data_path("california/cal.cnode.xz", paths[0], sizeof paths[0]) ||
        !data_path("california/cal.cedge.xz", paths[1], sizeof paths[1]) ||
        !data_path("california/calmap.txt.xz", paths[2], sizeof paths[2])) {
        return false;
    }
    const char *const inputs[] = {paths[0], paths[1], paths[2]};
    const sc_lbs_options options = sc_lbs_options_default();
    sc_diag diag = {""};
    *out = (state_of){.map = NULL};
    CHECK_OK(sc_map_import(&(sc_import_source){SC_FORMAT_CNODE, inputs, 3}, &SC_IMPORT_DEFAULTS,
                           &out->map, NULL, &diag),
             &diag);
    CHECK_OK(sc_objects_new_from_map(out->map, &out->objects), NULL);
    CHECK_OK(sc_lbs_new(out->map, &options, &out->lbs, &diag), &diag);
    return true;
}

static void state_free(state_of *s)
{
    sc_lbs_free(s->lbs);
    sc_objects_release(s->objects);
    sc_map_free(s->map);
}

// It finds the road that a point is on by itself, as a provider would have to.
static char *tell(void *context, size_t question, double x, double y, uint32_t k,
                  sc_category_id category)
{
    (void)question;
    const state_of *s = context;
    sc_request request = {.type = SC_REQUEST_KNN, .k = k};
    if (category != SC_NONE) {
        request.category_count = 1;
        request.categories[0] = category;
    }
    sc_snap snap;
    const sc_near *nears = NULL;
    size_t count = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_map_snap(s->map, x, y, HUGE_VAL, &snap), NULL);
    CHECK_OK(
        sc_lbs_nearest(s->lbs, s->objects,
                       &(sc_near_query){{.edge = snap.edge, .offset_m = snap.offset_m}, &request},
                       &nears, &count, &diag),
        &diag);
    char *body = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&body, &size);
    assert_non_null(out);
    fputs("{\"results\":[", out);
    for (size_t i = 0; i < count; i++) {
        const sc_object *object = &sc_objects_table(s->objects)->objects[nears[i].object];
        double lon = 0.0;
        double lat = 0.0;
        sc_map_edge_position(s->map, object->edge, object->offset * sc_map_unit_m(s->map), &lon,
                             &lat);
        fprintf(out, "%s{\"id\":%u,\"lon\":%.7f,\"lat\":%.7f,\"distance_m\":%.3f}",
                i > 0 ? "," : "", nears[i].object, lon, lat, nears[i].distance_m);
    }
    fputs("]}", out);
    fclose(out);
    return body;
}

static void check_place(const state_of *s, sc_point_reply *reply, odd_position q, size_t request)
{
    // Positions and distances are told to the centimetre, and a place is between two points.
    const double tolerance_m = 0.1;
    assert_non_null(reply);
    if (!reply) return;
    const sc_near *wanted = NULL;
    const sc_near *got = NULL;
    size_t wanted_count = 0;
    size_t count = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_lbs_nearest(s->lbs, s->objects,
                            &(sc_near_query){{.edge = q.edge, .offset_m = q.offset_m},
                                             &reply->requests[request]},
                            &wanted, &wanted_count, &diag),
             &diag);
    CHECK_OK(sc_point_reply_answer(reply, (sc_road_point){.edge = q.edge, .offset_m = q.offset_m},
                                   request, &got, &count, &diag),
             &diag);
    assert_int_equal(count, wanted_count);
    for (size_t i = 0; i < count; i++) {
        CHECK_CLOSE(got[i].distance_m, wanted[i].distance_m, tolerance_m);
    }
}

static void test_answers_in_california_are_those_for_the_exact_positions(void **state)
{
    (void)state;
    state_of s;
    if (!california(&s)) {
        skip();
        return;
    }
    const sc_vocabulary *words = sc_objects_vocabulary(s.objects);
    sc_point_options options = sc_point_options_default();
    options.distance = SC_POINT_ROAD;
    options.spacing_m = 2000.0;
    for (uint64_t seed = 0; seed < 30; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        const sc_request requests[] = {
            {.type = SC_REQUEST_KNN, .k = 5},
            {.type = SC_REQUEST_KNN,
             .k = 3,
             .category_count = 1,
             .categories = {sc_rng_below(&rng, words->count)}},
        };
        odd_cloak cloak = odd_cloak_of_stars(s.map, 1 + sc_rng_below(&rng, 3), &rng);
        const sc_relay relay = odd_cloak_relay(&cloak, s.map, requests, 2);
        sc_point_reply *reply = NULL;
        sc_diag diag = {""};
        CHECK_OK(gather_from(s.map, words, (teller){tell, &s}, &options, &relay, &reply, &diag),
                 &diag);
        for (int i = 0; i < 60; i++) {
            const sc_seg_id segment =
                cloak.segments[sc_rng_below(&rng, (uint32_t)cloak.segment_count)];
            check_place(&s, reply, odd_position_on(s.map, segment, &rng), (size_t)i % 2);
        }
        sc_point_reply_free(reply);
        odd_cloak_free(&cloak);
    }
    check_case_done();
    state_free(&s);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_answers_in_california_are_those_for_the_exact_positions),
};
SC_SUITE(tests)
