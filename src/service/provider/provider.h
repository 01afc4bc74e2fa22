/**
 * @file provider.h
 * @brief The provider as a process: cloaks in over HTTP, replies out. docs/provider-protocol.md.
 *
 * `starcloak lbs` is this and its options. It knows a map and objects, and neither users nor
 * members: this folder cannot see them. Each loop hands what it was sent to threads that
 * evaluate, so that a hard question does not hold up the others; they answer with what lbs.h finds,
 * in the encoding of the request.
 *
 *     POST /            (and any path that does not begin with one of the next)   a cloak
 *     GET /healthz, /readyz, /metrics, /v1/categories
 */
#ifndef SC_PROVIDER_PROVIDER_H
#define SC_PROVIDER_PROVIDER_H

#include <starcloak/lbs.h>
#include <starcloak/object_feed.h>
#include <starcloak/objects.h>
#include <starcloak/relay_codec.h>

#include "server/http.h"
#include "server/log.h"

typedef struct sc_provider_options {
    sc_http_options http;  ///< `handle`, `context` and `problem` are set by the provider
    sc_objects *objects;   ///< held by the caller; or NULL, and then the feed's current set
    sc_object_feed *feed;
    unsigned threads;    ///< that evaluate, 1 to 64
    size_t max_waiting;  ///< cloaks that wait for one; more get 503 with Retry-After
    sc_lbs_options lbs;
    sc_codec_limits codec;
    sc_log *log;  ///< may be NULL
} sc_provider_options;

/** 1 thread, 1,000 waiting, the defaults of the parts (a body may be as large as a message). */
sc_provider_options sc_provider_options_default(void);

typedef struct sc_provider sc_provider;

/**
 * Open all: sockets, certificates, threads. Nothing is accepted yet, so that privileges can be
 * given up in between.
 *
 * @param map  borrowed, as what the options point to
 */
SC_CHECKED sc_err sc_provider_new(const sc_map *map, const sc_provider_options *options,
                                  sc_provider **out, sc_diag *diag);

/** Serve. */
SC_CHECKED sc_err sc_provider_start(sc_provider *provider, sc_diag *diag);

/** Its server, for addresses and certificates; lent. */
sc_http *sc_provider_http(sc_provider *provider);

/** Refuse what is new, answer what is there, for at most `seconds`; then stop. True if nothing was
 * cut off. */
bool sc_provider_drain(sc_provider *provider, double seconds);

/** NULL is fine. */
void sc_provider_free(sc_provider *provider);

#endif
