// What segments weigh, told as shares of all. See partition_internal.h.
#include "partition/partition_make_internal.h"

#include "base/diag.h"

#include <math.h>

sc_err sc__scale_init(sc__scale *scale, const sc_map *map, const double *weights, sc_diag *diag)
{
    const uint32_t count = sc_map_segment_count(map);
    *scale = (sc__scale){.sum = count};
    if (!weights) return SC_OK;
    double largest = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        if (!(weights[s] >= 0) || !isfinite(weights[s])) {
            return sc_fail(diag, SC_EINVAL, "segment %u weighs %g; a weight is a number from 0 on",
                           s, weights[s]);
        }
        largest = fmax(largest, weights[s]);
    }
    if (!(largest > 0)) return SC_OK;  // nobody asks anywhere: one road is like the other
    double sum = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        sum += weights[s] / largest;
    }
    *scale = (sc__scale){.weights = weights, .largest = largest, .sum = sum};
    return SC_OK;
}
