// The keys of a cluster: files read and made, and what is derived from them.
//
// Errors about a key file never repeat its content. The secret itself is only in memory that
// libsodium locks and guards, or on the stack, and wiped there.
#include "cluster/cluster_key_internal.h"

#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** Of the gateways' file, and of a worker's: its own key, the broadcast key, the public key. */
enum {
    SECRET_SIZE = crypto_kdf_KEYBYTES,
    SECRET_TEXT = 43,
    PUBLIC_AT = 2 * SC__SEAL_KEY_SIZE,
    WORKER_SIZE = PUBLIC_AT + crypto_sign_PUBLICKEYBYTES,
    WORKER_TEXT = 128,
};

static const char gateways_heading[] = "starcloak-gateways-2 ";
static const char worker_heading[] = "starcloak-worker-2 ";

/** Of versions before keys had roles: one key for all processes. */
static const char old_heading[] = "starcloak-cluster-1 ";

_Static_assert(sizeof gateways_heading + SECRET_TEXT + 1 <= SC_CLUSTER_KEY_LINE, "it fits");
_Static_assert(sizeof worker_heading + SC_PEER_NAME_SIZE + WORKER_TEXT + 1 <= SC_CLUSTER_KEY_LINE,
               "it fits, too");

/** What must not be set: others may do nothing, and only the owner may write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

/** The uses of the gateways' secret. Each has a number and eight letters of its own, which never
 * change. */
enum { USE_NAMES = 1, USE_GATEWAYS = 3, USE_BROADCAST = 4, USE_WORKERS = 5, USE_SIGNING = 6 };
static const char use_names[crypto_kdf_CONTEXTBYTES + 1] = "sc-names";
static const char use_gateways[crypto_kdf_CONTEXTBYTES + 1] = "sc-gates";
static const char use_broadcast[crypto_kdf_CONTEXTBYTES + 1] = "sc-broad";
static const char use_workers[crypto_kdf_CONTEXTBYTES + 1] = "sc-works";
static const char use_signing[crypto_kdf_CONTEXTBYTES + 1] = "sc-signs";

/** And of the secret behind the workers' keys; the number is the worker's. */
static const char use_worker[crypto_kdf_CONTEXTBYTES + 1] = "sc-workr";

/** The highest bit of a worker's number, and where its 31 bits begin. */
#define WORKER_BIT (UINT64_C(1) << 63)
enum { WORKER_SHIFT = 32 };

static const char no_sodium[] = "libsodium cannot be initialised";

// --- A file ------------------------------------------------------------------------------------

static sc_err fail_errno(sc_diag *diag, const char *path, int why)
{
    const char *hint = why == ENOENT   ? "; check the name"
                       : why == EACCES ? "; you do not have permission to read it"
                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot read: %s%s", path, strerror(why), hint);
}

// Nothing is read of a file that others may read, or that is none.
static sc_err check_status(int fd, const char *path, sc_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return fail_errno(diag, path, errno);
    if (!S_ISREG(status.st_mode)) {
        return sc_fail(diag, SC_EIO, "%s: is %s; a file is needed", path,
                       S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    if ((status.st_mode & MODE_FORBIDDEN) != 0) {
        return sc_fail(
            diag, SC_EIO,
            "%s: other users can read or change it (mode %04o), and anyone with the key can read "
            "and send messages of the cluster; run 'chmod 600' on it, or 640 for a group",
            path, (unsigned)status.st_mode & 07777);
    }
    return SC_OK;
}

// Up to `room` bytes, to the end of the file; sets how many there were. 0 or an errno.
static int read_all(int fd, char *text, size_t room, size_t *size)
{
    *size = 0;
    while (*size < room) {
        const ssize_t got = read(fd, text + *size, room - *size);
        if (got == 0) return 0;
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) *size += (size_t)got;
    }
    return 0;
}

// The file's text: one byte of it more than a line has, so that a longer one is noticed.
static sc_err read_text(const char *path, char text[SC_CLUSTER_KEY_LINE], size_t *size,
                        sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail_errno(diag, path, errno);
    sc_err err = check_status(fd, path, diag);
    const int why = err ? 0 : read_all(fd, text, SC_CLUSTER_KEY_LINE, size);
    close(fd);
    return why ? fail_errno(diag, path, why) : err;
}

// --- Its content -------------------------------------------------------------------------------

/** 31 bits of a hash: of two thousand names, two have the same by a chance of one in a thousand,
 * and then share a key. */
static uint32_t number_of_worker(const char *name)
{
    uint8_t hash[crypto_generichash_BYTES_MIN];
    uint32_t number = 0;
    crypto_generichash(hash, sizeof hash, (const uint8_t *)name, strlen(name), NULL, 0);
    for (int i = 0; i < 4; i++) {
        number |= (uint32_t)hash[i] << (8 * i);
    }
    return number & INT32_MAX;
}

static bool begins_with(const char *text, size_t size, const char *heading)
{
    return size >= strlen(heading) && memcmp(text, heading, strlen(heading)) == 0;
}

/** Exactly so many bytes, and nothing behind them. */
static bool decode(const char *text, size_t size, uint8_t *out, size_t wanted)
{
    size_t bytes = 0;
    return sodium_base642bin(out, wanted, text, size, NULL, &bytes, NULL,
                             sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
           bytes == wanted;
}

static void derive(const uint8_t secret[SECRET_SIZE], sc_cluster_key *key)
{
    uint8_t seed[crypto_sign_SEEDBYTES];
    // With these sizes none of them can fail.
    crypto_kdf_derive_from_key(key->names, sizeof key->names, USE_NAMES, use_names, secret);
    crypto_kdf_derive_from_key(key->gateways, sizeof key->gateways, USE_GATEWAYS, use_gateways,
                               secret);
    crypto_kdf_derive_from_key(key->broadcast, sizeof key->broadcast, USE_BROADCAST, use_broadcast,
                               secret);
    crypto_kdf_derive_from_key(key->workers, sizeof key->workers, USE_WORKERS, use_workers, secret);
    crypto_kdf_derive_from_key(seed, sizeof seed, USE_SIGNING, use_signing, secret);
    crypto_sign_seed_keypair(key->public_key, key->secret_key, seed);
    sodium_memzero(seed, sizeof seed);
}

static bool parse_gateways(const char *text, size_t size, sc_cluster_key *key)
{
    uint8_t secret[SECRET_SIZE];
    const size_t heading = strlen(gateways_heading);
    const bool is_fine =
        size == heading + SECRET_TEXT && decode(text + heading, SECRET_TEXT, secret, sizeof secret);
    if (is_fine) derive(secret, key);
    sodium_memzero(secret, sizeof secret);
    return is_fine;
}

static bool parse_worker(const char *text, size_t size, sc_cluster_key *key)
{
    const char *name = text + strlen(worker_heading);
    const char *space = memchr(name, ' ', size - strlen(worker_heading));
    if (!space || !sc_peer_name_is_valid(name, (size_t)(space - name)) ||
        (size_t)(text + size - space) != 1 + WORKER_TEXT) {
        return false;
    }
    uint8_t secret[WORKER_SIZE];
    const bool is_fine = decode(space + 1, WORKER_TEXT, secret, sizeof secret);
    if (is_fine) {
        memcpy(key->worker, name, (size_t)(space - name));
        key->worker_number = number_of_worker(key->worker);
        memcpy(key->own, secret, sizeof key->own);
        memcpy(key->broadcast, secret + SC__SEAL_KEY_SIZE, sizeof key->broadcast);
        memcpy(key->public_key, secret + PUBLIC_AT, sizeof key->public_key);
    }
    sodium_memzero(secret, sizeof secret);
    return is_fine;
}

/** Fills `key` in, or explains why not. */
static sc_err parse(const char *text, size_t size, const char *path, sc_cluster_role role,
                    sc_cluster_key *key, sc_diag *diag)
{
    if (size > 0 && text[size - 1] == '\n') size--;
    const bool is_gateways = begins_with(text, size, gateways_heading);
    const bool is_worker = begins_with(text, size, worker_heading);
    if (begins_with(text, size, old_heading)) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: a key of an earlier version, which workers and gateways shared; make a "
                       "new one for the gateways with 'starcloak cluster key FILE', and one for "
                       "each worker with 'starcloak cluster key --worker NAME --from FILE'",
                       path);
    }
    if (is_gateways && role == SC_CLUSTER_WORKER) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: the key of the gateways, which no worker may have; make one for this "
                       "worker with 'starcloak cluster key --worker NAME --from FILE'",
                       path);
    }
    if (is_worker && role == SC_CLUSTER_GATEWAY) {
        return sc_fail(diag, SC_EINVAL,
                       "%s: the key of a worker; gateways and 'cluster status' need the one that "
                       "'starcloak cluster key FILE' made",
                       path);
    }
    if ((is_gateways && parse_gateways(text, size, key)) ||
        (is_worker && parse_worker(text, size, key))) {
        key->role = role;
        return SC_OK;
    }
    return sc_fail(diag, SC_EPARSE,
                   "%s: this is not a key file, which is one line that begins with '%s' or '%s'; "
                   "make one with 'starcloak cluster key FILE'",
                   path, gateways_heading, worker_heading);
}

sc_err sc_cluster_key_parse(const char *text, size_t size, const char *path, sc_cluster_role role,
                            sc_cluster_key **out, sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_sodium);
    sc_cluster_key *key = sodium_malloc(sizeof *key);
    if (!key) return sc_fail_memory(diag, "reading the cluster's key");
    memset(key, 0, sizeof *key);
    const sc_err err = parse(text, size, path, role, key, diag);
    if (err) {
        sodium_free(key);
        return err;
    }
    sodium_mprotect_readonly(key);
    *out = key;
    return SC_OK;
}

sc_err sc_cluster_key_read(const char *path, sc_cluster_role role, sc_cluster_key **out,
                           sc_diag *diag)
{
    char text[SC_CLUSTER_KEY_LINE];
    size_t size = 0;
    sc_err err = read_text(path, text, &size, diag);
    if (!err) err = sc_cluster_key_parse(text, size, path, role, out, diag);
    explicit_bzero(text, sizeof text);
    return err;
}

void sc_cluster_key_free(sc_cluster_key *key)
{
    sodium_free(key);  // wipes, and accepts NULL
}

// --- New keys ----------------------------------------------------------------------------------

sc_err sc_cluster_key_make(char line[SC_CLUSTER_KEY_LINE], sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_sodium);
    uint8_t secret[SECRET_SIZE];
    char text[SECRET_TEXT + 1];
    crypto_kdf_keygen(secret);
    sodium_bin2base64(text, sizeof text, secret, sizeof secret,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    snprintf(line, SC_CLUSTER_KEY_LINE, "%s%s\n", gateways_heading, text);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(text, sizeof text);
    return SC_OK;
}

sc_err sc_cluster_key_make_worker(const sc_cluster_key *gateways, const char *name,
                                  char line[SC_CLUSTER_KEY_LINE], sc_diag *diag)
{
    if (!sc_peer_name_is_valid(name, strlen(name))) {
        return sc_fail(diag, SC_EINVAL,
                       "a worker's name must be 1 to %d letters, digits, '-', '_' and '.'",
                       SC_PEER_NAME_SIZE - 1);
    }
    uint8_t secret[WORKER_SIZE];
    char text[WORKER_TEXT + 1];
    sc__cluster_key_of_worker(gateways, number_of_worker(name), secret);
    memcpy(secret + SC__SEAL_KEY_SIZE, gateways->broadcast, sizeof gateways->broadcast);
    memcpy(secret + PUBLIC_AT, gateways->public_key, sizeof gateways->public_key);
    sodium_bin2base64(text, sizeof text, secret, sizeof secret,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    snprintf(line, SC_CLUSTER_KEY_LINE, "%s%s %s\n", worker_heading, name, text);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(text, sizeof text);
    return SC_OK;
}

// --- What is derived ---------------------------------------------------------------------------

void sc__cluster_key_of_worker(const sc_cluster_key *key, uint32_t number,
                               uint8_t out[SC__SEAL_KEY_SIZE])
{
    crypto_kdf_derive_from_key(out, SC__SEAL_KEY_SIZE, number, use_worker, key->workers);
}

const uint8_t *sc_cluster_key_names(const sc_cluster_key *key)
{
    return key->role == SC_CLUSTER_GATEWAY ? key->names : NULL;
}

const char *sc_cluster_key_worker(const sc_cluster_key *key)
{
    return key->worker;
}

bool sc_peer_is_worker(sc_peer peer)
{
    return (peer & WORKER_BIT) != 0;
}

sc_peer sc_peer_key(sc_peer peer)
{
    return sc_peer_is_worker(peer) ? peer & ~(sc_peer)UINT32_MAX : 0;
}

sc_peer sc_cluster_key_draw_peer(const sc_cluster_key *key)
{
    sc_peer peer = SC_PEER_NONE;
    while (peer == SC_PEER_NONE) {
        randombytes_buf(&peer, sizeof peer);
        peer &= ~WORKER_BIT;
    }
    if (key->role == SC_CLUSTER_GATEWAY) return peer;
    return WORKER_BIT | (sc_peer)key->worker_number << WORKER_SHIFT | (peer & UINT32_MAX);
}
