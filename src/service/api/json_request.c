// Reading JSON bodies of requests.
#include "api/json_request.h"

#include "base/diag.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

bool sc_json_refuse_text(sc_json_reader *reader)
{
    return sc_problem_set(reader->problem, SC_PROBLEM_BODY, NULL, "byte %zu: %s",
                          sc_json_offset(&reader->json), reader->json.wrong);
}

bool sc_json_refuse_kind(sc_json_reader *reader, const char *pointer, const char *wanted)
{
    // Where no value begins at all, the text is wrong and not its meaning.
    if (sc_json_peek(&reader->json) == SC_JSON_NONE) {
        return sc_problem_set(reader->problem, SC_PROBLEM_BODY, NULL,
                              "byte %zu: a value is expected", sc_json_offset(&reader->json));
    }
    return sc_problem_set(reader->problem, SC_PROBLEM_BODY, pointer, "it must be %s", wanted);
}

bool sc_json_refuse_missing(sc_json_reader *reader, const char *pointer)
{
    return sc_problem_set(reader->problem, SC_PROBLEM_BODY, pointer, "the member is missing");
}

bool sc_json_read_number(sc_json_reader *reader, const char *pointer, double *out)
{
    if (sc_json_peek(&reader->json) != SC_JSON_NUMBER) {
        return sc_json_refuse_kind(reader, pointer, "a number");
    }
    return sc_json_number(&reader->json, out) || sc_json_refuse_text(reader);
}

bool sc_json_read_whole(sc_json_reader *reader, sc_problem_kind kind, const char *pointer,
                        uint32_t *out)
{
    double value = 0.0;
    if (!sc_json_read_number(reader, pointer, &value)) return false;
    if (!(value >= 0.0 && value < 0x1p32) || value != floor(value)) {
        return sc_problem_set(reader->problem, kind, pointer, "it must be a whole number, 0 to %u",
                              UINT32_MAX);
    }
    *out = (uint32_t)value;
    return true;
}

bool sc_json_read_string(sc_json_reader *reader, const char *pointer, const char *wanted,
                         sc_json_raw *out)
{
    if (sc_json_peek(&reader->json) != SC_JSON_STRING) {
        return sc_json_refuse_kind(reader, pointer, wanted);
    }
    return sc_json_text_of(&reader->json, out) || sc_json_refuse_text(reader);
}

static unsigned find_field(const sc_json_shape *shape, sc_json_raw name)
{
    // Mostly the first letter tells that it is another.
    const bool has_first = name.raw.size > 0 && !name.has_escapes;
    unsigned which = 0;
    for (; which < shape->count; which++) {
        const char *field = shape->fields[which].name;
        if (has_first && name.raw.text[0] != field[0]) continue;
        if (sc_json_string_is(name, field)) break;
    }
    return which;
}

bool sc_json_read_object(sc_json_reader *reader, const sc_json_shape *shape, void *context,
                         unsigned *seen)
{
    if (sc_json_peek(&reader->json) != SC_JSON_OBJECT) {
        return sc_json_refuse_kind(reader, shape->pointer, "an object");
    }
    if (!sc_json_enter(&reader->json, '{')) return sc_json_refuse_text(reader);
    sc_json_raw name;
    while (sc_json_next_member(&reader->json, &name)) {
        const unsigned which = find_field(shape, name);
        if (which == shape->count) {
            return sc_problem_set(reader->problem, SC_PROBLEM_BODY, shape->pointer,
                                  "unknown member %s; allowed are %s",
                                  sc_quote(name.raw.text, name.raw.size).text, shape->words);
        }
        if (*seen & 1u << which) {
            return sc_problem_set(reader->problem, SC_PROBLEM_BODY, shape->fields[which].pointer,
                                  "the member is repeated");
        }
        *seen |= 1u << which;
        if (!shape->read(context, which)) return false;
    }
    return !reader->json.wrong || sc_json_refuse_text(reader);
}

// --- Content-Type --------------------------------------------------------------------------------

bool sc_json_request_check_type(const sc_http_request *request, sc_problem *problem)
{
    static const char json[] = "application/json";
    const char *type = sc_http_request_header(request, "Content-Type");
    // What may follow are parameters, which mean nothing for JSON.
    if (type && strncasecmp(type, json, sizeof json - 1) == 0 &&
        strchr("; \t", type[sizeof json - 1])) {
        return true;
    }
    return sc_problem_set(problem, SC_PROBLEM_MEDIA_TYPE, "header Content-Type",
                          "send Content-Type: application/json");
}
