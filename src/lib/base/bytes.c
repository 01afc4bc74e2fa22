// A buffer of bytes that grows.
#include "base/bytes.h"

#include "base/alloc.h"

#include <string.h>

void sc_bytes_fini(sc_bytes *bytes)
{
    sc_free(bytes->data);
    *bytes = (sc_bytes){0};
}

bool sc_bytes_reserve(sc_bytes *bytes, size_t more)
{
    if (more <= bytes->capacity - bytes->size) return true;
    size_t needed = 0;
    if (__builtin_add_overflow(bytes->size, more, &needed)) return false;
    return sc_reserve(&bytes->data, needed, &bytes->capacity, 1);
}

bool sc_bytes_reserve_wiping(sc_bytes *bytes, size_t more)
{
    if (more <= bytes->capacity - bytes->size) return true;
    // realloc() would free the old place as it is.
    sc_bytes larger = {0};
    size_t needed = 0;
    if (__builtin_add_overflow(bytes->size, more, &needed)) return false;
    if (needed < 2 * bytes->capacity) needed = 2 * bytes->capacity;
    if (!sc_reserve(&larger.data, needed, &larger.capacity, 1)) return false;
    larger.size = bytes->size;
    if (bytes->size > 0) memcpy(larger.data, bytes->data, bytes->size);
    sc_bytes_wipe(bytes);
    sc_bytes_fini(bytes);
    *bytes = larger;
    return true;
}

bool sc_bytes_append(sc_bytes *bytes, const void *more, size_t size)
{
    if (!sc_bytes_reserve(bytes, size)) return false;
    if (size > 0) memcpy(bytes->data + bytes->size, more, size);
    bytes->size += size;
    return true;
}

bool sc_bytes_append_varint(sc_bytes *bytes, uint64_t number)
{
    enum { MOST = 10 };  // bytes of 64 bits, seven in each
    if (!sc_bytes_reserve(bytes, MOST)) return false;
    while (number >= 0x80) {
        bytes->data[bytes->size++] = (uint8_t)(number | 0x80);
        number >>= 7;
    }
    bytes->data[bytes->size++] = (uint8_t)number;
    return true;
}

void sc_bytes_wipe(sc_bytes *bytes)
{
    if (bytes->data) explicit_bzero(bytes->data, bytes->capacity);
    bytes->size = 0;
}
