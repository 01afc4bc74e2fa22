// Door: sealed messages as they come from NATS, and key files.
//
// The input is a sealed message, a message to be sealed, and a key file. As a sealed message it
// does not open: no input was sealed with these keys. As a message it is sealed in every way that a
// role can, opens for those that it is for and for no other, and is then what it was. As a key file
// it is refused, or its key can be drawn from.
#include "door.h"

#include "cluster/cluster_seal.h"

static const char gateways_line[] =
    "starcloak-gateways-2 AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
static const char subject[] = "starcloak.worker.8000000000000001";

/** The gateways, and two workers of theirs. */
enum { GATEWAYS, WORKER, OTHER, KEYS };

static sc_cluster_key *key_of(const char *line, sc_cluster_role role)
{
    sc_cluster_key *key = NULL;
    DOOR_PROMISE(!sc_cluster_key_parse(line, strlen(line), "key", role, &key, NULL),
                 "keys that were made are read");
    return key;
}

static const sc_cluster_key *const *keys(void)
{
    static const sc_cluster_key *all[KEYS];
    if (!all[GATEWAYS]) {
        char line[SC_CLUSTER_KEY_LINE];
        all[GATEWAYS] = key_of(gateways_line, SC_CLUSTER_GATEWAY);
        for (int i = WORKER; i < KEYS; i++) {
            DOOR_PROMISE(
                !sc_cluster_key_make_worker(all[GATEWAYS], i == WORKER ? "w1" : "w2", line, NULL),
                "workers' keys are made");
            all[i] = key_of(line, SC_CLUSTER_WORKER);
        }
    }
    return all;
}

/** Whether that key opens it, and to what was sealed. */
static bool opens(const sc_cluster_key *key, sc_seal seal, const uint8_t *sealed, size_t size,
                  const uint8_t *plain)
{
    uint8_t *out = malloc(size > 0 ? size : 1);
    sc_peer from = SC_PEER_NONE;
    if (!out) abort();
    const size_t got = sc_unseal_message(key, seal, subject, sealed, size, out, &from);
    if (got != SIZE_MAX) {
        DOOR_PROMISE(plain && from != SC_PEER_NONE, "only what was sealed opens");
        DOOR_PROMISE(got + sc_seal_extra(seal) == size && memcmp(out, plain, got) == 0,
                     "to what it was");
    }
    free(out);
    return got != SIZE_MAX;
}

static void check_sealed(int sender, sc_seal seal, const uint8_t *plain, size_t size)
{
    const sc_cluster_key *const *all = keys();
    const sc_peer self = sc_cluster_key_draw_peer(all[sender]);
    const sc_peer to = sc_cluster_key_draw_peer(all[WORKER]);
    uint8_t *sealed = malloc(size + sc_seal_extra(seal));
    if (!sealed) abort();
    const bool can = sc_seal_message(all[sender], seal, self, to, subject, plain, size, sealed);
    DOOR_PROMISE(can == (sender == GATEWAYS || seal == SC_SEAL_TO_GATEWAYS),
                 "a role seals what it may");
    for (int reader = 0; can && reader < KEYS; reader++) {
        const bool is_for = seal == SC_SEAL_BROADCAST ||
                            reader == (seal == SC_SEAL_TO_GATEWAYS ? GATEWAYS : WORKER);
        DOOR_PROMISE(opens(all[reader], seal, sealed, size + sc_seal_extra(seal), plain) == is_for,
                     "those that it is for open it");
    }
    free(sealed);
}

static void check_key_file(const uint8_t *text, size_t size)
{
    for (int role = SC_CLUSTER_GATEWAY; role <= SC_CLUSTER_WORKER; role++) {
        sc_cluster_key *key = NULL;
        sc_diag diag = {""};
        const sc_err err = sc_cluster_key_parse((const char *)text, size, "key",
                                                (sc_cluster_role)role, &key, &diag);
        DOOR_PROMISE(err != SC_ENOMEM && (err == SC_OK) == (key != NULL), "a key, or a refusal");
        DOOR_PROMISE(!err || strstr(diag.message, "key"), "that says so");
        if (key) {
            DOOR_PROMISE(sc_peer_is_worker(sc_cluster_key_draw_peer(key)) ==
                             (role == SC_CLUSTER_WORKER),
                         "a number tells the role");
        }
        sc_cluster_key_free(key);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data, size);
    for (int seal = SC_SEAL_TO_GATEWAYS; seal <= SC_SEAL_BROADCAST; seal++) {
        for (int i = 0; i < KEYS; i++) {
            (void)opens(keys()[i], (sc_seal)seal, copy, size, NULL);
        }
        check_sealed(GATEWAYS, (sc_seal)seal, copy, size);
        check_sealed(WORKER, (sc_seal)seal, copy, size);
    }
    check_key_file(copy, size);
    free(copy);
    return 0;
}
