// The attacker's thread: every attack comes back once, in order, whether it is answered, given up
// or left over at the end; too many are refused, and what makes no sense never gets there.
#include "demo/attack_on_demand.h"

#include <pthread.h>

#include "made_attack.h"
#include "support/sketch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { BACK_MAX = 32 };

/** An attacker, and who comes back from it. */
typedef struct room {
    sketch drawing;
    sc_map *map;
    sc_attack_thread *attacker;
    pthread_mutex_t lock;
    pthread_cond_t bell;
    // Under the lock.
    sc_attack_request *back[BACK_MAX];
    size_t back_count;
    size_t seen_count;  ///< of those that are back: how many may be followed by another
    int niceness;       ///< of the attack thread
} room;

static int niceness_of(id_t thread)
{
    return getpriority(PRIO_PROCESS, thread);
}

/** How nice an attacker is whom this thread has started. */
static int stepped_back(void)
{
    const int niceness = niceness_of((id_t)gettid()) + 10;
    return niceness < 19 ? niceness : 19;
}

/** Bring one back, and wait until it may be followed by another. */
static void bring_back(void *context, sc_attack_request *attack)
{
    room *r = context;
    pthread_mutex_lock(&r->lock);
    assert_true(r->back_count < BACK_MAX);
    r->back[r->back_count++] = attack;
    r->niceness = niceness_of((id_t)gettid());
    pthread_cond_broadcast(&r->bell);
    while (r->seen_count < r->back_count) {
        pthread_cond_wait(&r->bell, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}

static void let_pass(room *r, size_t count)
{
    pthread_mutex_lock(&r->lock);
    r->seen_count = count;
    pthread_cond_broadcast(&r->bell);
    pthread_mutex_unlock(&r->lock);
}

static void await_back(room *r, size_t count)
{
    pthread_mutex_lock(&r->lock);
    while (r->back_count < count) {
        pthread_cond_wait(&r->bell, &r->lock);
    }
    pthread_mutex_unlock(&r->lock);
}

static sc_attack_thread_options room_options(room *r)
{
    sc_attack_thread_options options = sc_attack_thread_options_default();
    options.samples = 64;
    options.done = bring_back;
    options.context = r;
    return options;
}

static void room_build(room *r)
{
    *r = (room){.drawing = sketch_grid(SC_COORDS_PLANAR, 6, 6)};
    r->map = sketch_map(&r->drawing);
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->bell, NULL);
}

static void room_open(room *r, const sc_attack_thread_options *options)
{
    sc_diag diag = {""};
    CHECK_OK(sc_attack_thread_new(r->map, options, &r->attacker, &diag), &diag);
}

static void room_close(room *r)
{
    let_pass(r, BACK_MAX);
    sc_attack_thread_free(r->attacker);
    for (size_t i = 0; i < r->back_count; i++) {
        sc_attack_request_free(r->back[i]);
    }
    pthread_cond_destroy(&r->bell);
    pthread_mutex_destroy(&r->lock);
    sc_map_free(r->map);
    sketch_free(&r->drawing);
}

static sc_attack_request *small_attack(void)
{
    static const sc_seg_id cloak[] = {4, 5, 6};
    return attack_on_cloak(SC_VARIANT_BASIC, cloak, 3, 2,
                           (sc_needs){.k = 2, .l = 3, .max_hops = 2});
}

static sc_attack_request *submit_to(room *r, sc_attack_request *attack)
{
    CHECK_OK(sc_attack_thread_submit(r->attacker, attack, &attack->diag), &attack->diag);
    return attack;
}

// --- Being there ---------------------------------------------------------------------------------

/** Threads of this process that have not stepped back. */
static unsigned count_hasty_threads(void)
{
    const int wanted = stepped_back();
    unsigned count = 0;
    DIR *threads = opendir("/proc/self/task");
    assert_non_null(threads);
    for (const struct dirent *entry; (entry = readdir(threads));) {
        const unsigned long id = strtoul(entry->d_name, NULL, 10);
        if (id == 0) continue;
        errno = 0;
        const int niceness = niceness_of((id_t)id);
        if (errno == 0 && niceness < wanted) count++;  // else it has just ended
    }
    closedir(threads);
    return count;
}

// Once a sandbox is entered it is too late. Many times, since a thread may happen to be quick.
static void test_a_attacker_has_stepped_back_once_it_is_there(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    const sc_attack_thread_options options = room_options(&r);
    unsigned before = 0;
    for (unsigned i = 0; i < 100; i++) {
        room_open(&r, &options);
        // With the first one, a sanitizer may have started a thread of its own.
        if (i > 0) assert_int_equal(count_hasty_threads(), before);
        sc_attack_thread_free(r.attacker);
        r.attacker = NULL;
        before = count_hasty_threads();
    }
    room_close(&r);
}

/** A thread that starts an attacker, and how nice it should be then. */
typedef struct starter {
    room *r;
    int step;  ///< by which the starter is nicer than this process
    int wanted;
    sc_err err;
} starter;

/** On Linux each thread may be as nice as it likes. */
static void *start_attacker(void *argument)
{
    starter *s = argument;
    const sc_attack_thread_options options = room_options(s->r);
    const id_t self = (id_t)gettid();
    (void)setpriority(PRIO_PROCESS, self, niceness_of(self) + s->step);
    s->wanted = stepped_back();
    s->err = sc_attack_thread_new(s->r->map, &options, &s->r->attacker, NULL);
    return NULL;
}

static void check_niceness(int step)
{
    room r;
    room_build(&r);
    starter s = {.r = &r, .step = step};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, start_attacker, &s), 0);
    pthread_join(thread, NULL);
    CHECK_OK(s.err, NULL);
    let_pass(&r, BACK_MAX);
    submit_to(&r, small_attack());
    await_back(&r, 1);
    assert_int_equal(r.niceness, s.wanted);
    room_close(&r);
}

static void test_an_attacker_is_nicer_than_its_starter(void **state)
{
    (void)state;
    check_niceness(0);
    check_niceness(5);
    check_niceness(12);  // less than a whole step is left
}

// --- Coming back ---------------------------------------------------------------------------------

static void test_attacks_come_back_in_order_and_settled(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    const sc_attack_thread_options options = room_options(&r);
    room_open(&r, &options);
    let_pass(&r, BACK_MAX);
    sc_attack_request *attacks[8];
    for (size_t i = 0; i < 8; i++) {
        const sc_seg_id places[] = {4, 5, 6};
        attacks[i] = i % 2 == 0 ? small_attack()
                                : attack_on_method(SC_VARIANT_EXPANSION, places, 3,
                                                   (sc_needs){.k = 2, .l = 3, .max_hops = 3});
        submit_to(&r, attacks[i]);
    }
    await_back(&r, 8);
    for (size_t i = 0; i < 8; i++) {
        assert_ptr_equal(r.back[i], attacks[i]);
        CHECK_OK(attacks[i]->err, &attacks[i]->diag);
        assert_true(attacks[i]->is_found);
        assert_int_equal(attacks[i]->posterior.link_count, attacks[i]->segment_count);
    }
    // Those who answer queries go first.
    assert_int_equal(r.niceness, stepped_back());
    room_close(&r);
}

static void test_no_more_wait_than_may(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    sc_attack_thread_options options = room_options(&r);
    options.max_waiting = 3;
    room_open(&r, &options);
    // The attacker's thread stays with the first, and three wait.
    submit_to(&r, small_attack());
    await_back(&r, 1);
    for (size_t i = 0; i < 3; i++) {
        submit_to(&r, small_attack());
    }
    sc_attack_request *late = small_attack();
    CHECK_REFUSED(sc_attack_thread_submit(r.attacker, late, &late->diag), SC_EBUSY, &late->diag,
                  "too many attacks are waiting");
    let_pass(&r, 1);
    await_back(&r, 2);
    submit_to(&r, late);
    let_pass(&r, BACK_MAX);
    await_back(&r, 5);
    assert_ptr_equal(r.back[4], late);
    CHECK_OK(late->err, &late->diag);
    room_close(&r);
}

static void test_an_attack_that_is_given_up_delays_no_others(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    const sc_attack_thread_options options = room_options(&r);
    room_open(&r, &options);
    submit_to(&r, small_attack());
    await_back(&r, 1);
    sc_attack_request *unwanted = submit_to(&r, small_attack());
    sc_attack_request *wanted = submit_to(&r, small_attack());
    sc_attack_give_up(unwanted);
    let_pass(&r, BACK_MAX);
    await_back(&r, 3);
    assert_int_equal(unwanted->err, SC_EINTERRUPTED);
    assert_null(unwanted->posterior.links);
    CHECK_OK(wanted->err, &wanted->diag);
    room_close(&r);
}

static void test_whatever_waits_at_the_end_is_given_up(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    sc_attack_thread_options options = room_options(&r);
    options.samples = SC_ATTACK_REQUEST_SAMPLES_MAX;
    room_open(&r, &options);
    let_pass(&r, BACK_MAX);
    // Each of them would take more than a second.
    sc_attack_request *last = NULL;
    for (size_t i = 0; i < 5; i++) {
        last = submit_to(&r, unlikely_attack(r.map));
    }
    sc_attack_thread_free(r.attacker);
    r.attacker = NULL;
    assert_int_equal(r.back_count, 5);
    assert_ptr_equal(r.back[4], last);
    assert_int_equal(last->err, SC_EINTERRUPTED);
    room_close(&r);
}

static void test_who_is_stopped_gives_up_what_it_has_and_takes_no_more(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    const sc_attack_thread_options options = room_options(&r);
    room_open(&r, &options);
    // The first is back, and three wait behind it.
    submit_to(&r, small_attack());
    await_back(&r, 1);
    for (size_t i = 0; i < 3; i++) {
        submit_to(&r, small_attack());
    }
    sc_attack_thread_stop(r.attacker);
    sc_attack_request *late = small_attack();
    CHECK_REFUSED(sc_attack_thread_submit(r.attacker, late, &late->diag), SC_EINTERRUPTED,
                  &late->diag, "no more");
    sc_attack_request_free(late);
    let_pass(&r, BACK_MAX);
    await_back(&r, 4);
    CHECK_OK(r.back[0]->err, &r.back[0]->diag);
    for (size_t i = 1; i < 4; i++) {
        assert_int_equal(r.back[i]->err, SC_EINTERRUPTED);
    }
    sc_attack_thread_stop(r.attacker);  // harmless twice
    room_close(&r);
    assert_int_equal(r.back_count, 4);
}

/** How an attack ends whose attacker is stopped after a moment. */
static sc_err stop_in_the_midst(void)
{
    room r;
    room_build(&r);
    sc_attack_thread_options options = room_options(&r);
    options.samples = SC_ATTACK_REQUEST_SAMPLES_MAX;
    room_open(&r, &options);
    let_pass(&r, BACK_MAX);
    // It would take more than a second, and is begun by now or will be.
    sc_attack_request *attack = submit_to(&r, unlikely_attack(r.map));
    usleep(50000);
    sc_attack_thread_stop(r.attacker);
    await_back(&r, 1);
    const sc_err err = attack->err;
    room_close(&r);
    return err;
}

static void test_who_is_stopped_gives_up_what_is_worked_on(void **state)
{
    (void)state;
    // On a busy machine the moment may be so long that all is done.
    sc_err err = SC_OK;
    for (int tries = 0; tries < 20 && !err; tries++) {
        err = stop_in_the_midst();
    }
    assert_int_equal(err, SC_EINTERRUPTED);
}

// --- Being refused -------------------------------------------------------------------------------

static void check_refused(room *r, sc_attack_request *attack, sc_err err, const char *why)
{
    CHECK_REFUSED(sc_attack_thread_submit(r->attacker, attack, &attack->diag), err, &attack->diag,
                  why);
    sc_attack_request_free(attack);
}

static void test_what_makes_no_sense_stays_the_callers(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    const sc_attack_thread_options options = room_options(&r);
    room_open(&r, &options);
    const sc_needs needs = {.k = 2, .l = 3, .max_hops = 2};
    const sc_seg_id beyond = sc_map_segment_count(r.map);
    const sc_seg_id down[] = {5, 4};
    static const sc_seg_id many[SC_ATTACK_REQUEST_SEGMENTS_MAX + 1];

    check_refused(&r, attack_on_cloak(SC_VARIANT_BASIC, &beyond, 1, 1, needs), SC_EUNKNOWN, "map");
    check_refused(&r, attack_on_method(SC_VARIANT_BASIC, &beyond, 1, needs), SC_EUNKNOWN, "map");
    check_refused(&r, attack_on_cloak(SC_VARIANT_BASIC, down, 2, 1, needs), SC_EINVAL, "ascend");
    check_refused(&r, attack_on_cloak(SC_VARIANT_BASIC, down, 0, 1, needs), SC_EINVAL, "1 to 1000");
    check_refused(
        &r, attack_on_cloak(SC_VARIANT_BASIC, many, SC_ATTACK_REQUEST_SEGMENTS_MAX + 1, 1, needs),
        SC_EINVAL, "1 to 1000");
    check_refused(
        &r, attack_on_cloak(SC_VARIANT_BASIC, down, 1, SC_ATTACK_REQUEST_MEMBERS_MAX + 1, needs),
        SC_EINVAL, "1 to 64");
    check_refused(&r, attack_on_cloak(SC_VARIANT_BASIC, down, 1, 0, needs), SC_EINVAL, "1 to 64");
    check_refused(&r, attack_on_method(SC_VARIANT_COUNT, down, 2, needs), SC_EINVAL,
                  "unknown method");
    check_refused(&r, attack_on_cloak(SC_VARIANT_BASIC, down, 1, 1, (sc_needs){.k = 0, .l = 1}),
                  SC_EINVAL, "at least 1");
    check_refused(&r, attack_on_method(SC_VARIANT_BASIC, down, 2, (sc_needs){.k = 1, .l = 0}),
                  SC_EINVAL, "at least 1");
    check_refused(&r, sc_attack_request_new(), SC_EINVAL, "either");
    assert_int_equal(r.back_count, 0);
    room_close(&r);
}

static void refuse_options(room *r, const sc_attack_thread_options *options, const char *why)
{
    sc_diag diag = {""};
    CHECK_REFUSED(sc_attack_thread_new(r->map, options, &r->attacker, &diag), SC_EINVAL, &diag,
                  why);
    assert_null(r->attacker);
}

static void test_options_out_of_range_are_refused(void **state)
{
    (void)state;
    room r;
    room_build(&r);
    sc_attack_thread_options options = room_options(&r);
    options.done = NULL;
    refuse_options(&r, &options, "callback");
    options = room_options(&r);
    options.max_waiting = 0;
    refuse_options(&r, &options, "wait");
    options = room_options(&r);
    options.samples = SC_ATTACK_BATCHES - 1;
    refuse_options(&r, &options, "samples");
    options.samples = SC_ATTACK_REQUEST_SAMPLES_MAX + 1;
    refuse_options(&r, &options, "samples");
    options = room_options(&r);
    options.engine.compactness = 0;
    refuse_options(&r, &options, "");

    sketch other = sketch_grid(SC_COORDS_PLANAR, 2, 2);
    sc_map *elsewhere = sketch_map(&other);
    const uint64_t counts[8] = {0};
    sc_density *density = NULL;
    CHECK_OK(sc_density_new_counted(elsewhere, counts, &density), NULL);
    options = room_options(&r);
    options.density = density;
    refuse_options(&r, &options, "another map");
    sc_density_free(density);
    sc_map_free(elsewhere);
    sketch_free(&other);
    room_close(&r);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_attacker_has_stepped_back_once_it_is_there),
    cmocka_unit_test(test_an_attacker_is_nicer_than_its_starter),
    cmocka_unit_test(test_attacks_come_back_in_order_and_settled),
    cmocka_unit_test(test_no_more_wait_than_may),
    cmocka_unit_test(test_an_attack_that_is_given_up_delays_no_others),
    cmocka_unit_test(test_whatever_waits_at_the_end_is_given_up),
    cmocka_unit_test(test_who_is_stopped_gives_up_what_it_has_and_takes_no_more),
    cmocka_unit_test(test_who_is_stopped_gives_up_what_is_worked_on),
    cmocka_unit_test(test_what_makes_no_sense_stays_the_callers),
    cmocka_unit_test(test_options_out_of_range_are_refused),
};
SC_SUITE(tests)
