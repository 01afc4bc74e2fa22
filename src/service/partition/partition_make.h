/**
 * @file partition_make.h
 * @brief Making a partition of a map (METIS on the star graph, weighted by expected queries), and
 * describing one: numbers and a drawing.
 *
 * METIS is given the star graph with a weight per star (its share of expected queries) and per
 * adjacency (segments that two stars share), and cuts few adjacencies while parts weigh nearly the
 * same. Components are divided together: those that are small beside a part are packed whole. One
 * part needs no METIS; more parts than stars are refused, and with as many parts as stars or fewer
 * none is empty.
 *
 * The same map, weights and seed give the same partition. METIS draws from rand() and handles
 * SIGTERM itself while it works: make one partition at a time in a process.
 */
#ifndef SC_PARTITION_PARTITION_MAKE_H
#define SC_PARTITION_PARTITION_MAKE_H

#include <starcloak/map.h>

#include <stdio.h>

#include "partition/partition.h"

typedef struct sc_partition_options {
    uint32_t parts;         ///< 1 to SC_PARTITION_PARTS_MAX
    const double *weights;  ///< per segment, >= 0; NULL: all segments weigh the same
    uint32_t seed;
} sc_partition_options;

/**
 * @return SC_OK, SC_EINVAL (too many parts, a weight below 0 or not finite), SC_ENOMEM,
 *         SC_EINTERRUPTED (SIGTERM while METIS was at work)
 */
SC_CHECKED sc_err sc_partition_make(const sc_map *map, const sc_partition_options *options,
                                    sc_partition **out, sc_diag *diag);

/** Reports count the stars with another part within 0 to this many hops. */
enum { SC_PARTITION_HOPS = 8 };

/** One part. */
typedef struct sc_partition_part {
    uint32_t stars;
    uint32_t segments;    ///< whose home it is
    double weight;        ///< its share of all, 0 to 1: that of the segments above
    uint32_t pieces;      ///< connected ones
    uint32_t neighbours;  ///< other parts that it touches
} sc_partition_part;

typedef struct sc_partition_report {
    uint32_t parts;
    uint64_t stars;
    uint64_t adjacencies;                ///< of the star graph
    uint64_t edge_cut;                   ///< of them, those between two parts
    double balance;                      ///< the heaviest part's weight by the mean
    double balance_segments;             ///< the same, counting segments
    uint32_t components;                 ///< of the star graph
    double near[SC_PARTITION_HOPS + 1];  ///< share of stars with another part within h hops
    sc_partition_part *each;             ///< one per part; owned
} sc_partition_report;

/** @param weights  as in sc_partition_options: those that the partition was made with */
SC_CHECKED sc_err sc_partition_describe(const sc_partition *partition, const double *weights,
                                        sc_partition_report *out, sc_diag *diag);
void sc_partition_report_fini(sc_partition_report *report);

/**
 * Parts as GeoJSON: a feature of lines per part, with the numbers of its report, coloured so that
 * neighbours differ. A plane is shown as one, as 'map export' does. Write errors are the stream's,
 * to be asked for when it is closed.
 *
 * @return SC_OK, SC_ENOCOORDS (the map has none), SC_ENOMEM
 */
SC_CHECKED sc_err sc_partition_draw(const sc_partition *partition,
                                    const sc_partition_report *report, FILE *file, sc_diag *diag);

#endif
