// main() of every program of unit tests: runs the suites that its files registered.
//
// Constructors run before main(), so the list is complete when it starts; it is then sorted by
// name, since the linker may order files as it likes. Every suite has a process of its own: one
// that crashes, leaks, changes its limits or leaves threads behind does not concern the others.
#include "support/check.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static sc_suite *first_suite;

void sc_suite_register(sc_suite *suite)
{
    suite->next = first_suite;
    first_suite = suite;
}

// "tests/unit/engine/test_prune.c" is the suite "prune".
static void name_suite(sc_suite *suite)
{
    const char *slash = strrchr(suite->file, '/');
    const char *base = slash ? slash + 1 : suite->file;
    if (strncmp(base, "test_", 5) == 0) base += 5;
    const size_t length = strcspn(base, ".");
    if (length >= sizeof suite->name) {
        (void)fprintf(stderr, "%s: the name is too long\n", suite->file);
        exit(2);
    }
    memcpy(suite->name, base, length);
}

static int by_name(const void *a, const void *b)
{
    const sc_suite *const *left = a;
    const sc_suite *const *right = b;
    return strcmp((*left)->name, (*right)->name);
}

static size_t collect_suites(sc_suite ***out)
{
    size_t count = 0;
    for (sc_suite *s = first_suite; s; s = s->next) {
        name_suite(s);
        count++;
    }
    sc_suite **all = test_take(count + 1, sizeof(sc_suite *));
    count = 0;
    for (sc_suite *s = first_suite; s; s = s->next) {
        all[count++] = s;
    }
    qsort(all, count, sizeof(sc_suite *), by_name);
    *out = all;
    return count;
}

static int run_suite(const sc_suite *suite)
{
    return _cmocka_run_group_tests(suite->name, suite->tests, suite->test_count, suite->begin,
                                   suite->end);
}

// Exit code of the child; one that died by a signal says so, as a failed test.
static int run_in_child(const sc_suite *suite)
{
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child < 0) {
        perror("fork");
        return 1;
    }
    if (child == 0) {
        const int failed = run_suite(suite);
        free(suite->all);
        exit(failed ? 1 : 0);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    printf("not ok 1 - %s was ended by signal %d\n", suite->name, WTERMSIG(status));
    return 1;
}

static bool is_chosen(const sc_suite *suite, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], suite->name) == 0) return true;
    }
    return argc < 2;
}

int main(int argc, char **argv)
{
    sc_suite **all = NULL;
    const size_t count = collect_suites(&all);
    if (argc == 2 && strcmp(argv[1], "--list") == 0) {
        for (size_t i = 0; i < count; i++) {
            puts(all[i]->name);
        }
        free(all);
        return 0;
    }
    size_t chosen = 0;
    const sc_suite *last = NULL;
    for (size_t i = 0; i < count; i++) {
        all[i]->all = all;
        if (!is_chosen(all[i], argc, argv)) continue;
        chosen++;
        last = all[i];
    }
    if (chosen == 0 || (argc > 1 && chosen != (size_t)argc - 1)) {
        (void)fprintf(stderr, "usage: %s [--list | SUITE...]; one of the suites is unknown\n",
                      argv[0]);
        free(all);
        return 2;
    }
    int code = 0;
    if (chosen == 1) {
        code = run_suite(last) ? 1 : 0;
    } else {
        for (size_t i = 0; i < count; i++) {
            if (is_chosen(all[i], argc, argv) && run_in_child(all[i])) code = 1;
        }
    }
    free(all);
    return code;
}
