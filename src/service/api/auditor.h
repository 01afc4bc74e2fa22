/**
 * @file auditor.h
 * @brief Who is shown each query with its user and true position, each cloak with its members, and
 * each outcome: for a temporary record that an auditor asked for (settings record-true-positions),
 * and for nothing else. A service has none unless it is given one.
 */
#ifndef SC_API_AUDITOR_H
#define SC_API_AUDITOR_H

#include <starcloak/admit.h>
#include <starcloak/map.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "ledger/ticket.h"
#include "messages/messages.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct sc_auditor {
    /** A query was taken. All borrowed; `ask` has the user, the time and the profile. In the thread
     * of a loop, as `settled`. */
    void (*asked)(void *context, const sc_query *query, const sc_ask *ask, const sc_snap *where,
                  const sc_request *request);
    /** A cloak has left at `t`; its members' tickets in a list, whose `recorded` is the auditor's.
     * In the ledger's thread. */
    void (*left)(void *context, const sc_proposal *proposal, sc_ticket *members, sc_time t);
    /** A query has its outcome. */
    void (*settled)(void *context, const sc_ticket *ticket);
    /** When this ends, in seconds since 1970; 0: it has. Any thread. */
    int64_t (*until_s)(void *context);
    void *context;
} sc_auditor;

#endif
