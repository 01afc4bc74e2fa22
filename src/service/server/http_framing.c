// A strict look at the bytes of requests before libevent reads them.
//
// libevent is generous: a line may end with LF alone, a header may go on in the next line, NUL ends
// a value for it and for no one else, and "0x1f" or "+1f" are sizes of a chunk. A proxy in front
// may read the same bytes in another way. So each byte that comes is followed here, through heads,
// bodies and chunks; at the first that is not plain the connection is marked, and whatever request
// is read from it next is refused with 400.
//
// What is right otherwise (names, lengths, encodings) is judged when the request is whole
// (http_request.c). This goes when the parser does.
#include "server/http_internal.h"

#include <string.h>
#include <strings.h>

/** Whether a line, as far as it was kept, is "name: value" with blanks around the value. */
static bool is_header(const sc__http_framing *f, const char *name, const char *value)
{
    const size_t size = strlen(name);
    if (f->line_size <= size || strncasecmp(f->line, name, size) != 0) return false;
    size_t at = size;
    size_t end = f->line_size;
    while (at < end && (f->line[at] == ' ' || f->line[at] == '\t')) {
        at++;
    }
    while (end > at && (f->line[end - 1] == ' ' || f->line[end - 1] == '\t')) {
        end--;
    }
    if (!value) return end > at;
    return end - at == strlen(value) && strncasecmp(f->line + at, value, end - at) == 0;
}

/** The number of a "Content-Length: 12"; what is none is refused later. */
static uint64_t length_of(const sc__http_framing *f)
{
    uint64_t length = 0;
    for (size_t i = strlen("content-length:"); i < f->line_size; i++) {
        const char c = f->line[i];
        if (c >= '0' && c <= '9' && length < UINT64_MAX / 100) {
            length = length * 10 + (uint64_t)(c - '0');
        }
    }
    return length;
}

/** Digits alone: no sign, no "0x", no blank. Of an extension libevent wants to know nothing. */
static bool read_chunk_size(sc__http_framing *f)
{
    f->left = 0;
    if (f->line_size == 0) return false;
    for (size_t i = 0; i < f->line_size; i++) {
        const char c = f->line[i];
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return false;
        // What is too large is refused for that.
        if (f->left < UINT32_MAX) f->left = f->left * 16 + (uint64_t)digit;
    }
    return true;
}

/** A line has ended with CR LF; whether it is plain. */
static bool end_line(sc__http_framing *f)
{
    const bool is_empty = f->line_size == 0;
    switch (f->state) {
    case SC__HTTP_AT_START:
        if (!is_empty) {
            f->state = SC__HTTP_IN_HEAD;
            f->left = 0;
            f->is_chunked = false;
        }
        return true;  // an empty line before a request is left out
    case SC__HTTP_IN_HEAD:
        if (is_empty) {
            f->state = f->is_chunked ? SC__HTTP_IN_CHUNK_SIZE
                       : f->left > 0 ? SC__HTTP_IN_BODY
                                     : SC__HTTP_AT_START;
        } else if (is_header(f, "content-length:", NULL)) {
            f->left = length_of(f);
        } else if (is_header(f, "transfer-encoding:", "chunked")) {
            f->is_chunked = true;
        }
        return true;
    case SC__HTTP_IN_CHUNK_SIZE:
        if (!read_chunk_size(f)) return false;
        f->state = f->left > 0 ? SC__HTTP_IN_CHUNK : SC__HTTP_IN_TRAILERS;
        return true;
    case SC__HTTP_AFTER_CHUNK:
        f->state = SC__HTTP_IN_CHUNK_SIZE;
        return is_empty;
    case SC__HTTP_IN_TRAILERS:
        if (is_empty) f->state = SC__HTTP_AT_START;
        return true;
    case SC__HTTP_IN_BODY:
    case SC__HTTP_IN_CHUNK:
        break;
    }
    return true;
}

/** One byte of a line. */
static bool take_line_byte(sc__http_framing *f, char c)
{
    if (c == '\n') {
        if (!f->has_cr) return false;
        const bool is_plain = end_line(f);
        explicit_bzero(f->line, f->line_size);  // it may have been a token
        f->line_size = 0;
        f->has_cr = false;
        return is_plain;
    }
    if (f->has_cr || c == '\0') return false;
    if (c == '\r') {
        f->has_cr = true;
        return true;
    }
    const bool may_fold = f->state == SC__HTTP_IN_HEAD || f->state == SC__HTTP_IN_TRAILERS;
    if (may_fold && f->line_size == 0 && (c == ' ' || c == '\t')) return false;
    // What is longer than all lines of interest is no such line, whatever follows.
    if (f->line_size < sizeof f->line) f->line[f->line_size++] = c;
    return true;
}

bool sc__http_framing_follow(sc__http_framing *f, const char *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        if (f->state != SC__HTTP_IN_BODY && f->state != SC__HTTP_IN_CHUNK) {
            if (!take_line_byte(f, bytes[at++])) return false;
            continue;
        }
        const size_t skip = f->left < size - at ? (size_t)f->left : size - at;
        at += skip;
        f->left -= skip;
        if (f->left > 0) break;
        f->state = f->state == SC__HTTP_IN_CHUNK ? SC__HTTP_AFTER_CHUNK : SC__HTTP_AT_START;
    }
    return true;
}
