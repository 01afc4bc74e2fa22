/**
 * @file signed_report.h
 * @brief The privacy report that an operator publishes: counts of whole days, rounded, and signed.
 *
 * A file of two lines. The first is the report, and exactly its bytes, without the line feed, are
 * signed (Ed25519); the second has the signature:
 *
 *     {"format":"starcloak-report-1","rounded_down_to":10,"gateways":1,"damaged":0,
 *      "days":[{"day":"2026-11-17","counts":{...}}],"all":{...}}
 *     {"key":"64 hexadecimal digits","signature":"128"}
 *
 * (the first on one line). A report has one form: members in this order, no blanks, days ascending.
 * What is read must be the same when it is written again, or it is refused: so nothing can be added
 * to a report that people overlook, and two reports with the same content have the same signature.
 *
 * Counts are rounded down to multiples of SC_REPORT_STEP: 0 is "none to nine", 10 is "10 to 19".
 * This is both a threshold, so that a small count does not tell of single people, and a rounding,
 * so that a bin cannot be found by taking the others from their sum. `all` is summed from exact
 * counts and then rounded. `below_asked` alone is exact: a broken promise must not be rounded away.
 */
#ifndef SC_REPORT_SIGNED_REPORT_H
#define SC_REPORT_SIGNED_REPORT_H

#include "base/bytes.h"
#include "report/report_key.h"
#include "report/report_log.h"

enum {
    SC_REPORT_STEP = 10,
    SC_REPORT_FILE_MAX = 32 << 20,  ///< bytes; larger than ten years take
};

/** Zero-initialise; sc_privacy_report_fini() when done. */
typedef struct sc_privacy_report {
    uint64_t gateways;    ///< logs that it was made of
    uint64_t damaged;     ///< slots of these that could not be read: days may be missing
    sc_report_day *days;  ///< ascending, rounded
    size_t count;
    sc_day_counts all;  ///< of their exact counts the sum, rounded
} sc_privacy_report;

/**
 * Sum up logs, day by day.
 *
 * @param from, to  first and last day that counts
 * @return SC_OK, SC_EDUPLICATE (two logs are the same), SC_ENOMEM
 */
SC_CHECKED sc_err sc_privacy_report_make(const sc_report_days *logs, size_t count, int64_t from,
                                         int64_t to, sc_privacy_report *out, sc_diag *diag);
void sc_privacy_report_fini(sc_privacy_report *report);

/** Append the two lines. @param secret  of the kind SC_KEY_SIGNING @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc_privacy_report_sign(const sc_privacy_report *report,
                                         const sc_report_key *secret, sc_bytes *out);

/**
 * Read what was signed, by that key.
 *
 * @param name  for messages
 * @return SC_OK, SC_EPARSE (no report, or not in its one form), SC_EBROKEN (signed by another key,
 *         or changed since), SC_ENOMEM
 */
SC_CHECKED sc_err sc_privacy_report_verify(const char *name, const char *bytes, size_t size,
                                           const sc_report_key *key, sc_privacy_report *out,
                                           sc_diag *diag);

/** Append the first line, without its line feed. @return SC_OK, SC_ENOMEM */
SC_CHECKED sc_err sc__privacy_report_write(const sc_privacy_report *report, sc_bytes *out);

/** Read it. @return SC_OK, SC_EPARSE, SC_ENOMEM */
SC_CHECKED sc_err sc__privacy_report_read(const char *text, size_t size, sc_privacy_report *out);

#endif
