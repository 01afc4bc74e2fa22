/**
 * @file position_frames.h
 * @brief Secret: where travellers are, as frames that tell what has changed since the frame before.
 *
 * Thousands of travellers are shown several times a second, and in a quarter of a second a car goes
 * a few metres. So positions are rounded to *steps* of about a quarter of a metre, and a frame has
 * two bytes for most who moved: a quarter of what two whole numbers of 32 bits take. What is
 * told is the difference to what listeners have, not to where the traveller was, so that errors of
 * rounding do not add up.
 *
 * Each frame has the number of the one before and 1 more. A *base* tells all: as if all had been
 * off the road before. docs/ui.md has the bytes.
 */
#ifndef SC_DEMO_POSITION_FRAMES_H
#define SC_DEMO_POSITION_FRAMES_H

#include <starcloak/bytes.h>
#include <starcloak/map.h>

#include "api/map_display.h"

/** One frame of so many is a base, so that a listener that lost an event goes on after some
 * seconds.
 */
enum { SC_POSITION_FRAMES_PER_BASE = 20 };

/** In place of x and y: off the road. */
enum { SC_OFF_ROAD = -1 };

/** Whether positions on this grid fit into their numbers: a map in degrees may reach around more
 * than half of the globe. */
bool sc_position_grid_fits(const sc_map_grid *grid);

/** Where a point of an edge is, in units of the grid from its south-west corner, rounded as on the
 * page. */
void sc_position_units(const sc_map *map, const sc_map_grid *grid, sc_edge_id edge, double offset_m,
                       int32_t at[2]);

/** How many units of the grid a step has: a power of two. Time O(edges). */
int32_t sc_position_step(const sc_map *map, const sc_map_grid *grid);

/** Zero-initialise; sc_position_frames_fini(). One thread. */
typedef struct sc_position_frames {
    uint32_t count;   ///< travellers
    int32_t step;     ///< units
    uint64_t number;  ///< of the last frame; 0: there was none
    bool needs_base;  ///< the last one could not be told
    int32_t *shown;   ///< x and y of each as listeners have them, in steps, or SC_OFF_ROAD
    sc_bytes moves;
} sc_position_frames;

/** @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_position_frames_init(sc_position_frames *frames, uint32_t count, int32_t step);

/** Harmless twice. */
void sc_position_frames_fini(sc_position_frames *frames);

/**
 * The next frame as an event, appended to `out`. Without memory it is lost, and the next one is a
 * base.
 *
 * @param at          x and y of each in units from the south-west corner, 0 or more; SC_OFF_ROAD
 * @param wants_base  a listener has come
 * @return false if memory is out
 */
bool sc_position_frames_write(sc_position_frames *frames, double t_s, const int32_t *at,
                              bool wants_base, sc_bytes *out);

/** Whether anybody is elsewhere than listeners have it. */
bool sc_position_frames_differ(const sc_position_frames *frames, const int32_t *at);

#endif
