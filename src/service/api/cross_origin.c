// Origins: which are listed, and the answer to a browser that asks before it sends.
#include "api/cross_origin.h"

#include "api/settings.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"

#include <string.h>

struct sc_cross_origin {
    char **origins;  ///< as sc_settings_parts() makes them
    size_t count;
};

/** What a page may send beside what it always may. */
static const char headers_allowed[] = "Authorization, Content-Type, Idempotency-Key, Prefer";

/** Seconds for which a browser need not ask again; more than two hours is cut by most. */
static const char remembered_s[] = "7200";

// --- Origins -------------------------------------------------------------------------------------

static const char lower_letters[] = "abcdefghijklmnopqrstuvwxyz";
static const char digits[] = "0123456789";

/** Letters of a scheme or host name that browsers do not change. */
static size_t span_name(const char *text, const char *more)
{
    size_t size = 0;
    while (text[size] && (strchr(lower_letters, text[size]) || strchr(digits, text[size]) ||
                          strchr(more, text[size]))) {
        size++;
    }
    return size;
}

/** "[::1]" or "app.example"; 0: neither. */
static size_t span_host(const char *text)
{
    if (*text != '[') return span_name(text, "-._");
    const size_t inside = strspn(text + 1, "0123456789abcdef:.");
    return inside > 0 && text[1 + inside] == ']' ? inside + 2 : 0;
}

static sc_err refuse(sc_diag *diag, const char *origin, const char *why)
{
    return sc_fail(diag, SC_EINVAL, "origins: %s %s", sc_quote(origin, strlen(origin)).text, why);
}

sc_err sc_origin_check(const char *origin, sc_diag *diag)
{
    if (strcmp(origin, "*") == 0) {
        return refuse(diag, origin, "would let every page ask; list the origins of your pages");
    }
    if (strcmp(origin, "null") == 0) {
        return refuse(diag, origin,
                      "is the origin of files and of any sandboxed page; serve the "
                      "page from an address of its own");
    }
    const size_t scheme = span_name(origin, "+-.");
    const char *host = origin + scheme + 3;
    if (scheme == 0 || strncmp(origin + scheme, "://", 3) != 0) {
        return refuse(diag, origin,
                      "is not an origin; write it as https://app.example, in small "
                      "letters");
    }
    const size_t name = span_host(host);
    const char *port = host + name;
    const size_t number = *port == ':' ? strspn(port + 1, digits) : 0;
    const char *end = *port == ':' ? port + 1 + number : port;
    if (name == 0 || *end != '\0' || (*port == ':' && (number == 0 || number > 5))) {
        return refuse(diag, origin,
                      "is not an origin; it ends behind the host or the port, as in "
                      "https://app.example:8443, without a path, in small letters");
    }
    const bool is_usual = (strncmp(origin, "https://", 8) == 0 && strcmp(port, ":443") == 0) ||
                          (strncmp(origin, "http://", 7) == 0 && strcmp(port, ":80") == 0);
    if (is_usual) return refuse(diag, origin, "has the usual port, which browsers leave out");
    return SC_OK;
}

sc_err sc_cross_origin_new(const char *origins, sc_cross_origin **out, sc_diag *diag)
{
    char **parts = NULL;
    size_t count = 0;
    sc_err err = sc_settings_parts(origins, &parts, &count);
    if (err) return sc_fail_memory(diag, "reading the origins");
    for (size_t i = 0; i < count && !err; i++) {
        err = sc_origin_check(parts[i], diag);
    }
    sc_cross_origin *shared = !err && count > 0 ? sc_malloc(sizeof *shared) : NULL;
    if (!err && count > 0 && !shared) err = sc_fail_memory(diag, "reading the origins");
    if (!shared) {
        sc_settings_parts_free(parts);
        if (!err) *out = NULL;
        return err;
    }
    *shared = (sc_cross_origin){.origins = parts, .count = count};
    *out = shared;
    return SC_OK;
}

void sc_cross_origin_free(sc_cross_origin *shared)
{
    if (!shared) return;
    sc_settings_parts_free(shared->origins);
    sc_free(shared);
}

// --- Requests ------------------------------------------------------------------------------------

bool sc_cross_origin_mark(const sc_cross_origin *shared, sc_http_request *request)
{
    if (!shared) return false;
    const char *origin = sc_http_request_header(request, "Origin");
    for (size_t i = 0; origin && i < shared->count; i++) {
        if (strcmp(shared->origins[i], origin) != 0) continue;
        sc_http_request_allow_origin(request, shared->origins[i]);
        return true;
    }
    sc_http_request_allow_origin(request, "");
    return false;
}

bool sc_request_is_preflight(const sc_http_request *request)
{
    return sc_http_request_method(request) == SC_HTTP_OPTIONS &&
           sc_http_request_header(request, "Access-Control-Request-Method");
}

void sc_preflight_reply(sc_http_request *request, const char *methods)
{
    const sc_http_header headers[] = {
        {"Access-Control-Allow-Methods", methods},
        {"Access-Control-Allow-Headers", headers_allowed},
        {"Access-Control-Max-Age", remembered_s},
    };
    sc_http_reply(request, 204, NULL, NULL, 0, headers, sizeof headers / sizeof *headers);
}
