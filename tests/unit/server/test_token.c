// Tokens: they carry what they were issued for, and no change of a single letter goes unnoticed.
// Key files: what is written can be read, by its owner only; errors name the line, never its
// content.
#include "support/check.h"

#include "server/token_internal.h"
#include "support/place.h"

#include <signal.h>
#include <sodium.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Tokens -------------------------------------------------------------------------------------

static sc_token_keys *new_keys(void)
{
    sc_token_keys *keys = NULL;
    CHECK_OK(sc_token_keys_new(&keys), NULL);
    return keys;
}

/** Keys that are always the same: all bytes are `byte`. */
static sc_token_keys *fixed_keys(uint8_t byte)
{
    sc_token_keys *keys = new_keys();
    memset(keys->keys[0], byte, sizeof keys->keys[0]);
    return keys;
}

static void issue(const sc_token_keys *keys, const char *user, char out[SC_TOKEN_SIZE])
{
    sc_diag diag = {""};
    CHECK_OK(sc_token_issue(keys, user, 1700000000, 1800000000, out, &diag), &diag);
}

// --- What is issued is read ------------------------------------------------------

static void check_reads_back(const sc_token_keys *keys, const char *user)
{
    char text[SC_TOKEN_SIZE];
    sc_token token;
    issue(keys, user, text);
    CHECK_OK(sc_token_check(keys, text, &token), NULL);
    assert_int_equal(token.issued_s, 1700000000);
    assert_int_equal(token.expires_s, 1800000000);
    assert_string_equal(token.user, user);
    assert_int_equal(token.user_size, strlen(user));
    assert_int_equal(strncmp(text, "sct1_", 5), 0);
    assert_int_equal(
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
        strlen(text));
}

// The token that docs/tokens.md shows to those who mint their own; made by Python's hashlib.
static void test_the_token_of_the_documentation_is_good(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    for (unsigned i = 0; i < sizeof keys->keys[0]; i++) {
        keys->keys[0][i] = (uint8_t)i;
    }
    sc_token token;
    CHECK_OK(sc_token_check(
                 keys, "sct1_APFTZQAAAAAA0klrAAAAAAECAwQFBgcIYWxpY2WnHKU6cbVJZNQv_MLaxu6k", &token),
             NULL);
    assert_string_equal(token.user, "alice");
    assert_int_equal(token.issued_s, 1700000000);
    assert_int_equal(token.expires_s, 1800000000);
    assert_int_equal(token.serial, 0x0807060504030201);
    sc_token_keys_free(keys);
}

static void test_a_token_says_what_it_was_issued_for(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    char longest[SC_TOKEN_USER_MAX + 1];
    memset(longest, 'x', SC_TOKEN_USER_MAX);
    // Every length, so that the text ends in each of the ways it can.
    for (size_t size = 1; size <= SC_TOKEN_USER_MAX; size++) {
        longest[size] = '\0';
        check_reads_back(keys, longest);
        longest[size] = 'x';
    }
    check_reads_back(keys, "J\xc3\xbcrgen \xe2\x82\xac \xf0\x9f\x9a\x97");
    sc_token_keys_free(keys);
}

static void test_times_may_be_anything_from_1970_on(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    char text[SC_TOKEN_SIZE];
    sc_token token;
    CHECK_OK(sc_token_issue(keys, "a", 0, 1, text, NULL), NULL);
    CHECK_OK(sc_token_check(keys, text, &token), NULL);
    assert_int_equal(token.issued_s, 0);
    CHECK_OK(sc_token_issue(keys, "a", INT64_MAX - 1, INT64_MAX, text, NULL), NULL);
    CHECK_OK(sc_token_check(keys, text, &token), NULL);
    assert_true(token.expires_s == INT64_MAX);
    sc_token_keys_free(keys);
}

static void test_the_format_stays_what_it_is(void **state)
{
    (void)state;
    // Put together by hand after token.h; tokens that are out there must stay good.
    uint8_t signed_bytes[] =
        "sct1\x01\0\0\0\0\0\0\0\x02\x01\0\0\0\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01"
        "ann";
    uint8_t bytes[24 + 3 + 16];
    memcpy(bytes, signed_bytes + 4, 27);
    sc_token_keys *keys = fixed_keys(7);
    crypto_generichash(bytes + 27, 16, signed_bytes, 31, keys->keys[0], 32);
    char text[SC_TOKEN_SIZE] = "sct1_";
    sodium_bin2base64(text + 5, sizeof text - 5, bytes, sizeof bytes,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sc_token token;
    CHECK_OK(sc_token_check(keys, text, &token), NULL);
    assert_int_equal(token.issued_s, 1);
    assert_int_equal(token.expires_s, 0x102);
    assert_true(token.serial == 0x0102030405060708U);
    assert_string_equal(token.user, "ann");
    sc_token_keys_free(keys);
}

static void test_every_token_has_a_serial_of_its_own(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    char text[SC_TOKEN_SIZE];
    sc_token first;
    sc_token second;
    issue(keys, "ann", text);
    CHECK_OK(sc_token_check(keys, text, &first), NULL);
    issue(keys, "ann", text);
    CHECK_OK(sc_token_check(keys, text, &second), NULL);
    assert_true(first.serial != second.serial);
    sc_token_keys_free(keys);
}

// --- What is not issued is refused -----------------------------------------------

static void test_no_letter_can_be_changed_taken_away_or_added(void **state)
{
    (void)state;
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    static const char *const users[] = {"a", "ab", "abc"};  // all three ends of base64
    sc_token_keys *keys = new_keys();
    for (size_t u = 0; u < 3; u++) {
        char text[SC_TOKEN_SIZE];
        sc_token token = {.user = "untouched"};
        issue(keys, users[u], text);
        const size_t size = strlen(text);
        for (size_t i = 0; i < size; i++) {
            const char before = text[i];
            for (const char *c = letters; *c; c++) {
                if (*c == before) continue;
                text[i] = *c;
                assert_int_not_equal(sc_token_check(keys, text, &token), SC_OK);
            }
            text[i] = '\0';
            assert_int_not_equal(sc_token_check(keys, text, &token), SC_OK);
            text[i] = before;
        }
        for (const char *c = letters; *c; c++) {
            text[size] = *c;
            text[size + 1] = '\0';
            assert_int_not_equal(sc_token_check(keys, text, &token), SC_OK);
        }
        assert_string_equal(token.user, "untouched");
    }
    sc_token_keys_free(keys);
}

static void test_what_is_no_token_is_called_that(void **state)
{
    (void)state;
    static const char *const others[] = {
        "",
        "sct1_",
        "sct1",
        "SCT1_AQAA",
        "Bearer x",
        "sct2_AAAA",
        "sct1_AQAAAAAAAAAC",
        "sct1_AQAAAAAAAAACAQAAAAAAAAgHBgUEAwIBYW5uAQIDBAUGBwgJCgsMDQ4P=",
        "sct1_AQAAAAAAAAACAQAAAAAAAAgHBgUEAwIBYW5uAQIDBAUGBwgJCgsMDQ4 ",
        "sct1_\xc3\xa4QAAAAAAAAACAQAAAAAAAAgHBgUEAwIBYW5uAQIDBAUGBwgJCgsMDQ4P",
    };
    sc_token_keys *keys = new_keys();
    sc_token token;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(sc_token_check(keys, others[i], &token), SC_EPARSE);
        assert_int_equal(sc_token_read(others[i], &token), SC_EPARSE);
    }
    // Longer than any; and as long as the room for one, without an end.
    char long_text[1000] = "sct1_";
    memset(long_text + 5, 'A', sizeof long_text - 6);
    assert_int_equal(sc_token_check(keys, long_text, &token), SC_EPARSE);
    long_text[SC_TOKEN_SIZE - 1] = '\0';
    assert_int_equal(sc_token_check(keys, long_text, &token), SC_EPARSE);
    sc_token_keys_free(keys);
}

// A token of any bytes, signed all the same.
static void sign_bytes(const sc_token_keys *keys, const uint8_t *said, size_t size,
                       char out[SC_TOKEN_SIZE])
{
    static const char mark[5] = {'s', 'c', 't', '1', '_'};
    uint8_t bytes[200];
    memcpy(bytes, mark, 4);
    memcpy(bytes + 4, said, size);
    crypto_generichash(bytes + 4 + size, 16, bytes, 4 + size, keys->keys[0], 32);
    memcpy(out, mark, 5);
    sodium_bin2base64(out + 5, SC_TOKEN_SIZE - 5, bytes + 4, size + 16,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static void test_nonsense_is_refused_though_it_is_signed(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    char text[SC_TOKEN_SIZE];
    sc_token token;
    uint8_t said[24 + SC_TOKEN_USER_MAX] = {[0] = 1, [8] = 2, [24] = 'a', [25] = 'b'};
    sign_bytes(keys, said, 26, text);
    CHECK_OK(sc_token_check(keys, text, &token), NULL);  // or nothing below is tested

    sign_bytes(keys, said, 24, text);  // an empty user
    assert_int_equal(sc_token_check(keys, text, &token), SC_EPARSE);
    said[25] = '\n';
    sign_bytes(keys, said, 26, text);
    assert_int_equal(sc_token_check(keys, text, &token), SC_EPARSE);
    said[25] = '\0';
    sign_bytes(keys, said, 26, text);
    assert_int_equal(sc_token_check(keys, text, &token), SC_EPARSE);
    said[25] = 'b';
    said[8] = 1;  // ends when it begins
    sign_bytes(keys, said, 26, text);
    assert_int_equal(sc_token_check(keys, text, &token), SC_EPARSE);
    said[15] = 0x80;  // ends beyond all time
    sign_bytes(keys, said, 26, text);
    assert_int_equal(sc_token_check(keys, text, &token), SC_EPARSE);
    sc_token_keys_free(keys);
}

static void test_users_that_cannot_be_are_refused(void **state)
{
    (void)state;
    sc_token_keys *keys = new_keys();
    char text[SC_TOKEN_SIZE] = "as it was";
    char too_long[SC_TOKEN_USER_MAX + 2];
    memset(too_long, 'x', sizeof too_long - 1);
    too_long[sizeof too_long - 1] = '\0';
    const char *const users[] = {"",         too_long, "a\nb",    "\x7f", "\x1b[0m",
                                 "\xc2\x9b", "\xff",   "caf\xe9", "\xc3", "\xed\xa0\x80"};
    for (size_t i = 0; i < sizeof users / sizeof *users; i++) {
        sc_diag diag = {""};
        const sc_err err = sc_token_issue(keys, users[i], 1, 2, text, &diag);
        CHECK_REFUSED(err, SC_EINVAL, &diag, "the name of a user must be 1 to 64 bytes");
    }
    sc_diag diag = {""};
    CHECK_REFUSED(sc_token_issue(keys, "ann", 5, 5, text, &diag), SC_EINVAL, &diag, "must expire");
    CHECK_REFUSED(sc_token_issue(keys, "ann", -1, 5, text, &diag), SC_EINVAL, &diag, "must expire");
    assert_string_equal(text, "as it was");
    sc_token_keys_free(keys);
}

// --- Keys ------------------------------------------------------------------------

static void test_only_the_keys_at_hand_can_have_signed(void **state)
{
    (void)state;
    sc_token_keys *old_keys = new_keys();
    sc_token_keys *new_ones = new_keys();
    char text[SC_TOKEN_SIZE];
    sc_token token;
    issue(old_keys, "ann", text);
    assert_int_equal(sc_token_check(new_ones, text, &token), SC_EBROKEN);
    // Keys change: the new one signs, and the old one is still accepted, wherever it stands.
    for (size_t i = 1; i < SC_TOKEN_KEYS_MAX; i++) {
        memcpy(new_ones->keys[i], old_keys->keys[0], SC__TOKEN_KEY_SIZE);
        new_ones->count = i + 1;
        CHECK_OK(sc_token_check(new_ones, text, &token), NULL);
        memset(new_ones->keys[i], 0, SC__TOKEN_KEY_SIZE);
    }
    assert_int_equal(sc_token_check(new_ones, text, &token), SC_EBROKEN);
    issue(new_ones, "ann", text);
    assert_int_equal(sc_token_check(old_keys, text, &token), SC_EBROKEN);
    // Without a check it is read all the same.
    CHECK_OK(sc_token_read(text, &token), NULL);
    assert_string_equal(token.user, "ann");
    sc_token_keys_free(old_keys);
    sc_token_keys_free(new_ones);
}

// --- Key files ----------------------------------------------------------------------------------

#define KEY_A "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
#define KEY_B "FFEEDDCCBBAA99887766554433221100ffeeddccbbaa99887766554433221100"

static sc_err parse(const char *text, sc_token_keys **out, sc_diag *diag)
{
    const sc_input input = {"keys.txt", (const uint8_t *)text, strlen(text)};
    return sc__token_keys_parse(&input, out, diag);
}

static void test_a_new_file_holds_one_key_for_its_owner(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "token.key");
    sc_diag diag = {""};
    CHECK_OK(sc_token_keys_write(path, &diag), &diag);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);

    sc_token_keys *keys = NULL;
    sc_token_keys *again = NULL;
    CHECK_OK(sc_token_keys_read(path, &keys, &diag), &diag);
    CHECK_OK(sc_token_keys_read(path, &again, &diag), &diag);
    assert_int_equal(keys->count, 1);
    assert_memory_equal(keys, again, sizeof *keys);
    sc_token_keys_free(keys);
    sc_token_keys_free(again);
    place_free(&p);
}

static void test_a_file_is_never_replaced(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_write_text(&p, "token.key", "mine");
    sc_diag diag = {""};
    CHECK_REFUSED(sc_token_keys_write(path, &diag), SC_EIO, &diag, "the file exists already");
    size_t size = 0;
    char *text = read_whole(path, &size);
    assert_string_equal(text, "mine");
    free(text);
    CHECK_REFUSED(sc_token_keys_write(place_path(&p, "none/token.key"), &diag), SC_EIO, &diag,
                  "its directory does not exist");
    assert_int_equal(count_entries(p.path), 1);
    place_free(&p);
}

static void test_half_a_key_does_not_stay(void **state)
{
    (void)state;
    place p = place_new();
    sc_diag diag = {""};
    struct rlimit before;
    getrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){.rlim_cur = 10, .rlim_max = before.rlim_max});
    const sc_err err = sc_token_keys_write(place_path(&p, "token.key"), &diag);
    setrlimit(RLIMIT_FSIZE, &before);
    CHECK_REFUSED(err, SC_EIO, &diag, "cannot write: File too large");
    assert_int_equal(count_entries(p.path), 0);
    place_free(&p);
}

static void test_several_keys_are_read_in_their_order(void **state)
{
    (void)state;
    sc_token_keys *keys = NULL;
    sc_diag diag = {""};
    CHECK_OK(parse("# the new one\r\n" KEY_B "\r\n\r\n  \t\n#old\n  " KEY_A "  ", &keys, &diag),
             &diag);
    assert_int_equal(keys->count, 2);
    assert_int_equal(keys->keys[0][0], 0xff);
    assert_int_equal(keys->keys[1][1], 0x11);
    assert_int_equal(keys->keys[1][31], 0xff);
    sc_token_keys_free(keys);
}

static void test_what_is_wrong_is_told_by_its_line_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *part;
    } cases[] = {
        {"", "keys.txt: the file has no key"},
        {"# nothing\n\n", "keys.txt: the file has no key"},
        {KEY_A "\n0123\n", "keys.txt:2: this is not a key"},
        {KEY_A "0\n", "keys.txt:1: this is not a key"},
        {KEY_A " # mine\n", "keys.txt:1: this is not a key"},
        {"x0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff", "not a key"},
        {"00:11:22:33:44:55:66:77:88:99:aa:bb:cc:dd:ee:ff:00:11:22:33:44:5", "not a key"},
        {KEY_A "\n" KEY_A "\n" KEY_A "\n" KEY_A "\n" KEY_A "\n" KEY_A "\n" KEY_A "\n" KEY_A
               "\n" KEY_A "\n",
         "keys.txt:9: more than 8 keys"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_token_keys *keys = NULL;
        sc_diag diag = {""};
        CHECK_REFUSED(parse(cases[i].text, &keys, &diag), SC_EPARSE, &diag, cases[i].part);
        assert_null(keys);
        assert_null(strstr(diag.message, "0112"));
        assert_null(strstr(diag.message, "0123"));
        assert_null(strstr(diag.message, "11:22"));
    }
}

static void test_a_file_that_others_may_read_is_refused(void **state)
{
    (void)state;
    static const struct {
        mode_t mode;
        bool is_fine;
    } cases[] = {{0600, true},  {0400, true},  {0440, true},  {0640, true}, {0644, false},
                 {0604, false}, {0602, false}, {0660, false}, {0601, false}};
    place p = place_new();
    const char *path = place_write_text(&p, "token.key", KEY_A "\n");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sc_token_keys *keys = NULL;
        sc_diag diag = {""};
        chmod(path, cases[i].mode);
        const sc_err err = sc_token_keys_read(path, &keys, &diag);
        if (cases[i].is_fine) {
            CHECK_OK(err, &diag);
        } else {
            CHECK_REFUSED(err, SC_EIO, &diag, "chmod 600");
            assert_null(keys);
        }
        sc_token_keys_free(keys);
    }
    place_free(&p);
}

static void test_what_cannot_be_read_is_told(void **state)
{
    (void)state;
    place p = place_new();
    sc_token_keys *keys = NULL;
    sc_diag diag = {""};
    CHECK_REFUSED(sc_token_keys_read(place_path(&p, "none"), &keys, &diag), SC_EIO, &diag,
                  "check the name");
    CHECK_REFUSED(sc_token_keys_read(p.path, &keys, &diag), SC_EIO, &diag, "a directory");
    CHECK_REFUSED(sc_token_keys_read("/dev/null", &keys, &diag), SC_EIO, &diag, "regular file");
    const char *path = place_path(&p, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    CHECK_REFUSED(sc_token_keys_read(path, &keys, &diag), SC_EIO, &diag, "regular file");

    path = place_write_text(&p, "token.key", KEY_A "\n");
    chmod(path, 0);
    lose_rights(&p);
    const sc_err err = sc_token_keys_read(path, &keys, &diag);
    have_rights_again();
    CHECK_REFUSED(err, SC_EIO, &diag, "permission");

    char *large = test_take(1, 100000);
    memset(large, '#', 99999);
    path = place_write_text(&p, "large.key", large);
    chmod(path, 0600);
    CHECK_REFUSED(sc_token_keys_read(path, &keys, &diag), SC_EPARSE, &diag, "the right file");
    free(large);
    assert_null(keys);
    sc_token_keys_free(NULL);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_the_token_of_the_documentation_is_good),
    cmocka_unit_test(test_a_token_says_what_it_was_issued_for),
    cmocka_unit_test(test_times_may_be_anything_from_1970_on),
    cmocka_unit_test(test_the_format_stays_what_it_is),
    cmocka_unit_test(test_every_token_has_a_serial_of_its_own),
    cmocka_unit_test(test_no_letter_can_be_changed_taken_away_or_added),
    cmocka_unit_test(test_what_is_no_token_is_called_that),
    cmocka_unit_test(test_nonsense_is_refused_though_it_is_signed),
    cmocka_unit_test(test_users_that_cannot_be_are_refused),
    cmocka_unit_test(test_only_the_keys_at_hand_can_have_signed),
    cmocka_unit_test(test_a_new_file_holds_one_key_for_its_owner),
    cmocka_unit_test(test_a_file_is_never_replaced),
    cmocka_unit_test(test_half_a_key_does_not_stay),
    cmocka_unit_test(test_several_keys_are_read_in_their_order),
    cmocka_unit_test(test_what_is_wrong_is_told_by_its_line_alone),
    cmocka_unit_test(test_a_file_that_others_may_read_is_refused),
    cmocka_unit_test(test_what_cannot_be_read_is_told),
};
SC_SUITE(tests)
