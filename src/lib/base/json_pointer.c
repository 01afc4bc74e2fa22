// JSON pointers. See json_pointer.h.
#include "base/json_pointer.h"

#include "base/text.h"

#include <string.h>

/** A longer name is in no reply that we would read. */
enum { NAME_MAX_BYTES = 255 };

bool sc_json_pointer_is_sound(const char *pointer)
{
    if (*pointer != '\0' && *pointer != '/') return false;
    for (const char *c = strchr(pointer, '~'); c; c = strchr(c + 1, '~')) {
        if (c[1] != '0' && c[1] != '1') return false;
    }
    return true;
}

// "0", "17", and neither "01" nor "-": as the RFC wants it.
static const sc_json_value *element(const sc_json_value *array, sc_slice name)
{
    uint64_t index = 0;
    if (name.size > 1 && name.text[0] == '0') return NULL;
    if (!sc_slice_u64(name, &index) || index >= sc_json_size(array)) return NULL;
    return sc_json_at(array, (size_t)index);
}

static const sc_json_value *member(const sc_json_value *object, sc_slice name)
{
    char plain[NAME_MAX_BYTES];
    size_t size = 0;
    if (!memchr(name.text, '~', name.size)) return sc_json_member_n(object, name.text, name.size);
    for (size_t i = 0; i < name.size; i++) {
        if (size == sizeof plain) return NULL;
        const bool is_escape = name.text[i] == '~';
        plain[size++] = !is_escape ? name.text[i] : name.text[++i] == '0' ? '~' : '/';
    }
    return sc_json_member_n(object, plain, size);
}

const sc_json_value *sc_json_pointer_follow(const sc_json_value *value, const char *pointer)
{
    while (value && *pointer == '/') {
        const sc_slice name = {pointer + 1, strcspn(pointer + 1, "/")};
        value = sc_json_is_array(value) ? element(value, name) : member(value, name);
        pointer += 1 + name.size;
    }
    return sc_json_is_null(value) ? NULL : value;
}
