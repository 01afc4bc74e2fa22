// Who gets a place: connections are bounded in all and per client address.
//
// An address is an IPv4 address or the network of an IPv6 address (/64), as a keyed number. If a
// newcomer's address has as many connections as it may have, the address's oldest idle connection
// makes room; without one the newcomer is reset. If all places are taken, the oldest unended
// handshake makes room, if these have more than a quarter of the places; or the oldest connection
// that takes more than a second to send its request; or the oldest idle one of all. Without such a
// one the newcomer gets a place of the reserve, in which it can ask how the service is and nothing
// else: the handler sees that (sc_http_request_is_reserve()) and the connection ends with the
// reply. There are few of these, of which an address has a small share, and the oldest makes room.
// Operators' connections are counted apart.
//
// The connections of a proxy that names the client in each request are its own, and many clients'
// share one: they are not counted for its address. Its requests are, for the address of their
// client: as many may be under way at once as that address may have connections.
//
// Handshakes of TLS go first, since beginning one costs a stranger nothing; but not below their
// share, nor before all places are taken: after a restart all honest clients begin theirs at once.
//
// A loop closes its own connections only. If the one to close is another loop's, that loop is asked
// for it, and the newcomer is welcome in the meantime.
//
// Invariants:
//  1. An address is in the table while it has connections, and the connections hold pointers to it:
//     what is of one loop in it is that loop's alone and needs no lock.
//  2. A connection that is admitted, public and not of the reserve holds one of `places`.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/diag.h"

enum { TABLE_BITS = 14, TABLE_SIZE = 1 << TABLE_BITS };

/** One of so many places is left to connections that are in their handshake. */
enum { HANDSHAKE_SHARE = 4 };

/** Connections of the reserve that an address may have in a loop: who comes again and again drives
 * out only itself. */
enum { RESERVE_SHARE = 4 };

/** An honest client has sent its request by then. */
static const int64_t slow_us = 1000000;

/** What one loop has of an address. */
typedef struct loop_share {
    struct sc__http_connections idle;  ///< the loop's thread only; in the order of becoming idle
    atomic_size_t idle_count;          ///< written by the loop's thread, read by all
} loop_share;

struct sc__http_address {
    sc__http_address *next;  ///< under the lock, as the next two
    uint64_t number;
    size_t count;  ///< of connections
    loop_share loops[];
};

struct sc__http_admission {
    pthread_mutex_t lock;
    sc__http_address *table[TABLE_SIZE];  ///< under the lock
};

sc_err sc__http_admission_new(sc__http_admission **out, sc_diag *diag)
{
    sc__http_admission *admission = sc_calloc(1, sizeof *admission);
    if (!admission) return sc_fail_memory(diag, "preparing the server");
    pthread_mutex_init(&admission->lock, NULL);
    *out = admission;
    return SC_OK;
}

void sc__http_admission_free(sc__http_admission *admission)
{
    if (!admission) return;
    pthread_mutex_destroy(&admission->lock);
    sc_free(admission);
}

// --- Addresses -----------------------------------------------------------------------------------

static sc__http_address **place_of(sc__http_admission *admission, uint64_t number)
{
    sc__http_address **at = &admission->table[number & (TABLE_SIZE - 1)];
    while (*at && (*at)->number != number) {
        at = &(*at)->next;
    }
    return at;
}

static sc__http_address *address_new(const sc_http *http, uint64_t number)
{
    const unsigned loops = http->options.loops;
    sc__http_address *address = sc_calloc(1, sizeof *address + loops * sizeof(loop_share));
    if (!address) return NULL;
    address->number = number;
    for (unsigned i = 0; i < loops; i++) {
        TAILQ_INIT(&address->loops[i].idle);
    }
    return address;
}

/** One connection more of that address; `count` is set to how many there are now. NULL if memory is
 * out. */
static sc__http_address *enter(sc_http *http, uint64_t number, size_t *count)
{
    sc__http_admission *admission = http->admission;
    pthread_mutex_lock(&admission->lock);
    sc__http_address **at = place_of(admission, number);
    if (!*at) *at = address_new(http, number);
    sc__http_address *address = *at;
    if (address) *count = ++address->count;
    pthread_mutex_unlock(&admission->lock);
    return address;
}

static void leave(sc_http *http, sc__http_address *address)
{
    sc__http_admission *admission = http->admission;
    pthread_mutex_lock(&admission->lock);
    if (--address->count == 0) {
        *place_of(admission, address->number) = address->next;
        sc_free(address);
    }
    pthread_mutex_unlock(&admission->lock);
}

// --- Becoming idle and busy ----------------------------------------------------------------------

static loop_share *share_of(const sc__http_connection *connection)
{
    return &connection->address->loops[connection->loop->index];
}

void sc__http_admission_idle(sc__http_connection *connection)
{
    if (!connection->address || connection->is_idle_listed) return;
    loop_share *share = share_of(connection);
    TAILQ_INSERT_TAIL(&share->idle, connection, idle_link);
    connection->is_idle_listed = true;
    atomic_fetch_add_explicit(&share->idle_count, 1, memory_order_relaxed);
}

void sc__http_admission_busy(sc__http_connection *connection)
{
    if (!connection->is_idle_listed) return;
    loop_share *share = share_of(connection);
    TAILQ_REMOVE(&share->idle, connection, idle_link);
    connection->is_idle_listed = false;
    atomic_fetch_sub_explicit(&share->idle_count, 1, memory_order_relaxed);
}

// --- Making room ---------------------------------------------------------------------------------

static void evict(sc__http_connection *connection)
{
    sc__http_count(&connection->loop->evicted);
    sc__http_connection_part(connection);
}

static void ring_others(const sc__http_loop *loop)
{
    for (unsigned i = 0; i < loop->http->options.loops; i++) {
        if (i != loop->index) sc__http_loop_ring(&loop->http->loops[i]);
    }
}

/** Whether room was made, or is about to be, among the connections of the newcomer's address. */
static bool make_room_of_address(sc__http_connection *newcomer)
{
    sc__http_loop *loop = newcomer->loop;
    sc_http *http = loop->http;
    sc__http_address *address = newcomer->address;
    sc__http_connection *oldest = TAILQ_FIRST(&address->loops[loop->index].idle);
    if (oldest) {
        evict(oldest);
        return true;
    }
    for (unsigned i = 0; i < http->options.loops; i++) {
        if (atomic_load_explicit(&address->loops[i].idle_count, memory_order_relaxed) == 0) {
            continue;
        }
        atomic_store(&http->loops[i].crowded, address->number);
        sc__http_loop_ring(&http->loops[i]);
        return true;
    }
    return false;
}

/** The connection of this loop that is in `stage` for longest, of clients that have a place. */
static sc__http_connection *oldest_in(const sc__http_loop *loop, sc__http_stage stage)
{
    sc__http_connection *c = TAILQ_FIRST(&loop->stages[stage]);
    while (c && !c->has_place) {
        c = TAILQ_NEXT(c, link);
    }
    return c;
}

/** The connection of this loop that makes room when all places are taken; NULL: none. */
static sc__http_connection *spare_place(const sc__http_loop *loop)
{
    const sc_http *http = loop->http;
    if (atomic_load(&http->securing) > http->options.max_connections / HANDSHAKE_SHARE) {
        sc__http_connection *unended = oldest_in(loop, SC__HTTP_SECURING);
        if (unended) return unended;
    }
    sc__http_connection *slow = oldest_in(loop, SC__HTTP_READING);
    if (slow && sc_clock_us() - slow->since_us >= slow_us) return slow;
    return oldest_in(loop, SC__HTTP_IDLE);
}

static bool take_place(sc_http *http)
{
    if (atomic_fetch_add(&http->places, 1) < http->options.max_connections) return true;
    atomic_fetch_sub(&http->places, 1);
    return false;
}

/** The oldest in the reserve of those with the newcomer's address, if they have their share; NULL:
 * they have less. */
static sc__http_connection *oldest_of_full_share(const sc__http_connection *newcomer)
{
    size_t count = 0;
    sc__http_connection *oldest = NULL;
    sc__http_connection *c = NULL;
    TAILQ_FOREACH(c, &newcomer->loop->reserve, reserve_link)
    {
        if (c->peer != newcomer->peer) continue;
        if (!oldest) oldest = c;
        count++;
    }
    return count >= RESERVE_SHARE ? oldest : NULL;
}

static void enter_reserve(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    sc__http_connection *leaves = oldest_of_full_share(connection);
    if (!leaves && atomic_load(&loop->http->reserved) >= SC__HTTP_RESERVE) {
        leaves = TAILQ_FIRST(&loop->reserve);
    }
    if (leaves) sc__http_connection_reset(leaves);
    connection->is_reserve = true;
    TAILQ_INSERT_TAIL(&loop->reserve, connection, reserve_link);
    atomic_fetch_add(&loop->http->reserved, 1);
}

static void leave_reserve(sc__http_connection *connection)
{
    TAILQ_REMOVE(&connection->loop->reserve, connection, reserve_link);
    connection->is_reserve = false;
    atomic_fetch_sub(&connection->loop->http->reserved, 1);
}

static void admit_public(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    connection->has_place = take_place(loop->http);
    if (connection->has_place) return;
    sc__http_connection *spare = spare_place(loop);
    if (spare) {
        evict(spare);
        connection->has_place = take_place(loop->http);
    }
    if (connection->has_place) return;
    sc__http_count(&loop->full);
    enter_reserve(connection);
    atomic_store(&loop->http->wants_room, true);
    ring_others(loop);
}

static bool admit_operator(sc__http_connection *connection)
{
    sc_http *http = connection->loop->http;
    connection->is_counted_admin = true;
    return atomic_fetch_add(&http->admins, 1) < http->options.max_admin_connections;
}

/** Whether its address has not begun too many handshakes of late. */
static bool may_shake_hands(const sc__http_connection *connection)
{
    const sc_http *http = connection->loop->http;
    const sc_http_options *o = &http->options;
    return !http->tls || o->handshakes_per_s <= 0 || connection->is_forwarded ||
           connection->is_relay ||
           sc_rate_limit_take(http->handshakes, connection->peer, o->handshakes_per_s,
                              o->handshake_burst, sc_clock_us()) == 0;
}

bool sc__http_admit(sc__http_connection *connection)
{
    sc__http_loop *loop = connection->loop;
    sc_http *http = loop->http;
    if (connection->is_admin) return admit_operator(connection);
    size_t count = 0;
    connection->address = enter(http, connection->peer, &count);
    if (!connection->address) {
        sc__http_accept_starved(loop);
        return false;
    }
    if (!may_shake_hands(connection)) {
        sc__http_count(&loop->refused_handshakes);
        return false;
    }
    const size_t most = http->options.max_address_connections;
    const bool is_limited = most > 0 && !connection->is_forwarded && !connection->is_relay;
    if (is_limited && count > most && !make_room_of_address(connection)) {
        sc__http_count(&loop->refused_addresses);
        return false;
    }
    admit_public(connection);
    return true;
}

void sc__http_admission_leave(sc__http_connection *connection)
{
    sc_http *http = connection->loop->http;
    sc__http_admission_busy(connection);
    if (connection->is_reserve) leave_reserve(connection);
    if (connection->has_place) atomic_fetch_sub(&http->places, 1);
    if (connection->is_counted_admin) atomic_fetch_sub(&http->admins, 1);
    if (connection->address) leave(http, connection->address);
    connection->has_place = false;
    connection->is_counted_admin = false;
    connection->address = NULL;
}

bool sc__http_admit_request(sc_http_request *request)
{
    sc__http_loop *loop = request->connection->loop;
    const size_t most = loop->http->options.max_address_connections;
    size_t count = 0;
    if (most == 0) return true;
    request->address = enter(loop->http, request->peer, &count);
    if (request->address && count <= most) return true;
    if (request->address) sc__http_count(&loop->refused_addresses);
    sc__http_admission_leave_request(request);
    return false;
}

void sc__http_admission_leave_request(sc_http_request *request)
{
    if (request->address) leave(request->connection->loop->http, request->address);
    request->address = NULL;
}

void sc__http_admission_promote(sc__http_connection *connection)
{
    if (!connection->is_reserve || !take_place(connection->loop->http)) return;
    leave_reserve(connection);
    connection->has_place = true;
}

/** The oldest idle connection that this loop has of an address with too many; NULL: none. */
static sc__http_connection *spare_of(const sc__http_loop *loop, uint64_t number)
{
    const sc_http *http = loop->http;
    pthread_mutex_lock(&http->admission->lock);
    const sc__http_address *address = *place_of(http->admission, number);
    sc__http_connection *spare = NULL;
    if (address && address->count > http->options.max_address_connections) {
        spare = TAILQ_FIRST(&address->loops[loop->index].idle);
    }
    pthread_mutex_unlock(&http->admission->lock);
    return spare;
}

void sc__http_admission_wake(sc__http_loop *loop)
{
    sc_http *http = loop->http;
    const uint64_t crowded = atomic_exchange(&loop->crowded, 0);
    sc__http_connection *spare = crowded != 0 ? spare_of(loop, crowded) : NULL;
    if (spare) evict(spare);
    if (!atomic_load(&http->wants_room)) return;
    if (atomic_load(&http->places) < http->options.max_connections) {
        atomic_store(&http->wants_room, false);
        return;
    }
    spare = spare_place(loop);
    if (!spare) return;
    atomic_store(&http->wants_room, false);
    evict(spare);
}
