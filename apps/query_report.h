/**
 * @file query_report.h
 * @brief What a service replied to a query: a table for people, JSON for programs, words for what
 * went wrong.
 *
 * The reply is a stranger's: whatever is in it, it is printed so that a terminal comes to no harm,
 * and what is not of the expected kind is said to be that.
 *
 * Used by: query.
 */
#ifndef SC_APPS_QUERY_REPORT_H
#define SC_APPS_QUERY_REPORT_H

#include "command.h"
#include "query_http.h"

/**
 * Print the reply.
 *
 * @param json  whatever the service says, as JSON, on standard output; what is no answer is told on
 *              standard error besides
 * @return the exit status: SC_EXIT_OK if it was answered
 */
int sc_query_report(const sc_call *call, const sc_post_reply *reply, bool json);

#endif
