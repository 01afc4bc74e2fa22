// Writing JSON text into bytes that grow. See page.h.
#include "relay/page.h"

#include "base/bytes.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(sc__page *page, const char *text, size_t size)
{
    if (page->is_full || !sc_bytes_reserve(page->out, size)) {
        page->is_full = true;
        return;
    }
    memcpy(page->out->data + page->out->size, text, size);
    page->out->size += size;
}

void sc__page_text(sc__page *page, const char *text)
{
    put(page, text, strlen(text));
}

// Whether a byte stands for itself; most do, and rows of such go out in one piece.
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

// Write the character at `text`, escaped if it must be; returns its size.
static size_t put_character(sc__page *page, const char *text, size_t left)
{
    const size_t size = sc_utf8_size(text, left);
    if (size == 0) {
        sc__page_text(page, "\\ufffd");
        return 1;
    }
    if (size == 1) {
        char escaped[8];
        snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned char)*text);
        sc__page_text(page, escaped);
    } else {
        put(page, text, size);
    }
    return size;
}

void sc__page_string(sc__page *page, const char *text)
{
    size_t left = strlen(text);
    put(page, "\"", 1);
    while (left > 0) {
        size_t plain = 0;
        while (plain < left && is_plain(text[plain])) {
            plain++;
        }
        const size_t size = plain > 0 ? plain : put_character(page, text, left);
        if (plain > 0) put(page, text, plain);
        text += size;
        left -= size;
    }
    put(page, "\"", 1);
}

/** Digits of the largest 64-bit number. */
enum { MAX_DIGITS = 20 };

// The digits of `count` end at `end`, with zeros in front up to `least` of them; returns where they
// begin.
static char *digits_before(char *end, uint64_t count, unsigned least)
{
    char *start = end;
    while (count > 0 || end - start < (ptrdiff_t)least) {
        *--start = (char)('0' + count % 10);
        count /= 10;
    }
    return start;
}

void sc__page_count(sc__page *page, uint64_t count)
{
    char text[MAX_DIGITS];
    char *end = text + sizeof text;
    const char *start = digits_before(end, count, 1);
    put(page, start, (size_t)(end - start));
}

void sc__page_decimal(sc__page *page, double number, unsigned decimals)
{
    double power = 1.0;
    for (unsigned i = 0; i < decimals; i++) {
        power *= 10.0;
    }
    // A double has no more digits than these.
    for (; decimals > 0 && fabs(number) * power > 9e15; decimals--) {
        power /= 10.0;
    }
    uint64_t scaled = (uint64_t)llround(fabs(number) * power);
    for (; decimals > 0 && scaled % 10 == 0; decimals--) {
        power /= 10.0;
        scaled /= 10;
    }
    if (number < 0.0 && scaled > 0) put(page, "-", 1);
    sc__page_count(page, scaled / (uint64_t)power);
    if (decimals == 0) return;
    char text[MAX_DIGITS];
    char *end = text + sizeof text;
    const char *start = digits_before(end, scaled % (uint64_t)power, decimals);
    put(page, ".", 1);
    put(page, start, (size_t)(end - start));
}

void sc__page_exact(sc__page *page, double number)
{
    // 15 digits show 0.1 as 0.1; 17 tell any two numbers apart.
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    // Whatever the locale puts there, JSON has a point.
    for (char *c = text; *c; c++) {
        if (!strchr("0123456789eE+-", *c)) *c = '.';
    }
    sc__page_text(page, text);
}
