// The methods that select stars - basic, bounded, hybrid and XStar - with all their dice. See
// toy_town.h; the steps are those of docs/engine.md and docs/methods.md.
#include "support/toy_town.h"

#include "support/check.h"

/** Vertices are numbered as they are made; a query makes one at most. */
typedef struct vertex {
    sc_star_id star;
    toy_queries holds;  ///< none: it is gone
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    toy_stars covered;
} vertex;

/** A set of vertices, and the last that joined it. */
typedef struct combination {
    uint32_t vertices;
    uint32_t last;
} combination;

/** All that happens in one moment. */
typedef struct scene {
    const toy_town *town;
    const toy_query *queries;
    dice *d;
    toy_outcome *out;
    sc_star_id assigned[TOY_SEGMENTS];
    sc_star_id star[TOY_QUERIES];  ///< that a query was assigned to
    vertex vertices[TOY_QUERIES];
    uint32_t vertex_count;
} scene;

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

// --- Selecting a star ------------------------------------------------------------

static bool is_active(const scene *now, sc_star_id star)
{
    for (uint32_t v = 0; v < now->vertex_count; v++) {
        if (now->vertices[v].holds && now->vertices[v].star == star) return true;
    }
    return false;
}

static sc_star_id choose_star(const scene *now, const toy_query *query)
{
    sc_star_id ends[2];
    if (toy_ends(now->town, query->segment, ends) == 1) return ends[0];
    if (now->assigned[query->segment] != SC_NONE) return now->assigned[query->segment];
    const bool first_is_active = is_active(now, ends[0]);
    if (first_is_active != is_active(now, ends[1])) return ends[first_is_active ? 0 : 1];
    // Each end by the cost of the other.
    const uint32_t results = query->needs.result_size;
    const double weights[2] = {toy_cost(now->town, ends[1], results),
                               toy_cost(now->town, ends[0], results)};
    return ends[dice_weighted(now->d, weights, 2)];
}

static bool ball_has(const toy_town *town, sc_star_id star, uint32_t hops, uint32_t l)
{
    return toy_size(toy_region(town, star, hops)) >= l;
}

// The star for a query; SC_NONE if it is infeasible.
static sc_star_id select_star(const scene *now, const toy_query *query)
{
    const sc_star_id chosen = choose_star(now, query);
    const sc_needs *needs = &query->needs;
    if (ball_has(now->town, chosen, needs->max_hops, needs->l)) return chosen;
    sc_star_id ends[2];
    const size_t count = toy_ends(now->town, query->segment, ends);
    for (size_t i = 0; i < count; i++) {
        if (ball_has(now->town, ends[i], needs->max_hops, needs->l)) return ends[i];
    }
    return SC_NONE;
}

// --- Adding to the graph ---------------------------------------------------------

static uint32_t add(scene *now, uint32_t query, sc_star_id star)
{
    const toy_town *town = now->town;
    const sc_needs *needs = &now->queries[query].needs;
    uint32_t v = 0;
    for (; v < now->vertex_count; v++) {
        const vertex *at = &now->vertices[v];
        if (!at->holds || at->star != star) continue;
        // In XStar all of a star are one group.
        if (town->options.variant == SC_VARIANT_XSTAR ||
            ball_has(town, star, least(at->max_hops, needs->max_hops), most(at->l, needs->l))) {
            break;
        }
    }
    vertex *at = &now->vertices[v];
    if (v == now->vertex_count) {
        now->vertex_count++;
        *at = (vertex){.star = star, .max_hops = UINT32_MAX};
    }
    at->holds |= 1u << query;
    at->k = most(at->k, needs->k);
    at->l = most(at->l, needs->l);
    at->max_hops = least(at->max_hops, needs->max_hops);
    at->covered = toy_ball(town, star, at->max_hops);
    return v;
}

// --- A cloak ---------------------------------------------------------------------

static bool has_neighbour_outside(const toy_town *town, sc_star_id star, toy_stars inside)
{
    return (toy_ball(town, star, 1) & ~inside) != 0;
}

static sc_star_id nth_star(toy_stars set, uint32_t n)
{
    for (; n > 0; n--) {
        set &= set - 1;
    }
    return (sc_star_id)__builtin_ctz(set);
}

toy_stars toy_prune(const toy_town *town, dice *d, toy_stars inside, toy_stars with_members,
                    uint32_t l)
{
    toy_stars boundary = 0;
    for (sc_star_id x = 0; x < town->star_count; x++) {
        if ((inside & ~with_members) >> x & 1 && has_neighbour_outside(town, x, inside)) {
            boundary |= 1u << x;
        }
    }
    while (boundary) {
        const sc_star_id x = nth_star(boundary, dice_below(d, toy_size(boundary)));
        const toy_stars rest = inside & ~(1u << x);
        if (toy_size(toy_segments_of(town, rest)) < l) break;
        inside = rest;
        boundary = (boundary | toy_ball(town, x, 1)) & inside & ~with_members;
    }
    return inside;
}

// These vertices leave as a cloak of these stars.
static void propose(scene *now, uint32_t vertices, toy_stars stars)
{
    toy_queries members = 0;
    toy_stars with_members = 0;
    uint32_t l = 0;
    for (uint32_t v = 0; v < now->vertex_count; v++) {
        vertex *at = &now->vertices[v];
        if (!(vertices >> v & 1)) continue;
        members |= at->holds;
        with_members |= 1u << at->star;
        l = most(l, at->l);
        at->holds = 0;
    }
    for (sc_seg_id s = 0; s < now->town->segment_count; s++) {
        const sc_star_id star = now->assigned[s];
        if (star != SC_NONE && !is_active(now, star)) now->assigned[s] = SC_NONE;
    }
    if (now->town->options.variant != SC_VARIANT_XSTAR) {
        stars = toy_prune(now->town, now->d, stars, with_members, l);
    }
    now->out->cloaks[now->out->count].segments = toy_segments_of(now->town, stars);
    now->out->cloaks[now->out->count++].members = members;
}

// --- Search ----------------------------------------------------------------------

typedef enum verdict { PASSES, LACKS_USERS, LACKS_SEGMENTS } verdict;

static verdict check(const scene *now, uint32_t vertices, toy_stars *shared)
{
    toy_queries members = 0;
    uint32_t k = 0;
    uint32_t l = 0;
    *shared = (1u << now->town->star_count) - 1;
    for (uint32_t v = 0; v < now->vertex_count; v++) {
        const vertex *at = &now->vertices[v];
        if (!(vertices >> v & 1)) continue;
        members |= at->holds;
        k = most(k, at->k);
        l = most(l, at->l);
        *shared &= at->covered;
    }
    if (toy_size(toy_segments_of(now->town, *shared)) < l) return LACKS_SEGMENTS;
    return toy_size(members) < k ? LACKS_USERS : PASSES;
}

static bool are_neighbours(const scene *now, uint32_t a, uint32_t b)
{
    const vertex *of_a = &now->vertices[a];
    const vertex *of_b = &now->vertices[b];
    toy_stars shared;
    return of_a->covered >> of_b->star & 1 && of_b->covered >> of_a->star & 1 &&
           check(now, 1u << a | 1u << b, &shared) != LACKS_SEGMENTS;
}

static bool are_all_neighbours(const scene *now, uint32_t vertices, uint32_t v)
{
    for (uint32_t w = 0; w < now->vertex_count; w++) {
        if (vertices >> w & 1 && !are_neighbours(now, w, v)) return false;
    }
    return true;
}

static uint32_t hops_between(const scene *now, uint32_t a, uint32_t b)
{
    return now->town->hops[now->vertices[a].star][now->vertices[b].star];
}

// Bounded: v is at the level of the last that joined, or at the next one.
static bool is_compact(const scene *now, uint32_t u, combination c, uint32_t v)
{
    const uint32_t lambda = now->town->options.compactness;
    return hops_between(now, u, v) / lambda <= hops_between(now, u, c.last) / lambda + 1;
}

// The vertices beside u, by hops and then by age.
static uint32_t list_others(const scene *now, uint32_t u, uint32_t *list)
{
    uint32_t count = 0;
    for (uint32_t hops = 0; hops < TOY_STARS; hops++) {
        for (uint32_t v = 0; v < now->vertex_count; v++) {
            if (v != u && now->vertices[v].holds && hops_between(now, u, v) == hops) {
                list[count++] = v;
            }
        }
    }
    return count;
}

static bool search(scene *now, uint32_t u, bool is_bounded)
{
    combination kept[1 << TOY_QUERIES];
    uint32_t others[TOY_QUERIES];
    const uint32_t other_count = list_others(now, u, others);
    size_t kept_count = 0;
    toy_stars shared;
    const verdict alone = check(now, 1u << u, &shared);
    if (alone == PASSES) {
        propose(now, 1u << u, shared);
        return true;
    }
    if (alone == LACKS_USERS) kept[kept_count++] = (combination){1u << u, u};
    for (uint32_t n = 0; n < other_count; n++) {
        const uint32_t v = others[n];
        const size_t before = kept_count;
        for (size_t i = 0; i < before; i++) {
            if (!are_all_neighbours(now, kept[i].vertices, v)) continue;
            if (is_bounded && !is_compact(now, u, kept[i], v)) continue;
            const combination with_v = {kept[i].vertices | 1u << v, v};
            const verdict found = check(now, with_v.vertices, &shared);
            if (found == PASSES) {
                propose(now, with_v.vertices, shared);
                return true;
            }
            if (found == LACKS_USERS) kept[kept_count++] = with_v;
        }
    }
    return false;
}

// --- XStar -----------------------------------------------------------------------

// Of the stars outside, the nearest to the start, then the cheapest, then the least; SC_NONE if
// none can be reached.
static sc_star_id next_star(const scene *now, sc_star_id start, uint32_t results, toy_stars inside)
{
    const toy_town *town = now->town;
    sc_star_id next = SC_NONE;
    for (sc_star_id x = 0; x < town->star_count; x++) {
        const uint32_t hops = town->hops[start][x];
        if (inside >> x & 1 || hops == SC_NONE) continue;
        if (next != SC_NONE && hops > town->hops[start][next]) continue;
        if (next != SC_NONE && hops == town->hops[start][next] &&
            toy_cost(town, x, results) >= toy_cost(town, next, results)) {
            continue;
        }
        next = x;
    }
    return next;
}

static bool grow_super_star(scene *now, uint32_t u)
{
    const sc_star_id start = now->vertices[u].star;
    uint32_t results = 0;
    for (uint32_t q = 0; q < TOY_QUERIES; q++) {
        if (now->vertices[u].holds >> q & 1) {
            results = most(results, now->queries[q].needs.result_size);
        }
    }
    for (toy_stars inside = 1u << start;;) {
        uint32_t groups = 0;
        toy_queries members = 0;
        uint32_t k = 0;
        uint32_t l = 0;
        toy_stars allowed = ~0u;
        for (uint32_t v = 0; v < now->vertex_count; v++) {
            const vertex *at = &now->vertices[v];
            if (!at->holds || !(inside >> at->star & 1)) continue;
            groups |= 1u << v;
            members |= at->holds;
            k = most(k, at->k);
            l = most(l, at->l);
            allowed &= at->covered;
        }
        if (inside & ~allowed) return false;
        if (toy_size(members) >= k && toy_size(toy_segments_of(now->town, inside)) >= l) {
            propose(now, groups, inside);
            return true;
        }
        const sc_star_id next = next_star(now, start, results, inside);
        if (next == SC_NONE) return false;
        inside |= 1u << next;
    }
}

// --- The moment ------------------------------------------------------------------

static void arrive(scene *now, uint32_t query)
{
    const sc_variant variant = now->town->options.variant;
    const sc_star_id star = select_star(now, &now->queries[query]);
    if (star == SC_NONE) return;
    sc_star_id *assigned = &now->assigned[now->queries[query].segment];
    if (*assigned == SC_NONE) *assigned = star;
    const uint32_t v = add(now, query, star);
    if (variant == SC_VARIANT_XSTAR) {
        grow_super_star(now, v);
    } else {
        search(now, v, variant != SC_VARIANT_BASIC);
    }
}

void toy_cloak_by_stars(const toy_town *town, const toy_query *queries, size_t count, dice *d,
                        toy_outcome *out)
{
    scene now = {.town = town, .queries = queries, .d = d, .out = out};
    assert_false(town->options.is_strict);
    for (sc_seg_id s = 0; s < TOY_SEGMENTS; s++) {
        now.assigned[s] = SC_NONE;
    }
    for (uint32_t q = 0; q < count; q++) {
        arrive(&now, q);
    }
    if (town->options.variant != SC_VARIANT_HYBRID) return;
    // All become urgent at once: those who came first search first, now without levels as well.
    for (uint32_t v = 0; v < now.vertex_count; v++) {
        if (!now.vertices[v].holds) continue;
        if (!search(&now, v, true)) search(&now, v, false);
    }
}
