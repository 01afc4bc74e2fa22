/**
 * @file board.h
 * @brief Secret: which of the demo's travellers wait, and what they asked for. A newcomer is told
 * of them first.
 *
 * A traveller has at most one query under way, so there is one place for each. The lock is held for
 * a copy.
 */
#ifndef SC_DEMO_BOARD_H
#define SC_DEMO_BOARD_H

#include <starcloak/map.h>
#include <starcloak/query.h>

/** A query under way. */
typedef struct sc__waiting {
    uint64_t number;  ///< from 1 on; 0: nobody waits here
    uint32_t who;
    sc_seg_id segment;
    sc_profile profile;
    int64_t asked_us;  ///< sc_clock_us()
} sc__waiting;

typedef struct sc__board sc__board;

SC_CHECKED sc_err sc__board_new(uint32_t travellers, sc__board **out);

/** NULL is fine. */
void sc__board_free(sc__board *board);

/** Somebody begins to wait. Any thread, as all of these. */
void sc__board_put(sc__board *board, const sc__waiting *waiting);

/** And waits no longer. */
void sc__board_take(sc__board *board, uint32_t who);

/** Copy who waits now, by traveller, up to `room` of them; returns how many. */
size_t sc__board_list(sc__board *board, sc__waiting *out, size_t room);

#endif
