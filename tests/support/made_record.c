// Records made up for tests. See made_record.h.
#include "support/made_record.h"

#include "base/rng.h"
#include "support/check.h"
#include "support/made_distances.h"
#include "support/sketch.h"

#include <starcloak/star.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

sc_map *made_town(void)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "A--B--C--D--P\n"
                           "|  |  |  |\n"
                           "E--F--G--H   Q--R\n"
                           "|  |  |  |\n"
                           "I--J--K--L--S\n"
                           "   |  |\n"
                           "   T  U\n",
                           "FF GH KK");
    sc_builder *builder = sketch_builder(&s);
    for (sc_edge_id e = 0; e < s.edge_count; e += 2) {
        put_object(builder, e, 0.25 + 0.03 * e, e % 3 == 0 ? "cafe" : "school", "");
    }
    sketch_free(&s);
    return finish_builder(builder);
}

// --- The list of events ----------------------------------------------------------------

made_event *made_insert(made_record *record, size_t place, made_event event)
{
    if (record->count == record->capacity) {
        record->capacity = record->capacity > 0 ? 2 * record->capacity : 64;
        record->events = realloc(record->events, record->capacity * sizeof *record->events);
        if (!record->events) abort();
    }
    made_event *at = &record->events[place];
    memmove(at + 1, at, (record->count - place) * sizeof *at);
    *at = event;
    record->count++;
    return at;
}

size_t made_place(const made_record *record, const made_event *event)
{
    return (size_t)(event - record->events);
}

void made_remove(made_record *record, const made_event *event)
{
    made_event *at = &record->events[made_place(record, event)];
    record->count--;
    memmove(at, at + 1, (record->count - made_place(record, at)) * sizeof *at);
}

made_record made_record_copy(const made_record *record)
{
    made_record copy = {.map = record->map, .count = record->count, .capacity = record->count};
    copy.events = test_take(record->count, sizeof *copy.events);
    memcpy(copy.events, record->events, record->count * sizeof *copy.events);
    return copy;
}

void made_record_free(made_record *record)
{
    free(record->events);
    *record = (made_record){.count = 0};
}

made_event *made_find(const made_record *record, made_kind kind, size_t number)
{
    for (size_t i = 0; i < record->count; i++) {
        if (record->events[i].kind == kind && number-- == 0) return &record->events[i];
    }
    fail_msg("the record has too few events of kind %d", (int)kind);
    abort();
}

made_event *made_find_query(const made_record *record, const char *id)
{
    for (size_t i = 0; i < record->count; i++) {
        made_event *event = &record->events[i];
        if (event->kind == MADE_QUERY && strcmp(event->query, id) == 0) return event;
    }
    fail_msg("the record has no query %s", id);
    abort();
}

// --- Brute force -----------------------------------------------------------------------

static bool holds(const made_ids *ids, uint32_t id)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (ids->at[i] == id) return true;
    }
    return false;
}

static void put(made_ids *ids, uint32_t id)
{
    assert_true(ids->count < MADE_MAX_IDS);
    ids->at[ids->count++] = id;
}

static bool touches(const sc_map *map, sc_seg_id segment, sc_star_id star)
{
    const sc_segment *s = &sc_map_segments(map)[segment];
    return s->star_a == star || s->star_b == star;
}

void made_border(const sc_map *map, const made_ids *segments, made_ids *out)
{
    out->count = 0;
    for (sc_node_id v = 0; v < sc_map_node_count(map); v++) {
        uint32_t roads = 0;
        uint32_t inside = 0;
        for (sc_edge_id e = 0; e < sc_map_edge_count(map); e++) {
            const sc_edge *edge = &sc_map_edges(map)[e];
            const uint32_t ends = (uint32_t)(edge->from == v) + (uint32_t)(edge->to == v);
            roads += ends;
            if (holds(segments, edge->segment)) inside += ends;
        }
        if (inside > 0 && inside < roads) put(out, v);
    }
}

static uint32_t hops_between(sc_ball *ball, sc_star_id from, sc_star_id to)
{
    size_t count = 0;
    sc_ball_walk(ball, from, SC_NONE - 1, &count);
    return sc_ball_hops_of(ball, to);
}

// --- Making one up ---------------------------------------------------------------------

/** A record in the making. */
typedef struct maker {
    const sc_map *map;
    const made_wishes *wishes;
    made_record record;
    sc_rng rng;
    sc_ball *ball;
    made_distances distances;
    uint32_t query_count;
} maker;

static uint32_t draw(maker *m, uint32_t bound)
{
    return sc_rng_below(&m->rng, bound);
}

static void append(maker *m, const made_event *event)
{
    made_insert(&m->record, m->record.count, *event);
}

// A query on `segment`, with needs that any cloak meets; not yet part of the record.
static made_event make_query(maker *m, sc_seg_id segment, int64_t t_us, int64_t max_wait_us)
{
    const sc_segment *s = &sc_map_segments(m->map)[segment];
    made_event query = {.kind = MADE_QUERY, .t_us = t_us, .segment = segment};
    snprintf(query.query, sizeof query.query, "%032" PRIx32, 0x9e3779b9U * ++m->query_count);
    snprintf(query.user, sizeof query.user, "u%" PRIu32, draw(m, 12));
    query.edge = s[0].first_edge + draw(m, s[1].first_edge - s[0].first_edge);
    const double length_m = sc_map_edge_length_m(m->map, query.edge);
    query.offset_m = floor(sc_rng_unit(&m->rng) * length_m * 1e4) / 1e4;
    query.k = 1;
    query.l = 1;
    query.max_wait_us = max_wait_us;
    query.nearest = draw(m, 5);
    query.radius_m = 5.0 + draw(m, 60);
    query.category = draw(m, 2) ? SC_NONE : 0;
    if (sc_map_category_count(m->map) == 0) query.category = SC_NONE;
    return query;
}

// Stars around a random one; each but that may be left out, so that there are holes.
static void choose_stars(maker *m, made_ids *out)
{
    const sc_star_id centre = draw(m, sc_map_star_count(m->map));
    size_t count = 0;
    const sc_star_id *stars = sc_ball_walk(m->ball, centre, draw(m, 3), &count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || draw(m, 4) > 0) put(out, stars[i]);
    }
}

static void find_segments(const sc_map *map, const made_ids *stars, made_ids *out)
{
    for (sc_seg_id s = 0; s < sc_map_segment_count(map); s++) {
        bool touched = false;
        for (size_t i = 0; i < stars->count; i++) {
            touched |= touches(map, s, stars->at[i]);
        }
        if (touched) put(out, s);
    }
}

static uint32_t farthest(maker *m, sc_star_id from, const made_ids *stars)
{
    uint32_t most = 0;
    for (size_t i = 0; i < stars->count; i++) {
        const uint32_t hops = hops_between(m->ball, from, stars->at[i]);
        if (hops > most) most = hops;
    }
    return most;
}

// A member on a star of the cloak, that allows just the hops it takes, or one more.
static made_event make_member(maker *m, made_event *cloak)
{
    const sc_star *stars = sc_map_stars(m->map);
    const sc_star_id star = cloak->stars.at[draw(m, (uint32_t)cloak->stars.count)];
    const uint32_t first = stars[star].first_segment;
    const uint32_t choice = draw(m, stars[star + 1].first_segment - first);
    const sc_seg_id segment = sc_map_star_segments(m->map)[first + choice];
    const int64_t max_wait_us = 1000000 + draw(m, 9000000);
    made_event query =
        make_query(m, segment, cloak->t_us - draw(m, (uint32_t)max_wait_us + 1), max_wait_us);
    query.l = 1 + draw(m, (uint32_t)cloak->segments.count);
    query.max_hops = farthest(m, star, &cloak->stars) + draw(m, 2);
    made_member *member = &cloak->members[cloak->member_count++];
    memcpy(member->query, query.query, sizeof member->query);
    member->star = star;
    return query;
}

static uint32_t count_users(const made_event *queries, size_t count)
{
    uint32_t users = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; j < i; j++) {
            is_new &= strcmp(queries[i].user, queries[j].user) != 0;
        }
        users += is_new;
    }
    return users;
}

static void shuffle_members(maker *m, made_event *cloak)
{
    for (size_t i = cloak->member_count; i > 1; i--) {
        const size_t j = draw(m, (uint32_t)i);
        const made_member swapped = cloak->members[j];
        cloak->members[j] = cloak->members[i - 1];
        cloak->members[i - 1] = swapped;
    }
}

static void answer_all(maker *m, const made_event *cloak, const made_event *queries)
{
    for (size_t i = 0; i < cloak->member_count; i++) {
        made_event answer = {.kind = MADE_ANSWER, .t_us = cloak->t_us, .cloak = cloak->cloak};
        memcpy(answer.query, queries[i].query, sizeof answer.query);
        made_answer(&m->distances, &queries[i], &answer);
        append(m, &answer);
    }
}

static void make_cloak(maker *m, uint64_t number, int64_t t_us)
{
    made_event cloak = {.kind = MADE_CLOAK, .t_us = t_us, .cloak = number};
    made_event queries[MADE_MAX_MEMBERS];
    choose_stars(m, &cloak.stars);
    find_segments(m->map, &cloak.stars, &cloak.segments);
    made_border(m->map, &cloak.segments, &cloak.border_nodes);
    const size_t count = m->wishes->min_members + draw(m, 5);
    for (size_t i = 0; i < count; i++) {
        queries[i] = make_member(m, &cloak);
    }
    for (size_t i = 0; i < count; i++) {
        queries[i].k = 1 + draw(m, count_users(queries, count));
        append(m, &queries[i]);
    }
    if (!m->wishes->is_in_order) shuffle_members(m, &cloak);
    if (m->wishes->is_starless) {
        cloak.stars.count = 0;
        for (size_t i = 0; i < count; i++) {
            cloak.members[i].star = SC_NONE;
        }
    }
    append(m, &cloak);
    if (m->wishes->has_answers) answer_all(m, &cloak, queries);
}

static void make_drop(maker *m, int64_t t_us, const char *reason)
{
    const sc_seg_id segment = draw(m, sc_map_segment_count(m->map));
    made_event query = make_query(m, segment, t_us, 2000000);
    // More segments than there are: no ball has them.
    if (strcmp(reason, "infeasible") == 0) query.l = sc_map_segment_count(m->map) + 1;
    made_event drop = {.kind = MADE_DROP, .t_us = t_us + 1};
    if (strcmp(reason, "expired") == 0) drop.t_us = t_us + query.max_wait_us + 1;
    if (strcmp(reason, "in doubt") == 0) drop.kind = MADE_FAILED;
    memcpy(drop.query, query.query, sizeof drop.query);
    snprintf(drop.reason, sizeof drop.reason, "%s", reason);
    append(m, &query);
    append(m, &drop);
}

// By time; what was made first stays first.
static void sort_events(made_record *record)
{
    for (size_t i = 1; i < record->count; i++) {
        made_event event = record->events[i];
        size_t at = i;
        for (; at > 0 && record->events[at - 1].t_us > event.t_us; at--) {
            record->events[at] = record->events[at - 1];
        }
        record->events[at] = event;
    }
}

// Members are listed as they were asked.
static void order_members(const made_record *record)
{
    for (size_t c = 0; c < record->count; c++) {
        made_event *cloak = &record->events[c];
        size_t done = 0;
        for (size_t i = 0; i < record->count && cloak->kind == MADE_CLOAK; i++) {
            for (size_t j = done; j < cloak->member_count; j++) {
                if (record->events[i].kind != MADE_QUERY) continue;
                if (strcmp(record->events[i].query, cloak->members[j].query) != 0) continue;
                const made_member found = cloak->members[j];
                cloak->members[j] = cloak->members[done];
                cloak->members[done++] = found;
            }
        }
    }
}

made_record made_record_new(const sc_map *map, uint64_t seed, const made_wishes *wishes)
{
    static const char *const reasons[] = {"expired", "infeasible", "withdrawn", "in doubt"};
    maker m = {.map = map, .wishes = wishes, .record = {.map = map}};
    sc_rng_seed(&m.rng, seed);
    CHECK_OK(sc_ball_new(map, &m.ball), NULL);
    if (wishes->has_answers) m.distances = made_distances_new(map);

    int64_t t_us = 20000000;
    for (uint32_t i = 0; i < wishes->cloaks; i++) {
        t_us += draw(&m, 3000000);
        make_cloak(&m, i, t_us);
        if (i % 2 == 0) make_drop(&m, t_us, reasons[i / 2 % 4]);
    }
    t_us += 10000000;
    const made_event open = make_query(&m, 0, t_us - 5, 10);
    append(&m, &open);
    sort_events(&m.record);
    if (wishes->is_in_order) order_members(&m.record);
    const made_event end = {.kind = MADE_END, .t_us = t_us};
    append(&m, &end);
    if (wishes->has_answers) made_distances_free(&m.distances);
    sc_ball_free(m.ball);
    return m.record;
}

// --- As claims -------------------------------------------------------------------------

sc_claim made_claim(const made_record *record, const made_event *cloak)
{
    sc_claim_member *members = test_take(cloak->member_count, sizeof *members);
    for (size_t i = 0; i < cloak->member_count; i++) {
        const made_event *query = made_find_query(record, cloak->members[i].query);
        members[i] = (sc_claim_member){
            .user = strtoull(query->user + 1, NULL, 10),
            .segment = query->segment,
            .star = cloak->members[i].star,
            .k = query->k,
            .l = query->l,
            .max_hops = query->max_hops,
            .deadline_us = query->t_us + query->max_wait_us,
        };
    }
    return (sc_claim){
        .stars = cloak->stars.at,
        .star_count = cloak->stars.count,
        .segments = cloak->segments.at,
        .segment_count = cloak->segments.count,
        .border_nodes = cloak->border_nodes.at,
        .border_node_count = cloak->border_nodes.count,
        .members = members,
        .member_count = cloak->member_count,
        .t_us = cloak->t_us,
    };
}

void made_claim_free(sc_claim *claim)
{
    free((void *)(uintptr_t)claim->members);
    *claim = (sc_claim){.member_count = 0};
}
