/**
 * @file retry.h
 * @brief Whether to try again, and when: a growing pause with jitter, never beyond the deadline.
 *
 * The pause doubles from one try to the next, so that a provider that is down is not hammered, and
 * half of it is drawn, so that what failed together does not come back together. A provider that
 * says how long it will be busy is believed as far as the deadline allows.
 *
 * Pure: told the time and the luck. Used by: wire, points.
 */
#ifndef SC_COURIER_RETRY_H
#define SC_COURIER_RETRY_H

#include <stdbool.h>
#include <stdint.h>

/** The pause after the first try, and the longest. */
#define SC__RETRY_FIRST_US 100000
#define SC__RETRY_LONGEST_US 3200000

/** There is no time for another try. */
#define SC__RETRY_NEVER INT64_MAX

/** Whether a reply of this status may be followed by a better one. */
bool sc__retry_may_help(int status);

/**
 * When to try again.
 *
 * @param tries   made so far, >= 1
 * @param told_us how long the provider wants to be left alone; 0: it did not say
 * @param luck    drawn from [0, 1)
 * @return a moment before the deadline, or SC__RETRY_NEVER
 */
int64_t sc__retry_at(unsigned tries, int64_t told_us, int64_t now_us, int64_t deadline_us,
                     double luck);

#endif
