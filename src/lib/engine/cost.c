// What a cloak costs to answer and to send. starcloak/cost.h has the formula.
#include <starcloak/cost.h>

#include "base/diag.h"

sc_cost_model sc_cost_model_default(void)
{
    // In units of the work for one segment, about eight nanoseconds, as measured on the built-in
    // provider (bench/lbs/bench_cost.c). A border node is a look-up in an index; an object
    // is encoded, decoded, checked and filtered, which is by far the most.
    return (sc_cost_model){.segment = 1.0, .border_node = 2.0, .object = 30.0, .balance = 0.5};
}

// Far beyond any use, and small enough that no cost becomes infinite.
#define LARGEST_CONSTANT 1e12

static sc_err check_constant(const char *name, double value, sc_diag *diag)
{
    // Written so that what is not a number is refused too.
    if (value >= 0.0 && value <= LARGEST_CONSTANT) return SC_OK;
    return sc_fail(diag, SC_EINVAL, "a cost of %g per %s is out of range; give 0 to %g", value,
                   name, LARGEST_CONSTANT);
}

sc_err sc_cost_model_check(const sc_cost_model *model, sc_diag *diag)
{
    sc_err err = check_constant("segment", model->segment, diag);
    if (!err) err = check_constant("border node", model->border_node, diag);
    if (!err) err = check_constant("object", model->object, diag);
    if (err) return err;

    if (!(model->balance >= 0.0 && model->balance <= 1.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "a weight of %g for communication is out of range; give 0 to 1",
                       model->balance);
    }
    // Of two stars without any cost none could be the cheaper one.
    if (!((1.0 - model->balance) * model->segment > 0.0)) {
        return sc_fail(diag, SC_EINVAL,
                       "a segment by itself would cost nothing; give it a cost above 0 and "
                       "communication a weight below 1");
    }
    return SC_OK;
}

// Whether `other`, which shares a segment with `star`, has one that it does not
// share. The first such ends the loop, so it looks at no more segments than the two
// share and one.
static bool has_road_elsewhere(const sc_map *map, sc_star_id star, sc_star_id other)
{
    const sc_star *at = &sc_map_stars(map)[other];
    const sc_segment *segments = sc_map_segments(map);
    const sc_seg_id *listed = sc_map_star_segments(map);
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        const sc_segment *segment = &segments[listed[i]];
        if (segment->star_a != star && segment->star_b != star) return true;
    }
    return false;
}

// Only a far end of a segment can be a border node: all roads of the star's own
// node and of the nodes along a segment are in, and a dead end has no other.
static size_t count_border_nodes(const sc_map *map, sc_star_id star)
{
    const sc_star *stars = sc_map_stars(map);
    const sc_star *at = &stars[star];
    const sc_star_id *neighbours = sc_map_star_neighbours(map);
    const uint32_t segment_count = at[1].first_segment - at[0].first_segment;
    const uint32_t neighbour_count = at[1].first_neighbour - at[0].first_neighbour;
    size_t count = 0;
    for (uint32_t i = at[0].first_neighbour; i < at[1].first_neighbour; i++) {
        // The star shares a segment with each of its other neighbours, so at most the
        // rest with this one. Whatever this one has beyond that leads elsewhere;
        // mostly this settles it, in half the time.
        const sc_star *other = &stars[neighbours[i]];
        const uint32_t has = other[1].first_segment - other[0].first_segment;
        const uint32_t shared_at_most = segment_count - (neighbour_count - 1);
        count += has > shared_at_most || has_road_elsewhere(map, star, neighbours[i]);
    }
    return count;
}

sc_extent sc_star_extent(const sc_map *map, sc_star_id star)
{
    const sc_star *at = &sc_map_stars(map)[star];
    const sc_segment *segments = sc_map_segments(map);
    const sc_seg_id *listed = sc_map_star_segments(map);
    uint64_t length = 0;
    for (uint32_t i = at[0].first_segment; i < at[1].first_segment; i++) {
        length += segments[listed[i]].length;
    }
    return (sc_extent){.segment_count = at[1].first_segment - at[0].first_segment,
                       .border_node_count = count_border_nodes(map, star),
                       .length_m = (double)length * sc_map_unit_m(map)};
}

double sc_map_object_density(const sc_map *map)
{
    const sc_segment *segments = sc_map_segments(map);
    uint64_t length = 0;
    for (sc_seg_id i = 0; i < sc_map_segment_count(map); i++) {
        length += segments[i].length;
    }
    return length > 0 ? sc_map_object_count(map) / ((double)length * sc_map_unit_m(map)) : 0.0;
}

double sc_cost_model_estimate(const sc_cost_model *model, double object_density, sc_extent extent,
                              uint32_t result_size)
{
    const double segments = (double)extent.segment_count;
    const double border_nodes = (double)extent.border_node_count;
    const double evaluation = model->segment * segments + model->border_node * border_nodes;
    const double objects = result_size * border_nodes + object_density * extent.length_m;
    const double communication = model->object * objects;
    return model->balance * communication + (1.0 - model->balance) * evaluation;
}
