// Fastest ways: what the hierarchy costs, and what a way costs with it and without.
//
// usage: bench_routes MAP.scm...
//
// Between random places that are connected, for cars. The plain search is Dijkstra's over the star
// graph with a heap, and stops when it is there; it gives only the time, while the other spells out
// the way. Both times must agree.
#include "support/bench.h"

#include "base/alloc.h"
#include "travel/routes_internal.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// --- Building -----------------------------------------------------------------

/** What is in use, and the most that ever was; bytes. */
typedef struct memory {
    double before;
    double most;
} memory;

static double in_use(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)(info.uordblks + info.hblkhd);
}

static void look_at_memory(void *context, const char *phase, uint64_t done, uint64_t total)
{
    (void)phase;
    (void)done;
    (void)total;
    memory *m = context;
    m->most = fmax(m->most, in_use() - m->before);
}

/** CPU seconds to build, the least of some runs; the last result stays. */
static double build_s(const sc_map *map, sc_routes **routes, memory *used)
{
    double least = HUGE_VAL;
    for (int run = 0; run < 3; run++) {
        sc_routes_free(*routes);
        *used = (memory){.before = in_use()};
        const sc_progress progress = {look_at_memory, used};
        sc_diag diag = {""};
        const double start = bench_cpu_s();
        if (sc_routes_new(map, SC_CAR, &progress, routes, &diag)) {
            bench_die("bench_routes", diag.message);
        }
        least = fmin(least, bench_cpu_s() - start);
    }
    return least;
}

// --- The plain search ---------------------------------------------------------

typedef struct plain {
    const sc_map *map;
    const sc_routes *routes;
    uint32_t *ms;  ///< by star
    sc__star_queue queue;
} plain;

static void reach(plain *p, sc_star_id star, uint32_t ms)
{
    if (star == SC_NONE || ms >= p->ms[star]) return;
    p->ms[star] = ms;
    if (!sc__star_queue_put(&p->queue, ms, star)) bench_die("bench_routes", "out of memory");
}

// What is left of a segment, or SC__NEVER where it is closed. `to_end`: from a place to an end of
// its segment, else from the end to the place.
static uint32_t part_ms(const plain *p, sc_place place, bool is_backwards, bool to_end)
{
    const sc_seg_id segment = sc_map_edges(p->map)[place.edge].segment;
    const uint32_t whole_ms = sc_routes_segment_ms(p->routes, (sc_leg){segment, is_backwards});
    if (whole_ms == SC__NEVER) return SC__NEVER;
    const uint32_t ms = sc__place_ms(p->routes, place, is_backwards);
    return is_backwards == to_end ? ms : whole_ms - ms;
}

static uint32_t added(uint32_t a, uint32_t b)
{
    return a == SC__NEVER || b == SC__NEVER ? SC__NEVER : a + b;
}

static uint32_t straight_ms(const plain *p, sc_place from, sc_place to)
{
    const bool back = from.edge == to.edge ? to.offset < from.offset : to.edge < from.edge;
    if (part_ms(p, from, back, true) == SC__NEVER) return SC__NEVER;
    const uint32_t start_ms = sc__place_ms(p->routes, from, back);
    const uint32_t end_ms = sc__place_ms(p->routes, to, back);
    return back ? start_ms - end_ms : end_ms - start_ms;
}

static uint32_t plain_ms(plain *p, sc_place from, sc_place to)
{
    const sc_segment *segments = sc_map_segments(p->map);
    const sc_star *stars = sc_map_stars(p->map);
    const sc_seg_id first = sc_map_edges(p->map)[from.edge].segment;
    const sc_seg_id last = sc_map_edges(p->map)[to.edge].segment;
    uint32_t best = first == last ? straight_ms(p, from, to) : SC__NEVER;

    memset(p->ms, 0xff, sc_map_star_count(p->map) * sizeof *p->ms);
    p->queue.count = 0;
    reach(p, segments[first].star_a, part_ms(p, from, true, true));
    reach(p, segments[first].star_b, part_ms(p, from, false, true));
    while (p->queue.count > 0 && sc__star_queue_least(&p->queue) < best) {
        const sc__star_entry entry = sc__star_queue_take(&p->queue);
        if (entry.number > p->ms[entry.star]) continue;
        for (uint32_t i = stars[entry.star].first_segment; i < stars[entry.star + 1].first_segment;
             i++) {
            const sc_seg_id s = sc_map_star_segments(p->map)[i];
            const bool is_from_a = segments[s].star_a == entry.star;
            reach(p, is_from_a ? segments[s].star_b : segments[s].star_a,
                  added(entry.number, sc_routes_segment_ms(p->routes, (sc_leg){s, !is_from_a})));
        }
        if (entry.star == segments[last].star_a) {
            const uint32_t ms = added(entry.number, part_ms(p, to, false, false));
            if (ms < best) best = ms;
        }
        if (entry.star == segments[last].star_b) {
            const uint32_t ms = added(entry.number, part_ms(p, to, true, false));
            if (ms < best) best = ms;
        }
    }
    return best;
}

// --- Ways ---------------------------------------------------------------------

static sc_place any_place(const sc_map *map, uint64_t *seed)
{
    const sc_edge_id edge = (sc_edge_id)(bench_random(seed) % sc_map_edge_count(map));
    const uint64_t length = sc_map_edges(map)[edge].length;
    return (sc_place){edge, (uint32_t)(bench_random(seed) % (length + 1))};
}

static uint32_t route_ms(const plain *p, sc_place from, sc_place to, const sc_route *route)
{
    const sc_leg first = route->legs[0];
    const sc_leg last = route->legs[route->leg_count - 1];
    if (route->leg_count == 1) return straight_ms(p, from, to);
    uint32_t ms = part_ms(p, from, first.is_backwards, true);
    for (size_t i = 1; i + 1 < route->leg_count; i++) {
        ms += sc_routes_segment_ms(p->routes, route->legs[i]);
    }
    return ms + part_ms(p, to, last.is_backwards, false);
}

enum { WAYS = 10000, PLAIN_WAYS = 50 };

/** From where to where. */
typedef struct trip {
    sc_place from;
    sc_place to;
} trip;

static uint32_t part_at(const plain *p, sc_place place)
{
    return sc_routes_part(p->routes, sc_map_edges(p->map)[place.edge].segment);
}

static trip any_trip(const plain *p, uint64_t *seed)
{
    trip t;
    do {
        t = (trip){any_place(p->map, seed), any_place(p->map, seed)};
    } while (part_at(p, t.from) == SC_NONE || part_at(p, t.from) != part_at(p, t.to));
    return t;
}

static void find(sc_route_search *search, const trip *t, sc_route *route)
{
    if (sc_route_find(search, t->from, t->to, route)) bench_die("bench_routes", "out of memory");
}

/** CPU microseconds per way, the least of some runs; `legs` becomes how many it has on average. */
static double way_us(sc_route_search *search, const trip *trips, sc_route *route, double *legs)
{
    double least = HUGE_VAL;
    for (int run = 0; run < 3; run++) {
        size_t count = 0;
        const double start = bench_cpu_s();
        for (int i = 0; i < WAYS; i++) {
            find(search, &trips[i], route);
            count += route->leg_count;
        }
        least = fmin(least, bench_cpu_s() - start);
        *legs = (double)count / WAYS;
    }
    return least / WAYS * 1e6;
}

/** The same of the plain search, for a few of the trips; both must agree on their times. */
static double plain_us(plain *p, sc_route_search *search, const trip *trips, sc_route *route)
{
    uint32_t times[PLAIN_WAYS];
    const double start = bench_cpu_s();
    for (int i = 0; i < PLAIN_WAYS; i++) {
        times[i] = plain_ms(p, trips[i].from, trips[i].to);
    }
    const double took = bench_cpu_s() - start;
    for (int i = 0; i < PLAIN_WAYS; i++) {
        find(search, &trips[i], route);
        if (route_ms(p, trips[i].from, trips[i].to, route) != times[i]) {
            bench_die("bench_routes", "the two searches disagree");
        }
    }
    return took / PLAIN_WAYS * 1e6;
}

static void measure(const char *path)
{
    sc_map *map = bench_open(path);
    const uint32_t star_count = sc_map_star_count(map);
    sc_routes *routes = NULL;
    memory used = {0};
    const double built_s = build_s(map, &routes, &used);

    plain p = {.map = map, .routes = routes};
    p.ms = sc_malloc_array(star_count, sizeof *p.ms);
    sc_route_search *search = NULL;
    if (!p.ms || sc_route_search_new(routes, &search)) bench_die(path, "out of memory");
    trip trips[WAYS];
    uint64_t seed = 1;
    for (int i = 0; i < WAYS; i++) {
        trips[i] = any_trip(&p, &seed);
    }
    sc_route route = {0};
    double legs = 0;
    const double fast = way_us(search, trips, &route, &legs);
    const double slow = plain_us(&p, search, trips, &route);
    printf("%-20s %9u %9.3f %9.2f %8.0f %8.0f %8.1f %10.1f %10.0f %8.0f\n", bench_name(path),
           star_count, built_s, built_s / star_count * 1e6,
           (double)sc_routes_bytes(routes) / star_count, used.most / star_count, legs, fast, slow,
           slow / fast);
    fflush(stdout);

    sc__star_queue_fini(&p.queue);
    sc_free(p.ms);
    sc_route_fini(&route);
    sc_route_search_free(search);
    sc_routes_free(routes);
    sc_map_free(map);
}

int main(int argc, char **argv)
{
    if (argc < 2) bench_die("bench_routes", "usage: bench_routes MAP.scm...");
    printf("Fastest ways between random places, for cars; CPU time\n");
    printf("%-20s %9s %9s %9s %8s %8s %8s %10s %10s %8s\n", "map", "stars", "build s", "us/star",
           "B/star", "at most", "legs", "way us", "plain us", "times");
    for (int i = 1; i < argc; i++) {
        measure(argv[i]);
    }
    return 0;
}
