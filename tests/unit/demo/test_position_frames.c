// Positions as frames of moves: a listener that follows docs/ui.md has everybody where they are.
#include "demo/position_frames.h"

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "read_frames.h"
#include "support/check.h"
#include "support/oom.h"
#include "support/sketch.h"

static json_t *write_frame(sc_position_frames *frames, const int32_t *at, bool wants_base)
{
    static const char head[] = "event: positions\ndata: ";
    sc_bytes text = {0};
    assert_true(sc_position_frames_write(frames, 12.25, at, wants_base, &text));
    assert_memory_equal(text.data, head, strlen(head));
    assert_memory_equal(text.data + text.size - 2, "\n\n", 2);
    json_t *event =
        json_loadb((const char *)text.data + strlen(head), text.size - strlen(head) - 2, 0, NULL);
    assert_non_null(event);
    assert_int_equal(json_object_size(event), 4);
    sc_bytes_fini(&text);
    return event;
}

static void check_bytes(const json_t *event, const uint8_t *wanted, size_t size)
{
    uint8_t bytes[64];
    assert_int_equal(frame_bytes(event, bytes, sizeof bytes), size);
    assert_memory_equal(bytes, wanted, size);
}

static void test_bytes_are_those_of_the_document(void **state)
{
    (void)state;
    enum { STEP = 16 };
    sc_position_frames frames = {0};
    CHECK_OK(sc_position_frames_init(&frames, 4, STEP), NULL);
    static const int32_t first[] = {10 * STEP, 20 * STEP, -1, -1, -1, -1, 300 * STEP, 5 * STEP};
    static const int32_t second[] = {9 * STEP, 23 * STEP, -1, -1, -1, -1, -1, -1};
    json_t *event = write_frame(&frames, first, false);
    assert_int_equal(json_integer_value(json_object_get(event, "frame")), 1);
    assert_true(json_is_true(json_object_get(event, "base")));
    check_bytes(event, (const uint8_t[]){0x16, 0x28, 0x00, 0x02, 0xda, 0x04, 0x0a}, 7);
    json_decref(event);
    event = write_frame(&frames, second, false);
    assert_int_equal(json_integer_value(json_object_get(event, "frame")), 2);
    assert_true(json_is_false(json_object_get(event, "base")));
    check_bytes(event, (const uint8_t[]){0x03, 0x06, 0x00, 0x02, 0x01}, 5);
    json_decref(event);
    assert_false(sc_position_frames_differ(&frames, second));
    event = write_frame(&frames, second, false);
    check_bytes(event, NULL, 0);
    json_decref(event);
    assert_true(sc_position_frames_differ(&frames, first));
    sc_position_frames_fini(&frames);
    sc_position_frames_fini(&frames);
}

enum { COUNT = 50, STEP = 8 };

static void check_places(const frame_reader *reader, const int32_t *at)
{
    for (size_t i = 0; i < (size_t)2 * COUNT; i++) {
        if (at[i] == SC_OFF_ROAD) {
            assert_int_equal(reader->at[i], -1);
        } else {
            const int64_t error = reader->at[i] * STEP - at[i];
            assert_true(error >= -STEP / 2 && error <= STEP / 2);
        }
    }
}

// Some walk, some stand, some come and go; one listener gets all frames, one comes late, and one
// loses a frame now and then.
static void test_every_listener_has_them_where_they_are(void **state)
{
    (void)state;
    sc_rng rng;
    sc_rng_seed(&rng, 11);
    sc_position_frames frames = {0};
    CHECK_OK(sc_position_frames_init(&frames, COUNT, STEP), NULL);
    frame_reader all = frame_reader_new(COUNT);
    frame_reader late = frame_reader_new(COUNT);
    frame_reader lossy = frame_reader_new(COUNT);
    int32_t at[2 * COUNT];
    for (size_t i = 0; i < (size_t)2 * COUNT; i++) {
        at[i] = (int32_t)sc_rng_below(&rng, 1000000);
    }
    for (int i = 0; i < 200; i++) {
        for (size_t who = 0; who < COUNT; who++) {
            int32_t *place = &at[2 * who];
            const uint32_t dice = sc_rng_below(&rng, 20);
            if (dice == 0) {
                place[0] = place[1] = SC_OFF_ROAD;
            } else if (place[0] == SC_OFF_ROAD) {
                if (dice > 4) continue;
                place[0] = (int32_t)sc_rng_below(&rng, 1000000);
                place[1] = (int32_t)sc_rng_below(&rng, 1000000);
            } else if (dice > 8) {
                place[0] = abs(place[0] + (int32_t)sc_rng_below(&rng, 2001) - 1000);
                place[1] = abs(place[1] + (int32_t)sc_rng_below(&rng, 21) - 10);
            }
        }
        json_t *event = write_frame(&frames, at, i == 73);
        assert_true(frame_read(&all, event));
        check_places(&all, at);
        if (i >= 45 && frame_read(&late, event)) check_places(&late, at);
        if (i % 31 != 30 && frame_read(&lossy, event)) check_places(&lossy, at);
        json_decref(event);
    }
    assert_int_equal(all.used, 200);
    assert_int_equal(late.passed, 60 - 45);  // until the next base, frame 61
    assert_true(lossy.passed > 0 && lossy.used > 100);
    frame_reader_free(&all);
    frame_reader_free(&late);
    frame_reader_free(&lossy);
    sc_position_frames_fini(&frames);
}

static void test_a_frame_without_memory_is_followed_by_a_base(void **state)
{
    (void)state;
    sc_position_frames frames = {0};
    CHECK_OK(sc_position_frames_init(&frames, COUNT, STEP), NULL);
    frame_reader reader = frame_reader_new(COUNT);
    int32_t at[2 * COUNT];
    for (size_t i = 0; i < (size_t)2 * COUNT; i++) {
        at[i] = (int32_t)(i * 100000);
    }
    unsigned long failures = 0;
    FOR_EACH_FAILURE(n)
    {
        sc_alloc_fail_at(0);
        for (size_t i = 0; i < (size_t)2 * COUNT; i++) {
            at[i] += 9 * STEP;
        }
        sc_bytes_fini(&frames.moves);  // so that there is something to allocate
        sc_bytes text = {0};
        sc_alloc_fail_at(n);
        const bool fits = sc_position_frames_write(&frames, 1.0, at, false, &text);
        const bool happened = oom_happened();
        sc_bytes_fini(&text);
        assert_int_equal(fits, !happened);
        sc_alloc_fail_at(0);
        json_t *event = write_frame(&frames, at, false);
        if (happened) assert_true(json_is_true(json_object_get(event, "base")));
        if (happened) assert_true(frame_read(&reader, event));
        json_decref(event);
        if (!happened) break;
        check_places(&reader, at);
        failures++;
    }
    assert_true(failures > 1);
    frame_reader_free(&reader);
    sc_position_frames_fini(&frames);
}

// In degrees a unit is some centimetres; on a plane it may be anything.
static void test_a_step_is_a_quarter_of_a_metre_or_less(void **state)
{
    (void)state;
    for (int coords = SC_COORDS_PLANAR; coords <= SC_COORDS_GEOGRAPHIC; coords++) {
        if (coords == SC_COORDS_NONE) continue;
        sketch grid = sketch_grid((sc_coords)coords, 5, 5);
        sc_map *map = sketch_map(&grid);
        sketch_free(&grid);
        const sc_map_grid drawn = sc_map_grid_of(map);
        const int32_t step = sc_position_step(map, &drawn);
        assert_true(step >= 1 && (step & (step - 1)) == 0);
        double x[2];
        double y[2];
        sc_map_edge_position(map, 0, 0, &x[0], &y[0]);
        const double length_m = sc_map_edge_length_m(map, 0);
        sc_map_edge_position(map, 0, length_m, &x[1], &y[1]);
        const double units = hypot(x[1] - x[0], y[1] - y[0]) * drawn.per_unit;
        // Roads of one map differ: degrees of longitude are shorter than those of latitude.
        assert_true(step == 1 || step * length_m / units <= 0.5);
        sc_map_free(map);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_bytes_are_those_of_the_document),
    cmocka_unit_test(test_every_listener_has_them_where_they_are),
    cmocka_unit_test(test_a_frame_without_memory_is_followed_by_a_base),
    cmocka_unit_test(test_a_step_is_a_quarter_of_a_metre_or_less),
};
SC_SUITE(tests)
