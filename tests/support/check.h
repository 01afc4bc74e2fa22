/**
 * @file check.h
 * @brief What the tests check with, beside cmocka's own asserts.
 *
 * A failed check prints both values. Tests over many random cases say which one
 * they are in (check_case()), so that a failure can be repeated:
 *
 *     for (uint64_t seed = 0; seed < 1000; seed++) {
 *         check_case(seed);
 *         ...
 *     }
 *     check_case_done();
 *
 * and are listed with SC_CASES(test), which prints the seed of a failed one.
 *
 * A file of tests ends with the list of them, which registers itself (suite.c has the main()):
 *
 *     static const struct CMUnitTest tests[] = {
 *         cmocka_unit_test(test_a_heap_gives_the_least_first),
 *     };
 *     SC_SUITE(tests)
 */
#ifndef SC_TESTS_SUPPORT_CHECK_H
#define SC_TESTS_SUPPORT_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <starcloak/err.h>

/** As a constant double; math.h has a float. */
#define NOT_A_NUMBER __builtin_nan("")

/** The call succeeded; if not, say what its diagnosis said. */
#define CHECK_OK(err, diag) check_ok_at((err), (diag), __FILE__, __LINE__)

/** The call failed with `wanted`, and its message contains `part`. */
#define CHECK_REFUSED(err, wanted, diag, part) \
    check_refused_at((err), (wanted), (diag), (part), __FILE__, __LINE__)

/** Both numbers are the same double, bit for bit (0 and -0 differ). */
#define CHECK_SAME(got, wanted) check_close_at((got), (wanted), -1.0, __FILE__, __LINE__)

/** The numbers differ by at most `tolerance`. */
#define CHECK_CLOSE(got, wanted, tolerance) \
    check_close_at((got), (wanted), (tolerance), __FILE__, __LINE__)

/** `text` contains `part`. */
#define CHECK_CONTAINS(text, part) check_contains_at((text), (part), __FILE__, __LINE__)

void check_ok_at(sc_err err, const sc_diag *diag, const char *file, int line);
void check_refused_at(sc_err err, sc_err wanted, const sc_diag *diag, const char *part,
                      const char *file, int line);
void check_close_at(double got, double wanted, double tolerance, const char *file, int line);
void check_contains_at(const char *text, const char *part, const char *file, int line);

/** The random case that begins now; what fails is told to have failed in it. */
void check_case(uint64_t seed);
void check_case_done(void);

/** For SC_CASES. */
int check_tell_case(void **state);
#define SC_CASES(test) cmocka_unit_test_teardown(test, check_tell_case)

/** The tests of one file. The suite is called as the file is, without "test_". */
typedef struct sc_suite {
    const char *file;
    const struct CMUnitTest *tests;
    size_t test_count;
    CMFixtureFunction begin;  ///< before the first test, or NULL
    CMFixtureFunction end;    ///< after the last test, or NULL
    struct sc_suite *next;
    struct sc_suite **all;  ///< for its process to free
    char name[64];
} sc_suite;

void sc_suite_register(sc_suite *suite);

/** Registers the array `list` as the tests of this file. */
#define SC_SUITE(list) SC_SUITE_WITH(list, NULL, NULL)

/** The same, with what is called before the first test and after the last one. */
#define SC_SUITE_WITH(list, before, after)                                    \
    __attribute__((constructor)) static void register_suite(void)             \
    {                                                                         \
        static sc_suite suite = {.file = __FILE__,                            \
                                 .tests = (list),                             \
                                 .test_count = sizeof(list) / sizeof *(list), \
                                 .begin = (before),                           \
                                 .end = (after)};                             \
        sc_suite_register(&suite);                                            \
    }

/** Zeroed memory for tests; running out of it ends the program. Release with free(). */
void *test_take(size_t count, size_t size);

#endif
