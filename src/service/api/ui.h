/**
 * @file ui.h
 * @brief The UI: a page for people, put into the program when it is built (web/).
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
#ifndef SC_SERVICE_UI_H
#define SC_SERVICE_UI_H

#include "server/http.h"

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

#endif
