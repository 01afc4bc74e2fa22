/**
 * @file door_internal.h
 * @brief What the files of the door share: visits, and what each loop has of its own.
 *
 * A *visit* joins a query's ticket to the request that waits for it. It belongs to the loop's
 * thread, from the moment the ledger takes the ticket until the loop has it back; only the pointer
 * to it travels, in the ticket. So client and outcome meet in one thread, whichever comes first.
 *
 * Used by: door.c, door_settle.c.
 */
#ifndef SC_SERVICE_DOOR_INTERNAL_H
#define SC_SERVICE_DOOR_INTERNAL_H

#include <sodium.h>
#include <starcloak/admit.h>

#include "api/door.h"
#include "base/handover.h"

typedef struct sc__visit {
    sc_door *door;
    sc_http_request *request;  ///< NULL once the client is gone
    uint64_t user;             ///< as the guards know it
    sc_query_id id;            ///< to withdraw it by
} sc__visit;

/** Tickets that are handed to a loop, and taken by it, at once: so many that a whole cloak costs
 * one ring of the bell, and few enough that newcomers need not wait. */
enum { SC__DOOR_BATCH = 128 };

/** What a loop has; its thread's, but for the handover and what comes before it. */
typedef struct sc__door_loop {
    sc_ticket *leaving[SC__DOOR_BATCH];  ///< of the ledger's thread: settled in this round
    size_t leaving_count;
    sc_admission *admission;
    sc_handover *settled;  ///< of sc_ticket *, from the ledger's thread
    sc_time last_t;        ///< of the last query admitted
    size_t visits;         ///< there is room in `settled` for all of them
    sc_bytes reply;        ///< being written; wiped after each
} sc__door_loop;

struct sc_door {
    sc_service_internal *parts;
    size_t max_visits;  ///< per loop
    bool is_geographic;
    uint8_t user_key[crypto_shorthash_KEYBYTES];
    sc__door_loop *loops;  ///< parts->loops of them
    atomic_uint_fast64_t refused[SC_PROBLEM_COUNT];
};

/** Reply to those whose tickets are settled, in the loop's thread; for sc_http_watch(). */
void sc__door_take_settled(void *context, unsigned loop);

/** The client of a visit is gone; for sc_http_on_gone(). */
void sc__door_gone(void *context);

/** A ticket has come back: count it, answer if `may_reply` and somebody waits, wipe and free. */
void sc__door_settle(sc_door *door, sc__door_loop *loop, sc_ticket *ticket, bool may_reply);

#endif
