/**
 * @file json_schema_internal.h
 * @brief What the parts of the schema checker share: a visit, and the words that are known.
 *
 * For: json_schema*.c.
 */
#ifndef SC_TESTS_SUPPORT_JSON_SCHEMA_INTERNAL_H
#define SC_TESTS_SUPPORT_JSON_SCHEMA_INTERNAL_H

#include <stdbool.h>

#include "support/json_schema.h"

/** One check, from the first word to the last. */
typedef struct schema_visit {
    const json_t *document;
    schema_reason *why;
    unsigned depth;
} schema_visit;

/** A word of JSON Schema. */
typedef struct schema_word {
    const char *name;
    /** Whether what is said with it makes sense, all schemas in it included. */
    bool (*is_sound)(schema_visit *v, const json_t *said);
    /** Whether a value is as the word says. */
    bool (*is_met)(schema_visit *v, const json_t *schema, const json_t *said, const json_t *value);
} schema_word;

/** Say why not; returns false. */
__attribute__((format(printf, 2, 3))) bool schema_say(schema_visit *v, const char *format, ...);

/** Every word of the schema is known, and makes sense. */
bool schema_audit(schema_visit *v, const json_t *schema);

/** The value fits; the schema has been audited. */
bool schema_fits(schema_visit *v, const json_t *schema, const json_t *value);

#define SCHEMA_SOUND(name) bool name(schema_visit *v, const json_t *said)
#define SCHEMA_MET(name) \
    bool name(schema_visit *v, const json_t *schema, const json_t *said, const json_t *value)

// json_schema_sound.c
SCHEMA_SOUND(schema_anything);
SCHEMA_SOUND(schema_sound_count);
SCHEMA_SOUND(schema_sound_flag);
SCHEMA_SOUND(schema_sound_list);
SCHEMA_SOUND(schema_sound_members);
SCHEMA_SOUND(schema_sound_names);
SCHEMA_SOUND(schema_sound_number);
SCHEMA_SOUND(schema_sound_pattern);
SCHEMA_SOUND(schema_sound_reference);
SCHEMA_SOUND(schema_sound_schema_or_false);
SCHEMA_SOUND(schema_sound_schemas);
SCHEMA_SOUND(schema_sound_type);

// json_schema_met.c
SCHEMA_MET(schema_met_above);
SCHEMA_MET(schema_met_all_of);
SCHEMA_MET(schema_met_any_of);
SCHEMA_MET(schema_met_const);
SCHEMA_MET(schema_met_enum);
SCHEMA_MET(schema_met_first_items);
SCHEMA_MET(schema_met_items);
SCHEMA_MET(schema_met_max_items);
SCHEMA_MET(schema_met_max_length);
SCHEMA_MET(schema_met_maximum);
SCHEMA_MET(schema_met_members);
SCHEMA_MET(schema_met_min_items);
SCHEMA_MET(schema_met_min_length);
SCHEMA_MET(schema_met_min_members);
SCHEMA_MET(schema_met_minimum);
SCHEMA_MET(schema_met_one_of);
SCHEMA_MET(schema_met_others);
SCHEMA_MET(schema_met_pattern);
SCHEMA_MET(schema_met_reference);
SCHEMA_MET(schema_met_required);
SCHEMA_MET(schema_met_type);
SCHEMA_MET(schema_met_unique);
SCHEMA_MET(schema_silent);

#undef SCHEMA_SOUND
#undef SCHEMA_MET

#endif
