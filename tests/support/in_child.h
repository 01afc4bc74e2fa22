/**
 * @file in_child.h
 * @brief A test in a process of its own: what it gives up, the rest of the tests keep.
 *
 *     static void give_up(void) { EXPECT(sc_sandbox_enter(false, NULL) == SC_OK); }
 *     assert_int_equal(in_child(give_up), 0);
 */
#ifndef SC_TESTS_SUPPORT_IN_CHILD_H
#define SC_TESTS_SUPPORT_IN_CHILD_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/** In the child: it holds, or the child ends with 1 and says where. */
#define EXPECT(condition) child_expect((condition), #condition, __FILE__, __LINE__)

static inline void child_expect(bool holds, const char *condition, const char *file, int line)
{
    if (holds) return;
    dprintf(STDERR_FILENO, "%s:%d: not true: %s\n", file, line, condition);
    _exit(1);
}

/** Call `what` in a child; returns with what status that ended, or minus the signal that ended it.
 */
static inline int in_child(void (*what)(void))
{
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        what();
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) return 255;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

#endif
