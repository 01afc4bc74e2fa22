/**
 * @file point_settings.h
 * @brief The settings of a provider of points, from a file or from sc_point_options: how it is
 * asked at a point, beside what all providers have in common (provider_file.h).
 */
#ifndef SC_POINTS_POINT_SETTINGS_H
#define SC_POINTS_POINT_SETTINGS_H

#include <starcloak/point_provider.h>

#include "adapter/provider_file.h"
#include "net/http_pace.h"

/** What a template may have places for, as {lon}. */
typedef enum sc__point_place {
    SC__POINT_LON,
    SC__POINT_LAT,
    SC__POINT_K,
    SC__POINT_CATEGORY,
    SC__POINT_RADIUS,
    SC__POINT_KEY,
    SC__POINT_PLACE_COUNT
} sc__point_place;

struct sc_point_settings {
    sc_adapter_settings common;  ///< the first member
    sc_texts distance;           ///< where distances are in a reply; none: they are measured here

    // As the file has them; `options` is what counts once all is read.
    unsigned measure;
    double spacing_m;
    double radius_m;
    uint64_t max_k;
    uint64_t max_points;

    sc_point_options options;  ///< its texts are NULL
    sc_http_pace *pace;        ///< of all who ask by these settings
};

/** Read `input`; what it says is checked. */
SC_CHECKED sc_err sc__point_settings_read(const sc_input *input, sc_point_settings **out,
                                          sc_diag *diag);

/**
 * Where things are in an answer, as people write it for an option of the program:
 * "lon=geometry.coordinates.0,name=". Cut in place: the options' fields point into `text` then.
 *
 * @return SC_OK, SC_EINVAL with a reason
 */
SC_CHECKED sc_err sc__point_fields_read(char *text, sc_point_options *options, sc_diag *diag);

// --- Questions ----------------------------------------------------------------------------------

/** What is asked at a point. */
typedef struct sc__point_question {
    double x;
    double y;
    uint32_t k;
    const char *category;  ///< ours; NULL: all of them
} sc__point_question;

/** The address and the body of a question, as sc_adapter_fill(). */
SC_CHECKED sc_err sc__point_question_fill(const sc_point_settings *settings,
                                          const sc__point_question *question, sc_bytes *url,
                                          sc_bytes *body, sc_diag *diag);

// --- Presets ------------------------------------------------------------------------------------

/** The text of a preset, or NULL. */
const char *sc__point_preset(const char *name);

/** Their names, for messages. */
#define SC__POINT_PRESETS "foursquare, google-nearby"

#endif
