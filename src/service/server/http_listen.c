// Sockets to listen at: addresses are read, looked up, and opened for each loop.
//
// TCP: each loop has a socket of its own at the same address (SO_REUSEPORT), and the kernel deals
// connections out among them. The first of them is bound without that option, which is set
// afterwards: so an address that another process holds, even one that would share it, is an error
// and not a silent division of the clients.
// Unix sockets, and sockets inherited from the service manager: there is one, and each loop has a
// descriptor of it.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

// As many as the kernel allows (net.core.somaxconn cuts it): a crowd that comes at once waits
// there.
enum { BACKLOG = 4096, NAME_ROOM = 256, PORT_ROOM = 8 };

// The kernel gives a silent client up later than we do, who count it: one that has taken something
// since it was last looked at has two times the limit.
static const double later_s = 5.0;

static const char unix_prefix[] = "unix:";

/** One text more in a list of them; the list owns the copy. */
static bool remember(char ***list, size_t *count, size_t *capacity, const char *text)
{
    if (!sc_grow(list, *count, capacity, sizeof **list)) return false;
    const size_t size = strlen(text) + 1;
    char *copy = sc_malloc(size);
    if (!copy) return false;
    memcpy(copy, text, size);
    (*list)[(*count)++] = copy;
    return true;
}

static sc_err remember_address(sc_http *http, const char *address, sc_diag *diag)
{
    return remember(&http->addresses, &http->address_count, &http->address_capacity, address)
               ? SC_OK
               : sc_fail_memory(diag, "listening");
}

/** The loop takes the descriptor over; room for it was made before. */
static void give(sc__http_loop *loop, int fd)
{
    loop->sockets[loop->socket_count++] = fd;
}

static int newest(const sc__http_loop *loop)
{
    return loop->sockets[loop->socket_count - 1];
}

static sc_err make_room(sc_http *http, size_t more)
{
    for (unsigned i = 0; i < http->options.loops; i++) {
        sc__http_loop *loop = &http->loops[i];
        int *larger =
            sc_realloc_array(loop->sockets, loop->socket_count + more, sizeof *loop->sockets);
        if (!larger) return SC_ENOMEM;
        loop->sockets = larger;
    }
    return SC_OK;
}

/** "127.0.0.1:8080" or "[::1]:8080"; false if there is neither name nor number. */
static bool name_socket(int fd, char *name, size_t room)
{
    struct sockaddr_storage address = {0};
    socklen_t size = sizeof address;
    char host[NAME_ROOM];
    char port[PORT_ROOM];
    if (getsockname(fd, (struct sockaddr *)&address, &size)) return false;
    if (address.ss_family == AF_UNIX) {
        const struct sockaddr_un *local = (const struct sockaddr_un *)&address;
        snprintf(name, room, "%s%.*s", unix_prefix, (int)sizeof local->sun_path, local->sun_path);
        return true;
    }
    if (getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV)) {
        return false;
    }
    snprintf(name, room, address.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
    return true;
}

// --- TCP ---------------------------------------------------------------------------------------

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof value) == 0;
}

// Connections inherit all of these. Pieces of a stream go out at once; and a client whose machine
// is gone without a word is noticed within two minutes, though it may wait for a reply for longer.
//
// The kernel would buffer megabytes for a client that does not read; and would keep them, after we
// have closed, for as long as it takes it to believe that the client is gone.
static bool prepare(const sc_http_options *o, int fd)
{
    return set(fd, SOL_SOCKET, SO_SNDBUF, (int)o->send_buffer_bytes) &&
           set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT,
               (int)((2 * o->write_timeout_s + later_s) * 1e3)) &&
           set(fd, SOL_SOCKET, SO_REUSEADDR, 1) && set(fd, IPPROTO_TCP, TCP_NODELAY, 1) &&
           set(fd, SOL_SOCKET, SO_KEEPALIVE, 1) && set(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60) &&
           set(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15) && set(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

/** A socket that is bound, or -1 with errno set. `is_first`: see the top. */
static int bind_one(const sc_http_options *o, const struct addrinfo *at, bool is_first)
{
    const int fd =
        socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol);
    if (fd < 0) return -1;
    if (prepare(o, fd) && (is_first || set(fd, SOL_SOCKET, SO_REUSEPORT, 1)) &&
        bind(fd, at->ai_addr, at->ai_addrlen) == 0 &&
        (!is_first || set(fd, SOL_SOCKET, SO_REUSEPORT, 1))) {
        return fd;
    }
    const int error = errno;
    close(fd);
    errno = error;
    return -1;
}

/** One socket per loop, all at the same address and port. */
static bool bind_all(sc_http *http, const struct addrinfo *at)
{
    struct sockaddr_storage address;
    struct addrinfo there = *at;
    memcpy(&address, at->ai_addr, at->ai_addrlen);
    there.ai_addr = (struct sockaddr *)&address;
    for (unsigned i = 0; i < http->options.loops; i++) {
        const int fd = bind_one(&http->options, &there, i == 0);
        if (fd < 0) return false;
        give(&http->loops[i], fd);
        // A port that the kernel has chosen is the port of all.
        if (i == 0 && getsockname(fd, there.ai_addr, &there.ai_addrlen)) return false;
    }
    for (unsigned i = 0; i < http->options.loops; i++) {
        if (listen(newest(&http->loops[i]), BACKLOG)) return false;
    }
    return true;
}

/** A name may stand for several addresses, of which a machine need not have all. */
static sc_err listen_at(sc_http *http, const struct addrinfo *found, const char *text,
                        sc_diag *diag)
{
    bool listens = false;
    int error = 0;
    for (const struct addrinfo *at = found; at; at = at->ai_next) {
        if (make_room(http, 1)) return sc_fail_memory(diag, "listening");
        if (bind_all(http, at)) {
            char name[NAME_ROOM + PORT_ROOM];
            const bool named = name_socket(newest(&http->loops[0]), name, sizeof name);
            const sc_err err = remember_address(http, named ? name : text, diag);
            if (err) return err;
            listens = true;
        } else {
            error = errno;
            if (error != EADDRNOTAVAIL && error != EAFNOSUPPORT) break;
        }
    }
    if (listens && (error == 0 || error == EADDRNOTAVAIL || error == EAFNOSUPPORT)) return SC_OK;
    return sc_fail(
        diag, SC_EIO, "cannot listen at %s: %s%s", text, strerror(error),
        error == EADDRINUSE ? "; give another port, or stop the program that listens there"
        : error == EACCES   ? "; give a port above 1023, or permit the program to use this port"
                            : "");
}

static sc_err refuse_address(const char *text, sc_diag *diag)
{
    return sc_fail(
        diag, SC_EINVAL,
        "this is not an address to listen at: %s; give HOST:PORT, [IPv6]:PORT or unix:PATH",
        sc_quote(text, strlen(text)).text);
}

/** Cut "HOST:PORT" or "[HOST]:PORT" in two. */
static bool cut_address(const char *text, char *host, char *port)
{
    const char *colon = strrchr(text, ':');
    if (!colon || colon == text) return false;
    const char *first = text;
    const char *last = colon;
    if (*text == '[') {
        if (last[-1] != ']') return false;
        first++;
        last--;
    } else if (memchr(text, ':', (size_t)(colon - text))) {
        return false;
    }
    const size_t host_size = (size_t)(last - first);
    const size_t port_size = strlen(colon + 1);
    if (host_size == 0 || host_size >= NAME_ROOM || port_size == 0 || port_size >= PORT_ROOM) {
        return false;
    }
    memcpy(host, first, host_size);
    host[host_size] = '\0';
    memcpy(port, colon + 1, port_size + 1);
    return strspn(port, "0123456789") == port_size && strtoul(port, NULL, 10) <= UINT16_MAX;
}

/** @param[out] out  to be freed with freeaddrinfo(); NULL on failure */
static sc_err look_up(const char *text, struct addrinfo **out, sc_diag *diag)
{
    char host[NAME_ROOM];
    char port[PORT_ROOM];
    *out = NULL;
    if (!cut_address(text, host, port)) return refuse_address(text, diag);

    const struct addrinfo hints = {.ai_family = AF_UNSPEC,
                                   .ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_PASSIVE | AI_NUMERICSERV};
    const int failure = getaddrinfo(host, port, &hints, out);
    if (failure) {
        *out = NULL;
        return sc_fail(diag, SC_EINVAL, "cannot look up %s: %s; give an address of this machine",
                       sc_quote(text, strlen(text)).text, gai_strerror(failure));
    }
    return SC_OK;
}

static sc_err listen_tcp(sc_http *http, const char *text, sc_diag *diag)
{
    struct addrinfo *found = NULL;
    sc_err err = look_up(text, &found, diag);
    if (err) return err;
    err = listen_at(http, found, text, diag);
    freeaddrinfo(found);
    return err;
}

// --- Unix sockets, and inherited ones ----------------------------------------------------------

/** Give each loop a descriptor of `fd`; the last takes `fd` itself, which is closed on failure. */
static sc_err share(sc_http *http, int fd, sc_diag *diag)
{
    if (make_room(http, 1)) {
        close(fd);
        return sc_fail_memory(diag, "listening");
    }
    for (unsigned i = 1; i < http->options.loops; i++) {
        const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        if (copy < 0) {
            const int error = errno;
            close(fd);
            return sc_fail(diag, SC_EIO, "cannot listen: %s", strerror(error));
        }
        give(&http->loops[i], copy);
    }
    give(&http->loops[0], fd);
    return SC_OK;
}

/** Whether a socket without a listening process lies there, from a run that was cut short. */
static bool is_stale(const struct sockaddr_un *address)
{
    // A file that is no socket refuses connections, too, and is nothing of ours.
    struct stat status;
    if (lstat(address->sun_path, &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const bool stale = connect(fd, (const struct sockaddr *)address, sizeof *address) != 0 &&
                       errno == ECONNREFUSED;
    close(fd);
    return stale;
}

static sc_err unix_address(const char *text, struct sockaddr_un *out, sc_diag *diag)
{
    const char *path = text + sizeof unix_prefix - 1;
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (*path == '\0') return refuse_address(text, diag);
    if (strlen(path) >= sizeof out->sun_path) {
        return sc_fail(diag, SC_EINVAL, "the path of a unix socket is longer than %zu bytes: %s",
                       sizeof out->sun_path - 1, sc_quote(path, strlen(path)).text);
    }
    memcpy(out->sun_path, path, strlen(path) + 1);
    return SC_OK;
}

static sc_err listen_unix(sc_http *http, const char *text, sc_diag *diag)
{
    const char *path = text + sizeof unix_prefix - 1;
    struct sockaddr_un address;
    const sc_err refused = unix_address(text, &address, diag);
    if (refused) return refused;

    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) return sc_fail(diag, SC_EIO, "cannot listen at %s: %s", text, strerror(errno));
    const struct sockaddr *at = (const struct sockaddr *)&address;
    if (is_stale(&address)) unlink(path);
    if (bind(fd, at, sizeof address) || listen(fd, BACKLOG)) {
        const int error = errno;
        close(fd);
        return sc_fail(diag, SC_EIO, "cannot listen at %s: %s%s", text, strerror(error),
                       error == EADDRINUSE
                           ? "; give another path, or stop the program that listens there"
                           : "");
    }
    const sc_err err = share(http, fd, diag);
    if (err) {
        unlink(path);
        return err;
    }
    if (!remember(&http->socket_paths, &http->socket_path_count, &http->socket_path_capacity,
                  path)) {
        unlink(path);
        return sc_fail_memory(diag, "listening");
    }
    return remember_address(http, text, diag);
}

static sc_err listen_inherited(sc_http *http, int inherited, sc_diag *diag)
{
    char name[NAME_ROOM + PORT_ROOM];
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    if (getsockopt(inherited, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) || !is_listening ||
        !name_socket(inherited, name, sizeof name)) {
        return sc_fail(diag, SC_EIO, "inherited descriptor %d is not a listening socket",
                       inherited);
    }
    // Copies are ours; the original stays with the caller.
    const int fd = fcntl(inherited, F_DUPFD_CLOEXEC, 0);
    if (fd < 0 || fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK) < 0) {
        const int error = errno;
        if (fd >= 0) close(fd);
        return sc_fail(diag, SC_EIO, "cannot use inherited descriptor %d: %s", inherited,
                       strerror(error));
    }
    if (strncmp(name, unix_prefix, sizeof unix_prefix - 1) != 0) {
        (void)prepare(&http->options, fd);  // as far as the service manager leaves it to us
    }
    const sc_err err = share(http, fd, diag);
    return err ? err : remember_address(http, name, diag);
}

static bool is_unix(const char *address)
{
    return strncmp(address, unix_prefix, sizeof unix_prefix - 1) == 0;
}

bool sc_http_address_is_local(const char *address)
{
    char host[NAME_ROOM];
    char port[PORT_ROOM];
    if (is_unix(address)) return true;
    if (!cut_address(address, host, port)) return false;
    struct in_addr ip4;
    struct in6_addr ip6;
    if (inet_pton(AF_INET, host, &ip4) == 1) {
        return ntohl(ip4.s_addr) >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET;
    }
    if (inet_pton(AF_INET6, host, &ip6) == 1) return IN6_IS_ADDR_LOOPBACK(&ip6);
    return strcasecmp(host, "localhost") == 0;
}

// --- Looking without listening -----------------------------------------------------------------

/** An address that was looked at, and the setting that it came from. */
typedef struct looked_at {
    struct sockaddr_storage at;
    const char *text;
} looked_at;

typedef struct address_check {
    sc_http_warning *warn;
    void *context;
    looked_at *seen;
    size_t count;
    size_t capacity;
} address_check;

static uint16_t port_of(const struct sockaddr_storage *at)
{
    return at->ss_family == AF_INET6 ? ntohs(((const struct sockaddr_in6 *)at)->sin6_port)
                                     : ntohs(((const struct sockaddr_in *)at)->sin_port);
}

/** All interfaces: those of IPv4 alone, or of both. */
static bool is_any(const struct sockaddr_storage *at)
{
    if (at->ss_family == AF_INET6) {
        return IN6_IS_ADDR_UNSPECIFIED(&((const struct sockaddr_in6 *)at)->sin6_addr);
    }
    return ((const struct sockaddr_in *)at)->sin_addr.s_addr == htonl(INADDR_ANY);
}

static bool is_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    if (a->ss_family != b->ss_family) return false;
    return a->ss_family == AF_INET6
               ? IN6_ARE_ADDR_EQUAL(&((const struct sockaddr_in6 *)a)->sin6_addr,
                                    &((const struct sockaddr_in6 *)b)->sin6_addr)
               : ((const struct sockaddr_in *)a)->sin_addr.s_addr ==
                     ((const struct sockaddr_in *)b)->sin_addr.s_addr;
}

/** Whether a socket at "[::]" takes clients by IPv4, too: a setting of the kernel, which each new
 * socket has. Binding would not tell: two sockets that do not listen may share a port. */
static bool any_takes_ip4(void)
{
    int is_ip6_only = 1;
    socklen_t size = sizeof is_ip6_only;
    const int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const bool is_known = getsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &is_ip6_only, &size) == 0;
    close(fd);
    return is_known && !is_ip6_only;
}

/** Whether sockets at both cannot listen at the same time. */
static bool overlaps(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
    // A port that the kernel chooses is another each time.
    if (port_of(a) != port_of(b) || port_of(a) == 0) return false;
    if (a->ss_family == b->ss_family) return is_same_host(a, b) || is_any(a) || is_any(b);
    return is_any(a->ss_family == AF_INET6 ? a : b) && any_takes_ip4();
}

static sc_err remember_seen(address_check *check, const struct addrinfo *at, const char *text,
                            sc_diag *diag)
{
    looked_at this = {.text = text};
    memcpy(&this.at, at->ai_addr, at->ai_addrlen);
    for (size_t i = 0; i < check->count; i++) {
        if (overlaps(&check->seen[i].at, &this.at)) {
            return sc_fail(diag, SC_EINVAL,
                           "cannot listen at %s and at %s: it is the same address; remove one of "
                           "the two",
                           check->seen[i].text, text);
        }
    }
    if (!sc_grow(&check->seen, check->count, &check->capacity, sizeof *check->seen)) {
        return sc_fail_memory(diag, "looking at addresses");
    }
    check->seen[check->count++] = this;
    return SC_OK;
}

static void warn_of(const address_check *check, const char *text, int error)
{
    char message[NAME_ROOM + 160];
    snprintf(message, sizeof message, "cannot listen at %s now: %s%s", text, strerror(error),
             error == EADDRINUSE ? "; fine if this service runs there already, otherwise give "
                                   "another port or stop the program that listens there"
                                 : "; fine if the service is started by root or by a service "
                                   "manager, otherwise give a port above 1023");
    check->warn(check->context, message);
}

// Bound and closed: no one who connects in the meantime comes to us, as we do not listen.
static sc_err look_at_tcp(address_check *check, const char *text, sc_diag *diag)
{
    struct addrinfo *found = NULL;
    sc_err err = look_up(text, &found, diag);
    bool is_possible = false;
    int error = 0;
    const sc_http_options usual = sc_http_options_default();
    for (const struct addrinfo *at = found; at && !err; at = at->ai_next) {
        err = remember_seen(check, at, text, diag);
        if (err) break;
        const int fd = bind_one(&usual, at, true);
        if (fd >= 0) {
            close(fd);
            is_possible = true;
        } else if (errno == EADDRINUSE || errno == EACCES) {
            warn_of(check, text, errno);
            is_possible = true;
        } else {
            error = errno;
        }
    }
    if (found) freeaddrinfo(found);
    if (err || is_possible) return err;
    return sc_fail(diag, SC_EINVAL, "cannot listen at %s: %s; give an address of this machine",
                   text, strerror(error));
}

static sc_err look_at_unix(address_check *check, const char *text, sc_diag *diag)
{
    struct sockaddr_un address;
    const sc_err err = unix_address(text, &address, diag);
    if (err) return err;
    for (size_t i = 0; i < check->count; i++) {
        if (strcmp(check->seen[i].text, text) == 0) {
            return sc_fail(diag, SC_EINVAL, "cannot listen at %s twice; remove one of the two",
                           text);
        }
    }
    if (!sc_grow(&check->seen, check->count, &check->capacity, sizeof *check->seen)) {
        return sc_fail_memory(diag, "looking at addresses");
    }
    check->seen[check->count++] = (looked_at){.text = text};
    char folder[sizeof address.sun_path];
    memcpy(folder, address.sun_path, sizeof folder);
    char *slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = '\0';
    struct stat status;
    if (slash && (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))) {
        return sc_fail(diag, SC_EINVAL, "cannot listen at %s: there is no directory %s; make it",
                       text, folder);
    }
    if (lstat(address.sun_path, &status) != 0 || is_stale(&address)) return SC_OK;
    if (!S_ISSOCK(status.st_mode)) {
        return sc_fail(diag, SC_EINVAL,
                       "cannot listen at %s: there is a file that is not a socket; give another "
                       "path",
                       text);
    }
    warn_of(check, text, EADDRINUSE);
    return SC_OK;
}

sc_err sc_http_addresses_check(const char *const *addresses, size_t count, sc_http_warning *warn,
                               void *context, sc_diag *diag)
{
    address_check check = {.warn = warn, .context = context};
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = is_unix(addresses[i]) ? look_at_unix(&check, addresses[i], diag)
                                    : look_at_tcp(&check, addresses[i], diag);
    }
    sc_free(check.seen);
    return err;
}

// --- All ---------------------------------------------------------------------------------------

static sc_err listen_each(sc_http *http, const char *const *addresses, size_t count, sc_diag *diag)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = is_unix(addresses[i]) ? listen_unix(http, addresses[i], diag)
                                    : listen_tcp(http, addresses[i], diag);
    }
    return err;
}

sc_err sc__http_listen_all(sc_http *http, sc_diag *diag)
{
    const sc_http_options *o = &http->options;
    sc_err err = listen_each(http, o->addresses, o->address_count, diag);
    for (size_t i = 0; i < o->inherited_count && !err; i++) {
        err = listen_inherited(http, o->inherited[i], diag);
    }
    // What comes from here on is for operators.
    http->public_count = http->address_count;
    for (unsigned i = 0; i < o->loops; i++) {
        http->loops[i].public_count = http->loops[i].socket_count;
    }
    if (!err) err = listen_each(http, o->admin_addresses, o->admin_address_count, diag);
    return err;
}

void sc__http_listen_forget(sc_http *http)
{
    for (size_t i = 0; i < http->socket_path_count; i++) {
        unlink(http->socket_paths[i]);
        sc_free(http->socket_paths[i]);
    }
    sc_free(http->socket_paths);
    http->socket_paths = NULL;
    http->socket_path_count = 0;
}
