// Names; beats and placements, each one block of memory. See messages.h.
#include "cluster/heartbeat.h"

#include "base/alloc.h"

#include <string.h>

bool sc_name_is_fine(const char *name, size_t size)
{
    if (size == 0 || size >= SC_NAME_SIZE) return false;
    for (size_t i = 0; i < size; i++) {
        const char c = name[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_digit = c >= '0' && c <= '9';
        if (!is_letter && !is_digit && c != '-' && c != '_' && c != '.') return false;
    }
    return true;
}

// --- Beats ------------------------------------------------------------------------------------

sc_beat *sc_beat_new(size_t parts)
{
    if (parts > SC_PARTITION_PARTS_MAX) return NULL;
    sc_beat *beat = sc_calloc(1, sizeof *beat + parts * sizeof *beat->parts);
    if (!beat) return NULL;
    beat->part_count = parts;
    beat->parts = (sc_beat_part *)(void *)(beat + 1);
    return beat;
}

void sc_beat_free(sc_beat *beat)
{
    sc_free(beat);
}

// --- Placements -------------------------------------------------------------------------------

sc_placement *sc_placement_new(uint32_t parts)
{
    if (parts > SC_PARTITION_PARTS_MAX) return NULL;
    sc_placement *placement = sc_calloc(1, sizeof *placement + parts * sizeof *placement->owners);
    if (!placement) return NULL;
    placement->parts = parts;
    placement->owners = (sc_peer *)(void *)(placement + 1);
    return placement;
}

sc_placement *sc_placement_clone(const sc_placement *placement)
{
    sc_placement *clone = sc_placement_new(placement->parts);
    if (!clone) return NULL;
    clone->epoch = placement->epoch;
    clone->leader = placement->leader;
    clone->cut = placement->cut;
    memcpy(clone->owners, placement->owners, placement->parts * sizeof *clone->owners);
    return clone;
}

void sc_placement_free(sc_placement *placement)
{
    sc_free(placement);
}

bool sc_placement_is_newer(const sc_placement *a, const sc_placement *b)
{
    if (!b) return true;
    return a->epoch != b->epoch ? a->epoch > b->epoch : a->leader > b->leader;
}
