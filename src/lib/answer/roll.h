/**
 * @file roll.h
 * @brief Which numbers have been seen, and where each is kept.
 *
 * A hash table that is begun anew without clearing it: a slot says in which round it was written.
 * Slots are chosen by a hash that is keyed by where the table lies, which a stranger cannot know,
 * so that no reply can be made whose objects all meet in one place.
 *
 * Used by: take.c.
 */
#ifndef SC_ANSWER_ROLL_H
#define SC_ANSWER_ROLL_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_roll_slot {
    uint32_t number;
    uint32_t place;
    uint32_t round;  ///< in which it was written; 0: in none
} sc_roll_slot;

/** Zero-initialise; release with sc__roll_fini(). */
typedef struct sc_roll {
    sc_roll_slot *slots;
    size_t count;
    size_t capacity;  ///< a power of two
    uint32_t round;
} sc_roll;

void sc__roll_fini(sc_roll *roll);

/** Begin a round, with room for `count` different numbers; false when memory is out. */
SC_CHECKED bool sc__roll_begin(sc_roll *roll, size_t count);

/** Where `number` is kept; one that is new in this round is kept at `place` from now on. */
uint32_t sc__roll_call(sc_roll *roll, uint32_t number, uint32_t place);

#endif
