// Well-formedness of UTF-8, after table 3-7 of the Unicode standard.
#include "base/utf8.h"

#include <string.h>

static bool between(unsigned char c, unsigned low, unsigned high)
{
    return c >= low && c <= high;
}

size_t sc_utf8_size(const char *text, size_t size)
{
    const unsigned char *c = (const unsigned char *)text;
    if (size == 0) return 0;
    if (c[0] < 0x80) return 1;

    // The second byte's range excludes overlong forms, surrogates and what lies
    // beyond U+10FFFF; the others are plain continuation bytes.
    size_t length = 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;
    if (between(c[0], 0xc2, 0xdf)) {
        length = 2;
    } else if (between(c[0], 0xe0, 0xef)) {
        length = 3;
        if (c[0] == 0xe0) low = 0xa0;
        if (c[0] == 0xed) high = 0x9f;
    } else if (between(c[0], 0xf0, 0xf4)) {
        length = 4;
        if (c[0] == 0xf0) low = 0x90;
        if (c[0] == 0xf4) high = 0x8f;
    }
    if (length == 0 || size < length || !between(c[1], low, high)) return 0;
    for (size_t i = 2; i < length; i++) {
        if (!between(c[i], 0x80, 0xbf)) return 0;
    }
    return length;
}

bool sc_is_utf8(const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t size = sc_utf8_size(text, left);
        if (size == 0) return false;
        text += size;
        left -= size;
    }
    return true;
}
