/**
 * @file provider_request.h
 * @brief One POST at a time through curl, with as few headers as possible; and what came of it.
 *
 * What is sent is docs/provider-protocol.md, "Over HTTP": the body, its media type, a User-Agent
 * that is always the same. No cookie, no Referer, no redirect, no proxy of the environment, no
 * "Expect". What comes back is bounded while it comes: headers, body, time.
 *
 * curl's memory is its own. Error texts are curl's general ones, which never quote an address: it
 * may hold a password.
 */
#ifndef SC_COURIER_PROVIDER_REQUEST_H
#define SC_COURIER_PROVIDER_REQUEST_H

#include "courier/courier.h"
#include <curl/curl.h>

// --- When to try again ----------------------------------------------------------------------
//
// The pause doubles from one try to the next, so that a provider that is down is not hammered, and
// half of it is drawn, so that requests that failed together do not come back together. A provider
// that says how long it will be busy is believed as far as the deadline allows. Pure: time and the
// random number are arguments.

/** The pause after the first try, and the longest. */
#define SC__RETRY_FIRST_US 100000
#define SC__RETRY_LONGEST_US 3200000

/** There is no time for another try. */
#define SC__RETRY_NEVER INT64_MAX

/** Whether a reply of this status may be followed by a better one. */
bool sc__retry_may_help(int status);

/**
 * When to try again.
 *
 * @param tries   made so far, >= 1
 * @param told_us how long the provider wants to be left alone; 0: it did not say
 * @param luck    drawn from [0, 1)
 * @return a moment before the deadline, or SC__RETRY_NEVER
 */
int64_t sc__retry_at(unsigned tries, int64_t told_us, int64_t now_us, int64_t deadline_us,
                     double luck);

// --- Problem documents ----------------------------------------------------------------------

/** No title that is shown is longer. */
enum { SC__TITLE_SIZE = 200 };

/** A stranger's sentence: short, and of printable ASCII letters alone. */
typedef struct sc__title {
    char text[SC__TITLE_SIZE];  ///< "" if there is none
} sc__title;

/**
 * The `title` of an RFC 9457 document.
 *
 * @param type  its media type, may be NULL; of another than application/problem+json nothing is
 *              shown
 */
sc__title sc__problem_title(const char *type, const void *body, size_t size);

/** Whether a Content-Type is this media type, whatever its parameters are. */
bool sc__is_media_type(const char *type, const char *wanted);

// --- Requests -------------------------------------------------------------------------------

/** What all requests to a provider share. */
typedef struct sc__request_rules {
    const char *type;  ///< media type of what is sent and what is wanted
    sc_encoding encoding;
    size_t max_bytes;  ///< of a reply
    double try_timeout_s;
    char *url;
    struct curl_slist *headers;
    // Certificates and the key are read at the start and by a reload, and not in between.
    sc_bytes ca;
    sc_bytes certificate;
    sc_bytes key;
} sc__request_rules;

/**
 * @param options  the part about HTTP is used
 * @return SC_OK, SC_EINVAL (not an address), SC_EIO (a file), SC_ENET, SC_ENOMEM; release with
 *         sc__request_rules_fini()
 */
SC_CHECKED sc_err sc__request_rules_init(sc__request_rules *rules,
                                         const sc_courier_options *options, sc_diag *diag);

/** Harmless twice, and if it was never made. */
void sc__request_rules_fini(sc__request_rules *rules);

typedef struct sc__provider_request sc__provider_request;

/** Use other rules from now on, for an address that is the same; it is not under way. False if curl
 * cannot: then it has those before. */
bool sc__provider_request_renew(sc__provider_request *request, const sc__request_rules *rules);

/** A request is about to send its first byte on a connection. Once for each connection of a try. */
typedef void sc__provider_request_speaks(const sc__provider_request *request);

/** One POST, and room for its reply. It stays where it is. */
struct sc__provider_request {
    sc__provider_request_speaks *speaks;  ///< may be NULL
    const sc__request_rules *rules;
    CURL *easy;
    uint8_t *body;
    size_t size;
    size_t capacity;
    size_t header_size;
    int64_t leave_by_us;  ///< nothing is said after that unless it was said before
    sc_failure trouble;   ///< why it was not sent, or the reply not taken in
};

/**
 * @param rules   borrowed
 * @param speaks  may be NULL
 * @return SC_OK, SC_ENET; release with sc__provider_request_fini()
 */
SC_CHECKED sc_err sc__provider_request_init(sc__provider_request *request,
                                            const sc__request_rules *rules,
                                            sc__provider_request_speaks *speaks);

/** Harmless twice, and if it was never made. */
void sc__provider_request_fini(sc__provider_request *request);

/**
 * Make it ready to send these bytes, borrowed until the end. SC_OK or SC_ENOMEM.
 *
 * @param leave_by_us  connections may be made after that, but not a byte is sent on them;
 *                     INT64_MAX: whenever there is one
 */
SC_CHECKED sc_err sc__provider_request_begin(sc__provider_request *request, const void *bytes,
                                             size_t size, int64_t leave_by_us);

/** Whether a byte of the request has left, in the try that runs or has just ended. */
bool sc__provider_request_is_sent(const sc__provider_request *request);

/** What came of one try. */
typedef struct sc__provider_request_result {
    sc_failure failure;
    bool may_pass;    ///< whether the same may go well later
    int status;       ///< of HTTP; 0: none came
    int64_t told_us;  ///< how long the provider wants to be left alone; 0: it did not say
} sc__provider_request_result;

/** The transfer has ended. If it went well, the reply is in `body`. */
sc__provider_request_result sc__provider_request_end(sc__provider_request *request, CURLcode code,
                                                     sc_diag *diag);

#endif
