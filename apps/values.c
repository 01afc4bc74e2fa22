/*
 * Strict readers of option values. The locale is never set, so a decimal point
 * is a point; strtod() would also take blanks, "inf" and hexadecimal, so the
 * letters are looked at first.
 */
#include "values.h"

#include "command.h"
#include "format.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool sc_text_to_number(const char *text, double *out)
{
    if (text[0] == '\0' || strspn(text, "+-.0123456789eE") != strlen(text)) return false;
    char *end = NULL;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !isfinite(value)) return false;
    *out = value + 0.0;  // so that -0 is 0, and shown as that
    return true;
}

bool sc_text_to_count(const char *text, uint64_t *out)
{
    if (!isdigit((unsigned char)text[0])) return false;  // strtoull() takes "-1" and " 1"
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    if (errno != 0) return false;

    uint64_t factor = 1;
    switch (*end) {
    case 'k':
    case 'K':
        factor = 1000;
        break;
    case 'M':
        factor = 1000000;
        break;
    case 'G':
        factor = 1000000000;
        break;
    default:
        break;
    }
    if (factor > 1) end++;
    if (*end != '\0' || value > UINT64_MAX / factor) return false;
    *out = value * factor;
    return true;
}

/** "1,000,000", "0.1": the end of a range, as people write it. */
static const char *format_bound(char out[SC_FORMAT_SIZE], double bound)
{
    if (floor(bound) == bound) return sc_format_decimal(out, bound, 0);
    snprintf(out, SC_FORMAT_SIZE, "%g", bound);
    return out;
}

double sc_value_number(const struct argp_state *state, const char *option, const char *text,
                       double min, double max)
{
    double value = 0;
    if (!sc_text_to_number(text, &value)) {
        sc_usage_error(state, "%s: '%s' is not a number", option, text);
    }
    if (value < min || value > max) {
        char least[SC_FORMAT_SIZE];
        char most[SC_FORMAT_SIZE];
        format_bound(least, min);
        if (max >= HUGE_VAL) sc_usage_error(state, "%s: '%s' is below %s", option, text, least);
        sc_usage_error(state, "%s: '%s' is not in the range %s to %s", option, text, least,
                       format_bound(most, max));
    }
    return value;
}

uint64_t sc_value_count(const struct argp_state *state, const char *option, const char *text,
                        uint64_t min, uint64_t max)
{
    uint64_t value = 0;
    if (!sc_text_to_count(text, &value)) {
        sc_usage_error(state, "%s: '%s' is not a whole number (as 20000, 20k or 10M)", option,
                       text);
    }
    if (value < min || value > max) {
        char least[SC_FORMAT_SIZE];
        char most[SC_FORMAT_SIZE];
        sc_usage_error(state, "%s: '%s' is not in the range %s to %s", option, text,
                       sc_format_count(least, min), sc_format_count(most, max));
    }
    return value;
}

size_t sc_value_word(const struct argp_state *state, const char *option, const char *text,
                     const char *const *words)
{
    sc_suggestion suggestion = sc_suggestion_for(text);
    char list[256] = "";
    for (size_t i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0) return i;
        sc_suggestion_offer(&suggestion, words[i]);
        const size_t used = strlen(list);
        snprintf(list + used, sizeof(list) - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    if (suggestion.best) {
        sc_usage_error(state, "%s: unknown value '%s'; did you mean '%s'? Known values: %s", option,
                       text, suggestion.best, list);
    }
    sc_usage_error(state, "%s: unknown value '%s'; known values: %s", option, text, list);
}

sc_metric sc_value_metric(const struct argp_state *state, const char *option, const char *text)
{
    static const char *const metrics[] = {"distance", "time", NULL};
    return (sc_metric)sc_value_word(state, option, text, metrics);
}

int sc_value_utm_zone(const struct argp_state *state, const char *option, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const char hemisphere = (char)toupper((unsigned char)text[digits]);
    const long zone = digits == 1 || digits == 2 ? strtol(text, NULL, 10) : 0;
    const bool ended = (hemisphere == 'N' || hemisphere == 'S') && text[digits + 1] == '\0';
    if (!ended || zone < 1 || zone > 60) {
        sc_usage_error(state, "%s: '%s' is not a UTM zone, 1 to 60 with N or S (as 16N or 56S)",
                       option, text);
    }
    return hemisphere == 'S' ? (int)-zone : (int)zone;
}

const char *sc_value_file(const struct argp_state *state, const char *option, const char *text)
{
    if (text[0] == '\0') sc_usage_error(state, "%s: the name of the file is empty", option);
    return text;
}

void sc_value_output(const struct argp_state *state, const char *path)
{
    if (!path) {
        sc_usage_error(state, "no output given; add -o FILE.scm");
    } else if (strcmp(path, "-") == 0 && isatty(STDOUT_FILENO)) {
        sc_usage_error(state, "-o -: a map is not written to a terminal; add '> FILE.scm'");
    }
}

// --- Suggestions for mistyped words -------------------------------------------------------------
//
// The distance counts the slips of a hand: a letter too many, too few, wrong,
// or two neighbours swapped. A guess must not be wilder than the typing: it may
// differ by a third of the word, and one letter is always forgiven.

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
