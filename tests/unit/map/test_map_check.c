// sc_map_check() refuses every way in which a map can be wrong: one test per
// invariant. Each takes a map that is right, breaks one thing in a table, and
// sees that this, and nothing else, is named.
#include "support/check.h"
#include "support/sketch.h"

#include "map/map_internal.h"

#include <math.h>

//  A--B--C   H--I
//  |  |  |   |  |       and a loop at B, a second road from A to B, a node L
//  D--E--F   J--K   L   without a road; four objects
static sc_map *fresh(void)
{
    return full_map_with_directions(SC_COORDS_GEOGRAPHIC);
}

// The map is refused for that reason; it is freed.
static void check_broken(sc_map *map, const char *reason)
{
    sc_diag diag = {""};
    CHECK_REFUSED(sc_map_check(map, &diag), SC_EMAP, &diag, reason);
    CHECK_CONTAINS(diag.message, "map invariant broken: ");
    // It need not say why.
    assert_int_equal(sc_map_check(map, NULL), SC_EMAP);
    sc_map_free(map);
}

static sc_edge *edges_of(sc_map *map)
{
    return map->tables[SC_TABLE_EDGES].data;
}

static sc_segment *segments_of(sc_map *map)
{
    return map->tables[SC_TABLE_SEGMENTS].data;
}

static sc_star *stars_of(sc_map *map)
{
    return map->tables[SC_TABLE_STARS].data;
}

static sc_object *objects_of(sc_map *map)
{
    return map->tables[SC_TABLE_OBJECTS].data;
}

static uint32_t *table_of(sc_map *map, sc_table_kind kind)
{
    return map->tables[kind].data;
}

// A segment of at least that many edges.
static sc_seg_id segment_of_size(const sc_map *map, uint32_t size)
{
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        if (sc__segments(map)[s + 1].first_edge - sc__segments(map)[s].first_edge >= size) return s;
    }
    fail_msg("no segment of %u edges", size);
    return SC_NONE;
}

static void swap_ids(uint32_t *a, uint32_t *b)
{
    const uint32_t swapped = *a;
    *a = *b;
    *b = swapped;
}

static void test_a_map_as_it_was_built_passes(void **state)
{
    (void)state;
    for (int coords = 0; coords < 3; coords++) {
        sc_map *map = full_map_with_directions((sc_coords)coords);
        sc_diag diag = {""};
        CHECK_OK(sc_map_check(map, &diag), &diag);
        assert_string_equal(diag.message, "");
        sc_map_free(map);
    }
}

static void test_a_node_off_the_globe_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    ((sc_node *)map->tables[SC_TABLE_NODES].data)[3].y = 900000001;
    check_broken(map, "node 3 has coordinates outside the allowed range");
    map = fresh();
    ((sc_node *)map->tables[SC_TABLE_NODES].data)[0].x = -1800000001;
    check_broken(map, "node 0 has coordinates outside the allowed range");
}

static void test_a_node_off_the_plane_is_refused(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    map->grid.origin_x = 2e8;
    check_broken(map, "has coordinates outside the allowed range");
    map = full_map(SC_COORDS_PLANAR);
    map->grid.per_unit = 1e-300;
    check_broken(map, "has coordinates outside the allowed range");
}

static void test_an_edge_that_names_another_segment_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    edges_of(map)[0].segment = 1;
    check_broken(map, "edge 0 names segment 1 but lies in segment 0");
}

static void test_an_edge_without_a_road_class_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    ((uint8_t *)map->tables[SC_TABLE_EDGE_CLASSES].data)[2] = SC_ROAD_CLASS_COUNT;
    check_broken(map, "edge 2 has unknown road class");
}

static void test_a_chain_with_a_gap_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    const sc_edge_id first = segments_of(map)[segment_of_size(map, 2)].first_edge;
    // Turned round, the first edge no longer leads to the second.
    swap_ids(&edges_of(map)[first].from, &edges_of(map)[first].to);
    check_broken(map, "does not begin where edge");
}

static void test_a_segment_through_an_intersection_is_refused(void **state)
{
    (void)state;
    // Two segments that meet at B are joined to one.
    //       A--B--C
    //          |
    //          D
    sketch s = sketch_draw(SC_COORDS_NONE, "A--B--C\n   |\n   D\n", "");
    sc_map *map = sketch_map(&s);
    const uint32_t middle = sketch_node(&s, 'B');
    sc_edge *edges = edges_of(map);
    edges[0] = (sc_edge){sketch_node(&s, 'A'), middle, edges[0].length, 0};
    edges[1] = (sc_edge){middle, sketch_node(&s, 'C'), edges[1].length, 0};
    edges[2] = (sc_edge){middle, sketch_node(&s, 'D'), edges[2].length, 1};
    map->segment_count = 2;
    sc_segment *segments = segments_of(map);
    segments[0].length = edges[0].length + edges[1].length;
    segments[1] = segments[2];
    segments[2] = segments[3];
    check_broken(map, "segment 0 runs through intersection 1");
    sketch_free(&s);
}

// Each of the map's two edges becomes a segment.
static void cut_in_two(sc_map *map)
{
    sc_segment *segments = test_take(3, sizeof *segments);
    segments[0] = (sc_segment){0, 0, SC_NONE, edges_of(map)[0].length};
    segments[1] = (sc_segment){1, 0, SC_NONE, edges_of(map)[1].length};
    segments[2] = (sc_segment){.first_edge = 2};
    free(map->tables[SC_TABLE_SEGMENTS].data);
    map->tables[SC_TABLE_SEGMENTS] = (sc_table){segments, 3};
    map->segment_count = 2;
    edges_of(map)[1].segment = 1;
    sc_travel_times *times = test_take(2, sizeof *times);
    memcpy(times, map->tables[SC_TABLE_EDGE_TIMES].data, 2 * sizeof *times);
    free(map->tables[SC_TABLE_SEGMENT_TIMES].data);
    map->tables[SC_TABLE_SEGMENT_TIMES] = (sc_table){times, 2};
}

static void test_a_segment_that_could_be_longer_is_refused(void **state)
{
    (void)state;
    // A road of two edges is cut in the middle:   A--B--C
    sketch s = sketch_draw(SC_COORDS_NONE, "A--B--C\n", "");
    sc_map *map = sketch_map(&s);
    cut_in_two(map);
    check_broken(map, "segment 0 ends at a node of degree 2");
    sketch_free(&s);
}

static void test_a_ring_cut_in_two_is_refused(void **state)
{
    (void)state;
    //  A==B, two roads between two nodes, cut at both
    sketch s = sketch_named("two roads between two nodes");
    sc_map *map = sketch_map(&s);
    cut_in_two(map);
    check_broken(map, "segment 0 ends at a node of degree 2");
    sketch_free(&s);
}

static void test_a_segment_of_wrong_length_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    segments_of(map)[1].length++;
    check_broken(map, "segment 1 has length");
    map = fresh();
    edges_of(map)[segments_of(map)[1].first_edge].length--;
    check_broken(map, "segment 1 has length");
}

static sc_travel_times *times_of(sc_map *map, sc_table_kind kind)
{
    return map->tables[kind].data;
}

static void test_an_edge_closed_both_ways_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    times_of(map, SC_TABLE_EDGE_TIMES)[2] = (sc_travel_times){SC_CLOSED, SC_CLOSED};
    check_broken(map, "edge 2 is closed in both directions");
}

static void test_a_segment_that_takes_another_time_than_its_edges_is_refused(void **state)
{
    (void)state;
    for (int change = 0; change < 6; change++) {
        sc_map *map = fresh();
        const sc_seg_id s = segment_of_size(map, 2);
        const sc_edge_id first = segments_of(map)[s].first_edge;
        sc_travel_times *edge = &times_of(map, SC_TABLE_EDGE_TIMES)[first];
        sc_travel_times *segment = &times_of(map, SC_TABLE_SEGMENT_TIMES)[s];
        const sc_travel_times usual = {1000, 2000};
        // All of it open both ways, so that each change can be seen.
        sc_travel_times sum = {0, 0};
        for (sc_edge_id e = first; e < segments_of(map)[s + 1].first_edge; e++) {
            times_of(map, SC_TABLE_EDGE_TIMES)[e] = usual;
            sc__add_times(&sum, usual);
        }
        *segment = sum;
        CHECK_OK(sc_map_check(map, NULL), NULL);
        if (change == 0) segment->forward++;
        if (change == 1) segment->backward--;
        if (change == 2) segment->forward = SC_CLOSED;
        if (change == 3) edge->backward = SC_CLOSED;
        if (change == 4) edge->forward = 0;
        if (change == 5) edge->backward = SC_CLOSED - 1;  // too much for 32 bits together
        check_broken(map, "units of time, but its edges add up to");
    }
}

static void test_a_node_beyond_the_rim_of_a_grid_from_the_180th_meridian_is_refused(void **state)
{
    (void)state;
    for (int beyond = 0; beyond < 2; beyond++) {
        sketch s = sketch_new(SC_COORDS_GEOGRAPHIC);
        sketch_add_node(&s, 179.9, 10);
        sketch_add_node(&s, -179.9, 10);
        sketch_add_edge(&s, 0, 1, 100);
        sc_map *map = sketch_map(&s);
        CHECK_SAME(map->grid.origin_x, 180.0);
        ((sc_node *)map->tables[SC_TABLE_NODES].data)[1].x = beyond ? 1800000001 : -1800000001;
        check_broken(map, "node 1 has coordinates outside the allowed range");
        sketch_free(&s);
    }
}

static void test_two_stars_at_one_node_are_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    stars_of(map)[1].node = stars_of(map)[0].node;
    check_broken(map, "has two stars");
}

static void test_an_intersection_without_a_star_is_refused(void **state)
{
    (void)state;
    // A star with neighbours is one of an intersection; it wanders to the lone node.
    sc_map *map = fresh();
    sc_star *star = stars_of(map);
    while (star[0].first_neighbour == star[1].first_neighbour) {
        star++;
    }
    star->node = map->node_count - 1;
    check_broken(map, "has no star");
}

static void test_a_segment_that_names_a_wrong_star_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    segments_of(map)[0].star_a = (segments_of(map)[0].star_a + 1) % map->star_count;
    check_broken(map, "segment 0 has the wrong star at its beginning");

    map = fresh();
    segments_of(map)[0].star_b = segments_of(map)[0].star_b == SC_NONE
                                     ? 0
                                     : (segments_of(map)[0].star_b + 1) % map->star_count;
    check_broken(map, "segment 0 has the wrong star at its end");
}

static void test_a_star_too_many_is_refused(void **state)
{
    (void)state;
    // The lone node L gets a star: it has no segment.
    sc_map *map = fresh();
    const uint32_t count = map->star_count;
    sc_star *stars = test_take((size_t)count + 2, sizeof *stars);
    memcpy(stars, stars_of(map), (count + 1) * sizeof *stars);
    stars[count + 1] = stars[count];
    stars[count].node = map->node_count - 1;
    free(map->tables[SC_TABLE_STARS].data);
    map->tables[SC_TABLE_STARS] = (sc_table){stars, (uint64_t)count + 2};
    map->star_count = count + 1;
    check_broken(map, "stars");
}

// The first star whose list of segments, or of neighbours, has two at least.
static sc_star_id star_with_two(const sc_map *map, bool neighbours)
{
    for (sc_star_id i = 0; i < map->star_count; i++) {
        const sc_star *star = &sc__stars(map)[i];
        const uint32_t count = neighbours ? star[1].first_neighbour - star->first_neighbour
                                          : star[1].first_segment - star->first_segment;
        if (count >= 2) return i;
    }
    fail_msg("no star has two");
    return SC_NONE;
}

static void test_a_star_that_lists_a_segment_elsewhere_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    uint32_t *listed = table_of(map, SC_TABLE_STAR_SEGMENTS);
    const sc_star_id star = star_with_two(map, false);
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        if (segments_of(map)[s].star_a != star && segments_of(map)[s].star_b != star) {
            listed[stars_of(map)[star].first_segment] = s;
        }
    }
    check_broken(map, "which does not touch it");
}

static void test_segments_of_a_star_out_of_order_are_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    uint32_t *listed = table_of(map, SC_TABLE_STAR_SEGMENTS);
    const uint32_t at = stars_of(map)[star_with_two(map, false)].first_segment;
    swap_ids(&listed[at], &listed[at + 1]);
    check_broken(map, "are out of order");
    // A segment named twice is out of order too.
    map = fresh();
    listed = table_of(map, SC_TABLE_STAR_SEGMENTS);
    listed[at + 1] = listed[at];
    check_broken(map, "are out of order");
}

static void test_a_star_that_lacks_a_segment_is_refused(void **state)
{
    (void)state;
    // The last star's last segment falls off the end of the lists.
    sc_map *map = fresh();
    map->tables[SC_TABLE_STAR_SEGMENTS].count--;
    stars_of(map)[map->star_count].first_segment--;
    check_broken(map, "a segment is missing in the list of its star");
}

static void test_neighbours_that_share_no_segment_are_refused(void **state)
{
    (void)state;
    // A pseudo-star stands alone; here it is named by the first that has any.
    sc_map *map = fresh();
    uint32_t *neighbours = table_of(map, SC_TABLE_STAR_NEIGHBOURS);
    for (sc_star_id i = 0; i < map->star_count; i++) {
        if (stars_of(map)[i].first_neighbour == stars_of(map)[i + 1].first_neighbour) {
            neighbours[0] = i;
        }
    }
    check_broken(map, "but no segment joins them");
}

static void test_a_star_that_is_its_own_neighbour_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    for (sc_star_id i = 0; i < map->star_count; i++) {
        if (stars_of(map)[i].first_neighbour < stars_of(map)[i + 1].first_neighbour) {
            table_of(map, SC_TABLE_STAR_NEIGHBOURS)[stars_of(map)[i].first_neighbour] = i;
        }
    }
    check_broken(map, "but no segment joins them");
}

static void test_neighbours_out_of_order_are_refused(void **state)
{
    (void)state;
    sketch s = sketch_named("street of three");
    sc_map *map = sketch_map(&s);
    uint32_t *neighbours = table_of(map, SC_TABLE_STAR_NEIGHBOURS);
    const uint32_t at = stars_of(map)[star_with_two(map, true)].first_neighbour;
    swap_ids(&neighbours[at], &neighbours[at + 1]);
    check_broken(map, "are out of order");
    map = sketch_map(&s);
    neighbours = table_of(map, SC_TABLE_STAR_NEIGHBOURS);
    neighbours[at + 1] = neighbours[at];
    check_broken(map, "are out of order");
    sketch_free(&s);
}

static void test_neighbours_that_do_not_know_each_other_are_refused(void **state)
{
    (void)state;
    // The last list that has a neighbour loses its last one.
    sc_map *map = fresh();
    sc_star *stars = stars_of(map);
    map->tables[SC_TABLE_STAR_NEIGHBOURS].count--;
    const uint32_t count = (uint32_t)map->tables[SC_TABLE_STAR_NEIGHBOURS].count;
    for (sc_star_id i = 0; i <= map->star_count; i++) {
        if (stars[i].first_neighbour > count) stars[i].first_neighbour = count;
    }
    check_broken(map, "a neighbour is missing in the list of star");
}

static void test_an_index_that_does_not_fit_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    ((int32_t *)map->tables[SC_TABLE_BOXES].data)[0]++;
    check_broken(map, "the snapping index does not match the edges");
}

static void test_an_object_beyond_its_edge_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    objects_of(map)[2].offset = edges_of(map)[objects_of(map)[2].edge].length + 1;
    check_broken(map, "object 2 lies beyond the end of its edge");
}

static void test_objects_out_of_order_are_refused(void **state)
{
    (void)state;
    // Two lie on one edge, the others elsewhere: both kinds of order count.
    sc_map *map = fresh();
    for (sc_object_id i = 1; i < map->object_count; i++) {
        sc_object *object = &objects_of(map)[i];
        if (object->edge == object[-1].edge) object[-1].offset = object->offset + 1;
    }
    check_broken(map, "is out of order");
    map = fresh();
    objects_of(map)[0].edge = map->edge_count - 1;
    objects_of(map)[0].offset = 0;
    check_broken(map, "is out of order");
}

static void test_an_object_listed_under_another_segment_is_refused(void **state)
{
    (void)state;
    // All objects are listed under the last segment.
    sc_map *map = fresh();
    uint32_t *starts = table_of(map, SC_TABLE_SEGMENT_OBJECTS);
    for (sc_seg_id s = 0; s < map->segment_count; s++) {
        starts[s] = 0;
    }
    check_broken(map, "is listed under segment");
}

static void test_a_name_that_is_not_utf8_is_refused(void **state)
{
    (void)state;
    sc_map *map = fresh();
    char *strings = map->tables[SC_TABLE_STRINGS].data;
    strings[1] = (char)0xff;
    check_broken(map, "a name is not valid UTF-8, at byte 1");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_map_as_it_was_built_passes),
    cmocka_unit_test(test_a_node_off_the_globe_is_refused),
    cmocka_unit_test(test_a_node_off_the_plane_is_refused),
    cmocka_unit_test(test_an_edge_that_names_another_segment_is_refused),
    cmocka_unit_test(test_an_edge_without_a_road_class_is_refused),
    cmocka_unit_test(test_a_chain_with_a_gap_is_refused),
    cmocka_unit_test(test_a_segment_through_an_intersection_is_refused),
    cmocka_unit_test(test_a_segment_that_could_be_longer_is_refused),
    cmocka_unit_test(test_a_ring_cut_in_two_is_refused),
    cmocka_unit_test(test_a_segment_of_wrong_length_is_refused),
    cmocka_unit_test(test_an_edge_closed_both_ways_is_refused),
    cmocka_unit_test(test_a_segment_that_takes_another_time_than_its_edges_is_refused),
    cmocka_unit_test(test_a_node_beyond_the_rim_of_a_grid_from_the_180th_meridian_is_refused),
    cmocka_unit_test(test_two_stars_at_one_node_are_refused),
    cmocka_unit_test(test_an_intersection_without_a_star_is_refused),
    cmocka_unit_test(test_a_segment_that_names_a_wrong_star_is_refused),
    cmocka_unit_test(test_a_star_too_many_is_refused),
    cmocka_unit_test(test_a_star_that_lists_a_segment_elsewhere_is_refused),
    cmocka_unit_test(test_segments_of_a_star_out_of_order_are_refused),
    cmocka_unit_test(test_a_star_that_lacks_a_segment_is_refused),
    cmocka_unit_test(test_neighbours_that_share_no_segment_are_refused),
    cmocka_unit_test(test_a_star_that_is_its_own_neighbour_is_refused),
    cmocka_unit_test(test_neighbours_out_of_order_are_refused),
    cmocka_unit_test(test_neighbours_that_do_not_know_each_other_are_refused),
    cmocka_unit_test(test_an_index_that_does_not_fit_is_refused),
    cmocka_unit_test(test_an_object_beyond_its_edge_is_refused),
    cmocka_unit_test(test_objects_out_of_order_are_refused),
    cmocka_unit_test(test_an_object_listed_under_another_segment_is_refused),
    cmocka_unit_test(test_a_name_that_is_not_utf8_is_refused),
};
SC_SUITE(tests)
