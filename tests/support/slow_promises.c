// P1 to P7 of one cloak.
#include "support/slow_promises.h"

#include "support/check.h"

/** Flags for ids that must be ascending and below `flag_count`; release with free(). */
static bool *flags_of(const uint32_t *ids, size_t count, uint32_t flag_count)
{
    bool *flags = test_take(flag_count, sizeof *flags);
    for (size_t i = 0; i < count; i++) {
        assert_true(ids[i] < flag_count);
        if (i > 0) assert_true(ids[i - 1] < ids[i]);
        flags[ids[i]] = true;
    }
    return flags;
}

static size_t count_users(const sc_cloak *cloak)
{
    size_t count = 0;
    for (size_t i = 0; i < cloak->member_count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i; j++) {
            is_new &= cloak->members[i].query.user != cloak->members[j].query.user;
        }
        count += is_new;
    }
    return count;
}

/** Whether every segment of S touches the ball of `max_hops` around `end`. */
static bool is_within(const slow_roads *roads, const bool *segments, sc_star_id end,
                      uint32_t max_hops)
{
    if (end == SC_NONE) return false;
    for (sc_seg_id s = 0; s < roads->segment_count; s++) {
        if (!segments[s]) continue;
        const sc_segment *segment = &sc_map_segments(roads->map)[s];
        const uint32_t a = slow_hops(roads, end, segment->star_a);
        const uint32_t b =
            segment->star_b == SC_NONE ? SC_NONE : slow_hops(roads, end, segment->star_b);
        const uint32_t nearer = a < b ? a : b;
        if (nearer == SC_NONE || nearer > max_hops) return false;
    }
    return true;
}

/** P1 and P4 of a member of a cloak that has stars. */
static void check_place(const slow_roads *roads, const bool *stars, const sc_member *member)
{
    const sc_segment *own = &sc_map_segments(roads->map)[member->query.segment];
    assert_true(member->star == own->star_a || member->star == own->star_b);
    assert_true(member->star < roads->star_count && stars[member->star]);
    for (sc_star_id x = 0; x < roads->star_count; x++) {
        const uint32_t hops = slow_hops(roads, member->star, x);
        if (stars[x]) assert_true(hops != SC_NONE && hops <= member->query.max_hops);
    }
}

/** The same where it has none. */
static void check_place_without_stars(const slow_roads *roads, const bool *segments,
                                      const sc_member *member)
{
    const sc_query *query = &member->query;
    const sc_segment *own = &sc_map_segments(roads->map)[query->segment];
    assert_int_equal(member->star, SC_NONE);
    assert_true(is_within(roads, segments, own->star_a, query->max_hops) ||
                is_within(roads, segments, own->star_b, query->max_hops));
}

static void check_member(const slow_roads *roads, const sc_cloak *cloak, const bool *stars,
                         const bool *segments, const sc_member *member, sc_time now)
{
    const sc_query *query = &member->query;
    assert_true(segments[query->segment]);  // P1
    if (cloak->star_count > 0) {
        check_place(roads, stars, member);
    } else {
        check_place_without_stars(roads, segments, member);
    }
    assert_true(count_users(cloak) >= query->k);    // P2
    assert_true(cloak->segment_count >= query->l);  // P3
    assert_true(now <= query->deadline);            // P5
    assert_true(cloak->deadline <= query->deadline);
}

void slow_check_promises(const slow_roads *roads, const sc_cloak *cloak, sc_time now)
{
    // P6: one set for all, and in ascending order, which says nothing of anybody.
    const uint32_t node_count = sc_map_node_count(roads->map);
    bool *stars = flags_of(cloak->stars, cloak->star_count, roads->star_count);
    bool *segments = flags_of(cloak->segments, cloak->segment_count, roads->segment_count);
    bool *borders = flags_of(cloak->border_nodes, cloak->border_node_count, node_count);

    // P7: S is seg(T), and its border nodes are those of S; nothing else could leave.
    for (sc_seg_id s = 0; s < roads->segment_count && cloak->star_count > 0; s++) {
        assert_int_equal(segments[s], slow_touches(roads, stars, s));
    }
    for (sc_node_id v = 0; v < node_count; v++) {
        assert_int_equal(borders[v], slow_is_border(roads, segments, v));
    }
    assert_true(cloak->member_count > 0);
    for (size_t i = 0; i < cloak->member_count; i++) {
        check_member(roads, cloak, stars, segments, &cloak->members[i], now);
        for (size_t j = 0; j < i; j++) {
            assert_memory_not_equal(&cloak->members[i].query.id, &cloak->members[j].query.id,
                                    sizeof(sc_query_id));
        }
    }
    free(stars);
    free(segments);
    free(borders);
}
