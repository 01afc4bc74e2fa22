/**
 * @file flow.h
 * @brief How fast something happens, from counts that come now and then: about the last minute.
 *
 * What was counted and the time in which it was are both kept, and both fade alike; the one by the
 * other is the rate. So it is right from the first two counts on, whether they come evenly or not,
 * and several that come at the same moment. Time in which nobody counted is not there at all: a
 * part that nobody has does not look idle.
 *
 * Used by: roster.c.
 */
#ifndef SC_CLUSTER_FLOW_H
#define SC_CLUSTER_FLOW_H

#include <math.h>

/** Zero-initialise. */
typedef struct sc__flow {
    double amount;   ///< what was counted, faded
    double seconds;  ///< in which it was, faded
} sc__flow;

/** `amount` happened in the last `seconds` (>= 0); what is older by `fade_s` counts 1/e of that. */
static inline void sc__flow_add(sc__flow *flow, double amount, double seconds, double fade_s)
{
    const double kept = exp(-seconds / fade_s);
    flow->amount = flow->amount * kept + amount;
    flow->seconds = flow->seconds * kept + seconds;
}

/** Per second; 0 if no time has passed. */
static inline double sc__flow_rate(const sc__flow *flow)
{
    return flow->seconds > 0 ? flow->amount / flow->seconds : 0.0;
}

#endif
