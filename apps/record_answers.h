/**
 * @file record_answers.h
 * @brief The last part of a simulated run: the provider answers, and the record has it.
 *
 * A run is recorded first and answered afterwards, as `starcloak evaluate` does it; since
 * time is virtual, that makes no difference. A record for standard output waits in memory until it
 * is answered: it has users and positions, and must not be left on a disk by a run that was killed.
 *
 * Used by: simulate.
 */
#ifndef SC_APPS_RECORD_ANSWERS_H
#define SC_APPS_RECORD_ANSWERS_H

#include <stdbool.h>

#include "command.h"
#include "sim/run.h"

/** A record on its way. SC_ANSWERING_NONE to begin with; sc_answering_close(). */
typedef struct sc_answering {
    const char *output;  ///< where the record goes in the end; NULL: there is none
    int memory;          ///< a descriptor of the memory where it waits; -1 if it needs none
    int standard;        ///< the real standard output meanwhile; -1 if that is in place
    char path[32];       ///< of that memory
    bool is_answered;    ///< the record has answers: so many
    uint64_t answer_count;
} sc_answering;

#define SC_ANSWERING_NONE ((sc_answering){.memory = -1, .standard = -1})

/**
 * Let `run` record where the record can be answered, if one is wanted and the map has objects to
 * answer with. If it has none, standard error is told, unless `is_quiet`.
 */
SC_CHECKED sc_err sc_answering_open(sc_answering *answering, const sc_call *call, const sc_map *map,
                                    bool is_quiet, sc_run_options *run, sc_diag *diag);

/** The run is over: answer its record. */
SC_CHECKED sc_err sc_answering_finish(sc_answering *answering, const sc_call *call,
                                      const sc_map *map, const sc_run_options *run, sc_diag *diag);

/** Standard output is again what it was. Harmless twice. */
void sc_answering_close(sc_answering *answering);

#endif
