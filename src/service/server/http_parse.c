// The bytes of a request of HTTP/1.1 are parsed and judged.
//
// A proxy in front might see another end of a request than we do, and let a second request through
// as part of the first. So every request that is not plain is refused, and its connection closed:
//
//  1. The head is looked at line by line as it comes: lines end with CR LF, no line goes on in the
//     next, there is no NUL and no other CR. Empty lines may stand before the request.
//  2. A head that is whole is parsed by llhttp, in its strict mode. It gets POST for the method,
//     whatever the client sent, so that it knows no method whose body would be left out.
//  3. What it found is judged here: one Host, one length or "chunked" and nothing else, a target
//     that is a path or names that host.
//  4. A body of a known length is taken as it is. Chunks are read here: the llhttp of Debian 12
//     refuses a second extension of a chunk, and takes some that are none. Extensions and trailers
//     are checked, and left out.
//
// A request is parsed where it lies: names and values are moved to the front and ended by NUL, and
// chunks of a body to where it begins.
#include "server/http_internal.h"

#include <string.h>
#include <strings.h>

/** What methods, and names of headers and of extensions, are made of. */
static const char token_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                    "0123456789!#$%&'*+-.^_`|~";

// --- Lines of the head -------------------------------------------------------------------------

/** A line that begins at `line` and has `size` bytes with its CR LF; whether it is plain. */
static bool is_plain_line(const char *line, size_t size, bool is_first)
{
    if (size < 2 || line[size - 2] != '\r') return false;
    if (memchr(line, '\0', size) || memchr(line, '\r', size - 2)) return false;
    return is_first || (line[0] != ' ' && line[0] != '\t');
}

/** Look for the end of the head among the bytes that are new; the status to refuse with, or 0. */
static int scan_head(const sc__http_buffer *input, sc__http_reader *r)
{
    const char *end = input->data + input->size;
    const char *feed = NULL;
    while (
        (feed = memchr(input->data + r->scanned, '\n', (size_t)(end - input->data) - r->scanned))) {
        const char *line = input->data + r->line_at;
        const size_t size = (size_t)(feed - line) + 1;
        const bool is_first = r->line_at == r->first;
        if (!is_plain_line(line, size, is_first)) return 400;
        r->line_at += size;
        r->scanned = r->line_at;
        if (size > 2) continue;
        if (!is_first) {
            r->head_size = r->line_at;
            return 0;
        }
        r->first = r->line_at;  // an empty line before a request is left out
    }
    r->scanned = input->size;
    return 0;
}

// --- Headers -----------------------------------------------------------------------------------

/** What the headers have about the request's size and the connection. */
typedef struct framing {
    unsigned hosts;
    unsigned lengths;
    unsigned encodings;
    bool has_bad_length;
    bool has_bad_encoding;
    bool wants_close;
    bool wants_keep_alive;
    bool expects;      ///< to be told to go on
    bool expects_odd;  ///< something else
    const char *host;
    size_t host_size;
} framing;

/** What llhttp's calls write to. */
typedef struct head {
    char *at;  ///< where the next text goes: never beyond what was parsed
    const char *url;
    size_t url_size;
    char *name;
    framing f;
} head;

/** Whether `word` is in a list as "close, TE". */
static bool lists(const char *list, const char *word)
{
    const size_t size = strlen(word);
    while (*list != '\0') {
        list += strspn(list, " \t,");
        const size_t next = strcspn(list, " \t,");
        if (next == size && strncasecmp(list, word, size) == 0) return true;
        list += next;
    }
    return false;
}

static bool is_number(const char *text)
{
    const char *at = text;
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    return at > text && *at == '\0';
}

static void read_header(framing *f, const char *name, const char *value)
{
    // Most headers are none of these: one look at the first letter.
    switch (*name | 0x20) {
    case 'h':
        if (strcasecmp(name, "host") == 0) {
            f->hosts++;
            f->host = value;
            f->host_size = strlen(value);
        }
        break;
    case 'c':
        if (strcasecmp(name, "content-length") == 0) {
            f->lengths++;
            f->has_bad_length |= !is_number(value);
        } else if (strcasecmp(name, "connection") == 0) {
            f->wants_close |= lists(value, "close");
            f->wants_keep_alive |= lists(value, "keep-alive");
        }
        break;
    case 't':
        if (strcasecmp(name, "transfer-encoding") == 0) {
            f->encodings++;
            f->has_bad_encoding |= strcasecmp(value, "chunked") != 0;
        }
        break;
    case 'e':
        if (strcasecmp(name, "expect") == 0) {
            const bool is_usual = strcasecmp(value, "100-continue") == 0;
            f->expects |= is_usual;
            f->expects_odd |= !is_usual;
        }
        break;
    default:
        break;
    }
}

static char *put_text(head *h, const char *text, size_t size)
{
    char *put = h->at;
    memmove(put, text, size);
    put[size] = '\0';
    h->at += size + 1;
    return put;
}

// The head is given to llhttp in one piece: each text comes in one piece, too.

static int on_url(llhttp_t *parser, const char *text, size_t size)
{
    head *h = parser->data;
    h->url = text;
    h->url_size = size;
    return 0;
}

static int on_name(llhttp_t *parser, const char *text, size_t size)
{
    head *h = parser->data;
    if (size == 0) return -1;
    h->name = put_text(h, text, size);
    return 0;
}

static int on_value(llhttp_t *parser, const char *text, size_t size)
{
    head *h = parser->data;
    if (!h->name) return -1;
    while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t')) {
        size--;
    }
    read_header(&h->f, h->name, put_text(h, text, size));
    h->name = NULL;
    return 0;
}

// llhttp does not call on_value() for an empty value.
static int on_value_end(llhttp_t *parser)
{
    const head *h = parser->data;
    return h->name ? on_value(parser, "", 0) : 0;
}

static int on_head_end(llhttp_t *parser)
{
    parser->upgrade = 0;  // no other protocol is offered: the request is answered as it is
    return HPE_PAUSED;
}

static const llhttp_settings_t head_settings = {
    .on_url = on_url,
    .on_header_field = on_name,
    .on_header_value = on_value,
    .on_header_value_complete = on_value_end,
    .on_headers_complete = on_head_end,
};

// --- The target --------------------------------------------------------------------------------

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

bool sc__http_decode(char *path)
{
    char *to = path;
    for (const char *from = path; *from != '\0'; from++) {
        const int high = *from == '%' ? hex_digit(from[1]) : -1;
        const int low = high >= 0 ? hex_digit(from[2]) : -1;
        if (low >= 0) {
            *to = (char)(high * 16 + low);
            if (*to++ == '\0') return false;
            from += 2;
        } else {
            *to++ = *from;
        }
    }
    *to = '\0';
    return true;
}

/**
 * Where the path begins in the target: it is a path; or names the same host as the header does, as
 * clients speak to proxies. If it named another, what stands in front of us may have looked at that
 * one, or, of "//x/metrics", at another path.
 *
 * @return the place of the path, its size if there is none; -1: refuse it
 */
static ssize_t find_path(const char *target, size_t size, const framing *f)
{
    static const char *const schemes[] = {"http://", "https://"};
    if (size == 0 || memchr(target, '#', size)) return -1;
    if (target[0] == '/') return size > 1 && target[1] == '/' ? -1 : 0;
    for (size_t i = 0; f->hosts == 1 && i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t scheme = strlen(schemes[i]);
        if (size < scheme || strncasecmp(target, schemes[i], scheme) != 0) continue;
        size_t end = scheme;
        while (end < size && target[end] != '/' && target[end] != '?') {
            end++;
        }
        const bool is_same = end - scheme == f->host_size &&
                             strncasecmp(target + scheme, f->host, f->host_size) == 0;
        return is_same ? (ssize_t)end : -1;
    }
    return -1;
}

/** Path and search of the target, to `to`, which has room for one byte more. False: refuse it. */
static bool read_target(const char *target, size_t size, const framing *f, char *to,
                        sc_http_request *request)
{
    const ssize_t at = find_path(target, size, f);
    if (at < 0) return false;
    const char *path = target + at;
    const char *end = target + size;
    const char *mark = memchr(path, '?', (size_t)(end - path));
    const char *path_end = mark ? mark : end;
    const size_t path_size = (size_t)(path_end - path);
    const size_t search_size = mark ? (size_t)(end - mark) - 1 : 0;
    // The path first: moved to the front it ends before the search begins.
    if (path_size > 0) {
        memmove(to, path, path_size);
        to[path_size] = '\0';
    } else {
        memcpy(to, "/", 2);
    }
    char *search = to + strlen(to) + 1;
    if (mark) memmove(search, mark + 1, search_size);
    search[search_size] = '\0';
    request->search_at = (uint32_t)(search - to);
    request->path_at = 0;
    return sc__http_decode(to);
}

// --- The head ----------------------------------------------------------------------------------

sc_http_method sc__http_method_of(const char *text, size_t size)
{
    static const struct {
        const char *name;
        sc_http_method method;
    } known[] = {{"GET", SC_HTTP_GET},
                 {"HEAD", SC_HTTP_HEAD},
                 {"POST", SC_HTTP_POST},
                 {"DELETE", SC_HTTP_DELETE},
                 {"OPTIONS", SC_HTTP_OPTIONS}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strlen(known[i].name) == size && memcmp(known[i].name, text, size) == 0) {
            return known[i].method;
        }
    }
    return SC_HTTP_OTHER;
}

/** How many letters the method has; 0: it is none. */
static size_t method_size(const char *line)
{
    size_t size = 0;
    // Nearly all are letters; strspn() makes a table of all that it may meet first.
    while (line[size] >= 'A' && line[size] <= 'Z') {
        size++;
    }
    if (line[size] != ' ') size += strspn(line + size, token_letters);
    return line[size] == ' ' ? size : 0;
}

/** Whether what follows the method is " target version": readers differ about further spaces. */
static bool has_two_spaces(const char *rest, const char *line_end)
{
    const char *target = rest + 1;
    const char *gap = memchr(target, ' ', (size_t)(line_end - target));
    return gap && gap > target && !memchr(gap + 1, ' ', (size_t)(line_end - gap) - 1);
}

/** Give the head to llhttp; whether it is content with it. */
static bool parse_head(sc__http_connection *connection, head *h, const char *rest, size_t size)
{
    static const char post[] = "POST";
    llhttp_t *parser = &connection->reader.parser;
    llhttp_init(parser, HTTP_REQUEST, &head_settings);
    parser->data = h;
    return llhttp_execute(parser, post, sizeof post - 1) == HPE_OK &&
           llhttp_execute(parser, rest, size) == HPE_PAUSED;
}

/** The status to refuse it with, or 0. */
static int judge(const llhttp_t *parser, bool is_parsed, const framing *f)
{
    const bool is_10 = parser->http_major == 1 && parser->http_minor == 0;
    const bool is_11 = parser->http_major == 1 && parser->http_minor == 1;
    if (f->has_bad_length || f->lengths + f->encodings > 1 || f->hosts > 1) return 400;
    // llhttp refuses other encodings, but for this one reason.
    const bool is_unknown = f->has_bad_encoding && is_11 && f->hosts == 1;
    if (!is_parsed && llhttp_get_errno(parser) != HPE_INVALID_TRANSFER_ENCODING) return 400;
    if (is_unknown) return 501;
    if (!is_parsed || (!is_10 && !is_11)) return 400;
    if (is_11 ? f->hosts == 0 : f->encodings > 0) return 400;
    return f->expects_odd ? 417 : 0;
}

/** The head is whole: parse and judge it; the status to refuse with, or 0. */
static int read_head(sc__http_connection *connection, framing *f)
{
    sc__http_reader *r = &connection->reader;
    sc_http_request *request = &connection->request;
    char *front = connection->input.data;
    const char *line = front + r->first;
    const size_t method = method_size(line);
    if (method == 0) return 400;
    request->method = sc__http_method_of(line, method);

    // Headers are collected where they lie, behind the request line; then the path moves in front.
    const char *rest = line + method;
    const char *line_end = memchr(rest, '\n', r->head_size - (size_t)(rest - front));
    if (!has_two_spaces(rest, line_end)) return 400;
    head h = {.at = front + (line_end - front)};
    char *headers = h.at;
    const bool is_parsed = parse_head(connection, &h, rest, r->head_size - (size_t)(rest - front));
    const int status = judge(&r->parser, is_parsed, &h.f);
    if (status) return status;
    if (!read_target(h.url, h.url_size, &h.f, front, request)) return 400;

    *f = h.f;
    request->is_10 = r->parser.http_minor == 0;
    request->keeps_alive = !f->wants_close && (!request->is_10 || f->wants_keep_alive);
    request->headers_at = (uint32_t)(headers - front);
    request->headers_end = (uint32_t)(h.at - front);
    request->body_at = (uint32_t)r->head_size;
    request->body_size = 0;
    r->is_chunked = f->encodings > 0;
    return 0;
}

// --- The body ----------------------------------------------------------------------------------

/** Spaces and tabs that may stand around the signs of an extension. */
static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/** Behind a text in quotes that begins at `at`; NULL if it does not end. */
static const char *skip_quoted(const char *at)
{
    for (at++; *at != '"'; at++) {
        if (*at == '\\') at++;
        if ((unsigned char)*at < ' ' && *at != '\t') return NULL;
    }
    return at + 1;
}

/** Behind one extension of a chunk, ";name" or ";name=value", which is left out; NULL if it is
 * none. */
static const char *skip_extension(const char *at)
{
    at = skip_blanks(at);
    if (*at != ';') return NULL;
    at = skip_blanks(at + 1);
    const size_t name = strspn(at, token_letters);
    if (name == 0) return NULL;
    at += name;
    const char *sign = skip_blanks(at);
    if (*sign != '=') return at;
    at = skip_blanks(sign + 1);
    if (*at == '"') return skip_quoted(at);
    const size_t value = strspn(at, token_letters);
    return value > 0 ? at + value : NULL;
}

/** The line before a chunk, which ends with CR LF and has no NUL: the size that it tells, or -1. */
static int64_t read_chunk_line(const char *line)
{
    enum { MAX_DIGITS = 15 };
    int64_t size = 0;
    int digits = 0;
    for (; hex_digit(*line) >= 0; line++) {
        if (++digits > MAX_DIGITS) return -1;
        size = size * 16 + hex_digit(*line);
    }
    if (digits == 0) return -1;
    while (line && *line != '\r') {
        line = skip_extension(line);
    }
    return line ? size : -1;
}

/** Move `size` bytes of a chunk to the end of the body. */
static void take_chunk(sc__http_connection *connection, size_t size)
{
    sc__http_reader *r = &connection->reader;
    sc_http_request *request = &connection->request;
    char *data = connection->input.data;
    memmove(data + request->body_at + request->body_size, data + r->fed, size);
    request->body_size += (uint32_t)size;
    r->fed += size;
    r->chunk_left -= size;
    r->is_behind_chunk = r->chunk_left == 0;
}

/** Go on by one step, if enough has come for it: `*goes_on`. The status to refuse with, or 0. */
static int read_chunk_step(sc__http_connection *connection, bool *goes_on)
{
    const sc__http_buffer *input = &connection->input;
    const sc_http_options *o = &connection->loop->http->options;
    sc__http_reader *r = &connection->reader;
    const char *at = input->data + r->fed;
    const size_t there = input->size - r->fed;
    *goes_on = false;
    if (r->chunk_left > 0) {
        *goes_on = there > 0;
        take_chunk(connection, there < r->chunk_left ? there : r->chunk_left);
        return 0;
    }
    const char *feed = memchr(at, '\n', there);
    if (!feed) return there > o->max_header_bytes ? 431 : 0;
    const size_t size = (size_t)(feed - at) + 1;
    if (!is_plain_line(at, size, true)) return 400;
    *goes_on = true;
    r->fed += size;
    r->overhead += size;
    if (r->is_behind_chunk) {
        r->is_behind_chunk = false;
        return size == 2 ? 0 : 400;
    }
    const int64_t chunk = read_chunk_line(at);
    if (chunk < 0) return 400;
    if ((uint64_t)chunk > o->max_body_bytes - connection->request.body_size) return 413;
    r->chunk_left = (size_t)chunk;
    r->is_at_trailers = chunk == 0;
    return 0;
}

/** What has come of the chunks; the status to refuse with, or 0. */
static int read_chunks(sc__http_connection *connection)
{
    sc__http_buffer *input = &connection->input;
    sc__http_reader *r = &connection->reader;
    const sc_http_options *o = &connection->loop->http->options;
    for (bool goes_on = true; goes_on && !r->is_at_trailers;) {
        const int status = read_chunk_step(connection, &goes_on);
        if (status) return status;
    }
    if (r->is_at_trailers) {
        r->first = r->line_at = r->scanned = r->fed;
        return 0;
    }
    // What is not understood yet moves behind the body. Sizes and extensions are left out; they
    // must not go on for ever.
    const size_t end = connection->request.body_at + connection->request.body_size;
    const size_t left = input->size - r->fed;
    memmove(input->data + end, input->data + r->fed, left);
    explicit_bzero(input->data + end + left, r->fed - end);
    input->size = end + left;
    r->fed = end;
    return r->overhead > o->max_header_bytes + o->max_body_bytes ? 431 : 0;
}

/** Whether a line with CR LF is a header: a name, a colon, and no control characters. */
static bool is_header_line(const char *line, size_t size)
{
    const size_t name = strspn(line, token_letters);
    if (name == 0 || line[name] != ':') return false;
    for (size_t i = name + 1; i < size - 2; i++) {
        if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f) return false;
    }
    return true;
}

/** What follows the last chunk: headers that are left out, then an empty line. */
static int read_trailers(const sc__http_connection *connection, sc__http_reader *r, size_t *end)
{
    const sc__http_buffer *input = &connection->input;
    const char *feed = NULL;
    while ((feed = memchr(input->data + r->scanned, '\n', input->size - r->scanned))) {
        const char *line = input->data + r->line_at;
        const size_t size = (size_t)(feed - line) + 1;
        if (!is_plain_line(line, size, false)) return 400;
        if (size > 2 && !is_header_line(line, size)) return 400;
        r->line_at += size;
        r->scanned = r->line_at;
        if (size == 2) {
            *end = r->line_at;
            return 0;
        }
    }
    r->scanned = input->size;
    return input->size - r->first > connection->loop->http->options.max_header_bytes ? 431 : 0;
}

/** A body in chunks; `end` is set once it is whole. The status to refuse with, or 0. */
static int read_chunked(sc__http_connection *connection, size_t *end)
{
    sc__http_reader *r = &connection->reader;
    const int status = r->is_at_trailers ? 0 : read_chunks(connection);
    return status || !r->is_at_trailers ? status : read_trailers(connection, r, end);
}

/** The head was judged: how much of a body there is to be. The status to refuse with, or 0. */
static int begin_body(sc__http_connection *connection, const framing *f)
{
    static char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
    sc__http_reader *r = &connection->reader;
    sc_http_request *request = &connection->request;
    const uint64_t length = f->lengths > 0 ? r->parser.content_length : 0;
    if (length > connection->loop->http->options.max_body_bytes) return 413;
    if (r->is_chunked) {
        r->fed = r->head_size;
    } else {
        request->body_size = (uint32_t)length;
    }
    const size_t there = connection->input.size - r->head_size;
    const bool is_awaited = r->is_chunked ? there == 0 : there < length;
    if (!f->expects || request->is_10 || !is_awaited) return 0;
    struct iovec piece = {go_on, sizeof go_on - 1};
    bool all_sent = false;
    return sc__http_io_send(connection, &piece, 1, 1, &all_sent) ? 0 : -1;
}

// --- All of it -----------------------------------------------------------------------------------

int sc__http_parse(sc__http_connection *connection, size_t *end)
{
    const sc__http_buffer *input = &connection->input;
    sc__http_reader *r = &connection->reader;
    const size_t most = connection->loop->http->options.max_header_bytes;
    if (r->head_size == 0) {
        int status = scan_head(input, r);
        if (!status && (r->head_size ? r->head_size : input->size) > most) status = 431;
        if (status || r->head_size == 0) return status;
        framing f = {0};
        status = read_head(connection, &f);
        if (!status) status = begin_body(connection, &f);
        if (status) return status;
    }
    if (r->is_chunked) return read_chunked(connection, end);
    const size_t whole = r->head_size + connection->request.body_size;
    if (input->size >= whole) *end = whole;
    return 0;
}
