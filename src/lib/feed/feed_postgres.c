// A connection to PostgreSQL that can be interrupted. See feed_internal.h.
//
// 1. Everything that waits waits in wait_for(), for the server, for a time and for the end of the
//    feed: libpq is used in its non-blocking form throughout. (One thing is out of our hands:
//    looking up a host's name waits for the resolver.)
// 2. A connection that is broken is closed where that is noticed, so that `connection` alone
//    says whether there is one.
// 3. What libpq says passes through words_of(): in one line, and without the password.
//
// Used by: the other files of the feed.
#include "feed/feed_internal.h"

#include "base/diag.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** How long one host may take to answer where the URL has no connect_timeout. */
#define CONNECT_TIMEOUT_S 10

int64_t sc__link_clock_ms(void)
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
    if (until_ms == SC_LINK_NEVER) return -1;
    const int64_t left = until_ms - sc__link_clock_ms();
    return (int)(left < 0 ? 0 : left > LONGEST_MS ? LONGEST_MS : left);
}

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);  // a tenth of a second
}

/** Wait for the socket, if there is one, to be ready for `events`. */
static wait_result wait_for(const sc_link *link, short events, int64_t until_ms)
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
        // The system has no memory for it, say, and will not have it at once.
        if (ready < 0 && errno != EINTR) nap();
        // Else a signal, or one of several hours is over.
    }
}

bool sc__link_is_ending(const sc_link *link)
{
    struct pollfd end = {.fd = link->end_fd, .events = POLLIN};
    return poll(&end, 1, 0) > 0;
}

void sc__link_wait(const sc_link *link, int64_t until_ms)
{
    (void)wait_for(link, POLLIN, until_ms);
}

// --- Words ----------------------------------------------------------------------

/** What the database says, fit to be part of a sentence. */
typedef struct words {
    char text[640];
} words;

/** One line, blanks for whatever parts words, and no password. */
static words words_of(const PGconn *connection, const char *said)
{
    words w = {.text = ""};
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
static sc_err fail_connection(sc_link *link, sc_diag *diag, const char *what)
{
    const words w = words_of(link->connection, PQerrorMessage(link->connection));
    sc_fail(diag, SC_EIO, "%s: %s", what, w.text);
    sc__link_close(link);
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
        {"42501", "; whoever owns it can GRANT SELECT on the table and USAGE on its schema"},
        {"42704", "; is PostGIS there? if not, run CREATE EXTENSION postgis in the database"},
        {"42883", "; is PostGIS there? if not, run CREATE EXTENSION postgis in the database"},
        {"42846", "; the position must be a geometry or geography"},
    };
    for (size_t i = 0; state && i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(state, known[i].state) == 0) return known[i].advice;
    }
    return "";
}

/** A statement failed; the connection may be as good as before. */
static sc_err fail_statement(sc_link *link, const PGresult *result, sc_diag *diag)
{
    if (PQstatus(link->connection) == CONNECTION_BAD) {
        return fail_connection(link, diag, "the connection to the database was lost");
    }
    // The primary message alone: details may hold a whole row.
    const char *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    const words w = words_of(link->connection, said ? said : PQerrorMessage(link->connection));
    return sc_fail(diag, SC_EIO, "the database says: %s%s", w.text,
                   advice_for(PQresultErrorField(result, PG_DIAG_SQLSTATE)));
}

// --- Connecting -----------------------------------------------------------------

sc_err sc__link_check_url(const char *url, sc_diag *diag)
{
    const char *rest = strstr(url, "://");
    const size_t scheme = rest ? (size_t)(rest - url) : 0;
    if ((scheme != 10 || strncmp(url, "postgresql", scheme) != 0) &&
        (scheme != 8 || strncmp(url, "postgres", scheme) != 0)) {
        return sc_fail(diag, SC_EINVAL,
                       "the address of a database begins with postgresql://, as in "
                       "postgresql://user@host/database");
    }
    // A password with a bare '@' or '/' would be taken apart, and a part of it for a host, a port
    // or a database, which messages name. One '@' is before any '/': the one behind the user.
    rest += 3;
    const size_t user = strcspn(rest, "@/");
    if (rest[user] == '@') rest += user + 1;
    if (strchr(rest, '@')) {
        return sc_fail(diag, SC_EINVAL,
                       "the address of the database has an '@' too many: in a name or a password "
                       "write %%40 for '@' and %%2F for '/'");
    }
    // libpq's own complaint repeats the address.
    PQconninfoOption *parts = PQconninfoParse(url, NULL);
    if (!parts) {
        return sc_fail(diag, SC_EINVAL,
                       "not the address of a database; write it as "
                       "postgresql://user@host:port/database?option=value, and what is neither "
                       "letter nor digit in a value as %%XX");
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
static sc_err finish_connecting(sc_link *link, sc_diag *diag)
{
    static const char unreachable[] = "the database cannot be reached";
    const int64_t until_ms = sc__link_clock_ms() + patience_ms(link->connection);
    if (PQstatus(link->connection) == CONNECTION_BAD) {
        return fail_connection(link, diag, unreachable);
    }
    PostgresPollingStatusType next = PGRES_POLLING_WRITING;
    while (next != PGRES_POLLING_OK) {
        const short events = next == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        const wait_result result = wait_for(link, events, until_ms);
        if (result != WAIT_READY) {
            sc__link_close(link);
            if (result == WAIT_ENDING) return fail_ending(diag);
            return sc_fail(diag, SC_EIO, "%s: it did not answer in time", unreachable);
        }
        next = PQconnectPoll(link->connection);
        if (next == PGRES_POLLING_FAILED) return fail_connection(link, diag, unreachable);
    }
    return SC_OK;
}

sc_err sc__link_open(sc_link *link, const char *url, sc_diag *diag)
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

void sc__link_close(sc_link *link)
{
    PQfinish(link->connection);  // NULL is fine
    link->connection = NULL;
}

// --- Statements -----------------------------------------------------------------

/** Until the next PQgetResult() has something to give without waiting. */
static sc_err await_result(sc_link *link, sc_diag *diag)
{
    for (;;) {
        const int unsent = PQflush(link->connection);
        if (unsent == 0 && !PQisBusy(link->connection)) return SC_OK;
        if (unsent >= 0) {
            const short events = unsent > 0 ? POLLIN | POLLOUT : POLLIN;
            if (wait_for(link, events, SC_LINK_NEVER) == WAIT_ENDING) {
                sc__link_close(link);
                return fail_ending(diag);
            }
        }
        if (unsent < 0 || !PQconsumeInput(link->connection)) {
            return fail_connection(link, diag, "the connection to the database was lost");
        }
    }
}

sc_err sc__link_ask(sc_link *link, const char *statement, sc_diag *diag)
{
    enum { IN_BINARY = 1 };
    if (!PQsendQueryParams(link->connection, statement, 0, NULL, NULL, NULL, NULL, IN_BINARY) ||
        !PQsetSingleRowMode(link->connection)) {
        return fail_statement(link, NULL, diag);
    }
    return SC_OK;
}

void sc__link_drain(sc_link *link)
{
    while (link->connection && !await_result(link, NULL)) {
        PGresult *result = PQgetResult(link->connection);
        if (!result) return;
        PQclear(result);
    }
}

sc_err sc__link_row(sc_link *link, PGresult **row, sc_diag *diag)
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
    sc__link_drain(link);
    return err;
}

sc_err sc__link_run(sc_link *link, const char *statement, sc_diag *diag)
{
    PGresult *row = NULL;
    sc_err err = sc__link_ask(link, statement, diag);
    if (!err) err = sc__link_row(link, &row, diag);
    if (err) return err;
    PQclear(row);
    sc__link_drain(link);
    return SC_OK;
}

sc_err sc__link_listen(sc_link *link, bool *notified, sc_diag *diag)
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
