// Replies, and what is said when there is none: problem details (RFC 9457), whose title is the
// sentence of the diagnosis. See docs/provider-protocol.md for the statuses.
#include "provider/provider_internal.h"

#include "base/json_write.h"

#include <stdio.h>
#include <string.h>

int sc__counter_status(sc_err err)
{
    switch (err) {
    case SC_OK:
        return 200;
    case SC_EPARSE:
        return 400;
    case SC_EMISMATCH:
        return 409;
    case SC_ELIMIT:
        return 413;
    case SC_EREQUEST:
    case SC_EUNKNOWN:
    case SC_ENOCOORDS:
        return 422;
    default:
        return 500;
    }
}

// --- The text --------------------------------------------------------------------------

/** A body that never needs memory: room for the longest diagnosis, each byte of it escaped. */
typedef struct problem_text {
    size_t size;
    char bytes[6 * sizeof(sc_diag) + 128];
} problem_text;

static void put(problem_text *text, const char *bytes, size_t size)
{
    if (size > sizeof text->bytes - text->size) size = sizeof text->bytes - text->size;
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
}

static void write_problem(problem_text *text, int status, const char *title)
{
    char begin[64];
    const int size =
        snprintf(begin, sizeof begin, "{\"type\":\"about:blank\",\"status\":%d,\"title\":", status);
    text->size = 0;
    put(text, begin, (size_t)size);
    const size_t length = strnlen(title, sizeof(sc_diag));
    text->size += sc_json_escape(title, length, text->bytes + text->size);
    put(text, "}", 1);
}

// --- Replies ---------------------------------------------------------------------------

void sc__counter_reply(sc_provider *provider, sc_http_request *request, int status,
                       const char *type, const void *body, size_t size)
{
    sc__tally_status(&provider->tally, status);
    sc_http_reply(request, status, type, body, size, NULL, 0);
}

void sc__counter_problem(sc_provider *provider, sc_http_request *request, int status,
                         const char *title, const char *allow)
{
    problem_text text;
    write_problem(&text, status, title);
    const sc_http_header headers[] = {allow ? (sc_http_header){"Allow", allow}
                                            : (sc_http_header){"Retry-After", "1"}};
    sc__tally_status(&provider->tally, status);
    sc_http_reply(request, status, "application/problem+json", text.bytes, text.size, headers,
                  allow || status == 503 ? 1 : 0);
}

/** What the server refuses before the provider sees it. */
static const char *title_of(int status)
{
    switch (status) {
    case 400:
        return "this is not HTTP/1.1 as it should be";
    case 408:
        return "the request did not come in time";
    case 413:
        return "the message is too large";
    case 417:
        return "that cannot be expected here; 100-continue can";
    case 431:
        return "the headers are too large";
    case 501:
        return "that method is not known here";
    case 503:
        return "too busy; ask again";
    default:
        return "something went wrong here";
    }
}

size_t sc__counter_refusal(void *context, int status, char *buffer, size_t room)
{
    sc_provider *provider = context;
    sc__tally_status(&provider->tally, status);
    problem_text text;
    write_problem(&text, status, title_of(status));
    // Better no body than half of one.
    if (text.size > room) return 0;
    memcpy(buffer, text.bytes, text.size);
    return text.size;
}
