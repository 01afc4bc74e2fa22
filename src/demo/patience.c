// A cloaker that loses patience. See patience.h.
#include "demo/patience.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

sc_err sc__patience_left(const sc__patience *patience)
{
    if (atomic_load_explicit(patience->is_unwanted, memory_order_relaxed) ||
        atomic_load_explicit(patience->is_stopping, memory_order_relaxed)) {
        return SC_EINTERRUPTED;
    }
    return sc_clock_us() < patience->until_us ? SC_OK : SC_ELATE;
}

typedef struct worker {
    const sc__impatient *impatient;
    void *inner;  ///< the worker of the cloaker behind
} worker;

static sc_err open_worker(void *context, const sc_map *map, sc_rng *rng, void **out, sc_diag *diag)
{
    const sc__impatient *impatient = context;
    worker *w = sc_calloc(1, sizeof *w);
    if (!w) return sc_fail_memory(diag, "making an adversary");
    w->impatient = impatient;
    const sc_cloaker *behind = &impatient->cloaker;
    const sc_err err = behind->open(behind->context, map, rng, &w->inner, diag);
    if (err) {
        sc_free(w);
        return err;
    }
    *out = w;
    return SC_OK;
}

static sc_err replay(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed)
{
    worker *w = opened;
    const sc_err err = sc__patience_left(w->impatient->patience);
    return err ? err : w->impatient->cloaker.replay(w->inner, queries, count, replayed);
}

static void close_worker(void *opened)
{
    worker *w = opened;
    w->impatient->cloaker.close(w->inner);
    sc_free(w);
}

sc_cloaker sc__impatient_cloaker(const sc__impatient *impatient)
{
    return (sc_cloaker){
        .context = (void *)impatient,  // which is only read
        .open = open_worker,
        .replay = replay,
        .close = close_worker,
    };
}
