/**
 * @file verify.h
 * @brief The verifier: are the promises P1 to P8 kept, and what demands add to them (P9, P12 to
 * P14)? Shares nothing with the engine but the map.
 *
 * Two ways in. sc_verifier_check_claim() looks at one cloak as it is about to leave, and is what
 * `paranoid` engines call. sc_record_verify() reads a run record, as `--record`
 * writes it (docs/records.md), and looks at everything in it.
 *
 * So that one mistake cannot hide another, balls, segments and borders are found
 * here by other means than the engine's.
 */
#ifndef STARCLOAK_VERIFY_H
#define STARCLOAK_VERIFY_H

#include <starcloak/density.h>
#include <starcloak/map.h>
#include <starcloak/place_classes.h>
#include <starcloak/progress.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The promises, and what else a record tells; each counts what was looked at, and what was wrong.
 */
#define SC_PROMISE_MAP(X)                                         \
    X(P1, "own segment and star are in the cloak")                \
    X(P2, "enough different users")                               \
    X(P3, "enough segments")                                      \
    X(P4, "no star farther than allowed")                         \
    X(P5, "in time")                                              \
    X(P6, "one set for all, in an order that tells nothing")      \
    X(P7, "nothing but the stars' segments and their border")     \
    X(P8, "every query ends exactly once")                        \
    X(P9, "enough segments can be reached since the last")        \
    X(P12, "a member's zone is in the cloak as a whole")          \
    X(P13, "enough segments besides those of any class")          \
    X(P14, "by the traffic no segment stands out")                \
    X(ANSWERS, "answers equal a plain search over the whole map") \
    X(AREAS, "tiles follow from roads and requests, and suffice")

typedef enum sc_promise {
#define X(name, text) SC_PROMISE_##name,
    SC_PROMISE_MAP(X)
#undef X
        SC_PROMISE_COUNT
} sc_promise;

/** "P1" ... "P14", "answers", "areas". */
SC_API const char *sc_promise_name(sc_promise promise);

/** What it promises, in a few words. */
SC_API const char *sc_promise_text(sc_promise promise);

/** What all members of a cloak ask beyond l segments. Zeroed, it is nothing. */
typedef struct sc_claim_demands {
    const sc_density *density;  ///< NULL: not known, and P14 is not checked
    uint32_t traffic;  ///< by the density no segment is likelier than one of so many; 0: any
    bool is_strict;    ///< segments count for a member if they can be its own, by max_hops
    const sc_place_classes *classes;  ///< whose segments do not count for l; NULL: none
} sc_claim_demands;

/** The part of a segment that a member can have reached, of SC_CLAIM_WHOLE. */
typedef struct sc_claim_part {
    sc_seg_id segment;
    uint16_t part;
} sc_claim_part;

#define SC_CLAIM_WHOLE UINT16_MAX

/** What one member asks beyond its profile. */
typedef struct sc_claim_own {
    const sc_seg_id *zone;  ///< in which it is
    size_t zone_count;      ///< 0: in none
    /** What it can have reached since its user's last cloak; other segments: nothing of them.
     * Ascending. */
    const sc_claim_part *reached;
    size_t reached_count;
    bool has_reached;  ///< there was such a cloak; false: P9 is not asked
} sc_claim_own;

/** A member as the cloak's maker claims it. */
typedef struct sc_claim_member {
    uint64_t user;      ///< equal for one user
    sc_seg_id segment;  ///< where it is
    sc_star_id star;    ///< assigned star; SC_NONE for methods that use none
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    int64_t deadline_us;
    const sc_claim_own *own;  ///< NULL: nothing beyond these
} sc_claim_member;

/** A cloak as its maker claims it. All borrowed. */
typedef struct sc_claim {
    const sc_star_id *stars;  ///< none for methods that use none
    size_t star_count;
    const sc_seg_id *segments;
    size_t segment_count;
    const sc_node_id *border_nodes;
    size_t border_node_count;
    const sc_claim_member *members;
    size_t member_count;
    int64_t t_us;                     ///< when it leaves
    const sc_claim_demands *demands;  ///< NULL: nothing beyond what members ask themselves
} sc_claim;

/** Working memory for claims on one map; one thread. */
typedef struct sc_verifier sc_verifier;

/**
 * Find the roads around every star again, from the edges. Time and memory O(map); claims then
 * cost their surroundings alone, and take no memory but to grow with the largest so far.
 *
 * @param map  borrowed; must outlive the result
 */
SC_API SC_CHECKED sc_err sc_verifier_new(const sc_map *map, sc_verifier **out);

/** NULL is fine. */
SC_API void sc_verifier_free(sc_verifier *verifier);

/**
 * Look at one cloak: P1 to P5, P6 as far as one cloak shows it (stars listed once, segments and
 * border nodes once and ascending), and P7 (segments are those of the stars, border nodes those
 * of the segments). A claim may name things that the map does not have.
 *
 * What is demanded beyond that is P9 (the parts of segments that the member can have reached add up
 * to l; with a density its own segment is not too large a share of them), P12 (the zone is there),
 * P13 (l segments besides those of any one class) and P14 (by the density the own segment is not
 * too large a share). P3 and P12 to P14 count the segments that can be the member's own, if the
 * demands are strict; else all.
 *
 * Methods that use no stars claim none. Then P1 asks for the own segment only, and P4 that all
 * segments touch the ball around an end of it, the better of the two.
 *
 * @param broken  set to a bit (1 << promise) for each promise that is broken
 * @param diag    told of the first of them; names stars and segments of the cloak, never a user
 * @return SC_OK if it could be looked at, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_verifier_check_claim(sc_verifier *verifier, const sc_claim *claim,
                                                 unsigned *broken, sc_diag *diag);

/** Is the map that of the run? */
typedef enum sc_map_match {
    SC_MAP_MATCH_UNTOLD,    ///< the record does not say, and nothing speaks against it
    SC_MAP_MATCH_SAME,      ///< the record has its checksum
    SC_MAP_MATCH_DOUBTFUL,  ///< the record does not say, but most queries are not where its roads
                            ///< are
    SC_MAP_MATCH_OTHER,     ///< the record has another's checksum: what it shows means little
} sc_map_match;

/** How many violations a report keeps in words. */
#define SC_VERIFY_SHOWN 10

/**
 * What a record shows. Of the queries, each is in exactly one of `cloaked`, `drops`,
 * `failed`, `open_at_end` and `overdue`.
 */
typedef struct sc_verify_report {
    uint64_t queries;
    uint64_t cloaks;
    uint64_t cloaked;  ///< queries that became members of a cloak
    uint64_t drops;
    uint64_t failed;  ///< without a cloak; those behind one count as cloaked
    uint64_t answers;
    uint64_t foreign_answers;  ///< of them, of objects that are not the map's: not looked at
    uint64_t open_at_end;      ///< neither ended nor past their deadline
    uint64_t overdue;          ///< not ended although past it: P8 is broken
    sc_map_match map_match;
    uint64_t map_checksum;  ///< as the record has it; 0 if it has none
    unsigned demanded;      ///< a bit (1 << promise) for each of P9, P12 to P14 that it asks for,
                            ///< and for areas if it tells of them
    bool lacks_density;     ///< the run asked for traffic, and no density was given: P14 is not
                            ///< checked, nor what P9 asks of traffic
    bool has_idle_density;  ///< a density was given, and the run asked for no traffic
    uint64_t density_checksum;  ///< of the run's; 0 if it has none
    uint64_t checked[SC_PROMISE_COUNT];
    uint64_t violated[SC_PROMISE_COUNT];
    uint64_t violations;  ///< all together
    size_t shown_count;
    struct {
        sc_promise promise;
        uint64_t line;
        char text[200];
    } shown[SC_VERIFY_SHOWN];  ///< the first ones
} sc_verify_report;

typedef struct sc_verify_options {
    uint64_t answer_sample;  ///< check at most this many answers, spread over the record; 0: none
    const sc_density *density;  ///< of the run, if it asked for traffic; borrowed; NULL: not known
    sc_progress progress;       ///< told how many bytes are read; none if its `report` is NULL
} sc_verify_options;

/** A sample of 1,000 answers, no progress. */
SC_API sc_verify_options sc_verify_options_default(void);

/**
 * Read the record at `path` ("-" is standard input; xz and gzip are unpacked) and look at
 * everything in it. docs/verify.md tells what is counted, and how. The texts name lines,
 * query ids, and stars and segments of cloaks, never a user or where one is.
 *
 * @param report  set on success
 * @return SC_OK if it could be read, whatever it shows; SC_EIO, SC_EPARSE (not a record: `diag`
 *         names the line), SC_EMISMATCH (the run was with another density), SC_ELIMIT (more than
 * four thousand million queries), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_record_verify(const sc_map *map, const char *path,
                                          const sc_verify_options *options,
                                          sc_verify_report *report, sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
