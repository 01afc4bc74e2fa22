// A table of fates, and a heap of when each is over. See fates.h.
#include "ledger/proposal_outcomes.h"

#include "base/alloc.h"
#include "base/deadlines.h"
#include "ledger/id_table.h"

typedef struct entry {
    sc_bid_id id;
    sc_fate fate;
    size_t moment;       ///< its place among the moments when they are over
    struct entry *next;  ///< of those that are not used
} entry;

struct sc__fates {
    size_t most;
    entry *entries;  ///< each stays where it is while it is used
    size_t used;     ///< of them, that were ever used
    entry *idle;     ///< the first of those given back
    sc__by_id ids;
    sc_deadlines ends;
};

sc_err sc__fates_new(size_t most, sc__fates **out)
{
    sc__fates *fates = sc_calloc(1, sizeof *fates);
    if (!fates) return SC_ENOMEM;
    fates->most = most;
    // Cleared pages are given by the system when they are first used.
    fates->entries = sc_calloc(most, sizeof *fates->entries);
    sc_err err = fates->entries ? SC_OK : SC_ENOMEM;
    if (!err) err = sc__by_id_init(&fates->ids, most, offsetof(entry, id));
    if (!err) err = sc_deadlines_init(&fates->ends, most);
    if (err) {
        sc__fates_free(fates);
        return err;
    }
    *out = fates;
    return SC_OK;
}

void sc__fates_free(sc__fates *fates)
{
    if (!fates) return;
    sc__by_id_fini(&fates->ids);
    sc_deadlines_fini(&fates->ends);
    sc_free(fates->entries);
    sc_free(fates);
}

sc_fate sc__fates_of(const sc__fates *fates, const sc_bid_id *id)
{
    const entry *found = sc__by_id_find(&fates->ids, id);
    return found ? found->fate : SC_FATE_UNKNOWN;
}

bool sc__fates_has_room(const sc__fates *fates)
{
    return fates->ids.count < fates->most;
}

static entry *add(sc__fates *fates, const sc_bid_id *id, sc_fate fate, sc_time until)
{
    if (!sc__fates_has_room(fates)) return NULL;
    entry *added = fates->idle;
    if (added) {
        fates->idle = added->next;
    } else {
        added = &fates->entries[fates->used++];
    }
    *added = (entry){.id = *id, .fate = fate};
    sc__by_id_put(&fates->ids, added);
    sc_deadlines_add(&fates->ends, until, added, &added->moment);
    return added;
}

static void keep_until(sc__fates *fates, entry *known, sc_time until)
{
    if (until <= fates->ends.entries[known->moment].t) return;
    sc_deadlines_cancel(&fates->ends, &known->moment);
    sc_deadlines_add(&fates->ends, until, known, &known->moment);
}

static bool is_final(sc_fate fate)
{
    return fate == SC_FATE_DEAD || fate == SC_FATE_PUBLISHED;
}

bool sc__fates_put(sc__fates *fates, const sc_bid_id *id, sc_fate fate, sc_time until)
{
    entry *known = sc__by_id_find(&fates->ids, id);
    if (!known) return add(fates, id, fate, until) != NULL;
    if (!is_final(known->fate)) known->fate = fate;
    keep_until(fates, known, until);
    return true;
}

void sc__fates_pass_time(sc__fates *fates, sc_time now)
{
    // What ends at this very moment still counts.
    for (entry *over; (over = sc_deadlines_due(&fates->ends, now - 1));) {
        sc_deadlines_cancel(&fates->ends, &over->moment);
        sc__by_id_remove(&fates->ids, over);
        *over = (entry){.next = fates->idle};
        fates->idle = over;
    }
}
