// Options of a server: what holds without any, what is possible, and a copy that is ours.
// See http.h.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <string.h>

sc_http_options sc_http_options_default(void)
{
    return (sc_http_options){
        .loops = 2,
        .max_connections = 10000,
        .max_header_bytes = UINT64_C(16) << 10,
        .max_body_bytes = UINT64_C(64) << 10,
        .request_timeout_s = 10.0,
        .idle_timeout_s = 60.0,
        .write_timeout_s = 30.0,
        .max_stream_bytes = UINT64_C(1) << 20,
    };
}

// Written so that NaN is out of range. A day is the most: further on, times in microseconds would
// have to be looked after.
static bool is_time(double seconds)
{
    return seconds > 0.0 && seconds <= 86400.0;
}

// libevent takes sizes as signed numbers, and asks for no more than one of them at a time.
static bool is_size(size_t bytes)
{
    return bytes > 0 && bytes <= INT32_MAX;
}

static sc_err check(const sc_http_options *o, sc_diag *diag)
{
    if (o->loops < 1 || o->loops > SC__MAX_LOOPS) {
        return sc_fail(diag, SC_EINVAL, "%u loops; give 1 to %d", o->loops, SC__MAX_LOOPS);
    }
    if (o->address_count == 0 && o->inherited_count == 0) {
        return sc_fail(diag, SC_EINVAL, "no address to listen at; give one, as 127.0.0.1:8080");
    }
    if (o->max_connections == 0) {
        return sc_fail(diag, SC_EINVAL, "no connection is allowed; give 1 at least");
    }
    if (!is_size(o->max_header_bytes) || !is_size(o->max_body_bytes) ||
        !is_size(o->max_stream_bytes)) {
        return sc_fail(diag, SC_EINVAL,
                       "bytes of headers, of a body and of a stream must be 1 to %d", INT32_MAX);
    }
    if (!is_time(o->request_timeout_s) || !is_time(o->idle_timeout_s) ||
        !is_time(o->write_timeout_s)) {
        return sc_fail(diag, SC_EINVAL,
                       "times for a request, for a pause and for a reply must be above 0 and at "
                       "most 86400 seconds");
    }
    if (!o->tls.certificate != !o->tls.key) {
        return sc_fail(diag, SC_EINVAL, "a certificate needs its key, and a key its certificate");
    }
    if (o->tls.client_ca && !o->tls.certificate) {
        return sc_fail(diag, SC_EINVAL,
                       "clients can be asked for certificates only with a certificate and key of "
                       "the server's own");
    }
    return SC_OK;
}

/** False if memory is out. NULL has NULL as its copy. */
static bool copy_text(const char *text, const char **out)
{
    if (!text) return true;
    const size_t size = strlen(text) + 1;
    char *copy = sc_malloc(size);
    if (!copy) return false;
    memcpy(copy, text, size);
    *out = copy;
    return true;
}

static bool copy_lists(const sc_http_options *from, sc_http_options *to)
{
    const char **addresses = sc_calloc(from->address_count, sizeof *addresses);
    if (!addresses) return false;
    to->addresses = addresses;
    to->address_count = from->address_count;
    for (size_t i = 0; i < from->address_count; i++) {
        if (!copy_text(from->addresses[i], &addresses[i])) return false;
    }
    int *inherited = sc_calloc(from->inherited_count, sizeof *inherited);
    if (!inherited) return false;
    to->inherited = inherited;
    to->inherited_count = from->inherited_count;
    for (size_t i = 0; i < from->inherited_count; i++) {
        inherited[i] = from->inherited[i];
    }
    return true;
}

sc_err sc__options_copy(const sc_http_options *options, sc_http_options *out, sc_diag *diag)
{
    const sc_err err = check(options, diag);
    if (err) return err;

    sc_http_options copy = *options;
    copy.addresses = NULL;
    copy.address_count = 0;
    copy.inherited = NULL;
    copy.inherited_count = 0;
    copy.tls = (sc_tls_files){0};
    if (!copy_lists(options, &copy) ||
        !copy_text(options->tls.certificate, &copy.tls.certificate) ||
        !copy_text(options->tls.key, &copy.tls.key) ||
        !copy_text(options->tls.client_ca, &copy.tls.client_ca)) {
        sc__options_fini(&copy);
        return sc_fail_memory(diag, "preparing the server");
    }
    *out = copy;
    return SC_OK;
}

void sc__options_fini(sc_http_options *options)
{
    for (size_t i = 0; i < options->address_count; i++) {
        sc_free((char *)options->addresses[i]);
    }
    sc_free((char **)options->addresses);
    sc_free((int *)options->inherited);
    sc_free((char *)options->tls.certificate);
    sc_free((char *)options->tls.key);
    sc_free((char *)options->tls.client_ca);
    *options = (sc_http_options){0};
}
