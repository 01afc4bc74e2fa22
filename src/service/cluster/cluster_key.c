// The cluster's key: read, made, and what is derived from it; sealing and unsealing with it.
//
// Errors about a key file never repeat its content. The secret itself is only in memory that
// libsodium locks and guards, or on the stack, and wiped there.
#include "cluster/cluster_key.h"

#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECRET_SIZE = crypto_kdf_KEYBYTES, SECRET_TEXT = 43 };

static const char heading[] = "starcloak-cluster-1 ";
enum { HEADING_SIZE = sizeof heading - 1, LINE_SIZE = HEADING_SIZE + SECRET_TEXT };

_Static_assert(LINE_SIZE + 2 <= SC_CLUSTER_KEY_LINE, "the line fits, with newline and NUL");

/** What must not be set: others may do nothing, and only the owner may write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

/** The uses of the key. Each has a number and eight letters of its own, which never change. */
enum { USE_NAMES = 1, USE_SEAL = 2 };
static const char use_names[crypto_kdf_CONTEXTBYTES + 1] = "sc-names";
static const char use_seal[crypto_kdf_CONTEXTBYTES + 1] = "sc-seals";

struct sc_cluster_key {
    uint8_t names[SC_KEY_SIZE];
    uint8_t seal[SC_SEAL_KEY_SIZE];
};

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
            "and send the messages of the cluster; run 'chmod 600' on it, or 640 for a group",
            path, (unsigned)status.st_mode & 07777);
    }
    return SC_OK;
}

// Up to `room` bytes, to the end of the file; sets how many there were. 0 or an errno.
static int read_all(int fd, char *text, size_t engine_thread, size_t *size)
{
    *size = 0;
    while (*size < engine_thread) {
        const ssize_t got = read(fd, text + *size, engine_thread - *size);
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

static bool parse(const char *text, size_t size, uint8_t secret[SECRET_SIZE])
{
    if (size > 0 && text[size - 1] == '\n') size--;
    size_t bytes = 0;
    return size == LINE_SIZE && memcmp(text, heading, HEADING_SIZE) == 0 &&
           sodium_base642bin(secret, SECRET_SIZE, text + HEADING_SIZE, SECRET_TEXT, NULL, &bytes,
                             NULL, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == 0 &&
           bytes == SECRET_SIZE;
}

static sc_cluster_key *derive(const uint8_t secret[SECRET_SIZE])
{
    sc_cluster_key *key = sodium_malloc(sizeof *key);
    if (!key) return NULL;
    crypto_kdf_derive_from_key(key->names, sizeof key->names, USE_NAMES, use_names, secret);
    crypto_kdf_derive_from_key(key->seal, sizeof key->seal, USE_SEAL, use_seal, secret);
    sodium_mprotect_readonly(key);
    return key;
}

sc_err sc_cluster_key_read(const char *path, sc_cluster_key **out, sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_sodium);
    char text[SC_CLUSTER_KEY_LINE];
    uint8_t secret[SECRET_SIZE];
    size_t size = 0;
    sc_err err = read_text(path, text, &size, diag);
    if (!err && !parse(text, size, secret)) {
        err = sc_fail(diag, SC_EPARSE,
                      "%s: this is not a key file, which is one line: '%s' and %d characters; make "
                      "one with 'starcloak cluster key FILE'",
                      path, heading, (int)SECRET_TEXT);
    }
    sc_cluster_key *key = err ? NULL : derive(secret);
    sodium_memzero(text, sizeof text);
    sodium_memzero(secret, sizeof secret);
    if (err) return err;
    if (!key) return sc_fail_memory(diag, "reading the cluster's key");
    *out = key;
    return SC_OK;
}

void sc_cluster_key_free(sc_cluster_key *key)
{
    sodium_free(key);  // wipes, and accepts NULL
}

sc_err sc_cluster_key_make(char line[SC_CLUSTER_KEY_LINE], sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_sodium);
    uint8_t secret[SECRET_SIZE];
    char text[SECRET_TEXT + 1];
    crypto_kdf_keygen(secret);
    sodium_bin2base64(text, sizeof text, secret, sizeof secret,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    snprintf(line, SC_CLUSTER_KEY_LINE, "%s%s\n", heading, text);
    sodium_memzero(secret, sizeof secret);
    sodium_memzero(text, sizeof text);
    return SC_OK;
}

const uint8_t *sc_cluster_key_names(const sc_cluster_key *key)
{
    return key->names;
}

const uint8_t *sc_cluster_key_seal(const sc_cluster_key *key)
{
    return key->seal;
}

// --- Sealing -----------------------------------------------------------------------------------
//
// A nonce is drawn at random for each message: with 24 bytes of it, no two of one key are ever the
// same, and processes need not agree on a counter.

enum {
    NONCE_SIZE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_SIZE = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert((int)SC_SEAL_EXTRA == (int)NONCE_SIZE + (int)TAG_SIZE, "what the header promises");
_Static_assert((int)SC_SEAL_KEY_SIZE == (int)crypto_aead_xchacha20poly1305_ietf_KEYBYTES,
               "and the key's size");

void sc_seal(const uint8_t *key, const char *subject, const void *plain, size_t size, uint8_t *out)
{
    randombytes_buf(out, NONCE_SIZE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(out + NONCE_SIZE, NULL, plain, size,
                                               (const uint8_t *)subject, strlen(subject), NULL, out,
                                               key);
}

bool sc_unseal(const uint8_t *key, const char *subject, const uint8_t *sealed, size_t size,
               void *out)
{
    if (size < SC_SEAL_EXTRA) return false;
    return crypto_aead_xchacha20poly1305_ietf_decrypt(out, NULL, NULL, sealed + NONCE_SIZE,
                                                      size - NONCE_SIZE, (const uint8_t *)subject,
                                                      strlen(subject), sealed, key) == 0;
}
