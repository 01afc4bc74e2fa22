/**
 * @file vectors.h
 * @brief Reading the RFCs' numbers from tests/data/oblivious, whose README.md has the form.
 */
#ifndef SC_TESTS_OBLIVIOUS_VECTORS_H
#define SC_TESTS_OBLIVIOUS_VECTORS_H

#include <stddef.h>
#include <stdint.h>

/** Bytes of one line, the longest of which is a private key. */
typedef struct vector {
    size_t size;
    uint8_t bytes[4096];
} vector;

/** The line `name` of a section of a file. Fails the test if there is none. */
vector *vector_read(const char *file, const char *section, const char *name);

/** Fails unless `size` bytes are those of the line. */
void vector_check(const char *file, const char *section, const char *name, const uint8_t *bytes,
                  size_t size);

/** Bytes of hexadecimal digits; blanks are passed over. To be freed. */
vector *vector_of_hex(const char *digits);

#endif
