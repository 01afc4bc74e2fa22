// The threads that evaluate. See provider_internal.h.
//
// All desks take from one queue, so that a hard question holds up none behind it: the others go on.
// Results go back by the handover of the loop that they came from.
#include "provider/provider_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

#include <errno.h>
#include <string.h>

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

static void work(void *context, unsigned thread, void *job)
{
    const sc__desks *desks = context;
    sc__parcel *parcel = job;
    if (!atomic_load_explicit(&parcel->is_unwanted, memory_order_relaxed)) {
        desks->answer(&desks->desks[thread], parcel);
    }
    // There is room for every parcel there is.
    (void)sc_handover_put(desks->back[parcel->loop], &parcel);
}

static sc_err open_desk(sc__desks *desks, sc__desk *desk, sc_diag *diag)
{
    desk->desks = desks;
    sc_reply_init(&desk->reply);
    return sc_lbs_new(desks->map, &desks->options->lbs, &desk->lbs, diag);
}

static sc_err start_threads(sc__desks *desks, sc_diag *diag)
{
    const sc_thread_pool_options options = {.thread_count = desks->options->threads,
                                            .link = offsetof(sc__parcel, next),
                                            .run = work,
                                            .context = desks};
    const sc_err err = sc_thread_pool_new(&options, &desks->threads);
    if (err == SC_EIO) {
        return sc_fail(diag, SC_EIO, "cannot start a thread that evaluates: %s", strerror(errno));
    }
    return err ? sc_fail_memory(diag, "starting the threads that evaluate") : SC_OK;
}

sc_err sc__desks_start(sc__desks *desks, sc_diag *diag)
{
    desks->desks = sc_calloc(desks->options->threads, sizeof *desks->desks);
    if (!desks->desks) return sc_fail_memory(diag, "starting the threads that evaluate");

    sc_err err = SC_OK;
    while (!err && desks->desk_count < desks->options->threads) {
        err = open_desk(desks, &desks->desks[desks->desk_count++], diag);
    }
    return err ? err : start_threads(desks, diag);
}

static void free_parcel(void *job)
{
    sc__parcel_free(job);
}

void sc__desks_fini(sc__desks *desks)
{
    sc_thread_pool_free(desks->threads, free_parcel);
    for (size_t i = 0; i < desks->desk_count; i++) {
        sc_reply_fini(&desks->desks[i].reply);
        sc_lbs_free(desks->desks[i].lbs);
    }
    sc_free(desks->desks);
    *desks = (sc__desks){.desks = NULL};
}

void sc__desks_put(sc__desks *desks, sc__parcel *parcel)
{
    sc_thread_pool_put(desks->threads, parcel);
}

size_t sc__desks_waiting(sc__desks *desks)
{
    return sc_thread_pool_waiting(desks->threads);
}
