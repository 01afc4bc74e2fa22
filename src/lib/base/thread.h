/**
 * @file thread.h
 * @brief Starting a thread that takes no signals: they are for the program's own threads.
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

#endif
