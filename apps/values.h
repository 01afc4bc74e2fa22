/**
 * @file values.h
 * @brief Values of options: numbers, words from a list; suggestions for mistyped words.
 *
 * "12x" is no number, and 0.5 is no count: what is not wholly understood is a
 * usage error that names the option and the value. None of these comes back
 * with a bad value.
 */
#ifndef SC_APPS_VALUES_H
#define SC_APPS_VALUES_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <starcloak/map.h>

/** The whole of `text` as a finite decimal number; false if it is not one. */
bool sc_text_to_number(const char *text, double *out);

/** The whole of `text` as a whole number, with k, M or G for thousands; false if not one. */
bool sc_text_to_count(const char *text, uint64_t *out);

/** A number within [min, max]; `option` is named in the complaint, as "--unit-m". */
double sc_value_number(const struct argp_state *state, const char *option, const char *text,
                       double min, double max);

/** A whole number within [min, max]: 20000, 20k, 10M. */
uint64_t sc_value_count(const struct argp_state *state, const char *option, const char *text,
                        uint64_t min, uint64_t max);

/** The place of `text` in `words`, which NULL ends. */
size_t sc_value_word(const struct argp_state *state, const char *option, const char *text,
                     const char *const *words);

/** "distance" or "time". */
sc_metric sc_value_metric(const struct argp_state *state, const char *option, const char *text);

/** A UTM zone as "16N" or "56S": its number, negative in the south. */
int sc_value_utm_zone(const struct argp_state *state, const char *option, const char *text);

/** The name of a file, which must not be empty. Returns it. */
const char *sc_value_file(const struct argp_state *state, const char *option, const char *text);

/** Where a map goes, from -o: it must be given, and must not be a terminal. */
void sc_value_output(const struct argp_state *state, const char *path);

// --- Suggestions for mistyped words: "did you mean ...?" ----------------------------------------

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
