/**
 * @file serving.h
 * @brief What commands that serve have in common: signals, sockets handed over, the first log
 * lines.
 *
 * Used by: starcloak serve and lbs.
 */
#ifndef SC_APPS_SERVING_H
#define SC_APPS_SERVING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "http/http.h"
#include "log/log.h"

/** More sockets than any service manager hands over. */
enum { SC_SERVING_SOCKETS = 64 };

/** From now on SIGTERM, SIGINT and SIGHUP come to this thread alone, and only when it waits for
 * them; `signals` is set to these. A reader that has left is no reason to end. */
void sc_serving_hold_signals(sigset_t *signals);

/** The sockets from a service manager, into `out`; returns how many. */
size_t sc_serving_inherit(int out[SC_SERVING_SOCKETS]);

/** Log where it listens, a line for each address. */
void sc_serving_tell_listening(sc_log *log, const sc_http *http, bool is_tls);

#endif
