// Escaping. See report_html.h.
#include "lab/report_html.h"

#include "base/utf8.h"

#include <string.h>

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

// XML has no place for these, not even as references: control bytes, U+FFFE and U+FFFF.
static bool is_character(const char *text, size_t size)
{
    if (size == 0) return false;
    if (size == 1) return (unsigned char)*text >= ' ' || *text == '\t' || *text == '\n';
    return !(size == 3 && memcmp(text, "\xEF\xBF", 2) == 0 && (unsigned char)text[2] >= 0xBE);
}

void sc__html_text(FILE *stream, const char *text)
{
    size_t left = strlen(text);
    while (left > 0) {
        const size_t size = sc_utf8_size(text, left);
        const char *entity = entity_of(*text);
        if (!is_character(text, size)) {
            fputs("\xEF\xBF\xBD", stream);
        } else if (entity) {
            fputs(entity, stream);
        } else {
            fwrite(text, 1, size, stream);
        }
        const size_t step = size ? size : 1;
        text += step;
        left -= step;
    }
}

void sc__html_link(FILE *stream, const char *file)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    for (; *file; file++) {
        fprintf(stream, strchr(plain, *file) ? "%c" : "%%%02X", (unsigned char)*file);
    }
}
