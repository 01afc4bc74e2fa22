// Numbers, written fast and so that they read back the same. See record_internal.h.
#include "record/record_internal.h"

#include <stdlib.h>

/** Digits of the largest 64-bit number. */
enum { MAX_DIGITS = 20 };

// The digits of `count` end at `end`; returns where they begin.
static char *digits_before(char *end, uint64_t count)
{
    do {
        *--end = (char)('0' + count % 10);
        count /= 10;
    } while (count > 0);
    return end;
}

void sc__put_count(FILE *out, uint64_t count)
{
    char text[MAX_DIGITS];
    char *end = text + sizeof text;
    const char *start = digits_before(end, count);
    fwrite_unlocked(start, 1, (size_t)(end - start), out);
}

void sc__put_millionths(FILE *out, int64_t millionths)
{
    enum { DECIMALS = 6, MILLION = 1000000 };
    char text[1 + MAX_DIGITS + 1 + DECIMALS];
    char *end = text + sizeof text;
    const uint64_t size = millionths < 0 ? 0 - (uint64_t)millionths : (uint64_t)millionths;

    // A million more keeps the zeros in front; the digit it adds is overwritten.
    char *start = digits_before(end, size % MILLION + MILLION);
    *start = '.';
    start = digits_before(start, size / MILLION);
    if (millionths < 0) *--start = '-';
    fwrite_unlocked(start, 1, (size_t)(end - start), out);
}

void sc__put_exactly(FILE *out, double number)
{
    // 15 digits show 0.1 as 0.1; 17 tell any two numbers apart.
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    sc__put(out, text);
}

void sc_time_write(FILE *out, sc_time t)
{
    sc__put_millionths(out, t);
}
