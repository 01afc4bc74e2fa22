// A cloak is one block of memory: the struct, then its arrays, the most strictly
// aligned first, so that each begins where the one before it ends. See
// starcloak/cloak.h and engine/cloak_make.h.
//
//     | sc__candidate | members | stars | segments | border nodes |
//
// A cloak is made by the engine, filled in by pruning, perhaps in another thread,
// and freed by the caller: one block is one thing to hand on.
#include <starcloak/cloak.h>

#include "base/alloc.h"
#include "engine/cloak_make.h"

#include <string.h>

_Static_assert(sizeof(sc__candidate) % _Alignof(sc_member) == 0, "members follow the struct");
_Static_assert(sizeof(sc_member) % _Alignof(uint32_t) == 0, "ids follow the members");

sc_cloak *sc_cloak_new(size_t star_count, size_t segment_room, size_t member_count)
{
    size_t id_count = 0;
    size_t id_bytes = 0;
    size_t member_bytes = 0;
    size_t bytes = 0;
    if (__builtin_mul_overflow(segment_room, 2, &id_count) ||
        __builtin_add_overflow(id_count, star_count, &id_count) ||
        __builtin_mul_overflow(id_count, sizeof(uint32_t), &id_bytes) ||
        __builtin_mul_overflow(member_count, sizeof(sc_member), &member_bytes) ||
        __builtin_add_overflow(id_bytes, member_bytes, &bytes) ||
        __builtin_add_overflow(bytes, sizeof(sc__candidate), &bytes)) {
        return NULL;
    }
    sc__candidate *candidate = sc_malloc(bytes);
    if (!candidate) return NULL;

    sc_member *members = (sc_member *)(candidate + 1);
    uint32_t *ids = (uint32_t *)(members + member_count);
    *candidate = (sc__candidate){.cloak = {
                                     .stars = ids,
                                     .star_count = star_count,
                                     .segments = ids + star_count,
                                     .border_nodes = ids + star_count + segment_room,
                                     .members = members,
                                     .member_count = member_count,
                                     .deadline = SC_TIME_NEVER,
                                 }};
    return &candidate->cloak;
}

void sc_cloak_free(sc_cloak *cloak)
{
    if (!cloak) return;
    // Who was with whom, and where.
    explicit_bzero(cloak->members, cloak->member_count * sizeof *cloak->members);
    sc_free(cloak);
}
