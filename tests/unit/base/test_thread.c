// Starting a thread: it takes no signals, the starting thread keeps its own, and if there is none
// it is told. And a thread that steps back.
#include "base/thread.h"

#include "support/check.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/** What a thread has seen. */
typedef struct seen {
    int number;
    bool is_blocked;  ///< every signal that can be; QEMU keeps the last two for itself
} seen;

static void *look_around(void *argument)
{
    seen *s = argument;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    s->is_blocked = sigismember(&mask, SIGINT) && sigismember(&mask, SIGTERM) &&
                    sigismember(&mask, SIGHUP) && sigismember(&mask, SIGPIPE) &&
                    sigismember(&mask, SIGUSR1) && sigismember(&mask, SIGRTMAX - 2);
    s->number++;
    return s;
}

static void test_a_thread_runs_with_its_argument_and_takes_no_signals(void **state)
{
    (void)state;
    seen s = {.number = 41};
    pthread_t thread;
    CHECK_OK(sc_thread_start(&thread, look_around, &s), NULL);
    void *result = NULL;
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &s);
    assert_int_equal(s.number, 42);
    assert_true(s.is_blocked);
}

// The signals that the caller had blocked before, and no others.
static void check_own_mask(void)
{
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_true(sigismember(&mask, SIGUSR1));
    assert_false(sigismember(&mask, SIGUSR2));
    assert_false(sigismember(&mask, SIGINT));
}

/** From now on threads want a stack that no machine has room for. */
static void want_huge_stacks(pthread_attr_t *before)
{
    pthread_attr_t huge;
    assert_int_equal(pthread_getattr_default_np(before), 0);
    assert_int_equal(pthread_attr_init(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 60), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    pthread_attr_destroy(&huge);
}

static void test_the_starting_thread_keeps_its_own_signals(void **state)
{
    (void)state;
    sigset_t one;
    sigset_t before;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, &one, &before), 0);
    seen s = {.number = 0};
    pthread_t thread;
    CHECK_OK(sc_thread_start(&thread, look_around, &s), NULL);
    check_own_mask();
    assert_int_equal(pthread_join(thread, NULL), 0);

    pthread_attr_t usual;
    want_huge_stacks(&usual);
    errno = 0;
    const sc_err err = sc_thread_start(&thread, look_around, &s);
    const int why = errno;
    assert_int_equal(pthread_setattr_default_np(&usual), 0);
    pthread_attr_destroy(&usual);
    assert_int_equal(err, SC_EIO);
    assert_int_not_equal(why, 0);
    assert_int_equal(s.number, 1);
    check_own_mask();
    assert_int_equal(pthread_sigmask(SIG_SETMASK, &before, NULL), 0);
}

static int niceness(void)
{
    return getpriority(PRIO_PROCESS, (id_t)gettid());
}

static void *step_back(void *argument)
{
    int *own = argument;
    sc_thread_lower_priority();
    *own = niceness();
    return NULL;
}

static void test_a_thread_can_step_back_behind_the_others(void **state)
{
    (void)state;
    const int before = niceness();
    int own = before;
    pthread_t thread;
    CHECK_OK(sc_thread_start(&thread, step_back, &own), NULL);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(own, before + 10 < 19 ? before + 10 : 19);
    assert_int_equal(niceness(), before);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_thread_runs_with_its_argument_and_takes_no_signals),
    cmocka_unit_test(test_the_starting_thread_keeps_its_own_signals),
    cmocka_unit_test(test_a_thread_can_step_back_behind_the_others),
};
SC_SUITE(tests)
