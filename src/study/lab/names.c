// What options and files call methods, axes, metrics and maps. See lab.h.
#include "lab/lab.h"

#include <string.h>

const char *sc_lab_method_name(sc_lab_method method)
{
    switch (method) {
#define X(id, name, title, variant, is_strict) \
    case SC_LAB_##id:                          \
        return name;
        SC_LAB_METHOD_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *sc_lab_axis_name(sc_lab_axis axis)
{
    switch (axis) {
#define X(id, name, symbol, unit) \
    case SC_LAB_AXIS_##id:        \
        return name;
        SC_LAB_AXIS_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

const char *sc_lab_metric_name(sc_lab_metric metric)
{
    switch (metric) {
#define X(id, name, title, unit, is_log) \
    case SC_LAB_##id:                    \
        return name;
        SC_LAB_METRIC_MAP(X)
#undef X
    default:
        return "unknown";
    }
}

bool sc_lab_is_name(const char *name)
{
    // Spelt out: what isalnum() takes for a letter depends on where one lives.
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    const size_t size = strlen(name);
    return size > 0 && size <= SC_LAB_NAME_MAX && strspn(name, allowed) == size;
}
