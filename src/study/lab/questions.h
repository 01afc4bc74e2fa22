/**
 * @file questions.h
 * @brief What travellers asked in a run, kept to be asked again of every method.
 *
 * Uses: sim/run. Used by: lab/point.
 */
#ifndef SC_LAB_QUESTIONS_H
#define SC_LAB_QUESTIONS_H

#include "sim/run.h"

/** Zero-initialise; sc__questions_fini() when done. */
typedef struct sc__questions {
    sc_request_line *lines;  ///< in the order of time
    size_t count;
    size_t capacity;
    char *names;  ///< of users, one behind the other as in the lines
    size_t name_size;
    size_t name_capacity;
} sc__questions;

/** Keeps every question that it hears of. @param questions  borrowed */
sc_run_listener sc__questions_listener(sc__questions *questions);

/** The run is over: `lines` may be used from now on, and none is added any more. */
void sc__questions_settle(sc__questions *questions);

/** Harmless twice. */
void sc__questions_fini(sc__questions *questions);

#endif
