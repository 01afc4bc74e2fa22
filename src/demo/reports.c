// Files of an experiment's folder. See reports.h.
//
// The path is a stranger's. No name leads out of the folder: it has no '/', does not begin with a
// dot, and what it names is opened from the folder's own descriptor, never through a link. What is
// there may be odd all the same, so nothing is read before it is known to be a plain file; and
// opening waits for nobody, as the other end of a pipe.
#include "demo/reports.h"

#include "api/problem.h"
#include "base/alloc.h"
#include "base/diag.h"
#include "demo/report_files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const char *why = "this cannot be opened; links are not followed";
    switch (error) {
    case ENOENT:
        why = strcmp(name, main_page) == 0
                  ? "there is no report yet; run 'starcloak experiment' with the folder of reports "
                    "as its --output, and come again"
                  : "the report has no such file";
        break;
    case EACCES:
        why = "the service is not allowed to read this file";
        break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
        kind = SC_PROBLEM_OVERLOADED;
        why = "try again in a moment";
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
        sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL, "only plain files are shown here");
    } else if (found->st_size > SC_REPORT_BYTES_MAX) {
        sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                       "this file is too large to be shown here; look at it in its folder");
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
                       "files of reports have changed so often that there is no room to keep more "
                       "of them; the service must be restarted to show newer ones");
        break;
    case SC_EBUSY:
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL,
                       "this file is being written; try again in a moment");
        problem->retry_after_s = 1;
        break;
    case SC_ENOMEM:
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "try again in a moment");
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

/** A file from somebody's disk gets no more than it needs: its own style, pictures beside it. */
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
                              "a report has no file with such a name");
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
