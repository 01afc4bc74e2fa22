// Queries of an adversary's own among those of others: near their victims, before them, in order.
#include "score/inject.h"

#include <starcloak/map_generate.h>

#include "made_lines.h"
#include "support/odd_town.h"
#include "support/sketch.h"
#include "support/slow_roads.h"

// --- Injections ------------------------------------------------------------------------

static sc_injection_options options_of(uint32_t injected, uint32_t victims, uint64_t seed)
{
    sc_injection_options options = sc_injection_options_default();
    options.injected = injected;
    options.victims = victims;
    options.seed = seed;
    return options;
}

static sc_injection inject(const sc_map *map, const made_lines *made,
                           const sc_injection_options *options)
{
    sc_injection injection = {0};
    sc_diag diag = {""};
    CHECK_OK(sc_injection_init(&injection, map, made->lines, made->count, options, &diag), &diag);
    return injection;
}

/** Whether a line is the adversary's own; then for whom, and its how-manieth. */
static bool is_own(const sc_request_line *line, uint32_t *victim, uint32_t *i)
{
    const size_t prefix_size = strlen(SC_INJECTED_PREFIX);
    if (line->ask.user_size < prefix_size ||
        memcmp(line->ask.user, SC_INJECTED_PREFIX, prefix_size) != 0) {
        return false;
    }
    char *end = NULL;
    *victim = (uint32_t)strtoul(line->ask.user + prefix_size, &end, 10);
    assert_int_equal(*end, ':');
    *i = (uint32_t)strtoul(end + 1, &end, 10);
    assert_ptr_equal(end, line->ask.user + line->ask.user_size);
    return true;
}

static const sc_request_line *find_own(const sc_injection *injection, uint32_t victim, uint32_t i)
{
    for (size_t n = 0; n < injection->line_count; n++) {
        uint32_t v;
        uint32_t j;
        const sc_request_line *line = &injection->lines[n];
        if (is_own(line, &v, &j) && v == victim && j == i) return line;
    }
    fail_msg("no query %u near victim %u", (unsigned)i, (unsigned)victim);
    return NULL;
}

/** The line in which a victim asks, which is on a road. */
static const sc_request_line *line_of(const sc_map *map, const made_lines *made,
                                      const sc_victim *victim)
{
    for (size_t i = made->count; i-- > 0;) {
        const sc_ask *ask = &made->lines[i].ask;
        if (ask->t == victim->asked && sc_case_user(ask->user, ask->user_size) == victim->user &&
            made_is_on_road(map, &made->lines[i])) {
            return &made->lines[i];
        }
    }
    fail_msg("a victim that never asked");
    return NULL;
}

static sc_seg_id segment_of(const sc_map *map, const sc_request_line *line)
{
    return sc_map_edges(map)[line->ask.edge].segment;
}

// --- Maps ------------------------------------------------------------------------------

static sc_map *small_city(void)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_city_options options = {.node_count = 300, .seed = 3};
    CHECK_OK(sc_map_generate_city(&options, &map, &diag), &diag);
    return map;
}

/** What is tried on odd towns: users who ask again, some at the same moment, some on no road. */
static const made_stream busy = {
    .count = 60, .user_count = 25, .longest_gap = 20, .most_k = 3, .most_l = 3};

/** Told of a town with a stream. */
typedef void town_test(const sc_map *map, const made_lines *made, uint64_t seed);

static void on_towns(town_test *test)
{
    for (uint64_t seed = 0; seed < 8 * (uint64_t)ODD_TOWN_KINDS; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        if (sc_map_edge_count(town.map) > 0) {
            made_lines made = made_lines_on(town.map, &busy, seed, seed % 2);
            test(town.map, &made, seed);
            made_lines_free(&made);
        }
        odd_town_free(&town);
    }
    check_case_done();
}

// --- Victims ---------------------------------------------------------------------------

static void check_victims_are_the_same(const sc_map *map, const made_lines *made, uint64_t seed)
{
    const sc_injection_options none = options_of(0, 12, seed);
    sc_injection wanted = inject(map, made, &none);
    assert_int_equal(wanted.victim_count, 12);
    assert_int_equal(wanted.line_count, made->count);
    for (uint32_t injected = 1; injected <= 6; injected++) {
        // Of fewer, too, those are the first.
        const uint32_t victims = injected % 2 ? 12 : 5;
        const sc_injection_options options = options_of(injected, victims, seed);
        sc_injection got = inject(map, made, &options);
        assert_int_equal(got.victim_count, victims);
        assert_int_equal(got.line_count, made->count + (size_t)victims * injected);
        for (uint32_t v = 0; v < victims; v++) {
            assert_true(got.victims[v].user == wanted.victims[v].user);
            assert_int_equal(got.victims[v].asked, wanted.victims[v].asked);
        }
        sc_injection_fini(&got);
    }
    sc_injection_fini(&wanted);
}

static void test_victims_are_the_same_whatever_is_injected(void **state)
{
    (void)state;
    on_towns(check_victims_are_the_same);
}

static size_t count_users_on_roads(const sc_map *map, const made_lines *made)
{
    size_t count = 0;
    for (size_t i = 0; i < made->count; i++) {
        bool is_new = made_is_on_road(map, &made->lines[i]);
        for (size_t j = 0; j < i && is_new; j++) {
            is_new = !made_is_on_road(map, &made->lines[j]) ||
                     strcmp(made->names[i], made->names[j]) != 0;
        }
        count += is_new;
    }
    return count;
}

static void check_everybody_can_be_a_victim(const sc_map *map, const made_lines *made,
                                            uint64_t seed)
{
    const sc_injection_options options = options_of(1, UINT32_MAX, seed);
    sc_injection got = inject(map, made, &options);
    assert_int_equal(got.victim_count, count_users_on_roads(map, made));
    for (size_t v = 0; v < got.victim_count; v++) {
        line_of(map, made, &got.victims[v]);
        for (size_t other = 0; other < v; other++) {
            assert_true(got.victims[v].user != got.victims[other].user);
        }
    }
    sc_injection_fini(&got);
}

static void test_everybody_on_a_road_is_a_victim_once_if_there_are_to_be_enough(void **state)
{
    (void)state;
    on_towns(check_everybody_can_be_a_victim);
}

static void test_victims_ask_in_the_window(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    const made_stream stream = {
        .count = 200, .user_count = 200, .longest_gap = 9, .most_k = 2, .most_l = 2};
    made_lines made = made_lines_on(map, &stream, 1, false);
    sc_injection_options options = options_of(2, 1000, 1);
    options.window = (sc_run_window){made.lines[50].ask.t, made.lines[120].ask.t};
    sc_injection got = inject(map, &made, &options);
    assert_in_range(got.victim_count, 30, 71);
    bool has_first = false;
    for (size_t v = 0; v < got.victim_count; v++) {
        has_first = has_first || got.victims[v].asked == options.window.from;
        assert_true(got.victims[v].asked >= options.window.from);
        assert_true(got.victims[v].asked < options.window.until);
    }
    assert_true(has_first);
    sc_injection_fini(&got);

    options.window = (sc_run_window){made.lines[199].ask.t + 1, SC_TIME_NEVER};
    got = inject(map, &made, &options);
    assert_int_equal(got.victim_count, 0);
    assert_int_equal(got.line_count, made.count);
    sc_injection_fini(&got);
    made_lines_free(&made);
    sc_map_free(map);
}

static void test_any_question_may_be_a_victims(void **state)
{
    (void)state;
    enum { LINES = 10, SEEDS = 2000 };
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const made_stream stream = {
        .count = LINES, .user_count = 1, .longest_gap = 1000, .most_k = 2, .most_l = 2};
    made_lines made = made_lines_on(map, &stream, 1, false);
    uint32_t counts[LINES] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const sc_injection_options options = options_of(0, 1, seed);
        sc_injection got = inject(map, &made, &options);
        counts[line_of(map, &made, &got.victims[0])->line - 1]++;
        sc_injection_fini(&got);
    }
    // 200 each, give or take five deviations of 13.4.
    for (int i = 0; i < LINES; i++) {
        assert_in_range(counts[i], 133, 267);
    }
    made_lines_free(&made);
    sc_map_free(map);
}

static void test_a_stream_without_questions_has_no_victims(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    const made_lines none = {0};
    const sc_injection_options options = options_of(3, 10, 1);
    sc_injection got = inject(map, &none, &options);
    assert_int_equal(got.line_count, 0);
    assert_int_equal(got.victim_count, 0);
    const sc_cases cases = {0};
    size_t which;
    assert_int_equal(sc_injection_find(&got, &cases, &which), 0);
    sc_injection_fini(&got);
    sc_injection_fini(&got);
    sc_map_free(map);
}

// --- Lines -----------------------------------------------------------------------------

static void check_lines(const sc_map *map, const made_lines *made, uint64_t seed)
{
    const uint32_t injected = 1 + (uint32_t)seed % 6;
    const sc_injection_options options = options_of(injected, 9, seed);
    sc_injection got = inject(map, made, &options);
    size_t given = 0;
    size_t own = 0;
    bool was_given = false;
    sc_time last = made->lines[0].ask.t;
    for (size_t i = 0; i < got.line_count; i++) {
        const sc_request_line *line = &got.lines[i];
        uint32_t victim;
        uint32_t which;
        const bool is_one = is_own(line, &victim, &which);
        assert_true(line->ask.t >= last);
        // Of the same moment, the adversary's own come first.
        assert_false(is_one && was_given && line->ask.t == last);
        last = line->ask.t;
        was_given = !is_one;
        if (is_one) {
            own++;
            continue;
        }
        const sc_request_line *wanted = &made->lines[given++];
        assert_int_equal(line->line, wanted->line);
        assert_ptr_equal(line->ask.user, wanted->ask.user);
        assert_int_equal(line->ask.t, wanted->ask.t);
        assert_int_equal(line->ask.edge, wanted->ask.edge);
        assert_int_equal(line->request.k, wanted->request.k);
    }
    assert_int_equal(given, made->count);
    assert_int_equal(own, (size_t)9 * injected);
    sc_injection_fini(&got);
}

static void test_lines_are_in_order_and_none_is_lost(void **state)
{
    (void)state;
    on_towns(check_lines);
}

static void check_times_and_wants(const sc_map *map, const made_lines *made, uint64_t seed)
{
    const uint32_t injected = 1 + (uint32_t)seed % 6;
    const sc_injection_options options = options_of(injected, 9, seed);
    sc_injection got = inject(map, made, &options);
    for (uint32_t v = 0; v < got.victim_count; v++) {
        const sc_request_line *victim = line_of(map, made, &got.victims[v]);
        for (uint32_t i = 0; i < injected; i++) {
            const sc_request_line *own = find_own(&got, v, i);
            const sc_time wanted = victim->ask.t - (sc_time)injected + i;
            const sc_time begin = made->lines[0].ask.t;
            assert_int_equal(own->ask.t, wanted < begin ? begin : wanted);
            assert_int_equal(own->ask.profile.k, injected + 1);
            assert_int_equal(own->ask.profile.l, 1);
            assert_int_equal(own->ask.profile.max_hops, 1);
            assert_int_equal(own->ask.profile.max_wait_us, sc_time_from_seconds(10));
            assert_int_equal(own->ask.result_size, victim->ask.result_size);
            assert_true(sc_request_equal(&own->request, &victim->request));
            assert_int_equal(own->line, 0);
        }
    }
    sc_injection_fini(&got);
}

static void test_injected_come_just_before_their_victim_and_want_the_same(void **state)
{
    (void)state;
    on_towns(check_times_and_wants);
}

static void test_users_are_as_many_as_are_asked_for(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    made_lines made = made_lines_on(map, &busy, 1, false);
    sc_injection_options options = options_of(4, 3, 1);
    options.profile = (sc_profile){.k = 7, .l = 5, .max_hops = 2, .max_wait_us = 99};
    sc_injection got = inject(map, &made, &options);
    const sc_profile *profile = &find_own(&got, 2, 3)->ask.profile;
    assert_int_equal(profile->k, 7);
    assert_int_equal(profile->l, 5);
    assert_int_equal(profile->max_hops, 2);
    assert_int_equal(profile->max_wait_us, 99);
    sc_injection_fini(&got);
    made_lines_free(&made);
    sc_map_free(map);
}

// --- Where -----------------------------------------------------------------------------

/** Hops from a segment to another: the least between their stars. */
static uint32_t hops_between(const slow_roads *roads, sc_seg_id a, sc_seg_id b)
{
    const sc_segment *segments = sc_map_segments(roads->map);
    const sc_star_id from[] = {segments[a].star_a, segments[a].star_b};
    const sc_star_id to[] = {segments[b].star_a, segments[b].star_b};
    uint32_t least = SC_NONE;
    for (int i = 0; i < 4; i++) {
        if (from[i / 2] == SC_NONE || to[i % 2] == SC_NONE) continue;
        const uint32_t hops = slow_hops(roads, from[i / 2], to[i % 2]);
        if (hops < least) least = hops;
    }
    return least;
}

static void check_they_are_near(const sc_map *map, const made_lines *made, uint64_t seed)
{
    // More than there are roads around some of the victims.
    sc_injection_options options = options_of(20, 6, seed);
    options.within_hops = (uint32_t)seed % 4;
    sc_injection got = inject(map, made, &options);
    slow_roads roads = slow_roads_new(map);
    for (uint32_t v = 0; v < got.victim_count; v++) {
        const sc_seg_id home = segment_of(map, line_of(map, made, &got.victims[v]));
        uint32_t around = 1;  // its own
        for (sc_seg_id s = 0; s < roads.segment_count; s++) {
            around += s != home && hops_between(&roads, home, s) <= options.within_hops;
        }
        uint32_t *seen = test_take(roads.segment_count, sizeof *seen);
        for (uint32_t i = 0; i < options.injected; i++) {
            const sc_request_line *own = find_own(&got, v, i);
            assert_true(own->ask.is_on_edge);
            CHECK_SAME(own->ask.offset_m, sc_map_edge_length_m(map, own->ask.edge) / 2);
            const sc_seg_id s = segment_of(map, own);
            assert_true(hops_between(&roads, home, s) <= options.within_hops);
            // None is used again before all are.
            assert_int_equal(seen[s], i / around);
            seen[s]++;
        }
        free(seen);
    }
    slow_roads_free(&roads);
    sc_injection_fini(&got);
}

static void test_injected_stand_around_their_victim_on_roads_of_their_own(void **state)
{
    (void)state;
    on_towns(check_they_are_near);
}

// Who says where by its position is on the road that is nearest to it.
static void test_victims_are_found_by_their_positions(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_GEOGRAPHIC);
    made_lines made = made_lines_on(map, &busy, 1, false);
    for (size_t i = 0; i < made.count; i++) {
        // First as the road that it is snapped to.
        sc_ask *ask = &made.lines[i].ask;
        sc_map_edge_position(map, ask->edge, ask->offset_m, &ask->x, &ask->y);
        sc_snap at;
        CHECK_OK(sc_map_snap(map, ask->x, ask->y, 1, &at), NULL);
        ask->edge = at.edge;
    }
    const sc_injection_options options = options_of(3, 20, 1);
    sc_injection by_road = inject(map, &made, &options);
    for (size_t i = 0; i < made.count; i++) {
        made.lines[i].ask.is_on_edge = false;
        made.lines[i].ask.edge = SC_NONE;
    }
    sc_injection by_position = inject(map, &made, &options);
    assert_int_equal(by_position.victim_count, 20);
    for (uint32_t v = 0; v < 20; v++) {
        for (uint32_t i = 0; i < 3; i++) {
            const sc_request_line *own = find_own(&by_position, v, i);
            assert_true(own->ask.is_on_edge);
            assert_int_equal(own->ask.edge, find_own(&by_road, v, i)->ask.edge);
        }
    }
    sc_injection_fini(&by_road);
    sc_injection_fini(&by_position);
    made_lines_free(&made);
    sc_map_free(map);
}

static void check_more_only_add(const sc_map *map, const made_lines *made, uint64_t seed)
{
    const sc_injection_options few = options_of(2, 4, seed);
    const sc_injection_options many = options_of(6, 8, seed);
    sc_injection with_few = inject(map, made, &few);
    sc_injection with_many = inject(map, made, &many);
    for (uint32_t v = 0; v < 4; v++) {
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(find_own(&with_few, v, i)->ask.edge,
                             find_own(&with_many, v, i)->ask.edge);
        }
    }
    sc_injection_fini(&with_few);
    sc_injection_fini(&with_many);
}

static void test_more_injected_only_add_to_fewer(void **state)
{
    (void)state;
    on_towns(check_more_only_add);
}

static sc_edge_id find_edge(const sc_map *map, sc_node_id a, sc_node_id b)
{
    const sc_edge *edges = sc_map_edges(map);
    sc_edge_id e = 0;
    while (edges[e].from + edges[e].to != a + b || (edges[e].from != a && edges[e].from != b))
        e++;
    return e;
}

// Within one hop of the road between B and C all nine roads of the picture are, and nothing but
// chance decides: it has to come to each of them equally often.
static void test_all_roads_around_are_equally_likely(void **state)
{
    (void)state;
    enum { ROADS = 9, SEEDS = 2700 };
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  o   o   \n"
                           "  |   |   \n"
                           "o-A-B-C-D-o\n"
                           "    |   | \n"
                           "    o   o ",
                           "");
    sc_map *map = sketch_map(&s);
    const sc_edge_id edge_between = find_edge(map, sketch_node(&s, 'B'), sketch_node(&s, 'C'));
    sketch_free(&s);
    assert_int_equal(sc_map_segment_count(map), ROADS);
    sc_request_line line = {.line = 1};
    line.ask = (sc_ask){.user = "ada", .user_size = 3, .is_on_edge = true, .edge = edge_between};
    const made_lines made = {.lines = &line, .count = 1};
    uint32_t counts[ROADS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        sc_injection_options options = options_of(1, 1, seed);
        options.within_hops = 1;
        sc_injection got = inject(map, &made, &options);
        counts[segment_of(map, &got.lines[0])]++;
        sc_injection_fini(&got);
    }
    // 300 each, give or take five deviations of 16.3.
    for (int i = 0; i < ROADS; i++) {
        assert_in_range(counts[i], 218, 382);
    }
    sc_map_free(map);
}

// --- A run with them ---------------------------------------------------------------------

static void run_lines(const sc_map *map, const sc_injection *injection, sc_variant variant,
                      sc_case_collector *collector)
{
    sc_run_options options = sc_run_options_default();
    options.engine.variant = variant;
    options.engine.is_paranoid = true;
    options.listener = sc_case_collector_listener(collector);
    sc_run_report report;
    sc_diag diag = {""};
    CHECK_OK(sc_run_lines(map, injection->lines, injection->line_count, &options, &report, &diag),
             &diag);
    sc_case_collector_settle(collector);
    assert_int_equal(report.queries, injection->line_count);
    assert_int_equal(sc_run_refused_count(&report), 0);
}

/** For each victim in turn, any case that has it, unless that was another's. */
static size_t find_plainly(const sc_injection *injection, const sc_cases *cases, size_t *which)
{
    size_t found = 0;
    for (size_t v = 0; v < injection->victim_count; v++) {
        size_t at = SIZE_MAX;
        for (size_t c = 0; c < cases->count; c++) {
            const sc_case one = sc_cases_at(cases, c);
            for (size_t m = 0; m < one.member_count; m++) {
                if (one.members[m].user == injection->victims[v].user &&
                    one.members[m].asked == injection->victims[v].asked) {
                    at = c;
                }
            }
        }
        bool is_new = at != SIZE_MAX;
        for (size_t i = 0; i < found && is_new; i++) {
            is_new = which[i] != at;
        }
        if (is_new) which[found++] = at;
    }
    return found;
}

static void test_a_run_admits_all_and_victims_are_found_in_it(void **state)
{
    (void)state;
    sc_map *map = small_city();
    const made_stream stream = {
        .count = 500, .user_count = 100, .longest_gap = 50000, .most_k = 5, .most_l = 5};
    made_lines made = made_lines_on(map, &stream, 7, false);
    size_t with_injected = 0;
    size_t shared = 0;
    for (uint32_t injected = 0; injected <= 6; injected += 3) {
        for (sc_variant variant = 0; variant < SC_VARIANT_COUNT; variant++) {
            const sc_injection_options options = options_of(injected, 60, 7);
            sc_injection got = inject(map, &made, &options);
            sc_case_collector collector = {0};
            run_lines(map, &got, variant, &collector);

            size_t which[60];
            size_t wanted[60];
            const size_t found = sc_injection_find(&got, &collector.cases, which);
            assert_int_equal(found, find_plainly(&got, &collector.cases, wanted));
            assert_memory_equal(which, wanted, found * sizeof *which);
            assert_true(found > 10);
            for (size_t i = 0; i < found; i++) {
                const sc_case one = sc_cases_at(&collector.cases, which[i]);
                size_t victims_in_it = 0;
                for (size_t m = 0; m < one.member_count; m++) {
                    with_injected += one.members[m].is_injected;
                    for (size_t v = 0; v < got.victim_count; v++) {
                        victims_in_it += one.members[m].user == got.victims[v].user &&
                                         one.members[m].asked == got.victims[v].asked;
                    }
                }
                assert_true(victims_in_it > 0);
                shared += victims_in_it > 1;
            }
            sc_case_collector_fini(&collector);
            sc_injection_fini(&got);
        }
    }
    // Not by chance: the adversary's own are there, and some cloaks have two victims.
    assert_true(with_injected > 200);
    assert_true(shared > 10);
    made_lines_free(&made);
    sc_map_free(map);
}

// --- What is refused -----------------------------------------------------------------------

static void check_bad(const sc_injection_options *options, const char *part)
{
    sc_map *map = full_map(SC_COORDS_PLANAR);
    made_lines made = made_lines_on(map, &busy, 1, false);
    sc_injection got = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_injection_init(&got, map, made.lines, made.count, options, &diag), SC_EINVAL,
                  &diag, part);
    assert_null(got.lines);
    made_lines_free(&made);
    sc_map_free(map);
}

static void test_bad_options_are_refused(void **state)
{
    (void)state;
    sc_injection_options options = options_of(SC_INJECTED_MAX + 1, 1, 1);
    check_bad(&options, "use at most 64");
    options = options_of(1, 0, 1);
    check_bad(&options, "use 1 or more");
    options = options_of(1, 1, 1);
    options.within_hops = 17;
    check_bad(&options, "use at most 16");
    options = options_of(1, 1, 1);
    options.profile.k = 1001;
    check_bad(&options, "at most 1000 users");
    options = options_of(1, 1, 1);
    options.profile.l = 0;
    check_bad(&options, "1 to 10000 segments");
    options.profile.l = 10001;
    check_bad(&options, "1 to 10000 segments");
    options = options_of(1, 1, 1);
    options.profile.max_hops = 17;
    check_bad(&options, "at most 16 hops");
    options = options_of(1, 1, 1);
    options.profile.max_wait_us = 0;
    check_bad(&options, "wait for more than 0");
    options.profile.max_wait_us = sc_time_from_seconds(3600) + 1;
    check_bad(&options, "at most 3600 s");
}

static void test_a_name_kept_for_the_adversary_is_refused_and_not_repeated(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    made_lines made = made_lines_on(map, &busy, 1, false);
    const sc_injection_options options = options_of(1, 1, 1);
    made.lines[41].ask.user = "injected:secret";
    made.lines[41].ask.user_size = strlen(made.lines[41].ask.user);
    sc_injection got = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_injection_init(&got, map, made.lines, made.count, &options, &diag), SC_EINVAL,
                  &diag, "query 42 is of a user whose name begins with 'injected:'");
    assert_null(strstr(diag.message, "secret"));

    // What is only like it is anybody's.
    made.lines[41].ask.user_size = strlen("injected");
    got = inject(map, &made, &options);
    sc_injection_fini(&got);
    made_lines_free(&made);
    sc_map_free(map);
}

static void test_more_questions_than_can_be_numbered_are_refused(void **state)
{
    (void)state;
    sc_map *map = full_map(SC_COORDS_PLANAR);
    made_lines made = made_lines_on(map, &busy, 1, false);
    const sc_injection_options options = options_of(1, 1, 1);
    sc_injection got = {0};
    sc_diag diag = {""};
    CHECK_REFUSED(sc_injection_init(&got, map, made.lines, UINT32_MAX, &options, &diag), SC_ELIMIT,
                  &diag, "too many to draw victims from");
    made_lines_free(&made);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_victims_are_the_same_whatever_is_injected),
    SC_CASES(test_everybody_on_a_road_is_a_victim_once_if_there_are_to_be_enough),
    cmocka_unit_test(test_victims_ask_in_the_window),
    cmocka_unit_test(test_any_question_may_be_a_victims),
    cmocka_unit_test(test_a_stream_without_questions_has_no_victims),
    SC_CASES(test_lines_are_in_order_and_none_is_lost),
    SC_CASES(test_injected_come_just_before_their_victim_and_want_the_same),
    cmocka_unit_test(test_users_are_as_many_as_are_asked_for),
    SC_CASES(test_injected_stand_around_their_victim_on_roads_of_their_own),
    cmocka_unit_test(test_victims_are_found_by_their_positions),
    SC_CASES(test_more_injected_only_add_to_fewer),
    cmocka_unit_test(test_all_roads_around_are_equally_likely),
    cmocka_unit_test(test_a_run_admits_all_and_victims_are_found_in_it),
    cmocka_unit_test(test_bad_options_are_refused),
    cmocka_unit_test(test_a_name_kept_for_the_adversary_is_refused_and_not_repeated),
    cmocka_unit_test(test_more_questions_than_can_be_numbered_are_refused),
};
SC_SUITE(tests)
