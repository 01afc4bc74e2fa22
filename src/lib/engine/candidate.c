// Candidates: what a search found, out of the graph and on its way. See candidate.h.
//
// Members stay known to the engine as proposed until the caller accepts or refuses
// the cloak; their moments leave the heap, since from now on the caller answers for
// the deadline (sc_engine_accept() tests it).
#include "engine/candidate.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "engine/cloak_make.h"
#include "engine/graph.h"

#include <stdlib.h>

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
    qsort(placed, count, sizeof *placed, compare_placed);
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
    sc__ids_expect(&engine->ids, &query->query.id);  // accepting will look for it
    sc__engine_moments_remove(&engine->moments, query->heap_at);
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

sc_err sc__propose(sc_engine *engine, const sc__slot *vertices, size_t count,
                   const sc_star_id *stars, const uint64_t *mask, size_t words)
{
    size_t segment_room;
    size_t query_count;
    const size_t star_count = measure(engine, stars, mask, words, &segment_room);
    const sc_err err = list_queries(engine, vertices, count, &query_count);
    if (err) return err;
    sc_cloak *cloak = sc_cloak_new(star_count, segment_room, query_count);
    if (!cloak) return SC_ENOMEM;

    cloak->engine = engine;
    sc__candidate_of(cloak)->proposal = engine->next_proposal++;
    sc__candidate_of(cloak)->is_whole = engine->options.variant == SC_VARIANT_XSTAR;
    fill_stars(cloak, stars, mask, words);
    for (size_t i = 0; i < query_count; i++) {
        const sc__slot slot = engine->scratch.placed[i].slot;
        const sc__slot vertex = sc__pending_at(engine, slot)->vertex;
        sc__make_member(engine, cloak, i, slot, sc__vertex_at(engine, vertex)->star);
    }
    for (size_t i = 0; i < count; i++) {
        sc__graph_drop_vertex(engine, vertices[i]);
    }
    sc__offer(engine, cloak);
    return SC_OK;
}
