/**
 * @file texts.h
 * @brief Maps written down as texts in a test, given to a reader as its files.
 */
#ifndef SC_TESTS_SUPPORT_TEXTS_H
#define SC_TESTS_SUPPORT_TEXTS_H

#include "import/import_internal.h"

typedef sc_err text_reader(const sc_load *load, sc_builder **out);

enum { MAX_TEXTS = 6 };

/** A file; one without a text is left out. */
typedef struct text_file {
    const char *name;
    const char *text;
} text_file;

/** The files of one map; those behind the last are zero. */
typedef struct text_files {
    text_file file[MAX_TEXTS];
} text_files;

/** Read and finish; objects may lie anywhere. `report` may be NULL. */
sc_err read_texts(text_reader *read, const text_files *files, const sc_import_options *options,
                  sc_map **map, sc_import_report *report, sc_diag *diag);

/** The same where it must succeed; the map passes its check. */
sc_map *read_good_texts(text_reader *read, const text_files *files,
                        const sc_import_options *options);

/** It must be refused with exactly this message. */
void check_texts_refused(text_reader *read, const text_files *files,
                         const sc_import_options *options, sc_err wanted, const char *message);

#endif
