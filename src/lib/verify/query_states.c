// What each event of a record must be, given those before it. See query_states.h; docs/verify.md
// lists the pieces that each promise is counted in.
#include "verify/query_states.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "verify/area_check.h"
#include "verify/verifier.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** How far beyond an edge an offset may be: records round, and lengths have a millimetre. */
#define OFFSET_TOLERANCE_M 1e-3

/** Of fewer queries than this, most may be misplaced on the right map. */
#define DOUBT_MIN_QUERIES 10

// --- Telling ---------------------------------------------------------------------------

static void tell(void *context, sc_promise promise, const char *sentence)
{
    sc_follow *f = context;
    sc_verify_report *report = &f->report;
    report->violations++;
    if (report->shown_count == SC_VERIFY_SHOWN) return;
    char *text = report->shown[report->shown_count].text;
    const size_t size = sizeof report->shown[0].text;
    if (f->cloak) {
        snprintf(text, size, "cloak %" PRIu64 ": %s", f->cloak->cloak, sentence);
    } else {
        snprintf(text, size, "%s", sentence);
    }
    report->shown[report->shown_count].promise = promise;
    report->shown[report->shown_count].line = f->line;
    report->shown_count++;
}

static sc_quoted name_of_member(void *context, size_t member)
{
    const sc_follow *f = context;
    const sc_slice id = f->cloak->cloaked.members[f->places[member]].query;
    sc_quoted name;
    snprintf(name.text, sizeof name.text, "query %.50s", sc_quote(id.text, id.size).text);
    return name;
}

void sc__follow_wrong(sc_follow *f, sc_slice query, const char *what)
{
    sc__wrong(&f->findings, SC_PROMISE_P8, "query %s %s", sc__quote_id(query).text, what);
}

// --- Queries ---------------------------------------------------------------------------

static void misplaced(sc_follow *f, sc_slice query, const char *what)
{
    f->misplaced++;
    sc__wrong(&f->findings, SC_PROMISE_P1, "query %s %s", sc__quote_id(query).text, what);
}

// P1 begins where the traveller is: the segment told must be that of the edge.
static void look_at_position(sc_follow *f, const sc_event *event)
{
    const sc_event_query *asked = &event->asked;
    sc__looked_at(&f->findings, SC_PROMISE_P1);
    if (asked->edge >= sc_map_edge_count(f->map)) {
        misplaced(f, event->query, "is on an edge that the map does not have");
        return;
    }
    if (asked->segment != sc_map_edges(f->map)[asked->edge].segment) {
        // Which segment is not said: where it is wrong, it may still be near.
        misplaced(f, event->query, "is not on the segment it names");
        return;
    }
    const double end_m = sc_map_edge_length_m(f->map, asked->edge) + OFFSET_TOLERANCE_M;
    if (asked->offset_m < -OFFSET_TOLERANCE_M || asked->offset_m > end_m) {
        misplaced(f, event->query, "lies beyond the end of its edge");
    }
}

static sc_err follow_query(sc_follow *f, const sc_event *event)
{
    const sc_event_query *asked = &event->asked;
    look_at_position(f, event);
    const bool is_somewhere = asked->edge < sc_map_edge_count(f->map);
    const uint64_t user = XXH3_64bits(asked->user.text, asked->user.size);
    const sc_seg_id segment =
        is_somewhere ? sc_map_edges(f->map)[asked->edge].segment : asked->segment;
    sc_open_query *query = NULL;
    sc_open_demands demands;
    sc_err err = sc__demand_states_query(&f->demands, event, user, segment, &demands);
    if (!err) err = sc__query_table_add(&f->ledger, sc__query_table_key(event->query), &query);
    if (err) return err;
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (!query) {
        sc__demand_states_release(&f->demands, &demands);
        sc__follow_wrong(f, event->query, "is asked a second time");
        return SC_OK;
    }
    *query = (sc_open_query){
        .name = sc__quote_id(event->query),
        .line = f->line,
        .user = user,
        .deadline_us = event->t_us + asked->max_wait_us,
        .edge = asked->edge,
        .segment = segment,
        .offset_m = asked->offset_m,
        .k = asked->k,
        .l = asked->l,
        .max_hops = asked->max_hops,
        .wish = asked->wish,
        .demands = demands,
    };
    f->report.queries++;
    return SC_OK;
}

// --- Cloaks ----------------------------------------------------------------------------

static bool make_room_for_member(sc_follow *f)
{
    const size_t n = f->member_count;
    return sc_grow(&f->members, n, &f->member_capacity, sizeof *f->members) &&
           sc_grow(&f->numbers, n, &f->number_capacity, sizeof *f->numbers) &&
           sc_grow(&f->places, n, &f->place_capacity, sizeof *f->places);
}

// Take a member into the claim if its query is open; if not, that is the finding.
// `is_twice` is set if it is in the claim already.
static sc_err take_member(sc_follow *f, size_t place, bool *is_twice)
{
    const sc_event_member *member = &f->cloak->cloaked.members[place];
    const uint32_t number = sc__query_table_find(&f->ledger, sc__query_table_key(member->query));
    const bool is_open =
        number != SC_NONE && sc__query_table_fate(&f->ledger, number) == SC_END_OPEN;
    if (is_open) {
        sc_open_query *query = sc__query_table_open(&f->ledger, number);
        if (query->listed == f->line) {
            *is_twice = true;
            return SC_OK;
        }
        if (!make_room_for_member(f)) return SC_ENOMEM;
        query->listed = f->line;
        f->members[f->member_count] = (sc_claim_member){
            .user = query->user,
            .segment = query->segment,
            .star = member->star,
            .k = query->k,
            .l = query->l,
            .max_hops = query->max_hops,
            .deadline_us = query->deadline_us,
        };
        f->numbers[f->member_count] = number;
        f->places[f->member_count++] = place;
        const sc_area_member asker = {.number = number,
                                      .name = query->name,
                                      .edge = query->edge,
                                      .offset_m = query->offset_m,
                                      .wish = query->wish};
        sc_err err = sc__demand_states_member(&f->demands, &query->demands);
        if (!err) err = sc__area_member(f->areas, &asker);
        if (err) return err;
    }
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (!is_open) {
        sc__wrong(&f->findings, SC_PROMISE_P8, "query %s %s", sc__quote_id(member->query).text,
                  number == SC_NONE ? "was never asked" : "had ended before");
    }
    return SC_OK;
}

static sc_err take_members(sc_follow *f)
{
    bool is_any_twice = false;
    f->member_count = 0;
    const sc_err wrong = sc__demand_states_cloak(&f->demands, &f->cloak->cloaked.segments);
    if (wrong) return wrong;
    for (size_t i = 0; i < f->cloak->cloaked.member_count; i++) {
        const sc_err err = take_member(f, i, &is_any_twice);
        if (err) return err;
    }
    sc__looked_at(&f->findings, SC_PROMISE_P6);
    if (is_any_twice) sc__wrong(&f->findings, SC_PROMISE_P6, "a member is listed twice");
    return SC_OK;
}

static sc_err look_at_claim(sc_follow *f)
{
    const sc_event_cloak *cloak = &f->cloak->cloaked;
    const sc_claim claim = {
        .stars = cloak->stars.ids,
        .star_count = cloak->stars.count,
        .segments = cloak->segments.ids,
        .segment_count = cloak->segments.count,
        .border_nodes = cloak->border_nodes.ids,
        .border_node_count = cloak->border_nodes.count,
        .members = f->members,
        .member_count = f->member_count,
        .t_us = f->cloak->t_us,
        .demands = f->demands.has_demands ? &f->demands.demands : NULL,
    };
    for (size_t i = 0; i < f->member_count; i++) {
        f->members[i].own = sc__demand_states_own(&f->demands, i);
    }
    return sc__claim_look(f->verifier, &claim, &f->findings);
}

static sc_err settle_members(sc_follow *f)
{
    for (size_t i = 0; i < f->member_count; i++) {
        const sc_slice id = f->cloak->cloaked.members[f->places[i]].query;
        sc_open_query *query = sc__query_table_open(&f->ledger, f->numbers[i]);
        sc__demand_states_release(&f->demands, &query->demands);
        const sc_err err = sc__sample_cloaked(&f->sample, &f->ledger, f->numbers[i],
                                              sc__query_table_key(id), f->cloak->cloak);
        if (err) return err;
        f->report.cloaked++;
    }
    return SC_OK;
}

static sc_err look_at_cloak_number(sc_follow *f)
{
    const size_t known = f->cloaks.count;
    uint32_t unused = 0;
    const sc_err err = sc_hash_put(&f->cloaks, (sc_key){0, f->cloak->cloak}, 0, &unused);
    if (err) return err;
    sc__looked_at(&f->findings, SC_PROMISE_P8);
    if (f->cloaks.count == known) {
        sc__wrong(&f->findings, SC_PROMISE_P8, "an earlier cloak has the same number");
    }
    return SC_OK;
}

// Without stars less is asked of a cloak, so no cloak may shed them: a method uses stars
// in all of its cloaks or in none.
static void look_at_kind(sc_follow *f)
{
    const bool has_stars = f->cloak->cloaked.stars.count > 0;
    if (f->report.cloaks == 1) f->has_stars = has_stars;
    sc__looked_at(&f->findings, SC_PROMISE_P7);
    if (has_stars == f->has_stars) return;
    sc__wrong(&f->findings, SC_PROMISE_P7, "it has %s, unlike the first cloak",
              has_stars ? "stars" : "no stars");
}

// What shows without a look at the map.
static sc_err look_at_form(sc_follow *f)
{
    const sc_err err = look_at_cloak_number(f);
    if (err) return err;
    look_at_kind(f);
    sc__looked_at(&f->findings, SC_PROMISE_P7);
    if (f->cloak->cloaked.tells_more) {
        sc__wrong(&f->findings, SC_PROMISE_P7,
                  "it has a field that does not belong to a cloak and could tell who or where a "
                  "member is");
    }
    if (f->cloak->cloaked.member_count == 0) {
        sc__looked_at(&f->findings, SC_PROMISE_P2);
        sc__wrong(&f->findings, SC_PROMISE_P2, "it has no members");
    }
    return SC_OK;
}

static sc_err follow_cloak(sc_follow *f, const sc_event *event)
{
    f->cloak = event;
    f->report.cloaks++;
    sc_err err = sc__area_cloak(f->areas, event, f->line);
    if (!err) err = look_at_form(f);
    if (!err) err = take_members(f);
    if (!err) err = look_at_claim(f);
    if (!err) err = sc__order_add(&f->order, f->numbers, f->member_count);
    if (!err) err = settle_members(f);
    if (!err) err = sc__demand_states_left(&f->demands);
    f->cloak = NULL;
    return err;
}

// --- The end ---------------------------------------------------------------------------

static void look_at_drift(sc_follow *f, const sc_drift *drift, const char *what)
{
    if (drift->count < SC_ORDER_MIN_CLOAKS) return;
    const double deviations = sc__drift_deviations(drift);
    sc__looked_at(&f->findings, SC_PROMISE_P6);
    if (deviations >= -SC_ORDER_MAX_DEVIATIONS && deviations <= SC_ORDER_MAX_DEVIATIONS) return;
    sc__wrong(&f->findings, SC_PROMISE_P6,
              "over %" PRIu64 " cloaks, %s: %.1f standard deviations from chance", drift->count,
              what, deviations);
}

// A wrong map is reported as such, not only by the violations that follow from it.
static void look_at_map(sc_follow *f, const sc_event_end *end)
{
    sc_verify_report *report = &f->report;
    if (end->tells_map) {
        const bool is_same = end->map_checksum == sc_map_checksum(f->map);
        report->map_match = is_same ? SC_MAP_MATCH_SAME : SC_MAP_MATCH_OTHER;
        report->map_checksum = end->map_checksum;
    } else if (f->misplaced > report->queries / 2 && report->queries >= DOUBT_MIN_QUERIES) {
        report->map_match = SC_MAP_MATCH_DOUBTFUL;
    }
}

static sc_err follow_end(sc_follow *f, const sc_event *event)
{
    look_at_map(f, &event->end);
    sc__area_states_end(f->areas);
    if (f->areas->has_tiles) f->report.demanded |= 1u << SC_PROMISE_AREAS;
    sc__demand_states_report(&f->demands, &f->report);
    look_at_drift(f, &f->order.trend, "the order of members follows that of their arrival");
    look_at_drift(f, &f->order.newest, "the place of a member tells whether it came last");
    for (uint32_t number = 0; number < f->ledger.count; number++) {
        if (sc__query_table_fate(&f->ledger, number) != SC_END_OPEN) continue;
        const sc_open_query *query = sc__query_table_open(&f->ledger, number);
        sc__looked_at(&f->findings, SC_PROMISE_P8);
        if (query->deadline_us >= event->t_us) {
            f->report.open_at_end++;
            continue;
        }
        f->line = query->line;
        f->report.overdue++;
        sc__wrong(&f->findings, SC_PROMISE_P8,
                  "query %s has no outcome, although its deadline has passed", query->name.text);
    }
    f->has_ended = true;
    return SC_OK;
}

// --- All of them -----------------------------------------------------------------------

static void look_at_order_of_time(sc_follow *f, const sc_event *event)
{
    sc__looked_at(&f->findings, SC_PROMISE_P5);
    if (event->t_us >= f->t_us) {
        f->t_us = event->t_us;
        return;
    }
    sc__wrong(&f->findings, SC_PROMISE_P5, "earlier by %.6f s than an event before it",
              ((double)f->t_us - (double)event->t_us) * 1e-6);
}

sc_err sc__follow_event(sc_follow *follow, uint64_t line, const sc_event *event)
{
    follow->line = line;
    if (sc__event_has_time(event->kind)) look_at_order_of_time(follow, event);
    switch (event->kind) {
    case SC_EVENT_QUERY:
        return follow_query(follow, event);
    case SC_EVENT_CLOAK:
        return follow_cloak(follow, event);
    case SC_EVENT_DROP:
    case SC_EVENT_FAILED:
        return sc__follow_loss(follow, event);
    case SC_EVENT_ANSWER:
        return sc__follow_answer(follow, event);
    case SC_EVENT_DEMANDS:
    case SC_EVENT_CLASS:
    case SC_EVENT_ZONE:
        return sc__demand_states_event(&follow->demands, event);
    case SC_EVENT_TILES:
        return sc__area_tiles(follow->areas, event, follow->report.queries == 0);
    case SC_EVENT_AREA:
        return sc__area_fetched(follow->areas, event);
    case SC_EVENT_AREAS:
        return sc__area_needed(follow->areas, event);
    case SC_EVENT_END:
    case SC_EVENT_KIND_COUNT:
        break;
    }
    return follow_end(follow, event);
}

sc_err sc__follow_init(sc_follow *follow, const sc_map *map, const sc_verify_options *options)
{
    memset(follow, 0, sizeof *follow);
    follow->map = map;
    follow->t_us = INT64_MIN;
    sc__query_table_init(&follow->ledger);
    sc__demand_states_init(&follow->demands, map, options->density);
    follow->sample.wanted = options->answer_sample;
    follow->findings.tell = tell;
    follow->findings.member_name = name_of_member;
    follow->findings.context = follow;
    follow->areas = sc_calloc(1, sizeof *follow->areas);
    if (!follow->areas) return SC_ENOMEM;
    *follow->areas = (sc_area_states){.map = map,
                                      .findings = &follow->findings,
                                      .line = &follow->line,
                                      .answers_wanted = options->answer_sample};
    const sc_err err = sc_verifier_new(map, &follow->verifier);
    if (err) sc_free(follow->areas);
    return err;
}

void sc__follow_fini(sc_follow *follow)
{
    sc_verifier_free(follow->verifier);
    follow->verifier = NULL;
    sc__query_table_fini(&follow->ledger);
    sc__sample_fini(&follow->sample);
    sc__order_fini(&follow->order);
    sc__demand_states_fini(&follow->demands);
    if (follow->areas) sc__area_states_fini(follow->areas);
    sc_free(follow->areas);
    follow->areas = NULL;
    sc_hash_fini(&follow->cloaks);
    sc_free(follow->members);
    sc_free(follow->numbers);
    sc_free(follow->places);
    follow->members = NULL;
    follow->numbers = NULL;
    follow->places = NULL;
}

// === The table of queries =======================================================================

static uint64_t entry(sc_query_end fate, uint64_t word)
{
    return word << 3 | (uint64_t)fate;
}

sc_key sc__query_table_key(sc_slice id)
{
    const XXH128_hash_t hash = XXH3_128bits(id.text, id.size);
    return (sc_key){hash.high64, hash.low64};
}

uint32_t sc__query_table_find(const sc_query_table *ledger, sc_key key)
{
    return sc_hash_get(&ledger->numbers, key, SC_NONE);
}

void sc__query_table_init(sc_query_table *ledger)
{
    *ledger = (sc_query_table){.count = 0};
    sc_item_pool_init(&ledger->open, sizeof(sc_open_query));
}

sc_err sc__query_table_add(sc_query_table *ledger, sc_key key, sc_open_query **out)
{
    if (ledger->count >= SC_NONE) return SC_ELIMIT;
    const uint32_t number = (uint32_t)ledger->count;
    uint32_t holds = SC_NONE;
    if (!sc_grow(&ledger->fates, ledger->count, &ledger->fate_capacity, sizeof *ledger->fates)) {
        return SC_ENOMEM;
    }
    sc_err err = sc_item_pool_reserve(&ledger->open);
    if (!err) err = sc_hash_put(&ledger->numbers, key, number, &holds);
    if (err) return err;
    if (holds != number) {
        *out = NULL;
        return SC_OK;
    }
    const uint32_t place = sc_item_pool_take(&ledger->open);
    ledger->fates[ledger->count++] = entry(SC_END_OPEN, place);
    *out = sc_item_pool_at(&ledger->open, place);
    return SC_OK;
}

void sc__query_table_settle(sc_query_table *ledger, uint32_t number, sc_query_end fate,
                            uint64_t word)
{
    if (sc__query_table_fate(ledger, number) == SC_END_OPEN) {
        sc_item_pool_give(&ledger->open, (uint32_t)sc__query_table_word(ledger, number));
    }
    ledger->fates[number] = entry(fate, word);
}

void sc__query_table_fini(sc_query_table *ledger)
{
    sc_hash_fini(&ledger->numbers);
    sc_free(ledger->fates);
    sc_item_pool_fini(&ledger->open);
    ledger->fates = NULL;
    ledger->count = 0;
    ledger->fate_capacity = 0;
}

// === Two sums that tell a shuffled order from one that remembers ================================

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t left = *(const uint32_t *)a;
    const uint32_t right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

static uint32_t rank_of(const uint32_t *sorted, size_t count, uint32_t arrival)
{
    const uint32_t *at = bsearch(&arrival, sorted, count, sizeof *sorted, compare_numbers);
    return (uint32_t)(at - sorted);
}

// Spearman's correlation of place and rank, scaled to variance 1: for n members in random
// order it has mean 0 and variance 1 / (n - 1).
static void add_trend(sc_drift *drift, const uint32_t *arrivals, const uint32_t *sorted,
                      size_t count)
{
    const double n = (double)count;
    const double middle = (n - 1.0) / 2.0;
    double product = 0.0;
    for (size_t i = 0; i < count; i++) {
        product += ((double)i - middle) * (rank_of(sorted, count, arrivals[i]) - middle);
    }
    const double most = n * (n * n - 1.0) / 12.0;
    drift->sum += product / most * sqrt(n - 1.0);
    drift->count++;
}

// The square of the newest member's distance from the middle, in units in which places are 1
// apart, less its mean. Of a uniform place, the mean is (n^2 - 1) / 12, and the variance
// (n^2 - 1) (n^2 - 4) / 180. Scaled to variance 1, so that large cloaks count no more than small.
static void add_newest(sc_drift *drift, const uint32_t *arrivals, const uint32_t *sorted,
                       size_t count)
{
    const double n = (double)count;
    size_t place = 0;
    while (arrivals[place] != sorted[count - 1]) {
        place++;
    }
    const double off = (double)place - (n - 1.0) / 2.0;
    const double mean = (n * n - 1.0) / 12.0;
    const double variance = (n * n - 1.0) * (n * n - 4.0) / 180.0;
    drift->sum += (off * off - mean) / sqrt(variance);
    drift->count++;
}

sc_err sc__order_add(sc_order *order, const uint32_t *arrivals, size_t count)
{
    if (count < 2) return SC_OK;
    for (size_t i = 0; i < count; i++) {
        if (!sc_grow(&order->ranks, i, &order->capacity, sizeof *order->ranks)) return SC_ENOMEM;
        order->ranks[i] = arrivals[i];
    }
    sc_sort_u32(order->ranks, count);
    add_trend(&order->trend, arrivals, order->ranks, count);
    // Of two, each is as far from the middle as the other.
    if (count > 2) add_newest(&order->newest, arrivals, order->ranks, count);
    return SC_OK;
}

double sc__drift_deviations(const sc_drift *drift)
{
    return drift->sum / sqrt((double)drift->count);
}

void sc__order_fini(sc_order *order)
{
    sc_free(order->ranks);
    *order = (sc_order){.capacity = 0};
}
