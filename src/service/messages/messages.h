/**
 * @file messages.h
 * @brief Secret: the messages between gateways and workers: engines propose, gateways commit.
 *
 * A *gateway* accepted some queries and is their ledger (ledger/state.h). A *worker* has the
 * engines of some parts of the map (worker/engine_thread.h). A *proposal* is a pruned cloak with
 * its members under 128 random bits.
 *
 *     gateway -> worker   add        a query is open; this part's engine answers for it
 *                         company    it is open; another engine answers for it
 *                         remove     it is in no need of a cloak any more
 *                         ok         my members are reserved; this is what they ask for
 *                         no         they are not: these are not open here, or too late
 *                         published  the proposal has left (also to other gateways)
 *                         dead       it never will (also to other gateways)
 *     worker -> gateway   reserve    the proposal; to all gateways of its members
 *                         release    all said ok; to the gateway R that the proposal names
 *                         abort      it is off: forget it, whatever comes later
 *                                    (also from a gateway: its member went away)
 *                         dropped    no cloak will come for this query, and why
 *                         not taken  no memory for this query
 *     asker -> R          ask        what became of the proposal? (a gateway or the worker) It
 *                                    names a member of R's, and the last deadline of all members
 *     R -> gateway        result     what the provider replied
 *     gateway -> gateway  visit      a client asks here about a query of yours (async_visits.c)
 *                         visited    what there is to tell it
 *
 * Where all members are of one gateway, that is R, and `reserve` means `release` as well: no ok is
 * sent, and a cloak costs two messages. To add a kind of message: sc_msg_kind and sc_msg below,
 * messages.c (copying and wiping), cluster/cluster.proto and cluster_codec_messages.c (bytes), and
 * the receiver, ledger/protocol.c or worker/proposals.c. With one process messages are copied from
 * thread to thread; with many they are sealed and go over NATS (cluster/). They may be lost, come
 * twice, late, or overtake each other: that costs success, never a promise (tests/unit/cluster_sim,
 * model/commit.pml).
 *
 * Times are sc_clock_us() of the process that has the message now; on the way they are the
 * calendar's.
 *
 * A message owns what it points to, and its receiver owns it: sc_msg_fini().
 *
 * Workers include this header, so it knows segments, pseudonyms and requests, and neither positions
 * nor users: places and tickets are the gateway's alone (courier/courier.h, ledger/ticket.h).
 */
#ifndef SC_MESSAGES_MESSAGES_H
#define SC_MESSAGES_MESSAGES_H

#include <starcloak/cloak.h>
#include <starcloak/engine.h>
#include <starcloak/query.h>
#include <starcloak/relay.h>

#include "messages/failure.h"

/** A gateway or a worker, by a number that it drew at random when it started. */
typedef uint64_t sc_peer;

/** No peer; as the addressee of add, company and remove: the worker that has the part. */
#define SC_PEER_NONE UINT64_C(0)

/** 128 random bits, drawn by the worker for each proposal. */
typedef struct sc_proposal_id {
    uint8_t bytes[16];
} sc_proposal_id;

static inline bool sc_proposal_id_equal(const sc_proposal_id *a, const sc_proposal_id *b)
{
    return __builtin_memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

/** A member of a proposal. Its gateway is `query.owner`. */
typedef struct sc_proposal_member {
    sc_query query;
    sc_star_id star;
} sc_proposal_member;

/** One block of memory; free with sc_proposal_free(). */
typedef struct sc_proposal {
    sc_proposal_id id;
    sc_peer worker;          ///< who proposes: oks, noes and outcomes go there
    uint32_t engine_thread;  ///< and to this engine thread of it
    uint32_t part;           ///< whose engine found it
    sc_peer releaser;        ///< R: the gateway of a random member
    bool is_single;          ///< all members are of R
    sc_time deadline;        ///< the least of the members'
    sc_time last;            ///< the greatest of the members' deadlines
    size_t star_count;
    size_t segment_count;
    size_t border_node_count;
    size_t member_count;
    sc_star_id *stars;
    sc_seg_id *segments;
    sc_node_id *border_nodes;
    sc_proposal_member *members;  ///< in the cloak's order, which is random (P6)
    size_t size;                  ///< of the whole block, to be wiped
} sc_proposal;

/** A proposal with so many of each, its counts set and all else zero; NULL if memory is out, or too
 * much is wanted. */
sc_proposal *sc_proposal_new(size_t stars, size_t segments, size_t border_nodes, size_t members);

/** NULL if memory is out. */
sc_proposal *sc_proposal_clone(const sc_proposal *proposal);

/** Wipe and free; NULL is fine. */
void sc_proposal_free(sc_proposal *proposal);

/** What a member asks for: what R needs to know of other gateways' members. */
typedef struct sc_wish {
    sc_query_id query;
    sc_request request;  ///< in normal form; categories by number of the courier's vocabulary
} sc_wish;

/** What R received from the provider, for other gateways. One block; free with sc_result_free(). */
typedef struct sc_result {
    sc_failure failure;
    size_t relay_size;  ///< of a failure 0, as the next
    size_t reply_size;
    uint8_t *relay;  ///< both in the compact encoding
    uint8_t *reply;
} sc_result;

/** NULL if memory is out. The bytes are copied. */
sc_result *sc_result_new(sc_failure failure, const void *relay, size_t relay_size,
                         const void *reply, size_t reply_size);
void sc_result_free(sc_result *result);

/** What a client wants of a query that another gateway has. */
typedef enum sc_visit_verb {
    SC_VISIT_LOOK = 1,
    SC_VISIT_DELETE = 2,
    SC_VISIT_LEAVE = 3,  ///< it was held, and its client is gone
} sc_visit_verb;

/** Bytes of the id of a query with a life of its own, and of its owner, a keyed hash. */
enum { SC_VISIT_ID_SIZE = 24, SC_VISIT_OWNER_SIZE = 16 };

/** Of visit and visited. One block; free with sc_visit_free(). */
typedef struct sc_visit {
    uint64_t number;  ///< drawn by the gateway that asks; in the answer as well
    sc_visit_verb verb;
    uint8_t id[SC_VISIT_ID_SIZE];
    uint8_t owner[SC_VISIT_OWNER_SIZE];
    sc_time wait_us;  ///< for which it may be held
    uint32_t known;   ///< one more than the state that its client knows; 0: none
    uint32_t status;  ///< of visited: of the reply, 404 if it is not there
    size_t size;      ///< of visited: bytes of its body
    uint8_t body[];
} sc_visit;

/** Zeroed, with a copy of the body; NULL if memory is out. */
sc_visit *sc_visit_new(const void *body, size_t size);

/** Wipe and free; NULL is fine. */
void sc_visit_free(sc_visit *visit);

typedef enum sc_msg_kind {
    SC_MSG_NONE = 0,
    SC_MSG_ADD,
    SC_MSG_COMPANY,
    SC_MSG_REMOVE,
    SC_MSG_OK,
    SC_MSG_NO,
    SC_MSG_PUBLISHED,
    SC_MSG_DEAD,
    SC_MSG_RESERVE,
    SC_MSG_RELEASE,
    SC_MSG_ABORT,
    SC_MSG_DROPPED,
    SC_MSG_NOT_TAKEN,
    SC_MSG_ASK,
    SC_MSG_RESULT,
    SC_MSG_VISIT,
    SC_MSG_VISITED,
    SC_MSG_KIND_COUNT,
} sc_msg_kind;

/** "add", "reserve", ...; NULL for others. For tests that fail, and benchmarks. */
const char *sc_msg_kind_name(sc_msg_kind kind);

typedef struct sc_msg {
    sc_msg_kind kind;
    sc_peer from;  ///< set by the sender
    union {
        /** Of add, company, remove; of dropped and not taken, where only the query's id counts. */
        struct {
            uint32_t part;  ///< of the engine that is meant
            uint32_t home;  ///< of the engine that answers for it
            sc_drop_reason reason;
            /** Its owner is the gateway. What it asks of its roads (`own`) is owned, of add and
             * company; of others it is NULL. */
            sc_query query;
        };
        sc_proposal *proposal;  ///< of reserve; owned
        sc_visit *visit;        ///< of visit and visited; owned
        /** Of all others. */
        struct {
            sc_proposal_id id;
            uint32_t
                engine_thread;  ///< to a worker: of the proposal; from a worker that asks: its own
            uint32_t users;     ///< of published and result: different ones
            uint64_t number;    ///< of published and result: drawn for the cloak
            sc_time deadline;   ///< of ok, release and abort: the least that is known; of ask:
                                ///< the greatest of the members'; of published: when it left
            sc_query_id
                member;         ///< of ask: a member of R's, which shows R whether it may have left
            sc_wish *wishes;    ///< of ok and release; owned
            sc_query_id *gone;  ///< of no; owned
            size_t count;       ///< of either
            sc_result *result;  ///< of result; owned
        };
    };
} sc_msg;

/** A copy that owns its own; false if memory is out, and `out` is then a message of kind none. */
bool sc_msg_clone(const sc_msg *msg, sc_msg *out);

/** Wipe, and free what it owns. Harmless twice. */
void sc_msg_fini(sc_msg *msg);

/** Let the query of an add or company, which has none yet, ask for a copy of `own` (NULL: nothing).
 * False if memory is out. */
bool sc_msg_set_own(sc_msg *msg, const sc_own_demands *own);

/** The way out of a process: how it sends messages. */
typedef struct sc_port {
    /** Send a message; what it owns goes with it. Must be quick and cannot fail, but may lose the
     * message. `to` is SC_PEER_NONE for add, company and remove. */
    void (*send)(void *context, sc_peer to, sc_msg *msg);
    /** A round is over: what was sent may have waited for more until now; NULL: it never does. */
    void (*flush)(void *context);
    /** How many messages can be sent at this moment without losing one; NULL: no limit.
     */
    size_t (*space)(void *context);
    /** Whether the clock of that gateway is known to differ from ours by more than the guard; NULL:
     * none is. Must be quick. */
    bool (*is_skewed)(void *context, sc_peer gateway);
    void *context;
} sc_port;

static inline void sc_port_send(const sc_port *port, sc_peer to, sc_msg *msg)
{
    port->send(port->context, to, msg);
}

static inline void sc_port_flush(const sc_port *port)
{
    if (port->flush) port->flush(port->context);
}

static inline bool sc_port_is_skewed(const sc_port *port, sc_peer gateway)
{
    return port->is_skewed && port->is_skewed(port->context, gateway);
}

static inline size_t sc_port_space(const sc_port *port)
{
    return port->space ? port->space(port->context) : SIZE_MAX;
}

#endif
