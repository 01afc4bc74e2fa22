/**
 * @file claims.h
 * @brief What the paper claims, and whether it holds here.
 *
 * The claims are taken apart into small statements that numbers can decide (paper_claims.c has them
 * all, and the rules of deciding in words, which the report repeats; claim_judge.c applies them). A
 * statement is judged on each map where it applies, and for each method it speaks of: that is a
 * claim. The bounded variant is judged in both its settings.
 */
#ifndef SC_LAB_CLAIMS_H
#define SC_LAB_CLAIMS_H

#include "lab/figures.h"

/** How a statement is judged; `each` and `other` are methods, see sc_lab_statement. */
typedef enum sc_lab_claim_kind {
    SC_LAB_CLAIM_ORDER,      ///< each is above (or below) the others, at the points of all figures
    SC_LAB_CLAIM_AT_END,     ///< the same where the axis ends
    SC_LAB_CLAIM_FROM,       ///< the same from a value of the axis on, everywhere beyond chance
    SC_LAB_CLAIM_MOSTLY,     ///< the same at most of the points
    SC_LAB_CLAIM_FACTOR,     ///< each is SC_LAB_CLAIM_TIMES times below the other
    SC_LAB_CLAIM_SIMILAR,    ///< each is near the other
    SC_LAB_CLAIM_TREND,      ///< each rises (or falls) along the axis
    SC_LAB_CLAIM_GAP,        ///< how far each is below the other rises along the axis
    SC_LAB_CLAIM_LESS_LOST,  ///< from the end of the axis to its beginning each loses less than the
                             ///< other
    SC_LAB_CLAIM_GAINS_MORE,  ///< from the beginning of the axis to its end each rises more than
                              ///< the other
    SC_LAB_CLAIM_STEADY,      ///< each is at the end of the axis what it was at its beginning
    SC_LAB_CLAIM_SPARSER,     ///< each falls more along the axis on the sparser of two maps
} sc_lab_claim_kind;

/** The other is that many times each, at least. */
#define SC_LAB_CLAIM_TIMES 5.0

/** Similar: no farther apart than this part of the larger. */
#define SC_LAB_CLAIM_NEAR 0.15

/** Steady: the ends of the axis are no farther apart than this part of the larger. */
#define SC_LAB_CLAIM_STAYS 0.02

/** With one seed, a difference above this part of the larger counts as more than chance. */
#define SC_LAB_CLAIM_CHANCE 0.02

/** With one seed, means over all points that differ by less of the larger do so by chance. */
#define SC_LAB_CLAIM_EVEN 0.005

/** A trend: ranks agree that much, at least. */
#define SC_LAB_CLAIM_RANKS 0.6

/** A whole mostly holds if this share of its parts that could be told does, at least. */
#define SC_LAB_CLAIM_MOST 0.75

/** Something the paper says. */
typedef struct sc_lab_statement {
    const char *id;  ///< "3c": the third claim, its third part
    const char *text;
    sc_lab_claim_kind kind;
    sc_lab_metric metric;
    sc_lab_axis axis;    ///< of the kinds that look along one
    double from;         ///< of SC_LAB_CLAIM_FROM: the axis's first value that counts
    int sign;            ///< 1: above, rises; -1: below, falls
    bool is_strict;      ///< equal is not enough
    bool is_at_least;    ///< less by chance is enough: "at least", or "at most" with sign -1
    bool needs_objects;  ///< said of a map that has them, California
    unsigned each;       ///< bits: judged for each of these methods on its own
    unsigned other;      ///< bits: compared with the best of these (of the largest, with sign 1)
} sc_lab_statement;

/** All statements, in the order of the paper's claims. */
const sc_lab_statement *sc__statements(size_t *count);

/** How many rules say how they are judged, a sentence or two each. */
size_t sc__claim_rule_count(void);

/** One of them. Why methods can be compared seed by seed depends on whether loops are closed. */
const char *sc__claim_rule(size_t i, bool is_closed);

/**
 * The readings of random sampling and network expansion (docs/methods.md). A statement about them
 * is judged in each reading that was run: there the other reading's methods do not exist.
 */
typedef enum sc_lab_reading {
    SC_LAB_READING_NONE,  ///< none of the methods that are compared is one of them
    SC_LAB_READING_SHARED,
    SC_LAB_READING_LITERAL,
    SC_LAB_READING_COUNT
} sc_lab_reading;

/** "", "shared", "literal". */
const char *sc__reading_name(sc_lab_reading reading);

typedef enum sc_lab_verdict {
    SC_LAB_HOLDS,
    SC_LAB_FAILS,
    SC_LAB_UNTOLD,
    SC_LAB_MOSTLY_HOLDS,  ///< only of a whole: see SC_LAB_CLAIM_MOST
    SC_LAB_VERDICT_COUNT
} sc_lab_verdict;

/** "holds", "does not hold", "not told", "mostly holds". */
const char *sc__verdict_text(sc_lab_verdict verdict);

/** A statement judged on one map, for one method, in one reading of the baselines. */
typedef struct sc_lab_claim {
    const sc_lab_statement *statement;
    sc_lab_reading reading;
    unsigned other;  ///< of the statement, in that reading
    uint32_t map;    ///< SC_NONE: not about one map
    sc_lab_method method;
    sc_lab_verdict verdict;
    size_t point_count;     ///< points, or steps of a trend, that could be looked at
    size_t agreeing_count;  ///< of them
    double left;            ///< what was compared; NaN where there is none
    double right;
    double contradiction;  ///< the most that any of them goes the other way; 0 if none does
    char who[80];          ///< which methods
    char found[320];       ///< all of this in words
} sc_lab_claim;

typedef struct sc_lab_claims {
    sc_lab_claim *all;  ///< by statement, then map, then reading, then method
    size_t count;
    size_t capacity;
    size_t by_verdict[SC_LAB_VERDICT_COUNT];
    bool has_reading[SC_LAB_READING_COUNT];
} sc_lab_claims;

/** Judge all statements. */
SC_CHECKED sc_err sc__claims_init(sc_lab_claims *claims, const sc_lab_table *table, sc_diag *diag);

/** Harmless twice. */
void sc__claims_fini(sc_lab_claims *claims);

// --- The paper's claims ---------------------------------------------------------------------

// They are numbered from 0 here, up to SC_LAB_PAPER_CLAIMS. Each is a whole of its parts in one
// reading: those about the baselines in it, and those that are not about them.

const char *sc__paper_claim_title(size_t number);

/** What it says, in a sentence. */
const char *sc__paper_claim_text(size_t number);

/** Whether something that was judged is a part of it, in whatever reading. */
bool sc__is_of_paper_claim(const sc_lab_claim *claim, size_t number);

/** Whether it is a part of it in that reading. */
bool sc__is_in_reading(const sc_lab_claim *claim, size_t number, sc_lab_reading reading);

/** How many of something came out how. */
typedef struct sc_lab_verdicts {
    size_t by_verdict[SC_LAB_VERDICT_COUNT];
} sc_lab_verdicts;

/** Its parts on one map; SC_NONE: those about no map in particular. */
sc_lab_verdicts sc__paper_claim_verdicts(const sc_lab_claims *claims, size_t number,
                                         sc_lab_reading reading, uint32_t map);

/** A whole holds if all of its parts that could be told do, and mostly holds if most of them do. */
sc_lab_verdict sc__verdict_of(const sc_lab_verdicts *verdicts);

/** Its parts on all maps, and what they make of it. */
sc_lab_verdicts sc__paper_claim_total(const sc_lab_claims *claims, size_t number,
                                      sc_lab_reading reading);
sc_lab_verdict sc__paper_claim_verdict(const sc_lab_claims *claims, size_t number,
                                       sc_lab_reading reading);

/**
 * What does not hold of it, in words: "1a on city (StarCloak against hybrid)"; of many, the first
 * and how many more there are. Empty if there is nothing.
 */
sc_lab_exceptions sc__paper_claim_exceptions(const sc_lab_claims *claims,
                                             const sc_lab_options *options, size_t number,
                                             sc_lab_reading reading);

/** All of the paper's, on all maps. */
sc_lab_verdicts sc__paper_claims_by_verdict(const sc_lab_claims *claims, sc_lab_reading reading);

#endif
