// Likelihoods from replays.
//
// What is wanted is the likelihood of each place p of S for one certain stranger, the victim:
//
//     L(p) = sum over all (x1, ..., xn) with x1 = p of w(x1) ... w(xn) E[likeness of 1 | x]
//
// where x says where the n strangers are, the victim first, w is the density, and E is over all
// dice: the needs that are dealt out, the order in which all come, and those of the method. Because
// needs and order are dealt at random, strangers are exchangeable: what happens to stranger i in
// placement x happens to stranger 1 as often where the two have changed places. So the sum is the
// same for each stranger in the role of the victim, and the mean over all n is
//
//     L(p) = sum over all x of w(x1) ... w(xn) / n  E[sum of the likenesses of all at p | x]
//
// in which x occurs with all its orderings, and all of them have the same weight and expectation.
// So with m the multiset of x, and weight(m) the multinomial one of placements.h,
//
//     L(p) = sum over all m of weight(m) / n  E[sum of the likenesses of all at p | m].
//
// One replay per placement so tells of all n strangers at once. Enumerating adds up exactly that,
// with one outcome in place of the expectation; drawing placements by their weights gives each
// replay the same expectation as the whole sum.
#include "attack/estimate.h"

#include "attack/placements.h"
#include "base/alloc.h"
#include "base/parallel.h"

/** Replays of a chunk, at least: some milliseconds, so that handing it out costs nothing. */
enum { CHUNK_SIZE = 256 };

/** Chunks in all, about: enough for many processors, and few enough for the memory of their rows.
 */
enum { CHUNKS = 256 };

/** An estimation under way. */
typedef struct effort {
    const sc__estimation *all;
    size_t chunk_count;  ///< of each batch
    sc__draws draws;     ///< where placements are drawn

    // By chunk, batch after batch.
    double *rows;
    uint64_t *fruitful;
} effort;

uint64_t sc__seed_mix(uint64_t seed, uint64_t number)
{
    // The finalizer of splitmix64: every bit of the result depends on every bit of `x`. The seed is
    // mixed before the number comes, else number 1 of one seed could be number 2 of the next.
    uint64_t x = seed + 0x9e3779b97f4a7c15u;
    for (int round = 0; round < 2; round++) {
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
        if (round == 0) x ^= number;
    }
    return x;
}

// --- A chunk ---------------------------------------------------------------------

/** A chunk and who does it. */
typedef struct chunk {
    const effort *effort;
    sc__replayer *replayer;
    uint64_t first;  ///< replays [first, end) of the batch
    uint64_t end;
    double *row;
    uint64_t fruitful;
    const atomic_bool *is_over;
} chunk;

static bool is_over(const chunk *c)
{
    return atomic_load_explicit(c->is_over, memory_order_relaxed);
}

static sc_err place_one(chunk *c)
{
    const sc__estimation *all = c->effort->all;
    const size_t place_count = all->setup->sighting->segment_count;
    sc_err err = SC_OK;
    for (uint64_t i = c->first; !err && i < c->end && !is_over(c); i++) {
        const uint32_t place = (uint32_t)(i % place_count);
        err = sc__replay_one(c->replayer, all->setup, place, all->weights[place], c->row,
                             &c->fruitful);
    }
    return err;
}

static sc_err enumerate(chunk *c)
{
    const sc__estimation *all = c->effort->all;
    const size_t place_count = all->setup->sighting->segment_count;
    const size_t count = all->setup->sighting->stranger_count;
    uint32_t *at = c->replayer->at;
    sc_err err = SC_OK;
    // A batch may go over all placements more than once: behind the last comes the first.
    sc__placement_at(c->first % sc__placement_count(place_count, count), place_count, count, at);
    for (uint64_t i = c->first; !err && i < c->end && !is_over(c); i++) {
        const double share = sc__placement_weight(all->weights, count, at) / (double)count;
        err = sc__replay_all(c->replayer, all->setup, at, share, c->row, &c->fruitful);
        (void)sc__placement_next(place_count, count, at);
    }
    return err;
}

static sc_err sample(chunk *c)
{
    const sc__estimation *all = c->effort->all;
    const size_t count = all->setup->sighting->stranger_count;
    const double share = 1.0 / (double)count;
    uint32_t *at = c->replayer->at;
    sc_err err = SC_OK;
    for (uint64_t i = c->first; !err && i < c->end && !is_over(c); i++) {
        for (size_t j = 0; j < count; j++) {
            at[j] = sc__draw(&c->effort->draws, &c->replayer->rng);
        }
        err = sc__replay_all(c->replayer, all->setup, at, share, c->row, &c->fruitful);
    }
    return err;
}

static sc_err replay_chunk(chunk *c)
{
    switch (c->effort->all->method) {
    case SC__SINGLE:
        return place_one(c);
    case SC__ENUMERATE:
        return enumerate(c);
    case SC__SAMPLE:
        return sample(c);
    }
    return SC_EINVAL;
}

static sc_err do_chunk(void *context, unsigned thread, size_t item, const atomic_bool *over)
{
    const effort *e = context;
    const sc__estimation *all = e->all;
    const uint64_t batch = item / e->chunk_count;
    const uint64_t number = item % e->chunk_count;
    // The first ones have one replay more, where it does not come out even.
    const uint64_t size = all->batch_size / e->chunk_count;
    const uint64_t more = all->batch_size % e->chunk_count;
    chunk c = {
        .effort = e,
        .replayer = all->replayers[thread],
        .first = number * size + (number < more ? number : more),
        .row = e->rows + item * all->setup->sighting->segment_count,
        .is_over = over,
    };
    c.end = c.first + size + (number < more);
    sc_rng_seed(&c.replayer->rng, sc__seed_mix(sc__seed_mix(all->seed, batch), number));
    const sc_err err = replay_chunk(&c);
    e->fruitful[item] = c.fruitful;
    return err;
}

// --- All of them -----------------------------------------------------------------

/** How many chunks a batch is cut into. The number of threads must not matter. */
static size_t chunks_of(const sc__estimation *all)
{
    const uint64_t most = all->batch_size / CHUNK_SIZE;
    const uint64_t wanted = (CHUNKS + all->batch_count - 1) / all->batch_count;
    const uint64_t count = most < wanted ? most : wanted;
    return count > 0 ? (size_t)count : 1;
}

static void effort_fini(effort *e)
{
    sc_free(e->rows);
    sc_free(e->fruitful);
    sc__draws_fini(&e->draws);
}

static bool effort_init(effort *e, const sc__estimation *all)
{
    const size_t place_count = all->setup->sighting->segment_count;
    *e = (effort){.all = all, .chunk_count = chunks_of(all)};
    const size_t item_count = all->batch_count * e->chunk_count;
    e->rows = sc_calloc(item_count, place_count * sizeof *e->rows);
    e->fruitful = sc_calloc(item_count, sizeof *e->fruitful);
    if (!e->rows || !e->fruitful) return false;
    return all->method != SC__SAMPLE || sc__draws_init(&e->draws, all->weights, place_count);
}

/** Add up the chunks of each batch, always in the same order, into the first rows. */
static void add_up(const effort *e)
{
    const size_t place_count = e->all->setup->sighting->segment_count;
    for (size_t batch = 0; batch < e->all->batch_count; batch++) {
        // No row before those of this batch is needed any more.
        double *sum = e->rows + batch * place_count;
        const double *row = e->rows + batch * e->chunk_count * place_count;
        for (size_t p = 0; p < place_count; p++) {
            sum[p] = row[p];
        }
        for (size_t i = 1; i < e->chunk_count; i++) {
            row += place_count;
            for (size_t p = 0; p < place_count; p++) {
                sum[p] += row[p];
            }
        }
    }
}

sc_err sc__estimate_init(sc__estimate *out, const sc__estimation *estimation)
{
    effort e;
    sc_err err = effort_init(&e, estimation) ? SC_OK : SC_ENOMEM;
    const size_t item_count = estimation->batch_count * e.chunk_count;
    const sc_parallel work = {.item_count = item_count, .run = do_chunk, .context = &e};
    if (!err) err = sc_parallel_run(&work, estimation->replayer_count);
    if (!err) {
        add_up(&e);
        *out = (sc__estimate){
            .likelihoods = {.rows = e.rows,
                            .batch_count = estimation->batch_count,
                            .place_count = estimation->setup->sighting->segment_count},
            .rows = e.rows,
        };
        for (size_t i = 0; i < item_count; i++) {
            out->fruitful += e.fruitful[i];
        }
        e.rows = NULL;
    }
    effort_fini(&e);
    return err;
}

void sc__estimate_fini(sc__estimate *estimate)
{
    sc_free(estimate->rows);
    *estimate = (sc__estimate){0};
}
