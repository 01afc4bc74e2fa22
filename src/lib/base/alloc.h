/**
 * @file alloc.h
 * @brief All memory of the library comes from here.
 *
 * So that a test can let the n-th allocation fail, and so that arrays are sized
 * with an overflow check. In test builds (SC_TEST_ALLOC) a thread may set a
 * countdown; elsewhere these are malloc and free under other names.
 *
 * Third-party parsers are given these functions where they accept any.
 */
#ifndef SC_BASE_ALLOC_H
#define SC_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>

/** `size` bytes, or NULL. A size of 0 gives a pointer that may be freed. */
void *sc_malloc(size_t size);

/** `count * size` zero bytes, or NULL, also when the product overflows. */
void *sc_calloc(size_t count, size_t size);

/** Room for `count` things of `size` bytes, not cleared; NULL on overflow. */
void *sc_malloc_array(size_t count, size_t size);

/**
 * The same, beginning at a multiple of 64 bytes, a cache line: what is as large as a line lies in
 * one then. Free with sc_free(); not to be resized.
 */
void *sc_malloc_lines(size_t count, size_t size);

/** Resize to `count * size` bytes; on failure NULL, and `old` is as it was. */
void *sc_realloc_array(void *old, size_t count, size_t size);

/** Resize to `size` bytes; the plain form that libraries want. */
void *sc_realloc(void *old, size_t size);

/** Free; NULL is fine. */
void sc_free(void *memory);

/** Wipe `count * size` bytes, the whole block or what was used of it, and free; NULL is fine. */
void sc_free_wiped(void *memory, size_t count, size_t size);

/** The rare part of sc_grow(). */
bool sc__grow_full(void *array, size_t *capacity, size_t size);

/**
 * Make room for one more element in a growing array: doubles `*capacity` when
 * `count` has reached it.
 *
 * @param array  address of the array pointer
 * @return false when memory is out; the array is then as it was
 */
static inline bool sc_grow(void *array, size_t count, size_t *capacity, size_t size)
{
    return count < *capacity || sc__grow_full(array, capacity, size);
}

/**
 * Make room for `count` elements in all. An array that must grow becomes twice as large at least,
 * so that growing often costs little; what it holds stays.
 *
 * @param array  address of the array pointer, which stays NULL if there is nothing to make room for
 * @return false when memory is out; the array is then as it was
 */
bool sc_reserve(void *array, size_t count, size_t *capacity, size_t size);

#ifdef SC_TEST_ALLOC
/** Let the n-th allocation of this thread from now on fail (1: the next one), and all after it. 0:
 * none. */
void sc_alloc_fail_at(unsigned long n);

/** Whether an allocation has failed since sc_alloc_fail_at(). */
bool sc_alloc_has_failed(void);
#endif

#endif
