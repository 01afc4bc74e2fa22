// Comparing answers with those of a slow search. See slow_nearest.h.
#include "support/slow_nearest.h"

#include "support/check.h"

#include <math.h>

static bool is_close(const slow_nearest *slow, sc_metric metric, double got, uint64_t wanted)
{
    return fabs(got - slow_amount(slow, metric, wanted)) <=
           slow_amount(slow, metric, slow->tolerance);
}

static void check_amount(const slow_nearest *slow, sc_metric metric, double got, uint64_t wanted,
                         size_t i, const char *what)
{
    const double right = slow_amount(slow, metric, wanted);
    if (is_close(slow, metric, got, wanted)) return;
    fail_msg("%s: object %zu is at %.9f %s, wanted %.9f", what, i, got,
             metric == SC_METRIC_TIME ? "s" : "m", right);
}

// What it takes to a node or an object if one leaves the position in that direction.
static slow_near measure_one_way(slow_nearest *slow, bool backward, bool is_node, uint32_t id)
{
    slow_measure_one_way(slow, backward);
    return (slow_near){is_node ? slow->node_distance[id] : slow->object_distance[id], id,
                       is_node ? slow->node_other[id] : slow->object_other[id]};
}

static bool may_have(slow_nearest *slow, bool is_node, uint32_t id, double other_amount)
{
    if (slow->from.node != SC_NONE || slow->direction != SC_EITHER_WAY) return false;
    const sc_metric other = slow->metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    const slow_near one = measure_one_way(slow, false, is_node, id);
    const slow_near two = measure_one_way(slow, true, is_node, id);
    // As it was before.
    slow_measure_again(slow);
    const uint64_t apart =
        one.distance > two.distance ? one.distance - two.distance : two.distance - one.distance;
    return apart <= slow->tolerance && (is_close(slow, other, other_amount, one.other) ||
                                        is_close(slow, other, other_amount, two.other));
}

bool slow_node_may_have(slow_nearest *slow, sc_node_id node, double other)
{
    return may_have(slow, true, node, other);
}

bool slow_object_may_have(slow_nearest *slow, uint32_t object, double other)
{
    return may_have(slow, false, object, other);
}

// Where an object stands in the right answer.
static const slow_near *find_near(const slow_answer *wanted, uint32_t object)
{
    for (size_t i = 0; i < wanted->near_count; i++) {
        if (wanted->nears[i].object == object) return &wanted->nears[i];
    }
    return NULL;
}

void slow_check_answer(slow_nearest *slow, const slow_answer *wanted, const sc_near *got,
                       size_t got_count, const char *what)
{
    if (got_count < wanted->least_count || got_count > wanted->most_count) {
        fail_msg("%s: %zu objects, wanted %zu to %zu", what, got_count, wanted->least_count,
                 wanted->most_count);
    }
    const sc_metric metric = slow->metric;
    const sc_metric other = metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    bool *is_taken = test_take(slow->table->count, sizeof *is_taken);
    for (size_t i = 0; i < got_count; i++) {
        const double cost = sc_near_cost(&got[i], metric);
        check_amount(slow, metric, cost, wanted->nears[i].distance, i, what);
        const slow_near *near = find_near(wanted, got[i].object);
        if (near) {
            check_amount(slow, metric, cost, near->distance, i, what);
            const double got_other = sc_near_cost(&got[i], other);
            if (!is_close(slow, other, got_other, near->other) &&
                !slow_object_may_have(slow, got[i].object, got_other)) {
                check_amount(slow, other, got_other, near->other, i, what);
            }
        } else {
            fail_msg("%s: object %zu does not belong there", what, i);
        }
        if (is_taken[got[i].object]) fail_msg("%s: object %zu was there before", what, i);
        is_taken[got[i].object] = true;
        if (i > 0 && cost < sc_near_cost(&got[i - 1], metric)) {
            fail_msg("%s: object %zu is nearer than the one before", what, i);
        }
    }
    free(is_taken);
}
