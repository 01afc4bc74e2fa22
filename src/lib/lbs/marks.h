/**
 * @file marks.h
 * @brief Which stars or objects the current search has seen, and where it keeps the rest.
 *
 * A mark holds the number of the search that set it, so that a new search begins with nothing
 * marked and nothing has to be cleared.
 *
 * Used by: the searches of this folder.
 */
#ifndef SC_LBS_MARKS_H
#define SC_LBS_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct sc_mark {
    uint32_t search;  ///< that set it; 0: none yet
    uint32_t slot;    ///< where that search keeps the rest
} sc_mark;

/** Zero-initialise; release with sc__marks_fini(). */
typedef struct sc_marks {
    sc_mark *marks;
    size_t count;
    uint32_t search;  ///< the current one
} sc_marks;

/** Begin a search among `count` things; false when memory is out. */
bool sc__marks_begin(sc_marks *marks, size_t count);

void sc__marks_fini(sc_marks *marks);

static inline bool sc__marked(const sc_marks *marks, uint32_t thing)
{
    return marks->marks[thing].search == marks->search;
}

#endif
