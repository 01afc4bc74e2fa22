/*
 * The distance counts the slips of a hand: a letter too many, too few, wrong,
 * or two neighbours swapped. A guess must not be wilder than the typing: it may
 * differ by a third of the word, and one letter is always forgiven.
 */
#include "suggest.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/** Commands and formats are short; what is longer is no slip of one of them. */
#define WORD_MAX 24

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Changes (a letter more, less, other, or two swapped) that turn `a` into `b`;
// SIZE_MAX if one is long.
static size_t word_distance(const char *a, const char *b)
{
    const size_t a_size = strlen(a);
    const size_t b_size = strlen(b);
    if (a_size > WORD_MAX || b_size > WORD_MAX) return SIZE_MAX;

    // cost[i][j]: from the first i letters of a to the first j of b.
    size_t cost[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_size; i++) {
        for (size_t j = 0; j <= b_size; j++) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            const size_t changed = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            cost[i][j] = least(changed, least(cost[i - 1][j], cost[i][j - 1]) + 1);
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a_size][b_size];
}

sc_suggestion sc_suggestion_for(const char *word)
{
    return (sc_suggestion){.word = word, .best = NULL, .distance = SIZE_MAX};
}

void sc_suggestion_offer(sc_suggestion *suggestion, const char *candidate)
{
    const size_t forgiven = 1 + strlen(candidate) / 3;
    const size_t distance = word_distance(suggestion->word, candidate);
    if (distance <= forgiven && distance < suggestion->distance) {
        suggestion->best = candidate;
        suggestion->distance = distance;
    }
}
