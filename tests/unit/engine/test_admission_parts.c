// Parts of admission by themselves: limits and profiles, ids and pseudonyms, the set of the latest
// ids.
#include "support/check.h"

#include "base/rng.h"
#include "engine/admission.h"

#include <math.h>
#include <sodium.h>

// --- Limits and profiles -----------------------------------------------------

static void test_the_defaults_are_those_of_the_header(void **state)
{
    (void)state;
    const sc_limits limits = sc_limits_default();
    assert_int_equal(limits.max_k, 1000);
    assert_int_equal(limits.max_l, 10000);
    assert_int_equal(limits.max_hops, 16);
    assert_true(limits.max_wait_us == sc_time_from_seconds(3600));
    CHECK_SAME(limits.max_snap_m, 1000.0);
    sc_diag diag = {""};
    CHECK_OK(sc__limits_check(&limits, &diag), &diag);
}

static void test_seconds_become_the_nearest_microsecond(void **state)
{
    (void)state;
    static const struct {
        double s;
        sc_time us;
    } times[] = {
        {0, 0},
        {1e-7, 0},
        {12.345, 12345000},
        {-12.345, -12345000},
        {6e-7, 1},
        {-6e-7, -1},
        {0x1.fffffffffffffp-2 * 1e-6, 0},
        {4503599627.370497, 4503599627370497},  // from here on a double holds no half microseconds
        {-4503599627.370497, -4503599627370497},
        {7e9 + 1e-6, 7000000000000001},
        {9e12, 9000000000000000000},
        {-9e12, -9000000000000000000},
    };
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        assert_int_equal(sc_time_from_seconds(times[i].s), times[i].us);
        assert_int_equal(sc_time_from_seconds(times[i].s), llround(times[i].s * 1e6));
    }
}

static void test_limits_that_admit_nothing_are_refused(void **state)
{
    (void)state;
    sc_diag diag = {""};
    sc_limits limits = sc_limits_default();
    limits.max_k = 0;
    CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "0 users");
    limits = sc_limits_default();
    limits.max_l = 0;
    CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "0 segments");

    static const sc_time waits[] = {0, -1, INT64_MIN, SC_TIME_FARTHEST + 1, SC_TIME_NEVER};
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        limits = sc_limits_default();
        limits.max_wait_us = waits[i];
        CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "wait");
    }
    static const double distances[] = {-1e-9, -HUGE_VAL, NOT_A_NUMBER};
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        limits = sc_limits_default();
        limits.max_snap_m = distances[i];
        CHECK_REFUSED(sc__limits_check(&limits, &diag), SC_EINVAL, &diag, "road");
    }
    assert_int_equal(sc__limits_check(&limits, NULL), SC_EINVAL);
}

static void test_the_tightest_and_the_widest_limits_are_fine(void **state)
{
    (void)state;
    sc_diag diag = {""};
    const sc_limits tightest = {.max_k = 1, .max_l = 1, .max_wait_us = 1};
    CHECK_OK(sc__limits_check(&tightest, &diag), &diag);
    const sc_limits widest = {UINT32_MAX, UINT32_MAX, UINT32_MAX, SC_TIME_FARTHEST, HUGE_VAL};
    CHECK_OK(sc__limits_check(&widest, &diag), &diag);
}

static void test_needs_at_their_limits_pass_and_those_beyond_do_not(void **state)
{
    (void)state;
    const sc_limits limits = {
        .max_k = 20, .max_l = 30, .max_hops = 4, .max_wait_us = 500, .max_snap_m = 1.0};
    static const sc_profile fine[] = {{1, 1, 0, 1}, {20, 30, 4, 500}, {5, 5, 2, 100}};
    static const struct {
        sc_profile profile;
        const char *told;  ///< which need, and what is allowed
    } wrong[] = {
        {{0, 5, 2, 100}, "k (users) of 0 is not allowed; ask for 1 to 20"},
        {{21, 5, 2, 100}, "k (users) of 21 is not allowed; ask for 1 to 20"},
        {{UINT32_MAX, 5, 2, 100}, "k (users) of 4294967295 is"},
        {{5, 0, 2, 100}, "l (segments) of 0 is not allowed; ask for 1 to 30"},
        {{5, 31, 2, 100}, "l (segments) of 31 is not allowed; ask for 1 to 30"},
        {{5, 5, 5, 100}, "sigma_s (hops) of 5 is not allowed; ask for 0 to 4"},
        {{5, 5, 2, 0}, "of 0 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, -1}, "of -1e-06 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, INT64_MIN}, "sigma_t"},
        {{5, 5, 2, 501}, "of 0.000501 s is not allowed; ask for more than 0 and at most 0.0005 s"},
        {{5, 5, 2, INT64_MAX}, "sigma_t"},
    };
    sc_diag diag = {""};
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        CHECK_OK(sc__profile_check(&limits, &fine[i], &diag), &diag);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_REFUSED(sc__profile_check(&limits, &wrong[i].profile, &diag), SC_EPROFILE, &diag,
                      wrong[i].told);
    }
    assert_int_equal(sc__profile_check(&limits, &wrong[0].profile, NULL), SC_EPROFILE);
}

// --- Ids and pseudonyms ------------------------------------------------------

static sc__pseudonym_keys keys_of(uint8_t first)
{
    uint8_t key[SC_KEY_SIZE];
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(first + i);
    }
    assert_true(sodium_init() >= 0);
    sc__pseudonym_keys keys;
    sc__pseudonym_keys_derive(key, &keys);
    return keys;
}

static sc__pseudonyms pseudonyms_of(const sc__pseudonym_keys *keys, const char *user, sc_time t)
{
    return sc__pseudonyms_of(keys, user, strlen(user), t);
}

static bool same_id(sc_query_id a, sc_query_id b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_ids_and_pseudonyms_are_the_keyed_hashes_of_their_definition(void **state)
{
    (void)state;
    // Computed from the definition of BLAKE2b (key, salt, personalisation) by
    // another implementation: subkeys 1 and 2 of "SC-names" under the key 0, 1, ... 31;
    // the user's hash of 32 bytes; the hash of that and the time, lowest byte first.
    const sc__pseudonym_keys keys = keys_of(0);
    char *long_user = test_take(1001, 1);
    memset(long_user, 'x', 1000);
    const struct {
        const char *user;
        sc_time t;
        const char *id;
        uint64_t pseudonym;
    } wanted[] = {
        {"u17", 12345000, "2dc92bd6ddad318052f644c89188e4c4", 0xccd7fd2f9c5b68a6u},
        {"u17", -1, "de8d9399c1179f2654e4726bd0d3d6d6", 0xccd7fd2f9c5b68a6u},
        {long_user, 0, "eb0cb809197b9cb5027ba08a1335ac05", 0x162e929356cd88aau},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const sc__pseudonyms name = pseudonyms_of(&keys, wanted[i].user, wanted[i].t);
        char text[SC_QUERY_ID_TEXT];
        assert_ptr_equal(sc_query_id_text(&name.id, text), text);
        assert_string_equal(text, wanted[i].id);
        assert_true(name.user == wanted[i].pseudonym);
    }
    free(long_user);
}

static void test_an_id_tells_users_times_and_keys_apart(void **state)
{
    (void)state;
    enum { USERS = 40, TIMES = 25, COUNT = USERS * TIMES };
    const sc__pseudonym_keys keys = keys_of(1);
    sc__pseudonyms *names = test_take(COUNT, sizeof *names);
    for (int i = 0; i < COUNT; i++) {
        const char user[2] = {(char)(i % USERS), 'u'};
        names[i] = sc__pseudonyms_of(&keys, user, sizeof user, i / USERS);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_false(same_id(names[i].id, names[j].id));
            assert_int_equal(names[i].user == names[j].user, i % USERS == j % USERS);
        }
    }
    const sc__pseudonym_keys others = keys_of(2);
    const sc__pseudonyms other = sc__pseudonyms_of(&others, (const char[2]){0, 'u'}, 2, 0);
    assert_false(same_id(names[0].id, other.id));
    assert_true(names[0].user != other.user);
    free(names);
}

static void test_every_byte_of_a_user_counts_zeros_and_ends_too(void **state)
{
    (void)state;
    const sc__pseudonym_keys keys = keys_of(0);
    // "a", "a" and a zero, two zeros more, ...: all differ, in id and pseudonym.
    enum { SIZES = 200 };
    static const char user[SIZES] = "a";
    sc__pseudonyms names[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        names[i] = sc__pseudonyms_of(&keys, user, i + 1, 7);
        for (size_t j = 0; j < i; j++) {
            assert_false(same_id(names[i].id, names[j].id));
            assert_true(names[i].user != names[j].user);
        }
    }
    // The time is no part of the user: eight bytes that could be either.
    const sc__pseudonyms a = sc__pseudonyms_of(&keys, "u\1\0\0\0\0\0\0\0", 9, 0);
    const sc__pseudonyms b = sc__pseudonyms_of(&keys, "u", 1, 1);
    assert_false(same_id(a.id, b.id));
}

static void test_an_id_and_a_pseudonym_have_nothing_in_common(void **state)
{
    (void)state;
    // Neither half of an id is the pseudonym, under any of many keys.
    for (int i = 0; i < 200; i++) {
        const sc__pseudonym_keys keys = keys_of((uint8_t)i);
        const sc__pseudonyms name = pseudonyms_of(&keys, "u17", i);
        assert_memory_not_equal(keys.of_users, keys.of_queries, SC_KEY_SIZE);
        assert_memory_not_equal(name.id.bytes, &name.user, 8);
        assert_memory_not_equal(name.id.bytes + 8, &name.user, 8);
    }
}

static void test_an_id_is_written_as_32_lowercase_digits(void **state)
{
    (void)state;
    const sc_query_id id = {{0x00, 0x01, 0x0f, 0x10, 0x7f, 0x80, 0xab, 0xcd, 0xef, 0xfe, 0xff, 0x99,
                             0x0a, 0xa0, 0x20, 0x00}};
    char text[SC_QUERY_ID_TEXT + 1];
    memset(text, '#', sizeof text);
    sc_query_id_text(&id, text);
    assert_string_equal(text, "00010f107f80abcdeffeff990aa02000");
    assert_int_equal(text[SC_QUERY_ID_TEXT], '#');
}

// --- Ids of the latest time --------------------------------------------------

// Ids that meet in few places: a probe must go on past others, and round the end.
static sc_query_id crowded_id(sc_rng *rng)
{
    sc_query_id id = {{0}};
    id.bytes[0] = (uint8_t)(0xfc + sc_rng_below(rng, 4));
    id.bytes[1] = 0xff;
    id.bytes[15] = (uint8_t)sc_rng_below(rng, 64);
    return id;
}

static bool list_has(const sc_query_id *list, size_t count, const sc_query_id *id)
{
    for (size_t i = 0; i < count; i++) {
        if (memcmp(&list[i], id, sizeof *id) == 0) return true;
    }
    return false;
}

static void test_it_has_what_was_put_in_since_it_last_forgot(void **state)
{
    (void)state;
    enum { STEPS = 3000, MOST = 256 };
    sc_query_id list[MOST];
    for (uint64_t seed = 0; seed < 20; seed++) {
        check_case(seed);
        sc_rng rng;
        sc_rng_seed(&rng, seed);
        // How often it forgets: sometimes at every step or so, sometimes hardly ever.
        const uint32_t patience = 2u << sc_rng_below(&rng, 9);
        sc__recent_ids recent = {0};
        size_t count = 0;
        for (int step = 0; step < STEPS; step++) {
            if (sc_rng_below(&rng, patience) == 0) {
                sc__recent_forget(&recent);
                count = 0;
            }
            const sc_query_id id = crowded_id(&rng);
            const bool is_known = list_has(list, count, &id);
            assert_int_equal(sc__recent_has(&recent, &id), is_known);
            if (is_known) continue;
            assert_int_equal(sc__recent_reserve(&recent), SC_OK);
            sc__recent_put(&recent, &id);
            list[count++] = id;
            assert_int_equal(recent.count, count);
        }
        sc__recent_fini(&recent);
        sc__recent_fini(&recent);
    }
    check_case_done();
}

static void test_forgetting_thousands_keeps_their_room(void **state)
{
    (void)state;
    enum { MANY = 10000 };
    sc__recent_ids recent = {0};
    sc_rng rng;
    sc_rng_seed(&rng, 1);
    for (int round = 0; round < 3; round++) {
        const size_t room = recent.capacity;
        for (int i = 0; i < MANY; i++) {
            sc_query_id id;
            const uint64_t bits[2] = {sc_rng_next(&rng), sc_rng_next(&rng)};
            memcpy(&id, bits, sizeof id);
            assert_false(sc__recent_has(&recent, &id));
            assert_int_equal(sc__recent_reserve(&recent), SC_OK);
            sc__recent_put(&recent, &id);
            assert_true(sc__recent_has(&recent, &id));
        }
        assert_true(recent.capacity >= 2 * (size_t)MANY && recent.capacity <= 4 * (size_t)MANY);
        if (round > 0) assert_int_equal(recent.capacity, room);
        sc__recent_forget(&recent);
    }
    sc__recent_fini(&recent);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_defaults_are_those_of_the_header),
    cmocka_unit_test(test_seconds_become_the_nearest_microsecond),
    cmocka_unit_test(test_limits_that_admit_nothing_are_refused),
    cmocka_unit_test(test_the_tightest_and_the_widest_limits_are_fine),
    cmocka_unit_test(test_needs_at_their_limits_pass_and_those_beyond_do_not),
    cmocka_unit_test(test_ids_and_pseudonyms_are_the_keyed_hashes_of_their_definition),
    cmocka_unit_test(test_an_id_tells_users_times_and_keys_apart),
    cmocka_unit_test(test_every_byte_of_a_user_counts_zeros_and_ends_too),
    cmocka_unit_test(test_an_id_and_a_pseudonym_have_nothing_in_common),
    cmocka_unit_test(test_an_id_is_written_as_32_lowercase_digits),
    SC_CASES(test_it_has_what_was_put_in_since_it_last_forgot),
    cmocka_unit_test(test_forgetting_thousands_keeps_their_room),
};
SC_SUITE(tests)
