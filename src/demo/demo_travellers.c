// The demo's travellers ask; what they tell of it reaches the list of those who wait and the
// listeners. See demo_internal.h.
//
// They are a run of the load generator (demo/loadgen/loadgen.h) without an end, in one thread: so
// everything about queries is sent in its order. The list is changed before the listeners
// are told, so a listener that has just been told of the list misses nothing.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

// --- Who waits -----------------------------------------------------------------------------------

struct sc__waiting_list {
    uint32_t count;
    pthread_mutex_t lock;
    sc__waiting *places;  ///< by traveller, under `lock`
};

sc_err sc__waiting_list_new(uint32_t travellers, sc__waiting_list **out)
{
    sc__waiting_list *pending = sc_calloc(1, sizeof *pending);
    if (!pending) return SC_ENOMEM;
    pending->count = travellers;
    pending->places = sc_calloc(travellers, sizeof *pending->places);
    if (!pending->places) {
        sc_free(pending);
        return SC_ENOMEM;
    }
    pthread_mutex_init(&pending->lock, NULL);
    *out = pending;
    return SC_OK;
}

void sc__waiting_list_free(sc__waiting_list *pending)
{
    if (!pending) return;
    pthread_mutex_destroy(&pending->lock);
    sc_free(pending->places);
    sc_free(pending);
}

void sc__waiting_list_add(sc__waiting_list *pending, const sc__waiting *waiting)
{
    pthread_mutex_lock(&pending->lock);
    pending->places[waiting->who] = *waiting;
    pthread_mutex_unlock(&pending->lock);
}

void sc__waiting_list_remove(sc__waiting_list *pending, uint32_t who)
{
    pthread_mutex_lock(&pending->lock);
    pending->places[who].number = 0;
    pthread_mutex_unlock(&pending->lock);
}

size_t sc__waiting_list_list(sc__waiting_list *pending, sc__waiting *out, size_t room)
{
    size_t count = 0;
    pthread_mutex_lock(&pending->lock);
    for (uint32_t who = 0; who < pending->count && count < room; who++) {
        if (pending->places[who].number != 0) out[count++] = pending->places[who];
    }
    pthread_mutex_unlock(&pending->lock);
    return count;
}

// --- What they tell and ask ----------------------------------------------------------------------

/** Thirty years: longer than any demo. */
#define ENDLESS_S 1e9

/** How many of a thousand answers are compared, if they can be. */
enum { CHECK_PER_MILLE = 10 };

// --- What they tell ------------------------------------------------------------------------------

/** What cannot be told for want of memory is missing on a screen, and nowhere else. */
static void tell(sc_demo *demo, bool fits)
{
    const sc_bytes *words = &demo->query_thread.words;
    if (fits) sc_event_stream_send(demo->audience, words->data, words->size);
}

static void take_asked(void *context, const sc_load_query *question)
{
    sc_demo *demo = context;
    const sc__waiting waiting = {
        .number = question->number,
        .who = question->who,
        .segment = sc_map_edges(demo->map)[question->edge].segment,
        .profile = question->profile,
        .nearest = question->nearest,
        .asked_us = sc_clock_us(),
    };
    sc__waiting_list_add(demo->waiting, &waiting);
    sc__methods_ask(demo->methods, &waiting);
    if (sc_event_stream_is_empty(demo->audience)) return;
    demo->query_thread.words.size = 0;
    tell(demo, sc__demo_text_asked(&waiting, &demo->query_thread.words));
}

static void take_ended(void *context, const sc_load_outcome *ending)
{
    sc_demo *demo = context;
    sc__waiting_list_remove(demo->waiting, ending->who);
    if (sc_event_stream_is_empty(demo->audience)) return;
    demo->query_thread.words.size = 0;
    tell(demo, sc__demo_text_ended(ending, &demo->query_thread.words));
}

/** The run reports now and then: the moment to pass on that it is to stop. */
static void take_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    sc_demo *demo = context;
    (void)phase;
    (void)done;
    (void)total;
    if (atomic_load(&demo->is_stopping)) demo->query_thread.stop = 1;
}

// --- Their thread --------------------------------------------------------------------------------

static sc_load_options load_options(sc_demo *demo)
{
    const sc_demo_options *wanted = &demo->options;
    sc_load_options options = sc_load_options_default();
    options.url = demo->query_thread.url;
    options.without_metrics = true;  // others ask too, so that counts could not agree
    options.objects = wanted->objects;
    options.check_per_mille = wanted->objects ? CHECK_PER_MILLE : 0;
    options.movements = &demo->on_road.asking;
    options.tokens = demo->tokens;
    options.workload = wanted->workload;
    options.duration_s = ENDLESS_S;
    options.start_us = atomic_load(&demo->start_us);
    options.seed = wanted->seed;
    options.watcher = (sc_load_watcher){.asked = take_asked, .ended = take_ended, .context = demo};
    options.progress = (sc_progress){.report = take_progress, .context = demo};
    options.stop = &demo->query_thread.stop;
    options.leaves_when_stopped = true;
    return options;
}

static void *run(void *context)
{
    sc_demo *demo = context;
    sc__query_thread *asking = &demo->query_thread;
    const sc_load_options options = load_options(demo);
    const sc_err err = sc_load_run(demo->map, &options, asking->report, &asking->trouble);
    if (err && asking->trouble.message[0] == '\0') {
        (void)sc_fail(&asking->trouble, err, "%s", sc_err_text(err));
    }
    if (err) atomic_store(&asking->has_trouble, true);
    return NULL;
}

sc_err sc__query_thread_start(sc_demo *demo, const char *url, sc_diag *diag)
{
    sc__query_thread *asking = &demo->query_thread;
    const size_t size = strlen(url) + 1;
    asking->url = sc_malloc(size);
    asking->report = sc_calloc(1, sizeof *asking->report);
    if (!asking->url || !asking->report) return sc_fail_memory(diag, "letting travellers ask");
    memcpy(asking->url, url, size);
    asking->is_started = sc_thread_start(&asking->thread, run, demo) == SC_OK;
    if (asking->is_started) return SC_OK;
    return sc_fail(diag, SC_EIO, "cannot start a thread: %s", strerror(errno));
}

void sc__query_thread_join(sc_demo *demo)
{
    if (demo->query_thread.is_started) pthread_join(demo->query_thread.thread, NULL);
    demo->query_thread.is_started = false;
}
