// The keys of a gateway: their times, their files.
//
// Invariants: there is at least one key; numbers differ; from_s < until_s <= end_s; keys are in the
// order in which they were made, and each is published no earlier than the one before.
#include "oblivious/oblivious_keys.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** One key. */
typedef struct gateway_key {
    int64_t from_s;
    int64_t until_s;
    int64_t end_s;
    uint8_t seed[SC_OHTTP_SEED_SIZE];
    uint8_t secret_key[SC_HPKE_KEY_SIZE];
    sc_ohttp_config config;
} gateway_key;

struct sc_ohttp_keys {
    size_t count;
    gateway_key keys[SC_OHTTP_KEYS_MAX];
};

/** Everything that follows from number, times and seed. AES first: it is the faster one on servers,
 * and clients without it choose the other. */
static void add_key(sc_ohttp_keys *keys, const gateway_key *from)
{
    gateway_key *key = &keys->keys[keys->count++];
    *key = *from;
    key->config.aeads[0] = SC_AEAD_AES_128_GCM;
    key->config.aeads[1] = SC_AEAD_CHACHA20_POLY1305;
    key->config.aead_count = 2;
    sc_hpke_derive_key_pair(key->seed, sizeof key->seed, key->secret_key, key->config.public_key);
}

void sc_ohttp_keys_free(sc_ohttp_keys *keys)
{
    sc_free_wiped(keys, 1, sizeof *keys);
}

size_t sc_ohttp_keys_count(const sc_ohttp_keys *keys)
{
    return keys->count;
}

static const gateway_key *find_key(const sc_ohttp_keys *keys, unsigned id)
{
    for (size_t i = 0; i < keys->count; i++) {
        if (keys->keys[i].config.key_id == id) return &keys->keys[i];
    }
    return NULL;
}

// --- Rotation ------------------------------------------------------------------------------------

/** The number after the last one's. 256 of them go round; one is only used again when the key that
 * had it has long ended. */
static uint8_t next_id(const sc_ohttp_keys *keys, const gateway_key *last)
{
    uint8_t id = last ? (uint8_t)(last->config.key_id + 1) : 1;
    while (find_key(keys, id)) {
        id++;
    }
    return id;
}

sc_err sc_ohttp_keys_rotate(const sc_ohttp_keys *old, int64_t now_s,
                            const sc_ohttp_rotation *rotation,
                            const uint8_t seed[SC_OHTTP_SEED_SIZE], sc_ohttp_keys **out, bool *made)
{
    static const int64_t longest_s = INT64_C(1) << 32;
    if (rotation->period_s < 1 || rotation->period_s > longest_s || rotation->grace_s < 0 ||
        rotation->grace_s > rotation->period_s || now_s < 0 || now_s > longest_s * 4) {
        return SC_EINVAL;
    }
    sc_ohttp_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return SC_ENOMEM;
    for (size_t i = 0; old && i < old->count; i++) {
        if (old->keys[i].end_s > now_s) keys->keys[keys->count++] = old->keys[i];
    }
    const gateway_key *last = old ? &old->keys[old->count - 1] : NULL;
    const bool is_due = keys->count == 0 || !last || last->until_s - rotation->grace_s <= now_s;
    if (is_due && keys->count == SC_OHTTP_KEYS_MAX) {
        sc_ohttp_keys_free(keys);
        return SC_ELIMIT;
    }
    if (is_due) {
        const bool follows = last && last->until_s > now_s;
        gateway_key next = {.from_s = follows ? last->until_s : now_s};
        next.until_s = next.from_s + rotation->period_s;
        next.end_s = next.until_s + rotation->grace_s;
        next.config.key_id = next_id(keys, last);
        memcpy(next.seed, seed, sizeof next.seed);
        add_key(keys, &next);
        sodium_memzero(&next, sizeof next);
    }
    *out = keys;
    *made = is_due;
    return SC_OK;
}

static bool is_published(const gateway_key *key, int64_t now_s)
{
    return key->from_s <= now_s && now_s < key->until_s;
}

size_t sc_ohttp_keys_list(const sc_ohttp_keys *keys, int64_t now_s,
                          uint8_t out[SC_OHTTP_KEYS_LIST_MAX], int64_t *until_s)
{
    size_t size = 0;
    const gateway_key *last = NULL;
    // The newest first: clients take the first one that they can use.
    for (size_t i = keys->count; i-- > 0;) {
        const gateway_key *key = &keys->keys[i];
        if (!is_published(key, now_s)) continue;
        size += sc_ohttp_configs_encode(&key->config, 1, out + size);
        if (!last || key->until_s < last->until_s) last = key;
    }
    if (until_s && last) *until_s = last->until_s;
    for (size_t i = keys->count; i-- > 0 && size == 0;) {
        const gateway_key *key = &keys->keys[i];
        if (key->from_s > now_s || key->end_s <= now_s) continue;
        size = sc_ohttp_configs_encode(&key->config, 1, out);
        if (until_s) *until_s = now_s;
    }
    return size;
}

sc_err sc_ohttp_keys_open(const sc_ohttp_keys *keys, int64_t now_s, const uint8_t *bytes,
                          size_t size, uint8_t *out, size_t *out_size, sc_ohttp_exchange *exchange)
{
    uint8_t id = 0;
    const sc_err err = sc_ohttp_request_key_id(bytes, size, &id);
    if (err) return err;
    // Before its turn, too: another gateway's clock may be ahead, and its clients have the key.
    const gateway_key *key = find_key(keys, id);
    if (!key || key->end_s <= now_s) return SC_EUNKNOWN;
    return sc_ohttp_open_request(&key->config, key->secret_key, bytes, size, out, out_size,
                                 exchange);
}

// --- Files: text ---------------------------------------------------------------------------------

static const char heading[] = "starcloak-ohttp-keys-1";

enum { SEED_TEXT = 43 };  ///< 32 bytes in base64url without padding

size_t sc_ohttp_keys_print(const sc_ohttp_keys *keys, char out[SC_OHTTP_KEYS_TEXT_MAX])
{
    _Static_assert(sizeof heading + (size_t)SC_OHTTP_KEYS_MAX * (4 + 3 * 21 + SEED_TEXT + 2) <=
                       SC_OHTTP_KEYS_TEXT_MAX,
                   "all keys fit");
    char seed[SEED_TEXT + 1];
    int size = snprintf(out, SC_OHTTP_KEYS_TEXT_MAX, "%s\n", heading);
    for (size_t i = 0; i < keys->count; i++) {
        const gateway_key *key = &keys->keys[i];
        sodium_bin2base64(seed, sizeof seed, key->seed, sizeof key->seed,
                          sodium_base64_VARIANT_URLSAFE_NO_PADDING);
        size += snprintf(out + size, SC_OHTTP_KEYS_TEXT_MAX - (size_t)size,
                         "%u %lld %lld %lld %s\n", key->config.key_id, (long long)key->from_s,
                         (long long)key->until_s, (long long)key->end_s, seed);
    }
    sodium_memzero(seed, sizeof seed);
    return (size_t)size;
}

static bool read_time(sc_slice *line, int64_t *out)
{
    sc_slice field;
    return sc_slice_field(line, &field) && sc_slice_i64(field, out) && *out >= 0;
}

/** Whether a line is a key, and goes with those before it. */
static bool read_key(sc_slice line, const sc_ohttp_keys *before, gateway_key *out)
{
    sc_slice id;
    sc_slice seed;
    sc_slice more;
    uint64_t number = 0;
    size_t size = 0;
    *out = (gateway_key){0};
    if (!sc_slice_field(&line, &id) || !sc_slice_u64(id, &number) || number > UINT8_MAX ||
        !read_time(&line, &out->from_s) || !read_time(&line, &out->until_s) ||
        !read_time(&line, &out->end_s) || !sc_slice_field(&line, &seed) ||
        sc_slice_field(&line, &more)) {
        return false;
    }
    out->config.key_id = (uint8_t)number;
    return sodium_base642bin(out->seed, sizeof out->seed, seed.text, seed.size, NULL, &size, NULL,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
           size == sizeof out->seed && seed.size == SEED_TEXT && out->from_s < out->until_s &&
           out->until_s <= out->end_s && !find_key(before, out->config.key_id) &&
           (before->count == 0 || before->keys[before->count - 1].from_s <= out->from_s);
}

static sc_err read_keys(const sc_input *input, sc_ohttp_keys *keys, sc_diag *diag)
{
    sc_lines lines = sc_lines_of(input);
    sc_slice line;
    if (!sc_lines_next(&lines, &line) || !sc_slice_is(line, heading)) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: this is not a file of gateway keys, whose first line is '%s'",
                       input->name, heading);
    }
    while (sc_lines_next(&lines, &line)) {
        if (keys->count == SC_OHTTP_KEYS_MAX) {
            return sc_fail(diag, SC_EPARSE, "%s: there are more than %d keys", input->name,
                           SC_OHTTP_KEYS_MAX);
        }
        gateway_key key;
        const bool is_key = read_key(line, keys, &key);
        if (is_key) add_key(keys, &key);
        sodium_memzero(&key, sizeof key);
        if (!is_key) {
            return sc_fail(diag, SC_EPARSE,
                           "%s:%llu: this is not a key: a number of its own below 256, three times "
                           "that ascend, and a seed of 43 characters; restore the file, or remove "
                           "it for a new key",
                           input->name, (unsigned long long)lines.line);
        }
    }
    if (keys->count > 0) return SC_OK;
    return sc_fail(diag, SC_EPARSE, "%s: there is no key in it; remove the file for a new one",
                   input->name);
}

sc_err sc_ohttp_keys_parse(const char *name, const char *text, size_t size, sc_ohttp_keys **out,
                           sc_diag *diag)
{
    sc_ohttp_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return sc_fail_memory(diag, "reading the gateway's keys");
    const sc_input input = {name, (const uint8_t *)text, size};
    const sc_err err = read_keys(&input, keys, diag);
    if (err) {
        sc_ohttp_keys_free(keys);
        return err;
    }
    *out = keys;
    return SC_OK;
}

// --- Files: reading and writing ------------------------------------------------------------------

/** What must not be set: others may do nothing, and only the owner may write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

static sc_err check_status(int fd, const char *path, sc_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) {
        return sc_fail(diag, SC_EIO, "%s: cannot read: %s", path, strerror(errno));
    }
    if (!S_ISREG(status.st_mode)) {
        return sc_fail(diag, SC_EIO, "%s: is %s; a file is needed", path,
                       S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    if ((status.st_mode & MODE_FORBIDDEN) != 0) {
        return sc_fail(
            diag, SC_EIO,
            "%s: other users can read or change it (mode %04o), and anyone with its keys "
            "can open the requests of all clients; run 'chmod 600' on it",
            path, (unsigned)status.st_mode & 07777);
    }
    return SC_OK;
}

sc_err sc_ohttp_keys_read(const char *path, sc_ohttp_keys **out, sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        const sc_err err = errno == ENOENT ? SC_EUNKNOWN : SC_EIO;
        return sc_fail(diag, err, "%s: cannot read: %s", path, strerror(errno));
    }
    char text[SC_OHTTP_KEYS_TEXT_MAX + 1];
    size_t size = 0;
    sc_err err = check_status(fd, path, diag);
    for (ssize_t got = 1; !err && got != 0 && size < sizeof text;) {
        got = read(fd, text + size, sizeof text - size);
        if (got > 0) size += (size_t)got;
        if (got < 0 && errno != EINTR) {
            err = sc_fail(diag, SC_EIO, "%s: cannot read: %s", path, strerror(errno));
        }
    }
    close(fd);
    if (!err && size > SC_OHTTP_KEYS_TEXT_MAX) {
        err = sc_fail(diag, SC_EPARSE, "%s: it is too large to be a file of gateway keys", path);
    }
    if (!err) err = sc_ohttp_keys_parse(path, text, size, out, diag);
    sodium_memzero(text, sizeof text);
    return err;
}

/** All bytes, down to the disk; 0 or an errno. */
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno != EINTR) return errno;
        if (put > 0) {
            text += put;
            size -= (size_t)put;
        }
    }
    return fsync(fd) == 0 ? 0 : errno;
}

sc_err sc_ohttp_keys_write(const char *path, const sc_ohttp_keys *keys, sc_diag *diag)
{
    static const char suffix[] = ".new";
    char *temporary = sc_malloc(strlen(path) + sizeof suffix);
    if (!temporary) return sc_fail_memory(diag, "writing the gateway's keys");
    memcpy(temporary, path, strlen(path));
    memcpy(temporary + strlen(path), suffix, sizeof suffix);
    char text[SC_OHTTP_KEYS_TEXT_MAX];
    const size_t size = sc_ohttp_keys_print(keys, text);
    // What an earlier attempt may have left; it had rights of its own.
    unlink(temporary);
    const int fd = open(temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    int why = fd < 0 ? errno : write_all(fd, text, size);
    if (fd >= 0 && close(fd) != 0 && !why) why = errno;
    if (!why && rename(temporary, path) != 0) why = errno;
    if (why && fd >= 0) unlink(temporary);
    sodium_memzero(text, sizeof text);
    sc_free(temporary);
    return why ? sc_fail(diag, SC_EIO, "%s: cannot write: %s", path, strerror(why)) : SC_OK;
}
