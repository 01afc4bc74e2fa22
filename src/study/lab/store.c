// The directory of an experiment. See store.h.
#include "lab/store.h"

#include "base/diag.h"
#include "lab/manifest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/** "DIR/a" or "DIR/a/b.json". */
static sc_err path_of(const sc__store *store, const char *a, const char *b, char out[PATH_MAX],
                      sc_diag *diag)
{
    const char *directory = store->options->directory;
    const int size = snprintf(out, PATH_MAX, "%s/%s%s%s%s", directory, a, b ? "/" : "", b ? b : "",
                              b ? ".json" : "");
    if (size >= 0 && size < PATH_MAX) return SC_OK;
    return sc_fail(diag, SC_EIO, "%.200s...: the name of the directory is too long", directory);
}

static sc_err fail_errno(const char *name, const char *what, sc_diag *diag)
{
    const int why = errno;
    const char *hint = why == ENOSPC || why == EDQUOT  ? "; free some space"
                       : why == ENOENT                 ? "; make the one that it is in first"
                       : why == EACCES || why == EROFS ? "; choose a place where you may write"
                                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot %s: %s%s", name, what, strerror(why), hint);
}

// --- Opening -------------------------------------------------------------------

static sc_err make_directory(const char *name, sc_diag *diag)
{
    struct stat status;
    if (mkdir(name, 0777) == 0) return SC_OK;
    if (errno != EEXIST) return fail_errno(name, "make the directory", diag);
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode)) return SC_OK;
    return sc_fail(diag, SC_EIO, "%s: is not a directory; name another", name);
}

static sc_err take_lock(sc__store *store, sc_diag *diag)
{
    char name[PATH_MAX];
    const sc_err err = path_of(store, ".lock", NULL, name, diag);
    if (err) return err;
    store->lock = open(name, O_CREAT | O_RDWR | O_CLOEXEC, 0666);
    if (store->lock < 0) return fail_errno(name, "write", diag);
    // Processes that are forked hold it too: should the first be killed, nobody else begins
    // before they are gone.
    if (flock(store->lock, LOCK_EX | LOCK_NB) == 0) return SC_OK;
    const int why = errno;
    close(store->lock);
    store->lock = -1;
    if (why == EWOULDBLOCK) {
        return sc_fail(diag, SC_EBUSY,
                       "%s: another run is at work there; wait for it, or name another directory",
                       store->options->directory);
    }
    errno = why;
    return fail_errno(name, "lock", diag);
}

// --- Files of ours -------------------------------------------------------------

static bool is_any(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/** Its name does not show, and ends in 16 digits, as base/file.h has it. */
static bool is_half_written(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] == '.' && dot != name && strlen(dot + 1) == 16 &&
           strspn(dot + 1, "0123456789abcdef") == 16;
}

static bool is_point(const char *name)
{
    const size_t size = strlen(name);
    return size > 5 && strcmp(name + size - 5, ".json") == 0 && sc__is_point_name(name, size - 5);
}

/** How many files in points/ are `wanted`; remove them if told so. */
static size_t count_files(const sc__store *store, bool (*wanted)(const char *), bool to_remove)
{
    char name[PATH_MAX];
    if (path_of(store, "points", NULL, name, NULL)) return 0;
    DIR *directory = opendir(name);
    if (!directory) return 0;
    size_t count = 0;
    for (const struct dirent *entry; (entry = readdir(directory));) {
        if (!wanted(entry->d_name)) continue;
        const bool is_gone = to_remove && unlinkat(dirfd(directory), entry->d_name, 0) == 0;
        count += !is_gone;
    }
    closedir(directory);
    return count;
}

void sc__store_sweep(const sc__store *store)
{
    count_files(store, is_half_written, true);
}

/** Points first: as long as there are any, it is known what they are of. */
static sc_err forget(const sc__store *store, const char *manifest, sc_diag *diag)
{
    if (count_files(store, is_point, true) > 0) {
        return sc_fail(diag, SC_EIO, "%s: cannot remove the points there; name another directory",
                       store->options->directory);
    }
    if (unlink(manifest) != 0 && errno != ENOENT) return fail_errno(manifest, "remove", diag);
    return SC_OK;
}

static sc_err settle(const sc__store *store, sc_diag *diag)
{
    char points[PATH_MAX];
    char manifest[PATH_MAX];
    sc_err err = path_of(store, "points", NULL, points, diag);
    if (!err) err = path_of(store, "experiment.json", NULL, manifest, diag);
    if (!err) err = make_directory(points, diag);
    if (err) return err;
    // Before anything goes: these may be somebody else's.
    if (access(manifest, F_OK) != 0 && errno == ENOENT && count_files(store, is_any, false) > 0) {
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: has files in points/ and no experiment.json, so it is not a directory "
                       "of an experiment; name another",
                       store->options->directory);
    }
    sc__store_sweep(store);
    if (store->options->is_fresh) err = forget(store, manifest, diag);
    return err ? err : sc__manifest_settle(manifest, store->options, diag);
}

sc_err sc__store_open(sc__store *store, const sc_lab_options *options, sc_diag *diag)
{
    *store = (sc__store){.options = options, .lock = -1};
    sc_err err = make_directory(options->directory, diag);
    if (!err) err = take_lock(store, diag);
    if (!err) err = settle(store, diag);
    if (err) sc__store_close(store);
    return err;
}

void sc__store_close(sc__store *store)
{
    if (store->lock >= 0) close(store->lock);
    store->lock = -1;
}

// --- Points --------------------------------------------------------------------

sc_err sc__store_save(const sc__store *store, const sc_lab_result *result, sc_diag *diag)
{
    char path[PATH_MAX];
    char name[SC__POINT_NAME];
    sc__point_name(store->options, &result->point, name);
    const sc_err err = path_of(store, "points", name, path, diag);
    return err ? err : sc__point_write(path, store->options, result, diag);
}

sc_err sc__store_load(const sc__store *store, const sc_lab_point *point, sc_lab_result *out,
                      bool *is_there, sc_diag *diag)
{
    char path[PATH_MAX];
    char name[SC__POINT_NAME];
    sc__point_name(store->options, point, name);
    const sc_err err = path_of(store, "points", name, path, diag);
    return err ? err : sc__point_read(path, store->options, point, out, is_there, diag);
}
