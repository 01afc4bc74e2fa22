/**
 * @file gnuplot.h
 * @brief Running gnuplot: a script goes in, drawings come out.
 *
 * No shell, no files: script, drawings and complaints are in memory that has a file descriptor, so
 * neither side ever waits for the other.
 *
 * Used by: lab/plot.c.
 */
#ifndef SC_LAB_GNUPLOT_H
#define SC_LAB_GNUPLOT_H

#include <starcloak/err.h>
#include <stddef.h>
#include <stdio.h>

/** A script to be written, in memory. fclose() it when done. NULL: see errno. */
FILE *sc__gnuplot_script(void);

/**
 * Let gnuplot, as $PATH has it, do what the script says, without anybody's own settings.
 *
 * @param script  all written so far
 * @param text    set on success: what gnuplot wrote to its standard output, with a NUL behind it;
 *                release with sc_free()
 * @return SC_OK, SC_EUNKNOWN (there is no gnuplot), SC_EIO (it cannot be run, or it failed: `diag`
 *         has its last words), SC_ENOMEM
 */
SC_CHECKED sc_err sc__gnuplot_run(FILE *script, char **text, size_t *size, sc_diag *diag);

#endif
