/**
 * @file follow_town.h
 * @brief A small town, tracks through it written as CSV, and where their travellers are; and tracks
 * at random over a grid.
 *
 *              E                    E is 300 m north of B, F 300 m south of C
 *              |
 *      A-------B-----C-----D        A 0 m, B 400 m, C 700 m, D 1000 m east
 *                    |
 *      G---H         F              G and H: an island 2 km north, 0 and 500 m east
 */
#ifndef SC_TESTS_UNIT_TRACES_FOLLOW_TOWN_H
#define SC_TESTS_UNIT_TRACES_FOLLOW_TOWN_H

#include "support/check.h"
#include "support/sketch.h"

#include "base/rng.h"
#include "traces/follow.h"

#include <math.h>
#include <stdio.h>

typedef struct town {
    sc_map *map;
    sc_routes *routes;
} town;

/** Takes the sketch. */
static inline town town_of(sketch *s)
{
    town t = {.map = sketch_map(s)};
    sketch_free(s);
    sc_diag diag = {""};
    CHECK_OK(sc_routes_new(t.map, SC_CAR, NULL, &t.routes, &diag), &diag);
    return t;
}

static inline town town_new(void)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t a = sketch_add_node(&s, 0, 0);
    const uint32_t b = sketch_add_node(&s, 400, 0);
    const uint32_t c = sketch_add_node(&s, 700, 0);
    const uint32_t d = sketch_add_node(&s, 1000, 0);
    const uint32_t e = sketch_add_node(&s, 400, 300);
    const uint32_t f = sketch_add_node(&s, 700, -300);
    const uint32_t g = sketch_add_node(&s, 0, 2000);
    const uint32_t h = sketch_add_node(&s, 500, 2000);
    sketch_add_edge(&s, a, b, 400);
    sketch_add_edge(&s, b, c, 300);
    sketch_add_edge(&s, c, d, 300);
    sketch_add_edge(&s, e, b, 300);
    sketch_add_edge(&s, c, f, 300);
    sketch_add_edge(&s, g, h, 500);
    return town_of(&s);
}

static inline void town_free(town *t)
{
    sc_routes_free(t->routes);
    sc_map_free(t->map);
}

/** Tracks from lines of "id,t,x,y". */
static inline sc_traces *traces_of(const char *lines)
{
    const size_t size = strlen(lines) + 16;
    char *text = test_take(size, 1);
    snprintf(text, size, "id,t,x,y\n%s", lines);
    const sc_traces_options options = sc_traces_options_default();
    sc_traces *traces = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_traces_parse(text, strlen(text), "tracks.csv", &options, &traces, &diag), &diag);
    free(text);
    return traces;
}

/** The movement of those tracks. `options` and `summary` may be NULL. */
static inline sc_movement *follow(const town *t, const char *lines,
                                  const sc_follow_options *options, sc_follow_summary *summary)
{
    const sc_follow_options usual = sc_follow_options_default();
    sc_traces *traces = traces_of(lines);
    sc_movement *movement = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_follow_new(&(sc_follow_input){t->map, t->routes, traces},
                           options ? options : &usual, NULL, &movement, summary, &diag),
             &diag);
    // Tracks are needed only while a movement is made.
    sc_traces_free(traces);
    return movement;
}

/** `who` is at that position, to within the two millimetres that rounding takes. */
static inline void check_there(sc_movement *m, uint32_t who, double t_s, double x, double y)
{
    sc_place place;
    sc_time back = -1;
    const sc_time t = sc_time_from_seconds(t_s);
    CHECK_OK(sc_movement_at(m, who, t, &place, &back), NULL);
    assert_true(back == t);
    double got_x;
    double got_y;
    sc_map_edge_position(m->map, place.edge, place.offset * sc_map_unit_m(m->map), &got_x, &got_y);
    CHECK_CLOSE(got_x, x, 2e-3);
    CHECK_CLOSE(got_y, y, 2e-3);
}

/** `who` is off the roads until `back_s`; HUGE_VAL: it does not come back. */
static inline void check_away(sc_movement *m, uint32_t who, double t_s, double back_s)
{
    sc_place place;
    sc_time back = -1;
    CHECK_OK(sc_movement_at(m, who, sc_time_from_seconds(t_s), &place, &back), NULL);
    assert_true(back == (isinf(back_s) ? SC_TIME_NEVER : sc_time_from_seconds(back_s)));
}

static inline void check_name(const sc_movement *m, uint32_t who, const char *wanted)
{
    char room[32];
    assert_string_equal(sc_movement_name(m, who, room), wanted);
}

// --- At random --------------------------------------------------------------

/** How many there are, and how long a line may be. */
enum { TRACKS = 4, FIXES = 60, LINE = 64 };

/**
 * Tracks over a grid of 6 x 5 nodes and a bit beyond; often at rest, with gaps and leaps. Times are
 * odd seconds. Release with free().
 */
static inline char *random_lines(sc_rng *rng)
{
    char *lines = test_take((size_t)TRACKS * FIXES * LINE, 1);
    size_t used = 0;
    for (int track = 0; track < TRACKS; track++) {
        unsigned t = 1 + 2 * sc_rng_below(rng, 100);
        double x = 500 * sc_rng_unit(rng);
        double y = 400 * sc_rng_unit(rng);
        for (int i = 0; i < FIXES; i++) {
            used += (size_t)snprintf(lines + used, LINE, "cab%d,%u,%.3f,%.3f\n", track, t, x, y);
            t += 2 * (1 + sc_rng_below(rng, sc_rng_below(rng, 8) == 0 ? 60 : 15));
            if (sc_rng_below(rng, 4) == 0) continue;
            const double reach = sc_rng_below(rng, 8) == 0 ? 1000 : 150;
            x = fmin(fmax(x + reach * (sc_rng_unit(rng) - 0.5), -60), 560);
            y = fmin(fmax(y + reach * (sc_rng_unit(rng) - 0.5), -60), 460);
        }
    }
    return lines;
}

/** The grid, its nodes 100 m apart. */
static inline town grid_town(void)
{
    sketch s = sketch_grid(SC_COORDS_PLANAR, 6, 5);
    return town_of(&s);
}

/** Such that some fixes are too far from the roads, and some gaps too long. */
static inline sc_follow_options random_options(void)
{
    sc_follow_options options = sc_follow_options_default();
    options.max_snap_m = 30;
    options.max_gap_s = 60;
    return options;
}

/** A place and when it was. */
typedef struct sighting {
    sc_time t;
    bool is_there;
    sc_place place;
} sighting;

static inline sighting look(sc_movement *m, uint32_t who, sc_time t)
{
    sighting seen = {.t = t};
    sc_time back = -1;
    CHECK_OK(sc_movement_at(m, who, t, &seen.place, &back), NULL);
    assert_true(back >= t);
    seen.is_there = back == t;
    return seen;
}

#endif
