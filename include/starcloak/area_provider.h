/**
 * @file area_provider.h
 * @brief Providers that can list what is in a box: nearly every source of places, over HTTP.
 *
 * How such a provider is asked, and where things are in its replies, is in a file
 * (docs/area-provider.md).
 *
 * In libstarcloak-io.
 */
#ifndef STARCLOAK_AREA_PROVIDER_H
#define STARCLOAK_AREA_PROVIDER_H

#include <starcloak/err.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How a provider is asked. Read once, then by any thread; it may hold secrets, which are wiped. */
typedef struct sc_area_settings sc_area_settings;

/**
 * Read settings from an INI file.
 *
 * @return SC_OK, SC_EIO (no such file), SC_EPARSE or SC_EINVAL with the file, the line and the
 *         reason, SC_ELIMIT, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_area_settings_read(const char *path, sc_area_settings **out,
                                               sc_diag *diag);

/** NULL is fine. */
SC_API void sc_area_settings_free(sc_area_settings *settings);

#ifdef __cplusplus
}
#endif
#endif
