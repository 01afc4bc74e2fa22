/**
 * @file cpu_variants.h
 * @brief Functions compiled for several generations of processors, chosen when the library is
 * loaded.
 *
 * In optimised builds for x86-64 a function marked SC_CPU_VARIANTS is compiled twice, and the
 * version for machines with AVX2 is taken where there is one. Both compute the same numbers: no
 * operation is fused or reordered. What it calls must be SC_INLINE to be compiled along.
 */
#ifndef SC_BASE_CPU_VARIANTS_H
#define SC_BASE_CPU_VARIANTS_H

#if defined(SC_VECTOR_CLONES) && defined(__x86_64__)
#define SC_CPU_VARIANTS __attribute__((target_clones("avx2", "default")))
#define SC_INLINE static inline __attribute__((always_inline))
#else
#define SC_CPU_VARIANTS
#define SC_INLINE static inline
#endif

#endif
