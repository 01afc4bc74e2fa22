// The statements that a feed sends. See feed_internal.h.
//
// Every name that somebody chose passes through PQescapeIdentifier(): whatever it holds, it
// names a table or a column, and at worst one that is not there.
//
// The table is read by one SELECT, which sees one snapshot of it: a transaction of somebody
// else is in it wholly or not at all.
//
// Used by: feed.c.
#include "feed/feed_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/** Text as printf makes it, in memory of its own; NULL if there is none. */
static char *text_of(const char *format, ...) SC_PRINTF(1, 2);

static char *text_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = size >= 0 ? sc_malloc((size_t)size + 1) : NULL;
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)size + 1, format, arguments);
    va_end(arguments);
    return text;
}

// --- Names ----------------------------------------------------------------------

/** What libpq has quoted; NULL where there is no such name. */
typedef struct quoted_names {
    char *schema;
    char *table;
    char *key;
    char *position;
    char *category;
    char *name;
} quoted_names;

static void names_fini(quoted_names *names)
{
    PQfreemem(names->schema);
    PQfreemem(names->table);
    PQfreemem(names->key);
    PQfreemem(names->position);
    PQfreemem(names->category);
    PQfreemem(names->name);
}

static sc_err quote(PGconn *connection, const char *name, size_t size, char **out, sc_diag *diag)
{
    *out = PQescapeIdentifier(connection, name, size);
    if (*out) return SC_OK;
    // Beside a lack of memory: the name is not UTF-8.
    return sc_fail(diag, SC_EINVAL, "%s cannot be the name of a table, column or channel",
                   sc_quote(name, size).text);
}

static sc_err quote_text(PGconn *connection, const char *name, char **out, sc_diag *diag)
{
    return quote(connection, name, strlen(name), out, diag);
}

/**
 * Quote a part of a table's name as it stands; or, if it is in quotes already, as SQL would
 * write it, what is between them with doubled quotes made single.
 */
static sc_err quote_part(PGconn *connection, const char *part, size_t size, char **out,
                         sc_diag *diag)
{
    if (size < 2 || part[0] != '"' || part[size - 1] != '"') {
        return quote(connection, part, size, out, diag);
    }
    char *plain = sc_malloc(size);
    if (!plain) return sc_fail_memory(diag, "reading the name of a table");
    size_t plain_size = 0;
    for (size_t i = 1; i + 1 < size; i++) {
        plain[plain_size++] = part[i];
        if (part[i] == '"' && part[i + 1] == '"' && i + 2 < size) i++;
    }
    const sc_err err = quote(connection, plain, plain_size, out, diag);
    sc_free(plain);
    return err;
}

/** Where the dot between schema and table is, or the end: the first one that is not in quotes. */
static size_t find_dot(const char *name)
{
    bool is_inside = false;
    size_t at = 0;
    for (; name[at] && (is_inside || name[at] != '.'); at++) {
        if (name[at] == '"') is_inside = !is_inside;
    }
    return at;
}

static sc_err quote_table(PGconn *connection, const char *name, quoted_names *names, sc_diag *diag)
{
    const char *table = name;
    const size_t dot = find_dot(name);
    if (name[dot] == '.') {
        const sc_err err = quote_part(connection, name, dot, &names->schema, diag);
        if (err) return err;
        table = name + dot + 1;
    }
    return quote_part(connection, table, strlen(table), &names->table, diag);
}

static sc_err quote_names(PGconn *connection, const sc_feed_options *options, quoted_names *names,
                          sc_diag *diag)
{
    sc_err err = quote_table(connection, options->table, names, diag);
    if (!err) err = quote_text(connection, options->key_column, &names->key, diag);
    if (!err) err = quote_text(connection, options->position_column, &names->position, diag);
    if (!err) err = quote_text(connection, options->category_column, &names->category, diag);
    if (!err && options->name_column) {
        err = quote_text(connection, options->name_column, &names->name, diag);
    }
    return err;
}

// --- Statements -----------------------------------------------------------------

/** The expression for where an object is, in the coordinates of the map. */
static char *position_of(const char *column, sc_coords coords)
{
    if (coords != SC_COORDS_GEOGRAPHIC) return text_of("ST_Centroid(%s::geometry)", column);
    // A geometry that does not say what its numbers are is taken to have degrees.
    return text_of("CASE ST_SRID(%s::geometry) WHEN 0 THEN ST_Centroid(%s::geometry) "
                   "ELSE ST_Transform(ST_Centroid(%s::geometry), 4326) END",
                   column, column, column);
}

sc_err sc__query_select(PGconn *connection, const sc_feed_options *options, sc_coords coords,
                        char **out, sc_diag *diag)
{
    quoted_names names = {.schema = NULL};
    sc_err err = quote_names(connection, options, &names, diag);
    if (!err) {
        char *position = position_of(names.position, coords);
        // Inside are the table's columns and nothing of ours that could be mistaken for one.
        // OFFSET 0 keeps the planner from computing the position once for x and once for y.
        char *select =
            position
                ? text_of("SELECT key, ST_X(place), ST_Y(place), category, name FROM "
                          "(SELECT %s::text AS key, %s AS place, %s::text AS category, "
                          "%s::text AS name FROM %s%s%s OFFSET 0) AS objects",
                          names.key, position, names.category, names.name ? names.name : "NULL",
                          names.schema ? names.schema : "", names.schema ? "." : "", names.table)
                : NULL;
        sc_free(position);
        if (select) {
            *out = select;
        } else {
            err = sc_fail_memory(diag, "preparing to read a table");
        }
    }
    names_fini(&names);
    return err;
}

sc_err sc__query_listen(PGconn *connection, const char *channel, char **out, sc_diag *diag)
{
    char *quoted = NULL;
    const sc_err err = quote_text(connection, channel, &quoted, diag);
    if (err) return err;
    char *listen = text_of("LISTEN %s", quoted);
    PQfreemem(quoted);
    if (!listen) return sc_fail_memory(diag, "preparing to listen to a channel");
    *out = listen;
    return SC_OK;
}
