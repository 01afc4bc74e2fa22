// Texts as the files of a reader. See texts.h.
#include "support/texts.h"

#include "support/check.h"

#include <math.h>

sc_err read_texts(text_reader *read, const text_files *files, const sc_import_options *options,
                  sc_map **map, sc_import_report *report, sc_diag *diag)
{
    // Each in memory of exactly its size, so that reading too far is seen.
    sc_input inputs[MAX_TEXTS];
    uint8_t *copies[MAX_TEXTS];
    size_t count = 0;
    for (size_t i = 0; i < MAX_TEXTS; i++) {
        const char *text = files->file[i].text;
        if (!text) continue;
        const size_t size = strlen(text);
        copies[count] = test_take(size, 1);
        memcpy(copies[count], text, size);
        inputs[count] = (sc_input){files->file[i].name, copies[count], size};
        count++;
    }
    sc_import_report met = {0};
    const sc_load load = {inputs, count, options, report ? report : &met, diag};
    sc_builder *builder = NULL;
    sc_err err = read(&load, &builder);
    for (size_t i = 0; i < count; i++) {
        free(copies[i]);
    }
    if (err) {
        assert_null(builder);
        return err;
    }
    err = sc_builder_finish(builder, HUGE_VAL, NULL, map, NULL, diag);
    sc_builder_free(builder);
    return err;
}

sc_map *read_good_texts(text_reader *read, const text_files *files,
                        const sc_import_options *options)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(read_texts(read, files, options, &map, NULL, &diag), &diag);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    return map;
}

void check_texts_refused(text_reader *read, const text_files *files,
                         const sc_import_options *options, sc_err wanted, const char *message)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    const sc_err err = read_texts(read, files, options, &map, NULL, &diag);
    if (err != wanted || strcmp(diag.message, message) != 0) {
        for (size_t i = 0; i < MAX_TEXTS; i++) {
            if (files->file[i].text) {
                print_error("%s:\n%s\n", files->file[i].name, files->file[i].text);
            }
        }
        fail_msg("\n  got  %d %s\n  want %d %s", (int)err, diag.message, (int)wanted, message);
    }
    assert_null(map);
}
