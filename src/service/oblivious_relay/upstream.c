// Sealed requests on their way to the gateway. See upstream.h.
#include "oblivious_relay/upstream.h"

#include "base/alloc.h"
#include "base/bytes.h"
#include "base/clock.h"
#include "base/diag.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Of a reply: what a StarCloak seals at the most, with room for others' padding. */
#define REPLY_MAX ((size_t)2 << 20)

/** Of all replies that are here at a time. More than that are not taken, so that a gateway cannot
 * fill the relay's memory. */
#define REPLIES_MAX ((size_t)512 << 20)

enum {
    TAKE_AT_ONCE = 64,
    IDLE_HANDLES = 256,     ///< kept for the next passages
    FORSAKE_EVERY_MS = 50,  ///< how often passages whose client has gone are looked for
    LONGEST_MS = 1000,
};

struct sc__upstream {
    // Read-only once it has started.
    sc__upstream_options options;
    char *url;
    struct curl_slist *headers;
    CURLM *multi;
    sc_handover *inbox;
    pthread_t thread;
    bool has_thread;  ///< of the one who starts and stops

    // Of its thread.
    TAILQ_HEAD(passages, sc__passage) running;
    CURL *idle[IDLE_HANDLES];
    size_t idle_count;
    int64_t forsaken_us;  ///< when they were looked for last

    // Of all.
    atomic_size_t forsaken;
    atomic_size_t held;  ///< bytes of replies
    atomic_bool is_stopping;
};

void sc__passage_free(sc__passage *passage)
{
    if (!passage) return;
    sc_bytes_wipe(&passage->request);
    sc_bytes_fini(&passage->request);
    if (passage->held) atomic_fetch_sub(passage->held, passage->reply.bytes.size);
    sc_bytes_wipe(&passage->reply.bytes);
    sc_bytes_fini(&passage->reply.bytes);
    sc_free(passage);
}

// --- One passage ---------------------------------------------------------------------------------

/** As sc_http_take(), while there is room for all replies. */
static size_t take_reply(char *bytes, size_t one, size_t count, void *context)
{
    sc__passage *passage = context;
    if (atomic_fetch_add(passage->held, count) + count > REPLIES_MAX) {
        passage->reply.trouble = SC_ELIMIT;
    } else if (sc_http_take(bytes, one, count, &passage->reply) == count) {
        return count;
    }
    atomic_fetch_sub(passage->held, count);
    return 0;
}

static CURL *take_handle(sc__upstream *upstream)
{
    if (upstream->idle_count > 0) return upstream->idle[--upstream->idle_count];
    const sc_http_rules rules = {.user_agent = "",
                                 .headers = upstream->headers,
                                 .max_bytes = REPLY_MAX,
                                 .ca_file = upstream->options.ca,
                                 .certificate_file = upstream->options.certificate,
                                 .key_file = upstream->options.key};
    CURL *easy = sc_http_easy_new(&rules);
    if (!easy) return NULL;
    // By TLS it is known with the handshake whether a connection takes several requests, and worth
    // waiting for. Without, curl would know with the first reply: all would wait for one query.
    const long waits = strncmp(upstream->url, "https:", 6) == 0;
    if (curl_easy_setopt(easy, CURLOPT_URL, upstream->url) ||
        curl_easy_setopt(easy, CURLOPT_USERAGENT, NULL) ||
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_reply) ||
        curl_easy_setopt(easy, CURLOPT_PIPEWAIT, waits) ||
        curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(upstream->options.timeout_s * 1000))) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

static void give_handle_back(sc__upstream *upstream, CURL *easy)
{
    if (upstream->idle_count < IDLE_HANDLES) {
        upstream->idle[upstream->idle_count++] = easy;
    } else {
        curl_easy_cleanup(easy);
    }
}

/** There is room: no more passages are there than a handover holds. */
static void hand_back(sc__upstream *upstream, sc__passage *passage)
{
    // Set by both, it is counted once: from here on the loop need not tell.
    if (atomic_exchange(&passage->is_gone, true)) atomic_fetch_sub(&upstream->forsaken, 1);
    (void)sc_handover_put(upstream->options.back[passage->loop], &passage);
}

static void begin(sc__upstream *upstream, sc__passage *passage)
{
    CURL *easy = take_handle(upstream);
    passage->reply.max_bytes = REPLY_MAX;
    passage->held = &upstream->held;
    if (!easy) {
        hand_back(upstream, passage);
        return;
    }
    if (curl_easy_setopt(easy, CURLOPT_PRIVATE, passage) ||
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, passage) ||
        curl_easy_setopt(easy, CURLOPT_POST, 1L) ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, passage->request.data) ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)passage->request.size) ||
        curl_multi_add_handle(upstream->multi, easy)) {
        curl_easy_cleanup(easy);
        hand_back(upstream, passage);
        return;
    }
    passage->easy = easy;
    TAILQ_INSERT_TAIL(&upstream->running, passage, link);
}

static void end(sc__upstream *upstream, sc__passage *passage)
{
    curl_multi_remove_handle(upstream->multi, passage->easy);
    give_handle_back(upstream, passage->easy);
    passage->easy = NULL;
    TAILQ_REMOVE(&upstream->running, passage, link);
    hand_back(upstream, passage);
}

static void take_result(sc__passage *passage, CURLcode code)
{
    char *type = NULL;
    curl_off_t later_s = 0;
    passage->is_late = code == CURLE_OPERATION_TIMEDOUT;
    if (code != CURLE_OK || passage->reply.trouble) return;
    passage->is_answered = true;
    curl_easy_getinfo(passage->easy, CURLINFO_RESPONSE_CODE, &passage->status);
    curl_easy_getinfo(passage->easy, CURLINFO_CONTENT_TYPE, &type);
    curl_easy_getinfo(passage->easy, CURLINFO_RETRY_AFTER, &later_s);
    passage->retry_after_s = (long)later_s;
    if (type) snprintf(passage->type, sizeof passage->type, "%s", type);
}

// --- The thread ----------------------------------------------------------------------------------

static void take_inbox(sc__upstream *upstream)
{
    sc__passage *passages[TAKE_AT_ONCE];
    size_t count = 0;
    do {
        count = sc_handover_take(upstream->inbox, passages, TAKE_AT_ONCE);
        for (size_t i = 0; i < count; i++) {
            begin(upstream, passages[i]);
        }
    } while (count == TAKE_AT_ONCE);
}

static void take_ended(sc__upstream *upstream)
{
    int left = 0;
    for (CURLMsg *m = curl_multi_info_read(upstream->multi, &left); m;
         m = curl_multi_info_read(upstream->multi, &left)) {
        if (m->msg != CURLMSG_DONE) continue;
        char *found = NULL;
        const CURLcode code = m->data.result;
        curl_easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, &found);
        sc__passage *passage = (sc__passage *)(void *)found;
        take_result(passage, code);
        end(upstream, passage);
    }
}

/** Those whose clients have gone. All are looked at, so not often. */
static void give_up_forsaken(sc__upstream *upstream)
{
    if (atomic_load(&upstream->forsaken) == 0) return;
    const int64_t now_us = sc_clock_us();
    if (now_us < upstream->forsaken_us + INT64_C(1000) * FORSAKE_EVERY_MS) return;
    upstream->forsaken_us = now_us;
    sc__passage *next = NULL;
    for (sc__passage *p = TAILQ_FIRST(&upstream->running); p; p = next) {
        next = TAILQ_NEXT(p, link);
        if (atomic_load(&p->is_gone)) end(upstream, p);
    }
}

static void *run(void *context)
{
    sc__upstream *upstream = context;
    pthread_setname_np(pthread_self(), "upstream");
    while (!atomic_load(&upstream->is_stopping)) {
        take_inbox(upstream);
        give_up_forsaken(upstream);
        int running = 0;
        curl_multi_perform(upstream->multi, &running);
        take_ended(upstream);
        const int wait_ms = atomic_load(&upstream->forsaken) > 0 ? FORSAKE_EVERY_MS : LONGEST_MS;
        struct curl_waitfd inbox = {.fd = sc_handover_fd(upstream->inbox),
                                    .events = CURL_WAIT_POLLIN};
        curl_multi_poll(upstream->multi, &inbox, 1, wait_ms, NULL);
    }
    take_inbox(upstream);
    while (!TAILQ_EMPTY(&upstream->running)) {
        end(upstream, TAILQ_FIRST(&upstream->running));
    }
    return NULL;
}

// --- For others ----------------------------------------------------------------------------------

bool sc__upstream_post(sc__upstream *upstream, sc__passage *passage)
{
    return sc_handover_put(upstream->inbox, &passage);
}

void sc__upstream_forsake(sc__upstream *upstream, sc__passage *passage)
{
    if (atomic_exchange(&passage->is_gone, true)) return;
    atomic_fetch_add(&upstream->forsaken, 1);
    curl_multi_wakeup(upstream->multi);
}

// --- Life ----------------------------------------------------------------------------------------

sc_err sc__upstream_new(const sc__upstream_options *options, sc__upstream **out, sc_diag *diag)
{
    sc_err err = sc_http_client_start(diag);
    if (err) return err;
    sc__upstream *upstream = sc_calloc(1, sizeof *upstream);
    if (!upstream) {
        sc_http_client_stop();
        return sc_fail_memory(diag, "preparing the relay");
    }
    upstream->options = *options;
    TAILQ_INIT(&upstream->running);
    upstream->url = sc_malloc(strlen(options->url) + 1);
    upstream->headers = curl_slist_append(NULL, "Content-Type: message/ohttp-req");
    struct curl_slist *more =
        upstream->headers ? curl_slist_append(upstream->headers, "Expect:") : NULL;
    upstream->multi = curl_multi_init();
    err = sc_handover_new(sizeof(sc__passage *), options->max_waiting, &upstream->inbox);
    if (!upstream->url || !more || !upstream->multi || err) {
        sc__upstream_free(upstream);
        return sc_fail_memory(diag, "preparing the relay");
    }
    memcpy(upstream->url, options->url, strlen(options->url) + 1);
    *out = upstream;
    return SC_OK;
}

sc_err sc__upstream_start(sc__upstream *upstream, sc_diag *diag)
{
    if (pthread_create(&upstream->thread, NULL, run, upstream) != 0) {
        return sc_fail(diag, SC_EIO, "no thread can be started");
    }
    upstream->has_thread = true;
    return SC_OK;
}

void sc__upstream_stop(sc__upstream *upstream)
{
    if (!upstream->has_thread) return;
    atomic_store(&upstream->is_stopping, true);
    curl_multi_wakeup(upstream->multi);
    pthread_join(upstream->thread, NULL);
    upstream->has_thread = false;
}

void sc__upstream_free(sc__upstream *upstream)
{
    if (!upstream) return;
    sc__upstream_stop(upstream);
    while (upstream->idle_count > 0) {
        curl_easy_cleanup(upstream->idle[--upstream->idle_count]);
    }
    if (upstream->multi) curl_multi_cleanup(upstream->multi);
    curl_slist_free_all(upstream->headers);
    sc_handover_free(upstream->inbox);
    sc_free(upstream->url);
    sc_free(upstream);
    sc_http_client_stop();
}
