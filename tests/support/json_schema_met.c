// Whether a value is as a schema says, word by word. See json_schema.h.
//
// What concerns a list or an object as a whole looks at the words beside it: items at prefixItems,
// additionalProperties at properties.
#include "support/json_schema_internal.h"

#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool schema_silent(schema_visit *v, const json_t *schema, const json_t *said, const json_t *value)
{
    (void)v;
    (void)schema;
    (void)said;
    (void)value;
    return true;
}

static bool is_of_type(const char *type, const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return strcmp(type, "object") == 0;
    case JSON_ARRAY:
        return strcmp(type, "array") == 0;
    case JSON_STRING:
        return strcmp(type, "string") == 0;
    case JSON_INTEGER:
        return strcmp(type, "integer") == 0 || strcmp(type, "number") == 0;
    case JSON_REAL: {
        // 10.0 is a whole number to JSON Schema; to jansson it is not.
        const double number = json_real_value(value);
        const bool is_whole =
            number > -9e15 && number < 9e15 && number == (double)(json_int_t)number;
        return strcmp(type, "number") == 0 || (is_whole && strcmp(type, "integer") == 0);
    }
    case JSON_TRUE:
    case JSON_FALSE:
        return strcmp(type, "boolean") == 0;
    default:
        return strcmp(type, "null") == 0;
    }
}

bool schema_met_type(schema_visit *v, const json_t *schema, const json_t *said, const json_t *value)
{
    (void)schema;
    if (json_is_string(said)) {
        return is_of_type(json_string_value(said), value)
                   ? true
                   : schema_say(v, "it is no %s", json_string_value(said));
    }
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (is_of_type(json_string_value(json_array_get(said, i)), value)) return true;
    }
    return schema_say(v, "it is of none of the types");
}

static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b)) return json_number_value(a) == json_number_value(b);
    return json_equal(a, b);
}

bool schema_met_const(schema_visit *v, const json_t *schema, const json_t *said,
                      const json_t *value)
{
    (void)schema;
    return is_same(said, value) ? true : schema_say(v, "it is another than the only one");
}

bool schema_met_enum(schema_visit *v, const json_t *schema, const json_t *said, const json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (is_same(json_array_get(said, i), value)) return true;
    }
    return schema_say(v, "it is none of the list");
}

bool schema_met_reference(schema_visit *v, const json_t *schema, const json_t *said,
                          const json_t *value)
{
    (void)schema;
    return schema_fits(v, json_schema_find(v->document, json_string_value(said)), value);
}

static size_t how_many(schema_visit *v, const json_t *schemas, const json_t *value)
{
    size_t count = 0;
    for (size_t i = 0; i < json_array_size(schemas); i++) {
        count += schema_fits(v, json_array_get(schemas, i), value);
    }
    return count;
}

bool schema_met_one_of(schema_visit *v, const json_t *schema, const json_t *said,
                       const json_t *value)
{
    (void)schema;
    // Of those that do not fit, the last one's reason stays: it says more than "none".
    const size_t count = how_many(v, said, value);
    return count == 1   ? true
           : count == 0 ? false
                        : schema_say(v, "it fits several, and only one may");
}

bool schema_met_any_of(schema_visit *v, const json_t *schema, const json_t *said,
                       const json_t *value)
{
    (void)schema;
    return how_many(v, said, value) > 0;
}

bool schema_met_all_of(schema_visit *v, const json_t *schema, const json_t *said,
                       const json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(said); i++) {
        if (!schema_fits(v, json_array_get(said, i), value)) return false;
    }
    return true;
}

bool schema_met_required(schema_visit *v, const json_t *schema, const json_t *said,
                         const json_t *value)
{
    (void)schema;
    for (size_t i = 0; json_is_object(value) && i < json_array_size(said); i++) {
        const char *name = json_string_value(json_array_get(said, i));
        if (!json_object_get(value, name)) return schema_say(v, "%s is missing", name);
    }
    return true;
}

// A reason from within, with the name of where it was.
static bool place_reason(schema_visit *v, const char *name)
{
    char inner[sizeof v->why->text];
    if (!v->why) return false;
    memcpy(inner, v->why->text, sizeof inner);
    return schema_say(v, "/%.60s%s%.180s", name, inner[0] == '/' ? "" : ": ", inner);
}

bool schema_met_members(schema_visit *v, const json_t *schema, const json_t *said,
                        const json_t *value)
{
    (void)schema;
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        const json_t *known = json_object_get(said, name);
        if (known && !schema_fits(v, known, member)) return place_reason(v, name);
    }
    return true;
}

bool schema_met_others(schema_visit *v, const json_t *schema, const json_t *said,
                       const json_t *value)
{
    const json_t *known = json_object_get(schema, "properties");
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        if (json_object_get(known, name)) continue;
        if (json_is_false(said)) return schema_say(v, "%s is not expected", name);
        if (!schema_fits(v, said, member)) return place_reason(v, name);
    }
    return true;
}

bool schema_met_min_members(schema_visit *v, const json_t *schema, const json_t *said,
                            const json_t *value)
{
    (void)schema;
    if (!json_is_object(value)) return true;
    return (json_int_t)json_object_size(value) >= json_integer_value(said)
               ? true
               : schema_say(v, "it has too few members");
}

static bool met_item(schema_visit *v, const json_t *schema, const json_t *value, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "%zu", i);
    return schema_fits(v, schema, json_array_get(value, i)) ? true : place_reason(v, name);
}

bool schema_met_items(schema_visit *v, const json_t *schema, const json_t *said,
                      const json_t *value)
{
    for (size_t i = json_array_size(json_object_get(schema, "prefixItems"));
         i < json_array_size(value); i++) {
        if (json_is_false(said)) return schema_say(v, "it has too many items");
        if (!met_item(v, said, value, i)) return false;
    }
    return true;
}

bool schema_met_first_items(schema_visit *v, const json_t *schema, const json_t *said,
                            const json_t *value)
{
    (void)schema;
    for (size_t i = 0; i < json_array_size(said) && i < json_array_size(value); i++) {
        if (!met_item(v, json_array_get(said, i), value, i)) return false;
    }
    return true;
}

bool schema_met_min_items(schema_visit *v, const json_t *schema, const json_t *said,
                          const json_t *value)
{
    (void)schema;
    if (!json_is_array(value)) return true;
    return (json_int_t)json_array_size(value) >= json_integer_value(said)
               ? true
               : schema_say(v, "it has too few items");
}

bool schema_met_max_items(schema_visit *v, const json_t *schema, const json_t *said,
                          const json_t *value)
{
    (void)schema;
    if (!json_is_array(value)) return true;
    return (json_int_t)json_array_size(value) <= json_integer_value(said)
               ? true
               : schema_say(v, "it has too many items");
}

bool schema_met_unique(schema_visit *v, const json_t *schema, const json_t *said,
                       const json_t *value)
{
    (void)schema;
    for (size_t i = 0; json_is_true(said) && i < json_array_size(value); i++) {
        for (size_t j = 0; j < i; j++) {
            if (is_same(json_array_get(value, i), json_array_get(value, j))) {
                return schema_say(v, "it has an item twice");
            }
        }
    }
    return true;
}

bool schema_met_minimum(schema_visit *v, const json_t *schema, const json_t *said,
                        const json_t *value)
{
    (void)schema;
    if (!json_is_number(value) || json_number_value(value) >= json_number_value(said)) return true;
    return schema_say(v, "it is too small");
}

bool schema_met_above(schema_visit *v, const json_t *schema, const json_t *said,
                      const json_t *value)
{
    (void)schema;
    if (!json_is_number(value) || json_number_value(value) > json_number_value(said)) return true;
    return schema_say(v, "it is too small");
}

bool schema_met_maximum(schema_visit *v, const json_t *schema, const json_t *said,
                        const json_t *value)
{
    (void)schema;
    if (!json_is_number(value) || json_number_value(value) <= json_number_value(said)) return true;
    return schema_say(v, "it is too large");
}

// In characters, not bytes; jansson has made sure that it is UTF-8.
static json_int_t text_length(const json_t *value)
{
    json_int_t length = 0;
    for (const char *c = json_string_value(value); *c; c++) {
        length += ((unsigned char)*c & 0xc0) != 0x80;
    }
    return length;
}

bool schema_met_min_length(schema_visit *v, const json_t *schema, const json_t *said,
                           const json_t *value)
{
    (void)schema;
    if (!json_is_string(value) || text_length(value) >= json_integer_value(said)) return true;
    return schema_say(v, "it is too short");
}

bool schema_met_max_length(schema_visit *v, const json_t *schema, const json_t *said,
                           const json_t *value)
{
    (void)schema;
    if (!json_is_string(value) || text_length(value) <= json_integer_value(said)) return true;
    return schema_say(v, "it is too long");
}

bool schema_met_pattern(schema_visit *v, const json_t *schema, const json_t *said,
                        const json_t *value)
{
    (void)schema;
    if (!json_is_string(value)) return true;
    regex_t regex;
    if (regcomp(&regex, json_string_value(said), REG_EXTENDED | REG_NOSUB) != 0) return false;
    const bool found = regexec(&regex, json_string_value(value), 0, NULL, 0) == 0;
    regfree(&regex);
    return found ? true : schema_say(v, "it does not match %s", json_string_value(said));
}
