/**
 * @file serve_process.h
 * @brief What commands that serve have in common: signals, sockets handed over, the first log
 * lines.
 */
#ifndef SC_APPS_SERVE_PROCESS_H
#define SC_APPS_SERVE_PROCESS_H

#include "command.h"
#include "objects_options.h"
#include "server/http.h"
#include "server/log.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/** More sockets than any service manager hands over. */
enum { SC_SERVING_SOCKETS = 64 };

/** From now on SIGTERM, SIGINT and SIGHUP come to this thread alone, and only when it waits for
 * them; `signals` is set to these. A reader that has left is no reason to end. */
void sc_serving_hold_signals(sigset_t *signals);

/**
 * An end that the process itself asks for, since it can do nothing any more: it wakes the thread
 * that waits for signals, as SIGTERM would, and the exit status makes a supervisor start it again.
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
 * From now on SIGTERM and SIGINT end the process at once, so a second signal does not wait. Not
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

/** The same of the addresses for operators, which have no TLS. */
bool sc_serving_admin_url(const sc_http *http, char out[SC_SERVING_URL_SIZE]);

/** Log where it listens, a line for each address. */
void sc_serving_tell_listening(sc_log *log, const sc_http *http, bool is_tls);

/** Look at addresses and certificates, as --check does; warnings go to standard error.
 * @return SC_OK, SC_EINVAL, SC_EIO, SC_ENOMEM */
SC_CHECKED sc_err sc_serving_check(const sc_http_options *http, sc_call *call, sc_diag *diag);

// --- Objects of a serving provider --------------------------------------------------------------
// The objects of a provider that serves: the map's own, or a feed that tells the log.

/** Zero-initialise; release with sc_served_objects_close(). Not to be moved while it is open: the
 * feed's thread points to it. */
typedef struct sc_served_objects {
    sc_opened_objects own;           ///< of the map; empty if there is a feed
    _Atomic(sc_object_feed *) feed;  ///< NULL: the map's own
    sc_log *log;
    atomic_bool is_stale;  ///< the last load failed, and the log has it
} sc_served_objects;

/**
 * Opens the objects. For a map without a stored index one is built in memory. Loads of a feed, and
 * those that fail, are logged as long as it is open.
 *
 * @param path  of the map, for messages
 * @param out   its log is set and outlives it, as do `call` and `map`
 */
SC_CHECKED sc_err sc_served_objects_open(const sc_call *call, const sc_objects_options *options,
                                         const sc_map *map, const char *path,
                                         sc_served_objects *out, sc_diag *diag);

/** Harmless twice, and on a zeroed one. */
void sc_served_objects_close(sc_served_objects *objects);

#endif
