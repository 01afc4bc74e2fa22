/**
 * @file area_provider.h
 * @brief Providers that can list what is in a box: nearly every source of places, over HTTP.
 *
 * How such a provider is asked, and where things are in its replies, is in a file. It is asked for
 * tiles of a fixed grid, which depend on the segments and the requests of a relay and on what the
 * provider says, and on nothing else. Tiles are added until nothing outside of them can be part of
 * an answer; then their objects are a set like any other, and the relay is evaluated with it
 * (lbs.h). Tiles are kept, and shared by all relays.
 *
 * It includes neither query.h nor cloak.h. Why the answer is exact, and what a provider learns:
 * docs/area-provider.md.
 *
 * In libstarcloak-io.
 */
#ifndef STARCLOAK_AREA_PROVIDER_H
#define STARCLOAK_AREA_PROVIDER_H

#include <starcloak/map.h>
#include <starcloak/objects.h>
#include <starcloak/relay.h>

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

/** Where it is asked: the template of the address. Lent. */
SC_API const char *sc_area_settings_url(const sc_area_settings *settings);

/** Our words for categories that it names. Lent. */
SC_API const char *const *sc_area_settings_categories(const sc_area_settings *settings,
                                                      size_t *count);

/** NULL is fine. */
SC_API void sc_area_settings_free(sc_area_settings *settings);

/** A provider of areas, with the tiles that were fetched. Any thread. */
typedef struct sc_area_provider sc_area_provider;

/**
 * Starts a thread, with all signals blocked, that builds indexes and fetches tiles again.
 *
 * @param vocabulary  how categories are called, the map's own first; borrowed, as the map and the
 *                    settings. NULL: the map's, and those of the settings
 * @return SC_OK, SC_ENOCOORDS, SC_EINVAL (a map across the 180th meridian), SC_ENET (curl cannot be
 *         set up), SC_EIO (no thread), SC_ENOMEM
 */
SC_API SC_CHECKED sc_err sc_area_provider_new(const sc_map *map, const sc_vocabulary *vocabulary,
                                              const sc_area_settings *settings,
                                              sc_area_provider **out, sc_diag *diag);

/** After all its askers. NULL is fine. */
SC_API void sc_area_provider_free(sc_area_provider *provider);

/** How categories are called. Lent. */
SC_API const sc_vocabulary *sc_area_provider_vocabulary(const sc_area_provider *provider);

/**
 * Make one set with an index of all tiles that are there, now. The thread of the provider does so
 * by itself when there was nothing new for a while.
 */
SC_API SC_CHECKED sc_err sc_area_provider_build_index(sc_area_provider *provider, sc_diag *diag);

/** Counted since the start. */
typedef struct sc_area_status {
    uint64_t tiles;      ///< kept, each category of a tile by itself
    uint64_t bytes;      ///< that they take
    uint64_t looked_up;  ///< tiles that were needed for a relay
    uint64_t found;      ///< of them, those that were there
    uint64_t evicted;
    uint64_t questions;  ///< requests of HTTP, pages and retries included
    uint64_t bytes_out;
    uint64_t bytes_in;
    uint64_t outside;   ///< objects that were not in the box asked for
    uint64_t left_out;  ///< objects too far from any road, or without a category
    uint64_t indexes;   ///< sets with an index that were made
} sc_area_status;

SC_API sc_area_status sc_area_provider_status(sc_area_provider *provider);

/** The fixed tiles: level 0 is one that holds the map, each is four of the next level. */
typedef struct sc_area_grid {
    int64_t west;  ///< corner of all of them, in steps of 1e-7 degrees or units of a plane
    int64_t south;
    int64_t side_x;  ///< of a tile of the last level that areas are covered with, in steps
    int64_t side_y;
    uint32_t depth;         ///< that level
    double snap_m;          ///< objects are put on roads that are no farther from them
    double reach_m;         ///< the same with all roundings, as it is reckoned with
    bool names_categories;  ///< questions are for categories; else for all objects
} sc_area_grid;

SC_API sc_area_grid sc_area_provider_grid(const sc_area_provider *provider);

/** Someone who asks. One thread. */
typedef struct sc_area_asker sc_area_asker;

SC_API SC_CHECKED sc_err sc_area_asker_new(sc_area_provider *provider, sc_area_asker **out,
                                           sc_diag *diag);

/** NULL is fine. */
SC_API void sc_area_asker_free(sc_area_asker *asker);

/** How long asking may take. */
typedef struct sc_area_patience {
    double deadline_s;  ///< for all of it; 0: as the settings say
    double leave_s;     ///< the first question leaves within that time, or none does; 0: any time
} sc_area_patience;

/**
 * Answer `relay`, whose categories are those of the provider's vocabulary; blocks while tiles are
 * fetched.
 *
 * @param reply  overwritten, as by sc_lbs_evaluate(); its table lends from the asker until the next
 *               call
 * @return SC_OK, SC_ENET, SC_ELATE (too late for the first question, and none has left), SC_EREPLY
 *         (a reply that makes no sense), SC_ELIMIT (more questions or objects than allowed),
 *         SC_EREQUEST, and what sc_lbs_evaluate() returns
 */
SC_API SC_CHECKED sc_err sc_area_asker_ask(sc_area_asker *asker, const sc_relay *relay,
                                           const sc_area_patience *patience, sc_reply *reply,
                                           sc_diag *diag);

/** The objects that the last reply was made from; lent until the next call, NULL before. */
SC_API sc_objects *sc_area_asker_objects(const sc_area_asker *asker);

/** What the last call took. */
typedef struct sc_area_work {
    uint64_t tiles;      ///< needed in the end, each category by itself
    uint64_t questions;  ///< requests of HTTP
    uint64_t rounds;     ///< how often more tiles were needed, and one
    uint64_t bytes_out;
    uint64_t bytes_in;
    int status;  ///< of HTTP, that made it fail; 0: none has
} sc_area_work;

SC_API sc_area_work sc_area_asker_work(const sc_area_asker *asker);

/** Tiles of one level that a relay needs for a category: a rectangle, both ends included. */
typedef struct sc_area_span {
    sc_category_id category;  ///< SC_NONE: objects of all categories
    uint32_t level;
    uint32_t x[2];
    uint32_t y[2];
} sc_area_span;

/** A tile that is there. */
typedef struct sc_area_tile {
    uint64_t number;  ///< no other has it; greater for what was fetched later
    sc_category_id category;
    uint32_t level;
    uint32_t x;
    uint32_t y;
    bool is_asked;       ///< the provider was asked for it because of this relay
    uint64_t divisions;  ///< how often it, or a part of it, had too many objects for one reply
    size_t count;        ///< of its objects
    const void *rows;    ///< for sc_area_tile_object()
} sc_area_tile;

/** An object of a tile; texts are lent as long as the tile. */
SC_API sc_object_row sc_area_tile_object(const sc_area_tile *tile, size_t i);

/** Who is told what a relay needs and what leaves because of it; for records. */
typedef struct sc_area_watcher {
    /** A round begins, from 1, and needs these tiles; called for each category. */
    void (*needs)(void *context, uint64_t round, const sc_area_span *span);
    /** The round has this tile, which may be larger than one that it needs. Lent. */
    void (*has)(void *context, uint64_t round, const sc_area_tile *tile);
    void *context;
} sc_area_watcher;

/** Borrowed, until another one or NULL is given. */
SC_API void sc_area_asker_watch(sc_area_asker *asker, const sc_area_watcher *watcher);

#ifdef __cplusplus
}
#endif
#endif
