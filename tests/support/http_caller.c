// A client for tests. See http_caller.h.
#include "support/http_caller.h"

#include "support/check.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PATIENCE_S = 60, PIECE = 65536 };

// --- Connecting ----------------------------------------------------------------------------------

static int try_unix(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(fd >= 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

/** `source`: the address to come from, in the family of `address`; NULL: any. */
static int try_from(const char *address, const char *source)
{
    if (strncmp(address, "unix:", 5) == 0) return try_unix(address + 5);
    char host[128];
    const char *colon = strrchr(address, ':');
    assert_non_null(colon);
    const bool has_brackets = address[0] == '[';
    snprintf(host, sizeof host, "%.*s", (int)(colon - address) - (has_brackets ? 2 : 0),
             address + has_brackets);
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    struct addrinfo *found = NULL;
    assert_int_equal(getaddrinfo(host, colon + 1, &hints, &found), 0);
    int fd = socket(found->ai_family, found->ai_socktype, 0);
    assert_true(fd >= 0);
    if (source) {
        struct addrinfo *own = NULL;
        assert_int_equal(getaddrinfo(source, NULL, &hints, &own), 0);
        assert_int_equal(bind(fd, own->ai_addr, own->ai_addrlen), 0);
        freeaddrinfo(own);
    }
    if (connect(fd, found->ai_addr, found->ai_addrlen)) {
        close(fd);
        fd = -1;
    }
    freeaddrinfo(found);
    return fd;
}

int caller_try(const char *address)
{
    return try_from(address, NULL);
}

caller caller_dial(const char *address)
{
    return caller_dial_from(address, NULL);
}

caller caller_dial_from(const char *address, const char *source)
{
    caller c = {.fd = try_from(address, source)};
    assert_true(c.fd >= 0);
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    setsockopt(c.fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(c.fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    return c;
}

bool caller_secure(caller *c, SSL_CTX *context)
{
    c->ssl = SSL_new(context);
    assert_non_null(c->ssl);
    assert_int_equal(SSL_set_fd(c->ssl, c->fd), 1);
    int done = 0;
    do {
        errno = 0;
        done = SSL_connect(c->ssl);
    } while (done < 0 && errno == EINTR);
    return done == 1;
}

// --- Saying --------------------------------------------------------------------------------------

void caller_send_bytes(caller *c, const void *bytes, size_t size)
{
    const char *next = bytes;
    while (size > 0) {
        errno = 0;
        const ssize_t sent =
            c->ssl ? SSL_write(c->ssl, next, (int)size) : send(c->fd, next, size, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return;
        next += sent;
        size -= (size_t)sent;
    }
}

void caller_send(caller *c, const char *text)
{
    caller_send_bytes(c, text, strlen(text));
}

// --- Hearing -------------------------------------------------------------------------------------

/** More bytes; false at the end of the connection, however it ended. */
static bool more(caller *c)
{
    if (c->capacity - c->count < PIECE + 1) {
        c->capacity = 2 * c->capacity + PIECE + 1;
        c->bytes = realloc(c->bytes, c->capacity);
        if (!c->bytes) abort();
    }
    ssize_t got = 0;
    do {
        errno = 0;
        got = c->ssl ? SSL_read(c->ssl, c->bytes + c->count, PIECE)
                     : recv(c->fd, c->bytes + c->count, PIECE, 0);
    } while (got < 0 && errno == EINTR);
    assert_true(got > 0 || (errno != EAGAIN && errno != EWOULDBLOCK));  // it waited too long
    if (got <= 0) return false;
    c->count += (size_t)got;
    c->bytes[c->count] = '\0';
    return true;
}

/** Take the first `size` bytes, as a text of its own. */
static char *take(caller *c, size_t size)
{
    while (c->count < size) {
        assert_true(more(c));
    }
    char *text = test_take(size + 1, 1);
    memcpy(text, c->bytes, size);
    c->count -= size;
    memmove(c->bytes, c->bytes + size, c->count);
    c->bytes[c->count] = '\0';
    return text;
}

/** Take up to and with `end`. */
static char *take_until(caller *c, const char *end)
{
    const char *found = NULL;
    while (c->count == 0 || !(found = strstr(c->bytes, end))) {
        assert_true(more(c));
    }
    return take(c, (size_t)(found - c->bytes) + strlen(end));
}

static const char *header(const char *head, const char *name)
{
    const char *found = strcasestr(head, name);
    return found ? found + strlen(name) : NULL;
}

static void receive_chunks(caller *c)
{
    for (;;) {
        char *line = take_until(c, "\r\n");
        const size_t size = strtoul(line, NULL, 16);
        free(line);
        char *chunk = take(c, size);
        c->body = realloc(c->body, c->body_size + size + 1);
        if (!c->body) abort();
        memcpy(c->body + c->body_size, chunk, size + 1);
        c->body_size += size;
        free(chunk);
        free(take(c, 2));
        if (size == 0) return;
    }
}

const char *caller_receive(caller *c)
{
    free(c->head);
    free(c->body);
    c->body = NULL;
    c->body_size = 0;
    c->head = take_until(c, "\r\n\r\n");
    assert_memory_equal(c->head, "HTTP/1.1 ", 9);
    c->status = (int)strtol(c->head + 9, NULL, 10);
    const char *length = header(c->head, "Content-Length: ");
    if (header(c->head, "Transfer-Encoding: chunked")) {
        receive_chunks(c);
    } else {
        c->body_size = length && !c->is_head ? strtoul(length, NULL, 10) : 0;
        c->body = take(c, c->body_size);
    }
    return c->body;
}

const char *caller_ask(caller *c, const char *text)
{
    caller_send(c, text);
    return caller_receive(c);
}

bool caller_was_answered(caller *c)
{
    if (c->count == 0 && !more(c)) return false;
    caller_receive(c);
    return c->status == 200;
}

bool caller_is_left(caller *c)
{
    const size_t before = c->count;
    while (more(c)) {
    }
    return c->count == before;
}

bool caller_receives_nothing(caller *c, int ms)
{
    struct pollfd wait = {.fd = c->fd, .events = POLLIN};
    return c->count == 0 && poll(&wait, 1, ms) == 0;
}

// --- The end -------------------------------------------------------------------------------------

void caller_hang_up(caller *c)
{
    if (c->ssl) SSL_free(c->ssl);
    if (c->fd >= 0) close(c->fd);
    free(c->bytes);
    free(c->head);
    free(c->body);
    *c = (caller){.fd = -1};
}

void caller_slam(caller *c)
{
    const struct linger at_once = {.l_onoff = 1};
    setsockopt(c->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    caller_hang_up(c);
}
