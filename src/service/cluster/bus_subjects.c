// How the subjects of a cluster are spelled. See wire.h for what is said there.
#include "cluster/bus_internal.h"

#include <inttypes.h>
#include <stdio.h>

sc__subject sc__subject_part(const sc_wire *wire, uint32_t part)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.part.%016" PRIx64 ".%" PRIu32, wire->cluster,
             wire->cut, part);
    return subject;
}

sc__subject sc__subject_peer(const sc_wire *wire, sc_peer peer)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.to.%016" PRIx64, wire->cluster, peer);
    return subject;
}

sc__subject sc__subject_beats(const sc_wire *wire)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.beat", wire->cluster);
    return subject;
}

sc__subject sc__subject_placements(const sc_wire *wire)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.place", wire->cluster);
    return subject;
}

/** @param part  a number, or "*" */
static sc__subject subject_void(const sc_wire *wire, sc_peer self, const char *part)
{
    sc__subject subject;
    snprintf(subject.text, sizeof subject.text, "%s.void.%016" PRIx64 ".%s", wire->cluster, self,
             part);
    return subject;
}

sc__subject sc__subject_void(const sc_wire *wire, sc_peer self, uint32_t part)
{
    char number[11];
    snprintf(number, sizeof number, "%" PRIu32, part);
    return subject_void(wire, self, number);
}

sc__subject sc__subject_void_of_any(const sc_wire *wire, sc_peer self)
{
    return subject_void(wire, self, "*");
}
