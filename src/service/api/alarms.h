/**
 * @file alarms.h
 * @brief What an operator should read in the log: the provider fails, is left alone, is back; a
 * promise was broken and the cloak held back.
 *
 * At most one line per second and kind, however much goes wrong; the metrics have the numbers. No
 * line says whom it met.
 *
 * Uses: service_internal. Used by: service.
 */
#ifndef SC_SERVICE_ALARMS_H
#define SC_SERVICE_ALARMS_H

#include "api/service_internal.h"

typedef struct sc_alarms sc_alarms;

/** Looks at the parts once per second in the first loop, so before sc_http_start(). */
SC_CHECKED sc_err sc_alarms_new(sc_service_internal *parts, sc_alarms **out);

/** After the loops and the courier have stopped; NULL is fine. */
void sc_alarms_free(sc_alarms *alarms);

/** An errand is back. Any thread. */
void sc_alarms_errand_back(sc_alarms *alarms, const sc_errand *errand);

/** Look now, and log what is new since the last time; one thread at a time. For tests, and the
 * loop. */
void sc_alarms_look(sc_alarms *alarms);

#endif
