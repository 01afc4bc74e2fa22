// What the ways to break a record share. See breaks.h.
#include "support/breaks.h"

#include "support/check.h"

#include <starcloak/star.h>

/** More hops than any map of the tests has. */
enum { FAR = 100 };

bool broken_holds(const made_ids *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->at[i] == id) return true;
    }
    return false;
}

void broken_put_sorted(made_ids *ids, uint32_t id)
{
    size_t i = ids->count++;
    for (; i > 0 && ids->at[i - 1] > id; i--) {
        ids->at[i] = ids->at[i - 1];
    }
    ids->at[i] = id;
}

void broken_take_out(made_ids *ids, size_t place)
{
    ids->count--;
    memmove(&ids->at[place], &ids->at[place + 1], (ids->count - place) * sizeof ids->at[0]);
}

made_event *broken_query_of(const made_record *r, const made_event *cloak, size_t member)
{
    return made_find_query(r, cloak->members[member].query);
}

void broken_loosen(const made_record *r, const made_event *cloak)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        broken_query_of(r, cloak, i)->l = 1;
        broken_query_of(r, cloak, i)->max_hops = FAR;
    }
}

made_event *broken_large_cloak(const made_record *r)
{
    for (size_t i = 0;; i++) {
        made_event *cloak = made_find(r, MADE_CLOAK, i);
        if (cloak->stars.count >= 3 && cloak->member_count >= 3 && cloak->border_nodes.count >= 2) {
            return cloak;
        }
    }
}

made_event *broken_drop_for(const made_record *r, const char *reason)
{
    for (size_t i = 0;; i++) {
        made_event *drop = made_find(r, MADE_DROP, i);
        if (strcmp(drop->reason, reason) == 0) return drop;
    }
}

static bool has_segment_outside(const made_record *r, const made_event *cloak, sc_star_id star)
{
    const sc_star *stars = sc_map_stars(r->map);
    for (uint32_t i = stars[star].first_segment; i < stars[star + 1].first_segment; i++) {
        if (!broken_holds(&cloak->segments, sc_map_star_segments(r->map)[i])) return true;
    }
    return false;
}

sc_star_id broken_star_outside(const made_record *r, const made_event *cloak)
{
    const sc_star *stars = sc_map_stars(r->map);
    for (size_t j = 0; j < cloak->stars.count; j++) {
        const sc_star_id at = cloak->stars.at[j];
        for (uint32_t i = stars[at].first_neighbour; i < stars[at + 1].first_neighbour; i++) {
            const sc_star_id star = sc_map_star_neighbours(r->map)[i];
            if (!broken_holds(&cloak->stars, star) && has_segment_outside(r, cloak, star)) {
                return star;
            }
        }
    }
    fail_msg("there is nothing around the cloak");
    return SC_NONE;
}

sc_seg_id broken_segment_outside(const made_record *r, const made_event *cloak)
{
    sc_seg_id s = 0;
    while (broken_holds(&cloak->segments, s)) {
        s++;
    }
    assert_true(s < sc_map_segment_count(r->map));
    return s;
}

static uint32_t count_segments_around(const made_record *r, sc_star_id star, uint32_t max_hops)
{
    uint32_t found = 0;
    sc_ball *ball = NULL;
    size_t count = 0;
    CHECK_OK(sc_ball_new(r->map, &ball), NULL);
    const sc_star_id *near = sc_ball_walk(ball, star, max_hops, &count);
    for (sc_seg_id s = 0; s < sc_map_segment_count(r->map); s++) {
        const sc_segment *segment = &sc_map_segments(r->map)[s];
        bool is_near = false;
        for (size_t i = 0; i < count; i++) {
            is_near |= segment->star_a == near[i] || segment->star_b == near[i];
        }
        found += is_near;
    }
    sc_ball_free(ball);
    return found;
}

uint32_t broken_most_segments(const made_record *r, sc_seg_id segment, uint32_t max_hops)
{
    const sc_segment *s = &sc_map_segments(r->map)[segment];
    const sc_star_id ends[] = {s->star_a, s->star_b};
    uint32_t most = 0;
    for (size_t i = 0; i < 2; i++) {
        if (ends[i] == SC_NONE) continue;
        const uint32_t count = count_segments_around(r, ends[i], max_hops);
        if (count > most) most = count;
    }
    return most;
}

void for_each_breakage(void (*visit)(const breakage *b, void *context), void *context)
{
    enum { LISTS = 3 };
    const breakage *const lists[LISTS] = {member_breakages, list_breakages, end_breakages};
    for (size_t i = 0; i < LISTS; i++) {
        for (const breakage *b = lists[i]; b->name; b++) {
            visit(b, context);
        }
    }
}
