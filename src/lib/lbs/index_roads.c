// The star graph with lengths, packed for sweeping.
//
// A map says which segments a star has and, elsewhere, where each of them leads and how long it
// is. A sweep asks that some millions of times, so the answers are put side by side: 8 bytes per
// end of a segment, used by all sweeps of an index and then thrown away. Dead ends and roads back
// to their own star lead nowhere nearer and are left out.
//
// Used by: index_build.c, index.c.
#include "lbs/nearest_sweep.h"

#include "base/alloc.h"
#include "base/sort.h"

// The star at the other end; SC_NONE if there is none, or the same.
static sc_star_id other_end(const sc_segment *segment, sc_star_id star)
{
    const sc_star_id other = segment->star_a == star ? segment->star_b : segment->star_a;
    return other == star ? SC_NONE : other;
}

// Strides are about as long as the median segment, measured at a sample and rounded up to a power
// of two. On a city of two million nodes anything from half of that to four times as much takes the
// same time within a seventh, and a tenth of it 1.3 times as long: stars are then visited too
// often.
static unsigned choose_stride_shift(const sc_map *map)
{
    enum { SAMPLE = 1023 };
    uint32_t lengths[SAMPLE];
    const sc_segment *segments = sc_map_segments(map);
    const uint32_t segment_count = sc_map_segment_count(map);
    const uint32_t count = segment_count < SAMPLE ? segment_count : SAMPLE;
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = segments[(uint64_t)i * segment_count / count].length;
    }
    sc_sort_u32(lengths, count);
    const uint32_t median = lengths[count / 2];
    const unsigned bits = median > 0 ? 32 - (unsigned)__builtin_clz(median) : 0;
    return bits < 32 ? bits : 31;
}

sc_err sc__index_roads_init(sc_index_roads *roads, const sc_map *map)
{
    const uint32_t star_count = sc_map_star_count(map);
    const sc_star *stars = sc_map_stars(map);
    const sc_seg_id *listed = sc_map_star_segments(map);
    const sc_segment *segments = sc_map_segments(map);
    roads->first = sc_malloc_array((size_t)star_count + 1, sizeof *roads->first);
    roads->roads = sc_malloc_array(stars[star_count].first_segment, sizeof *roads->roads);
    if (!roads->first || !roads->roads) {
        sc__index_roads_fini(roads);
        return SC_ENOMEM;
    }
    uint32_t count = 0;
    for (sc_star_id star = 0; star < star_count; star++) {
        roads->first[star] = count;
        for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
            const sc_segment *segment = &segments[listed[i]];
            const sc_star_id to = other_end(segment, star);
            if (to != SC_NONE) roads->roads[count++] = (sc_index_road){to, segment->length};
        }
    }
    roads->first[star_count] = count;
    roads->stride_shift = choose_stride_shift(map);
    return SC_OK;
}

void sc__index_roads_fini(sc_index_roads *roads)
{
    sc_free(roads->first);
    sc_free(roads->roads);
    *roads = (sc_index_roads){0};
}
