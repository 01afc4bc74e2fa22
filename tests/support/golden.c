// Bytes as text, compared with a stored file. See golden.h.
#include "support/golden.h"

#include "support/check.h"

enum { PER_LINE = 32, PATH_SIZE = 512 };

void golden_begin(golden_text *golden)
{
    golden->out = open_memstream(&golden->text, &golden->size);
    assert_non_null(golden->out);
}

void golden_bytes(golden_text *golden, const char *title, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    fprintf(golden->out, "%s, %zu bytes\n", title, size);
    for (size_t i = 0; i < size; i++) {
        const bool is_last = i + 1 == size || (i + 1) % PER_LINE == 0;
        fprintf(golden->out, "%02x%s", at[i], is_last ? "\n" : "");
    }
}

static void store(const char *path, const golden_text *golden)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(golden->text, 1, golden->size, file), golden->size);
    assert_int_equal(fclose(file), 0);
}

/** Line by line, so that a failure shows where they part. */
static void compare(const char *path, const golden_text *golden)
{
    FILE *stored = fopen(path, "r");
    if (!stored) fail_msg("%s: cannot be read", path);
    FILE *made = fmemopen(golden->text, golden->size, "r");
    assert_non_null(made);
    char *wanted = NULL;
    char *got = NULL;
    size_t wanted_room = 0;
    size_t got_room = 0;
    for (unsigned line = 1;; line++) {
        const bool has_wanted = getline(&wanted, &wanted_room, stored) >= 0;
        const bool has_got = getline(&got, &got_room, made) >= 0;
        if (!has_wanted && !has_got) break;
        if (!has_wanted || !has_got || strcmp(wanted, got) != 0) {
            fail_msg("%s:%u: stored is '%s', and now it is '%s'", path, line,
                     has_wanted ? wanted : "", has_got ? got : "");
        }
    }
    free(wanted);
    free(got);
    fclose(made);
    fclose(stored);
}

void golden_end(golden_text *golden, const char *name)
{
    assert_int_equal(fclose(golden->out), 0);
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/tests/golden/expected/bytes/%s", SC_REPOSITORY, name);
    if (getenv("SC_GOLDEN_UPDATE")) {
        store(path, golden);
    } else {
        compare(path, golden);
    }
    free(golden->text);
}
