/**
 * @file point_settings.h
 * @brief Settings of a provider of points: a checked copy of sc_point_options, and its URL
 * template.
 */
#ifndef SC_POINTS_POINT_SETTINGS_H
#define SC_POINTS_POINT_SETTINGS_H

#include <starcloak/err.h>
#include <starcloak/point_provider.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// === The URL of a question ======================================================================
// A template with places for the position, the number of objects and their category:
//
//     https://example.org/nearest?lon={lon}&lat={lat}&limit={k}&type={category}

/** No template is longer, and no address made of one, bytes. */
enum { SC__POINT_URL_TEMPLATE_MAX = 2000, SC__POINT_URL_SIZE = 8192 };

/** Decimals of coordinates in an address: a centimetre on the globe. */
enum { SC__POINT_URL_DECIMALS = 7 };

/** The smallest step of a coordinate in an address. */
#define SC__POINT_URL_STEP 1e-7

/** What is put into a template. */
typedef struct sc__point_url_values {
    double x;
    double y;
    uint32_t k;
    const char *category;  ///< "" for all
} sc__point_url_values;

/**
 * Whether `url` is a template: http or https, with {lon}, {lat} and {k} behind the host. What is
 * put into the name of a host would be visible on the whole way there (DNS).
 *
 * @param has_category  set: whether it has {category}
 * @return SC_OK, or SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc__point_url_check(const char *url, bool *has_category, sc_diag *diag);

/** A coordinate as an address will show it. */
double sc__point_url_rounded(double coordinate);

/**
 * Make the address. Letters of the category that mean something in addresses are escaped.
 *
 * @param out  of SC__POINT_URL_SIZE bytes
 * @return SC_OK, or SC_EREQUEST: the name of the category is too long
 */
SC_CHECKED sc_err sc__point_url_fill(const char *url, const sc__point_url_values *values, char *out,
                                     sc_diag *diag);

// === Settings ===================================================================================

typedef struct sc__point_settings {
    sc_point_options options;  ///< its texts point into `texts`; no empty ones but list_field
    char *texts;
    bool has_category;  ///< whether the URL has a place for one
} sc__point_settings;

/**
 * Check `options` and copy them.
 *
 * @param out  set on success; release with sc__point_settings_fini()
 * @return SC_OK, SC_EINVAL with a reason, SC_ENOMEM
 */
SC_CHECKED sc_err sc__point_settings_init(const sc_point_options *options, sc__point_settings *out,
                                          sc_diag *diag);

/**
 * Where things are in an answer, as people write it: "lon=geometry.coordinates.0,name=". Cut in
 * place: the options' fields point into `text` then.
 *
 * @return SC_OK, SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc__point_fields_read(char *text, sc_point_options *options, sc_diag *diag);

/** Harmless twice. */
void sc__point_settings_fini(sc__point_settings *settings);

#endif
