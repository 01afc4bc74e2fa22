// Whole files in, whole files out.
//
// Inputs are mapped as they are; unpack.c unpacks xz and gzip. Outputs appear whole or not at all:
// where the file system can, the file has no name until it is whole (O_TMPFILE), so that even a
// kill leaves nothing behind; elsewhere it has a temporary name beside its final one.
#include "base/file.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Inputs -------------------------------------------------------------------------------------

static sc_err fail_read(sc_diag *diag, const char *path)
{
    const int why = errno;
    const char *hint = why == ENOENT   ? "; check the name"
                       : why == EACCES ? "; you do not have permission to read it"
                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot read: %s%s", path, strerror(why), hint);
}

sc_err sc_file_map(const char *path, sc_file *out, sc_diag *diag)
{
    // Without O_NONBLOCK, opening a pipe would wait for someone to write.
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) return fail_read(diag, path);

    sc_err err = SC_OK;
    struct stat status;
    if (fstat(fd, &status) != 0) {
        err = fail_read(diag, path);
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
            err = fail_read(diag, path);
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

// --- Outputs ------------------------------------------------------------------------------------

static sc_err fail_write(sc_diag *diag, const char *path, int why)
{
    const char *hint = why == ENOSPC || why == EDQUOT ? "; free some space"
                       : why == EFBIG                 ? "; raise the limit (ulimit -f)"
                       : why == ENOENT                ? "; its directory does not exist"
                       : why == EACCES || why == EROFS
                           ? "; choose a place where you have permission to write"
                           : "";
    return sc_fail(diag, SC_EIO, "%s: cannot write: %s%s", path, strerror(why), hint);
}

// Where a path leads: a link is followed, so that it stays and its file is
// replaced. NULL if memory is out.
static char *final_name(const char *path)
{
    char resolved[PATH_MAX];
    struct stat status;
    const bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
    const char *name = is_link && realpath(path, resolved) ? resolved : path;
    const size_t size = strlen(name) + 1;
    char *copy = sc_malloc(size);
    return copy ? memcpy(copy, name, size) : NULL;
}

// "DIR/.NAME.<random>", beside the final name so that renaming stays on one disk;
// a NAME near the longest that a file system has is cut.
static char *temporary_name(const char *path)
{
    uint64_t random = 0;
    if (getrandom(&random, sizeof random, 0) != sizeof random) return NULL;
    const char *base = sc_file_base_name(path);
    const size_t size = strlen(path) + sizeof "..0123456789abcdef";
    char *name = sc_malloc(size);
    if (name) {
        snprintf(name, size, "%.*s.%.200s.%016llx", (int)(base - path), path, base,
                 (unsigned long long)random);
    }
    return name;
}

// A file without a name in the directory of `temporary`, which is cut short for
// the moment; -1 where the file system has no such files, or where /proc is
// missing, through which the file gets its name later.
static int open_nameless(char *temporary)
{
    if (access("/proc/self/fd", X_OK) != 0) return -1;
    char *base = temporary + (sc_file_base_name(temporary) - temporary);
    *base = '\0';
    const int fd = open(base > temporary ? temporary : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    *base = '.';
    return fd;
}

sc_err sc_outfile_open(const char *path, sc_outfile *out, sc_diag *diag)
{
    if (strcmp(path, "-") == 0) {
        *out = (sc_outfile){.stream = stdout, .path = "standard output", .to_stdout = true};
        return SC_OK;
    }
    struct stat status;
    const bool is_there = stat(path, &status) == 0;
    if (path[0] == '\0' || path[strlen(path) - 1] == '/' || (is_there && S_ISDIR(status.st_mode))) {
        return sc_fail(diag, SC_EIO, "'%s': cannot write: it is a directory; name a file", path);
    }
    // Renaming would put a file in the place of a device or a pipe.
    if (is_there && !S_ISREG(status.st_mode)) {
        return sc_fail(diag, SC_EIO, "'%s': cannot write: it is not a regular file; name a file",
                       path);
    }
    // All memory is taken now: a commit can fail for the disk's reasons alone.
    sc_outfile file = {.path = path, .target = final_name(path)};
    file.temporary = file.target ? temporary_name(file.target) : NULL;
    if (!file.temporary) {
        sc_outfile_abandon(&file);
        return sc_fail_memory(diag, "opening the output");
    }
    int fd = open_nameless(file.temporary);
    if (fd < 0) {
        fd = open(file.temporary, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
        if (fd < 0) {
            const int why = errno;
            sc_outfile_abandon(&file);
            return fail_write(diag, path, why);
        }
        file.is_named = true;
    }
    // A file that is replaced keeps its mode: it may be closed to others.
    if (is_there) (void)fchmod(fd, status.st_mode & 07777);
    file.stream = fdopen(fd, "w");
    if (!file.stream) {
        close(fd);
        sc_outfile_abandon(&file);
        return sc_fail_memory(diag, "opening the output");
    }
    *out = file;
    return SC_OK;
}

sc_err sc_outfile_check(const char *path, sc_diag *diag)
{
    sc_outfile file = {0};
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (!err) sc_outfile_abandon(&file);
    return err;
}

// Give a nameless file its temporary name; 0 or an errno.
static int name_it(sc_outfile *out)
{
    char source[64];
    snprintf(source, sizeof source, "/proc/self/fd/%d", fileno(out->stream));
    if (linkat(AT_FDCWD, source, AT_FDCWD, out->temporary, AT_SYMLINK_FOLLOW) != 0) return errno;
    out->is_named = true;
    return 0;
}

// What went wrong with the writing so far, as an errno; 0 if nothing did. A
// stream remembers that it failed but not why, so ask the disk once more.
static int write_error(FILE *stream)
{
    if (!ferror(stream) && fflush(stream) == 0) return 0;
    clearerr(stream);
    errno = 0;
    if (fputc('\n', stream) == EOF || fflush(stream) != 0) return errno ? errno : EIO;
    return EIO;
}

// Bring all that was written to the disk; 0 or an errno.
static int settle(const sc_outfile *out)
{
    int why = write_error(out->stream);
    if (!why && !out->to_stdout && fsync(fileno(out->stream)) != 0) why = errno;
    return why;
}

sc_err sc_outfile_settle(const sc_outfile *out, sc_diag *diag)
{
    const int why = settle(out);
    return why ? fail_write(diag, out->path, why) : SC_OK;
}

sc_err sc_outfile_commit(sc_outfile *out, sc_diag *diag)
{
    int why = settle(out);
    if (!why && !out->to_stdout) {
        if (!out->is_named) why = name_it(out);
        if (!why && rename(out->temporary, out->target) != 0) why = errno;
    }
    const sc_err err = why ? fail_write(diag, out->path, why) : SC_OK;
    // What was renamed no longer has the temporary name.
    if (!why) out->is_named = false;
    sc_outfile_abandon(out);
    return err;
}

void sc_outfile_abandon(sc_outfile *out)
{
    if (out->stream && !out->to_stdout) fclose(out->stream);
    if (out->is_named) unlink(out->temporary);
    sc_free(out->temporary);
    sc_free(out->target);
    *out = (sc_outfile){0};
}
