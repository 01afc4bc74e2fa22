/**
 * @file http_client.h
 * @brief HTTP requests by curl, which reveal as little as possible and are bounded in size.
 *
 * What holds for every request of this program is set in one place: HTTP and HTTPS only, no
 * redirect, no proxy of the environment, no cookie; certificates are checked, TLS 1.2 at least; a
 * reply is bounded in size while it comes. A request goes to the address that was given and to no
 * other.
 *
 * sc_http_call_wait() sends one request and waits. http_batch.h asks many at once; the courier
 * makes handles with sc_http_easy_new() and drives them by curl's multi interface.
 *
 * curl's memory is its own.
 */
#ifndef SC_NET_HTTP_CLIENT_H
#define SC_NET_HTTP_CLIENT_H

#include <curl/curl.h>
#include <signal.h>
#include <starcloak/bytes.h>
#include <starcloak/progress.h>
#include <stdbool.h>

/** Once per user, before and after: curl counts them. Thread-safe with curl 7.84 and later. */
SC_CHECKED sc_err sc_http_client_start(sc_diag *diag);
void sc_http_client_stop(void);

// --- Handles -------------------------------------------------------------------------------------

/** What requests of one kind share. All borrowed, as long as a handle lives. */
typedef struct sc_http_rules {
    const char *user_agent;
    const struct curl_slist *headers;
    size_t max_bytes;         ///< of a reply's body
    long connect_timeout_ms;  ///< 0: as long as the request may take
    long http_version;        ///< CURL_HTTP_VERSION_1_1 or others; 0: what both sides speak

    // PEM, as files or as bytes; NULL or empty: the system's authorities, no certificate of ours.
    const char *ca_file;
    const char *certificate_file;
    const char *key_file;
    const sc_bytes *ca;
    const sc_bytes *certificate;
    const sc_bytes *key;
} sc_http_rules;

/**
 * A handle to which these rules apply; what becomes of the body is still to be set. NULL if memory
 * is out or curl lacks something; free with curl_easy_cleanup().
 */
CURL *sc_http_easy_new(const sc_http_rules *rules);

/** A body while it comes. */
typedef struct sc_http_body {
    sc_bytes bytes;
    size_t max_bytes;
    sc_err trouble;  ///< why it was not taken in: SC_ELIMIT, SC_ENOMEM
} sc_http_body;

/** For CURLOPT_WRITEFUNCTION; the context is a sc_http_body. */
size_t sc_http_take(char *bytes, size_t one, size_t count, void *context);

// --- Broken pipes --------------------------------------------------------------------------------

/** How a thread took SIGPIPE before. */
typedef struct sc_pipe_guard {
    sigset_t before;
    bool was_pending;
} sc_pipe_guard;

/**
 * Writing to a connection that the other side has closed may raise SIGPIPE, by way of TLS, and
 * would end the program. How the process takes signals is not a library's to change; that this
 * thread does not take this one for a while is.
 */
sc_pipe_guard sc_pipe_guard_begin(void);
void sc_pipe_guard_end(const sc_pipe_guard *guard);

// --- One request, waited for ---------------------------------------------------------------------

typedef struct sc_http_call {
    sc_http_rules rules;
    const char *url;
    const char *body;  ///< sent by POST; NULL: a GET
    size_t body_size;  ///< 0: it ends with NUL
    double timeout_s;  ///< for all of it
    /** Called now and then with the seconds that have passed; may be NULL. */
    void (*waits)(void *context, double passed_s);
    void *context;
} sc_http_call;

/** Why there is no reply. */
typedef enum sc_http_failure {
    SC_HTTP_FINE,
    SC_HTTP_TIMED_OUT,
    SC_HTTP_TOO_LARGE,
    SC_HTTP_NO_MEMORY,
    SC_HTTP_NO_CONNECTION,
    SC_HTTP_NOT_TRUSTED,  ///< its certificate
    SC_HTTP_BROKEN,       ///< anything else
} sc_http_failure;

/** Zero-initialise; sc_http_answer_fini() when done. */
typedef struct sc_http_answer {
    long status;
    long retry_after_s;  ///< 0: not given
    char type[128];      ///< the Content-Type, cut to fit; "": not given
    sc_bytes body;       ///< with a NUL behind it that is not counted
    sc_http_failure failure;
    char words[CURL_ERROR_SIZE];  ///< curl's, of a failure; may quote the address
} sc_http_answer;

/** Send, and wait for the reply, whatever its status. False: answer->failure has the reason. */
bool sc_http_call_wait(const sc_http_call *call, sc_http_answer *answer);

/** Wipe and free; harmless twice. */
void sc_http_answer_fini(sc_http_answer *answer);

#endif
