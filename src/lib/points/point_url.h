/**
 * @file point_url.h
 * @brief The address of a question: a template with places for where, how many and of what kind.
 *
 *     https://example.org/nearest?lon={lon}&lat={lat}&limit={k}&type={category}
 *
 * Used by: settings, provider, cover, http.
 */
#ifndef SC_POINTS_POINT_URL_H
#define SC_POINTS_POINT_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <starcloak/err.h>

/** No template is longer, and no address made of one, bytes. */
enum { SC__URL_TEMPLATE_MAX = 2000, SC__URL_SIZE = 8192 };

/** Decimals of coordinates in an address: a centimetre on the globe. */
enum { SC__URL_DECIMALS = 7 };

/** The smallest step of a coordinate in an address. */
#define SC__URL_STEP 1e-7

/** What is put into a template. */
typedef struct sc__url_values {
    double x;
    double y;
    uint32_t k;
    const char *category;  ///< "" for all
} sc__url_values;

/**
 * Whether `url` is a template: http or https, with {lon}, {lat} and {k} behind the host. What is
 * put into the name of a host would be told to the whole way there (DNS).
 *
 * @param has_category  set: whether it has {category}
 * @return SC_OK, or SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc__url_check(const char *url, bool *has_category, sc_diag *diag);

/** A coordinate as an address will show it. */
double sc__url_rounded(double coordinate);

/**
 * Make the address. Letters of the category that mean something in addresses are escaped.
 *
 * @param out  of SC__URL_SIZE bytes
 * @return SC_OK, or SC_EREQUEST: the name of the category is too long
 */
SC_CHECKED sc_err sc__url_fill(const char *url, const sc__url_values *values, char *out,
                               sc_diag *diag);

#endif
