// Door: the configuration file of the service.
//
// An operator's own file, but read by what runs with its privileges. It is refused in one line with
// the file's name, or every value is within its bounds and, printed, reads back as the same.
#include "door.h"

#include "api/settings.h"

static void print_and_read(const sc_settings *settings)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    if (sc_settings_write(settings, out)) abort();
    fclose(out);
    sc_settings *again = NULL;
    if (sc_settings_new(&again)) abort();
    const sc_input input = {"again.ini", (const uint8_t *)text, size};
    sc_diag diag = {""};
    const sc_err err = sc__settings_read_input(again, &input, &diag);
    // A text may be so long that its line is not, or hold what begins a comment.
    if (!err) DOOR_PROMISE(again->loops == settings->loops, "what is printed reads back");
    sc_settings_free(again);
    free(text);
}

static void check_bounds(const sc_settings *settings)
{
    size_t count = 0;
    const sc__setting *table = sc__settings_table(&count);
    for (size_t i = 0; i < count; i++) {
        const void *field = (const char *)settings + table[i].offset;
        double value = table[i].least;
        if (table[i].kind == SC__SETTING_COUNT) value = (double)*(const uint64_t *)field;
        if (table[i].kind == SC__SETTING_NUMBER) value = *(const double *)field;
        DOOR_PROMISE(value >= table[i].least && value <= table[i].most, "a value is within bounds");
        size_t size = 0;
        if (table[i].kind == SC__SETTING_WORD) {
            DOOR_PROMISE(sc__setting_word(table[i].words, *(const unsigned *)field, &size),
                         "a word is one of the list");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"x.ini", copy, size};
    sc_settings *settings = NULL;
    sc_diag diag = {""};
    if (sc_settings_new(&settings)) abort();
    const sc_err err = sc__settings_read_input(settings, &input, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
    } else {
        check_bounds(settings);
        sc_diag why = {""};
        if (sc_settings_check(settings, &why)) DOOR_PROMISE(why.message[0], "a refusal says why");
        print_and_read(settings);
    }
    sc_settings_free(settings);
    free(copy);
    return 0;
}
