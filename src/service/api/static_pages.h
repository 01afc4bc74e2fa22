/**
 * @file static_pages.h
 * @brief Pages that do not change while a map is served: the map for display, categories,
 * openapi.json; and the UI.
 *
 *     GET /v1/map         {"checksum":"...","nodes":n,"is_geographic":true,"bounds":[w,s,e,n],
 *                          "unit":1e-7,"segments":[[x,y,dx,dy,dx,dy,...],...],"ends":[a,b,a,b,...],
 *                          "classes":[6,...]}                  map_display.h explains the members
 *     GET /v1/map.bin     the same map as bytes, for the UI; map_display.h has the layout
 *     GET /v1/categories  {"categories":[{"name":"cafe","objects":112},...]}
 *     GET /openapi.json   OpenAPI 3.1 of all routes (openapi.json in this folder)
 *
 * Written once for each map that is served and cached (response_cache.h). The map and the
 * categories are no secret: the provider has them.
 */
#ifndef SC_API_STATIC_PAGES_H
#define SC_API_STATIC_PAGES_H

#include "api/service_internal.h"
#include "server/http.h"

/**
 * @param map         read only during this call
 * @param vocabulary  the same
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_static_pages_new(const sc_map *map, const sc_vocabulary *vocabulary,
                                      sc_static_pages **out, sc_diag *diag);

/** Whether a loop has replies that still send one of them. In the loop's thread. */
bool sc_static_pages_are_lent(const sc_static_pages *pages, const sc_http *http, unsigned loop);

/** After the loops have stopped, or when none is lent; NULL is fine. */
void sc_static_pages_free(sc_static_pages *pages);

void sc_static_pages_map(const sc_static_pages *pages, sc_http_request *request);
void sc_static_pages_map_bytes(const sc_static_pages *pages, sc_http_request *request);
void sc_static_pages_categories(const sc_static_pages *pages, sc_http_request *request);
void sc_static_pages_openapi(const sc_static_pages *pages, sc_http_request *request);

// === The UI: a page for people, put into the program when it is built (web/) ====================
//     GET /                  index.html
//     GET /assets/NAME       scripts and styles; names have a hash, so they may be kept for a year
//     GET /favicon.svg       also by the name that browsers try, /favicon.ico
//
// Nothing in it is secret, and all that it shows it asks for like any client. Its pages have a
// strict content security policy: no other host, no inline script or style, no frame around it.

typedef struct sc_ui sc_ui;

/** Make ready what is in the program; one that was built without has a page that says so.
 * @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_ui_new(sc_ui **out, sc_diag *diag);

/** NULL is fine. */
void sc_ui_free(sc_ui *ui);

/** Whether this path is the UI's. */
bool sc_ui_has(const sc_ui *ui, const char *path);

/** Show it. GET or HEAD of a path that it has. */
void sc_ui_show(const sc_ui *ui, sc_http_request *request);

// === The files that the UI is made of, put into the program when it is built ====================
// cmake/embed_ui.cmake writes the table from what scripts/web has built. It is empty where that
// was not done.

typedef struct sc__ui_file {
    const char *path;  ///< "/index.html", "/assets/index-abc123.js"
    const char *type;  ///< media type
    const unsigned char *bytes;
    size_t size;
} sc__ui_file;

extern const sc__ui_file sc__ui_files[];
extern const size_t sc__ui_file_count;

/** sc_ui_new() of these files, which must outlive it. */
SC_CHECKED sc_err sc__ui_new_from(const sc__ui_file *files, size_t count, sc_ui **out,
                                  sc_diag *diag);

#endif
