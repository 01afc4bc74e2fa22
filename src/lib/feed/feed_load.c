// The rows of a table become a set of objects. See feed_internal.h.
//
// Rows are taken one at a time, put on the nearest road and forgotten, so that a large table
// needs memory for its objects and not for itself. A row that lacks something (a key, a position
// near a road, a category) is left out and counted. Rows that contradict each other, two with one
// key, spoil the set: answers name objects by their keys, and would name the wrong one.
//
// Used by: feed.c.
#include "feed/feed_internal.h"

#include "base/diag.h"

#include <endian.h>
#include <string.h>

// --- Rows -----------------------------------------------------------------------

/** A text of the row, or NULL if it has none or an empty one. */
static const char *text_at(const PGresult *row, int column)
{
    return PQgetlength(row, 0, column) > 0 ? PQgetvalue(row, 0, column) : NULL;
}

/** A double as PostgreSQL sends it: its eight bytes, the highest first. False if it is NULL. */
static bool number_at(const PGresult *row, int column, double *out)
{
    uint64_t bits = 0;
    if (PQgetlength(row, 0, column) != (int)sizeof bits) return false;
    memcpy(&bits, PQgetvalue(row, 0, column), sizeof bits);
    bits = be64toh(bits);
    memcpy(out, &bits, sizeof bits);
    return true;
}

static sc_err fail_key(const char *table, const char *key, sc_diag *diag)
{
    return sc_fail(diag, SC_EPARSE,
                   "two rows of the table %s have the key %s; let a column be the key that is "
                   "different in each row",
                   sc_quote(table, strlen(table)).text, sc_quote(key, strlen(key)).text);
}

/** Add the object of a row; *added is false if it is left out. */
static sc_err add_row(sc_objects_builder *builder, const PGresult *row, const sc_map *map,
                      const sc_feed_options *options, bool *added, sc_diag *diag)
{
    const char *key = text_at(row, SC_ROW_KEY);
    const char *category = text_at(row, SC_ROW_CATEGORY);
    double x = 0.0;
    double y = 0.0;
    sc_snap snap;
    *added = key && category && number_at(row, SC_ROW_X, &x) && number_at(row, SC_ROW_Y, &y) &&
             sc_map_snap(map, x, y, options->max_snap_m, &snap) == SC_OK;
    if (!*added) return SC_OK;
    const sc_err err = sc_objects_builder_add(builder,
                                              &(sc_object_row){.edge = snap.edge,
                                                               .offset_m = snap.offset_m,
                                                               .key = key,
                                                               .category = category,
                                                               .name = text_at(row, SC_ROW_NAME)},
                                              diag);
    if (err == SC_EDUPLICATE) return fail_key(options->table, key, diag);
    // The place on the road is our own; what is wrong is wrong with the row.
    return err == SC_EINVAL ? SC_EPARSE : err;
}

static sc_err add_rows(sc_objects_builder *builder, sc_link *link, const sc_map *map,
                       const sc_feed_options *options, sc_loaded *loaded, sc_diag *diag)
{
    for (;;) {
        PGresult *row = NULL;
        sc_err err = sc__link_row(link, &row, diag);
        if (err || !row) return err;
        bool added = false;
        err = add_row(builder, row, map, options, &added, diag);
        PQclear(row);
        if (err) {
            sc__link_drain(link);
            return err;
        }
        loaded->row_count++;
        if (!added) loaded->left_out++;
    }
}

// --- The set --------------------------------------------------------------------

static sc_err finish(sc_objects_builder *builder, const sc_feed_options *options, sc_objects **out,
                     sc_diag *diag)
{
    sc_objects *objects = NULL;
    sc_err err = sc_objects_builder_finish(builder, &objects);
    if (err == SC_ENOMEM) return sc_fail_memory(diag, "putting objects on the map");
    if (err) return sc_fail(diag, err, "objects cannot be put on the map: %s", sc_err_text(err));
    err = sc_objects_build_index(objects, &options->index, diag);
    if (err) {
        sc_objects_release(objects);
        return err;
    }
    *out = objects;
    return SC_OK;
}

sc_err sc__feed_load(sc_link *link, const char *select, const sc_map *map,
                     const sc_feed_options *options, sc_loaded *out, sc_diag *diag)
{
    sc_objects_builder *builder = NULL;
    if (sc_objects_builder_new(map, &builder)) return sc_fail_memory(diag, "taking in objects");
    sc_loaded loaded = {.objects = NULL};
    sc_err err = sc__link_ask(link, select, diag);
    if (!err) err = add_rows(builder, link, map, options, &loaded, diag);
    if (!err) err = finish(builder, options, &loaded.objects, diag);
    sc_objects_builder_free(builder);
    if (!err) *out = loaded;
    return err;
}
