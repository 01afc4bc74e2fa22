// The life of a provider: opening, starting, draining, stopping. provider_internal.h has how loops
// and pool work together.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <time.h>

enum { MAX_THREADS = 64 };

sc_provider_options sc_provider_options_default(void)
{
    sc_provider_options options = {
        .http = sc_http_options_default(),
        .threads = 1,
        .max_waiting = 1000,
        .lbs = sc_lbs_options_default(),
        .codec = sc_codec_limits_default(),
    };
    options.http.max_body_bytes = options.codec.max_bytes;
    return options;
}

static sc_err check_options(const sc_provider_options *options, sc_diag *diag)
{
    if (!options->objects && !options->feed) {
        return sc_fail(diag, SC_EINVAL, "a provider needs objects, or a feed of them");
    }
    if (options->threads < 1 || options->threads > MAX_THREADS) {
        return sc_fail(diag, SC_EINVAL,
                       "the number of threads that evaluate must be 1 to %d, not %u",
                       (int)MAX_THREADS, options->threads);
    }
    if (options->max_waiting < 1 || options->max_waiting > SIZE_MAX / 2) {
        return sc_fail(diag, SC_EINVAL, "at least one cloak must be allowed to wait");
    }
    return SC_OK;
}

/** A handover for each loop, by which jobs come back from the pool. */
static sc_err open_handovers(sc_provider *provider, sc_diag *diag)
{
    const unsigned loops = provider->options.http.loops;
    provider->back = sc_calloc(loops, sizeof(sc_handover *));
    if (!provider->back) return sc_fail_memory(diag, "starting the provider");
    for (unsigned i = 0; i < loops; i++) {
        sc_err err =
            sc_handover_new(sizeof(sc__provider_job *), provider->max_open, &provider->back[i]);
        if (err) return sc_fail(diag, err, "starting the provider: %s", sc_err_text(err));
        err = sc_http_watch(provider->http, i, sc_handover_fd(provider->back[i]),
                            sc__provider_take_done, provider);
        if (err) return sc_fail(diag, err, "starting the provider: %s", sc_err_text(err));
    }
    return SC_OK;
}

sc_err sc__provider_new(const sc_map *map, const sc_provider_options *options, sc__answerer *answer,
                        sc_provider **out, sc_diag *diag)
{
    sc_err err = check_options(options, diag);
    if (err) return err;
    sc_provider *provider = sc_calloc(1, sizeof *provider);
    if (!provider) return sc_fail_memory(diag, "starting the provider");
    provider->map = map;
    provider->options = *options;
    provider->max_open = options->max_waiting + options->threads;
    sc__provider_counts_init(&provider->counts);

    sc_http_options *http = &provider->options.http;
    http->handle = sc__provider_handle;
    http->problem = sc__provider_refusal;
    http->context = provider;
    err = sc_http_new(http, &provider->http, diag);
    if (err) goto fail;
    err = open_handovers(provider, diag);
    if (err) goto fail;

    provider->pool = (sc__provider_pool){.map = map,
                                         .options = &provider->options,
                                         .counts = &provider->counts,
                                         .answer = answer,
                                         .back = provider->back};
    err = sc__provider_pool_start(&provider->pool, diag);
    if (err) goto fail;
    *out = provider;
    return SC_OK;
fail:
    sc_provider_free(provider);
    return err;
}

sc_err sc_provider_new(const sc_map *map, const sc_provider_options *options, sc_provider **out,
                       sc_diag *diag)
{
    return sc__provider_new(map, options, sc__provider_evaluate, out, diag);
}

sc_err sc_provider_start(sc_provider *provider, sc_diag *diag)
{
    return sc_http_start(provider->http, diag);
}

sc_http *sc_provider_http(sc_provider *provider)
{
    return provider->http;
}

// What comes on connections that are still there is answered, which takes no longer than to refuse
// it; each reply closes its connection, so they come to an end.
bool sc_provider_drain(sc_provider *provider, double seconds)
{
    static const struct timespec pause = {.tv_nsec = 5000000};
    const int64_t end_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    atomic_store(&provider->is_draining, true);
    sc_http_stop_listening(provider->http);
    bool is_done = sc_http_is_idle(provider->http);
    while (!is_done && sc_clock_us() < end_us) {
        nanosleep(&pause, NULL);
        is_done = sc_http_is_idle(provider->http);
    }
    sc_http_stop(provider->http);
    return is_done;
}

void sc_provider_free(sc_provider *provider)
{
    if (!provider) return;
    // First the loops, which mark every open job as unwanted; then the pool; then no thread is left
    // that could touch the handovers.
    sc_http_free(provider->http);
    sc__provider_pool_fini(&provider->pool);
    for (unsigned i = 0; provider->back && i < provider->options.http.loops; i++) {
        sc__provider_job *job = NULL;
        while (provider->back[i] && sc_handover_take(provider->back[i], (void *)&job, 1) > 0) {
            sc__provider_job_free(job);
        }
        sc_handover_free(provider->back[i]);
    }
    sc_free(provider->back);
    sc_free(provider);
}
