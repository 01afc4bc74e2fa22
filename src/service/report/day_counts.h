/**
 * @file day_counts.h
 * @brief What is counted of a day's queries for the privacy report: how they ended, which k and l
 * were asked and given, how many segments their cloaks were worth.
 *
 * Counts in bins, of all queries together; nothing of a query, and no time but the day. A
 * distribution is a group; its bins have names, which are the members of its JSON.
 */
#ifndef SC_REPORT_DAY_COUNTS_H
#define SC_REPORT_DAY_COUNTS_H

#include "base/json_tree.h"
#include "base/json_write.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** How a query ends, in the order of the report: reasons of dropping, then of failing. */
#define SC_REPORT_OUTCOME_MAP(X)                                                             \
    X(ANSWERED, "answered")                                                                  \
    X(WITHDRAWN, "withdrawn")                                                                \
    X(EXPIRED, "expired")                                                                    \
    X(INFEASIBLE, "infeasible")                                                              \
    X(EXPOSED, "exposed")                                                                    \
    X(RARE_REQUEST, "rare-request")                                                          \
    X(PROVIDER, "failed-provider") /* it did not answer, or in a way that is not believed */ \
    X(OVERLOADED, "failed-overloaded")                                                       \
    X(IN_DOUBT, "failed-in-doubt")                                                           \
    X(STOPPED, "failed-stopped")                                                             \
    X(UNSENT, "failed-not-sent-in-time")                                                     \
    X(COSTLY, "failed-too-costly")

typedef enum sc_report_outcome {
#define X(name, word) SC_REPORT_##name,
    SC_REPORT_OUTCOME_MAP(X)
#undef X
        SC_REPORT_OUTCOMES
} sc_report_outcome;

typedef enum sc_count_group {
    SC_COUNT_QUERIES,  ///< by outcome
    SC_COUNT_K_ASKED,  ///< of all queries, as the next but one
    SC_COUNT_K_GIVEN,  ///< users of the cloak, of answered queries
    SC_COUNT_L_ASKED,
    SC_COUNT_L_GIVEN,    ///< segments of the cloak, of answered queries
    SC_COUNT_EFFECTIVE,  ///< effective segments (density.h), of cloaks
    SC_COUNT_BELOW,      ///< answered queries whose cloak had fewer than was asked: always 0
    SC_COUNT_GROUPS,
} sc_count_group;

enum {
    SC_COUNT_SIZES = 10,  ///< bins of k and l
    SC_COUNT_EFFECTIVE_SIZES = 8,
    SC_COUNT_BELOW_K = 0,
    SC_COUNT_BELOW_L = 1,
    SC_COUNTS = SC_REPORT_OUTCOMES + 4 * SC_COUNT_SIZES + SC_COUNT_EFFECTIVE_SIZES + 2,
};

/** All counts, group after group. */
typedef struct sc_day_counts {
    uint64_t of[SC_COUNTS];
} sc_day_counts;

/** Name, title for people, and bins of a group. */
typedef struct sc_count_group_names {
    const char *name;
    const char *title;
    const char *const *bins;
    size_t count;
    size_t first;  ///< of `of`
} sc_count_group_names;

const sc_count_group_names *sc_count_group_of(sc_count_group group);

/** The bin of a k, an l, or a number of users or segments, within its group. */
size_t sc_count_size_bin(uint32_t number);
size_t sc_count_effective_bin(double segments);

uint64_t sc_day_counts_sum(const sc_day_counts *counts, sc_count_group group);
void sc_day_counts_add(sc_day_counts *to, const sc_day_counts *counts);

/** As the member `name`: an object with an object for each group, all bins named, in their order.
 */
void sc_day_counts_write(sc_json_writer *json, const char *name, const sc_day_counts *counts);

/** False: something is missing, is too much, or is no count below 2^53. */
bool sc_day_counts_read(const sc_json_value *value, sc_day_counts *out);

// --- Days, in UTC --------------------------------------------------------------------------------

enum { SC_DAY_TEXT_SIZE = 16 };

/** Days since 1970 of a time in seconds; not before that. */
int64_t sc_day_of(int64_t time_s);

/** "2026-11-18" */
const char *sc_day_text(int64_t day, char out[SC_DAY_TEXT_SIZE]);

/** False: it is no day from 1970 to 9999, written so. */
bool sc_day_read(const char *text, int64_t *out);

#endif
