// The JSON of attacks: requests, and their results.
//
// Each object has a table of its members and a function that reads one of them, as in query_json.c.
// Elements of arrays know nothing of the place they are in: their fields are named from there, as
// "/k", and the rest of the way is put before it where one is refused.
#include "demo/attack_json.h"

#include "api/json_request.h"
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/json_write.h"
#include "base/sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** What is being read. */
typedef struct reading {
    sc_json_reader in;
    uint32_t segment_count;  ///< of the map
    sc_attack_request *attack;
    sc_attack_field *field;
} reading;

#define COUNT_OF(array) (unsigned)(sizeof(array) / sizeof(array)[0])

// --- Arrays --------------------------------------------------------------------------------------

static bool no_memory(reading *r)
{
    sc_problem_set(r->in.problem, SC_PROBLEM_OVERLOADED, NULL, "out of memory; retry");
    r->in.problem->retry_after_s = 1;
    return false;
}

/** An array whose elements are read one by one. */
typedef struct list {
    const char *pointer;
    const char *wanted;  ///< in words
    size_t most;
    bool (*read)(reading *r, size_t i);
} list;

/** An element is refused: its field is named from its own place, and gets the way to it. */
static bool refuse_element(reading *r, const list *what, size_t i)
{
    const char *within = r->in.problem->field;
    if (!within) return false;
    (void)snprintf(r->field->text, sizeof r->field->text, "%s/%zu%s", what->pointer, i, within);
    r->in.problem->field = r->field->text;
    return false;
}

static bool read_list(reading *r, const list *what, size_t *count)
{
    if (sc_json_peek(&r->in.json) != SC_JSON_ARRAY) {
        return sc_json_refuse_kind(&r->in, what->pointer, what->wanted);
    }
    if (!sc_json_enter(&r->in.json, '[')) return sc_json_refuse_text(&r->in);
    size_t i = 0;
    for (; sc_json_next_element(&r->in.json); i++) {
        if (i == what->most) {
            return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, what->pointer,
                                  "give at most %zu entries", what->most);
        }
        if (!what->read(r, i)) return refuse_element(r, what, i);
    }
    if (r->in.json.wrong) return sc_json_refuse_text(&r->in);
    *count = i;
    return i > 0 || sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, what->pointer,
                                   "give at least one entry");
}

// --- Numbers -------------------------------------------------------------------------------------

static bool read_between(reading *r, sc_problem_kind kind, const char *pointer, uint32_t least,
                         uint32_t most, uint32_t *out)
{
    double value = 0.0;
    if (!sc_json_read_number(&r->in, pointer, &value)) return false;
    if (!(value >= least && value <= most) || value != floor(value)) {
        return sc_problem_set(r->in.problem, kind, pointer, "it must be a whole number, %u to %u",
                              least, most);
    }
    *out = (uint32_t)value;
    return true;
}

static bool read_segment(reading *r, const char *pointer, sc_seg_id *out)
{
    return read_between(r, SC_PROBLEM_REQUEST, pointer, 0, r->segment_count - 1, out);
}

// --- The segments of a cloak ---------------------------------------------------------------------

static bool read_element_segment(reading *r, size_t i)
{
    return read_segment(r, "", &r->attack->segments[i]);
}

static const list of_segments = {
    .pointer = "/segments",
    .wanted = "an array of numbers",
    .most = SC_ATTACK_REQUEST_SEGMENTS_MAX,
    .read = read_element_segment,
};

static bool read_segments(reading *r)
{
    sc_attack_request *attack = r->attack;
    // All that may come; only what was read is wiped, and the rest is zero.
    attack->segments = sc_calloc(SC_ATTACK_REQUEST_SEGMENTS_MAX, sizeof *attack->segments);
    if (!attack->segments) return no_memory(r);
    attack->segment_count = SC_ATTACK_REQUEST_SEGMENTS_MAX;
    if (!read_list(r, &of_segments, &attack->segment_count)) return false;
    sc_sort_u32(attack->segments, attack->segment_count);
    for (size_t i = 1; i < attack->segment_count; i++) {
        if (attack->segments[i] != attack->segments[i - 1]) continue;
        return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, of_segments.pointer,
                              "an entry is repeated; give each once");
    }
    return true;
}

// --- Members and queries -------------------------------------------------------------------------

enum { K, L, MAX_HOPS, SEGMENT };

static const sc_json_field members_of_query[] = {
    [K] = {"k", "/k"},
    [L] = {"l", "/l"},
    [MAX_HOPS] = {"max_hops", "/max_hops"},
    [SEGMENT] = {"segment", "/segment"},
};

/** One member or query, being read. */
typedef struct asker {
    reading *r;
    sc_needs *needs;
    sc_seg_id *place;  ///< NULL: a member, whose place is not known
} asker;

static bool read_query_member(void *context, unsigned which)
{
    const asker *a = context;
    const char *field = members_of_query[which].pointer;
    switch (which) {
    case K:
        return read_between(a->r, SC_PROBLEM_PROFILE, field, 1, SC_ATTACK_REQUEST_NEED_MAX,
                            &a->needs->k);
    case L:
        return read_between(a->r, SC_PROBLEM_PROFILE, field, 1, SC_ATTACK_REQUEST_NEED_MAX,
                            &a->needs->l);
    case MAX_HOPS:
        return read_between(a->r, SC_PROBLEM_PROFILE, field, 0, SC_ATTACK_REQUEST_HOPS_MAX,
                            &a->needs->max_hops);
    default:
        return read_segment(a->r, field, a->place);
    }
}

// A member is a query without its segment: the same table without its last row.
static const sc_json_shape of_member = {
    .pointer = "",
    .words = "k, l and max_hops",
    .fields = members_of_query,
    .count = SEGMENT,
    .read = read_query_member,
};

static const sc_json_shape of_query = {
    .pointer = "",
    .words = "segment, k, l and max_hops",
    .fields = members_of_query,
    .count = COUNT_OF(members_of_query),
    .read = read_query_member,
};

static bool read_asker(asker *a, const sc_json_shape *shape)
{
    sc_json_reader *in = &a->r->in;
    unsigned seen = 0;
    if (!sc_json_read_object(in, shape, a, &seen)) return false;
    for (unsigned which = 0; which < shape->count; which++) {
        if (seen & 1u << which) continue;
        return sc_json_refuse_missing(in, shape->fields[which].pointer);
    }
    return true;
}

static bool read_element_member(reading *r, size_t i)
{
    asker a = {.r = r, .needs = &r->attack->members[i]};
    return read_asker(&a, &of_member);
}

static bool read_element_query(reading *r, size_t i)
{
    asker a = {.r = r, .needs = &r->attack->members[i], .place = &r->attack->places[i]};
    return read_asker(&a, &of_query);
}

static const list of_members = {
    .pointer = "/members",
    .wanted = "an array of objects",
    .most = SC_ATTACK_REQUEST_MEMBERS_MAX,
    .read = read_element_member,
};

static const list of_queries = {
    .pointer = "/queries",
    .wanted = "an array of objects",
    .most = SC_ATTACK_REQUEST_MEMBERS_MAX,
    .read = read_element_query,
};

/** Either of the two; the other one, if it stands there as well, is refused. */
static bool read_askers(reading *r, const list *what)
{
    sc_attack_request *attack = r->attack;
    if (attack->members) {
        return sc_problem_set(r->in.problem, SC_PROBLEM_BODY, what->pointer,
                              "give either members or queries, not both");
    }
    attack->members = sc_calloc(SC_ATTACK_REQUEST_MEMBERS_MAX, sizeof *attack->members);
    if (!attack->members) return no_memory(r);
    if (what == &of_queries) {
        attack->places = sc_calloc(SC_ATTACK_REQUEST_MEMBERS_MAX, sizeof *attack->places);
        if (!attack->places) return no_memory(r);
    }
    attack->member_count = SC_ATTACK_REQUEST_MEMBERS_MAX;
    return read_list(r, what, &attack->member_count);
}

// --- All of it -----------------------------------------------------------------------------------

enum { METHOD, SEGMENTS, MEMBERS, QUERIES };

static const sc_json_field members_of_body[] = {
    [METHOD] = {"method", "/method"},
    [SEGMENTS] = {"segments", "/segments"},
    [MEMBERS] = {"members", "/members"},
    [QUERIES] = {"queries", "/queries"},
};

static bool read_method(reading *r)
{
    const char *field = members_of_body[METHOD].pointer;
    sc_json_raw word;
    if (!sc_json_read_string(&r->in, field, "a string", &word)) return false;
    for (int i = 0; i < SC_VARIANT_COUNT; i++) {
        if (!sc_json_string_is(word, sc_variant_name((sc_variant)i))) continue;
        r->attack->method = (sc_variant)i;
        return true;
    }
#define X(name, value, word) ", " word
    static const char names[] = SC_VARIANT_MAP(X);
#undef X
    return sc_problem_set(r->in.problem, SC_PROBLEM_REQUEST, field, "it must be one of %s",
                          names + 2);
}

static bool read_body_member(void *context, unsigned which)
{
    reading *r = context;
    switch (which) {
    case METHOD:
        return read_method(r);
    case SEGMENTS:
        return read_segments(r);
    case MEMBERS:
        return read_askers(r, &of_members);
    default:
        return read_askers(r, &of_queries);
    }
}

static const sc_json_shape of_body = {
    .pointer = NULL,
    .words = "method, segments and members, or method and queries",
    .fields = members_of_body,
    .count = COUNT_OF(members_of_body),
    .read = read_body_member,
};

static bool read_body(reading *r)
{
    unsigned seen = 0;
    if (!sc_json_read_object(&r->in, &of_body, r, &seen)) return false;
    if (!sc_json_end(&r->in.json)) return sc_json_refuse_text(&r->in);
    const bool has_segments = seen & 1u << SEGMENTS;
    if (seen & 1u << QUERIES) {
        return !has_segments ||
               sc_problem_set(r->in.problem, SC_PROBLEM_BODY, of_segments.pointer,
                              "the method makes a cloak of the queries; leave out the segments");
    }
    if (!has_segments) {
        return sc_problem_set(r->in.problem, SC_PROBLEM_BODY, of_segments.pointer,
                              "the member is missing; give segments and members, or queries");
    }
    return seen & 1u << MEMBERS || sc_json_refuse_missing(&r->in, of_members.pointer);
}

sc_attack_request *sc_attack_read(const char *body, size_t size, uint32_t segment_count,
                                  sc_variant standard, sc_attack_field *field, sc_problem *problem)
{
    reading r = {.in = {.json = sc_json_pull_of(body, size), .problem = problem},
                 .segment_count = segment_count,
                 .attack = sc_attack_request_new(),
                 .field = field};
    if (!r.attack) {
        no_memory(&r);
        return NULL;
    }
    r.attack->method = standard;
    if (read_body(&r)) return r.attack;
    sc_attack_request_free(r.attack);
    return NULL;
}

// --- The reply -----------------------------------------------------------------------------------

/** A linkability of a ten-millionth may still be one that is not ruled out; bits and numbers of
 * segments need not be known that well. */
enum { LINK_DECIMALS = 8, FIGURE_DECIMALS = 4 };

/** Bytes for all that is said once, and for one segment: its id, linkability and error. */
enum { FRAME_BYTES = 320, SEGMENT_BYTES = 36 };

static void put_links(sc_json_writer *json, const char *name, const sc_posterior *posterior,
                      bool is_error)
{
    sc_json_open_array(json, name);
    for (size_t i = 0; i < posterior->link_count; i++) {
        const sc_link *link = &posterior->links[i];
        sc_json_put_fixed(json, NULL, is_error ? link->error : link->linkability, LINK_DECIMALS);
    }
    sc_json_close_array(json);
}

static void put_found(sc_json_writer *json, const sc_attack_request *attack)
{
    const sc_posterior *posterior = &attack->posterior;
    sc_json_open_array(json, "segments");
    for (size_t i = 0; i < attack->segment_count; i++) {
        sc_json_put_count(json, NULL, attack->segments[i]);
    }
    sc_json_close_array(json);
    sc_json_put_count(json, "members", attack->found_members);
    put_links(json, "linkability", posterior, false);
    put_links(json, "error", posterior, true);
    sc_json_put_fixed(json, "entropy", posterior->entropy, FIGURE_DECIMALS);
    sc_json_put_fixed(json, "normalised_entropy", posterior->normalised_entropy, FIGURE_DECIMALS);
    sc_json_put_fixed(json, "effective", posterior->effective, FIGURE_DECIMALS);
    sc_json_put_count(json, "ruled_out", posterior->ruled_out);
    sc_json_put_count(json, "replays", posterior->replays);
    sc_json_put_flag(json, "unexplained", posterior->is_unexplained);
}

sc_err sc_attack_write(const sc_attack_request *attack, sc_bytes *out)
{
    out->size = 0;
    const size_t room = FRAME_BYTES + attack->segment_count * SEGMENT_BYTES;
    if (!sc_bytes_reserve_wiping(out, room)) return SC_ENOMEM;
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "method", sc_variant_name(attack->method));
    sc_json_put_flag(&json, "found", attack->is_found);
    if (attack->is_found) put_found(&json, attack);
    sc_json_close_object(&json);
    return json.has_failed ? SC_ENOMEM : SC_OK;
}
