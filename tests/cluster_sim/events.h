/**
 * @file events.h
 * @brief Secret: what will happen in a simulated cluster, the earliest first.
 *
 * Of two events at one moment the one that was planned first comes first, so that a simulated
 * cluster is the same each time it is played. Events are of a process in one of its lives: those of
 * an earlier life come to nothing.
 */
#ifndef SC_CLUSTER_SIM_EVENTS_H
#define SC_CLUSTER_SIM_EVENTS_H

#include "ledger/ticket.h"
#include "messages/messages.h"

struct sc_reservation;

typedef enum sc__event_kind {
    SC__EVENT_WAKE,      ///< a process looks at its clock
    SC__EVENT_MSG,       ///< a message arrives
    SC__EVENT_ASK,       ///< a client asks a gateway
    SC__EVENT_WITHDRAW,  ///< and goes away
    SC__EVENT_ANSWER,    ///< the provider's answer is at a gateway, or another gateway's is read
    SC__EVENT_RESEND,    ///< a gateway receives that a part has moved
    SC__EVENT_CRASH,     ///< some process ends
    SC__EVENT_RESTART,   ///< a process is back, as another peer
    SC__EVENT_STALL,     ///< some process stands still
    SC__EVENT_RESUME,    ///< a process goes on
    SC__EVENT_CUT,       ///< some gateway is cut off
    SC__EVENT_HEALED,    ///< a gateway is not cut off any more
    SC__EVENT_NOTICED,   ///< that a worker is not there: its parts go to others
    SC__EVENT_GREETED,   ///< a worker is known to be there: it is given parts
} sc__event_kind;

typedef struct sc__event {
    sc__event_kind kind;
    uint32_t process;  ///< whom it happens to; SC_NONE: of a message, to the owner of the part
    uint32_t life;     ///< of the process
    struct sc__event *next;  ///< of the list that it is in
    union {
        struct {
            sc_msg msg;     ///< its moments are the calendar's
            uint32_t from;  ///< the process that sent it, in which life, and when
            uint32_t from_life;
            sc_time said;
        };
        sc_ticket *ticket;  ///< of ask; owned
        sc_query_id id;     ///< of withdraw
        struct {
            struct sc_reservation *reservation;  ///< of answer
            sc_failure failure;
        };
        uint32_t part;   ///< of resend
        uint32_t stall;  ///< of resume, and of noticed: which one of the process; 0: none
    };
} sc__event;

/** A zeroed one, or NULL. */
sc__event *sc__event_new(sc__event_kind kind, uint32_t process, uint32_t life);

/** Wipe and free, with what it owns; NULL is fine. */
void sc__event_free(sc__event *event);

typedef struct sc__planned {
    sc_time t;
    uint64_t number;
    sc__event *event;
} sc__planned;

/** Zero-initialise; sc__events_fini() when done. */
typedef struct sc__events {
    sc__planned *heap;
    size_t count;
    size_t capacity;
    uint64_t planned;  ///< so far
} sc__events;

/** Harmless twice. */
void sc__events_fini(sc__events *events);

/** Takes the event, in any case. SC_ENOMEM: it is lost. */
SC_CHECKED sc_err sc__events_put(sc__events *events, sc_time t, sc__event *event);

/** When the next one is; SC_TIME_NEVER if there is none. */
sc_time sc__events_next(const sc__events *events);

/** There must be one. It is the caller's. */
sc__event *sc__events_take(sc__events *events);

#endif
