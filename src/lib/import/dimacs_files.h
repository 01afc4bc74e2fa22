/**
 * @file dimacs_files.h
 * @brief Which of the files given are the lengths, travel times and coordinates of which graph.
 *
 * Names decide: .co files have coordinates and belong to the graph of the same name. A .gr file
 * has travel times if the options name it, or if another one is called the same but for a 'd' in
 * place of its 't' (USA-road-t.NY.gr, USA-road-d.NY.gr); all other .gr files have lengths.
 */
#ifndef SC_IMPORT_DIMACS_FILES_H
#define SC_IMPORT_DIMACS_FILES_H

#include "import/import_internal.h"

/** One graph: its arcs and, if there are any, its travel times and its coordinates. */
typedef struct sc_dimacs_graph {
    const sc_input *arcs;
    const sc_input *times;
    const sc_input *places;
} sc_dimacs_graph;

/**
 * Find the graphs among the inputs of `load`. Either all of them have travel times or none, and
 * the same for coordinates.
 *
 * @param graphs  room for as many as there are inputs, zeroed
 * @param count   0; how many graphs there are
 * @return SC_OK, or SC_EINVAL with the file that does not fit
 */
sc_err sc__dimacs_pair_files(const sc_load *load, sc_dimacs_graph *graphs, size_t *count);

#endif
