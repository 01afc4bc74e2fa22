// What an issuer keeps: a key for each epoch that goes with it, and who has had a signature.
#include "issuer/epoch_keys.h"
#include "issuer/issued_accounts.h"

#include "support/check.h"
#include "support/place.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { EPOCH_S = 600, N = 2833333 };
static const int64_t start_s = (int64_t)N * EPOCH_S;

static int begin(void **state)
{
    (void)state;
    return sodium_init() < 0 ? -1 : 0;
}

static sc_epoch_keys *open_keys(const char *path)
{
    sc_epoch_keys *keys = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_epoch_keys_open(path, EPOCH_S, &keys, &diag), &diag);
    return keys;
}

static void pass_time(sc_epoch_keys *keys, int64_t now_s)
{
    sc_diag diag = {""};
    CHECK_OK(sc_epoch_keys_pass_time(keys, now_s, &diag), &diag);
}

/** The secret key that the file has for an epoch; free() it. */
static char *secret_in(const char *path, uint64_t epoch)
{
    enum { SLOT_SIZE = 4096, SLOTS = SC_EPOCH_KEYS_AHEAD + 2 };
    size_t size = 0;
    char *bytes = read_whole(path, &size);
    assert_non_null(bytes);
    char *slot = calloc(1, SLOT_SIZE + 1);
    assert_non_null(slot);
    const size_t at = (size_t)(epoch % SLOTS) * SLOT_SIZE;
    if (at + SLOT_SIZE <= size) memcpy(slot, bytes + at, SLOT_SIZE);
    free(bytes);
    return slot;
}

static bool has_secret(const char *path, uint64_t epoch)
{
    char *slot = secret_in(path, epoch);
    const bool has = memmem(slot, 4096, "PRIVATE KEY", 11) != NULL;
    free(slot);
    return has;
}

// --- Keys ----------------------------------------------------------------------------------------

static void test_keys_are_made_ahead_kept_and_destroyed(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "keys");
    sc_epoch_keys *keys = open_keys(path);
    struct stat info;
    pass_time(keys, start_s);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    uint8_t first[SC_PASS_KEY_ID_SIZE];
    uint8_t next[SC_PASS_KEY_ID_SIZE];
    memcpy(first, sc_epoch_keys_at(keys, N)->id, sizeof first);
    memcpy(next, sc_epoch_keys_at(keys, N + 1)->id, sizeof next);
    assert_memory_not_equal(first, next, sizeof first);
    assert_memory_not_equal(sc_epoch_keys_hash_key(keys, N), sc_epoch_keys_hash_key(keys, N + 1),
                            SC_EPOCH_HASH_KEY_SIZE);
    assert_null(sc_epoch_keys_at(keys, N + SC_EPOCH_KEYS_AHEAD));
    // The next one is made in the middle of an epoch.
    pass_time(keys, start_s + EPOCH_S / 2 - 1);
    assert_null(sc_epoch_keys_at(keys, N + SC_EPOCH_KEYS_AHEAD));
    pass_time(keys, start_s + EPOCH_S / 2);
    assert_non_null(sc_epoch_keys_at(keys, N + SC_EPOCH_KEYS_AHEAD));
    assert_true(has_secret(path, N));
    sc_epoch_keys_free(keys);
    // The same after a restart.
    keys = open_keys(path);
    pass_time(keys, start_s + EPOCH_S - 1);
    assert_memory_equal(sc_epoch_keys_at(keys, N)->id, first, sizeof first);
    assert_true(sc_blind_rsa_is_secret(sc_epoch_keys_at(keys, N)->rsa));
    // With its epoch a key goes, from the disk, too.
    pass_time(keys, start_s + EPOCH_S);
    assert_null(sc_epoch_keys_at(keys, N));
    assert_null(sc_epoch_keys_hash_key(keys, N));
    assert_false(has_secret(path, N));
    assert_memory_equal(sc_epoch_keys_at(keys, N + 1)->id, next, sizeof next);
    assert_non_null(sc_epoch_keys_at(keys, N + SC_EPOCH_KEYS_AHEAD));
    sc_epoch_keys_free(keys);
    place_free(&p);
}

static void test_the_directory_has_the_epochs_key_first_for_each_moment(void **state)
{
    (void)state;
    place p = place_new();
    sc_epoch_keys *keys = open_keys(place_path(&p, "keys"));
    pass_time(keys, start_s + EPOCH_S / 2);
    sc_pass_directory *directory = calloc(1, sizeof *directory);
    assert_non_null(directory);
    sc_epoch_keys_list(keys, start_s, directory);
    assert_int_equal(directory->count, SC_EPOCH_KEYS_AHEAD + 1);
    for (uint64_t ahead = 0; ahead <= SC_EPOCH_KEYS_AHEAD; ahead++) {
        const int64_t begins_s = start_s + (int64_t)ahead * EPOCH_S;
        const sc_pass_listed_key *now = sc_pass_directory_choose(directory, begins_s);
        assert_non_null(now);
        assert_int_equal(now->not_before_s, begins_s);
        assert_memory_equal(now->spki, sc_epoch_keys_at(keys, N + ahead)->spki, sizeof now->spki);
    }
    assert_null(sc_pass_directory_choose(directory, start_s - 1));
    free(directory);
    sc_epoch_keys_free(keys);
    place_free(&p);
}

static void test_a_slot_that_was_half_written_is_made_anew(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "keys");
    sc_epoch_keys *keys = open_keys(path);
    pass_time(keys, start_s);
    uint8_t first[SC_PASS_KEY_ID_SIZE];
    memcpy(first, sc_epoch_keys_at(keys, N)->id, sizeof first);
    sc_epoch_keys_free(keys);
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    fseek(file, (long)(N % (SC_EPOCH_KEYS_AHEAD + 2)) * 4096 + 1000, SEEK_SET);
    fputs("torn", file);
    fclose(file);
    keys = open_keys(path);
    pass_time(keys, start_s);
    assert_memory_not_equal(sc_epoch_keys_at(keys, N)->id, first, sizeof first);
    sc_epoch_keys_free(keys);
    place_free(&p);
}

static void test_files_that_cannot_be_its_own_are_refused(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "keys");
    sc_diag diag = {""};
    sc_epoch_keys *other = NULL;
    sc_epoch_keys *keys = open_keys(path);
    pass_time(keys, start_s);
    CHECK_REFUSED(sc_epoch_keys_open(path, EPOCH_S, &other, &diag), SC_EIO, &diag,
                  "another issuer uses these keys");
    sc_epoch_keys_free(keys);
    CHECK_REFUSED(sc_epoch_keys_open(path, EPOCH_S + 1, &other, &diag), SC_EPARSE, &diag,
                  "the length of an epoch cannot be changed");
    assert_int_equal(chmod(path, 0640), 0);
    CHECK_REFUSED(sc_epoch_keys_open(path, EPOCH_S, &other, &diag), SC_EIO, &diag, "chmod 600");
    CHECK_REFUSED(sc_epoch_keys_open(place_path(&p, "no/keys"), EPOCH_S, &other, &diag), SC_EIO,
                  &diag, "No such file");
    place_free(&p);
}

// --- Accounts ------------------------------------------------------------------------------------

static const uint8_t hash_key[SC_EPOCH_HASH_KEY_SIZE] = {1, 2, 3};

static sc_issued_accounts *open_issued(const char *path, size_t max_accounts, uint64_t epoch)
{
    sc_issued_accounts *issued = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_issued_accounts_open(path, max_accounts, &issued, &diag), &diag);
    CHECK_OK(sc_issued_accounts_begin(issued, epoch, hash_key, &diag), &diag);
    return issued;
}

static sc_err add(sc_issued_accounts *issued, const char *account, const char *request)
{
    return sc_issued_accounts_add(issued, account, strlen(account), (const uint8_t *)request,
                                  strlen(request));
}

static void test_an_account_has_one_signature_in_an_epoch(void **state)
{
    (void)state;
    place p = place_new();
    const char *path = place_path(&p, "issued");
    sc_issued_accounts *issued = open_issued(path, 10, N);
    sc_diag diag = {""};
    assert_int_equal(add(issued, "ann", "first"), SC_OK);
    assert_int_equal(add(issued, "ann", "second"), SC_EDUPLICATE);
    assert_int_equal(add(issued, "bob", "second"), SC_OK);
    // The same signature again is no second one.
    assert_int_equal(add(issued, "ann", "first"), SC_OK);
    assert_int_equal(sc_issued_accounts_count(issued), 2);
    sc_issued_accounts_free(issued);
    // Nor after a restart.
    issued = open_issued(path, 10, N);
    assert_int_equal(sc_issued_accounts_count(issued), 2);
    assert_int_equal(add(issued, "ann", "third"), SC_EDUPLICATE);
    assert_int_equal(add(issued, "bob", "second"), SC_OK);
    // The next epoch begins without accounts, and goes on after a restart, too.
    CHECK_OK(sc_issued_accounts_begin(issued, N + 1, hash_key, &diag), &diag);
    assert_int_equal(sc_issued_accounts_count(issued), 0);
    assert_int_equal(add(issued, "ann", "second"), SC_OK);
    sc_issued_accounts_free(issued);
    issued = open_issued(path, 10, N + 1);
    assert_int_equal(sc_issued_accounts_count(issued), 1);
    assert_int_equal(add(issued, "ann", "third"), SC_EDUPLICATE);
    assert_int_equal(add(issued, "bob", "third"), SC_OK);
    sc_issued_accounts_free(issued);
    place_free(&p);
}

static void test_no_more_accounts_than_allowed_have_one(void **state)
{
    (void)state;
    place p = place_new();
    sc_issued_accounts *issued = open_issued(place_path(&p, "issued"), 2, N);
    assert_int_equal(add(issued, "ann", "1"), SC_OK);
    assert_int_equal(add(issued, "bob", "2"), SC_OK);
    assert_int_equal(add(issued, "cid", "3"), SC_ELIMIT);
    assert_int_equal(add(issued, "bob", "2"), SC_OK);
    sc_issued_accounts_free(issued);
    place_free(&p);
}

static void test_the_file_names_nobody(void **state)
{
    (void)state;
    static const char name[] = "ann-of-the-issuer";
    place p = place_new();
    const char *path = place_path(&p, "issued");
    sc_issued_accounts *issued = open_issued(path, 10, N);
    assert_int_equal(add(issued, name, "1"), SC_OK);
    sc_issued_accounts_free(issued);
    size_t size = 0;
    char *bytes = read_whole(path, &size);
    assert_int_equal(size, 48);
    assert_null(memmem(bytes, size, name, 3));
    free(bytes);
    // By the key of another epoch it says nothing.
    sc_diag diag = {""};
    static const uint8_t other_key[SC_EPOCH_HASH_KEY_SIZE] = {9};
    CHECK_OK(sc_issued_accounts_open(path, 10, &issued, &diag), &diag);
    CHECK_OK(sc_issued_accounts_begin(issued, N, other_key, &diag), &diag);
    assert_int_equal(sc_issued_accounts_count(issued), 0);
    sc_issued_accounts_free(issued);
    place_free(&p);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_keys_are_made_ahead_kept_and_destroyed),
    cmocka_unit_test(test_the_directory_has_the_epochs_key_first_for_each_moment),
    cmocka_unit_test(test_a_slot_that_was_half_written_is_made_anew),
    cmocka_unit_test(test_files_that_cannot_be_its_own_are_refused),
    cmocka_unit_test(test_an_account_has_one_signature_in_an_epoch),
    cmocka_unit_test(test_no_more_accounts_than_allowed_have_one),
    cmocka_unit_test(test_the_file_names_nobody),
};
SC_SUITE_WITH(tests, begin, NULL)
