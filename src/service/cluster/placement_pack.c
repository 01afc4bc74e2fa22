// Packing parts onto workers.
//
// The best packing is hard to find and not worth much: loads change, and each part that moves has
// its queries sent again. So parts without a worker go where they make the least of a load,
// heaviest first; then single parts move from a busy worker to one that is less busy with it than
// the first was; and where the busiest has only parts that are too heavy for that, it exchanges one
// for a lighter one. Each such step lowers the greater load of the two, hence, in the list of all
// loads from the greatest down, the first that changes: no packing comes twice, and it ends.
#include "cluster/placement.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/** What a move must lower a worker's load by, of the mean: for less it is not worth the trouble. */
static const double least_gain = 0.02;

/** What an idle part counts as, of the mean of all parts. */
static const double least_weight = 0.05;

/** A part on its way to a worker. */
typedef struct item {
    double weight;
    uint32_t part;
} item;

/** The state of one packing. */
typedef struct packing {
    uint32_t parts;
    const sc_placement_worker *workers;
    size_t worker_count;
    double *weights;  ///< of parts
    double *loads;    ///< of workers, per thread
    uint32_t *where;  ///< of parts: the number of a worker, or NOWHERE
    item *orphans;
    double little;  ///< a gain that is none
} packing;

#define NOWHERE UINT32_MAX

static double threads_of(const packing *b, size_t worker)
{
    return b->workers[worker].threads > 0 ? (double)b->workers[worker].threads : 1.0;
}

/** What a worker's load would be with so much more, or less. */
static double load_with(const packing *b, size_t worker, double more)
{
    return b->loads[worker] + more / threads_of(b, worker);
}

static uint32_t number_of(const packing *b, sc_peer peer)
{
    size_t low = 0;
    size_t high = b->worker_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (b->workers[middle].peer < peer) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const bool is_there = low < b->worker_count && b->workers[low].peer == peer;
    return is_there && peer != SC_PEER_NONE ? (uint32_t)low : NOWHERE;
}

/** The mean of the loads that are known; 0 if none is, or all are idle. */
static double mean_known(const double *loads, uint32_t parts)
{
    double sum = 0.0;
    uint32_t known = 0;
    for (uint32_t p = 0; p < parts; p++) {
        if (isnan(loads[p])) continue;
        sum += loads[p];
        known++;
    }
    return known > 0 ? sum / known : 0.0;
}

static void weigh(packing *b, const double *loads)
{
    const double mean = mean_known(loads, b->parts);
    double sum = 0.0;
    for (uint32_t p = 0; p < b->parts; p++) {
        // Where nothing is known, or all is idle, parts are alike.
        b->weights[p] =
            mean > 0 ? (isnan(loads[p]) ? mean : fmax(loads[p], least_weight * mean)) : 1.0;
        sum += b->weights[p];
    }
    double threads = 0.0;
    for (size_t w = 0; w < b->worker_count; w++) {
        threads += threads_of(b, w);
    }
    b->little = threads > 0 ? least_gain * sum / threads : 0.0;
}

static void bench_fini(packing *b)
{
    sc_free(b->weights);
    sc_free(b->loads);
    sc_free(b->where);
    sc_free(b->orphans);
}

/** All that is needed, with the parts where they are. False if memory is out. */
static bool bench_init(packing *b, const double *loads, uint32_t parts, const sc_peer *owners,
                       const sc_placement_worker *workers, size_t worker_count)
{
    *b = (packing){.parts = parts, .workers = workers, .worker_count = worker_count};
    b->weights = sc_malloc_array(parts, sizeof *b->weights);
    b->loads = sc_calloc(worker_count, sizeof *b->loads);
    b->where = sc_malloc_array(parts, sizeof *b->where);
    b->orphans = sc_malloc_array(parts, sizeof *b->orphans);
    if (!b->weights || !b->loads || !b->where || !b->orphans) {
        bench_fini(b);
        return false;
    }
    weigh(b, loads);
    for (uint32_t p = 0; p < parts; p++) {
        b->where[p] = number_of(b, owners[p]);
        if (b->where[p] != NOWHERE) {
            b->loads[b->where[p]] = load_with(b, b->where[p], b->weights[p]);
        }
    }
    return true;
}

static void put(packing *b, uint32_t part, uint32_t worker)
{
    if (b->where[part] != NOWHERE) {
        b->loads[b->where[part]] = load_with(b, b->where[part], -b->weights[part]);
    }
    b->loads[worker] = load_with(b, worker, b->weights[part]);
    b->where[part] = worker;
}

// --- Orphans -----------------------------------------------------------------------------------

static int heaviest_first(const void *left, const void *right)
{
    const item *a = left;
    const item *b = right;
    if (a->weight != b->weight) return a->weight < b->weight ? 1 : -1;
    return a->part < b->part ? -1 : a->part > b->part;
}

/** The worker that is least busy once it has so much more, other than `except`. */
static uint32_t idlest_with(const packing *b, double more, uint32_t except)
{
    uint32_t best = NOWHERE;
    for (uint32_t w = 0; w < b->worker_count; w++) {
        if (w == except) continue;
        if (best == NOWHERE || load_with(b, w, more) < load_with(b, best, more)) best = w;
    }
    return best;
}

static void place_orphans(packing *b)
{
    size_t count = 0;
    for (uint32_t p = 0; p < b->parts; p++) {
        if (b->where[p] == NOWHERE) {
            b->orphans[count++] = (item){.weight = b->weights[p], .part = p};
        }
    }
    qsort(b->orphans, count, sizeof *b->orphans, heaviest_first);
    for (size_t i = 0; i < count; i++) {
        put(b, b->orphans[i].part, idlest_with(b, b->orphans[i].weight, NOWHERE));
    }
}

// --- Steps -------------------------------------------------------------------------------------

/** A part goes to a worker, and perhaps another comes from there in return. */
typedef struct step {
    uint32_t part;
    uint32_t to;
    uint32_t in_return;  ///< NOWHERE: none
    double gain;         ///< by which the greater load of the two workers is lowered
} step;

/** What is gained if so much goes from one worker to another. */
static double gain_of(const packing *b, uint32_t from, uint32_t to, double weight)
{
    return b->loads[from] - fmax(load_with(b, from, -weight), load_with(b, to, weight));
}

/** The best move, from the busiest worker that has one: others do not lower the greatest load. */
static bool find_move(const packing *b, step *best)
{
    *best = (step){.part = NOWHERE, .in_return = NOWHERE};
    double busiest = 0.0;
    for (uint32_t p = 0; p < b->parts; p++) {
        const uint32_t from = b->where[p];
        if (b->loads[from] < busiest) continue;
        const uint32_t to = idlest_with(b, b->weights[p], from);
        const double gain = gain_of(b, from, to, b->weights[p]);
        if (gain <= b->little) continue;
        if (b->loads[from] > busiest || gain > best->gain) {
            busiest = b->loads[from];
            best->part = p;
            best->to = to;
            best->gain = gain;
        }
    }
    return best->part != NOWHERE;
}

static uint32_t busiest_of(const packing *b)
{
    uint32_t busiest = 0;
    for (uint32_t w = 1; w < b->worker_count; w++) {
        if (b->loads[w] > b->loads[busiest]) busiest = w;
    }
    return busiest;
}

/** The best exchange of the busiest worker's. */
static bool find_exchange(const packing *b, step *best)
{
    const uint32_t from = busiest_of(b);
    *best = (step){.part = NOWHERE, .gain = b->little};
    for (uint32_t p = 0; p < b->parts; p++) {
        if (b->where[p] != from) continue;
        for (uint32_t q = 0; q < b->parts; q++) {
            if (b->where[q] == from || b->weights[q] >= b->weights[p]) continue;
            const double gain = gain_of(b, from, b->where[q], b->weights[p] - b->weights[q]);
            if (gain <= best->gain) continue;
            *best = (step){.part = p, .to = b->where[q], .in_return = q, .gain = gain};
        }
    }
    return best->part != NOWHERE;
}

static void even_out(packing *b)
{
    step next;
    // As many steps as there are parts even out anything; more would only be toil.
    for (uint32_t i = 0; i < b->parts && (find_move(b, &next) || find_exchange(b, &next)); i++) {
        const uint32_t from = b->where[next.part];
        put(b, next.part, next.to);
        if (next.in_return != NOWHERE) put(b, next.in_return, from);
    }
}

// --- The whole ---------------------------------------------------------------------------------

size_t sc_placement_pack(const double *loads, uint32_t parts, sc_peer *owners,
                         const sc_placement_worker *workers, size_t worker_count, bool balance)
{
    packing b;
    if (!bench_init(&b, loads, parts, owners, workers, worker_count)) return SIZE_MAX;
    if (worker_count > 0) place_orphans(&b);
    if (worker_count > 1 && balance) even_out(&b);
    size_t moved = 0;
    for (uint32_t p = 0; p < parts; p++) {
        const sc_peer owner = b.where[p] == NOWHERE ? SC_PEER_NONE : workers[b.where[p]].peer;
        moved += owner != owners[p];
        owners[p] = owner;
    }
    bench_fini(&b);
    return moved;
}

double sc_placement_imbalance(const double *loads, uint32_t parts, const sc_peer *owners,
                              const sc_placement_worker *workers, size_t worker_count)
{
    if (worker_count == 0 || !(mean_known(loads, parts) > 0)) return 1.0;
    packing b;
    if (!bench_init(&b, loads, parts, owners, workers, worker_count)) return (double)NAN;
    double sum = 0.0;
    double threads = 0.0;
    double busiest = 0.0;
    for (size_t w = 0; w < worker_count; w++) {
        sum += b.loads[w] * threads_of(&b, w);
        threads += threads_of(&b, w);
        busiest = fmax(busiest, b.loads[w]);
    }
    bench_fini(&b);
    return sum > 0 ? busiest * threads / sum : 1.0;
}
