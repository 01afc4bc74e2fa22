/*
 * Guessing a format from names, never from content: a guess that a person can
 * foresee is worth more than a clever one.
 */
#include "guess.h"

#include <string.h>
#include <strings.h>

#define SHP ".shp"

typedef struct ending {
    const char *suffix;
    sc_format format;
} ending;

static const ending endings[] = {
    {".cnode", SC_FORMAT_CNODE}, {".cedge", SC_FORMAT_CNODE}, {".txt", SC_FORMAT_CNODE},
    {".gr", SC_FORMAT_DIMACS},   {".co", SC_FORMAT_DIMACS},   {".osm", SC_FORMAT_OSM},
    {".pbf", SC_FORMAT_OSM},     {SHP, SC_FORMAT_SHAPEFILE},  {".dbf", SC_FORMAT_SHAPEFILE},
    {".svg", SC_FORMAT_MOBISIM},
};

static bool ends_in(const char *text, size_t size, const char *suffix)
{
    const size_t suffix_size = strlen(suffix);
    return size > suffix_size && strncasecmp(text + size - suffix_size, suffix, suffix_size) == 0;
}

// How many bytes of `path` come before ".xz" or ".gz", if it ends so.
static size_t plain_size(const char *path)
{
    const size_t size = strlen(path);
    return ends_in(path, size, ".xz") || ends_in(path, size, ".gz") ? size - strlen(".xz") : size;
}

// A shapefile is many files, and people name them in one go (`roads.*`): what is
// named like a .shp goes with it. The reader knows which of them it has no use for.
static bool is_beside_shp(const char *path, const char *const *paths, size_t path_count)
{
    for (size_t i = 0; i < path_count; i++) {
        const size_t size = plain_size(paths[i]);
        if (!ends_in(paths[i], size, SHP)) continue;
        // With the dot, so that "roads2.prj" is not taken for a part of "roads.shp".
        if (strncmp(path, paths[i], size - strlen("shp")) == 0) return true;
    }
    return false;
}

static bool guess_one(const char *path, const char *const *paths, size_t path_count,
                      sc_format *format)
{
    const size_t size = plain_size(path);
    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        if (ends_in(path, size, endings[i].suffix)) {
            *format = endings[i].format;
            return true;
        }
    }
    *format = SC_FORMAT_SHAPEFILE;
    return is_beside_shp(path, paths, path_count);
}

sc_guess sc_guess_format(const char *const *paths, size_t path_count, sc_format *format,
                         const char **culprit)
{
    sc_format common = SC_FORMAT_CNODE;
    for (size_t i = 0; i < path_count; i++) {
        sc_format guessed = SC_FORMAT_CNODE;
        *culprit = paths[i];
        if (!guess_one(paths[i], paths, path_count, &guessed)) return SC_GUESS_UNKNOWN;
        if (i > 0 && guessed != common) return SC_GUESS_CONFLICT;
        common = guessed;
    }
    *format = common;
    return SC_GUESS_FOUND;
}
