/**
 * @file sanitizers.h
 * @brief Whether this is built with a sanitizer that must be allowed for: gcc and clang define
 * different macros.
 */
#ifndef SC_BASE_SANITIZERS_H
#define SC_BASE_SANITIZERS_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define SC_UNDER_THREAD_SANITIZER 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define SC_UNDER_THREAD_SANITIZER 1
#endif
#ifndef SC_UNDER_THREAD_SANITIZER
#define SC_UNDER_THREAD_SANITIZER 0
#endif

#endif
