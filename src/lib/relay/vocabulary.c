// The words for categories. See starcloak/relay.h.
#include <starcloak/relay.h>

#include "base/alloc.h"

#include <string.h>

sc_category_id sc_vocabulary_find(const sc_vocabulary *vocabulary, const char *name)
{
    for (uint32_t i = 0; i < vocabulary->count; i++) {
        if (strcmp(vocabulary->names[i], name) == 0) return i;
    }
    return SC_NONE;
}

sc_err sc_vocabulary_init_from_map(const sc_map *map, sc_vocabulary *out)
{
    const uint32_t count = sc_map_category_count(map);
    const char **names = sc_malloc_array(count, sizeof *names);
    if (!names) return SC_ENOMEM;
    for (sc_category_id i = 0; i < count; i++) {
        names[i] = sc_map_category_name(map, i);
    }
    *out = (sc_vocabulary){names, count};
    return SC_OK;
}

void sc_vocabulary_fini(sc_vocabulary *vocabulary)
{
    // Ours since sc_vocabulary_init_from_map(), which lends it as constant.
    sc_free((void *)vocabulary->names);
    *vocabulary = (sc_vocabulary){0};
}
