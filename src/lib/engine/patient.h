/**
 * @file patient.h
 * @brief The patient variant: its method, and its state.
 */
#ifndef SC_ENGINE_PATIENT_H
#define SC_ENGINE_PATIENT_H

#include <starcloak/cloak.h>

#include "engine/cloaking_graph.h"
#include "engine/kept_demands.h"
#include "engine/listing.h"
#include "engine/method.h"
#include "engine/vicinity.h"

/** A listing that may join a search, with what the search wants to know of it. */
typedef struct sc__joiner {
    uint64_t user;
    uint64_t age;  ///< twice the order of adding; one more at star_b
    sc__slot listing;
    uint32_t number;    ///< of its star in the start's ball
    uint16_t max_hops;  ///< SC__LISTING_HOPS_MAX at most
    bool has_own;       ///< its query has demands of its own
    uint32_t k;
    uint32_t l;
    uint32_t tried;  ///< which mask and hops are its own; SC_NONE: it was not tried yet
} sc__joiner;

/** What lists of joiners are made from. */
typedef struct sc__joiner_reach {
    uint64_t user;
    uint32_t number;
    uint32_t max_hops;
} sc__joiner_reach;

/** One member more, and those that may come after it. */
typedef struct sc__extension {
    uint32_t joiner;  ///< the member; SC_NONE: the start
    uint32_t k;       ///< the largest so far
    sc__demand demand;
    uint32_t special_count;  ///< members so far with demands of their own
    size_t at;               ///< the next to be tried, in the stack of lists
    size_t end;              ///< of the list
} sc__extension;

/** A member whose end is being settled. */
typedef struct sc__settler {
    sc__slot listing;  ///< at the end that it has
    uint32_t number;   ///< of that star
} sc__settler;

/** Stars that the balls of members share, by the numbers that the engine's table has. */
typedef struct sc__found_stars {
    const sc_star_id *stars;  ///< by number
    uint64_t *mask;
    size_t words;
} sc__found_stars;

/** The ball of a star that is not active any more, or not as far. */
typedef struct sc__kept_ball {
    sc__ball *ball;  ///< NULL: none
    sc_star_id star;
} sc__kept_ball;

/** How many such balls there may be: some 200 bytes each. */
enum { SC__KEPT_BALLS = 8192 };

/** What a patient engine has beside the rest. */
typedef struct sc__patient {
    sc__listing_ends ends;     ///< of the query that is to be listed
    sc__ball *spare_balls[2];  ///< for its listings, at stars that are not active
    sc__kept_ball *kept_balls;
    sc__slot newcomer;  ///< listed, and has not looked around; or SC_NONE
    sc__list urgent;    ///< queries that became urgent and were not searched from yet

    // Working memory of searches.
    sc__active_star *active;  ///< stars near the start that have listings
    size_t active_capacity;
    sc__joiner *joiners;
    size_t joiner_capacity;
    sc__joiner_reach *reaches;  ///< of the joiners that are left
    size_t reach_capacity;
    sc__extension *extensions;
    size_t extension_capacity;
    uint32_t *lists;  ///< of joiners, one behind the other
    size_t list_capacity;
    uint64_t *shared;  ///< per extension: stars in the balls of all
    size_t shared_capacity;
    uint64_t *masks;  ///< per joiner tried: its ball, within the start's
    size_t mask_capacity;
    uint16_t *hops;  ///< per joiner tried: hops to each numbered star
    size_t hop_capacity;
    sc__settler *settlers;
    size_t settler_capacity;
    uint64_t *settled;  ///< masks of settling
    size_t settled_capacity;
    sc_star_id *stars;  ///< by number, while ends are chosen
    size_t star_capacity;
    const sc_query **specials;  ///< of members with demands of their own, as they joined
    size_t special_capacity;
    size_t *first_reached;  ///< by special: in `reached_stars`
    size_t first_reached_capacity;
    size_t *tried_reached;  ///< by joiner tried: where its own begin in `reached_stars`
    size_t tried_reached_capacity;
    uint64_t *reached_stars;  ///< of specials (demand.h), where there are few enough numbers
    size_t reached_star_capacity;

    // Strict demands (settle.c): the last stars that were settled.
    sc__star_trial trial;
    bool has_far;                     ///< some stars are farther apart than the least max_hops
    bool is_too_large;                ///< too many stars for it
    sc__reach_demand *reach_demands;  ///< of the trial
    size_t reach_demand_capacity;
    uint64_t *trial_masks;
    size_t trial_mask_capacity;
    uint64_t *barred;  ///< of these masks: the stars of members
    uint64_t *far;
    size_t far_capacity;
    sc_star_id *equals;  ///< stars to draw from
    size_t equal_capacity;
    uint32_t *places;  ///< in T, by number
    size_t place_capacity;
    sc__vicinity around;       ///< of the search
    sc__numbers walk_numbers;  ///< of walks while stars have numbers of a search
    uint64_t *found_mask;      ///< the stars that the search had settled
    size_t found_mask_capacity;
    sc__settler *found_ends;  ///< and at which ends its members were
    size_t found_end_capacity;
} sc__patient;

extern const sc__engine_method sc__patient_method;

/**
 * Search from a query that waits and is no company, from one of its ends and then, if that found
 * nothing, from the other. What is found becomes a candidate; when memory is out, nothing has
 * changed but the generator.
 */
SC_CHECKED sc_err sc__search_together(sc_engine *engine, sc__slot query);

// --- Strict demands (settle.c) -----------------------------------------------

/**
 * Take stars away from `t` until the possible roads of each member, in `own->settlers`, meet what
 * it asks for. The roads of `t` meet what all of them ask for together.
 *
 * @param start    the listing that the search is from; its star has number 0
 * @param is_good  whether there is such a set of stars; if not, `t` is as it was
 */
SC_CHECKED sc_err sc__settle(sc_engine *engine, const sc__listing *start, const sc__found_stars *t,
                             size_t member_count, sc__specials specials, bool *is_good);

/** Measure how far the stars of `t`, which are good, are apart: for sc__settle_keep(). */
SC_CHECKED sc_err sc__settle_measure(sc_engine *engine, const sc__listing *start,
                                     const sc__found_stars *t, size_t member_count,
                                     sc__specials specials);

/** How many reaches pruning has to look at for what was settled last; 0: all roads are possible. */
size_t sc__settle_reach_count(const sc__patient *own);

/** Fill in the reaches of a candidate with the stars that were settled last. */
SC_CHECKED sc_err sc__settle_keep(sc_engine *engine, const sc_cloak *cloak, sc__kept_demands *kept);

/** Release the working memory of settling. */
void sc__settle_fini(sc__patient *own);

// --- Searches ----------------------------------------------------------------

/** Whether the roads of numbered stars meet a demand; `stars` are all, by number. */
static inline bool sc__stars_meet(const sc_engine *engine, const sc_star_id *stars,
                                  const uint64_t *mask, size_t words, const sc__demand *demand)
{
    sc__patient *own = engine->method_state;
    return own->around.tests_roads ? sc__vicinity_meets(engine, &own->around, *mask, demand)
                                   : sc__mask_meets(engine, stars, mask, words, *demand);
}

/**
 * Whether the members found, as in sc__propose_found(), are good for each other at the ends they
 * have (strict demands). The stars that are left are kept for sc__propose_found().
 *
 * @param t  the stars in all their balls
 */
SC_CHECKED sc_err sc__settle_found(sc_engine *engine, sc__slot start, size_t count,
                                   const sc__found_stars *t, bool *is_good);

/**
 * A search has found: the start and the joiners of the extensions after the first are `count`
 * members. They choose their ends and become a candidate. The stars of the start's ball are
 * numbered. When memory is out, nothing has changed but the generator.
 */
SC_CHECKED sc_err sc__propose_found(sc_engine *engine, sc__slot start, size_t count);

/** A query became a member: its listings go, and it is owed no search. */
void sc__patient_let_go(sc_engine *engine, sc__slot slot);

/**
 * List in `own->active` the first listings of the stars within the hops of `from`, nearest first.
 *
 * @param count  how many there are
 */
SC_CHECKED sc_err sc__list_stars_in_use(sc_engine *engine, const sc__listing *from, size_t *count);

/** Release the working memory of searches. */
void sc__together_fini(sc__patient *own);

#endif
