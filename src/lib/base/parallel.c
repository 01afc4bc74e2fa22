// Items of work and the threads that do them.
//
// What the threads share is the number of the next item and whether it is over; each has an
// error of its own, which is read when its thread has ended. So there is nothing to lock.
#include "base/parallel.h"

#include "base/alloc.h"
#include "base/thread.h"

/** What all threads share. */
typedef struct shift {
    const sc_parallel *work;
    atomic_size_t next;  ///< item
    atomic_bool is_over;
} shift;

typedef struct parallel_thread {
    shift *shift;
    unsigned number;
    sc_err err;
    pthread_t thread;
} parallel_thread;

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

static void *run_thread(void *argument)
{
    parallel_thread *self = argument;
    self->err = work_along(self->shift, self->number);
    return NULL;
}

/** Start threads [0, count); gives how many could be. */
static unsigned start(parallel_thread *threads, unsigned count)
{
    unsigned started = 0;
    while (started < count &&
           !sc_thread_start(&threads[started].thread, run_thread, &threads[started])) {
        started++;
    }
    return started;
}

/** The caller works along with `count` threads. */
static sc_err work_together(shift *s, parallel_thread *threads, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        threads[i] = (parallel_thread){.shift = s, .number = i + 1};
    }
    const unsigned started = start(threads, count);
    sc_err err = SC_OK;
    if (started == count || s->work->takes_fewer) {
        err = work_along(s, 0);
    } else {
        err = SC_EIO;
        atomic_store_explicit(&s->is_over, true, memory_order_relaxed);
    }
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i].thread, NULL);
        if (!err) err = threads[i].err;
    }
    return err;
}

sc_err sc_parallel_run(const sc_parallel *work, unsigned thread_count)
{
    shift s = {.work = work};
    if (thread_count > work->item_count) thread_count = (unsigned)work->item_count;
    if (thread_count <= 1) return work_along(&s, 0);
    const unsigned more = thread_count - 1;
    parallel_thread *threads = sc_malloc_array(more, sizeof *threads);
    if (!threads) return SC_ENOMEM;
    const sc_err err = work_together(&s, threads, more);
    sc_free(threads);
    return err;
}
