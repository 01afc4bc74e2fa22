/**
 * @file oom.h
 * @brief Letting every allocation fail, in turn.
 *
 *     FOR_EACH_FAILURE(n) {
 *         err = sc_thing_new(&thing);
 *         if (!oom_happened()) break;      // all were tried
 *         assert_int_equal(err, SC_ENOMEM);
 *     }
 *
 * The address sanitizer looks for what is then not freed.
 */
#ifndef SC_TESTS_SUPPORT_OOM_H
#define SC_TESTS_SUPPORT_OOM_H

#include "base/alloc.h"

/** Arm the allocator: allocation `n` fails, and all after it. */
static inline bool oom_arm(unsigned long n)
{
    sc_alloc_fail_at(n);
    return true;
}

/** Disarm it, and say whether something failed. */
static inline bool oom_happened(void)
{
    const bool happened = sc_alloc_has_failed();
    sc_alloc_fail_at(0);
    return happened;
}

// NOLINTNEXTLINE(bugprone-macro-parentheses): `n` is declared here
#define FOR_EACH_FAILURE(n) for (unsigned long n = 1; oom_arm(n); n++)

#endif
