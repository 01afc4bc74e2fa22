// What a client accepts, and what it has. See accept.h; RFC 9110, sections 12.5.3 and 13.1.2.
#include "api/accept.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

// Whether parameters such as ";q=0.5" leave a weight above 0: all but "q=0" with zeros behind it.
static bool has_weight(const char *text, const char *end)
{
    const char *q = text;
    for (;;) {
        while (q < end && *q != ';') {
            q++;
        }
        if (q >= end) return true;
        q = skip_blanks(q + 1);
        if (q + 2 < end && strncasecmp(q, "q=", 2) == 0) break;
    }
    q += 2;
    const char *digits = q;
    q += strspn(q, "0.");
    return q == digits || (q < end && strchr("123456789", *q) != NULL);
}

bool sc__accepts_gzip(const char *header)
{
    if (!header) return false;
    // What names gzip itself counts before what means everything.
    bool accepts_all = false;
    for (const char *item = skip_blanks(header); *item;) {
        const char *end = item + strcspn(item, ",");
        const size_t size = strcspn(item, ",; \t");
        if ((size == 4 && strncasecmp(item, "gzip", 4) == 0) ||
            (size == 6 && strncasecmp(item, "x-gzip", 6) == 0)) {
            return has_weight(item + size, end);
        }
        if (size == 1 && *item == '*') accepts_all = has_weight(item + size, end);
        item = skip_blanks(*end ? end + 1 : end);
    }
    return accepts_all;
}

bool sc__names_etag(const char *header, const char *etag)
{
    if (!header) return false;
    const size_t size = strlen(etag);
    const char *item = skip_blanks(header);
    if (item[0] == '*' && *skip_blanks(item + 1) == '\0') return true;
    while (*item) {
        // Whether bytes or only meaning are the same makes no difference to who has them already.
        if (strncmp(item, "W/", 2) == 0) item += 2;
        if (*item != '"') return false;
        const char *close = strchr(item + 1, '"');
        if (!close) return false;
        const size_t length = (size_t)(close + 1 - item);
        if (length == size && memcmp(item, etag, size) == 0) return true;
        item = close + 1;
        item += strspn(item, " \t,");
    }
    return false;
}
