// Whole files by read(), for what an operator may edit while the service runs. See
// guard_internal.h.
#include "server/token_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static sc_err fail_errno(sc_diag *diag, const char *path, int why)
{
    const char *hint = why == ENOENT   ? "; check the name"
                       : why == EACCES ? "; you lack permission to read it"
                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot read: %s%s", path, strerror(why), hint);
}

// Up to `room` bytes, to the end of the file; sets how many there were. 0 or an errno.
static int read_all(int fd, uint8_t *bytes, size_t room, size_t *size)
{
    *size = 0;
    while (*size < room) {
        const ssize_t got = read(fd, bytes + *size, room - *size);
        if (got == 0) return 0;
        if (got < 0 && errno != EINTR) return errno;
        if (got > 0) *size += (size_t)got;
    }
    return 0;
}

static sc_err read_open(int fd, const char *path, size_t max_size, sc_input *out, mode_t *mode,
                        sc_diag *diag)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return fail_errno(diag, path, errno);
    if (!S_ISREG(status.st_mode)) {
        return sc_fail(diag, SC_EIO, "%s: is %s; a file is needed", path,
                       S_ISDIR(status.st_mode) ? "a directory" : "not a regular file");
    }
    if ((uint64_t)status.st_size > max_size) {
        return sc_fail(diag, SC_ELIMIT, "%s: is larger than %zu bytes; is it the right file?", path,
                       max_size);
    }
    // One byte more than it has, so that one that grows meanwhile is noticed and not cut.
    const size_t room = (size_t)status.st_size + 1;
    sc_input file = {.name = path, .size = room};
    uint8_t *bytes = sc_malloc(room);
    if (!bytes) return sc_fail_memory(diag, "reading a file");
    file.data = bytes;
    const int why = read_all(fd, bytes, room, &file.size);
    if (why || file.size == room) {
        sc__small_file_free(&file);
        return why ? fail_errno(diag, path, why)
                   : sc_fail(diag, SC_EIO, "%s: is being written; try again", path);
    }
    if (mode) *mode = status.st_mode & 07777;
    *out = file;
    return SC_OK;
}

sc_err sc__small_file_read(const char *path, size_t max_size, sc_input *out, mode_t *mode,
                           sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail_errno(diag, path, errno);
    const sc_err err = read_open(fd, path, max_size, out, mode, diag);
    close(fd);
    return err;
}

void sc__small_file_free(sc_input *file)
{
    uint8_t *bytes = (uint8_t *)(uintptr_t)file->data;
    if (bytes) sodium_memzero(bytes, file->size);
    sc_free(bytes);
    *file = (sc_input){0};
}
