// Escaping for JSON. See json.h.
#include "base/json.h"

#include "base/utf8.h"

#include <string.h>

void sc_json_string(FILE *stream, const char *text)
{
    const char *end = text + strlen(text);
    fputc('"', stream);
    while (text < end) {
        const unsigned char c = (unsigned char)*text;
        const size_t size = sc_utf8_size(text, (size_t)(end - text));
        if (size == 0) {
            fputs("\\ufffd", stream);
            text++;
        } else if (c == '"' || c == '\\') {
            fprintf(stream, "\\%c", c);
            text++;
        } else if (c < 0x20 || c == 0x7f) {
            fprintf(stream, "\\u%04x", c);
            text++;
        } else if (c == 0xc2 && (unsigned char)text[1] < 0xa0) {
            // U+0080 to U+009f: control characters that a terminal may heed.
            fprintf(stream, "\\u%04x", (unsigned char)text[1]);
            text += 2;
        } else {
            fwrite(text, 1, size, stream);
            text += size;
        }
    }
    fputc('"', stream);
}
