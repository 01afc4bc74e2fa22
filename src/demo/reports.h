/**
 * @file reports.h
 * @brief GET /reports/NAME: files of a folder that `starcloak experiment` has filled.
 *
 * Looked for on the disk for each request, so that a report may appear or change while the service
 * runs; read once for each change, and lent to all replies (report_files.h), so that slow readers
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

/** More than twice the report of all figures on three maps, and read within a few milliseconds: so
 * long the other connections of a loop wait. */
enum { SC_REPORT_BYTES_MAX = 4 << 20 };

/** For all that was shown, which stays in memory until the end: a report of all figures has 2 MB,
 * so one may be made anew thirty times. Whoever changes them more often is told to restart the
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
 * @param name  a stranger's */
const char *sc__report_type(const char *name);

#endif
