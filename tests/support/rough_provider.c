// A provider that can do everything wrong. See rough_provider.h.
#include "support/rough_provider.h"

#include <starcloak/lbs.h>

#include "support/check.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/** One request, as it came. */
typedef struct letter {
    char *head;
    sc_bytes body;
} letter;

enum { GUESTS = 256 };

struct rough_provider {
    // Read by all threads.
    sc_objects *objects;
    sc_encoding encoding;
    int listener;
    char url[64];

    // Of the one who starts and frees it.
    pthread_t thread;
    bool is_up;

    // Under the lock.
    pthread_mutex_t lock;
    sc_lbs *lbs;
    rough_mode mode;
    size_t mode_count;  ///< exchanges that it still holds for
    letter *letters;
    size_t letter_count;
    size_t letter_capacity;
    size_t open_count;  ///< requests that are not answered yet
    size_t most;
    bool is_stopping;
    int guests[GUESTS];  ///< sockets; -1: closed
    pthread_t threads[GUESTS];
    size_t guest_count;
};

// --- Sockets ----------------------------------------------------------------------------

// False if the other side is gone.
static bool put(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t n = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (n <= 0) return false;
        done += (size_t)n;
    }
    return true;
}

static bool put_text(int fd, const char *text)
{
    return put(fd, text, strlen(text));
}

static bool put_reply(int fd, const char *status, const char *type, const void *body, size_t size)
{
    char head[256];
    snprintf(head, sizeof head,
             "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
             "Set-Cookie: who=you\r\n\r\n",
             status, type, size);
    return put_text(fd, head) && put(fd, body, size);
}

/** Bytes of a connection that were read and not yet used. */
typedef struct inflow {
    int fd;
    char bytes[1 << 16];
    size_t size;
} inflow;

static bool read_more(inflow *in)
{
    if (in->size == sizeof in->bytes) return false;
    const ssize_t n = recv(in->fd, in->bytes + in->size, sizeof in->bytes - in->size, 0);
    if (n <= 0) return false;
    in->size += (size_t)n;
    return true;
}

// The whole next request; false if there is none.
static bool read_letter(inflow *in, letter *out)
{
    const char *end = NULL;
    while (!(end = memmem(in->bytes, in->size, "\r\n\r\n", 4))) {
        if (!read_more(in)) return false;
    }
    const size_t head_size = (size_t)(end - in->bytes) + 4;
    out->head = test_take(head_size + 1, 1);
    memcpy(out->head, in->bytes, head_size);
    const char *length = strcasestr(out->head, "\r\nContent-Length:");
    const size_t body_size = length ? strtoul(length + 17, NULL, 10) : 0;
    while (in->size < head_size + body_size) {
        if (!read_more(in)) {
            free(out->head);
            return false;
        }
    }
    out->body = (sc_bytes){.data = test_take(body_size + 1, 1), .size = body_size};
    memcpy(out->body.data, in->bytes + head_size, body_size);
    in->size -= head_size + body_size;
    memmove(in->bytes, in->bytes + head_size + body_size, in->size);
    return true;
}

// --- A reply ----------------------------------------------------------------------------

// Under the lock, since there is one provider behind all connections.
static bool evaluate(rough_provider *p, const sc_bytes *body, double factor, sc_bytes *out)
{
    const sc_map *map = sc_objects_map(p->objects);
    const sc_vocabulary *words = sc_objects_vocabulary(p->objects);
    const sc_codec_limits limits = sc_codec_limits_default();
    sc_relay *relay = NULL;
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = sc_relay_decode(
        &(sc_codec){.map = map, .vocabulary = words, .encoding = p->encoding, .limits = &limits},
        body->data, body->size, &relay, NULL);
    if (!err) err = sc_lbs_evaluate(p->lbs, p->objects, relay, &reply, NULL);
    const size_t nears = err ? 0 : reply.near_start[reply.request_count * reply.border_node_count];
    for (size_t i = 0; i < nears; i++) {
        reply.nears[i].distance_m *= factor;
    }
    if (!err)
        err = sc_reply_encode(&(sc_codec){.map = map, .vocabulary = words, .encoding = p->encoding},
                              relay, &reply, out, NULL);
    sc_reply_fini(&reply);
    sc_relay_free(relay);
    return !err;
}

// Make the reply one of version 1: without its number in the compact encoding, where it comes last.
static void make_first_version(sc_encoding encoding, sc_bytes *reply)
{
    static const char field[] = "\"starcloak\":2";
    if (encoding == SC_ENCODING_COMPACT) {
        if (reply->size < 2 || reply->data[reply->size - 2] != 0x20) abort();
        reply->size -= 2;
        return;
    }
    char *at = reply->data ? memmem(reply->data, reply->size, field, sizeof field - 1) : NULL;
    if (!at) abort();
    at[sizeof field - 2] = '1';
}

static const char *type_of_reply(sc_encoding encoding, rough_mode mode)
{
    const bool is_compact = encoding == SC_ENCODING_COMPACT;
    switch (mode) {
    case ROUGH_OTHER_TYPE:
        return "text/html";
    case ROUGH_VERSION_3:
        return is_compact ? "application/x-protobuf; version=3" : "application/geo+json; version=3";
    case ROUGH_FIRST:
        return is_compact ? "application/x-protobuf" : "application/geo+json";
    default:
        return sc_encoding_media_type(encoding);
    }
}

static bool answer(rough_provider *p, int fd, const letter *l, rough_mode mode)
{
    sc_bytes out = {.data = NULL};
    bool is_fine = true;
    if (p->objects) {
        pthread_mutex_lock(&p->lock);
        is_fine = evaluate(p, &l->body, mode == ROUGH_LIES ? 0.5 : 1.0, &out);
        pthread_mutex_unlock(&p->lock);
    }
    const sc_bytes *body = p->objects ? &out : &l->body;
    const char *type = type_of_reply(p->encoding, mode);
    if (mode == ROUGH_FIRST && p->objects && is_fine) make_first_version(p->encoding, &out);
    if (!is_fine) {
        is_fine = put_reply(fd, "422 Unprocessable", "text/plain", "", 0);
    } else if (mode == ROUGH_HALFWAY) {
        char head[128];
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n", body->size);
        put_text(fd, head);
        put(fd, body->data, body->size / 2);
        is_fine = false;
    } else {
        is_fine = put_reply(fd, "200 OK", type, body->data, body->size);
    }
    sc_bytes_fini(&out);
    return is_fine;
}

// --- Doing wrong ------------------------------------------------------------------------

static bool is_stopping(rough_provider *p)
{
    pthread_mutex_lock(&p->lock);
    const bool stops = p->is_stopping;
    pthread_mutex_unlock(&p->lock);
    return stops;
}

// Until the other side hangs up, say something now and then, or nothing.
static void linger(rough_provider *p, int fd, const char *word)
{
    while (!is_stopping(p)) {
        struct pollfd waited = {.fd = fd, .events = POLLIN};
        char byte = 0;
        if (poll(&waited, 1, 20) > 0 && recv(fd, &byte, 1, 0) <= 0) return;
        if (!put_text(fd, word)) return;
    }
}

static bool be_huge(int fd, bool is_in_chunks)
{
    enum { CHUNK = 1 << 16, CHUNKS = 17 * 16 };  // 17 MiB
    static const char blanks[CHUNK];
    char head[128];
    if (is_in_chunks) {
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    } else {
        snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n",
                 CHUNK * CHUNKS);
    }
    bool is_there = put_text(fd, head);
    for (int i = 0; i < CHUNKS && is_there; i++) {
        if (is_in_chunks) is_there = put_text(fd, "10000\r\n");
        is_there = is_there && put(fd, blanks, sizeof blanks);
        if (is_in_chunks) is_there = is_there && put_text(fd, "\r\n");
    }
    return false;
}

static bool send_headers_for_ever(int fd)
{
    bool is_there = put_text(fd, "HTTP/1.1 200 OK\r\n");
    while (is_there) {
        is_there = put_text(fd, "X-More: and more and more and more and more and more\r\n");
    }
    return false;
}

static bool refuse(int fd)
{
    static const char body[] =
        "{\"type\":\"about:blank\",\"status\":422,\"title\":\"no such\\u0007 caf\\u00e9\"}";
    return put_reply(fd, "422 Unprocessable", "application/problem+json; charset=utf-8", body,
                     sizeof body - 1);
}

static const char refusal_of_first_version[] =
    "{\"type\":\"about:blank\",\"status\":415,\"title\":\"the Content-Type must be "
    "application/x-protobuf or application/geo+json\"}";

// Whether the connection can be used again.
static bool treat(rough_provider *p, int fd, const letter *l, rough_mode mode)
{
    switch (mode) {
    case ROUGH_SILENT:
        linger(p, fd, "");
        return false;
    case ROUGH_DRIPS:
        put_text(fd, "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        linger(p, fd, "x");
        return false;
    case ROUGH_CLOSES:
        return false;
    case ROUGH_GARBAGE:
        return put_reply(fd, "200 OK", sc_encoding_media_type(p->encoding), "\xff\xff{]", 4);
    case ROUGH_NOT_HTTP:
        put_text(fd, "220 mail.example ESMTP\r\n");
        return false;
    case ROUGH_EMPTY:
        return put_reply(fd, "200 OK", sc_encoding_media_type(p->encoding), "", 0);
    case ROUGH_HUGE:
    case ROUGH_HUGE_IN_CHUNKS:
        return be_huge(fd, mode == ROUGH_HUGE_IN_CHUNKS);
    case ROUGH_ENDLESS_HEADERS:
        return send_headers_for_ever(fd);
    case ROUGH_REDIRECTS:
        return put_text(fd, "HTTP/1.1 302 Found\r\nLocation: /ask\r\nContent-Length: 0\r\n\r\n");
    case ROUGH_REFUSES:
        return refuse(fd);
    case ROUGH_FIRST_415:
        return put_reply(fd, "415 Unsupported Media Type", "application/problem+json",
                         refusal_of_first_version, sizeof refusal_of_first_version - 1);
    case ROUGH_FORBIDS:
        return put_reply(fd, "403 Forbidden", "text/html", "<p>No.", 6);
    case ROUGH_FAILS:
        return put_reply(fd, "500 Oh", "text/html", "", 0);
    case ROUGH_BUSY:
        return put_text(fd, "HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 0\r\n"
                            "Set-Cookie: who=you\r\n\r\n");
    case ROUGH_BUSY_LONG:
        return put_text(fd, "HTTP/1.1 429 Busy\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n");
    default:
        return answer(p, fd, l, mode);
    }
}

// --- Threads ----------------------------------------------------------------------------

// Keep it, and say what to do with it.
static rough_mode remember(rough_provider *p, const letter *l)
{
    pthread_mutex_lock(&p->lock);
    if (p->letter_count == p->letter_capacity) {
        p->letter_capacity = 2 * p->letter_capacity + 16;
        p->letters = realloc(p->letters, p->letter_capacity * sizeof *p->letters);
        if (!p->letters) abort();
    }
    p->letters[p->letter_count++] = *l;
    if (++p->open_count > p->most) p->most = p->open_count;
    const rough_mode mode = p->mode_count > 0 ? p->mode : ROUGH_GOOD;
    if (p->mode_count > 0) p->mode_count--;
    pthread_mutex_unlock(&p->lock);
    return mode;
}

/** A guest's thread is told where it sits. */
typedef struct invitation {
    rough_provider *provider;
    size_t place;
    int fd;
} invitation;

static void *entertain(void *context)
{
    const invitation invited = *(invitation *)context;
    free(context);
    rough_provider *p = invited.provider;
    inflow *in = test_take(1, sizeof *in);
    in->fd = invited.fd;
    letter l;
    bool goes_on = true;
    while (goes_on && read_letter(in, &l)) {
        const rough_mode mode = remember(p, &l);
        goes_on = treat(p, in->fd, &l, mode);
        pthread_mutex_lock(&p->lock);
        p->open_count--;
        pthread_mutex_unlock(&p->lock);
    }
    pthread_mutex_lock(&p->lock);
    p->guests[invited.place] = -1;
    close(in->fd);
    pthread_mutex_unlock(&p->lock);
    free(in);
    return NULL;
}

static void *welcome(void *context)
{
    rough_provider *p = context;
    for (int fd = accept(p->listener, NULL, NULL); fd >= 0; fd = accept(p->listener, NULL, NULL)) {
        // Replies go out in pieces, and none should wait for the one before to be acknowledged.
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
        invitation *invited = test_take(1, sizeof *invited);
        pthread_mutex_lock(&p->lock);
        if (p->guest_count == GUESTS) abort();
        *invited = (invitation){.provider = p, .place = p->guest_count, .fd = fd};
        p->guests[p->guest_count] = fd;
        if (pthread_create(&p->threads[p->guest_count], NULL, entertain, invited)) abort();
        p->guest_count++;
        pthread_mutex_unlock(&p->lock);
    }
    return NULL;
}

// --- Life -------------------------------------------------------------------------------

rough_provider *rough_provider_new(sc_objects *objects, sc_encoding encoding)
{
    rough_provider *p = test_take(1, sizeof *p);
    p->objects = objects;
    p->encoding = encoding;
    pthread_mutex_init(&p->lock, NULL);
    if (objects) {
        sc_lbs_options options = sc_lbs_options_default();
        options.limits.max_radius_m = HUGE_VAL;
        options.limits.max_radius_s = HUGE_VAL;
        CHECK_OK(sc_lbs_new(sc_objects_map(objects), &options, &p->lbs, NULL), NULL);
    }
    // With a port of its own, and not listening: connections are refused.
    p->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    assert_int_equal(bind(p->listener, (struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(p->listener, (struct sockaddr *)&address, &size), 0);
    snprintf(p->url, sizeof p->url, "http://127.0.0.1:%d/ask", (int)ntohs(address.sin_port));
    return p;
}

void rough_provider_up(rough_provider *provider)
{
    assert_int_equal(listen(provider->listener, 64), 0);
    assert_int_equal(pthread_create(&provider->thread, NULL, welcome, provider), 0);
    provider->is_up = true;
}

void rough_provider_free(rough_provider *p)
{
    if (p->is_up) {
        shutdown(p->listener, SHUT_RDWR);
        pthread_join(p->thread, NULL);
    }
    close(p->listener);
    pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    for (size_t i = 0; i < p->guest_count; i++) {
        if (p->guests[i] >= 0) shutdown(p->guests[i], SHUT_RDWR);
    }
    pthread_mutex_unlock(&p->lock);
    for (size_t i = 0; i < p->guest_count; i++) {
        pthread_join(p->threads[i], NULL);
    }
    for (size_t i = 0; i < p->letter_count; i++) {
        free(p->letters[i].head);
        free(p->letters[i].body.data);
    }
    free(p->letters);
    sc_lbs_free(p->lbs);
    pthread_mutex_destroy(&p->lock);
    free(p);
}

// --- What it was told -------------------------------------------------------------------

const char *rough_provider_url(const rough_provider *provider)
{
    return provider->url;
}

void rough_provider_next(rough_provider *provider, rough_mode mode, size_t count)
{
    pthread_mutex_lock(&provider->lock);
    provider->mode = mode;
    provider->mode_count = count;
    pthread_mutex_unlock(&provider->lock);
}

size_t rough_provider_count(rough_provider *provider)
{
    pthread_mutex_lock(&provider->lock);
    const size_t count = provider->letter_count;
    pthread_mutex_unlock(&provider->lock);
    return count;
}

size_t rough_provider_connections(rough_provider *provider)
{
    pthread_mutex_lock(&provider->lock);
    const size_t count = provider->guest_count;
    pthread_mutex_unlock(&provider->lock);
    return count;
}

size_t rough_provider_most(rough_provider *provider)
{
    pthread_mutex_lock(&provider->lock);
    const size_t most = provider->most;
    pthread_mutex_unlock(&provider->lock);
    return most;
}

static letter letter_at(rough_provider *provider, size_t i)
{
    pthread_mutex_lock(&provider->lock);
    assert_true(i < provider->letter_count);
    const letter l = provider->letters[i];
    pthread_mutex_unlock(&provider->lock);
    return l;
}

const char *rough_provider_head(rough_provider *provider, size_t i)
{
    return letter_at(provider, i).head;
}

sc_bytes rough_provider_body(rough_provider *provider, size_t i)
{
    return letter_at(provider, i).body;
}
