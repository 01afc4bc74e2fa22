// Classes of places: names, and a bit per segment for each of them.
#include <starcloak/place_classes.h>

#include <string.h>

#include "base/alloc.h"

struct sc_place_classes {
    uint32_t count;
    char names[SC_PLACE_CLASSES_MAX][SC_PLACE_CLASS_NAME];
    size_t segment_count;
    uint32_t bits[];
};

sc_err sc_place_classes_new(const sc_map *map, sc_place_classes **out)
{
    const size_t count = sc_map_segment_count(map);
    sc_place_classes *classes = sc_calloc(1, sizeof *classes + count * sizeof *classes->bits);
    if (!classes) return SC_ENOMEM;
    classes->segment_count = count;
    *out = classes;
    return SC_OK;
}

void sc_place_classes_free(sc_place_classes *classes)
{
    sc_free(classes);
}

static bool is_name(const char *name)
{
    const size_t size = strlen(name);
    return size > 0 && size < SC_PLACE_CLASS_NAME &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_") == size;
}

sc_err sc_place_classes_add(sc_place_classes *classes, const char *name, uint32_t *number)
{
    if (!is_name(name)) return SC_EINVAL;
    for (*number = 0; *number < classes->count; (*number)++) {
        if (strcmp(classes->names[*number], name) == 0) return SC_OK;
    }
    if (classes->count == SC_PLACE_CLASSES_MAX) return SC_ELIMIT;
    strcpy(classes->names[classes->count++], name);
    return SC_OK;
}

void sc_place_classes_mark(sc_place_classes *classes, uint32_t number, sc_seg_id segment)
{
    classes->bits[segment] |= UINT32_C(1) << number;
}

uint32_t sc_place_classes_count(const sc_place_classes *classes)
{
    return classes->count;
}

const char *sc_place_classes_name(const sc_place_classes *classes, uint32_t number)
{
    return classes->names[number];
}

size_t sc_place_classes_segment_count(const sc_place_classes *classes)
{
    return classes->segment_count;
}

const uint32_t *sc_place_classes_bits(const sc_place_classes *classes)
{
    return classes->bits;
}
