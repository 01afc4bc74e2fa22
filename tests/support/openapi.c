// The description of our pages. See openapi.h.
#include "support/openapi.h"

#include "support/check.h"
#include "support/json_schema.h"

#include <stdint.h>
#include <stdio.h>

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *document = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    if (!document) fail_msg("%s, line %d: %s", path, error.line, error.text);
    return document;
}

json_t *openapi_load(void)
{
    return load(SC_REPOSITORY "/src/service/api/openapi.json");
}

/** References into the service's document become references into the one they are added to. */
static void bring_home(json_t *value)
{
    static const char there[] = "../service/api/openapi.json";
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach(value, name, member)
    {
        const char *text = json_string_value(member);
        if (text && strcmp(name, "$ref") == 0 && strncmp(text, there, sizeof there - 1) == 0) {
            json_object_set_new(value, name, json_string(text + sizeof there - 1));
        } else {
            bring_home(member);
        }
    }
    for (size_t i = 0; i < json_array_size(value); i++) {
        bring_home(json_array_get(value, i));
    }
}

/** Nothing is described twice. */
static void add_all(json_t *to, const json_t *from)
{
    const char *name = NULL;
    json_t *member = NULL;
    json_object_foreach((json_t *)(uintptr_t)from, name, member)
    {
        if (json_object_get(to, name)) fail_msg("%s is described twice", name);
        json_object_set(to, name, member);
    }
}

json_t *openapi_load_demo(void)
{
    json_t *document = openapi_load();
    json_t *demo = load(SC_REPOSITORY "/src/demo/openapi_demo.json");
    bring_home(demo);
    add_all(json_object_get(document, "paths"), json_object_get(demo, "paths"));
    add_all(json_object_get(json_object_get(document, "components"), "schemas"),
            json_object_get(json_object_get(demo, "components"), "schemas"));
    json_decref(demo);
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
