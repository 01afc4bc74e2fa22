// Door: .cnode, .cedge, calmap.txt and the names of its categories.
//
// Letters of the first line: n, e, o, c: what the files are, in their order
// (nodes, edges, objects, category names); g, p: insist on degrees or a plane;
// u: lengths are in units of half a metre. A map of nothing but "x" is refused.
#include "door.h"

#include <sys/mman.h>
#include <unistd.h>

/** What the first line asks for. */
typedef struct request {
    sc_input inputs[DOOR_MAX_FILES];
    size_t count;
    sc_import_options options;
    char names_path[64];  ///< the category names, as a file that is only in memory
    int names_fd;         ///< -1 for none
} request;

static void offer_names(request *r, const uint8_t *bytes, size_t size)
{
    if (r->names_fd >= 0) return;
    r->names_fd = memfd_create("names", 0);
    if (r->names_fd < 0 || (size > 0 && write(r->names_fd, bytes, size) != (ssize_t)size)) abort();
    snprintf(r->names_path, sizeof r->names_path, "/proc/self/fd/%d", r->names_fd);
    r->options.category_names = r->names_path;
}

static void add_file(request *r, char letter, const door_files *files, size_t i)
{
    if (letter == 'c') {
        offer_names(r, files->bytes[i], files->sizes[i]);
        return;
    }
    const char *name = letter == 'n'   ? "a.cnode"
                       : letter == 'e' ? "a.cedge"
                       : letter == 'o' ? "calmap.txt"
                                       : "a.csv";
    r->inputs[r->count++] = (sc_input){name, files->bytes[i], files->sizes[i]};
}

static void read_request(request *r, const char *letters, size_t size, const door_files *files)
{
    size_t next = 0;
    for (size_t i = 0; i < size; i++) {
        switch (letters[i]) {
        case 'g':
            r->options.coords = SC_COORDS_GEOGRAPHIC;
            break;
        case 'p':
            r->options.coords = SC_COORDS_PLANAR;
            break;
        case 'u':
            r->options.unit_m = 0.5;
            break;
        default:
            if (next < files->count) add_file(r, letters[i], files, next++);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    if (!end || size > DOOR_MAX_SIZE) return 0;
    const size_t letters = (size_t)(end - data);
    door_files files = door_split(end + 1, size - letters - 1);
    request r = {.options = SC_IMPORT_DEFAULTS, .names_fd = -1};
    read_request(&r, (const char *)data, letters, &files);

    sc_import_report report = {0};
    sc_diag diag = {""};
    const sc_load load = {r.inputs, r.count, &r.options, &report, &diag};
    sc_builder *builder = NULL;
    if (r.count > 0) {
        const sc_err err = sc__load_cnode(&load, &builder);
        if (err) {
            // Trouble with the category names is told under their path.
            const bool about_names = r.names_fd >= 0 && strstr(diag.message, r.names_path);
            door_refused(err, &diag, r.inputs, about_names ? 0 : r.count);
        } else {
            door_accepted(builder, r.options.max_object_snap_m);
        }
    }
    if (r.names_fd >= 0) close(r.names_fd);
    door_files_free(&files);
    return 0;
}
