// Drawn demands. See made_demands.h.
#include "support/made_demands.h"

#include "support/check.h"

/** What was made for a query; a list of them. */
typedef struct made_own {
    sc_own_demands own;
    sc_seg_id *zone;
    sc_reached *reached;
    struct made_own *next;
} made_own;

static bool draw(sc_rng *rng, uint32_t in_a_hundred)
{
    return sc_rng_below(rng, 100) < in_a_hundred;
}

// --- Of an engine ----------------------------------------------------------------

static sc_density *draw_density(const slow_roads *roads, sc_rng *rng)
{
    static const uint32_t most[] = {1, 4, 12, 12, SC_DENSITY_NUMBER_MAX};
    uint64_t *counts = test_take(roads->segment_count, sizeof *counts);
    const uint32_t range = most[sc_rng_below(rng, sizeof most / sizeof *most)];
    const uint32_t busy = 1 + sc_rng_below(rng, 10);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        counts[s] = sc_rng_below(rng, range);
        if (sc_rng_below(rng, 6) == 0) counts[s] *= busy;
    }
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(roads->map, counts, &density), NULL);
    free(counts);
    return density;
}

static sc_place_classes *draw_classes(const slow_roads *roads, sc_rng *rng)
{
    static const char *const names[] = {"clinic", "shelter", "worship"};
    sc_place_classes *classes = NULL;
    CHECK_OK(sc_place_classes_new(roads->map, &classes), NULL);
    for (uint32_t i = sc_rng_below(rng, 4); i > 0; i--) {
        uint32_t number = 0;
        CHECK_OK(sc_place_classes_add(classes, names[i - 1], &number), NULL);
        const uint32_t every = 2 + sc_rng_below(rng, 10);
        for (sc_seg_id s = 0; s < roads->segment_count; s++) {
            if (sc_rng_below(rng, every) == 0) sc_place_classes_mark(classes, number, s);
        }
    }
    return classes;
}

void made_demands_start(made_demands *m, const slow_roads *roads, uint64_t seed)
{
    static const uint32_t traffics[] = {0, 2, 2, 3, 4};
    static const uint32_t shares[] = {0, 0, 20, 60};
    *m = (made_demands){.roads = roads};
    sc_rng_seed(&m->rng, seed);
    m->density = draw_density(roads, &m->rng);
    m->classes = draw_classes(roads, &m->rng);
    m->of_engine = (sc_demands){
        .density = m->density,
        .traffic = traffics[sc_rng_below(&m->rng, sizeof traffics / sizeof *traffics)],
        .is_strict = draw(&m->rng, 70),
    };
    if (draw(&m->rng, 40)) m->of_engine.classes = m->classes;
    m->zones = shares[sc_rng_below(&m->rng, sizeof shares / sizeof *shares)];
    m->tables = shares[sc_rng_below(&m->rng, sizeof shares / sizeof *shares)];
    m->before_queries = m->rng;
}

void made_demands_reduce(made_demands *m)
{
    m->of_engine = (sc_demands){.classes = m->classes};
    m->tables = 0;
    if (m->zones == 0) m->zones = 20;
}

void made_demands_again(made_demands *m)
{
    while (m->made) {
        made_own *ended = m->made;
        m->made = ended->next;
        free(ended->zone);
        free(ended->reached);
        free(ended);
    }
    m->rng = m->before_queries;
}

void made_demands_end(made_demands *m)
{
    made_demands_again(m);
    sc_place_classes_free(m->classes);
    sc_density_free(m->density);
}

// --- Of a query ------------------------------------------------------------------

// Hops from the query's road to another, by the nearer of their ends; SC_NONE if there is no way.
static uint32_t hops_to_road(const slow_roads *roads, sc_seg_id from, sc_seg_id to)
{
    const sc_segment *segments = sc_map_segments(roads->map);
    const sc_star_id a[] = {segments[from].star_a, segments[from].star_b};
    const sc_star_id b[] = {segments[to].star_a, segments[to].star_b};
    uint32_t least = SC_NONE;
    for (size_t i = 0; i < 4; i++) {
        if (a[i / 2] == SC_NONE || b[i % 2] == SC_NONE) continue;
        const uint32_t hops = slow_hops(roads, a[i / 2], b[i % 2]);
        if (hops < least) least = hops;
    }
    return least;
}

// Roads at the same stars, and perhaps one anywhere.
static void draw_zone(made_demands *m, const sc_query *query, made_own *made)
{
    const slow_roads *roads = m->roads;
    const uint32_t share = sc_rng_below(&m->rng, 60);
    const sc_seg_id far =
        draw(&m->rng, 10) ? sc_rng_below(&m->rng, roads->segment_count) : query->segment;
    made->zone = test_take(roads->segment_count, sizeof *made->zone);
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        const bool is_near = hops_to_road(roads, query->segment, s) == 0 && draw(&m->rng, share);
        if (is_near || s == query->segment || s == far) {
            made->zone[made->own.zone_count++] = s;
        }
    }
    made->own.zone = made->zone;
}

// Parts of roads nearby: whole, little, or none; of its own road nearly always some.
static void draw_reached(made_demands *m, const sc_query *query, made_own *made)
{
    const slow_roads *roads = m->roads;
    const uint32_t within = 1 + sc_rng_below(&m->rng, query->max_hops + 2);
    const uint32_t whole = 50 + sc_rng_below(&m->rng, 51);
    made->reached = test_take(roads->segment_count, sizeof *made->reached);
    made->own.has_reached = true;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        const uint32_t hops = hops_to_road(roads, query->segment, s);
        const bool is_own = s == query->segment && draw(&m->rng, 95);
        const bool is_whole = draw(&m->rng, whole);
        const uint32_t part = is_whole ? SC_REACHED_WHOLE : sc_rng_below(&m->rng, SC_REACHED_WHOLE);
        if ((hops > within || part == 0) && !is_own) continue;
        made->reached[made->own.reached_count++] = (sc_reached){s, (uint16_t)(part ? part : 1)};
    }
    made->own.reached = made->reached;
}

const sc_own_demands *made_own_demands(made_demands *m, const sc_query *query)
{
    const bool has_zone = draw(&m->rng, m->zones);
    const bool has_table = draw(&m->rng, m->tables);
    // One that asks for nothing is as none.
    if (!has_zone && !has_table && !draw(&m->rng, 5)) return NULL;
    made_own *made = test_take(1, sizeof *made);
    made->next = m->made;
    m->made = made;
    if (has_zone) draw_zone(m, query, made);
    if (has_table) draw_reached(m, query, made);
    return &made->own;
}
