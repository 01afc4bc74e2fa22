// Which tiles a cloak may and must be asked for. See area_check.h; docs/verify.md has the rules.
//
// A piece is the line that tells what a cloak needed; of several things that are wrong the first is
// told. What *may* be asked for follows from roads and requests, but for roundings: replies only
// say whether a round is followed by another. What *must* be there is found by following roads.
#include "verify/area_check.h"

#include "verify/area_geometry.h"
#include "verify/area_lists.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/** Before anything is known of objects, a box reaches this share of a tile beyond the roads. */
#define FIRST_REACH 0.25

/** Each other box reaches twice as far; so often, at most, until it holds the map. */
enum { STEPS_MAX = 60 };

/** The line that is looked at. */
typedef struct look {
    sc_area_states *s;
    const sc_event_areas *areas;
    sc_verify_box roads;  ///< around the segments of the cloak
    char wrong[160];      ///< empty: nothing
} look;

// --- Requests -----------------------------------------------------------------------------------

// Whether a request is about the objects that a span is for.
static bool is_for(const sc_area_states *s, const sc_event_request *wish, sc_category_id category)
{
    if (wish->category_count == 0 || !s->tiles.is_by_category) return category == SC_NONE;
    for (uint32_t i = 0; i < wish->category_count; i++) {
        if (wish->categories[i] == category) return true;
    }
    return false;
}

static bool is_same_wish(const sc_event_request *a, const sc_event_request *b)
{
    return a->is_range == b->is_range && a->metric == b->metric && a->k == b->k &&
           a->radius == b->radius && a->category_count == b->category_count &&
           memcmp(a->categories, b->categories, a->category_count * sizeof *a->categories) == 0;
}

// Whether a member before it has the same request (and, if that is asked, an answer).
static bool is_repeated(const sc_area_states *s, size_t member, bool answered_only)
{
    for (size_t i = 0; i < member; i++) {
        if (answered_only && !s->members[i].is_answered) continue;
        if (is_same_wish(&s->members[i].wish, &s->members[member].wish)) return true;
    }
    return false;
}

// --- What may be asked for ----------------------------------------------------------------------

static const sc_event_span *find_span(const sc_event_areas *areas, size_t round,
                                      sc_category_id category)
{
    for (size_t i = 0; i < areas->span_count; i++) {
        const sc_event_span *span = &areas->spans[i];
        if (span->round == round && span->category == category) return span;
    }
    return NULL;
}

static void say(look *at, const char *what, const sc_event_span *span)
{
    if (at->wrong[0] != '\0') return;
    snprintf(at->wrong, sizeof at->wrong, "round %zu: %s", span->round + 1, what);
}

static bool is_span(const sc_area_states *s, const sc_event_span *span)
{
    if (span->level > s->tiles.level || span->x[0] > span->x[1] || span->y[0] > span->y[1]) {
        return false;
    }
    const double across = ldexp(1, (int)span->level);
    return span->x[1] < across && span->y[1] < across &&
           (span->x[1] - span->x[0] + 1.0) * (span->y[1] - span->y[0] + 1.0) <= SC__AREA_SPAN_TILES;
}

/** Two boxes: what follows from roads and requests is no larger than one, and no smaller. */
typedef struct bounds {
    sc_verify_box least;
    sc_verify_box most;
} bounds;

static bounds widen(const look *at, double least_m, double most_m)
{
    const double reach_m = at->s->tiles.reach_m;
    return (bounds){sc__area_widen_least(at->s, at->roads, reach_m + least_m),
                    sc__area_widen_most(at->s, at->roads, reach_m + most_m)};
}

static bounds join(bounds a, bounds b)
{
    return (bounds){sc__area_join(a.least, b.least), sc__area_join(a.most, b.most)};
}

// How far boxes reach beyond the roads, step by step, if no range reaches farther.
static bounds reach_at(const look *at, uint32_t step)
{
    const double tile_m = (double)at->s->tiles.side_y * 1e-7 * sc__area_per_unit_m(at->s);
    const double reach_m = ldexp(FIRST_REACH * tile_m, (int)step);
    return widen(at, reach_m, reach_m);
}

// The first box of a category; false: no request asks for it.
static bool first_box(const look *at, sc_category_id category, bounds *out)
{
    const sc_area_states *s = at->s;
    bool is_wanted = false;
    for (size_t i = 0; i < s->member_count; i++) {
        const sc_event_request *wish = &s->members[i].wish;
        if (!is_for(s, wish, category)) continue;
        const bounds own = wish->is_range
                               ? widen(at, sc__area_worth_m(s, wish->metric, wish->radius, 0),
                                       sc__area_line_m(s, wish->metric, wish->radius))
                               : reach_at(at, 0);
        *out = is_wanted ? join(*out, own) : own;
        is_wanted = true;
    }
    return is_wanted;
}

static bool is_cover(const look *at, const sc_event_span *span, bounds of)
{
    return sc__area_is_cover(at->s, span, of.least, of.most);
}

static void look_at_first(look *at, const sc_event_span *span)
{
    bounds first;
    if (!first_box(at, span->category, &first)) {
        say(at, "tiles of a category that no member asks for", span);
    } else if (!is_cover(at, span, first)) {
        say(at, "tiles that do not follow from the roads and the requests", span);
    }
}

// Whether a span is what follows the one before: that of the first box that needs other tiles.
static bool is_next(const look *at, const sc_event_span *before, const sc_event_span *span)
{
    bounds first;
    if (!first_box(at, span->category, &first)) return false;
    bounds box = first;
    for (uint32_t step = 1; step <= STEPS_MAX; step++) {
        const bounds next = join(first, reach_at(at, step));
        if (is_cover(at, before, box) && is_cover(at, span, next)) return true;
        box = next;
    }
    return false;
}

// Whether the lists of the round before may lack something that is outside of its tiles.
static sc_err is_lacking(const look *at, const sc_event_span *before, bool *out)
{
    sc_area_states *s = at->s;
    const sc_verify_box box = sc__area_box_of(s, before);
    *out = false;
    for (size_t m = 0; m < s->member_count; m++) {
        const sc_event_request *wish = &s->members[m].wish;
        if (!is_for(s, wish, before->category) || is_repeated(s, m, false)) continue;
        for (size_t b = 0; b < s->border_nodes.count && !*out; b++) {
            const sc_node_id node = s->border_nodes.ids[b];
            double cost = 0;
            if (node >= sc_map_node_count(s->map)) continue;
            const sc_err err = sc__area_cost_of_list(s, wish, node, &cost);
            if (err) return err;
            *out = sc__area_may_lack(s, box, node, wish->metric, cost);
        }
    }
    return SC_OK;
}

static sc_err look_at_next(look *at, const sc_event_span *span)
{
    const sc_event_span *before = find_span(at->areas, span->round - 1, span->category);
    if (!before) {
        say(at, "tiles of a category that the round before did not need", span);
        return SC_OK;
    }
    const bool is_same = before->level == span->level && before->x[0] == span->x[0] &&
                         before->x[1] == span->x[1] && before->y[0] == span->y[0] &&
                         before->y[1] == span->y[1];
    if (is_same) return SC_OK;
    bool may_go_on = false;
    const sc_err err = is_lacking(at, before, &may_go_on);
    if (err) return err;
    if (!may_go_on) {
        say(at, "more tiles, although the lists of the round before lack nothing", span);
    } else if (!is_next(at, before, span)) {
        say(at, "tiles that do not follow from the roads and the round before", span);
    }
    return SC_OK;
}

static sc_err look_at_rounds(look *at)
{
    const sc_event_areas *areas = at->areas;
    sc_err err = SC_OK;
    for (size_t i = 0; i < areas->span_count && !err; i++) {
        const sc_event_span *span = &areas->spans[i];
        if (!is_span(at->s, span)) say(at, "no span of up to four of the fixed tiles", span);
        if (find_span(areas, span->round, span->category) != span) {
            say(at, "a category is there twice", span);
        }
        // Spans come round by round; what the one before had is in the table.
        if (span->round > 0 && at->wrong[0] == '\0')
            err = sc__area_use_round(at->s, at->areas, span->round - 1);
        if (err || at->wrong[0] != '\0') return err;
        if (!sc__area_is_inside_by(at->s, at->roads, sc__area_box_of(at->s, span),
                                   at->s->tiles.snap_m)) {
            say(at, "the tiles do not hold the roads of the cloak and what is near them", span);
        }
        if (span->round == 0) look_at_first(at, span);
        if (span->round > 0 && at->wrong[0] == '\0') err = look_at_next(at, span);
    }
    return err;
}

static void look_at_asked(look *at)
{
    const sc_area_states *s = at->s;
    for (size_t i = 0; i < s->asked_count && at->wrong[0] == '\0'; i++) {
        const sc_known_area *area = &s->areas[s->asked[i]];
        bool is_needed = false;
        for (size_t j = 0; j < at->areas->span_count; j++) {
            const sc_event_span *span = &at->areas->spans[j];
            is_needed |= span->category == area->category && span->level == area->level &&
                         area->x >= span->x[0] && area->x <= span->x[1] && area->y >= span->y[0] &&
                         area->y <= span->y[1];
        }
        if (!is_needed) {
            snprintf(at->wrong, sizeof at->wrong,
                     "area %" PRIu64 " was asked for, and no round needs it", area->number);
        }
    }
}

// --- What must be there -------------------------------------------------------------------------

static bool is_part_of(uint32_t x, uint32_t level, uint32_t whole, uint32_t whole_level)
{
    return whole_level <= level && x >> (level - whole_level) == whole;
}

// Whether an area of a round has a tile of that category.
static bool has_tile(const look *at, const sc_event_span *span, uint32_t x, uint32_t y)
{
    for (size_t i = 0; i < at->areas->use_count; i++) {
        const sc_event_use *use = &at->areas->uses[i];
        const sc_known_area *area =
            use->round == span->round ? sc__area_find(at->s, use->area) : NULL;
        if (!area || (area->category != SC_NONE && area->category != span->category)) continue;
        if (is_part_of(x, span->level, area->x, area->level) &&
            is_part_of(y, span->level, area->y, area->level)) {
            return true;
        }
    }
    return false;
}

static void look_for_tiles(look *at, size_t round)
{
    for (size_t i = 0; i < at->areas->span_count; i++) {
        const sc_event_span *span = &at->areas->spans[i];
        if (span->round != round) continue;
        for (uint32_t y = span->y[0]; y <= span->y[1]; y++) {
            for (uint32_t x = span->x[0]; x <= span->x[1]; x++) {
                if (!has_tile(at, span, x, y)) say(at, "no area has a tile that it needs", span);
            }
        }
    }
}

// Whether a span holds all roads of the map, so that there is nothing outside.
static bool holds_all(const sc_area_states *s, const sc_event_span *span)
{
    return sc__area_is_inside_by(s, s->roads, sc__area_box_of(s, span), s->tiles.snap_m);
}

// What a request needs of the last round: nothing outside can come before what its lists have.
static sc_err look_at_wish(look *at, const sc_event_request *wish, const sc_event_span *span)
{
    sc_area_states *s = at->s;
    if (holds_all(s, span)) return SC_OK;
    for (size_t b = 0; b < s->border_nodes.count && at->wrong[0] == '\0'; b++) {
        const sc_node_id node = s->border_nodes.ids[b];
        double cost = 0;
        sc_verify_box reached;
        if (node >= sc_map_node_count(s->map)) continue;
        sc_err err = sc__area_cost_of_list(s, wish, node, &cost);
        if (!err) err = sc__area_reach_of_list(s, wish, node, cost, &reached);
        if (err) return err;
        if (!sc__area_is_inside_by(s, reached, sc__area_box_of(s, span), s->tiles.snap_m)) {
            say(at, "an object outside of the tiles could belong to an answer", span);
        }
    }
    return SC_OK;
}

static sc_err look_at_member(look *at, size_t m, size_t round)
{
    const sc_area_states *s = at->s;
    const sc_event_request *wish = &s->members[m].wish;
    const bool is_all = wish->category_count == 0 || !s->tiles.is_by_category;
    const uint32_t count = is_all ? 1 : wish->category_count;
    for (uint32_t i = 0; i < count && at->wrong[0] == '\0'; i++) {
        const sc_event_span *span =
            find_span(at->areas, round, is_all ? SC_NONE : wish->categories[i]);
        if (!span) {
            snprintf(at->wrong, sizeof at->wrong,
                     "a member is answered, and no tiles are of what it asked for");
            break;
        }
        const sc_err err = look_at_wish(at, wish, span);
        if (err) return err;
    }
    return SC_OK;
}

static sc_err look_at_last(look *at)
{
    sc_area_states *s = at->s;
    if (s->answer_count == 0 || at->wrong[0] != '\0') return SC_OK;
    if (at->areas->round_count == 0) {
        snprintf(at->wrong, sizeof at->wrong, "members are answered, and there was no round");
        return SC_OK;
    }
    const size_t last = at->areas->round_count - 1;
    sc_err err = sc__area_use_round(at->s, at->areas, last);
    if (!err) look_for_tiles(at, last);
    for (size_t m = 0; m < s->member_count && !err && at->wrong[0] == '\0'; m++) {
        if (!s->members[m].is_answered || is_repeated(s, m, true)) continue;
        err = look_at_member(at, m, last);
    }
    return err;
}

// --- Answers ------------------------------------------------------------------------------------

static sc_object_id object_of_key(const sc_area_states *s, uint64_t key)
{
    for (size_t i = 0; i < s->object_count; i++) {
        if (s->keys[i] == key) return (sc_object_id)i;
    }
    return SC_NONE;
}

// The answers of the cloak, beside a plain search over the objects of its areas.
static sc_err look_at_answers(sc_area_states *s)
{
    sc_err err = SC_OK;
    const uint64_t line = *s->line;
    for (size_t m = 0; m < s->member_count && !err && s->answers_wanted > 0; m++) {
        const sc_area_member *member = &s->members[m];
        if (!member->is_answered) continue;
        // Without a result there may be no list.
        sc_event_result *results =
            member->result_count > 0 ? s->results + member->first_result : NULL;
        for (size_t i = 0; i < member->result_count; i++) {
            results[i].object = object_of_key(s, s->result_keys[member->first_result + i]);
        }
        sc_watched watched = {.edge = member->edge,
                              .offset_m = member->offset_m,
                              .wish = member->wish,
                              .name = member->name,
                              .results = results,
                              .result_count = member->result_count};
        s->answers_wanted--;
        *s->line = member->line;
        err = sc__answers_look(&s->answers, &watched, s->findings);
    }
    *s->line = line;
    return err;
}

sc_err sc__area_needed(sc_area_states *s, const sc_event *event)
{
    look at = {.s = s, .areas = &event->areas};
    sc__looked_at(s->findings, SC_PROMISE_AREAS);
    if (!s->has_tiles || !s->has_cloak || s->is_told || event->cloak != s->cloak) {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "the areas of cloak %" PRIu64 " %s", event->cloak,
                  s->has_tiles ? "are not told once, right behind its answers"
                               : "are told before the fixed tiles");
        return SC_OK;
    }
    s->is_told = true;
    at.roads = sc__area_box_of_segments(s);
    sc_err err = look_at_rounds(&at);
    if (!err) look_at_asked(&at);
    if (!err) err = look_at_last(&at);
    if (err) return err;
    if (at.wrong[0] != '\0') {
        sc__wrong(s->findings, SC_PROMISE_AREAS, "cloak %" PRIu64 ": %s", s->cloak, at.wrong);
        return SC_OK;
    }
    return s->answer_count > 0 ? look_at_answers(s) : SC_OK;
}
