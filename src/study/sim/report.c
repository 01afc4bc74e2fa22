// Rates of a run. Where nothing was asked or no time was taken, a rate is 0.
#include "sim/report.h"

#define X(name, value, text) \
    _Static_assert((value) < SC_REFUSAL_COUNT, "SC_" #name " has no place among the refused");
SC_ERR_MAP(X)
#undef X

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

double sc_run_success_rate(const sc_run_report *report)
{
    return ratio((double)report->cloaked, (double)report->queries);
}

double sc_run_queries_per_cpu_s(const sc_run_report *report)
{
    return ratio((double)report->queries, report->admission_cpu_s + report->engine_cpu_s);
}

double sc_run_engine_queries_per_cpu_s(const sc_run_report *report)
{
    return ratio((double)report->queries, report->engine_cpu_s);
}

double sc_run_checks_per_query(const sc_run_report *report)
{
    return ratio((double)report->engine.checks, (double)report->queries);
}

uint64_t sc_run_refused_count(const sc_run_report *report)
{
    uint64_t count = 0;
    for (int i = 0; i < SC_REFUSAL_COUNT; i++) {
        count += report->refused[i];
    }
    return count;
}

const char *sc_refusal_name(sc_err reason)
{
    switch (reason) {
    case SC_EPROFILE:
        return "profile";
    case SC_ETIME:
        return "time";
    case SC_EDUPLICATE:
        return "duplicate";
    case SC_EUNKNOWN:
        return "unknown_edge";
    case SC_ETOOFAR:
        return "too_far";
    case SC_ENOCOORDS:
        return "no_coordinates";
    case SC_EINVAL:
        return "invalid";
    default:
        return "other";
    }
}
