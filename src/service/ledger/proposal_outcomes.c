// A table of outcomes, and a heap of when each is over. See proposal_outcomes.h.
#include "ledger/proposal_outcomes.h"

#include "base/alloc.h"
#include "base/deadlines.h"
#include "ledger/id_table.h"

typedef struct entry {
    sc_proposal_id id;
    sc_proposal_outcome outcome;
    size_t moment;       ///< its place among the moments when they are over
    struct entry *next;  ///< of those that are not used
} entry;

struct sc__proposal_outcomes {
    size_t most;
    entry *entries;  ///< each stays where it is while it is used
    size_t used;     ///< of them, that were ever used
    entry *idle;     ///< the first of those given back
    sc__id_table ids;
    sc_deadlines ends;
};

sc_err sc__proposal_outcomes_new(size_t most, sc__proposal_outcomes **out)
{
    sc__proposal_outcomes *outcomes = sc_calloc(1, sizeof *outcomes);
    if (!outcomes) return SC_ENOMEM;
    outcomes->most = most;
    // Cleared pages are given by the system when they are first used.
    outcomes->entries = sc_calloc(most, sizeof *outcomes->entries);
    sc_err err = outcomes->entries ? SC_OK : SC_ENOMEM;
    if (!err) err = sc__id_table_init(&outcomes->ids, most, offsetof(entry, id));
    if (!err) err = sc_deadlines_init(&outcomes->ends, most);
    if (err) {
        sc__proposal_outcomes_free(outcomes);
        return err;
    }
    *out = outcomes;
    return SC_OK;
}

void sc__proposal_outcomes_free(sc__proposal_outcomes *outcomes)
{
    if (!outcomes) return;
    sc__id_table_fini(&outcomes->ids);
    sc_deadlines_fini(&outcomes->ends);
    sc_free(outcomes->entries);
    sc_free(outcomes);
}

sc_proposal_outcome sc__proposal_outcomes_of(const sc__proposal_outcomes *outcomes,
                                             const sc_proposal_id *id)
{
    const entry *found = sc__id_table_find(&outcomes->ids, id);
    return found ? found->outcome : SC_PROPOSAL_OUTCOME_UNKNOWN;
}

bool sc__proposal_outcomes_has_room(const sc__proposal_outcomes *outcomes)
{
    return outcomes->ids.count < outcomes->most;
}

static entry *add(sc__proposal_outcomes *outcomes, const sc_proposal_id *id,
                  sc_proposal_outcome outcome, sc_time until)
{
    if (!sc__proposal_outcomes_has_room(outcomes)) return NULL;
    entry *added = outcomes->idle;
    if (added) {
        outcomes->idle = added->next;
    } else {
        added = &outcomes->entries[outcomes->used++];
    }
    *added = (entry){.id = *id, .outcome = outcome};
    sc__id_table_put(&outcomes->ids, added);
    sc_deadlines_add(&outcomes->ends, until, added, &added->moment);
    return added;
}

static void keep_until(sc__proposal_outcomes *outcomes, entry *known, sc_time until)
{
    if (until <= outcomes->ends.entries[known->moment].t) return;
    sc_deadlines_cancel(&outcomes->ends, &known->moment);
    sc_deadlines_add(&outcomes->ends, until, known, &known->moment);
}

static bool is_final(sc_proposal_outcome outcome)
{
    return outcome == SC_PROPOSAL_OUTCOME_DEAD || outcome == SC_PROPOSAL_OUTCOME_PUBLISHED;
}

bool sc__proposal_outcomes_put(sc__proposal_outcomes *outcomes, const sc_proposal_id *id,
                               sc_proposal_outcome outcome, sc_time until)
{
    entry *known = sc__id_table_find(&outcomes->ids, id);
    if (!known) return add(outcomes, id, outcome, until) != NULL;
    if (!is_final(known->outcome)) known->outcome = outcome;
    keep_until(outcomes, known, until);
    return true;
}

void sc__proposal_outcomes_pass_time(sc__proposal_outcomes *outcomes, sc_time now)
{
    // What ends at this very moment still counts.
    for (entry *over; (over = sc_deadlines_due(&outcomes->ends, now - 1));) {
        sc_deadlines_cancel(&outcomes->ends, &over->moment);
        sc__id_table_remove(&outcomes->ids, over);
        *over = (entry){.next = outcomes->idle};
        outcomes->idle = over;
    }
}
