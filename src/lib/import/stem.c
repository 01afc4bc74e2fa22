// Names without their endings. See stem.h.
#include "import/stem.h"

#include <string.h>
#include <strings.h>

// What is left of the first `size` bytes once the last ending is taken off.
static size_t without_ending(const char *path, size_t size)
{
    for (size_t i = size; i > 0 && path[i - 1] != '/'; i--) {
        if (path[i - 1] == '.') return i - 1;
    }
    return size;
}

size_t sc__stem_size(const char *path)
{
    const size_t size = strlen(path);
    const size_t plain = without_ending(path, size);
    const char *ending = path + plain;
    const bool is_packed = strcasecmp(ending, ".xz") == 0 || strcasecmp(ending, ".gz") == 0;
    return is_packed ? without_ending(path, plain) : plain;
}

bool sc__same_stem(const char *a, const char *b)
{
    const size_t size = sc__stem_size(a);
    return size == sc__stem_size(b) && memcmp(a, b, size) == 0;
}
