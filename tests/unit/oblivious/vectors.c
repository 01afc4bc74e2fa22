// Test vectors from files. See vectors.h.
#include "vectors.h"

#include "support/check.h"

#include <ctype.h>
#include <stdio.h>

static void add_digits(vector *v, const char *digits, size_t *nibbles)
{
    for (const char *c = digits; *c; c++) {
        if (isspace((unsigned char)*c)) continue;
        assert_true(isxdigit((unsigned char)*c));
        assert_true(*nibbles / 2 < sizeof v->bytes);
        const int low = tolower((unsigned char)*c);
        const int value = isdigit((unsigned char)low) ? low - '0' : low - 'a' + 10;
        uint8_t *byte = &v->bytes[(*nibbles)++ / 2];
        *byte = (uint8_t)(*byte << 4 | value);
    }
    v->size = *nibbles / 2;
}

vector *vector_of_hex(const char *digits)
{
    vector *v = test_take(1, sizeof *v);
    size_t nibbles = 0;
    add_digits(v, digits, &nibbles);
    assert_int_equal(nibbles % 2, 0);
    return v;
}

vector *vector_read(const char *file, const char *section, const char *name)
{
    char path[512];
    char line[8192];
    char heading[128];
    snprintf(path, sizeof path, "%s/oblivious/%s", SC_TEST_DATA, file);
    snprintf(heading, sizeof heading, "[%s]\n", section);
    FILE *stream = fopen(path, "r");
    assert_non_null(stream);
    vector *v = test_take(1, sizeof *v);
    size_t nibbles = 0;
    bool is_section = false;
    bool is_line = false;
    bool is_found = false;
    while (fgets(line, sizeof line, stream)) {
        if (line[0] == '[') is_section = strcmp(line, heading) == 0;
        if (line[0] != ' ') is_line = false;
        const char *value = strstr(line, " = ");
        if (is_section && value && (size_t)(value - line) == strlen(name) &&
            strncmp(line, name, strlen(name)) == 0) {
            is_line = is_found = true;
            add_digits(v, value + 3, &nibbles);
        } else if (is_line) {
            add_digits(v, line, &nibbles);
        }
    }
    fclose(stream);
    if (!is_found) fail_msg("%s has no '%s' in [%s]", file, name, section);
    assert_int_equal(nibbles % 2, 0);
    return v;
}

void vector_check(const char *file, const char *section, const char *name, const uint8_t *bytes,
                  size_t size)
{
    vector *v = vector_read(file, section, name);
    assert_int_equal(size, v->size);
    assert_memory_equal(bytes, v->bytes, size);
    free(v);
}
