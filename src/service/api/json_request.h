/**
 * @file json_request.h
 * @brief JSON bodies of requests: reading members of a known shape, with a problem that names the
 * field.
 *
 * The members of an object are in a table, so that unknown and repeated members are refused in one
 * place. Every function returns false if the text is refused; the problem is filled then, and never
 * repeats a value.
 */
#ifndef SC_API_JSON_REQUEST_H
#define SC_API_JSON_REQUEST_H

#include "api/problem_details.h"
#include "base/json_pull.h"

typedef struct sc_json_reader {
    sc_json_pull json;
    sc_problem *problem;
} sc_json_reader;

typedef struct sc_json_field {
    const char *name;
    const char *pointer;  ///< "/profile/k"
} sc_json_field;

/** An object that may be written. */
typedef struct sc_json_shape {
    const char *pointer;  ///< of the object itself; NULL: it is the whole text
    const char *words;    ///< its members, for messages
    const sc_json_field *fields;
    unsigned count;  ///< at most 32
    /** Reads the value of fields[which]. */
    bool (*read)(void *context, unsigned which);
} sc_json_shape;

/** Read an object; `*seen` gets bit i if fields[i] is there. `context` is for shape->read(). */
bool sc_json_read_object(sc_json_reader *reader, const sc_json_shape *shape, void *context,
                         unsigned *seen);

bool sc_json_read_number(sc_json_reader *reader, const char *pointer, double *out);

/** A whole number that fits; `kind` is the problem if it is another number. */
bool sc_json_read_whole(sc_json_reader *reader, sc_problem_kind kind, const char *pointer,
                        uint32_t *out);

/** @param wanted  what must stand there, in words: "a string" */
bool sc_json_read_string(sc_json_reader *reader, const char *pointer, const char *wanted,
                         sc_json_raw *out);

/** The text is not JSON: which byte, and why. */
bool sc_json_refuse_text(sc_json_reader *reader);

/** Another kind of value stands there. */
bool sc_json_refuse_kind(sc_json_reader *reader, const char *pointer, const char *wanted);

/** Nothing stands there. */
bool sc_json_refuse_missing(sc_json_reader *reader, const char *pointer);

/** Whether Content-Type is application/json; if not, `problem` is filled. */
bool sc_json_request_check_type(const sc_http_request *request, sc_problem *problem);

#endif
