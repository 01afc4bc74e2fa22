/*
 * Numbers and texts for people. The locale is not consulted: output is the same on every
 * machine, and scripts have --json.
 */
#include "format.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/** One character as it is shown: of at most four bytes, or "\xNN". */
#define SHOWN_SIZE 5

/** Copy `digits` to `out` with a comma before every group of three. */
static void part_thousands(char *out, const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0) *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
}

const char *sc_format_count(char out[SC_FORMAT_SIZE], uint64_t count)
{
    char digits[24];
    const int size = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    part_thousands(out, digits, (size_t)size);
    return out;
}

const char *sc_format_decimal(char out[SC_FORMAT_SIZE], double value, int decimals)
{
    // Beyond this, commas would not fit.
    if (!isfinite(value) || fabs(value) >= 1e15) {
        snprintf(out, SC_FORMAT_SIZE, "%g", value);
        return out;
    }
    char digits[SC_FORMAT_SIZE];
    snprintf(digits, sizeof(digits), "%.*f", decimals > 6 ? 6 : decimals, fabs(value));
    const size_t whole = strcspn(digits, ".");
    char *end = out;
    if (value < 0) *end++ = '-';
    part_thousands(end, digits, whole);
    const size_t used = strlen(out);
    snprintf(out + used, SC_FORMAT_SIZE - used, "%s", digits + whole);
    return out;
}

/** The largest power of 1000 that fits into `value`, and its letter; 0 below a thousand. */
static char scale(double *value)
{
    static const char letters[] = "kMGTPE";
    char letter = 0;
    // 999.95 would be printed as 1000.0.
    for (size_t i = 0; *value >= 999.95 && letters[i] != '\0'; i++) {
        *value /= 1000;
        letter = letters[i];
    }
    return letter;
}

const char *sc_format_bytes(char out[SC_FORMAT_SIZE], uint64_t bytes)
{
    double value = (double)bytes;
    const char letter = scale(&value);
    if (letter) {
        snprintf(out, SC_FORMAT_SIZE, "%.1f %cB", value, letter);
    } else {
        snprintf(out, SC_FORMAT_SIZE, "%" PRIu64 " bytes", bytes);
    }
    return out;
}

void sc_format_short(char *out, size_t size, uint64_t count)
{
    double value = (double)count;
    const char letter = scale(&value);
    if (letter) {
        snprintf(out, size, "%.1f%c", value, letter);
    } else {
        snprintf(out, size, "%" PRIu64, count);
    }
}

const char *sc_format_seconds(char out[SC_FORMAT_SIZE], double seconds)
{
    if (seconds < 60) {
        snprintf(out, SC_FORMAT_SIZE, "%.2f s", seconds);
    } else {
        const unsigned long whole = (unsigned long)(seconds + 0.5);
        snprintf(out, SC_FORMAT_SIZE, "%lu min %lu s", whole / 60, whole % 60);
    }
    return out;
}

// Bytes of the character at `text`, which ends with NUL; 0 if it is not
// well-formed UTF-8, or one that a terminal would obey: C0, DEL and C1.
static size_t harmless_size(const char *text)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // what needs so many bytes
    const unsigned char *byte = (const unsigned char *)text;
    if ((byte[0] >= 0x80 && byte[0] < 0xc0) || byte[0] >= 0xf8) return 0;
    const size_t size = byte[0] < 0x80 ? 1 : byte[0] < 0xe0 ? 2 : byte[0] < 0xf0 ? 3 : 4;
    uint32_t code = size == 1 ? byte[0] : byte[0] & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((byte[i] & 0xc0U) != 0x80U) return 0;
        code = code << 6 | (byte[i] & 0x3fU);
    }
    const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    const bool is_surrogate = code >= 0xd800 && code < 0xe000;
    return code < least[size] || code > 0x10ffff || is_control || is_surrogate ? 0 : size;
}

// Cut the next character off *text, as it may be shown; false at the end.
static bool next_shown(const char **text, char out[SHOWN_SIZE])
{
    if (**text == '\0') return false;
    const size_t size = harmless_size(*text);
    if (size > 0) {
        memcpy(out, *text, size);
        out[size] = '\0';
        *text += size;
    } else {
        snprintf(out, SHOWN_SIZE, "\\x%02x", (unsigned)(unsigned char)**text);
        *text += 1;
    }
    return true;
}

void sc_print_text(FILE *stream, const char *text)
{
    char shown[SHOWN_SIZE];
    while (next_shown(&text, shown)) {
        fputs(shown, stream);
    }
}

void sc_format_text(char *out, size_t size, const char *text)
{
    char shown[SHOWN_SIZE];
    size_t used = 0;
    while (next_shown(&text, shown) && used + strlen(shown) < size) {
        memcpy(out + used, shown, strlen(shown));
        used += strlen(shown);
    }
    out[used] = '\0';
}

int sc_text_columns(const char *text)
{
    int columns = 0;
    char shown[SHOWN_SIZE];
    while (next_shown(&text, shown)) {
        columns += shown[0] == '\\' ? (int)strlen(shown) : 1;
    }
    return columns;
}
