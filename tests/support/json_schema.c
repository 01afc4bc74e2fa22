// Checking values against schemas: the words, and how they are gone through. See json_schema.h.
//
// The words are a table: for each, how what it says is audited (json_schema_sound.c) and how a
// value is checked (json_schema_met.c).
#include "support/json_schema_internal.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/** No schema of ours is nested that deep, so one that is refers to itself. */
enum { MAX_DEPTH = 64 };

bool schema_say(schema_visit *v, const char *format, ...)
{
    if (!v->why) return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(v->why->text, sizeof v->why->text, format, arguments);
    va_end(arguments);
    return false;
}

const json_t *json_schema_find(const json_t *document, const char *pointer)
{
    if (strncmp(pointer, "#/", 2) != 0) return NULL;
    const json_t *at = document;
    for (const char *from = pointer + 2; at;) {
        const size_t size = strcspn(from, "/");
        // Names with a slash are written "~1", as paths of an OpenAPI document are.
        char name[128];
        size_t used = 0;
        for (size_t i = 0; i < size && used + 1 < sizeof name; i++) {
            const bool is_escape = from[i] == '~' && i + 1 < size;
            name[used++] = is_escape ? (from[i + 1] == '1' ? '/' : '~') : from[i];
            i += is_escape;
        }
        name[used] = '\0';
        at = json_object_get(at, name);
        if (from[size] == '\0') break;
        from += size + 1;
    }
    return at;
}

// --- The words -------------------------------------------------------------------------------

static const schema_word words[] = {
    {"type", schema_sound_type, schema_met_type},
    {"enum", schema_sound_list, schema_met_enum},
    {"const", schema_anything, schema_met_const},
    {"$ref", schema_sound_reference, schema_met_reference},
    {"oneOf", schema_sound_schemas, schema_met_one_of},
    {"anyOf", schema_sound_schemas, schema_met_any_of},
    {"allOf", schema_sound_schemas, schema_met_all_of},
    {"properties", schema_sound_members, schema_met_members},
    {"required", schema_sound_names, schema_met_required},
    {"additionalProperties", schema_sound_schema_or_false, schema_met_others},
    {"minProperties", schema_sound_count, schema_met_min_members},
    {"items", schema_sound_schema_or_false, schema_met_items},
    {"prefixItems", schema_sound_schemas, schema_met_first_items},
    {"minItems", schema_sound_count, schema_met_min_items},
    {"maxItems", schema_sound_count, schema_met_max_items},
    {"uniqueItems", schema_sound_flag, schema_met_unique},
    {"minimum", schema_sound_number, schema_met_minimum},
    {"exclusiveMinimum", schema_sound_number, schema_met_above},
    {"maximum", schema_sound_number, schema_met_maximum},
    {"minLength", schema_sound_count, schema_met_min_length},
    {"maxLength", schema_sound_count, schema_met_max_length},
    {"pattern", schema_sound_pattern, schema_met_pattern},
    {"title", schema_anything, schema_silent},
    {"description", schema_anything, schema_silent},
    {"examples", schema_anything, schema_silent},
    {"default", schema_anything, schema_silent},
};

static const schema_word *word_of(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i].name, name) == 0) return &words[i];
    }
    return NULL;
}

static bool audit_words(schema_visit *v, const json_t *schema)
{
    const char *name = NULL;
    json_t *said = NULL;
    json_object_foreach((json_t *)(uintptr_t)schema, name, said)
    {
        const schema_word *known = word_of(name);
        if (!known) return schema_say(v, "a word that is not known: %s", name);
        if (!known->is_sound(v, said)) return false;
    }
    return true;
}

bool schema_audit(schema_visit *v, const json_t *schema)
{
    if (!json_is_object(schema)) return schema_say(v, "a schema that is no object");
    if (v->depth == MAX_DEPTH) return schema_say(v, "a schema that refers to itself");
    v->depth++;
    const bool sound = audit_words(v, schema);
    v->depth--;
    return sound;
}

bool schema_fits(schema_visit *v, const json_t *schema, const json_t *value)
{
    const char *name = NULL;
    json_t *said = NULL;
    json_object_foreach((json_t *)(uintptr_t)schema, name, said)
    {
        if (!word_of(name)->is_met(v, schema, said, value)) return false;
    }
    return true;
}

schema_verdict json_schema_audit(const json_t *document, const json_t *schema, schema_reason *why)
{
    schema_visit v = {.document = document, .why = why};
    return schema_audit(&v, schema) ? SCHEMA_FITS : SCHEMA_NOT_UNDERSTOOD;
}

schema_verdict json_schema_check(const json_t *document, const json_t *schema, const json_t *value,
                                 schema_reason *why)
{
    schema_visit v = {.document = document, .why = why};
    if (!schema_audit(&v, schema)) return SCHEMA_NOT_UNDERSTOOD;
    return schema_fits(&v, schema, value) ? SCHEMA_FITS : SCHEMA_DIFFERS;
}
