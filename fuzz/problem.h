/**
 * @file problem.h
 * @brief What fuzzers of requests ask of a refusal.
 */
#ifndef SC_FUZZ_PROBLEM_H
#define SC_FUZZ_PROBLEM_H

#include "door.h"

#include "api/problem_details.h"

#include <jansson.h>

/** It says why in one printable line, names its field by a pointer, and is JSON when it is sent. */
static inline void door_check_problem(const sc_problem *problem)
{
    DOOR_PROMISE(problem->detail[0] != '\0', "a refusal says why");
    DOOR_PROMISE(problem->kind != SC_PROBLEM_OVERLOADED, "a small input does not take all memory");
    for (const char *c = problem->detail; *c; c++) {
        DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "in words that can be printed");
    }
    DOOR_PROMISE(!problem->field || problem->field[0] == '/', "a field is a pointer");
    char text[2048];
    const size_t size = sc_problem_write(problem, text, sizeof text);
    json_t *json = json_loadb(text, size, JSON_REJECT_DUPLICATES, NULL);
    DOOR_PROMISE(json, "a refusal is sent as JSON");
    json_decref(json);
}

#endif
