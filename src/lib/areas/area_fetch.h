/**
 * @file area_fetch.h
 * @brief Fetching tiles: questions over HTTP with all their pages, until each is whole or refused.
 */
#ifndef SC_AREAS_AREA_FETCH_H
#define SC_AREAS_AREA_FETCH_H

#include "areas/area_settings.h"
#include "areas/tile_cache.h"
#include "net/http_pace.h"

#include <stdatomic.h>

/** What is the same for all questions. Borrowed. */
typedef struct sc__area_source {
    const sc_area_settings *settings;
    const sc__tile_grid *grid;
    const sc_vocabulary *vocabulary;
    sc_http_pace *pace;
    struct curl_slist *headers;
    atomic_uint_fast64_t *final_size;  ///< shorter pages by offset have shown to be the last
} sc__area_source;

/** What fetching took; added to. */
typedef struct sc__area_effort {
    uint64_t questions;  ///< requests of HTTP, pages and retries included
    uint64_t bytes_out;
    uint64_t bytes_in;
    uint64_t objects;   ///< in the lists of replies
    uint64_t outside;   ///< of them, those outside of the box that was asked for
    uint64_t left_out;  ///< of them, those too far from any road, or without a category
} sc__area_effort;

/** The most categories of one question. */
enum { SC__AREA_CATEGORIES_MAX = SC_REQUEST_CATEGORIES };

/** One tile to fetch. */
typedef struct sc__area_task {
    sc__tile tile;
    sc_category_id categories[SC__AREA_CATEGORIES_MAX];
    size_t category_count;  ///< 0: objects of all categories
    sc__tile_rows *known;   ///< with an ETag, from the same question; held; or NULL
    // Filled in: one for each category, or one for all; held once. With `known`, none may be there:
    // what is known is still right, until `fresh_until_us`.
    sc__tile_rows *rows[SC__AREA_CATEGORIES_MAX];
    bool is_unchanged;
    bool is_stored;  ///< the provider has not said that it must not be
    int64_t fresh_until_us;
    int64_t stale_until_us;
} sc__area_task;

/** What fetching may take. */
typedef struct sc__area_allowance {
    uint64_t questions;  ///< requests of HTTP, pages and retries included
    double deadline_s;
    double leave_s;   ///< as sc_http_batch_options
    const int *stop;  ///< likewise
} sc__area_allowance;

/**
 * Fetch all of them, in the order given; the first failure ends it. Versions of rows are left 0.
 *
 * @param[out] status  of HTTP, if that is why it failed; else 0
 * @return SC_OK, SC_ENET, SC_ELATE, SC_EREPLY, SC_ELIMIT, SC_EREQUEST, SC_ENOMEM
 */
SC_CHECKED sc_err sc__area_fetch(const sc__area_source *source, const sc__area_allowance *allowed,
                                 sc__area_task *tasks, size_t count, sc__area_effort *effort,
                                 int *status, sc_diag *diag);

/** Release what a task holds; harmless twice. */
void sc__area_task_fini(sc__area_task *task);

#endif
