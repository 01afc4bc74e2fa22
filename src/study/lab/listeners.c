// Several listeners to one run. See listeners.h.
#include "lab/listeners.h"

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
