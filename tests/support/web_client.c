// A client on a plain socket. See web_client.h.
#include "support/web_client.h"

#include "support/check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

int web_connect(const char *address)
{
    struct sockaddr_in to = {.sin_family = AF_INET};
    char host[64];
    const size_t host_size = strcspn(address, ":");
    assert_true(host_size < sizeof host && address[host_size] == ':');
    memcpy(host, address, host_size);
    host[host_size] = '\0';
    assert_int_equal(inet_pton(AF_INET, host, &to.sin_addr), 1);
    to.sin_port = htons((uint16_t)strtoul(address + host_size + 1, NULL, 10));
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    const struct timeval patience = {.tv_sec = 60};
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void send_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);
        assert_true(sent > 0);
        text += sent;
        size -= (size_t)sent;
    }
}

void web_send(int fd, const char *method, const char *path, const char *headers, const char *body)
{
    char head[4096];
    char length[128] = "";
    if (body) {
        snprintf(length, sizeof length, "Content-Type: application/json\r\nContent-Length: %zu\r\n",
                 strlen(body));
    }
    const int size = snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\n%s%s\r\n",
                              method, path, headers, length);
    assert_true(size > 0 && (size_t)size < sizeof head);
    send_all(fd, head, (size_t)size);
    if (body) send_all(fd, body, strlen(body));
}

// Read some more; false at the end.
static bool receive_more(int fd, web_stream *stream)
{
    enum { PIECE = 65536 };
    stream->text = realloc(stream->text, stream->size + PIECE + 1);
    assert_non_null(stream->text);
    const ssize_t got = TEMP_FAILURE_RETRY(recv(fd, stream->text + stream->size, PIECE, 0));
    if (got < 0) fail_msg("nothing came, or the connection broke");
    stream->size += (size_t)got;
    stream->text[stream->size] = '\0';
    return got > 0;
}

size_t web_stream_await(int fd, web_stream *stream, size_t from, const char *part)
{
    for (;;) {
        const char *found =
            stream->size >= from && stream->text ? strstr(stream->text + from, part) : NULL;
        if (found) return (size_t)(found - stream->text);
        if (!receive_more(fd, stream)) fail_msg("it ended before '%s' came", part);
    }
}

void web_stream_await_end(int fd, web_stream *stream)
{
    while (receive_more(fd, stream)) {
    }
}

const char *web_header(const web_reply *reply, const char *name)
{
    static char value[512];
    const size_t size = strlen(name);
    for (const char *line = strstr(reply->head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        if (strncasecmp(line + 2, name, size) != 0 || line[2 + size] != ':') continue;
        const char *begin = line + 3 + size;
        begin += strspn(begin, " ");
        snprintf(value, sizeof value, "%.*s", (int)strcspn(begin, "\r"), begin);
        return value;
    }
    return "";
}

web_reply web_receive(int fd)
{
    web_stream stream = {0};
    const size_t head_size = web_stream_await(fd, &stream, 0, "\r\n\r\n") + 4;
    web_reply reply = {.head = test_take(head_size + 1, 1)};
    memcpy(reply.head, stream.text, head_size);
    static const char version[] = "HTTP/1.1 ";
    assert_int_equal(strncmp(reply.head, version, strlen(version)), 0);
    reply.status = (int)strtol(reply.head + strlen(version), NULL, 10);
    const char *length = web_header(&reply, "Content-Length");
    if (*length && reply.status != 304) {
        reply.size = strtoul(length, NULL, 10);
        while (stream.size < head_size + reply.size && receive_more(fd, &stream)) {
        }
        assert_int_equal(stream.size, head_size + reply.size);
    } else {
        web_stream_await_end(fd, &stream);
        reply.size = stream.size - head_size;
    }
    reply.body = test_take(reply.size + 1, 1);
    memcpy(reply.body, stream.text + head_size, reply.size);
    free(stream.text);
    return reply;
}

web_reply web_ask(const char *address, const char *method, const char *path, const char *headers,
                  const char *body)
{
    char more[2048];
    assert_true((size_t)snprintf(more, sizeof more, "Connection: close\r\n%s", headers) <
                sizeof more);
    const int fd = web_connect(address);
    web_send(fd, method, path, more, body);
    const web_reply reply = web_receive(fd);
    close(fd);
    return reply;
}

void web_reply_free(web_reply *reply)
{
    free(reply->head);
    free(reply->body);
    *reply = (web_reply){0};
}
