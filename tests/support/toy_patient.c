// Patient with all its dice, in the moment of toy_town.h: queries come one after the other, and
// then all become urgent at once. From docs/engine.md.
#include "support/toy_town.h"

#include "support/check.h"

enum { LISTINGS = 2 * TOY_QUERIES };

/** A query at one end of its road. */
typedef struct listing {
    uint32_t query;
    sc_star_id star;
} listing;

/** All that happens in one moment. Members of a cloak to be stand in the order of joining. */
typedef struct patient_scene {
    const toy_town *town;
    const toy_query *queries;
    dice *d;
    toy_outcome *out;
    listing listed[LISTINGS];  ///< by query, star_a's before star_b's
    size_t listed_count;
    listing members[TOY_QUERIES];
    size_t member_count;
    uint32_t dead_ends;
} patient_scene;

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static const sc_needs *needs_of(const patient_scene *now, listing of)
{
    return &now->queries[of.query].needs;
}

static bool are_in_reach(const patient_scene *now, listing a, listing b)
{
    const uint32_t hops = now->town->hops[a.star][b.star];
    return a.query != b.query && hops != SC_NONE && hops <= needs_of(now, a)->max_hops &&
           hops <= needs_of(now, b)->max_hops;
}

static toy_stars ball_of(const patient_scene *now, listing of)
{
    return toy_ball(now->town, of.star, needs_of(now, of)->max_hops);
}

static bool has_segments(const patient_scene *now, toy_stars stars, uint32_t l)
{
    return toy_size(toy_segments_of(now->town, stars)) >= l;
}

static bool waits(const patient_scene *now, uint32_t query)
{
    for (size_t i = 0; i < now->listed_count; i++) {
        if (now->listed[i].query == query) return true;
    }
    return false;
}

// The listings of a query; how many there are.
static size_t listings_of(const patient_scene *now, uint32_t query, listing out[2])
{
    size_t count = 0;
    for (size_t i = 0; i < now->listed_count; i++) {
        if (now->listed[i].query == query) out[count++] = now->listed[i];
    }
    return count;
}

// --- Ends, at last ---------------------------------------------------------------

static bool is_good(const patient_scene *now)
{
    toy_stars shared = ~0u;
    uint32_t l = 0;
    for (size_t i = 0; i < now->member_count; i++) {
        for (size_t j = 0; j < i; j++) {
            if (!are_in_reach(now, now->members[i], now->members[j])) return false;
        }
        shared &= ball_of(now, now->members[i]);
        l = most(l, needs_of(now, now->members[i])->l);
    }
    return has_segments(now, shared & ((1u << now->town->star_count) - 1), l);
}

static bool is_star_of_other(const patient_scene *now, size_t member, sc_star_id star)
{
    for (size_t i = 0; i < now->member_count; i++) {
        if (i != member && now->members[i].star == star) return true;
    }
    return false;
}

static void choose_end(patient_scene *now, size_t member)
{
    listing ends[2];
    listing *at = &now->members[member];
    if (listings_of(now, at->query, ends) < 2) return;
    const listing was = *at;
    *at = ends[ends[0].star == was.star ? 1 : 0];
    const bool is_free = is_good(now);
    *at = was;
    if (!is_free) return;
    const bool first = is_star_of_other(now, member, ends[0].star);
    if (first != is_star_of_other(now, member, ends[1].star)) {
        *at = ends[first ? 0 : 1];
        return;
    }
    // Each end by the cost of the other.
    const uint32_t results = needs_of(now, was)->result_size;
    const double weights[2] = {toy_cost(now->town, ends[1].star, results),
                               toy_cost(now->town, ends[0].star, results)};
    *at = ends[dice_weighted(now->d, weights, 2)];
}

static void choose_ends(patient_scene *now)
{
    size_t order[TOY_QUERIES];
    for (size_t i = 0; i < now->member_count; i++) {
        order[i] = i;
    }
    for (size_t i = now->member_count; i-- > 1;) {
        const size_t drawn = dice_below(now->d, (uint32_t)i + 1);
        const size_t was = order[i];
        order[i] = order[drawn];
        order[drawn] = was;
    }
    for (size_t i = 0; i < now->member_count; i++) {
        choose_end(now, order[i]);
    }
}

static void publish(patient_scene *now)
{
    toy_stars shared = (1u << now->town->star_count) - 1;
    toy_stars with_members = 0;
    toy_queries members = 0;
    uint32_t l = 0;
    for (size_t i = 0; i < now->member_count; i++) {
        const listing at = now->members[i];
        shared &= ball_of(now, at);
        with_members |= 1u << at.star;
        members |= 1u << at.query;
        l = most(l, needs_of(now, at)->l);
    }
    size_t left = 0;
    for (size_t i = 0; i < now->listed_count; i++) {
        if (!(members >> now->listed[i].query & 1)) now->listed[left++] = now->listed[i];
    }
    now->listed_count = left;
    const toy_stars stars = toy_prune(now->town, now->d, shared, with_members, l);
    now->out->cloaks[now->out->count].segments = toy_segments_of(now->town, stars);
    now->out->cloaks[now->out->count++].members = members;
}

// --- Search ----------------------------------------------------------------------

static bool extend(patient_scene *now, uint32_t k, uint32_t l, toy_stars shared,
                   const listing *list, size_t count)
{
    if (now->member_count >= k) return true;
    const size_t joined = now->member_count;
    for (size_t i = 0; i < count; i++) {
        const size_t rest = count - i;
        if (joined + rest < k) return false;
        const sc_needs *needs = needs_of(now, list[i]);
        const uint32_t next_k = most(k, needs->k);
        const uint32_t next_l = most(l, needs->l);
        const toy_stars next_shared = shared & ball_of(now, list[i]);
        if (next_k > joined + rest || !has_segments(now, next_shared, next_l)) continue;
        listing next[LISTINGS];
        size_t next_count = 0;
        for (size_t j = i + 1; j < count; j++) {
            if (are_in_reach(now, list[i], list[j])) next[next_count++] = list[j];
        }
        if (joined + 1 + next_count < next_k) continue;
        now->members[now->member_count++] = list[i];
        if (extend(now, next_k, next_l, next_shared, next, next_count)) return true;
        now->member_count = joined;
        // The dead end may be that of a longer list, which has counted it out.
        if (now->dead_ends >= now->town->options.max_combinations) return false;
        if (++now->dead_ends >= now->town->options.max_combinations) return false;
    }
    return false;
}

// By hops from the start, then by the order of coming, star_a's first: as they are listed.
static size_t list_candidates(const patient_scene *now, listing start, listing *out)
{
    size_t count = 0;
    for (uint32_t hops = 0; hops < TOY_STARS; hops++) {
        for (size_t i = 0; i < now->listed_count; i++) {
            const listing at = now->listed[i];
            if (now->town->hops[start.star][at.star] == hops && are_in_reach(now, start, at)) {
                out[count++] = at;
            }
        }
    }
    for (bool has_changed = true; has_changed;) {
        size_t left = 0;
        const size_t before = count;
        for (size_t i = 0; i < before; i++) {
            if (needs_of(now, out[i])->k <= 1 + before) out[left++] = out[i];
        }
        has_changed = left < before;
        count = left;
    }
    return count;
}

static bool search_end(patient_scene *now, listing start)
{
    listing list[LISTINGS];
    const size_t count = list_candidates(now, start, list);
    const sc_needs *needs = needs_of(now, start);
    if (1 + count < needs->k) return false;
    now->dead_ends = 0;
    now->members[0] = start;
    now->member_count = 1;
    return extend(now, needs->k, needs->l, ball_of(now, start), list, count);
}

static void search(patient_scene *now, uint32_t query)
{
    listing ends[2];
    const size_t count = listings_of(now, query, ends);
    const size_t first = count == 2 ? dice_below(now->d, 2) : 0;
    for (size_t i = 0; i < count; i++) {
        if (!search_end(now, ends[(first + i) % count])) continue;
        choose_ends(now);
        publish(now);
        return;
    }
}

// --- The moment ------------------------------------------------------------------

static void list_query(patient_scene *now, uint32_t query)
{
    sc_star_id ends[2];
    const toy_query *at = &now->queries[query];
    const size_t count = toy_ends(now->town, at->segment, ends);
    for (size_t i = 0; i < count; i++) {
        const listing one = {query, ends[i]};
        if (has_segments(now, ball_of(now, one), at->needs.l)) {
            now->listed[now->listed_count++] = one;
        }
    }
}

// All have the same deadline, far away: the first to come is the most urgent.
static void look_around(patient_scene *now, uint32_t query)
{
    listing ends[2];
    const size_t count = listings_of(now, query, ends);
    uint32_t crowd = 0;
    bool is_near[TOY_QUERIES] = {false};
    for (size_t i = 0; i < count; i++) {
        uint32_t around = 1;
        for (size_t j = 0; j < now->listed_count; j++) {
            if (!are_in_reach(now, ends[i], now->listed[j])) continue;
            is_near[now->listed[j].query] = true;
            around++;
        }
        crowd = most(crowd, around);
    }
    if (crowd < now->town->options.crowd * now->queries[query].needs.k) return;
    for (uint32_t q = 0; q <= query; q++) {
        const bool is_candidate = q == query || (is_near[q] && now->queries[q].needs.k <= crowd);
        if (!is_candidate) continue;
        search(now, q);
        return;
    }
}

void toy_cloak_patiently(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                         toy_outcome *out)
{
    patient_scene now = {.town = town, .queries = queries, .d = d, .out = out};
    for (uint32_t q = 0; q < count; q++) {
        list_query(&now, q);
        if (waits(&now, q)) look_around(&now, q);
    }
    // All become urgent at once: those who came first search first.
    for (uint32_t q = 0; q < count; q++) {
        if (waits(&now, q)) search(&now, q);
    }
}
