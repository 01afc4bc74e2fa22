// Pages that are written once. See pages.h; page_map.c has the words, accept.c reads the headers.
#include "service/pages.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "map/checksum.h"
#include "service/accept.h"
#include "service/json_write.h"
#include "service/page_map.h"
#include "service/problem.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/** The bytes of openapi.json, put there when the program is built. */
extern const unsigned char sc__openapi_json[];
extern const size_t sc__openapi_json_size;

/** A page in one of its two forms. */
typedef struct page_form {
    sc_bytes bytes;
    char etag[32];  ///< with its quotes
} page_form;

typedef struct kept_page {
    page_form plain;
    page_form packed;  ///< gzip
} kept_page;

struct sc_pages {
    kept_page map;
    kept_page categories;
    kept_page openapi;
};

// --- Making ----------------------------------------------------------------------------------

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

static sc_err pack(const sc_bytes *plain, sc_bytes *out)
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
    const bool fits = room <= UINT_MAX && sc_json_reserve(out, room);
    if (fits) {
        stream.next_in = plain->data;
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

static void name_form(page_form *form, uint64_t content, const char *more)
{
    (void)snprintf(form->etag, sizeof form->etag, "\"%016llx%s\"", (unsigned long long)content,
                   more);
}

// Of a page whose plain form has been written. Tags are made of what is sent and not of the map, so
// that a later version that writes the same map otherwise has others.
static sc_err finish(kept_page *page)
{
    trim(&page->plain.bytes);
    const uint64_t content = XXH3_64bits(page->plain.bytes.data, page->plain.bytes.size);
    name_form(&page->plain, content, "");
    name_form(&page->packed, content, "-gzip");
    return pack(&page->plain.bytes, &page->packed.bytes);
}

static bool write_openapi(sc_bytes *out)
{
    if (!sc_json_reserve(out, sc__openapi_json_size)) return false;
    memcpy(out->data, sc__openapi_json, sc__openapi_json_size);
    out->size = sc__openapi_json_size;
    return true;
}

static sc_err write_pages(sc_pages *pages, const sc_map *map, const sc_vocabulary *vocabulary)
{
    if (!sc__page_map_write(map, &pages->map.plain.bytes) ||
        !sc__page_categories_write(map, vocabulary, &pages->categories.plain.bytes) ||
        !write_openapi(&pages->openapi.plain.bytes)) {
        return SC_ENOMEM;
    }
    sc_err err = finish(&pages->map);
    if (!err) err = finish(&pages->categories);
    if (!err) err = finish(&pages->openapi);
    return err;
}

sc_err sc_pages_new(const sc_map *map, const sc_vocabulary *vocabulary, sc_pages **out,
                    sc_diag *diag)
{
    sc_pages *pages = sc_calloc(1, sizeof *pages);
    const sc_err err = pages ? write_pages(pages, map, vocabulary) : SC_ENOMEM;
    if (err) {
        sc_pages_free(pages);
        return err == SC_ENOMEM
                   ? sc_fail_memory(diag, "writing the map for display")
                   : sc_fail(diag, err, "the map is too large to be written for display");
    }
    *out = pages;
    return SC_OK;
}

static void page_fini(kept_page *page)
{
    sc_bytes_fini(&page->plain.bytes);
    sc_bytes_fini(&page->packed.bytes);
}

void sc_pages_free(sc_pages *pages)
{
    if (!pages) return;
    page_fini(&pages->map);
    page_fini(&pages->categories);
    page_fini(&pages->openapi);
    sc_free(pages);
}

// --- Showing ---------------------------------------------------------------------------------

static void show(const kept_page *page, sc_http_request *request)
{
    const bool is_packed = sc__accepts_gzip(sc_http_request_header(request, "Accept-Encoding"));
    const page_form *form = is_packed ? &page->packed : &page->plain;
    const sc_http_header headers[] = {
        {"ETag", form->etag},
        {"Vary", "Accept-Encoding"},
        // Short, since another start may serve another map; asking again costs a 304.
        {"Cache-Control", "public, max-age=60"},
        {"Content-Encoding", "gzip"},  // the last: only if it is
    };
    const size_t header_count = sizeof headers / sizeof headers[0];
    if (sc__names_etag(sc_http_request_header(request, "If-None-Match"), form->etag)) {
        sc_http_reply(request, 304, NULL, NULL, 0, headers, header_count - 1);
        return;
    }
    sc_http_reply_lent(request, 200, "application/json", form->bytes.data, form->bytes.size,
                       headers, header_count - !is_packed);
}

void sc_pages_map(const sc_pages *pages, sc_http_request *request)
{
    show(&pages->map, request);
}

void sc_pages_categories(const sc_pages *pages, sc_http_request *request)
{
    show(&pages->categories, request);
}

void sc_pages_openapi(const sc_pages *pages, sc_http_request *request)
{
    show(&pages->openapi, request);
}
