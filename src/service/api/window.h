/**
 * @file window.h
 * @brief The window: a page for people, put into the program when it is built (web/).
 *
 *     GET /                  index.html
 *     GET /assets/NAME       scripts and styles; names have a hash, so they may be kept for a year
 *     GET /favicon.svg       also by the name that browsers try, /favicon.ico
 *
 * Nothing in it is secret, and all that it shows it asks for like any client. Its pages have a
 * strict content security policy: no other host, no inline script or style, no frame around it.
 *
 * Uses: kept. Used by: service, router.
 */
#ifndef SC_SERVICE_WINDOW_H
#define SC_SERVICE_WINDOW_H

#include "server/http.h"

typedef struct sc_window sc_window;

/** Make ready what is in the program; one that was built without has a page that says so.
 * @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_window_new(sc_window **out, sc_diag *diag);

/** NULL is fine. */
void sc_window_free(sc_window *window);

/** Whether this path is the window's. */
bool sc_window_has(const sc_window *window, const char *path);

/** Show it. GET or HEAD of a path that it has. */
void sc_window_show(const sc_window *window, sc_http_request *request);

#endif
