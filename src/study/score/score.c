// A belief and the truth.
#include "score/score.h"

#include "base/alloc.h"
#include "base/rng.h"
#include "score/cases.h"

#include <stdlib.h>

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

// === What an adversary sees of a case ===========================================================
// This is where the truth is left behind: of strangers only their needs go over, and in an order
// that depends on nothing else. Who they are, where they are, when they asked and how long they
// would have waited stays.

static int compare(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int by_needs(const void *a, const void *b)
{
    const sc_needs *left = a;
    const sc_needs *right = b;
    int order = compare(left->k, right->k);
    if (order == 0) order = compare(left->l, right->l);
    if (order == 0) order = compare(left->max_hops, right->max_hops);
    if (order == 0) order = compare(left->result_size, right->result_size);
    return order;
}

static int by_segment_then_needs(const void *a, const void *b)
{
    const sc_injected *left = a;
    const sc_injected *right = b;
    const int order = compare(left->segment, right->segment);
    return order != 0 ? order : by_needs(&left->needs, &right->needs);
}

/** Room for so many of either kind: which is which is not known yet. */
static bool allocate_members(sc_own_sighting *own, size_t member_count)
{
    own->strangers = sc_malloc_array(member_count, sizeof *own->strangers);
    own->injected = sc_malloc_array(member_count, sizeof *own->injected);
    return own->strangers && own->injected;
}

static void look_at(sc_own_sighting *own, const sc_case_member *member)
{
    sc_sighting *sighting = &own->sighting;
    if (member->is_injected) {
        own->injected[sighting->injected_count++] =
            (sc_injected){.segment = member->segment, .needs = member->needs};
    } else {
        own->strangers[sighting->stranger_count++] = member->needs;
    }
}

sc_err sc_sighting_init(sc_own_sighting *out, const sc_case *one)
{
    sc_own_sighting own = {
        .sighting = {.segments = one->segments, .segment_count = one->segment_count}};
    sc_sighting *sighting = &own.sighting;
    sc_err err = SC_ENOMEM;
    if (!allocate_members(&own, one->member_count)) goto fail;
    for (size_t i = 0; i < one->member_count; i++) {
        look_at(&own, &one->members[i]);
    }
    err = SC_EINVAL;
    if (sighting->stranger_count == 0) goto fail;
    qsort(own.strangers, sighting->stranger_count, sizeof *own.strangers, by_needs);
    qsort(own.injected, sighting->injected_count, sizeof *own.injected, by_segment_then_needs);
    sighting->strangers = own.strangers;
    sighting->injected = own.injected;
    *out = own;
    return SC_OK;
fail:
    sc_sighting_fini(&own);
    return err;
}

void sc_sighting_fini(sc_own_sighting *own)
{
    sc_free(own->strangers);
    sc_free(own->injected);
    *own = (sc_own_sighting){.strangers = NULL};
}

// === Trails: the cases of one traveller =========================================================
// Travellers who ask again: whose cloaks are which, and what following them tells.
//
// Two passes over all members: the first numbers the travellers and counts their cloaks, so that
// the second can put each step where it belongs. Travellers are numbered in the order in which they
// first appear, and then shuffled: the order depends on the cases and the seed alone.

/** A user who was cloaked. */
typedef struct traveller {
    size_t last_case;   ///< in which it was seen
    size_t step_count;  ///< cloaks; in the second pass, those still to be put down
    size_t trail;       ///< place of the trail; NO_TRAIL if there are too few cloaks
} traveller;

#define NO_TRAIL SIZE_MAX

/** All who were cloaked. */
typedef struct roll {
    sc_hash numbers;  ///< by user
    traveller *all;
    size_t count;
    size_t capacity;
} roll;

static void roll_fini(roll *r)
{
    sc_hash_fini(&r->numbers);
    sc_free(r->all);
}

static sc_key key_of(const sc_case_member *member)
{
    return (sc_key){.high = member->user};
}

// --- The first pass ----------------------------------------------------------------

/** The traveller of that member, who may be new. */
static sc_err meet(roll *r, const sc_case_member *member, traveller **out)
{
    uint32_t number = 0;
    if (r->count >= UINT32_MAX) return SC_ELIMIT;
    if (!sc_grow(&r->all, r->count, &r->capacity, sizeof *r->all)) return SC_ENOMEM;
    const sc_err err = sc_hash_put(&r->numbers, key_of(member), (uint32_t)r->count, &number);
    if (err) return err;
    if (number == r->count) r->all[r->count++] = (traveller){.last_case = SIZE_MAX};
    *out = &r->all[number];
    return SC_OK;
}

static sc_err count_steps(roll *r, const sc_cases *cases)
{
    for (size_t c = 0; c < cases->count; c++) {
        const sc_case one = sc_cases_at(cases, c);
        for (size_t m = 0; m < one.member_count; m++) {
            if (one.members[m].is_injected) continue;
            traveller *who = NULL;
            const sc_err err = meet(r, &one.members[m], &who);
            if (err) return err;
            who->step_count += who->last_case != c;
            who->last_case = c;
        }
    }
    return SC_OK;
}

// --- The second pass ---------------------------------------------------------------

/** The traveller of that member; NULL if it was not met. */
static traveller *find(const roll *r, const sc_case_member *member)
{
    const uint32_t number = sc_hash_get(&r->numbers, key_of(member), UINT32_MAX);
    return number < r->count ? &r->all[number] : NULL;
}

static bool allocate_steps(sc_trails *trails, const roll *r, size_t least)
{
    for (size_t i = 0; i < r->count; i++) {
        if (r->all[i].step_count < least) continue;
        trails->count++;
        trails->step_count += r->all[i].step_count;
    }
    trails->all = sc_calloc(trails->count, sizeof *trails->all);
    trails->steps = sc_calloc(trails->step_count, sizeof *trails->steps);
    return trails->all && trails->steps;
}

static void lay_out(sc_trails *trails, roll *r, size_t least)
{
    size_t trail = 0;
    size_t first = 0;
    for (size_t i = 0; i < r->count; i++) {
        traveller *who = &r->all[i];
        who->last_case = SIZE_MAX;
        who->trail = NO_TRAIL;
        if (who->step_count < least) continue;
        who->trail = trail;
        trails->all[trail++] = (sc_trail){.first = first, .count = who->step_count};
        first += who->step_count;
    }
}

static void put_steps(sc_trails *trails, const roll *r, const sc_cases *cases)
{
    for (size_t c = 0; c < cases->count; c++) {
        const sc_case one = sc_cases_at(cases, c);
        for (size_t m = 0; m < one.member_count; m++) {
            if (one.members[m].is_injected) continue;
            traveller *who = find(r, &one.members[m]);
            if (!who || who->trail == NO_TRAIL || who->last_case == c) continue;
            who->last_case = c;
            const sc_trail *trail = &trails->all[who->trail];
            const size_t put = trail->count - who->step_count--;
            trails->steps[trail->first + put] = (sc_trail_step){.which = c, .member = m};
        }
    }
}

static void shuffle(sc_trails *trails, uint64_t seed)
{
    sc_rng rng;
    sc_rng_seed(&rng, seed);
    for (size_t left = trails->count; left > 1; left--) {
        const size_t drawn = sc_rng_below(&rng, (uint32_t)left);
        const sc_trail last = trails->all[left - 1];
        trails->all[left - 1] = trails->all[drawn];
        trails->all[drawn] = last;
    }
}

// --- The whole ---------------------------------------------------------------------

sc_err sc_trails_init(sc_trails *trails, const sc_cases *cases, size_t least, uint64_t seed)
{
    roll r = {0};
    sc_trails made = {.cases = cases};
    sc_err err = count_steps(&r, cases);
    if (!err && !allocate_steps(&made, &r, least)) err = SC_ENOMEM;
    if (err) {
        sc_trails_fini(&made);
    } else {
        lay_out(&made, &r, least);
        put_steps(&made, &r, cases);
        shuffle(&made, seed);
        *trails = made;
    }
    roll_fini(&r);
    return err;
}

void sc_trails_fini(sc_trails *trails)
{
    sc_free(trails->all);
    sc_free(trails->steps);
    *trails = (sc_trails){0};
}

sc_err sc_trail_see(sc_tracker *tracker, const bool *is_left, const sc_trails *trails, size_t trail,
                    size_t i, sc_posterior *out, sc_score *score)
{
    const sc_trail_step step = trails->steps[trails->all[trail].first + i];
    const sc_case one = sc_cases_at(trails->cases, step.which);
    const sc_case_member *member = &one.members[step.member];
    const sc_tracked seen = {
        .segments = one.segments,
        .segment_count = one.segment_count,
        .asked_from = one.t - member->max_wait_us,
        .asked_until = one.t,
        .is_left = is_left,
    };
    if (i == 0) sc_tracker_forget(tracker);
    const sc_err err = sc_tracker_see(tracker, &seen, out);
    if (!err && score) *score = sc_score_of(out, member->segment);
    return err;
}
