// Ways to break what each member was promised: P1 to P5. See breaks.h.
#include "support/breaks.h"

#include "support/check.h"

#include <starcloak/star.h>

static bool is_end(const made_record *r, sc_seg_id segment, sc_star_id star)
{
    const sc_segment *s = &sc_map_segments(r->map)[segment];
    return s->star_a == star || s->star_b == star;
}

// No answer is compared with where this one is.
static made_event *unanswered_query(const made_record *r)
{
    return made_find_query(r, broken_drop_for(r, "expired")->query);
}

static void tell_another_segment(made_record *r)
{
    made_event *query = made_find(r, MADE_QUERY, 0);
    query->segment = query->segment == 0 ? 1 : query->segment - 1;
}

static void lie_beyond_the_edge(made_record *r)
{
    made_event *query = unanswered_query(r);
    query->offset_m = sc_map_edge_length_m(r->map, query->edge) + 0.01;
}

static void lie_before_the_edge(made_record *r)
{
    unanswered_query(r)->offset_m = -0.01;
}

static void be_on_no_edge(made_record *r)
{
    unanswered_query(r)->edge = sc_map_edge_count(r->map);
}

static void be_outside_the_cloak(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    made_event *query = broken_query_of(r, cloak, 0);
    query->segment = broken_segment_outside(r, cloak);
    query->edge = sc_map_segments(r->map)[query->segment].first_edge;
    query->offset_m = 0.0;
    // Its answer was for another place.
    for (size_t i = 0;; i++) {
        made_event *answer = made_find(r, MADE_ANSWER, i);
        if (strcmp(answer->query, query->query) != 0) continue;
        made_remove(r, answer);
        break;
    }
}

static void have_a_star_that_is_no_end(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    size_t i = 0;
    while (is_end(r, broken_query_of(r, cloak, 0)->segment, cloak->stars.at[i])) {
        i++;
    }
    assert_true(i < cloak->stars.count);
    cloak->members[0].star = cloak->stars.at[i];
}

static void have_a_star_that_is_not_in_the_cloak(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    cloak->members[0].star = broken_star_outside(r, cloak);
}

static void have_a_star_that_the_map_has_not(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    cloak->members[0].star = sc_map_star_count(r->map);
}

static void have_no_star(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_loosen(r, cloak);
    cloak->members[0].star = SC_NONE;
}

static void want_more_users(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_query_of(r, cloak, 1)->k = (uint32_t)cloak->member_count + 1;
}

static void count_one_user_twice(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    for (size_t i = 0; i < cloak->member_count; i++) {
        memcpy(broken_query_of(r, cloak, i)->user, "u1", 3);
        broken_query_of(r, cloak, i)->k = 1;
    }
    broken_query_of(r, cloak, 0)->k = 2;
}

// The roads of a true cloak once more, for no one.
static void hide_none(made_record *r)
{
    const made_event *cloak = broken_large_cloak(r);
    made_event empty = *cloak;
    empty.cloak += 1000;
    empty.member_count = 0;
    made_insert(r, made_place(r, cloak) + 1, empty);
}

static void want_more_segments(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    broken_query_of(r, cloak, 0)->l = (uint32_t)cloak->segments.count + 1;
}

// One hop less than it takes, where the others allow any number.
static void allow_one_hop_less(made_record *r)
{
    const made_event *cloak = broken_large_cloak(r);
    sc_ball *ball = NULL;
    size_t count = 0;
    uint32_t farthest = 0;
    broken_loosen(r, cloak);
    CHECK_OK(sc_ball_new(r->map, &ball), NULL);
    sc_ball_walk(ball, cloak->members[0].star, SC_NONE - 1, &count);
    for (size_t i = 0; i < cloak->stars.count; i++) {
        const uint32_t hops = sc_ball_hops_of(ball, cloak->stars.at[i]);
        if (hops > farthest) farthest = hops;
    }
    sc_ball_free(ball);
    broken_query_of(r, cloak, 0)->max_hops = farthest - 1;
}

static void wait_less(made_record *r)
{
    const made_event *cloak = broken_large_cloak(r);
    made_event *query = broken_query_of(r, cloak, 0);
    query->max_wait_us = cloak->t_us - query->t_us - 1;
}

static void wait_longer_than_until_it_expires(made_record *r)
{
    made_find_query(r, broken_drop_for(r, "expired")->query)->max_wait_us += 2;
}

static void be_cloaked_before_it_asks(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    cloak->t_us = r->events[made_place(r, cloak) - 1].t_us - 1;
}

static void end_before_the_last_event(made_record *r)
{
    made_find(r, MADE_END, 0)->t_us -= 6;
}

const breakage member_breakages[] = {
    BREAKAGE(tell_another_segment, P1, false, "is not on the segment it names"),
    BREAKAGE(lie_beyond_the_edge, P1, false, "lies beyond the end of its edge"),
    BREAKAGE(lie_before_the_edge, P1, false, "lies beyond the end of its edge"),
    BREAKAGE(be_on_no_edge, P1, false, "is on an edge that the map does not have"),
    BREAKAGE(be_outside_the_cloak, P1, true, "its own segment is not in the cloak"),
    BREAKAGE(have_a_star_that_is_no_end, P1, true, "its star is not at an end of its segment"),
    BREAKAGE(have_a_star_that_is_not_in_the_cloak, P1, true, "its star is not in the cloak"),
    BREAKAGE(have_a_star_that_the_map_has_not, P1, true, "its star is not in the cloak"),
    BREAKAGE(have_no_star, P1, true, "it has no star"),
    BREAKAGE(want_more_users, P2, true, " users, but there are "),
    BREAKAGE(count_one_user_twice, P2, true, "needs 2 users, but there are 1"),
    BREAKAGE(hide_none, P2, false, "it has no members"),
    BREAKAGE(want_more_segments, P3, true, " segments, but there are "),
    BREAKAGE(allow_one_hop_less, P4, true, " hops, but the cloak reaches "),
    BREAKAGE(wait_less, P5, true, "the cloak comes 0.000001 s too late"),
    BREAKAGE(wait_longer_than_until_it_expires, P5, false,
             "expired 0.000001 s before its deadline"),
    BREAKAGE(be_cloaked_before_it_asks, P5, false, "earlier by 0.000001 s than an event before it"),
    BREAKAGE(end_before_the_last_event, P5, false, "earlier by 0.000001 s"),
    {NULL, NULL, SC_PROMISE_P1, false, NULL},
};
