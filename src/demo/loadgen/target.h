/**
 * @file target.h
 * @brief The service that is asked: its URL taken apart, its address, and what is needed for TLS.
 *
 * Looked up once; then read by any thread.
 *
 * Uses: base. Used by: client/wire, client/fetch, client/run.
 */
#ifndef SC_CLIENT_TARGET_H
#define SC_CLIENT_TARGET_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <sys/socket.h>

/** Zero-initialise; sc_target_fini() when done. */
typedef struct sc_target {
    char name[256];  ///< of the host, as a certificate has it
    char host[280];  ///< as the Host header has it: with the port, unless it is the usual one
    char path[512];  ///< what stands before "/v1/queries"; "" or without a slash at the end
    struct sockaddr_storage address;
    socklen_t address_size;
    bool is_ipv4_loopback;   ///< then there are addresses enough to come from
    struct ssl_ctx_st *tls;  ///< NULL: plain HTTP
} sc_target;

/**
 * @param url  "http://host:port", or "https://..."; a path may follow, nothing else
 * @param ca   PEM: who may have signed the service's certificate; NULL: whom the system trusts
 * @return SC_OK, SC_EINVAL (no such URL), SC_ENET (no such host), SC_EIO (the CA file), SC_ENOMEM
 */
SC_CHECKED sc_err sc_target_init(sc_target *target, const char *url, const char *ca, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_target_fini(sc_target *target);

#endif
