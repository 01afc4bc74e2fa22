// Tokens: written, read and checked; and the keys that sign them, in files.
//
// The tag is over the bytes, and their base64 has one form only (stray bits at its end are
// refused), so no other text of a token passes than the one that was issued.
#include "server/token.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "base/utf8.h"
#include "server/token_internal.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Whole files by read(), for what an operator may edit while the service runs ---------------

static sc_err fail_errno(sc_diag *diag, const char *path, int why)
{
    const char *hint = why == ENOENT   ? "; check the name"
                       : why == EACCES ? "; you do not have permission to read it"
                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot read: %s%s", path, strerror(why), hint);
}

// Up to `room` bytes, to the end of the file; sets how many there were. 0 or an errno.
static int read_all(int fd, uint8_t *bytes, size_t room, size_t *size)
{
    *size = 0;
    while (*size < room) {
        const ssize_t got = read(fd, bytes + *size, room - *size);
        if (got == 0) return 0;
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) *size += (size_t)got;
    }
    return 0;
}

static sc_err read_open(int fd, const char *path, size_t max_size, sc_input *out, mode_t *mode,
                        sc_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return fail_errno(diag, path, errno);
    if (!S_ISREG(status.st_mode)) {
        return sc_fail(diag, SC_EIO, "%s: is %s; a file is needed", path,
                       S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    if ((uint64_t)status.st_size > max_size) {
        return sc_fail(diag, SC_ELIMIT,
                       "%s: is larger than %zu bytes; check that it is the right file", path,
                       max_size);
    }
    // One byte more than it has, so that one that grows meanwhile is noticed and not cut.
    const size_t room = (size_t)status.st_size + 1;
    sc_input file = {.name = path, .size = room};
    uint8_t *bytes = sc_malloc(room);
    if (!bytes) return sc_fail_memory(diag, "reading a file");
    file.data = bytes;
    const int why = read_all(fd, bytes, room, &file.size);
    if (why || file.size == room) {
        sc__small_file_free(&file);
        return why ? fail_errno(diag, path, why)
                   : sc_fail(diag, SC_EIO, "%s: the file is being written; try again", path);
    }
    if (mode) *mode = status.st_mode & 07777;
    *out = file;
    return SC_OK;
}

sc_err sc__small_file_read(const char *path, size_t max_size, sc_input *out, mode_t *mode,
                           sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail_errno(diag, path, errno);
    const sc_err err = read_open(fd, path, max_size, out, mode, diag);
    close(fd);
    return err;
}

void sc__small_file_free(sc_input *file)
{
    uint8_t *bytes = (uint8_t *)(uintptr_t)file->data;
    if (bytes) sodium_memzero(bytes, file->size);
    sc_free(bytes);
    *file = (sc_input){0};
}

// --- Keys --------------------------------------------------------------------------------------
//
// Errors about a key file name its line, never its content.

enum { HEX_SIZE = 2 * SC__TOKEN_KEY_SIZE };

/** Comments and eight keys take a small part of it. */
enum { KEY_FILE_MAX = 65536 };

/** What must not be set: others may do nothing, and only the owner may write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

static const char no_randomness[] = "the system's random generator is not available";

sc_token_keys *sc_token_keys_hold(sc_token_keys *keys)
{
    atomic_fetch_add(&keys->others, 1);
    return keys;
}

void sc_token_keys_free(sc_token_keys *keys)
{
    if (!keys || atomic_fetch_sub(&keys->others, 1) > 0) return;
    sodium_memzero(keys, sizeof *keys);
    sc_free(keys);
}

size_t sc_token_keys_count(const sc_token_keys *keys)
{
    return keys->count;
}

void sc_token_keys_derive(const sc_token_keys *keys, size_t key, const char use[8], uint64_t part,
                          uint8_t *out, size_t size)
{
    static_assert(SC__TOKEN_KEY_SIZE == crypto_kdf_KEYBYTES, "a key to derive from");
    static_assert(crypto_kdf_CONTEXTBYTES == 8, "the name of a use");
    crypto_kdf_derive_from_key(out, size, part, use, keys->keys[key]);
}

sc_err sc_token_keys_new(sc_token_keys **out)
{
    // Harmless when repeated, and from any thread.
    if (sodium_init() < 0) return SC_EIO;
    sc_token_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return SC_ENOMEM;
    keys->count = 1;
    randombytes_buf(keys->keys[0], SC__TOKEN_KEY_SIZE);
    *out = keys;
    return SC_OK;
}

// --- Keys: reading -----------------------------------------------------------------------------

static sc_err parse_line(const sc_lines *lines, sc_slice line, sc_token_keys *keys, sc_diag *diag)
{
    sc_slice key;
    sc_slice more;
    if (!sc_slice_field(&line, &key) || key.text[0] == '#') return SC_OK;
    if (keys->count == SC_TOKEN_KEYS_MAX) {
        return sc_fail(diag, SC_EPARSE, "%s:%" PRIu64 ": more than %d keys; remove old ones",
                       lines->input->name, lines->line, SC_TOKEN_KEYS_MAX);
    }
    size_t size = 0;
    if (key.size != HEX_SIZE || sc_slice_field(&line, &more) ||
        sodium_hex2bin(keys->keys[keys->count], SC__TOKEN_KEY_SIZE, key.text, key.size, NULL, &size,
                       NULL) != 0 ||
        size != SC__TOKEN_KEY_SIZE) {
        return sc_lines_fail_line(lines, diag, "this is not a key; a key is 64 hexadecimal digits");
    }
    keys->count++;
    return SC_OK;
}

sc_err sc__token_keys_parse(const sc_input *input, sc_token_keys **out, sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_randomness);
    sc_token_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return sc_fail_memory(diag, "reading token keys");
    sc_err err = SC_OK;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice line; !err && sc_lines_next(&lines, &line);) {
        err = parse_line(&lines, line, keys, diag);
    }
    if (!err && keys->count == 0) {
        err = sc_fail(diag, SC_EPARSE,
                      "%s: the file has no key; make one with 'starcloak token key FILE'",
                      input->name);
    }
    if (err) {
        sc_token_keys_free(keys);
        return err;
    }
    *out = keys;
    return SC_OK;
}

sc_err sc_token_keys_read(const char *path, sc_token_keys **out, sc_diag *diag)
{
    sc_input file = {0};
    mode_t mode = 0;
    sc_err err = sc__small_file_read(path, KEY_FILE_MAX, &file, &mode, diag);
    // A key file of that size is no key file.
    if (err) return err == SC_ELIMIT ? SC_EPARSE : err;
    if ((mode & MODE_FORBIDDEN) != 0) {
        err = sc_fail(diag, SC_EIO,
                      "%s: other users can read or change it (mode %04o), and anyone with a key "
                      "can ask as any user; run 'chmod 600' on it, or 640 for a group",
                      path, (unsigned)mode);
    } else {
        err = sc__token_keys_parse(&file, out, diag);
    }
    sc__small_file_free(&file);
    return err;
}

// --- Keys: writing -----------------------------------------------------------------------------

static sc_err fail_write(sc_diag *diag, const char *path, int why)
{
    if (why == EEXIST) {
        return sc_fail(diag, SC_EIO,
                       "%s: the file exists already, and keys are never replaced, since tokens "
                       "depend on them; choose another name",
                       path);
    }
    const char *hint = why == ENOENT ? "; its directory does not exist"
                       : why == EACCES || why == EROFS
                           ? "; choose a place where you have permission to write"
                           : "";
    return sc_fail(diag, SC_EIO, "%s: cannot write: %s%s", path, strerror(why), hint);
}

// All bytes, down to the disk; 0 or an errno.
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

sc_err sc_token_keys_write(const char *path, sc_diag *diag)
{
    static const char heading[] = "# A key that signs StarCloak's tokens. Anyone who has it can "
                                  "ask as any user; keep it secret.\n";
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_randomness);
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) return fail_write(diag, path, errno);

    uint8_t key[SC__TOKEN_KEY_SIZE];
    char hex[HEX_SIZE + 1];
    char text[sizeof heading + sizeof hex];
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(hex, sizeof hex, key, sizeof key);
    const int size = snprintf(text, sizeof text, "%s%s\n", heading, hex);
    int why = write_all(fd, text, (size_t)size);
    if (close(fd) != 0 && !why) why = errno;
    sodium_memzero(key, sizeof key);
    sodium_memzero(hex, sizeof hex);
    sodium_memzero(text, sizeof text);
    if (!why) return SC_OK;
    unlink(path);  // half a key would stand in the way of a whole one
    return fail_write(diag, path, why);
}

// --- Tokens ------------------------------------------------------------------------------------

static const char prefix[] = "sct1_";
enum { PREFIX_SIZE = sizeof prefix - 1 };

/** What is signed first: "sct1", so that no tag of something else fits a token. */
enum { MARK_SIZE = PREFIX_SIZE - 1 };

enum {
    HEAD_SIZE = 24,  ///< issued, expires, serial
    TAG_SIZE = 16,
    BYTES_MIN = HEAD_SIZE + 1 + TAG_SIZE,
    BYTES_MAX = HEAD_SIZE + SC_TOKEN_USER_MAX + TAG_SIZE,
};

static_assert(PREFIX_SIZE + sodium_base64_ENCODED_LEN(BYTES_MAX,
                                                      sodium_base64_VARIANT_URLSAFE_NO_PADDING) <=
                  SC_TOKEN_SIZE,
              "the longest token fits");

/** A token as bytes. */
typedef struct raw_token {
    size_t size;
    uint8_t bytes[BYTES_MAX];
} raw_token;

// --- Tokens: bytes -----------------------------------------------------------------------------

static void put_u64(uint8_t *out, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t get_u64(const uint8_t *bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

bool sc__user_is_name(const char *user, size_t size)
{
    if (size == 0 || size > SC_TOKEN_USER_MAX) return false;
    while (size > 0) {
        const unsigned char c = (unsigned char)user[0];
        const size_t step = sc_utf8_size(user, size);
        // C0 with NUL, DEL, and C1, which is two bytes.
        if (step == 0 || c < 0x20 || c == 0x7f) return false;
        if (c == 0xc2 && (unsigned char)user[1] < 0xa0) return false;
        user += step;
        size -= step;
    }
    return true;
}

/** Sign all but the last TAG_SIZE bytes. */
static void sign(const uint8_t key[SC__TOKEN_KEY_SIZE], const raw_token *raw, uint8_t tag[TAG_SIZE])
{
    uint8_t text[MARK_SIZE + BYTES_MAX];
    const size_t size = raw->size - TAG_SIZE;
    memcpy(text, prefix, MARK_SIZE);
    memcpy(text + MARK_SIZE, raw->bytes, size);
    crypto_generichash(tag, TAG_SIZE, text, MARK_SIZE + size, key, SC__TOKEN_KEY_SIZE);
    sodium_memzero(text, sizeof text);
}

void sc__user_hash(const sc_token_keys *keys, size_t key, const char *user, size_t size,
                   uint8_t out[SC__USER_HASH_SIZE])
{
    // Not what is signed begins with, so a hash is never a tag.
    static const char mark[4] = "scu1";
    uint8_t text[sizeof mark + SC_TOKEN_USER_MAX];
    memcpy(text, mark, sizeof mark);
    memcpy(text + sizeof mark, user, size);
    crypto_generichash(out, SC__USER_HASH_SIZE, text, sizeof mark + size, keys->keys[key],
                       SC__TOKEN_KEY_SIZE);
    sodium_memzero(text, sizeof text);
}

// --- Tokens: writing ---------------------------------------------------------------------------

sc_err sc_token_issue(const sc_token_keys *keys, const char *user, int64_t issued_s,
                      int64_t expires_s, char out[SC_TOKEN_SIZE], sc_diag *diag)
{
    const size_t user_size = strlen(user);
    if (!sc__user_is_name(user, user_size)) {
        return sc_fail(
            diag, SC_EINVAL,
            "the name of a user must be 1 to %d bytes of UTF-8 without control characters",
            SC_TOKEN_USER_MAX);
    }
    if (issued_s < 0 || expires_s <= issued_s) {
        return sc_fail(diag, SC_EINVAL, "a token must expire after it is issued");
    }
    raw_token raw = {.size = HEAD_SIZE + user_size + TAG_SIZE};
    put_u64(raw.bytes, (uint64_t)issued_s);
    put_u64(raw.bytes + 8, (uint64_t)expires_s);
    randombytes_buf(raw.bytes + 16, 8);
    memcpy(raw.bytes + HEAD_SIZE, user, user_size);
    sign(keys->keys[0], &raw, raw.bytes + raw.size - TAG_SIZE);

    memcpy(out, prefix, PREFIX_SIZE);
    sodium_bin2base64(out + PREFIX_SIZE, SC_TOKEN_SIZE - PREFIX_SIZE, raw.bytes, raw.size,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    sodium_memzero(&raw, sizeof raw);
    return SC_OK;
}

// --- Tokens: reading ---------------------------------------------------------------------------

// What each letter of base64url stands for, and one; from the blank on. A table and not libsodium,
// whose reader takes the same time for all letters and thereby seven times as long as this: that
// protects secrets against timing, and this text is no secret to its sender.
// clang-format off
static const uint8_t letter_values[] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 63, 0, 0,
    53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 0, 0, 0, 0, 0, 0,
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 0, 0, 0, 0, 64,
    0, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41,
    42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 0, 0, 0, 0, 0,
};
// clang-format on

/** What a letter stands for, and one; 0: it is none. */
static unsigned value_of(char c)
{
    const unsigned letter = (unsigned char)c - (unsigned)' ';
    return letter < sizeof letter_values ? letter_values[letter] : 0;
}

/** Four letters are three bytes. False if one of them is none. */
static bool decode_four(const char *text, uint8_t *bytes)
{
    const unsigned a = value_of(text[0]);
    const unsigned b = value_of(text[1]);
    const unsigned c = value_of(text[2]);
    const unsigned d = value_of(text[3]);
    if (a == 0 || b == 0 || c == 0 || d == 0) return false;
    const unsigned bits = (a - 1) << 18 | (b - 1) << 12 | (c - 1) << 6 | (d - 1);
    bytes[0] = (uint8_t)(bits >> 16);
    bytes[1] = (uint8_t)(bits >> 8);
    bytes[2] = (uint8_t)bits;
    return true;
}

static bool decode_letters(const char *text, size_t size, raw_token *raw)
{
    uint32_t bits = 0;
    unsigned bit_count = 0;
    raw->size = 0;
    if (size * 6 / 8 > sizeof raw->bytes) return false;
    for (; size >= 4; size -= 4, text += 4, raw->size += 3) {
        if (!decode_four(text, raw->bytes + raw->size)) return false;
    }
    for (size_t i = 0; i < size; i++) {
        const unsigned value = value_of(text[i]);
        if (value == 0) return false;
        bits = bits << 6 | (value - 1);
        bit_count += 6;
        if (bit_count >= 8) {
            bit_count -= 8;
            raw->bytes[raw->size++] = (uint8_t)(bits >> bit_count);
        }
    }
    // A letter that adds no byte, or bits of the last one that belong to none.
    return bit_count < 6 && (bits & ((1U << bit_count) - 1)) == 0;
}

static bool decode(const char *text, raw_token *raw)
{
    const size_t size = strnlen(text, SC_TOKEN_SIZE);
    return size < SC_TOKEN_SIZE && strncmp(text, prefix, PREFIX_SIZE) == 0 &&
           decode_letters(text + PREFIX_SIZE, size - PREFIX_SIZE, raw) && raw->size >= BYTES_MIN;
}

static bool is_signed(const sc_token_keys *keys, const raw_token *raw)
{
    for (size_t i = 0; i < keys->count; i++) {
        uint8_t tag[TAG_SIZE];
        sign(keys->keys[i], raw, tag);
        if (sodium_memcmp(tag, raw->bytes + raw->size - TAG_SIZE, TAG_SIZE) == 0) return true;
    }
    return false;
}

// The fields in the bytes, if they are those of a token.
static bool unfold(const raw_token *raw, sc_token *out)
{
    const char *user = (const char *)raw->bytes + HEAD_SIZE;
    const size_t user_size = raw->size - HEAD_SIZE - TAG_SIZE;
    const uint64_t issued_s = get_u64(raw->bytes);
    const uint64_t expires_s = get_u64(raw->bytes + 8);
    if (expires_s > INT64_MAX || issued_s >= expires_s || !sc__user_is_name(user, user_size)) {
        return false;
    }
    out->issued_s = (int64_t)issued_s;
    out->expires_s = (int64_t)expires_s;
    out->serial = get_u64(raw->bytes + 16);
    out->is_of_epoch = false;
    out->user_size = user_size;
    memcpy(out->user, user, user_size);
    out->user[user_size] = '\0';
    return true;
}

static sc_err read_token(const sc_token_keys *keys, const char *text, sc_token *out)
{
    raw_token raw;
    sc_err err = SC_EPARSE;
    if (decode(text, &raw)) {
        if (keys && !is_signed(keys, &raw)) {
            err = SC_EBROKEN;
        } else if (unfold(&raw, out)) {
            err = SC_OK;
        }
    }
    sodium_memzero(&raw, sizeof raw);
    return err;
}

sc_err sc_token_check(const sc_token_keys *keys, const char *text, sc_token *out)
{
    return read_token(keys, text, out);
}

sc_err sc_token_read(const char *text, sc_token *out)
{
    return read_token(NULL, text, out);
}
