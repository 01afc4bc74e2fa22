/**
 * @file audit_record.h
 * @brief A temporary record of a running service, with users and true positions, for an auditor
 * (settings record-true-positions): what `starcloak verify` and `attack` read, sealed.
 *
 * It is the one place where what a service knows of people goes to a disk, so:
 *
 *  1. It must be asked for with an end, a day ahead at most, and stops by itself: at the end, when
 *     the file has reached its bound, or when it cannot be written. It does not begin again.
 *  2. Every line is sealed for the auditor's key before it is written; the operator cannot read the
 *     file, nor can who breaks into the service later (report/sealed_stream.h). What waits to be
 *     written is in memory for a few seconds, and wiped.
 *  3. It is announced: in the log at the start, each hour and at the end, by a metric, and to all
 *     users by GET /v1/about.
 *
 * Events come from several threads, and a record is in the order of time: each waits for
 * SC_AUDIT_HOLD_S seconds for others that may come before it. Queries that wait at the end have no
 * outcome in the record, as in that of a simulation.
 */
#ifndef SC_AUDIT_AUDIT_RECORD_H
#define SC_AUDIT_AUDIT_RECORD_H

#include <starcloak/map.h>

#include "api/auditor.h"
#include "record/record_write.h"
#include "report/report_key.h"
#include "server/log.h"

enum {
    SC_AUDIT_HOLD_S = 5,
    SC_AUDIT_LONGEST_S = 86400,    ///< from the start to the end
    SC_AUDIT_WAITING = 256 << 20,  ///< bytes of lines that wait; more end the record
};

typedef struct sc_audit_options {
    const char *path;       ///< copied; the time of the start and ".sealed" are added to it
    int64_t until_s;        ///< since 1970
    uint64_t max_bytes;     ///< of the file
    sc_report_key auditor;  ///< public, of the kind SC_KEY_OPENING
    const sc_engine_options *engine;
    const sc_recorded_demands *demands;  ///< copied; its tables are borrowed
    sc_time guard_us;      ///< cloaks leave so long before the least deadline of their members
    bool has_own_objects;  ///< objects of answers are the map's
    sc_log *log;           ///< borrowed
} sc_audit_options;

typedef struct sc_audit sc_audit;

/** Nothing is opened. @param map  borrowed @return SC_OK, SC_ENOMEM, SC_EINVAL (the key) */
SC_CHECKED sc_err sc_audit_new(const sc_map *map, const sc_audit_options *options, sc_audit **out,
                               sc_diag *diag);

/** For the service, as long as the audit is there. */
const sc_auditor *sc_audit_auditor(const sc_audit *audit);

/** Make the file (0600), as the user that serves and before a sandbox keeps files from being
 * opened. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_audit_open(sc_audit *audit, sc_diag *diag);

/** Begin to write, by a thread. @return SC_OK, SC_EIO */
SC_CHECKED sc_err sc_audit_start(sc_audit *audit, sc_diag *diag);

/** End the record, if it has not ended, and free. The service has ended before. NULL is fine. */
void sc_audit_free(sc_audit *audit);

/** The file. */
const char *sc_audit_path(const sc_audit *audit);

#endif
