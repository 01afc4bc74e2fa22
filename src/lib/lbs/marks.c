// Marks that need no clearing. See marks.h.
#include "lbs/marks.h"

#include "base/alloc.h"

#include <string.h>

bool sc__marks_begin(sc_marks *marks, size_t count)
{
    if (count > marks->count) {
        sc_mark *grown = sc_calloc(count, sizeof *grown);
        if (!grown) return false;
        sc_free(marks->marks);
        *marks = (sc_marks){.marks = grown, .count = count};
    }
    // After four thousand million searches the numbers begin anew, and old marks must not be
    // believed.
    if (++marks->search == 0) {
        memset(marks->marks, 0, marks->count * sizeof *marks->marks);
        marks->search = 1;
    }
    return true;
}

void sc__marks_fini(sc_marks *marks)
{
    sc_free(marks->marks);
    *marks = (sc_marks){.count = 0};
}
