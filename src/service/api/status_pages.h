/**
 * @file status_pages.h
 * @brief GET /v1/about: what this service is and allows, for those who draw sliders.
 *
 * Uses: service_internal, json_write. Used by: router.
 */
#ifndef SC_API_STATUS_PAGES_H
#define SC_API_STATUS_PAGES_H

#include "api/service_internal.h"

/** @param policy  in force now */
void sc_about_show(const sc_service_internal *parts, const sc_policy_terms *policy,
                   sc_http_request *request);

#endif
