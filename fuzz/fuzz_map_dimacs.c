// Door: DIMACS graphs (.gr) and their coordinates (.co).
//
// Letters of the first line: g, c: what the files are, in their order (the first
// g is a-d.gr, the second b-d.gr, the first c a-d.co, and so on); t: travel times of
// the graph of the same place (a-t.gr, b-t.gr); u: weights are in units of 3 m;
// x: a file of no known kind.
#include "door.h"

/** What the first line asks for. */
typedef struct request {
    sc_input inputs[DOOR_MAX_FILES];
    size_t count;
    double unit_m;
} request;

static request read_request(const char *letters, size_t size, const door_files *files)
{
    static const char *const graphs[] = {"a-d.gr", "b-d.gr", "c-d.gr",
                                         "d-d.gr", "e-d.gr", "f-d.gr"};
    static const char *const places[] = {"a-d.co", "b-d.co", "c-d.co",
                                         "d-d.co", "e-d.co", "f-d.co"};
    static const char *const times[] = {"a-t.gr", "b-t.gr", "c-t.gr", "d-t.gr", "e-t.gr", "f-t.gr"};
    request r = {.count = 0};
    size_t graph = 0;
    size_t place = 0;
    size_t time = 0;
    for (size_t i = 0; i < size; i++) {
        if (letters[i] == 'u') {
            r.unit_m = 3.0;
            continue;
        }
        if (r.count == files->count) continue;
        const char *name = letters[i] == 'g'   ? graphs[graph++]
                           : letters[i] == 'c' ? places[place++]
                           : letters[i] == 't' ? times[time++]
                                               : "a.csv";
        r.inputs[r.count] = (sc_input){name, files->bytes[r.count], files->sizes[r.count]};
        r.count++;
    }
    return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    if (!end || size > DOOR_MAX_SIZE) return 0;
    const size_t letters = (size_t)(end - data);
    door_files files = door_split(end + 1, size - letters - 1);
    const request r = read_request((const char *)data, letters, &files);

    sc_import_options options = SC_IMPORT_DEFAULTS;
    options.unit_m = r.unit_m;
    sc_import_report report = {0};
    sc_diag diag = {""};
    const sc_load load = {r.inputs, r.count, &options, &report, &diag};
    sc_builder *builder = NULL;
    if (r.count > 0) {
        const sc_err err = sc__load_dimacs(&load, &builder);
        if (err) {
            door_refused(err, &diag, r.inputs, r.count);
        } else {
            door_accepted(builder, options.max_object_snap_m);
        }
    }
    door_files_free(&files);
    return 0;
}
