// JSON into memory. See json_write.h.
//
// Strings are escaped into room for the worst case, six bytes for one, so that the loop over their
// bytes asks for no memory. The escapes are those of base/json.c, which writes to streams.
#include "base/json_write.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <math.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool sc_json_reserve(sc_bytes *out, size_t more)
{
    if (more <= out->capacity - out->size) return true;
    size_t wanted = 0;
    if (__builtin_add_overflow(out->size, more, &wanted)) return false;
    return sc_reserve(&out->data, wanted, &out->capacity, 1);
}

static bool append(sc_bytes *out, const char *text, size_t size)
{
    if (!sc_json_reserve(out, size)) return false;
    if (size > 0) memcpy(out->data + out->size, text, size);
    out->size += size;
    return true;
}

bool sc_json_append_text(sc_bytes *out, const char *text)
{
    return append(out, text, strlen(text));
}

// --- Strings -------------------------------------------------------------------------------------

// Whether a byte stands for itself; most do.
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static char *put_escape(char *out, unsigned code)
{
    static const char digits[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'u';
    for (int i = 0; i < 4; i++) {
        out[2 + i] = digits[code >> (12 - 4 * i) & 0xf];
    }
    return out + 6;
}

// Write the character at `*text`, escaped if it must be, and step over it.
static char *put_character(char *out, const char **text, const char *end)
{
    const unsigned char *c = (const unsigned char *)*text;
    const size_t size = sc_utf8_size(*text, (size_t)(end - *text));
    *text += size > 0 ? size : 1;
    if (size == 0) return put_escape(out, 0xfffd);
    if (*c < 0x20 || *c == 0x7f) return put_escape(out, *c);
    // U+0080 to U+009f: control characters that a terminal may heed.
    if (*c == 0xc2 && c[1] < 0xa0) return put_escape(out, c[1]);
    if (*c == '"' || *c == '\\') *out++ = '\\';
    memcpy(out, c, size);
    return out + size;
}

size_t sc_json_escape(const char *text, size_t size, char *out)
{
    const char *end = text + size;
    char *at = out;
    *at++ = '"';
    while (text < end) {
        if (is_plain(*text)) {
            *at++ = *text++;
        } else {
            at = put_character(at, &text, end);
        }
    }
    *at++ = '"';
    return (size_t)(at - out);
}

bool sc_json_append_string(sc_bytes *out, const char *text)
{
    const size_t size = strlen(text);
    if (size > SIZE_MAX / 8 || !sc_json_reserve(out, SC_JSON_ESCAPED(size))) return false;
    out->size += sc_json_escape(text, size, (char *)out->data + out->size);
    return true;
}

// --- Numbers -------------------------------------------------------------------------------------

enum { DIGITS_MAX = 20 };  // of 2^64

// Write `value` so that it ends before `end`; returns its beginning.
static char *put_digits_before(char *end, uint64_t value)
{
    do {
        *--end = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return end;
}

bool sc_json_append_whole(sc_bytes *out, uint64_t value)
{
    char room[DIGITS_MAX];
    char *end = room + sizeof room;
    const char *start = put_digits_before(end, value);
    return append(out, start, (size_t)(end - start));
}

bool sc_json_append_number(sc_bytes *out, double value)
{
    if (!isfinite(value)) return sc_json_append_text(out, "null");
    char text[32];
    // Seventeen digits always suffice; fifteen nearly always do, and look better.
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return sc_json_append_text(out, text);
}

bool sc_json_append_fixed(sc_bytes *out, double value, unsigned decimals)
{
    static const double power_of_ten[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
    const double scaled = fabs(value) * power_of_ten[decimals];
    // Beyond that a double has no fractions to round, and whole numbers end before long.
    if (!(scaled < 0x1p53)) return sc_json_append_number(out, value);

    uint64_t units = (uint64_t)(scaled + 0.5);
    const bool is_negative = value < 0.0 && units > 0;
    while (decimals > 0 && units % 10 == 0) {
        units /= 10;
        decimals--;
    }
    char room[2 * DIGITS_MAX];
    char *end = room + sizeof room;
    char *start = end;
    for (unsigned i = 0; i < decimals; i++) {
        *--start = (char)('0' + units % 10);
        units /= 10;
    }
    if (decimals > 0) *--start = '.';
    start = put_digits_before(start, units);
    if (is_negative) *--start = '-';
    return append(out, start, (size_t)(end - start));
}

// --- Bytes ---------------------------------------------------------------------------------------

bool sc_json_append_hex(sc_bytes *out, uint64_t value)
{
    enum { DIGITS = 16 };
    char text[DIGITS + 2];
    text[0] = text[DIGITS + 1] = '"';
    for (unsigned i = 0; i < DIGITS; i++) {
        text[1 + i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    return append(out, text, sizeof text);
}

bool sc_json_append_base64(sc_bytes *out, const void *bytes, size_t size)
{
    const int variant = sodium_base64_VARIANT_ORIGINAL;
    const size_t room = sodium_base64_encoded_len(size, variant);  // with a NUL at the end
    if (!sc_json_reserve(out, 1 + room)) return false;
    char *text = (char *)out->data + out->size;
    text[0] = '"';
    sodium_bin2base64(text + 1, room, bytes, size, variant);
    text[room] = '"';  // in place of the NUL
    out->size += 1 + room;
    return true;
}
