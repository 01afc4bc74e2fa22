// Reading JSON where it lies.
//
// `at` always stands behind what was read, or at the byte that is wrong. One flag holds whether a
// comma is due: entering a bracket sets it, any value that ends clears it; so it is right again
// when an inner bracket closes, and no stack is needed.
#include "base/json_pull.h"

#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

sc_json_pull sc_json_pull_of(const char *text, size_t size)
{
    // An empty body may have no memory at all, and nothing may be added to no pointer.
    if (!text) text = "";
    return (sc_json_pull){.start = text, .at = text, .end = text + size, .is_first = true};
}

size_t sc_json_offset(const sc_json_pull *json)
{
    return (size_t)(json->at - json->start);
}

static bool fail_with(sc_json_pull *json, sc_json_fault fault, const char *wrong)
{
    if (json->wrong) return false;
    json->wrong = wrong;
    json->fault = fault;
    return false;
}

static bool fail(sc_json_pull *json, const char *wrong)
{
    return fail_with(json, SC_JSON_SYNTAX, wrong);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(sc_json_pull *json)
{
    while (json->at < json->end &&
           (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t')) {
        json->at++;
    }
}

// The next byte that is no blank; NUL at the end (a NUL in the text is expected nowhere).
static char next_byte(sc_json_pull *json)
{
    skip_blanks(json);
    return json->at < json->end ? *json->at : '\0';
}

// Step over `byte`, or fail.
static bool expect(sc_json_pull *json, char byte, const char *wrong)
{
    if (json->wrong || next_byte(json) != byte) return fail(json, wrong);
    json->at++;
    return true;
}

sc_json_kind sc_json_peek(sc_json_pull *json)
{
    if (json->wrong) return SC_JSON_NONE;
    const char byte = next_byte(json);
    if (byte == '-' || is_digit(byte)) return SC_JSON_NUMBER;
    switch (byte) {
    case '{':
        return SC_JSON_OBJECT;
    case '[':
        return SC_JSON_ARRAY;
    case '"':
        return SC_JSON_STRING;
    case 't':
    case 'f':
    case 'n':
        return SC_JSON_WORD;
    default:
        return SC_JSON_NONE;
    }
}

// --- Brackets ------------------------------------------------------------------------------------

bool sc_json_enter(sc_json_pull *json, char bracket)
{
    if (!expect(json, bracket, bracket == '{' ? "a { is expected" : "a [ is expected")) {
        return false;
    }
    json->is_first = true;
    return true;
}

// Whether something follows before `bracket` closes; steps over a comma, or over the bracket.
static bool follows(sc_json_pull *json, char bracket, const char *wrong)
{
    if (json->wrong) return false;
    const char byte = next_byte(json);
    if (byte == bracket) {
        json->at++;
        json->is_first = false;
        return false;
    }
    if (json->is_first) {
        json->is_first = false;
        return true;
    }
    return expect(json, ',', wrong);
}

bool sc_json_next_element(sc_json_pull *json)
{
    return follows(json, ']', "a comma or a ] is expected");
}

bool sc_json_next_member(sc_json_pull *json, sc_json_raw *name)
{
    return follows(json, '}', "a comma or a } is expected") && sc_json_text_of(json, name) &&
           expect(json, ':', "a colon is expected");
}

bool sc_json_end(sc_json_pull *json)
{
    if (json->wrong) return false;
    skip_blanks(json);
    return json->at == json->end || fail_with(json, SC_JSON_FOLLOWED, "nothing more is expected");
}

// --- Numbers and words ---------------------------------------------------------------------------

/** A number by JSON's grammar, as far as it can be told while its digits are passed over. */
typedef struct numeral {
    const char *end;  ///< NULL: there is no number
    bool is_negative;
    bool is_whole;    ///< no point and no exponent
    bool is_short;    ///< no exponent, and all digits are in `digits`
    uint64_t digits;  ///< of the number without its point
    unsigned after_point;
} numeral;

/** As many decimal digits as 64 bits hold in any case. */
enum { DIGITS_MAX = 19 };

// Pass over digits, and append them to `digits`, which wraps round if there are too many.
static const char *read_digits(const char *at, const char *end, uint64_t *digits)
{
    while (at < end && is_digit(*at)) {
        *digits = *digits * 10 + (uint64_t)(*at++ - '0');
    }
    return at;
}

static numeral read_numeral(const char *at, const char *end)
{
    numeral number = {.is_negative = at < end && *at == '-', .is_whole = true};
    if (number.is_negative) at++;
    const char *whole = at;
    at = read_digits(at, end, &number.digits);
    if (at == whole || (*whole == '0' && at - whole > 1)) return number;
    ptrdiff_t digit_count = at - whole;
    if (at < end && *at == '.') {
        const char *fraction = ++at;
        at = read_digits(at, end, &number.digits);
        if (at == fraction) return number;
        digit_count += at - fraction;
        number.after_point = (unsigned)(at - fraction);
        number.is_whole = false;
    }
    number.is_short = digit_count <= DIGITS_MAX;
    if (at < end && (*at == 'e' || *at == 'E')) {
        uint64_t unused = 0;
        at++;
        if (at < end && (*at == '-' || *at == '+')) at++;
        const char *exponent = at;
        at = read_digits(at, end, &unused);
        if (at == exponent) return number;
        number.is_whole = false;
        number.is_short = false;
    }
    number.end = at;
    return number;
}

// The nearest double, as sc_slice_double() finds it.
static bool double_of(const numeral *number, const char *start, double *out)
{
    static const double power_of_ten[DIGITS_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                        1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                        1e14, 1e15, 1e16, 1e17, 1e18, 1e19};
    // Digits and power are exact, so that the division rounds once.
    if (number->is_short && number->digits <= (uint64_t)1 << 53) {
        const double size = (double)number->digits / power_of_ten[number->after_point];
        *out = number->is_negative ? -size : size;
        return true;
    }
    return sc_slice_double((sc_slice){start, (size_t)(number->end - start)}, out);
}

bool sc_json_number(sc_json_pull *json, double *out)
{
    sc_json_numeral number;
    if (!sc_json_numeral_of(json, &number)) return false;
    *out = number.value;
    return true;
}

bool sc_json_numeral_of(sc_json_pull *json, sc_json_numeral *out)
{
    if (json->wrong) return false;
    skip_blanks(json);
    const numeral number = read_numeral(json->at, json->end);
    if (!number.end) return fail(json, "a number is expected");
    double value = 0.0;
    if (!double_of(&number, json->at, &value)) {
        return fail_with(json, SC_JSON_TOO_LARGE, "the number is too large or too long");
    }
    const bool fits = number.is_short && number.digits <= (uint64_t)INT64_MAX + number.is_negative;
    *out = (sc_json_numeral){
        .value = value,
        .is_whole = number.is_whole,
        .fits = number.is_whole && fits,
        .whole = !fits                ? 0
                 : number.is_negative ? (int64_t)(0 - number.digits)
                                      : (int64_t)number.digits,
    };
    json->at = number.end;
    json->is_first = false;
    return true;
}

bool sc_json_word(sc_json_pull *json, const char *word)
{
    if (json->wrong) return false;
    skip_blanks(json);
    const size_t size = strlen(word);
    if ((size_t)(json->end - json->at) < size || memcmp(json->at, word, size) != 0) {
        return fail(json, "another literal is expected");
    }
    json->at += size;
    json->is_first = false;
    return true;
}

// --- Strings -------------------------------------------------------------------------------------

// The four hexadecimal digits at `at`, or -1.
static int32_t hex4(const char *at, const char *end)
{
    if (end - at < 4) return -1;
    int32_t value = 0;
    for (int i = 0; i < 4; i++) {
        const char c = at[i];
        const char low = (char)(c | 0x20);
        if (is_digit(c)) {
            value = value * 16 + (c - '0');
        } else if (low >= 'a' && low <= 'f') {
            value = value * 16 + (low - 'a' + 10);
        } else {
            return -1;
        }
    }
    return value;
}

static bool is_high_surrogate(int32_t code)
{
    return code >= 0xd800 && code <= 0xdbff;
}

static bool is_low_surrogate(int32_t code)
{
    return code >= 0xdc00 && code <= 0xdfff;
}

// The character that the escape at `*at` (its backslash) stands for, or -1; steps over it if it is
// one. Half a pair of surrogates is no character.
static int32_t escaped(const char **at, const char *end)
{
    static const char letters[] = "\"\\/bfnrt";
    static const char meanings[] = "\"\\/\b\f\n\r\t";
    if (end - *at < 2) return -1;
    const char letter = (*at)[1];
    if (letter != 'u') {
        const char *found = letter ? strchr(letters, letter) : NULL;
        if (!found) return -1;
        *at += 2;
        return meanings[found - letters];
    }
    const int32_t code = hex4(*at + 2, end);
    if (code < 0 || is_low_surrogate(code)) return -1;
    if (!is_high_surrogate(code)) {
        *at += 6;
        return code;
    }
    if (end - *at < 12 || (*at)[6] != '\\' || (*at)[7] != 'u') return -1;
    const int32_t low = hex4(*at + 8, end);
    if (!is_low_surrogate(low)) return -1;
    *at += 12;
    return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
}

// Step over the character at `at`; false if it is not well-formed or may not stand there.
static bool step_over(sc_json_pull *json, bool *has_escapes)
{
    if (*json->at == '\\') {
        *has_escapes = true;
        return escaped(&json->at, json->end) >= 0 || fail(json, "invalid escape sequence");
    }
    if ((unsigned char)*json->at < 0x20) return fail(json, "a string contains a control character");
    const size_t size = sc_utf8_size(json->at, (size_t)(json->end - json->at));
    json->at += size;
    return size > 0 || fail_with(json, SC_JSON_NOT_UTF8, "this is not UTF-8");
}

bool sc_json_text_of(sc_json_pull *json, sc_json_raw *out)
{
    if (!expect(json, '"', "a string is expected")) return false;
    const char *start = json->at;
    bool has_escapes = false;
    while ((json->at = sc_json_skip_plain(json->at, json->end)) < json->end && *json->at != '"') {
        if (!step_over(json, &has_escapes)) return false;
    }
    if (json->at == json->end) return fail(json, "a string does not end");
    *out = (sc_json_raw){{start, (size_t)(json->at - start)}, has_escapes};
    json->at++;
    json->is_first = false;
    return true;
}

// A character in UTF-8; returns its bytes.
static size_t put_utf8(int32_t code, char out[4])
{
    const uint32_t c = (uint32_t)code;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    const size_t size = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = 0; i < size; i++) {
        const uint32_t bits = c >> (6 * (size - 1 - i));
        out[i] = (char)(i == 0 ? lead[size] | bits : 0x80 | (bits & 0x3f));
    }
    return size;
}

size_t sc_json_unescape(sc_json_raw string, char *out)
{
    const char *at = string.raw.text;
    const char *end = at + string.raw.size;
    if (!string.has_escapes) {
        if (string.raw.size > 0) memcpy(out, at, string.raw.size);
        return string.raw.size;
    }
    char *to = out;
    while (at < end) {
        if (*at == '\\') {
            to += put_utf8(escaped(&at, end), to);
        } else {
            *to++ = *at++;
        }
    }
    return (size_t)(to - out);
}

static bool unescaped_is(sc_slice raw, const char *text)
{
    const char *at = raw.text;
    const char *end = at + raw.size;
    size_t left = strlen(text);
    while (at < end) {
        char character[4] = {*at};
        size_t size = 1;
        if (*at == '\\') {
            size = put_utf8(escaped(&at, end), character);
        } else {
            at++;
        }
        if (size > left || memcmp(character, text, size) != 0) return false;
        text += size;
        left -= size;
    }
    return left == 0;
}

bool sc_json_string_is(sc_json_raw string, const char *text)
{
    return string.has_escapes ? unescaped_is(string.raw, text) : sc_slice_is(string.raw, text);
}
