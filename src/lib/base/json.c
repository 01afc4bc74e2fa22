// Escaping for JSON. See json.h.
#include "base/json.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

// Whether a byte stands for itself; most do, and rows of such go out in one piece.
static bool is_plain(char c)
{
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

// Write the character at `text`, escaped if it must be; returns what follows it.
static const char *put_character(FILE *stream, const char *text, const char *end)
{
    const unsigned char c = (unsigned char)*text;
    const size_t size = sc_utf8_size(text, (size_t)(end - text));
    if (size == 0) {
        fputs("\\ufffd", stream);
        return text + 1;
    }
    if (c == '"' || c == '\\') {
        fprintf(stream, "\\%c", c);
    } else if (c < 0x20 || c == 0x7f) {
        fprintf(stream, "\\u%04x", c);
    } else if (c == 0xc2 && (unsigned char)text[1] < 0xa0) {
        // U+0080 to U+009f: control characters that a terminal may heed.
        fprintf(stream, "\\u%04x", (unsigned char)text[1]);
    } else {
        fwrite(text, 1, size, stream);
    }
    return text + size;
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
            text = put_character(stream, text, end);
        }
    }
    fputc('"', stream);
}

void sc_json_string(FILE *stream, const char *text)
{
    sc_json_text(stream, text, strlen(text));
}
