// The demo's travellers ask, and what they tell of it reaches the board and the listeners. See
// demo_internal.h.
//
// They are a run of the load generator (client/load.h) without an end, in one flock: so everything
// that is told of queries is told by one thread, in its order. The board is changed before the
// listeners are told; a newcomer who was told of the board then misses nothing.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "demo/demo_text.h"

#include <errno.h>
#include <string.h>

/** Nobody looks on for thirty years. */
#define ENDLESS_S 1e9

/** How many of a thousand answers are compared, if they can be. */
enum { CHECK_PER_MILLE = 10 };

// --- What they tell ------------------------------------------------------------------------------

/** What cannot be told for want of memory is missing on a screen, and nowhere else. */
static void tell(sc_demo *demo, bool fits)
{
    const sc_bytes *words = &demo->asking.words;
    if (fits) sc_event_stream_send(demo->audience, words->data, words->size);
}

static void take_asked(void *context, const sc_load_question *question)
{
    sc_demo *demo = context;
    const sc__waiting waiting = {
        .number = question->number,
        .who = question->who,
        .segment = sc_map_edges(demo->map)[question->edge].segment,
        .profile = question->profile,
        .asked_us = sc_clock_us(),
    };
    sc__board_put(demo->board, &waiting);
    if (sc_event_stream_is_empty(demo->audience)) return;
    demo->asking.words.size = 0;
    tell(demo, sc__demo_text_asked(&waiting, &demo->asking.words));
}

static void take_ended(void *context, const sc_load_ending *ending)
{
    sc_demo *demo = context;
    sc__board_take(demo->board, ending->who);
    if (sc_event_stream_is_empty(demo->audience)) return;
    demo->asking.words.size = 0;
    tell(demo, sc__demo_text_ended(ending, &demo->asking.words));
}

/** The run reports now and then: the moment to pass on that it is to stop. */
static void take_progress(void *context, const char *phase, uint64_t done, uint64_t total)
{
    sc_demo *demo = context;
    (void)phase;
    (void)done;
    (void)total;
    if (atomic_load(&demo->is_stopping)) demo->asking.stop = 1;
}

// --- Their thread --------------------------------------------------------------------------------

static sc_load_options load_options(sc_demo *demo)
{
    const sc_demo_options *wanted = &demo->options;
    sc_load_options options = sc_load_options_default();
    options.url = demo->asking.url;
    options.without_metrics = true;  // others ask too, so that books could not agree
    options.objects = wanted->objects;
    options.check_per_mille = wanted->objects ? CHECK_PER_MILLE : 0;
    options.movements = &demo->fleet.asking;
    options.tokens = demo->tokens;
    options.workload = wanted->workload;
    options.duration_s = ENDLESS_S;
    options.start_us = atomic_load(&demo->start_us);
    options.seed = wanted->seed;
    options.watcher = (sc_load_watcher){.asked = take_asked, .ended = take_ended, .context = demo};
    options.progress = (sc_progress){.report = take_progress, .context = demo};
    options.stop = &demo->asking.stop;
    options.leaves_when_stopped = true;
    return options;
}

static void *run(void *context)
{
    sc_demo *demo = context;
    sc__asking *asking = &demo->asking;
    const sc_load_options options = load_options(demo);
    const sc_err err = sc_load_run(demo->map, &options, asking->report, &asking->trouble);
    if (err && asking->trouble.message[0] == '\0') {
        (void)sc_fail(&asking->trouble, err, "%s", sc_err_text(err));
    }
    if (err) atomic_store(&asking->has_trouble, true);
    return NULL;
}

sc_err sc__asking_start(sc_demo *demo, const char *url, sc_diag *diag)
{
    sc__asking *asking = &demo->asking;
    const size_t size = strlen(url) + 1;
    asking->url = sc_malloc(size);
    asking->report = sc_calloc(1, sizeof *asking->report);
    if (!asking->url || !asking->report) return sc_fail_memory(diag, "letting travellers ask");
    memcpy(asking->url, url, size);
    asking->is_started = sc_thread_start(&asking->thread, run, demo) == SC_OK;
    if (asking->is_started) return SC_OK;
    return sc_fail(diag, SC_EIO, "a thread cannot be started: %s", strerror(errno));
}

void sc__asking_join(sc_demo *demo)
{
    if (demo->asking.is_started) pthread_join(demo->asking.thread, NULL);
    demo->asking.is_started = false;
}
