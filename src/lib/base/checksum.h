/**
 * @file checksum.h
 * @brief XXH3 with the widest vectors that the machine has.
 *
 * Opening a map is bound by how fast its bytes can be summed. libxxhash has code
 * for every x86-64 generation and can choose at run time; elsewhere its one
 * version is taken. The values are the same.
 */
#ifndef SC_BASE_CHECKSUM_H
#define SC_BASE_CHECKSUM_H

#include <xxhash.h>

#if defined(__x86_64__)
// The names of xxhash.h become those of the dispatching versions.
#include <xxh_x86dispatch.h>
#endif

#endif
