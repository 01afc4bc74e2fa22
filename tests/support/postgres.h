/**
 * @file postgres.h
 * @brief A real PostgreSQL with PostGIS for a test program.
 *
 * tests/support/with_postgres runs the server in a temporary directory and takes both away when
 * the test ends, however it ends: it watches a pipe that the test holds.
 */
#ifndef SC_TESTS_SUPPORT_POSTGRES_H
#define SC_TESTS_SUPPORT_POSTGRES_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

typedef struct postgres {
    pid_t keeper;  ///< the script; 0: there is none
    FILE *orders;  ///< to it
    FILE *words;   ///< from it
    char url[128];
} postgres;

/**
 * Start one; call it before the program has threads. False where PostgreSQL is not installed,
 * and then a test is to be skipped.
 */
bool postgres_begin(postgres *server);

/** Stop it and remove its files; harmless twice. */
void postgres_end(postgres *server);

/** Stop the server, sessions and all; what it stores stays. */
void postgres_stop(postgres *server);

/** Start it again, on the same port. */
void postgres_start(postgres *server);

/** Run statements, which must succeed. */
void postgres_run(const postgres *server, const char *statements, ...)
    __attribute__((format(printf, 2, 3)));

/** Lock a table against other readers until postgres_let_go(). */
typedef struct pg_conn postgres_lock;
postgres_lock *postgres_hold(const postgres *server, const char *table);
void postgres_let_go(postgres_lock *lock);

/** How many sessions of the application "starcloak" meet a condition on pg_stat_activity. */
int postgres_sessions(const postgres *server, const char *condition);

/** The process of the server. */
pid_t postgres_pid(const postgres *server);

#endif
