/**
 * @file problem.h
 * @brief What a provider says that did not answer: the title of its problem document, made safe.
 *
 * Used by: post.
 */
#ifndef SC_COURIER_PROBLEM_H
#define SC_COURIER_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

/** No title that is shown is longer. */
enum { SC__TITLE_SIZE = 200 };

/** A stranger's sentence: short, and of printable ASCII letters alone. */
typedef struct sc__title {
    char text[SC__TITLE_SIZE];  ///< "" if there is none
} sc__title;

/**
 * The `title` of an RFC 9457 document.
 *
 * @param type  its media type, may be NULL; of another than application/problem+json nothing is
 *              shown
 */
sc__title sc__problem_title(const char *type, const void *body, size_t size);

/** Whether a Content-Type is this media type, whatever its parameters are. */
bool sc__is_media_type(const char *type, const char *wanted);

#endif
