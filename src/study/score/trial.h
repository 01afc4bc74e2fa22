/**
 * @file trial.h
 * @brief An attack on a recorded run, from its record to a row of numbers per cloak.
 *
 * Five kinds. Replay and correlation are tried on cloaks of the record, drawn at random. For
 * injection the run is made once more with the adversary's queries in it, and the cloaks of
 * its victims are attacked. Tracking follows travellers of the record from cloak to cloak. By the
 * rules, every member of cloaks drawn at random is looked for by itself.
 *
 *     record -> cases -> sighting -> adversary -> posterior -> score -> row
 */
#ifndef SC_SCORE_TRIAL_H
#define SC_SCORE_TRIAL_H

#include "score/inject.h"
#include "score/score.h"
#include "score/trail_reach.h"

/** The attacks: name, and as a sentence goes on with it. */
#define SC_TRIAL_MAP(X)                                       \
    X(REPLAY, "replay", "replay")                             \
    X(CORRELATION, "correlation", "correlation-based replay") \
    X(INJECTION, "injection", "query injection")              \
    X(TRACKING, "tracking", "tracking from cloak to cloak")   \
    X(RULE, "rule", "what the rules exclude")

typedef enum sc_trial_kind {
#define X(id, name, title) SC_TRIAL_##id,
    SC_TRIAL_MAP(X)
#undef X
        SC_TRIAL_KIND_COUNT
} sc_trial_kind;

const char *sc_trial_kind_name(sc_trial_kind kind);
const char *sc_trial_kind_title(sc_trial_kind kind);

typedef struct sc_trial_options {
    sc_trial_kind kind;
    sc_adversary_options adversary;  ///< its engine is also that of the run with injected queries
    sc_injection_options injection;  ///< of SC_TRIAL_INJECTION; victims and seed are set from below
    double top_speed_m_s;            ///< of SC_TRIAL_TRACKING; 0: free flow
    bool ignores_one_ways;           ///< of SC_TRIAL_TRACKING
    bool knows_rules;                ///< of SC_TRIAL_TRACKING: leave out what the rules exclude
    uint32_t traffic;                ///< of the rules: as in sc_rule_options
    const sc_density *demanded;      ///< as in sc_rule_options; borrowed
    bool counts_all;                 ///< as in sc_rule_options
    /** Of the run with injected queries; and of the rules, if they are known. Borrowed; NULL: none.
     */
    const sc_zone_table *zones;
    bool knows_zones;     ///< of the rules: the zones of each member's user are known
    bool has_continuity;  ///< of the run with injected queries; and of rules with SC_TRIAL_TRACKING
    sc_continuity_options continuity;
    uint64_t limit;  ///< cloaks to attack, victims to choose, or travellers to follow; 0: all
    uint64_t seed;
    sc_progress progress;  ///< phase "attacking": cloaks done, total
} sc_trial_options;

/** Whether an attack runs the method again. */
static inline bool sc_trial_has_replays(sc_trial_kind kind)
{
    return kind != SC_TRIAL_TRACKING && kind != SC_TRIAL_RULE;
}

/** Whether it excludes by the rules. */
static inline bool sc_trial_knows_rules(const sc_trial_options *options)
{
    return options->knows_rules || options->kind == SC_TRIAL_RULE;
}

/** Correlation on 100 cloaks, by sc_adversary_options_default(). */
sc_trial_options sc_trial_options_default(void);

/** What came of one cloak. */
typedef struct sc_trial_row {
    uint64_t cloak;      ///< its number in the record, or in the run with injected queries
    uint64_t traveller;  ///< tracking: a number for each who is followed, from 1; else 0
    size_t seen;         ///< tracking: cloaks of that traveller so far, with this one; else 1
    size_t members;
    size_t recognised;  ///< of them, the adversary's own
    /** Of a row about one member (tracking, rule); else 0: the segments it asked for, those that
     * could be its own by its max_hops (tracking: of which it is not known that it is not there),
     * and how likely the true one may be by what was demanded of traffic, or 1/2. */
    uint32_t l;
    size_t possible;
    double bound;
    double by_density;  ///< effective segments when the cloak and the density alone are known
    sc_posterior posterior;
    sc_score score;   ///< of the strangers; of the one who is followed
    double expected;  ///< sc_expected_probability()
} sc_trial_row;

/** Zero-initialise; sc_trial_fini(), harmless twice. */
typedef struct sc_trial {
    sc_trial_row *rows;  ///< by cloak, by victim, traveller by traveller, or member by member
    size_t row_count;
    size_t row_capacity;
    size_t choice;         ///< cloaks, victims or travellers that there were to choose from
    size_t victims;        ///< injection: how many were chosen; others found no cloak
    size_t passed_over;    ///< cloaks with more than SC_ATTACK_MEMBERS_MAX members: no choice
    size_t attacked;       ///< rule: cloaks whose members the rows are of
    double replay_wall_s;  ///< while replays ran
} sc_trial;

/**
 * Attack. A cloak without strangers, or with more members than an adversary takes on, is passed
 * over.
 *
 * @param record  read with its lines if the attack is an injection
 * @return SC_OK, SC_EINVAL (options; nothing to attack), or as the attack's parts
 */
SC_CHECKED sc_err sc_trial_run(const sc_map *map, const sc_case_record *record,
                               const sc_trial_options *options, sc_trial *trial, sc_diag *diag);

void sc_trial_fini(sc_trial *trial);

/**
 * Means over rows. Rows of one `seen` only, or of all with 0.
 *
 * An unexplained cloak (sc_posterior.is_unexplained) taught the adversary nothing but what the
 * density says: what is believed of it would dilute the means, and is left out.
 *
 * Errors of means are standard errors, from how cloaks or travellers differ: rows of one cloak, or
 * of one traveller, are alike, and count together.
 */
typedef struct sc_trial_means {
    // Of all rows.
    size_t count;
    size_t explained;
    size_t unexplained;
    size_t enumerated;
    uint64_t replays;
    double segments;
    double members;
    double recognised;
    // Of the explained ones; 0 if there are none.
    double entropy;
    double entropy_error;  ///< of a single cloak, from its replays; their root mean square
    double mean_error;     ///< of the mean entropy, from how cloaks differ; 0 for fewer than two
    double bias;           ///< mean
    double effective;
    double effective_error;  ///< of that mean, likewise
    double by_density;
    double probability;
    double probability_error;  ///< of that mean, likewise
    double expected;           ///< of the true segment if beliefs were right
    double by_chance;          ///< of the true segment if all were alike: mean of 1 / segments
    double rank;
    double ruled_out;
} sc_trial_means;

/** Half the 95 % interval of a mean with that standard error. */
static inline double sc_trial_half_interval(double error)
{
    return 1.959964 * error;
}

/** Whether two rows are of one traveller or, where none is followed, of one cloak. */
static inline bool sc_trial_rows_are_alike(const sc_trial_row *a, const sc_trial_row *b)
{
    return a->traveller > 0 ? a->traveller == b->traveller : a->cloak == b->cloak;
}

sc_trial_means sc_trial_means_of(const sc_trial *trial, size_t seen);

// --- Who is exposed --------------------------------------------------------------

/** A part of all rows, with its interval of 95 %. */
typedef struct sc_trial_share {
    size_t count;
    size_t all;
    double share;  ///< 0 of none
    double low;
    double high;
} sc_trial_share;

/**
 * Rows about one member each whose true segment is too likely, or who have too few. Unexplained
 * rows count as what they are: by the density alone.
 *
 * Members of one cloak, and cloaks of one traveller, are alike. So the intervals are Wilson's, for
 * as many independent rows as have the variance that is seen between cloaks, or travellers; where
 * no row counts, or all do, for one row of each.
 */
typedef struct sc_trial_exposure {
    sc_trial_share above_half;   ///< the true segment gets more than 1/2
    sc_trial_share above_bound;  ///< more than `bound`
    sc_trial_share too_few;      ///< `possible` is below l
    sc_trial_share excluded;     ///< the true segment is: the assumptions are wrong
} sc_trial_exposure;

/** Of rows of one `seen` only, or of all with 0. */
sc_trial_exposure sc_trial_exposure_of(const sc_trial *trial, size_t seen);

/** The largest `seen` of all rows. */
size_t sc_trial_most_seen(const sc_trial *trial);

// --- Files -----------------------------------------------------------------------

/** Where rows go; NULL: nowhere. */
typedef struct sc_trial_files {
    const char *cloaks;
    const char *links;
    const char *geojson;
} sc_trial_files;

/**
 * Whether they could be written now: better told before an attack than after it. Nothing is
 * changed.
 *
 * @return as the functions below
 */
SC_CHECKED sc_err sc_trial_files_check(const sc_trial_files *files, const sc_map *map,
                                       sc_diag *diag);

/**
 * Write a row per cloak, a row per segment of each cloak, or a GeoJSON line per segment of each
 * cloak with its linkability. They appear whole or not at all; "-" is standard output. None of
 * them has a user, or gives a position by itself.
 *
 * @return SC_OK, SC_EIO, SC_ENOMEM; SC_ENOCOORDS (GeoJSON of a map without coordinates)
 */
SC_CHECKED sc_err sc_trial_write_cloaks(const sc_trial *trial, const char *path, sc_diag *diag);
SC_CHECKED sc_err sc_trial_write_links(const sc_trial *trial, const char *path, sc_diag *diag);
SC_CHECKED sc_err sc_trial_write_geojson(const sc_trial *trial, const sc_map *map, const char *path,
                                         sc_diag *diag);

#endif
