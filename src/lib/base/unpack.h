/**
 * @file unpack.h
 * @brief Undoing xz and gzip in memory.
 *
 * Road maps are published compressed. A packed input may be hostile: what it
 * unpacks to is limited, since a kilobyte can unpack to gigabytes.
 */
#ifndef SC_BASE_UNPACK_H
#define SC_BASE_UNPACK_H

#include "base/file.h"

/** Nothing here unpacks to more than this: the largest real map is well below. */
#define SC_UNPACK_MAX_BYTES ((size_t)16 << 30)

/** Whether the content begins like xz or gzip. */
bool sc_unpack_needed(const sc_input *input);

/** Unpack; *memory is the caller's to sc_free(). Fails with SC_EPARSE, SC_ELIMIT, SC_ENOMEM. */
SC_CHECKED sc_err sc_unpack(const sc_input *input, void **memory, size_t *size, sc_diag *diag);

#endif
