// Errands for a courier. See errands.h.
#include "support/errands.h"

#include <starcloak/answer.h>

#include "base/clock.h"
#include "support/check.h"
#include "support/odd_objects.h"

#include <math.h>
#include <stdio.h>

// --- The box ----------------------------------------------------------------------------

void errand_box_init(errand_box *box)
{
    *box = (errand_box){.count = 0};
    pthread_mutex_init(&box->lock, NULL);
    pthread_cond_init(&box->has_come, NULL);
}

void errand_box_fini(errand_box *box)
{
    pthread_cond_destroy(&box->has_come);
    pthread_mutex_destroy(&box->lock);
}

void errand_box_back(void *box, sc_errand *errand)
{
    errand_box *b = box;
    pthread_mutex_lock(&b->lock);
    ++*(unsigned *)errand->context;
    b->count++;
    pthread_cond_broadcast(&b->has_come);
    pthread_mutex_unlock(&b->lock);
}

void errand_box_await(errand_box *box, size_t count)
{
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 60;
    pthread_mutex_lock(&box->lock);
    int error = 0;
    while (box->count < count && !error) {
        error = pthread_cond_timedwait(&box->has_come, &box->lock, &end);
    }
    const size_t come = box->count;
    pthread_mutex_unlock(&box->lock);
    assert_true(come >= count);
}

size_t errand_box_count(errand_box *box)
{
    pthread_mutex_lock(&box->lock);
    const size_t count = box->count;
    pthread_mutex_unlock(&box->lock);
    return count;
}

// --- Turns ------------------------------------------------------------------------------

static void *give_turns(void *context)
{
    turner *t = context;
    while (!atomic_load(&t->is_over)) {
        const bool is_left = sc_courier_turn(t->courier, sc_clock_us() + 1000);
        sc_courier_poll(t->courier, NULL, 0, is_left ? 0 : sc_clock_us() + 1000);
    }
    return NULL;
}

void turner_start(turner *t, sc_courier *courier)
{
    if (!sc_courier_is_in_place(courier)) return;
    t->courier = courier;
    atomic_store(&t->is_over, false);
    assert_int_equal(pthread_create(&t->thread, NULL, give_turns, t), 0);
    t->is_running = true;
}

void turner_stop(turner *t)
{
    if (!t->is_running) return;
    atomic_store(&t->is_over, true);
    pthread_join(t->thread, NULL);
    t->is_running = false;
}

// --- Errands ----------------------------------------------------------------------------

// What is asked of a provider that keeps to the default limits.
static sc_request modest(sc_request request)
{
    const sc_request_limits limits = sc_request_limits_default();
    if (request.k > limits.max_k) request.k = limits.max_k;
    if (request.radius_m > limits.max_radius_m) request.radius_m = limits.max_radius_m;
    if (request.radius_s > limits.max_radius_s) request.radius_s = limits.max_radius_s;
    return request;
}

static sc_request drawn_request(const sc_map *map, uint32_t category_count, sc_rng *rng,
                                bool is_by_distance)
{
    for (;;) {
        const sc_request request = modest(odd_request(map, category_count, rng));
        if (!is_by_distance || request.metric == SC_METRIC_DISTANCE) return request;
    }
}

static sc_errand *drawn_errand(const sc_map *map, uint32_t category_count, sc_rng *rng,
                               size_t place_count, bool is_by_distance)
{
    sc_errand *e = test_take(1, sizeof *e);
    e->context = test_take(1, sizeof(unsigned));
    e->places = test_take(place_count, sizeof *e->places);
    e->place_count = place_count;
    e->deadline_us = sc_clock_us() + INT64_C(60000000);
    e->leave_by_us = e->deadline_us;
    odd_cloak cloak = odd_cloak_new(map, rng);
    sc_request *requests = test_take(place_count, sizeof *requests);
    uint32_t *which = test_take(place_count, sizeof *which);
    for (size_t i = 0; i < place_count; i++) {
        requests[i] = drawn_request(map, category_count, rng, is_by_distance);
    }
    CHECK_OK(sc_relay_new(map,
                          &(sc_relay_content){.segments = cloak.segments,
                                              .segment_count = cloak.segment_count,
                                              .border_nodes = cloak.border_nodes,
                                              .border_node_count = cloak.border_node_count,
                                              .requests = requests,
                                              .member_count = place_count},
                          rng, which, &e->relay),
             NULL);
    for (size_t i = 0; i < place_count; i++) {
        const sc_seg_id segment = cloak.segments[sc_rng_below(rng, (uint32_t)cloak.segment_count)];
        const odd_position at = odd_position_on(map, segment, rng);
        e->places[i] =
            (sc_answer_place){.edge = at.edge, .offset_m = at.offset_m, .request = which[i]};
    }
    free(which);
    free(requests);
    odd_cloak_free(&cloak);
    return e;
}

sc_errand *errand_new(const sc_map *map, uint32_t category_count, sc_rng *rng, size_t place_count)
{
    return drawn_errand(map, category_count, rng, place_count, false);
}

sc_errand *errand_new_by_distance(const sc_map *map, uint32_t category_count, sc_rng *rng,
                                  size_t place_count)
{
    return drawn_errand(map, category_count, rng, place_count, true);
}

void errand_free(sc_errand *errand)
{
    for (size_t i = 0; i < errand->place_count; i++) {
        sc_answer_free(errand->places[i].answer);
    }
    sc_relay_free(errand->relay);
    sc_bytes_fini(&errand->reply);
    free(errand->places);
    free(errand->context);
    free(errand);
}

unsigned errand_returns(const sc_errand *errand)
{
    return *(const unsigned *)errand->context;
}

// --- Checking ---------------------------------------------------------------------------

void errand_check_well(const sc_errand *errand)
{
    assert_int_equal(errand_returns(errand), 1);
    if (errand->failure) {
        fail_msg("%s: %s", sc_failure_name(errand->failure), errand->diag.message);
    }
    assert_string_equal(errand->diag.message, "");
    assert_true(errand->latency_s >= 0.0);
    assert_true(errand->tries >= 1);
    for (size_t i = 0; i < errand->place_count; i++) {
        assert_non_null(errand->places[i].answer);
    }
}

void errand_check_failed(const sc_errand *errand, sc_failure failure, const char *diagnosis)
{
    assert_int_equal(errand_returns(errand), 1);
    if (errand->failure != failure) {
        fail_msg("%s instead of %s: %s", sc_failure_name(errand->failure), sc_failure_name(failure),
                 errand->diag.message);
    }
    CHECK_CONTAINS(errand->diag.message, diagnosis);
    for (size_t i = 0; i < errand->place_count; i++) {
        assert_null(errand->places[i].answer);
    }
}

static uint32_t number_of(const sc_object_table *table, const char *key)
{
    if (!table->keys) {
        const unsigned long number = strtoul(key, NULL, 10);
        assert_true(number < table->count);
        return (uint32_t)number;
    }
    for (uint32_t o = 0; o < table->count; o++) {
        if (strcmp(table->strings + table->keys[o], key) == 0) return o;
    }
    fail_msg("there is no object '%s'", key);
    return SC_NONE;
}

static void check_found(const sc_answer *answer, size_t i, sc_objects *objects, uint32_t number)
{
    const sc_found *found = &answer->found[i];
    const sc_object_table *table = sc_objects_table(objects);
    const sc_object *object = &table->objects[number];
    const sc_map *map = sc_objects_map(objects);
    assert_string_equal(answer->texts + found->name, table->strings + object->name);
    assert_string_equal(answer->texts + found->category,
                        sc_objects_vocabulary(objects)->names[object->category]);
    if (sc_map_coords(map) == SC_COORDS_NONE) {
        assert_true(isnan(found->x) && isnan(found->y));
        return;
    }
    double x = 0.0;
    double y = 0.0;
    sc_map_edge_position(map, object->edge, object->offset * sc_map_unit_m(map), &x, &y);
    // To the centimetre, where it came as degrees.
    const double tolerance = sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? 1e-7 : 1e-9;
    CHECK_CLOSE(found->x, x, tolerance * (1.0 + fabs(x)));
    CHECK_CLOSE(found->y, y, tolerance * (1.0 + fabs(y)));
}

void errand_check(const sc_errand *errand, sc_objects *objects, slow_nearest *slow)
{
    errand_check_well(errand);
    for (size_t s = 0; s < errand->place_count; s++) {
        const sc_answer_place *place = &errand->places[s];
        const sc_answer *answer = place->answer;
        sc_near *nears = test_take(answer->count, sizeof *nears);
        for (size_t i = 0; i < answer->count; i++) {
            const char *key = answer->texts + answer->found[i].key;
            nears[i] = (sc_near){.object = number_of(sc_objects_table(objects), key),
                                 .distance_m = answer->found[i].distance_m,
                                 .duration_s = answer->found[i].duration_s};
            check_found(answer, i, objects, nears[i].object);
        }
        slow_answer wanted = slow_nearest_at(slow, place->edge, place->offset_m,
                                             &errand->relay->requests[place->request]);
        slow_check_answer(slow, &wanted, nears, answer->count, "seat");
        slow_answer_free(&wanted);
        free(nears);
    }
}
