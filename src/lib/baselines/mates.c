// The queries that could share a cloak with one, and those that do while roads join it. The rules
// are at the declarations (per_query.h).
#include "baselines/per_query.h"

#include "base/alloc.h"

#include <string.h>

void sc__mates_fini(sc__mates *mates)
{
    sc_free(mates->all);
    sc_free(mates->left);
    sc_free(mates->user_table);
    *mates = (sc__mates){0};
}

// --- Gathering --------------------------------------------------------------------

/** The query that mates are gathered for. */
typedef struct mate_search {
    sc__slot slot;
    const sc_query *query;
    const sc_segment *segment;
    const sc__region *regions[2];  ///< NULL where there is no second end
} mate_search;

/**
 * Whether a query on one of the asker's roads reaches the asker's segment from an end of its own.
 * Hops are the same there and back, so the asker's regions know. An end that they do not have is
 * one hop beyond the asker's, since the other end of that road is not.
 */
static bool reaches_back(const mate_search *q, sc_star_id end, uint32_t max_hops)
{
    return max_hops > q->query->max_hops || sc__region_has_star(q->regions[0], end, max_hops) ||
           (q->regions[1] && sc__region_has_star(q->regions[1], end, max_hops));
}

/** Add the queries that wait on one road of the asker's region and reach back. */
static sc_err add_waiting(const sc_engine *engine, sc__mates *c, const sc__regions *regions,
                          const mate_search *q, sc__slot first, uint8_t within)
{
    for (sc__slot at = first; at != SC_NONE;) {
        const sc__slot slot = at;
        const sc__pending *pending = sc__pending_at(engine, slot);
        const sc_query *query = &pending->query;
        const sc_segment *segment = &engine->segments[query->segment];
        const bool has_two = sc__end_count(segment) == 2;
        uint8_t from = 0;
        if (reaches_back(q, segment->star_a, query->max_hops)) from |= SC__END_A;
        if (has_two && reaches_back(q, segment->star_b, query->max_hops)) from |= SC__END_B;
        if (slot == q->slot) c->self = (uint32_t)c->count;
        at = pending->next;
        if (!from) continue;

        if (!sc_grow(&c->all, c->count, &c->capacity, sizeof *c->all)) {
            return SC_ENOMEM;
        }
        if (query->l > c->most_l) c->most_l = query->l;
        c->all[c->count++] = (sc__mate){
            .regions = {regions->of_star[segment->star_a],
                        has_two ? regions->of_star[segment->star_b] : NULL},
            .user = query->user,
            .slot = slot,
            .segment = query->segment,
            .k = query->k,
            .l = query->l,
            .max_hops = query->max_hops,
            .within = within,
            .from = from,
        };
    }
    return SC_OK;
}

/** Look for mates in the region of one end; those of both were found with the first one. */
static sc_err search_region(const sc_engine *engine, sc__mates *c, const sc__regions *regions,
                            const sc__waiters *waiting, const mate_search *q, unsigned end)
{
    const sc__region *region = q->regions[end];
    const sc__region *other = q->regions[1 - end];
    const uint32_t max_hops = q->query->max_hops;
    const uint32_t count = sc__region_count(region, max_hops);
    for (uint32_t i = 0; i < count; i++) {
        const sc__slot first = sc__waiters_list(&waiting[region->segments[i]]).first;
        if (first == SC_NONE) continue;
        uint8_t within = (uint8_t)(SC__END_A << end);
        const sc_segment *segment = &engine->segments[region->segments[i]];
        if (other && sc__region_has(other, segment, max_hops)) {
            if (end == 1) continue;
            within = SC__END_A | SC__END_B;
        }
        const sc_err err = add_waiting(engine, c, regions, q, first, within);
        if (err) return err;
    }
    return SC_OK;
}

/** Set in each mate the first one of the same user. */
static sc_err match_users(sc__mates *c)
{
    unsigned bits = 4;
    while (((size_t)1 << bits) < 2 * c->count) {
        bits++;
    }
    const size_t capacity = (size_t)1 << bits;
    if (!sc_reserve(&c->user_table, capacity, &c->table_capacity, sizeof *c->user_table))
        return SC_ENOMEM;
    memset(c->user_table, 0, capacity * sizeof *c->user_table);
    for (uint32_t i = 0; i < c->count; i++) {
        // Pseudonyms of tests are not as even as those of an admission: mix the bits.
        size_t at = (c->all[i].user * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - bits);
        while (c->user_table[at] > 0 && c->all[c->user_table[at] - 1].user != c->all[i].user) {
            at = (at + 1) & (capacity - 1);
        }
        if (c->user_table[at] == 0) c->user_table[at] = i + 1;
        c->all[i].first = c->user_table[at] - 1;
    }
    return SC_OK;
}

sc_err sc__mates_gather(const sc_engine *engine, sc__mates *mates, const sc__regions *regions,
                        const sc__waiters *waiting, sc__slot slot)
{
    const sc_query *query = &sc__pending_at(engine, slot)->query;
    const sc_segment *segment = &engine->segments[query->segment];
    const bool has_two = sc__end_count(segment) == 2;
    const mate_search q = {
        .slot = slot,
        .query = query,
        .segment = segment,
        .regions = {regions->of_star[segment->star_a],
                    has_two ? regions->of_star[segment->star_b] : NULL},
    };
    mates->count = 0;
    mates->most_l = 0;
    sc_err err = search_region(engine, mates, regions, waiting, &q, 0);
    if (!err && has_two) err = search_region(engine, mates, regions, waiting, &q, 1);
    if (!err) err = match_users(mates);
    if (err) return err;
    return sc_reserve(&mates->left, mates->count, &mates->left_capacity, sizeof *mates->left)
               ? SC_OK
               : SC_ENOMEM;
}

// --- S grows ------------------------------------------------------------------------

void sc__mates_begin(sc__mates *mates, unsigned end)
{
    const sc_seg_id own = mates->all[mates->self].segment;
    mates->left_count = 0;
    for (uint32_t i = 0; i < mates->count; i++) {
        sc__mate *mate = &mates->all[i];
        mate->alive = mate->within & SC__END_A << end ? mate->from : 0;
        mate->is_on = mate->segment == own;
        mates->left[mates->left_count] = i;
        mates->left_count += mate->alive != 0;
    }
    mates->size = 1;
    mates->has_gained = mates->has_lost = true;
}

/** Those of `ends` from which a mate reaches a segment. */
static uint8_t ends_that_reach(const sc__mate *mate, uint8_t ends, const sc_segment *segment)
{
    uint8_t reaching = 0;
    for (unsigned end = 0; end < 2; end++) {
        const uint8_t bit = (uint8_t)(SC__END_A << end);
        if (!(ends & bit)) continue;
        if (sc__region_has(mate->regions[end], segment, mate->max_hops)) reaching |= bit;
    }
    return reaching;
}

void sc__mates_join(const sc_engine *engine, sc__mates *mates, sc_seg_id road)
{
    const sc_segment *segment = &engine->segments[road];
    size_t left_count = 0;
    mates->size++;
    for (size_t i = 0; i < mates->left_count; i++) {
        sc__mate *mate = &mates->all[mates->left[i]];
        mate->alive = ends_that_reach(mate, mate->alive, segment);
        mates->left[left_count] = mates->left[i];
        left_count += mate->alive != 0;
        if (mate->segment == road) mates->has_gained = mate->is_on = true;
    }
    mates->has_lost |= left_count < mates->left_count;
    mates->left_count = left_count;
}

// --- Answers ------------------------------------------------------------------------

/** Different users among those found whose k is at most `most_k`; stops counting at `enough`. */
static uint32_t count_users(sc__mates *c, uint32_t most_k, uint32_t enough)
{
    const uint64_t number = ++c->count_number;
    uint32_t count = 0;
    for (size_t i = 0; i < c->left_count && count < enough; i++) {
        const sc__mate *mate = &c->all[c->left[i]];
        if (!mate->is_found || mate->k > most_k) continue;
        sc__mate *first = &c->all[mate->first];
        count += first->counted != number;
        first->counted = number;
    }
    return count;
}

/** How many users the largest set of those found has in which every k is met. */
static uint32_t count_satisfied(sc__mates *c)
{
    uint32_t users = UINT32_MAX;
    for (uint32_t count; (count = count_users(c, users, UINT32_MAX)) != users;) {
        users = count;
    }
    return users;
}

/** Keep only that set marked as found; whether the asker is in it. */
static bool keep_satisfied(sc__mates *c)
{
    const uint32_t users = count_satisfied(c);
    for (size_t i = 0; i < c->left_count; i++) {
        sc__mate *mate = &c->all[c->left[i]];
        if (mate->k > users) mate->is_found = false;
    }
    return c->all[c->self].is_found;
}

bool sc__mates_suffice(sc_engine *engine, sc__mates *mates)
{
    const sc__mate *self = &mates->all[mates->self];
    if (!sc__demand_is_met((sc__demand){.segments = self->l}, mates->size)) return false;
    // Only a new mate can make a difference: on a road that joined, or one whose l is met now.
    if (!mates->has_gained && mates->size > mates->most_l) return false;
    mates->has_gained = false;
    uint32_t count = 0;
    for (size_t i = 0; i < mates->left_count; i++) {
        sc__mate *mate = &mates->all[mates->left[i]];
        mate->is_found =
            mate->is_on && sc__demand_is_met((sc__demand){.segments = mate->l}, mates->size);
        count += mate->is_found;
    }
    if (count < self->k) return false;
    engine->stats.checks++;
    return keep_satisfied(mates);
}

/** Mark all mates that are not lost as found. */
static void find_all(sc__mates *c)
{
    for (size_t i = 0; i < c->left_count; i++) {
        c->all[c->left[i]].is_found = true;
    }
}

bool sc__mates_find_possible(sc__mates *mates)
{
    find_all(mates);
    return keep_satisfied(mates);
}

bool sc__mates_can_suffice(sc__mates *mates)
{
    const uint32_t k = mates->all[mates->self].k;
    if (!mates->has_lost) return true;
    mates->has_lost = false;
    if (mates->left_count < k) return false;
    find_all(mates);
    // Mostly the mates with no larger k than the asker are enough for it.
    return count_users(mates, k, k) == k || count_satisfied(mates) >= k;
}
