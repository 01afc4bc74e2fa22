/**
 * @file json_file.h
 * @brief Reading the laboratory's own files, which are JSON.
 *
 * Used by: lab (manifest, point_file).
 */
#ifndef SC_LAB_JSON_FILE_H
#define SC_LAB_JSON_FILE_H

#include <jansson.h>
#include <starcloak/err.h>
#include <stdbool.h>

/**
 * Read the file at `path`.
 *
 * @param out       what is in it; NULL if there is no file, or one that is damaged. Release with
 *                  json_decref()
 * @param is_there  set to whether there is a file, damaged or not
 * @return SC_OK, SC_EIO (there may be one, and it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__json_read(const char *path, json_t **out, bool *is_there, sc_diag *diag);

#endif
