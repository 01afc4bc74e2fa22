/**
 * @file wanted.h
 * @brief Which objects a request asks for, in the form that loops over objects like.
 *
 * Used by: all of this folder.
 */
#ifndef SC_LBS_WANTED_H
#define SC_LBS_WANTED_H

#include "lbs/objects_view.h"

typedef struct sc_wanted {
    const uint8_t *is_in;  ///< per category; NULL: all are wanted
    sc_category_id only;   ///< the one category that is wanted; SC_NONE: several, or all
    uint64_t mask;         ///< a segment without any of these bits in its segment_mask has none
} sc_wanted;

/** Room for the table behind a `wanted`; zero-initialise, release with sc__wanted_fini(). */
typedef struct sc_wanted_room {
    uint8_t *is_in;
    size_t capacity;
} sc_wanted_room;

void sc__wanted_fini(sc_wanted_room *room);

/** What `request` wants of `view`; lent by `room` until the next call. */
SC_CHECKED sc_err sc__wanted_by(sc_wanted_room *room, const sc_objects_view *view,
                                const sc_request *request, sc_wanted *out);

static inline bool sc__is_wanted(const sc_wanted *wanted, const sc_objects_view *view,
                                 sc_object_id object)
{
    return !wanted->is_in || wanted->is_in[view->category[object]];
}

#endif
