// Keys of epochs in slots of a file.
#include "issuer/epoch_keys.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "starcloak issuer key 1\n";

enum {
    /** One for each key that is published, and one more. */
    SLOTS = SC_EPOCH_KEYS_AHEAD + 2,
    SLOT_SIZE = 4096,
    CHECK_SIZE = 32,
    EPOCH_AT = sizeof magic - 1,
    LENGTH_AT = EPOCH_AT + 8,
    HASH_KEY_AT = LENGTH_AT + 8,
    PEM_AT = HASH_KEY_AT + SC_EPOCH_HASH_KEY_SIZE,
    PEM_ROOM = SLOT_SIZE - CHECK_SIZE - PEM_AT,
};

/** A key; zeros: there is none. */
typedef struct epoch_key {
    bool is_set;
    uint64_t epoch;
    uint8_t hash_key[SC_EPOCH_HASH_KEY_SIZE];
    sc_pass_key key;
} epoch_key;

struct sc_epoch_keys {
    int fd;
    char *path;
    int64_t epoch_s;
    epoch_key slots[SLOTS];  ///< by the epoch modulo SLOTS
};

static void put_u64(uint8_t *at, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        at[i] = (uint8_t)(value >> (56 - 8 * i));
    }
}

static uint64_t get_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value = value << 8 | at[i];
    }
    return value;
}

static void forget(epoch_key *slot)
{
    sc_pass_key_fini(&slot->key);
    sodium_memzero(slot, sizeof *slot);
}

// --- The file ------------------------------------------------------------------------------------

static void check_of(const uint8_t slot[SLOT_SIZE], uint8_t out[CHECK_SIZE])
{
    crypto_generichash(out, CHECK_SIZE, slot, SLOT_SIZE - CHECK_SIZE, NULL, 0);
}

/** The file is opened with O_DSYNC: what is written is on the disk. */
static sc_err write_slot(const sc_epoch_keys *keys, uint64_t epoch, const uint8_t bytes[SLOT_SIZE],
                         sc_diag *diag)
{
    const off_t at = (off_t)(epoch % SLOTS) * SLOT_SIZE;
    const bool is_there = lseek(keys->fd, at, SEEK_SET) == at;
    const ssize_t size = is_there ? write(keys->fd, bytes, SLOT_SIZE) : -1;
    if (size == SLOT_SIZE) return SC_OK;
    return sc_fail(diag, SC_EIO, "%s: cannot write: %s", keys->path,
                   size < 0 ? strerror(errno) : "the disk is full");
}

/** What is not whole is as if it were not there. */
static sc_err read_slot(sc_epoch_keys *keys, size_t number, const uint8_t bytes[SLOT_SIZE],
                        sc_diag *diag)
{
    uint8_t check[CHECK_SIZE];
    check_of(bytes, check);
    if (memcmp(bytes, magic, EPOCH_AT) != 0 ||
        sodium_memcmp(check, bytes + SLOT_SIZE - CHECK_SIZE, CHECK_SIZE) != 0) {
        return SC_OK;
    }
    epoch_key *slot = &keys->slots[number];
    slot->epoch = get_u64(bytes + EPOCH_AT);
    if (get_u64(bytes + LENGTH_AT) != (uint64_t)keys->epoch_s || slot->epoch % SLOTS != number) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: it has keys for epochs of %llu s; the length of an epoch cannot be "
                       "changed, since accounts would get a token for each: give another folder",
                       keys->path, (unsigned long long)get_u64(bytes + LENGTH_AT));
    }
    sc_blind_rsa_key *rsa = NULL;
    const char *pem = (const char *)bytes + PEM_AT;
    sc_err err = sc_blind_rsa_from_pem(pem, strnlen(pem, PEM_ROOM), &rsa);
    if (!err) err = sc_pass_key_init(rsa, &slot->key);
    if (err) return sc_fail(diag, err, "%s: a key in it cannot be used", keys->path);
    memcpy(slot->hash_key, bytes + HASH_KEY_AT, sizeof slot->hash_key);
    slot->is_set = true;
    return SC_OK;
}

static sc_err read_slots(sc_epoch_keys *keys, sc_diag *diag)
{
    uint8_t bytes[SLOT_SIZE];
    sc_err err = SC_OK;
    for (size_t i = 0; i < SLOTS && !err; i++) {
        const ssize_t size = read(keys->fd, bytes, sizeof bytes);
        if (size < 0) err = sc_fail(diag, SC_EIO, "%s: %s", keys->path, strerror(errno));
        if (size != (ssize_t)sizeof bytes) break;
        err = read_slot(keys, i, bytes, diag);
    }
    sodium_memzero(bytes, sizeof bytes);
    return err;
}

/** Whether a file of that size can be one of keys: nothing, or slots, the first bytes of which are
 * those of a key or zeros. */
static sc_err look_at(const sc_epoch_keys *keys, sc_diag *diag)
{
    struct stat info;
    if (fstat(keys->fd, &info) != 0) {
        return sc_fail(diag, SC_EIO, "%s: %s", keys->path, strerror(errno));
    }
    if (!S_ISREG(info.st_mode) || info.st_size > (off_t)SLOTS * SLOT_SIZE) {
        return sc_fail(diag, SC_EPARSE, "%s: this is no file of an issuer's keys", keys->path);
    }
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return sc_fail(diag, SC_EIO, "%s: others may read the keys; 'chmod 600' it", keys->path);
    }
    return SC_OK;
}

sc_err sc_epoch_keys_open(const char *path, int64_t epoch_s, sc_epoch_keys **out, sc_diag *diag)
{
    sc_epoch_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return sc_fail_memory(diag, "reading keys");
    keys->epoch_s = epoch_s;
    keys->fd = open(path, O_RDWR | O_CREAT | O_DSYNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
                    S_IRUSR | S_IWUSR);
    const int error = errno;
    sc_err err = SC_OK;
    keys->path = sc_malloc(strlen(path) + 1);
    if (!keys->path) {
        err = sc_fail_memory(diag, "reading keys");
    } else {
        memcpy(keys->path, path, strlen(path) + 1);
        if (keys->fd < 0) err = sc_fail(diag, SC_EIO, "%s: %s", path, strerror(error));
    }
    if (!err && flock(keys->fd, LOCK_EX | LOCK_NB) != 0) {
        err = sc_fail(diag, SC_EIO, "%s: another issuer uses these keys", path);
    }
    if (!err) err = look_at(keys, diag);
    if (!err) err = read_slots(keys, diag);
    if (err) {
        sc_epoch_keys_free(keys);
        return err;
    }
    *out = keys;
    return SC_OK;
}

void sc_epoch_keys_free(sc_epoch_keys *keys)
{
    if (!keys) return;
    for (size_t i = 0; i < SLOTS; i++) {
        forget(&keys->slots[i]);
    }
    if (keys->fd >= 0) close(keys->fd);
    sc_free(keys->path);
    sc_free(keys);
}

// --- Time ----------------------------------------------------------------------------------------

static sc_err make_key(sc_epoch_keys *keys, uint64_t epoch, sc_diag *diag)
{
    uint8_t bytes[SLOT_SIZE] = {0};
    char pem[SC_BLIND_RSA_PEM_MAX];
    epoch_key made = {.is_set = true, .epoch = epoch};
    sc_blind_rsa_key *rsa = NULL;
    size_t size = 0;
    sc_err err = sc_blind_rsa_generate(SC_PASS_MODULUS_SIZE, &rsa);
    if (!err) err = sc_pass_key_init(rsa, &made.key);
    if (!err) {
        size = sc_blind_rsa_to_pem(made.key.rsa, pem);
        if (size == 0 || size >= PEM_ROOM) err = SC_ENOMEM;
    }
    if (err) {
        err = sc_fail(diag, err, "a key cannot be made: %s", sc_err_text(err));
    } else {
        randombytes_buf(made.hash_key, sizeof made.hash_key);
        memcpy(bytes, magic, EPOCH_AT);
        put_u64(bytes + EPOCH_AT, epoch);
        put_u64(bytes + LENGTH_AT, (uint64_t)keys->epoch_s);
        memcpy(bytes + HASH_KEY_AT, made.hash_key, sizeof made.hash_key);
        memcpy(bytes + PEM_AT, pem, size);
        check_of(bytes, bytes + SLOT_SIZE - CHECK_SIZE);
        err = write_slot(keys, epoch, bytes, diag);
    }
    if (err) {
        forget(&made);
    } else {
        keys->slots[epoch % SLOTS] = made;
    }
    sodium_memzero(pem, sizeof pem);
    sodium_memzero(bytes, sizeof bytes);
    sodium_memzero(made.hash_key, sizeof made.hash_key);
    return err;
}

static sc_err destroy_key(sc_epoch_keys *keys, epoch_key *slot, sc_diag *diag)
{
    static const uint8_t zeros[SLOT_SIZE];
    const uint64_t epoch = slot->epoch;
    forget(slot);
    return write_slot(keys, epoch, zeros, diag);
}

sc_err sc_epoch_keys_pass_time(sc_epoch_keys *keys, int64_t now_s, sc_diag *diag)
{
    const uint64_t now = sc_pass_epoch(now_s, keys->epoch_s);
    sc_err err = SC_OK;
    for (size_t i = 0; i < SLOTS && !err; i++) {
        epoch_key *slot = &keys->slots[i];
        if (slot->is_set && slot->epoch < now) err = destroy_key(keys, slot, diag);
    }
    const bool is_late = now_s % keys->epoch_s >= keys->epoch_s / 2;
    const uint64_t last = now + SC_EPOCH_KEYS_AHEAD - (is_late ? 0 : 1);
    for (uint64_t epoch = now; epoch <= last && !err; epoch++) {
        const epoch_key *slot = &keys->slots[epoch % SLOTS];
        // A key of the far future is there if the clock was put back: it is left to its time.
        if (!slot->is_set) err = make_key(keys, epoch, diag);
    }
    return err;
}

static const epoch_key *find(const sc_epoch_keys *keys, uint64_t epoch)
{
    const epoch_key *slot = &keys->slots[epoch % SLOTS];
    return slot->is_set && slot->epoch == epoch ? slot : NULL;
}

const sc_pass_key *sc_epoch_keys_at(const sc_epoch_keys *keys, uint64_t epoch)
{
    const epoch_key *slot = find(keys, epoch);
    return slot ? &slot->key : NULL;
}

const uint8_t *sc_epoch_keys_hash_key(const sc_epoch_keys *keys, uint64_t epoch)
{
    const epoch_key *slot = find(keys, epoch);
    return slot ? slot->hash_key : NULL;
}

void sc_epoch_keys_list(const sc_epoch_keys *keys, int64_t now_s, sc_pass_directory *out)
{
    const uint64_t now = sc_pass_epoch(now_s, keys->epoch_s);
    out->count = 0;
    for (uint64_t ahead = SC_EPOCH_KEYS_AHEAD + 1; ahead-- > 0;) {
        const epoch_key *slot = find(keys, now + ahead);
        if (!slot) continue;
        sc_pass_listed_key *listed = &out->keys[out->count++];
        memcpy(listed->spki, slot->key.spki, sizeof listed->spki);
        listed->not_before_s = (int64_t)slot->epoch * keys->epoch_s;
    }
}
