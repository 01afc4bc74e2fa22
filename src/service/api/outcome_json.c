// The JSON of outcomes, and the problems of failures. See outcome_json.h.
//
// On the way of every query: what is appended is known beforehand but for the objects, so memory is
// asked for once, and numbers are written with as many decimals as mean something.
#include "api/outcome_json.h"

#include "api/drop_advice.h"
#include "base/bytes.h"
#include "base/json_write.h"
#include "ledger/rare_requests.h"

#include <math.h>

/** Eight decimals of a degree are a millimetre on the ground. Six of a metre are finer than any
 * map, and keep apart what is almost equally far; the same six serve planes whose unit is not
 * known. */
enum { DEGREE_DECIMALS = 8, PLANE_DECIMALS = 6, DISTANCE_DECIMALS = 6, SECOND_DECIMALS = 6 };

/** Bytes for all that is said once, and for one object without its texts. */
enum { FRAME_BYTES = 192, OBJECT_BYTES = 224 };

static double wait_s(const sc_ticket *ticket)
{
    const sc_time wait_us = ticket->published - ticket->asked;
    return wait_us > 0 ? (double)wait_us / 1e6 : 0.0;
}

// Nothing if the map has no coordinates.
static void put_position(sc_json_writer *json, const sc_found *found, bool is_geographic)
{
    if (isnan(found->x) || isnan(found->y)) return;
    const unsigned decimals = is_geographic ? DEGREE_DECIMALS : PLANE_DECIMALS;
    sc_json_open_object(json, "position");
    sc_json_put_fixed(json, is_geographic ? "lon" : "x", found->x, decimals);
    sc_json_put_fixed(json, is_geographic ? "lat" : "y", found->y, decimals);
    sc_json_close_object(json);
}

static void put_object(sc_json_writer *json, const char *texts, const sc_found *found,
                       bool is_geographic)
{
    sc_json_open_object(json, NULL);
    sc_json_put_string(json, "id", texts + found->key);
    sc_json_put_string(json, "name", texts + found->name);
    sc_json_put_string(json, "category", texts + found->category);
    if (texts[found->street] != '\0') sc_json_put_string(json, "street", texts + found->street);
    put_position(json, found, is_geographic);
    sc_json_put_fixed(json, "distance_m", found->distance_m, DISTANCE_DECIMALS);
    if (found->duration_s != SC_UNKNOWN_S) {
        sc_json_put_fixed(json, "duration_s", found->duration_s, SECOND_DECIMALS);
    }
    sc_json_close_object(json);
}

static void put_answered(sc_json_writer *json, const sc_ticket *ticket, bool is_geographic,
                         const char *street)
{
    const sc_answer *answer = ticket->answer;
    sc_json_put_string(json, "outcome", "answered");
    sc_json_put_fixed(json, "wait_s", wait_s(ticket), SECOND_DECIMALS);
    sc_json_open_object(json, "cloak");
    sc_json_put_hex(json, "id", ticket->cloak);
    sc_json_put_count(json, "users", ticket->users);
    sc_json_put_count(json, "segments", ticket->segments);
    sc_json_close_object(json);
    if (street[0] != '\0') sc_json_put_string(json, "street", street);
    sc_json_put_string(json, "metric", sc_metric_name(ticket->request.metric));
    sc_json_open_array(json, "objects");
    for (size_t i = 0; answer && i < answer->count; i++) {
        const sc_found *found = &answer->found[i];
        if (ticket->is_rounded &&
            !sc_request_wants(&ticket->wanted, i, found->distance_m, found->duration_s)) {
            break;  // what follows is farther
        }
        put_object(json, answer->texts, found, is_geographic);
    }
    sc_json_close_array(json);
}

/** The demands in force for it, and after how many seconds continuity no longer is. */
static void put_demands(sc_json_writer *json, const sc_ticket *ticket, unsigned later_s)
{
    static const struct {
        unsigned bit;
        const char *word;
    } demands[] = {
#define X(name, bit, word) {bit, word},
        SC_TICKET_DEMAND_MAP(X)
#undef X
    };
    sc_json_open_array(json, "demands");
    for (size_t i = 0; i < sizeof demands / sizeof *demands; i++) {
        if (ticket->demands & demands[i].bit) sc_json_put_string(json, NULL, demands[i].word);
    }
    sc_json_close_array(json);
    if (ticket->demands & SC_TICKET_CONTINUITY) sc_json_put_count(json, "later_s", later_s);
}

/** Whole seconds from when it was dropped until it is linked to no earlier cloak; 1 at least. */
static unsigned later_s(const sc_ticket *ticket)
{
    const sc_time left_us = ticket->linked_until - ticket->published;
    return left_us > 0 ? (unsigned)(left_us / 1000000) + 1 : 1;
}

static void put_dropped(sc_json_writer *json, const sc_ticket *ticket)
{
    sc_json_put_string(json, "outcome", "dropped");
    sc_json_put_string(json, "reason", sc_drop_reason_name(ticket->drop));
    sc_json_put_fixed(json, "wait_s", wait_s(ticket), SECOND_DECIMALS);
    const sc_drop_case drop = {
        .reason = ticket->drop, .demands = ticket->demands, .later_s = later_s(ticket)};
    char advice[SC_DROP_ADVICE_SIZE];
    sc_json_put_string(json, "advice", sc_drop_advice(&drop, advice));
    if (ticket->drop == SC_DROP_EXPOSED) put_demands(json, ticket, drop.later_s);
}

sc_err sc_outcome_json_write(const sc_ticket *ticket, bool is_geographic, const char *street,
                             sc_bytes *out)
{
    out->size = 0;
    // Texts may be shared by objects, and some need escapes: what is missing grows by itself.
    const size_t texts = ticket->answer ? ticket->answer->size : 0;
    const size_t count = ticket->answer ? ticket->answer->count : 0;
    const size_t room = FRAME_BYTES + count * OBJECT_BYTES + texts;
    if (!sc_bytes_reserve_wiping(out, room)) return SC_ENOMEM;
    sc_json_writer json = sc_json_writer_of_secret(out);
    sc_json_open_object(&json, NULL);
    if (ticket->outcome == SC_OUTCOME_ANSWERED) {
        put_answered(&json, ticket, is_geographic, street);
    } else {
        put_dropped(&json, ticket);
    }
    sc_json_close_object(&json);
    return json.has_failed ? SC_ENOMEM : SC_OK;
}

void sc_outcome_problem(const sc_ticket *ticket, sc_problem *out)
{
    switch (ticket->failure) {
    case SC_FAILURE_UNREACHABLE:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "the provider could not be reached");
        break;
    case SC_FAILURE_TIMEOUT:
        sc_problem_set(out, SC_PROBLEM_PROVIDER_TIMEOUT, NULL, "retry");
        break;
    case SC_FAILURE_REFUSED:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "the provider refused the request");
        break;
    case SC_FAILURE_UNBELIEVABLE:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "the provider's answer failed its checks");
        break;
    case SC_FAILURE_SUSPENDED:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL,
                       "the provider failed several times and is not asked for a few seconds");
        out->retry_after_s = 5;
        break;
    case SC_FAILURE_OVERLOADED:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL, "retry in a moment");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_IN_DOUBT:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL,
                       "other users were found, but not in time; retry");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_STOPPED:
        sc_problem_set(out, SC_PROBLEM_DRAINING, NULL, "retry in a moment");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_UNSENT:
        sc_problem_set(
            out, SC_PROBLEM_OVERLOADED, NULL,
            "other users were found, but the provider could not be asked in time; retry");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_LOST:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL,
                       "the provider was asked, but its answer was lost; retry");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_COSTLY:
        sc_problem_set(out, SC_PROBLEM_COSTLY, NULL,
                       "other users were found, but the request would cost too much on the roads "
                       "of the cloak; ask for fewer segments or a smaller range");
        break;
    case SC_FAILURE_NONE:
    case SC_FAILURE_COUNT:
        sc_problem_set(out, SC_PROBLEM_INTERNAL, NULL, "%s", "");
        break;
    }
    out->outcome = sc_outcome_name(SC_OUTCOME_FAILED);
    out->reason = sc_failure_name(ticket->failure);
}
