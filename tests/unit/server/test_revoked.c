// Revoked tokens: the file, the look-up, and adding without losing anything.
#include "support/check.h"
#include "support/place.h"

#include "server/token_internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

enum { NOW = 1700000000 };

static sc_token_keys *new_keys(void)
{
    sc_token_keys *keys = NULL;
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    return keys;
}

static sc_token token_of(const char *user, uint64_t serial, int64_t issued_s)
{
    sc_token token = {.issued_s = issued_s,
                      .expires_s = issued_s + 1000,
                      .serial = serial,
                      .user_size = strlen(user)};
    snprintf(token.user, sizeof token.user, "%s", user);
    return token;
}

static sc_err parse(const char *text, sc_revoked **out, sc_diag *diag)
{
    const sc_input input = {"revoked.txt", (const uint8_t *)text, strlen(text)};
    return sc__revoked_parse(&input, out, diag);
}

static sc_revoked *read_list(const char *path)
{
    sc_revoked *list = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_revoked_read(path, &list, &diag), &diag);
    return list;
}

static void add_token(const char *path, const sc_token_keys *keys, const sc_token *token,
                      int64_t now_s)
{
    sc_diag diag = {""};
    CHECK_OK(sc_revoked_add(path, keys, token, NULL, now_s, &diag), &diag);
}

static void add_user(const char *path, const sc_token_keys *keys, const char *user, int64_t now_s)
{
    sc_diag diag = {""};
    CHECK_OK(sc_revoked_add(path, keys, NULL, user, now_s, &diag), &diag);
}

// --- Reading ---------------------------------------------------------------------

static void test_without_a_file_nothing_is_revoked(void **state)
{
    (void)state;
    place p = place_new();
    sc_token_keys *keys = new_keys();
    const sc_token token = token_of("ann", 1, NOW);
    sc_revoked *none = read_list(NULL);
    sc_revoked *missing = read_list(place_path(&p, "none"));
    assert_int_equal(sc_revoked_count(none), 0);
    assert_int_equal(sc_revoked_count(missing), 0);
    assert_false(sc_revoked_has(none, keys, &token));
    assert_false(sc_revoked_has(missing, keys, &token));
    sc_revoked_free(none);
    sc_revoked_free(missing);
    sc_revoked_free(NULL);
    sc_token_keys_free(keys);
    place_free(&p);
}

static void test_lines_are_read(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    sc_revoked *list = NULL;
    sc_diag diag = {""};
    CHECK_OK(parse("# list\n"
                   "serial 1f2e3d4c5b6a7988 until 1790000000\r\n"
                   "\n"
                   "  serial\t00000000000000FF  until 0\n"
                   "user 0123456789abcdef0123456789abcdef before 1780000000",
                   &list, &diag),
             &diag);
    assert_int_equal(sc_revoked_count(list), 3);
    sc_token token = token_of("ann", 0x1f2e3d4c5b6a7988, NOW);
    assert_true(sc_revoked_has(list, keys, &token));
    token.serial = 0xff;
    assert_true(sc_revoked_has(list, keys, &token));
    token.serial = 0xfe;
    assert_false(sc_revoked_has(list, keys, &token));
    sc_revoked_free(list);
    sc_token_keys_free(keys);
}

static void test_what_is_no_list_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"hello\n", "revoked.txt:1: a line of a list of revoked tokens must begin with"},
        {"#\nserial\n", "revoked.txt:2: the line must be 'serial', 16"},
        {"serial 1f2e3d4c5b6a798 until 1\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a79888 until 1\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a798g until 1\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a7988 before 1\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a7988 until -1\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a7988 until 99999999999999999999\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a7988 until 1 2\n", "the line must be 'serial'"},
        {"serial 1f2e3d4c5b6a7988\n", "the line must be 'serial'"},
        {"user 0123456789abcdef0123456789abcdef until 1\n", "the line must be 'user', 32"},
        {"user ann before 1\n", "the line must be 'user', 32"},
        {"user\n", "the line must be 'user', 32"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_revoked *list = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(parse(cases[i].text, &list, &diag), SC_EPARSE, &diag, cases[i].part);
        assert_null(list);
        assert_null(strstr(diag.message, "1f2e"));
    }
}

static void test_more_than_a_million_are_refused(void **state)
{
    (void)state;
    enum { MANY = 1000001, LINE = sizeof "serial 0123456789abcdef until 1" };
    char *text = test_take(1, (size_t)MANY * LINE + 1);
    for (size_t i = 0; i < MANY; i++) {
        snprintf(text + i * LINE, LINE + 1, "serial %016zx until 1\n", i);
    }
    sc_revoked *list = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(parse(text, &list, &diag), SC_ELIMIT, &diag,
                  "revoked.txt:1000001: the list has more than");
    assert_null(list);
    free(text);
}

// --- Adding ----------------------------------------------------------------------

static void test_a_token_that_is_added_is_revoked_and_no_other(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "revoked.txt");
    sc_token_keys *keys = new_keys();
    const sc_token tokens[] = {token_of("ann", 17, NOW), token_of("ann", 18, NOW),
                               token_of("bob", 19, NOW)};
    add_token(path, keys, &tokens[0], NOW);
    add_token(path, keys, &tokens[2], NOW);
    add_token(path, keys, &tokens[0], NOW);  // twice is once
    sc_revoked *list = read_list(path);
    assert_int_equal(sc_revoked_count(list), 2);
    assert_true(sc_revoked_has(list, keys, &tokens[0]));
    assert_false(sc_revoked_has(list, keys, &tokens[1]));
    assert_true(sc_revoked_has(list, keys, &tokens[2]));
    sc_revoked_free(list);
    sc_token_keys_free(keys);
    place_free(&p);
}

static void test_a_user_is_revoked_up_to_now_and_not_beyond(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "revoked.txt");
    sc_token_keys *keys = new_keys();
    add_user(path, keys, "ann", NOW);
    sc_revoked *list = read_list(path);
    const sc_token before = token_of("ann", 1, NOW - 5);
    const sc_token now = token_of("ann", 2, NOW);
    const sc_token after = token_of("ann", 3, NOW + 1);
    const sc_token other = token_of("anna", 4, NOW - 5);
    assert_true(sc_revoked_has(list, keys, &before));
    assert_true(sc_revoked_has(list, keys, &now));
    assert_false(sc_revoked_has(list, keys, &after));
    assert_false(sc_revoked_has(list, keys, &other));
    sc_revoked_free(list);

    // Once more, later: one line, and what was issued meanwhile is revoked, too. An earlier time
    // that is added later takes nothing back.
    add_user(path, keys, "ann", NOW + 10);
    add_user(path, keys, "ann", NOW + 5);
    list = read_list(path);
    assert_int_equal(sc_revoked_count(list), 1);
    const sc_token last = token_of("ann", 3, NOW + 10);
    assert_true(sc_revoked_has(list, keys, &last));
    sc_revoked_free(list);
    sc_token_keys_free(keys);
    place_free(&p);
}

static void test_the_file_names_no_user(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "revoked.txt");
    sc_token_keys *keys = new_keys();
    const sc_token token = token_of("annabelle", 17, NOW);
    add_token(path, keys, &token, NOW);
    add_user(path, keys, "annabelle", NOW);
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_null(strstr(text, "annabelle"));
    CHECK_CONTAINS(text, "serial 0000000000000011 until 1700001000\n");
    CHECK_CONTAINS(text, " before 1700000001\n");
    free(text);
    sc_token_keys_free(keys);
    place_free(&p);
}

static void test_a_user_stays_revoked_when_keys_change(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "revoked.txt");
    sc_token_keys *keys = new_keys();
    sc_token_keys *other = new_keys();
    const sc_token token = token_of("ann", 1, NOW - 5);
    add_user(path, keys, "ann", NOW);
    sc_revoked *list = read_list(path);
    assert_false(sc_revoked_has(list, other, &token));
    // The new key is the first now, and the old one still accepted.
    memcpy(other->keys[1], keys->keys[0], SC__TOKEN_KEY_SIZE);
    other->count = 2;
    assert_true(sc_revoked_has(list, other, &token));
    sc_revoked_free(list);
    sc_token_keys_free(keys);
    sc_token_keys_free(other);
    place_free(&p);
}

static void test_what_has_expired_is_dropped_and_comments_stay(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "revoked.txt",
                                        "# by hand\n"
                                        "serial 0000000000000001 until 1700000000\n"
                                        "\n"
                                        "serial 0000000000000002 until 1700000001\n"
                                        "   # indented\n"
                                        "user 0123456789abcdef0123456789abcdef before 5");
    chmod(path, 0640);
    sc_token_keys *keys = new_keys();
    const sc_token token = token_of("ann", 3, NOW);
    const sc_token expired = token_of("ann", 4, NOW - 1000);
    add_token(path, keys, &token, NOW);
    add_token(path, keys, &expired, NOW);
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "# by hand\n"
                              "\n"
                              "serial 0000000000000002 until 1700000001\n"
                              "   # indented\n"
                              "user 0123456789abcdef0123456789abcdef before 5\n"
                              "serial 0000000000000003 until 1700001000\n");
    free(text);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0640);
    assert_int_equal(count_entries(p.path), 1);
    sc_token_keys_free(keys);
    place_free(&p);
}

static void test_a_file_that_is_no_list_is_left_alone(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "notes.txt", "buy milk\n");
    sc_token_keys *keys = new_keys();
    const sc_token token = token_of("ann", 3, NOW);
    sc_diag diag = {""};
    CHECK_REFUSED(sc_revoked_add(path, keys, &token, NULL, NOW, &diag), SC_EPARSE, &diag,
                  "notes.txt:1:");
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "buy milk\n");
    free(text);
    CHECK_REFUSED(sc_revoked_add(path, keys, NULL, "a\tb", NOW, &diag), SC_EINVAL, &diag, "a user");
    CHECK_REFUSED(sc_revoked_add(place_path(&p, "none/list"), keys, &token, NULL, NOW, &diag),
                  SC_EIO, &diag, "directory");
    CHECK_REFUSED(sc_revoked_add(p.path, keys, &token, NULL, NOW, &diag), SC_EIO, &diag,
                  "a directory");
    assert_int_equal(count_entries(p.path), 1);
    sc_token_keys_free(keys);
    place_free(&p);
}

// --- Several at once -------------------------------------------------------------

enum { THREADS = 4, EACH = 20 };

typedef struct adder {
    const char *path;
    const sc_token_keys *keys;
    uint64_t first;
} adder;

static void *add_many(void *context)
{
    const adder *a = context;
    for (uint64_t i = 0; i < EACH; i++) {
        const sc_token token = token_of("ann", a->first + i, NOW);
        if (sc_revoked_add(a->path, a->keys, &token, NULL, NOW, NULL)) return NULL;
    }
    return context;
}

static void test_of_several_processes_that_add_none_is_lost(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "revoked.txt");
    sc_token_keys *keys = new_keys();
    pthread_t threads[THREADS];
    adder adders[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        adders[i] = (adder){.path = path, .keys = keys, .first = i * 1000};
        assert_int_equal(pthread_create(&threads[i], NULL, add_many, &adders[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        void *result = NULL;
        pthread_join(threads[i], &result);
        assert_non_null(result);
    }
    sc_revoked *list = read_list(path);
    assert_int_equal(sc_revoked_count(list), THREADS * EACH);
    sc_revoked_free(list);
    sc_token_keys_free(keys);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_without_a_file_nothing_is_revoked),
    cmocka_unit_test(test_lines_are_read),
    cmocka_unit_test(test_what_is_no_list_is_refused_with_its_line),
    cmocka_unit_test(test_more_than_a_million_are_refused),
    cmocka_unit_test(test_a_token_that_is_added_is_revoked_and_no_other),
    cmocka_unit_test(test_a_user_is_revoked_up_to_now_and_not_beyond),
    cmocka_unit_test(test_the_file_names_no_user),
    cmocka_unit_test(test_a_user_stays_revoked_when_keys_change),
    cmocka_unit_test(test_what_has_expired_is_dropped_and_comments_stay),
    cmocka_unit_test(test_a_file_that_is_no_list_is_left_alone),
    cmocka_unit_test(test_of_several_processes_that_add_none_is_lost),
};
SC_SUITE(tests)
