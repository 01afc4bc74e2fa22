// How to ask a provider that knows points only. See points_options.h.
#include "points_options.h"

#include <string.h>

#include "points/point_settings.h"
#include "values.h"

/** A millimetre: narrower spacings are mistakes, and would take points without end. */
#define SPACING_MIN_M 0.001
#define SPACING_MAX_M 1e9

/** A day. */
#define DEADLINE_MAX_S 86400.0

sc_points_options sc_points_options_default(void)
{
    return (sc_points_options){.options = sc_point_options_default()};
}

// --- Options ----------------------------------------------------------------

/** Take one of the options that say how to ask; NULL if `key` is none of them. */
static const char *take_detail(int key, char *argument, const struct argp_state *state,
                               sc_point_options *options)
{
    static const char *const distances[] = {
        [SC_POINT_STRAIGHT] = "straight", [SC_POINT_ROAD] = "road", [SC_POINT_ROAD + 1] = NULL};
    sc_diag diag = {.message = ""};
    switch (key) {
    case SC_KEY_POINT_DISTANCE:
        options->distance =
            (sc_point_distance)sc_value_word(state, "--point-distance", argument, distances);
        return "--point-distance";
    case SC_KEY_POINT_SPACING:
        options->spacing_m =
            sc_value_number(state, "--point-spacing", argument, SPACING_MIN_M, SPACING_MAX_M);
        return "--point-spacing";
    case SC_KEY_POINT_MAX_K:
        options->max_k = (uint32_t)sc_value_count(state, "--point-max-k", argument, 1, UINT32_MAX);
        return "--point-max-k";
    case SC_KEY_POINT_DEADLINE:
        options->deadline_s =
            sc_value_number(state, "--point-deadline", argument, 0.0, DEADLINE_MAX_S);
        return "--point-deadline";
    case SC_KEY_POINT_FIELDS:
        if (sc__point_fields_read(argument, options, &diag)) {
            sc_usage_error(state, "--point-fields: %s", diag.message);
        }
        return "--point-fields";
    default:
        return NULL;
    }
}

bool sc_points_option(int key, char *argument, const struct argp_state *state,
                      sc_points_options *options)
{
    if (key == SC_KEY_POINT_PROVIDER) {
        bool has_category = false;
        sc_diag diag = {.message = ""};
        if (sc__point_url_check(argument, &has_category, &diag)) {
            sc_usage_error(state, "--point-provider: %s", diag.message);
        }
        options->options.url = argument;
        return true;
    }
    const char *option = take_detail(key, argument, state, &options->options);
    if (option && !options->first_detail) options->first_detail = option;
    return option != NULL;
}

void sc_points_options_check(const struct argp_state *state, const sc_points_options *options)
{
    if (options->first_detail && !options->options.url) {
        sc_usage_error(state,
                       "%s is about a provider that knows points only, and none is asked for; add "
                       "--point-provider URL",
                       options->first_detail);
    }
    if (!options->options.url) return;
    // The URL and the numbers were looked at when they were given: what is left are the fields.
    sc__point_settings settings = {.texts = NULL};
    sc_diag diag = {.message = ""};
    if (sc__point_settings_init(&options->options, &settings, &diag) == SC_EINVAL) {
        sc_usage_error(state, "--point-fields: %s", diag.message);
    }
    sc__point_settings_fini(&settings);
}
