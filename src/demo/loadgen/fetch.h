/**
 * @file fetch.h
 * @brief One GET, waited for: for the pages that are looked at before and after a run.
 *
 * Uses: client/wire, client/response. Used by: client/metrics_read, client/run.
 */
#ifndef SC_CLIENT_FETCH_H
#define SC_CLIENT_FETCH_H

#include "demo/loadgen/http_response.h"
#include "demo/loadgen/target.h"

/**
 * Get `path` (behind the target's own) on a new connection.
 *
 * @param token      for the Authorization header; NULL: none
 * @param timeout_s  for all of it
 * @param out        zeroed or cleared; filled on success, to be cleared
 * @return SC_OK (whatever the status), SC_ENET (no connection, no reply in time, or it broke off),
 *         SC_EPARSE, SC_ELIMIT, SC_ENOMEM
 */
SC_CHECKED sc_err sc_fetch(const sc_target *target, const char *path, const char *token,
                           double timeout_s, sc_response *out, sc_diag *diag);

#endif
