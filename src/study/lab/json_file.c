// Reading the laboratory's own files. See json_file.h.
#include "lab/json_file.h"

#include "base/diag.h"
#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

sc_err sc__json_read(const char *path, json_t **out, bool *is_there, sc_diag *diag)
{
    struct stat status;
    *out = NULL;
    *is_there = stat(path, &status) == 0;
    if (!*is_there) {
        // Whatever else is wrong, to go on would be to do again, and to overwrite, what may be
        // there.
        if (errno == ENOENT) return SC_OK;
        return sc_fail(diag, SC_EIO,
                       "%s: cannot read: %s; see that you may read it, or name another directory",
                       path, strerror(errno));
    }
    sc_file file = {0};
    const sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    json_error_t why;
    *out = json_loadb((const char *)file.input.data, file.input.size, 0, &why);
    sc_file_close(&file);
    if (!*out && json_error_code(&why) == json_error_out_of_memory) {
        return sc_fail_memory(diag, "reading what was done before");
    }
    return SC_OK;
}
