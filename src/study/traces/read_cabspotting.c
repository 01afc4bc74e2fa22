// Cabspotting: a file per cab, lines of `latitude longitude occupancy unix-time`.
//
// Whose fixes they are only the file's name says: "new_abboip.txt" is cab abboip's. Whether the cab
// was hired is not of interest here, but a line where that is neither 0 nor 1 is some other format.
//
//
#include "traces/trace_readers.h"

#include "base/diag.h"

#include <string.h>
#include <strings.h>

static sc_slice without_end(sc_slice name, const char *end)
{
    const size_t size = strlen(end);
    if (name.size > size && strncasecmp(name.text + name.size - size, end, size) == 0) {
        name.size -= size;
    }
    return name;
}

static sc_slice cab_of(const char *path)
{
    const char *base = sc_file_base_name(path);
    sc_slice name = {base, strlen(base)};
    name = without_end(name, ".xz");
    name = without_end(name, ".gz");
    name = without_end(name, ".txt");
    if (name.size > 4 && memcmp(name.text, "new_", 4) == 0) {
        name = (sc_slice){name.text + 4, name.size - 4};
    }
    return name;
}

static sc_err read_line(const sc__trace_lines *lines, sc_slice line, sc_fix *out)
{
    sc_slice occupancy = {0};
    sc_err err = sc__trace_number(lines, &line, "latitude", &out->y);
    if (!err) err = sc__trace_number(lines, &line, "longitude", &out->x);
    if (!err) err = sc__trace_field(lines, &line, "occupancy", &occupancy);
    if (!err && !sc_slice_is(occupancy, "0") && !sc_slice_is(occupancy, "1")) {
        err = sc__trace_fail_field(lines, "occupancy", "is neither 0 nor 1");
    }
    if (!err) err = sc__trace_number(lines, &line, "time", &out->t_s);
    if (err) return err;
    if (!sc_slice_field(&line, &occupancy)) return SC_OK;
    return sc__trace_fail_line(lines, "more fields than latitude, longitude, occupancy and time");
}

sc_err sc__cabspotting_read(const sc__trace_file *file)
{
    const sc_slice cab = cab_of(file->input->name);
    const char *problem = sc__trace_id_problem(cab);
    if (problem) {
        return sc_fail(file->diag, SC_EPARSE,
                       "%s: the name of the file, which becomes the id of the cab, %s",
                       file->input->name, problem);
    }
    uint32_t traveller = 0;
    sc_err err = sc__tracks_traveller(file->tracks, SC__TRACE_VEHICLE, cab, &traveller);
    sc__trace_lines lines = sc__trace_lines_of(file);
    while (!err) {
        sc_slice line = {0};
        sc_fix fix = {0};
        err = sc__trace_line_next(&lines, &line);
        if (err || !line.text) break;
        err = read_line(&lines, line, &fix);
        if (!err) err = sc__tracks_add(file->tracks, traveller, fix);
    }
    return err;
}
