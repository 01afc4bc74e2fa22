// One replay.
//
// It is done some hundred thousand times for a cloak, so nothing is allocated here, and how like S
// the outcome is takes one look at a bit per segment.
#include "attack/replay.h"

#include "base/alloc.h"

#include <string.h>

// --- Segment sets ------------------------------------------------------------

enum { WORD_BITS = 64 };

bool sc__segment_set_init(sc__segment_set *set, size_t segment_count)
{
    set->segment_count = segment_count;
    set->words = sc_calloc(segment_count / WORD_BITS + 1, sizeof *set->words);
    return set->words != NULL;
}

void sc__segment_set_fini(sc__segment_set *set)
{
    sc_free(set->words);
    *set = (sc__segment_set){0};
}

void sc__segment_set_add(sc__segment_set *set, const sc_seg_id *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        set->words[segments[i] / WORD_BITS] |= (uint64_t)1 << segments[i] % WORD_BITS;
    }
}

void sc__segment_set_remove(sc__segment_set *set, const sc_seg_id *segments, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        set->words[segments[i] / WORD_BITS] = 0;
    }
}

size_t sc__segment_set_count(const sc__segment_set *set, const sc_seg_id *segments, size_t count)
{
    size_t marked = 0;
    for (size_t i = 0; i < count; i++) {
        if (segments[i] >= set->segment_count) continue;
        marked += set->words[segments[i] / WORD_BITS] >> segments[i] % WORD_BITS & 1;
    }
    return marked;
}

// --- Who replays -----------------------------------------------------------------

void sc__replayer_fini(sc__replayer *replayer)
{
    sc_free(replayer->queries);
    sc_free(replayer->places);
    sc_free(replayer->order);
    sc_free(replayer->needs);
    sc_free(replayer->likeness);
    sc_free(replayer->at);
    replayer->queries = NULL;
    replayer->places = NULL;
    replayer->order = NULL;
    replayer->needs = NULL;
    replayer->likeness = NULL;
    replayer->at = NULL;
    replayer->capacity = 0;
}

bool sc__replayer_reserve(sc__replayer *replayer, size_t count)
{
    if (count <= replayer->capacity) return true;
    // Nothing is carried from one replay to the next, so nothing is to be kept.
    sc__replayer_fini(replayer);
    replayer->queries = sc_malloc_array(count, sizeof *replayer->queries);
    replayer->places = sc_malloc_array(count, sizeof *replayer->places);
    replayer->order = sc_malloc_array(count, sizeof *replayer->order);
    replayer->needs = sc_malloc_array(count, sizeof *replayer->needs);
    replayer->likeness = sc_malloc_array(count, sizeof *replayer->likeness);
    replayer->at = sc_malloc_array(count, sizeof *replayer->at);
    if (!replayer->queries || !replayer->places || !replayer->order || !replayer->needs ||
        !replayer->likeness || !replayer->at) {
        sc__replayer_fini(replayer);
        return false;
    }
    replayer->capacity = count;
    return true;
}

// --- Before ----------------------------------------------------------------------

/** Deal the strangers' needs out in random order. */
static void deal_needs(sc__replayer *replayer, const sc_sighting *sighting)
{
    for (uint32_t i = 0; i < sighting->stranger_count; i++) {
        const uint32_t j = sc_rng_below(&replayer->rng, i + 1);
        replayer->needs[i] = replayer->needs[j];
        replayer->needs[j] = sighting->strangers[i];
    }
}

/** Draw the order in which `count` members come. */
static void draw_order(sc__replayer *replayer, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t j = sc_rng_below(&replayer->rng, i + 1);
        replayer->order[i] = replayer->order[j];
        replayer->order[j] = i;
    }
}

/** The i-th query to come. Who it is, is nothing but its number. */
static void put_query(sc__replayer *replayer, size_t i, sc_seg_id segment, const sc_needs *needs)
{
    sc_query *query = &replayer->queries[i];
    *query = (sc_query){
        .user = i + 1,
        .deadline = sc_time_from_seconds(SC__REPLAY_PATIENCE_S),
        .segment = segment,
        .k = needs->k,
        .l = needs->l,
        .max_hops = needs->max_hops,
        .result_size = needs->result_size,
    };
    memcpy(query->id.bytes, &query->user, sizeof query->user);
}

/** Put the strangers where they are to be, in random order with the injected ones. */
static size_t put_all(sc__replayer *replayer, const sc_sighting *sighting, const uint32_t *at)
{
    const size_t count = sighting->stranger_count + sighting->injected_count;
    deal_needs(replayer, sighting);
    draw_order(replayer, (uint32_t)count);
    for (size_t i = 0; i < count; i++) {
        const size_t member = replayer->order[i];
        if (member < sighting->stranger_count) {
            replayer->places[i] = at[member];
            put_query(replayer, i, sighting->segments[at[member]], &replayer->needs[member]);
        } else {
            const sc_injected *own = &sighting->injected[member - sighting->stranger_count];
            replayer->places[i] = SC_NONE;
            put_query(replayer, i, own->segment, &own->needs);
        }
    }
    return count;
}

// --- After -----------------------------------------------------------------------

static double likeness_of(const sc_replayed *replayed, const sc_seg_id *segments,
                          size_t segment_count, size_t member_count)
{
    const sc__replay_setup *setup = replayed->setup;
    const size_t seen_count = setup->sighting->segment_count;
    const size_t shared = sc__segment_set_count(setup->cloak_set, segments, segment_count);
    if (setup->likeness == SC_LIKENESS_OVERLAP) return (double)shared / (double)seen_count;
    // All who were put there are members of the cloak that was seen.
    const bool is_same = shared == seen_count && shared == segment_count;
    return is_same && member_count == replayed->query_count ? 1.0 : 0.0;
}

void sc_replayed_add(sc_replayed *replayed, const sc_seg_id *segments, size_t segment_count,
                     const size_t *members, size_t member_count)
{
    const double likeness = likeness_of(replayed, segments, segment_count, member_count);
    for (size_t i = 0; i < member_count; i++) {
        if (members[i] < replayed->query_count) replayed->likeness[members[i]] = likeness;
    }
}

/** Cloak the first `count` queries, and add what that says of the strangers among them. */
static sc_err play(sc__replayer *replayer, const sc__replay_setup *setup, size_t count,
                   double share, double *row, uint64_t *fruitful)
{
    sc_replayed replayed = {setup, replayer->likeness, count};
    for (size_t i = 0; i < count; i++) {
        replayer->likeness[i] = 0.0;
    }
    const sc_err err =
        setup->cloaker->replay(replayer->cloaker, replayer->queries, count, &replayed);
    if (err) return err;
    bool is_fruitful = false;
    for (size_t i = 0; i < count; i++) {
        if (replayer->places[i] == SC_NONE) continue;
        row[replayer->places[i]] += share * replayer->likeness[i];
        is_fruitful |= replayer->likeness[i] > 0.0;
    }
    *fruitful += is_fruitful;
    return SC_OK;
}

sc_err sc__replay_all(sc__replayer *replayer, const sc__replay_setup *setup, const uint32_t *at,
                      double share, double *row, uint64_t *fruitful)
{
    const size_t count = put_all(replayer, setup->sighting, at);
    return play(replayer, setup, count, share, row, fruitful);
}

sc_err sc__replay_one(sc__replayer *replayer, const sc__replay_setup *setup, uint32_t place,
                      double share, double *row, uint64_t *fruitful)
{
    const sc_sighting *sighting = setup->sighting;
    const uint32_t whose = sc_rng_below(&replayer->rng, (uint32_t)sighting->stranger_count);
    sc_needs needs = sighting->strangers[whose];
    needs.k = 1;
    replayer->places[0] = place;
    put_query(replayer, 0, sighting->segments[place], &needs);
    return play(replayer, setup, 1, share, row, fruitful);
}
