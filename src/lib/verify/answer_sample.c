// A sample by lots. See query_states.h.
#include "verify/query_states.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

/**
 * How many are watched before some are let go. Many, since it is not known which of them will
 * ever be answered, and some records have no answers at all.
 */
enum { WATCHED_PER_WANTED = 4, WATCHED_AT_LEAST = 1 << 16 };

/** How many answers are kept before some are let go: letting go goes over all of them. */
enum { ANSWERED_PER_WANTED = 2 };

static bool is_barred(const sc_sample *sample, uint64_t lot)
{
    return sample->wanted == 0 || (sample->barred > 0 && lot >= sample->barred);
}

static uint64_t times(uint64_t count, uint64_t factor)
{
    return count < UINT64_MAX / factor ? count * factor : UINT64_MAX;
}

static uint64_t most_watched(const sc_sample *sample)
{
    const uint64_t most = times(sample->wanted, WATCHED_PER_WANTED);
    return most > WATCHED_AT_LEAST ? most : WATCHED_AT_LEAST;
}

static int compare_lots(const void *a, const void *b)
{
    const uint64_t left = *(const uint64_t *)a;
    const uint64_t right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

// Let one go; the last one takes its place.
static void let_go(sc_sample *sample, sc_query_table *ledger, size_t place)
{
    sc_watched *gone = &sample->watched[place];
    if (sc__query_table_fate(ledger, gone->number) == SC_END_WATCHED) {
        sc__query_table_settle(ledger, gone->number, SC_END_CLOAKED, gone->cloak);
    }
    sample->answered_count -= gone->is_answered;
    sc_free(gone->results);
    const size_t last = --sample->count;
    if (place == last) return;
    *gone = sample->watched[last];
    if (!gone->is_answered) sc__query_table_settle(ledger, gone->number, SC_END_WATCHED, place);
}

// Lower the limit of lots so that at most `most` of those watched (or of those answered)
// are below it, and let the others go.
static sc_err thin_out(sc_sample *sample, sc_query_table *ledger, bool of_answered, uint64_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sample->count; i++) {
        if (of_answered && !sample->watched[i].is_answered) continue;
        if (!sc_grow(&sample->lots, count, &sample->lot_capacity, sizeof *sample->lots)) {
            return SC_ENOMEM;
        }
        sample->lots[count++] = sample->watched[i].lot;
    }
    if (count <= most) return SC_OK;
    qsort(sample->lots, count, sizeof *sample->lots, compare_lots);
    sample->barred = sample->lots[most];
    for (size_t i = sample->count; i-- > 0;) {
        if (is_barred(sample, sample->watched[i].lot)) let_go(sample, ledger, i);
    }
    return SC_OK;
}

sc_err sc__sample_cloaked(sc_sample *sample, sc_query_table *ledger, uint32_t number, sc_key key,
                          uint64_t cloak)
{
    // Half of a hash of the id; 0 is left out so that "none is barred" has a value.
    const uint64_t lot = key.low | 1;
    if (!is_barred(sample, lot) && sample->count >= most_watched(sample)) {
        const sc_err err = thin_out(sample, ledger, false, most_watched(sample) / 2);
        if (err) return err;
    }
    if (is_barred(sample, lot)) {
        sc__query_table_settle(ledger, number, SC_END_CLOAKED, cloak);
        return SC_OK;
    }
    if (!sc_grow(&sample->watched, sample->count, &sample->capacity, sizeof *sample->watched)) {
        return SC_ENOMEM;
    }
    const sc_open_query *query = sc__query_table_open(ledger, number);
    sample->watched[sample->count] = (sc_watched){
        .lot = lot,
        .cloak = cloak,
        .number = number,
        .edge = query->edge,
        .offset_m = query->offset_m,
        .wish = query->wish,
        .name = query->name,
    };
    sc__query_table_settle(ledger, number, SC_END_WATCHED, sample->count++);
    return SC_OK;
}

uint64_t sc__sample_cloak(const sc_sample *sample, const sc_query_table *ledger, uint32_t number)
{
    const uint64_t word = sc__query_table_word(ledger, number);
    const bool is_watched = sc__query_table_fate(ledger, number) == SC_END_WATCHED;
    return is_watched ? sample->watched[word].cloak : word;
}

sc_err sc__sample_answered(sc_sample *sample, sc_query_table *ledger, uint32_t number,
                           uint64_t line, const sc_event_answer *answer)
{
    const bool is_watched = sc__query_table_fate(ledger, number) == SC_END_WATCHED;
    if (is_watched) {
        sc_watched *watched = &sample->watched[sc__query_table_word(ledger, number)];
        sc_event_result *results = sc_malloc_array(answer->result_count, sizeof *results);
        if (!results) return SC_ENOMEM;
        if (answer->result_count > 0) {
            memcpy(results, answer->results, answer->result_count * sizeof *results);
        }
        watched->is_answered = true;
        watched->line = line;
        watched->results = results;
        watched->result_count = answer->result_count;
        sample->answered_count++;
    }
    sc__query_table_settle(ledger, number, SC_END_ANSWERED, 0);
    const bool are_many = sample->answered_count > times(sample->wanted, ANSWERED_PER_WANTED);
    return is_watched && are_many ? thin_out(sample, ledger, true, sample->wanted) : SC_OK;
}

void sc__sample_dismiss(sc_sample *sample, sc_query_table *ledger, uint32_t number,
                        sc_query_end fate)
{
    if (sc__query_table_fate(ledger, number) == SC_END_WATCHED) {
        let_go(sample, ledger, sc__query_table_word(ledger, number));
    }
    sc__query_table_settle(ledger, number, fate, 0);
}

static int compare_lines(const void *a, const void *b)
{
    const sc_watched *left = a;
    const sc_watched *right = b;
    return (left->line > right->line) - (left->line < right->line);
}

sc_err sc__sample_close(sc_sample *sample, sc_query_table *ledger)
{
    for (size_t i = sample->count; i-- > 0;) {
        if (!sample->watched[i].is_answered) let_go(sample, ledger, i);
    }
    const sc_err err = thin_out(sample, ledger, true, sample->wanted);
    if (!err && sample->count > 1) {
        qsort(sample->watched, sample->count, sizeof *sample->watched, compare_lines);
    }
    return err;
}

void sc__sample_fini(sc_sample *sample)
{
    for (size_t i = 0; i < sample->count; i++) {
        sc_free(sample->watched[i].results);
    }
    sc_free(sample->watched);
    sc_free(sample->lots);
    *sample = (sc_sample){.wanted = sample->wanted};
}
