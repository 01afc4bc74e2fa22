/**
 * @file progress.h
 * @brief Being told how far long work has come.
 */
#ifndef STARCLOAK_PROGRESS_H
#define STARCLOAK_PROGRESS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Called now and then during long work, from the working thread, with how much
 * of a phase is done; `total` is 0 where that is not known.
 */
typedef struct sc_progress {
    void (*report)(void *context, const char *phase, uint64_t done, uint64_t total);
    void *context;
} sc_progress;

#ifdef __cplusplus
}
#endif
#endif
