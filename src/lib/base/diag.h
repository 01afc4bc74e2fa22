/**
 * @file diag.h
 * @brief Filling an sc_diag: the one sentence about what is wrong.
 *
 * Every text has the shape "FILE:LINE: what is wrong: 'value'; what to do".
 * A value taken from an input passes through sc_quote(), so that a
 * terminal never gets its control bytes.
 */
#ifndef SC_BASE_DIAG_H
#define SC_BASE_DIAG_H

#include <starcloak/err.h>
#include <stddef.h>

/** Write the sentence (cut to fit) and return `err`, so that it reads `return sc_fail(...)`. */
sc_err sc_fail(sc_diag *diag, sc_err err, const char *format, ...) SC_PRINTF(3, 4);

/** Fill `diag` for an allocation that failed while `doing` something; returns SC_ENOMEM. */
sc_err sc_fail_memory(sc_diag *diag, const char *doing);

// Static analysis does not see into diag.c: it is told that these never return SC_OK.
#ifdef __clang_analyzer__
static inline sc_err sc__fail_with(sc_err ignored, sc_err err)
{
    (void)ignored;
    return err;
}
#define sc_fail(diag, err, ...) sc__fail_with((sc_fail)((diag), (err), __VA_ARGS__), (err))
#define sc_fail_memory(diag, doing) sc__fail_with((sc_fail_memory)((diag), (doing)), SC_ENOMEM)
#endif

/** Bytes of an input made printable and short. */
typedef struct sc_quoted {
    char text[64];
} sc_quoted;

/** At most 40 bytes of `bytes` in a form safe to print; more is shown as "...". */
sc_quoted sc_quote(const char *bytes, size_t size);

#endif
