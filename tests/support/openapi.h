/**
 * @file openapi.h
 * @brief The description of our pages, and whether something that was said fits it.
 *
 * The document is src/service/api/openapi.json; a test fails with a sentence if what it checks is
 * not described there.
 */
#ifndef SC_TESTS_SUPPORT_OPENAPI_H
#define SC_TESTS_SUPPORT_OPENAPI_H

#include <jansson.h>
#include <stddef.h>

/** The document; release with json_decref(). */
json_t *openapi_load(void);

/** The same with the demo's pages and schemas (src/demo/openapi_demo.json) added. */
json_t *openapi_load_demo(void);

/** The schema of that name among the document's components. Lent. */
const json_t *openapi_schema(const json_t *document, const char *name);

/** One response, references followed; NULL if the page does not answer so. Lent. */
const json_t *openapi_response(const json_t *document, const char *method, const char *path,
                               int status);

/** `text` is JSON, no member stands in it twice, and it fits the schema of that name. */
void openapi_check_text(const json_t *document, const char *name, const void *text, size_t size);

/** A response is described: status, media type (parameters aside), and the body if it is JSON. */
void openapi_check_response(const json_t *document, const char *method, const char *path,
                            int status, const char *media_type, const void *body, size_t size);

#endif
