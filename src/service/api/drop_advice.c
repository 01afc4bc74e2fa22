// What would help a query that was dropped. See drop_advice.h.
#include "api/drop_advice.h"

#include "ledger/ticket.h"

#include <stdio.h>
#include <string.h>

/** Texts, one after the other; what does not fit is cut, which SC_DROP_ADVICE_SIZE prevents. */
typedef struct sentence {
    char *text;
    size_t size;
    const char *between;  ///< put before the next but the first
    bool has_one;
} sentence;

static void put(sentence *out, const char *text)
{
    const size_t room = SC_DROP_ADVICE_SIZE - out->size;
    const int size =
        snprintf(out->text + out->size, room, "%s%s", out->has_one ? out->between : "", text);
    if (size > 0) out->size += (size_t)size < room ? (size_t)size : room - 1;
    out->has_one = true;
}

/** Begin a list of parts, with this between them. */
static void list(sentence *out, const char *between)
{
    out->has_one = false;
    out->between = between;
}

/** A zone is wanted as a whole, whatever l; and traffic bounds the share of a road by min(l, N), so
 * that only l = 1 would help, by which nothing is bounded any more. */
static bool depends_on_l(unsigned demands)
{
    return demands == 0 || (demands & (SC_TICKET_CLASSES | SC_TICKET_CONTINUITY));
}

// Which of several demands is in the way is not known here: all that are in force are named. What
// is no remedy has no name of a query's member, so that the UI does not offer to change it. More
// max_hops do not help against continuity, which counts what can have been reached, however far a
// cloak may extend.
static void put_exposed(sentence *out, const sc_drop_case *drop)
{
    const unsigned demands = drop->demands;
    put(out, "enough segments are in reach, but they do not hide this one: ");
    list(out, ", or ");
    if (demands & SC_TICKET_TRAFFIC) put(out, "one is much busier than the others");
    if (demands & SC_TICKET_CLASSES) put(out, "places to protect are on them");
    if (demands & SC_TICKET_ZONE) put(out, "they do not hold the whole zone");
    if (demands & SC_TICKET_CONTINUITY) {
        put(out, "too few of them can have been reached since the last cloak");
    }
    if (!out->has_one) put(out, "the service demands more of them");
    list(out, "");
    put(out, "; ");
    list(out, ", or ");
    if (demands & SC_TICKET_CONTINUITY) {
        char later[64];
        (void)snprintf(later, sizeof later, "ask again later (in %u s at the latest)",
                       drop->later_s);
        put(out, later);
    }
    if (demands != SC_TICKET_CONTINUITY) put(out, "allow more max_hops");
    if (depends_on_l(demands)) put(out, "ask for a smaller l");
    if (demands & SC_TICKET_TRAFFIC) put(out, "ask where more roads are busy");
}

const char *sc_drop_advice(const sc_drop_case *drop, char out[SC_DROP_ADVICE_SIZE])
{
    sentence text = {.text = out, .between = ""};
    out[0] = '\0';
    switch (drop->reason) {
    case SC_DROP_EXPIRED:
        put(&text, "too few other users were near in time: allow a longer max_wait_s or more "
                   "max_hops, or ask for a smaller k");
        break;
    case SC_DROP_INFEASIBLE:
        put(&text, "no cloak within max_hops has l segments: ask for a smaller l, or allow more "
                   "max_hops");
        break;
    case SC_DROP_EXPOSED:
        put_exposed(&text, drop);
        break;
    case SC_DROP_RARE_REQUEST:
        put(&text, "too few others nearby ask for the same, and sending it again would link this "
                   "query to an earlier one: ask in another form, or later");
        break;
    case SC_DROP_REASON_COUNT:
        break;
    }
    return out;
}

const char *sc_drop_help(const char *reason)
{
    static const char *const help[] = {
        [SC_DROP_EXPIRED] = "longer waits, more hops or a smaller k would help",
        [SC_DROP_INFEASIBLE] = "fewer segments or more hops would help",
        [SC_DROP_EXPOSED] = "it depends on the demands; replies have advice",
        [SC_DROP_RARE_REQUEST] = "requests that more others make would help",
    };
    for (sc_drop_reason i = 0; i < SC_DROP_REASON_COUNT; i++) {
        if (strcmp(reason, sc_drop_reason_name(i)) == 0) return help[i];
    }
    return "";
}
