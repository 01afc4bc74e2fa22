/**
 * @file mend.h
 * @brief Parts without a star get some, and parts are numbered as their first stars are.
 *
 * METIS may leave parts empty, and says nothing about it. An empty part would be an engine that
 * waits for nobody, while another does the work of two.
 *
 * Used by: partition.c.
 */
#ifndef SC_PARTITION_MEND_H
#define SC_PARTITION_MEND_H

#include "partition/partition_make_internal.h"

/**
 * As long as a part is empty, the heaviest of those with two stars or more gives it half of its
 * weight. There must not be more parts than stars, and every star is in a part.
 */
SC_CHECKED sc_err sc__mend_empty(sc__cutting *cutting, uint32_t parts, sc_diag *diag);

/** Number the parts by their first stars, so that parts near in number are near on the ground. */
SC_CHECKED sc_err sc__renumber(sc__cutting *cutting, uint32_t parts, sc_diag *diag);

#endif
