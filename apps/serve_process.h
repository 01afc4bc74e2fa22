/**
 * @file serve_process.h
 * @brief What commands that serve have in common: signals, sockets handed over, the first log
 * lines.
 *
 * Used by: starcloak serve, demo, gateway, worker and lbs.
 */
#ifndef SC_APPS_SERVE_PROCESS_H
#define SC_APPS_SERVE_PROCESS_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "server/http.h"
#include "server/log.h"

/** More sockets than any service manager hands over. */
enum { SC_SERVING_SOCKETS = 64 };

/** From now on SIGTERM, SIGINT and SIGHUP come to this thread alone, and only when it waits for
 * them; `signals` is set to these. A reader that has left is no reason to end. */
void sc_serving_hold_signals(sigset_t *signals);

/**
 * An end that comes from within: a process that can do nothing any more wakes whoever waits for
 * signals, as SIGTERM would, and its exit status tells a supervisor to start it anew.
 *
 * Zero-initialise.
 */
typedef struct sc_serving_end {
    atomic_bool has_begun;
} sc_serving_end;

/** It has come; nothing happens if the end is under way. Any thread. */
void sc_serving_end_within(sc_serving_end *end);

/**
 * A signal has come, and the end begins; `signals` are those of sc_serving_hold_signals().
 *
 * From now on SIGTERM and SIGINT end the process at once: whoever is in a hurry says it twice. Not
 * so if the end came from within, since that signal may still be on its way.
 *
 * @param end  NULL: it cannot come from within
 * @return whether it came from within
 */
bool sc_serving_end_begins(sc_serving_end *end, sigset_t *signals);

/** The sockets from a service manager, into `out`; returns how many. */
size_t sc_serving_inherit(int out[SC_SERVING_SOCKETS]);

/** Room for an address that a browser would take. */
enum { SC_SERVING_URL_SIZE = 160 };

/** The first address with a port, as "http://127.0.0.1:8080": one that can be reached from here,
 * without a slash at its end. False if there is none. */
bool sc_serving_url(const sc_http *http, bool is_tls, char out[SC_SERVING_URL_SIZE]);

/** Log where it listens, a line for each address. */
void sc_serving_tell_listening(sc_log *log, const sc_http *http, bool is_tls);

#endif
