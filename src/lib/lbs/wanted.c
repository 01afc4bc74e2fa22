// Which objects a request asks for. See wanted.h.
#include "lbs/wanted.h"

#include "base/alloc.h"

#include <string.h>

void sc__wanted_fini(sc_wanted_room *room)
{
    sc_free(room->is_in);
    *room = (sc_wanted_room){.capacity = 0};
}

sc_err sc__wanted_by(sc_wanted_room *room, const sc_objects_view *view, const sc_request *request,
                     sc_wanted *out)
{
    *out = (sc_wanted){.is_in = NULL, .only = SC_NONE, .mask = UINT64_MAX};
    if (request->category_count == 0) return SC_OK;

    if (!sc_reserve(&room->is_in, view->category_count, &room->capacity, 1)) return SC_ENOMEM;
    memset(room->is_in, 0, view->category_count);
    out->is_in = room->is_in;
    out->only = request->category_count == 1 ? request->categories[0] : SC_NONE;
    out->mask = 0;
    for (uint32_t i = 0; i < request->category_count; i++) {
        room->is_in[request->categories[i]] = 1;
        out->mask |= UINT64_C(1) << (request->categories[i] % 64);
    }
    return SC_OK;
}
