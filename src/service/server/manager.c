// What a service manager says and wants to hear, in the environment and over a socket: the
// conventions of systemd (sd_listen_fds(3), sd_notify(3)), which need no library. See sandbox.h.
#include "server/sandbox.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/** The first of the sockets that are handed over; it is the same always. */
enum { FIRST_FD = 3 };

/** The environment variable as a number from 1; 0 if it is none. */
static long number_of(const char *name)
{
    const char *text = getenv(name);
    if (!text || text[0] < '0' || text[0] > '9') return 0;
    char *end;
    errno = 0;
    const long number = strtol(text, &end, 10);
    return errno == 0 && *end == '\0' ? number : 0;
}

size_t sc_sandbox_inherited(int *first)
{
    // They are for the process of that number: a child of it may find the variables, too.
    const long count = number_of("LISTEN_PID") == (long)getpid() ? number_of("LISTEN_FDS") : 0;
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    size_t there = 0;
    while ((long)there < count) {
        const int fd = FIRST_FD + (int)there;
        const int flags = fcntl(fd, F_GETFD);
        if (flags < 0 || fcntl(fd, F_SETFD, flags | FD_CLOEXEC) < 0) break;
        there++;
    }
    if (there > 0) *first = FIRST_FD;
    return there;
}

void sc_sandbox_notify(const char *state)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || (path[0] != '/' && path[0] != '@')) return;
    const size_t size = strlen(path);
    if (size >= sizeof address.sun_path) return;
    memcpy(address.sun_path, path, size);
    // A name that is not in the file system begins with NUL, which cannot be written so.
    if (path[0] == '@') address.sun_path[0] = '\0';

    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return;
    const socklen_t address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size);
    // Nobody who listens is nobody's failure.
    (void)!sendto(fd, state, strlen(state), MSG_NOSIGNAL, (const struct sockaddr *)&address,
                  address_size);
    close(fd);
}

void sc_sandbox_notify_reloading(void)
{
    char state[64];
    snprintf(state, sizeof state, "RELOADING=1\nMONOTONIC_USEC=%" PRIi64, sc_clock_us());
    sc_sandbox_notify(state);
}
