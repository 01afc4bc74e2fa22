// The methods in which each query looks for itself - sampling and expansion - with all their dice.
// See toy_town.h; the steps are those of docs/methods.md.
#include "support/toy_town.h"

#include "support/check.h"

/** All that happens in one moment. */
typedef struct scene {
    const toy_town *town;
    const toy_query *queries;
    dice *d;
    toy_outcome *out;
    toy_queries waiting;
} scene;

// --- Reach -----------------------------------------------------------------------

static toy_segments region_of(const scene *now, sc_star_id end, const toy_query *query)
{
    return toy_region(now->town, end, query->needs.max_hops);
}

static bool will_do(const scene *now, sc_star_id end, const toy_query *query)
{
    return toy_size(region_of(now, end, query)) >= query->needs.l;
}

static bool reaches(const scene *now, const toy_query *query, toy_segments all)
{
    sc_star_id ends[2];
    const size_t count = toy_ends(now->town, query->segment, ends);
    for (size_t i = 0; i < count; i++) {
        if ((all & ~region_of(now, ends[i], query)) == 0) return true;
    }
    return false;
}

static toy_segments just(sc_seg_id segment)
{
    return (toy_segments)1 << segment;
}

static bool can_meet(const scene *now, const toy_query *a, const toy_query *b)
{
    return reaches(now, a, just(b->segment)) && reaches(now, b, just(a->segment));
}

// --- Content sets ----------------------------------------------------------------

static toy_queries content_part(const scene *now, toy_queries set)
{
    for (toy_queries before = 0; before != set;) {
        before = set;
        for (uint32_t q = 0; q < TOY_QUERIES; q++) {
            if (before >> q & 1 && now->queries[q].needs.k > toy_size(before)) set &= ~(1u << q);
        }
    }
    return set;
}

static toy_queries members_of(const scene *now, toy_segments roads)
{
    toy_queries members = 0;
    for (uint32_t q = 0; q < TOY_QUERIES; q++) {
        if (!(now->waiting >> q & 1)) continue;
        const toy_query *query = &now->queries[q];
        if (roads >> query->segment & 1 && query->needs.l <= toy_size(roads) &&
            reaches(now, query, roads)) {
            members |= 1u << q;
        }
    }
    return content_part(now, members);
}

// Who waits in a region and reaches all of these roads; can meet `newcomer` too, if there is one.
static toy_queries hope(const scene *now, toy_segments region, toy_segments roads,
                        const toy_query *newcomer)
{
    toy_queries set = 0;
    for (uint32_t q = 0; q < TOY_QUERIES; q++) {
        if (!(now->waiting >> q & 1)) continue;
        const toy_query *query = &now->queries[q];
        if (region >> query->segment & 1 && reaches(now, query, roads) &&
            (!newcomer || can_meet(now, query, newcomer))) {
            set |= 1u << q;
        }
    }
    return content_part(now, set);
}

// --- A try -----------------------------------------------------------------------

static toy_segments nth_road(toy_segments set, uint32_t n)
{
    for (; n > 0; n--) {
        set &= set - 1;
    }
    return set & (~set + 1);
}

// Of the roads that are left, the one whose middle is nearest, the least of equals.
static toy_segments nearest_road(const scene *now, sc_seg_id own, toy_segments left)
{
    const uint64_t *ways = now->town->way[own];
    sc_seg_id nearest = (sc_seg_id)__builtin_ctzll(left);
    for (; left; left &= left - 1) {
        const sc_seg_id s = (sc_seg_id)__builtin_ctzll(left);
        if (ways[s] < ways[nearest]) nearest = s;
    }
    return just(nearest);
}

static toy_segments next_road(const scene *now, sc_seg_id own, toy_segments left)
{
    if (now->town->options.variant == SC_VARIANT_EXPANSION) return nearest_road(now, own, left);
    return nth_road(left, dice_below(now->d, toy_size(left)));
}

static bool grow(scene *now, uint32_t asker, sc_star_id end)
{
    const toy_query *query = &now->queries[asker];
    const toy_segments region = region_of(now, end, query);
    for (toy_segments roads = just(query->segment);;) {
        const toy_queries members = members_of(now, roads);
        if (members >> asker & 1) {
            now->out->cloaks[now->out->count].segments = roads;
            now->out->cloaks[now->out->count++].members = members;
            now->waiting &= ~members;
            return true;
        }
        if (!(hope(now, region, roads, NULL) >> asker & 1) || !(region & ~roads)) return false;
        roads |= next_road(now, query->segment, region & ~roads);
    }
}

static void try_for(scene *now, uint32_t asker, uint32_t newcomer)
{
    const toy_query *query = &now->queries[asker];
    sc_star_id ends[2];
    sc_star_id open[2];
    uint32_t count = 0;
    const size_t end_count = toy_ends(now->town, query->segment, ends);
    for (size_t i = 0; i < end_count; i++) {
        if (!will_do(now, ends[i], query)) continue;
        const toy_queries both = hope(now, region_of(now, ends[i], query), just(query->segment),
                                      &now->queries[newcomer]);
        if (both >> asker & 1 && both >> newcomer & 1) open[count++] = ends[i];
    }
    uint32_t first = 0;
    if (count == 2) {
        const bool is_drawn = now->town->options.variant == SC_VARIANT_SAMPLING;
        first = is_drawn ? dice_below(now->d, 2) : (uint32_t)(open[1] < open[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (grow(now, asker, open[i ^ first])) return;
    }
}

// --- The moment ------------------------------------------------------------------

static void arrive(scene *now, uint32_t newcomer)
{
    const toy_query *query = &now->queries[newcomer];
    sc_star_id ends[2];
    toy_queries to_try = 0;
    bool is_feasible = false;
    const size_t end_count = toy_ends(now->town, query->segment, ends);
    now->waiting |= 1u << newcomer;
    for (size_t i = 0; i < end_count; i++) {
        if (!will_do(now, ends[i], query)) continue;
        is_feasible = true;
        const toy_queries set =
            hope(now, region_of(now, ends[i], query), just(query->segment), NULL);
        if (set >> newcomer & 1) to_try |= set;
    }
    if (!is_feasible) now->waiting &= ~(1u << newcomer);
    for (uint32_t q = 0; q <= newcomer && now->waiting >> newcomer & 1; q++) {
        if (to_try & now->waiting & 1u << q) try_for(now, q, newcomer);
    }
}

void toy_cloak_per_query(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                         toy_outcome *out)
{
    scene now = {.town = town, .queries = queries, .d = d, .out = out};
    for (uint32_t q = 0; q < count; q++) {
        arrive(&now, q);
    }
}
