// The counts of a run: open queries, distributions of whole numbers, and the two put together.
#include "sim/counts.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <math.h>
#include <string.h>

// === Open queries ===============================================================================
// Ids are keyed hashes, so that their own bits do as a hash.

struct sc_waits_slot {
    sc_query_id id;
    sc_wait wait;
    bool is_used;
};

static uint64_t hash_of(const sc_query_id *id)
{
    uint64_t bits = 0;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

#define SC_TABLE table
#define SC_TABLE_TYPE sc_waits
#define SC_TABLE_SLOT sc_waits_slot
#define SC_TABLE_KEY const sc_query_id *
#define SC_TABLE_IS_FREE(table, slot) (!(slot)->is_used)
#define SC_TABLE_HAS(table, slot, wanted) (memcmp(&(slot)->id, wanted, sizeof *(wanted)) == 0)
#define SC_TABLE_HASH(table, wanted) hash_of(wanted)
#define SC_TABLE_HASH_OF(table, slot) hash_of(&(slot)->id)
#include "base/table_template.h"

sc_err sc_waits_put(sc_waits *waits, const sc_query_id *id, sc_wait wait)
{
    if (!table_reserve(waits, waits->count + 1)) return SC_ENOMEM;
    table_put(waits, id, (sc_waits_slot){.id = *id, .wait = wait, .is_used = true});
    return SC_OK;
}

bool sc_waits_take(sc_waits *waits, const sc_query_id *id, sc_wait *out)
{
    sc_waits_slot *slot = table_find(waits, id);
    if (!slot) return false;
    *out = slot->wait;
    table_remove(waits, slot);
    return true;
}

void sc_waits_fini(sc_waits *waits)
{
    table_fini(waits);
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

sc_err sc_tally_init(sc_tally *tally)
{
    uint64_t *bins = sc_calloc(BIN_COUNT, sizeof *bins);
    if (!bins) return SC_ENOMEM;
    *tally = (sc_tally){.bins = bins};
    return SC_OK;
}

void sc_tally_fini(sc_tally *tally)
{
    sc_free(tally->bins);
    *tally = (sc_tally){0};
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

void sc_tally_add(sc_tally *tally, uint64_t value)
{
    tally->count++;
    tally->sum += value;
    if (value > tally->max) tally->max = value;
    tally->bins[bin_of(value)]++;
}

/** The least number that `percent` of all do not exceed; there is at least one. */
static double percentile(const sc_tally *tally, unsigned percent)
{
    const uint64_t rank = tally->count - tally->count * (100 - percent) / 100;
    uint64_t seen = 0;
    uint64_t bin = 0;
    for (; bin < BIN_COUNT - 1; bin++) {
        seen += tally->bins[bin];
        if (seen >= rank) break;
    }
    // The middle of the last bin may lie beyond all that was counted.
    return fmin(middle_of(bin), (double)tally->max);
}

sc_summary sc_tally_summary(const sc_tally *tally, double unit)
{
    if (tally->count == 0) return (sc_summary){0};
    return (sc_summary){
        .count = tally->count,
        .mean = (double)tally->sum / (double)tally->count * unit,
        .median = percentile(tally, 50) * unit,
        .p99 = percentile(tally, 99) * unit,
        .max = (double)tally->max * unit,
    };
}

// === All counts of a run ========================================================================

sc_err sc_books_init(sc_books *books, sc_run_window window)
{
    books->window = window;
    sc_err err = sc_tally_init(&books->wait_us);
    if (!err) err = sc_tally_init(&books->users);
    if (!err) err = sc_tally_init(&books->segments);
    if (!err) err = sc_tally_init(&books->border_nodes);
    if (!err) err = sc_tally_init(&books->stars);
    return err;
}

void sc_books_fini(sc_books *books)
{
    sc_waits_fini(&books->open);
    sc_tally_fini(&books->wait_us);
    sc_tally_fini(&books->users);
    sc_tally_fini(&books->segments);
    sc_tally_fini(&books->border_nodes);
    sc_tally_fini(&books->stars);
    sc_free(books->user_room);
    *books = (sc_books){0};
}

static bool counts(const sc_books *books, sc_time t)
{
    return sc_run_window_has(books->window, t);
}

sc_err sc_books_ask(sc_books *books, const sc_query_id *id, sc_wait wait)
{
    const sc_err err = sc_waits_put(&books->open, id, wait);
    if (err) return err;
    if (!books->has_begun) books->first_asked = books->last_ended = wait.since;
    books->has_begun = true;
    books->asked += counts(books, wait.since);
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

sc_err sc_books_cloak(sc_books *books, const sc_cloak *cloak, sc_time t)
{
    if (!counts(books, t)) return SC_OK;
    if (cloak->member_count > books->user_capacity) {
        uint64_t *room = sc_realloc_array(books->user_room, cloak->member_count, sizeof *room);
        if (!room) return SC_ENOMEM;
        books->user_room = room;
        books->user_capacity = cloak->member_count;
    }
    sc_tally_add(&books->users, count_users(books->user_room, cloak));
    sc_tally_add(&books->segments, cloak->segment_count);
    sc_tally_add(&books->border_nodes, cloak->border_node_count);
    sc_tally_add(&books->stars, cloak->star_count);
    return SC_OK;
}

sc_err sc_books_end(sc_books *books, const sc_query_id *id, sc_time t, bool is_cloaked,
                    sc_wait *wait)
{
    if (!sc_waits_take(&books->open, id, wait) || t < wait->since) return SC_EBROKEN;
    if (is_cloaked && counts(books, wait->since)) {
        sc_tally_add(&books->wait_us, (uint64_t)(t - wait->since));
    }
    books->last_ended = t;
    return SC_OK;
}

void sc_books_report(const sc_books *books, sc_run_report *report)
{
    report->queries = books->asked;
    report->cloaked = books->wait_us.count;
    report->cloaks = books->segments.count;
    report->wait_s = sc_tally_summary(&books->wait_us, 1e-6);
    report->users = sc_tally_summary(&books->users, 1);
    report->segments = sc_tally_summary(&books->segments, 1);
    report->border_nodes = sc_tally_summary(&books->border_nodes, 1);
    report->stars = sc_tally_summary(&books->stars, 1);
    report->virtual_s = (double)(books->last_ended - books->first_asked) * 1e-6;
}
