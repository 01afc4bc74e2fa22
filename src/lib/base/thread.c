// Threads that take no signals.
#include "base/thread.h"

#include <errno.h>
#include <signal.h>

sc_err sc_thread_start(pthread_t *thread, void *(*run)(void *), void *argument)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failure = pthread_create(thread, NULL, run, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure == 0) return SC_OK;
    errno = failure;
    return SC_EIO;
}
