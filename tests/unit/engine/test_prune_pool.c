// Threads that prune: what goes in comes out once and well pruned; a descriptor
// says when; and whatever ends the pool ends all of it. The thread sanitizer,
// where it is on, sees every access.
#include <starcloak/prune.h>

#include "base/alloc.h"
#include "engine/candidate.h"
#include "support/candidate.h"
#include "support/check.h"
#include "support/slow_prune.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

enum { SIDE = 8, CANDIDATES = 300, LONG_MS = 60000 };

/** Candidates as they were before they went into a pool. */
typedef struct batch {
    sc_cloak *before[CANDIDATES];
    bool is_back[CANDIDATES];
} batch;

static ground grid_ground(uint64_t seed)
{
    return ground_on(sketch_grid(SC_COORDS_PLANAR, SIDE, SIDE), seed);
}

static sc_prune_pool *pool_on(ground *g, unsigned threads)
{
    sc_prune_pool *pool = NULL;
    CHECK_OK(sc_prune_pool_new(g->map, threads, &g->rng, &pool), NULL);
    return pool;
}

/** Give a random candidate, the i-th of the batch; its members say so. */
static void give(sc_prune_pool *pool, ground *g, batch *b, uint32_t i)
{
    sc_cloak *candidate = random_candidate(g);
    for (size_t j = 0; j < candidate->member_count; j++) {
        memcpy(candidate->members[j].query.id.bytes + 4, &i, sizeof i);
    }
    b->before[i] = twin_of(candidate);
    b->is_back[i] = false;
    sc_prune_pool_give(pool, candidate);
}

/** A cloak came back: for the first time, and well pruned. */
static void check_back(const ground *g, batch *b, sc_cloak *cloak)
{
    uint32_t i = CANDIDATES;
    memcpy(&i, cloak->members[0].query.id.bytes + 4, sizeof i);
    assert_true(i < CANDIDATES);
    assert_false(b->is_back[i]);
    b->is_back[i] = true;
    assert_null(sc__candidate_of(cloak)->next);
    assert_true(cloak->segment_count > 0);
    check_pruned(&g->roads, b->before[i], cloak);
    slow_cloak_free(b->before[i]);
    sc_cloak_free(cloak);
}

/** Whether the pool's descriptor becomes readable within the time. */
static bool is_readable(const sc_prune_pool *pool, int wait_ms)
{
    struct pollfd one = {.fd = sc_prune_pool_fd(pool), .events = POLLIN};
    const int ready = poll(&one, 1, wait_ms);
    assert_true(ready >= 0);
    return ready == 1 && one.revents == POLLIN;
}

// --- In and out -------------------------------------------------------------

static void test_every_candidate_comes_back_once_and_well_pruned(void **state)
{
    (void)state;
    ground g = grid_ground(1);
    for (unsigned threads = 1; threads <= 8; threads++) {
        sc_prune_pool *pool = pool_on(&g, threads);
        batch b = {0};
        size_t back = 0;
        for (uint32_t i = 0; i < CANDIDATES; i++) {
            give(pool, &g, &b, i);
            // Now and then something is taken in between, if there is anything.
            sc_cloak *cloak = i % 3 == 0 ? sc_prune_pool_take(pool, false) : NULL;
            if (cloak) check_back(&g, &b, cloak);
            back += cloak != NULL;
        }
        for (sc_cloak *cloak; (cloak = sc_prune_pool_take(pool, true)); back++) {
            check_back(&g, &b, cloak);
        }
        assert_int_equal(back, CANDIDATES);
        sc_prune_pool_free(pool);
    }
    ground_free(&g);
}

static void test_from_an_empty_pool_nothing_is_taken_at_once(void **state)
{
    (void)state;
    ground g = grid_ground(2);
    sc_prune_pool *pool = pool_on(&g, 2);
    assert_null(sc_prune_pool_take(pool, false));
    assert_null(sc_prune_pool_take(pool, true));
    sc_prune_pool_free(pool);
    sc_prune_pool_free(NULL);
    ground_free(&g);
}

static void test_what_is_inside_is_freed_with_the_pool(void **state)
{
    (void)state;
    ground g = grid_ground(3);
    for (uint32_t left = 0; left < 40; left++) {
        sc_prune_pool *pool = pool_on(&g, 3);
        for (uint32_t i = 0; i < 40; i++) {
            sc_prune_pool_give(pool, random_candidate(&g));
        }
        for (uint32_t i = left; i < 40; i++) {
            sc_cloak_free(sc_prune_pool_take(pool, true));
        }
        sc_prune_pool_free(pool);  // the address sanitizer looks for what is left
    }
    ground_free(&g);
}

static void test_the_descriptor_is_readable_while_something_can_be_taken(void **state)
{
    (void)state;
    ground g = grid_ground(4);
    sc_prune_pool *pool = pool_on(&g, 2);
    assert_false(is_readable(pool, 0));
    batch b = {0};
    for (uint32_t i = 0; i < CANDIDATES;) {
        const uint32_t count = 1 + i % 7;
        const uint32_t end = i + count < CANDIDATES ? i + count : CANDIDATES;
        size_t inside = end - i;
        for (; i < end; i++) {
            give(pool, &g, &b, i);
        }
        for (; inside > 0; inside--) {
            assert_true(is_readable(pool, LONG_MS));
            sc_cloak *cloak = sc_prune_pool_take(pool, false);
            assert_non_null(cloak);
            check_back(&g, &b, cloak);
        }
        assert_false(is_readable(pool, 0));
    }
    assert_null(sc_prune_pool_take(pool, true));
    sc_prune_pool_free(pool);
    ground_free(&g);
}

/** What one thread drives. */
typedef struct drive {
    ground ground;
    bool is_done;
} drive;

static void *drive_pool(void *argument)
{
    drive *d = argument;
    sc_prune_pool *pool = NULL;
    if (sc_prune_pool_new(d->ground.map, 2, &d->ground.rng, &pool)) return NULL;
    for (uint32_t i = 0; i < CANDIDATES; i++) {
        sc_prune_pool_give(pool, random_candidate(&d->ground));
    }
    size_t pruned = 0;
    for (sc_cloak *cloak; (cloak = sc_prune_pool_take(pool, true));) {
        pruned += cloak->segment_count > 0;
        sc_cloak_free(cloak);
    }
    sc_prune_pool_free(pool);
    d->is_done = pruned == CANDIDATES;
    return NULL;
}

static void test_pools_of_different_threads_share_nothing_but_the_map(void **state)
{
    (void)state;
    drive drives[2] = {{.ground = grid_ground(5)}, {.ground = grid_ground(6)}};
    sc_map *own = drives[1].ground.map;
    drives[1].ground.map = drives[0].ground.map;
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, drive_pool, &drives[i]), 0);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_true(drives[i].is_done);
    }
    drives[1].ground.map = own;
    ground_free(&drives[0].ground);
    ground_free(&drives[1].ground);
}

// --- What can fail ----------------------------------------------------------

static void test_a_pool_has_one_to_256_threads(void **state)
{
    (void)state;
    ground g = grid_ground(7);
    sc_prune_pool *pool = NULL;
    assert_int_equal(sc_prune_pool_new(g.map, 0, &g.rng, &pool), SC_EINVAL);
    assert_int_equal(sc_prune_pool_new(g.map, 257, &g.rng, &pool), SC_EINVAL);
    assert_null(pool);
    sc_prune_pool_free(pool_on(&g, 1));
    sc_prune_pool_free(pool_on(&g, 256));
    ground_free(&g);
}

static void test_a_thread_that_cannot_be_started_is_told(void **state)
{
    (void)state;
    ground g = grid_ground(8);
    // A stack that no machine has room for.
    pthread_attr_t before;
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    sc_prune_pool *pool = NULL;
    const sc_err err = sc_prune_pool_new(g.map, 4, &g.rng, &pool);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    assert_int_equal(err, SC_EIO);
    assert_null(pool);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
    ground_free(&g);
}

static void test_a_descriptor_that_cannot_be_had_is_told(void **state)
{
    (void)state;
    ground g = grid_ground(9);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const int next = dup(STDERR_FILENO);  // the first one that is free
    close(next);
    const struct rlimit none = {.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    sc_prune_pool *pool = NULL;
    const sc_err err = sc_prune_pool_new(g.map, 4, &g.rng, &pool);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(err, SC_EIO);
    assert_null(pool);
    ground_free(&g);
}

// A generator that uses up the memory of every thread but the first that draws from it. (The
// countdown to failure is a thread's own, so it has to be set inside the pool's.)
static pthread_t first_thread;
static atomic_int robbed;

static void rob(void *bytes, const size_t size)
{
    memset(bytes, 0x5a, size);
    if (pthread_equal(pthread_self(), first_thread)) return;
    sc_alloc_fail_at(1);
    atomic_store(&robbed, 1);
}

static const char *robber_name(void)
{
    return "robber";
}

static uint32_t rob_number(void)
{
    uint32_t number = 0;
    rob(&number, sizeof number);
    return number;
}

static void test_a_cloak_that_finds_no_memory_comes_back_without_segments(void **state)
{
    (void)state;
    static randombytes_implementation robber = {
        .implementation_name = robber_name, .random = rob_number, .buf = rob};
    first_thread = pthread_self();
    assert_int_equal(randombytes_set_implementation(&robber), 0);
    ground g = grid_ground(10);
    sc_rng *rng = NULL;
    sc_prune_pool *pool = NULL;
    CHECK_OK(sc_rng_new_secure(&rng), NULL);
    CHECK_OK(sc_prune_pool_new(g.map, 1, rng, &pool), NULL);

    // The first makes what room it needs, then draws.
    const bool inside[SIDE * SIDE] = {[0] = true, [1] = true};
    bool all[SIDE * SIDE];
    memset(all, true, sizeof all);
    const sc_star_id at[] = {0, 1};
    sc_prune_pool_give(pool, candidate_of(&g, inside, at, 2, 1));
    sc_cloak *cloak = sc_prune_pool_take(pool, true);
    assert_true(cloak->segment_count > 0);
    assert_true(atomic_load(&robbed));
    sc_cloak_free(cloak);

    // The second needs more, and stays a candidate.
    sc_cloak *second = candidate_of(&g, all, at, 2, 1);
    sc_cloak *before = twin_of(second);
    sc_prune_pool_give(pool, second);
    assert_ptr_equal(sc_prune_pool_take(pool, true), second);
    assert_int_equal(second->segment_count, 0);
    assert_int_equal(second->border_node_count, 0);
    check_same_ids("stars", second->stars, second->star_count, before->stars, before->star_count);
    assert_int_equal(second->members[0].star, 0);
    assert_int_equal(second->members[1].star, 1);
    slow_cloak_free(before);
    sc_cloak_free(second);

    // The pool goes on with what it has.
    sc_prune_pool_give(pool, candidate_of(&g, inside, at, 2, 1));
    cloak = sc_prune_pool_take(pool, true);
    assert_true(cloak->segment_count > 0);
    sc_cloak_free(cloak);
    sc_prune_pool_free(pool);
    sc_rng_free(rng);
    randombytes_set_implementation(&randombytes_sysrandom_implementation);
    ground_free(&g);
}

static void test_the_threads_leave_signals_to_the_program(void **state)
{
    (void)state;
    ground g = grid_ground(12);
    sigset_t one;
    sigset_t before;
    sigset_t pending;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sc_prune_pool *pool = pool_on(&g, 4);
    // To be handled by none of us: it must wait, and not end the program by way of another thread.
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
    assert_int_equal(sigismember(&before, SIGUSR1), 0);
    assert_int_equal(kill(getpid(), SIGUSR1), 0);
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(sigismember(&pending, SIGUSR1), 1);
    assert_int_equal(sigwaitinfo(&one, NULL), SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
    sc_prune_pool_free(pool);
    ground_free(&g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_candidate_comes_back_once_and_well_pruned),
    cmocka_unit_test(test_from_an_empty_pool_nothing_is_taken_at_once),
    cmocka_unit_test(test_what_is_inside_is_freed_with_the_pool),
    cmocka_unit_test(test_the_descriptor_is_readable_while_something_can_be_taken),
    cmocka_unit_test(test_pools_of_different_threads_share_nothing_but_the_map),
    cmocka_unit_test(test_a_pool_has_one_to_256_threads),
    cmocka_unit_test(test_a_thread_that_cannot_be_started_is_told),
    cmocka_unit_test(test_a_descriptor_that_cannot_be_had_is_told),
    cmocka_unit_test(test_a_cloak_that_finds_no_memory_comes_back_without_segments),
    cmocka_unit_test(test_the_threads_leave_signals_to_the_program),
};
SC_SUITE(tests)
