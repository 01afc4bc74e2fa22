/**
 * @file serve_audit.h
 * @brief The temporary record of true positions of `starcloak serve`: its settings, checked and
 * made into an sc_audit (audit/audit_record.h).
 */
#ifndef SC_APPS_SERVE_AUDIT_H
#define SC_APPS_SERVE_AUDIT_H

#include "api/service.h"
#include "api/settings.h"
#include "audit/audit_record.h"
#include "serve_run.h"

/**
 * Prepare what the settings ask for, if they do, and let the service's options have it.
 *
 * A time that is over asks for nothing more, so that a service that is started again by its manager
 * goes on: the log says so.
 *
 * @param out  NULL if nothing is to be recorded
 */
SC_CHECKED sc_err sc_serve_audit_new(const sc_settings *settings, const sc_map *map, sc_log *log,
                                     bool is_plain_serve, sc_service_options *options,
                                     sc_audit **out, sc_diag *diag);

#endif
