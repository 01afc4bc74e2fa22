/**
 * @file verifier.h
 * @brief What a verifier is inside: the roads, marks on them, and room for lists.
 *
 * Claims and walks are numbered by one counter, and a mark counts only if it
 * bears the number of the claim or walk that is under way; so nothing is cleared
 * in between, and a claim costs its surroundings on a map of any size. Lists grow
 * with the largest claim so far and are kept.
 *
 * For: this folder and its tests.
 */
#ifndef SC_VERIFY_VERIFIER_H
#define SC_VERIFY_VERIFIER_H

#include <starcloak/map.h>
#include <starcloak/verify.h>

#include "base/diag.h"

// === Counts of what was checked and what was wrong ==============================================
// What doubting has come to: how much was looked at, how much was wrong, and the words.
//
// Everything that is looked at is looked at in pieces (a member, a cloak, an
// event); a piece counts once, and is wrong at most once, so `violated` never
// exceeds `checked`. docs/verify.md lists the pieces of each promise.

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

// === The roads, found again from the edges ======================================================
// A map has tables of which segments touch a star and which stars are
// neighbours, and engines read those. Here they are not believed: one pass over
// the edges, with no more than the nodes at which stars sit, finds them again. A
// segment passes through nodes of degree 2 and ends at others, so a star (which
// sits at an intersection, or stands for a whole lone road or ring) touches
// exactly the segments that have an edge at its node.

/** The stars that a segment touches: one or two. */
typedef struct sc_touching {
    sc_star_id a;
    sc_star_id b;  ///< SC_NONE if there is only one, also at a loop
} sc_touching;

typedef struct sc_roads {
    const sc_map *map;
    uint32_t *degree;         ///< by node: ends of edges there; a self-loop has two
    uint32_t *first_touched;  ///< by star, and one more: where its part of `touched` begins
    sc_seg_id *touched;       ///< the segments that each star touches
    sc_touching *touching;    ///< by segment
} sc_roads;

/**
 * Find them. On failure there is nothing to release.
 *
 * @param map  borrowed; must outlive the result
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__roads_init(sc_roads *roads, const sc_map *map);

/** Harmless twice. */
void sc__roads_fini(sc_roads *roads);

/** Whether `star` is one of the stars that `segment` touches. Both must exist. */
static inline bool sc__roads_touch(const sc_roads *roads, sc_seg_id segment, sc_star_id star)
{
    const sc_touching *touching = &roads->touching[segment];
    return touching->a == star || touching->b == star;
}

// ================================================================================================

typedef struct sc_star_marks {
    uint32_t claimed;   ///< last claim that lists it
    uint32_t walked;    ///< last walk that came by
    uint32_t measured;  ///< last claim in which `reach` was found
    uint32_t reach;     ///< hops from here to the farthest thing claimed; SC_NONE: too far
} sc_star_marks;

typedef struct sc_segment_marks {
    uint32_t claimed;
    uint32_t walked;
} sc_segment_marks;

struct sc_verifier {
    sc_roads roads;
    uint32_t now;  ///< number of the latest claim or walk
    sc_star_marks *stars;
    sc_segment_marks *segments;
    uint32_t *ends;  ///< by node: ends of claimed edges there; all 0 between claims

    sc_star_id *queue;  ///< of a walk
    size_t queue_capacity;
    sc_node_id *nodes;  ///< of the claimed segments
    size_t node_capacity;
    uint64_t *users;  ///< of the claim's members
    size_t user_capacity;
    sc_seg_id *roads_of_member;  ///< segments that count for a member (demand_check.c)
    size_t road_capacity;
    uint64_t *weights;  ///< of segments, to be sorted
    size_t weight_capacity;
};

/**
 * The number of a new claim, behind which `walks` more can be drawn. Where there are not that
 * many left, all marks are cleared and numbers begin again.
 */
uint32_t sc__claim_number(sc_verifier *verifier, size_t walks);

/** The number of a new walk of the claim under way. */
static inline uint32_t sc__walk_number(sc_verifier *verifier)
{
    return ++verifier->now;
}

/**
 * What a walk looks for: all stars that bear a claim's number, all segments that do, or as many
 * segments of any kind.
 */
typedef struct sc_targets {
    uint32_t claim;
    size_t count;       ///< how many there are, or are wanted
    bool are_segments;  ///< a segment is found with the first of its stars
    bool are_any;       ///< segments that bear no number are as good
} sc_targets;

/**
 * Walk the star graph breadth first from `from`, until all targets are found, and no
 * farther than `max_hops`. Marks nothing as claimed.
 *
 * @param reach  set to the hops to the last target found, or SC_NONE if one is farther off
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__reach(sc_verifier *verifier, sc_star_id from, uint32_t max_hops,
                            const sc_targets *targets, uint32_t *reach);

/**
 * Whether a ball of radius `max_hops` around an end star of `segment`, which must exist, has
 * `wanted` segments at least. Counts no more than it needs to; begins a claim of its own.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__has_room(sc_verifier *verifier, sc_seg_id segment, uint32_t max_hops,
                               uint32_t wanted, bool *has_room);

/**
 * List the segments around `star`, within `max_hops`, ascending, in verifier->roads_of_member.
 * Begins a claim of its own.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__list_around(sc_verifier *verifier, sc_star_id star, uint32_t max_hops,
                                  size_t *count);

/** How the nodes listed differ from the border: the last node found of each kind. */
typedef struct sc_border_error {
    bool has_extra;
    bool has_missing;
    sc_node_id extra;    ///< listed, and no border node of the segments
    sc_node_id missing;  ///< a border node, and not listed
} sc_border_error;

/**
 * Compare the nodes listed with the border of the segments listed, by the degree rule: nodes
 * with more edges in the map than in the segments. Ids that the map does not have are extra,
 * or in the list of segments passed over. Neither list needs an order; what is listed twice is
 * listed.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__border_compare(sc_verifier *verifier, const sc_claim *claim,
                                     sc_border_error *out);

/** Look at a claim and add to the findings (cloak_check.c). */
SC_CHECKED sc_err sc__claim_look(sc_verifier *verifier, const sc_claim *claim,
                                 sc_findings *findings);

// === A claim that is looked at ==================================================================

typedef struct sc__look {
    sc_verifier *verifier;
    const sc_claim *claim;
    sc_findings *findings;
    uint32_t number;       ///< of the marks
    size_t star_count;     ///< different ones that exist
    size_t segment_count;  ///< the same
    size_t user_count;     ///< different ones
    uint32_t max_hops;     ///< the most that a member allows
} sc__look;

static inline bool sc__look_star_exists(const sc__look *at, sc_star_id star)
{
    return star < sc_map_star_count(at->verifier->roads.map);
}

static inline bool sc__look_segment_exists(const sc__look *at, sc_seg_id segment)
{
    return segment < sc_map_segment_count(at->verifier->roads.map);
}

/** Whether it exists and is claimed. */
static inline bool sc__look_has_star(const sc__look *at, sc_star_id star)
{
    return sc__look_star_exists(at, star) && at->verifier->stars[star].claimed == at->number;
}

static inline bool sc__look_has_segment(const sc__look *at, sc_seg_id segment)
{
    return sc__look_segment_exists(at, segment) &&
           at->verifier->segments[segment].claimed == at->number;
}

static inline bool sc__look_is_strict(const sc__look *at)
{
    return at->claim->demands && at->claim->demands->is_strict;
}

/** What sentences call a member. */
sc_quoted sc__look_name(const sc__look *at, size_t member);

/** Hops from a star that exists to the farthest part of the cloak; SC_NONE: more than any allows.
 */
SC_CHECKED sc_err sc__look_reach(const sc__look *at, sc_star_id star, uint32_t *reach);

/** P3 if it is strict, P9, P12, P13 and P14 of a member (demand_check.c). */
SC_CHECKED sc_err sc__look_at_demands(const sc__look *at, size_t member);

/** Walks that this takes for each member, and for each star. */
enum { SC__DEMAND_WALKS_PER_MEMBER = 2, SC__DEMAND_WALKS_PER_STAR = 1 };

/** What a member asks of a set of roads. */
typedef struct sc__asked {
    const sc_claim_demands *demands;  ///< NULL: none
    const sc_claim_own *own;          ///< NULL: none
    sc_seg_id segment;
    uint32_t l;
} sc__asked;

/**
 * Whether all that is asked of roads is met by these, which are its own for every demand: what
 * must hold around a query if it can be cloaked at all. Each exists and comes once.
 *
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc__demands_are_met(sc_verifier *verifier, const sc__asked *asked,
                                      const sc_seg_id *roads, size_t count, bool *are_met);

#endif
