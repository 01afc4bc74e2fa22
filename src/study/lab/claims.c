// On which maps and for which methods the paper's statements (paper_claims.c) are judged, and what
// they come to. claim_judge.c decides them.
#include "lab/claims.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "lab/claim_judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// === Judging all statements =====================================================================

const char *sc__verdict_text(sc_lab_verdict verdict)
{
    static const char *const texts[SC_LAB_VERDICT_COUNT] = {
        [SC_LAB_HOLDS] = "holds",
        [SC_LAB_FAILS] = "does not hold",
        [SC_LAB_UNTOLD] = "not told",
        [SC_LAB_MOSTLY_HOLDS] = "mostly holds",
    };
    return texts[verdict];
}

sc_lab_method sc__first_method(unsigned methods)
{
    return (sc_lab_method)__builtin_ctz(methods);
}

sc_lab_figure sc__claim_figure(const sc_lab_claim *claim, sc_lab_axis axis)
{
    return (sc_lab_figure){.metric = claim->statement->metric, .map = claim->map, .axis = axis};
}

void sc__claim_untold(sc_lab_claim *claim, const char *reason)
{
    claim->verdict = SC_LAB_UNTOLD;
    snprintf(claim->found, sizeof claim->found, "%s", reason);
}

bool sc__claim_has_ends(const sc_lab_options *options, const sc_lab_figure *figure,
                        sc_lab_claim *claim)
{
    if (!sc__figure_is_wanted(options, figure)) {
        sc__claim_untold(claim, "no figure of this was requested");
        return false;
    }
    if (sc__figure_grid(options, figure)->count < 2) {
        sc__claim_untold(claim, "fewer than two values of the axis have a number");
        return false;
    }
    return true;
}

double sc__against(double by)
{
    return by < 0 ? -by : 0;
}

int sc__sign_beyond_chance(const sc_lab_estimate *by, double left, double right)
{
    if (by->count > 1) return sc__sure_sign(by);
    const double chance = SC_LAB_CLAIM_CHANCE * fmax(fabs(left), fabs(right));
    return (by->mean > chance) - (by->mean < -chance);
}

// Whether `value` takes the place of `best`, which may be none yet.
static bool is_better(double value, double best, int sign)
{
    return !isnan(value) && (isnan(best) || sign * (value - best) > 0);
}

void sc__judge_pair(const sc_lab_judge *judge, const sc_lab_claim *claim, sc_lab_spot place)
{
    const sc_lab_statement *statement = claim->statement;
    const sc_lab_figure figure = sc__claim_figure(claim, place.axis);
    const double *own = sc__table_values(judge->table, &figure, place.i, claim->method);
    for (size_t seed = 0; seed < judge->table->options->seed_count; seed++) {
        double best = SC_NO_VALUE;
        for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
            if ((claim->other >> method & 1U) == 0) continue;
            const double value = sc__table_values(judge->table, &figure, place.i, method)[seed];
            if (is_better(value, best, statement->sign)) best = value;
        }
        const bool has_both = !isnan(best) && !isnan(own[seed]);
        judge->left[seed] = has_both ? own[seed] : SC_NO_VALUE;
        judge->right[seed] = has_both ? best : SC_NO_VALUE;
    }
}

// The first method that a claim needs and the experiment does not have; SC_LAB_METHOD_COUNT if
// none.
static sc_lab_method missing_method(const sc_lab_options *options, const sc_lab_claim *claim)
{
    const unsigned needed = claim->other | 1U << claim->method;
    sc_lab_method method = 0;
    while (method < SC_LAB_METHOD_COUNT &&
           ((needed >> method & 1U) == 0 || sc__has_method(options, method))) {
        method++;
    }
    return method;
}

static void name_methods(sc_lab_claim *claim)
{
    const unsigned other = claim->other;
    const char *own = sc__method_title(claim->method);
    if (other == 0) {
        snprintf(claim->who, sizeof claim->who, "%s", own);
    } else if ((other & (other - 1)) != 0) {
        snprintf(claim->who, sizeof claim->who, "%s against the %s of the others", own,
                 claim->statement->sign > 0 ? "highest" : "lowest");
    } else {
        snprintf(claim->who, sizeof claim->who, "%s against %s", own,
                 sc__method_title(sc__first_method(other)));
    }
}

static void judge_claim(const sc_lab_judge *judge, sc_lab_claim *claim)
{
    const sc_lab_method missing = missing_method(judge->table->options, claim);
    if (missing != SC_LAB_METHOD_COUNT) {
        char reason[sizeof claim->found];
        snprintf(reason, sizeof reason, "%s was not run", sc__method_title(missing));
        sc__claim_untold(claim, reason);
        return;
    }
    switch (claim->statement->kind) {
    case SC_LAB_CLAIM_TREND:
    case SC_LAB_CLAIM_GAP:
        sc__judge_trend(judge, claim);
        break;
    case SC_LAB_CLAIM_LESS_LOST:
    case SC_LAB_CLAIM_GAINS_MORE:
    case SC_LAB_CLAIM_STEADY:
    case SC_LAB_CLAIM_SPARSER:
        sc__judge_ends(judge, claim);
        break;
    default:
        sc__judge_order(judge, claim);
        break;
    }
}

const char *sc__reading_name(sc_lab_reading reading)
{
    static const char *const names[SC_LAB_READING_COUNT] = {
        [SC_LAB_READING_NONE] = "",
        [SC_LAB_READING_SHARED] = "shared",
        [SC_LAB_READING_LITERAL] = "literal",
    };
    return names[reading];
}

// The methods of a statement, which names those of the shared reading.
static unsigned methods_in(unsigned methods, sc_lab_reading reading)
{
    return reading == SC_LAB_READING_LITERAL ? sc_lab_to_literal(methods) : methods;
}

// Whether a statement is judged for a method in a reading: if either the method or those it is
// compared with are baselines, in every reading that was run; else once.
static bool is_judged_in(const sc_lab_claims *claims, sc_lab_reading reading, sc_lab_method method,
                         unsigned other)
{
    const unsigned baselines = SC_LAB_SHARED_BASELINES | SC_LAB_LITERAL_BASELINES;
    const bool is_of_them = ((1U << method | other) & baselines) != 0;
    if (reading == SC_LAB_READING_NONE) return !is_of_them;
    return is_of_them && claims->has_reading[reading];
}

static sc_err judge_in(sc_lab_claims *claims, const sc_lab_judge *judge,
                       const sc_lab_statement *statement, uint32_t map, sc_lab_reading reading,
                       const char *reason)
{
    const unsigned each = methods_in(statement->each, reading);
    const unsigned other = methods_in(statement->other, reading);
    for (sc_lab_method method = 0; method < SC_LAB_METHOD_COUNT; method++) {
        if ((each >> method & 1U) == 0) continue;
        if (!is_judged_in(claims, reading, method, other)) continue;
        if (!sc_grow(&claims->all, claims->count, &claims->capacity, sizeof *claims->all)) {
            return SC_ENOMEM;
        }
        sc_lab_claim *claim = &claims->all[claims->count++];
        *claim = (sc_lab_claim){.statement = statement,
                                .reading = reading,
                                .other = other,
                                .map = map,
                                .method = method,
                                .left = SC_NO_VALUE,
                                .right = SC_NO_VALUE};
        name_methods(claim);
        if (reason) {
            sc__claim_untold(claim, reason);
        } else {
            judge_claim(judge, claim);
        }
        claims->by_verdict[claim->verdict]++;
    }
    return SC_OK;
}

// A statement on one map, for each of its methods in each reading. SC_NONE: about no map in
// particular, or, with a `reason`, about maps that are not there.
static sc_err judge_on(sc_lab_claims *claims, const sc_lab_judge *judge,
                       const sc_lab_statement *statement, uint32_t map, const char *reason)
{
    sc_err err = SC_OK;
    for (sc_lab_reading reading = 0; reading < SC_LAB_READING_COUNT && !err; reading++) {
        err = judge_in(claims, judge, statement, map, reading, reason);
    }
    return err;
}

static sc_err judge_statement(sc_lab_claims *claims, const sc_lab_judge *judge,
                              const sc_lab_statement *statement)
{
    const sc_lab_options *options = judge->table->options;
    if (statement->kind == SC_LAB_CLAIM_SPARSER) {
        return judge_on(claims, judge, statement, SC_NONE, NULL);
    }
    sc_err err = SC_OK;
    size_t map_count = 0;
    for (uint32_t map = 0; map < options->map_count && !err; map++) {
        const sc_lab_metric metric =
            statement->needs_objects ? SC_LAB_CANDIDATES : statement->metric;
        if (!sc_lab_has_metric(options, map, metric)) continue;
        err = judge_on(claims, judge, statement, map, NULL);
        map_count++;
    }
    if (!err && map_count == 0) {
        err = judge_on(claims, judge, statement, SC_NONE, "a map with objects is needed");
    }
    return err;
}

sc_err sc__claims_init(sc_lab_claims *claims, const sc_lab_table *table, sc_diag *diag)
{
    *claims = (sc_lab_claims){0};
    const size_t seeds = table->options->seed_count;
    const unsigned methods = table->options->methods;
    claims->has_reading[SC_LAB_READING_LITERAL] = (methods & SC_LAB_LITERAL_BASELINES) != 0;
    claims->has_reading[SC_LAB_READING_SHARED] =
        (methods & SC_LAB_SHARED_BASELINES) != 0 || !claims->has_reading[SC_LAB_READING_LITERAL];
    double *room = sc_calloc(seeds, (2 + SC_LAB_PLACES_MAX) * sizeof *room);
    if (!room) return sc_fail_memory(diag, "judging the claims");
    const sc_lab_judge judge = {
        .table = table, .left = room, .right = room + seeds, .differences = room + 2 * seeds};
    size_t count = 0;
    const sc_lab_statement *all = sc__statements(&count);
    sc_err err = SC_OK;
    for (size_t i = 0; i < count && !err; i++) {
        err = judge_statement(claims, &judge, &all[i]);
    }
    sc_free(room);
    if (err) {
        sc__claims_fini(claims);
        return sc_fail_memory(diag, "judging the claims");
    }
    return SC_OK;
}

void sc__claims_fini(sc_lab_claims *claims)
{
    sc_free(claims->all);
    *claims = (sc_lab_claims){0};
}

// === The paper's claims as wholes ===============================================================

bool sc__is_of_paper_claim(const sc_lab_claim *claim, size_t number)
{
    return claim->statement->id[0] == (char)('1' + number);
}

bool sc__is_in_reading(const sc_lab_claim *claim, size_t number, sc_lab_reading reading)
{
    return sc__is_of_paper_claim(claim, number) &&
           (claim->reading == SC_LAB_READING_NONE || claim->reading == reading);
}

sc_lab_verdicts sc__paper_claim_verdicts(const sc_lab_claims *claims, size_t number,
                                         sc_lab_reading reading, uint32_t map)
{
    sc_lab_verdicts verdicts = {{0}};
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (sc__is_in_reading(claim, number, reading) && claim->map == map) {
            verdicts.by_verdict[claim->verdict]++;
        }
    }
    return verdicts;
}

sc_lab_verdict sc__verdict_of(const sc_lab_verdicts *verdicts)
{
    const size_t held = verdicts->by_verdict[SC_LAB_HOLDS];
    const size_t failed = verdicts->by_verdict[SC_LAB_FAILS];
    if (failed == 0) return held > 0 ? SC_LAB_HOLDS : SC_LAB_UNTOLD;
    const double most = SC_LAB_CLAIM_MOST * (double)(held + failed);
    return (double)held >= most ? SC_LAB_MOSTLY_HOLDS : SC_LAB_FAILS;
}

sc_lab_verdicts sc__paper_claim_total(const sc_lab_claims *claims, size_t number,
                                      sc_lab_reading reading)
{
    sc_lab_verdicts verdicts = {{0}};
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (sc__is_in_reading(claim, number, reading)) verdicts.by_verdict[claim->verdict]++;
    }
    return verdicts;
}

sc_lab_verdict sc__paper_claim_verdict(const sc_lab_claims *claims, size_t number,
                                       sc_lab_reading reading)
{
    const sc_lab_verdicts total = sc__paper_claim_total(claims, number, reading);
    return sc__verdict_of(&total);
}

// Append "1a on city (StarCloak against hybrid)" if there is room for it, and for what comes after.
static bool add_exception(sc_lab_exceptions *to, const sc_lab_claim *claim, const char *map)
{
    char one[256];
    const size_t used = strlen(to->text);
    const int size = snprintf(one, sizeof one, "%s%s%s%s (%s)", used > 0 ? "; " : "",
                              claim->statement->id, map ? " on " : "", map ? map : "", claim->who);
    static const size_t more = sizeof "; and 1000 more";
    if (size < 0 || used + (size_t)size + more > sizeof to->text) return false;
    memcpy(to->text + used, one, (size_t)size + 1);
    return true;
}

sc_lab_exceptions sc__paper_claim_exceptions(const sc_lab_claims *claims,
                                             const sc_lab_options *options, size_t number,
                                             sc_lab_reading reading)
{
    sc_lab_exceptions found = {""};
    size_t left = 0;
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (claim->verdict != SC_LAB_FAILS || !sc__is_in_reading(claim, number, reading)) continue;
        const char *map = claim->map == SC_NONE ? NULL : options->maps[claim->map].name;
        if (left > 0 || !add_exception(&found, claim, map)) left++;
    }
    const size_t used = strlen(found.text);
    if (left > 0) snprintf(found.text + used, sizeof found.text - used, "; and %zu more", left);
    return found;
}

sc_lab_verdicts sc__paper_claims_by_verdict(const sc_lab_claims *claims, sc_lab_reading reading)
{
    sc_lab_verdicts verdicts = {{0}};
    for (size_t number = 0; number < SC_LAB_PAPER_CLAIMS; number++) {
        verdicts.by_verdict[sc__paper_claim_verdict(claims, number, reading)]++;
    }
    return verdicts;
}
