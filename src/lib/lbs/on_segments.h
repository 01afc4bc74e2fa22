/**
 * @file on_segments.h
 * @brief The objects on the segments of a cloak.
 *
 * All of the wanted kind, for k nearest as well as for a range: each of them is the nearest of the
 * place where it stands, and the place is in the cloak.
 *
 * Used by: lbs.c.
 */
#ifndef SC_LBS_ON_SEGMENTS_H
#define SC_LBS_ON_SEGMENTS_H

#include "lbs/wanted.h"
#include "relay/relay_build.h"

/** Add them to a reply as runs, ascending; counts them. False when memory is out. */
SC_CHECKED bool sc__add_on_segments(const sc_objects_view *view, const sc_wanted *wanted,
                                    const sc_relay *relay, sc_reply *reply, uint64_t *count);

#endif
