/**
 * @file golden.h
 * @brief Bytes as text, compared with a stored file (tests/golden/README.md).
 */
#ifndef SC_TESTS_SUPPORT_GOLDEN_H
#define SC_TESTS_SUPPORT_GOLDEN_H

#include <stddef.h>
#include <stdio.h>

/** A text that grows; write to `out`. */
typedef struct golden_text {
    FILE *out;
    char *text;
    size_t size;
} golden_text;

void golden_begin(golden_text *golden);

/** Bytes under a title, in lines of 32 as hexadecimal digits. */
void golden_bytes(golden_text *golden, const char *title, const void *bytes, size_t size);

/**
 * The text is that of tests/golden/expected/bytes/NAME; else the test fails with the first line
 * that differs. If SC_GOLDEN_UPDATE is set in the environment, the text is stored there. Releases
 * it.
 */
void golden_end(golden_text *golden, const char *name);

#endif
