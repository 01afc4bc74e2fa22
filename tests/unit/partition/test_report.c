// What is said about a cut: compared with plain counting over pairs of stars.
#include "partition/partition_make.h"

#include <starcloak/star.h>

#include "support/check.h"
#include "support/random_partition.h"
#include "support/sketch.h"

enum { ODD_MAPS = 800, MAX_PARTS = 6 };

static bool are_adjacent(const sc_map *map, sc_star_id a, sc_star_id b)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        const sc_segment *segment = &sc_map_segments(map)[s];
        if (segment->star_a == a && segment->star_b == b) return true;
        if (segment->star_a == b && segment->star_b == a) return true;
    }
    return false;
}

/** Count adjacencies, those that are cut, and which parts touch, pair by pair. */
static void check_pairs(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    uint64_t adjacencies = 0;
    uint64_t between = 0;
    bool touch[MAX_PARTS][MAX_PARTS] = {{false}};
    for (sc_star_id a = 0; a < sc_map_star_count(map); a++) {
        for (sc_star_id b = 0; b < a; b++) {
            if (!are_adjacent(map, a, b)) continue;
            const uint32_t p = sc_partition_part_of_star(partition, a);
            const uint32_t q = sc_partition_part_of_star(partition, b);
            adjacencies++;
            between += p != q;
            touch[p][q] = touch[q][p] = p != q;
        }
    }
    assert_int_equal(report->adjacencies, adjacencies);
    assert_int_equal(report->cut_count, between);
    for (uint32_t p = 0; p < report->parts; p++) {
        uint32_t neighbours = 0;
        for (uint32_t q = 0; q < report->parts; q++) {
            neighbours += touch[p][q];
        }
        assert_int_equal(report->each[p].neighbours, neighbours);
    }
}

/** A piece is counted at its least star: none with a lower number leads to it within the part. */
static void check_pieces(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    const uint32_t n = sc_map_star_count(map);
    sc_star_id *least = test_take(n, sizeof *least);
    sc_star_id *least_of_all = test_take(n, sizeof *least_of_all);
    for (sc_star_id i = 0; i < n; i++) {
        least[i] = least_of_all[i] = i;
    }
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
            const sc_star_id a = sc_map_segments(map)[s].star_a;
            const sc_star_id b = sc_map_segments(map)[s].star_b;
            if (b == SC_NONE) continue;
            for (int which = 0; which < 2; which++) {
                sc_star_id *low = which ? least_of_all : least;
                if (!which && sc_partition_part_of_star(partition, a) !=
                                  sc_partition_part_of_star(partition, b))
                    continue;
                if (low[a] == low[b]) continue;
                low[a] = low[b] = low[a] < low[b] ? low[a] : low[b];
                is_changed = true;
            }
        }
    }
    uint32_t pieces[MAX_PARTS] = {0};
    uint32_t components = 0;
    for (sc_star_id i = 0; i < n; i++) {
        pieces[sc_partition_part_of_star(partition, i)] += least[i] == i;
        components += least_of_all[i] == i;
    }
    assert_int_equal(report->components, components);
    for (uint32_t p = 0; p < report->parts; p++) {
        assert_int_equal(report->each[p].pieces, pieces[p]);
    }
    free(least);
    free(least_of_all);
}

static void check_counts(const sc_partition *partition, const sc_partition_report *report)
{
    const sc_map *map = sc_partition_map(partition);
    uint32_t stars[MAX_PARTS] = {0};
    uint32_t segments[MAX_PARTS] = {0};
    uint32_t near[SC_PARTITION_HOPS + 1] = {0};
    for (sc_star_id i = 0; i < sc_map_star_count(map); i++) {
        stars[sc_partition_part_of_star(partition, i)]++;
        for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
            near[h] += sc_partition_hops_to_other(partition, i) <= h;
        }
    }
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        segments[sc_partition_home(partition, s)]++;
    }
    uint32_t most = 0;
    for (uint32_t p = 0; p < report->parts; p++) {
        assert_int_equal(report->each[p].stars, stars[p]);
        assert_int_equal(report->each[p].segments, segments[p]);
        CHECK_CLOSE(report->each[p].weight, (double)segments[p] / sc_map_segment_count(map), 1e-12);
        if (segments[p] > most) most = segments[p];
    }
    const double balance = (double)most * report->parts / sc_map_segment_count(map);
    CHECK_CLOSE(report->balance, balance, 1e-9);
    CHECK_CLOSE(report->balance_segments, balance, 1e-9);
    assert_int_equal(report->stars, sc_map_star_count(map));
    for (uint32_t h = 0; h <= SC_PARTITION_HOPS; h++) {
        CHECK_CLOSE(report->near[h], (double)near[h] / sc_map_star_count(map), 1e-12);
    }
    CHECK_SAME(report->near[0], 0);
}

static void test_the_report_of_any_cut_is_that_of_plain_counting(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < ODD_MAPS; seed++) {
        check_case(seed);
        sketch s = sketch_odd(seed);
        sc_map *map = sketch_map(&s);
        sc_partition *partition = random_partition(map, seed);
        sc_partition_report report = {0};
        CHECK_OK(sc_partition_describe(partition, NULL, &report, NULL), NULL);
        assert_int_equal(report.parts, sc_partition_part_count(partition));
        check_pairs(partition, &report);
        check_pieces(partition, &report);
        check_counts(partition, &report);
        sc_partition_report_fini(&report);
        sc_partition_report_fini(&report);  // harmless twice
        sc_partition_free(partition);
        sc_map_free(map);
        sketch_free(&s);
    }
    check_case_done();
}

// Three quarters of all queries on one segment of two parts that are else the same.
static void test_weights_move_the_balance_and_segments_do_not(void **state)
{
    (void)state;
    sc_map *map = street_of(2);
    const uint16_t parts[] = {0, 1};
    sc_partition *partition = NULL;
    CHECK_OK(sc_partition_new(map, parts, 2, &partition, NULL), NULL);
    const uint32_t count = sc_map_segment_count(map);
    double *weights = test_take(count, sizeof *weights);
    for (sc_seg_id s = 0; s < count; s++) {
        weights[s] = 2.0;
    }
    weights[0] = 2.0 * 3 * (count - 1);
    sc_partition_report report = {0};
    CHECK_OK(sc_partition_describe(partition, weights, &report, NULL), NULL);
    const uint32_t home = sc_partition_home(partition, 0);
    const uint32_t others = report.each[home].segments - 1;
    CHECK_CLOSE(report.each[home].weight, 0.75 + 0.25 * others / (count - 1), 1e-12);
    CHECK_CLOSE(report.balance, 2 * report.each[home].weight, 1e-12);
    assert_true(report.balance_segments < report.balance);
    sc_partition_report_fini(&report);
    free(weights);
    sc_partition_free(partition);
    sc_map_free(map);
}

static const struct CMUnitTest tests[] = {
    SC_CASES(test_the_report_of_any_cut_is_that_of_plain_counting),
    cmocka_unit_test(test_weights_move_the_balance_and_segments_do_not),
};
SC_SUITE(tests)
