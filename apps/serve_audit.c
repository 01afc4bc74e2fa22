/*
 * The settings of a temporary record of true positions. See serve_audit.h.
 */
#include "serve_audit.h"

#include "command.h"
#include "report/report_key.h"

#include <string.h>
#include <time.h>

/** "2026-11-18T20:45:00Z", in seconds since 1970; false: it is none. */
static bool read_time(const char *text, int64_t *out)
{
    struct tm utc = {0};
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    if (!end || *end != '\0') return false;
    *out = timegm(&utc);
    return true;
}

/** What a record can be of. What cannot be verified later must not be recorded. */
static sc_err check_kind(const sc_settings *s, bool is_plain_serve, sc_diag *diag)
{
    const char *other = *s->zone_key         ? "zone-key"
                        : *s->objects        ? "objects"
                        : *s->point_provider ? "point-provider"
                        : *s->area_provider  ? "area-provider"
                        : *s->categories     ? "categories"
                                             : NULL;
    if (!is_plain_serve) {
        return sc_explain(diag, SC_EINVAL,
                          "record-true-positions: only 'starcloak serve' records, a service that "
                          "has all members of its cloaks");
    }
    if (other) {
        return sc_explain(diag, SC_EINVAL,
                          "record-true-positions: a record has no place for what %s adds; remove "
                          "one of the two",
                          other);
    }
    return SC_OK;
}

static sc_err check_time(const sc_settings *s, int64_t *until_s, sc_diag *diag)
{
    if (!read_time(s->record_until, until_s)) {
        return sc_explain(diag, SC_EINVAL,
                          "record-true-positions-until: give the end in UTC, as "
                          "2026-11-18T20:45:00Z, a day ahead at most");
    }
    if (*until_s - (int64_t)time(NULL) > SC_AUDIT_LONGEST_S) {
        return sc_explain(diag, SC_EINVAL,
                          "record-true-positions-until: %s is more than a day ahead",
                          s->record_until);
    }
    return SC_OK;
}

sc_err sc_serve_audit_new(const sc_settings *settings, const sc_map *map, sc_log *log,
                          bool is_plain_serve, sc_service_options *options, sc_audit **out,
                          sc_diag *diag)
{
    const sc_settings *s = settings;
    int64_t until_s = 0;
    sc_report_key key;
    if (*s->record_positions == '\0') return SC_OK;
    sc_err err = check_kind(s, is_plain_serve, diag);
    if (!err) err = check_time(s, &until_s, diag);
    if (!err) err = sc_report_key_read_public(SC_KEY_OPENING, s->record_key, &key, diag);
    if (err) return err;
    if (until_s <= (int64_t)time(NULL)) {
        sc_log_message(log, SC_LOG_WARNING, "true_positions_no_longer_recorded",
                       "record-true-positions-until is over; remove record-true-positions from "
                       "the settings");
        return SC_OK;
    }
    const sc_recorded_demands demands = {
        .demands = options->ledger.engine.demands,
        .has_continuity = options->ledger.has_continuity,
        .continuity = options->ledger.continuity,
    };
    err = sc_audit_new(
        map,
        &(sc_audit_options){.path = s->record_positions,
                            .until_s = until_s,
                            .max_bytes = s->record_max << 20,
                            .auditor = key,
                            .engine = &options->ledger.engine,
                            .demands = &demands,
                            .has_own_objects = options->courier.kind == SC_COURIER_BUILT_IN,
                            .guard_us = options->ledger.guard_us,
                            .log = log},
        out, diag);
    if (!err) options->auditor = sc_audit_auditor(*out);
    return err;
}
