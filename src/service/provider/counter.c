// Where requests come in and replies go out: the loops' side. See provider_internal.h.
//
// Everything here runs in the thread of a loop, and is short: a cloak is copied and handed on; what
// comes back is sent. A client that goes away leaves its parcel behind, which comes back all the
// same and is then let go.
#include "provider/provider_internal.h"

#include "base/clock.h"

#include <string.h>

/** How often an overload is logged, at most. */
#define TELL_AGAIN_US (10 * (int64_t)1000000)

/** Parcels taken back at once. */
enum { BATCH = 64 };

// --- In --------------------------------------------------------------------------------

static void on_gone(void *context)
{
    sc__parcel *parcel = context;
    parcel->request = NULL;
    atomic_store_explicit(&parcel->is_unwanted, true, memory_order_relaxed);
    atomic_fetch_add_explicit(&parcel->provider->tally.unwanted, 1, memory_order_relaxed);
}

static void tell_overload(sc_provider *provider)
{
    const int64_t now_us = sc_clock_us();
    int64_t told_us = atomic_load(&provider->overload_told_us);
    if (told_us != 0 && now_us - told_us < TELL_AGAIN_US) return;
    if (!atomic_compare_exchange_strong(&provider->overload_told_us, &told_us, now_us)) return;
    sc_log_line line;
    if (sc_log_begin(provider->options.log, &line, SC_LOG_WARNING, "overloaded")) {
        sc_log_count(&line, "waiting", sc__desks_waiting(&provider->desks));
        sc_log_end(&line);
    }
}

/** Take a place among the parcels there may be; false if all are taken. */
static bool take_place(sc_provider *provider)
{
    if (atomic_fetch_add(&provider->open, 1) < provider->max_open) return true;
    atomic_fetch_sub(&provider->open, 1);
    return false;
}

static void take_cloak(sc_provider *provider, unsigned loop, sc_http_request *request)
{
    sc_encoding encoding;
    if (!sc__media_type_read(sc_http_request_header(request, "Content-Type"), &encoding)) {
        sc__counter_problem(
            provider, request, 415,
            "the Content-Type must be application/x-protobuf or application/geo+json", NULL);
        return;
    }
    if (!take_place(provider)) {
        tell_overload(provider);
        sc__counter_problem(provider, request, 503, "too many cloaks are waiting; ask again", NULL);
        return;
    }
    size_t size = 0;
    const char *body = sc_http_request_body(request, &size);
    sc__parcel *parcel = sc__parcel_new(body, size);
    if (!parcel) {
        atomic_fetch_sub(&provider->open, 1);
        sc__counter_problem(provider, request, 500, sc_err_text(SC_ENOMEM), NULL);
        return;
    }
    sc_http_request_forget_body(request);
    parcel->request = request;
    parcel->provider = provider;
    parcel->loop = loop;
    parcel->came_us = sc_clock_us();
    parcel->encoding = encoding;
    sc_http_on_gone(request, on_gone, parcel);
    sc__desks_put(&provider->desks, parcel);
}

void sc__counter_handle(void *context, unsigned loop, sc_http_request *request)
{
    sc_provider *provider = context;
    const sc_http_method method = sc_http_request_method(request);
    const char *path = sc_http_request_path(request);
    const sc__provider_entry *page = sc__provider_page(path);
    if (!page) {
        if (method == SC_HTTP_POST) {
            take_cloak(provider, loop, request);
        } else {
            sc__counter_problem(provider, request, 405, "cloaks are sent with POST", "POST");
        }
        return;
    }
    if (strcmp(page->path, path) != 0) {
        sc__counter_problem(provider, request, 404, "there is no such page", NULL);
    } else if (method != SC_HTTP_GET && method != SC_HTTP_HEAD) {
        sc__counter_problem(provider, request, 405, "this page can only be read", "GET, HEAD");
    } else {
        page->show(provider, request);
    }
}

// --- Out -------------------------------------------------------------------------------

/** A line for each reply, for whoever wants to see that much; failures of ours in any case. */
static void tell_reply(const sc_provider *provider, const sc__parcel *parcel, int status,
                       double seconds)
{
    const sc_log_level level = status == 500 ? SC_LOG_ERROR : SC_LOG_DEBUG;
    sc_log_line line;
    if (!sc_log_begin(provider->options.log, &line, level, "reply")) return;
    sc_log_count(&line, "status", (uint64_t)status);
    sc_log_seconds(&line, "seconds", seconds);
    if (parcel->err) sc_log_text(&line, "message", parcel->diag.message);
    sc_log_end(&line);
}

static void reply_to(sc_provider *provider, const sc__parcel *parcel)
{
    const int status = parcel->err ? sc__counter_status(parcel->err) : 200;
    const double seconds = (double)(sc_clock_us() - parcel->came_us) / 1e6;
    sc_histogram_add(&provider->tally.reply_s, seconds);
    tell_reply(provider, parcel, status, seconds);
    if (!parcel->err) {
        sc__counter_reply(provider, parcel->request, status,
                          sc_encoding_media_type(parcel->encoding), parcel->reply.data,
                          parcel->reply.size);
        return;
    }
    const char *title = parcel->diag.message;
    sc__counter_problem(provider, parcel->request, status,
                        title[0] != '\0' ? title : sc_err_text(parcel->err), NULL);
}

void sc__counter_ring(void *context, unsigned loop)
{
    sc_provider *provider = context;
    sc__parcel *parcels[BATCH];
    // If there are more, the bell keeps ringing.
    const size_t count = sc_handover_take(provider->back[loop], (void *)parcels, BATCH);
    for (size_t i = 0; i < count; i++) {
        if (parcels[i]->request) reply_to(provider, parcels[i]);
        sc__parcel_free(parcels[i]);
    }
    atomic_fetch_sub(&provider->open, count);
}
