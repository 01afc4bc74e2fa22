// The cluster's key in its file: made, read, derived from, with errors that never repeat a letter
// of it. Sealed messages: they open with their key and under their subject, and in no other way.
#include "support/check.h"

#include "cluster/cluster_key.h"
#include "support/place.h"

#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

// --- The key ------------------------------------------------------------------------------------

static const char a_line[] = "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n";

// Write the key file again, with these permissions.
static const char *put(const place *p, const char *text, mode_t mode)
{
    const char *path = place_write_text(p, "key", text);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static sc_cluster_key *read_key(const char *path)
{
    sc_cluster_key *key = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_cluster_key_read(path, &key, &diag), &diag);
    return key;
}

static void test_a_key_that_was_made_can_be_read(void **state)
{
    (void)state;
    const place p = place_new();
    char line[SC_CLUSTER_KEY_LINE];
    char other[SC_CLUSTER_KEY_LINE];
    sc_diag diag = {""};
    CHECK_OK(sc_cluster_key_make(line, &diag), &diag);
    CHECK_OK(sc_cluster_key_make(other, &diag), &diag);
    assert_string_not_equal(line, other);
    assert_int_equal(strlen(line), strlen(a_line));
    assert_int_equal(line[strlen(line) - 1], '\n');
    sc_cluster_key_free(read_key(put(&p, line, 0600)));
    place_free(&p);
}

static void test_one_file_gives_the_same_keys_to_all_and_each_use_its_own(void **state)
{
    (void)state;
    const place p = place_new();
    sc_cluster_key *one = read_key(put(&p, a_line, 0600));
    char without_newline[sizeof a_line];
    memcpy(without_newline, a_line, sizeof a_line);
    without_newline[strlen(a_line) - 1] = '\0';
    sc_cluster_key *other = read_key(put(&p, without_newline, 0440));
    assert_memory_equal(sc_cluster_key_names(one), sc_cluster_key_names(other), SC_KEY_SIZE);
    assert_memory_equal(sc_cluster_key_seal(one), sc_cluster_key_seal(other), SC_SEAL_KEY_SIZE);
    assert_memory_not_equal(sc_cluster_key_names(one), sc_cluster_key_seal(one), SC_KEY_SIZE);
    // They never change: a cluster would fall apart while it is updated.
    const uint8_t seal[] = {0x22, 0x71, 0x30, 0x3a, 0x1c, 0x13, 0xb1, 0x75};
    const uint8_t names[] = {0xcb, 0x80, 0x5a, 0x67, 0xd2, 0x3a, 0x80, 0x29};
    assert_memory_equal(sc_cluster_key_seal(one), seal, sizeof seal);
    assert_memory_equal(sc_cluster_key_names(one), names, sizeof names);
    sc_cluster_key_free(one);
    sc_cluster_key_free(other);
    sc_cluster_key_free(NULL);
    place_free(&p);
}

static void test_a_file_that_others_may_read_or_change_is_refused(void **state)
{
    (void)state;
    const place p = place_new();
    const mode_t modes[] = {0604, 0602, 0601, 0620};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        sc_cluster_key *key = NULL;
        sc_diag diag = {""};
        const char *path = put(&p, a_line, modes[i]);
        CHECK_REFUSED(sc_cluster_key_read(path, &key, &diag), SC_EIO, &diag, "chmod 600");
        assert_null(key);
    }
    sc_cluster_key_free(read_key(put(&p, a_line, 0640)));
    place_free(&p);
}

static void test_what_is_no_key_is_refused_without_being_repeated(void **state)
{
    (void)state;
    const place p = place_new();
    const char *const texts[] = {
        "",
        "\n",
        "starcloak-cluster-1 ",
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh\n",    // short
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8x\n",  // long
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+\n",   // not URL-safe
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9\n",   // bits left over
        "starcloak-cluster-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n\n",
        "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\nAAECAwQFBgcICQoLDA0O\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sc_cluster_key *key = NULL;
        sc_diag diag = {""};
        const char *path = put(&p, texts[i], 0600);
        CHECK_REFUSED(sc_cluster_key_read(path, &key, &diag), SC_EPARSE, &diag,
                      "this is not a key file");
        assert_null(key);
        assert_null(strstr(diag.message, "AAEC"));
    }
    place_free(&p);
}

static void test_what_is_no_file_is_told(void **state)
{
    (void)state;
    const place p = place_new();
    sc_cluster_key *key = NULL;
    sc_diag diag = {""};
    const char *path = place_path(&p, "key");
    CHECK_REFUSED(sc_cluster_key_read(path, &key, &diag), SC_EIO, &diag, "check the name");
    assert_int_equal(mkdir(path, 0700), 0);
    CHECK_REFUSED(sc_cluster_key_read(path, &key, &diag), SC_EIO, &diag, "a directory");
    assert_int_equal(rmdir(path), 0);
    // No process writes to it; reading must not wait.
    assert_int_equal(mkfifo(path, 0600), 0);
    CHECK_REFUSED(sc_cluster_key_read(path, &key, &diag), SC_EIO, &diag, "not a regular file");
    assert_null(key);
    place_free(&p);
}

// --- Sealing ------------------------------------------------------------------------------------

static const char subject[] = "town.part.7";
static const char plain[] = "a query is open on segment 41";
enum { SIZE = sizeof plain, SEALED = SIZE + SC_SEAL_EXTRA, SEALED_BITS = SEALED * 8 };

static void fill_key(uint8_t key[SC_SEAL_KEY_SIZE], uint8_t with)
{
    assert_true(sodium_init() >= 0);
    memset(key, with, SC_SEAL_KEY_SIZE);
}

static void test_what_is_sealed_opens(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, sealed);
    assert_true(sc_unseal(key, subject, sealed, SEALED, opened));
    assert_string_equal(opened, plain);
    for (size_t i = 0; i + 8 <= SEALED; i++) {
        assert_memory_not_equal(sealed + i, plain + 11, 8);
    }
}

static void test_a_message_of_no_bytes_can_be_sealed(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SC_SEAL_EXTRA];
    uint8_t nothing = 0;
    fill_key(key, 1);
    sc_seal(key, subject, &nothing, 0, sealed);
    assert_true(sc_unseal(key, subject, sealed, sizeof sealed, &nothing));
    sealed[0] ^= 1;
    assert_false(sc_unseal(key, subject, sealed, sizeof sealed, &nothing));
}

static void test_the_same_message_is_never_sealed_to_the_same_bytes(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t one[SEALED];
    uint8_t other[SEALED];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, one);
    sc_seal(key, subject, plain, SIZE, other);
    assert_memory_not_equal(one, other, 24);
    assert_memory_not_equal(one + 24, other + 24, SIZE);
}

static void test_another_key_or_subject_opens_nothing(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 1);
    sc_seal(key, subject, plain, SIZE, sealed);
    assert_false(sc_unseal(key, "town.part.8", sealed, SEALED, opened));
    assert_false(sc_unseal(key, "", sealed, SEALED, opened));
    fill_key(key, 2);
    assert_false(sc_unseal(key, subject, sealed, SEALED, opened));
}

static void test_every_altered_bit_and_every_truncation_is_noticed(void **state)
{
    (void)state;
    uint8_t key[SC_SEAL_KEY_SIZE];
    uint8_t sealed[SEALED];
    char opened[SIZE];
    fill_key(key, 3);
    sc_seal(key, subject, plain, SIZE, sealed);
    for (size_t i = 0; i < SEALED_BITS; i++) {
        sealed[i / 8] ^= (uint8_t)(1u << i % 8);
        assert_false(sc_unseal(key, subject, sealed, SEALED, opened));
        sealed[i / 8] ^= (uint8_t)(1u << i % 8);
    }
    for (size_t size = 0; size < SEALED; size++) {
        assert_false(sc_unseal(key, subject, sealed, size, opened));
    }
    assert_true(sc_unseal(key, subject, sealed, SEALED, opened));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_key_that_was_made_can_be_read),
    cmocka_unit_test(test_one_file_gives_the_same_keys_to_all_and_each_use_its_own),
    cmocka_unit_test(test_a_file_that_others_may_read_or_change_is_refused),
    cmocka_unit_test(test_what_is_no_key_is_refused_without_being_repeated),
    cmocka_unit_test(test_what_is_no_file_is_told),
    cmocka_unit_test(test_what_is_sealed_opens),
    cmocka_unit_test(test_a_message_of_no_bytes_can_be_sealed),
    cmocka_unit_test(test_the_same_message_is_never_sealed_to_the_same_bytes),
    cmocka_unit_test(test_another_key_or_subject_opens_nothing),
    cmocka_unit_test(test_every_altered_bit_and_every_truncation_is_noticed),
};
SC_SUITE(tests)
