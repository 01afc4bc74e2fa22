/**
 * @file suggest.h
 * @brief "Did you mean ...?": the known word nearest to a mistyped one.
 *
 * Used by: command.c, and commands whose options take a word from a list.
 */
#ifndef SC_APPS_SUGGEST_H
#define SC_APPS_SUGGEST_H

#include <stddef.h>

/** The best guess so far. */
typedef struct sc_suggestion {
    const char *word;  ///< what was typed; borrowed
    const char *best;  ///< the nearest word offered, or NULL if none is near
    size_t distance;   ///< changes between the two
} sc_suggestion;

/** Begin without a guess. */
sc_suggestion sc_suggestion_for(const char *word);

/** Consider `candidate` (borrowed). The first of equally near ones stays. */
void sc_suggestion_offer(sc_suggestion *suggestion, const char *candidate);

#endif
