// Random towns and random streams of queries. See streams.h.
#include "support/streams.h"

#include "support/check.h"
#include "support/sketch.h"

// --- Maps ------------------------------------------------------------------------

// Draws stand in statements of their own: the order of arguments is the compiler's, and a seed
// must mean the same town with every compiler.

static void add_road(sketch *s, sc_rng *rng, uint32_t from, uint32_t to)
{
    const uint32_t length = 1 + sc_rng_below(rng, 100);
    sketch_add_edge(s, from, to, length);
}

// Junctions joined to earlier ones, a few roads more (loops and double roads among them), and
// dead ends; sometimes a lone road apart.
static sketch draw_town(sc_rng *rng)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t junctions = 3 + sc_rng_below(rng, 13);
    for (uint32_t v = 0; v < junctions; v++) {
        const double x = 1000 * sc_rng_unit(rng);
        const double y = 1000 * sc_rng_unit(rng);
        sketch_add_node(&s, x, y);
        if (v == 0) continue;
        const uint32_t earlier = sc_rng_below(rng, v);
        add_road(&s, rng, v, earlier);
    }
    for (uint32_t more = sc_rng_below(rng, junctions); more > 0; more--) {
        const uint32_t from = sc_rng_below(rng, junctions);
        const uint32_t to = sc_rng_below(rng, junctions);
        add_road(&s, rng, from, to);
    }
    for (uint32_t v = 0; v < junctions; v++) {
        for (uint32_t dead_ends = sc_rng_below(rng, 3); dead_ends > 0; dead_ends--) {
            add_road(&s, rng, v, sketch_add_node(&s, s.x[v] + 1, s.y[v] + dead_ends));
        }
    }
    if (sc_rng_below(rng, 4) == 0) {
        const uint32_t from = sketch_add_node(&s, 2000, 2000);
        sketch_add_edge(&s, from, sketch_add_node(&s, 2100, 2000), 100);
    }
    return s;
}

static sketch draw_long_street(sc_rng *rng)
{
    enum { LENGTH = 16 };
    sketch s = sketch_new(SC_COORDS_PLANAR);
    for (uint32_t v = 0; v < LENGTH; v++) {
        sketch_add_node(&s, 100.0 * v, 0);
        if (v > 0) sketch_add_edge(&s, v - 1, v, 100);
    }
    uint32_t side_before = SC_NONE;
    for (uint32_t v = 0; v < LENGTH; v++) {
        const uint32_t side = sketch_add_node(&s, 100.0 * v, 100);
        sketch_add_edge(&s, v, side, 100);
        if (side_before != SC_NONE && sc_rng_below(rng, 4) == 0) {
            sketch_add_edge(&s, side_before, side, 100);
        }
        side_before = side;
    }
    return s;
}

// Junctions in a circle, each with a dead end: three can share less than any two of them.
static sketch draw_circle(sc_rng *rng)
{
    sketch s = sketch_new(SC_COORDS_PLANAR);
    const uint32_t junctions = 5 + sc_rng_below(rng, 6);
    for (uint32_t v = 0; v < junctions; v++) {
        sketch_add_node(&s, 100.0 * v, v % 2);
        if (v > 0) sketch_add_edge(&s, v - 1, v, 100);
    }
    sketch_add_edge(&s, junctions - 1, 0, 100);
    for (uint32_t v = 0; v < junctions; v++) {
        sketch_add_edge(&s, v, sketch_add_node(&s, 100.0 * v, 50), 10);
    }
    return s;
}

sc_map *stream_long_street(uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sketch s = draw_long_street(&rng);
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    return map;
}

static sketch draw_any(uint64_t seed, sc_rng *rng)
{
    switch (seed % STREAM_MAP_KINDS) {
    case 0:
        return draw_town(rng);
    case 1: {
        const uint32_t columns = 2 + sc_rng_below(rng, 3);
        return sketch_grid(SC_COORDS_PLANAR, columns, 3 + sc_rng_below(rng, 3));
    }
    case 2:
        return sketch_odd(sc_rng_next(rng));
    case 3:
        return draw_long_street(rng);
    case 4:
        return draw_circle(rng);
    default: {
        size_t count = 0;
        while (small_maps[count].name) {
            count++;
        }
        return sketch_named(small_maps[sc_rng_below(rng, (uint32_t)count)].name);
    }
    }
}

sc_map *stream_map(uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sketch s = draw_any(seed, &rng);
    sc_builder *builder = sketch_builder(&s);
    for (uint32_t objects = sc_rng_below(&rng, 2) * 10; objects > 0; objects--) {
        put_object(builder, sc_rng_below(&rng, s.edge_count), 0.5, "cafe", "");
    }
    sketch_free(&s);
    return finish_builder(builder);
}

sc_engine_options stream_options(uint64_t seed)
{
    static const uint32_t caps[] = {1, 2, 4, 64};
    static const uint32_t spreads[] = {0, 0, 1, 2, 4};
    static const sc_time alphas[] = {0, 1, 3, 10, 30, 1000000, INT64_MAX};
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    sc_engine_options options = sc_engine_options_default();
    options.variant = (sc_variant)sc_rng_below(&rng, SC_VARIANT_PATIENT);
    options.compactness = 1 + sc_rng_below(&rng, 3);
    options.is_strict = sc_rng_below(&rng, 2);
    options.consideration_us = alphas[sc_rng_below(&rng, sizeof alphas / sizeof *alphas)];
    options.max_combinations = caps[sc_rng_below(&rng, sizeof caps / sizeof *caps)];
    options.k_spread = spreads[sc_rng_below(&rng, sizeof spreads / sizeof *spreads)];
    return options;
}

// --- Queries ---------------------------------------------------------------------

sc_query_id plain_id(uint32_t number)
{
    // The number itself, where stream_end() finds it, and something that looks like a hash.
    sc_query_id id = {{0}};
    const uint64_t mixed = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    memcpy(id.bytes, &mixed, sizeof mixed);
    memcpy(id.bytes + sizeof mixed, &number, sizeof number);
    return id;
}

static uint32_t number_of(const sc_query_id *id)
{
    uint32_t number = 0;
    memcpy(&number, id->bytes + sizeof(uint64_t), sizeof number);
    return number;
}

sc_query plain_query(uint32_t number, sc_seg_id segment, uint32_t k, uint32_t l, uint32_t max_hops,
                     sc_time deadline)
{
    return (sc_query){
        .id = plain_id(number),
        .user = number,
        .deadline = deadline,
        .segment = segment,
        .k = k,
        .l = l,
        .max_hops = max_hops,
    };
}

stream stream_new(uint64_t seed, const sc_map *map)
{
    static const sc_time starts[] = {0, -1000, 1700000000000000};
    static const sc_time waits[] = {1, 5, 20, 60, 300};
    static const uint32_t most_l[] = {1, 2, 4, 6, 8, 12, 20};
    static const uint32_t most_hops[] = {0, 1, 2, 3, 4, 4, 20};
    stream s = {.map = map};
    sc_rng_seed(&s.rng, seed);
    s.now = starts[sc_rng_below(&s.rng, sizeof starts / sizeof *starts)];
    s.steps_left = 20 + sc_rng_below(&s.rng, 50);
    s.user_count = 1 + sc_rng_below(&s.rng, 12);
    s.most_k = 1 + sc_rng_below(&s.rng, 4);
    s.least_k = 1 + sc_rng_below(&s.rng, s.most_k);
    s.most_l = most_l[sc_rng_below(&s.rng, sizeof most_l / sizeof *most_l)];
    s.most_hops = most_hops[sc_rng_below(&s.rng, sizeof most_hops / sizeof *most_hops)];
    s.segment_count = 1 + sc_rng_below(&s.rng, sc_map_segment_count(map));
    s.longest_wait = waits[sc_rng_below(&s.rng, sizeof waits / sizeof *waits)];
    s.has_company = sc_rng_below(&s.rng, 3) == 0;
    s.most_queries = 40;
    s.runs_per_time = 1;
    return s;
}

void stream_scatter(stream *s)
{
    s->user_count = 12;
    s->least_k = 2;
    s->most_k = 5;
    s->most_hops = 5;
    s->segment_count = sc_map_segment_count(s->map);
    s->longest_wait = 300;
}

static uint32_t draw_between(stream *s, uint32_t least, uint32_t most)
{
    return least + sc_rng_below(&s->rng, most - least + 1);
}

static sc_query draw_query(stream *s)
{
    sc_query query = {.id = plain_id(s->asked)};
    query.user = sc_rng_below(&s->rng, s->user_count);
    query.segment = sc_rng_below(&s->rng, s->segment_count);
    query.k = draw_between(s, s->least_k, s->most_k);
    query.l = draw_between(s, 1, s->most_l);
    query.max_hops = draw_between(s, 0, s->most_hops);
    query.deadline = s->now + draw_between(s, 1, (uint32_t)s->longest_wait);
    query.result_size = sc_rng_below(&s->rng, 20);
    if (s->own_of) query.own = s->own_of(s->own_context, &query);
    return query;
}

// A query with one thing wrong.
static void spoil(stream *s, step *out)
{
    switch (sc_rng_below(&s->rng, 4)) {
    case 0:
        out->query.k = 0;
        out->refusal = SC_EPROFILE;
        break;
    case 1:
        out->query.l = 0;
        out->refusal = SC_EPROFILE;
        break;
    case 2:
        out->query.segment = sc_map_segment_count(s->map) + sc_rng_below(&s->rng, 2);
        out->refusal = SC_EUNKNOWN;
        break;
    default:
        out->query.segment = SC_NONE;
        out->refusal = SC_EUNKNOWN;
        break;
    }
}

// Where the clock goes: nowhere, on, or to a moment at which something changes.
static void move_clock(stream *s, sc_time wake)
{
    sc_time to = s->now;
    const sc_query *any = s->asked > 0 ? &s->queries[sc_rng_below(&s->rng, s->asked)] : NULL;
    switch (sc_rng_below(&s->rng, 8)) {
    case 0:
        to += sc_rng_below(&s->rng, (uint32_t)s->longest_wait + 1);
        break;
    case 1:
        if (wake != SC_TIME_NEVER) to = wake;
        break;
    case 2:
        if (wake != SC_TIME_NEVER && wake != INT64_MIN) to = wake - 1;
        break;
    case 3:
        if (any) to = any->deadline;
        break;
    case 4:
        if (any) to = any->deadline + 1;
        break;
    default:
        break;
    }
    if (to > s->now) s->now = to;
}

bool stream_next(stream *s, sc_time wake, step *out)
{
    if (s->steps_left == 0) return false;
    s->steps_left--;
    *out = (step){.kind = STEP_RUN, .now = s->now};
    if (s->has_switches && sc_rng_below(&s->rng, 6) == 0) {
        static const sc_variant three[] = {SC_VARIANT_BASIC, SC_VARIANT_BOUNDED, SC_VARIANT_HYBRID};
        out->kind = STEP_SWITCH;
        out->variant = three[sc_rng_below(&s->rng, 3)];
        return true;
    }
    const uint32_t what = sc_rng_below(&s->rng, 100);
    if (what < 62 && s->asked < s->most_queries) {
        out->query = draw_query(s);
        if (what < 2) {
            out->kind = STEP_ADD_BAD;
            spoil(s, out);
        } else {
            out->kind = s->has_company && what < 20 ? STEP_ADD_COMPANY : STEP_ADD;
            s->is_company[s->asked] = out->kind == STEP_ADD_COMPANY;
            s->queries[s->asked++] = out->query;
        }
    } else if (what < 70 && s->asked > 0) {
        out->kind = STEP_REMOVE;
        out->id = s->queries[sc_rng_below(&s->rng, s->asked)].id;
    } else if (sc_rng_below(&s->rng, s->runs_per_time) == 0) {
        move_clock(s, wake);
    }
    out->now = s->now;
    return true;
}

answer_kind stream_answer(stream *s, const sc_cloak *cloak, sc_query_id *gone, size_t *gone_count)
{
    *gone_count = 0;
    const uint32_t what = sc_rng_below(&s->rng, 10);
    if (what < 6) return ANSWER_ACCEPT;
    if (what < 8) return ANSWER_LATER;
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (sc_rng_below(&s->rng, 3) == 0) gone[(*gone_count)++] = cloak->members[i].query.id;
    }
    return ANSWER_REFUSE;
}

// --- The book --------------------------------------------------------------------

void stream_end(stream *s, const sc_query_id *id)
{
    const uint32_t number = number_of(id);
    assert_true(number < s->asked);
    assert_memory_equal(id, &s->queries[number].id, sizeof *id);
    assert_int_equal(s->ends[number], 0);
    s->ends[number]++;
}

void stream_check_ends(const stream *s)
{
    for (uint32_t i = 0; i < s->asked; i++) {
        assert_in_range(s->ends[i], s->is_company[i] ? 0 : 1, 1);
    }
}
