/**
 * @file sandbox.h
 * @brief What a service gives up before it serves, and what the service manager hands it.
 *
 * In this order: limits are raised (descriptors) or closed (core dumps, ptrace), sockets and files
 * are opened, the user is changed, and then a filter lets only those system calls pass that serving
 * needs; all others fail with EPERM. No program can be started any more, no file be written but
 * those that are open, and, where a service is told to keep one, a file that is appended to.
 */
#ifndef SC_SANDBOX_SANDBOX_H
#define SC_SANDBOX_SANDBOX_H

#include <fcntl.h>
#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>

/** No core dumps, no debugger of the same user (PR_SET_DUMPABLE), no new privileges. */
SC_CHECKED sc_err sc_sandbox_no_dumps(sc_diag *diag);

/** As many descriptors as the hard limit allows; returns that number. */
size_t sc_sandbox_raise_descriptors(void);

/**
 * Become `user`, with its groups, for good. If this is not root, it must be the user already.
 *
 * @param user  a name or number; NULL: "nobody" if this is root, else nothing is done
 * @return SC_OK, SC_EUNKNOWN (no such user), SC_EIO (may not)
 */
SC_CHECKED sc_err sc_sandbox_become(const char *user, sc_diag *diag);

/** Whether there is such a user. @return SC_OK, SC_EUNKNOWN, SC_EIO (cannot be looked up) */
SC_CHECKED sc_err sc_sandbox_user_check(const char *user, sc_diag *diag);

/** The name or number of the user that the process runs as, for logs; into `out`. */
const char *sc_sandbox_user(char *out, size_t room);

/** The flags of open() with which a file that is appended to is opened, and no others: it may be
 * made, what it holds stays, and a link or a pipe is no such file. */
enum {
    SC_SANDBOX_APPENDS =
        O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
};

/**
 * Only the system calls of a service from now on, for all threads (those started before, too).
 * Opening files for reading and sockets stays allowed: names are looked up, certificates read
 * again.
 *
 * @param may_append  also open() with SC_SANDBOX_APPENDS, for a file that is opened again when it
 *                    was moved away; a filter cannot look at its name
 * @return SC_OK, SC_EIO (the kernel has no such filter)
 */
SC_CHECKED sc_err sc_sandbox_enter(bool may_append, sc_diag *diag);

/**
 * Listening sockets handed over by a service manager (LISTEN_PID, LISTEN_FDS; these are removed
 * from the environment).
 *
 * @param first  set to the first of them; they follow each other. Untouched if there is none
 * @return how many; 0 if none
 */
size_t sc_sandbox_inherited(int *first);

/** Tell the service manager (NOTIFY_SOCKET): "READY=1", "STOPPING=1",
 * "RELOADING=1\nMONOTONIC_USEC=..."; nothing happens if there is none. */
void sc_sandbox_notify(const char *state);

/** The same: a reload begins; "READY=1" ends it. */
void sc_sandbox_notify_reloading(void);

#endif
