// The text output of Brinkhoff's network-based generator of moving objects.
//
// One line per object and step, fields separated by tabs or blanks:
//
//     newpoint        id sequence class time x y [speed [next-x [next-y]]]
//     point           ...
//     disappearpoint  ...
//
// An object that has disappeared is gone; if its id comes again, another object is meant, and so
// after every newpoint. Time counts steps. What is behind the position is where the object will go;
// we look only whether it is made of numbers, since some versions write less of it.
//
//
#include "traces/trace_readers.h"

#include <math.h>

typedef enum event { EVENT_NEW, EVENT_POINT, EVENT_GONE, EVENT_COUNT } event;

static sc_err read_event(const sc__trace_lines *lines, sc_slice *line, event *out)
{
    static const char *const words[] = {"newpoint", "point", "disappearpoint"};
    sc_slice word = {0};
    const sc_err err = sc__trace_field(lines, line, "event", &word);
    if (err) return err;
    for (event e = 0; e < EVENT_COUNT; e++) {
        if (!sc_slice_is(word, words[e])) continue;
        *out = e;
        return SC_OK;
    }
    return sc__trace_fail_field(lines, "event", "is not one of newpoint, point and disappearpoint");
}

static sc_err read_whole(const sc__trace_lines *lines, sc_slice *line, const char *name,
                         sc_slice *out)
{
    const sc_err err = sc__trace_field(lines, line, name, out);
    if (err) return err;
    uint64_t number = 0;
    return sc_slice_u64(*out, &number) ? SC_OK
                                       : sc__trace_fail_field(lines, name, "is not a whole number");
}

static sc_err read_rest(const sc__trace_lines *lines, sc_slice line)
{
    static const char *const names[] = {"speed", "next x", "next y"};
    sc_slice field = {0};
    for (size_t i = 0; sc_slice_field(&line, &field); i++) {
        double number = 0.0;
        if (i == sizeof names / sizeof *names) {
            return sc__trace_fail_line(lines, "more fields than Brinkhoff's output has");
        }
        if (!sc_slice_double(field, &number)) {
            return sc__trace_fail_field(lines, names[i], "is not a number");
        }
    }
    return SC_OK;
}

static sc_err read_line(const sc__trace_lines *lines, sc_slice line, event *what, sc_slice *id,
                        sc_fix *fix)
{
    sc_slice unused = {0};
    sc_err err = read_event(lines, &line, what);
    if (!err) err = read_whole(lines, &line, "id", id);
    if (!err) err = read_whole(lines, &line, "sequence", &unused);
    if (!err) err = read_whole(lines, &line, "class", &unused);
    if (!err) err = sc__trace_number(lines, &line, "time", &fix->t_s);
    if (!err) err = sc__trace_number(lines, &line, "x", &fix->x);
    if (!err) err = sc__trace_number(lines, &line, "y", &fix->y);
    if (!err) err = read_rest(lines, line);
    if (err) return err;
    fix->t_s *= lines->file->options->step_s;
    return isfinite(fix->t_s) ? SC_OK : sc__trace_fail_field(lines, "time", "is too large");
}

static sc_err add_fix(sc__tracks *tracks, event what, sc_slice id, sc_fix fix)
{
    uint32_t traveller = 0;
    sc_err err = sc__tracks_traveller(tracks, SC__TRACE_VEHICLE, id, &traveller);
    if (err) return err;
    if (what == EVENT_NEW) sc__tracks_part(tracks, traveller);
    err = sc__tracks_add(tracks, traveller, fix);
    if (what == EVENT_GONE) sc__tracks_part(tracks, traveller);
    return err;
}

sc_err sc__brinkhoff_read(const sc__trace_file *file)
{
    sc__trace_lines lines = sc__trace_lines_of(file);
    for (;;) {
        sc_slice line = {0};
        sc_err err = sc__trace_line_next(&lines, &line);
        if (err || !line.text) return err;

        event what = EVENT_POINT;
        sc_slice id = {0};
        sc_fix fix = {0};
        err = read_line(&lines, line, &what, &id, &fix);
        const char *problem = err ? NULL : sc__trace_id_problem(id);
        if (problem) return sc__trace_fail_field(&lines, "id", problem);
        if (!err) err = add_fix(file->tracks, what, id, fix);
        if (err) return err;
    }
}
