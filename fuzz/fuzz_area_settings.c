// Door: the file that says how a provider of areas is asked.
//
// An operator's own file, but read by what runs with its privileges. It is refused in one line with
// the file's name and without the value of a header, or an address and a body can be made from it
// that hold every place once filled.
#include "door.h"

#include "areas/area_question.h"

static void check_question(const sc_area_settings *settings, size_t category_count)
{
    static const char *const categories[] = {"fuel", "a \"b\""};
    const sc__area_question question = {{-8.5, 50, -8, 50.25}, categories, category_count, 7, "c"};
    sc_bytes text = {.data = NULL};
    sc_bytes body = {.data = NULL};
    sc_diag diag = {""};
    const sc_err err = sc__area_question_fill(settings, &question, &text, &body, &diag);
    if (!err) {
        DOOR_PROMISE(strlen((const char *)text.data) + 1 == text.size, "an address is one text");
        DOOR_PROMISE(!strpbrk((const char *)text.data, "{} \r\n"), "every place of it is filled");
        DOOR_PROMISE(strncasecmp((const char *)text.data, "http", 4) == 0, "it can be asked");
        DOOR_PROMISE(!settings->common.body || body.size == strlen((const char *)body.data) + 1,
                     "a body is one text");
    }
    DOOR_PROMISE(!err || err == SC_EREQUEST, "a question is made, or it cannot be put");
    sc_bytes_fini(&text);
    sc_bytes_fini(&body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    // No file of this machine is opened because of an input.
    if (size >= 5 && memmem(data, size, "file:", 5)) return 0;
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"x.ini", copy, size};
    sc_area_settings *settings = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__area_settings_read(&input, &settings, &diag);
    if (err) {
        if (!strstr(diag.message, "preset:")) door_refused(err, &diag, &input, 1);
    } else {
        DOOR_PROMISE(settings->common.id.count > 0 && settings->common.list,
                     "it says where objects are");
        DOOR_PROMISE(settings->common.header_names.count == settings->common.header_values.count,
                     "every header has a value");
        check_question(settings, 0);
        check_question(settings, 2);
    }
    sc_area_settings_free(settings);
    free(copy);
    return 0;
}
