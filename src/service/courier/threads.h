/**
 * @file threads.h
 * @brief Starting a thread, with a word for people if there is none.
 *
 * Used by: courier, wire.
 */
#ifndef SC_COURIER_THREADS_H
#define SC_COURIER_THREADS_H

#include <errno.h>
#include <string.h>

#include "base/diag.h"
#include "base/thread.h"

/** SC_OK, or SC_EIO: the system has no thread to give. */
SC_CHECKED static inline sc_err sc__thread_start(pthread_t *thread, void *(*run)(void *),
                                                 void *context, sc_diag *diag)
{
    if (!sc_thread_start(thread, run, context)) return SC_OK;
    return sc_fail(diag, SC_EIO, "a thread for the provider cannot be started: %s",
                   strerror(errno));
}

#endif
