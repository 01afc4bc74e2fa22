/**
 * @file point_settings.h
 * @brief What an adapter was told, checked and kept: its own copy of sc_point_options.
 *
 * Used by: everything in points; options that are read before there is a map.
 */
#ifndef SC_POINTS_POINT_SETTINGS_H
#define SC_POINTS_POINT_SETTINGS_H

#include <starcloak/point_provider.h>

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
