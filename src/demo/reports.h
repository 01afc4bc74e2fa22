/**
 * @file reports.h
 * @brief GET /reports/NAME: files of a folder that `starcloak experiment` has filled.
 *
 * Looked for on the disk for each request, so that a report may appear or change while the service
 * runs; read once for each change, and lent to all replies (sc__report_files), so that slow readers
 * cost no memory. Only plain files right in the folder, with names of letters, digits, '.', '_' and
 * '-' that do not begin with a dot, of the kinds that a report has (html, svg, png, css, csv, json,
 * txt), at most SC_REPORT_BYTES_MAX; links are not followed. "/reports/" is report.html.
 *
 * A report has its style inside the page, so its policy allows that; scripts it has none, and none
 * would run.
 */
#ifndef SC_DEMO_REPORTS_H
#define SC_DEMO_REPORTS_H

#include "server/http.h"

#include <stddef.h>
#include <sys/stat.h>

/** More than twice the report of all figures on three maps, and read within a few milliseconds: so
 * long the other connections of a loop wait. */
enum { SC_REPORT_BYTES_MAX = 4 << 20 };

/** For all that was shown, which stays in memory until the end: a report of all figures has 2 MB,
 * so it may be written thirty times. If it changes more often, the reply says to restart the
 * service. */
enum { SC_REPORTS_BYTES_MAX = 64 << 20 };

typedef struct sc_reports sc_reports;

/** Open the folder; before sc_http_start(). One that takes its place later is not seen.
 * @return SC_OK, SC_EIO (no such folder), SC_ENOMEM */
SC_CHECKED sc_err sc_reports_new(const char *folder, sc_reports **out, sc_diag *diag);

/** After the server has stopped; NULL is fine. */
void sc_reports_free(sc_reports *reports);

/** Whether report.html is there now. */
bool sc_reports_is_there(const sc_reports *reports);

/** Whether this path is the reports': "/reports" or below. */
bool sc_reports_has(const char *path);

/** The route. GET or HEAD of a path that it has; "/reports" is sent on to "/reports/". */
void sc_reports_show(const sc_reports *reports, sc_http_request *request);

/** The media type of a file of this name; NULL: no file of a report has such a name.
 * @param name  untrusted */
const char *sc__report_type(const char *name);

// --- For reports.c and its tests: versions of files, kept to be lent -----------------------------

/**
 * Files as they were read.
 *
 * A reply that lends its bytes costs no memory, however slow its reader is; but what was lent must
 * stay until the server has stopped, since the last reader is not known. So every
 * *version* of a file that was ever shown is kept, and is read once. A version is known by the
 * file's name, inode, size and time of its last change, to the nanosecond. There is room for so
 * many bytes and no more: then only what is kept is shown.
 *
 * A file may change while it is read. What was read is not kept then: half of it might be old.
 */
typedef struct sc__report_files sc__report_files;

/** One version of a file; lent until sc__report_files_free(). */
typedef struct sc__report {
    const void *bytes;
    size_t size;
} sc__report;

/** @param room  for all versions together, what is noted of them included
 * @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__report_files_new(size_t room, sc__report_files **out);

/** With all versions, so after the server has stopped. NULL is fine. */
void sc__report_files_free(sc__report_files *files);

/**
 * The version that a file has now, read if it is not there yet. Any thread.
 *
 * @param name   of the file in its folder
 * @param fd     the file, open to be read
 * @param found  what fstat() says of it: a plain file
 * @param out    set on success
 * @return SC_OK, SC_EBUSY (it has changed since `found`, or while it was read: come again),
 *         SC_ELIMIT (there is no room for more), SC_EIO (it cannot be read), SC_ENOMEM
 */
SC_CHECKED sc_err sc__report_files_find(sc__report_files *files, const char *name, int fd,
                                        const struct stat *found, sc__report *out);

#endif
