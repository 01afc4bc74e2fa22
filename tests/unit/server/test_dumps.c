// No core dumps, no debugger; as many descriptors as there may be.
#include "server/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>

#include "support/check.h"
#include "support/in_child.h"

static void close_to_others(void)
{
    const struct rlimit some = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    (void)setrlimit(RLIMIT_CORE, &some);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1);
    sc_diag diag = {""};
    EXPECT(sc_sandbox_no_dumps(&diag) == SC_OK);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    EXPECT(prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1);
    struct rlimit cores;
    EXPECT(getrlimit(RLIMIT_CORE, &cores) == 0);
    EXPECT(cores.rlim_cur == 0);
    EXPECT(cores.rlim_max == 0);
    // Once more does no harm.
    EXPECT(sc_sandbox_no_dumps(NULL) == SC_OK);
}

static void test_a_process_is_closed_to_dumps_and_debuggers(void **state)
{
    (void)state;
    assert_int_equal(in_child(close_to_others), 0);
}

static void raise_descriptors(void)
{
    struct rlimit limit;
    EXPECT(getrlimit(RLIMIT_NOFILE, &limit) == 0);
    limit.rlim_cur = 64;
    EXPECT(setrlimit(RLIMIT_NOFILE, &limit) == 0);
    EXPECT(sc_sandbox_raise_descriptors() == limit.rlim_max);
    struct rlimit raised;
    EXPECT(getrlimit(RLIMIT_NOFILE, &raised) == 0);
    EXPECT(raised.rlim_cur == limit.rlim_max);
}

static void test_descriptors_are_raised_to_the_hard_limit(void **state)
{
    (void)state;
    assert_int_equal(in_child(raise_descriptors), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_process_is_closed_to_dumps_and_debuggers),
    cmocka_unit_test(test_descriptors_are_raised_to_the_hard_limit),
};
SC_SUITE(tests)
