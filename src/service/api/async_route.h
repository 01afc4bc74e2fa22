/**
 * @file async_route.h
 * @brief Secret: requests about queries with a life of their own: those that ask, look and
 * withdraw, and that are held until there is something to tell.
 *
 *     POST /v1/queries         with Prefer: respond-async, "wait", or an Idempotency-Key
 *     GET /v1/queries/<id>     where it stands, and its outcome; ?wait=S&known=STATE holds it
 *     DELETE /v1/queries/<id>  withdraws it
 *
 * A request is held in the loop that has its connection, and a ticket comes back in the loop that
 * asked. So the table of queries (async_queries.h) is shared, under a lock that is held for a
 * look-up or a copy; a request to be replied to is put into a list of its loop, and the loop is
 * woken.
 *
 * An id is 128 random bits. In a cluster the number of the gateway follows, sealed with a key that
 * all gateways have, so that another gateway knows whom to ask and no one else learns anything.
 */
#ifndef SC_API_ASYNC_ROUTE_H
#define SC_API_ASYNC_ROUTE_H

#include "api/async_queries.h"
#include "api/async_request.h"
#include "api/service_internal.h"

/** Watches each loop, so before sc_http_start(). @param names_key  see sc_query_route_new() */
SC_CHECKED sc_err sc_async_route_new(sc_service_internal *service, const uint8_t *names_key,
                                     sc_async_route **out, sc_diag *diag);

/** In a cluster, before the gateway starts: queries of other gateways are asked for there. Made
 * with the names' key, the route has ids that name their gateway. */
void sc_async_route_join(sc_async_route *route, sc_gateway *gateway);

/** After the loops have stopped and all tickets are back. NULL is fine. */
void sc_async_route_free(sc_async_route *route);

/** Counts. Any thread. */
sc_async_stats sc_async_route_stats(sc_async_route *route);

/** See sc_async_queries_awaited(). Any thread. */
size_t sc_async_route_awaited(sc_async_route *route);

// --- Asking (query_route.c) ----------------------------------------------------------------------

/** How a POST wants to be replied to. */
typedef struct sc_async_form {
    bool is_preferred;  ///< it had respond-async
    sc_time wait_us;    ///< then 202; < 0: it is held until there is an outcome
} sc_async_form;

/** A query as it is asked, until it is held. */
typedef struct sc_async_asking {
    sc_async_headers headers;
    sc_async_hash owner;
    sc_async_hash body;     ///< if it has a key
    sc_time wait_us;        ///< of the body; < 0: it has none
    sc_async_query *query;  ///< once it is found or added: held
} sc_async_asking;

/** Whether a request with these headers and that body asks for a life of its own. */
static inline bool sc_async_is_asked(const sc_async_asking *asking)
{
    return asking->headers.is_preferred || asking->headers.key || asking->wait_us >= 0;
}

/** Set owner and body, once the user is known. */
void sc_async_route_identify(const sc_async_route *route, const sc_token *token,
                             sc_http_request *request, sc_async_asking *asking);

/**
 * Look for the query of that key: `asking->query` is set if it is the same.
 *
 * @return false: another body was sent under that key, with a problem
 */
bool sc_async_route_repeat(sc_async_route *route, const sc_policy *policy, sc_async_asking *asking,
                           sc_problem *problem);

/** Enter a new one, before its ticket is submitted. @return SC_OK, SC_EDUPLICATE, SC_ENOMEM */
SC_CHECKED sc_err sc_async_route_add(sc_async_route *route, const sc_policy *policy,
                                     sc_async_asking *asking, const sc_query_id *id);

/** Its ticket could not be submitted. */
void sc_async_route_cancel(sc_async_route *route, const sc_policy *policy, sc_async_asking *asking);

/** Reply to the POST, now or later; the query is not held by `asking` any more. The body must be
 * wiped before. */
void sc_async_route_reply(sc_async_route *route, const sc_policy *policy, unsigned loop,
                          sc_http_request *request, sc_async_asking *asking);

// --- What becomes of it --------------------------------------------------------------------------

/** Its cloak has left. The ledger's thread. */
void sc_async_route_cloaked(sc_async_route *route, sc_async_query *query);

/** Its ticket is back. Any thread. */
void sc_async_route_settle(sc_async_route *route, const sc_policy *policy, sc_async_query *query,
                           const sc_async_outcome *outcome);

// --- Looking and withdrawing ---------------------------------------------------------------------

/** GET and DELETE. */
void sc_async_route_look(sc_async_route *route, unsigned loop, sc_http_request *request);
void sc_async_route_delete(sc_async_route *route, unsigned loop, sc_http_request *request);

#endif
