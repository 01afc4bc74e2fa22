/**
 * @file breaker.h
 * @brief Leaves a provider alone that fails again and again, and finds out when it is back.
 *
 *                 failures in a row                     the pause is over
 *     CLOSED ----------------------------> OPEN ---------------------------+
 *       ^                                   ^                              v
 *       |                                   +------ it went badly ---- HALF_OPEN
 *       +------------------ it went well -------------------------- (one on trial)
 *
 * Closed, every errand may go; open, none; half open, a single one that is on trial. What is on
 * trial may end without a word about the provider (nothing was asked): then the next one is.
 *
 * Those who went while it was closed may come back later. What they say then counts no more: only
 * the one on trial closes it.
 *
 * Pure: the time is passed in. The courier calls it under its lock.
 */
#ifndef SC_COURIER_BREAKER_H
#define SC_COURIER_BREAKER_H

#include <stdbool.h>
#include <stdint.h>

typedef enum sc__breaker_state {
    SC__BREAKER_CLOSED,
    SC__BREAKER_OPEN,
    SC__BREAKER_HALF_OPEN
} sc__breaker_state;

/** What an errand tells about the provider. */
typedef enum sc__verdict { SC__WENT_WELL, SC__WENT_BADLY, SC__NO_VERDICT } sc__verdict;

typedef struct sc__breaker {
    unsigned failures_to_open;  ///< in a row; 0: it never opens
    int64_t pause_us;
    sc__breaker_state state;
    unsigned failures;    ///< in a row, while closed
    int64_t until_us;     ///< of OPEN: when the pause is over
    uint64_t times_open;  ///< how often it went from closed to open
} sc__breaker;

sc__breaker sc__breaker_new(unsigned failures_to_open, int64_t pause_us);

/** Whether one may go now. `*is_trial` is set to whether it is the one on trial. */
bool sc__breaker_admit(sc__breaker *breaker, int64_t now_us, bool *is_trial);

/** Whether none would be admitted now. After the pause one would: so a caller that waits for this
 * to end before sending does not wait for ever. */
bool sc__breaker_is_shut(const sc__breaker *breaker, int64_t now_us);

/** Whether one who was admitted may try once more. */
bool sc__breaker_may_go_on(const sc__breaker *breaker, bool is_trial);

/** One who was admitted is back. */
void sc__breaker_report(sc__breaker *breaker, int64_t now_us, bool is_trial, sc__verdict verdict);

#endif
