/**
 * @file cross_origin.h
 * @brief Pages of other origins that may use the service from a browser (CORS).
 *
 * A browser lets a page read replies of another origin only if that origin says so, and asks before
 * it sends a token there (a preflight: OPTIONS with Access-Control-Request-Method). The operator
 * lists the origins; all others get the replies that they would get without a list, which their
 * browsers keep from them. No cookie is ever used, so there are no credentials to allow: a page has
 * the token that it was given.
 *
 * Only routes for all clients are shared. Pages for operators, and those for this machine, never.
 */
#ifndef SC_API_CROSS_ORIGIN_H
#define SC_API_CROSS_ORIGIN_H

#include <starcloak/err.h>

#include "server/http.h"

/** Origins that may use the service; never changes. Read by any thread. */
typedef struct sc_cross_origin sc_cross_origin;

/** Whether it is an origin as browsers send it: "https://app.example", "http://localhost:5173",
 * "capacitor://localhost". SC_EINVAL says what is wrong with it. */
SC_CHECKED sc_err sc_origin_check(const char *origin, sc_diag *diag);

/**
 * @param origins  texts parted by commas, copied; "": none
 * @param out      NULL for none; free with sc_cross_origin_free()
 * @return SC_OK, SC_EINVAL (one that is no origin), SC_ENOMEM
 */
SC_CHECKED sc_err sc_cross_origin_new(const char *origins, sc_cross_origin **out, sc_diag *diag);

/** NULL is fine. */
void sc_cross_origin_free(sc_cross_origin *shared);

/** Mark a request, so that its reply can be read by the origin that it comes from, if that is in
 * the list. @return whether it is */
bool sc_cross_origin_mark(const sc_cross_origin *shared, sc_http_request *request);

/** Whether a browser asks if it may send a request of another method. */
bool sc_request_is_preflight(const sc_http_request *request);

/** Answer that question for a marked request, with the methods of the route: "GET, HEAD". */
void sc_preflight_reply(sc_http_request *request, const char *methods);

#endif
