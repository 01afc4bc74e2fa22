/**
 * @file history.h
 * @brief Reading a run record back: who asked when, and what became of it.
 *
 * With a JSON library and plain lists, so that it shares nothing with what writes
 * records or verifies them.
 */
#ifndef SC_TESTS_SUPPORT_HISTORY_H
#define SC_TESTS_SUPPORT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include <starcloak/map.h>
#include <starcloak/query.h>

/** A query of a record, with its end. */
typedef struct life {
    char id[SC_QUERY_ID_TEXT];
    char user[32];
    double asked;
    double ended;
    unsigned ends;  ///< how often it ended
} life;

typedef struct history {
    life *lives;
    size_t count;
    double end;       ///< time of the last event
    bool is_ordered;  ///< times never run backwards
} history;

/** Read the record at `path`; what ends must have been asked before. Release with history_free().
 */
history history_read(const char *path);
void history_free(history *h);

/** The verifier finds nothing wrong with the record at `path`, and nothing open at its end. */
void check_promises(const sc_map *map, const char *path);

/** Whether two files hold the same bytes. */
bool is_same_file(const char *a, const char *b);

#endif
