/**
 * @file key_source.h
 * @brief Public keys of another party, from a file or an address, kept fresh.
 *
 * A file is read at the start and again on a reload. An address is asked by a thread of its own
 * every `refresh_s` seconds, and soon when keys are wanted that are not known, though at most every
 * `retry_s`: a party that changes its keys is followed, and a sender of made-up tokens cannot make
 * us flood it. What is read goes to `use`; while nothing comes, what came before stays in use.
 */
#ifndef SC_SERVER_KEY_SOURCE_H
#define SC_SERVER_KEY_SOURCE_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "server/log.h"

typedef struct sc_key_source_options {
    const char *location;  ///< a file, or an address: "https://login.example/keys"; copied
    const char *ca;        ///< PEM file of authorities for the address; NULL: the system's; copied
    const char *event;     ///< in the log when keys have come, as "jwt_keys"; a literal
    const char *failed;    ///< and when they do not, as "jwt_keys_failed"; a literal
    double refresh_s;      ///< of an address, > 0
    double retry_s;        ///< at least between two questions to it, > 0
    size_t max_bytes;
    sc_log *log;  ///< borrowed; may be NULL
    /** Take what was read into use, and tell how many keys it has. On failure nothing changes. In
     * the thread that makes or reloads the source, or in its own. */
    sc_err (*use)(void *context, const char *text, size_t size, size_t *keys, sc_diag *diag);
    void *context;
} sc_key_source_options;

typedef struct sc_key_source sc_key_source;

/** Whether a location is an address, and not a file. */
bool sc_key_source_is_remote(const char *location);

/**
 * Read the file. An address is asked after sc_key_source_start().
 *
 * @return SC_OK, SC_EIO, SC_ELIMIT, SC_ENOMEM, or what `use` returns
 */
SC_CHECKED sc_err sc_key_source_new(const sc_key_source_options *options, sc_key_source **out,
                                    sc_diag *diag);

/** Begin to ask an address, in a thread; nothing is done for a file. */
SC_CHECKED sc_err sc_key_source_start(sc_key_source *source, sc_diag *diag);

/** Read the file again, or ask the address soon. */
SC_CHECKED sc_err sc_key_source_reload(sc_key_source *source, sc_diag *diag);

/** Ask the address soon; nothing is done for a file. Any thread. */
void sc_key_source_want(sc_key_source *source);

/** Stop asking and free; `use` is not called any more. NULL is fine. */
void sc_key_source_free(sc_key_source *source);

typedef struct sc_key_source_stats {
    uint64_t fetched;   ///< times that keys came from the address
    uint64_t failures;  ///< and did not
} sc_key_source_stats;

/** Any thread. */
sc_key_source_stats sc_key_source_stats_of(sc_key_source *source);

#endif
