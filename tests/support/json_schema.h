/**
 * @file json_schema.h
 * @brief Whether a JSON value fits a schema: the part of JSON Schema 2020-12 that our documents
 * use.
 *
 * A word that is not known here is never passed over. Before a value is looked at, the whole schema
 * is read, with all that it refers to, and an unknown word anywhere in it is an answer of its own:
 * so that nothing goes unchecked because no value happened to lead there.
 *
 *     type (one or a list)  enum  const  $ref (within the document)  oneOf  anyOf  allOf
 *     properties  required  additionalProperties (false or a schema)  minProperties
 *     items  prefixItems  minItems  maxItems  uniqueItems
 *     minimum  maximum  exclusiveMinimum  minLength  maxLength  pattern
 *     title  description  examples  default  (say nothing about values)
 */
#ifndef SC_TESTS_SUPPORT_JSON_SCHEMA_H
#define SC_TESTS_SUPPORT_JSON_SCHEMA_H

#include <jansson.h>

typedef enum schema_verdict {
    SCHEMA_FITS,
    SCHEMA_DIFFERS,         ///< the value is not such a one
    SCHEMA_NOT_UNDERSTOOD,  ///< the schema has a word that is not known, or is none
} schema_verdict;

/** Why not: the place, in the value or in the schema, and the word. */
typedef struct schema_reason {
    char text[256];
} schema_reason;

/**
 * @param document  where "#/..." begins
 * @param why       filled unless it fits; may be NULL
 */
schema_verdict json_schema_check(const json_t *document, const json_t *schema, const json_t *value,
                                 schema_reason *why);

/** Only the first half: whether every word of the schema is known. */
schema_verdict json_schema_audit(const json_t *document, const json_t *schema, schema_reason *why);

/** What "#/a/b" points at in the document, or NULL. */
const json_t *json_schema_find(const json_t *document, const char *pointer);

#endif
