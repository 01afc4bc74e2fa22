// Whether what a schema says makes sense, word by word. See json_schema.h.
#include "support/json_schema_internal.h"

#include <regex.h>
#include <stdint.h>
#include <string.h>

bool schema_anything(schema_visit *v, const json_t *said)
{
    (void)v;
    (void)said;
    return true;
}

bool schema_sound_count(schema_visit *v, const json_t *said)
{
    if (json_is_integer(said) && json_integer_value(said) >= 0) return true;
    return schema_say(v, "a count that is none");
}

bool schema_sound_number(schema_visit *v, const json_t *said)
{
    return json_is_number(said) ? true : schema_say(v, "a limit that is no number");
}

bool schema_sound_flag(schema_visit *v, const json_t *said)
{
    return json_is_boolean(said) ? true : schema_say(v, "neither true nor false");
}

bool schema_sound_list(schema_visit *v, const json_t *said)
{
    return json_array_size(said) > 0 ? true : schema_say(v, "an empty list");
}

bool schema_sound_names(schema_visit *v, const json_t *said)
{
    if (!json_is_array(said)) return schema_say(v, "required is no list");
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (!json_is_string(json_array_get(said, i))) return schema_say(v, "required has no names");
    }
    return true;
}

static bool is_type_name(const json_t *said)
{
    static const char *const names[] = {"object",  "array",   "string", "number",
                                        "integer", "boolean", "null"};
    for (size_t i = 0; json_is_string(said) && i < sizeof names / sizeof *names; i++) {
        if (strcmp(json_string_value(said), names[i]) == 0) return true;
    }
    return false;
}

bool schema_sound_type(schema_visit *v, const json_t *said)
{
    if (is_type_name(said)) return true;
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (!is_type_name(json_array_get(said, i)))
            return schema_say(v, "a type that is not known");
    }
    return json_array_size(said) > 0 ? true : schema_say(v, "a type that is not known");
}

bool schema_sound_pattern(schema_visit *v, const json_t *said)
{
    regex_t regex;
    if (!json_is_string(said) ||
        regcomp(&regex, json_string_value(said), REG_EXTENDED | REG_NOSUB) != 0) {
        return schema_say(v, "a pattern that is none");
    }
    regfree(&regex);
    return true;
}

bool schema_sound_schema_or_false(schema_visit *v, const json_t *said)
{
    return json_is_false(said) || schema_audit(v, said);
}

bool schema_sound_schemas(schema_visit *v, const json_t *said)
{
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (!schema_audit(v, json_array_get(said, i))) return false;
    }
    return schema_sound_list(v, said);
}

bool schema_sound_members(schema_visit *v, const json_t *said)
{
    if (!json_is_object(said)) return schema_say(v, "properties is no object");
    const char *name = NULL;
    json_t *schema = NULL;
    json_object_foreach((json_t *)(uintptr_t)said, name, schema)
    {
        if (!schema_audit(v, schema)) return false;
    }
    return true;
}

bool schema_sound_reference(schema_visit *v, const json_t *said)
{
    const char *pointer = json_string_value(said);
    const json_t *found = pointer ? json_schema_find(v->document, pointer) : NULL;
    if (!found) return schema_say(v, "nothing is at %s", pointer ? pointer : "a reference");
    return schema_audit(v, found);
}
