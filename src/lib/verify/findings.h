/**
 * @file findings.h
 * @brief What doubting has come to: how much was looked at, how much was wrong, and the words.
 *
 * Everything that is looked at is looked at in pieces (a member, a cloak, an
 * event); a piece counts once, and is wrong at most once, so `violated` never
 * exceeds `checked`. docs/verify.md lists the pieces of each promise.
 *
 * Uses: verify.h. Used by: verifier, follow, answers.
 */
#ifndef SC_VERIFY_FINDINGS_H
#define SC_VERIFY_FINDINGS_H

#include <starcloak/verify.h>

#include "base/diag.h"

typedef struct sc_findings {
    uint64_t checked[SC_PROMISE_COUNT];
    uint64_t violated[SC_PROMISE_COUNT];

    /** Hears every violation as a sentence. */
    void (*tell)(void *context, sc_promise promise, const char *sentence);

    /** What sentences call a member of the claim that is looked at; NULL: "member 3". */
    sc_quoted (*member_name)(void *context, size_t member);
    void *context;
} sc_findings;

/** One more piece was looked at. */
static inline void sc__looked_at(sc_findings *findings, sc_promise promise)
{
    findings->checked[promise]++;
}

/** The piece last looked at is wrong, in these words. */
void sc__wrong(sc_findings *findings, sc_promise promise, const char *format, ...) SC_PRINTF(3, 4);

#endif
