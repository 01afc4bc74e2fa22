// Writing JSON.
//
// Whether a comma is due is one flag: opening a bracket clears it, a value that ends sets it, a
// bracket that closes is a value that has ended. So no stack is needed.
#include "base/json_write.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <endian.h>
#include <math.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

// --- Escaping ------------------------------------------------------------------------------------

// Whether a byte stands for itself; most do, and rows of such go out in one piece.
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static size_t put_escape(char *out, unsigned code)
{
    static const char digits[] = "0123456789abcdef";
    out[0] = '\\';
    out[1] = 'u';
    for (int i = 0; i < 4; i++) {
        out[2 + i] = digits[code >> (12 - 4 * i) & 0xf];
    }
    return SC_JSON_ESCAPED_CHARACTER;
}

size_t sc_json_escape_character(const char **text, const char *end,
                                char out[SC_JSON_ESCAPED_CHARACTER])
{
    const unsigned char *c = (const unsigned char *)*text;
    const size_t size = sc_utf8_size(*text, (size_t)(end - *text));
    *text += size > 0 ? size : 1;
    if (size == 0) return put_escape(out, 0xfffd);
    if (*c < 0x20 || *c == 0x7f) return put_escape(out, *c);
    // U+0080 to U+009f: control characters that a terminal may obey.
    if (*c == 0xc2 && c[1] < 0xa0) return put_escape(out, c[1]);
    const size_t before = *c == '"' || *c == '\\';
    if (before) out[0] = '\\';
    memcpy(out + before, c, size);
    return before + size;
}

// Whether all eight bytes of a word are plain: in none is the highest bit set after one of these.
static bool are_plain(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t quote = word ^ ones * '"';
    const uint64_t slash = word ^ ones * '\\';
    // A byte above 0x7e carries into its highest bit, one below what is taken from it borrows; a
    // borrow or carry into the next byte comes from one that is not plain itself.
    const uint64_t odd =
        word | (word + ones) | (word - ones * 0x20) | (quote - ones) | (slash - ones);
    return (odd & ones << 7) == 0;
}

// Copy the last bytes of a text, fewer than eight, if they are plain, in one piece; false: they are
// not. What of the last eight bytes went out before is written again: as it is, if all are plain.
static bool put_plain_end(const char *end, size_t left, size_t size, char *at)
{
    if (size >= sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, end - sizeof word, sizeof word);
        if (!are_plain(word)) return false;
        memcpy(at + left - sizeof word, &word, sizeof word);
        return true;
    }
    if (left == size && size >= sizeof(uint32_t)) {
        uint32_t first = 0;
        uint32_t last = 0;
        memcpy(&first, end - size, sizeof first);
        memcpy(&last, end - sizeof last, sizeof last);
        if (!are_plain((uint64_t)first << 32 | last)) return false;
        memcpy(at, &first, sizeof first);
        memcpy(at + size - sizeof last, &last, sizeof last);
        return true;
    }
    return false;
}

size_t sc_json_escape(const char *text, size_t size, char *out)
{
    const char *end = text + size;
    char *at = out;
    *at++ = '"';
    while (text < end) {
        const size_t left = (size_t)(end - text);
        uint64_t word = 0;
        if (left >= sizeof word) {
            memcpy(&word, text, sizeof word);
            if (are_plain(word)) {
                memcpy(at, &word, sizeof word);
                at += sizeof word;
                text += sizeof word;
                continue;
            }
        } else if (put_plain_end(end, left, size, at)) {
            at += left;
            break;
        }
        if (is_plain(*text)) {
            *at++ = *text++;
        } else {
            at += sc_json_escape_character(&text, end, at);
        }
    }
    *at++ = '"';
    return (size_t)(at - out);
}

void sc_json_text(FILE *stream, const char *text, size_t size)
{
    const char *end = text + size;
    fputc('"', stream);
    while (text < end) {
        const char *start = text;
        while (text < end && is_plain(*text)) {
            text++;
        }
        if (text > start) {
            fwrite(start, 1, (size_t)(text - start), stream);
        } else {
            char escaped[SC_JSON_ESCAPED_CHARACTER];
            const size_t count = sc_json_escape_character(&text, end, escaped);
            fwrite(escaped, 1, count, stream);
        }
    }
    fputc('"', stream);
}

void sc_json_string(FILE *stream, const char *text)
{
    sc_json_text(stream, text, strlen(text));
}

// --- The writer ----------------------------------------------------------------------------------

sc_json_writer sc_json_writer_of(sc_bytes *out)
{
    return (sc_json_writer){.out = out};
}

sc_json_writer sc_json_writer_of_secret(sc_bytes *out)
{
    return (sc_json_writer){.out = out, .is_secret = true};
}

sc_json_writer sc_json_writer_of_stream(FILE *stream)
{
    return (sc_json_writer){.stream = stream};
}

// Room for `size` bytes behind those that are there.
static bool make_more_room(sc_json_writer *json, size_t size)
{
    json->has_failed = json->is_secret ? !sc_bytes_reserve_wiping(json->out, size)
                                       : !sc_bytes_reserve(json->out, size);
    return !json->has_failed;
}

static inline bool make_room(sc_json_writer *json, size_t size)
{
    if (json->has_failed) return false;
    return size <= json->out->capacity - json->out->size || make_more_room(json, size);
}

static void put(sc_json_writer *json, const char *text, size_t size)
{
    if (json->stream) {
        fwrite(text, 1, size, json->stream);
        return;
    }
    if (!make_room(json, size)) return;
    memcpy(json->out->data + json->out->size, text, size);
    json->out->size += size;
}

// As memcpy(), which is a call: names and numbers mostly have fewer bytes than two words. Returns
// where they end.
static inline char *copy_short(char *at, const char *from, size_t size)
{
    if (size > 2 * sizeof(uint64_t)) {
        memcpy(at, from, size);
    } else if (size >= sizeof(uint64_t)) {
        uint64_t first = 0;
        uint64_t last = 0;
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + size - sizeof last, sizeof last);
        memcpy(at, &first, sizeof first);
        memcpy(at + size - sizeof last, &last, sizeof last);
    } else if (size >= sizeof(uint32_t)) {
        uint32_t first = 0;
        uint32_t last = 0;
        memcpy(&first, from, sizeof first);
        memcpy(&last, from + size - sizeof last, sizeof last);
        memcpy(at, &first, sizeof first);
        memcpy(at + size - sizeof last, &last, sizeof last);
    } else {
        for (size_t i = 0; i < size; i++) {
            at[i] = from[i];
        }
    }
    return at + size;
}

/** Signs around a name, with their blanks: `, "": `. */
enum { AROUND_NAME = 6 };

// What stands before a value: a comma if one is due, and its name if it has one. Returns where it
// ends.
static inline char *write_beginning(const sc_json_writer *json, const char *name, size_t name_size,
                                    char *at)
{
    if (json->needs_comma) {
        *at++ = ',';
        if (json->is_spaced) *at++ = ' ';
    }
    if (!name) return at;
    *at++ = '"';
    at = copy_short(at, name, name_size);
    *at++ = '"';
    *at++ = ':';
    if (json->is_spaced) *at++ = ' ';
    return at;
}

// The same to a stream, for which nothing is put together.
static void stream_beginning(sc_json_writer *json, const char *name, size_t name_size)
{
    const size_t blank = json->is_spaced;
    if (json->needs_comma) put(json, ", ", 1 + blank);
    if (!name) return;
    put(json, "\"", 1);
    put(json, name, name_size);
    put(json, "\": ", 2 + blank);
}

// Begin a value that takes `size` bytes at most: returns where they go, NULL if they go to a stream
// or memory is out. Memory is asked for once.
static inline char *begin_value(sc_json_writer *json, const char *name, size_t name_size,
                                size_t size)
{
    char *at = NULL;
    if (json->stream) {
        stream_beginning(json, name, name_size);
    } else if (make_room(json, name_size + AROUND_NAME + size)) {
        at = write_beginning(json, name, name_size, (char *)json->out->data + json->out->size);
    }
    json->needs_comma = true;
    return at;
}

// What was begun ends at `end`.
static inline void end_value(const sc_json_writer *json, const char *end)
{
    json->out->size = (size_t)(end - (const char *)json->out->data);
}

static inline void put_value(sc_json_writer *json, const char *name, size_t name_size,
                             const char *text, size_t size)
{
    char *at = begin_value(json, name, name_size, size);
    if (at) {
        end_value(json, copy_short(at, text, size));
    } else if (json->stream) {
        put(json, text, size);
    }
}

static void put_named(sc_json_writer *json, const char *name, const char *text, size_t size)
{
    put_value(json, name, sc__json_name_size(name), text, size);
}

void sc__json_open(sc_json_writer *json, const char *name, size_t name_size, char bracket)
{
    put_value(json, name, name_size, &bracket, 1);
    json->needs_comma = false;
}

void sc__json_close(sc_json_writer *json, char bracket)
{
    json->needs_comma = false;
    put_value(json, NULL, 0, &bracket, 1);
}

void sc_json_break_line(sc_json_writer *json)
{
    put(json, json->needs_comma ? ",\n" : "\n", json->needs_comma ? 2 : 1);
    json->needs_comma = false;
}

void sc_json_put_text(sc_json_writer *json, const char *text)
{
    put(json, text, strlen(text));
    json->needs_comma = false;
}

// --- Values --------------------------------------------------------------------------------------

void sc__json_put_string(sc_json_writer *json, const char *name, size_t name_size, const char *text)
{
    const size_t size = strlen(text);
    // Room for the worst case, so that the loop over the bytes asks for no memory.
    if (size > SIZE_MAX / 16) json->has_failed = true;
    char *at = begin_value(json, name, name_size, SC_JSON_ESCAPED(size));
    if (at) {
        end_value(json, at + sc_json_escape(text, size, at));
    } else if (json->stream) {
        sc_json_text(json->stream, text, size);
    }
}

void sc_json_put_flag(sc_json_writer *json, const char *name, bool holds)
{
    put_named(json, name, holds ? "true" : "false", holds ? 4 : 5);
}

void sc_json_put_null(sc_json_writer *json, const char *name)
{
    put_named(json, name, "null", 4);
}

enum { DIGITS_MAX = 20 };  // of 2^64

// Write two digits so that they end before `end`; returns their beginning.
static char *put_pair_before(char *end, uint64_t pair)
{
    static const char pairs[] = "00010203040506070809101112131415161718192021222324"
                                "25262728293031323334353637383940414243444546474849"
                                "50515253545556575859606162636465666768697071727374"
                                "75767778798081828384858687888990919293949596979899";
    memcpy(end - 2, pairs + 2 * pair, 2);
    return end - 2;
}

// Write `value` so that it ends before `end`; returns its beginning.
static char *put_digits_before(char *end, uint64_t value)
{
    for (; value >= 100; value /= 100) {
        end = put_pair_before(end, value % 100);
    }
    if (value >= 10) return put_pair_before(end, value);
    *--end = (char)('0' + value);
    return end;
}

void sc__json_put_count(sc_json_writer *json, const char *name, size_t name_size, uint64_t count)
{
    char digits[DIGITS_MAX];
    char *end = digits + sizeof digits;
    const char *start = put_digits_before(end, count);
    put_value(json, name, name_size, start, (size_t)(end - start));
}

void sc_json_put_signed(sc_json_writer *json, const char *name, int64_t number)
{
    char digits[1 + DIGITS_MAX];
    char *end = digits + sizeof digits;
    char *start = put_digits_before(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
    if (number < 0) *--start = '-';
    put_named(json, name, start, (size_t)(end - start));
}

// Whatever the locale puts there, JSON has a point.
static void put_with_point(sc_json_writer *json, const char *name, char *text)
{
    for (char *c = text; *c; c++) {
        if (!strchr("0123456789e+-", *c)) *c = '.';
    }
    put_named(json, name, text, strlen(text));
}

void sc_json_put_number(sc_json_writer *json, const char *name, double number)
{
    if (!isfinite(number)) {
        sc_json_put_null(json, name);
        return;
    }
    char text[32];
    // Seventeen digits always suffice; fifteen nearly always do, and show 0.1 as 0.1.
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    put_with_point(json, name, text);
}

/** `digits` are those after the point, or the significant ones. */
static void put_formatted(sc_json_writer *json, const char *name, double number, int digits,
                          bool has_decimals)
{
    if (!isfinite(number)) {
        sc_json_put_null(json, name);
        return;
    }
    char text[384];  // 309 digits before the point, and at most 17 after it
    (void)snprintf(text, sizeof text, has_decimals ? "%.*f" : "%.*g", digits, number);
    put_with_point(json, name, text);
}

void sc_json_put_rounded(sc_json_writer *json, const char *name, double number, int digits)
{
    put_formatted(json, name, number, digits, false);
}

void sc_json_put_decimals(sc_json_writer *json, const char *name, double number, int decimals)
{
    put_formatted(json, name, number, decimals, true);
}

// Digits of numbers below 10^8, all at once: two numbers of four digits in a word, four of two,
// eight of one. The first digit is the lowest byte. Quotients by 100 and 10 are exact for these
// numbers.
static uint64_t eight_digits(uint32_t number)
{
    const uint64_t fours = number / 10000 | (uint64_t)(number % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

enum { EIGHT = 8 };
static const uint32_t ten_to_eight = 100000000;

// Write the digits of a word: all eight bytes are written, whatever counts of them.
static void put_eight(char *at, uint64_t digits)
{
    const uint64_t letters = htole64(digits + UINT64_C(0x0101010101010101) * '0');
    memcpy(at, &letters, sizeof letters);
}

// Write a number below 10^8 without zeros in front, and up to seven bytes behind its end, which is
// returned.
static char *put_whole(char *at, uint32_t number)
{
    const uint64_t digits = eight_digits(number);
    const int zeros = __builtin_ctzll(digits | UINT64_C(1) << 56) / 8;  // the last one stays
    put_eight(at, digits >> (8 * zeros));
    return at + EIGHT - zeros;
}

// The same with a point before it, of eight digits without zeros at the end; nothing for 0.
static char *put_fraction(char *at, uint32_t number)
{
    if (number == 0) return at;
    const uint64_t digits = eight_digits(number);
    *at++ = '.';
    put_eight(at, digits);
    return at + EIGHT - __builtin_clzll(digits) / 8;
}

// Any number of units of 10^-`decimals`: pair after pair, from the end.
static void put_long_fixed(sc_json_writer *json, const char *name, uint64_t units,
                           unsigned decimals, bool is_negative)
{
    while (decimals > 0 && units % 10 == 0) {
        units /= 10;
        decimals--;
    }
    char text[2 * DIGITS_MAX];
    char *end = text + sizeof text;
    char *start = end;
    unsigned left = decimals;
    for (; left >= 2; left -= 2) {
        start = put_pair_before(start, units % 100);
        units /= 100;
    }
    if (left > 0) {
        *--start = (char)('0' + units % 10);
        units /= 10;
    }
    if (decimals > 0) *--start = '.';
    start = put_digits_before(start, units);
    if (is_negative) *--start = '-';
    put_named(json, name, start, (size_t)(end - start));
}

void sc__json_put_fixed(sc_json_writer *json, const char *name, size_t name_size, double number,
                        unsigned decimals)
{
    static const uint32_t power_of_ten[] = {1,      10,      100,      1000,      10000,
                                            100000, 1000000, 10000000, 100000000, 1000000000};
    double scaled = fabs(number) * power_of_ten[decimals];
    // Beyond 2^53 a double has no fractions to round: what is whole is written as it is.
    if (!(scaled < 0x1p53)) {
        if (!(fabs(number) < 0x1p53) || number != floor(number)) {
            sc_json_put_number(json, name, number);
            return;
        }
        scaled = fabs(number);
        decimals = 0;
    }
    // As llround(), without a call: below 2^53 the difference is exact.
    const int64_t below = (int64_t)scaled;
    const uint64_t units = (uint64_t)below + (scaled - (double)below >= 0.5);
    const bool is_negative = number < 0.0 && units > 0;
    const uint64_t whole = units / power_of_ten[decimals];
    if (decimals > EIGHT || whole >= ten_to_eight) {
        put_long_fixed(json, name, units, decimals, is_negative);
        return;
    }
    const uint32_t rest = (uint32_t)(units - whole * power_of_ten[decimals]);
    char text[1 + EIGHT + 1 + EIGHT];
    char *at = text;
    if (is_negative) *at++ = '-';
    at = put_whole(at, (uint32_t)whole);
    at = put_fraction(at, rest * power_of_ten[EIGHT - decimals]);
    put_value(json, name, name_size, text, (size_t)(at - text));
}

void sc_json_put_hex(sc_json_writer *json, const char *name, uint64_t value)
{
    enum { DIGITS = 16 };
    char text[DIGITS + 2];
    text[0] = text[DIGITS + 1] = '"';
    for (unsigned i = 0; i < DIGITS; i++) {
        text[1 + i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    }
    put_named(json, name, text, sizeof text);
}

void sc_json_put_base64(sc_json_writer *json, const char *name, const void *bytes, size_t size)
{
    // In pieces of whole groups, so that a stream needs no memory for them either.
    enum { PIECE = 3 * 256 };
    const int variant = sodium_base64_VARIANT_ORIGINAL;
    char text[PIECE / 3 * 4 + 1];
    const unsigned char *at = bytes;
    put_named(json, name, "\"", 1);
    if (!json->stream && !make_room(json, sodium_base64_encoded_len(size, variant))) return;
    while (size > 0) {
        const size_t piece = size < PIECE ? size : PIECE;
        sodium_bin2base64(text, sizeof text, at, piece, variant);
        put(json, text, strlen(text));
        at += piece;
        size -= piece;
    }
    put(json, "\"", 1);
}
