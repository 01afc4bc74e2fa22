/**
 * @file point_provider.h
 * @brief Providers that know nothing of cloaks: "the k nearest to this point", over HTTP.
 *
 * The adapter asks such a provider at points that depend on the cloak alone: the ends of
 * all its segments (border nodes among them) and, where these are far apart, points between them,
 * in random order. It asks on, with a larger k, until each answer reaches far enough that the k
 * nearest of *every* place of the cloak are among them. From these the exact answer for the exact
 * position is made here, in the provider's own distance:
 *
 *   straight  as the crow flies; found again from the objects' positions
 *   road      along roads, taken to be as long between neighbouring points as on this map, and open
 *             both ways
 *
 * Such a provider knows distances and no travel times: requests by time are refused, and answers
 * have no durations (SC_UNKNOWN_S).
 *
 * Why that is exact, and what it protects and does not: docs/point-provider.md.
 *
 * In libstarcloak-io.
 */
#ifndef STARCLOAK_POINT_PROVIDER_H
#define STARCLOAK_POINT_PROVIDER_H

#include <starcloak/map.h>
#include <starcloak/relay.h>
#include <starcloak/rng.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum sc_point_distance {
    SC_POINT_STRAIGHT = 0,
    SC_POINT_ROAD = 1,
} sc_point_distance;

/**
 * What can be said of a simple provider in a few words. A file says more: headers, bodies for POST,
 * words for categories (sc_point_settings_read()).
 */
typedef struct sc_point_options {
    /** http or https, with {lon}, {lat}, {k} and, if the provider knows categories, {category}. */
    const char *url;
    sc_point_distance distance;
    double spacing_m;   ///< two neighbouring points along a road are at most so far apart
    uint32_t max_k;     ///< the largest k that the provider takes
    size_t max_points;  ///< a cloak that needs more is refused
    size_t max_bytes;   ///< of one answer
    double timeout_s;   ///< for one question
    double deadline_s;  ///< for all questions of one cloak together; 0: none
    double radius_m;    ///< nothing farther from a point is told; 0: no such limit
    double rate_per_s;  ///< questions per second; 0: no limit
    unsigned parallel;  ///< questions under way at once, of each who asks
    // Where things are in an answer, a JSON document; names may have dots, and numbers for what is
    // in a list: "properties.name", "geometry.coordinates.0".
    const char *list_field;  ///< the list of objects; "" if the document is the list itself
    const char *key_field;   ///< text or number, different for each object
    const char *lon_field;
    const char *lat_field;
    const char *distance_field;  ///< metres; of SC_POINT_STRAIGHT it may be NULL
    const char *category_field;  ///< may be NULL
    const char *name_field;      ///< may be NULL
} sc_point_options;

/**
 * No URL; straight, 200 m, k up to 1,000, 10,000 points, 4 MiB, 10 s, a minute for a cloak, 8 at
 * once; "results", "id", "lon", "lat", "distance_m", "category", "name".
 */
SC_API sc_point_options sc_point_options_default(void);

/** How a provider is asked. Made once, then read by any thread; it may hold secrets, which are
 * wiped. The rate, and of a file questions at once, are limited for all who ask by it together. */
typedef struct sc_point_settings sc_point_settings;

/**
 * Read settings from an INI file, as docs/point-provider.md has it.
 *
 * @return SC_OK, SC_EIO (no such file), SC_EPARSE or SC_EINVAL with the file, the line and the
 *         reason, SC_ELIMIT, SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_point_settings_read(const char *path, sc_point_settings **out,
                                                sc_diag *diag);

/** Settings from options, which are copied. @return SC_OK, SC_EINVAL with a reason, SC_ENOMEM */
SC_API SC_CHECKED sc_err sc_point_settings_new(const sc_point_options *options,
                                               sc_point_settings **out, sc_diag *diag);

/** Where it is asked: the template of the address. Lent. */
SC_API const char *sc_point_settings_url(const sc_point_settings *settings);

/** Our words for categories that it names. Lent. */
SC_API const char *const *sc_point_settings_categories(const sc_point_settings *settings,
                                                       size_t *count);

/** NULL is fine. */
SC_API void sc_point_settings_free(sc_point_settings *settings);

/** One thread. */
typedef struct sc_point_provider sc_point_provider;

/**
 * @param vocabulary  how categories are called; borrowed, as the map and the settings are
 * @return SC_OK, SC_ENOCOORDS, SC_ENET (curl cannot be set up), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_point_provider_new(const sc_map *map, const sc_vocabulary *vocabulary,
                                               const sc_point_settings *settings,
                                               sc_point_provider **out, sc_diag *diag);

/** NULL is fine. */
SC_API void sc_point_provider_free(sc_point_provider *provider);

/** What came back for one cloak. Needs the map, and the provider no longer. One thread. */
typedef struct sc_point_reply sc_point_reply;

/** How long asking may take. */
typedef struct sc_point_patience {
    double deadline_s;  ///< for all of it, if the settings do not allow less; 0: as they say
    double leave_s;     ///< the first question leaves within that time, or none does; 0: any time
} sc_point_patience;

/**
 * Ask for all requests of `relay`; blocks. Range requests become questions for ever more objects
 * until one is beyond the range.
 *
 * @param patience  NULL: as the settings say
 * @param rng       for the order of the questions
 * @return SC_OK, SC_ENET (no answer in time, or an error of HTTP), SC_ELATE (no question could
 * leave within leave_s, and none has), SC_EREPLY (an answer that makes no sense), SC_ELIMIT (more
 *         points, or a larger k, than allowed), SC_EREQUEST (a request that makes no sense, is by
 * time, or for categories that the URL has no place for), SC_EMISMATCH (a relay of another map),
 * SC_EUNKNOWN (no such segment or node), SC_EINVAL (not ascending, empty, or more border nodes than
 * ends), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_point_provider_ask(sc_point_provider *provider, const sc_relay *relay,
                                               const sc_point_patience *patience, sc_rng *rng,
                                               sc_point_reply **out, sc_diag *diag);

/** The status of HTTP that ended the last sc_point_provider_ask() with SC_ENET; 0 if none has: it
 * went well, or there was no answer. */
SC_API int sc_point_provider_status(const sc_point_provider *provider);

/** NULL is fine. */
SC_API void sc_point_reply_free(sc_point_reply *reply);

/**
 * The objects that it speaks of, by key: names, categories (SC_NONE: not told, or none that there
 * is a word for), and the road they are nearest to. Lent.
 */
SC_API const sc_object_table *sc_point_reply_table(const sc_point_reply *reply);

/** Where an object is, as the provider said. */
SC_API void sc_point_reply_position(const sc_point_reply *reply, uint32_t object, double *lon,
                                    double *lat);

/** What it took. */
typedef struct sc_point_work {
    size_t points;      ///< places asked at
    size_t questions;   ///< asked in all
    size_t candidates;  ///< objects that came back, each once per answer
    size_t bytes_out;   ///< requests, as far as curl counts them
    size_t bytes_in;    ///< bodies
} sc_point_work;

SC_API sc_point_work sc_point_reply_work(const sc_point_reply *reply);

/**
 * The exact answer in the provider's distance, as sc_filter_answer().
 *
 * @param at   its direction does not matter
 * @param out  nearest first, all with SC_UNKNOWN_S; lent until the next call with this reply
 */
SC_API SC_CHECKED sc_err sc_point_reply_answer(sc_point_reply *reply, sc_road_point at,
                                               size_t request, const sc_near **out, size_t *count,
                                               sc_diag *diag);

#ifdef __cplusplus
}
#endif
#endif
