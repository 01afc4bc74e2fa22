// Candidates: what a search found, until the caller accepts or refuses it.
//
// The caller knows more than the engine: a client may have gone, or another engine may have cloaked
// the same query. So the members of a candidate are only set aside, as proposed, and their
// deadlines leave the heap: from then on the caller is responsible for them (sc_engine_accept()
// tests them). If the cloak is accepted its members are forgotten; if it is refused, those still
// open go back to the queue.
//
// A cloak is one block of memory: the struct, then its arrays, the most strictly aligned first, so
// that each begins where the one before it ends.
//
//     | sc__candidate | members | stars | segments | border nodes |
//
// What its members ask for beside segments is a block of its own (kept_demands.h).
//
// It is made by the engine, filled in by pruning, perhaps in another thread, and freed by the
// caller: one block is one thing to hand over. It has room for all that pruning fills in, so
// pruning needs no memory for the result and cannot lose a candidate's members halfway.
#include "engine/candidate.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/sort.h"
#include "engine/cloaking_graph.h"
#include "engine/method.h"

#include <stdlib.h>
#include <string.h>

// --- A cloak in memory -------------------------------------------------------

_Static_assert(sizeof(sc__candidate) % _Alignof(sc_member) == 0, "members follow the struct");
_Static_assert(sizeof(sc_member) % _Alignof(uint32_t) == 0, "ids follow the members");

sc_cloak *sc__cloak_new(size_t star_count, size_t segment_room, size_t member_count)
{
    size_t id_count = 0;
    size_t id_bytes = 0;
    size_t member_bytes = 0;
    size_t bytes = 0;
    if (__builtin_mul_overflow(segment_room, 2, &id_count) ||
        __builtin_add_overflow(id_count, star_count, &id_count) ||
        __builtin_mul_overflow(id_count, sizeof(uint32_t), &id_bytes) ||
        __builtin_mul_overflow(member_count, sizeof(sc_member), &member_bytes) ||
        __builtin_add_overflow(id_bytes, member_bytes, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(sc__candidate), &bytes)) {
        return NULL;
    }
    sc__candidate *candidate = sc_malloc(bytes);
    if (!candidate) return NULL;

    sc_member *members = (sc_member *)(candidate + 1);
    uint32_t *ids = (uint32_t *)(members + member_count);
    *candidate = (sc__candidate){.cloak = {
                                     .stars = ids,
                                     .star_count = star_count,
                                     .segments = ids + star_count,
                                     .border_nodes = ids + star_count + segment_room,
                                     .members = members,
                                     .member_count = member_count,
                                     .deadline = SC_TIME_NEVER,
                                 }};
    return &candidate->cloak;
}

void sc_cloak_free(sc_cloak *cloak)
{
    if (!cloak) return;
    // Which users were together, and where.
    explicit_bzero(cloak->members, cloak->member_count * sizeof *cloak->members);
    sc__kept_demands_free(sc__candidate_of(cloak)->kept);
    sc_free(cloak);
}

// --- From vertices to a candidate --------------------------------------------

/** Count the stars of `mask` and the room that all their segments can need. */
static size_t measure(const sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                      size_t words, size_t *segment_room)
{
    size_t count = 0;
    *segment_room = 0;
    for (size_t word = 0; word < words; word++) {
        for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            const sc_star *star = &engine->stars[stars[word * 64 + (size_t)__builtin_ctzll(bits)]];
            *segment_room += star[1].first_segment - star[0].first_segment;
            count++;
        }
    }
    return count;
}

static void fill_stars(sc_cloak *cloak, const sc_star_id *stars, const uint64_t *mask, size_t words)
{
    size_t count = 0;
    for (size_t word = 0; word < words; word++) {
        for (uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
            cloak->stars[count++] = stars[word * 64 + (size_t)__builtin_ctzll(bits)];
        }
    }
    sc_sort_u32(cloak->stars, count);
}

static int compare_placed(const void *a, const void *b)
{
    const sc__placed *x = a;
    const sc__placed *y = b;
    return (x->order > y->order) - (x->order < y->order);
}

void sc__placed_sort(sc__placed *placed, size_t count)
{
    enum { FEW = 32 };
    if (count > FEW) {
        qsort(placed, count, sizeof *placed, compare_placed);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const sc__placed moved = placed[i];
        size_t at = i;
        for (; at > 0 && placed[at - 1].order > moved.order; at--) {
            placed[at] = placed[at - 1];
        }
        placed[at] = moved;
    }
}

/** All queries of `vertices`, in the order in which they were added. */
static sc_err list_queries(sc_engine *engine, const sc__slot *vertices, size_t count,
                           size_t *query_count)
{
    sc__scratch *scratch = &engine->scratch;
    size_t listed = 0;
    for (size_t i = 0; i < count; i++) {
        for (sc__slot at = sc__vertex_at(engine, vertices[i])->queries.first; at != SC_NONE;) {
            const sc__pending *query = sc__pending_at(engine, at);
            if (!sc_grow(&scratch->placed, listed, &scratch->placed_capacity,
                         sizeof *scratch->placed)) {
                return SC_ENOMEM;
            }
            scratch->placed[listed++] = (sc__placed){.order = query->order, .slot = at};
            at = query->next;
        }
    }
    sc__placed_sort(scratch->placed, listed);
    *query_count = listed;
    return SC_OK;
}

void sc__make_member(sc_engine *engine, sc_cloak *cloak, size_t i, sc__slot slot, sc_star_id star)
{
    sc__pending *query = sc__pending_at(engine, slot);
    cloak->members[i] = (sc_member){
        .query = query->query,
        .star = star,
        .is_company = query->is_company,
    };
    if (query->query.deadline < cloak->deadline) cloak->deadline = query->query.deadline;
    sc__ids_prefetch(&engine->ids, &query->query.id);  // accepting will look for it
    sc__engine_deadlines_remove(&engine->deadlines, query->heap_at);
    query->state = SC__PROPOSED;
    query->is_gone = false;
    query->proposal = (uint32_t)sc__candidate_of(cloak)->proposal;
    if (!query->is_company) {
        engine->stats.pending--;
        engine->stats.proposed++;
    }
}

void sc__offer(sc_engine *engine, sc_cloak *cloak)
{
    if (engine->last_candidate) {
        sc__candidate_of(engine->last_candidate)->next = cloak;
    } else {
        engine->first_candidate = cloak;
    }
    engine->last_candidate = cloak;
}

sc_cloak *sc__candidate_new(sc_engine *engine, const sc_star_id *stars, const uint64_t *mask,
                            size_t words, size_t member_count)
{
    size_t segment_room;
    const size_t star_count = measure(engine, stars, mask, words, &segment_room);
    sc_cloak *cloak = sc__cloak_new(star_count, segment_room, member_count);
    if (!cloak) return NULL;
    cloak->engine = engine;
    sc__candidate_of(cloak)->proposal = engine->next_proposal++;
    sc__candidate_of(cloak)->is_whole = engine->method->keeps_all_stars;
    fill_stars(cloak, stars, mask, words);
    return cloak;
}

/** If its members, in `placed`, ask for more than segments, the cloak gets a block for that. */
static sc_err keep_demands(const sc_engine *engine, sc_cloak *cloak)
{
    sc__kept_sizes sizes = {.star_count = cloak->star_count, .member_count = cloak->member_count};
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc__pending *query = sc__pending_at(engine, engine->scratch.placed[i].slot);
        if (!query->query.own) continue;
        sizes.own_bytes += sc__own_size(query->query.own);
        sizes.reached_count += query->query.own->reached_count;
    }
    if (sizes.own_bytes == 0 && sc__tables_are_empty(&engine->tables)) return SC_OK;
    sc__candidate_of(cloak)->kept = sc__kept_demands_new(&engine->tables, &sizes);
    return sc__candidate_of(cloak)->kept ? SC_OK : SC_ENOMEM;
}

sc_err sc__propose(sc_engine *engine, const sc__slot *vertices, size_t count,
                   const sc_star_id *stars, const uint64_t *mask, size_t words)
{
    size_t query_count;
    sc_err err = list_queries(engine, vertices, count, &query_count);
    if (err) return err;
    sc_cloak *cloak = sc__candidate_new(engine, stars, mask, words, query_count);
    if (!cloak) return SC_ENOMEM;
    err = keep_demands(engine, cloak);
    if (err) {
        sc_cloak_free(cloak);
        return err;
    }
    for (size_t i = 0; i < query_count; i++) {
        const sc__slot slot = engine->scratch.placed[i].slot;
        const sc__slot vertex = sc__pending_at(engine, slot)->vertex;
        sc__make_member(engine, cloak, i, slot, sc__vertex_at(engine, vertex)->star);
    }
    if (sc__candidate_of(cloak)->kept) {
        sc__kept_demands_fill(sc__candidate_of(cloak)->kept, cloak);
    }
    for (size_t i = 0; i < count; i++) {
        sc__graph_drop_vertex(engine, vertices[i]);
    }
    sc__offer(engine, cloak);
    return SC_OK;
}

// --- Accepted or refused -----------------------------------------------------

sc_cloak *sc_engine_take_candidate(sc_engine *engine)
{
    sc_cloak *cloak = engine->first_candidate;
    if (!cloak) return NULL;
    engine->first_candidate = sc__candidate_of(cloak)->next;
    if (!engine->first_candidate) engine->last_candidate = NULL;
    sc__candidate_of(cloak)->next = NULL;
    return cloak;
}

/** The query of that id, if it is proposed in this very cloak; else SC_NONE. */
static sc__slot find_member(const sc_engine *engine, const sc_cloak *cloak, const sc_query_id *id)
{
    const uint64_t proposal = ((const sc__candidate *)cloak)->proposal;
    const sc__slot slot = sc__ids_find(&engine->ids, &engine->pending, id);
    if (slot == SC_NONE) return SC_NONE;
    const sc__pending *query = sc__pending_at(engine, slot);
    const bool is_here = query->state == SC__PROPOSED && query->proposal == (uint32_t)proposal;
    return is_here ? slot : SC_NONE;
}

/**
 * List the members of a proposal in the engine's scratch, in the order in which they were
 * added. The cloak has been in other hands: false if it is not of this engine, or has a
 * member twice. Needs no memory, since its making has needed as much.
 */
static bool list_members(sc_engine *engine, const sc_cloak *cloak)
{
    const sc__scratch *scratch = &engine->scratch;
    const size_t count = cloak->member_count;
    if (cloak->engine != engine || count == 0 || count > scratch->placed_capacity) return false;
    for (size_t i = 0; i < count; i++) {
        const sc__slot slot = find_member(engine, cloak, &cloak->members[i].query.id);
        if (slot == SC_NONE) return false;
        scratch->placed[i] = (sc__placed){sc__pending_at(engine, slot)->order, slot};
    }
    sc__placed_sort(scratch->placed, count);
    for (size_t i = 1; i < count; i++) {
        if (scratch->placed[i].slot == scratch->placed[i - 1].slot) return false;
    }
    return true;
}

/** A member leaves the proposal: no longer counted as proposed. */
static void let_go(sc_engine *engine, const sc__pending *query)
{
    if (query->is_company) {
        engine->stats.company_held--;
    } else {
        engine->stats.proposed--;
    }
}

/** A claim, and all that it points to but what is the cloak's: one block of memory. */
typedef struct claim_block {
    sc_claim claim;
    sc_claim_demands demands;
    sc_claim_member *members;
    sc_claim_own *own;  ///< as many
    sc_claim_part *parts;
    size_t size;  ///< of the block, to be wiped
} claim_block;

static const sc_query *query_of(const sc_engine *engine, const sc_query_id *id)
{
    return &sc__pending_at(engine, sc__ids_find(&engine->ids, &engine->pending, id))->query;
}

static claim_block *new_block(const sc_engine *engine, const sc_cloak *cloak)
{
    size_t part_count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_own_demands *own = query_of(engine, &cloak->members[i].query.id)->own;
        if (own && own->has_reached) part_count += own->reached_count;
    }
    claim_block *block = NULL;
    const size_t size = sizeof *block +
                        cloak->member_count * (sizeof *block->members + sizeof *block->own) +
                        part_count * sizeof *block->parts;
    block = sc_malloc(size);
    if (!block) return NULL;
    block->size = size;
    block->members = (sc_claim_member *)(block + 1);
    block->own = (sc_claim_own *)(block->members + cloak->member_count);
    block->parts = (sc_claim_part *)(block->own + cloak->member_count);
    return block;
}

/** What a member asks itself; its parts come to stand at `*parts`, which moves on behind them. */
static sc_claim_own claim_own(const sc_own_demands *own, sc_claim_part **parts)
{
    sc_claim_own out = {.zone = own->zone, .zone_count = own->zone_count};
    if (!own->has_reached) return out;
    out.has_reached = true;
    out.reached = *parts;
    out.reached_count = own->reached_count;
    for (size_t i = 0; i < own->reached_count; i++) {
        *(*parts)++ = (sc_claim_part){own->reached[i].segment, own->reached[i].part};
    }
    return out;
}

static void fill_block(const sc_engine *engine, const sc_cloak *cloak, sc_time now,
                       claim_block *block)
{
    const sc_demands *demands = &engine->options.demands;
    sc_claim_part *parts = block->parts;
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc_query *query = query_of(engine, &cloak->members[i].query.id);
        block->members[i] = (sc_claim_member){
            .user = query->user,
            .segment = query->segment,
            .star = cloak->members[i].star,
            .k = query->k,
            .l = query->l,
            .max_hops = query->max_hops,
            .deadline_us = query->deadline,
            .own = query->own ? &block->own[i] : NULL,
        };
        if (query->own) block->own[i] = claim_own(query->own, &parts);
    }
    block->demands = (sc_claim_demands){.density = demands->density,
                                        .traffic = demands->traffic,
                                        .is_strict = demands->is_strict,
                                        .classes = demands->classes};
    block->claim = (sc_claim){
        .stars = cloak->stars,
        .star_count = cloak->star_count,
        .segments = cloak->segments,
        .segment_count = cloak->segment_count,
        .border_nodes = cloak->border_nodes,
        .border_node_count = cloak->border_node_count,
        .members = block->members,
        .member_count = cloak->member_count,
        .t_us = now,
        .demands = &block->demands,
    };
}

/**
 * Let the verifier check a proposal. The needs of members are taken from the engine's own memory,
 * not from the cloak, which has been in other hands. The verifier shares nothing with the engine,
 * so it gets the cloak as a claim.
 *
 * @return SC_OK, SC_EBROKEN (counted), SC_ENOMEM
 */
static sc_err verify(sc_engine *engine, const sc_cloak *cloak, sc_time now, sc_diag *diag)
{
    claim_block *block = new_block(engine, cloak);
    if (!block) return sc_fail_memory(diag, "checking a cloak");
    fill_block(engine, cloak, now, block);
    unsigned broken = 0;
    sc_err err = sc_verifier_check_claim(engine->verifier, &block->claim, &broken, diag);
    sc_free_wiped(block, block->size, 1);
    if (!err && broken != 0) {
        engine->stats.broken++;
        err = SC_EBROKEN;
    }
    return err;
}

sc_err sc_engine_accept(sc_engine *engine, const sc_cloak *cloak, sc_time now, sc_diag *diag)
{
    const sc__placed *members = engine->scratch.placed;
    // The caller may have read the clock before the engine did.
    if (now < engine->now) now = engine->now;
    if (!list_members(engine, cloak)) {
        return sc_fail(diag, SC_EINVAL, "accept: this is not a proposal of this engine");
    }
    if (!cloak->is_pruned) {
        return sc_fail(diag, SC_EINVAL,
                       "accept: the candidate has not been pruned; prune it first");
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        if (sc__pending_at(engine, members[i].slot)->query.deadline < now) {
            return sc_fail(diag, SC_ELATE, "accept: a member's deadline has passed; refuse it");
        }
    }
    if (engine->verifier) {
        const sc_err err = verify(engine, cloak, now, diag);
        if (err) return err;
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc__pending *query = sc__pending_at(engine, members[i].slot);
        let_go(engine, query);
        if (query->is_company) {
            engine->stats.company_accepted++;
        } else {
            engine->stats.accepted++;
        }
        sc__forget(engine, members[i].slot);
    }
    engine->stats.cloaks++;
    return SC_OK;
}

sc_err sc_engine_refuse(sc_engine *engine, const sc_cloak *cloak, const sc_query_id *gone,
                        size_t gone_count)
{
    const sc__placed *members = engine->scratch.placed;
    if (!list_members(engine, cloak)) return SC_EINVAL;
    for (size_t i = 0; i < gone_count; i++) {
        const sc__slot slot = find_member(engine, cloak, &gone[i]);
        if (slot != SC_NONE) sc__pending_at(engine, slot)->is_gone = true;
    }
    for (size_t i = 0; i < cloak->member_count; i++) {
        const sc__slot slot = members[i].slot;
        const sc__pending *query = sc__pending_at(engine, slot);
        let_go(engine, query);
        if (!query->is_gone) {
            sc__enqueue(engine, slot);
            continue;
        }
        if (!query->is_company) engine->stats.removed++;
        sc__forget(engine, slot);
    }
    engine->stats.refused++;
    return SC_OK;
}
