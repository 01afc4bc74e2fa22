/**
 * @file place.h
 * @brief A directory of one's own for a test, and the way to the real data.
 */
#ifndef SC_TESTS_SUPPORT_PLACE_H
#define SC_TESTS_SUPPORT_PLACE_H

#include <stdbool.h>
#include <stddef.h>

/** An empty directory; it vanishes with all it holds in place_free(). */
typedef struct place {
    char path[512];
} place;

place place_new(void);
void place_free(const place *p);

/** "DIRECTORY/name"; lent until the eighth call after this one. */
const char *place_path(const place *p, const char *name);

/** Write a file of that name; gives its path as place_path() does. */
const char *place_write(const place *p, const char *name, const void *bytes, size_t size);

const char *place_write_text(const place *p, const char *name, const char *text);

/** How many entries a directory has, hidden ones too; -1 if there is no such directory. */
int count_entries(const char *directory);

/** The whole file, with a NUL behind it; release with free(). */
char *read_whole(const char *path, size_t *size);

/**
 * Give up the rights of root until have_rights_again(), so that a file can be
 * forbidden; the directory of `p` can still be entered. Nothing for others to do.
 */
void lose_rights(const place *p);
void have_rights_again(void);

/**
 * The path of a file of the real data: under $STARCLOAK_DATA, or beside the
 * repository. False where it is not at hand; the test is then skipped.
 */
bool data_path(const char *name, char *out, size_t size);

#endif
