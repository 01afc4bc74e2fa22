// From a path to a page. See router.h.
//
// The rate of an address comes first of all: whoever floods us costs a look-up and a short reply.
#include "service/router.h"

#include "base/clock.h"
#include "service/door.h"
#include "service/events.h"
#include "service/health.h"
#include "service/metrics.h"
#include "service/pages.h"
#include "service/problem.h"

#include <stdio.h>
#include <string.h>

/** One request on its way to a page. */
typedef struct passage {
    sc_parts *parts;
    const sc_policy_terms *policy;
    const sc_terms *terms;
    unsigned loop;
    sc_http_request *request;
} passage;

static void show_query(const passage *p)
{
    sc_door_query(p->parts->door, p->loop, p->request);
}

static void show_events(const passage *p)
{
    sc_events_listen(p->parts->events, p->loop, p->request);
}

static void show_map(const passage *p)
{
    sc_pages_map(p->parts->pages, p->request);
}

static void show_categories(const passage *p)
{
    sc_pages_categories(p->parts->pages, p->request);
}

static void show_openapi(const passage *p)
{
    sc_pages_openapi(p->parts->pages, p->request);
}

static void show_metrics(const passage *p)
{
    sc_metrics_page(p->parts, p->request);
}

static void show_live(const passage *p)
{
    sc_health_live(p->request);
}

static void show_ready(const passage *p)
{
    sc_health_ready(p->parts, p->request);
}

/** Whose policy decides who may see it. */
typedef enum gate { FOR_ALL, BY_EVENTS, BY_METRICS } gate;

typedef struct page {
    const char *path;
    sc_http_method method;
    const char *allow;  ///< for a reply to other methods
    gate gate;
    bool is_unlimited;  ///< whoever watches over the service is not counted
    void (*show)(const passage *p);
} page;

static const page pages[] = {
    {"/v1/queries", SC_HTTP_POST, "POST", FOR_ALL, false, show_query},
    {"/v1/map", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, show_map},
    {"/v1/categories", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, show_categories},
    {"/v1/events", SC_HTTP_GET, "GET", BY_EVENTS, false, show_events},
    {"/healthz", SC_HTTP_GET, "GET, HEAD", FOR_ALL, true, show_live},
    {"/readyz", SC_HTTP_GET, "GET, HEAD", FOR_ALL, true, show_ready},
    {"/metrics", SC_HTTP_GET, "GET, HEAD", BY_METRICS, true, show_metrics},
    {"/openapi.json", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, show_openapi},
};

static const page *find_page(const char *path)
{
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (strcmp(pages[i].path, path) == 0) return &pages[i];
    }
    return NULL;
}

/** Whether the sender is within the rate of its address. */
static bool is_within_rate(const passage *p, sc_problem *problem)
{
    const sc_policy_terms *policy = p->policy;
    if (policy->address_rate <= 0) return true;
    const unsigned wait_s =
        sc_rates_take(p->parts->address_rates, sc_http_request_peer(p->request),
                      policy->address_rate, policy->address_burst, sc_clock_us());
    if (wait_s == 0) return true;
    sc_problem_set(problem, SC_PROBLEM_RATE, NULL, "too many requests come from this address");
    problem->retry_after_s = wait_s;
    return false;
}

static bool may_pass(const passage *p, gate whose, sc_problem *problem)
{
    if (whose == FOR_ALL) return true;
    sc_token token;
    switch (whose == BY_EVENTS ? p->policy->events : p->policy->metrics) {
    case SC_ACCESS_OPEN:
        return true;
    case SC_ACCESS_TOKEN: {
        const bool is_known = sc_terms_identify(p->terms, p->request, &token, problem);
        explicit_bzero(&token, sizeof token);
        return is_known;
    }
    case SC_ACCESS_LOCAL:
        return sc_http_request_is_local(p->request) ||
               sc_problem_set(problem, SC_PROBLEM_FORBIDDEN, NULL,
                              "this is for those on the same machine");
    case SC_ACCESS_OFF:
        break;
    }
    return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL, "this page is switched off");
}

static bool is_method_of(const page *wanted, sc_http_method method)
{
    return method == wanted->method ||
           (method == SC_HTTP_HEAD && wanted->method == SC_HTTP_GET && wanted->gate != BY_EVENTS);
}

/** Whether the request may go on to `wanted`; if not, `problem` says why. */
static bool is_admitted(const passage *p, const page *wanted, sc_problem *problem)
{
    if (!(wanted && wanted->is_unlimited) && !is_within_rate(p, problem)) return false;
    if (!wanted) {
        return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                              "/openapi.json describes what there is");
    }
    if (!is_method_of(wanted, sc_http_request_method(p->request))) {
        return sc_problem_set(problem, SC_PROBLEM_METHOD, NULL, "this page takes: %s",
                              wanted->allow);
    }
    return may_pass(p, wanted->gate, problem);
}

void sc_route(void *context, unsigned loop, sc_http_request *request)
{
    sc_parts *parts = context;
    sc_terms *terms = sc_credentials_hold(parts->credentials);
    const passage p = {
        .parts = parts, .policy = &terms->policy, .terms = terms, .loop = loop, .request = request};
    const page *wanted = find_page(sc_http_request_path(request));
    sc_problem problem = {.field = NULL};
    if (is_admitted(&p, wanted, &problem)) {
        wanted->show(&p);
    } else {
        sc_door_count_refusal(parts->door, problem.kind);
        sc_problem_reply(request, &problem, wanted ? wanted->allow : NULL);
    }
    sc_terms_release(terms);
}
