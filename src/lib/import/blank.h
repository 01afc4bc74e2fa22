/**
 * @file blank.h
 * @brief What counts as blank in the texts that readers take apart.
 *
 * Uses: base. Used by: load_mobisim.c, load_objects.c, osm_tags.c.
 */
#ifndef SC_IMPORT_BLANK_H
#define SC_IMPORT_BLANK_H

#include "base/text.h"

static inline bool sc__is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

/** The slice without the blanks at both of its ends. */
static inline sc_slice sc__trim(sc_slice slice)
{
    while (slice.size > 0 && sc__is_blank(slice.text[0])) {
        slice = (sc_slice){slice.text + 1, slice.size - 1};
    }
    while (slice.size > 0 && sc__is_blank(slice.text[slice.size - 1])) {
        slice.size--;
    }
    return slice;
}

#endif
