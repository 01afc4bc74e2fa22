// A pool of threads: each job is done once, jobs are begun in their order, what is begun is
// finished, and what still waits at the end is given back.
#include "base/thread_pool.h"

#include "support/check.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

enum { JOBS = 2000, MOST_THREADS = 8 };

typedef struct job {
    uint32_t number;
    struct job *link;
    atomic_uint times;
} job;

/** What the jobs of a test share. */
typedef struct shop {
    job jobs[JOBS];
    atomic_uint done;
    atomic_int busy[MOST_THREADS];
    atomic_bool has_strayed;  ///< a thread did two at once, or takes signals
    atomic_uint order[JOBS];  ///< numbers of jobs as they were begun
    pthread_mutex_t gate;     ///< locked: jobs wait
    atomic_bool is_begun;
} shop;

static void do_job(void *context, unsigned thread, void *argument)
{
    shop *s = context;
    job *j = argument;
    if (atomic_fetch_add(&s->busy[thread], 1) != 0) s->has_strayed = true;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!sigismember(&mask, SIGINT)) s->has_strayed = true;
    s->is_begun = true;
    pthread_mutex_lock(&s->gate);
    pthread_mutex_unlock(&s->gate);
    atomic_fetch_add(&j->times, 1);
    atomic_fetch_sub(&s->busy[thread], 1);
    s->order[atomic_fetch_add(&s->done, 1)] = j->number;
}

static void open_shop(shop *s)
{
    memset(s, 0, sizeof *s);
    pthread_mutex_init(&s->gate, NULL);
    for (uint32_t i = 0; i < JOBS; i++) {
        s->jobs[i].number = i;
    }
}

static sc_thread_pool *pool_of(shop *s, unsigned threads)
{
    sc_thread_pool *pool = NULL;
    const sc_thread_pool_options options = {
        .thread_count = threads, .link = offsetof(job, link), .run = do_job, .context = s};
    CHECK_OK(sc_thread_pool_new(&options, &pool), NULL);
    return pool;
}

static void wait_until_done(shop *s, unsigned count)
{
    while (atomic_load(&s->done) < count) {
        sched_yield();
    }
}

static void test_every_job_is_done_once(void **state)
{
    (void)state;
    static shop s;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads *= 2) {
        open_shop(&s);
        sc_thread_pool *pool = pool_of(&s, threads);
        for (uint32_t i = 0; i < JOBS; i++) {
            sc_thread_pool_put(pool, &s.jobs[i]);
            // Now and then all threads fall asleep.
            if (i % 500 == 0) wait_until_done(&s, i + 1);
        }
        wait_until_done(&s, JOBS);
        assert_int_equal(sc_thread_pool_waiting(pool), 0);
        sc_thread_pool_free(pool, NULL);
        for (uint32_t i = 0; i < JOBS; i++) {
            assert_int_equal(s.jobs[i].times, 1);
            if (threads == 1) assert_int_equal(s.order[i], i);
        }
        assert_false(s.has_strayed);
        pthread_mutex_destroy(&s.gate);
    }
    sc_thread_pool_free(NULL, NULL);
}

static uint32_t left_count;

static void leave(void *argument)
{
    const job *j = argument;
    assert_int_equal(j->number, ++left_count);
    assert_null(j->link);
}

static void test_what_is_begun_is_finished_and_jobs_go_in_order(void **state)
{
    (void)state;
    static shop s;
    open_shop(&s);
    sc_thread_pool *pool = pool_of(&s, 1);
    // The one thread is held up by the first job; how many more it does before the end is open.
    pthread_mutex_lock(&s.gate);
    sc_thread_pool_put(pool, &s.jobs[0]);
    while (!s.is_begun) {
        sched_yield();
    }
    for (uint32_t i = 1; i < 10; i++) {
        sc_thread_pool_put(pool, &s.jobs[i]);
    }
    assert_int_equal(sc_thread_pool_waiting(pool), 9);
    pthread_mutex_unlock(&s.gate);
    wait_until_done(&s, 1);
    sc_thread_pool_free(pool, NULL);
    assert_int_equal(s.order[0], 0);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(s.jobs[i].times, i < s.done);
    }
    pthread_mutex_destroy(&s.gate);
}

static void test_jobs_of_a_pool_without_threads_are_left(void **state)
{
    (void)state;
    static shop s;
    open_shop(&s);
    sc_thread_pool *pool = pool_of(&s, 0);
    for (uint32_t i = 1; i < 10; i++) {  // leave() counts from 1
        sc_thread_pool_put(pool, &s.jobs[i]);
    }
    left_count = 0;
    sc_thread_pool_free(pool, leave);
    assert_int_equal(left_count, 9);
    assert_int_equal(s.done, 0);
    pthread_mutex_destroy(&s.gate);
}

static void test_a_pool_that_cannot_be_made_leaves_nothing(void **state)
{
    (void)state;
    static shop s;
    open_shop(&s);
    const sc_thread_pool_options options = {
        .thread_count = 3, .link = offsetof(job, link), .run = do_job, .context = &s};
    sc_thread_pool *pool = NULL;
    for (unsigned long n = 1; n <= 2; n++) {
        sc_alloc_fail_at(n);
        const sc_err err = sc_thread_pool_new(&options, &pool);
        sc_alloc_fail_at(0);
        assert_int_equal(err, SC_ENOMEM);
        assert_null(pool);
    }
    // A stack that no machine has room for.
    pthread_attr_t before;
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    const sc_err err = sc_thread_pool_new(&options, &pool);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
    assert_int_equal(err, SC_EIO);
    assert_null(pool);
    pthread_mutex_destroy(&s.gate);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_job_is_done_once),
    cmocka_unit_test(test_what_is_begun_is_finished_and_jobs_go_in_order),
    cmocka_unit_test(test_jobs_of_a_pool_without_threads_are_left),
    cmocka_unit_test(test_a_pool_that_cannot_be_made_leaves_nothing),
};
SC_SUITE(tests)
