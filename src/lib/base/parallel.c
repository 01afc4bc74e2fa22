// Items of work and the threads that do them.
//
// What the workers share is the number of the next item and whether it is over; each has an
// error of its own, which is read when its thread has ended. So there is nothing to lock.
#include "base/parallel.h"

#include "base/alloc.h"
#include "base/thread.h"

/** What all workers share. */
typedef struct shift {
    const sc_parallel *work;
    atomic_size_t next;  ///< item
    atomic_bool is_over;
} shift;

typedef struct worker {
    shift *shift;
    unsigned number;
    sc_err err;
    pthread_t thread;
} worker;

static sc_err work_along(shift *s, unsigned number)
{
    const sc_parallel *work = s->work;
    sc_err err = SC_OK;
    while (!err && !atomic_load_explicit(&s->is_over, memory_order_relaxed)) {
        const size_t item = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
        if (item >= work->item_count) break;
        err = work->run(work->context, number, item, &s->is_over);
    }
    if (err) atomic_store_explicit(&s->is_over, true, memory_order_relaxed);
    return err;
}

static void *be_worker(void *argument)
{
    worker *self = argument;
    self->err = work_along(self->shift, self->number);
    return NULL;
}

/** Start threads for workers [0, count); gives how many could be. */
static unsigned start(worker *workers, unsigned count)
{
    unsigned started = 0;
    while (started < count &&
           !sc_thread_start(&workers[started].thread, be_worker, &workers[started])) {
        started++;
    }
    return started;
}

/** The caller works along with `count` threads. */
static sc_err work_together(shift *s, worker *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        workers[i] = (worker){.shift = s, .number = i + 1};
    }
    const unsigned started = start(workers, count);
    sc_err err = SC_OK;
    if (started == count || s->work->takes_fewer) {
        err = work_along(s, 0);
    } else {
        err = SC_EIO;
        atomic_store_explicit(&s->is_over, true, memory_order_relaxed);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(workers[i].thread, NULL);
        if (!err) err = workers[i].err;
    }
    return err;
}

sc_err sc_parallel_run(const sc_parallel *work, unsigned worker_count)
{
    shift s = {.work = work};
    if (worker_count > work->item_count) worker_count = (unsigned)work->item_count;
    if (worker_count <= 1) return work_along(&s, 0);
    const unsigned thread_count = worker_count - 1;
    worker *workers = sc_malloc_array(thread_count, sizeof *workers);
    if (!workers) return SC_ENOMEM;
    const sc_err err = work_together(&s, workers, thread_count);
    sc_free(workers);
    return err;
}
