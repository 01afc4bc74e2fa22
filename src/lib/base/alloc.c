// The allocator of the library: malloc with an overflow check, and with a
// countdown to failure in test builds.
#include "base/alloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef SC_TEST_ALLOC
static _Thread_local unsigned long countdown;
static _Thread_local bool failing;

void sc_alloc_fail_at(unsigned long n)
{
    countdown = n;
    failing = false;
}

bool sc_alloc_has_failed(void)
{
    return failing;
}

// Once one allocation has failed, all fail: memory that is out stays out.
static bool may_allocate(void)
{
    if (failing) return false;
    if (countdown > 0 && --countdown == 0) {
        failing = true;
        return false;
    }
    return true;
}
#else
static bool may_allocate(void)
{
    return true;
}
#endif

void *sc_malloc(size_t size)
{
    if (!may_allocate()) return NULL;
    return malloc(size > 0 ? size : 1);
}

void *sc_calloc(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || !may_allocate()) return NULL;
    return calloc(bytes > 0 ? bytes : 1, 1);
}

void *sc_malloc_array(size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return sc_malloc(bytes);
}

void *sc_malloc_lines(size_t count, size_t size)
{
    enum { LINE = 64 };
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - LINE) return NULL;
    if (!may_allocate()) return NULL;
    return aligned_alloc(LINE, bytes > 0 ? (bytes + LINE - 1) / LINE * LINE : LINE);
}

void *sc_realloc(void *old, size_t size)
{
    if (!may_allocate()) return NULL;
    return realloc(old, size > 0 ? size : 1);
}

void *sc_realloc_array(void *old, size_t count, size_t size)
{
    size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return sc_realloc(old, bytes);
}

void sc_free(void *memory)
{
    free(memory);
}

void sc_free_wiped(void *memory, size_t count, size_t size)
{
    if (memory) explicit_bzero(memory, count * size);
    sc_free(memory);
}

// The caller's pointer has a type of its own, so it is copied, not aliased.
static bool resize(void *array, size_t count, size_t *capacity, size_t size)
{
    void *old = NULL;
    memcpy(&old, array, sizeof old);
    void *moved = sc_realloc_array(old, count, size);
    if (!moved) return false;
    memcpy(array, &moved, sizeof moved);
    *capacity = count;
    return true;
}

bool sc__grow_full(void *array, size_t *capacity, size_t size)
{
    if (*capacity > SIZE_MAX / 2) return false;
    return resize(array, *capacity > 0 ? *capacity * 2 : 16, capacity, size);
}

bool sc_reserve(void *array, size_t count, size_t *capacity, size_t size)
{
    if (count <= *capacity) return true;
    const size_t doubled = *capacity <= SIZE_MAX / 2 ? *capacity * 2 : SIZE_MAX;
    return resize(array, count > doubled ? count : doubled, capacity, size);
}
