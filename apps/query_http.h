/**
 * @file query_http.h
 * @brief The request of `starcloak query` and its reply, over HTTP or HTTPS.
 *
 * What is sent goes to the address that was given and nowhere else: no redirect is followed, no
 * proxy of the environment is used, certificates are checked.
 */
#ifndef SC_APPS_QUERY_HTTP_H
#define SC_APPS_QUERY_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include <starcloak/err.h>
#include <starcloak/progress.h>

#include "command.h"
#include "net/http_client.h"

/** Room for the longest address. */
#define SC_POST_URL_SIZE 2048

/** What to send, where to, and how long to wait. All borrowed. */
typedef struct sc_post {
    const char *url;            ///< as sc_post_url() makes it
    const char *body;           ///< JSON
    const char *token;          ///< NULL: none is sent
    const char *private_token;  ///< in its place: a whole value of Authorization; NULL: none
    const char *ca;             ///< whom to trust, a PEM file; NULL: as the system does
    const char *cert;           ///< of the client, a PEM file; NULL: none
    const char *key;            ///< of that
    double timeout_s;           ///< for all of it
    sc_progress progress;       ///< told how many seconds have passed; may be without a function
    double expected_wait_s;     ///< of how many; 0: not known
} sc_post;

/** What came back. Zero-initialise; sc_post_reply_fini() when done. */
typedef struct sc_post_reply {
    long status;
    long retry_after_s;  ///< 0: not told
    const char *body;    ///< ended by NUL, which is not counted; never NULL after success
    size_t size;
    sc_http_answer answer;  ///< whose body it is
} sc_post_reply;

/**
 * The address of `path` below `service`, which begins with http:// or https:// and may end with
 * slashes.
 *
 * @return NULL, or what is wrong with it: "is neither http nor https"
 */
const char *sc_post_url(const char *service, const char *path, char out[SC_POST_URL_SIZE]);

/** Whether that address is of this machine. */
bool sc_post_is_local(const char *url);

/**
 * Send, and wait for the reply, whatever its status.
 *
 * @return SC_OK, SC_ENET (with a reason), SC_ELIMIT (a reply larger than 16 MiB), SC_ENOMEM
 */
SC_CHECKED sc_err sc_post_send(const sc_post *post, sc_post_reply *out, sc_diag *diag);

/** Wipe and free. */
void sc_post_reply_fini(sc_post_reply *reply);

/**
 * Print the reply.
 *
 * @param json  print the reply as JSON on standard output; what is no answer is also reported
 *              on standard error
 * @return the exit status: SC_EXIT_OK if it was answered
 */
int sc_query_report(const sc_call *call, const sc_post_reply *reply, bool json);

#endif
