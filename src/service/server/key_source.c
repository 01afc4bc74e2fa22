// Keys from a file or an address, asked for again and again.
//
// `lock` guards the wish for keys, the end and the counters; it is not held while keys are fetched.
#include "server/key_source.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/thread.h"
#include "net/http_client.h"
#include "server/token_internal.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/** To stop waits for a question that is under way, so not for long. */
static const double fetch_timeout_s = 5;

struct sc_key_source {
    // Read only.
    sc_key_source_options options;  ///< with texts of our own
    char *location;
    char *ca;
    bool is_remote;
    bool has_thread;
    pthread_t thread;
    // Under `lock`.
    pthread_mutex_t lock;
    pthread_cond_t wanted;  ///< keys are, or the end
    bool is_wanted;
    bool is_ending;
    sc_key_source_stats stats;
};

bool sc_key_source_is_remote(const char *location)
{
    return strncmp(location, "https://", 8) == 0 || strncmp(location, "http://", 7) == 0;
}

static sc_err read_file(sc_key_source *source, sc_diag *diag)
{
    sc_input file = {0};
    size_t keys = 0;
    const sc_key_source_options *own = &source->options;
    sc_err err = sc__small_file_read(own->location, own->max_bytes, &file, NULL, diag);
    if (!err) err = own->use(own->context, (const char *)file.data, file.size, &keys, diag);
    sc__small_file_free(&file);
    return err;
}

// --- An address ----------------------------------------------------------------------------------

static sc_err fetch(sc_key_source *source, size_t *keys, sc_diag *diag)
{
    const sc_key_source_options *own = &source->options;
    const sc_http_call call = {
        .rules = {.user_agent = "starcloak", .max_bytes = own->max_bytes, .ca_file = own->ca},
        .url = own->location,
        .timeout_s = fetch_timeout_s,
    };
    sc_http_answer answer = {0};
    sc_err err = SC_OK;
    if (!sc_http_call_wait(&call, &answer)) {
        err = sc_fail(diag, SC_EIO, "%s: %s", own->location, answer.words);
    } else if (answer.status != 200) {
        err = sc_fail(diag, SC_EIO, "%s: the reply has status %ld instead of 200", own->location,
                      answer.status);
    } else {
        err = own->use(own->context, (const char *)answer.body.data, answer.body.size, keys, diag);
    }
    sc_http_answer_fini(&answer);
    return err;
}

static void count_fetch(sc_key_source *source, bool has_failed)
{
    pthread_mutex_lock(&source->lock);
    if (has_failed) source->stats.failures++;
    if (!has_failed) source->stats.fetched++;
    pthread_mutex_unlock(&source->lock);
}

/** How asking went the last time. */
typedef enum fetch_state { NOT_ASKED, HAS_COME, HAS_FAILED } fetch_state;

/** Log what is otherwise than the last time. */
static void log_fetch(sc_key_source *source, fetch_state last, fetch_state now, size_t keys,
                      const char *why)
{
    sc_log_line line;
    const sc_key_source_options *own = &source->options;
    if (now == last) return;
    if (now == HAS_FAILED) {
        sc_log_message(own->log, SC_LOG_WARNING, own->failed, why);
    } else if (sc_log_begin(own->log, &line, SC_LOG_INFO, own->event)) {
        sc_log_count(&line, "keys", keys);
        sc_log_end(&line);
    }
}

/** Wait until keys are wanted, `seconds` have passed, or the end has come: false. */
static bool wait_for_reason(sc_key_source *source, double seconds, bool heeds_wishes)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const int64_t ns = until.tv_nsec + (int64_t)(seconds * 1e9);
    until.tv_sec += (time_t)(ns / 1000000000);
    until.tv_nsec = (long)(ns % 1000000000);
    pthread_mutex_lock(&source->lock);
    int late = 0;
    while (!source->is_ending && !late && !(heeds_wishes && source->is_wanted)) {
        late = pthread_cond_timedwait(&source->wanted, &source->lock, &until);
    }
    const bool goes_on = !source->is_ending;
    if (heeds_wishes) source->is_wanted = false;
    pthread_mutex_unlock(&source->lock);
    return goes_on;
}

static void *fetch_again_and_again(void *context)
{
    sc_key_source *source = context;
    fetch_state last = NOT_ASKED;
    bool goes_on = true;
    while (goes_on) {
        sc_diag diag = {.message = ""};
        size_t keys = 0;
        const sc_err err = fetch(source, &keys, &diag);
        const fetch_state now = err ? HAS_FAILED : HAS_COME;
        count_fetch(source, err != SC_OK);
        log_fetch(source, last, now, keys, diag.message);
        last = now;
        // A pause in any case, and then until there is a reason.
        goes_on = wait_for_reason(source, source->options.retry_s, false);
        const double rest_s = source->options.refresh_s - source->options.retry_s;
        if (goes_on && !err && rest_s > 0) goes_on = wait_for_reason(source, rest_s, true);
    }
    return NULL;
}

void sc_key_source_want(sc_key_source *source)
{
    if (!source->is_remote) return;
    pthread_mutex_lock(&source->lock);
    source->is_wanted = true;
    pthread_cond_signal(&source->wanted);
    pthread_mutex_unlock(&source->lock);
}

// --- From start to end ---------------------------------------------------------------------------

static bool copy_text(const char *text, char **out)
{
    if (!text) return true;
    const size_t size = strlen(text) + 1;
    *out = sc_malloc(size);
    if (*out) memcpy(*out, text, size);
    return *out != NULL;
}

static void init_lock(sc_key_source *source)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&source->wanted, &attributes);
    pthread_condattr_destroy(&attributes);
    pthread_mutex_init(&source->lock, NULL);
}

sc_err sc_key_source_new(const sc_key_source_options *options, sc_key_source **out, sc_diag *diag)
{
    sc_key_source *source = sc_calloc(1, sizeof *source);
    if (!source) return sc_fail_memory(diag, "reading keys");
    init_lock(source);
    sc_err err = SC_OK;
    if (!copy_text(options->location, &source->location) || !copy_text(options->ca, &source->ca)) {
        err = sc_fail_memory(diag, "reading keys");
    } else {
        source->options = *options;
        source->options.location = source->location;
        source->options.ca = source->ca;
        source->is_remote = sc_key_source_is_remote(source->location);
        if (!source->is_remote) err = read_file(source, diag);
    }
    if (err) {
        sc_key_source_free(source);
        return err;
    }
    *out = source;
    return SC_OK;
}

sc_err sc_key_source_start(sc_key_source *source, sc_diag *diag)
{
    if (!source->is_remote) return SC_OK;
    sc_err err = sc_http_client_start(diag);
    if (err) return err;
    err = sc_thread_start(&source->thread, fetch_again_and_again, source);
    source->has_thread = !err;
    if (!err) return SC_OK;
    sc_http_client_stop();
    return sc_fail(diag, err, "no thread for the issuer's keys can be started");
}

sc_err sc_key_source_reload(sc_key_source *source, sc_diag *diag)
{
    if (!source->is_remote) return read_file(source, diag);
    sc_key_source_want(source);
    return SC_OK;
}

void sc_key_source_free(sc_key_source *source)
{
    if (!source) return;
    if (source->has_thread) {
        pthread_mutex_lock(&source->lock);
        source->is_ending = true;
        pthread_cond_signal(&source->wanted);
        pthread_mutex_unlock(&source->lock);
        pthread_join(source->thread, NULL);
        sc_http_client_stop();
    }
    sc_free(source->location);
    sc_free(source->ca);
    pthread_cond_destroy(&source->wanted);
    pthread_mutex_destroy(&source->lock);
    sc_free(source);
}

sc_key_source_stats sc_key_source_stats_of(sc_key_source *source)
{
    pthread_mutex_lock(&source->lock);
    const sc_key_source_stats stats = source->stats;
    pthread_mutex_unlock(&source->lock);
    return stats;
}
