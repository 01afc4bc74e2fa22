// A record as one who listens to a run. See recorder.h.
#include "sim/recorder.h"

static sc_err write_query(void *context, const sc_query *query, const sc_spoken *spoken,
                          const sc_snap *where)
{
    sc_record_query(context, query, &spoken->ask, where, &spoken->request);
    return SC_OK;
}

static sc_err write_cloak(void *context, const sc_cloak *cloak, sc_time t)
{
    sc_record_cloak(context, cloak, t);
    return SC_OK;
}

static sc_err write_drop(void *context, const sc_query_id *id, sc_time t, sc_drop_reason reason)
{
    sc_record_drop(context, id, t, sc_drop_reason_name(reason));
    return SC_OK;
}

sc_run_listener sc_recorder_of(sc_record *record)
{
    return (sc_run_listener){
        .context = record, .asked = write_query, .cloaked = write_cloak, .dropped = write_drop};
}
