// Checks that print both values. See check.h.
#include "support/check.h"

#include <math.h>

static struct {
    uint64_t seed;
    bool running;
} current;

void check_ok_at(sc_err err, const sc_diag *diag, const char *file, int line)
{
    if (!err) return;
    print_error("failed with %d (%s): %s\n", (int)err, sc_err_text(err), diag ? diag->message : "");
    _fail(file, line);
}

void check_refused_at(sc_err err, sc_err wanted, const sc_diag *diag, const char *part,
                      const char *file, int line)
{
    if (err == wanted && strstr(diag->message, part) != NULL) return;
    print_error("got    %d: %s\nwanted %d: ...%s...\n", (int)err, diag->message, (int)wanted, part);
    _fail(file, line);
}

static uint64_t bits_of(double value)
{
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

void check_close_at(double got, double wanted, double tolerance, const char *file, int line)
{
    if (bits_of(got) == bits_of(wanted) || fabs(got - wanted) <= tolerance) return;
    print_error("got %.17g (%a), wanted %.17g (%a), tolerance %g\n", got, got, wanted, wanted,
                tolerance > 0.0 ? tolerance : 0.0);
    _fail(file, line);
}

void check_contains_at(const char *text, const char *part, const char *file, int line)
{
    if (strstr(text, part) != NULL) return;
    print_error("'%s' is not in '%s'\n", part, text);
    _fail(file, line);
}

void check_case(uint64_t seed)
{
    current.seed = seed;
    current.running = true;
}

void check_case_done(void)
{
    current.running = false;
}

int check_tell_case(void **state)
{
    (void)state;
    if (current.running) print_error("failed in case %llu\n", (unsigned long long)current.seed);
    current.running = false;
    return 0;
}

void *test_take(size_t count, size_t size)
{
    void *memory = calloc(count > 0 ? count : 1, size);
    if (!memory) abort();
    return memory;
}
