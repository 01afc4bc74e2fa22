/**
 * @file attack.h
 * @brief The adversary: someone who knows everything but the dice, and guesses where in a cloak a
 * traveller is.
 *
 * It holds what an sc_sighting has: the published cloak, how many members it has and what they
 * asked for; and the map, the algorithm with its parameters and its costs, and perhaps a density.
 * It has no true position: those enter only where its guesses are scored, elsewhere.
 *
 *     err = sc_adversary_new(map, &options, NULL, &adversary, &diag);
 *     err = sc_adversary_correlate(adversary, number, &sighting, &posterior, &diag);
 *     ...  posterior.links[i].linkability, posterior.normalised_entropy
 *     sc_posterior_fini(&posterior);
 *
 * How it guesses: it puts travellers onto segments of the cloak S, runs the algorithm again, and
 * sees how like S the outcome S' is. What it asks of the placed travellers is what the members
 * asked for, dealt out differently each time and in a random order: it knows neither who asked
 * for what nor who came first.
 *
 *  - *Replay*: one traveller, alone, on each segment in turn, asking for one user only.
 *  - *Correlation*: all members that are not the adversary's own are placed on segments of S,
 *    independently of each other, by the density. Its own, the injected ones, stand where
 *    it put them: any placement without them is thereby discarded.
 *
 * The likelihood of s is the expected likeness of S' for a traveller on s: |S' and S| / |S| for the
 * cloak S' that has this traveller as a member, 0 if there is none (SC_LIKENESS_OVERLAP, as in the
 * paper); or 1 if S' = S with as many members and 0 otherwise (SC_LIKENESS_EXACT, which makes the
 * linkabilities the true posterior of this model, and needs many more replays). Linkability is the
 * likelihood, weighted by the density, over the sum of all segments'.
 *
 * Since all strangers are dealt with alike, one replay tells of as many travellers as were placed.
 *
 * Placements (multisets of the strangers over S) are enumerated where there are at most
 * `max_placements`, each run `runs` times or more; otherwise `samples` of them are drawn by the
 * density. Either way the work is done in batches that are independent of each other, and standard
 * errors, and by how much the entropy looks lower than it is, come from leaving each batch out in
 * turn (the jackknife). They do not depend on the number of threads, nor does anything else: the
 * same seed and number, the same posterior.
 *
 * Where few replays bring back anything of S, neither the linkabilities nor their errors mean much.
 * So as long as fewer than `fruitful` of them do, all is run again with four times as many and with
 * other dice, up to SC_ATTACK_MORE times as many as at first; only the last time counts.
 *
 * In libstarcloak-study: for evaluation, not for a service.
 */
#ifndef STARCLOAK_ATTACK_H
#define STARCLOAK_ATTACK_H

#include <starcloak/density.h>
#include <starcloak/engine.h>
#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a member asked for, as in sc_profile and sc_query: not who, not where. */
typedef struct sc_needs {
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    uint32_t result_size;  ///< objects, as the provider is asked for them; 0 if not known
} sc_needs;

/** A query of the adversary's own that it has recognised in the cloak. */
typedef struct sc_injected {
    sc_seg_id segment;
    sc_needs needs;
} sc_injected;

/** All that the adversary holds of one cloak. Borrowed for the call. */
typedef struct sc_sighting {
    const sc_seg_id *segments;  ///< S, ascending, each once; at least one
    size_t segment_count;
    const sc_needs
        *strangers;  ///< the members that are not its own, in no telling order; at least one
    size_t stranger_count;
    const sc_injected *injected;  ///< its own; each on a segment of S
    size_t injected_count;
} sc_sighting;

/** How like the outcome of a replay is to the cloak. */
typedef enum sc_likeness {
    SC_LIKENESS_OVERLAP,  ///< the part of S that S' has
    SC_LIKENESS_EXACT,    ///< 1 if it is S, with as many members
} sc_likeness;

/** At most so many threads, and members of a cloak. */
#define SC_ATTACK_THREADS_MAX 256
#define SC_ATTACK_MEMBERS_MAX 10000

/** Replays are done in so many batches, or fewer if each placement is run less often. */
#define SC_ATTACK_BATCHES 32

/** There are at most so many times the replays that were asked for, where too few are fruitful. */
#define SC_ATTACK_MORE 16

typedef struct sc_adversary_options {
    sc_engine_options engine;   ///< the algorithm with its parameters and costs
    const sc_density *density;  ///< borrowed; NULL: uniform. Of the same map
    sc_likeness likeness;
    uint64_t max_placements;  ///< up to that many are enumerated; 0: always sample
    uint32_t runs;            ///< of each placement that is enumerated, at least; >= 2
    uint64_t samples;  ///< replays where placements are drawn, >= SC_ATTACK_BATCHES; and about the
                       ///< fewest where they are enumerated, which are then run more often
    /** Replays with some likeness that are wanted, in both attacks: as long as there are fewer,
     * more are run, up to SC_ATTACK_MORE times as many in all. 0: however few there are. */
    uint64_t fruitful;
    uint64_t seed;
    unsigned threads;  ///< 1 to SC_ATTACK_THREADS_MAX; 1: none but the caller's
} sc_adversary_options;

/** Basic StarCloak, uniform, overlap, up to 20,000 placements 4 times each, else 20,000 samples;
 * 300 that are fruitful, seed 1, a thread per processor. */
SC_API sc_adversary_options sc_adversary_options_default(void);

// --- What is replayed --------------------------------------------------------------------

/** What a replay came to; filled by a cloaker through sc_replayed_add(). Opaque. */
typedef struct sc_replayed sc_replayed;

/**
 * A cloak came of it: with these segments (ascending, each once), for these of the queries. A query
 * is in one cloak at most. Everything is read only during this call.
 *
 * @param members  places in the array of queries
 */
SC_API void sc_replayed_add(sc_replayed *replayed, const sc_seg_id *segments, size_t segment_count,
                            const size_t *members, size_t member_count);

/**
 * A method of cloaking as an adversary runs it again: that of an engine, or one of your own. It is
 * opened once per thread.
 */
typedef struct sc_cloaker {
    void *context;  ///< handed to `open`
    /** @param rng  borrowed until `close`; seeded again from time to time. All dice come from it */
    sc_err (*open)(void *context, const sc_map *map, sc_rng *rng, void **opened, sc_diag *diag);
    /**
     * Cloak these queries, and only these: they come one after the other in this order within a
     * moment, without any others, and then there is time until their deadlines, which are all
     * the same.
     *
     * @param queries  users are all different; ids and users are made up
     */
    sc_err (*replay)(void *opened, const sc_query *queries, size_t count, sc_replayed *replayed);
    void (*close)(void *opened);
} sc_cloaker;

// --- The adversary -----------------------------------------------------------------------

/** An adversary. Opaque; one thread at a time. */
typedef struct sc_adversary sc_adversary;

/**
 * @param map      borrowed; must outlive the result
 * @param cloaker  copied; NULL: the engine of the options
 * @return SC_OK, SC_EINVAL (an option out of range, a density of another map), SC_ENOMEM, or what
 *         `open` says
 */
SC_API SC_CHECKED sc_err sc_adversary_new(const sc_map *map, const sc_adversary_options *options,
                                          const sc_cloaker *cloaker, sc_adversary **out,
                                          sc_diag *diag);

/** Free; NULL is fine. */
SC_API void sc_adversary_free(sc_adversary *adversary);

/** The linkability of one segment, with its standard error. */
typedef struct sc_link {
    sc_seg_id segment;
    double linkability;
    double error;
} sc_link;

/** What the adversary believes. */
typedef struct sc_posterior {
    sc_link *links;  ///< in the order of the sighting's segments; they sum to 1
    size_t link_count;
    double entropy;             ///< H in bits
    double normalised_entropy;  ///< H / log2 |S|, 0 to 1; 0 if there is one segment only
    double normalised_error;    ///< its standard error
    double normalised_bias;     ///< estimate less truth, about: too few replays make it negative
    double effective;           ///< 2^H, 1 to |S|
    size_t ruled_out;           ///< segments whose linkability is 0
    bool is_enumerated;         ///< every placement was looked at; else they were drawn
    uint64_t placements;        ///< how many there are, UINT64_MAX if that many or more
    uint64_t replays;           ///< that were run the last time: those before it are not counted
    uint64_t fruitful;          ///< of them, those with likeness above 0 for some stranger
    bool is_unexplained;        ///< none was: the linkabilities are the density's
} sc_posterior;

/** Release the links; harmless twice, and on a zeroed one. */
SC_API void sc_posterior_fini(sc_posterior *posterior);

/**
 * Attack one cloak by replay, or by correlation-based replay.
 *
 * @param number  of the cloak, for the dice: another for each
 * @param out     to be released with sc_posterior_fini(); untouched on failure
 * @return SC_OK, SC_EINVAL (no segment, no stranger, too many members, an injected one outside),
 *         SC_EUNKNOWN (no such segment), SC_EIO (a thread cannot be started), SC_ENOMEM, or what
 *         the cloaker says
 */
SC_API SC_CHECKED sc_err sc_adversary_replay(sc_adversary *adversary, uint64_t number,
                                             const sc_sighting *sighting, sc_posterior *out,
                                             sc_diag *diag);
SC_API SC_CHECKED sc_err sc_adversary_correlate(sc_adversary *adversary, uint64_t number,
                                                const sc_sighting *sighting, sc_posterior *out,
                                                sc_diag *diag);

// --- What the rules of cloaking exclude --------------------------------------------------

/**
 * Someone who knows what a member asked for, and the rules by which cloaks are made, but replays
 * nothing. Opaque; one thread at a time.
 *
 * A member is at a star from which every star of its cloak is within its max_hops: who knows these
 * excludes all other roads. Those left are its *possible roads*. Where the engine demands of
 * traffic that no road be too likely, it cloaks a member only if its road is in the *core* of
 * them: the largest part in which no road has more than the n-th share of the density, n being the
 * smaller of l and `traffic`. So all outside the core is excluded, too; by the density no road of
 * it has more than 1 / n, if the density is that of the engine.
 *
 * In general a road is excluded if an engine with these demands would not have cloaked a member
 * that is on it. Whether the demands of l (strict or not), of classes and of how much can be
 * reached are met does not depend on where in the cloak the member is: they exclude nothing. A zone
 * does, for one who knows it (`zones`), and so does traffic weighed by what can be reached, for one
 * who links the cloaks of a user (`reached`).
 */
typedef struct sc_rule sc_rule;

typedef struct sc_rule_options {
    const sc_density *density;   ///< what is believed of traffic; borrowed; NULL: uniform
    const sc_density *demanded;  ///< by whose whole numbers the engine demanded; NULL: `density`
    uint32_t traffic;            ///< as the engine demanded it; below 2: nothing of traffic
    bool counts_all;             ///< the engine was not strict: it demanded of all roads of S
} sc_rule_options;

/**
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_EINVAL (a density of another map), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_rule_new(const sc_map *map, const sc_rule_options *options,
                                     sc_rule **out, sc_diag *diag);

/** Free; NULL is fine. */
SC_API void sc_rule_free(sc_rule *rule);

/** A zone of a user, as the adversary knows it. Borrowed. */
typedef struct sc_known_zone {
    const sc_seg_id *segments;
    size_t count;
} sc_known_zone;

/** A cloak, and what one member of it asked for. Borrowed for the call. */
typedef struct sc_ruled {
    const sc_seg_id *segments;  ///< S, ascending, each once; at least one
    size_t segment_count;
    const sc_star_id *stars;  ///< T, ascending, each once; at least one. S tells it nearly always,
                              ///< and who does not know it for certain excludes no more
    size_t star_count;
    sc_needs needs;
    /** Zones of the member's user, if they are known: on a road of one, it would have demanded all
     * of that zone. */
    const sc_known_zone *zones;
    size_t zone_count;
    /** By segment of S: how much of it the user can have reached since the last cloak, of
     * SC_REACHED_WHOLE, as the engine reckoned; NULL: not known, or not demanded. */
    const uint16_t *reached;
} sc_ruled;

/** What is left to a member. */
typedef struct sc_left {
    const bool *is_left;  ///< by segment of S; lent until the next call
    size_t possible;      ///< roads that its max_hops allow
    size_t left;          ///< of them, those on which its demands are met
} sc_left;

/**
 * Exclude roads. What is believed then is the density among those left; if none is, because the
 * assumptions were wrong, the density in all of S, and the posterior is unexplained.
 *
 * @param posterior  without errors, bias, placements and replays; released with
 *                   sc_posterior_fini(). NULL: not wanted
 * @return SC_OK, SC_EINVAL, SC_EUNKNOWN (no such segment or star), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_rule_see(sc_rule *rule, const sc_ruled *cloak, sc_left *left,
                                     sc_posterior *posterior);

// --- Repeated queries of a traveller -----------------------------------------------------

/**
 * Follows one traveller from cloak to cloak: it knows that they are of the same one, when they
 * left, and how fast one can drive. Where the traveller may be now is wherever in the cloak it can
 * have come to from where it may have been. Opaque; one thread at a time.
 */
typedef struct sc_tracker sc_tracker;

typedef struct sc_tracker_options {
    const sc_density *density;  ///< borrowed; NULL: uniform
    double top_speed_m_s;       ///< > 0: on every road; 0: free flow of a car, by the map's times
    bool ignores_one_ways;      ///< reckon with driving against one-way streets
} sc_tracker_options;

/**
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_EINVAL, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_tracker_new(const sc_map *map, const sc_tracker_options *options,
                                        sc_tracker **out, sc_diag *diag);

/** Free; NULL is fine. */
SC_API void sc_tracker_free(sc_tracker *tracker);

/** Another traveller: forget what was seen. */
SC_API void sc_tracker_forget(sc_tracker *tracker);

/** A cloak of the traveller's. */
typedef struct sc_tracked {
    const sc_seg_id *segments;  ///< ascending, each once; at least one
    size_t segment_count;
    sc_time asked_from;   ///< it asked then at the earliest: when the cloak left, less its patience
    sc_time asked_until;  ///< and then at the latest: when the cloak left
    /** By segment: what the rules leave to the traveller (sc_left); NULL: all. */
    const bool *is_left;
} sc_tracked;

/**
 * See the next cloak. Let p be what was believed after the one before. A traveller on s then may be
 * on s' now if the fastest way from the nearer end of s to the nearer end of s' takes no longer
 * than from the earliest moment of the one to the latest of the other; all segments within that
 * reach are as likely, but for the density. So the new belief in s' is its weight times the sum
 * over s of p(s) / (sum of the weights of all segments within reach of s), normalised over S, less
 * what the rules exclude. If nothing of S can be reached (the assumptions were wrong), it is the
 * density's, and the posterior is unexplained.
 *
 * @param out  without errors, bias, placements and replays; released with sc_posterior_fini()
 * @return SC_OK, SC_EINVAL, SC_EUNKNOWN (no such segment), SC_ETIME (asked_until is before that of
 *         the last, or before asked_from), SC_ENOMEM (the belief is as it was)
 */
SC_API SC_CHECKED sc_err sc_tracker_see(sc_tracker *tracker, const sc_tracked *cloak,
                                        sc_posterior *out);

#ifdef __cplusplus
}
#endif
#endif
