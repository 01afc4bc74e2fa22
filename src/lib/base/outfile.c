// Outputs that appear whole or not at all. See file.h.
//
// Where the file system can, the file has no name until it is whole
// (O_TMPFILE), so that even a kill leaves nothing behind; elsewhere it has a
// temporary name beside its final one.
#include "base/file.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static sc_err fail_errno(sc_diag *diag, const char *path, int why)
{
    const char *hint = why == ENOSPC || why == EDQUOT  ? "; free some space"
                       : why == EFBIG                  ? "; raise the limit (ulimit -f)"
                       : why == ENOENT                 ? "; its directory does not exist"
                       : why == EACCES || why == EROFS ? "; choose a place where you may write"
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
            return fail_errno(diag, path, why);
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
    return why ? fail_errno(diag, out->path, why) : SC_OK;
}

sc_err sc_outfile_commit(sc_outfile *out, sc_diag *diag)
{
    int why = settle(out);
    if (!why && !out->to_stdout) {
        if (!out->is_named) why = name_it(out);
        if (!why && rename(out->temporary, out->target) != 0) why = errno;
    }
    const sc_err err = why ? fail_errno(diag, out->path, why) : SC_OK;
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
