/**
 * @file demand_digest.h
 * @brief What tells the demands of one process from those of another.
 *
 * All processes of a cluster must ask the same of cloaks, or what a gateway promises its users
 * would depend on which worker found the cloak. So heartbeats carry this, and a process with
 * another is refused as one with another map is.
 */
#ifndef SC_CLUSTER_DEMAND_DIGEST_H
#define SC_CLUSTER_DEMAND_DIGEST_H

#include <starcloak/demands.h>

/** How cloaks of one user are linked (setting `continuity`). Zeroed: they are not. */
typedef struct sc_continuity_digest {
    bool is_asked;
    double vmax_m_s;  ///< 0: not known, as the next: gateways link cloaks, and workers do not
    double tau_s;
} sc_continuity_digest;

/** Zeroed: nothing is asked. */
typedef struct sc_demand_digest {
    uint64_t density;  ///< sc_density_checksum(); 0: traffic is not asked
    uint64_t classes;  ///< of their names and roads; 0: none
    uint32_t traffic;
    bool is_strict;
    sc_continuity_digest continuity;
} sc_demand_digest;

/** Time: the roads of the map, if there are classes or a density. */
sc_demand_digest sc_demand_digest_of(const sc_demands *demands,
                                     const sc_continuity_digest *continuity);

/** The setting in which two differ, the one to look at first: "density", "classes", "traffic",
 * "strict", "continuity", "vmax" or "tau"; NULL if they are the same, or one does not know. */
const char *sc_demand_digest_difference(const sc_demand_digest *a, const sc_demand_digest *b);

#endif
