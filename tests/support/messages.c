// Made-up relays and replies. See messages.h.
#include "support/messages.h"

#include "base/rng.h"
#include "map/map_tables.h"
#include "relay/relay_build.h"
#include "support/check.h"

#include <stdio.h>

enum { CATEGORIES = 5, TEXT_SIZE = 24 };

const char *const exchange_categories[] = {"cafe", "school", "hospital", "\"quoted\" \\ \x01",
                                           "caf\xc3\xa9 \xe2\x82\xac"};

static const char *const names[] = {"", "", "Corner", "Zum \xc3\xb6", "a,b\"c\n", ""};

static sc_map *odd_map(uint64_t seed)
{
    sketch s = sketch_odd(seed);
    sc_rng rng;
    sc_rng_seed(&rng, seed + 1000000);
    sc_builder *builder = sketch_builder(&s);
    const uint32_t count = s.edge_count > 0 ? sc_rng_below(&rng, 40) : 0;
    for (uint32_t i = 0; i < count; i++) {
        put_object(builder, sc_rng_below(&rng, s.edge_count), sc_rng_below(&rng, 11) / 10.0,
                   exchange_categories[sc_rng_below(&rng, CATEGORIES)],
                   names[sc_rng_below(&rng, 6)]);
    }
    sketch_free(&s);
    return finish_builder(builder);
}

// --- Relays -----------------------------------------------------------------------

static size_t draw_segments(const sc_map *map, sc_rng *rng, sc_seg_id *out)
{
    const uint32_t total = sc_map_segment_count(map);
    const uint32_t share = 1 + sc_rng_below(rng, 4);
    size_t count = 0;
    for (sc_seg_id s = 0; s < total; s++) {
        if (sc_rng_below(rng, share) == 0) out[count++] = s;
    }
    if (count == 0) out[count++] = sc_rng_below(rng, total);
    return count;
}

static bool ends_at(const sc_map *map, const sc_seg_id *segments, size_t count, sc_star_id star)
{
    for (size_t i = 0; i < count; i++) {
        const sc_segment *segment = &sc_map_segments(map)[segments[i]];
        if (segment->star_a == star || segment->star_b == star) return true;
    }
    return false;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

// Some of the crossings at the ends of the segments.
static size_t draw_border(const sc_map *map, sc_rng *rng, const sc_seg_id *segments,
                          size_t segment_count, sc_node_id *out)
{
    const sc_star *stars = sc_map_stars(map);
    const uint32_t share = sc_rng_below(rng, 5);
    size_t count = 0;
    for (sc_star_id star = 0; star < sc_map_star_count(map); star++) {
        const bool is_crossing = stars[star + 1].first_segment - stars[star].first_segment >= 2;
        if (!is_crossing || !ends_at(map, segments, segment_count, star)) continue;
        if (sc_rng_below(rng, 4) < share) out[count++] = stars[star].node;
    }
    qsort(out, count, sizeof *out, compare_ids);
    return count;
}

static sc_request draw_request(sc_rng *rng, uint32_t category_count)
{
    sc_request request = {.type = SC_REQUEST_KNN, .k = 1 + sc_rng_below(rng, 1000)};
    if (sc_rng_below(rng, 2)) {
        request = (sc_request){.type = SC_REQUEST_RANGE, .radius_m = sc_rng_unit(rng) * 5000.0};
        if (sc_rng_below(rng, 4) == 0) request.radius_m = 0.0;
    }
    // What the metric does not use is dropped when the request is brought into its normal form.
    if (sc_rng_below(rng, 2)) request.metric = SC_METRIC_TIME;
    request.radius_s = request.radius_m / 13.0;
    const uint32_t most = sc_rng_below(rng, 2) ? sc_rng_below(rng, 7) : 0;
    while (category_count > 0 && request.category_count < most) {
        request.categories[request.category_count++] = sc_rng_below(rng, category_count);
    }
    return sc_request_normalise(&request);
}

static size_t draw_requests(sc_rng *rng, uint32_t category_count, sc_request *out, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        const sc_request request = draw_request(rng, category_count);
        bool is_new = true;
        for (size_t k = 0; k < count; k++) {
            is_new = is_new && !sc_request_equal(&out[k], &request);
        }
        if (is_new) out[count++] = request;
    }
    return count;
}

static sc_relay *draw_relay(const sc_map *map, const sc_vocabulary *vocabulary, sc_rng *rng)
{
    sc_seg_id *segments = test_take(sc_map_segment_count(map), sizeof *segments);
    sc_node_id *border = test_take(sc_map_star_count(map), sizeof *border);
    sc_request requests[40];
    const size_t segment_count = draw_segments(map, rng, segments);
    const size_t border_count = draw_border(map, rng, segments, segment_count, border);
    const size_t most = sc_rng_below(rng, 8) == 0 ? 40 : 1 + sc_rng_below(rng, 4);
    const size_t request_count = draw_requests(rng, vocabulary->count, requests, most);

    sc_seg_id *to_segments = NULL;
    sc_node_id *to_border = NULL;
    sc_request *to_requests = NULL;
    sc_relay *relay = sc__relay_alloc(segment_count, border_count, request_count, &to_segments,
                                      &to_border, &to_requests);
    assert_non_null(relay);
    relay->map_checksum = sc_map_checksum(map);
    memcpy(to_segments, segments, segment_count * sizeof *segments);
    memcpy(to_border, border, border_count * sizeof *border);
    memcpy(to_requests, requests, request_count * sizeof *requests);
    free(segments);
    free(border);
    return relay;
}

// --- Replies ----------------------------------------------------------------------

static void draw_own_objects(exchange *x, sc_rng *rng)
{
    const uint32_t count = sc_rng_below(rng, 60);
    const sc_edge *edges = sc_map_edges(x->map);
    const bool has_names = sc_rng_below(rng, 2);
    x->own_objects = test_take(count, sizeof *x->own_objects);
    x->own_keys = test_take(count, sizeof *x->own_keys);
    x->own_strings = test_take((size_t)2 * (count + 1), TEXT_SIZE);
    for (uint32_t i = 0; i < count; i++) {
        const sc_edge_id edge = sc_rng_below(rng, sc_map_edge_count(x->map));
        const uint32_t name = (2 * i + 1) * TEXT_SIZE;
        x->own_keys[i] = (2 * i + 2) * TEXT_SIZE;
        x->own_objects[i] = (sc_object){.edge = edge,
                                        .offset = sc_rng_below(rng, edges[edge].length + 1),
                                        .category = sc_rng_below(rng, x->vocabulary.count),
                                        .name = has_names ? name : 0};
        snprintf(x->own_strings + name, TEXT_SIZE, "%s", names[sc_rng_below(rng, 6)]);
        // From the end, so that keys do not ascend with numbers.
        snprintf(x->own_strings + x->own_keys[i], TEXT_SIZE, "key \xc3\xa4%u", 1000 - i);
    }
    x->reply.table = (sc_object_table){.objects = x->own_objects,
                                       .count = count,
                                       .strings = x->own_strings,
                                       .strings_size = (size_t)2 * (count + 1) * TEXT_SIZE,
                                       .keys = x->own_keys};
}

static bool is_on_segments(const exchange *x, uint32_t object)
{
    const sc_seg_id segment = sc_map_edges(x->map)[x->reply.table.objects[object].edge].segment;
    for (size_t i = 0; i < x->relay->segment_count; i++) {
        if (x->relay->segments[i] == segment) return true;
    }
    return false;
}

static void draw_runs(exchange *x, sc_rng *rng, size_t request)
{
    const uint32_t share = 1 + sc_rng_below(rng, 3);
    sc_object_run run = {0};
    for (uint32_t i = 0; i < x->reply.table.count; i++) {
        if (sc_rng_below(rng, share) > 0 || !is_on_segments(x, i)) continue;
        // Runs are merged or not as it happens.
        if (run.count > 0 && run.first + run.count == i && sc_rng_below(rng, 3) > 0) {
            run.count++;
            continue;
        }
        if (run.count > 0) assert_true(sc__reply_add_run(&x->reply, run.first, run.count));
        run = (sc_object_run){i, 1};
    }
    if (run.count > 0) assert_true(sc__reply_add_run(&x->reply, run.first, run.count));
    sc__reply_end_runs(&x->reply, request);
}

// Ascending in the request's metric; the other measure goes up and down.
static void draw_lists(exchange *x, sc_rng *rng, size_t request)
{
    const double unit_m = sc_map_unit_m(x->map);
    const double unit_s = sc_map_time_unit_s(x->map);
    const bool is_by_time = x->relay->requests[request].metric == SC_METRIC_TIME;
    const uint32_t most = sc_rng_below(rng, 12);
    const uint32_t longest = sc_rng_below(rng, 20) == 0 ? UINT32_MAX : 1000000;
    for (size_t b = 0; b < x->relay->border_node_count; b++) {
        const uint32_t count = x->reply.table.count > 0 ? sc_rng_below(rng, most + 1) : 0;
        uint64_t cost = 0;
        for (uint32_t i = 0; i < count; i++) {
            if (sc_rng_below(rng, 4) > 0) cost += sc_rng_below(rng, longest);
            const uint64_t other = sc_rng_below(rng, 4) > 0 ? sc_rng_below(rng, longest) : 0;
            const sc_near near = {.object = sc_rng_below(rng, x->reply.table.count),
                                  .distance_m = (double)(is_by_time ? other : cost) * unit_m,
                                  .duration_s = (double)(is_by_time ? cost : other) * unit_s};
            assert_true(sc__reply_add_near(&x->reply, near));
        }
        sc__reply_end_nears(&x->reply, request, b);
    }
}

// The map's own words first, then those of others, as a provider with more objects has them.
static void make_msgs(exchange *x)
{
    const uint32_t of_map = sc_map_category_count(x->map);
    x->msgs = test_take(of_map + CATEGORIES, sizeof *x->msgs);
    x->vocabulary = (sc_vocabulary){x->msgs, of_map};
    for (sc_category_id i = 0; i < of_map; i++) {
        x->msgs[i] = sc_map_category_name(x->map, i);
    }
    for (size_t i = 0; i < CATEGORIES; i++) {
        if (sc_vocabulary_find(&x->vocabulary, exchange_categories[i]) != SC_NONE) continue;
        x->msgs[x->vocabulary.count++] = exchange_categories[i];
    }
}

exchange exchange_on(sc_map *map, uint64_t seed, bool own_objects)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed + 2000000);
    exchange x = {.map = map};
    make_msgs(&x);
    x.relay = draw_relay(map, &x.vocabulary, &rng);
    sc_reply_init(&x.reply);
    assert_true(sc__reply_begin(&x.reply, x.relay->request_count, x.relay->border_node_count));
    x.reply.map_checksum = sc_map_checksum(map);
    if (own_objects) {
        draw_own_objects(&x, &rng);
    } else {
        x.reply.table =
            (sc_object_table){.objects = sc_map_objects(map), .count = sc_map_object_count(map)};
        x.reply.table.strings = sc__map_strings(map, &x.reply.table.strings_size);
    }
    for (size_t r = 0; r < x.relay->request_count; r++) {
        draw_runs(&x, &rng, r);
        draw_lists(&x, &rng, r);
    }
    return x;
}

exchange exchange_new(uint64_t seed, bool own_objects)
{
    return exchange_on(odd_map(seed), seed, own_objects);
}

void exchange_free(exchange *x)
{
    sc_reply_fini(&x->reply);
    sc_relay_free(x->relay);
    free(x->msgs);
    sc_map_free(x->map);
    free(x->own_objects);
    free(x->own_keys);
    free(x->own_strings);
}

// --- Comparing --------------------------------------------------------------------

const char *exchange_key(const sc_object_table *table, uint32_t object)
{
    static _Thread_local char number[16];
    if (table->keys) return table->strings + table->keys[object];
    snprintf(number, sizeof number, "%u", object);
    return number;
}

uint32_t exchange_on_segments(const sc_reply *reply, size_t request, size_t i)
{
    for (uint32_t run = reply->run_start[request]; run < reply->run_start[request + 1]; run++) {
        if (i < reply->runs[run].count) return reply->runs[run].first + (uint32_t)i;
        i -= reply->runs[run].count;
    }
    return SC_NONE;
}

void check_same_relay(const sc_relay *got, const sc_relay *wanted)
{
    assert_int_equal(got->map_checksum, wanted->map_checksum);
    assert_int_equal(got->segment_count, wanted->segment_count);
    assert_int_equal(got->border_node_count, wanted->border_node_count);
    assert_int_equal(got->request_count, wanted->request_count);
    for (size_t i = 0; i < wanted->segment_count; i++) {
        assert_int_equal(got->segments[i], wanted->segments[i]);
    }
    for (size_t i = 0; i < wanted->border_node_count; i++) {
        assert_int_equal(got->border_nodes[i], wanted->border_nodes[i]);
    }
    for (size_t i = 0; i < wanted->request_count; i++) {
        assert_true(sc_request_equal(&got->requests[i], &wanted->requests[i]));
    }
}

static void check_same_object(const sc_reply *got, uint32_t a, const sc_reply *wanted, uint32_t b)
{
    assert_true(a < got->table.count);
    char key[64];
    snprintf(key, sizeof key, "%s", exchange_key(&got->table, a));
    assert_string_equal(key, exchange_key(&wanted->table, b));
    const sc_object *left = &got->table.objects[a];
    const sc_object *right = &wanted->table.objects[b];
    assert_int_equal(left->category, right->category);
    assert_string_equal(got->table.strings + left->name, wanted->table.strings + right->name);
}

void check_same_lists(const sc_reply *got, const sc_reply *wanted, double tolerance)
{
    assert_int_equal(got->map_checksum, wanted->map_checksum);
    assert_int_equal(got->request_count, wanted->request_count);
    assert_int_equal(got->border_node_count, wanted->border_node_count);
    for (size_t r = 0; r < wanted->request_count; r++) {
        assert_int_equal(sc_reply_candidate_count(got, r), sc_reply_candidate_count(wanted, r));
        uint32_t object = SC_NONE;
        for (size_t i = 0; (object = exchange_on_segments(wanted, r, i)) != SC_NONE; i++) {
            check_same_object(got, exchange_on_segments(got, r, i), wanted, object);
        }
    }
    const size_t lists = wanted->request_count * wanted->border_node_count;
    for (size_t list = 0; list <= lists; list++) {
        assert_int_equal(got->near_start[list], wanted->near_start[list]);
    }
    for (uint32_t i = 0; i < wanted->near_start[lists]; i++) {
        check_same_object(got, got->nears[i].object, wanted, wanted->nears[i].object);
        CHECK_CLOSE(got->nears[i].distance_m, wanted->nears[i].distance_m,
                    tolerance * wanted->nears[i].distance_m);
        CHECK_CLOSE(got->nears[i].duration_s, wanted->nears[i].duration_s,
                    tolerance * wanted->nears[i].duration_s);
    }
}
