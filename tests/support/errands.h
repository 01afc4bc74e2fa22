/**
 * @file errands.h
 * @brief Errands for a courier: cloaks at random with places on them, sent, awaited, checked.
 *
 *     errand_box box;                                   // where errands come back to
 *     errand_box_init(&box);
 *     options.back = errand_box_back; options.context = &box;
 *     sc_errand *e = errand_new(map, vocabulary, &rng, 5);
 *     sc_courier_send(courier, e); errand_box_await(&box, 1);
 *     errand_check(e, ...); errand_free(e);
 */
#ifndef SC_TESTS_SUPPORT_ERRANDS_H
#define SC_TESTS_SUPPORT_ERRANDS_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/rng.h"
#include "courier/courier.h"
#include "support/odd_cloak.h"
#include "support/slow_nearest.h"

/** Where errands come back to. */
typedef struct errand_box {
    pthread_mutex_t lock;
    pthread_cond_t has_come;
    size_t count;
} errand_box;

void errand_box_init(errand_box *box);
void errand_box_fini(errand_box *box);

/** A courier's `back`. */
void errand_box_back(void *box, sc_errand *errand);

/** Wait until so many have come back in all; a minute at most. */
void errand_box_await(errand_box *box, size_t count);
size_t errand_box_count(errand_box *box);

/** A thread that gives turns to a courier in place, as a ledger does. */
typedef struct turner {
    sc_courier *courier;
    pthread_t thread;
    atomic_bool is_over;
    bool is_running;
} turner;

/** For a courier with threads of its own nothing happens. */
void turner_start(turner *t, sc_courier *courier);

/** Before the courier is freed; harmless twice, and on zeroes. */
void turner_stop(turner *t);

/** A cloak with requests within the default limits, and places on it; a minute to be done. Each
 * errand knows how often it came back (errand_returns()). */
sc_errand *errand_new(const sc_map *map, uint32_t category_count, sc_rng *rng, size_t place_count);

/** The same with requests by distance alone, for providers that know points only. */
sc_errand *errand_new_by_distance(const sc_map *map, uint32_t category_count, sc_rng *rng,
                                  size_t place_count);
void errand_free(sc_errand *errand);
unsigned errand_returns(const sc_errand *errand);

/** It is back, once, and went well: every place has its answer. It failed: none has, and there is a
 * diagnosis. */
void errand_check_well(const sc_errand *errand);
void errand_check_failed(const sc_errand *errand, sc_failure failure, const char *diagnosis);

/**
 * Every answer is the exact one, by a plain search; names, words, keys and positions are those of
 * the objects.
 */
void errand_check(const sc_errand *errand, sc_objects *objects, slow_nearest *slow);

#endif
