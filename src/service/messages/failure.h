/**
 * @file failure.h
 * @brief Why a query or a cloak that was accepted got no answer.
 *
 * Apart from courier.h, since workers and the messages between processes name failures and must
 * not see the positions there.
 */
#ifndef SC_MESSAGES_FAILURE_H
#define SC_MESSAGES_FAILURE_H

/** Why an errand failed. */
#define SC_FAILURE_MAP(X)                                                                      \
    X(NONE, 0, "none")                                                                         \
    X(UNREACHABLE, 1, "provider_unreachable")   /* no connection, or it broke off */           \
    X(TIMEOUT, 2, "provider_timeout")           /* no reply in time */                         \
    X(REFUSED, 3, "provider_refused")           /* it says that it cannot answer */            \
    X(UNBELIEVABLE, 4, "provider_unbelievable") /* a reply that cannot be true */              \
    X(SUSPENDED, 5, "provider_suspended")       /* the breaker is open */                      \
    X(OVERLOADED, 6, "overloaded")              /* no memory or no room on our side */         \
    X(IN_DOUBT, 7, "in_doubt")       /* the ledger's: its deadline came while reserved */      \
    X(STOPPED, 8, "stopped")         /* the service ends */                                    \
    X(UNSENT, 9, "not_sent_in_time") /* too late to begin, and nothing was said */             \
    X(LOST, 10, "result_lost")       /* another gateway asked the provider, and fell silent */ \
    X(COSTLY, 11, "too_costly")      /* its cloak would cost the provider too much */

typedef enum sc_failure {
#define X(name, value, word) SC_FAILURE_##name = (value),
    SC_FAILURE_MAP(X)
#undef X
        SC_FAILURE_COUNT
} sc_failure;

/** "provider_timeout" */
const char *sc_failure_name(sc_failure failure);

#endif
