// The description of our pages. See openapi.h.
#include "support/openapi.h"

#include "support/check.h"
#include "support/json_schema.h"

#include <stdio.h>

json_t *openapi_load(void)
{
    json_error_t error;
    json_t *document = json_load_file(SC_REPOSITORY "/src/service/api/openapi.json",
                                      JSON_REJECT_DUPLICATES, &error);
    if (!document) fail_msg("openapi.json, line %d: %s", error.line, error.text);
    return document;
}

const json_t *openapi_schema(const json_t *document, const char *name)
{
    const json_t *components = json_object_get(document, "components");
    const json_t *schema = json_object_get(json_object_get(components, "schemas"), name);
    if (!schema) fail_msg("openapi.json has no schema %s", name);
    return schema;
}

const json_t *openapi_response(const json_t *document, const char *method, const char *path,
                               int status)
{
    char small[16] = "";
    for (size_t i = 0; method[i] && i + 1 < sizeof small; i++) {
        small[i] = (char)(method[i] | 0x20);
    }
    char number[16];
    snprintf(number, sizeof number, "%d", status);
    const json_t *page = json_object_get(json_object_get(document, "paths"), path);
    const json_t *responses = json_object_get(json_object_get(page, small), "responses");
    const json_t *response = json_object_get(responses, number);
    const json_t *reference = json_object_get(response, "$ref");
    return reference ? json_schema_find(document, json_string_value(reference)) : response;
}

static void check_value(const json_t *document, const json_t *schema, const char *where,
                        const void *text, size_t size)
{
    json_error_t error;
    json_t *value = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (!value)
        fail_msg("%s: not JSON: %s: %.*s", where, error.text, (int)size, (const char *)text);
    schema_reason why = {""};
    if (json_schema_check(document, schema, value, &why) != SCHEMA_FITS) {
        fail_msg("%s: %s: %.*s", where, why.text, size < 500 ? (int)size : 500, (const char *)text);
    }
    json_decref(value);
}

void openapi_check_text(const json_t *document, const char *name, const void *text, size_t size)
{
    check_value(document, openapi_schema(document, name), name, text, size);
}

void openapi_check_response(const json_t *document, const char *method, const char *path,
                            int status, const char *media_type, const void *body, size_t size)
{
    char where[128];
    snprintf(where, sizeof where, "%s %s %d", method, path, status);
    const json_t *response = openapi_response(document, method, path, status);
    if (!response) fail_msg("%s: is not described", where);
    const json_t *content = json_object_get(response, "content");
    if (!content) {
        if (size > 0) fail_msg("%s: has a body", where);
        return;
    }
    char plain[64];
    snprintf(plain, sizeof plain, "%.*s", (int)strcspn(media_type, "; "), media_type);
    const json_t *media = json_object_get(content, plain);
    if (!media) fail_msg("%s: is not described as %s", where, plain);
    if (strstr(plain, "json")) {
        check_value(document, json_object_get(media, "schema"), where, body, size);
    }
}
