// A heap whose entries know their owners. See deadlines.h.
#include "base/deadlines.h"

sc_err sc_deadlines_init(sc_deadlines *deadlines, size_t most)
{
    *deadlines = (sc_deadlines){0};
    return sc_deadlines_reserve(deadlines, most) ? SC_OK : SC_ENOMEM;
}

void sc_deadlines_add(sc_deadlines *deadlines, int64_t t, void *owner, size_t *place)
{
    sc_deadlines_push(deadlines, (sc_deadline){t, owner, place});
}

void sc_deadlines_cancel(sc_deadlines *deadlines, size_t *place)
{
    sc_deadlines_remove(deadlines, *place);
    *place = SC_NO_DEADLINE;
}
