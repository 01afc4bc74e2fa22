// Threads that take no signals, and threads that let others go first.
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

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

void sc_thread_lower_priority(void)
{
    enum { STEP = 10, NICEST = 19 };
    // Of this thread alone: on Linux each has its own, inherited from the thread that starts it.
    const id_t self = (id_t)gettid();
    const int niceness = getpriority(PRIO_PROCESS, self) + STEP;
    (void)setpriority(PRIO_PROCESS, self, niceness < NICEST ? niceness : NICEST);
}
