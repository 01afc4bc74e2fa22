/**
 * @file http_batch.h
 * @brief Many questions to one provider over HTTP: some at once, all by one deadline.
 *
 * Connections, TLS sessions and resolved names live from open to close, which is one cloak, so that
 * they do not link the questions of two cloaks. http_client.h has what holds for each request; the
 * User-Agent is without a version.
 *
 * curl's memory is its own. Error texts are curl's general ones, which never quote a URL.
 */
#ifndef SC_NET_HTTP_BATCH_H
#define SC_NET_HTTP_BATCH_H

#include "net/http_client.h"

/** How questions are put. */
typedef struct sc_http_batch_options {
    unsigned parallel;                 ///< questions under way at once
    double timeout_s;                  ///< for one question
    double deadline_s;                 ///< for all of them; 0: none
    double leave_s;                    ///< the first leaves within that time, or none does; 0: any
    size_t max_bytes;                  ///< of one body
    const struct curl_slist *headers;  ///< of each; lent as long as the connections
    const char *ca_file;               ///< PEM; NULL: the system's authorities
    const int *stop;  ///< a descriptor: all is given up once it can be read; NULL: never
} sc_http_batch_options;

/** Connections to a provider. One thread. */
typedef struct sc_http_connections sc_http_connections;

/** The time until the deadline begins to run, and that for the first question to leave. */
SC_CHECKED sc_err sc_http_connections_open(const sc_http_batch_options *options,
                                           sc_http_connections **out, sc_diag *diag);

/** NULL is fine. */
void sc_http_connections_close(sc_http_connections *http);

/** The status that ended the last batch; 0: none has. */
int sc_http_connections_status(const sc_http_connections *http);

/** Milliseconds left until the deadline, at most `most_ms`; 0: it has passed. */
long sc_http_connections_left_ms(const sc_http_connections *http, long most_ms);

/** A question. Texts are lent until what came back for it has been taken. */
typedef struct sc_http_question {
    const char *url;
    const char *body;                  ///< sent by POST; NULL: a GET
    const struct curl_slist *headers;  ///< instead of those of all; may be NULL
} sc_http_question;

/** What came back. Lent. */
typedef struct sc_http_arrival {
    long status;  ///< 200, unless the batch takes others
    const char *bytes;
    size_t size;
    long retry_after_s;  ///< 0: not given
    const char *etag;    ///< "" if it has none, as the next
    const char *cache_control;
    const char *age;
    // For the one who takes it: ask the same question again, filled anew, after a pause.
    bool is_again;
    double pause_s;
} sc_http_arrival;

/** Some questions, by number. */
typedef struct sc_http_batch {
    size_t count;
    bool takes_all;  ///< also what has another status than 200
    /** What to ask. */
    sc_err (*fill)(void *context, size_t i, sc_http_question *out, sc_diag *diag);
    /** What came back for it. Called in the order of arrival. */
    sc_err (*take)(void *context, size_t i, sc_http_arrival *arrival, sc_diag *diag);
    /** Whether another question may leave now; if not, after how many milliseconds to ask again.
     * May be NULL: always. For each that may, `ends` is called when it is over. */
    bool (*may_leave)(void *context, long *wait_ms);
    void (*ends)(void *context);
    void *context;
    size_t bytes_out;  ///< added to
    size_t bytes_in;   ///< bodies; added to
} sc_http_batch;

/**
 * Ask questions 0, 1, 2, ... in that order, and wait for all answers. The first failure ends it.
 *
 * @return SC_OK, SC_ENET, SC_ELATE (no question has left, and it is too late for the first),
 *         SC_EREPLY (too large a body), SC_ENOMEM, or what the batch's own functions return
 */
SC_CHECKED sc_err sc_http_batch_run(sc_http_connections *http, sc_http_batch *batch, sc_diag *diag);

/** Refuse an answer for its status; sc_http_connections_status() tells it from then on. */
sc_err sc_http_refuse_status(sc_http_connections *http, long status, sc_diag *diag);

#endif
