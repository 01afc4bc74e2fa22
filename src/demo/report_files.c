// Versions of files, kept to be lent. See report_files.h.
//
// Invariants:
//  1. A version that is on the files never changes, never moves, and stays until the end.
//  2. All of them together have at most `room` bytes.
//  3. The lock is held while a file is read: whoever wants the same one waits for it instead of
//     reading it too. Few look at reports, and reading one takes a few milliseconds.
#include "demo/report_files.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

typedef struct version {
    struct version *next;
    struct stat found;  ///< when it was read
    size_t size;        ///< of the file; behind its bytes is its name, with a NUL
    unsigned char bytes[];
} version;

struct sc__report_files {
    pthread_mutex_t lock;
    // Under the lock.
    version *newest;  ///< and then older ones
    size_t room;      ///< what is left
};

sc_err sc__report_files_new(size_t room, sc__report_files **out)
{
    sc__report_files *files = sc_calloc(1, sizeof *files);
    if (!files) return SC_ENOMEM;
    pthread_mutex_init(&files->lock, NULL);
    files->room = room;
    *out = files;
    return SC_OK;
}

void sc__report_files_free(sc__report_files *files)
{
    if (!files) return;
    for (version *v = files->newest, *next; v; v = next) {
        next = v->next;
        sc_free(v);
    }
    pthread_mutex_destroy(&files->lock);
    sc_free(files);
}

// --- One version ---------------------------------------------------------------------------------

/** The clock behind these times ticks every few milliseconds. A file that keeps its size from one
 * change to the next within a tick is taken for unchanged; no report is written as fast. */
static bool is_unchanged(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/** Fill `bytes`. Less may be there by now: then the file has changed, which is seen next. */
static sc_err read_bytes(int fd, unsigned char *bytes, size_t size)
{
    for (size_t got = 0; got < size;) {
        const ssize_t more = pread(fd, bytes + got, size - got, (off_t)got);
        if (more < 0 && errno == EINTR) continue;
        if (more < 0) return SC_EIO;
        if (more == 0) return SC_EBUSY;
        got += (size_t)more;
    }
    return SC_OK;
}

static sc_err read_version(version *v, const char *name, int fd, const struct stat *found)
{
    v->found = *found;
    v->size = (size_t)found->st_size;
    memcpy(v->bytes + v->size, name, strlen(name) + 1);
    const sc_err err = read_bytes(fd, v->bytes, v->size);
    if (err) return err;
    struct stat after;
    if (fstat(fd, &after) != 0) return SC_EIO;
    return is_unchanged(found, &after) ? SC_OK : SC_EBUSY;
}

// --- All of them; under the lock -----------------------------------------------------------------

static const version *find(const sc__report_files *files, const char *name,
                           const struct stat *found)
{
    for (const version *v = files->newest; v; v = v->next) {
        if (is_unchanged(&v->found, found) && strcmp((const char *)v->bytes + v->size, name) == 0) {
            return v;
        }
    }
    return NULL;
}

static sc_err keep(sc__report_files *files, const char *name, int fd, const struct stat *found)
{
    const size_t size = sizeof(version) + (size_t)found->st_size + strlen(name) + 1;
    if (size > files->room) return SC_ELIMIT;
    version *v = sc_malloc(size);
    if (!v) return SC_ENOMEM;
    const sc_err err = read_version(v, name, fd, found);
    if (err) {
        sc_free(v);
        return err;
    }
    v->next = files->newest;
    files->newest = v;
    files->room -= size;
    return SC_OK;
}

sc_err sc__report_files_find(sc__report_files *files, const char *name, int fd,
                             const struct stat *found, sc__report *out)
{
    sc_err err = SC_OK;
    pthread_mutex_lock(&files->lock);
    const version *v = find(files, name, found);
    if (!v) {
        err = keep(files, name, fd, found);
        v = files->newest;
    }
    if (!err) *out = (sc__report){v->bytes, v->size};
    pthread_mutex_unlock(&files->lock);
    return err;
}
