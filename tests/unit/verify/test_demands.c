// What members demand of the roads of their cloak: the verifier against the definitions, set by
// set, on small maps.
#include <starcloak/verify.h>

#include "base/rng.h"
#include "support/check.h"
#include "support/sketch.h"
#include "support/slow_demand.h"
#include "support/slow_roads.h"

#include <stdio.h>
#include <string.h>

enum { MAX_SEGMENTS = 512, MAX_STARS = 256, MEMBERS = 4 };

/** A claim, and all it points to. */
typedef struct scene {
    sc_map *map;
    slow_roads roads;
    sc_density *density;
    sc_place_classes *classes;
    sc_claim_demands demands;
    sc_claim claim;
    bool in_t[MAX_STARS];
    bool in_s[MAX_SEGMENTS];
    sc_star_id stars[MAX_STARS];
    sc_seg_id segments[MAX_SEGMENTS];
    sc_claim_member members[MEMBERS];
    sc_claim_own own[MEMBERS];
    sc_seg_id zones[MEMBERS][8];
    sc_claim_part parts[MEMBERS][MAX_SEGMENTS];
} scene;

static bool chance(sc_rng *rng, uint32_t percent)
{
    return sc_rng_below(rng, 100) < percent;
}

static void draw_map(scene *on, uint64_t seed)
{
    sketch s = seed % 3 == 0 ? sketch_odd(seed) : sketch_grid(SC_COORDS_PLANAR, 5, 6);
    on->map = sketch_map(&s);
    sketch_free(&s);
    on->roads = slow_roads_new(on->map);
    assert_true(on->roads.segment_count <= MAX_SEGMENTS && on->roads.star_count <= MAX_STARS);
}

static void draw_demands(scene *on, sc_rng *rng)
{
    uint64_t counts[MAX_SEGMENTS] = {0};
    uint32_t number = 0;
    for (size_t i = 0; i < MAX_SEGMENTS; i++) {
        counts[i] = sc_rng_below(rng, chance(rng, 80) ? 6 : 60);
    }
    assert_int_equal(sc_density_new_counted(on->map, counts, &on->density), SC_OK);
    assert_int_equal(sc_place_classes_new(on->map, &on->classes), SC_OK);
    for (int c = 0; c < 2; c++) {
        assert_int_equal(sc_place_classes_add(on->classes, c ? "shelter" : "clinic", &number),
                         SC_OK);
        for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
            if (chance(rng, 15)) sc_place_classes_mark(on->classes, number, s);
        }
    }
    const bool has_traffic = chance(rng, 60);
    on->demands = (sc_claim_demands){
        .density = has_traffic ? on->density : NULL,
        .traffic = has_traffic ? 2 + sc_rng_below(rng, 3) : 0,
        .is_strict = chance(rng, 60),
        .classes = chance(rng, 40) ? on->classes : NULL,
    };
}

static void draw_cloak(scene *on, sc_rng *rng)
{
    const sc_star_id middle = (sc_star_id)sc_rng_below(rng, on->roads.star_count);
    const uint32_t hops = sc_rng_below(rng, 4);
    size_t star_count = 0;
    size_t segment_count = 0;
    for (sc_star_id x = 0; x < on->roads.star_count; x++) {
        on->in_t[x] = x == middle || (slow_hops(&on->roads, middle, x) <= hops && chance(rng, 60));
        if (on->in_t[x]) on->stars[star_count++] = x;
    }
    for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
        on->in_s[s] = slow_touches(&on->roads, on->in_t, s);
        if (on->in_s[s]) on->segments[segment_count++] = s;
    }
    on->claim = (sc_claim){.stars = on->stars,
                           .star_count = star_count,
                           .segments = on->segments,
                           .segment_count = segment_count,
                           .members = on->members,
                           .member_count = 1 + sc_rng_below(rng, MEMBERS),
                           .demands = chance(rng, 90) ? &on->demands : NULL};
}

static void draw_member(scene *on, size_t i, sc_rng *rng)
{
    const sc_seg_id segment = on->segments[sc_rng_below(rng, (uint32_t)on->claim.segment_count)];
    sc_claim_own *own = &on->own[i];
    *own = (sc_claim_own){.zone = on->zones[i], .reached = on->parts[i]};
    on->members[i] = (sc_claim_member){.user = i,
                                       .segment = segment,
                                       .star = on->stars[0],
                                       .k = 1,
                                       .l = 1 + sc_rng_below(rng, 12),
                                       .max_hops = sc_rng_below(rng, 6),
                                       .own = chance(rng, 70) ? own : NULL};
    if (chance(rng, 40)) {
        on->zones[i][own->zone_count++] = segment;
        for (int n = 0; n < 3; n++) {
            on->zones[i][own->zone_count++] =
                chance(rng, 90) ? on->segments[sc_rng_below(rng, (uint32_t)on->claim.segment_count)]
                                : sc_rng_below(rng, on->roads.segment_count);
        }
    }
    own->has_reached = chance(rng, 50);
    const uint32_t reached = 40 + sc_rng_below(rng, 60);
    for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
        if (!chance(rng, reached)) continue;
        const uint32_t part = chance(rng, 70) ? SC_CLAIM_WHOLE : sc_rng_below(rng, SC_CLAIM_WHOLE);
        on->parts[i][own->reached_count++] = (sc_claim_part){s, (uint16_t)part};
    }
}

static void scene_fini(scene *on)
{
    sc_density_free(on->density);
    sc_place_classes_free(on->classes);
    slow_roads_free(&on->roads);
    sc_map_free(on->map);
}

// --- By the definitions -------------------------------------------------------------------

static size_t count_of(const bool *set, size_t count)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        n += set[i];
    }
    return n;
}

/** The roads that count for a member. */
static void roads_of(const scene *on, const sc_claim_member *member, bool *out)
{
    if (!on->claim.demands || !on->demands.is_strict) {
        memcpy(out, on->in_s, sizeof on->in_s);
        return;
    }
    bool possible[MAX_STARS] = {false};
    for (sc_star_id x = 0; x < on->roads.star_count; x++) {
        possible[x] = on->in_t[x];
        for (sc_star_id y = 0; y < on->roads.star_count; y++) {
            if (on->in_t[y] && slow_hops(&on->roads, x, y) > member->max_hops) possible[x] = false;
        }
    }
    for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
        out[s] = slow_touches(&on->roads, possible, s);
    }
}

static bool is_in_core(const scene *on, const sc_claim_member *member, const bool *set,
                       const uint64_t *weights)
{
    bool core[MAX_SEGMENTS];
    memcpy(core, set, sizeof core);
    const uint32_t n = member->l < on->demands.traffic ? member->l : on->demands.traffic;
    slow_core_by_trimming(weights, on->roads.segment_count, n, core);
    return core[member->segment];
}

static bool leaves_enough(const scene *on, uint32_t l, const bool *set)
{
    const uint32_t *bits = sc_place_classes_bits(on->classes);
    for (uint32_t c = 0; c < 2; c++) {
        size_t left = 0;
        for (sc_seg_id s = 0; s < on->roads.segment_count; s++) {
            left += set[s] && !(bits[s] >> c & 1);
        }
        if (left < l) return false;
    }
    return true;
}

/** The promises of demands that a member's cloak breaks. */
static unsigned broken_of(const scene *on, const sc_claim_member *member)
{
    const uint32_t count = on->roads.segment_count;
    const sc_claim_demands *demands = on->claim.demands;
    const sc_claim_own *own = member->own;
    bool set[MAX_SEGMENTS] = {false};
    uint64_t weights[MAX_SEGMENTS];
    unsigned broken = 0;
    roads_of(on, member, set);
    if (count_of(set, count) < member->l) broken |= 1U << SC_PROMISE_P3;
    for (size_t i = 0; own && i < own->zone_count; i++) {
        if (!set[own->zone[i]]) broken |= 1U << SC_PROMISE_P12;
    }
    if (demands && demands->classes && !leaves_enough(on, member->l, set)) {
        broken |= 1U << SC_PROMISE_P13;
    }
    const bool has_traffic = demands && demands->density;
    const uint32_t *numbers = sc_density_numbers(on->density);
    for (sc_seg_id s = 0; s < count; s++) {
        weights[s] = numbers[s];
    }
    if (has_traffic && !is_in_core(on, member, set, weights)) broken |= 1U << SC_PROMISE_P14;
    if (!own || !own->has_reached) return broken;

    uint64_t sum = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        uint64_t part = 0;
        for (size_t i = 0; i < own->reached_count; i++) {
            if (own->reached[i].segment == s) part = own->reached[i].part;
        }
        if (on->in_s[s]) sum += part;
        weights[s] = numbers[s] * part;
    }
    const bool is_too_little = sum < (uint64_t)member->l * SC_CLAIM_WHOLE;
    if (is_too_little || (has_traffic && !is_in_core(on, member, on->in_s, weights))) {
        broken |= 1U << SC_PROMISE_P9;
    }
    return broken;
}

static void test_what_is_demanded_is_checked_by_the_definitions(void **state)
{
    (void)state;
    static const unsigned of_demands = 1U << SC_PROMISE_P3 | 1U << SC_PROMISE_P9 |
                                       1U << SC_PROMISE_P12 | 1U << SC_PROMISE_P13 |
                                       1U << SC_PROMISE_P14;
    unsigned seen_broken = 0;
    unsigned seen_kept = 0;
    for (uint64_t seed = 0; seed < 600; seed++) {
        check_case(seed);
        scene *on = test_take(1, sizeof *on);
        sc_verifier *verifier = NULL;
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        draw_map(on, seed);
        if (on->roads.star_count > 0) {
            unsigned wanted = 0;
            unsigned broken = 0;
            sc_diag diag = {""};
            draw_demands(on, &rng);
            draw_cloak(on, &rng);
            for (size_t i = 0; i < on->claim.member_count; i++) {
                draw_member(on, i, &rng);
                wanted |= broken_of(on, &on->members[i]);
            }
            CHECK_OK(sc_verifier_new(on->map, &verifier), NULL);
            CHECK_OK(sc_verifier_check_claim(verifier, &on->claim, &broken, &diag), NULL);
            assert_int_equal(broken & of_demands, wanted);
            seen_broken |= wanted;
            seen_kept |= ~wanted;
        }
        sc_verifier_free(verifier);
        scene_fini(on);
        free(on);
    }
    check_case_done();
    assert_int_equal(seen_broken & seen_kept & of_demands, of_demands);
}

// --- In words -----------------------------------------------------------------------------

// A star of four roads; k 1, l 2, traffic 2.
typedef struct crossroads {
    sc_map *map;
    sc_density *density;
    sc_place_classes *classes;
    sc_verifier *verifier;
    sc_claim_demands demands;
    sc_claim_member member;
    sc_claim claim;
} crossroads;

static const sc_seg_id four[] = {0, 1, 2, 3};
static const sc_star_id zero[] = {0};

static void crossroads_init(crossroads *c, const uint64_t counts[4])
{
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  o  \n"
                           "  |  \n"
                           "o-A-o\n"
                           "  |  \n"
                           "  o  ",
                           "");
    c->map = sketch_map(&s);
    sketch_free(&s);
    assert_int_equal(sc_density_new_counted(c->map, counts, &c->density), SC_OK);
    assert_int_equal(sc_place_classes_new(c->map, &c->classes), SC_OK);
    CHECK_OK(sc_verifier_new(c->map, &c->verifier), NULL);
    c->demands = (sc_claim_demands){.is_strict = true, .density = c->density, .traffic = 2};
    c->member = (sc_claim_member){.segment = 3, .star = 0, .k = 1, .l = 2};
    c->claim = (sc_claim){.stars = zero,
                          .star_count = 1,
                          .segments = four,
                          .segment_count = 4,
                          .members = &c->member,
                          .member_count = 1,
                          .demands = &c->demands};
}

static void crossroads_fini(crossroads *c)
{
    sc_verifier_free(c->verifier);
    sc_place_classes_free(c->classes);
    sc_density_free(c->density);
    sc_map_free(c->map);
}

static void check_broken(crossroads *c, sc_promise promise, const char *message)
{
    unsigned broken = 0;
    sc_diag diag = {""};
    CHECK_OK(sc_verifier_check_claim(c->verifier, &c->claim, &broken, &diag), NULL);
    assert_string_equal(diag.message, message);
    assert_int_equal(broken, message[0] ? 1U << promise : 0);
}

static void test_a_road_as_busy_as_all_others_is_the_limit(void **state)
{
    (void)state;
    crossroads c;
    crossroads_init(&c, (uint64_t[]){1, 2, 3, 8});  // d = 2, 3, 4, 9
    for (c.member.segment = 0; c.member.segment < 4; c.member.segment++) {
        check_broken(&c, SC_PROMISE_P14, "");
    }
    crossroads_fini(&c);
    crossroads_init(&c, (uint64_t[]){1, 2, 3, 9});  // d = 2, 3, 4, 10
    for (c.member.segment = 0; c.member.segment < 3; c.member.segment++) {
        check_broken(&c, SC_PROMISE_P14, "");
    }
    check_broken(&c, SC_PROMISE_P14,
                 "P14 is broken (by the traffic no segment stands out): member 0: by the traffic "
                 "its own segment is likelier than one of 2 among those that can be its own");
    c.demands.is_strict = false;
    check_broken(&c, SC_PROMISE_P14,
                 "P14 is broken (by the traffic no segment stands out): member 0: by the traffic "
                 "its own segment is likelier than one of 2 among those of the cloak");
    c.member.l = 1;  // who wants one road has it
    check_broken(&c, SC_PROMISE_P14, "");
    crossroads_fini(&c);
}

static void test_each_demand_is_told_in_words(void **state)
{
    (void)state;
    crossroads c;
    crossroads_init(&c, (uint64_t[]){1, 1, 1, 1});
    const sc_claim_part parts[] = {{0, SC_CLAIM_WHOLE}, {2, SC_CLAIM_WHOLE / 2}};
    sc_claim_own own = {.has_reached = true, .reached = parts, .reached_count = 2};
    c.member.own = &own;
    check_broken(&c, SC_PROMISE_P9,
                 "P9 is broken (enough segments can be reached since the last): member 0 needs 2 "
                 "segments that its user can have reached since the last cloak, but there are "
                 "1.500");
    c.member.l = 1;
    c.member.segment = 0;
    check_broken(&c, SC_PROMISE_P9, "");
    own.has_reached = false;
    c.member.l = 5;
    check_broken(&c, SC_PROMISE_P3,
                 "P3 is broken (enough segments): member 0 needs 5 segments that can be its own, "
                 "but there are 4");
    c.member.l = 3;
    own = (sc_claim_own){.zone = (const sc_seg_id[]){0, 9}, .zone_count = 2};
    check_broken(&c, SC_PROMISE_P12,
                 "P12 is broken (a member's zone is in the cloak as a whole): member 0: of the 2 "
                 "segments of its zone 1 are not among those that can be its own");
    own = (sc_claim_own){0};
    uint32_t number = 0;
    assert_int_equal(sc_place_classes_add(c.classes, "clinic", &number), SC_OK);
    sc_place_classes_mark(c.classes, number, 1);
    c.demands.classes = c.classes;
    check_broken(&c, SC_PROMISE_P13, "");
    sc_place_classes_mark(c.classes, number, 2);
    check_broken(&c, SC_PROMISE_P13,
                 "P13 is broken (enough segments besides those of any class): member 0 needs 3 "
                 "segments that can be its own besides those of class clinic, but there are 2");
    crossroads_fini(&c);
}

static void test_traffic_that_came_from_the_last_cloak_counts_too(void **state)
{
    (void)state;
    crossroads c;
    crossroads_init(&c, (uint64_t[]){3, 3, 3, 3});
    // Of all that can have been reached, its own road has more than half.
    const sc_claim_part parts[] = {{0, 20000}, {1, 20000}, {2, 20000}, {3, SC_CLAIM_WHOLE}};
    const sc_claim_own own = {.has_reached = true, .reached = parts, .reached_count = 4};
    c.member.own = &own;
    c.member.l = 2;
    check_broken(&c, SC_PROMISE_P9,
                 "P9 is broken (enough segments can be reached since the last): member 0 needs 2 "
                 "segments that its user can have reached since the last cloak, but there are "
                 "1.916");
    c.member.l = 1;
    check_broken(&c, SC_PROMISE_P9, "");
    const sc_claim_part more[] = {{0, 30000}, {1, 30000}, {2, 5536}, {3, SC_CLAIM_WHOLE}};
    const sc_claim_own enough = {.has_reached = true, .reached = more, .reached_count = 4};
    c.member.own = &enough;
    c.member.l = 2;
    check_broken(&c, SC_PROMISE_P9, "");
    crossroads_fini(&c);
    crossroads_init(&c, (uint64_t[]){3, 3, 3, 4});  // busier, but not too busy as a whole
    c.member.own = &enough;
    check_broken(&c, SC_PROMISE_P9,
                 "P9 is broken (enough segments can be reached since the last): member 0: by the "
                 "traffic that can have come from the last cloak its own segment is likelier than "
                 "one of 2");
    crossroads_fini(&c);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_what_is_demanded_is_checked_by_the_definitions),
    cmocka_unit_test(test_a_road_as_busy_as_all_others_is_the_limit),
    cmocka_unit_test(test_each_demand_is_told_in_words),
    cmocka_unit_test(test_traffic_that_came_from_the_last_cloak_counts_too),
};
SC_SUITE(tests)
