/**
 * @file file.h
 * @brief Whole files in, whole files out.
 *
 * Input: a file is mapped, or unpacked into memory if its content is xz or gzip.
 * Output: written under a name that does not show, and renamed when it is whole;
 * whatever goes wrong before that leaves the old file and nothing else.
 *
 * An input that is shortened while it is mapped ends the process: no mapping can survive that.
 */
#ifndef SC_BASE_FILE_H
#define SC_BASE_FILE_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** The bytes of one input, with the name that errors give it. Readers take these. */
typedef struct sc_input {
    const char *name;  ///< the path as the user wrote it
    const uint8_t *data;
    size_t size;
} sc_input;

/** A file held open as bytes. */
typedef struct sc_file {
    sc_input input;
    void *memory;  ///< unpacked bytes, or NULL when mapped
    size_t mapped_size;
} sc_file;

/**
 * Take in the whole file at `path` (borrowed), unpacking xz and gzip.
 *
 * @return SC_OK, SC_EIO (missing, a directory, no permission, ...), SC_EPARSE
 *         (damaged compression), SC_ELIMIT (unpacks to too much), SC_ENOMEM
 */
SC_CHECKED sc_err sc_file_open(const char *path, sc_file *out, sc_diag *diag);

/** Map the file as it is, without looking for compression. */
SC_CHECKED sc_err sc_file_map(const char *path, sc_file *out, sc_diag *diag);

/** Let go of it; harmless on a zeroed or closed sc_file. */
void sc_file_close(sc_file *file);

/** The part of `path` after the last slash. */
const char *sc_file_base_name(const char *path);

/** Whether `path` ends in `suffix` (letters in either case), once ".xz" or ".gz" is taken off. */
bool sc_file_has_suffix(const char *path, const char *suffix);

/** An output that becomes visible only when it is whole. */
typedef struct sc_outfile {
    FILE *stream;  ///< write here; errors are collected until sc_outfile_commit()
    const char *path;
    char *target;     ///< where it will be: the path, or what a link there leads to
    char *temporary;  ///< its name until then, or the one it will have for a moment
    bool is_named;    ///< whether it has that name by now
    bool to_stdout;
} sc_outfile;

/** Begin writing `path` (borrowed). "-" is standard output. */
SC_CHECKED sc_err sc_outfile_open(const char *path, sc_outfile *out, sc_diag *diag);

/**
 * Whether sc_outfile_open() would go well, for those who work long before they write. Nothing is
 * changed by asking.
 *
 * @return as sc_outfile_open()
 */
SC_CHECKED sc_err sc_outfile_check(const char *path, sc_diag *diag);

/**
 * Bring what was written so far to the disk, so that only the renaming is left.
 * Of several files that belong together, settle all before committing any.
 */
SC_CHECKED sc_err sc_outfile_settle(const sc_outfile *out, sc_diag *diag);

/** Settle and rename into place. On failure the old file stays. */
SC_CHECKED sc_err sc_outfile_commit(sc_outfile *out, sc_diag *diag);

/** Give up: nothing of it stays. Harmless after a commit. */
void sc_outfile_abandon(sc_outfile *out);

#endif
