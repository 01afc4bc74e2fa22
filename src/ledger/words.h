/**
 * @file words.h
 * @brief Secret: what the ledger and the engine say to each other.
 *
 * Small values that are copied into handovers. The ledger decides; the engine is told:
 *
 *     add          a query is open
 *     remove       it has its outcome, or its client went away: it counts for nobody any more
 *     accept       this proposal was published
 *     refuse       this proposal is off; its members that were not removed go on
 *
 * and says itself:
 *
 *     proposed     a pruned cloak
 *     dropped      no cloak will come for this query
 *     not taken    no memory for this query
 *
 * A cloak belongs to whoever was told of it last. A word about a query that has its outcome
 * already is harmless on both sides: they cross on the way.
 *
 * Used by: books.c, room.c, ledger.c.
 */
#ifndef SC_LEDGER_WORDS_H
#define SC_LEDGER_WORDS_H

#include <starcloak/cloak.h>
#include <starcloak/engine.h>

typedef enum sc__command_kind {
    SC__COMMAND_ADD,
    SC__COMMAND_REMOVE,
    SC__COMMAND_ACCEPT,
    SC__COMMAND_REFUSE,
    SC__COMMAND_WAKE,  ///< look up: it is over
} sc__command_kind;

/** To the engine. */
typedef struct sc__command {
    sc__command_kind kind;
    union {
        sc_query query;  ///< of add
        sc_query_id id;  ///< of remove
        struct {
            sc_cloak *cloak;  ///< of accept and refuse
            sc_time now;      ///< of accept: when it was published
        };
    };
} sc__command;

typedef enum sc__message_kind {
    SC__MESSAGE_PROPOSED,
    SC__MESSAGE_DROPPED,
    SC__MESSAGE_NOT_TAKEN,
} sc__message_kind;

/** From the engine. */
typedef struct sc__message {
    sc__message_kind kind;
    sc_drop_reason reason;  ///< of dropped
    union {
        sc_query_id id;   ///< of dropped and not taken
        sc_cloak *cloak;  ///< of proposed
    };
} sc__message;

#endif
