/**
 * @file conformance_internal.h
 * @brief What the checks of a provider share: cloaks, requests, sending, and the table of checks.
 *
 * A check returns an error only where it cannot go on (memory, threads); what it finds is in its
 * sc_finding, which says that the claim holds until sc__finding_fails() is called.
 */
#ifndef SC_CONFORMANCE_CONFORMANCE_INTERNAL_H
#define SC_CONFORMANCE_CONFORMANCE_INTERNAL_H

#include <starcloak/answer.h>

#include "base/rng.h"
#include "conformance/conformance.h"

/** Requests that each cloak is asked about. */
enum { SC__PROBE_REQUESTS = 6 };

typedef struct sc__probe_cloak {
    sc_seg_id *segments;  ///< one block with the border nodes
    size_t segment_count;
    sc_node_id *border_nodes;
    size_t border_node_count;
} sc__probe_cloak;

/** An object in a list, by what the provider calls it. */
typedef struct sc__probe_entry {
    uint64_t identity;  ///< a hash of its key
    double cost;
    double other;
} sc__probe_entry;

typedef struct sc__probe_list {
    sc__probe_entry *entries;
    size_t count;
    size_t capacity;
} sc__probe_list;

/** A provider that is being checked. */
typedef struct sc__probe {
    const sc_conformance_options *options;
    sc_codec codec;  ///< its encoding is the one being checked
    sc_rng rng;
    sc_filter *filter;
    sc_lbs *lbs;  ///< NULL: objects are not known

    sc__probe_cloak *cloaks;
    size_t cloak_count;
    sc_request requests[SC__PROBE_REQUESTS];
    size_t request_count;
    sc_category_id categories[2];  ///< two that there are words for; SC_NONE: fewer

    sc_reply *replies[2];  ///< by encoding, to each cloak with all requests
    bool has_replies[2];   ///< all of them came and could be read
    bool is_unread[2];     ///< the provider does not read this encoding: 415

    sc__probe_list left, right;  ///< being compared

    // Of refusals, for the check of problem documents.
    size_t refusals;
    char bad_problem[256];  ///< what was wrong with one; "" if nothing was
} sc__probe;

/** A check. Rows of two tables: answer_checks.c and refusal_checks.c. */
typedef struct sc__check {
    const char *name;
    const char *claim;
    const char *advice;
    sc_err (*run)(sc__probe *probe, sc_finding *finding);
    enum { SC__EITHER, SC__COMPACT_ONLY, SC__GEOJSON_ONLY } encodings;
} sc__check;

extern const sc__check sc__answer_checks[];
extern const size_t sc__answer_check_count;
extern const sc__check sc__refusal_checks[];
extern const size_t sc__refusal_check_count;

/** Whether both encodings gave the same; of both, so run at the end. */
sc_err sc__check_encodings_agree(sc__probe *probe, sc_finding *finding);

/** The claim does not hold; `format` says what was found. Returns SC_OK. */
sc_err sc__finding_fails(sc_finding *finding, const char *format, ...) SC_PRINTF(2, 3);

/** It cannot be said. Returns SC_OK. */
sc_err sc__finding_skips(sc_finding *finding, const char *format, ...) SC_PRINTF(2, 3);

// --- Cloaks and requests (probe_cloaks.c) -------------------------------------------------------

/** SC_OK, SC_EINVAL (no star), SC_ENOMEM. */
SC_CHECKED sc_err sc__probe_make_cloaks(sc__probe *probe, sc_diag *diag);
void sc__probe_free_cloaks(sc__probe *probe);

/** A cloak of these segments, ascending; released by sc__probe_cloak_fini(). */
SC_CHECKED sc_err sc__probe_cloak_init(const sc_map *map, const sc_seg_id *segments, size_t count,
                                       sc__probe_cloak *out);
void sc__probe_cloak_fini(sc__probe_cloak *cloak);

void sc__probe_make_requests(sc__probe *probe);

/** What is sent for a cloak; a view. */
sc_relay sc__probe_relay(const sc__probe *probe, const sc__probe_cloak *cloak,
                         const sc_request *requests, size_t count);

// --- Sending (probe_http.c) ---------------------------------------------------------------------

/** Zero-initialise; sc__probe_answer_fini() when done. */
typedef struct sc__probe_answer {
    long status;  ///< 0: none came, and `words` say why
    char type[128];
    sc_bytes body;
    char words[256];
} sc__probe_answer;

/** POST these bytes with that Content-Type. Any thread. */
void sc__probe_post(const sc__probe *probe, const char *type, const void *bytes, size_t size,
                    sc__probe_answer *answer);
void sc__probe_answer_fini(sc__probe_answer *answer);

/** "status 422: no such category", or why there is none. */
typedef struct sc__probe_words {
    char text[400];
} sc__probe_words;
sc__probe_words sc__probe_answer_words(const sc__probe_answer *answer);

/** The title of a problem document, "" if it is none. */
typedef struct sc__probe_title {
    char text[256];
} sc__probe_title;
sc__probe_title sc__probe_problem_title(const sc__probe_answer *answer);

/**
 * Ask about a relay and read the reply. What is wrong with it is a finding.
 *
 * @param reply  filled if the finding still is that all is well
 */
SC_CHECKED sc_err sc__probe_ask(sc__probe *probe, const sc_relay *relay, sc_reply *reply,
                                sc_finding *finding);

#endif
