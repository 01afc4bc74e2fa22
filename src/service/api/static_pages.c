// Pages that are written once. See pages.h; page_map.c and map_bytes.c write them, kept.c does the
// rest.
#include "api/static_pages.h"

#include "api/response_cache.h"
#include "api/map_bytes.h"
#include "api/map_display.h"
#include "base/alloc.h"
#include "base/diag.h"

/** The bytes of openapi.json, put there when the program is built. */
extern const unsigned char sc__openapi_json[];
extern const size_t sc__openapi_json_size;

struct sc_pages {
    sc__kept map;
    sc__kept map_bytes;
    sc__kept categories;
    sc__kept openapi;
};

// Kept, but never shown without asking: another start may serve another map at the same address,
// and cloaks drawn on the one before would be wrong without anybody seeing it. Asking costs a 304.
static const char cache_control[] = "public, no-cache";

static const sc__kept_words words = {
    .type = "application/json",
    .cache_control = cache_control,
};

static const sc__kept_words words_of_bytes = {
    .type = "application/octet-stream",
    .cache_control = cache_control,
};

static sc_err keep_map(sc__kept *kept, const sc_map *map)
{
    sc_bytes text = {0};
    if (sc__page_map_write(map, &text)) return sc__kept_take(kept, &words, &text);
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

static sc_err keep_map_bytes(sc__kept *kept, const sc_map *map)
{
    sc_bytes bytes = {0};
    if (sc__map_bytes_write(map, &bytes)) return sc__kept_take(kept, &words_of_bytes, &bytes);
    sc_bytes_fini(&bytes);
    return SC_ENOMEM;
}

static sc_err keep_categories(sc__kept *kept, const sc_map *map, const sc_vocabulary *vocabulary)
{
    sc_bytes text = {0};
    if (sc__page_categories_write(map, vocabulary, &text)) {
        return sc__kept_take(kept, &words, &text);
    }
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

static sc_err keep_all(sc_pages *pages, const sc_map *map, const sc_vocabulary *vocabulary)
{
    sc_err err = keep_map(&pages->map, map);
    if (!err) err = keep_map_bytes(&pages->map_bytes, map);
    if (!err) err = keep_categories(&pages->categories, map, vocabulary);
    if (!err) {
        err = sc__kept_lend(&pages->openapi, &words, sc__openapi_json, sc__openapi_json_size);
    }
    return err;
}

sc_err sc_pages_new(const sc_map *map, const sc_vocabulary *vocabulary, sc_pages **out,
                    sc_diag *diag)
{
    sc_pages *pages = sc_calloc(1, sizeof *pages);
    const sc_err err = pages ? keep_all(pages, map, vocabulary) : SC_ENOMEM;
    if (err) {
        sc_pages_free(pages);
        return err == SC_ENOMEM
                   ? sc_fail_memory(diag, "writing the map for display")
                   : sc_fail(diag, err, "the map is too large to be written for display");
    }
    *out = pages;
    return SC_OK;
}

void sc_pages_free(sc_pages *pages)
{
    if (!pages) return;
    sc__kept_fini(&pages->map);
    sc__kept_fini(&pages->map_bytes);
    sc__kept_fini(&pages->categories);
    sc__kept_fini(&pages->openapi);
    sc_free(pages);
}

void sc_pages_map(const sc_pages *pages, sc_http_request *request)
{
    sc__kept_show(&pages->map, request);
}

void sc_pages_map_bytes(const sc_pages *pages, sc_http_request *request)
{
    sc__kept_show(&pages->map_bytes, request);
}

void sc_pages_categories(const sc_pages *pages, sc_http_request *request)
{
    sc__kept_show(&pages->categories, request);
}

void sc_pages_openapi(const sc_pages *pages, sc_http_request *request)
{
    sc__kept_show(&pages->openapi, request);
}
