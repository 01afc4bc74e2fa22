// Proposals, results and messages: made, copied, wiped; the names of failures. See messages.h.
#include "messages/messages.h"

#include "base/alloc.h"
#include "engine/demand.h"

#include <string.h>

// --- Proposals ------------------------------------------------------------------------------

/** Add the bytes that `count` things take; false if there is no such number. */
static bool add_room(size_t *size, size_t count, size_t each)
{
    size_t room;
    return !__builtin_mul_overflow(count, each, &room) &&
           !__builtin_add_overflow(*size, room, size);
}

_Static_assert(sizeof(sc_proposal) % _Alignof(sc_proposal_member) == 0,
               "members follow the proposal");
_Static_assert(sizeof(sc_proposal_member) % _Alignof(uint32_t) == 0, "ids follow the members");

sc_proposal *sc_proposal_new(size_t stars, size_t segments, size_t border_nodes, size_t members)
{
    size_t size = sizeof(sc_proposal);
    if (!add_room(&size, members, sizeof(sc_proposal_member)) ||
        !add_room(&size, stars, sizeof(sc_star_id)) ||
        !add_room(&size, segments, sizeof(sc_seg_id)) ||
        !add_room(&size, border_nodes, sizeof(sc_node_id))) {
        return NULL;
    }
    sc_proposal *proposal = sc_calloc(1, size);
    if (!proposal) return NULL;
    proposal->size = size;
    proposal->star_count = stars;
    proposal->segment_count = segments;
    proposal->border_node_count = border_nodes;
    proposal->member_count = members;
    proposal->members = (sc_proposal_member *)(proposal + 1);
    proposal->stars = (sc_star_id *)(proposal->members + members);
    proposal->segments = proposal->stars + stars;
    proposal->border_nodes = proposal->segments + segments;
    return proposal;
}

sc_proposal *sc_proposal_clone(const sc_proposal *proposal)
{
    sc_proposal *copy = sc_proposal_new(proposal->star_count, proposal->segment_count,
                                        proposal->border_node_count, proposal->member_count);
    if (!copy) return NULL;
    const sc_proposal blank = *copy;
    *copy = *proposal;
    copy->size = blank.size;
    copy->stars = blank.stars;
    copy->segments = blank.segments;
    copy->border_nodes = blank.border_nodes;
    copy->members = blank.members;
    memcpy(copy->stars, proposal->stars, proposal->star_count * sizeof *proposal->stars);
    memcpy(copy->segments, proposal->segments,
           proposal->segment_count * sizeof *proposal->segments);
    memcpy(copy->border_nodes, proposal->border_nodes,
           proposal->border_node_count * sizeof *proposal->border_nodes);
    memcpy(copy->members, proposal->members, proposal->member_count * sizeof *proposal->members);
    return copy;
}

void sc_proposal_free(sc_proposal *proposal)
{
    if (!proposal) return;
    explicit_bzero(proposal, proposal->size);
    sc_free(proposal);
}

// --- Results --------------------------------------------------------------------------------

sc_result *sc_result_new(sc_failure failure, const void *relay, size_t relay_size,
                         const void *reply, size_t reply_size)
{
    size_t size = sizeof(sc_result);
    if (!add_room(&size, relay_size, 1) || !add_room(&size, reply_size, 1)) return NULL;
    sc_result *result = sc_malloc(size);
    if (!result) return NULL;
    uint8_t *bytes = (uint8_t *)(result + 1);
    *result = (sc_result){
        .failure = failure,
        .relay_size = relay_size,
        .reply_size = reply_size,
        .relay = bytes,
        .reply = bytes + relay_size,
    };
    if (relay_size > 0) memcpy(result->relay, relay, relay_size);
    if (reply_size > 0) memcpy(result->reply, reply, reply_size);
    return result;
}

void sc_result_free(sc_result *result)
{
    if (!result) return;
    explicit_bzero(result, sizeof *result + result->relay_size + result->reply_size);
    sc_free(result);
}

// --- Messages -------------------------------------------------------------------------------

const char *sc_msg_kind_name(sc_msg_kind kind)
{
    static const char *const names[SC_MSG_KIND_COUNT] = {
        [SC_MSG_NONE] = "none",
        [SC_MSG_ADD] = "add",
        [SC_MSG_COMPANY] = "company",
        [SC_MSG_REMOVE] = "remove",
        [SC_MSG_OK] = "ok",
        [SC_MSG_NO] = "no",
        [SC_MSG_PUBLISHED] = "published",
        [SC_MSG_DEAD] = "dead",
        [SC_MSG_RESERVE] = "reserve",
        [SC_MSG_RELEASE] = "release",
        [SC_MSG_ABORT] = "abort",
        [SC_MSG_DROPPED] = "dropped",
        [SC_MSG_NOT_TAKEN] = "not_taken",
        [SC_MSG_ASK] = "ask",
        [SC_MSG_RESULT] = "result",
        [SC_MSG_VISIT] = "visit",
        [SC_MSG_VISITED] = "visited",
    };
    return (unsigned)kind < SC_MSG_KIND_COUNT ? names[kind] : NULL;
}

/** A copy of an array; an empty one is NULL. False if memory is out. */
static bool copy_array(const void *from, size_t count, size_t each, void **out)
{
    *out = NULL;
    if (count == 0) return true;
    *out = sc_malloc_array(count, each);
    if (*out) memcpy(*out, from, count * each);
    return *out != NULL;
}

bool sc_msg_set_own(sc_msg *msg, const sc_own_demands *own)
{
    msg->query.own = NULL;
    if (!own) return true;
    void *memory = sc_malloc(sc__own_size(own));
    if (memory) msg->query.own = sc__own_copy(own, memory);
    return memory != NULL;
}

sc_visit *sc_visit_new(const void *body, size_t size)
{
    sc_visit *visit = sc_calloc(1, sizeof *visit + size);
    if (!visit) return NULL;
    visit->size = size;
    if (size > 0) memcpy(visit->body, body, size);
    return visit;
}

void sc_visit_free(sc_visit *visit)
{
    if (!visit) return;
    explicit_bzero(visit, sizeof *visit + visit->size);
    sc_free(visit);
}

/** NULL if memory is out. */
static sc_visit *clone_visit(const sc_visit *visit)
{
    sc_visit *copy = sc_visit_new(visit->body, visit->size);
    if (copy) memcpy(copy, visit, sizeof *visit + visit->size);
    return copy;
}

bool sc_msg_clone(const sc_msg *msg, sc_msg *out)
{
    sc_msg copy = *msg;
    bool is_whole = true;
    void *array = NULL;
    switch (msg->kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        is_whole = sc_msg_set_own(&copy, msg->query.own);
        break;
    case SC_MSG_RESERVE:
        copy.proposal = msg->proposal ? sc_proposal_clone(msg->proposal) : NULL;
        is_whole = copy.proposal || !msg->proposal;
        break;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        is_whole = copy_array(msg->wishes, msg->count, sizeof *msg->wishes, &array);
        copy.wishes = array;
        break;
    case SC_MSG_NO:
        is_whole = copy_array(msg->gone, msg->count, sizeof *msg->gone, &array);
        copy.gone = array;
        break;
    case SC_MSG_RESULT:
        if (!msg->result) break;
        copy.result =
            sc_result_new(msg->result->failure, msg->result->relay, msg->result->relay_size,
                          msg->result->reply, msg->result->reply_size);
        is_whole = copy.result != NULL;
        break;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        copy.visit = msg->visit ? clone_visit(msg->visit) : NULL;
        is_whole = copy.visit || !msg->visit;
        break;
    default:
        break;
    }
    *out = is_whole ? copy : (sc_msg){.kind = SC_MSG_NONE};
    explicit_bzero(&copy, sizeof copy);
    return is_whole;
}

static void wipe_and_free(void *array, size_t size)
{
    if (!array) return;
    explicit_bzero(array, size);
    sc_free(array);
}

void sc_msg_fini(sc_msg *msg)
{
    switch (msg->kind) {
    case SC_MSG_ADD:
    case SC_MSG_COMPANY:
        sc__own_free(msg->query.own);
        break;
    case SC_MSG_RESERVE:
        sc_proposal_free(msg->proposal);
        break;
    case SC_MSG_OK:
    case SC_MSG_RELEASE:
        wipe_and_free(msg->wishes, msg->count * sizeof *msg->wishes);
        break;
    case SC_MSG_NO:
        wipe_and_free(msg->gone, msg->count * sizeof *msg->gone);
        break;
    case SC_MSG_RESULT:
        sc_result_free(msg->result);
        break;
    case SC_MSG_VISIT:
    case SC_MSG_VISITED:
        sc_visit_free(msg->visit);
        break;
    default:
        break;
    }
    explicit_bzero(msg, sizeof *msg);
}

// --- Failures ---------------------------------------------------------------------------------

const char *sc_failure_name(sc_failure failure)
{
    static const char *const names[] = {
#define X(name, value, word) [value] = (word),
        SC_FAILURE_MAP(X)
#undef X
    };
    return (unsigned)failure < SC_FAILURE_COUNT ? names[failure] : "unknown";
}
