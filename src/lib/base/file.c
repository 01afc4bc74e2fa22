// Taking in whole files: mapped as they are. Unpacking is in unpack.c.
// See file.h.
#include "base/file.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static sc_err fail_errno(sc_diag *diag, const char *path)
{
    const int why = errno;
    const char *hint = why == ENOENT   ? "; check the name"
                       : why == EACCES ? "; you lack permission to read it"
                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot read: %s%s", path, strerror(why), hint);
}

sc_err sc_file_map(const char *path, sc_file *out, sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail_errno(diag, path);

    sc_err err = SC_OK;
    struct stat status;
    if (fstat(fd, &status) != 0) {
        err = fail_errno(diag, path);
        goto done;
    }
    if (!S_ISREG(status.st_mode)) {
        err = sc_fail(diag, SC_EIO, "%s: is %s; a file is needed", path,
                      S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
        goto done;
    }
    sc_file file = {.input = {.name = path, .size = (size_t)status.st_size},
                    .mapped_size = (size_t)status.st_size};
    if (file.mapped_size > 0) {
        // Without MAP_POPULATE: faults on pages in memory bring in sixteen at a
        // time, which measured twice as fast as populating.
        void *bytes = mmap(NULL, file.mapped_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (bytes == MAP_FAILED) {
            err = fail_errno(diag, path);
            goto done;
        }
        file.input.data = bytes;
    } else {
        file.input.data = (const uint8_t *)"";
    }
    *out = file;
done:
    close(fd);
    return err;
}

sc_err sc_file_open(const char *path, sc_file *out, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;

    if (sc_unpack_needed(&file.input)) {
        sc_input plain = {.name = path};
        void *memory = NULL;
        err = sc_unpack(&file.input, &memory, &plain.size, diag);
        sc_file_close(&file);
        if (err) return err;
        plain.data = memory;
        file = (sc_file){.input = plain, .memory = memory};
    }
    *out = file;
    return SC_OK;
}

void sc_file_close(sc_file *file)
{
    if (file->mapped_size > 0) munmap((void *)(uintptr_t)file->input.data, file->mapped_size);
    sc_free(file->memory);
    *file = (sc_file){0};
}

const char *sc_file_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool ends_in(const char *text, size_t size, const char *suffix)
{
    const size_t n = strlen(suffix);
    return size >= n && strncasecmp(text + size - n, suffix, n) == 0;
}

bool sc_file_has_suffix(const char *path, const char *suffix)
{
    size_t size = strlen(path);
    if (ends_in(path, size, ".xz") || ends_in(path, size, ".gz")) size -= 3;
    return ends_in(path, size, suffix);
}
