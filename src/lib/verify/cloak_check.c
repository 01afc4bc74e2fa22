// Is this cloak what it claims to be? Promise by promise, P1 to P7; demand_check.c has those of
// demands. See starcloak/verify.h for what a claim is, verifier.h for how it is counted.
//
// A piece is a member for P1 to P5 and the whole cloak for P6 and P7. Nothing in a claim is
// believed, not even that an id exists: what does not exist is told where it first matters
// and left out of everything after that.
#include <starcloak/verify.h>

#include "base/alloc.h"
#include "base/sort.h"
#include "verify/verifier.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** Members of methods without stars have none, and neither have their cloaks. */
static bool is_starless(const sc__look *at)
{
    return at->claim->star_count == 0;
}

sc_quoted sc__look_name(const sc__look *at, size_t member)
{
    if (at->findings->member_name) return at->findings->member_name(at->findings->context, member);
    sc_quoted name;
    snprintf(name.text, sizeof name.text, "member %zu", member);
    return name;
}

// --- What the claim consists of ------------------------------------------------------

static void mark_parts(sc__look *at)
{
    const sc_claim *claim = at->claim;
    for (size_t i = 0; i < claim->star_count; i++) {
        if (!sc__look_star_exists(at, claim->stars[i]) || sc__look_has_star(at, claim->stars[i]))
            continue;
        at->verifier->stars[claim->stars[i]].claimed = at->number;
        at->star_count++;
    }
    for (size_t i = 0; i < claim->segment_count; i++) {
        if (!sc__look_segment_exists(at, claim->segments[i]) ||
            sc__look_has_segment(at, claim->segments[i]))
            continue;
        at->verifier->segments[claim->segments[i]].claimed = at->number;
        at->segment_count++;
    }
    for (size_t i = 0; i < claim->member_count; i++) {
        if (claim->members[i].max_hops > at->max_hops) at->max_hops = claim->members[i].max_hops;
    }
}

static sc_err count_users(sc__look *at)
{
    sc_verifier *v = at->verifier;
    const sc_claim *claim = at->claim;
    for (size_t i = 0; i < claim->member_count; i++) {
        if (!sc_grow(&v->users, i, &v->user_capacity, sizeof *v->users)) return SC_ENOMEM;
        v->users[i] = claim->members[i].user;
    }
    at->user_count = sc_sort_count_different(v->users, claim->member_count);
    return SC_OK;
}

// --- P1 to P5, member by member ------------------------------------------------------

/** What is wrong with a member's segment and star; NULL if nothing is. */
static const char *find_place_wrong(const sc__look *at, const sc_claim_member *member)
{
    if (!sc__look_has_segment(at, member->segment)) return "its own segment is not in the cloak";
    if (is_starless(at) && member->star == SC_NONE) return NULL;
    if (member->star == SC_NONE) return "it has no star";
    if (!sc__look_has_star(at, member->star)) return "its star is not in the cloak";
    if (!sc__roads_touch(&at->verifier->roads, member->segment, member->star)) {
        return "its star is not at an end of its segment";
    }
    return NULL;
}

static void look_at_place(const sc__look *at, size_t i)
{
    sc__looked_at(at->findings, SC_PROMISE_P1);
    const char *wrong = find_place_wrong(at, &at->claim->members[i]);
    // Which segment and star is not said: the sentence may end up in a log.
    if (wrong) sc__wrong(at->findings, SC_PROMISE_P1, "%s: %s", sc__look_name(at, i).text, wrong);
}

static void look_at_needs(const sc__look *at, size_t i)
{
    const sc_claim_member *member = &at->claim->members[i];
    sc__looked_at(at->findings, SC_PROMISE_P2);
    if (at->user_count < member->k) {
        sc__wrong(at->findings, SC_PROMISE_P2, "%s needs %" PRIu32 " users, but there are %zu",
                  sc__look_name(at, i).text, member->k, at->user_count);
    }
    if (sc__look_is_strict(at)) return;
    sc__looked_at(at->findings, SC_PROMISE_P3);
    if (at->segment_count < member->l) {
        sc__wrong(at->findings, SC_PROMISE_P3, "%s needs %" PRIu32 " segments, but there are %zu",
                  sc__look_name(at, i).text, member->l, at->segment_count);
    }
}

// Hops from `star` to the farthest part of the cloak. Members share stars, so it is kept.
sc_err sc__look_reach(const sc__look *at, sc_star_id star, uint32_t *reach)
{
    sc_star_marks *marks = &at->verifier->stars[star];
    if (marks->measured != at->number) {
        const bool by_segments = is_starless(at);
        const sc_targets targets = {
            .claim = at->number,
            .count = by_segments ? at->segment_count : at->star_count,
            .are_segments = by_segments,
        };
        const sc_err err = sc__reach(at->verifier, star, at->max_hops, &targets, &marks->reach);
        if (err) return err;
        marks->measured = at->number;
    }
    *reach = marks->reach;
    return SC_OK;
}

// Of the ends of a member's segment, that from which the cloak is nearer.
static sc_err reach_from_ends(const sc__look *at, sc_seg_id segment, uint32_t *reach)
{
    if (!sc__look_segment_exists(at, segment)) return SC_OK;
    const sc_touching touching = at->verifier->roads.touching[segment];
    sc_err err = SC_OK;
    if (touching.a != SC_NONE) err = sc__look_reach(at, touching.a, reach);
    if (!err && touching.b != SC_NONE) {
        uint32_t other = SC_NONE;
        err = sc__look_reach(at, touching.b, &other);
        if (other < *reach) *reach = other;
    }
    return err;
}

static sc_err look_at_distance(const sc__look *at, size_t i)
{
    const sc_claim_member *member = &at->claim->members[i];
    const bool by_star = !is_starless(at) && sc__look_star_exists(at, member->star);
    uint32_t reach = SC_NONE;
    const sc_err err = by_star ? sc__look_reach(at, member->star, &reach)
                               : reach_from_ends(at, member->segment, &reach);
    if (err) return err;
    sc__looked_at(at->findings, SC_PROMISE_P4);
    if (reach != SC_NONE && reach <= member->max_hops) return SC_OK;
    char hops[32] = "farther";
    if (reach != SC_NONE) snprintf(hops, sizeof hops, "%" PRIu32, reach);
    sc__wrong(at->findings, SC_PROMISE_P4, "%s allows %" PRIu32 " hops, but the cloak reaches %s",
              sc__look_name(at, i).text, member->max_hops, hops);
    return SC_OK;
}

static void look_at_time(const sc__look *at, size_t i)
{
    const int64_t deadline_us = at->claim->members[i].deadline_us;
    sc__looked_at(at->findings, SC_PROMISE_P5);
    if (at->claim->t_us <= deadline_us) return;
    sc__wrong(at->findings, SC_PROMISE_P5, "%s: the cloak comes %.6f s too late",
              sc__look_name(at, i).text, ((double)at->claim->t_us - (double)deadline_us) * 1e-6);
}

// --- P6 and P7, for the cloak as a whole ---------------------------------------------

/** The first place at which a list does not ascend, or `count`. */
static size_t first_descent(const uint32_t *list, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (list[i] <= list[i - 1]) return i;
    }
    return count;
}

static void look_at_order(const sc__look *at)
{
    const sc_claim *claim = at->claim;
    sc__looked_at(at->findings, SC_PROMISE_P6);
    size_t i = first_descent(claim->segments, claim->segment_count);
    if (i < claim->segment_count) {
        sc__wrong(at->findings, SC_PROMISE_P6,
                  "segment %" PRIu32 " is listed after segment %" PRIu32, claim->segments[i],
                  claim->segments[i - 1]);
        return;
    }
    i = first_descent(claim->border_nodes, claim->border_node_count);
    if (i < claim->border_node_count) {
        sc__wrong(at->findings, SC_PROMISE_P6,
                  "border node %" PRIu32 " is listed after border node %" PRIu32,
                  claim->border_nodes[i], claim->border_nodes[i - 1]);
        return;
    }
    // Stars do not leave, so their order is free. What the map does not have is for P7.
    size_t unknown = 0;
    for (i = 0; i < claim->star_count; i++) {
        unknown += !sc__look_star_exists(at, claim->stars[i]);
    }
    if (at->star_count + unknown < claim->star_count) {
        sc__wrong(at->findings, SC_PROMISE_P6, "a star is listed twice");
    }
}

// True if all that is listed exists.
static bool look_for_unknown(const sc__look *at)
{
    const sc_claim *claim = at->claim;
    for (size_t i = 0; i < claim->star_count; i++) {
        if (sc__look_star_exists(at, claim->stars[i])) continue;
        sc__wrong(at->findings, SC_PROMISE_P7, "the map has no star %" PRIu32, claim->stars[i]);
        return false;
    }
    for (size_t i = 0; i < claim->segment_count; i++) {
        if (sc__look_segment_exists(at, claim->segments[i])) continue;
        sc__wrong(at->findings, SC_PROMISE_P7, "the map has no segment %" PRIu32,
                  claim->segments[i]);
        return false;
    }
    return true;
}

// True if the segments are those of the stars.
static bool look_at_segments(const sc__look *at)
{
    const sc_claim *claim = at->claim;
    const sc_roads *roads = &at->verifier->roads;
    if (is_starless(at)) return true;
    for (size_t i = 0; i < claim->star_count; i++) {
        const sc_star_id star = claim->stars[i];
        for (uint32_t j = roads->first_touched[star]; j < roads->first_touched[star + 1]; j++) {
            if (sc__look_has_segment(at, roads->touched[j])) continue;
            sc__wrong(at->findings, SC_PROMISE_P7,
                      "segment %" PRIu32 " touches star %" PRIu32 " but is missing",
                      roads->touched[j], star);
            return false;
        }
    }
    for (size_t i = 0; i < claim->segment_count; i++) {
        const sc_touching touching = roads->touching[claim->segments[i]];
        if (sc__look_has_star(at, touching.a) || sc__look_has_star(at, touching.b)) continue;
        sc__wrong(at->findings, SC_PROMISE_P7, "segment %" PRIu32 " touches no star of the cloak",
                  claim->segments[i]);
        return false;
    }
    return true;
}

static sc_err look_at_what_leaves(const sc__look *at)
{
    sc__looked_at(at->findings, SC_PROMISE_P7);
    if (!look_for_unknown(at) || !look_at_segments(at)) return SC_OK;
    sc_border_error error;
    const sc_err err = sc__border_compare(at->verifier, at->claim, &error);
    if (err) return err;
    if (error.has_extra) {
        sc__wrong(at->findings, SC_PROMISE_P7, "node %" PRIu32 " is not a border node",
                  error.extra);
    } else if (error.has_missing) {
        sc__wrong(at->findings, SC_PROMISE_P7, "border node %" PRIu32 " is missing", error.missing);
    }
    return SC_OK;
}

// --- The interface -----------------------------------------------------------------------

sc_err sc__claim_look(sc_verifier *verifier, const sc_claim *claim, sc_findings *findings)
{
    // At most two walks for each member, those of demands, and one over the border.
    const size_t walks = (2 + SC__DEMAND_WALKS_PER_MEMBER) * claim->member_count +
                         SC__DEMAND_WALKS_PER_STAR * claim->star_count + 1;
    const uint32_t number = sc__claim_number(verifier, walks);
    sc__look at = {.verifier = verifier, .claim = claim, .findings = findings, .number = number};
    mark_parts(&at);
    sc_err err = count_users(&at);
    for (size_t i = 0; i < claim->member_count && !err; i++) {
        look_at_place(&at, i);
        look_at_needs(&at, i);
        err = look_at_distance(&at, i);
        look_at_time(&at, i);
        if (!err) err = sc__look_at_demands(&at, i);
    }
    look_at_order(&at);
    if (!err) err = look_at_what_leaves(&at);
    return err;
}

/** Keeps the first violation and forgets the rest. */
typedef struct first_only {
    unsigned broken;
    sc_diag *diag;
} first_only;

static void tell_first(void *context, sc_promise promise, const char *sentence)
{
    first_only *first = context;
    if (!first->broken) {
        (void)sc_fail(first->diag, SC_EBROKEN, "%s is broken (%s): %s", sc_promise_name(promise),
                      sc_promise_text(promise), sentence);
    }
    first->broken |= 1U << promise;
}

sc_err sc_verifier_check_claim(sc_verifier *verifier, const sc_claim *claim, unsigned *broken,
                               sc_diag *diag)
{
    first_only first = {.broken = 0, .diag = diag};
    sc_findings findings = {.tell = tell_first, .context = &first};
    const sc_err err = sc__claim_look(verifier, claim, &findings);
    if (!err) *broken = first.broken;
    return err;
}

// === Making and freeing verifiers, and the numbers of their marks ===============================

sc_err sc_verifier_new(const sc_map *map, sc_verifier **out)
{
    sc_verifier *verifier = sc_calloc(1, sizeof *verifier);
    if (!verifier) return SC_ENOMEM;
    const sc_err err = sc__roads_init(&verifier->roads, map);
    if (err) goto fail;

    verifier->stars = sc_calloc(sc_map_star_count(map), sizeof *verifier->stars);
    verifier->segments = sc_calloc(sc_map_segment_count(map), sizeof *verifier->segments);
    verifier->ends = sc_calloc(sc_map_node_count(map), sizeof *verifier->ends);
    if (!verifier->stars || !verifier->segments || !verifier->ends) goto fail;
    *out = verifier;
    return SC_OK;
fail:
    sc_verifier_free(verifier);
    return SC_ENOMEM;
}

void sc_verifier_free(sc_verifier *verifier)
{
    if (!verifier) return;
    sc__roads_fini(&verifier->roads);
    sc_free(verifier->stars);
    sc_free(verifier->segments);
    sc_free(verifier->ends);
    sc_free(verifier->queue);
    sc_free(verifier->nodes);
    // Who was together, and where one of them can have been.
    sc_free_wiped(verifier->users, verifier->user_capacity, sizeof *verifier->users);
    sc_free_wiped(verifier->roads_of_member, verifier->road_capacity,
                  sizeof *verifier->roads_of_member);
    sc_free(verifier->weights);
    sc_free(verifier);
}

uint32_t sc__claim_number(sc_verifier *verifier, size_t walks)
{
    const sc_map *map = verifier->roads.map;
    if (walks >= UINT32_MAX - verifier->now) {
        memset(verifier->stars, 0, sc_map_star_count(map) * sizeof *verifier->stars);
        memset(verifier->segments, 0, sc_map_segment_count(map) * sizeof *verifier->segments);
        verifier->now = 0;
    }
    return ++verifier->now;
}

// === Counting and reporting =====================================================================

void sc__wrong(sc_findings *findings, sc_promise promise, const char *format, ...)
{
    char sentence[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    findings->violated[promise]++;
    findings->tell(findings->context, promise, sentence);
}

// === The names of the promises ==================================================================

const char *sc_promise_name(sc_promise promise)
{
    static const char *const names[SC_PROMISE_COUNT] = {
#define X(name, text) #name,
        SC_PROMISE_MAP(X)
#undef X
    };
    if ((unsigned)promise >= SC_PROMISE_COUNT) return "unknown";
    // The last two are no promises of a cloak but of what came of it: words, not numbers.
    if (promise == SC_PROMISE_AREAS) return "areas";
    return promise == SC_PROMISE_ANSWERS ? "answers" : names[promise];
}

const char *sc_promise_text(sc_promise promise)
{
    static const char *const texts[SC_PROMISE_COUNT] = {
#define X(name, text) text,
        SC_PROMISE_MAP(X)
#undef X
    };
    return (unsigned)promise < SC_PROMISE_COUNT ? texts[promise] : "unknown";
}
