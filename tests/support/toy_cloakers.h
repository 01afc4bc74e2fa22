/**
 * @file toy_cloakers.h
 * @brief Ways of cloaking whose secrets are known: from one that tells everything to one that tells
 * nothing.
 *
 * Roads are taken by their numbers, as if they lay on a circle: a *window* is `width` of them, one
 * after the other. There is one cloak, made for the first query, and all queries are its members
 * unless it says otherwise. What can be learnt from it follows by counting
 * (tests/unit/attack/test_made_cloakers.c).
 */
#ifndef SC_TESTS_SUPPORT_TOY_CLOAKERS_H
#define SC_TESTS_SUPPORT_TOY_CLOAKERS_H

#include <starcloak/attack.h>

typedef enum toy_manner {
    /** The window that begins with the first one's own road: sorted, the first road says it all. */
    TOY_TELLTALE,
    /** The roads are cut into windows once and for all; only who is on the first road of a window
     * is cloaked, and with that one. */
    TOY_GATED,
    /** A window drawn at random, wherever anybody is. */
    TOY_BLIND,
    /** One of the two, telltale or blind, by the toss of a coin. */
    TOY_TORN,
} toy_manner;

typedef struct toy_cloaking {
    toy_manner manner;
    size_t width;  ///< roads of a window, 1 to TOY_WIDTH_MAX; a part of those of the map
} toy_cloaking;

enum { TOY_WIDTH_MAX = 64 };

/** @param cloaking  borrowed; must outlive the result and whatever it is given to */
sc_cloaker toy_cloaker(toy_cloaking *cloaking);

/** The window of `width` roads that begins with `first`, ascending. */
void toy_window(const sc_map *map, sc_seg_id first, size_t width, sc_seg_id *out);

#endif
