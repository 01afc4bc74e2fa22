/**
 * @file child_processes.h
 * @brief Points done by processes of their own, a few at a time.
 *
 * A process that dies, for lack of memory say, takes only its own point along; and what it used is
 * given back when it is done. What all points of a map share is prepared before the first of them
 * parts, and given up after the last.
 *
 * The caller must have no other threads: one of them might hold something, memory say, that
 * the new processes would wait for.
 */
#ifndef SC_LAB_CHILD_PROCESSES_H
#define SC_LAB_CHILD_PROCESSES_H

#include <signal.h>

#include "lab/store.h"

/** Points to be done. */
typedef struct sc__task {
    const sc__store *store;
    const sc_lab_point *points;
    size_t count;
    size_t done_before;  ///< others, which progress counts as done
    const volatile sig_atomic_t *stop;
} sc__task;

/**
 * Do them all, each leaving its file. If one fails the others are stopped; what is done stays.
 *
 * @return SC_OK, SC_EINTERRUPTED (told to stop), SC_EIO (a process cannot be started, or was
 *         killed), SC_ENOMEM, or what a point failed with
 */
SC_CHECKED sc_err sc__work(const sc__task *task, sc_diag *diag);

#endif
