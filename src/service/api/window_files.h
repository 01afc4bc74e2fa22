/**
 * @file window_files.h
 * @brief The files that the window is made of, put into the program when it is built.
 *
 * cmake/embed_window.cmake writes the table from what scripts/web has built. It is empty where that
 * was not done.
 *
 * Used by: window.c, its tests, and the source that is written.
 */
#ifndef SC_SERVICE_WINDOW_FILES_H
#define SC_SERVICE_WINDOW_FILES_H

#include "api/window.h"

typedef struct sc__window_file {
    const char *path;  ///< "/index.html", "/assets/index-abc123.js"
    const char *type;  ///< media type
    const unsigned char *bytes;
    size_t size;
} sc__window_file;

extern const sc__window_file sc__window_files[];
extern const size_t sc__window_file_count;

/** sc_window_new() of these files, which must outlive it. */
SC_CHECKED sc_err sc__window_new_from(const sc__window_file *files, size_t count, sc_window **out,
                                      sc_diag *diag);

#endif
