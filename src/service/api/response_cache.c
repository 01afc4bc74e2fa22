// A page in two forms, made once and borrowed by every reply; and the two request headers that
// choose between them: Accept-Encoding and If-None-Match (RFC 9110, sections 12.5.3 and 13.1.2).
#include "api/response_cache.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checksum.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ZLIB_CONST  // what goes in is only read
#include <zlib.h>

// --- Making --------------------------------------------------------------------------------------

static void *zlib_take(void *opaque, unsigned count, unsigned size)
{
    (void)opaque;
    return sc_malloc_array(count, size);
}

static void zlib_give(void *opaque, void *memory)
{
    (void)opaque;
    sc_free(memory);
}

// The room that was too much is given back; if that fails, it stays.
static void trim(sc_bytes *bytes)
{
    void *smaller = sc_realloc(bytes->data, bytes->size);
    if (!smaller) return;
    bytes->data = smaller;
    bytes->capacity = bytes->size;
}

static sc_err pack(const sc__cached_form *plain, sc_bytes *out)
{
    // zlib counts in 32 bits. A map that is written as more than that has hundreds of millions of
    // roads, more than a map of ours can have.
    if (plain->size > UINT_MAX) return SC_ELIMIT;
    z_stream stream = {.zalloc = zlib_take, .zfree = zlib_give};
    // 16: the gzip format. Without a time in it, the same page is the same bytes.
    if (deflateInit2(&stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return SC_ENOMEM;
    }
    const size_t room = deflateBound(&stream, plain->size);
    const bool fits = room <= UINT_MAX && sc_bytes_reserve(out, room);
    if (fits) {
        stream.next_in = plain->bytes;
        stream.avail_in = (uInt)plain->size;
        stream.next_out = out->data;
        stream.avail_out = (uInt)room;
        // In one go, since there is room for the worst case.
        (void)deflate(&stream, Z_FINISH);
        out->size = room - stream.avail_out;
        trim(out);
    }
    deflateEnd(&stream);
    return fits ? SC_OK : SC_ENOMEM;
}

static void name_form(sc__cached_form *form, uint64_t content, const char *more)
{
    (void)snprintf(form->etag, sizeof form->etag, "\"%016llx%s\"", (unsigned long long)content,
                   more);
}

// Tags hash the bytes that are sent and not the map, so that a version that writes the same map
// differently has other tags.
sc_err sc__cached_page_borrow(sc__cached_page *page, const sc__cached_page_headers *headers,
                              const void *bytes, size_t size)
{
    page->headers = *headers;
    page->plain.bytes = bytes;
    page->plain.size = size;
    const uint64_t content = XXH3_64bits(bytes, size);
    name_form(&page->plain, content, "");
    name_form(&page->packed, content, "-gzip");
    sc_bytes packed = {0};
    const sc_err err = pack(&page->plain, &packed);
    if (err) return err;
    page->packed.bytes = page->compressed = packed.data;
    page->packed.size = packed.size;
    return SC_OK;
}

sc_err sc__cached_page_own(sc__cached_page *page, const sc__cached_page_headers *headers,
                           sc_bytes *bytes)
{
    trim(bytes);
    const size_t size = bytes->size;
    page->owned = bytes->data;
    *bytes = (sc_bytes){0};
    return sc__cached_page_borrow(page, headers, page->owned, size);
}

void sc__cached_page_fini(sc__cached_page *page)
{
    sc_free(page->owned);
    sc_free(page->compressed);
    *page = (sc__cached_page){0};
}

// --- Showing -------------------------------------------------------------------------------------

enum { OWN_HEADERS = 4 };

void sc__cached_page_send(const sc__cached_page *page, sc_http_request *request)
{
    const sc__cached_page_headers *own = &page->headers;
    const bool is_packed = sc__accepts_gzip(sc_http_request_header(request, "Accept-Encoding"));
    const sc__cached_form *form = is_packed ? &page->packed : &page->plain;
    sc_http_header headers[OWN_HEADERS + SC__CACHED_PAGE_MORE_MAX] = {
        {"ETag", form->etag},
        {"Vary", "Accept-Encoding"},
        {"Cache-Control", own->cache_control},
    };
    size_t count = OWN_HEADERS - 1;
    for (size_t i = 0; i < own->more_count; i++) {
        headers[count++] = own->more[i];
    }
    if (sc__etag_matches(sc_http_request_header(request, "If-None-Match"), form->etag)) {
        sc_http_reply(request, 304, NULL, NULL, 0, headers, count);
        return;
    }
    if (is_packed) headers[count++] = (sc_http_header){"Content-Encoding", "gzip"};
    sc_http_reply_lent(request, 200, own->type, form->bytes, form->size, headers, count);
}

bool sc__cached_page_is_lent(const sc__cached_page *page, const sc_http *http, unsigned loop)
{
    return sc_http_is_lent(http, loop, page->plain.bytes, page->plain.size) ||
           sc_http_is_lent(http, loop, page->packed.bytes, page->packed.size);
}

// === Request headers ============================================================================

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

bool sc__etag_matches(const char *header, const char *etag)
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
