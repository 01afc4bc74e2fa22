// Ways to break the lists of a cloak: P6 and P7. See breaks.h.
#include "support/breaks.h"

#include "support/check.h"

static void swap_first(made_ids *ids)
{
    const uint32_t first = ids->at[0];
    ids->at[0] = ids->at[1];
    ids->at[1] = first;
}

// A segment of the cloak on which no member is.
static size_t spare_segment(const made_record *r, const made_event *cloak)
{
    for (size_t place = 0; place < cloak->segments.count; place++) {
        bool is_spare = true;
        for (size_t i = 0; i < cloak->member_count; i++) {
            is_spare &= broken_query_of(r, cloak, i)->segment != cloak->segments.at[place];
        }
        if (is_spare) return place;
    }
    fail_msg("all segments of the cloak are taken");
    return 0;
}

static void swap_segments(made_record *r)
{
    swap_first(&broken_large_cloak(r)->segments);
}

static void list_segments_twice(made_record *r)
{
    made_ids *segments = &broken_large_cloak(r)->segments;
    for (size_t i = segments->count; i-- > 0;) {
        broken_put_sorted(segments, segments->at[i]);
    }
}

static void swap_border_nodes(made_record *r)
{
    swap_first(&broken_large_cloak(r)->border_nodes);
}

static void list_a_border_node_twice(made_record *r)
{
    made_ids *nodes = &broken_large_cloak(r)->border_nodes;
    broken_put_sorted(nodes, nodes->at[0]);
}

static void list_a_star_twice(made_record *r)
{
    made_ids *stars = &broken_large_cloak(r)->stars;
    stars->at[stars->count++] = stars->at[0];
}

static void list_a_member_twice(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    cloak->members[cloak->member_count++] = cloak->members[0];
}

static void leave_out_a_segment(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    broken_take_out(&cloak->segments, spare_segment(r, cloak));
    made_border(r->map, &cloak->segments, &cloak->border_nodes);
}

static void add_a_segment(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_put_sorted(&cloak->segments, broken_segment_outside(r, cloak));
    made_border(r->map, &cloak->segments, &cloak->border_nodes);
}

static void add_a_segment_that_the_map_has_not(made_record *r)
{
    broken_put_sorted(&broken_large_cloak(r)->segments, sc_map_segment_count(r->map));
}

static void add_a_star(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    const sc_star_id star = broken_star_outside(r, cloak);
    cloak->stars.at[cloak->stars.count++] = star;
}

static void add_a_star_that_the_map_has_not(made_record *r)
{
    made_ids *stars = &broken_large_cloak(r)->stars;
    stars->at[stars->count++] = UINT32_MAX;
}

static void leave_out_a_border_node(made_record *r)
{
    broken_take_out(&broken_large_cloak(r)->border_nodes, 1);
}

static void add_a_border_node(made_record *r)
{
    made_ids *nodes = &broken_large_cloak(r)->border_nodes;
    sc_node_id node = 0;
    while (broken_holds(nodes, node)) {
        node++;
    }
    broken_put_sorted(nodes, node);
}

static void add_a_border_node_that_the_map_has_not(made_record *r)
{
    broken_put_sorted(&broken_large_cloak(r)->border_nodes, UINT32_MAX);
}

static void name_a_user_in_a_cloak(made_record *r)
{
    broken_large_cloak(r)->more = "\"user\":\"u1\",";
}

static void tell_where_members_are(made_record *r)
{
    broken_large_cloak(r)->member_more = ",\"offset_m\":7.5";
}

static void tell_anything_else_in_a_cloak(made_record *r)
{
    broken_large_cloak(r)->more = "\"engine\":\"basic\",";
}

// Of a cloak that then looks like one of a method without stars.
static void strip(made_event *cloak)
{
    cloak->stars.count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        cloak->members[i].star = SC_NONE;
    }
}

static void strip_a_cloak_of_its_stars(made_record *r)
{
    strip(made_find(r, MADE_CLOAK, 1));
}

static void strip_the_first_cloak_of_its_stars(made_record *r)
{
    strip(made_find(r, MADE_CLOAK, 0));
}

const breakage list_breakages[] = {
    BREAKAGE(swap_segments, P6, true, "is listed after segment"),
    BREAKAGE(list_segments_twice, P6, true, "is listed after segment"),
    BREAKAGE(swap_border_nodes, P6, true, "is listed after border node"),
    BREAKAGE(list_a_border_node_twice, P6, true, "is listed after border node"),
    BREAKAGE(list_a_star_twice, P6, true, "a star is listed twice"),
    BREAKAGE(list_a_member_twice, P6, false, "a member is listed twice"),
    BREAKAGE(leave_out_a_segment, P7, true, "but is missing"),
    BREAKAGE(add_a_segment, P7, true, "touches no star of the cloak"),
    BREAKAGE(add_a_segment_that_the_map_has_not, P7, true, "the map has no segment"),
    BREAKAGE(add_a_star, P7, true, "but is missing"),
    BREAKAGE(add_a_star_that_the_map_has_not, P7, true, "the map has no star 4294967295"),
    BREAKAGE(leave_out_a_border_node, P7, true, " is missing"),
    BREAKAGE(add_a_border_node, P7, true, "is not a border node"),
    BREAKAGE(add_a_border_node_that_the_map_has_not, P7, true,
             "node 4294967295 is not a border node"),
    BREAKAGE(name_a_user_in_a_cloak, P7, false, "could tell who"),
    BREAKAGE(tell_where_members_are, P7, false, "could tell who"),
    BREAKAGE(tell_anything_else_in_a_cloak, P7, false, "could tell who"),
    BREAKAGE(strip_a_cloak_of_its_stars, P7, false, "it has no stars, unlike the first cloak"),
    BREAKAGE(strip_the_first_cloak_of_its_stars, P7, false, "it has stars, unlike the first cloak"),
    {NULL, NULL, SC_PROMISE_P1, false, NULL},
};
