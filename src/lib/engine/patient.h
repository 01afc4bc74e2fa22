/**
 * @file patient.h
 * @brief The patient variant: its method, and its state.
 */
#ifndef SC_ENGINE_PATIENT_H
#define SC_ENGINE_PATIENT_H

#include "engine/cloaking_graph.h"
#include "engine/listing.h"
#include "engine/method.h"

/** A listing that may join a search, with what the search wants to know of it. */
typedef struct sc__joiner {
    uint64_t user;
    uint64_t age;  ///< twice the order of adding; one more at star_b
    sc__slot listing;
    uint32_t number;  ///< of its star in the start's ball
    uint32_t max_hops;
    uint32_t k;
    sc__demand demand;
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
    size_t at;   ///< the next to be tried, in the stack of lists
    size_t end;  ///< of the list
} sc__extension;

/** A member whose end is being settled. */
typedef struct sc__settler {
    sc__slot listing;  ///< at the end that it has
    uint32_t number;   ///< of that star
} sc__settler;

/** The ball of a star that is not active any more. */
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
    sc_star_id *stars;  ///< by number, while settling
    size_t star_capacity;
} sc__patient;

extern const sc__engine_method sc__patient_method;

/**
 * Search from a query that waits and is no company, from one of its ends and then, if that found
 * nothing, from the other. What is found becomes a candidate; when memory is out, nothing has
 * changed but the generator.
 */
SC_CHECKED sc_err sc__search_together(sc_engine *engine, sc__slot query);

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
