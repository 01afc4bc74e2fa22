// The outcome of a query in words. See outcome_json.h.
//
// On the way of every query: what is appended is known beforehand but for the objects, so memory is
// asked for once, and numbers are written with as many decimals as mean something.
#include "api/outcome_json.h"

#include "base/json_write.h"

#include <math.h>

/** Eight decimals of a degree are a millimetre on the ground. Six of a metre are finer than any
 * map, and keep apart what is almost equally far; the same six serve planes whose unit is not
 * known. */
enum { DEGREE_DECIMALS = 8, PLANE_DECIMALS = 6, DISTANCE_DECIMALS = 6, SECOND_DECIMALS = 6 };

/** Bytes for all that is said once, and for one object without its texts. */
enum { FRAME_BYTES = 160, OBJECT_BYTES = 176 };

static double wait_s(const sc_ticket *ticket)
{
    const sc_time wait_us = ticket->published - ticket->asked;
    return wait_us > 0 ? (double)wait_us / 1e6 : 0.0;
}

// Nothing if the map has no coordinates.
static bool append_position(sc_bytes *out, const sc_found *found, bool is_geographic)
{
    if (isnan(found->x) || isnan(found->y)) return true;
    const unsigned decimals = is_geographic ? DEGREE_DECIMALS : PLANE_DECIMALS;
    return sc_json_append_text(out, is_geographic ? ",\"position\":{\"lon\":"
                                                  : ",\"position\":{\"x\":") &&
           sc_json_append_fixed(out, found->x, decimals) &&
           sc_json_append_text(out, is_geographic ? ",\"lat\":" : ",\"y\":") &&
           sc_json_append_fixed(out, found->y, decimals) && sc_json_append_text(out, "}");
}

static bool append_object(sc_bytes *out, const char *texts, const sc_found *found,
                          bool is_geographic)
{
    return sc_json_append_text(out, "{\"id\":") && sc_json_append_string(out, texts + found->key) &&
           sc_json_append_text(out, ",\"name\":") &&
           sc_json_append_string(out, texts + found->name) &&
           sc_json_append_text(out, ",\"category\":") &&
           sc_json_append_string(out, texts + found->category) &&
           append_position(out, found, is_geographic) &&
           sc_json_append_text(out, ",\"distance_m\":") &&
           sc_json_append_fixed(out, found->distance_m, DISTANCE_DECIMALS) &&
           sc_json_append_text(out, "}");
}

static bool append_answered(sc_bytes *out, const sc_ticket *ticket, bool is_geographic)
{
    const sc_answer *answer = ticket->answer;
    if (!sc_json_append_text(out, "{\"outcome\":\"answered\",\"wait_s\":") ||
        !sc_json_append_fixed(out, wait_s(ticket), SECOND_DECIMALS) ||
        !sc_json_append_text(out, ",\"cloak\":{\"id\":") ||
        !sc_json_append_hex(out, ticket->cloak) || !sc_json_append_text(out, ",\"users\":") ||
        !sc_json_append_whole(out, ticket->users) || !sc_json_append_text(out, ",\"segments\":") ||
        !sc_json_append_whole(out, ticket->segments) ||
        !sc_json_append_text(out, "},\"objects\":[")) {
        return false;
    }
    const size_t count = answer ? answer->count : 0;
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !sc_json_append_text(out, ",")) return false;
        if (!append_object(out, answer->texts, &answer->found[i], is_geographic)) return false;
    }
    return sc_json_append_text(out, "]}");
}

static bool append_dropped(sc_bytes *out, const sc_ticket *ticket)
{
    return sc_json_append_text(out, "{\"outcome\":\"dropped\",\"reason\":") &&
           sc_json_append_string(out, sc_drop_reason_name(ticket->drop)) &&
           sc_json_append_text(out, ",\"wait_s\":") &&
           sc_json_append_fixed(out, wait_s(ticket), SECOND_DECIMALS) &&
           sc_json_append_text(out, "}");
}

sc_err sc_outcome_write(const sc_ticket *ticket, bool is_geographic, sc_bytes *out)
{
    out->size = 0;
    // Texts may be shared by objects, and some need escapes: what is missing grows by itself.
    const size_t texts = ticket->answer ? ticket->answer->size : 0;
    const size_t count = ticket->answer ? ticket->answer->count : 0;
    if (!sc_json_reserve(out, FRAME_BYTES + count * OBJECT_BYTES + texts)) return SC_ENOMEM;
    const bool is_written = ticket->outcome == SC_OUTCOME_ANSWERED
                                ? append_answered(out, ticket, is_geographic)
                                : append_dropped(out, ticket);
    return is_written ? SC_OK : SC_ENOMEM;
}

void sc_outcome_problem(const sc_ticket *ticket, sc_problem *out)
{
    switch (ticket->failure) {
    case SC_FAILURE_UNREACHABLE:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "it could not be reached");
        break;
    case SC_FAILURE_TIMEOUT:
        sc_problem_set(out, SC_PROBLEM_PROVIDER_TIMEOUT, NULL, "ask again");
        break;
    case SC_FAILURE_REFUSED:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "it says that it cannot answer");
        break;
    case SC_FAILURE_UNBELIEVABLE:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL, "its answer cannot be true");
        break;
    case SC_FAILURE_SUSPENDED:
        sc_problem_set(out, SC_PROBLEM_PROVIDER, NULL,
                       "it failed several times; it is not asked for a few seconds");
        out->retry_after_s = 5;
        break;
    case SC_FAILURE_OVERLOADED:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL, "ask again in a moment");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_IN_DOUBT:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL,
                       "company was found, but not in time; ask again");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_STOPPED:
        sc_problem_set(out, SC_PROBLEM_DRAINING, NULL, "ask again in a moment");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_UNSENT:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL,
                       "company was found, but the provider could not be asked in time; ask again");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_LOST:
        sc_problem_set(out, SC_PROBLEM_OVERLOADED, NULL,
                       "the provider was asked, but its answer was lost on the way; ask again");
        out->retry_after_s = 1;
        break;
    case SC_FAILURE_NONE:
    case SC_FAILURE_COUNT:
        sc_problem_set(out, SC_PROBLEM_INTERNAL, NULL, "%s", "");
        break;
    }
    out->outcome = sc_outcome_name(SC_OUTCOME_FAILED);
    out->reason = sc_failure_name(ticket->failure);
}
