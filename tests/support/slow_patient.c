// The patient method: every query waits at both ends of its road, and the most urgent one in
// reach is searched from. See slow_patient.h; the steps are those of docs/engine.md.
#include "support/slow_patient.h"

#include "base/rng.h"
#include "support/check.h"

/** A query at an end of its road: the one listing it has there. */
typedef struct listing {
    const slow_query *q;
    sc_star_id star;
} listing;

/** Listings in some order. */
typedef struct listing_list {
    listing *at;
    size_t count;
} listing_list;

// --- Listings --------------------------------------------------------------------

static size_t ends_of(const slow_engine *engine, const sc_query *query, sc_star_id ends[2])
{
    const sc_segment *segment = &sc_map_segments(engine->roads.map)[query->segment];
    ends[0] = segment->star_a;
    ends[1] = segment->star_b;
    return segment->star_b == SC_NONE || segment->star_b == segment->star_a ? 1 : 2;
}

static bool will_do(const slow_engine *engine, const sc_query *query, sc_star_id end)
{
    return slow_ball_may_do(&engine->roads, &engine->options.demands, query, end, query->max_hops);
}

bool slow_patient_list(const slow_engine *engine, slow_query *q)
{
    sc_star_id ends[2];
    const size_t end_count = ends_of(engine, &q->query, ends);
    for (size_t i = 0; i < 2; i++) {
        q->has_listing[i] = i < end_count && will_do(engine, &q->query, ends[i]);
    }
    return q->has_listing[0] || q->has_listing[1];
}

// star_a's before star_b's.
static size_t listings_of(const slow_engine *engine, const slow_query *q, listing out[2])
{
    sc_star_id ends[2];
    const size_t end_count = ends_of(engine, &q->query, ends);
    size_t count = 0;
    for (size_t i = 0; i < end_count; i++) {
        if (q->has_listing[i]) out[count++] = (listing){q, ends[i]};
    }
    return count;
}

// All listings there are: by the order of adding, then star_a's before star_b's.
static listing_list all_listings(const slow_engine *engine)
{
    listing_list all = {test_take(2 * engine->query_count + 1, sizeof *all.at), 0};
    for (size_t i = 0; i < engine->query_count; i++) {
        const slow_query *q = &engine->queries[i];
        if (q->place != IN_GRAPH) continue;
        all.count += listings_of(engine, q, all.at + all.count);
    }
    return all;
}

uint32_t slow_patient_active_star_count(const slow_engine *engine)
{
    listing_list all = all_listings(engine);
    bool *is_active = test_take(engine->roads.star_count, sizeof *is_active);
    uint32_t count = 0;
    for (size_t i = 0; i < all.count; i++) {
        count += !is_active[all.at[i].star];
        is_active[all.at[i].star] = true;
    }
    free(is_active);
    free(all.at);
    return count;
}

static bool is_within(const slow_engine *engine, sc_star_id a, sc_star_id b, uint32_t max_hops)
{
    const uint32_t hops = slow_hops(&engine->roads, a, b);
    return hops != SC_NONE && hops <= max_hops;
}

static bool are_in_reach(const slow_engine *engine, listing a, listing b)
{
    const sc_query *of_a = &a.q->query;
    const sc_query *of_b = &b.q->query;
    return a.q != b.q && of_a->user != of_b->user &&
           is_within(engine, a.star, b.star, of_a->max_hops) &&
           is_within(engine, a.star, b.star, of_b->max_hops);
}

// Of `list`, in its order, those from the first on that are in reach of `other`.
static listing_list in_reach_of(const slow_engine *engine, const listing_list *list, size_t first,
                                listing other)
{
    listing_list found = {test_take(list->count + 1, sizeof *found.at), 0};
    for (size_t i = first; i < list->count; i++) {
        if (are_in_reach(engine, list->at[i], other)) found.at[found.count++] = list->at[i];
    }
    return found;
}

// Of `list`, in its order, those whose k is at most k_spread times that of `q`.
static void leave_out_large_k(const slow_engine *engine, listing_list *list, const slow_query *q)
{
    const uint64_t spread = slow_k_spread(engine);
    if (spread == 0) return;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i].q->query.k <= spread * q->query.k) list->at[kept++] = list->at[i];
    }
    list->count = kept;
}

// --- Members ---------------------------------------------------------------------

// The stars that are in the ball of every listing of `members`.
static void intersect_balls(const slow_engine *engine, const listing_list *members, bool *stars)
{
    for (sc_star_id x = 0; x < engine->roads.star_count; x++) {
        stars[x] = true;
        for (size_t i = 0; i < members->count; i++) {
            const listing *m = &members->at[i];
            stars[x] = stars[x] && is_within(engine, m->star, x, m->q->query.max_hops);
        }
    }
}

// Whether the roads of the stars that all members reach are what each of them asks for.
static bool shared_roads_may_do(const slow_engine *engine, const listing_list *members)
{
    bool *stars = test_take(engine->roads.star_count, sizeof *stars);
    intersect_balls(engine, members, stars);
    bool may_do = true;
    for (size_t i = 0; i < members->count; i++) {
        const sc_query *query = &members->at[i].q->query;
        may_do =
            may_do && slow_stars_may_do(&engine->roads, &engine->options.demands, query, stars);
    }
    free(stars);
    return may_do;
}

// The stars of a cloak of these members; false if there are none.
static bool settle(slow_engine *engine, const listing_list *members, bool *stars)
{
    sc_member *all = test_take(members->count, sizeof *all);
    for (size_t i = 0; i < members->count; i++) {
        all[i] = (sc_member){.query = members->at[i].q->query, .star = members->at[i].star};
    }
    intersect_balls(engine, members, stars);
    const sc_demands *demands = &engine->options.demands;
    const bool was_good = slow_is_good(&engine->roads, demands, all, members->count, stars);
    const bool is_settled =
        slow_settle(&engine->roads, demands, all, members->count, stars, engine->rng);
    engine->settle_counts.tried += demands->is_strict;
    engine->settle_counts.reduced += is_settled && !was_good;
    engine->settle_counts.failed += !is_settled;
    free(all);
    return is_settled;
}

static bool are_all_within(const slow_engine *engine, const listing_list *members)
{
    for (size_t i = 0; i < members->count; i++) {
        for (size_t j = 0; j < members->count; j++) {
            const listing *m = &members->at[i];
            const uint32_t max_hops = m->q->query.max_hops;
            if (!is_within(engine, m->star, members->at[j].star, max_hops)) return false;
        }
    }
    return true;
}

// --- Extending -------------------------------------------------------------------

/** One end of one search. */
typedef struct end_search {
    slow_engine *engine;
    listing_list members;  ///< M, the one searched from being the first; room for all candidates
    bool *stars;           ///< once found: T
    uint32_t dead_ends;
    bool has_hit_cap;
} end_search;

// `k` is the largest of the members'. True: `members` are enough, and `stars` are for all.
static bool extend(end_search *s, uint32_t k, const listing_list *list)
{
    slow_engine *engine = s->engine;
    listing_list *members = &s->members;
    if (members->count >= k) return settle(engine, members, s->stars);
    for (size_t i = 0; i < list->count; i++) {
        const listing c = list->at[i];
        const size_t rest = list->count - i;
        if (members->count + rest < k) return false;
        const uint32_t larger_k = c.q->query.k > k ? c.q->query.k : k;
        if (larger_k > members->count + rest) continue;

        members->at[members->count++] = c;
        engine->stats.checks++;
        bool is_found = false;
        bool is_dead_end = false;
        if (shared_roads_may_do(engine, members)) {
            listing_list after = in_reach_of(engine, list, i + 1, c);
            if (members->count + after.count >= larger_k) {
                is_found = extend(s, larger_k, &after);
                is_dead_end = !is_found;
            }
            free(after.at);
        }
        if (is_found) return true;
        members->count--;
        if (s->has_hit_cap) return false;
        s->dead_ends += is_dead_end;
        s->has_hit_cap = is_dead_end && s->dead_ends == engine->options.max_combinations;
        if (s->has_hit_cap) return false;
    }
    return false;
}

// Move what is nearer to `from` to the front; equal ones stay in their order.
static void sort_by_hops(const slow_engine *engine, listing_list *list, sc_star_id from)
{
    for (size_t i = 1; i < list->count; i++) {
        const listing moved = list->at[i];
        const uint32_t hops = slow_hops(&engine->roads, from, moved.star);
        size_t at = i;
        for (; at > 0 && slow_hops(&engine->roads, from, list->at[at - 1].star) > hops; at--) {
            list->at[at] = list->at[at - 1];
        }
        list->at[at] = moved;
    }
}

// Again and again, leave out all whose k is more than 1 + those left.
static void leave_out_hopeless(listing_list *list)
{
    for (size_t before = list->count + 1; list->count < before;) {
        before = list->count;
        list->count = 0;
        for (size_t i = 0; i < before; i++) {
            if (list->at[i].q->query.k <= 1 + before) list->at[list->count++] = list->at[i];
        }
    }
}

// Find the members around one listing of the query searched from, and the stars for them.
static bool search_end(end_search *s, listing from)
{
    slow_engine *engine = s->engine;
    listing_list all = all_listings(engine);
    listing_list candidates = in_reach_of(engine, &all, 0, from);
    leave_out_large_k(engine, &candidates, from.q);
    sort_by_hops(engine, &candidates, from.star);
    leave_out_hopeless(&candidates);
    free(all.at);

    s->members.at = test_take(1 + candidates.count, sizeof *s->members.at);
    s->members.at[s->members.count++] = from;
    const uint32_t k = from.q->query.k;
    const bool is_found = 1 + candidates.count >= k && extend(s, k, &candidates);
    engine->stats.cap_hits += s->has_hit_cap;
    free(candidates.at);
    return is_found;
}

// --- The ends, at last -----------------------------------------------------------

static void shuffle(slow_engine *engine, listing_list *members)
{
    for (size_t i = members->count - 1; i >= 1; i--) {
        const size_t other = sc_rng_below(engine->rng, (uint32_t)i + 1);
        const listing swapped = members->at[i];
        members->at[i] = members->at[other];
        members->at[other] = swapped;
    }
}

static bool is_star_of_another(const listing_list *members, size_t member, sc_star_id star)
{
    for (size_t i = 0; i < members->count; i++) {
        if (i != member && members->at[i].star == star) return true;
    }
    return false;
}

// Whether members are still good if `member` takes `end`.
static bool stays_good(const slow_engine *engine, listing_list *members, size_t member,
                       sc_star_id end)
{
    const sc_star_id own = members->at[member].star;
    members->at[member].star = end;
    const bool is_good = are_all_within(engine, members) && shared_roads_may_do(engine, members);
    members->at[member].star = own;
    return is_good;
}

static sc_star_id choose_end(slow_engine *engine, const listing_list *members, size_t member,
                             sc_star_id a, sc_star_id b)
{
    const bool has_a = is_star_of_another(members, member, a);
    const bool has_b = is_star_of_another(members, member, b);
    if (has_a != has_b) return has_a ? a : b;
    const uint32_t result_size = members->at[member].q->query.result_size;
    const double cost_a = slow_star_cost(engine, a, result_size);
    const double cost_b = slow_star_cost(engine, b, result_size);
    return sc_rng_unit(engine->rng) * (cost_a + cost_b) < cost_b ? a : b;
}

static void choose_ends(slow_engine *engine, listing_list *members)
{
    shuffle(engine, members);
    for (size_t i = 0; i < members->count; i++) {
        listing *m = &members->at[i];
        listing both[2];
        if (listings_of(engine, m->q, both) < 2) continue;
        const sc_star_id other = m->star == both[0].star ? both[1].star : both[0].star;
        if (!stays_good(engine, members, i, other)) continue;
        m->star = choose_end(engine, members, i, both[0].star, both[1].star);
    }
}

// The members may change their ends, if they are still all of them good with these.
static void settle_ends(slow_engine *engine, listing_list *members, bool *stars)
{
    const size_t star_count = engine->roads.star_count;
    listing *as_found = test_take(members->count, sizeof *as_found);
    bool *settled = test_take(star_count, sizeof *settled);
    memcpy(as_found, members->at, members->count * sizeof *as_found);
    choose_ends(engine, members);
    if (settle(engine, members, settled)) {
        memcpy(stars, settled, star_count * sizeof *settled);
    } else {
        memcpy(members->at, as_found, members->count * sizeof *as_found);
        engine->settle_counts.taken_back++;
    }
    free(as_found);
    free(settled);
}

static void propose(slow_engine *engine, const listing_list *members, const bool *stars)
{
    bool *is_member = test_take(engine->query_count, sizeof *is_member);
    for (size_t i = 0; i < members->count; i++) {
        const size_t query = (size_t)(members->at[i].q - engine->queries);
        is_member[query] = true;
        engine->queries[query].star = members->at[i].star;
    }
    slow_propose(engine, is_member, stars);
    free(is_member);
}

// --- Searching -------------------------------------------------------------------

bool slow_patient_search(slow_engine *engine, slow_query *from)
{
    engine->stats.searches++;
    listing listings[2];
    const size_t count = listings_of(engine, from, listings);
    const size_t first = count == 2 ? sc_rng_below(engine->rng, 2) : 0;
    bool is_found = false;
    for (size_t i = 0; i < count && !is_found; i++) {
        end_search s = {.engine = engine};
        s.stars = test_take(engine->roads.star_count, sizeof *s.stars);
        is_found = search_end(&s, listings[i == 0 ? first : 1 - first]);
        if (is_found) {
            settle_ends(engine, &s.members, s.stars);
            propose(engine, &s.members, s.stars);
        }
        free(s.members.at);
        free(s.stars);
    }
    return is_found;
}

// 1 + the listings in reach whose k is not too large for the newcomer, at that end of it where
// there are more.
static uint64_t crowd_around(const slow_engine *engine, const slow_query *newcomer)
{
    listing_list all = all_listings(engine);
    listing own[2];
    const size_t own_count = listings_of(engine, newcomer, own);
    uint64_t most = 0;
    for (size_t i = 0; i < own_count; i++) {
        listing_list around = in_reach_of(engine, &all, 0, own[i]);
        leave_out_large_k(engine, &around, newcomer);
        if (around.count > most) most = around.count;
        free(around.at);
    }
    free(all.at);
    return 1 + most;
}

static bool can_meet(const slow_engine *engine, const slow_query *a, const slow_query *b)
{
    listing of_a[2];
    listing of_b[2];
    const size_t a_count = listings_of(engine, a, of_a);
    const size_t b_count = listings_of(engine, b, of_b);
    bool can = false;
    for (size_t i = 0; i < a_count * b_count; i++) {
        can |= are_in_reach(engine, of_a[i / b_count], of_b[i % b_count]);
    }
    return can;
}

// The least by deadline, then by the order of adding.
static slow_query *find_most_urgent(slow_engine *engine, slow_query *newcomer, uint64_t crowd)
{
    slow_query *most = NULL;
    for (size_t i = 0; i < engine->query_count; i++) {
        slow_query *q = &engine->queries[i];
        if (q != newcomer && (q->place != IN_GRAPH || q->is_company || q->query.k > crowd ||
                              !can_meet(engine, newcomer, q))) {
            continue;
        }
        if (!most || q->query.deadline < most->query.deadline) most = q;
    }
    return most;
}

void slow_patient_look_around(slow_engine *engine, slow_query *newcomer)
{
    const uint64_t crowd = crowd_around(engine, newcomer);
    slow_query *from = find_most_urgent(engine, newcomer, crowd);
    const uint64_t wanted = (uint64_t)engine->options.crowd * newcomer->query.k;
    if (slow_is_urgent(engine, from) || crowd >= wanted) slow_patient_search(engine, from);
}
