/**
 * @file report_log.h
 * @brief The counts of each day in a file (setting `report-log`), which the service keeps and
 * `starcloak report` reads.
 *
 * The file is a table of slots of SC_REPORT_SLOT bytes, each a line of JSON that is filled up with
 * blanks. The first names the file:
 *
 *     {"log":"starcloak-report-log","version":1,"id":"5f0c92a1d3b4e687"}
 *
 * and each of the others has one day in UTC:
 *
 *     {"day":"2026-11-18","counts":{"queries":{"answered":8231,...},...}}
 *
 * The slot of the day is written over once a minute, and at the end: so the file never tells at
 * which minute of a day something happened, and a service that starts again goes on where the day
 * stood. Nothing is counted twice; what a service that is killed has counted since the last full
 * minute is lost. When there are as many days as may be kept, the oldest makes room.
 *
 * The file is made for its user alone (mode 0600), opened before the sandbox closes, and locked:
 * two services cannot share one. A gateway of a cluster has one of its own.
 */
#ifndef SC_REPORT_REPORT_LOG_H
#define SC_REPORT_REPORT_LOG_H

#include "report/day_counts.h"

#include <starcloak/err.h>

enum {
    SC_REPORT_SLOT = 4096,
    SC_REPORT_DAYS_MAX = 3660,  ///< ten years
};

typedef struct sc_report_log sc_report_log;

/** @param days  that are kept, 1 to SC_REPORT_DAYS_MAX @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_report_log_new(const char *path, unsigned days, sc_report_log **out);

/**
 * Open the file, and make it if it is not there; nothing else is opened later.
 *
 * @param damaged  set to how many slots cannot be read, and will be used again
 * @return SC_OK, SC_EIO, SC_EBUSY (another process has it open), SC_EPARSE (it is another file),
 *         SC_ENOMEM
 */
SC_CHECKED sc_err sc_report_log_open(sc_report_log *log, size_t *damaged, sc_diag *diag);

/** Whether it could be opened by the user of this process, as far as can be told without making it.
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_ENOMEM */
SC_CHECKED sc_err sc_report_log_check(const char *path, sc_diag *diag);

/** Begin to write once a minute, by a thread. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_report_log_start(sc_report_log *log, sc_diag *diag);

/** Write what was counted, close and free; NULL is fine. */
void sc_report_log_free(sc_report_log *log);

/** What a query that has ended is counted by. */
typedef struct sc_report_query {
    sc_report_outcome outcome;
    uint32_t k;  ///< asked
    uint32_t l;
    uint32_t users;  ///< of its cloak, as the next; if it was answered
    uint32_t segments;
} sc_report_query;

/** Any thread, as the next; waits for no file. */
void sc_report_log_query(sc_report_log *log, const sc_report_query *query);

/** A cloak leaves. @param effective  its effective segments */
void sc_report_log_cloak(sc_report_log *log, double effective);

/** How often the file could not be written. Any thread. */
uint64_t sc_report_log_failures(const sc_report_log *log);

/** Whether the last time it could not, and why. Any thread. */
bool sc_report_log_is_failing(sc_report_log *log, sc_diag *why);

/** What the thread does: what was counted since the last call belongs to the day of that call, and
 * is written; `now_s` is the time of this one, from which on counts are of its day. For tests. */
void sc__report_log_collect(sc_report_log *log, int64_t now_s);

// --- Reading -------------------------------------------------------------------------------------

typedef struct sc_report_day {
    int64_t day;
    sc_day_counts counts;
} sc_report_day;

/** A log as it was when it was read. Zero-initialise; sc_report_days_fini() when done. */
typedef struct sc_report_days {
    uint64_t id;  ///< of the log
    sc_report_day *days;
    size_t count;
    size_t damaged;  ///< slots that cannot be read
} sc_report_days;

/**
 * Read a log, whoever writes it meanwhile. Days stand in no order, and one may stand twice, if a
 * slot was damaged.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (it is no report log), SC_ENOMEM
 */
SC_CHECKED sc_err sc_report_days_read(const char *path, sc_report_days *out, sc_diag *diag);

/** The same for the bytes of a file; `name` is for messages. */
SC_CHECKED sc_err sc__report_days_parse(const char *name, const char *bytes, size_t size,
                                        sc_report_days *out, sc_diag *diag);

void sc_report_days_fini(sc_report_days *days);

#endif
