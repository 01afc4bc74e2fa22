// A density learnt from cloaks: expectation and maximisation on a mixture.
#include "travel/density_learner.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/** A cloak; its segments are behind those of the cloaks before it. */
typedef struct seen_cloak {
    uint32_t segment_count;
    uint32_t member_count;
} seen_cloak;

struct sc_density_learner {
    uint32_t segment_count;  ///< of the map
    uint64_t members;        ///< of all cloaks
    seen_cloak *cloaks;
    size_t cloak_count;
    size_t cloak_capacity;
    sc_seg_id *segments;  ///< of all cloaks
    size_t used;
    size_t capacity;
};

/** What every segment has beside its members. */
static const double one_more = 1;

sc_err sc_density_learner_new(uint32_t segment_count, sc_density_learner **out)
{
    sc_density_learner *learner = sc_calloc(1, sizeof *learner);
    if (!learner) return SC_ENOMEM;
    learner->segment_count = segment_count;
    *out = learner;
    return SC_OK;
}

void sc_density_learner_free(sc_density_learner *learner)
{
    if (!learner) return;
    sc_free(learner->cloaks);
    sc_free(learner->segments);
    sc_free(learner);
}

sc_err sc_density_learner_see(sc_density_learner *learner, const sc_seg_id *segments,
                              size_t segment_count, size_t member_count)
{
    if (segment_count == 0 || segment_count > learner->segment_count) return SC_EINVAL;
    if (member_count == 0 || member_count > UINT32_MAX) return SC_EINVAL;
    if (!sc_grow(&learner->cloaks, learner->cloak_count, &learner->cloak_capacity,
                 sizeof *learner->cloaks) ||
        !sc_reserve(&learner->segments, learner->used + segment_count, &learner->capacity,
                    sizeof *learner->segments)) {
        return SC_ENOMEM;
    }
    memcpy(learner->segments + learner->used, segments, segment_count * sizeof *segments);
    learner->used += segment_count;
    learner->cloaks[learner->cloak_count++] = (seen_cloak){.segment_count = (uint32_t)segment_count,
                                                           .member_count = (uint32_t)member_count};
    learner->members += member_count;
    return SC_OK;
}

size_t sc_density_learner_cloaks(const sc_density_learner *learner)
{
    return learner->cloak_count;
}

/** Deal the members of all cloaks out over their segments, by weight. */
static void deal_out(const sc_density_learner *learner, const double *weights, double *dealt)
{
    const sc_seg_id *segments = learner->segments;
    for (uint32_t s = 0; s < learner->segment_count; s++) {
        dealt[s] = 0;
    }
    for (size_t i = 0; i < learner->cloak_count; i++) {
        const seen_cloak *cloak = &learner->cloaks[i];
        double sum = 0;
        for (uint32_t j = 0; j < cloak->segment_count; j++) {
            sum += weights[segments[j]];
        }
        const double each = cloak->member_count / sum;
        for (uint32_t j = 0; j < cloak->segment_count; j++) {
            dealt[segments[j]] += weights[segments[j]] * each;
        }
        segments += cloak->segment_count;
    }
}

/** Make weights of what was dealt; returns how much of it is elsewhere than before. */
static double take_over(const sc_density_learner *learner, const double *dealt, double *weights)
{
    double moved = 0;
    for (uint32_t s = 0; s < learner->segment_count; s++) {
        const double weight = dealt[s] + one_more;
        moved += fabs(weight - weights[s]);
        weights[s] = weight;
    }
    return moved;
}

sc_err sc_density_learner_learn(const sc_density_learner *learner, const sc_progress *progress,
                                uint64_t *counts)
{
    const size_t count = learner->segment_count;
    double *weights = sc_malloc_array(2 * count, sizeof *weights);
    if (!weights) return SC_ENOMEM;
    double *dealt = weights + count;
    for (size_t s = 0; s < count; s++) {
        weights[s] = one_more;
        dealt[s] = 0;
    }
    const double enough = SC_LEARNER_CHANGE * (double)learner->members;
    for (int round = 0; round < SC_LEARNER_ROUNDS_MAX && learner->cloak_count > 0; round++) {
        if (progress && progress->report) {
            progress->report(progress->context, "learning", (uint64_t)round, SC_LEARNER_ROUNDS_MAX);
        }
        deal_out(learner, weights, dealt);
        if (take_over(learner, dealt, weights) < enough) break;
    }
    for (size_t s = 0; s < count; s++) {
        counts[s] = (uint64_t)rint(dealt[s]);
    }
    sc_free(weights);
    return SC_OK;
}
