// Telling the formats apart by how a file begins.
//
// Only the first line that is not blank counts, and of XML the outermost element. No file looks
// like two of the formats: a tag, an event's word, four numbers, a header. See traces_internal.h.
#include "traces/traces_internal.h"

#include <string.h>

static bool begins_with(sc_slice text, const char *start)
{
    const size_t size = strlen(start);
    return text.size >= size && memcmp(text.text, start, size) == 0;
}

/** `text` from the next `mark` on; nothing if there is none. */
static sc_slice from(sc_slice text, const char *mark)
{
    const char *found = text.size > 0 ? memmem(text.text, text.size, mark, strlen(mark)) : NULL;
    if (!found) return (sc_slice){text.text, 0};
    return (sc_slice){found, text.size - (size_t)(found - text.text)};
}

// What may stand before the outermost element is passed over as far as it takes to find that; the
// reader will look at it properly.
static bool is_fcd(sc_slice text)
{
    for (;;) {
        text = from(text, "<");
        if (begins_with(text, "<!--")) {
            text = from(text, "-->");
        } else if (begins_with(text, "<?") || begins_with(text, "<!")) {
            text = from(text, ">");
        } else {
            return begins_with(text, "<fcd-export");
        }
    }
}

static bool is_brinkhoff(sc_slice line)
{
    sc_slice word = {0};
    return sc_slice_field(&line, &word) &&
           (sc_slice_is(word, "newpoint") || sc_slice_is(word, "point") ||
            sc_slice_is(word, "disappearpoint"));
}

static bool is_cabspotting(sc_slice line)
{
    enum { FIELDS = 4 };
    sc_slice field = {0};
    double number = 0.0;
    for (int i = 0; i < FIELDS; i++) {
        if (!sc_slice_field(&line, &field) || !sc_slice_double(field, &number)) return false;
    }
    return !sc_slice_field(&line, &field);
}

sc_trace_format sc__trace_detect(const sc_input *input)
{
    sc_lines lines = sc_lines_of(input);
    sc_slice line = {0};
    sc_slice first = {0};
    bool is_blank = true;
    while (is_blank && sc_lines_next(&lines, &line)) {
        sc_slice rest = line;
        is_blank = !sc_slice_field(&rest, &first);
    }
    if (is_blank) return SC_TRACE_ANY;
    if (first.text[0] == '<') {
        const sc_slice whole = {first.text, (size_t)(lines.end - first.text)};
        return is_fcd(whole) ? SC_TRACE_FCD : SC_TRACE_ANY;
    }
    if (is_brinkhoff(line)) return SC_TRACE_BRINKHOFF;
    if (is_cabspotting(line)) return SC_TRACE_CABSPOTTING;
    return sc__csv_is_header(line) ? SC_TRACE_CSV : SC_TRACE_ANY;
}
