// A hash table without graves. See tickets.h.
#include "ledger/tickets.h"

#include "base/alloc.h"

#include <string.h>

static uint64_t bits_of(const sc_query_id *id)
{
    uint64_t bits;
    memcpy(&bits, id->bytes, sizeof bits);
    return bits;
}

/** Where a ticket with these bits would like to be. */
static size_t home(const sc__tickets *tickets, uint64_t bits)
{
    return bits & (tickets->capacity - 1);
}

static size_t after(const sc__tickets *tickets, size_t at)
{
    return (at + 1) & (tickets->capacity - 1);
}

sc_err sc__tickets_init(sc__tickets *tickets, size_t most)
{
    size_t capacity = 16;
    while (capacity / 2 < most) {
        capacity *= 2;
    }
    *tickets = (sc__tickets){.capacity = capacity, .most = most};
    tickets->entries = sc_calloc(capacity, sizeof *tickets->entries);
    return tickets->entries ? SC_OK : SC_ENOMEM;
}

void sc__tickets_fini(sc__tickets *tickets)
{
    sc_free(tickets->entries);
    *tickets = (sc__tickets){0};
}

sc_ticket *sc__tickets_find(const sc__tickets *tickets, const sc_query_id *id)
{
    const uint64_t bits = bits_of(id);
    size_t at = home(tickets, bits);
    for (; tickets->entries[at].ticket; at = after(tickets, at)) {
        const sc__tickets_entry *entry = &tickets->entries[at];
        if (entry->bits != bits) continue;
        if (memcmp(&entry->ticket->query.id, id, sizeof *id) == 0) return entry->ticket;
    }
    return NULL;
}

void sc__tickets_expect(const sc__tickets *tickets, const sc_query_id *id)
{
    __builtin_prefetch(&tickets->entries[home(tickets, bits_of(id))]);
}

void sc__tickets_put(sc__tickets *tickets, sc_ticket *ticket)
{
    const uint64_t bits = bits_of(&ticket->query.id);
    size_t at = home(tickets, bits);
    while (tickets->entries[at].ticket) {
        at = after(tickets, at);
    }
    tickets->entries[at] = (sc__tickets_entry){bits, ticket};
    tickets->count++;
}

void sc__tickets_remove(sc__tickets *tickets, const sc_ticket *ticket)
{
    sc__tickets_entry *entries = tickets->entries;
    size_t gap = home(tickets, bits_of(&ticket->query.id));
    while (entries[gap].ticket != ticket) {
        gap = after(tickets, gap);
    }
    // What follows may stand where it stands only because the gap was taken: an entry whose home is
    // not after the gap moves into it, and leaves a new one.
    for (size_t at = after(tickets, gap); entries[at].ticket; at = after(tickets, at)) {
        const size_t from_home = (at - home(tickets, entries[at].bits)) & (tickets->capacity - 1);
        if (from_home < ((at - gap) & (tickets->capacity - 1))) continue;
        entries[gap] = entries[at];
        gap = at;
    }
    entries[gap] = (sc__tickets_entry){0};
    tickets->count--;
}

sc_ticket *sc__tickets_any(const sc__tickets *tickets, size_t *from)
{
    while (*from < tickets->capacity && !tickets->entries[*from].ticket) {
        ++*from;
    }
    return *from < tickets->capacity ? tickets->entries[*from].ticket : NULL;
}
