// The city generator: passes over the cells of a city, feeding a builder.
//
// 1. Find how many cells the city needs: lay it out, count its nodes, correct.
// 2. Survey: what all streets together weigh, for the shares below.
// 3. Add the nodes, cell by cell along a Hilbert curve.
// 4. Add the edges in the same order, and the objects along them.
// 5. If there are to be one-way roads, choose them among all.
//
// Every pass plans each cell again; nothing of a plan is kept. Three things are
// dealt out exactly, by sc_city_share, so that a city of any size has them in
// the right measure: dead ends, shape points (which make the node count come
// out exact) and objects.
#include "base/alloc.h"
#include "base/diag.h"
#include "city/city_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

// What share of all nodes is to be what; the middle of three real cities.
#define JUNCTION_SHARE 0.332  // nodes whose degree is not 2, dead ends included
#define DEAD_END_SHARE 0.0565
#define OBJECT_SHARE 0.24

// The mean length of a segment, likewise.
#define SEGMENT_M 101.5

// Of a cell with streets, on average; only the first guess depends on it.
#define JUNCTIONS_PER_CELL 31.0

// The main square has four cells; the fifth is across the river.
enum { CELLS_MIN = 5 };

uint32_t sc__city_share_next(sc_city_share *share, uint32_t weight)
{
    if (share->total == 0) return 0;
    const uint64_t before = share->passed * share->wanted / share->total;
    share->passed += weight;
    return (uint32_t)(share->passed * share->wanted / share->total - before);
}

/** What all cells of a city have together. */
typedef struct tally {
    uint64_t nodes;      ///< of the plans, so without shape points
    uint64_t leaves;     ///< of degree 1
    uint64_t junctions;  ///< of a degree other than 2
    uint64_t candidates;
    uint64_t shape_weight;
    uint64_t object_weight;
} tally;

static tally survey(const sc_city *city, sc_city_share spurs, bool with_spurs, sc_city_plan *plan)
{
    tally sum = {0};
    for (uint32_t i = 0; i < city->order_count; i++) {
        const uint32_t cell = city->order[i];
        sc__city_plan(city, cell % city->columns, cell / city->columns, with_spurs ? &spurs : NULL,
                      plan);
        sum.nodes += plan->node_count;
        sum.leaves += plan->leaf_count;
        sum.junctions += plan->node_count - plan->chain_count;
        sum.candidates += plan->candidate_count;
        for (uint32_t k = 0; k < plan->street_count; k++) {
            sum.shape_weight += plan->streets[k].shape_weight;
            sum.object_weight += plan->streets[k].object_weight;
        }
    }
    return sum;
}

/** A city while it is made. */
typedef struct making {
    const sc_city_options *options;
    sc_city city;
    sc_city_share spurs;
    sc_city_share shapes;
    sc_city_share objects;
    sc_city_plan *plan;
    sc_city_ways ways;  ///< empty unless there are to be one-way roads
    sc_builder *builder;
} making;

static void report(const making *make, const char *phase, uint64_t done, uint64_t total)
{
    const sc_progress *progress = &make->options->progress;
    if (progress->report) progress->report(progress->context, phase, done, total);
}

// --- How large -------------------------------------------------------------

/** Deal out as many dead ends as are missing to their share. */
static sc_city_share spurs_for(const tally *bare, uint32_t node_count)
{
    const uint64_t wanted = (uint64_t)(DEAD_END_SHARE * node_count + 0.5);
    const uint64_t missing = wanted > bare->leaves ? wanted - bare->leaves : 0;
    return (sc_city_share){
        .wanted = missing < bare->candidates ? missing : bare->candidates,
        .total = bare->candidates,
    };
}

/** Lay out the city with `cell_count` cells and count. */
static sc_err try_layout(making *make, uint32_t cell_count, tally *sum)
{
    const uint32_t node_count = make->options->node_count;
    sc__city_fini(&make->city);
    const sc_err err = sc__city_layout(&make->city, make->options->seed, node_count, cell_count);
    if (err) return err;
    const tally bare = survey(&make->city, (sc_city_share){0}, false, make->plan);
    make->spurs = spurs_for(&bare, node_count);
    *sum = survey(&make->city, make->spurs, true, make->plan);
    return SC_OK;
}

/**
 * Find the number of cells that gives the wanted share of junctions. Junctions
 * grow with the cells along almost a straight line, so a few corrections
 * suffice; in a hamlet, where one cell is a tenth of everything, the best wins.
 */
static sc_err find_layout(making *make, tally *sum)
{
    enum { TRIES = 8 };
    const double node_count = make->options->node_count;
    const double wanted = JUNCTION_SHARE * node_count;
    const double grain = node_count < 1000 ? node_count / 1000.0 : 1.0;
    uint32_t cell_count = (uint32_t)(wanted / (JUNCTIONS_PER_CELL * grain) + 0.5);
    uint32_t best_count = 0;
    double best_off = 0;
    uint32_t tried[TRIES] = {0};
    double junctions[TRIES] = {0};

    for (uint32_t i = 0; i < TRIES; i++) {
        if (cell_count < CELLS_MIN) cell_count = CELLS_MIN;
        for (uint32_t k = 0; k < i; k++) {
            if (tried[k] == cell_count) return try_layout(make, best_count, sum);
        }
        report(make, "laying out streets", i, 0);
        const sc_err err = try_layout(make, cell_count, sum);
        if (err) return err;

        tried[i] = cell_count;
        junctions[i] = (double)sum->junctions;
        const double missing = wanted - junctions[i];
        const double off = fabs(missing) / wanted;
        if (off < 0.01) return SC_OK;
        if (best_count == 0 || off < best_off) {
            best_count = cell_count;
            best_off = off;
        }

        double per_cell = junctions[i] / cell_count;
        if (i > 0) {
            const double slope =
                (junctions[i] - junctions[i - 1]) / ((double)cell_count - (double)tried[i - 1]);
            // Two layouts of nearly the same size may differ by chance alone.
            if (slope > 0.5 * per_cell && slope < 2 * per_cell) per_cell = slope;
        }
        const double next = cell_count + missing / per_cell;
        cell_count = next > 0 ? (uint32_t)(next + 0.5) : 0;
    }
    return try_layout(make, best_count, sum);
}

/**
 * Set the scale of the ground so that segments have the right length on
 * average: bent ground is longer here and shorter there, and in a small town
 * that does not even out. A sample of the cells is enough.
 */
static void set_scale(making *make)
{
    enum { SAMPLE = 2000 };
    sc_city *city = &make->city;
    sc_city_share spurs = make->spurs;
    double length_m = 0;
    uint64_t ends = 0;
    const uint32_t step = city->order_count / SAMPLE + 1;
    for (uint32_t i = 0; i < city->order_count; i += step) {
        const uint32_t cell = city->order[i];
        const sc_city_plan *plan = make->plan;
        sc__city_plan(city, cell % city->columns, cell / city->columns, &spurs, make->plan);
        for (uint32_t k = 0; k < plan->street_count; k++) {
            const sc_city_point from = sc__city_ground(city, plan, plan->streets[k].from);
            const sc_city_point to = sc__city_ground(city, plan, plan->streets[k].to);
            const double x = to.x - from.x;
            const double y = to.y - from.y;
            length_m += sqrt(x * x + y * y);
        }
        for (uint32_t k = 0; k < plan->node_count; k++) {
            if (plan->degree[k] != 2) ends += plan->degree[k];
        }
    }
    if (ends > 0 && length_m > 0) city->scale = SEGMENT_M * 0.5 * (double)ends / length_m;
}

// --- Nodes and edges -------------------------------------------------------

static sc_err add_node(making *make, sc_city_point point, sc_node_id *out)
{
    double lon = 0;
    double lat = 0;
    sc__city_locate(&make->city, make->plan, point, &lon, &lat);
    return sc_builder_add_node(make->builder, lon, lat, out);
}

/** The nodes of a plan, then the shape points of its streets, street by street. */
static sc_err add_cell_nodes(making *make, uint32_t cell)
{
    const sc_city_plan *plan = make->plan;
    make->city.first_node[cell] = sc_builder_node_count(make->builder);
    sc_node_id id = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const sc_err err = add_node(make, plan->nodes[i], &id);
        if (err) return err;
    }
    for (uint32_t i = 0; i < plan->street_count; i++) {
        const sc_city_street *street = &plan->streets[i];
        const uint32_t count = sc__city_share_next(&make->shapes, street->shape_weight);
        for (uint32_t k = 1; k <= count; k++) {
            const double fraction = (double)k / (count + 1);
            const sc_err err = add_node(make, sc__city_street_point(plan, street, fraction), &id);
            if (err) return err;
        }
    }
    return SC_OK;
}

static sc_node_id node_of(const sc_city *city, uint32_t cell, sc_city_ref ref)
{
    const uint32_t east = ref.owner & 1u;
    const uint32_t north = ref.owner >> 1u;
    return city->first_node[cell + east + north * city->columns] + ref.index;
}

static sc_err keep_way(making *make, uint32_t cell, const sc_city_street *street,
                       sc_edge_id first_edge, uint32_t edge_count)
{
    if (make->options->one_way_share <= 0) return SC_OK;
    const sc_city_built built = {
        .a = node_of(&make->city, cell, street->a),
        .b = node_of(&make->city, cell, street->b),
        .first_edge = first_edge,
        .edge_count = edge_count,
    };
    return sc__city_ways_add(&make->ways, &make->city, make->plan, street, built);
}

static sc_err add_cell_edges(making *make, uint32_t cell, const sc_city_categories *categories)
{
    const sc_city_plan *plan = make->plan;
    sc_node_id next_shape = make->city.first_node[cell] + plan->node_count;
    for (uint32_t i = 0; i < plan->street_count; i++) {
        const sc_city_street *street = &plan->streets[i];
        const uint32_t count = sc__city_share_next(&make->shapes, street->shape_weight);
        const sc_edge_id first_edge = sc_builder_edge_count(make->builder);
        sc_node_id from = node_of(&make->city, cell, street->a);
        for (uint32_t k = 0; k <= count; k++) {
            const sc_node_id to = k < count ? next_shape++ : node_of(&make->city, cell, street->b);
            const sc_err err = sc_builder_add_edge(make->builder, from, to, SC_LENGTH_FROM_NODES,
                                                   (sc_road_class)street->road_class, NULL);
            if (err) return err;
            from = to;
        }
        sc_err err = keep_way(make, cell, street, first_edge, count + 1);
        if (err) return err;
        const uint32_t objects = sc__city_share_next(&make->objects, street->object_weight);
        err = sc__city_add_objects(&make->city, categories, plan, i, objects, first_edge, count + 1,
                                   make->builder);
        if (err) return err;
    }
    return SC_OK;
}

/** One pass over all cells: their nodes or, where `categories` is given, their edges. */
static sc_err pass(making *make, const sc_city_categories *categories)
{
    const sc_city *city = &make->city;
    make->spurs.passed = 0;
    make->shapes.passed = 0;
    for (uint32_t i = 0; i < city->order_count; i++) {
        const uint32_t cell = city->order[i];
        if (i % 1024 == 0) {
            report(make, categories ? "building streets" : "placing crossings", i,
                   city->order_count);
        }
        sc__city_plan(city, cell % city->columns, cell / city->columns, &make->spurs, make->plan);
        const sc_err err =
            categories ? add_cell_edges(make, cell, categories) : add_cell_nodes(make, cell);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err make_city(making *make)
{
    make->plan = sc_malloc(sizeof *make->plan);
    if (!make->plan) return SC_ENOMEM;
    tally sum;
    sc_err err = find_layout(make, &sum);
    if (err) return err;
    set_scale(make);

    const uint64_t node_count = make->options->node_count;
    make->shapes = (sc_city_share){
        .wanted = node_count > sum.nodes ? node_count - sum.nodes : 0,
        .total = sum.shape_weight,
    };
    make->objects = (sc_city_share){
        .wanted = (uint64_t)(OBJECT_SHARE * (double)node_count),
        .total = sum.object_weight,
    };

    err = sc_builder_new(SC_COORDS_GEOGRAPHIC, &make->builder);
    if (err) return err;
    sc_city_categories categories;
    err = sc__city_add_categories(make->builder, &categories);
    if (err) return err;
    err = pass(make, NULL);
    if (err) return err;
    if (make->options->one_way_share <= 0) return pass(make, &categories);

    err = sc__city_ways_init(&make->city, &make->ways);
    if (!err) err = pass(make, &categories);
    if (!err) {
        err = sc__city_ways_choose(&make->ways, make->options->one_way_share,
                                   sc_builder_node_count(make->builder));
    }
    return err ? err : sc__city_ways_build(&make->ways, make->builder);
}

sc_err sc_map_generate_city(const sc_city_options *options, sc_map **out, sc_diag *diag)
{
    if (options->node_count < SC_CITY_MIN_NODES || options->node_count > SC_CITY_MAX_NODES) {
        return sc_fail(diag, SC_EINVAL,
                       "a generated city has %d to %d nodes, not %" PRIu32 "; ask for a number "
                       "in that range",
                       SC_CITY_MIN_NODES, SC_CITY_MAX_NODES, options->node_count);
    }

    if (!(options->one_way_share >= 0 && options->one_way_share <= 1)) {
        return sc_fail(diag, SC_EINVAL, "the share of one-way roads is %g; it goes from 0 to 1",
                       options->one_way_share);
    }

    making make = {.options = options};
    sc_err err = make_city(&make);
    // The plan and the layout are no longer needed, and the builder is hungry.
    sc_free(make.plan);
    sc__city_ways_fini(&make.ways);
    sc__city_fini(&make.city);
    if (err) {
        if (err == SC_ENOMEM) sc_fail_memory(diag, "making a city");
        sc_builder_free(make.builder);
        return err;
    }

    char source[128];
    const int size =
        snprintf(source, sizeof source, "generated city, %" PRIu32 " nodes, seed %" PRIu64,
                 options->node_count, options->seed);
    if (options->one_way_share > 0 && size > 0 && (size_t)size < sizeof source) {
        snprintf(source + size, sizeof source - (size_t)size, ", one-way share %g",
                 options->one_way_share);
    }
    sc_builder_set_source(make.builder, source);
    err = sc_builder_finish(make.builder, 0, &options->progress, out, NULL, diag);
    sc_builder_free(make.builder);
    return err;
}
