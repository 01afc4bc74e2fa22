// Files of an experiment's folder.
//
// The path is untrusted. No name leads out of the folder: it has no '/', does not begin with a
// dot, and what it names is opened from the folder's own descriptor, never through a link. What is
// there may be odd all the same, so nothing is read before it is known to be a plain file; and
// opening never blocks, as on a pipe.
#include "demo/reports.h"

#include "api/problem_details.h"
#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// --- Versions of files, kept to be lent ----------------------------------------------------------
//
// Invariants:
//  1. A version that was read never changes, never moves, and stays until the end.
//  2. All of them together have at most `room` bytes.
//  3. The lock is held while a file is read: a request for the same one waits for it instead of
//     reading it too. Few look at reports, and reading one takes a few milliseconds.

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

// --- The route -----------------------------------------------------------------------------------

struct sc_reports {
    /** Open before the loops copy their descriptors, so that each of them has it. */
    int folder;
    sc__report_files *files;  ///< what was shown of it so far
};

static const char route[] = "/reports";
enum { ROUTE_SIZE = sizeof route - 1 };
static const char main_page[] = "report.html";

// --- The folder ----------------------------------------------------------------------------------

sc_err sc_reports_new(const char *folder, sc_reports **out, sc_diag *diag)
{
    sc_reports *reports = sc_calloc(1, sizeof *reports);
    if (!reports) return sc_fail_memory(diag, "opening the folder of reports");
    reports->folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    sc_err err = SC_OK;
    if (reports->folder < 0) {
        err = sc_fail(diag, SC_EIO, "%s: the folder of reports cannot be opened: %s", folder,
                      strerror(errno));
    } else if (sc__report_files_new(SC_REPORTS_BYTES_MAX, &reports->files)) {
        err = sc_fail_memory(diag, "opening the folder of reports");
    }
    if (err) {
        sc_reports_free(reports);
        return err;
    }
    *out = reports;
    return SC_OK;
}

void sc_reports_free(sc_reports *reports)
{
    if (!reports) return;
    if (reports->folder >= 0) close(reports->folder);
    sc__report_files_free(reports->files);
    sc_free(reports);
}

bool sc_reports_is_there(const sc_reports *reports)
{
    struct stat found;
    return fstatat(reports->folder, main_page, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISREG(found.st_mode);
}

// --- Names ---------------------------------------------------------------------------------------

/** What a report is made of. */
static const struct {
    const char *ending;
    const char *type;
} kinds[] = {
    {".html", "text/html; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".css", "text/css; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
};

/** Letters, digits, '.', '_' and '-', no dot first. */
static bool is_plain_name(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-";
    return *name != '.' && *name != '\0' && name[strspn(name, plain)] == '\0';
}

const char *sc__report_type(const char *name)
{
    const char *ending = strrchr(name, '.');
    if (!ending || !is_plain_name(name)) return NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].ending, ending) == 0) return kinds[i].type;
    }
    return NULL;
}

// --- Reading -------------------------------------------------------------------------------------

static void tell_failed_open(int error, const char *name, sc_problem *problem)
{
    sc_problem_kind kind = SC_PROBLEM_NOT_FOUND;
    const char *why = "the file cannot be opened; symbolic links are not followed";
    switch (error) {
    case ENOENT:
        why = strcmp(name, main_page) == 0
                  ? "there is no report yet; run 'starcloak experiment' with the folder of reports "
                    "as its --output, then 'starcloak-figures' (tools/report.py) on the same folder"
                  : "the report has no such file";
        break;
    case EACCES:
        why = "the service is not allowed to read this file";
        break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        kind = SC_PROBLEM_OVERLOADED;
        why = "retry in a moment";
        break;
    default:
        break;
    }
    sc_problem_set(problem, kind, NULL, "%s", why);
    if (kind == SC_PROBLEM_OVERLOADED) problem->retry_after_s = 1;
}

/** Open a file of the folder, and see what it is; -1 if it cannot be shown. */
static int open_file(const sc_reports *reports, const char *name, struct stat *found,
                     sc_problem *problem)
{
    const int fd =
        openat(reports->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0) {
        tell_failed_open(errno, name, problem);
        return -1;
    }
    if (fstat(fd, found) != 0 || !S_ISREG(found->st_mode)) {
        sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL, "only regular files are served");
    } else if (found->st_size > SC_REPORT_BYTES_MAX) {
        sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                       "this file is too large to be served; open it in its folder");
    } else {
        return fd;
    }
    close(fd);
    return -1;
}

static void tell_failed_read(sc_err err, sc_problem *problem)
{
    switch (err) {
    case SC_ELIMIT:
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL,
                       "the report has changed too often since the start; restart the service to "
                       "show the newest one");
        break;
    case SC_EBUSY:
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL,
                       "this file is being written; retry in a moment");
        problem->retry_after_s = 1;
        break;
    case SC_ENOMEM:
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "retry in a moment");
        problem->retry_after_s = 1;
        break;
    default:
        sc_problem_set(problem, SC_PROBLEM_INTERNAL, NULL, "the file cannot be read");
        break;
    }
}

/** What is shown of a file; no bytes if only its size is asked for. */
static bool find_file(const sc_reports *reports, const char *name, bool is_size_asked,
                      sc__report *out, sc_problem *problem)
{
    struct stat found = {0};
    const int fd = open_file(reports, name, &found, problem);
    if (fd < 0) return false;
    sc_err err = SC_OK;
    if (is_size_asked) {
        *out = (sc__report){.size = (size_t)found.st_size};
    } else {
        err = sc__report_files_find(reports->files, name, fd, &found, out);
    }
    close(fd);
    if (err) tell_failed_read(err, problem);
    return err == SC_OK;
}

// --- Showing -------------------------------------------------------------------------------------

/** A report gets no more than it needs: its own style, pictures beside it. */
static const sc_http_header guards[] = {
    {"Content-Security-Policy",
     "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; base-uri 'none'; "
     "form-action 'none'; frame-ancestors 'none'"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
};

static bool show_file(const sc_reports *reports, const char *name, sc_http_request *request,
                      sc_problem *problem)
{
    const char *type = sc__report_type(name);
    if (!type) {
        return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                              "a report has no file of this name");
    }
    const bool is_head = sc_http_request_method(request) == SC_HTTP_HEAD;
    sc__report file = {0};
    if (!find_file(reports, name, is_head, &file, problem)) return false;
    sc_http_reply_lent(request, 200, type, file.bytes, file.size, guards,
                       sizeof guards / sizeof guards[0]);
    return true;
}

bool sc_reports_has(const char *path)
{
    return strncmp(path, route, ROUTE_SIZE) == 0 &&
           (path[ROUTE_SIZE] == '/' || path[ROUTE_SIZE] == '\0');
}

void sc_reports_show(const sc_reports *reports, sc_http_request *request)
{
    const char *path = sc_http_request_path(request);
    if (strcmp(path, route) == 0) {
        // What the page links to lies beside it, and so would not be found from here.
        const sc_http_header there = {"Location", "/reports/"};
        sc_http_reply(request, 308, NULL, NULL, 0, &there, 1);
        return;
    }
    sc_problem problem;
    if (!sc_reports_has(path)) {
        sc_problem_set(&problem, SC_PROBLEM_NOT_FOUND, NULL, "reports begin at /reports/");
    } else {
        const char *name = path + ROUTE_SIZE + 1;
        if (show_file(reports, *name == '\0' ? main_page : name, request, &problem)) return;
    }
    sc_problem_reply(request, &problem, NULL);
}
