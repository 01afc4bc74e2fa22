// Door: the file that says how a provider of points is asked.
//
// As fuzz_area_settings: it is refused in one line with the file's name, or an address and a body
// can be made from it that hold every place once filled, and the limits that it gives are sound.
#include "door.h"

#include "points/point_settings.h"

static void check_question(const sc_point_settings *settings, const char *category)
{
    const sc__point_question question = {-8.5, 50.25, 17, category};
    sc_bytes url = {.data = NULL};
    sc_bytes body = {.data = NULL};
    sc_diag diag = {""};
    const sc_err err = sc__point_question_fill(settings, &question, &url, &body, &diag);
    DOOR_PROMISE(!err || err == SC_EREQUEST, "a question is made, or it cannot be put");
    if (!err) {
        const char *text = (const char *)url.data;
        DOOR_PROMISE(strlen(text) + 1 == url.size, "an address is one text");
        DOOR_PROMISE(!strpbrk(text, "{} \r\n"), "every place of it is filled");
        DOOR_PROMISE(strncasecmp(text, "http", 4) == 0, "it can be asked");
        DOOR_PROMISE((body.size > 0) == (settings->common.body != NULL), "a body is sent, or none");
    }
    sc_bytes_fini(&url);
    sc_bytes_fini(&body);
}

static void check_limits(const sc_point_options *o)
{
    DOOR_PROMISE(o->spacing_m > 0 && o->max_k >= 1 && o->max_points >= 1, "points are bounded");
    DOOR_PROMISE(o->timeout_s > 0 && o->deadline_s > 0 && o->parallel >= 1, "so is time");
    DOOR_PROMISE(o->max_bytes >= 1 && o->radius_m >= 0 && o->rate_per_s >= 0, "and all else");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    // No file of this machine is opened because of an input.
    if (size >= 5 && memmem(data, size, "file:", 5)) return 0;
    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"x.ini", copy, size};
    sc_point_settings *settings = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__point_settings_read(&input, &settings, &diag);
    if (err) {
        door_refused(err, &diag, &input, 1);
    } else {
        DOOR_PROMISE(settings->common.id.count > 0 && settings->common.list,
                     "it says where objects are");
        DOOR_PROMISE(settings->common.header_names.count == settings->common.header_values.count,
                     "every header has a value");
        DOOR_PROMISE(settings->options.distance == SC_POINT_STRAIGHT ||
                         settings->distance.count > 0,
                     "ways by road are told");
        check_limits(&settings->options);
        check_question(settings, NULL);
        check_question(settings, "a \"b\"");
    }
    sc_point_settings_free(settings);
    free(copy);
    return 0;
}
