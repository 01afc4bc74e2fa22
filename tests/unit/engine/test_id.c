// Names of queries and users: keyed hashes that say nothing but "the same" or "another".
#include "support/check.h"

#include "engine/query_internal.h"

#include <sodium.h>

static sc_name_keys keys_of(uint8_t first)
{
    uint8_t key[SC_KEY_SIZE];
    for (size_t i = 0; i < sizeof key; i++) {
        key[i] = (uint8_t)(first + i);
    }
    assert_true(sodium_init() >= 0);
    sc_name_keys keys;
    sc__name_keys_derive(key, &keys);
    return keys;
}

static sc_name name_of(const sc_name_keys *keys, const char *user, sc_time t)
{
    return sc__name_of(keys, user, strlen(user), t);
}

static bool same_id(sc_query_id a, sc_query_id b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static void test_names_are_the_keyed_hashes_of_their_definition(void **state)
{
    (void)state;
    // Computed from the definition of BLAKE2b (key, salt, personalisation) by
    // another implementation: subkeys 1 and 2 of "SC-names" under the key 0, 1, ... 31;
    // the user's hash of 32 bytes; the hash of that and the time, lowest byte first.
    const sc_name_keys keys = keys_of(0);
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
        const sc_name name = name_of(&keys, wanted[i].user, wanted[i].t);
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
    const sc_name_keys keys = keys_of(1);
    sc_name *names = test_take(COUNT, sizeof *names);
    for (int i = 0; i < COUNT; i++) {
        const char user[2] = {(char)(i % USERS), 'u'};
        names[i] = sc__name_of(&keys, user, sizeof user, i / USERS);
    }
    for (int i = 0; i < COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_false(same_id(names[i].id, names[j].id));
            assert_int_equal(names[i].user == names[j].user, i % USERS == j % USERS);
        }
    }
    const sc_name_keys others = keys_of(2);
    const sc_name other = sc__name_of(&others, (const char[2]){0, 'u'}, 2, 0);
    assert_false(same_id(names[0].id, other.id));
    assert_true(names[0].user != other.user);
    free(names);
}

static void test_every_byte_of_a_user_counts_zeros_and_ends_too(void **state)
{
    (void)state;
    const sc_name_keys keys = keys_of(0);
    // "a", "a" and a zero, two zeros more, ...: all differ, in id and pseudonym.
    enum { SIZES = 200 };
    static const char user[SIZES] = "a";
    sc_name names[SIZES];
    for (size_t i = 0; i < SIZES; i++) {
        names[i] = sc__name_of(&keys, user, i + 1, 7);
        for (size_t j = 0; j < i; j++) {
            assert_false(same_id(names[i].id, names[j].id));
            assert_true(names[i].user != names[j].user);
        }
    }
    // The time is no part of the user: eight bytes that could be either.
    const sc_name a = sc__name_of(&keys, "u\1\0\0\0\0\0\0\0", 9, 0);
    const sc_name b = sc__name_of(&keys, "u", 1, 1);
    assert_false(same_id(a.id, b.id));
}

static void test_an_id_and_a_pseudonym_have_nothing_in_common(void **state)
{
    (void)state;
    // Neither half of an id is the pseudonym, under any of many keys.
    for (int i = 0; i < 200; i++) {
        const sc_name_keys keys = keys_of((uint8_t)i);
        const sc_name name = name_of(&keys, "u17", i);
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

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_names_are_the_keyed_hashes_of_their_definition),
    cmocka_unit_test(test_an_id_tells_users_times_and_keys_apart),
    cmocka_unit_test(test_every_byte_of_a_user_counts_zeros_and_ends_too),
    cmocka_unit_test(test_an_id_and_a_pseudonym_have_nothing_in_common),
    cmocka_unit_test(test_an_id_is_written_as_32_lowercase_digits),
};
SC_SUITE(tests)
