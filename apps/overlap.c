/*
 * Files are compared by what the system says they are, not by their names: links
 * and "./" give one file many names. Names count only where there is no file.
 */
#include "overlap.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/** No path that the system takes is longer. */
#define PATH_SIZE 4352

static bool is_same_inode(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool stat_directory(const char *path, struct stat *out)
{
    char directory[PATH_SIZE];
    const int size = (int)(base_name(path) - path);
    // With a dot behind it, so that no slash at all is the current directory.
    const int written = snprintf(directory, sizeof(directory), "%.*s.", size, path);
    return written > 0 && (size_t)written < sizeof(directory) && stat(directory, out) == 0;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat status_a;
    struct stat status_b;
    const bool has_a = stat(a, &status_a) == 0;
    const bool has_b = stat(b, &status_b) == 0;
    if (has_a && has_b) return S_ISREG(status_a.st_mode) && is_same_inode(&status_a, &status_b);
    return !has_a && !has_b && strcmp(base_name(a), base_name(b)) == 0 &&
           stat_directory(a, &status_a) && stat_directory(b, &status_b) &&
           is_same_inode(&status_a, &status_b);
}

/** How many bytes of `path` come before ".shp", packed or not; 0 if it does not end so. */
static size_t shp_stem_size(const char *path)
{
    static const char *const endings[] = {".shp", ".shp.xz", ".shp.gz"};
    const size_t size = strlen(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        const size_t ending_size = strlen(endings[i]);
        if (size <= ending_size) continue;
        if (strcasecmp(path + size - ending_size, endings[i]) == 0) return size - ending_size;
    }
    return 0;
}

bool sc_overlaps(const char *output, const char *input)
{
    if (strcmp(output, "-") == 0) return false;
    if (is_same_file(output, input)) return true;

    // The names by which the reader (src/lib/import/import.c) looks for the table.
    static const char *const tables[] = {".dbf", ".dbf.xz", ".dbf.gz", ".DBF"};
    const size_t stem_size = shp_stem_size(input);
    for (size_t i = 0; stem_size > 0 && i < sizeof(tables) / sizeof(tables[0]); i++) {
        char table[PATH_SIZE];
        snprintf(table, sizeof(table), "%.*s%s", (int)stem_size, input, tables[i]);
        if (is_same_file(output, table)) return true;
    }
    return false;
}
