// A page in two forms, made once and lent to every reply. See kept.h; accept.c reads the headers.
#include "api/kept.h"

#include "api/accept.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/checksum.h"

#include <limits.h>
#include <stdio.h>
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

static sc_err pack(const sc__kept_form *plain, sc_bytes *out)
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

static void name_form(sc__kept_form *form, uint64_t content, const char *more)
{
    (void)snprintf(form->etag, sizeof form->etag, "\"%016llx%s\"", (unsigned long long)content,
                   more);
}

// Tags are made of what is sent and not of what it tells, so that a later version that writes the
// same map otherwise has others.
sc_err sc__kept_lend(sc__kept *kept, const sc__kept_words *words, const void *bytes, size_t size)
{
    kept->words = *words;
    kept->plain.bytes = bytes;
    kept->plain.size = size;
    const uint64_t content = XXH3_64bits(bytes, size);
    name_form(&kept->plain, content, "");
    name_form(&kept->packed, content, "-gzip");
    sc_bytes packed = {0};
    const sc_err err = pack(&kept->plain, &packed);
    if (err) return err;
    kept->packed.bytes = kept->squeezed = packed.data;
    kept->packed.size = packed.size;
    return SC_OK;
}

sc_err sc__kept_take(sc__kept *kept, const sc__kept_words *words, sc_bytes *bytes)
{
    trim(bytes);
    const size_t size = bytes->size;
    kept->taken = bytes->data;
    *bytes = (sc_bytes){0};
    return sc__kept_lend(kept, words, kept->taken, size);
}

void sc__kept_fini(sc__kept *kept)
{
    sc_free(kept->taken);
    sc_free(kept->squeezed);
    *kept = (sc__kept){0};
}

// --- Showing -------------------------------------------------------------------------------------

enum { OWN_HEADERS = 4 };

void sc__kept_show(const sc__kept *kept, sc_http_request *request)
{
    const sc__kept_words *words = &kept->words;
    const bool is_packed = sc__accepts_gzip(sc_http_request_header(request, "Accept-Encoding"));
    const sc__kept_form *form = is_packed ? &kept->packed : &kept->plain;
    sc_http_header headers[OWN_HEADERS + SC__KEPT_MORE_MAX] = {
        {"ETag", form->etag},
        {"Vary", "Accept-Encoding"},
        {"Cache-Control", words->cache_control},
    };
    size_t count = OWN_HEADERS - 1;
    for (size_t i = 0; i < words->more_count; i++) {
        headers[count++] = words->more[i];
    }
    if (sc__names_etag(sc_http_request_header(request, "If-None-Match"), form->etag)) {
        sc_http_reply(request, 304, NULL, NULL, 0, headers, count);
        return;
    }
    if (is_packed) headers[count++] = (sc_http_header){"Content-Encoding", "gzip"};
    sc_http_reply_lent(request, 200, words->type, form->bytes, form->size, headers, count);
}
