// A PostgreSQL for tests. See postgres.h.
#include "support/postgres.h"

#include "support/check.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <sys/wait.h>
#include <unistd.h>

/** The exit status with which the script says that there is nothing to start. */
enum { NOT_INSTALLED = 77 };

/** A line from the script without its line end; false when it has ended. */
static bool hear(postgres *server, char *line, int size)
{
    if (!fgets(line, size, server->words)) return false;
    line[strcspn(line, "\n")] = '\0';
    return true;
}

static int end_keeper(postgres *server)
{
    fclose(server->orders);
    fclose(server->words);
    int status = 0;
    if (waitpid(server->keeper, &status, 0) != server->keeper) abort();
    *server = (postgres){.keeper = 0};
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void become_keeper(const int orders[2], const int words[2])
{
    // The script's own ends lose their mark to be closed by becoming standard streams.
    dup2(orders[0], STDIN_FILENO);
    dup2(words[1], STDOUT_FILENO);
    execl("/bin/bash", "bash", SC_REPOSITORY "/tests/support/with_postgres", "--serve",
          (char *)NULL);
    _exit(1);
}

bool postgres_begin(postgres *server)
{
    int orders[2];
    int words[2];
    if (pipe2(orders, O_CLOEXEC) || pipe2(words, O_CLOEXEC)) abort();
    *server = (postgres){.keeper = fork()};
    if (server->keeper < 0) abort();
    if (server->keeper == 0) become_keeper(orders, words);
    close(orders[0]);
    close(words[1]);
    server->orders = fdopen(orders[1], "w");
    server->words = fdopen(words[0], "r");
    if (!server->orders || !server->words) abort();

    if (!hear(server, server->url, sizeof server->url)) {
        if (end_keeper(server) != NOT_INSTALLED) fail_msg("PostgreSQL did not start");
        return false;
    }
    return true;
}

void postgres_end(postgres *server)
{
    if (server->keeper > 0) end_keeper(server);
}

static void order(postgres *server, const char *word)
{
    char answer[16];
    fprintf(server->orders, "%s\n", word);
    fflush(server->orders);
    assert_true(hear(server, answer, sizeof answer));
    assert_string_equal(answer, "done");
}

void postgres_stop(postgres *server)
{
    order(server, "stop");
}

void postgres_start(postgres *server)
{
    order(server, "start");
}

static void keep_silent(void *data, const char *notice)
{
    (void)data;
    (void)notice;
}

static PGconn *connect_to(const postgres *server)
{
    PGconn *connection = PQconnectdb(server->url);
    PQsetNoticeProcessor(connection, keep_silent, NULL);
    return connection;
}

/** The first field of what `statements` give, as a number; -1 if they give nothing. */
static int run_on(PGconn *connection, const char *statements)
{
    PGresult *result = PQexec(connection, statements);
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
        fail_msg("%s: %s", statements, PQerrorMessage(connection));
    }
    const int first = PQntuples(result) > 0 ? (int)strtol(PQgetvalue(result, 0, 0), NULL, 10) : -1;
    PQclear(result);
    return first;
}

static int run(const postgres *server, const char *statements)
{
    PGconn *connection = connect_to(server);
    const int first = run_on(connection, statements);
    PQfinish(connection);
    return first;
}

void postgres_run(const postgres *server, const char *statements, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, statements);
    const int size = vsnprintf(text, sizeof text, statements, arguments);
    va_end(arguments);
    assert_true(size >= 0 && (size_t)size < sizeof text);
    run(server, text);
}

postgres_lock *postgres_hold(const postgres *server, const char *table)
{
    char text[128];
    snprintf(text, sizeof text, "BEGIN; LOCK TABLE %s", table);
    PGconn *connection = connect_to(server);
    run_on(connection, text);
    return connection;
}

void postgres_let_go(postgres_lock *lock)
{
    PQfinish(lock);
}

int postgres_sessions(const postgres *server, const char *condition)
{
    char text[512];
    snprintf(text, sizeof text,
             "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'starcloak' AND (%s)",
             condition);
    return run(server, text);
}

pid_t postgres_pid(const postgres *server)
{
    // The first line of the file.
    return run(server, "SELECT pg_read_file('postmaster.pid')");
}
