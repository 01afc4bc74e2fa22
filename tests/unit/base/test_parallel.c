// Items of work shared by threads: each is done once, and a failure ends it all.
#include "base/parallel.h"

#include "support/check.h"

#include <pthread.h>
#include <signal.h>

enum { ITEMS = 1000, MOST_THREADS = 16 };

/** What was done. */
typedef struct book {
    atomic_uint times[ITEMS];       ///< by item
    atomic_int busy[MOST_THREADS];  ///< by thread: how many items it is at
    atomic_bool has_strayed;        ///< a thread did two at once, or one was not the caller
    pthread_t caller;
    bool is_alone;        ///< none but the caller may work
    size_t failing_item;  ///< or more than there are
} book;

static sc_err do_item(void *context, unsigned thread, size_t item, const atomic_bool *is_over)
{
    book *b = context;
    if (atomic_fetch_add(&b->busy[thread], 1) != 0) b->has_strayed = true;
    if ((thread == 0 || b->is_alone) && !pthread_equal(pthread_self(), b->caller)) {
        b->has_strayed = true;
    }
    atomic_fetch_add(&b->times[item], 1);
    atomic_fetch_sub(&b->busy[thread], 1);
    if (item == b->failing_item) return SC_EBROKEN;
    // Those that come later take until then.
    while (item > b->failing_item && !atomic_load(is_over)) {
    }
    return SC_OK;
}

static sc_err share_as(book *b, size_t item_count, unsigned thread_count, bool takes_fewer)
{
    *b = (book){
        .caller = pthread_self(), .is_alone = thread_count == 1, .failing_item = b->failing_item};
    const sc_parallel work = {
        .item_count = item_count, .run = do_item, .context = b, .takes_fewer = takes_fewer};
    return sc_parallel_run(&work, thread_count);
}

static sc_err share(book *b, size_t item_count, unsigned thread_count)
{
    return share_as(b, item_count, thread_count, false);
}

static void test_every_item_is_done_once(void **state)
{
    (void)state;
    static const unsigned thread_counts[] = {1, 2, 5, MOST_THREADS};
    static const size_t item_counts[] = {0, 1, 3, ITEMS};
    static book b;
    b.failing_item = ITEMS;
    for (size_t w = 0; w < 4; w++) {
        for (size_t n = 0; n < 4; n++) {
            CHECK_OK(share(&b, item_counts[n], thread_counts[w]), NULL);
            for (size_t i = 0; i < ITEMS; i++) {
                assert_int_equal(b.times[i], i < item_counts[n]);
            }
            assert_false(b.has_strayed);
        }
    }
}

static void test_a_failure_is_told_and_ends_the_work(void **state)
{
    (void)state;
    static book b;
    for (unsigned threads = 1; threads <= MOST_THREADS; threads *= 4) {
        b.failing_item = 10;
        assert_int_equal(share(&b, ITEMS, threads), SC_EBROKEN);
        // Each of the others may have begun one more, and has heard that it is over.
        for (size_t i = b.failing_item + threads; i < ITEMS; i++) {
            assert_int_equal(b.times[i], 0);
        }
        assert_false(b.has_strayed);
    }
}

static sc_err check_signals(void *context, unsigned thread, size_t item, const atomic_bool *is_over)
{
    atomic_bool *is_blocked = context;
    (void)item;
    (void)is_over;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    // Threads take none; the caller's are as they were.
    if (sigismember(&mask, SIGINT) != (thread != 0)) *is_blocked = false;
    return SC_OK;
}

static void test_threads_take_no_signals(void **state)
{
    (void)state;
    atomic_bool is_as_it_should = true;
    const sc_parallel work = {
        .item_count = ITEMS, .run = check_signals, .context = &is_as_it_should};
    CHECK_OK(sc_parallel_run(&work, 4), NULL);
    assert_true(is_as_it_should);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGINT));
}

static void test_a_thread_that_cannot_be_started_is_told(void **state)
{
    (void)state;
    // A stack that no machine has room for.
    pthread_attr_t before;
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    static book b;
    b.failing_item = ITEMS;
    const sc_err together = share(&b, ITEMS, 4);
    const sc_err alone = share(&b, ITEMS, 1);
    const sc_err with_fewer = share_as(&b, ITEMS, 4, true);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
    assert_int_equal(together, SC_EIO);
    assert_int_equal(alone, SC_OK);  // for which none is needed
    assert_int_equal(with_fewer, SC_OK);
    for (size_t i = 0; i < ITEMS; i++) {
        assert_int_equal(b.times[i], 1);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_item_is_done_once),
    cmocka_unit_test(test_a_failure_is_told_and_ends_the_work),
    cmocka_unit_test(test_threads_take_no_signals),
    cmocka_unit_test(test_a_thread_that_cannot_be_started_is_told),
};
SC_SUITE(tests)
