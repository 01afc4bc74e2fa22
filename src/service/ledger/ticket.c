// One query from the door to its outcome. See ticket.h.
#include "ledger/ticket.h"

#include "base/alloc.h"

#include <string.h>

const char *sc_outcome_name(sc_outcome outcome)
{
    switch (outcome) {
    case SC_OUTCOME_NONE:
        return "none";
    case SC_OUTCOME_ANSWERED:
        return "answered";
    case SC_OUTCOME_DROPPED:
        return "dropped";
    case SC_OUTCOME_FAILED:
        return "failed";
    case SC_OUTCOME_GONE:
        return "gone";
    }
    return "unknown";
}

sc_ticket *sc_ticket_new(void)
{
    return sc_calloc(1, sizeof(sc_ticket));
}

void sc_ticket_free(sc_ticket *ticket)
{
    if (!ticket) return;
    sc_answer_free(ticket->answer);
    explicit_bzero(ticket, sizeof *ticket);
    sc_free(ticket);
}
