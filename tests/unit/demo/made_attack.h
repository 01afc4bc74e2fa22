/**
 * @file made_attack.h
 * @brief Attacks in a line.
 */
#ifndef SC_TESTS_UNIT_DEMO_MADE_ATTACK_H
#define SC_TESTS_UNIT_DEMO_MADE_ATTACK_H

#include "base/alloc.h"
#include "demo/attack_on_demand.h"
#include "support/check.h"

/** `count` members that all want the same. */
static inline void put_members(sc_attack_request *attack, size_t count, sc_needs needs)
{
    attack->members = sc_calloc(count, sizeof *attack->members);
    assert_non_null(attack->members);
    attack->member_count = count;
    for (size_t i = 0; i < count; i++) {
        attack->members[i] = needs;
    }
}

static inline sc_seg_id *copy_segments(const sc_seg_id *segments, size_t count)
{
    sc_seg_id *copy = sc_malloc_array(count, sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, segments, count * sizeof *copy);
    return copy;
}

static inline sc_attack_request *attack_on_cloak(sc_variant method, const sc_seg_id *segments,
                                                 size_t count, size_t members, sc_needs needs)
{
    sc_attack_request *attack = sc_attack_request_new();
    assert_non_null(attack);
    attack->method = method;
    attack->segments = copy_segments(segments, count);
    attack->segment_count = count;
    put_members(attack, members, needs);
    return attack;
}

static inline sc_attack_request *attack_on_method(sc_variant method, const sc_seg_id *places,
                                                  size_t count, sc_needs needs)
{
    sc_attack_request *attack = sc_attack_request_new();
    assert_non_null(attack);
    attack->method = method;
    put_members(attack, count, needs);
    attack->places = copy_segments(places, count);
    return attack;
}

/** Of two roads at opposite ends of the town, which no method would ever publish together: all
 * replays there may be are run, in vain. */
static inline sc_attack_request *unlikely_attack(const sc_map *map)
{
    const sc_seg_id cloak[] = {0, sc_map_segment_count(map) - 1};
    return attack_on_cloak(SC_VARIANT_BOUNDED, cloak, 2, 3,
                           (sc_needs){.k = 3, .l = 9, .max_hops = 0});
}

#endif
