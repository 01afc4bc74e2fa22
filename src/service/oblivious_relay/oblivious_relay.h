/**
 * @file oblivious_relay.h
 * @brief A relay of Oblivious HTTP (RFC 9458): sealed requests from clients to one gateway.
 *
 * What a relay is for is what it does not do. It sends the bytes that it was sent to the one
 * gateway that it was started with, under its own address and with nothing of the client's: no
 * address, no header but the media type. It cannot read them, keeps nothing, and logs no request.
 * Its operator must be another than the service's; docs/split-trust.md says why.
 *
 *     POST /          (and any other path)  a sealed request, passed on
 *     GET /healthz    {"status":"ok"}
 *
 * Each loop hands what it was sent to one thread, which has the connections to the gateway. A
 * client that goes away takes its request with it.
 */
#ifndef SC_OBLIVIOUS_RELAY_OBLIVIOUS_RELAY_H
#define SC_OBLIVIOUS_RELAY_OBLIVIOUS_RELAY_H

#include <starcloak/err.h>

#include "server/http.h"

typedef struct sc_oblivious_relay sc_oblivious_relay;

typedef struct sc_oblivious_relay_options {
    sc_http_options http;     ///< `handle`, `context` and `problem` are the relay's
    const char *gateway;      ///< "https://cloak.example/.well-known/ohttp-gateway"
    const char *ca;           ///< PEM; NULL: the system's authorities
    const char *certificate;  ///< of the relay, PEM; NULL: it shows none
    const char *key;          ///< of that
    size_t max_waiting;       ///< requests that are under way at once; more are told 503
    double timeout_s;         ///< for one of them
    double address_rate;      ///< requests per second of one address; 0: no limit
    double address_burst;     ///< that may come at once
} sc_oblivious_relay_options;

/** 10,000 under way, 60 s, 10 a second and 100 at once for each address; a body of 64 KiB. */
sc_oblivious_relay_options sc_oblivious_relay_options_default(void);

/** Open all; nothing is accepted yet. SC_EINVAL (an address), SC_EIO, SC_ENOMEM. */
SC_CHECKED sc_err sc_oblivious_relay_new(const sc_oblivious_relay_options *options,
                                         sc_oblivious_relay **out, sc_diag *diag);

/** Serve. */
SC_CHECKED sc_err sc_oblivious_relay_start(sc_oblivious_relay *relay, sc_diag *diag);

/** Its server, for addresses and certificates; lent. */
sc_http *sc_oblivious_relay_http(sc_oblivious_relay *relay);

/** Refuse what is new, and pass on what is there, for at most `seconds`. True if nothing was cut
 * off. */
bool sc_oblivious_relay_drain(sc_oblivious_relay *relay, double seconds);

/** NULL is fine. */
void sc_oblivious_relay_free(sc_oblivious_relay *relay);

#endif
