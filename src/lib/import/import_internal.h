/**
 * @file import_internal.h
 * @brief The readers: one function per format, from bytes to a builder.
 *
 * A reader gets its inputs as bytes (so that a fuzzer can be its caller), adds
 * nodes, edges and objects to a new builder, and names file, place, field and
 * value when it refuses an input. It never prints, and on failure *out is untouched.
 *
 * Adding a format: a reader in src/lib/import/load_<format>.c, a line in SC_FORMAT_MAP, a case in
 * import.c, and fuzz/fuzz_map_<format>.c.
 */
#ifndef SC_IMPORT_IMPORT_INTERNAL_H
#define SC_IMPORT_IMPORT_INTERNAL_H

#include <starcloak/map_import.h>

#include "base/file.h"

/** The arguments of every reader. */
typedef struct sc_load {
    const sc_input *inputs;  ///< in the order the user gave them
    size_t input_count;
    const sc_import_options *options;
    sc_import_report *report;  ///< never NULL
    sc_diag *diag;             ///< may be NULL
} sc_load;

SC_CHECKED sc_err sc__load_cnode(const sc_load *load, sc_builder **out);
SC_CHECKED sc_err sc__load_dimacs(const sc_load *load, sc_builder **out);
SC_CHECKED sc_err sc__load_osm(const sc_load *load, sc_builder **out);
SC_CHECKED sc_err sc__load_mobisim(const sc_load *load, sc_builder **out);
SC_CHECKED sc_err sc__load_sumo(const sc_load *load, sc_builder **out);

/** Inputs: each `.shp` followed, anywhere, by the `.dbf` of the same name. */
SC_CHECKED sc_err sc__load_shapefile(const sc_load *load, sc_builder **out);

/**
 * Add the objects of a CSV file (lon,lat,category[,name]) to `builder`. Those
 * whose position is left empty are counted in `report`, which is never NULL.
 */
SC_CHECKED sc_err sc__load_objects(const sc_input *input, sc_builder *builder,
                                   sc_import_report *report, sc_diag *diag);

/** How many bytes of `path`, directories included, are its stem: "a/roads" of "a/roads.dbf.xz". */
size_t sc__stem_size(const char *path);

/** Whether both have the same stem, letter by letter. */
bool sc__same_stem(const char *a, const char *b);

/** Tell the caller how far a phase has come; cheap without a listener. */
static inline void sc__load_progress(const sc_load *load, const char *phase, uint64_t done,
                                     uint64_t total)
{
    if (load->options->progress.report) {
        load->options->progress.report(load->options->progress.context, phase, done, total);
    }
}

#endif
