// Door: whatever a client says to the server, over a real socket.
//
// The input is what it says, in one go. The handler then sees requests within all limits, or none;
// whatever comes back is a reply of ours; and somebody else, who asks at the same time, is
// answered.
#include "door.h"

#include "socket.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { MAX_HEADERS = 2048, MAX_BODY = 1024, REPLY_ROOM = 1 << 16 };

static const char own_page[] = "problem";

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    const char *path = sc_http_request_path(request);
    const char *host = sc_http_request_header(request, "host");
    DOOR_PROMISE(size <= MAX_BODY, "a body is within its limit");
    DOOR_PROMISE(path[0] != '\0' && strlen(path) <= MAX_HEADERS, "so is a path");
    DOOR_PROMISE(strlen(sc_http_request_search(request)) <= MAX_HEADERS, "and what follows it");
    DOOR_PROMISE(!host || strlen(host) <= MAX_HEADERS, "and a header");
    DOOR_PROMISE(sc_http_request_is_local(request), "it comes from here");
    sc_http_reply(request, 200, "text/plain", body, size, NULL, 0);
}

static size_t describe(void *context, int status, char *buffer, size_t room)
{
    (void)context;
    DOOR_PROMISE(status >= 400 && status < 600, "a refusal has a status that says so");
    DOOR_PROMISE(room >= sizeof own_page, "and room for its reason");
    memcpy(buffer, own_page, sizeof own_page - 1);
    return sizeof own_page - 1;
}

static sc_http *open_server(void)
{
    sc_http_options options = sc_http_options_default();
    options.max_header_bytes = MAX_HEADERS;
    options.max_body_bytes = MAX_BODY;
    options.handle = handle;
    options.problem = describe;
    return socket_serve(options);
}

/** Somebody else asks, and waits for the answer. */
static void ask(int fd)
{
    static const char question[] = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
    char reply[1024];
    const ssize_t asked = send(fd, question, sizeof question - 1, MSG_NOSIGNAL);
    DOOR_PROMISE(asked == (ssize_t)sizeof question - 1, "others can ask");
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    DOOR_PROMISE(poll(&wait, 1, 10000) == 1, "others are answered in time");
    const ssize_t got = recv(fd, reply, sizeof reply, 0);
    DOOR_PROMISE(got > 15 && memcmp(reply, "HTTP/1.1 200 OK", 15) == 0, "others are answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_http *http = NULL;
    static int other = -1;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!http) {
        http = open_server();
        other = socket_dial(http);
    }
    const int fd = socket_dial(http);
    const ssize_t sent = send(fd, data, size, MSG_NOSIGNAL | MSG_DONTWAIT);
    DOOR_PROMISE(sent >= 0 || errno == EPIPE || errno == ECONNRESET || errno == EAGAIN,
                 "it can be said");
    ask(other);
    ask(other);  // by now the loop has been round

    static char reply[REPLY_ROOM];
    const ssize_t got = recv(fd, reply, sizeof reply - 1, MSG_DONTWAIT);
    if (got > 0) {
        reply[got] = '\0';
        // By HTTP/2, if the client began so, settings come first.
        const bool is_http2 =
            size >= 24 && memcmp(data, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 24) == 0;
        DOOR_PROMISE(is_http2 ? got > 9 && reply[3] == 4
                              : got > 12 && memcmp(reply, "HTTP/1.1 ", 9) == 0,
                     "what comes back is a reply");
    }
    close(fd);
    return 0;
}
