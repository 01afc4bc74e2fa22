/**
 * @file reply_checks.h
 * @brief What a reply to a query says, and whether it may say so.
 *
 * The judge knows the service by its description (/openapi.json) and by the promises it makes, and
 * shares no code with it, so that one mistake cannot hide another.
 *
 */
#ifndef SC_DEMO_LOADGEN_REPLY_CHECKS_H
#define SC_DEMO_LOADGEN_REPLY_CHECKS_H

#include <starcloak/query.h>

#include "demo/loadgen/http_response.h"
#include "demo/loadgen/loadgen.h"

/** Room for the objects of an answer. */
enum { SC_REPLY_OBJECTS = 1024 };

typedef struct sc_reply_check {
    sc_load_end end;
    char word[40];  ///< why: "expired", "rate"; "" of an answer. Letters, digits and dashes only
    bool is_violated;
    sc_violation violation;
    char remark[160];  ///< in words, if it is

    // Of an answer.
    char cloak[24];  ///< the id of its cloak, 16 hexadecimal digits; "" if it has none
    double wait_s;
    uint64_t users;
    uint64_t segments;
    size_t object_count;
    double distances_m[SC_REPLY_OBJECTS];
    uint64_t marks[SC_REPLY_OBJECTS];  ///< sc_object_digest() of what is told of each
} sc_reply_check;

/** What is told of an object in one number: other texts, another number (all but certainly). */
uint64_t sc_object_digest(const char *id, const char *category, const char *name);

/**
 * Judge a whole reply.
 *
 * @param needs    what was asked for
 * @param nearest  how many objects were asked for
 * @return SC_OK, SC_ENOMEM
 */
SC_CHECKED sc_err sc_reply_check_read(const sc_response *response, const sc_profile *needs,
                                      uint32_t nearest, sc_reply_check *out);

/**
 * The same at a known_form, for when asking must cost little: if a reply has the very form that the
 * service gives it, its numbers are read off and held against the needs, and its objects are not
 * looked at. Any other is judged as above.
 */
SC_CHECKED sc_err sc_reply_check_read_quickly(const sc_response *response, const sc_profile *needs,
                                              uint32_t nearest, sc_reply_check *out);

// === What a thorough look at a reply and a known_form at it share
// ===================================
//     judge.c   word by word, through a parser
//     known_form.c  the very form that the service gives its replies

enum { SC__CLOAK_ID_DIGITS = 16 };

/** A check that nothing is known for. */
void clear_check(sc_reply_check *out);

/** Take these bytes as the id of the cloak; false if they are none. */
bool take_cloak_id(sc_reply_check *out, const char *id, size_t size);

/** Hold the numbers of an answer against what was asked for. */
void check_promises(sc_reply_check *out, const sc_profile *needs);

#endif
