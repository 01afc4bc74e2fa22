// Static pages: written or taken from the program when a map is made ready, then served from the
// cache.
#include "api/static_pages.h"

#include "api/map_display.h"
#include "api/problem_details.h"
#include "api/response_cache.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

/** The bytes of openapi.json, put there when the program is built. */
extern const unsigned char sc__openapi_json[];
extern const size_t sc__openapi_json_size;

struct sc_static_pages {
    sc__cached_page map;
    sc__cached_page map_bytes;
    sc__cached_page categories;
    sc__cached_page openapi;
};

// Kept, but never shown without asking: another map may be served at the same address any time,
// and cloaks drawn on the one before would be wrong without a sign of it. Asking costs a 304.
static const char cache_control[] = "public, no-cache";

static const sc__cached_page_headers json_headers = {
    .type = "application/json",
    .cache_control = cache_control,
};

static const sc__cached_page_headers bytes_headers = {
    .type = "application/octet-stream",
    .cache_control = cache_control,
};

static sc_err cache_map(sc__cached_page *page, const sc_map *map)
{
    sc_bytes text = {0};
    if (sc__map_json_write(map, &text)) return sc__cached_page_own(page, &json_headers, &text);
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

static sc_err cache_map_bytes(sc__cached_page *page, const sc_map *map)
{
    sc_bytes bytes = {0};
    if (sc__map_bytes_write(map, &bytes)) return sc__cached_page_own(page, &bytes_headers, &bytes);
    sc_bytes_fini(&bytes);
    return SC_ENOMEM;
}

static sc_err cache_categories(sc__cached_page *page, const sc_map *map,
                               const sc_vocabulary *vocabulary)
{
    sc_bytes text = {0};
    if (sc__categories_json_write(map, vocabulary, &text)) {
        return sc__cached_page_own(page, &json_headers, &text);
    }
    sc_bytes_fini(&text);
    return SC_ENOMEM;
}

static sc_err cache_all(sc_static_pages *pages, const sc_map *map, const sc_vocabulary *vocabulary)
{
    sc_err err = cache_map(&pages->map, map);
    if (!err) err = cache_map_bytes(&pages->map_bytes, map);
    if (!err) err = cache_categories(&pages->categories, map, vocabulary);
    if (!err) {
        err = sc__cached_page_borrow(&pages->openapi, &json_headers, sc__openapi_json,
                                     sc__openapi_json_size);
    }
    return err;
}

sc_err sc_static_pages_new(const sc_map *map, const sc_vocabulary *vocabulary,
                           sc_static_pages **out, sc_diag *diag)
{
    sc_static_pages *pages = sc_calloc(1, sizeof *pages);
    const sc_err err = pages ? cache_all(pages, map, vocabulary) : SC_ENOMEM;
    if (err) {
        sc_static_pages_free(pages);
        return err == SC_ENOMEM
                   ? sc_fail_memory(diag, "writing the map for display")
                   : sc_fail(diag, err, "the map is too large to be written for display");
    }
    *out = pages;
    return SC_OK;
}

void sc_static_pages_free(sc_static_pages *pages)
{
    if (!pages) return;
    sc__cached_page_fini(&pages->map);
    sc__cached_page_fini(&pages->map_bytes);
    sc__cached_page_fini(&pages->categories);
    sc__cached_page_fini(&pages->openapi);
    sc_free(pages);
}

bool sc_static_pages_are_lent(const sc_static_pages *pages, const sc_http *http, unsigned loop)
{
    const sc__cached_page *const all[] = {&pages->map, &pages->map_bytes, &pages->categories,
                                          &pages->openapi};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (sc__cached_page_is_lent(all[i], http, loop)) return true;
    }
    return false;
}

void sc_static_pages_map(const sc_static_pages *pages, sc_http_request *request)
{
    sc__cached_page_send(&pages->map, request);
}

void sc_static_pages_map_bytes(const sc_static_pages *pages, sc_http_request *request)
{
    sc__cached_page_send(&pages->map_bytes, request);
}

void sc_static_pages_categories(const sc_static_pages *pages, sc_http_request *request)
{
    sc__cached_page_send(&pages->categories, request);
}

void sc_static_pages_openapi(const sc_static_pages *pages, sc_http_request *request)
{
    sc__cached_page_send(&pages->openapi, request);
}

// === The UI =====================================================================================
// Every page has one path: index.html is found at "/" alone.

typedef struct ui_page {
    const char *path;
    sc__cached_page page;
} ui_page;

struct sc_ui {
    size_t count;
    ui_page pages[];
};

// --- What is said along with every page ----------------------------------------------------------

/** Whatever finds its way into the page cannot load from elsewhere, run what was not built in, or
 * be drawn inside of another page. */
static const sc_http_header guards[] = {
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
     "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
     "require-trusted-types-for 'script'; trusted-types 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    // The position of a query comes from a click on the map, never from the machine.
    {"Permissions-Policy", "geolocation=(), camera=(), microphone=()"},
};
enum { GUARDS = sizeof guards / sizeof guards[0] };
_Static_assert((int)GUARDS <= (int)SC__CACHED_PAGE_MORE_MAX, "a cached page has room for them");

static sc__cached_page_headers headers_for(const sc__ui_file *file)
{
    static const char hashed[] = "/assets/";
    const bool is_hashed = strncmp(file->path, hashed, sizeof hashed - 1) == 0;
    return (sc__cached_page_headers){
        .type = file->type,
        // Another program has other names there. All else is asked for again, which costs a 304.
        .cache_control = is_hashed ? "public, max-age=31536000, immutable" : "no-cache",
        .more = guards,
        .more_count = GUARDS,
    };
}

// --- Making --------------------------------------------------------------------------------------

static const char index_path[] = "/index.html";

static const char without[] =
    "<!doctype html>\n"
    "<html lang=\"en\">\n"
    "<head>\n"
    "<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>StarCloak</title>\n"
    "</head>\n"
    "<body>\n"
    "<h1>StarCloak is running</h1>\n"
    "<p>This program was built without its UI, the page that belongs here. To have it, run "
    "<code>make ui</code>, which needs Node.js 18 or later with npm.</p>\n"
    "<p>All else is there: <a href=\"/openapi.json\">/openapi.json</a> describes it.</p>\n"
    "</body>\n"
    "</html>\n";

/** What is shown by a program that was built without the UI. */
static const sc__ui_file without_file = {
    .path = index_path,
    .type = "text/html; charset=utf-8",
    .bytes = (const unsigned char *)without,
    .size = sizeof without - 1,
};

static sc_err cache_ui_files(sc_ui *ui, const sc__ui_file *files)
{
    for (size_t i = 0; i < ui->count; i++) {
        const sc__cached_page_headers headers = headers_for(&files[i]);
        ui_page *p = &ui->pages[i];
        p->path = strcmp(files[i].path, index_path) == 0 ? "/" : files[i].path;
        const sc_err err =
            sc__cached_page_borrow(&p->page, &headers, files[i].bytes, files[i].size);
        if (err) return err;
    }
    return SC_OK;
}

sc_err sc__ui_new_from(const sc__ui_file *files, size_t count, sc_ui **out, sc_diag *diag)
{
    if (count == 0) return sc__ui_new_from(&without_file, 1, out, diag);
    sc_ui *ui = sc_calloc(1, sizeof *ui + count * sizeof ui->pages[0]);
    if (!ui) return sc_fail_memory(diag, "packing the UI");
    ui->count = count;
    const sc_err err = cache_ui_files(ui, files);
    if (err) {
        sc_ui_free(ui);
        return sc_fail_memory(diag, "packing the UI");
    }
    *out = ui;
    return SC_OK;
}

sc_err sc_ui_new(sc_ui **out, sc_diag *diag)
{
    return sc__ui_new_from(sc__ui_files, sc__ui_file_count, out, diag);
}

void sc_ui_free(sc_ui *ui)
{
    if (!ui) return;
    for (size_t i = 0; i < ui->count; i++) {
        sc__cached_page_fini(&ui->pages[i].page);
    }
    sc_free(ui);
}

// --- Showing -------------------------------------------------------------------------------------

// One by one: there are less than a dozen.
static const ui_page *find(const sc_ui *ui, const char *path)
{
    // Browsers look for it there when a page names none, as a report does.
    if (strcmp(path, "/favicon.ico") == 0) path = "/favicon.svg";
    for (size_t i = 0; i < ui->count; i++) {
        if (strcmp(ui->pages[i].path, path) == 0) return &ui->pages[i];
    }
    return NULL;
}

bool sc_ui_has(const sc_ui *ui, const char *path)
{
    return find(ui, path) != NULL;
}

void sc_ui_show(const sc_ui *ui, sc_http_request *request)
{
    const ui_page *found = find(ui, sc_http_request_path(request));
    if (found) {
        sc__cached_page_send(&found->page, request);
        return;
    }
    sc_problem problem;
    sc_problem_set(&problem, SC_PROBLEM_NOT_FOUND, NULL, "no such page of the UI");
    sc_problem_reply(request, &problem, NULL);
}
