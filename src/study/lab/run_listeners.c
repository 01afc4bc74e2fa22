// Listeners of a run: they keep its cloaks for the provider, or its questions to be asked again of
// every method; and several of them in one.
#include "lab/run_listeners.h"

#include "base/alloc.h"

#include <string.h>

// === Cloaks =====================================================================================

static sc_key key_of(const sc_query_id *id)
{
    sc_key key;
    memcpy(&key, id->bytes, sizeof key);
    return key;
}

// --- Questions -----------------------------------------------------------------

static sc_err keep_question(void *context, const sc_query *query,
                            const sc_request_line *request_line, const sc_snap *where)
{
    sc__cloaks *cloaks = context;
    const uint32_t number = (uint32_t)cloaks->asker_count;
    uint32_t put = 0;
    if (cloaks->asker_count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_grow(&cloaks->askers, cloaks->asker_count, &cloaks->asker_capacity,
                 sizeof *cloaks->askers)) {
        return SC_ENOMEM;
    }
    const sc_err err = sc_hash_put(&cloaks->numbers, key_of(&query->id), number, &put);
    if (err) return err;
    cloaks->askers[cloaks->asker_count++] = (sc_run_member){
        .edge = where->edge,
        .offset_m = where->offset_m,
        .request = sc_request_normalise(&request_line->request),
    };
    return SC_OK;
}

// --- Cloaks --------------------------------------------------------------------

static void keep_ids(sc__cloaks *cloaks, const uint32_t *ids, size_t count)
{
    if (count > 0) memcpy(cloaks->ids + cloaks->id_count, ids, count * sizeof *ids);
    cloaks->id_count += count;
}

static bool make_room(sc__cloaks *cloaks, const sc_cloak *cloak)
{
    const size_t id_count = cloak->segment_count + cloak->border_node_count;
    return sc_grow(&cloaks->all, cloaks->count, &cloaks->capacity, sizeof *cloaks->all) &&
           sc_reserve(&cloaks->ids, cloaks->id_count + id_count, &cloaks->id_capacity,
                      sizeof *cloaks->ids) &&
           sc_reserve(&cloaks->members, cloaks->member_count + cloak->member_count,
                      &cloaks->member_capacity, sizeof *cloaks->members);
}

static sc_err keep_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    sc__cloaks *cloaks = context;
    if (t < cloaks->window.from || t >= cloaks->window.until) return SC_OK;
    if (!make_room(cloaks, cloak)) return SC_ENOMEM;
    cloaks->all[cloaks->count++] = (sc__kept_cloak){
        .t = t,
        .first_id = cloaks->id_count,
        .segment_count = cloak->segment_count,
        .border_node_count = cloak->border_node_count,
        .first_member = cloaks->member_count,
        .member_count = cloak->member_count,
    };
    keep_ids(cloaks, cloak->segments, cloak->segment_count);
    keep_ids(cloaks, cloak->border_nodes, cloak->border_node_count);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_key key = key_of(&cloak->members[i].query.id);
        const uint32_t number = sc_hash_get(&cloaks->numbers, key, UINT32_MAX);
        // The counts of the run refuse it too: it was never asked.
        if (number == UINT32_MAX) return SC_EBROKEN;
        cloaks->members[cloaks->member_count++] = cloaks->askers[number];
    }
    return SC_OK;
}

sc_run_listener sc__cloaks_listener(sc__cloaks *cloaks)
{
    return (sc_run_listener){.context = cloaks, .asked = keep_question, .cloaked = keep_cloak};
}

sc_run_cloak sc__cloaks_at(const sc__cloaks *cloaks, size_t i)
{
    const sc__kept_cloak *kept = &cloaks->all[i];
    const uint32_t *ids = cloaks->ids + kept->first_id;
    return (sc_run_cloak){
        .number = i,
        .t = kept->t,
        .segments = ids,
        .segment_count = kept->segment_count,
        .border_nodes = ids + kept->segment_count,
        .border_node_count = kept->border_node_count,
        .members = cloaks->members + kept->first_member,
        .member_count = kept->member_count,
    };
}

// --- Life ----------------------------------------------------------------------

void sc__cloaks_settle(sc__cloaks *cloaks)
{
    sc_hash_fini(&cloaks->numbers);
    sc_free(cloaks->askers);
    cloaks->askers = NULL;
    cloaks->asker_count = 0;
    cloaks->asker_capacity = 0;
}

void sc__cloaks_fini(sc__cloaks *cloaks)
{
    sc__cloaks_settle(cloaks);
    sc_free(cloaks->all);
    sc_free(cloaks->ids);
    sc_free(cloaks->members);
    *cloaks = (sc__cloaks){.window = cloaks->window};
}

// === Questions ==================================================================================

static sc_err keep(void *context, const sc_query *query, const sc_request_line *request_line,
                   const sc_snap *where)
{
    (void)query;
    (void)where;
    sc__questions *questions = context;
    const size_t size = request_line->ask.user_size;
    if (!sc_grow(&questions->lines, questions->count, &questions->capacity, sizeof *request_line) ||
        !sc_reserve(&questions->names, questions->name_size + size, &questions->name_capacity, 1)) {
        return SC_ENOMEM;
    }
    // A user is lent for the call only, and the names still move: see sc__questions_settle().
    memcpy(questions->names + questions->name_size, request_line->ask.user, size);
    questions->name_size += size;
    sc_request_line *line = &questions->lines[questions->count++];
    *line = *request_line;
    line->ask.user = NULL;
    return SC_OK;
}

sc_run_listener sc__questions_listener(sc__questions *questions)
{
    return (sc_run_listener){.context = questions, .asked = keep};
}

void sc__questions_settle(sc__questions *questions)
{
    size_t passed = 0;
    for (size_t i = 0; i < questions->count; i++) {
        sc_ask *ask = &questions->lines[i].ask;
        ask->user = questions->names + passed;
        passed += ask->user_size;
    }
}

void sc__questions_fini(sc__questions *questions)
{
    sc_free(questions->lines);
    sc_free(questions->names);
    *questions = (sc__questions){0};
}

// === Several listeners ==========================================================================

void sc__listeners_add(sc__listeners *listeners, sc_run_listener listener)
{
    listeners->all[listeners->count++] = listener;
}

static sc_err tell_question(void *context, const sc_query *query,
                            const sc_request_line *request_line, const sc_snap *where)
{
    const sc__listeners *listeners = context;
    sc_err err = SC_OK;
    for (size_t i = 0; i < listeners->count && !err; i++) {
        const sc_run_listener *one = &listeners->all[i];
        if (one->asked) err = one->asked(one->context, query, request_line, where);
    }
    return err;
}

static sc_err tell_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    const sc__listeners *listeners = context;
    sc_err err = SC_OK;
    for (size_t i = 0; i < listeners->count && !err; i++) {
        const sc_run_listener *one = &listeners->all[i];
        if (one->cloaked) err = one->cloaked(one->context, cloak, t);
    }
    return err;
}

static sc_err tell_drop(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    const sc__listeners *listeners = context;
    sc_err err = SC_OK;
    for (size_t i = 0; i < listeners->count && !err; i++) {
        const sc_run_listener *one = &listeners->all[i];
        if (one->dropped) err = one->dropped(one->context, id, t, reason);
    }
    return err;
}

sc_run_listener sc__listeners_listener(sc__listeners *listeners)
{
    return (sc_run_listener){
        .context = listeners, .asked = tell_question, .cloaked = tell_cloak, .dropped = tell_drop};
}
