// The counts of a run: open queries, distributions of whole numbers, and the two put together.
#include "sim/counts.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

// === Open queries ===============================================================================
// Ids are keyed hashes, so that their own bits do as a hash.

struct sc_pending_slot {
    sc_query_id id;
    sc_pending_query wait;
    bool is_used;
};

static uint64_t hash_of(const sc_query_id *id)
{
    uint64_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_pending_queries
#define SC_TABLE_SLOT sc_pending_slot
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) (!(slot)->is_used)
#define SC_TABLE_HAS(table, slot, wanted) (memcmp(&(slot)->id, wanted, sizeof *(wanted)) == 0)
#define SC_TABLE_HASH(table, wanted) hash_of(wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->id)
#include "base/table_template.h"

sc_err sc_pending_queries_put(sc_pending_queries *pending, const sc_query_id *id,
                              sc_pending_query wait)
{
    if (!table_reserve(pending, pending->count + 1)) return SC_ENOMEM;
    table_put(pending, id, (sc_pending_slot){.id = *id, .wait = wait, .is_used = true});
    return SC_OK;
}

bool sc_pending_queries_take(sc_pending_queries *pending, const sc_query_id *id,
                             sc_pending_query *out)
{
    sc_pending_slot *slot = table_find(pending, id);
    if (!slot) return false;
    *out = slot->wait;
    table_remove(pending, slot);
    return true;
}

void sc_pending_queries_fini(sc_pending_queries *pending)
{
    table_fini(pending);
}

// === Distributions ==============================================================================
// A number below 2^11 is its own bin. A larger one is shifted right until 11 bits are left, the
// highest of them set: the shift says which block of 1,024 bins, the lower ten bits which of them.
//
//     bins      0 .. 2047    numbers 0 .. 2047, one each
//     bins   2048 .. 3071    numbers 2048 .. 4095, two each (shift 1)
//     bins   3072 .. 4095    numbers 4096 .. 8191, four each (shift 2)
//     ...

/** Bits of a number that a bin tells apart. */
#define EXACT_BITS 11
#define HALF ((uint64_t)1 << (EXACT_BITS - 1))
#define BIN_COUNT ((64 - EXACT_BITS + 2) * HALF)

sc_err sc_distribution_init(sc_distribution *distribution)
{
    uint64_t *bins = sc_calloc(BIN_COUNT, sizeof *bins);
    if (!bins) return SC_ENOMEM;
    *distribution = (sc_distribution){.bins = bins};
    return SC_OK;
}

void sc_distribution_fini(sc_distribution *distribution)
{
    sc_free(distribution->bins);
    *distribution = (sc_distribution){0};
}

static uint64_t bin_of(uint64_t value)
{
    if (value < 2 * HALF) return value;
    const unsigned shift = 64 - EXACT_BITS - (unsigned)__builtin_clzll(value);
    return shift * HALF + (value >> shift);
}

/** The middle of a bin: the number itself where the bin holds only one. */
static double middle_of(uint64_t bin)
{
    if (bin < 2 * HALF) return (double)bin;
    const unsigned shift = (unsigned)(bin / HALF - 1);
    const uint64_t least = (bin - shift * HALF) << shift;
    const uint64_t width = (uint64_t)1 << shift;
    return (double)least + (double)(width - 1) / 2;
}

void sc_distribution_add(sc_distribution *distribution, uint64_t value)
{
    distribution->count++;
    distribution->sum += value;
    if (value > distribution->max) distribution->max = value;
    distribution->bins[bin_of(value)]++;
}

/** The least number that `percent` of all do not exceed; there is at least one. */
static double percentile(const sc_distribution *distribution, unsigned percent)
{
    const uint64_t rank = distribution->count - distribution->count * (100 - percent) / 100;
    uint64_t seen = 0;
    uint64_t bin = 0;
    for (; bin < BIN_COUNT - 1; bin++) {
        seen += distribution->bins[bin];
        if (seen >= rank) break;
    }
    // The middle of the last bin may lie beyond all that was counted.
    return fmin(middle_of(bin), (double)distribution->max);
}

sc_summary sc_distribution_summary(const sc_distribution *distribution, double unit)
{
    if (distribution->count == 0) return (sc_summary){0};
    return (sc_summary){
        .count = distribution->count,
        .mean = (double)distribution->sum / (double)distribution->count * unit,
        .median = percentile(distribution, 50) * unit,
        .p99 = percentile(distribution, 99) * unit,
        .max = (double)distribution->max * unit,
    };
}

// === All counts of a run ========================================================================

sc_err sc_run_counts_init(sc_run_counts *counts, sc_run_window window)
{
    counts->window = window;
    sc_err err = sc_distribution_init(&counts->wait_us);
    if (!err) err = sc_distribution_init(&counts->users);
    if (!err) err = sc_distribution_init(&counts->segments);
    if (!err) err = sc_distribution_init(&counts->border_nodes);
    if (!err) err = sc_distribution_init(&counts->stars);
    return err;
}

void sc_run_counts_fini(sc_run_counts *counts)
{
    sc_pending_queries_fini(&counts->open);
    sc_distribution_fini(&counts->wait_us);
    sc_distribution_fini(&counts->users);
    sc_distribution_fini(&counts->segments);
    sc_distribution_fini(&counts->border_nodes);
    sc_distribution_fini(&counts->stars);
    sc_free(counts->user_room);
    *counts = (sc_run_counts){0};
}

static bool is_counted(const sc_run_counts *counts, sc_time t)
{
    return sc_run_window_has(counts->window, t);
}

sc_err sc_run_counts_query(sc_run_counts *counts, const sc_query_id *id, sc_pending_query wait)
{
    const sc_err err = sc_pending_queries_put(&counts->open, id, wait);
    if (err) return err;
    if (!counts->has_begun) counts->first_asked = counts->last_ended = wait.since;
    counts->has_begun = true;
    counts->asked += is_counted(counts, wait.since);
    return SC_OK;
}

/** How many different users a cloak hides. There is room for all its members. */
static size_t count_users(uint64_t *room, const sc_cloak *cloak)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        room[i] = cloak->members[i].query.user;
    }
    return sc_sort_count_different(room, cloak->member_count);
}

sc_err sc_run_counts_cloak(sc_run_counts *counts, const sc_cloak *cloak, sc_time t)
{
    if (!is_counted(counts, t)) return SC_OK;
    if (cloak->member_count > counts->user_capacity) {
        uint64_t *room = sc_realloc_array(counts->user_room, cloak->member_count, sizeof *room);
        if (!room) return SC_ENOMEM;
        counts->user_room = room;
        counts->user_capacity = cloak->member_count;
    }
    sc_distribution_add(&counts->users, count_users(counts->user_room, cloak));
    sc_distribution_add(&counts->segments, cloak->segment_count);
    sc_distribution_add(&counts->border_nodes, cloak->border_node_count);
    sc_distribution_add(&counts->stars, cloak->star_count);
    return SC_OK;
}

sc_err sc_run_counts_end(sc_run_counts *counts, const sc_query_id *id, sc_time t, bool is_cloaked,
                         sc_pending_query *wait)
{
    if (!sc_pending_queries_take(&counts->open, id, wait) || t < wait->since) return SC_EBROKEN;
    if (is_cloaked && is_counted(counts, wait->since)) {
        sc_distribution_add(&counts->wait_us, (uint64_t)(t - wait->since));
    }
    counts->last_ended = t;
    return SC_OK;
}

void sc_run_counts_report(const sc_run_counts *counts, sc_run_report *report)
{
    report->queries = counts->asked;
    report->cloaked = counts->wait_us.count;
    report->cloaks = counts->segments.count;
    report->wait_s = sc_distribution_summary(&counts->wait_us, 1e-6);
    report->users = sc_distribution_summary(&counts->users, 1);
    report->segments = sc_distribution_summary(&counts->segments, 1);
    report->border_nodes = sc_distribution_summary(&counts->border_nodes, 1);
    report->stars = sc_distribution_summary(&counts->stars, 1);
    report->virtual_s = (double)(counts->last_ended - counts->first_asked) * 1e-6;
}
