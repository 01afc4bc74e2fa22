/**
 * @file attack_json.h
 * @brief Attacks as JSON: requests, which are untrusted, and results.
 *
 *     {"method": "basic", "segments": [3, 4, 9], "members": [{"k": 5, "l": 3, "max_hops": 4}, ...]}
 *     {"method": "expansion", "queries": [{"segment": 3, "k": 5, "l": 3, "max_hops": 4}, ...]}
 *
 * Unknown members, members that stand twice, segments that stand twice and numbers out of range are
 * refused with the field's name. Segments may come in any order. docs/ui.md has the words.
 */
#ifndef SC_DEMO_ATTACK_JSON_H
#define SC_DEMO_ATTACK_JSON_H

#include <starcloak/relay_codec.h>

#include "api/problem_details.h"
#include "demo/attack_on_demand.h"

/** Needs beyond these are refused. Hops because between two steps of an engine alone it is looked
 * whether an attack has taken long enough, and a step that reaches the whole of a large map takes
 * seconds; policies allow 16 hops by default. */
enum { SC_ATTACK_REQUEST_NEED_MAX = 1000000, SC_ATTACK_REQUEST_HOPS_MAX = 64 };

/** Room for the field of a problem that is in an array: "/queries/63/max_hops". */
typedef struct sc_attack_field {
    char text[40];
} sc_attack_field;

/**
 * @param segment_count  of the map, at least 1: the segments that may be named
 * @param standard       the method, if none is named
 * @param field          where the problem's field may lie
 * @param problem        filled if it is refused
 * @return an attack that can be submitted, the caller's; NULL: it is refused
 */
sc_attack_request *sc_attack_read(const char *body, size_t size, uint32_t segment_count,
                                  sc_variant standard, sc_attack_field *field, sc_problem *problem);

/** What came of an attack whose `err` is SC_OK. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_attack_write(const sc_attack_request *attack, sc_bytes *out);

#endif
