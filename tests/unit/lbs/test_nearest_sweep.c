// The nearest index, list by list and star by star, and the queue of its sweeps.
#include "base/rng.h"
#include "lbs/nearest_sweep.h"
#include "lbs/object_set.h"
#include "support/check.h"
#include "support/odd_town.h"
#include "support/sketch.h"

// === Index queue ================================================================================
// The queue of a sweep: whatever is put comes out, stride by stride, and in the order in which it
// was put.

static void put(sc_index_queue *queue, uint32_t stride, sc_star_id star)
{
    CHECK_OK(sc__index_queue_put(queue, (sc_index_due){stride, star}), NULL);
}

static size_t take(sc_index_queue *queue, const sc_index_due **due)
{
    size_t count = 0;
    CHECK_OK(sc__index_queue_take(queue, due, &count), NULL);
    return count;
}

static void test_an_empty_queue_gives_nothing_as_often_as_it_is_asked(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    assert_int_equal(take(&queue, &due), 0);
    put(&queue, 7, 1);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(take(&queue, &due), 0);
    assert_int_equal(take(&queue, &due), 0);
    sc__index_queue_fini(&queue);
    sc__index_queue_fini(&queue);
}

static void test_what_is_put_into_the_stride_at_hand_comes_next(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    put(&queue, 5, 10);
    put(&queue, 6, 11);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 10);
    put(&queue, 5, 12);
    put(&queue, UINT32_MAX, 13);
    // What was taken stays where it is while others are put.
    assert_int_equal(due[0].star, 10);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 12);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 11);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].star, 13);
    assert_int_equal(due[0].stride, UINT32_MAX);
    sc__index_queue_fini(&queue);
}

static void test_a_cleared_queue_starts_over(void **state)
{
    (void)state;
    sc_index_queue queue = {0};
    const sc_index_due *due = NULL;
    put(&queue, 1000, 1);
    assert_int_equal(take(&queue, &due), 1);
    put(&queue, 2000, 2);
    sc__index_queue_clear(&queue);
    assert_int_equal(take(&queue, &due), 0);
    put(&queue, 3, 4);
    assert_int_equal(take(&queue, &due), 1);
    assert_int_equal(due[0].stride, 3);
    sc__index_queue_fini(&queue);
}

// Strides near and far, put while others are taken; each star bears the number of its putting.
static void test_stars_come_out_by_stride_and_then_as_they_were_put(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        sc_index_queue queue = {0};
        uint32_t put_count = 0;
        uint32_t taken_count = 0;
        uint32_t now = 0;
        uint64_t stars = 0;  // a sum of those inside, so that none is exchanged for another
        for (uint32_t i = 0; i < 20; i++) {
            put(&queue, sc_rng_below(&rng, 50), put_count);
            stars += put_count++;
        }
        for (;;) {
            const sc_index_due *due = NULL;
            const size_t count = take(&queue, &due);
            if (count == 0) break;
            assert_true(due[0].stride >= now);
            now = due[0].stride;
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(due[i].stride, now);
                if (i > 0) assert_true(due[i].star > due[i - 1].star);
                stars -= due[i].star;
                taken_count++;
            }
            for (uint32_t more = sc_rng_below(&rng, 4); more > 0 && put_count < 2000; more--) {
                const uint32_t reach = 1u << sc_rng_below(&rng, 31);
                const uint32_t ahead = sc_rng_below(&rng, reach);
                put(&queue, ahead < UINT32_MAX - now ? now + ahead : now, put_count);
                stars += put_count++;
            }
        }
        assert_int_equal(taken_count, put_count);
        assert_int_equal(stars, 0);
        sc__index_queue_fini(&queue);
    }
    check_case_done();
}

// === Nearest sweep ==============================================================================
// The nearest index, list by list and star by star, against a plain Dijkstra over the nodes and
// edges of the whole map: on maps and with objects that were made to be answered wrongly (rings,
// double roads, loops, roads without length, objects on nodes and on top of each other, islands,
// distances beyond 32 bits).

/** What was met over all maps, so that none of it is left out by chance. */
typedef struct tally {
    size_t full;
    size_t all;
    size_t cut;
    size_t over;
    size_t pseudo;
    size_t ties;
} tally;

// Measure from where a star is.
static void measure_from_star(odd_town *town, sc_metric metric, sc_star_id star)
{
    town->slow.metric = metric;
    slow_measure_from_node(&town->slow, sc_map_stars(town->map)[star].node);
}

static int compare_ranks(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a;
    const uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// The objects of a category by distance and number, as far as 32 bits reach; `reachable` also
// counts those beyond.
static size_t right_order(const odd_town *town, sc_category_id category, uint64_t *ranks,
                          size_t *reachable)
{
    size_t count = 0;
    *reachable = 0;
    for (sc_object_id o = 0; o < sc_map_object_count(town->map); o++) {
        const uint64_t parts = town->slow.object_distance[o];
        if (category != SC_NONE && sc_map_objects(town->map)[o].category != category) continue;
        if (parts == SLOW_NO_WAY) continue;
        ++*reachable;
        const uint64_t units = (parts + SLOW_PARTS / 2) / SLOW_PARTS;
        if (units < UINT32_MAX) ranks[count++] = units << 32 | o;
    }
    qsort(ranks, count, sizeof *ranks, compare_ranks);
    return count;
}

static bool is_pseudo(const sc_map *map, sc_star_id star)
{
    uint32_t degree = 0;
    const sc_node_id node = sc_map_stars(map)[star].node;
    for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
        degree += sc_map_edges(map)[e].from == node;
        degree += sc_map_edges(map)[e].to == node;
    }
    return degree < 3;
}

// One star in one list; `ranks` has room for all objects, `is_cut` says what unused entries must.
static void check_star(const odd_town *town, const sc_nearest_list *list, sc_star_id star,
                       uint64_t *ranks, bool is_cut, tally *met)
{
    const sc_objects_view *view = sc__objects_view(town->objects);
    const sc_nearest *kept = view->index.entries + list->first + (size_t)star * list->k;
    const uint32_t *others = view->index.others + list->first + (size_t)star * list->k;
    size_t count = 0;
    size_t reachable = 0;
    if (is_pseudo(town->map, star)) {
        is_cut = true;
        met->pseudo++;
    } else {
        count = right_order(town, list->category, ranks, &reachable);
    }
    bool is_over = false;  // by a way that is too much for 32 bits of the other metric
    for (uint32_t i = 0; i < list->k; i++) {
        const uint64_t other =
            i < count ? town->slow.object_other[(uint32_t)ranks[i]] / SLOW_PARTS : 0;
        is_over = is_over || other >= UINT32_MAX;
        if (i < count && !is_over) {
            assert_int_equal(kept[i].cost, ranks[i] >> 32);
            assert_int_equal(kept[i].object, (uint32_t)ranks[i]);
            assert_int_equal(others[i], other);
            met->ties += i > 0 && kept[i].cost == kept[i - 1].cost;
        } else {
            assert_int_equal(kept[i].object, SC_NONE);
            assert_int_equal(kept[i].cost, is_cut || is_over ? SC_NEAREST_CUT : SC_NEAREST_ALL);
            assert_int_equal(others[i], 0);
            met->all += !is_cut && !is_over;
            met->cut += reachable > count;
            met->over += is_over;
        }
    }
    met->full += count >= list->k && !is_over;
}

// Whether a star's list has room and lacks objects, because they are too far for 32 bits.
static bool lacks_some(const odd_town *town, const sc_nearest_list *list, sc_star_id star,
                       uint64_t *ranks)
{
    if (is_pseudo(town->map, star)) return false;
    size_t reachable = 0;
    const size_t count = right_order(town, list->category, ranks, &reachable);
    return count < list->k && reachable > count;
}

static void check_index(odd_town *town, tally *met)
{
    const sc_objects_view *view = sc__objects_view(town->objects);
    uint64_t *ranks = test_take(view->object_count + 1, sizeof *ranks);
    const size_t list_count = view->index.list_count;
    const sc_nearest_list *lists = view->index.lists;
    bool *is_cut = test_take(list_count + 1, sizeof *is_cut);
    for (int round = 0; round < 2; round++) {
        for (size_t n = 0; n < SC_METRIC_COUNT * (size_t)sc_map_star_count(town->map); n++) {
            const sc_star_id star = (sc_star_id)(n / SC_METRIC_COUNT);
            const sc_metric metric = (sc_metric)(n % SC_METRIC_COUNT);
            measure_from_star(town, metric, star);
            for (size_t i = 0; i < list_count; i++) {
                if (lists[i].metric != metric) continue;
                if (round == 0) {
                    is_cut[i] = is_cut[i] || lacks_some(town, &lists[i], star, ranks);
                } else {
                    check_star(town, &lists[i], star, ranks, is_cut[i], met);
                }
            }
        }
    }
    free(ranks);
    free(is_cut);
}

static void test_every_list_of_every_star_is_what_a_plain_search_finds(void **state)
{
    (void)state;
    tally met = {0};
    for (uint64_t seed = 0; seed < 2000; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        sc_index_options options = sc_index_options_default();
        options.k = seed % 16 == 0 ? 64 : 1 + (uint32_t)(seed % 11);
        options.threads = 1;
        sc_diag diag = {""};
        CHECK_OK(sc_objects_build_index(town.objects, &options, &diag), &diag);
        check_index(&town, &met);
        CHECK_OK(sc_objects_check_index(town.objects, &diag), &diag);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(met.full > 10000);
    assert_true(met.all > 1000);
    assert_true(met.cut > 100);
    assert_true(met.over > 100);
    assert_true(met.pseudo > 1000);
    assert_true(met.ties > 10000);
}

// Two objects that are 6,000 km apart, too far for 32 bits of millimetres, and an island.
//
//     |          |          |        |
//     A--3,000---B--3,000---C        D
//    a| |       | |       | |c      | |
//
// With one object per star every list is full, so nothing is lacking, and the island can say that
// there is nothing to be reached. With two per star A lacks what is at C.
static void test_lists_that_are_full_lack_nothing(void **state)
{
    (void)state;
    sketch s = sketch_new(SC_COORDS_NONE);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t junction = sketch_add_node(&s, 0, 0);
        for (int stub = 0; stub < 3; stub++) {
            sketch_add_edge(&s, junction, sketch_add_node(&s, 0, 0), 10);
        }
    }
    sketch_add_edge(&s, 0, 4, 3e6);
    sketch_add_edge(&s, 4, 8, 3e6);
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "cafe", "at A");
    put_object(builder, 6, 0.5, "cafe", "at C");
    sc_map *map = finish_builder(builder);
    sc_objects *set = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_objects_new_from_map(map, &set), NULL);
    for (uint32_t k = 1; k < 3; k++) {
        const sc_index_options options = {.k = k, .max_bytes = SIZE_MAX, .threads = 1};
        CHECK_OK(sc_objects_build_index(set, &options, &diag), &diag);
        const sc_nearest *kept = sc__objects_view(set)->index.entries;
        for (sc_star_id star = 0; star < 4; star++) {
            const sc_node_id node = sc_map_stars(map)[star].node;
            const sc_nearest *last = &kept[star * k + k - 1];
            const bool is_island = node == 12;
            const bool has_room = k == 2 && node != 4;
            if (!is_island && !has_room) {
                assert_int_equal(last->cost, node == 4 ? 3000005000 : 5000);
            } else {
                assert_int_equal(last->object, SC_NONE);
                assert_int_equal(last->cost, k == 1 ? SC_NEAREST_ALL : SC_NEAREST_CUT);
            }
        }
    }
    sc_objects_release(set);
    sc_map_free(map);
    sketch_free(&s);
}

static void test_lists_ascend_and_cover_the_entries(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        const sc_objects_view *view = sc__objects_view(town.objects);
        const uint32_t star_count = sc_map_star_count(town.map);
        uint64_t next = 0;
        for (size_t i = 0; i < view->index.list_count; i++) {
            const sc_nearest_list *list = &view->index.lists[i];
            assert_true(list->metric < SC_METRIC_COUNT);
            if (i > 0) {
                assert_true(list->metric > list[-1].metric || (list->metric == list[-1].metric &&
                                                               list->category > list[-1].category));
            }
            assert_true(list->category == SC_NONE || list->category < view->category_count);
            const uint32_t size = list->category == SC_NONE ? view->object_count
                                                            : view->category_size[list->category];
            assert_true(list->k >= 1 && list->k <= size);
            assert_int_equal(list->first, next);
            next += (uint64_t)star_count * list->k;
        }
        const sc_index_info info = sc_objects_index_info(town.objects);
        assert_int_equal(info.list_count, view->index.list_count);
        assert_int_equal(view->index.entry_count, next);
        assert_int_equal(info.bytes, view->index.list_count * 16 + next * 12);
        odd_town_free(&town);
    }
    check_case_done();
}

static void test_a_category_finds_its_own_list_or_that_of_all_if_all_objects_have_it(void **state)
{
    (void)state;
    size_t own = 0;
    size_t shared = 0;
    for (uint64_t seed = 0; seed < 400; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        const sc_objects_view *view = sc__objects_view(town.objects);
        for (uint32_t n = 0; n < SC_METRIC_COUNT * (view->category_count + 1); n++) {
            const sc_metric metric = (sc_metric)(n % SC_METRIC_COUNT);
            const uint32_t c = n / SC_METRIC_COUNT;
            const uint32_t list = sc__objects_list_of(view, metric, c);
            if (list == SC_NONE) continue;
            const sc_category_id listed = view->index.lists[list].category;
            assert_int_equal(view->index.lists[list].metric, metric);
            if (c == view->category_count) {
                assert_int_equal(listed, SC_NONE);
            } else if (view->category_size[c] == view->object_count) {
                assert_int_equal(listed, SC_NONE);
                shared++;
            } else {
                assert_int_equal(listed, c);
                own++;
            }
        }
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(own > 100 && shared > 10);
}

// An index is right or it is not: any entry that is changed is found.
static void test_a_wrong_entry_is_found(void **state)
{
    (void)state;
    size_t changed = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        check_case(seed);
        odd_town town = odd_town_new(seed);
        odd_town_index(&town);
        sc_diag diag = {""};
        const sc_objects_view *view = sc__objects_view(town.objects);
        const sc_index_info info = sc_objects_index_info(town.objects);
        const size_t count = (info.bytes - 16 * (size_t)info.list_count) / 12;
        for (int i = 0; i < 4 && count > 0; i++) {
            // Built here, so it may be written to.
            const uint32_t at = sc_rng_below(&town.rng, (uint32_t)count);
            sc_nearest *entry = (sc_nearest *)(uintptr_t)&view->index.entries[at];
            uint32_t *other = (uint32_t *)(uintptr_t)&view->index.others[at];
            const sc_nearest before = *entry;
            const uint32_t other_before = *other;
            if (i == 0) entry->cost ^= 1u << sc_rng_below(&town.rng, 32);
            if (i == 3) *other ^= 1u << sc_rng_below(&town.rng, 32);
            if (i == 1) entry->object ^= 1;
            if (i == 2) *entry = (sc_nearest){SC_NONE, 1};
            CHECK_REFUSED(sc_objects_check_index(town.objects, &diag), SC_EMAP, &diag,
                          "nearest index: object ");
            CHECK_CONTAINS(diag.message, "starcloak map index");
            *entry = before;
            *other = other_before;
            changed++;
        }
        CHECK_OK(sc_objects_check_index(town.objects, &diag), &diag);
        odd_town_free(&town);
    }
    check_case_done();
    assert_true(changed > 100);
}

static void test_sets_without_an_index_have_nothing_that_could_be_wrong(void **state)
{
    (void)state;
    odd_town town = odd_town_new(3);
    sc_diag diag = {""};
    CHECK_OK(sc_objects_check_index(town.objects, &diag), &diag);
    const sc_index_info info = sc_objects_index_info(town.objects);
    assert_int_equal(info.k, 0);
    assert_int_equal(info.list_count, 0);
    assert_int_equal(info.bytes, 0);
    odd_town_free(&town);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_an_empty_queue_gives_nothing_as_often_as_it_is_asked),
    cmocka_unit_test(test_what_is_put_into_the_stride_at_hand_comes_next),
    cmocka_unit_test(test_a_cleared_queue_starts_over),
    SC_CASES(test_stars_come_out_by_stride_and_then_as_they_were_put),
    SC_CASES(test_every_list_of_every_star_is_what_a_plain_search_finds),
    cmocka_unit_test(test_lists_that_are_full_lack_nothing),
    SC_CASES(test_lists_ascend_and_cover_the_entries),
    SC_CASES(test_a_category_finds_its_own_list_or_that_of_all_if_all_objects_have_it),
    SC_CASES(test_a_wrong_entry_is_found),
    cmocka_unit_test(test_sets_without_an_index_have_nothing_that_could_be_wrong),
};
SC_SUITE(tests)
