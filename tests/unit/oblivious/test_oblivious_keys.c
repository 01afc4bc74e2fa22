// A gateway's keys: which are published when, which are honoured, what a file may say.
#include "oblivious/oblivious_keys.h"

#include "support/check.h"
#include "support/oom.h"
#include "support/place.h"

#include <sodium.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const sc_ohttp_rotation hourly = {.period_s = 3600, .grace_s = 600};
enum { NOW = 1800000000, HOUR = 3600 };

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

/** Rotates in place; returns whether a key was made. */
static bool rotate(sc_ohttp_keys **keys, int64_t now_s)
{
    static uint8_t number = 0;
    uint8_t seed[SC_OHTTP_SEED_SIZE] = {++number};
    sc_ohttp_keys *next = NULL;
    bool made = false;
    assert_int_equal(sc_ohttp_keys_rotate(*keys, now_s, &hourly, seed, &next, &made), SC_OK);
    sc_ohttp_keys_free(*keys);
    *keys = next;
    return made;
}

/** The published configurations. */
static size_t published(const sc_ohttp_keys *keys, int64_t now_s, sc_ohttp_config configs[4],
                        int64_t *until_s)
{
    uint8_t list[SC_OHTTP_KEYS_LIST_MAX];
    size_t count = 0;
    const size_t size = sc_ohttp_keys_list(keys, now_s, list, until_s);
    if (size == 0) return 0;
    assert_int_equal(sc_ohttp_configs_parse(list, size, configs, 4, &count), SC_OK);
    return count;
}

/** Whether a request for `config` opens. */
static sc_err open_request(const sc_ohttp_keys *keys, int64_t now_s, const sc_ohttp_config *config)
{
    static const uint8_t text[] = "a request";
    const uint8_t random[SC_HPKE_KEY_SIZE] = {0, 1};
    assert_true(config->aead_count > 0);
    uint8_t sealed[sizeof text + SC_OHTTP_REQUEST_EXTRA];
    uint8_t opened[sizeof text];
    size_t size = 0;
    sc_ohttp_exchange client;
    sc_ohttp_exchange gateway;
    assert_int_equal(
        sc_ohttp_seal_request(config, config->aeads[0], random, text, sizeof text, sealed, &client),
        SC_OK);
    const sc_err err =
        sc_ohttp_keys_open(keys, now_s, sealed, sizeof sealed, opened, &size, &gateway);
    if (!err) assert_memory_equal(opened, text, sizeof text);
    return err;
}

// --- Rotation ------------------------------------------------------------------------------------

static void test_keys_take_turns(void **state)
{
    (void)state;
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_config first[4] = {0};
    sc_ohttp_config second[4] = {0};
    int64_t until_s = 0;
    assert_true(rotate(&keys, NOW));
    assert_int_equal(published(keys, NOW, first, &until_s), 1);
    assert_int_equal(until_s, NOW + HOUR);
    assert_int_equal(first[0].aead_count, 2);
    // The next one is made before its turn, and not yet published.
    assert_false(rotate(&keys, NOW + HOUR - 601));
    assert_true(rotate(&keys, NOW + HOUR - 600));
    assert_false(rotate(&keys, NOW + HOUR - 599));
    assert_int_equal(sc_ohttp_keys_count(keys), 2);
    assert_int_equal(published(keys, NOW + HOUR - 1, second, &until_s), 1);
    assert_memory_equal(second[0].public_key, first[0].public_key, SC_HPKE_KEY_SIZE);
    // Then it is the only one that is published, and both are honoured.
    assert_int_equal(published(keys, NOW + HOUR, second, &until_s), 1);
    assert_int_equal(until_s, NOW + 2 * HOUR);
    assert_memory_not_equal(second[0].public_key, first[0].public_key, SC_HPKE_KEY_SIZE);
    assert_int_not_equal(second[0].key_id, first[0].key_id);
    assert_int_equal(open_request(keys, NOW + HOUR + 599, &first[0]), SC_OK);
    assert_int_equal(open_request(keys, NOW + HOUR + 599, &second[0]), SC_OK);
    assert_int_equal(open_request(keys, NOW + HOUR - 1, &second[0]), SC_OK);
    // When its time has ended, no seed of it is left.
    assert_int_equal(open_request(keys, NOW + HOUR + 600, &first[0]), SC_EUNKNOWN);
    assert_false(rotate(&keys, NOW + HOUR + 600));
    assert_int_equal(sc_ohttp_keys_count(keys), 1);
    assert_int_equal(open_request(keys, NOW + HOUR, &first[0]), SC_EUNKNOWN);
    sc_ohttp_keys_free(keys);
}

static void test_rotation_that_comes_late_goes_on(void **state)
{
    (void)state;
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_config first[4] = {0};
    sc_ohttp_config later[4] = {0};
    int64_t until_s = 0;
    assert_true(rotate(&keys, NOW));
    assert_int_equal(published(keys, NOW, first, NULL), 1);
    // Nobody rotated: the last key is published for as long as it is honoured, to be kept by
    // nobody.
    assert_int_equal(published(keys, NOW + HOUR + 1, later, &until_s), 1);
    assert_memory_equal(later[0].public_key, first[0].public_key, SC_HPKE_KEY_SIZE);
    assert_int_equal(until_s, NOW + HOUR + 1);
    assert_int_equal(published(keys, NOW + HOUR + 600, later, &until_s), 0);
    // After hours, the new one begins at once, with another number.
    assert_true(rotate(&keys, NOW + 9 * HOUR));
    assert_int_equal(sc_ohttp_keys_count(keys), 1);
    assert_int_equal(published(keys, NOW + 9 * HOUR, later, &until_s), 1);
    assert_int_equal(until_s, NOW + 10 * HOUR);
    assert_int_equal(later[0].key_id, first[0].key_id + 1);
    sc_ohttp_keys_free(keys);
}

static void test_numbers_go_round_and_never_meet(void **state)
{
    (void)state;
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_config now[4] = {0};
    sc_ohttp_config before[4] = {0};
    assert_true(rotate(&keys, NOW));
    for (int64_t i = 1; i < 600; i++) {
        assert_int_equal(published(keys, NOW + (i - 1) * HOUR, before, NULL), 1);
        assert_true(rotate(&keys, NOW + i * HOUR - 1));
        assert_int_equal(published(keys, NOW + i * HOUR, now, NULL), 1);
        assert_int_equal(now[0].key_id, (uint8_t)(before[0].key_id + 1));
        assert_int_equal(open_request(keys, NOW + i * HOUR, &before[0]), SC_OK);
        rotate(&keys, NOW + i * HOUR + 600);
    }
    sc_ohttp_keys_free(keys);
}

static void test_rotations_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    static const sc_ohttp_rotation bad[] = {{0, 0}, {-1, 0}, {10, 11}, {10, -1}, {INT64_MAX, 0}};
    const uint8_t seed[SC_OHTTP_SEED_SIZE] = {0};
    sc_ohttp_keys *keys = NULL;
    bool made = false;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(sc_ohttp_keys_rotate(NULL, NOW, &bad[i], seed, &keys, &made), SC_EINVAL);
    }
    assert_int_equal(sc_ohttp_keys_rotate(NULL, -1, &hourly, seed, &keys, &made), SC_EINVAL);
    assert_null(keys);
}

static void test_a_request_that_is_too_short_has_no_key(void **state)
{
    (void)state;
    sc_ohttp_keys *keys = NULL;
    uint8_t bytes[SC_OHTTP_REQUEST_EXTRA] = {1};
    sc_ohttp_exchange exchange;
    size_t size = 0;
    rotate(&keys, NOW);
    assert_int_equal(sc_ohttp_keys_open(keys, NOW, bytes, sizeof bytes - 1, NULL, &size, &exchange),
                     SC_EPARSE);
    sc_ohttp_keys_free(keys);
}

// --- Files ---------------------------------------------------------------------------------------

static void test_a_file_is_read_as_it_was_written(void **state)
{
    (void)state;
    char path[600];
    char text[SC_OHTTP_KEYS_TEXT_MAX];
    char again[SC_OHTTP_KEYS_TEXT_MAX];
    struct stat status;
    sc_diag diag = {""};
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_keys *read = NULL;
    sc_ohttp_config config[4] = {0};
    const place p = place_new();
    snprintf(path, sizeof path, "%s/keys", p.path);
    rotate(&keys, NOW);
    rotate(&keys, NOW + HOUR - 1);
    CHECK_OK(sc_ohttp_keys_write(path, keys, &diag), &diag);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    CHECK_OK(sc_ohttp_keys_read(path, &read, &diag), &diag);
    const size_t size = sc_ohttp_keys_print(keys, text);
    assert_int_equal(sc_ohttp_keys_print(read, again), size);
    assert_memory_equal(again, text, size);
    assert_int_equal(published(keys, NOW + HOUR, config, NULL), 1);
    assert_int_equal(open_request(read, NOW + HOUR, &config[0]), SC_OK);
    // Again, over the old one.
    CHECK_OK(sc_ohttp_keys_write(path, keys, &diag), &diag);
    sc_ohttp_keys_free(read);
    sc_ohttp_keys_free(keys);
    place_free(&p);
}

static void test_a_file_that_others_can_read_is_refused(void **state)
{
    (void)state;
    char path[600];
    sc_diag diag = {""};
    sc_ohttp_keys *keys = NULL;
    sc_ohttp_keys *read = NULL;
    const place p = place_new();
    snprintf(path, sizeof path, "%s/keys", p.path);
    rotate(&keys, NOW);
    CHECK_OK(sc_ohttp_keys_write(path, keys, &diag), &diag);
    assert_int_equal(chmod(path, 0640), 0);
    CHECK_OK(sc_ohttp_keys_read(path, &read, &diag), &diag);
    sc_ohttp_keys_free(read);
    static const mode_t bad[] = {0604, 0620, 0602, 0601};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(chmod(path, bad[i]), 0);
        CHECK_REFUSED(sc_ohttp_keys_read(path, &read, &diag), SC_EIO, &diag, "chmod 600");
    }
    CHECK_REFUSED(sc_ohttp_keys_read(p.path, &read, &diag), SC_EIO, &diag, "a directory");
    unlink(path);
    CHECK_REFUSED(sc_ohttp_keys_read(path, &read, &diag), SC_EUNKNOWN, &diag, "cannot read");
    CHECK_REFUSED(sc_ohttp_keys_write("/nowhere/keys", keys, &diag), SC_EIO, &diag,
                  "/nowhere/keys");
    sc_ohttp_keys_free(keys);
    place_free(&p);
}

#define SEED "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyA"

static void check_text(const char *text, const char *part)
{
    sc_ohttp_keys *keys = NULL;
    sc_diag diag = {""};
    const sc_err err = sc_ohttp_keys_parse("keys", text, strlen(text), &keys, &diag);
    if (!part) {
        CHECK_OK(err, &diag);
    } else {
        CHECK_REFUSED(err, SC_EPARSE, &diag, part);
        assert_null(strstr(diag.message, "AQID"));
    }
    sc_ohttp_keys_free(keys);
}

static void test_damaged_files_are_refused(void **state)
{
    (void)state;
#define HEAD "starcloak-ohttp-keys-1\n"
    check_text(HEAD "7 1 2 3 " SEED "\n", NULL);
    check_text(HEAD "7 1 2 3 " SEED "\n8 1 2 2 " SEED "\n", NULL);
    check_text("", "first line");
    check_text("starcloak-ohttp-keys-2\n7 1 2 3 " SEED "\n", "first line");
    check_text(HEAD, "no key");
    check_text(HEAD "256 1 2 3 " SEED "\n", "keys:2");
    check_text(HEAD "7 2 2 3 " SEED "\n", "keys:2");
    check_text(HEAD "7 1 3 2 " SEED "\n", "keys:2");
    check_text(HEAD "7 -1 3 4 " SEED "\n", "keys:2");
    check_text(HEAD "7 1 2 3 " SEED "A\n", "keys:2");
    check_text(HEAD "7 1 2 3 AQID\n", "keys:2");
    check_text(HEAD "7 1 2 3\n", "keys:2");
    check_text(HEAD "7 1 2 3 " SEED " more\n", "keys:2");
    check_text(HEAD "7 1 2 3 " SEED "\n7 4 5 6 " SEED "\n", "keys:3");  // a number twice
    check_text(HEAD "7 4 5 6 " SEED "\n8 1 2 3 " SEED "\n", "keys:3");  // not in order
    char text[2048] = HEAD;
    for (int i = 0; i <= SC_OHTTP_KEYS_MAX; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%d 1 2 3 %s\n", i, SEED);
    }
    check_text(text, "more than 16");
}

static void test_keys_without_memory(void **state)
{
    (void)state;
    char path[600];
    sc_diag diag = {""};
    sc_ohttp_keys *keys = NULL;
    const uint8_t seed[SC_OHTTP_SEED_SIZE] = {1};
    const place p = place_new();
    snprintf(path, sizeof path, "%s/keys", p.path);
    rotate(&keys, NOW);
    FOR_EACH_FAILURE(n)
    {
        sc_ohttp_keys *next = NULL;
        bool made = false;
        const sc_err err = sc_ohttp_keys_rotate(keys, NOW, &hourly, seed, &next, &made);
        sc_ohttp_keys_free(next);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
        assert_null(next);
    }
    FOR_EACH_FAILURE(n)
    {
        const sc_err err = sc_ohttp_keys_write(path, keys, &diag);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    FOR_EACH_FAILURE(n)
    {
        sc_ohttp_keys *read = NULL;
        const sc_err err = sc_ohttp_keys_read(path, &read, &diag);
        sc_ohttp_keys_free(read);
        if (!oom_happened()) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    sc_ohttp_keys_free(keys);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_keys_take_turns),
    cmocka_unit_test(test_rotation_that_comes_late_goes_on),
    cmocka_unit_test(test_numbers_go_round_and_never_meet),
    cmocka_unit_test(test_rotations_that_make_no_sense_are_refused),
    cmocka_unit_test(test_a_request_that_is_too_short_has_no_key),
    cmocka_unit_test(test_a_file_is_read_as_it_was_written),
    cmocka_unit_test(test_a_file_that_others_can_read_is_refused),
    cmocka_unit_test(test_damaged_files_are_refused),
    cmocka_unit_test(test_keys_without_memory),
};
SC_SUITE_WITH(tests, begin, NULL)
