// A reply at a glance. See judge.h.
//
// For runs in which asking must cost little: no parser, no tree. Whatever has not the very form
// that the service gives its replies is left to a thorough look.
#include "demo/loadgen/judge_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/** What is left of a body. */
typedef struct glance {
    const char *at;
    const char *end;
} glance;

static bool eat(glance *g, const char *text)
{
    const size_t size = strlen(text);
    if ((size_t)(g->end - g->at) < size || memcmp(g->at, text, size) != 0) return false;
    g->at += size;
    return true;
}

static bool eat_count(glance *g, uint64_t *out)
{
    const char *first = g->at;
    uint64_t value = 0;
    while (g->at < g->end && *g->at >= '0' && *g->at <= '9' && g->at - first < 15) {
        value = value * 10 + (uint64_t)(*g->at++ - '0');
    }
    *out = value;
    return g->at > first;
}

/** Digits, and perhaps a fraction; whatever else a number may be, is left to the parser. */
static bool eat_number(glance *g, double *out)
{
    uint64_t whole = 0;
    uint64_t fraction = 0;
    if (!eat_count(g, &whole)) return false;
    *out = (double)whole;
    if (!eat(g, ".")) return true;
    const char *first = g->at;
    if (!eat_count(g, &fraction)) return false;
    *out += (double)fraction * pow(10, (double)(first - g->at));
    return true;
}

/** The id of a cloak, if it has one. */
static bool eat_id(glance *g, sc_verdict *out)
{
    if (!eat(g, "\"id\":\"")) return true;
    if (g->end - g->at < SC__CLOAK_ID_DIGITS ||
        !sc__take_cloak_id(out, g->at, SC__CLOAK_ID_DIGITS)) {
        return false;
    }
    g->at += SC__CLOAK_ID_DIGITS;
    return eat(g, "\",");
}

static bool glance_at_answer(glance *g, sc_verdict *out)
{
    out->end = SC_LOAD_ANSWERED;
    return eat(g, "{\"outcome\":\"answered\",\"wait_s\":") && eat_number(g, &out->wait_s) &&
           eat(g, ",\"cloak\":{") && eat_id(g, out) && eat(g, "\"users\":") &&
           eat_count(g, &out->users) && eat(g, ",\"segments\":") && eat_count(g, &out->segments) &&
           eat(g, "},\"objects\":[") && g->end - g->at >= 2 && memcmp(g->end - 2, "]}", 2) == 0;
}

static bool glance_at_drop(glance *g, sc_verdict *out)
{
    out->end = SC_LOAD_DROPPED;
    if (!eat(g, "{\"outcome\":\"dropped\",\"reason\":\"")) return false;
    const char *word = eat(g, "expired") ? "expired" : eat(g, "infeasible") ? "infeasible" : NULL;
    if (!word) return false;
    (void)snprintf(out->word, sizeof out->word, "%s", word);
    return eat(g, "\",\"wait_s\":") && eat_number(g, &out->wait_s) && eat(g, "}") &&
           g->at == g->end;
}

sc_err sc_judge_quickly(const sc_response *response, const sc_profile *needs, uint32_t nearest,
                        sc_verdict *out)
{
    if (response->status == 200 && response->type == SC_RESPONSE_JSON && response->body) {
        glance g = {response->body, response->body + response->body_size};
        sc__verdict_clear(out);
        if (glance_at_answer(&g, out)) {
            sc__check_promises(out, needs);
            return SC_OK;
        }
        g.at = response->body;
        if (glance_at_drop(&g, out)) return SC_OK;
    }
    return sc_judge(response, needs, nearest, out);
}
