/**
 * @file flags_file.h
 * @brief A command's flags from a file: "name = value" lines, as its long options are called.
 */
#ifndef SC_APPS_FLAGS_FILE_H
#define SC_APPS_FLAGS_FILE_H

#include "command.h"

/** Zero-initialise; release with sc_flags_file_fini() once the arguments are no longer used. */
typedef struct sc_flags_file {
    char **argv;
    char **texts;  ///< those of argv that were made here
    size_t text_count;
} sc_flags_file;

/**
 * If the arguments of `call` have "--config FILE", put the flags of the file before them, where
 * they lose against those of the command line: a flag that is given there is left out.
 *
 * A line is "name = value"; of a switch, "name = yes" or "name = no". "map" is the argument. Empty
 * lines, lines that begin with ';' or '#', and "[section]" are passed over.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_ENOMEM
 */
SC_CHECKED sc_err sc_flags_file_read(sc_call *call, const sc_option *table, sc_flags_file *out,
                                     sc_diag *diag);

void sc_flags_file_fini(sc_flags_file *file);

#endif
