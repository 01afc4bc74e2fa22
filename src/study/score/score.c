// A belief and the truth. See score.h.
#include "score/score.h"

sc_score sc_score_of(const sc_posterior *posterior, sc_seg_id truth)
{
    const sc_link *links = posterior->links;
    const size_t count = posterior->link_count;
    size_t at = 0;
    while (at < count && links[at].segment != truth)
        at++;
    if (at == count) return (sc_score){.probability = 0, .rank = (double)count};

    const double p = links[at].linkability;
    size_t above = 0;
    size_t equal = 0;  // the true one too
    for (size_t i = 0; i < count; i++) {
        above += links[i].linkability > p;
        equal += links[i].linkability == p;
    }
    // Equals share the ranks above + 1 to above + equal.
    return (sc_score){.probability = p, .rank = (double)above + 0.5 * (double)(equal + 1)};
}

double sc_expected_probability(const sc_posterior *posterior)
{
    double sum = 0;
    for (size_t i = 0; i < posterior->link_count; i++) {
        sum += posterior->links[i].linkability * posterior->links[i].linkability;
    }
    return sum;
}

sc_score sc_score_case(const sc_posterior *posterior, const sc_case *one)
{
    sc_score mean = {0};
    size_t stranger_count = 0;
    for (size_t i = 0; i < one->member_count; i++) {
        if (one->members[i].is_injected) continue;
        const sc_score score = sc_score_of(posterior, one->members[i].segment);
        mean.probability += score.probability;
        mean.rank += score.rank;
        stranger_count++;
    }
    if (stranger_count == 0) return mean;
    mean.probability /= (double)stranger_count;
    mean.rank /= (double)stranger_count;
    return mean;
}
