/**
 * @file lab.h
 * @brief The laboratory: the evaluation of all methods, over all that is varied, as one command.
 *
 * A *point* is one setting of the workload on one map with one seed. At a point a stream of queries
 * is recorded from travellers who are served by basic StarCloak and ask again a pause after each
 * outcome; then every method gets that very stream, and the same number of its cloaks goes to the
 * provider; some are attacked, where a figure wants it (lab/attack_points.h). (Or each method
 * serves travellers of its own, see `is_closed`.) Points are independent: they run in processes of
 * their own, as many at a time as there are cores, and each leaves a file. So a run that was
 * interrupted goes on where it was, and nothing is done twice.
 *
 * Everything but measured CPU time follows from the seeds: the same seeds, the same numbers,
 * whatever the number of cores and the order in which points are done.
 *
 *     results.c  which points?
 *     ->  child_processes.c + point.c  what comes out at each?  ->  store.c  kept
 *     ->  figures.c, csv.c, claims.c, report_data.c  what does it say, as CSV and JSON?
 *     ->  tools/report.py  plots and a page of it
 */
#ifndef SC_LAB_LAB_H
#define SC_LAB_LAB_H

#include <signal.h>
#include <starcloak/attack.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/progress.h>
#include <starcloak/query.h>

#include "sim/workload.h"
#include "traces/follow.h"
#include "travel/trips.h"

/**
 * The methods that are compared: name, title in plots, engine, whether strictly bounded. The
 * literal baselines, which no engine has, are the last two.
 */
#define SC_LAB_METHOD_MAP(X)                                                             \
    X(BASIC, "basic", "StarCloak", BASIC, false)                                         \
    X(HYBRID, "hybrid", "hybrid", HYBRID, false)                                         \
    X(BOUNDED, "bounded", "bounded", BOUNDED, false)                                     \
    X(STRICT, "strict", "bounded, strict", BOUNDED, true)                                \
    X(XSTAR, "xstar", "XStar", XSTAR, false)                                             \
    X(SAMPLING, "sampling", "random sampling", SAMPLING, false)                          \
    X(EXPANSION, "expansion", "network expansion", EXPANSION, false)                     \
    X(PATIENT, "patient", "patient", PATIENT, false)                                     \
    X(SAMPLING_LITERAL, "sampling-literal", "random sampling, literal", SAMPLING, false) \
    X(EXPANSION_LITERAL, "expansion-literal", "network expansion, literal", EXPANSION, false)

typedef enum sc_lab_method {
#define X(id, name, title, variant, is_strict) SC_LAB_##id,
    SC_LAB_METHOD_MAP(X)
#undef X
        SC_LAB_METHOD_COUNT
} sc_lab_method;

/** Random sampling and network expansion in both readings (docs/methods.md), as bits. */
#define SC_LAB_SHARED_BASELINES (1U << SC_LAB_SAMPLING | 1U << SC_LAB_EXPANSION)
#define SC_LAB_LITERAL_BASELINES (1U << SC_LAB_SAMPLING_LITERAL | 1U << SC_LAB_EXPANSION_LITERAL)

/** Whether a method is one of those that no engine has (sim/literal.h): it promises nothing. */
static inline bool sc_lab_is_literal(sc_lab_method method)
{
    return (SC_LAB_LITERAL_BASELINES >> method & 1U) != 0;
}

/** The methods of a set with each baseline of the shared reading as the literal one. */
static inline unsigned sc_lab_to_literal(unsigned methods)
{
    const unsigned sampling = methods >> SC_LAB_SAMPLING & 1U;
    const unsigned expansion = methods >> SC_LAB_EXPANSION & 1U;
    return (methods & ~SC_LAB_SHARED_BASELINES) | sampling << SC_LAB_SAMPLING_LITERAL |
           expansion << SC_LAB_EXPANSION_LITERAL;
}

/**
 * What is varied: name, symbol for people, unit. All but the last two are means of the workload.
 * The point in the middle tells of all numbers of cloaks seen, so that axis has none of its own.
 */
#define SC_LAB_AXIS_MAP(X)                                                          \
    X(K, "k", "k", "users")                                                         \
    X(L, "l", "l", "segments")                                                      \
    X(SIGMA_S, "sigma_s", "σs", "hops")                                             \
    X(SIGMA_T, "sigma_t", "σt", "s")                                                \
    X(NEAREST, "nearest", "k of k-NN", "objects")                                   \
    X(INJECTED, "injected", "injected queries", "per victim") /* by an adversary */ \
    X(ASKED, "asked", "cloaks seen", "of one traveller")      /* 1 is the first */

typedef enum sc_lab_axis {
#define X(id, name, symbol, unit) SC_LAB_AXIS_##id,
    SC_LAB_AXIS_MAP(X)
#undef X
        SC_LAB_AXIS_COUNT
} sc_lab_axis;

/** What is measured: name, title, unit, whether plots have a logarithmic axis. */
#define SC_LAB_METRIC_MAP(X)                                                             \
    X(SUCCESS, "success", "Success rate", "%", false)                                    \
    X(THROUGHPUT, "throughput", "Successful throughput", "queries per CPU second", true) \
    X(ANONYMIZATION, "anonymization", "Anonymization time", "s", false)                  \
    X(PROCESSING, "processing", "Query processing time", "µs CPU per query", false)      \
    X(CANDIDATES, "candidates", "Candidate result size", "objects per query", false)     \
    X(ENTROPY, "entropy", "Segment entropy under attack", "of log2 |S|", false)          \
    X(EFFECTIVE, "effective", "Effective segments", "2^H", false)

typedef enum sc_lab_metric {
#define X(id, name, title, unit, is_log) SC_LAB_##id,
    SC_LAB_METRIC_MAP(X)
#undef X
        SC_LAB_METRIC_COUNT
} sc_lab_metric;

/** The names, as options and files have them. */
const char *sc_lab_method_name(sc_lab_method method);
const char *sc_lab_axis_name(sc_lab_axis axis);
const char *sc_lab_metric_name(sc_lab_metric metric);

/** Whether an axis moves a mean of the workload. */
static inline bool sc_lab_is_of_workload(sc_lab_axis axis)
{
    return axis < SC_LAB_AXIS_INJECTED;
}

/**
 * Whether a metric can be drawn over an axis: effective segments over cloaks seen, and only there;
 * over injected queries entropy alone.
 */
bool sc_lab_goes_over(sc_lab_metric metric, sc_lab_axis axis);

/** The values that one axis takes. */
enum { SC_LAB_GRID_MAX = 32 };
typedef struct sc_lab_grid {
    double values[SC_LAB_GRID_MAX];  ///< ascending, each once
    size_t count;
} sc_lab_grid;

/** How long the name of a map may be. */
enum { SC_LAB_NAME_MAX = 64 };

/** Whether a map may have that name: 1 to SC_LAB_NAME_MAX letters, digits, '-' and '_'. */
bool sc_lab_is_name(const char *name);

/** A map of the experiment, and who moves on it. */
typedef struct sc_lab_map {
    const char *name;  ///< see sc_lab_is_name(): files are named after it
    const sc_map *map;
    const sc_traces *traces;   ///< NULL: trips
    sc_follow_options follow;  ///< with traces; `max_count` and `seed` are set for each point
    sc_category_id category;   ///< what SC_WANT_THIS means on this map; unused otherwise
} sc_lab_map;

enum { SC_LAB_MAPS_MAX = 16, SC_LAB_SEEDS_MAX = 1000, SC_LAB_JOBS_MAX = 256 };

/** Where an adversary of a literal baseline puts the travellers that its cloaks count
 * (lab/literal_cloaker.h). */
typedef enum sc_lab_others {
    SC_OTHERS_ROADS,  ///< onto all roads around
    SC_OTHERS_CLOAK,  ///< k - 1 of them onto the segments of the cloak
} sc_lab_others;

/** More would take days, and memory for all that is asked near them. */
enum { SC_LAB_VICTIMS_MAX = 10000 };

typedef struct sc_lab_options {
    sc_lab_map maps[SC_LAB_MAPS_MAX];
    size_t map_count;

    /** Which figures: a bit (1 << axis) for each metric. */
    unsigned figures[SC_LAB_METRIC_COUNT];
    unsigned methods;  ///< a bit for each
    sc_lab_grid grids[SC_LAB_AXIS_COUNT];
    unsigned seed_count;  ///< 1 to SC_LAB_SEEDS_MAX
    uint64_t first_seed;

    sc_workload workload;  ///< whose means the axes vary; deviations stay
    uint32_t travellers;
    bool is_walk;              ///< who is not in traces turns at random instead of being on trips
    double truck_share;        ///< of those on trips
    sc_engine_options engine;  ///< for all methods, which set variant and strictness
    bool has_cap;              ///< use its max_combinations; else each variant has its own
    double warm_up_s;          ///< asked, but not counted, as what comes after the counted time
    double counted_s;
    bool is_closed;       ///< every method serves travellers of its own
    uint32_t max_cloaks;  ///< of each method that go to the provider at one point
    bool is_indexed;  ///< the provider may look up; else it searches the roads from border nodes

    /**
     * The adversary: samples, max_placements, runs, fruitful, likeness. Engine, density, seed and
     * threads are set for each point and method. Only points of ENTROPY figures are attacked.
     */
    sc_adversary_options adversary;
    uint32_t max_victims;  ///< cloaks of each method that are attacked at one point; in the middle
                           ///< five times as many travellers are followed
    bool knows_traffic;    ///< it has counted the traffic of another seed; else uniform
    sc_lab_others others;  ///< where it puts travellers whom a literal baseline counts

    const char *version;  ///< of the program; may be NULL. Points of another one are not taken over
    const char *command;  ///< that repeats this run, for the report; may be NULL
    const char *directory;
    bool is_fresh;         ///< forget what is there from before
    unsigned jobs;         ///< processes at a time, 1 to SC_LAB_JOBS_MAX
    sc_progress progress;  ///< told of points: done, total
} sc_lab_options;

/** All figures of the paper, all methods but the literal baselines, default grids, three seeds,
 * 10,000 travellers; no maps, no place. */
sc_lab_options sc_lab_options_default(void);

/** The same in about a minute: fewer values, one seed, less time. */
void sc_lab_options_be_quick(sc_lab_options *options);

/** Whether the options make sense; SC_EINVAL with a reason if not. */
SC_CHECKED sc_err sc_lab_options_check(const sc_lab_options *options, sc_diag *diag);

/** The claims as the paper makes them. */
enum { SC_LAB_PAPER_CLAIMS = 8 };

/** What does not hold of one of them, in words. */
typedef struct sc_lab_exceptions {
    char text[400];
} sc_lab_exceptions;

/** What became of the paper's claims in one reading of the baselines (lab/claims.h). */
typedef struct sc_lab_reading_summary {
    const char *reading;  ///< "shared" or "literal"
    size_t held;          ///< all that could be told of them holds
    size_t mostly_held;   ///< three quarters of it, at least
    size_t failed;
    size_t untold;
    sc_lab_exceptions exceptions[SC_LAB_PAPER_CLAIMS];  ///< of claims that mostly hold; else empty
} sc_lab_reading_summary;

/** What was done. */
typedef struct sc_lab_summary {
    size_t point_count;
    size_t done_before;  ///< of them, from an earlier run
    double wall_s;       ///< of this run
    size_t figure_count;
    size_t claims_held;  ///< statements, each on one map and for one method
    size_t claims_failed;
    size_t claims_untold;                ///< not enough points to tell
    sc_lab_reading_summary readings[2];  ///< those that were run
    size_t reading_count;
} sc_lab_summary;

/**
 * Run the experiment, or what is left of it, and write its figures into the directory, which is
 * made if it is not there. Points are done by processes that are forked from the caller's, so
 * the caller must have no other threads.
 *
 * @param stop  may be NULL; looked at now and then: once it is not 0, what runs is stopped and
 *              SC_EINTERRUPTED returned; what is done is kept
 * @return SC_OK, SC_EINVAL, SC_EIO (the disk, or a process that cannot be started), SC_EMISMATCH
 *         (the directory holds points of other maps, another setting or another build of the
 *         program, or files that are not ours), SC_EBUSY (another run is at work there),
 *         SC_EINTERRUPTED, SC_ENOMEM, or what a point failed with
 */
SC_CHECKED sc_err sc_lab_run(const sc_lab_options *options, const volatile sig_atomic_t *stop,
                             sc_lab_summary *summary, sc_diag *diag);

#endif
