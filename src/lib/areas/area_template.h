/**
 * @file area_template.h
 * @brief Addresses and bodies of questions, made from templates with places as {west}.
 */
#ifndef SC_AREAS_AREA_TEMPLATE_H
#define SC_AREAS_AREA_TEMPLATE_H

#include <starcloak/bytes.h>

#include "areas/area_settings.h"

/**
 * Whether `url` can be asked: http or https, a host, no places in its name, and no place that is
 * not known. What is put into the name of a host would be visible on the whole way there (DNS).
 *
 * @param found  set for each place that it has; others are left
 * @return SC_OK, or SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc__area_url_check(const char *url, bool found[SC__AREA_PLACE_COUNT],
                                     sc_diag *diag);

/** Whether two URLs begin with the same scheme, host and port, written alike but for the case. */
bool sc__area_url_same_origin(const char *a, const char *b);

/** The same of a body, in which brackets that hold no known place are text: it may be JSON. */
SC_CHECKED sc_err sc__area_body_check(const char *body, bool found[SC__AREA_PLACE_COUNT],
                                      sc_diag *diag);

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
 * The address of a question, ended by NUL; appended to `out`.
 *
 * @return SC_OK, SC_EREQUEST (a word that a body cannot have), SC_ENOMEM
 */
SC_CHECKED sc_err sc__area_url_fill(const sc_area_settings *settings,
                                    const sc__area_question *question, sc_bytes *out,
                                    sc_diag *diag);

/** Its body, likewise; there must be one. */
SC_CHECKED sc_err sc__area_body_fill(const sc_area_settings *settings,
                                     const sc__area_question *question, sc_bytes *out,
                                     sc_diag *diag);

/** A coordinate as questions have it: seven decimals. */
double sc__area_rounded(double coordinate);

#endif
