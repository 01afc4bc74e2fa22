/**
 * @file service.h
 * @brief The privacy proxy: all parts put together, started, reloaded, drained.
 *
 * Uses: everything of the service. Used by: starcloak serve.
 */
#ifndef SC_SERVICE_SERVICE_H
#define SC_SERVICE_SERVICE_H

#include <starcloak/density.h>

#include "courier/courier.h"
#include "http/http.h"
#include "ledger/ledger.h"
#include "log/log.h"
#include "service/policy.h"

typedef struct sc_service_options {
    sc_http_options http;        ///< `handle`, `context` and `problem` are the service's
    sc_ledger_options ledger;    ///< `settled`, `published` and `context` are the service's
    sc_courier_options courier;  ///< `back` and `context` are the service's
    sc_policy_terms policy;
    const char *token_keys;  ///< a file; NULL: a new random key, and so no token is good but those
                             ///< that are issued here
    const char *revoked;     ///< a file; NULL: none
    const sc_density *density;
    sc_log *log;
    size_t max_listeners;
} sc_service_options;

typedef struct sc_service sc_service;

/**
 * Open all: files, sockets, threads. Nothing is accepted yet, so that privileges can be given up in
 * between.
 *
 * @param map  borrowed, as what the options point to; texts are copied
 */
SC_CHECKED sc_err sc_service_new(const sc_map *map, const sc_service_options *options,
                                 sc_service **out, sc_diag *diag);

/** Serve. */
SC_CHECKED sc_err sc_service_start(sc_service *service, sc_diag *diag);

/** Its server; lent. */
sc_http *sc_service_http(sc_service *service);

/**
 * A token of the current first key for a user, for trying out.
 *
 * @param out  of SC_TOKEN_SIZE
 */
SC_CHECKED sc_err sc_service_issue(sc_service *service, const char *user, double seconds, char *out,
                                   sc_diag *diag);

/**
 * The policy anew, and what is in the files of keys, revoked tokens and certificates. All or
 * nothing: on failure everything stays as it was.
 */
SC_CHECKED sc_err sc_service_reload(sc_service *service, const sc_policy_terms *policy,
                                    sc_diag *diag);

/**
 * No new queries; the queries there are get their outcome. Waits until that is so, at most
 * `seconds`; those that are left then have failed as stopped, and a second is left to tell them.
 * New connections are welcome for `grace_s` more, to be told of it.
 *
 * @return how many queries were cut off so: 0 if all went well
 */
size_t sc_service_drain(sc_service *service, double grace_s, double seconds);

/** Stop and free; NULL is fine. */
void sc_service_free(sc_service *service);

#endif
