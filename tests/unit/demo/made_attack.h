/**
 * @file made_attack.h
 * @brief Doubts in a line.
 *
 * Used by: tests of the doubter.
 */
#ifndef SC_TESTS_UNIT_DOUBT_MADE_DOUBT_H
#define SC_TESTS_UNIT_DOUBT_MADE_DOUBT_H

#include "base/alloc.h"
#include "demo/attack_on_demand.h"
#include "support/check.h"

/** `count` members that all want the same. */
static inline void put_members(sc_doubt *doubt, size_t count, sc_needs needs)
{
    doubt->members = sc_calloc(count, sizeof *doubt->members);
    assert_non_null(doubt->members);
    doubt->member_count = count;
    for (size_t i = 0; i < count; i++) {
        doubt->members[i] = needs;
    }
}

static inline sc_seg_id *copy_segments(const sc_seg_id *segments, size_t count)
{
    sc_seg_id *copy = sc_malloc_array(count, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, segments, count * sizeof *copy);
    return copy;
}

static inline sc_doubt *doubt_of_cloak(sc_variant method, const sc_seg_id *segments, size_t count,
                                       size_t members, sc_needs needs)
{
    sc_doubt *doubt = sc_doubt_new();
    assert_non_null(doubt);
    doubt->method = method;
    doubt->segments = copy_segments(segments, count);
    doubt->segment_count = count;
    put_members(doubt, members, needs);
    return doubt;
}

static inline sc_doubt *doubt_of_method(sc_variant method, const sc_seg_id *places, size_t count,
                                        sc_needs needs)
{
    sc_doubt *doubt = sc_doubt_new();
    assert_non_null(doubt);
    doubt->method = method;
    put_members(doubt, count, needs);
    doubt->places = copy_segments(places, count);
    return doubt;
}

/** Of two roads at opposite ends of the town, which no method would ever publish together: all
 * replays there may be are run, in vain. */
static inline sc_doubt *unlikely_doubt(const sc_map *map)
{
    const sc_seg_id cloak[] = {0, sc_map_segment_count(map) - 1};
    return doubt_of_cloak(SC_BOUNDED, cloak, 2, 3, (sc_needs){.k = 3, .l = 9, .max_hops = 0});
}

#endif
