/**
 * @file area_question.h
 * @brief Addresses and bodies of questions for a box.
 */
#ifndef SC_AREAS_AREA_QUESTION_H
#define SC_AREAS_AREA_QUESTION_H

#include "areas/area_settings.h"

/** A box: degrees, or the units of a plane. */
typedef struct sc__area_box {
    double west;
    double south;
    double east;
    double north;
} sc__area_box;

/** What is asked. */
typedef struct sc__area_question {
    sc__area_box box;
    const char *const *categories;  ///< ours; none: all of them
    size_t category_count;
    uint64_t offset;
    const char *cursor;  ///< "" for the first page
} sc__area_question;

/**
 * The address and the body of a question, as sc_adapter_fill().
 *
 * @param url   NULL: it is not needed
 */
SC_CHECKED sc_err sc__area_question_fill(const sc_area_settings *settings,
                                         const sc__area_question *question, sc_bytes *url,
                                         sc_bytes *body, sc_diag *diag);

/** Whether an address leads to the scheme, host and port of another; if so it is made whole. NULL
 * otherwise, or when memory is out; free with curl_free(). */
char *sc__area_next_address(const char *base, const char *next);

#endif
