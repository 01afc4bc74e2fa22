/**
 * @file thread.h
 * @brief Starting a thread that takes no signals: they are for the program's own threads; and one
 * that steps back behind others.
 *
 * A library must not choose who handles a signal. A thread begins with the mask of the one who
 * starts it, so all are blocked while it is started.
 */
#ifndef SC_BASE_THREAD_H
#define SC_BASE_THREAD_H

#include <starcloak/err.h>

#include <pthread.h>

/**
 * Start `run(argument)` in a thread of its own, to be joined.
 *
 * @return SC_OK, or SC_EIO: no thread can be started; errno has the reason
 */
SC_CHECKED sc_err sc_thread_start(pthread_t *thread, void *(*run)(void *), void *argument);

/** Let the calling thread, and no other, come after the rest of the process. Where a sandbox does
 * not permit it, nothing changes. */
void sc_thread_lower_priority(void);

#endif
