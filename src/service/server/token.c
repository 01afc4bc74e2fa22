// Tokens: written, read and checked. See token.h.
//
// The tag is over the bytes, and their base64 has one form only (stray bits at its end are
// refused), so nobody can make another text of a token than the one that was issued.
#include "server/token_internal.h"

#include "base/diag.h"
#include "base/utf8.h"

#include <assert.h>
#include <sodium.h>
#include <string.h>

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

// --- Bytes -----------------------------------------------------------------------

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

// --- Writing ---------------------------------------------------------------------

sc_err sc_token_issue(const sc_token_keys *keys, const char *user, int64_t issued_s,
                      int64_t expires_s, char out[SC_TOKEN_SIZE], sc_diag *diag)
{
    const size_t user_size = strlen(user);
    if (!sc__user_is_name(user, user_size)) {
        return sc_fail(diag, SC_EINVAL,
                       "a user is 1 to %d bytes of UTF-8 without control characters",
                       SC_TOKEN_USER_MAX);
    }
    if (issued_s < 0 || expires_s <= issued_s) {
        return sc_fail(diag, SC_EINVAL, "a token must end after it begins");
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

// --- Reading ---------------------------------------------------------------------

// What each letter of base64url stands for, and one; from the blank on. A table and not libsodium,
// whose reader takes the same time for all letters and thereby seven times as long as this: that
// guards secrets from those who measure, and this text comes from whoever sent it.
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

static bool decode_letters(const char *text, size_t size, raw_token *raw)
{
    uint32_t bits = 0;
    unsigned bit_count = 0;
    raw->size = 0;
    if (size * 6 / 8 > sizeof raw->bytes) return false;
    for (size_t i = 0; i < size; i++) {
        const unsigned letter = (unsigned char)text[i] - (unsigned)' ';
        const unsigned value = letter < sizeof letter_values ? letter_values[letter] : 0;
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

// What the bytes say, if it is what a token can say.
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
