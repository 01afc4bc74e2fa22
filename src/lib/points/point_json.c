// One answer as rows. See point_reply.h.
#include "points/point_reply.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <inttypes.h>

static sc_err read_distance(const sc__point_answer_format *format, const sc_adapter_object *object,
                            sc__point_answer_row *row, sc_diag *diag)
{
    const sc_json_value *value = sc_adapter_find(object->fields, &format->settings->distance);
    const bool is_needed = format->settings->options.distance == SC_POINT_ROAD;
    const char *why = NULL;
    row->has_distance = value != NULL;
    if (!value && is_needed) why = "is missing; check the pointers of section [fields]";
    if (value && !sc_json_number_in(value, &row->distance_m)) why = "is not a number";
    if (value && !why && row->distance_m < 0.0) why = "is negative";
    return why ? sc_adapter_refuse_field(object->number, "distance", why, diag) : SC_OK;
}

static sc_err read_category(const sc__point_answer_format *format, const sc_adapter_object *object,
                            sc__point_answer_row *row, sc_diag *diag)
{
    row->category = format->category;
    if (format->category == SC_NONE) {
        if (object->category) {
            row->category = sc_vocabulary_find(format->vocabulary, object->category);
        }
        return SC_OK;
    }
    const char *asked = format->vocabulary->names[format->category];
    if (sc_adapter_may_be(&format->settings->common, object, asked)) return SC_OK;
    return sc_adapter_refuse_field(object->number, "category",
                                   "is not the category asked for; if the provider names "
                                   "categories differently, give its words in section "
                                   "[categories], or leave the field category empty",
                                   diag);
}

static sc_err read_rows(const sc__point_answer_format *format, sc__point_answer *answer,
                        sc_diag *diag)
{
    sc_err err = SC_OK;
    for (uint32_t i = 0; i < answer->count && !err; i++) {
        const sc_adapter_object *object = &answer->reply.objects[i];
        sc__point_answer_row *row = &answer->rows[i];
        *row = (sc__point_answer_row){
            .key = object->key, .name = object->name, .x = object->x, .y = object->y};
        err = read_distance(format, object, row, diag);
        if (!err) err = read_category(format, object, row, diag);
    }
    return err;
}

sc_err sc__point_answer_parse(const sc__point_answer_format *format, const char *bytes, size_t size,
                              sc__point_answer *out, sc_diag *diag)
{
    const sc_adapter_reading how = {&format->settings->common, format->coords, format->k};
    sc__point_answer answer = {.rows = NULL};
    sc_err err = sc_adapter_reply_read(&how, bytes, size, &answer.reply, diag);
    if (err == SC_ELIMIT) {
        return sc_fail(diag, SC_EREPLY,
                       "a reply of the provider has more objects than the %" PRIu32
                       " that were asked for",
                       format->k);
    }
    // An object without a position would be missing from the nearest ones.
    if (!err && answer.reply.count < answer.reply.listed) {
        err = sc_fail(diag, SC_EREPLY,
                      "in a reply of the provider, an object has no position; check the pointers "
                      "of section [fields]");
    }
    if (!err) {
        answer.count = (uint32_t)answer.reply.count;
        answer.rows = sc_malloc_array(answer.count, sizeof *answer.rows);
        err = answer.rows ? read_rows(format, &answer, diag)
                          : sc_fail_memory(diag, "reading a reply of the provider");
    }
    if (err) {
        sc__point_answer_fini(&answer);
        return err;
    }
    *out = answer;
    return SC_OK;
}

void sc__point_answer_fini(sc__point_answer *answer)
{
    sc_adapter_reply_fini(&answer->reply);
    sc_free(answer->rows);
    *answer = (sc__point_answer){.rows = NULL};
}
