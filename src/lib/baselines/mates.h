/**
 * @file mates.h
 * @brief The circle of a query: who could share a cloak with it, and who does while roads join.
 *
 * One query asks: here are the roads S that I have so far, who can be a member with me? A query
 * can, if its own segment is in S, S has as many segments as its l, all of S is in the region of
 * one end of its own segment, and there are as many different users as its k. The last depends on
 * the others; so the answer is the greatest set in which everybody is content: take all who meet
 * the rest, then, again and again, leave out those whose k is more than the users there are.
 *
 * Two queries can be together only if each one's segment is in the other's region. Those for
 * whom that holds are gathered once, as *mates*, the asker among them. Then S grows road by road.
 * More roads bring more mates to it and lose those who do not reach them; who is lost stays lost.
 * So there is *hope* as long as all who are not lost, on S or not, would be enough together.
 * Without it, no choice of further roads can help.
 *
 * Used by: per_query.c, per_query_try.c.
 */
#ifndef SC_BASELINES_MATES_H
#define SC_BASELINES_MATES_H

#include "baselines/regions.h"

/** One end of a segment or both, as bits. */
enum { SC__END_A = 1, SC__END_B = 2 };

/**
 * The queries that wait on a segment: a list with all bits turned, so that memory that was never
 * written says that nobody does.
 */
typedef struct sc__waiters {
    sc__slot not_first;
    sc__slot not_last;
} sc__waiters;

static inline sc__list sc__waiters_list(const sc__waiters *waiters)
{
    return (sc__list){~waiters->not_first, ~waiters->not_last};
}

static inline void sc__waiters_put(sc__waiters *waiters, sc__list list)
{
    *waiters = (sc__waiters){~list.first, ~list.last};
}

/** A query that could share a cloak with the asker. */
typedef struct sc__mate {
    const sc__region *regions[2];  ///< around the ends of its segment
    uint64_t user;
    uint64_t counted;  ///< of the first mate of a user: in which count it was met last
    sc__slot slot;
    sc_seg_id segment;
    uint32_t first;  ///< the first mate of the same user
    uint32_t k;
    uint32_t l;
    uint32_t max_hops;
    uint8_t within;  ///< the asker's ends whose regions have this one's segment
    uint8_t from;    ///< its own ends whose regions have the asker's segment
    uint8_t alive;   ///< of them, those whose regions have all of S; 0: it is lost
    bool is_on;      ///< its segment is in S
    bool is_found;   ///< it is in the last answer; means nothing once it is lost
    bool is_helped;  ///< the asker might help it: per_query.c's own mark
} sc__mate;

/** Zero-initialise; sc__mates_fini() when done. */
typedef struct sc__mates {
    sc__mate *all;
    size_t count;
    size_t capacity;
    uint32_t *left;  ///< the mates who are not lost
    size_t left_count;
    size_t left_capacity;
    uint32_t self;         ///< the asker among the mates
    uint32_t most_l;       ///< of all mates
    uint32_t *user_table;  ///< a hash table of users
    size_t table_capacity;
    uint64_t count_number;
    uint32_t size;    ///< of S
    bool has_gained;  ///< somebody is new on S since sc__mates_suffice()
    bool has_lost;    ///< somebody was lost since sc__mates_can_suffice()
} sc__mates;

void sc__mates_fini(sc__mates *mates);

/**
 * Gather the mates of a query.
 *
 * @param regions  those of all who wait are held
 * @param waiting  by segment: the queries there
 */
SC_CHECKED sc_err sc__mates_gather(const sc_engine *engine, sc__mates *mates,
                                   const sc__regions *regions, const sc__waiters *waiting,
                                   sc__slot slot);

/** S is the asker's segment, and is to stay within the region of that end of it, 0 or 1. */
void sc__mates_begin(sc__mates *mates, unsigned end);

/** A road of the region joins S. */
void sc__mates_join(const sc_engine *engine, sc__mates *mates, sc_seg_id road);

/** Whether the asker can be a member now; if so, all who can are found. */
bool sc__mates_suffice(sc_engine *engine, sc__mates *mates);

/** Whether it still might, with more roads. */
bool sc__mates_can_suffice(sc__mates *mates);

/** The same; if so, all who might be there too are found. */
bool sc__mates_find_possible(sc__mates *mates);

#endif
