// Reading a reply piece by piece: lines first, then counted bytes.
//
// A line that is whole in what came is read where it lies; only one that is cut by the end of the
// piece is kept. So the usual reply, which comes in one piece, is copied once: its body.
#include "demo/loadgen/http_response.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "demo/loadgen/load_connection.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    LINE_MAX_BYTES = 8192,
    CHUNK_DIGITS_MAX = 8,
};

void sc_response_clear(sc_response *response)
{
    sc_free(response->body);
    sc_free(response->line);
    *response = (sc_response){0};
}

// --- Texts ---------------------------------------------------------------------

/** A part of a line; not ended by NUL. */
typedef struct span {
    const char *text;
    size_t size;
} span;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static span trimmed(span s)
{
    while (s.size > 0 && is_blank(s.text[0])) {
        s.text++;
        s.size--;
    }
    while (s.size > 0 && is_blank(s.text[s.size - 1])) {
        s.size--;
    }
    return s;
}

/** Whether it is `word`, letters in either case. */
static bool is_word(span s, const char *word)
{
    return s.size == strlen(word) && strncasecmp(s.text, word, s.size) == 0;
}

/** What RFC 9110 calls a token: names of headers are made of these. */
static bool is_name_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_value_letter(char c)
{
    const unsigned char u = (unsigned char)c;
    return c == '\t' || (u >= 0x20 && u != 0x7f);
}

/** All of it as a decimal number not above `most`. */
static bool to_number(span s, uint64_t most, uint64_t *out)
{
    uint64_t value = 0;
    if (s.size == 0) return false;
    for (size_t i = 0; i < s.size; i++) {
        if (s.text[i] < '0' || s.text[i] > '9') return false;
        value = value * 10 + (uint64_t)(s.text[i] - '0');
        if (value > most) return false;
    }
    *out = value;
    return true;
}

// --- Lines ---------------------------------------------------------------------

static sc_err read_status(sc_response *response, span line, sc_diag *diag)
{
    // "HTTP/1.1 200 OK"; the words at the end may be missing, the blank before them may not.
    static const char version[] = "HTTP/1.1 ";
    const size_t at = sizeof version - 1;
    uint64_t status = 0;
    if (line.size < at + 4 || memcmp(line.text, version, at) != 0 || line.text[at + 3] != ' ' ||
        !to_number((span){line.text + at, 3}, 999, &status) || status < 100) {
        return sc_fail(diag, SC_EPARSE, "the reply does not begin with an HTTP/1.1 status line");
    }
    for (size_t i = at + 4; i < line.size; i++) {
        if (!is_value_letter(line.text[i])) {
            return sc_fail(diag, SC_EPARSE, "a control character in the status line");
        }
    }
    if (status < 200) {
        return sc_fail(diag, SC_EPARSE, "an unexpected interim reply (status %d)", (int)status);
    }
    response->status = (int)status;
    response->stage = SC_RESPONSE_IN_HEADERS;
    return SC_OK;
}

static sc_response_type media_type(span value)
{
    const char *end = memchr(value.text, ';', value.size);
    if (end) value.size = (size_t)(end - value.text);
    value = trimmed(value);
    if (is_word(value, "application/json")) return SC_RESPONSE_JSON;
    if (is_word(value, "application/problem+json")) return SC_RESPONSE_PROBLEM;
    return SC_RESPONSE_OTHER;
}

static sc_err take_length(sc_response *response, span value, sc_diag *diag)
{
    if (response->has_length) return sc_fail(diag, SC_EPARSE, "Content-Length occurs twice");
    if (!to_number(value, UINT32_MAX, &response->left)) {
        return sc_fail(diag, SC_EPARSE, "Content-Length is not a number of bytes");
    }
    if (response->left > SC_RESPONSE_BODY_MAX) {
        return sc_fail(diag, SC_ELIMIT, "a body of %llu bytes; at most %d are read",
                       (unsigned long long)response->left, SC_RESPONSE_BODY_MAX);
    }
    response->has_length = true;
    return SC_OK;
}

static sc_err take_encoding(sc_response *response, span value, sc_diag *diag)
{
    if (response->is_chunked || !is_word(value, "chunked")) {
        return sc_fail(diag, SC_EPARSE, "a Transfer-Encoding other than 'chunked'");
    }
    response->is_chunked = true;
    return SC_OK;
}

static sc_err take_header(sc_response *response, span name, span value, sc_diag *diag)
{
    if (is_word(name, "Content-Length")) return take_length(response, value, diag);
    if (is_word(name, "Transfer-Encoding")) return take_encoding(response, value, diag);
    if (is_word(name, "Content-Type")) response->type = media_type(value);
    if (is_word(name, "Connection") && is_word(value, "close")) response->closes = true;
    uint64_t seconds = 0;
    if (is_word(name, "Retry-After") && to_number(value, UINT32_MAX, &seconds)) {
        response->retry_after_s = (unsigned)seconds;
    }
    return SC_OK;
}

/** The name and the value of a header line; SC_EPARSE if it is none. */
static sc_err part_header(span line, span *name, span *value, sc_diag *diag)
{
    size_t colon = 0;
    while (colon < line.size && is_name_letter(line.text[colon])) {
        colon++;
    }
    if (colon == 0 || colon == line.size || line.text[colon] != ':') {
        return sc_fail(diag, SC_EPARSE, "a header without a name");
    }
    *name = (span){line.text, colon};
    *value = trimmed((span){line.text + colon + 1, line.size - colon - 1});
    for (size_t i = 0; i < value->size; i++) {
        if (!is_value_letter(value->text[i])) {
            return sc_fail(diag, SC_EPARSE, "a control character in a header");
        }
    }
    return SC_OK;
}

/** The empty line: what follows? */
static sc_err end_headers(sc_response *response, sc_diag *diag)
{
    if (response->is_chunked && response->has_length) {
        return sc_fail(diag, SC_EPARSE, "both Content-Length and Transfer-Encoding");
    }
    if (response->status == 204 || response->status == 304) {
        response->stage = SC_RESPONSE_WHOLE;
    } else if (response->is_chunked) {
        response->stage = SC_RESPONSE_AT_CHUNK;
    } else if (response->has_length) {
        response->stage = response->left > 0 ? SC_RESPONSE_IN_BODY : SC_RESPONSE_WHOLE;
    } else {
        return sc_fail(diag, SC_EPARSE, "the reply does not say how long its body is");
    }
    return SC_OK;
}

static sc_err read_header(sc_response *response, span line, sc_diag *diag)
{
    if (line.size == 0) return end_headers(response, diag);
    span name = {0};
    span value = {0};
    const sc_err err = part_header(line, &name, &value, diag);
    return err ? err : take_header(response, name, value, diag);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static sc_err read_chunk_size(sc_response *response, span line, sc_diag *diag)
{
    uint64_t size = 0;
    bool is_size = line.size > 0 && line.size <= CHUNK_DIGITS_MAX;
    for (size_t i = 0; is_size && i < line.size; i++) {
        const int digit = digit_of(line.text[i]);
        is_size = digit >= 0;
        size = size * 16 + (uint64_t)(digit & 15);
    }
    if (!is_size) return sc_fail(diag, SC_EPARSE, "the size of a chunk is not a number");
    if (size > SC_RESPONSE_BODY_MAX - response->body_size) {
        return sc_fail(diag, SC_ELIMIT, "a body of more than %d bytes", SC_RESPONSE_BODY_MAX);
    }
    response->left = size;
    response->stage = size > 0 ? SC_RESPONSE_IN_CHUNK : SC_RESPONSE_IN_TRAILERS;
    return SC_OK;
}

static sc_err read_trailer(sc_response *response, span line, sc_diag *diag)
{
    if (line.size == 0) {
        response->stage = SC_RESPONSE_WHOLE;
        return SC_OK;
    }
    // Whatever they say, it is too late to matter.
    span name;
    span value;
    return part_header(line, &name, &value, diag);
}

static sc_err read_line(sc_response *response, span line, sc_diag *diag)
{
    if (line.size == 0 || line.text[line.size - 1] != '\r') {
        return sc_fail(diag, SC_EPARSE, "a line does not end with CR LF");
    }
    line.size--;
    switch (response->stage) {
    case SC_RESPONSE_AT_STATUS:
        return read_status(response, line, diag);
    case SC_RESPONSE_IN_HEADERS:
        return read_header(response, line, diag);
    case SC_RESPONSE_AT_CHUNK:
        return read_chunk_size(response, line, diag);
    case SC_RESPONSE_AFTER_CHUNK:
        response->stage = SC_RESPONSE_AT_CHUNK;
        return line.size == 0 ? SC_OK : sc_fail(diag, SC_EPARSE, "a chunk is longer than its size");
    default:
        return read_trailer(response, line, diag);
    }
}

// --- Bytes ---------------------------------------------------------------------

static sc_err too_long(sc_diag *diag)
{
    return sc_fail(diag, SC_ELIMIT, "the headers are too long");
}

/** Lines of chunks come with the body and are bounded by it; all others count together. */
static sc_err count_line(sc_response *response, size_t size, sc_diag *diag)
{
    if (size > LINE_MAX_BYTES) return too_long(diag);
    if (response->stage == SC_RESPONSE_AT_CHUNK || response->stage == SC_RESPONSE_AFTER_CHUNK) {
        return SC_OK;
    }
    response->head_bytes += size;
    return response->head_bytes > SC_RESPONSE_HEAD_MAX ? too_long(diag) : SC_OK;
}

/** Keep the beginning of a line until its end comes. */
static sc_err keep_line(sc_response *response, const char *bytes, size_t size, sc_diag *diag)
{
    if (response->line_size + size > LINE_MAX_BYTES) return too_long(diag);
    if (!sc_reserve(&response->line, response->line_size + size, &response->line_capacity, 1)) {
        return sc_fail_memory(diag, "reading a reply");
    }
    if (size > 0) memcpy(response->line + response->line_size, bytes, size);
    response->line_size += size;
    return SC_OK;
}

static sc_err feed_line(sc_response *response, const char *bytes, size_t size, size_t *used,
                        sc_diag *diag)
{
    const char *end = memchr(bytes, '\n', size);
    *used = end ? (size_t)(end - bytes) + 1 : size;
    if (!end) return keep_line(response, bytes, size, diag);
    span line = {bytes, *used - 1};
    if (response->line_size > 0) {
        const sc_err err = keep_line(response, bytes, *used - 1, diag);
        if (err) return err;
        line = (span){response->line, response->line_size};
    }
    sc_err err = count_line(response, line.size + 1, diag);
    if (!err) err = read_line(response, line, diag);
    response->line_size = 0;
    return err;
}

static sc_err feed_body(sc_response *response, const char *bytes, size_t size, size_t *used,
                        sc_diag *diag)
{
    const size_t taken = size < response->left ? size : (size_t)response->left;
    if (!sc_reserve(&response->body, response->body_size + taken, &response->body_capacity, 1)) {
        return sc_fail_memory(diag, "reading a reply");
    }
    memcpy(response->body + response->body_size, bytes, taken);
    response->body_size += taken;
    response->left -= taken;
    *used = taken;
    if (response->left > 0) return SC_OK;
    response->stage =
        response->stage == SC_RESPONSE_IN_BODY ? SC_RESPONSE_WHOLE : SC_RESPONSE_AFTER_CHUNK;
    return SC_OK;
}

sc_err sc_response_feed(sc_response *response, const char *bytes, size_t size, size_t *used,
                        sc_diag *diag)
{
    size_t at = 0;
    while (at < size && response->stage != SC_RESPONSE_WHOLE) {
        const bool is_counted =
            response->stage == SC_RESPONSE_IN_BODY || response->stage == SC_RESPONSE_IN_CHUNK;
        size_t taken = 0;
        const sc_err err = is_counted ? feed_body(response, bytes + at, size - at, &taken, diag)
                                      : feed_line(response, bytes + at, size - at, &taken, diag);
        if (err) return err;
        at += taken;
    }
    *used = at;
    return SC_OK;
}

// === One GET, waited for with poll() ============================================================

/** Wait until something may have changed; false once it is `end_us`. */
static bool wait_for(const sc_load_connection *connection, short events, int64_t end_us)
{
    struct pollfd at = {.fd = connection->fd, .events = events};
    const int wait_ms = sc_clock_wait_ms(sc_clock_us(), end_us);
    if (wait_ms == 0) return false;
    (void)poll(&at, 1, wait_ms);
    return sc_clock_us() < end_us;
}

static sc_err no_reply(const sc_target *target, const char *what, sc_diag *diag)
{
    return sc_fail(diag, SC_ENET, "%.80s: %s", target->host, what);
}

static sc_err call(sc_load_connection *connection, const sc_target *target, int64_t end_us,
                   sc_diag *diag)
{
    sc_load_io result;
    while ((result = sc_load_connection_connect(connection)) == SC_LOAD_IO_WAIT) {
        const short events = connection->is_established ? POLLIN : POLLOUT;
        if (!wait_for(connection, events, end_us))
            return no_reply(target, "no connection in time", diag);
    }
    if (result == SC_LOAD_IO_DONE) return SC_OK;
    const bool is_tls = connection->is_established && connection->tls;
    return no_reply(target,
                    is_tls
                        ? "TLS failed; check that the service's certificate is trusted (see --ca)"
                        : "no connection; check that the service is running there",
                    diag);
}

static sc_err say(sc_load_connection *connection, const sc_target *target, const char *text,
                  size_t size, int64_t end_us, sc_diag *diag)
{
    for (size_t at = 0; at < size;) {
        size_t put = 0;
        const sc_load_io result = sc_load_connection_write(connection, text + at, size - at, &put);
        if (result == SC_LOAD_IO_DONE) {
            at += put;
        } else if (result != SC_LOAD_IO_WAIT || !wait_for(connection, POLLOUT, end_us)) {
            return no_reply(target, "the connection was closed", diag);
        }
    }
    return SC_OK;
}

static sc_err listen_for(sc_load_connection *connection, const sc_target *target, int64_t end_us,
                         sc_response *out, sc_diag *diag)
{
    char bytes[16384];
    while (!sc_response_is_whole(out)) {
        size_t got = 0;
        size_t used = 0;
        const sc_load_io result = sc_load_connection_read(connection, bytes, sizeof bytes, &got);
        if (result == SC_LOAD_IO_DONE) {
            const sc_err err = sc_response_feed(out, bytes, got, &used, diag);
            if (err) return err;
        } else if (result != SC_LOAD_IO_WAIT) {
            return no_reply(target, "the connection was closed before the reply", diag);
        } else if (!wait_for(connection, POLLIN, end_us)) {
            return no_reply(target, "no reply in time", diag);
        }
    }
    return SC_OK;
}

/** Writing by way of TLS may raise SIGPIPE, which would end the program: this thread takes none
 * meanwhile. (Load generators take no signals at all.) */
static void hush(sigset_t *broken_pipe, sigset_t *before)
{
    sigemptyset(broken_pipe);
    sigaddset(broken_pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, broken_pipe, before);
}

static void unhush(const sigset_t *broken_pipe, const sigset_t *before)
{
    if (sigismember(before, SIGPIPE) == 0) {
        while (sigtimedwait(broken_pipe, NULL, &(struct timespec){0}) == SIGPIPE) {
        }
    }
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static sc_err converse(const sc_target *target, const char *text, size_t size, double timeout_s,
                       sc_response *out, sc_diag *diag)
{
    const int64_t end_us = sc_clock_us() + (int64_t)(timeout_s * 1e6);
    sc_load_connection connection;
    sc_err err = sc_load_connection_open(&connection, target, 0);
    if (err)
        return no_reply(target, "no connection; check that the service is running there", diag);
    err = call(&connection, target, end_us, diag);
    if (!err) err = say(&connection, target, text, size, end_us, diag);
    if (!err) err = listen_for(&connection, target, end_us, out, diag);
    if (err) sc_response_clear(out);
    sc_load_connection_close(&connection, false);
    return err;
}

sc_err sc_fetch(const sc_target *target, const char *path, const char *token, double timeout_s,
                sc_response *out, sc_diag *diag)
{
    char text[2048];
    const int size = snprintf(
        text, sizeof text, "GET %s%s HTTP/1.1\r\nHost: %s\r\n%s%s%sConnection: close\r\n\r\n",
        target->path, path, target->host, token ? "Authorization: Bearer " : "", token ? token : "",
        token ? "\r\n" : "");
    if (size < 0 || (size_t)size >= sizeof text) {
        return sc_fail(diag, SC_EINVAL, "the URL is too long");
    }
    sigset_t broken_pipe;
    sigset_t before;
    hush(&broken_pipe, &before);
    const sc_err err = converse(target, text, (size_t)size, timeout_s, out, diag);
    unhush(&broken_pipe, &before);
    return err;
}
