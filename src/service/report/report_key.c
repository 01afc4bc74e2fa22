// Keys as PEM. See report_key.h.
//
// These kinds of keys have one encoding each: a few bytes that are always the same, then the key.
// So a file is one line of base64 between two that name it, and no reader of ASN.1 is needed.
#include "report/report_key.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// RFC 8410: PrivateKeyInfo with an octet string of 32 bytes, SubjectPublicKeyInfo. What differs is
// the last byte of the algorithm's number.
static const uint8_t private_head[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                       0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
static const uint8_t public_head[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03,
                                      0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

enum {
    PRIVATE_ALGORITHM_AT = 11,
    PUBLIC_ALGORITHM_AT = 8,
    ALGORITHM_X25519 = 0x6e,
    ALGORITHM_ED25519 = 0x70,
    DER_MOST = sizeof private_head + SC_REPORT_KEY_SIZE,
    PEM_ROOM = 256,
};

/** The bytes of a key of that kind, with its head; returns their number. */
static size_t encode(sc_key_kind kind, bool is_private, const sc_report_key *key,
                     uint8_t out[DER_MOST])
{
    const size_t head = is_private ? sizeof private_head : sizeof public_head;
    memcpy(out, is_private ? private_head : public_head, head);
    out[is_private ? PRIVATE_ALGORITHM_AT : PUBLIC_ALGORITHM_AT] =
        kind == SC_KEY_SIGNING ? ALGORITHM_ED25519 : ALGORITHM_X25519;
    memcpy(out + head, key->bytes, sizeof key->bytes);
    return head + sizeof key->bytes;
}

static size_t write_pem(sc_key_kind kind, bool is_private, const sc_report_key *key,
                        char out[PEM_ROOM])
{
    uint8_t der[DER_MOST];
    char base64[2 * DER_MOST];
    const size_t size = encode(kind, is_private, key, der);
    sodium_bin2base64(base64, sizeof base64, der, size, sodium_base64_VARIANT_ORIGINAL);
    const char *what = is_private ? "PRIVATE" : "PUBLIC";
    const int written = snprintf(
        out, PEM_ROOM, "-----BEGIN %s KEY-----\n%s\n-----END %s KEY-----\n", what, base64, what);
    sodium_memzero(der, sizeof der);
    sodium_memzero(base64, sizeof base64);
    return written > 0 ? (size_t)written : 0;
}

bool sc__report_key_parse(sc_key_kind kind, bool is_private, const char *text, size_t size,
                          sc_report_key *out)
{
    // Written again as it is read, it must be the same text, but for the ends of its lines.
    const char *begin = is_private ? "-----BEGIN PRIVATE KEY-----" : "-----BEGIN PUBLIC KEY-----";
    const size_t begin_size = strlen(begin);
    char plain[PEM_ROOM];
    size_t plain_size = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '\r') continue;
        if (plain_size == sizeof plain || text[i] == '\0') return false;
        plain[plain_size++] = text[i];
    }
    uint8_t der[DER_MOST];
    size_t der_size = 0;
    const char *line = plain + begin_size + 1;
    const char *end = plain_size > begin_size + 1 && memcmp(plain, begin, begin_size) == 0
                          ? memchr(line, '\n', plain_size - begin_size - 1)
                          : NULL;
    bool is_key = end && sodium_base642bin(der, sizeof der, line, (size_t)(end - line), NULL,
                                           &der_size, NULL, sodium_base64_VARIANT_ORIGINAL) == 0;
    sc_report_key key;
    if (is_key && der_size >= sizeof key.bytes) {
        memcpy(key.bytes, der + der_size - sizeof key.bytes, sizeof key.bytes);
        char again[PEM_ROOM];
        const size_t again_size = write_pem(kind, is_private, &key, again);
        // A line feed at the end may be missing.
        is_key = plain_size >= again_size - 1 && plain_size <= again_size &&
                 sodium_memcmp(again, plain, plain_size) == 0;
        sodium_memzero(again, sizeof again);
    } else {
        is_key = false;
    }
    if (is_key) *out = key;
    sodium_memzero(der, sizeof der);
    sodium_memzero(plain, sizeof plain);
    sodium_memzero(&key, sizeof key);
    return is_key;
}

sc_report_key sc_report_key_public(sc_key_kind kind, const sc_report_key *secret)
{
    sc_report_key key = {{0}};
    if (kind == SC_KEY_SIGNING) {
        uint8_t expanded[crypto_sign_SECRETKEYBYTES];
        (void)crypto_sign_seed_keypair(key.bytes, expanded, secret->bytes);
        sodium_memzero(expanded, sizeof expanded);
    } else {
        (void)crypto_scalarmult_base(key.bytes, secret->bytes);
    }
    return key;
}

// --- Files ---------------------------------------------------------------------------------------

/** A new file with that text. */
static sc_err write_file(const char *path, const char *text, size_t size, mode_t mode,
                         sc_diag *diag)
{
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode);
    if (fd < 0) {
        return sc_fail(diag, SC_EIO, "%.400s: cannot write: %s%s", path, strerror(errno),
                       errno == EEXIST ? "; a key is never overwritten: name another file" : "");
    }
    const ssize_t put = write(fd, text, size);
    int why = put == (ssize_t)size ? 0 : put < 0 ? errno : ENOSPC;
    if (!why && fsync(fd) != 0) why = errno;
    if (close(fd) != 0 && !why) why = errno;
    if (!why) return SC_OK;
    unlink(path);
    return sc_fail(diag, SC_EIO, "%.400s: cannot write: %s", path, strerror(why));
}

sc_err sc_report_key_make(sc_key_kind kind, const char *path, sc_diag *diag)
{
    if (sodium_init() < 0) {
        return sc_fail(diag, SC_EIO, "the system's random generator is not available");
    }
    char *public_path = sc_malloc(strlen(path) + sizeof ".pub");
    if (!public_path) return sc_fail_memory(diag, "making a key");
    stpcpy(stpcpy(public_path, path), ".pub");
    char text[PEM_ROOM];
    sc_report_key secret;
    randombytes_buf(secret.bytes, sizeof secret.bytes);
    const sc_report_key key = sc_report_key_public(kind, &secret);
    size_t size = write_pem(kind, true, &secret, text);
    sc_err err = write_file(path, text, size, S_IRUSR | S_IWUSR, diag);
    sodium_memzero(&secret, sizeof secret);
    sodium_memzero(text, sizeof text);
    if (!err) {
        size = write_pem(kind, false, &key, text);
        err = write_file(public_path, text, size, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH, diag);
        // A private key whose public one is not there would only stand in the way.
        if (err) unlink(path);
    }
    sc_free(public_path);
    return err;
}

static sc_err read_key(sc_key_kind kind, bool is_private, const char *path, sc_report_key *out,
                       sc_diag *diag)
{
    struct stat about;
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "libsodium cannot be initialised");
    if (is_private && stat(path, &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
        return sc_fail(diag, SC_EIO,
                       "%.400s: others may read or change this private key; 'chmod 600' it", path);
    }
    sc_file file = {0};
    const sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    const bool is_key =
        sc__report_key_parse(kind, is_private, (const char *)file.input.data, file.input.size, out);
    sc_file_close(&file);
    if (is_key) return SC_OK;
    return sc_fail(diag, SC_EPARSE, "%.400s: this is not a %s key of the kind that is needed (%s)",
                   path, is_private ? "private" : "public",
                   kind == SC_KEY_SIGNING ? "Ed25519, PEM" : "X25519, PEM");
}

sc_err sc_report_key_read_private(sc_key_kind kind, const char *path, sc_report_key *out,
                                  sc_diag *diag)
{
    return read_key(kind, true, path, out, diag);
}

sc_err sc_report_key_read_public(sc_key_kind kind, const char *path, sc_report_key *out,
                                 sc_diag *diag)
{
    return read_key(kind, false, path, out, diag);
}
