// Where everybody is, several times a second. See demo_internal.h.
//
// Looks are told for moments that are evenly apart, counted from when travellers' time is 0,
// however late this thread is: so whoever draws them sees nobody stumble. Looks that cannot be kept
// up with are left out.
//
// While nobody listens it looks now and then nevertheless. To find out where somebody is after a
// long while means to find all the ways that were driven meanwhile, and the first one to listen
// would have to wait for that.
#include "demo/demo_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"
#include "demo/demo_text.h"

#include <errno.h>
#include <string.h>

/** Between two looks that nobody is told of. */
#define IDLE_US 10000000

sc_err sc__lookout_init(sc__lookout *lookout, uint32_t travellers)
{
    pthread_condattr_t steady;
    pthread_condattr_init(&steady);
    pthread_condattr_setclock(&steady, CLOCK_MONOTONIC);
    pthread_mutex_init(&lookout->lock, NULL);
    pthread_cond_init(&lookout->is_over, &steady);
    pthread_condattr_destroy(&steady);
    lookout->at = sc_malloc_array(travellers, 2 * sizeof *lookout->at);
    return lookout->at ? SC_OK : SC_ENOMEM;
}

void sc__lookout_fini(sc__lookout *lookout)
{
    pthread_cond_destroy(&lookout->is_over);
    pthread_mutex_destroy(&lookout->lock);
    sc_free(lookout->at);
    sc_bytes_fini(&lookout->words);
}

/** Whether the moment has come; false: it is over. */
static bool wait_until(sc_demo *demo, int64_t t_us)
{
    sc__lookout *lookout = &demo->lookout;
    const struct timespec then = {.tv_sec = t_us / 1000000, .tv_nsec = t_us % 1000000 * 1000};
    bool is_over = false;
    pthread_mutex_lock(&lookout->lock);
    for (int late = 0; !(is_over = atomic_load(&demo->is_stopping)) && late != ETIMEDOUT;) {
        late = pthread_cond_timedwait(&lookout->is_over, &lookout->lock, &then);
    }
    pthread_mutex_unlock(&lookout->lock);
    return !is_over;
}

/** If memory is out, there is another look soon. */
static void look(sc_demo *demo, sc_time t)
{
    sc__lookout *lookout = &demo->lookout;
    if (sc__fleet_look(&demo->fleet, t, lookout->at)) return;
    if (sc_event_stream_is_empty(demo->audience)) return;
    lookout->words.size = 0;
    if (sc__demo_text_positions((double)t * 1e-6, lookout->at, demo->options.travellers,
                                &lookout->words)) {
        sc_event_stream_send(demo->audience, lookout->words.data, lookout->words.size);
    }
}

static void *run(void *context)
{
    sc_demo *demo = context;
    const int64_t start_us = atomic_load(&demo->start_us);
    const sc_time step = sc_seconds(demo->options.every_s);
    sc_time looked = -IDLE_US;
    for (sc_time t = step; wait_until(demo, start_us + t);) {
        if (!sc_event_stream_is_empty(demo->audience) || t - looked >= IDLE_US) {
            look(demo, t);
            looked = t;
        }
        const sc_time now = sc_clock_us() - start_us;
        t += step;
        if (t < now) t = now - now % step;
    }
    return NULL;
}

sc_err sc__lookout_start(sc_demo *demo, sc_diag *diag)
{
    sc__lookout *lookout = &demo->lookout;
    lookout->is_started = sc_thread_start(&lookout->thread, run, demo) == SC_OK;
    if (lookout->is_started) return SC_OK;
    return sc_fail(diag, SC_EIO, "a thread cannot be started: %s", strerror(errno));
}

void sc__lookout_join(sc_demo *demo)
{
    sc__lookout *lookout = &demo->lookout;
    if (!lookout->is_started) return;
    pthread_mutex_lock(&lookout->lock);
    pthread_cond_broadcast(&lookout->is_over);
    pthread_mutex_unlock(&lookout->lock);
    pthread_join(lookout->thread, NULL);
    lookout->is_started = false;
}
