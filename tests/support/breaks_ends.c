// Ways to break the ends of queries, and their answers: P8. See breaks.h.
#include "support/breaks.h"

#include "support/check.h"

static void forget_a_query(made_record *r)
{
    made_remove(r, broken_drop_for(r, "expired"));
}

static void ask_twice(made_record *r)
{
    const made_event *query = made_find(r, MADE_QUERY, 0);
    made_insert(r, made_place(r, query), *query);
}

static void be_cloaked_twice(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    made_event again = *cloak;
    again.cloak += 1000;
    made_insert(r, made_place(r, cloak) + 1, again);
}

static void be_dropped_twice(made_record *r)
{
    const made_event *drop = broken_drop_for(r, "infeasible");
    made_insert(r, made_place(r, drop), *drop);
}

static void be_dropped_out_of_a_cloak(made_record *r)
{
    const made_event *cloak = broken_large_cloak(r);
    made_event drop = {.kind = MADE_DROP, .t_us = cloak->t_us, .reason = "withdrawn"};
    memcpy(drop.query, cloak->members[0].query, sizeof drop.query);
    // Before its answer, which then is one too many as well.
    made_insert(r, made_place(r, cloak) + 1, drop);
}

static void be_a_member_unasked(made_record *r)
{
    made_event *cloak = broken_large_cloak(r);
    made_member *member = &cloak->members[cloak->member_count++];
    *member = cloak->members[0];
    memcpy(member->query, "nobody", 7);
}

static void be_dropped_unasked(made_record *r)
{
    made_event drop = *broken_drop_for(r, "infeasible");
    memcpy(drop.query, "nobody", 7);
    made_insert(r, made_place(r, broken_drop_for(r, "infeasible")), drop);
}

static void be_dropped_without_a_reason(made_record *r)
{
    broken_drop_for(r, "infeasible")->reason[0] = '\0';
}

static void be_dropped_as_infeasible_with_room(made_record *r)
{
    made_find_query(r, broken_drop_for(r, "infeasible")->query)->l = 1;
}

// It wants as many segments as the better of its two balls has, and not one more.
static void be_dropped_as_infeasible_with_just_enough_room(made_record *r)
{
    made_event *query = made_find_query(r, broken_drop_for(r, "infeasible")->query);
    query->l = broken_most_segments(r, query->segment, 1);
    query->max_hops = 1;
}

static void be_given_the_number_of_another_cloak(made_record *r)
{
    made_event *cloak = made_find(r, MADE_CLOAK, 1);
    const uint64_t number = cloak->cloak;
    cloak->cloak = made_find(r, MADE_CLOAK, 0)->cloak;
    for (size_t i = 0; i < r->count; i++) {
        made_event *answer = &r->events[i];
        if (answer->kind == MADE_ANSWER && answer->cloak == number) answer->cloak = cloak->cloak;
    }
}

static void be_answered_unasked(made_record *r)
{
    made_event answer = *made_find(r, MADE_ANSWER, 0);
    memcpy(answer.query, "nobody", 7);
    made_insert(r, 0, answer);
}

static void be_answered_twice(made_record *r)
{
    const made_event *answer = made_find(r, MADE_ANSWER, 0);
    made_insert(r, made_place(r, answer), *answer);
}

static void be_answered_for_another_cloak(made_record *r)
{
    made_find(r, MADE_ANSWER, 0)->cloak += 1;
}

static void be_answered_when_dropped(made_record *r)
{
    const made_event *drop = broken_drop_for(r, "infeasible");
    made_event answer = {.kind = MADE_ANSWER};
    memcpy(answer.query, drop->query, sizeof answer.query);
    made_insert(r, made_place(r, drop) + 1, answer);
}

static void be_answered_without_a_cloak(made_record *r)
{
    // Of the query that is open at the end.
    made_event answer = {.kind = MADE_ANSWER};
    const size_t last = r->count - 1;
    memcpy(answer.query, r->events[last - 1].query, sizeof answer.query);
    made_insert(r, last, answer);
}

// The first answer with several results to a query for the nearest of all categories.
static made_event *rich_answer(const made_record *r)
{
    for (size_t i = 0;; i++) {
        made_event *answer = made_find(r, MADE_ANSWER, i);
        const made_event *query = made_find_query(r, answer->query);
        if (query->nearest >= 3 && query->category == SC_NONE && answer->result_count >= 3) {
            return answer;
        }
    }
}

static made_event *range_answer(const made_record *r)
{
    for (size_t i = 0;; i++) {
        made_event *answer = made_find(r, MADE_ANSWER, i);
        if (made_find_query(r, answer->query)->nearest == 0 && answer->result_count >= 2) {
            return answer;
        }
    }
}

static void tell_a_wrong_distance(made_record *r)
{
    rich_answer(r)->results[1].distance_m += 0.002;
}

static void leave_out_a_result(made_record *r)
{
    rich_answer(r)->result_count--;
}

static void leave_out_a_result_of_a_range(made_record *r)
{
    range_answer(r)->result_count--;
}

static void add_a_result(made_record *r)
{
    made_event *answer = rich_answer(r);
    answer->results[answer->result_count] = answer->results[0];
    answer->result_count++;
}

static void add_a_result_beyond_the_range(made_record *r)
{
    made_event *answer = range_answer(r);
    const made_event *query = made_find_query(r, answer->query);
    answer->results[answer->result_count++] = (made_result){0, query->radius_m + 0.1};
}

static void name_an_object_twice(made_record *r)
{
    made_event *answer = rich_answer(r);
    answer->results[1].poi = answer->results[0].poi;
}

static void name_another_object(made_record *r)
{
    made_event *answer = rich_answer(r);
    answer->results[0].poi = answer->results[0].poi == 0 ? 1 : answer->results[0].poi - 1;
}

static void name_an_object_that_the_map_has_not(made_record *r)
{
    rich_answer(r)->results[0].poi = sc_map_object_count(r->map);
}

static void skip_the_nearest(made_record *r)
{
    // All named objects are as far as told, but the nearest is not among them.
    made_event *answer = rich_answer(r);
    memmove(&answer->results[0], &answer->results[1],
            (answer->result_count - 1) * sizeof answer->results[0]);
    answer->results[answer->result_count - 1] = answer->results[answer->result_count - 2];
}

static void tell_the_farthest_first(made_record *r)
{
    for (size_t i = 0;; i++) {
        made_event *answer = made_find(r, MADE_ANSWER, i);
        if (answer->result_count < 2) continue;
        made_result *first = &answer->results[0];
        made_result *last = &answer->results[answer->result_count - 1];
        if (last->distance_m < first->distance_m + 0.1) continue;
        const made_result nearest = *first;
        *first = *last;
        *last = nearest;
        return;
    }
}

static void want_another_category(made_record *r)
{
    made_event *answer = rich_answer(r);
    const sc_object *first = &sc_map_objects(r->map)[answer->results[0].poi];
    made_find_query(r, answer->query)->category = first->category == 0 ? 1 : 0;
}

const breakage end_breakages[] = {
    BREAKAGE(forget_a_query, P8, false, "has no outcome"),
    BREAKAGE(ask_twice, P8, false, "is asked a second time"),
    BREAKAGE(be_cloaked_twice, P8, false, "had ended before"),
    BREAKAGE(be_dropped_twice, P8, false, "had ended before"),
    BREAKAGE(be_dropped_out_of_a_cloak, P8, false, "had ended before"),
    BREAKAGE(be_a_member_unasked, P8, false, "was never asked"),
    BREAKAGE(be_dropped_unasked, P8, false, "was never asked"),
    BREAKAGE(be_dropped_without_a_reason, P8, false, "ended without a reason"),
    BREAKAGE(be_dropped_as_infeasible_with_room, P8, false, "is dropped as infeasible, though"),
    BREAKAGE(be_dropped_as_infeasible_with_just_enough_room, P8, false,
             "is dropped as infeasible, though"),
    BREAKAGE(be_given_the_number_of_another_cloak, P8, false,
             "an earlier cloak has the same number"),
    BREAKAGE(be_answered_unasked, P8, false, "was never asked"),
    BREAKAGE(be_answered_twice, P8, false, "is answered a second time"),
    BREAKAGE(be_answered_for_another_cloak, P8, false, ", which it is not in"),
    BREAKAGE(be_answered_when_dropped, P8, false, "had ended before"),
    BREAKAGE(be_answered_without_a_cloak, P8, false, "is answered without a cloak"),
    BREAKAGE(tell_a_wrong_distance, ANSWERS, false, "another distance"),
    BREAKAGE(leave_out_a_result, ANSWERS, false, " results, but a plain search finds "),
    BREAKAGE(leave_out_a_result_of_a_range, ANSWERS, false, " results, but a plain search finds "),
    BREAKAGE(add_a_result, ANSWERS, false, " results, but a plain search finds "),
    BREAKAGE(add_a_result_beyond_the_range, ANSWERS, false, ""),
    BREAKAGE(name_an_object_twice, ANSWERS, false, ""),
    BREAKAGE(name_another_object, ANSWERS, false, ""),
    BREAKAGE(name_an_object_that_the_map_has_not, ANSWERS, false, "is not among what"),
    BREAKAGE(skip_the_nearest, ANSWERS, false, "another distance"),
    BREAKAGE(tell_the_farthest_first, ANSWERS, false, "is not in order, nearest first"),
    BREAKAGE(want_another_category, ANSWERS, false, ""),
    {NULL, NULL, SC_PROMISE_P1, false, NULL},
};
