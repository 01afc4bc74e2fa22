/**
 * @file spoilt.h
 * @brief An honest reply, and ways to spoil it: one lie at a time, refused for its reason.
 *
 * The honest reply is a plain Dijkstra's (drawn_cloak.h); roads have different lengths here, so
 * that nothing ties.
 *
 *     A-*-B-*-C---D      The cloak: B-F, E-F, F-G, F-J, C-G, G-H, G-K; border nodes B, C, E, H, J,
 * K. |   +   |   |      Cafes: * ; schools: + E---F*--G---H-*-M
 *     +   |   |   +      Requests: 0  the 3 nearest
 *     I---J---K*--L                1  cafes within 90 m
 *                                  2  the 50 nearest schools: there are 3
 */
#ifndef SC_TESTS_UNIT_ANSWER_SPOILT_H
#define SC_TESTS_UNIT_ANSWER_SPOILT_H

#include "drawn_cloak.h"

enum { THREE_NEAREST = 0, CAFES_AROUND = 1, ALL_SCHOOLS = 2 };

static inline drawn_cloak *honest(bool has_keys)
{
    sketch s = drawn_sketch(drawn_town, "");
    for (uint32_t e = 0; e < s.edge_count; e++) {
        s.edges[e].length += 0.1 * e;
    }
    drawn_cloak *c = drawn_cloak_of(s, drawn_objects, drawn_roads);
    if (has_keys) drawn_give_keys(c);
    drawn_ask(c, drawn_knn(3));
    drawn_ask(c, drawn_only(c, drawn_range(90.0), "cafe"));
    drawn_ask(c, drawn_only(c, drawn_knn(50), "school"));
    drawn_reply(c);
    return c;
}

static inline sc_filter *filter_with(const drawn_cloak *c, size_t max_candidates, double slack)
{
    const sc_filter_options options = {max_candidates, slack};
    sc_filter *filter = NULL;
    CHECK_OK(sc_filter_new(c->map, &options, &filter, NULL), NULL);
    return filter;
}

// --- Getting at a reply --------------------------------------------------------------------

typedef struct near_list {
    sc_near *nears;
    size_t count;
    size_t list;
} near_list;

static inline near_list list_of(drawn_cloak *c, size_t request, char letter)
{
    const size_t list = request * c->relay.border_node_count + drawn_border(c, letter);
    const uint32_t *start = c->reply.near_start + list;
    return (near_list){c->reply.nears + start[0], start[1] - start[0], list};
}

// The entry of an object in a list; there must be one.
static inline sc_near *entry_of(drawn_cloak *c, size_t request, char letter, const char *name)
{
    const near_list l = list_of(c, request, letter);
    const uint32_t object = drawn_object_named(c, name);
    for (size_t i = 0; i < l.count; i++) {
        if (l.nears[i].object == object) return l.nears + i;
    }
    fail_msg("'%s' is not in the list of %c", name, letter);
    return NULL;
}

// Take an entry out of its list.
static inline void drop_entry(drawn_cloak *c, size_t request, char letter, const char *name)
{
    const near_list l = list_of(c, request, letter);
    sc_near *entry = entry_of(c, request, letter, name);
    const size_t list_count = c->relay.request_count * c->relay.border_node_count;
    sc_near *end = c->reply.nears + c->reply.near_start[list_count];
    memmove(entry, entry + 1, (size_t)(end - entry - 1) * sizeof *entry);
    for (size_t i = l.list + 1; i <= list_count; i++) {
        c->reply.near_start[i]--;
    }
}

// Put another one behind the last of a list.
static inline void append_entry(drawn_cloak *c, size_t request, char letter, sc_near entry)
{
    const size_t list = list_of(c, request, letter).list;
    const size_t list_count = c->relay.request_count * c->relay.border_node_count;
    assert_true(sc__reply_add_near(&c->reply, (sc_near){.object = 0}));  // makes room
    const size_t total = c->reply.near_start[list_count];
    sc_near *at = c->reply.nears + c->reply.near_start[list + 1];
    memmove(at + 1, at, (size_t)(c->reply.nears + total - 1 - at) * sizeof *at);
    *at = entry;
    for (size_t i = list + 1; i < list_count; i++) {
        c->reply.near_start[i]++;
    }
}

// The run of an object on the segments; all runs are of one object.
static inline sc_object_run *run_of(drawn_cloak *c, size_t request, const char *name)
{
    const uint32_t object = drawn_object_named(c, name);
    for (uint32_t i = c->reply.run_start[request]; i < c->reply.run_start[request + 1]; i++) {
        if (c->reply.runs[i].first == object) return &c->reply.runs[i];
    }
    fail_msg("'%s' is not on the segments", name);
    return NULL;
}

static inline void drop_run(drawn_cloak *c, size_t request, const char *name)
{
    sc_object_run *run = run_of(c, request, name);
    const sc_object_run *end = c->reply.runs + c->reply.run_start[c->relay.request_count];
    memmove(run, run + 1, (size_t)(end - run - 1) * sizeof *run);
    for (size_t i = request + 1; i <= c->relay.request_count; i++) {
        c->reply.run_start[i]--;
    }
}

// --- Lies ----------------------------------------------------------------------------------

/** Whose objects: the map's, the provider's, or both in turn. */
typedef enum whose { OF_MAP = 1, OF_PROVIDER = 2, OF_BOTH = 3 } whose;

typedef struct lie {
    const char *name;
    void (*spoil)(drawn_cloak *c);
    whose objects;
    sc_err err;
    const char *message;
} lie;

static inline void check_lie(const lie *l, bool has_keys)
{
    drawn_cloak *c = honest(has_keys);
    sc_filter *filter = drawn_filter(c);  // the honest one is believed
    l->spoil(c);
    sc_diag diag = {""};
    const sc_err err = sc_filter_open(filter, &c->relay, &c->reply, &diag);
    if (err != l->err || !strstr(diag.message, l->message)) {
        print_message("# %s%s\n", l->name, has_keys ? ", objects of the provider" : "");
    }
    CHECK_REFUSED(err, l->err, &diag, l->message);
    sc_filter_free(filter);
    drawn_cloak_free(c);
}

static inline void check_lies(const lie *lies, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check_case(i);
        if (lies[i].objects & OF_MAP) check_lie(&lies[i], false);
        if (lies[i].objects & OF_PROVIDER) check_lie(&lies[i], true);
    }
    check_case_done();
}

#endif
