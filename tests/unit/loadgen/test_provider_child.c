// A process that is killed, started again, stopped and continued.
#include "demo/loadgen/faults.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/check.h"

/** The letter that the kernel has for the state of a process: 'T' is stopped. */
static char state_of(pid_t pid)
{
    char path[64];
    char state = '?';
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "re");
    if (!file) return state;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1) state = '?';
    fclose(file);
    return state;
}

/** Signals arrive in their own time. */
static void wait_for_state(pid_t pid, bool is_stopped)
{
    for (int i = 0; i < 6000; i++) {
        if ((state_of(pid) == 'T') == is_stopped) return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    fail_msg("the process is in state %c", state_of(pid));
}

static sc__provider_child sleeper(uint64_t seed)
{
    sc__provider_child child = {.command = "sleep 1000", .every_s = 1};
    sc_rng_seed(&child.rng, seed);
    return child;
}

static bool is_there(pid_t pid)
{
    return kill(pid, 0) == 0;
}

static void test_it_is_treated_badly_and_survives(void **state)
{
    (void)state;
    sc__provider_child child = sleeper(3);
    sc_diag diag = {""};
    int64_t now_us = 0;
    CHECK_OK(sc__provider_child_start(&child, now_us, &diag), &diag);
    while (child.kills < 2 || child.stops < 2) {
        const pid_t before = child.pid;
        const uint64_t kills = child.kills;
        const uint64_t stops = child.stops;
        assert_true(child.next_us > now_us);
        CHECK_OK(sc__provider_child_trouble(&child, child.next_us - 1, &diag), &diag);
        assert_int_equal(child.pid, before);
        now_us = child.next_us;
        CHECK_OK(sc__provider_child_trouble(&child, now_us, &diag), &diag);
        if (child.kills > kills) {
            assert_int_equal(child.pid, 0);
            assert_false(is_there(before));
        } else if (child.stops > stops) {
            assert_int_equal(child.pid, before);
            wait_for_state(before, true);
        } else {
            assert_true(child.pid > 0);
            wait_for_state(child.pid, false);
        }
    }
    const pid_t last = child.pid;
    sc__provider_child_end(&child);
    sc__provider_child_end(&child);
    assert_true(last == 0 || !is_there(last));
}

// Longer than a service waits for its provider, however often it is struck.
static void test_every_fourth_blow_lasts_long(void **state)
{
    (void)state;
    sc__provider_child child = sleeper(5);
    child.every_s = 0.5;
    sc_diag diag = {""};
    CHECK_OK(sc__provider_child_start(&child, 0, &diag), &diag);
    double short_s = 0;
    uint64_t blows = 0;
    while (blows < 40) {
        const int64_t now_us = child.next_us;
        CHECK_OK(sc__provider_child_trouble(&child, now_us, &diag), &diag);
        if (child.kills + child.stops == blows) continue;
        blows++;
        const double outage_s = (double)(child.next_us - now_us) * 1e-6;
        if (blows % 4 == 0) {
            assert_true(outage_s >= 12 && outage_s <= 15);
        } else {
            short_s += outage_s;
        }
    }
    assert_true(child.kills > 0 && child.stops > 0);
    // Thirty of a tenth of a second on average: a fifth of the time between two blows.
    assert_true(short_s > 1.5 && short_s < 6);
    sc__provider_child_end(&child);
}

// However it was left, in the end it runs.
static void test_it_is_put_right_in_the_end(void **state)
{
    (void)state;
    bool was_stopped = false;
    bool was_killed = false;
    for (uint64_t seed = 0; seed < 8; seed++) {
        sc__provider_child child = sleeper(seed);
        sc_diag diag = {""};
        CHECK_OK(sc__provider_child_start(&child, 0, &diag), &diag);
        CHECK_OK(sc__provider_child_trouble(&child, child.next_us, &diag), &diag);
        was_stopped |= child.is_stopped;
        was_killed |= child.pid == 0;
        CHECK_OK(sc__provider_child_settle(&child, child.next_us, &diag), &diag);
        assert_true(child.pid > 0 && !child.is_stopped);
        wait_for_state(child.pid, false);
        sc__provider_child_end(&child);
    }
    assert_true(was_stopped && was_killed);
}

// A command that ends by itself is started again after a moment.
static void test_one_that_ends_by_itself_is_started_again(void **state)
{
    (void)state;
    sc__provider_child child = {.command = "false", .every_s = 1000};
    sc_rng_seed(&child.rng, 1);
    sc_diag diag = {""};
    CHECK_OK(sc__provider_child_start(&child, 0, &diag), &diag);
    for (int i = 0; i < 6000 && child.pid != 0; i++) {
        CHECK_OK(sc__provider_child_trouble(&child, 1, &diag), &diag);
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(child.pid, 0);
    CHECK_OK(sc__provider_child_trouble(&child, child.next_us, &diag), &diag);
    assert_true(child.pid > 0);
    assert_int_equal(child.kills, 0);
    sc__provider_child_end(&child);
}

static void test_without_a_command_nothing_happens(void **state)
{
    (void)state;
    sc__provider_child child = {0};
    CHECK_OK(sc__provider_child_start(&child, 0, NULL), NULL);
    CHECK_OK(sc__provider_child_trouble(&child, 1000, NULL), NULL);
    CHECK_OK(sc__provider_child_settle(&child, 1000, NULL), NULL);
    sc__provider_child_end(&child);
    assert_int_equal(child.kills + child.stops, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_it_is_treated_badly_and_survives),
    cmocka_unit_test(test_every_fourth_blow_lasts_long),
    cmocka_unit_test(test_it_is_put_right_in_the_end),
    cmocka_unit_test(test_one_that_ends_by_itself_is_started_again),
    cmocka_unit_test(test_without_a_command_nothing_happens),
};
SC_SUITE(tests)
