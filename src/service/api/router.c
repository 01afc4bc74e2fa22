// From a path to a page. See router.h.
//
// The rate of an address comes first of all: whoever floods us costs a look-up and a short reply.
#include "api/router.h"

#include "api/about.h"
#include "api/cluster_page.h"
#include "api/door.h"
#include "api/events.h"
#include "api/health.h"
#include "api/local.h"
#include "api/metrics.h"
#include "api/pages.h"
#include "api/problem.h"
#include "api/service.h"
#include "api/ui.h"
#include "base/clock.h"

#include <stdio.h>
#include <string.h>

/** One request on its way to a page. */
typedef struct passage {
    sc_service_internal *parts;
    const sc_policy_terms *policy;
    const sc_terms *terms;
    unsigned loop;
    sc_http_request *request;
    const sc_extra_page *extra;  ///< if it is for one of these
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

static void show_map_bytes(const passage *p)
{
    sc_pages_map_bytes(p->parts->pages, p->request);
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

static void show_about(const passage *p)
{
    sc_about_show(p->parts, p->policy, p->request);
}

static void show_ui(const passage *p)
{
    sc_ui_show(p->parts->ui, p->request);
}

static void show_cut(const passage *p)
{
    sc_partition_page_show(p->parts->cut_page, p->request);
}

static void show_cluster(const passage *p)
{
    sc_cluster_show(p->parts, p->request);
}

static void show_extra(const passage *p)
{
    p->extra->show(p->extra->context, p->loop, p->request);
}

/** Whose policy decides who may see it. */
typedef enum gate { FOR_ALL, BY_EVENTS, BY_METRICS } gate;

typedef struct page {
    const char *path;
    sc_http_method method;
    const char *allow;  ///< for a reply to other methods
    gate gate;
    bool is_unlimited;  ///< whoever watches over the service is not counted
    bool is_stream;     ///< which has no length that HEAD could tell
    void (*show)(const passage *p);
} page;

static const page pages[] = {
    {"/v1/queries", SC_HTTP_POST, "POST", FOR_ALL, false, false, show_query},
    {"/v1/about", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_about},
    {"/v1/map", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_map},
    {"/v1/map.bin", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_map_bytes},
    {"/v1/categories", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_categories},
    {"/v1/events", SC_HTTP_GET, "GET", BY_EVENTS, false, true, show_events},
    {"/healthz", SC_HTTP_GET, "GET, HEAD", FOR_ALL, true, false, show_live},
    {"/readyz", SC_HTTP_GET, "GET, HEAD", FOR_ALL, true, false, show_ready},
    {"/metrics", SC_HTTP_GET, "GET, HEAD", BY_METRICS, true, false, show_metrics},
    {"/openapi.json", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_openapi},
};

static const page cut_page = {"/v1/cut", SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_cut};
static const page cluster_page = {"/v1/cluster", SC_HTTP_GET, "GET, HEAD", BY_METRICS,
                                  true,          false,       show_cluster};
static const page ui_page = {NULL, SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_ui};
static const page extra_head = {NULL,  SC_HTTP_GET, "GET, HEAD", BY_EVENTS,
                                false, false,       show_extra};
// What these show may be a stream.
static const page extra_get = {NULL, SC_HTTP_GET, "GET", BY_EVENTS, false, true, show_extra};
static const page extra_post = {NULL, SC_HTTP_POST, "POST", BY_EVENTS, false, false, show_extra};

/** Pages of a map in several parts, where it is. */
static const page *find_parts_page(const sc_service_internal *parts, const char *path)
{
    if (parts->cut_page && strcmp(cut_page.path, path) == 0) return &cut_page;
    if (parts->view && strcmp(cluster_page.path, path) == 0) return &cluster_page;
    return NULL;
}

static bool is_path_of(const sc_extra_page *extra, const char *path)
{
    const size_t size = strlen(extra->path);
    if (strncmp(extra->path, path, size) != 0) return false;
    return path[size] == '\0' || (extra->is_folder && path[size] == '/');
}

/** Extra pages, where there are any: `starcloak serve` gives none. */
static const page *find_extra(passage *p, const char *path)
{
    for (size_t i = 0; i < p->parts->extra_count; i++) {
        const sc_extra_page *extra = &p->parts->extra[i];
        if (!is_path_of(extra, path)) continue;
        p->extra = extra;
        if (extra->method == SC_HTTP_POST) return &extra_post;
        return extra->takes_head ? &extra_head : &extra_get;
    }
    return NULL;
}

static const page *find_page(passage *p, const char *path)
{
    for (size_t i = 0; i < sizeof(pages) / sizeof(pages[0]); i++) {
        if (strcmp(pages[i].path, path) == 0) return &pages[i];
    }
    const page *of_parts = find_parts_page(p->parts, path);
    if (of_parts) return of_parts;
    if (p->parts->ui && sc_ui_has(p->parts->ui, path)) return &ui_page;
    return find_extra(p, path);
}

/** Whether the sender is within the rate of its address. */
static bool is_within_rate(const passage *p, sc_problem *problem)
{
    const sc_policy_terms *policy = p->policy;
    if (policy->address_rate <= 0) return true;
    const unsigned wait_s =
        sc_rate_limit_take(p->parts->address_rates, sc_http_request_peer(p->request),
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
        return sc_request_is_local(p->request) ||
               sc_problem_set(problem, SC_PROBLEM_FORBIDDEN, NULL,
                              "this is for those on the same machine, by localhost or 127.0.0.1");
    case SC_ACCESS_OFF:
        break;
    }
    return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL, "this page is switched off");
}

static bool is_method_of(const page *wanted, sc_http_method method)
{
    return method == wanted->method ||
           (method == SC_HTTP_HEAD && wanted->method == SC_HTTP_GET && !wanted->is_stream);
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
    sc_service_internal *parts = context;
    sc_terms *terms = sc_credentials_hold(parts->credentials);
    passage p = {
        .parts = parts, .policy = &terms->policy, .terms = terms, .loop = loop, .request = request};
    const page *wanted = find_page(&p, sc_http_request_path(request));
    sc_problem problem = {.field = NULL};
    if (is_admitted(&p, wanted, &problem)) {
        wanted->show(&p);
    } else {
        sc_door_count_refusal(parts->door, problem.kind);
        sc_problem_reply(request, &problem, wanted ? wanted->allow : NULL);
    }
    sc_terms_release(terms);
}
