// The threads that evaluate. See provider_internal.h.
//
// All desks take from one queue, so that one who has a hard question holds up nobody behind it: the
// others go on. (With a queue for each desk, what waits behind a hard question would wait for it.)
// That is why it is no sc_handover, which has one taker. Results go back by the handover of the
// loop that they came from.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"
#include "base/thread.h"

#include <errno.h>
#include <string.h>

// --- The queue -------------------------------------------------------------------------

void sc__desks_put(sc__desks *desks, sc__parcel *parcel)
{
    parcel->next = NULL;
    pthread_mutex_lock(&desks->lock);
    *desks->last = parcel;
    desks->last = &parcel->next;
    desks->waiting++;
    const bool is_sleeping = desks->idle > 0;
    pthread_mutex_unlock(&desks->lock);
    if (is_sleeping) pthread_cond_signal(&desks->bell);
}

/** The oldest, when there is one; NULL when the desks are to close. */
static sc__parcel *take(sc__desks *desks)
{
    pthread_mutex_lock(&desks->lock);
    while (!desks->first && !desks->is_closed) {
        desks->idle++;
        pthread_cond_wait(&desks->bell, &desks->lock);
        desks->idle--;
    }
    sc__parcel *parcel = desks->is_closed ? NULL : desks->first;
    if (parcel) {
        desks->first = parcel->next;
        if (!desks->first) desks->last = &desks->first;
        desks->waiting--;
    }
    pthread_mutex_unlock(&desks->lock);
    return parcel;
}

size_t sc__desks_waiting(sc__desks *desks)
{
    pthread_mutex_lock(&desks->lock);
    const size_t waiting = desks->waiting;
    pthread_mutex_unlock(&desks->lock);
    return waiting;
}

// --- Answering -------------------------------------------------------------------------

sc_objects *sc__provider_objects(const sc_provider_options *options)
{
    return options->objects ? sc_objects_hold(options->objects)
                            : sc_object_feed_current(options->feed);
}

/** The same objects from the first word to the last, whatever the feed brings meanwhile. */
static sc_err answer_with(sc__desk *desk, const sc_objects *objects, sc__parcel *parcel)
{
    const sc__desks *desks = desk->desks;
    const sc_vocabulary *words = sc_objects_vocabulary(objects);
    sc_relay *relay = NULL;
    sc_err err = sc_relay_decode(&(sc_codec){.map = desks->map,
                                             .vocabulary = words,
                                             .encoding = parcel->encoding,
                                             .limits = &desks->options->codec},
                                 parcel->body, parcel->size, &relay, &parcel->diag);
    if (!err) err = sc_lbs_evaluate(desk->lbs, objects, relay, &desk->reply, &parcel->diag);
    if (!err) {
        err = sc_reply_encode(
            &(sc_codec){.map = desks->map, .vocabulary = words, .encoding = parcel->encoding},
            relay, &desk->reply, &parcel->reply, &parcel->diag);
    }
    sc_relay_free(relay);
    return err;
}

static void count_work(sc__desk *desk)
{
    sc__tally *tally = desk->desks->tally;
    const sc_lbs_work work = sc_lbs_get_work(desk->lbs);
    atomic_fetch_add_explicit(&tally->looked_up, work.looked_up - desk->work.looked_up,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&tally->searched, work.searched - desk->work.searched,
                              memory_order_relaxed);
    desk->work = work;
}

void sc__desk_answer(sc__desk *desk, sc__parcel *parcel)
{
    const int64_t begun_us = sc_clock_us();
    sc_objects *objects = sc__provider_objects(desk->desks->options);
    parcel->err = answer_with(desk, objects, parcel);
    sc_objects_release(objects);
    count_work(desk);
    sc_histogram_add(&desk->desks->tally->evaluation_s, (double)(sc_clock_us() - begun_us) / 1e6);
}

// --- Threads ---------------------------------------------------------------------------

static void *work(void *context)
{
    sc__desk *desk = context;
    sc__desks *desks = desk->desks;
    for (sc__parcel *parcel = take(desks); parcel; parcel = take(desks)) {
        if (!atomic_load_explicit(&parcel->is_unwanted, memory_order_relaxed)) {
            desks->answer(desk, parcel);
        }
        // There is room for every parcel there is.
        (void)sc_handover_put(desks->back[parcel->loop], &parcel);
    }
    return NULL;
}

static sc_err open_desk(sc__desks *desks, sc__desk *desk, sc_diag *diag)
{
    desk->desks = desks;
    sc_reply_init(&desk->reply);
    const sc_err err = sc_lbs_new(desks->map, &desks->options->lbs, &desk->lbs, diag);
    if (err) return err;
    if (sc_thread_start(&desk->thread, work, desk)) {
        return sc_fail(diag, SC_EIO, "cannot start a thread that evaluates: %s", strerror(errno));
    }
    desk->is_started = true;
    return SC_OK;
}

sc_err sc__desks_start(sc__desks *desks, sc_diag *diag)
{
    pthread_mutex_init(&desks->lock, NULL);
    pthread_cond_init(&desks->bell, NULL);
    desks->last = &desks->first;
    desks->desks = sc_calloc(desks->options->threads, sizeof *desks->desks);
    if (!desks->desks) return sc_fail_memory(diag, "starting the threads that evaluate");

    sc_err err = SC_OK;
    while (!err && desks->desk_count < desks->options->threads) {
        err = open_desk(desks, &desks->desks[desks->desk_count++], diag);
    }
    return err;
}

void sc__desks_fini(sc__desks *desks)
{
    if (!desks->last) return;  // never started
    pthread_mutex_lock(&desks->lock);
    desks->is_closed = true;
    pthread_mutex_unlock(&desks->lock);
    pthread_cond_broadcast(&desks->bell);
    for (size_t i = 0; i < desks->desk_count; i++) {
        sc__desk *desk = &desks->desks[i];
        if (desk->is_started) pthread_join(desk->thread, NULL);
        sc_reply_fini(&desk->reply);
        sc_lbs_free(desk->lbs);
    }
    sc_free(desks->desks);
    while (desks->first) {
        sc__parcel *parcel = desks->first;
        desks->first = parcel->next;
        sc__parcel_free(parcel);
    }
    pthread_cond_destroy(&desks->bell);
    pthread_mutex_destroy(&desks->lock);
    *desks = (sc__desks){.desks = NULL};
}
