/**
 * @file json_pointer.h
 * @brief JSON pointers, as RFC 6901 has them: "/properties/name", "/coordinates/0", "".
 */
#ifndef SC_BASE_JSON_POINTER_H
#define SC_BASE_JSON_POINTER_H

#include "base/json_tree.h"

/** Whether it is one: empty, or '/' first; '~' only in "~0" and "~1". */
bool sc_json_pointer_is_sound(const char *pointer);

/** What a sound pointer leads to in `value`; NULL if there is nothing, or null. */
const sc_json_value *sc_json_pointer_follow(const sc_json_value *value, const char *pointer);

#endif
