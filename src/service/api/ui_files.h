/**
 * @file ui_files.h
 * @brief The files that the UI is made of, put into the program when it is built.
 *
 * cmake/embed_ui.cmake writes the table from what scripts/web has built. It is empty where that
 * was not done.
 *
 * Used by: ui.c, its tests, and the source that is written.
 */
#ifndef SC_SERVICE_UI_FILES_H
#define SC_SERVICE_UI_FILES_H

#include "api/ui.h"

typedef struct sc__ui_file {
    const char *path;  ///< "/index.html", "/assets/index-abc123.js"
    const char *type;  ///< media type
    const unsigned char *bytes;
    size_t size;
} sc__ui_file;

extern const sc__ui_file sc__ui_files[];
extern const size_t sc__ui_file_count;

/** sc_ui_new() of these files, which must outlive it. */
SC_CHECKED sc_err sc__ui_new_from(const sc__ui_file *files, size_t count, sc_ui **out,
                                  sc_diag *diag);

#endif
