/**
 * @file spoilt_text.h
 * @brief Texts with a few bytes changed, as strangers send them.
 */
#ifndef SC_TESTS_UNIT_SERVICE_SPOILT_TEXT_H
#define SC_TESTS_UNIT_SERVICE_SPOILT_TEXT_H

#include "base/rng.h"
#include "support/check.h"

/** A text that can be changed; not ended by NUL. */
typedef struct spoilt_text {
    size_t size;
    char bytes[4096];
} spoilt_text;

static inline spoilt_text text_of(const char *words)
{
    spoilt_text text = {.size = strlen(words)};
    memcpy(text.bytes, words, text.size);
    return text;
}

// Put `size` bytes in place of `gone` of them.
static inline void exchange(spoilt_text *text, size_t at, size_t gone, const char *bytes,
                            size_t size)
{
    if (at + gone > text->size || text->size - gone + size > sizeof text->bytes) return;
    memmove(text->bytes + at + size, text->bytes + at + gone, text->size - at - gone);
    memcpy(text->bytes + at, bytes, size);
    text->size = text->size - gone + size;
}

// Pieces that mean something in JSON, or nearly do.
static inline void spoil_once(spoilt_text *text, sc_rng *rng)
{
    static const char *const pieces[] = {"{",       "}",
                                         "[",       "]",
                                         ",",       ":",
                                         "\"",      "\\",
                                         " ",       "\n",
                                         "0",       "1",
                                         "-",       ".",
                                         "e5",      "E-2",
                                         "null",    "true",
                                         "falsee",  "\"k\"",
                                         "\\u006b", "\\ud83d\\ude00",
                                         "\\ud83d", "\\n",
                                         "\t",      "\x01",
                                         "\x7f",    "\xc3\xa9",
                                         "\xff",    "\xed\xa0\x80",
                                         "/",       "1e999",
                                         "\\u00e9", "\"k\":1,",
                                         "[]",      "{}",
                                         "00",      "1.",
                                         "+1",      "\\u12"};
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    const size_t at = sc_rng_below(rng, (uint32_t)text->size + 1);
    const char *piece = pieces[sc_rng_below(rng, PIECES)];
    const char byte = (char)sc_rng_below(rng, 256);
    switch (sc_rng_below(rng, 4)) {
    case 0:
        exchange(text, at, 0, piece, strlen(piece));
        break;
    case 1:
        exchange(text, at, 1, piece, strlen(piece));
        break;
    case 2:
        exchange(text, at, 1 + sc_rng_below(rng, 3), "", 0);
        break;
    default:
        exchange(text, at, 1, &byte, 1);
        break;
    }
}

#endif
