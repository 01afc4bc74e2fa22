/**
 * @file speaks_json.h
 * @brief Whether a request says that its body is JSON.
 *
 * Uses: problem. Used by: door, attacks, demo.
 */
#ifndef SC_SERVICE_SPEAKS_JSON_H
#define SC_SERVICE_SPEAKS_JSON_H

#include "api/problem_details.h"

/** Whether Content-Type is application/json; if not, `problem` says what to send. */
bool sc_speaks_json(const sc_http_request *request, sc_problem *problem);

#endif
