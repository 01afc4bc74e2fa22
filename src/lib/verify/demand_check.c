// What members demand of the roads of their cloak: P3 if it is strict, P9, P12, P13 and P14. See
// starcloak/verify.h; docs/demands.md has the promises.
//
// Found by other means than the engine's. Which roads can be a member's own: from each star of the
// cloak, a walk to the farthest other one. Whether a road is too busy: by sorting. Of the busiest
// first, roads are left out that are more than one nth of all that are not left out; that is, of
// the roads in ascending order, the longest beginning stays whose last is no more than one nth of
// its sum.
//
// A piece is a member.
#include "base/alloc.h"
#include "verify/verifier.h"

#include <inttypes.h>
#include <stdlib.h>

static const sc_claim_own nothing;

static const sc_claim_own *own_of(const sc__asked *asked)
{
    return asked->own ? asked->own : &nothing;
}

// --- Which roads count --------------------------------------------------------------------------

static sc_err add_road(sc_verifier *v, sc_seg_id segment, uint32_t number, size_t *count)
{
    if (v->segments[segment].walked == number) return SC_OK;
    v->segments[segment].walked = number;
    if (!sc_grow(&v->roads_of_member, *count, &v->road_capacity, sizeof *v->roads_of_member)) {
        return SC_ENOMEM;
    }
    v->roads_of_member[(*count)++] = segment;
    return SC_OK;
}

static sc_err add_star(sc_verifier *v, sc_star_id star, uint32_t number, size_t *count)
{
    const sc_roads *roads = &v->roads;
    sc_err err = SC_OK;
    for (uint32_t i = roads->first_touched[star]; i < roads->first_touched[star + 1] && !err; i++) {
        err = add_road(v, roads->touched[i], number, count);
    }
    return err;
}

/** Whether the member can be at a star of the cloak: no star of it is farther than allowed. */
static sc_err is_possible(const sc__look *at, const sc_claim_member *member, sc_star_id star,
                          bool *out)
{
    uint32_t reach = SC_NONE;
    const sc_err err = sc__look_reach(at, star, &reach);
    *out = reach != SC_NONE && reach <= member->max_hops;
    return err;
}

// The roads that can be the member's own. Those of a cloak without stars are not known.
static sc_err list_possible(const sc__look *at, const sc_claim_member *member, size_t *count)
{
    const sc_claim *claim = at->claim;
    const uint32_t number = sc__walk_number(at->verifier);
    sc_err err = SC_OK;
    for (size_t i = 0; i < claim->star_count && !err; i++) {
        bool can_be = false;
        if (!sc__look_star_exists(at, claim->stars[i])) continue;
        err = is_possible(at, member, claim->stars[i], &can_be);
        if (!err && can_be) err = add_star(at->verifier, claim->stars[i], number, count);
    }
    return err;
}

static sc_err list_all(const sc__look *at, size_t *count)
{
    const sc_claim *claim = at->claim;
    const uint32_t number = sc__walk_number(at->verifier);
    sc_err err = SC_OK;
    for (size_t i = 0; i < claim->segment_count && !err; i++) {
        if (!sc__look_segment_exists(at, claim->segments[i])) continue;
        err = add_road(at->verifier, claim->segments[i], number, count);
    }
    return err;
}

static bool is_listed(const sc_seg_id *roads, size_t count, sc_seg_id segment)
{
    for (size_t i = 0; i < count; i++) {
        if (roads[i] == segment) return true;
    }
    return false;
}

// --- Too busy? ----------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/** Whether a road of weight `own` is among those that stay of all with these weights. */
static bool stays(uint64_t *weights, size_t count, uint32_t n, uint64_t own)
{
    uint64_t sum = 0;
    bool does_any = false;
    uint64_t largest = 0;
    if (count > 0) qsort(weights, count, sizeof *weights, by_size);
    for (size_t i = 0; i < count; i++) {
        if (__builtin_add_overflow(sum, weights[i], &sum)) sum = UINT64_MAX;
        if (weights[i] > sum / n) continue;
        does_any = true;
        largest = weights[i];
    }
    return does_any && own <= largest;
}

/** How many times less likely than all together no road may be: n. */
static uint32_t share_of(const sc__asked *asked)
{
    return asked->l < asked->demands->traffic ? asked->l : asked->demands->traffic;
}

static bool asks_for_traffic(const sc__asked *asked)
{
    return asked->demands && asked->demands->density && asked->demands->traffic > 0;
}

static int by_segment(const void *key, const void *entry)
{
    const sc_seg_id left = *(const sc_seg_id *)key;
    const sc_seg_id right = ((const sc_claim_part *)entry)->segment;
    return (left > right) - (left < right);
}

/** The part of a segment that can be reached, by the table. */
static uint64_t part_of(const sc_claim_own *own, sc_seg_id segment)
{
    if (own->reached_count == 0) return 0;
    const sc_claim_part *found =
        bsearch(&segment, own->reached, own->reached_count, sizeof *own->reached, by_segment);
    return found ? found->part : 0;
}

/**
 * Whether the own road is one of these and not too busy among them.
 *
 * @param own  count roads by the part that can be reached; NULL: as a whole
 */
static sc_err look_for_share(sc_verifier *v, const sc__asked *asked, const sc_claim_own *own,
                             const sc_seg_id *roads, size_t count, bool *holds)
{
    const uint32_t *numbers = sc_density_numbers(asked->demands->density);
    uint64_t weight = 0;
    bool is_there = false;
    for (size_t i = 0; i < count; i++) {
        if (!sc_grow(&v->weights, i, &v->weight_capacity, sizeof *v->weights)) return SC_ENOMEM;
        v->weights[i] = numbers[roads[i]] * (own ? part_of(own, roads[i]) : 1);
        if (roads[i] != asked->segment) continue;
        is_there = true;
        weight = v->weights[i];
    }
    *holds = is_there && stays(v->weights, count, share_of(asked), weight);
    return SC_OK;
}

// --- The demands, one by one --------------------------------------------------------------------

/** Of the roads, those that are of no class `number`. */
static size_t count_besides(const sc_place_classes *classes, uint32_t number,
                            const sc_seg_id *roads, size_t count)
{
    const uint32_t *bits = sc_place_classes_bits(classes);
    size_t besides = 0;
    for (size_t i = 0; i < count; i++) {
        besides += !(bits[roads[i]] >> number & 1);
    }
    return besides;
}

/** The class that leaves fewest roads; `*left` is how many. */
static uint32_t worst_class(const sc_place_classes *classes, const sc_seg_id *roads, size_t count,
                            size_t *left)
{
    uint32_t worst = 0;
    *left = SIZE_MAX;
    for (uint32_t c = 0; c < sc_place_classes_count(classes); c++) {
        const size_t besides = count_besides(classes, c, roads, count);
        if (besides >= *left) continue;
        *left = besides;
        worst = c;
    }
    return worst;
}

static bool asks_for_classes(const sc__asked *asked)
{
    return asked->demands && asked->demands->classes &&
           sc_place_classes_count(asked->demands->classes) > 0;
}

/** How many roads of the zone are not there. */
static size_t count_missing(const sc_claim_own *own, const sc_seg_id *roads, size_t count)
{
    size_t missing = 0;
    for (size_t i = 0; i < own->zone_count; i++) {
        missing += !is_listed(roads, count, own->zone[i]);
    }
    return missing;
}

/** The sum of the parts of roads that can be reached, in units of SC_CLAIM_WHOLE. */
static uint64_t sum_reached(const sc_claim_own *own, const sc_seg_id *roads, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += part_of(own, roads[i]);
    }
    return sum;
}

static uint64_t needed_reach(uint32_t l)
{
    return (uint64_t)l * SC_CLAIM_WHOLE;
}

sc_err sc__demands_are_met(sc_verifier *verifier, const sc__asked *asked, const sc_seg_id *roads,
                           size_t count, bool *are_met)
{
    const sc_claim_own *own = own_of(asked);
    bool met = count >= asked->l && count_missing(own, roads, count) == 0;
    if (met && asks_for_classes(asked)) {
        size_t left = 0;
        worst_class(asked->demands->classes, roads, count, &left);
        met = left >= asked->l;
    }
    if (met && own->has_reached) met = sum_reached(own, roads, count) >= needed_reach(asked->l);
    sc_err err = SC_OK;
    if (met && asks_for_traffic(asked)) {
        err = look_for_share(verifier, asked, NULL, roads, count, &met);
        if (!err && met && own->has_reached) {
            err = look_for_share(verifier, asked, own, roads, count, &met);
        }
    }
    *are_met = !err && met;
    return err;
}

// --- A member of a claim ------------------------------------------------------------------------

/** Where sentences count the roads that can be the member's own, or all. */
static const char *those_of(const sc__look *at)
{
    return sc__look_is_strict(at) ? "that can be its own" : "of the cloak";
}

static void look_at_count(const sc__look *at, size_t member, uint32_t l, size_t count)
{
    if (!sc__look_is_strict(at)) return;
    sc__looked_at(at->findings, SC_PROMISE_P3);
    if (count >= l) return;
    sc__wrong(at->findings, SC_PROMISE_P3,
              "%s needs %" PRIu32 " segments that can be its own, but there are %zu",
              sc__look_name(at, member).text, l, count);
}

static void look_at_zone(const sc__look *at, size_t member, const sc_claim_own *own,
                         const sc_seg_id *roads, size_t count)
{
    if (own->zone_count == 0) return;
    sc__looked_at(at->findings, SC_PROMISE_P12);
    const size_t missing = count_missing(own, roads, count);
    if (missing == 0) return;
    // Which of them is not said: a zone is where somebody lives.
    sc__wrong(at->findings, SC_PROMISE_P12,
              "%s: of the %zu segments of its zone %zu are not among those %s",
              sc__look_name(at, member).text, own->zone_count, missing, those_of(at));
}

static void look_at_classes(const sc__look *at, size_t member, const sc__asked *asked,
                            const sc_seg_id *roads, size_t count)
{
    if (!asks_for_classes(asked)) return;
    const sc_place_classes *classes = asked->demands->classes;
    size_t left = 0;
    const uint32_t worst = worst_class(classes, roads, count, &left);
    sc__looked_at(at->findings, SC_PROMISE_P13);
    if (left >= asked->l) return;
    sc__wrong(at->findings, SC_PROMISE_P13,
              "%s needs %" PRIu32 " segments %s besides those of class %s, but there are %zu",
              sc__look_name(at, member).text, asked->l, those_of(at),
              sc_place_classes_name(classes, worst), left);
}

static sc_err look_at_traffic(const sc__look *at, size_t member, const sc__asked *asked,
                              const sc_seg_id *roads, size_t count)
{
    bool holds = false;
    if (!asks_for_traffic(asked)) return SC_OK;
    const sc_err err = look_for_share(at->verifier, asked, NULL, roads, count, &holds);
    if (err) return err;
    sc__looked_at(at->findings, SC_PROMISE_P14);
    if (holds) return SC_OK;
    sc__wrong(at->findings, SC_PROMISE_P14,
              "%s: by the traffic its own segment is likelier than one of %" PRIu32
              " among those %s",
              sc__look_name(at, member).text, share_of(asked), those_of(at));
    return SC_OK;
}

// P9 counts all segments of the cloak, strict or not.
static sc_err look_at_reached(const sc__look *at, size_t member, const sc__asked *asked)
{
    const sc_claim_own *own = own_of(asked);
    sc_verifier *v = at->verifier;
    size_t count = 0;
    bool holds = true;
    if (!own->has_reached) return SC_OK;
    sc_err err = list_all(at, &count);
    if (err) return err;
    const uint64_t sum = sum_reached(own, v->roads_of_member, count);
    if (asks_for_traffic(asked)) {
        err = look_for_share(v, asked, own, v->roads_of_member, count, &holds);
        if (err) return err;
    }
    sc__looked_at(at->findings, SC_PROMISE_P9);
    if (sum < needed_reach(asked->l)) {
        sc__wrong(at->findings, SC_PROMISE_P9,
                  "%s needs %" PRIu32 " segments that its user can have reached since the last "
                  "cloak, but there are %.3f",
                  sc__look_name(at, member).text, asked->l, (double)sum / SC_CLAIM_WHOLE);
    } else if (!holds) {
        sc__wrong(at->findings, SC_PROMISE_P9,
                  "%s: by the traffic that can have come from the last cloak its own segment is "
                  "likelier than one of %" PRIu32,
                  sc__look_name(at, member).text, share_of(asked));
    }
    return SC_OK;
}

sc_err sc__look_at_demands(const sc__look *at, size_t i)
{
    const sc_claim_member *member = &at->claim->members[i];
    const sc__asked asked = {.demands = at->claim->demands,
                             .own = member->own,
                             .segment = member->segment,
                             .l = member->l};
    if (!asked.demands && !asked.own) return SC_OK;
    size_t count = 0;
    sc_err err = sc__look_is_strict(at) ? list_possible(at, member, &count) : list_all(at, &count);
    if (err) return err;
    const sc_seg_id *roads = at->verifier->roads_of_member;
    look_at_count(at, i, member->l, count);
    look_at_zone(at, i, own_of(&asked), roads, count);
    look_at_classes(at, i, &asked, roads, count);
    err = look_at_traffic(at, i, &asked, roads, count);
    return err ? err : look_at_reached(at, i, &asked);
}
