/**
 * @file area_provider_internal.h
 * @brief A provider of areas from inside: the tiles that all share, and fetching them.
 */
#ifndef SC_AREAS_AREA_PROVIDER_INTERNAL_H
#define SC_AREAS_AREA_PROVIDER_INTERNAL_H

#include <starcloak/area_provider.h>

#include "areas/area_fetch.h"

#include <pthread.h>
#include <time.h>

/** Tiles to be fetched again in the background, at most; others are fetched when they are needed.
 */
enum { SC__AREA_REFRESH_MAX = 256 };

/** A tile and a category. */
typedef struct sc__area_part {
    sc__tile tile;
    sc_category_id category;
} sc__area_part;

struct sc_area_provider {
    // Read-only once it has started.
    const sc_map *map;
    const sc_vocabulary *vocabulary;
    sc_vocabulary own_vocabulary;
    const sc_area_settings *settings;
    sc__tile_grid grid;
    sc__area_source source;
    sc_http_pace pace;
    atomic_uint_fast64_t final_size;  ///< of pages (area_fetch.c)
    bool has_curl;
    bool has_thread;
    pthread_t thread;
    int stop;  ///< can be read once it is stopping

    // Under the lock.
    pthread_mutex_t lock;
    pthread_cond_t is_changed;  ///< a tile is no longer being fetched, or there is something to do
    sc__tile_cache cache;
    uint64_t versions;
    sc__tile *fetched;  ///< those that are being fetched
    size_t fetched_count;
    size_t fetched_capacity;
    sc_objects *indexed;  ///< all tiles of some moment, with an index; held
    uint64_t indexed_number;
    bool is_new;       ///< there are tiles that no indexed set has
    int64_t first_us;  ///< since when, and when the last of them came
    int64_t last_us;
    sc__area_part refresh[SC__AREA_REFRESH_MAX];
    size_t refresh_count;
    bool is_stopping;
    sc_area_status status;
};

static inline bool sc__tile_is_same(sc__tile a, sc__tile b)
{
    return a.level == b.level && a.x == b.x && a.y == b.y;
}

/** A moment of sc_clock_us(), for waiting. */
static inline struct timespec sc__area_moment(int64_t us)
{
    return (struct timespec){.tv_sec = (time_t)(us / 1000000),
                             .tv_nsec = (long)(us % 1000000) * 1000};
}

/** An object of a tile, as sets are made from; lent. */
sc_object_row sc__tile_object(const sc__tile_rows *rows, size_t i);

/** Those that were fetched later first. */
void sc__area_sort(sc__tile_rows **rows, size_t count);

/** The set of their objects; `rows` are put in order. */
SC_CHECKED sc_err sc__area_make_set(const sc_area_provider *provider, sc__tile_rows **rows,
                                    size_t count, sc_objects **out, sc_diag *diag);

/** Under the lock: leave the tasks whose tiles no other thread fetches, and mark these. False when
 * memory is out. */
SC_CHECKED bool sc__area_claim(sc_area_provider *provider, sc__area_task *tasks, size_t *count);

/** Under the lock: if the same question has brought a tile with an ETag, the task knows it. */
void sc__area_find_known(sc_area_provider *provider, sc__area_task *task);

/** Fetch what was claimed, without the lock, and let all have it. */
SC_CHECKED sc_err sc__area_fetch_claimed(sc_area_provider *provider,
                                         const sc__area_allowance *allowed, sc__area_task *tasks,
                                         size_t count, sc_area_work *work, sc_diag *diag);

/** Under the lock: let a tile be fetched again in the background. */
void sc__area_refresh(sc_area_provider *provider, const sc__tile_rows *rows);

#endif
