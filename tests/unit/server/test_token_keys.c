// Key files: what is written can be read, by nobody else; what is wrong is told by its line and
// never by what stands there.
#include "support/check.h"
#include "support/place.h"

#include "server/token_internal.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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
    CHECK_REFUSED(sc_token_keys_write(path, &diag), SC_EIO, &diag, "is there already");
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
        {"", "keys.txt: holds no key"},
        {"# nothing\n\n", "keys.txt: holds no key"},
        {KEY_A "\n0123\n", "keys.txt:2: not a key"},
        {KEY_A "0\n", "keys.txt:1: not a key"},
        {KEY_A " # mine\n", "keys.txt:1: not a key"},
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
    CHECK_REFUSED(sc_token_keys_read(path, &keys, &diag), SC_EPARSE, &diag, "the right file?");
    free(large);
    assert_null(keys);
    sc_token_keys_free(NULL);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_new_file_holds_one_key_for_its_owner),
    cmocka_unit_test(test_a_file_is_never_replaced),
    cmocka_unit_test(test_half_a_key_does_not_stay),
    cmocka_unit_test(test_several_keys_are_read_in_their_order),
    cmocka_unit_test(test_what_is_wrong_is_told_by_its_line_alone),
    cmocka_unit_test(test_a_file_that_others_may_read_is_refused),
    cmocka_unit_test(test_what_cannot_be_read_is_told),
};
SC_SUITE(tests)
