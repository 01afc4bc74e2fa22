/**
 * @file local.h
 * @brief Whether somebody on this very machine asks, for pages that are for them alone.
 *
 * That the peer is a loopback address or a unix socket is not enough, for three reasons:
 *
 *  1. A browser on this machine also runs the scripts of strangers. A page may let its own name
 *     lead to 127.0.0.1 once it is loaded (DNS rebinding), and read ours as if it were its own. The
 *     name is still in the Host header: so that must be one that only means this machine,
 *     "localhost" or a loopback address, which no stranger's page can have for an origin.
 *  2. A reverse proxy on this machine asks for everybody. It mostly passes the name that it was
 *     asked by, or says for whom it asks (X-Forwarded-For and the like): such requests are not
 *     local, whoever made them.
 *  3. A stranger's page in a browser on this machine may send what it cannot read the reply of. For
 *     anything but looking, the browser then says whose page it is (Origin): that must be ours, or
 *     another of this machine. And browsers say of every request whether the page that asks is of
 *     the same origin (Sec-Fetch-Site): it must be, or there is no page and a person asks ("none").
 *
 * A proxy that says neither cannot be told from a person. Behind such a one pages need a token, or
 * are switched off; docs/service.md says so.
 *
 * Uses: http. Used by: router.
 */
#ifndef SC_SERVICE_LOCAL_H
#define SC_SERVICE_LOCAL_H

#include "server/http.h"

/** Whether somebody on this machine asks, and nobody through them. */
bool sc_request_is_local(const sc_http_request *request);

/**
 * Whether a Host header means the machine that it is said on: "localhost", a loopback address or
 * the unspecified one (0.0.0.0, [::]), with or without a port.
 *
 * @param host  a stranger's; NULL: there was none
 */
bool sc__host_is_local(const char *host);

/** The same for "http://localhost:8080" of an Origin header. */
bool sc__origin_is_local(const char *origin);

#endif
