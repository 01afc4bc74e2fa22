// Which files a folder holds. See traces_internal.h.
#include "traces/traces_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static sc_err fail_errno(sc_diag *diag, const char *path)
{
    const int why = errno;
    return sc_fail(diag, SC_EIO, "%s: cannot read the folder: %s%s", path, strerror(why),
                   why == EACCES ? "; you lack permission to read it" : "");
}

// What cannot be looked at is taken for a file: opening it will tell why.
static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 || S_ISREG(status.st_mode);
}

static sc_err add_entry(sc__folder *folder, const char *path, const char *name, sc_diag *diag)
{
    const size_t path_size = strlen(path);
    const char *slash = path_size > 0 && path[path_size - 1] == '/' ? "" : "/";
    const size_t size = path_size + 1 + strlen(name) + 1;
    char *full = sc_malloc(size);
    if (!full || !sc_grow(&folder->paths, folder->count, &folder->capacity, sizeof full)) {
        sc_free(full);
        return sc_fail_memory(diag, "listing a folder");
    }
    snprintf(full, size, "%s%s%s", path, slash, name);
    if (is_file(full)) {
        folder->paths[folder->count++] = full;
    } else {
        sc_free(full);
    }
    return SC_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

sc_err sc__folder_list(const char *path, sc__folder *folder, sc_diag *diag)
{
    DIR *entries = opendir(path);
    if (!entries) return fail_errno(diag, path);

    sc_err err = SC_OK;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry) {
            if (errno != 0) err = fail_errno(diag, path);
            break;
        }
        if (entry->d_name[0] == '.') continue;
        err = add_entry(folder, path, entry->d_name, diag);
        if (err) break;
    }
    closedir(entries);
    if (!err && folder->count > 0) {
        qsort(folder->paths, folder->count, sizeof *folder->paths, compare_paths);
    }
    return err;
}

void sc__folder_fini(sc__folder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        sc_free(folder->paths[i]);
    }
    sc_free(folder->paths);
    *folder = (sc__folder){0};
}
