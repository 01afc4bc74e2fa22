// The database of an object feed: a connection to PostgreSQL that can be interrupted, and the
// statements that are sent. See feed_postgres.h.
//
// 1. Everything that waits waits in wait_for(), for the server, for a time and for the end of the
//    feed: libpq is used in its non-blocking form throughout. (One exception: resolving a host's
//    name waits for the resolver.)
// 2. A connection that is broken is closed where that is noticed, so that `connection` alone
//    tells whether there is one.
// 3. Error texts of libpq pass through one_line(): in one line, and without the password.
#include "feed/feed_postgres.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// === The connection =============================================================================

/** How long one host may take to answer where the URL has no connect_timeout. */
#define CONNECT_TIMEOUT_S 10

int64_t sc__feed_link_clock_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// --- Waiting --------------------------------------------------------------------

typedef enum wait_result {
    WAIT_READY,
    WAIT_LATE,
    WAIT_ENDING,
} wait_result;

static int milliseconds_until(int64_t until_ms)
{
    enum { LONGEST_MS = 3600 * 1000 };  // and then wait again
    if (until_ms == SC_FEED_NEVER) return -1;
    const int64_t left = until_ms - sc__feed_link_clock_ms();
    return (int)(left < 0 ? 0 : left > LONGEST_MS ? LONGEST_MS : left);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);  // a tenth of a second
}

/** Wait for the socket, if there is one, to be ready for `events`. */
static wait_result wait_for(const sc_feed_link *link, short events, int64_t until_ms)
{
    struct pollfd fds[] = {
        {.fd = link->end_fd, .events = POLLIN},
        {.fd = link->connection ? PQsocket(link->connection) : -1, .events = events},
    };
    for (;;) {
        const int wait_ms = milliseconds_until(until_ms);
        const int ready = poll(fds, sizeof fds / sizeof fds[0], wait_ms);
        if (ready > 0) return fds[0].revents ? WAIT_ENDING : WAIT_READY;
        if (wait_ms == 0) return WAIT_LATE;
        // For example the system lacks memory, and will not have it at once.
        if (ready < 0 && errno != EINTR) nap();
        // Else a signal, or one of several hours is over.
    }
}

bool sc__feed_link_is_ending(const sc_feed_link *link)
{
    struct pollfd end = {.fd = link->end_fd, .events = POLLIN};
    return poll(&end, 1, 0) > 0;
}

void sc__feed_link_wait(const sc_feed_link *link, int64_t until_ms)
{
    (void)wait_for(link, POLLIN, until_ms);
}

// --- Errors ----------------------------------------------------------------------

/** An error text of the database, fit to be part of a message. */
typedef struct line {
    char text[640];
} line;

/** One line, a blank for any white space, and no password. */
static line one_line(const PGconn *connection, const char *said)
{
    line w = {.text = ""};
    const char *password = PQpass(connection);
    const size_t secret = password ? strlen(password) : 0;
    size_t used = 0;
    while (*said && used < sizeof w.text - 5) {
        if (secret > 0 && strncmp(said, password, secret) == 0) {
            memcpy(w.text + used, "****", 4);
            used += 4;
            said += secret;
            continue;
        }
        const bool is_blank = (unsigned char)*said <= ' ' || *said == 0x7f;
        if (!is_blank) {
            w.text[used++] = *said;
        } else if (used > 0 && w.text[used - 1] != ' ') {
            w.text[used++] = ' ';
        }
        said++;
    }
    while (used > 0 && w.text[used - 1] == ' ') {
        used--;
    }
    w.text[used] = '\0';
    return w;
}

static sc_err fail_ending(sc_diag *diag)
{
    return sc_fail(diag, SC_EIO, "the feed of objects is being closed");
}

/** The connection is of no use any more. */
static sc_err fail_connection(sc_feed_link *link, sc_diag *diag, const char *what)
{
    const line w = one_line(link->connection, PQerrorMessage(link->connection));
    sc_fail(diag, SC_EIO, "%s: %s", what, w.text);
    sc__feed_link_close(link);
    return SC_EIO;
}

/** What to do about an error, by its SQLSTATE; whose text depends on the server's language. */
static const char *advice_for(const char *state)
{
    static const struct {
        const char *state;
        const char *advice;
    } known[] = {
        {"42P01", "; check the name of the table, and of its schema if it has one"},
        {"3F000", "; check the name of the schema"},
        {"42703", "; check the names of the columns"},
        {"42501", "; its owner can GRANT SELECT on the table and USAGE on its schema"},
        {"42704", "; if PostGIS is missing, run CREATE EXTENSION postgis in the database"},
        {"42883", "; if PostGIS is missing, run CREATE EXTENSION postgis in the database"},
        {"42846", "; the position must be a geometry or geography"},
    };
    for (size_t i = 0; state && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(state, known[i].state) == 0) return known[i].advice;
    }
    return "";
}

/** A statement failed; the connection may be as good as before. */
static sc_err fail_statement(sc_feed_link *link, const PGresult *result, sc_diag *diag)
{
    if (PQstatus(link->connection) == CONNECTION_BAD) {
        return fail_connection(link, diag, "the connection to the database was lost");
    }
    // The primary message alone: details may hold a whole row.
    const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const line w = one_line(link->connection, said ? said : PQerrorMessage(link->connection));
    return sc_fail(diag, SC_EIO, "the database reports: %s%s", w.text,
                   advice_for(PQresultErrorField(result, PG_DIAG_SQLSTATE)));
}

// --- Connecting -----------------------------------------------------------------

sc_err sc__feed_link_check_url(const char *url, sc_diag *diag)
{
    const char *rest = strstr(url, "://");
    const size_t scheme = rest ? (size_t)(rest - url) : 0;
    if ((scheme != 10 || strncmp(url, "postgresql", scheme) != 0) &&
        (scheme != 8 || strncmp(url, "postgres", scheme) != 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the address of a database must begin with postgresql://, as in "
                       "postgresql://user@host/database");
    }
    // A password with a bare '@' or '/' would be taken apart, and a part of it for a host, a port
    // or a database, which messages name. One '@' is before any '/': the one behind the user.
    rest += 3;
    const size_t user = strcspn(rest, "@/");
    if (rest[user] == '@') rest += user + 1;
    if (strchr(rest, '@')) {
        return sc_fail(diag, SC_EINVAL,
                       "the address of the database has too many '@': in a name or a password, "
                       "write %%40 for '@' and %%2F for '/'");
    }
    // libpq's own complaint repeats the address.
    PQconninfoOption *parts = PQconninfoParse(url, NULL);
    if (!parts) {
        return sc_fail(diag, SC_EINVAL,
                       "this is not the address of a database; write it as "
                       "postgresql://user@host:port/database?option=value, with %%XX for special "
                       "characters in a value");
    }
    PQconninfoFree(parts);
    return SC_OK;
}

/** NOTICE and the like: libpq would print them. */
static void keep_silent(void *data, const PGresult *notice)
{
    (void)data;
    (void)notice;
}

static PGconn *start(const char *url)
{
    // What comes before the URL is a default, what comes after it is not to be changed. A server
    // that has vanished is missed after a minute, and not in two hours as the system would.
    const char *const keywords[] = {
        "application_name", "keepalives_idle", "keepalives_interval", "keepalives_count",
        "tcp_user_timeout", "dbname",          "client_encoding",     NULL};
    const char *const values[] = {"starcloak", "30", "10", "3", "10000", url, "UTF8", NULL};
    return PQconnectStartParams(keywords, values, 1);
}

/** How many things a list with commas between them has. */
static int64_t count_listed(const char *list)
{
    int64_t count = 1;
    for (; (list = strchr(list, ',')); list++) {
        count++;
    }
    return count;
}

/** How long connecting may take: each host of the URL in turn. */
static int64_t patience_ms(PGconn *connection)
{
    int64_t seconds = 0;
    int64_t hosts = 1;
    PQconninfoOption *parts = PQconninfo(connection);
    for (const PQconninfoOption *p = parts; p && p->keyword; p++) {
        if (!p->val) continue;
        if (strcmp(p->keyword, "connect_timeout") == 0) seconds = strtol(p->val, NULL, 10);
        if (strcmp(p->keyword, "host") == 0) hosts = count_listed(p->val);
    }
    PQconninfoFree(parts);
    return (seconds > 0 ? seconds : CONNECT_TIMEOUT_S) * hosts * 1000;
}

/** Follow libpq through the steps of connecting. */
static sc_err finish_connecting(sc_feed_link *link, sc_diag *diag)
{
    static const char unreachable[] = "the database cannot be reached";
    const int64_t until_ms = sc__feed_link_clock_ms() + patience_ms(link->connection);
    if (PQstatus(link->connection) == CONNECTION_BAD) {
        return fail_connection(link, diag, unreachable);
    }
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        const wait_result result = wait_for(link, events, until_ms);
        if (result != WAIT_READY) {
            sc__feed_link_close(link);
            if (result == WAIT_ENDING) return fail_ending(diag);
            return sc_fail(diag, SC_EIO, "%s: it did not answer in time", unreachable);
        }
        next = PQconnectPoll(link->connection);
        if (next == PGRES_POLLING_FAILED) return fail_connection(link, diag, unreachable);
    }
    return SC_OK;
}

sc_err sc__feed_link_open(sc_feed_link *link, const char *url, sc_diag *diag)
{
    link->connection = start(url);
    if (!link->connection) return sc_fail_memory(diag, "connecting to the database");
    PQsetNoticeReceiver(link->connection, keep_silent, NULL);
    const sc_err err = finish_connecting(link, diag);
    if (err) return err;
    if (PQsetnonblocking(link->connection, 1)) {
        return fail_connection(link, diag, "the connection to the database was lost");
    }
    return SC_OK;
}

void sc__feed_link_close(sc_feed_link *link)
{
    PQfinish(link->connection);  // NULL is fine
    link->connection = NULL;
}

// --- Statements -----------------------------------------------------------------

/** Until the next PQgetResult() has something to give without waiting. */
static sc_err await_result(sc_feed_link *link, sc_diag *diag)
{
    for (;;) {
        const int unsent = PQflush(link->connection);
        if (unsent == 0 && !PQisBusy(link->connection)) return SC_OK;
        if (unsent >= 0) {
            const short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
            if (wait_for(link, events, SC_FEED_NEVER) == WAIT_ENDING) {
                sc__feed_link_close(link);
                return fail_ending(diag);
            }
        }
        if (unsent < 0 || !PQconsumeInput(link->connection)) {
            return fail_connection(link, diag, "the connection to the database was lost");
        }
    }
}

sc_err sc__feed_link_ask(sc_feed_link *link, const char *statement, sc_diag *diag)
{
    enum { IN_BINARY = 1 };
    if (!PQsendQueryParams(link->connection, statement, 0, NULL, NULL, NULL, NULL, IN_BINARY) ||
        !PQsetSingleRowMode(link->connection)) {
        return fail_statement(link, NULL, diag);
    }
    return SC_OK;
}

void sc__feed_link_drain(sc_feed_link *link)
{
    while (link->connection && !await_result(link, NULL)) {
        PGresult *result = PQgetResult(link->connection);
        if (!result) return;
        PQclear(result);
    }
}

sc_err sc__feed_link_row(sc_feed_link *link, PGresult **row, sc_diag *diag)
{
    PGresult *result = NULL;
    do {
        PQclear(result);
        const sc_err err = await_result(link, diag);
        if (err) return err;
        result = PQgetResult(link->connection);
        // The rows end with a result of their own, which has none; the statement with NULL.
    } while (PQresultStatus(result) == PGRES_TUPLES_OK ||
             PQresultStatus(result) == PGRES_COMMAND_OK);

    if (!result || PQresultStatus(result) == PGRES_SINGLE_TUPLE) {
        *row = result;
        return SC_OK;
    }
    const sc_err err = fail_statement(link, result, diag);
    PQclear(result);
    sc__feed_link_drain(link);
    return err;
}

sc_err sc__feed_link_run(sc_feed_link *link, const char *statement, sc_diag *diag)
{
    PGresult *row = NULL;
    sc_err err = sc__feed_link_ask(link, statement, diag);
    if (!err) err = sc__feed_link_row(link, &row, diag);
    if (err) return err;
    PQclear(row);
    sc__feed_link_drain(link);
    return SC_OK;
}

sc_err sc__feed_link_listen(sc_feed_link *link, bool *notified, sc_diag *diag)
{
    *notified = false;
    if (!PQconsumeInput(link->connection)) {
        return fail_connection(link, diag, "the connection to the database was lost");
    }
    for (PGnotify *note; (note = PQnotifies(link->connection));) {
        *notified = true;
        PQfreemem(note);
    }
    return SC_OK;
}

// === Statements =================================================================================
// Every name that a user chose passes through PQescapeIdentifier(): whatever it holds, it names a
// table or a column, and at worst one that does not exist.
//
// The table is read by one SELECT, which sees one snapshot of it: a transaction of another client
// is in it wholly or not at all.

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
    // A geometry without a reference system is taken to have degrees.
    return text_of("CASE ST_SRID(%s::geometry) WHEN 0 THEN ST_Centroid(%s::geometry) "
                   "ELSE ST_Transform(ST_Centroid(%s::geometry), 4326) END",
                   column, column, column);
}

sc_err sc__feed_query_select(PGconn *connection, const sc_feed_options *options, sc_coords coords,
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

sc_err sc__feed_query_listen(PGconn *connection, const char *channel, char **out, sc_diag *diag)
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
