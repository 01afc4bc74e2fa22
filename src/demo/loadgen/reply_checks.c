// Checks of replies: read member by member against /openapi.json, or matched against the one form
// that the service writes (quick runs). reply_exact.c compares answers with a plain search.
//
// A reply that is not as described is "lost, bad reply": the client does not know what became of
// its query.
#include "demo/loadgen/reply_checks.h"

#include <starcloak/engine.h>
#include <starcloak/relay.h>

#include "base/json_tree.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/** The wait is rounded in replies; it may exceed what was allowed by so much. */
#define WAIT_TOLERANCE_S 0.001

static const char problem_prefix[] = "urn:starcloak:problem:";

SC_PRINTF(3, 4)
static void violate(sc_reply_check *out, sc_violation violation, const char *format, ...)
{
    // Only the first fault is reported; it may be the cause of others.
    if (out->is_violated) return;
    out->is_violated = true;
    out->violation = violation;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(out->remark, sizeof out->remark, format, arguments);
    va_end(arguments);
    if (violation == SC_VIOLATION_BAD_REPLY) out->end = SC_LOAD_LOST;
}

/** An untrusted word, made safe for tables and terminals. */
static void take_word(sc_reply_check *out, const char *word)
{
    size_t i = 0;
    for (; word[i] != '\0' && i + 1 < sizeof out->word; i++) {
        const char c = word[i];
        const bool is_plain =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        out->word[i] = is_plain ? c : '?';
    }
    out->word[i] = '\0';
}

static bool is_one_of(const char *word, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(word, list[i]) == 0) return true;
    }
    return false;
}

enum { CLOAK_ID_DIGITS = 16 };

// --- Members --------------------------------------------------------------------

/** The text of a member; NULL, and a violation, if it is none. */
static const char *text_of(const sc_json_value *object, const char *key, sc_reply_check *out)
{
    const char *text = sc_json_text_at(sc_json_member(object, key));
    if (!text) violate(out, SC_VIOLATION_BAD_REPLY, "'%s' is missing or not a text", key);
    return text;
}

/** A number that is not negative; 0, and a violation, if it is none. */
static double number_of(const sc_json_value *object, const char *key, sc_reply_check *out)
{
    const sc_json_value *member = sc_json_member(object, key);
    const double value = sc_json_number_at(member);
    if (sc_json_is_number(member) && value >= 0 && isfinite(value)) return value;
    violate(out, SC_VIOLATION_BAD_REPLY, "'%s' is missing or not a number of 0 or more", key);
    return 0;
}

static uint64_t count_of(const sc_json_value *object, const char *key, sc_reply_check *out)
{
    const sc_json_value *member = sc_json_member(object, key);
    if (sc_json_is_integer(member) && sc_json_integer(member) >= 0) {
        return (uint64_t)sc_json_integer(member);
    }
    violate(out, SC_VIOLATION_BAD_REPLY, "'%s' is missing or not a count", key);
    return 0;
}

/** No member but these. */
static void check_members(const sc_json_value *object, const char *const *known, size_t count,
                          sc_reply_check *out)
{
    for (size_t i = 0; i < sc_json_size(object); i++) {
        if (is_one_of(sc_json_member_name(object, i), known, count)) continue;
        violate(out, SC_VIOLATION_BAD_REPLY, "a member that /openapi.json does not describe");
        return;
    }
}

#define CHECK_MEMBERS(object, out, ...)                         \
    check_members((object), (const char *const[]){__VA_ARGS__}, \
                  sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *), (out))

// --- Outcomes -------------------------------------------------------------------

uint64_t sc_object_digest(const char *id, const char *category, const char *name)
{
    // Each is the seed of the next, so that letters cannot move from one text to another.
    uint64_t mark = XXH3_64bits(id, strlen(id));
    mark = XXH3_64bits_withSeed(category, strlen(category), mark);
    return XXH3_64bits_withSeed(name, strlen(name), mark);
}

static void check_position(const sc_json_value *object, sc_reply_check *out)
{
    const sc_json_value *position = sc_json_member(object, "position");
    if (!position) return;  // of a map without coordinates
    const bool is_geographic = sc_json_is_number(sc_json_member(position, "lon")) &&
                               sc_json_is_number(sc_json_member(position, "lat"));
    const bool is_planar = sc_json_is_number(sc_json_member(position, "x")) &&
                           sc_json_is_number(sc_json_member(position, "y"));
    if (sc_json_size(position) == 2 && (is_geographic || is_planar)) return;
    violate(out, SC_VIOLATION_BAD_REPLY, "the position of an object is not valid");
}

static bool take_cloak_id(sc_reply_check *out, const char *id, size_t size)
{
    if (size != CLOAK_ID_DIGITS) return false;
    for (size_t i = 0; i < size; i++) {
        const bool is_hex = (id[i] >= '0' && id[i] <= '9') || (id[i] >= 'a' && id[i] <= 'f');
        if (!is_hex) return false;
    }
    memcpy(out->cloak, id, size);
    out->cloak[size] = '\0';
    return true;
}

/** Other services may leave it out. */
static void take_id(const sc_json_value *cloak, sc_reply_check *out)
{
    const sc_json_value *id = sc_json_member(cloak, "id");
    if (!id) return;
    if (!sc_json_is_string(id) || !take_cloak_id(out, sc_json_text_at(id), sc_json_text_size(id))) {
        violate(out, SC_VIOLATION_BAD_REPLY, "the id of a cloak is not %d hexadecimal digits",
                (int)CLOAK_ID_DIGITS);
    }
}

/** The name of a road; other services, and roads, may have none. */
static void check_street(const sc_json_value *object, sc_reply_check *out)
{
    const sc_json_value *street = sc_json_member(object, "street");
    if (street && !sc_json_is_string(street)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "'street' is no text");
    }
}

static void take_object(const sc_json_value *object, sc_metric metric, sc_reply_check *out)
{
    const char *id = text_of(object, "id", out);
    const char *name = text_of(object, "name", out);
    const char *category = text_of(object, "category", out);
    check_position(object, out);
    check_street(object, out);
    CHECK_MEMBERS(object, out, "id", "name", "category", "street", "position", "distance_m",
                  "duration_s");
    const size_t i = out->object_count++;
    out->distances_m[i] = number_of(object, "distance_m", out);
    // Those who ask a provider of points do not know it.
    const bool has_duration = metric == SC_METRIC_TIME || sc_json_member(object, "duration_s");
    out->durations_s[i] = has_duration ? number_of(object, "duration_s", out) : SC_UNKNOWN_S;
    out->digests[i] = id && category && name ? sc_object_digest(id, category, name) : 0;
    if (i > 0 && sc__reply_cost(out, i, metric) < sc__reply_cost(out, i - 1, metric)) {
        violate(out, SC_VIOLATION_WRONG_ANSWER, "the objects are not in order of %s",
                sc_metric_name(metric));
    }
}

static void take_objects(const sc_json_value *body, const sc_reply_wanted *wanted,
                         sc_reply_check *out)
{
    const sc_json_value *objects = sc_json_member(body, "objects");
    if (!sc_json_is_array(objects)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "'objects' is missing or not a list");
        return;
    }
    const size_t count = sc_json_size(objects);
    if (count > wanted->nearest || count > SC_REPLY_OBJECTS) {
        violate(out, SC_VIOLATION_WRONG_ANSWER, "%zu objects, but %u were asked for", count,
                (unsigned)wanted->nearest);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        take_object(sc_json_at(objects, i), wanted->metric, out);
    }
}

static void check_promises(sc_reply_check *out, const sc_profile *needs)
{
    if (out->users < needs->k) {
        violate(out, SC_VIOLATION_FEW_USERS, "%llu users in a cloak that must have %u",
                (unsigned long long)out->users, (unsigned)needs->k);
    }
    if (out->segments < needs->l) {
        violate(out, SC_VIOLATION_FEW_SEGMENTS, "%llu segments in a cloak that must have %u",
                (unsigned long long)out->segments, (unsigned)needs->l);
    }
    const double max_wait_s = (double)needs->max_wait_us * 1e-6;
    if (out->wait_s > max_wait_s + WAIT_TOLERANCE_S) {
        violate(out, SC_VIOLATION_LATE, "a cloak after %.3f s, but %.3f s were allowed",
                out->wait_s, max_wait_s);
    }
}

static void check_metric(const sc_json_value *body, sc_metric wanted, sc_reply_check *out)
{
    const char *metric = text_of(body, "metric", out);
    if (metric && strcmp(metric, sc_metric_name(wanted)) != 0) {
        violate(out, SC_VIOLATION_WRONG_ANSWER, "an answer by another metric than %s",
                sc_metric_name(wanted));
    }
}

static void check_answer(const sc_json_value *body, const sc_reply_wanted *wanted,
                         sc_reply_check *out)
{
    const sc_json_value *cloak = sc_json_member(body, "cloak");
    out->end = SC_LOAD_ANSWERED;
    out->wait_s = number_of(body, "wait_s", out);
    take_id(cloak, out);
    out->users = count_of(cloak, "users", out);
    out->segments = count_of(cloak, "segments", out);
    check_street(body, out);
    check_metric(body, wanted->metric, out);
    CHECK_MEMBERS(body, out, "outcome", "wait_s", "cloak", "street", "metric", "objects");
    CHECK_MEMBERS(cloak, out, "id", "users", "segments");
    take_objects(body, wanted, out);
    check_promises(out, wanted->needs);
}

static void check_drop(const sc_json_value *body, sc_reply_check *out)
{
    static const char *const reasons[] = {
#define X(name, value, word) word,
        SC_DROP_MAP(X)
#undef X
    };
    out->end = SC_LOAD_DROPPED;
    out->wait_s = number_of(body, "wait_s", out);
    CHECK_MEMBERS(body, out, "outcome", "reason", "wait_s", "advice", "demands", "later_s");
    const char *reason = text_of(body, "reason", out);
    if (!reason) return;
    take_word(out, reason);
    if (!is_one_of(reason, reasons, sizeof reasons / sizeof *reasons)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "dropped for an unknown reason");
    }
    (void)text_of(body, "advice", out);
}

static void check_outcome(const sc_json_value *body, const sc_reply_wanted *wanted,
                          sc_reply_check *out)
{
    const char *outcome = text_of(body, "outcome", out);
    if (!outcome) return;
    if (strcmp(outcome, "answered") == 0) {
        check_answer(body, wanted, out);
    } else if (strcmp(outcome, "dropped") == 0) {
        check_drop(body, out);
    } else {
        violate(out, SC_VIOLATION_BAD_REPLY, "an unknown outcome");
    }
}

// --- Problems -------------------------------------------------------------------

static void check_failure(const sc_json_value *body, sc_reply_check *out)
{
    static const char *const reasons[] = {
        "provider_unreachable", "provider_timeout", "provider_refused", "provider_unbelievable",
        "provider_suspended",   "overloaded",       "in_doubt",         "stopped",
        "not_sent_in_time",     "result_lost",      "too_costly"};
    out->end = SC_LOAD_FAILED;
    const char *outcome = text_of(body, "outcome", out);
    const char *reason = text_of(body, "reason", out);
    if (!outcome || !reason) return;
    take_word(out, reason);
    if (strcmp(outcome, "failed") != 0 ||
        !is_one_of(reason, reasons, sizeof reasons / sizeof *reasons)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "failed for an unknown reason");
    }
}

static void check_problem(const sc_json_value *body, int status, sc_reply_check *out)
{
    const char *type = text_of(body, "type", out);
    text_of(body, "title", out);
    if (count_of(body, "status", out) != (uint64_t)status) {
        violate(out, SC_VIOLATION_BAD_REPLY,
                "the status of a problem differs from that of its reply");
    }
    if (!type) return;
    const size_t prefix = sizeof problem_prefix - 1;
    if (strncmp(type, problem_prefix, prefix) != 0) {
        violate(out, SC_VIOLATION_BAD_REPLY, "a problem of an unknown type");
        return;
    }
    take_word(out, type + prefix);
    if (sc_json_member(body, "outcome")) check_failure(body, out);
}

// --- Replies --------------------------------------------------------------------

static void clear_check(sc_reply_check *out)
{
    // Field by field: there is room for a thousand objects, which need not be cleared.
    out->end = SC_LOAD_REFUSED;
    out->word[0] = '\0';
    out->is_violated = false;
    out->remark[0] = '\0';
    out->cloak[0] = '\0';
    out->wait_s = 0;
    out->users = 0;
    out->segments = 0;
    out->object_count = 0;
}

static bool is_known_status(int status)
{
    static const short known[] = {200, 400, 401, 403, 404, 405, 408, 413, 415,
                                  422, 429, 431, 500, 501, 502, 503, 504};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i] == status) return true;
    }
    return false;
}

sc_err sc_reply_check_read(const sc_response *response, const sc_reply_wanted *wanted,
                           sc_reply_check *out)
{
    clear_check(out);
    if (!is_known_status(response->status)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "status %d, which /openapi.json does not describe",
                response->status);
        return SC_OK;
    }
    const bool is_outcome = response->status == 200;
    if (response->type != (is_outcome ? SC_RESPONSE_JSON : SC_RESPONSE_PROBLEM)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "status %d with a body of another media type",
                response->status);
        return SC_OK;
    }
    sc_json_tree tree = {0};
    sc_json_error error;
    const sc_err err =
        sc_json_tree_read(response->body ? response->body : "", response->body_size, &tree, &error);
    if (err == SC_ENOMEM) return err;
    const sc_json_value *body = tree.root;
    if (!sc_json_is_object(body)) {
        violate(out, SC_VIOLATION_BAD_REPLY, "the body is not a JSON object");
    } else if (is_outcome) {
        check_outcome(body, wanted, out);
    } else {
        check_problem(body, response->status, out);
    }
    sc_json_tree_fini(&tree);
    return SC_OK;
}

// === The form that the service writes ===========================================================
//
// Without a parser. Anything that does not match exactly is left to sc_reply_check_read().

/** What is left of a body. */
typedef struct known_form {
    const char *at;
    const char *end;
} known_form;

static bool eat(known_form *g, const char *text)
{
    const size_t size = strlen(text);
    if ((size_t)(g->end - g->at) < size || memcmp(g->at, text, size) != 0) return false;
    g->at += size;
    return true;
}

static bool eat_count(known_form *g, uint64_t *out)
{
    const char *first = g->at;
    uint64_t value = 0;
    while (g->at < g->end && *g->at >= '0' && *g->at <= '9' && g->at - first < 15) {
        value = value * 10 + (uint64_t)(*g->at++ - '0');
    }
    *out = value;
    return g->at > first;
}

/** Digits, and perhaps a fraction; whatever else a number may be, is left to the parser. */
static bool eat_number(known_form *g, double *out)
{
    uint64_t whole = 0;
    uint64_t fraction = 0;
    if (!eat_count(g, &whole)) return false;
    *out = (double)whole;
    if (!eat(g, ".")) return true;
    const char *first = g->at;
    if (!eat_count(g, &fraction)) return false;
    *out += (double)fraction * pow(10, (double)(first - g->at));
    return true;
}

/** The id of a cloak, if it has one. */
static bool eat_id(known_form *g, sc_reply_check *out)
{
    if (!eat(g, "\"id\":\"")) return true;
    if (g->end - g->at < CLOAK_ID_DIGITS || !take_cloak_id(out, g->at, CLOAK_ID_DIGITS)) {
        return false;
    }
    g->at += CLOAK_ID_DIGITS;
    return eat(g, "\",");
}

/** The rest of a text: any but one with escapes. */
static bool eat_text(known_form *g)
{
    while (g->at < g->end && *g->at != '"' && *g->at != '\\') {
        g->at++;
    }
    return eat(g, "\"");
}

/** The street, if the service names it. */
static bool eat_street(known_form *g)
{
    return !eat(g, "\"street\":\"") || (eat_text(g) && eat(g, ","));
}

static bool match_answer(known_form *g, sc_metric metric, sc_reply_check *out)
{
    out->end = SC_LOAD_ANSWERED;
    return eat(g, "{\"outcome\":\"answered\",\"wait_s\":") && eat_number(g, &out->wait_s) &&
           eat(g, ",\"cloak\":{") && eat_id(g, out) && eat(g, "\"users\":") &&
           eat_count(g, &out->users) && eat(g, ",\"segments\":") && eat_count(g, &out->segments) &&
           eat(g, "},") && eat_street(g) && eat(g, "\"metric\":\"") &&
           eat(g, sc_metric_name(metric)) && eat(g, "\",\"objects\":[") && g->end - g->at >= 2 &&
           memcmp(g->end - 2, "]}", 2) == 0;
}

static bool match_drop(known_form *g, sc_reply_check *out)
{
    out->end = SC_LOAD_DROPPED;
    if (!eat(g, "{\"outcome\":\"dropped\",\"reason\":\"")) return false;
    sc_drop_reason reason = SC_DROP_EXPIRED;
    while (reason < SC_DROP_REASON_COUNT && !eat(g, sc_drop_reason_name(reason))) {
        reason++;
    }
    if (reason == SC_DROP_REASON_COUNT) return false;
    (void)snprintf(out->word, sizeof out->word, "%s", sc_drop_reason_name(reason));
    return eat(g, "\",\"wait_s\":") && eat_number(g, &out->wait_s) && eat(g, ",\"advice\":\"") &&
           eat_text(g) && eat(g, "}") && g->at == g->end;
}

sc_err sc_reply_check_read_quickly(const sc_response *response, const sc_reply_wanted *wanted,
                                   sc_reply_check *out)
{
    if (response->status == 200 && response->type == SC_RESPONSE_JSON && response->body) {
        known_form g = {response->body, response->body + response->body_size};
        clear_check(out);
        if (match_answer(&g, wanted->metric, out)) {
            check_promises(out, wanted->needs);
            return SC_OK;
        }
        g.at = response->body;
        if (match_drop(&g, out)) return SC_OK;
    }
    return sc_reply_check_read(response, wanted, out);
}
