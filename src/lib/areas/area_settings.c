// Reading the settings of a provider of areas, and checking them. See area_settings.h.
#include "areas/area_settings.h"

#include "base/alloc.h"
#include "base/diag.h"

// === The list of settings =======================================================================

#define AT(field) offsetof(sc_area_settings, field)

static const sc_adapter_row area_rows[] = {
    {"provider", "categories-at-once", SC_VALUE_COUNT, AT(categories_at_once), 1, 16, NULL},
    {"paging", "next", SC_VALUE_POINTER, AT(next), 0, 0, NULL},
    {"paging", "links", SC_VALUE_POINTER, AT(links), 0, 0, NULL},
    {"paging", "cursor", SC_VALUE_POINTER, AT(cursor), 0, 0, NULL},
    {"paging", "total", SC_VALUE_POINTER, AT(total), 0, 0, NULL},
    {"paging", "page-size", SC_VALUE_COUNT, AT(page_size), 1, 1000000, NULL},
    {"paging", "max-pages", SC_VALUE_COUNT, AT(max_pages), 1, 10000, NULL},
    {"limits", "max-objects", SC_VALUE_COUNT, AT(max_objects), 1, 10000000, NULL},
    {"limits", "max-questions", SC_VALUE_COUNT, AT(max_questions), 1, 100000, NULL},
    {"tiles", "size", SC_VALUE_NUMBER, AT(tile_m), 10, 1e6, NULL},
    {"tiles", "snap", SC_VALUE_NUMBER, AT(snap_m), 0, 1e5, NULL},
    {"tiles", "extent", SC_VALUE_NUMBER, AT(extent_m), 0, 1e5, NULL},
    {"cache", "bytes", SC_VALUE_COUNT, AT(cache_bytes), 0, 1e12, NULL},
    {"cache", "lifetime", SC_VALUE_NUMBER, AT(lifetime_s), 0, 1e8, NULL},
    {"cache", "stale", SC_VALUE_NUMBER, AT(stale_s), 0, 1e8, NULL},
};

static const char *const place_names[SC__AREA_PLACE_COUNT] = {
    "west", "south", "east", "north", "categories", "limit", "offset", "cursor", "key"};

static const int needed_places[] = {SC__AREA_WEST, SC__AREA_SOUTH, SC__AREA_EAST, SC__AREA_NORTH};

static const sc_adapter_kind area_kind = {
    .option = "--area-provider",
    .rows = area_rows,
    .row_count = sizeof area_rows / sizeof area_rows[0],
    .sections = "provider, headers, fields, categories, paging, limits, tiles and cache",
    .places = {place_names, SC__AREA_PLACE_COUNT},
    .key = SC__AREA_KEY,
    .categories = SC__AREA_CATEGORIES,
    .needed = needed_places,
    .needed_count = sizeof needed_places / sizeof needed_places[0],
    .needs_all = true,
    .preset = sc__area_preset,
    .presets = SC__AREA_PRESETS,
    .other_presets = "",
};

static sc_area_settings defaults(void)
{
    return (sc_area_settings){
        .common = {.kind = &area_kind,
                   .parallel = 4,
                   .timeout_s = 10,
                   .deadline_s = 60,
                   .max_bytes = (uint64_t)16 << 20},
        .categories_at_once = 16,
        .page_size = 1000,
        .max_pages = 100,
        .max_objects = 200000,
        .max_questions = 64,
        .snap_m = 300,
        .cache_bytes = (uint64_t)256 << 20,
        .lifetime_s = 3600,
        .stale_s = 600,
    };
}

void sc_area_settings_free(sc_area_settings *settings)
{
    if (!settings) return;
    sc_adapter_settings_fini(&settings->common);
    sc_free(settings);
}

// === The whole ==================================================================================

sc__area_paging sc__area_settings_paging(const sc_area_settings *s)
{
    if (s->cursor) return SC__AREA_BY_CURSOR;
    if (s->next) return SC__AREA_BY_NEXT;
    if (s->links) return SC__AREA_BY_LINKS;
    return s->common.has[SC__AREA_OFFSET] ? SC__AREA_BY_OFFSET : SC__AREA_ONE_PAGE;
}

static sc_err check_paging(const sc_area_settings *s, sc_diag *diag)
{
    if ((s->next != NULL) + (s->links != NULL) + (s->cursor != NULL) > 1) {
        return sc_adapter_refuse(&s->common, s->next ? "next" : "links",
                                 "next, links and cursor are three ways to find the next "
                                 "page; leave one of them",
                                 diag);
    }
    if ((s->cursor != NULL) != s->common.has[SC__AREA_CURSOR]) {
        return sc_adapter_refuse(
            &s->common, s->cursor ? "cursor" : "url",
            "a cursor needs both: cursor in section [paging], which says where it is, "
            "and {cursor} in url or body",
            diag);
    }
    if (sc__area_settings_paging(s) == SC__AREA_BY_OFFSET && !s->common.has[SC__AREA_LIMIT]) {
        return sc_adapter_refuse(&s->common, "url", "pages by {offset} need {limit} in url or body",
                                 diag);
    }
    return SC_OK;
}

static sc_err check_categories(const sc_area_settings *s, sc_diag *diag)
{
    const sc_adapter_settings *c = &s->common;
    if (c->category.count > 0 || c->default_category || c->has[SC__AREA_CATEGORIES]) return SC_OK;
    return sc_adapter_refuse(c, "",
                             "no object would have a category; give category or default-category "
                             "in section [fields]",
                             diag);
}

const char *sc_area_settings_url(const sc_area_settings *settings)
{
    return settings->common.url;
}

const char *const *sc_area_settings_categories(const sc_area_settings *settings, size_t *count)
{
    *count = settings->common.ours.count;
    return (const char *const *)settings->common.ours.items;
}

sc_err sc__area_settings_read(const sc_input *input, sc_area_settings **out, sc_diag *diag)
{
    sc_area_settings *settings = sc_malloc(sizeof *settings);
    if (!settings) return sc_fail_memory(diag, "reading the settings of a provider of areas");
    *settings = defaults();
    sc_err err = sc_adapter_settings_read(input, &settings->common, diag);
    if (!err) err = check_paging(settings, diag);
    if (!err) err = check_categories(settings, diag);
    if (err) {
        sc_area_settings_free(settings);
        return err;
    }
    // Without a word in the replies, each category is asked for by itself.
    if (settings->common.category.count == 0) settings->categories_at_once = 1;
    *out = settings;
    return SC_OK;
}

sc_err sc_area_settings_read(const char *path, sc_area_settings **out, sc_diag *diag)
{
    sc_file file = {.memory = NULL};
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    err = sc__area_settings_read(&file.input, out, diag);
    sc_file_close(&file);
    return err;
}
