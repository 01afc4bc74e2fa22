// The keys of a cluster in their files: made, read, derived from, with errors that never repeat a
// letter of them. Sealed messages: they open with the keys and under the subject that they were
// sealed for, and in no other way; and what a worker's key is not good for.
#include "support/check.h"

#include "cluster/cluster_key_internal.h"
#include "cluster/cluster_seal.h"
#include "support/cluster_keys.h"
#include "support/place.h"

#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

// --- The key ------------------------------------------------------------------------------------

static const char a_line[] = "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n";

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
    CHECK_OK(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), &diag);
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
    assert_memory_equal(one, other, sizeof *one);
    assert_memory_not_equal(one->names, one->gateways, SC_KEY_SIZE);
    assert_memory_not_equal(one->broadcast, one->gateways, SC_KEY_SIZE);
    // They never change: a cluster would fall apart while it is updated.
    const uint8_t names[] = {0xcb, 0x80, 0x5a, 0x67, 0xd2, 0x3a, 0x80, 0x29};
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
        CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EIO, &diag,
                      "chmod 600");
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
        "starcloak-gateways-2 ",
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh\n",    // short
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8x\n",  // long
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+\n",   // not URL-safe
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9\n",   // bits left over
        "starcloak-gateways-3 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n",
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n\n",
        "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\nAAECAwQFBgcICQoLDA0O\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sc_cluster_key *key = NULL;
        sc_diag diag = {""};
        const char *path = put(&p, texts[i], 0600);
        CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EPARSE, &diag,
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
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EIO, &diag,
                  "check the name");
    assert_int_equal(mkdir(path, 0700), 0);
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EIO, &diag,
                  "a directory");
    assert_int_equal(rmdir(path), 0);
    // No process writes to it; reading must not wait.
    assert_int_equal(mkfifo(path, 0600), 0);
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EIO, &diag,
                  "not a regular file");
    assert_null(key);
    place_free(&p);
}

// --- Roles ----------------------------------------------------------------------------------

static void test_a_worker_has_its_own_key_and_neither_names_nor_those_of_others(void **state)
{
    (void)state;
    const place p = place_new();
    sc_cluster_key *gateways = read_key(put(&p, a_line, 0600));
    char line[SC_CLUSTER_KEY_LINE];
    sc_cluster_key *worker = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_cluster_key_make_worker(gateways, "w1", line, &diag), &diag);
    CHECK_OK(sc_cluster_key_read(put(&p, line, 0600), SC_CLUSTER_WORKER, &worker, &diag), &diag);
    assert_string_equal(sc_cluster_key_worker(worker), "w1");
    assert_string_equal(sc_cluster_key_worker(gateways), "");
    assert_null(sc_cluster_key_names(worker));
    const uint8_t nothing[sizeof worker->secret_key] = {0};
    assert_memory_equal(worker->names, nothing, sizeof worker->names);
    assert_memory_equal(worker->gateways, nothing, sizeof worker->gateways);
    assert_memory_equal(worker->workers, nothing, sizeof worker->workers);
    assert_memory_equal(worker->secret_key, nothing, sizeof worker->secret_key);
    sc_cluster_key *other = cluster_worker_key("w2");
    assert_memory_not_equal(worker->own, other->own, sizeof other->own);
    for (int i = 0; i < 100; i++) {
        const sc_peer a = sc_cluster_key_draw_peer(worker);
        assert_true(sc_peer_is_worker(a) && sc__worker_number(a) == worker->worker_number);
        assert_false(sc_peer_is_worker(sc_cluster_key_draw_peer(gateways)));
    }
    CHECK_REFUSED(sc_cluster_key_make_worker(gateways, "a b", line, &diag), SC_EINVAL, &diag,
                  "name");
    sc_cluster_key_free(gateways);
    sc_cluster_key_free(worker);
    sc_cluster_key_free(other);
    place_free(&p);
}

static void test_a_key_of_another_role_or_version_is_refused_with_what_to_do(void **state)
{
    (void)state;
    const place p = place_new();
    sc_cluster_key *key = NULL;
    sc_cluster_key *gateways = cluster_gateways_key();
    char line[SC_CLUSTER_KEY_LINE];
    sc_diag diag = {""};
    const char *path = put(&p, a_line, 0600);
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_WORKER, &key, &diag), SC_EINVAL, &diag,
                  "--worker NAME");
    CHECK_OK(sc_cluster_key_make_worker(gateways, "w1", line, &diag), &diag);
    path = put(&p, line, 0600);
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_GATEWAY, &key, &diag), SC_EINVAL, &diag,
                  "the key of a worker");
    path = put(&p, "starcloak-cluster-1 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", 0600);
    for (int role = SC_CLUSTER_GATEWAY; role <= SC_CLUSTER_WORKER; role++) {
        CHECK_REFUSED(sc_cluster_key_read(path, (sc_cluster_role)role, &key, &diag), SC_EINVAL,
                      &diag, "an earlier version");
    }
    assert_null(key);
    line[strlen(line) - 2] = '\0';  // two characters short
    path = put(&p, line, 0600);
    CHECK_REFUSED(sc_cluster_key_read(path, SC_CLUSTER_WORKER, &key, &diag), SC_EPARSE, &diag,
                  "this is not a key file");
    sc_cluster_key_free(gateways);
    place_free(&p);
}

// --- Sealing ------------------------------------------------------------------------------------

static const char subject[] = "town.worker.7";
static const char plain[] = "a query is open on segment 41";
enum { SIZE = sizeof plain, SEALED = SIZE + SC_SEAL_EXTRA };

/** Two gateways' numbers, and two workers with theirs. */
typedef struct cast {
    sc_cluster_key *gateways;
    sc_cluster_key *w1;
    sc_cluster_key *w2;
    sc_peer gateway;
    sc_peer peer1;
    sc_peer peer2;
} cast;

static cast cast_new(void)
{
    cast c = {.gateways = cluster_gateways_key(),
              .w1 = cluster_worker_key("w1"),
              .w2 = cluster_worker_key("w2")};
    c.gateway = sc_cluster_key_draw_peer(c.gateways);
    c.peer1 = sc_cluster_key_draw_peer(c.w1);
    c.peer2 = sc_cluster_key_draw_peer(c.w2);
    return c;
}

static void cast_free(const cast *c)
{
    sc_cluster_key_free(c->gateways);
    sc_cluster_key_free(c->w1);
    sc_cluster_key_free(c->w2);
}

static bool opens(const sc_cluster_key *key, sc_seal seal, const char *by, const uint8_t *sealed,
                  size_t size, sc_peer wanted)
{
    char opened[SEALED];
    sc_peer from = SC_PEER_NONE;
    const size_t got = sc_unseal_message(key, seal, by, sealed, size, opened, &from);
    if (got == SIZE_MAX) return false;
    assert_int_equal(got, SIZE);
    assert_string_equal(opened, plain);
    assert_int_equal(from, wanted);
    return true;
}

static void test_each_seal_is_opened_by_those_that_it_is_for_and_no_others(void **state)
{
    (void)state;
    const cast c = cast_new();
    uint8_t s[SEALED];
    const size_t small = SIZE + sc_seal_extra(SC_SEAL_TO_WORKER);

    // Gateway to worker: that worker alone; not even a gateway takes it for its own.
    assert_true(sc_seal_message(c.gateways, SC_SEAL_TO_WORKER, c.gateway, c.peer1, subject, plain,
                                SIZE, s));
    assert_true(opens(c.w1, SC_SEAL_TO_WORKER, subject, s, small, c.gateway));
    assert_false(opens(c.w2, SC_SEAL_TO_WORKER, subject, s, small, c.gateway));
    assert_false(opens(c.gateways, SC_SEAL_TO_GATEWAYS, subject, s, small, c.gateway));
    assert_false(opens(c.w1, SC_SEAL_TO_WORKER, "town.worker.8", s, small, c.gateway));

    // Worker to gateway, and gateway to gateway.
    assert_true(
        sc_seal_message(c.w1, SC_SEAL_TO_GATEWAYS, c.peer1, SC_PEER_NONE, subject, plain, SIZE, s));
    assert_true(opens(c.gateways, SC_SEAL_TO_GATEWAYS, subject, s, small, c.peer1));
    assert_false(opens(c.w2, SC_SEAL_TO_WORKER, subject, s, small, c.peer1));
    assert_true(sc_seal_message(c.gateways, SC_SEAL_TO_GATEWAYS, c.gateway, SC_PEER_NONE, subject,
                                plain, SIZE, s));
    assert_true(opens(c.gateways, SC_SEAL_TO_GATEWAYS, subject, s, small, c.gateway));
    assert_false(opens(c.w1, SC_SEAL_TO_GATEWAYS, subject, s, small, c.gateway));
    assert_false(opens(c.w1, SC_SEAL_TO_WORKER, subject, s, small, c.gateway));

    // Broadcast: all.
    assert_true(sc_seal_message(c.gateways, SC_SEAL_BROADCAST, c.gateway, SC_PEER_NONE, subject,
                                plain, SIZE, s));
    assert_true(opens(c.w1, SC_SEAL_BROADCAST, subject, s, SEALED, c.gateway));
    assert_true(opens(c.w2, SC_SEAL_BROADCAST, subject, s, SEALED, c.gateway));
    assert_true(opens(c.gateways, SC_SEAL_BROADCAST, subject, s, SEALED, c.gateway));
    cast_free(&c);
}

/** A worker that is broken into has its key file, and this code to change. */
static void test_a_worker_cannot_forge_gateways_or_other_workers(void **state)
{
    (void)state;
    const cast c = cast_new();
    uint8_t s[SEALED];
    const size_t small = SIZE + sc_seal_extra(SC_SEAL_TO_GATEWAYS);

    assert_false(
        sc_seal_message(c.w1, SC_SEAL_BROADCAST, c.gateway, SC_PEER_NONE, subject, plain, SIZE, s));
    assert_false(
        sc_seal_message(c.w1, SC_SEAL_TO_WORKER, c.gateway, c.peer2, subject, plain, SIZE, s));
    assert_false(
        sc_seal_message(c.w1, SC_SEAL_TO_GATEWAYS, c.peer2, SC_PEER_NONE, subject, plain, SIZE, s));

    // Its keys in the places of those that it has not: it knows how to broadcast, yet not to sign.
    sc_cluster_key forged = *c.w1;
    forged.role = SC_CLUSTER_GATEWAY;
    crypto_sign_keypair(forged.public_key, forged.secret_key);
    memcpy(forged.gateways, forged.own, sizeof forged.gateways);
    memcpy(forged.workers, forged.own, sizeof forged.workers);
    assert_true(sc_seal_message(&forged, SC_SEAL_BROADCAST, c.gateway, SC_PEER_NONE, subject, plain,
                                SIZE, s));
    assert_false(opens(c.gateways, SC_SEAL_BROADCAST, subject, s, SEALED, c.gateway));
    assert_false(opens(c.w2, SC_SEAL_BROADCAST, subject, s, SEALED, c.gateway));
    assert_true(sc_seal_message(&forged, SC_SEAL_TO_GATEWAYS, c.gateway, SC_PEER_NONE, subject,
                                plain, SIZE, s));
    assert_false(opens(c.gateways, SC_SEAL_TO_GATEWAYS, subject, s, small, c.gateway));
    assert_true(
        sc_seal_message(&forged, SC_SEAL_TO_WORKER, c.gateway, c.peer2, subject, plain, SIZE, s));
    assert_false(opens(c.w2, SC_SEAL_TO_WORKER, subject, s, small, c.gateway));

    // As another worker, with its own key.
    forged = *c.w1;
    forged.worker_number = sc__worker_number(c.peer2);
    assert_true(sc_seal_message(&forged, SC_SEAL_TO_GATEWAYS, c.peer2, SC_PEER_NONE, subject, plain,
                                SIZE, s));
    assert_false(opens(c.gateways, SC_SEAL_TO_GATEWAYS, subject, s, small, c.peer2));
    cast_free(&c);
}

static void test_the_same_message_is_never_sealed_to_the_same_bytes(void **state)
{
    (void)state;
    const cast c = cast_new();
    uint8_t one[SEALED];
    uint8_t other[SEALED];
    assert_true(sc_seal_message(c.w1, SC_SEAL_TO_GATEWAYS, c.peer1, 0, subject, plain, SIZE, one));
    assert_true(
        sc_seal_message(c.w1, SC_SEAL_TO_GATEWAYS, c.peer1, 0, subject, plain, SIZE, other));
    assert_memory_not_equal(one + 8, other + 8, 24);
    assert_memory_not_equal(one + 32, other + 32, SIZE);
    for (size_t i = 0; i + 8 <= SIZE; i++) {
        assert_memory_not_equal(one + 32 + i, plain + 11, 8);
    }
    cast_free(&c);
}

static void test_a_message_of_no_bytes_can_be_sealed(void **state)
{
    (void)state;
    const cast c = cast_new();
    uint8_t sealed[SC_SEAL_EXTRA];
    uint8_t out[SC_SEAL_EXTRA];
    sc_peer from = SC_PEER_NONE;
    for (int i = SC_SEAL_TO_GATEWAYS; i <= SC_SEAL_BROADCAST; i++) {
        const sc_seal seal = (sc_seal)i;
        const sc_cluster_key *reader = seal == SC_SEAL_TO_GATEWAYS ? c.gateways : c.w1;
        assert_true(sc_seal_message(c.gateways, seal, c.gateway, c.peer1, subject, "", 0, sealed));
        assert_int_equal(
            sc_unseal_message(reader, seal, subject, sealed, sc_seal_extra(seal), out, &from), 0);
    }
    cast_free(&c);
}

static void test_every_altered_bit_and_every_truncation_is_noticed(void **state)
{
    (void)state;
    const cast c = cast_new();
    for (int kind = SC_SEAL_TO_GATEWAYS; kind <= SC_SEAL_BROADCAST; kind++) {
        const sc_seal seal = (sc_seal)kind;
        const sc_cluster_key *reader = seal == SC_SEAL_TO_GATEWAYS ? c.gateways : c.w1;
        const size_t size = SIZE + sc_seal_extra(seal);
        uint8_t s[SEALED];
        assert_true(sc_seal_message(c.gateways, seal, c.gateway, c.peer1, subject, plain, SIZE, s));
        for (size_t i = 0; i < size * 8; i++) {
            s[i / 8] ^= (uint8_t)(1u << i % 8);
            assert_false(opens(reader, seal, subject, s, size, c.gateway));
            s[i / 8] ^= (uint8_t)(1u << i % 8);
        }
        for (size_t cut = 0; cut < size; cut++) {
            assert_false(opens(reader, seal, subject, s, cut, c.gateway));
        }
        assert_true(opens(reader, seal, subject, s, size, c.gateway));
    }
    cast_free(&c);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_key_that_was_made_can_be_read),
    cmocka_unit_test(test_one_file_gives_the_same_keys_to_all_and_each_use_its_own),
    cmocka_unit_test(test_a_file_that_others_may_read_or_change_is_refused),
    cmocka_unit_test(test_what_is_no_key_is_refused_without_being_repeated),
    cmocka_unit_test(test_what_is_no_file_is_told),
    cmocka_unit_test(test_a_worker_has_its_own_key_and_neither_names_nor_those_of_others),
    cmocka_unit_test(test_a_key_of_another_role_or_version_is_refused_with_what_to_do),
    cmocka_unit_test(test_each_seal_is_opened_by_those_that_it_is_for_and_no_others),
    cmocka_unit_test(test_a_worker_cannot_forge_gateways_or_other_workers),
    cmocka_unit_test(test_the_same_message_is_never_sealed_to_the_same_bytes),
    cmocka_unit_test(test_a_message_of_no_bytes_can_be_sealed),
    cmocka_unit_test(test_every_altered_bit_and_every_truncation_is_noticed),
};
SC_SUITE(tests)
