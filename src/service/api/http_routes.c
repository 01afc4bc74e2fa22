// Routes: the table from method and path to the function that answers, and who may use them.
//
// To add a route: a row in `routes`, a function that answers, its description in openapi.json. The
// rate of the client's address is checked first: a flood costs a look-up and a short reply.
#include "api/service_internal.h"

#include "api/async_route.h"
#include "api/cross_origin.h"
#include "api/events.h"
#include "api/metrics.h"
#include "api/oblivious_gateway.h"
#include "api/problem_details.h"
#include "api/sealed_zones.h"
#include "api/served_map.h"
#include "api/service.h"
#include "api/static_pages.h"
#include "base/clock.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/** One request with what its route needs. */
typedef struct route_call {
    sc_service_internal *service;
    const sc_policy *policy;
    const sc_access_rules *terms;
    unsigned loop;
    sc_http_request *request;
    const sc_extra_page *extra;  ///< if it is for one of these
    uint64_t user;               ///< a number for the token's user, where one was needed; else 0
} route_call;

static void show_query(const route_call *p)
{
    sc_query_route_post(p->service->query_route, p->loop, p->request);
}

static void show_async_query(const route_call *p)
{
    sc_async_route *async = sc_query_route_async(p->service->query_route);
    if (sc_http_request_method(p->request) == SC_HTTP_DELETE) {
        sc_async_route_delete(async, p->loop, p->request);
    } else {
        sc_async_route_look(async, p->loop, p->request);
    }
}

static void show_zone(const route_call *p)
{
    sc_sealed_zones_post(p->service, p->request);
}

static void show_events(const route_call *p)
{
    sc_events_listen(p->service->events, p->loop, p->request, p->user);
}

static void show_map(const route_call *p)
{
    sc_static_pages_map(sc_served_now(p->service)->pages, p->request);
}

static void show_map_bytes(const route_call *p)
{
    sc_static_pages_map_bytes(sc_served_now(p->service)->pages, p->request);
}

static void show_categories(const route_call *p)
{
    sc_static_pages_categories(sc_served_now(p->service)->pages, p->request);
}

static void show_openapi(const route_call *p)
{
    sc_static_pages_openapi(sc_served_now(p->service)->pages, p->request);
}

static void show_metrics(const route_call *p)
{
    sc_metrics_page(p->service, p->request);
}

static void show_live(const route_call *p)
{
    sc_health_live(p->request);
}

static void show_ready(const route_call *p)
{
    sc_health_ready(p->service, p->request);
}

static void show_about(const route_call *p)
{
    sc_about_show(p->service, p->policy, p->request);
}

static void show_ui(const route_call *p)
{
    sc_ui_show(p->service->ui, p->request);
}

static void show_partition(const route_call *p)
{
    sc_partition_page_show(sc_served_now(p->service)->partition_page, p->request);
}

static void show_cluster(const route_call *p)
{
    sc_cluster_show(sc_served_now(p->service), p->request);
}

static void show_oblivious_keys(const route_call *p)
{
    sc_oblivious_gateway_show_keys(p->service->oblivious, p->request);
}

static void show_sealed(const route_call *p)
{
    sc_oblivious_gateway_post(p->service->oblivious, p->request);
}

static void show_extra(const route_call *p)
{
    p->extra->show(p->extra->context, p->loop, p->request);
}

/** Which setting of the policy decides who may see it. */
typedef enum gate { FOR_ALL, BY_EVENTS, BY_METRICS } gate;

typedef struct route {
    const char *path;
    sc_http_method method;
    const char *allow;  ///< for a reply to other methods
    gate gate;
    bool is_unlimited;  ///< monitoring: rates of addresses do not count
    bool is_stream;     ///< has no length, so HEAD is refused
    void (*show)(const route_call *p);
} route;

static const route routes[] = {
    {"/v1/queries", SC_HTTP_POST, "POST", FOR_ALL, false, false, show_query},
    {"/v1/zone", SC_HTTP_POST, "POST", FOR_ALL, false, false, show_zone},
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

// HEAD is refused, as of a stream: it would count as telling the outcome.
static const route async_route = {NULL,  SC_HTTP_GET, "GET, DELETE",   FOR_ALL,
                                  false, true,        show_async_query};
static const route partition_route = {"/v1/partition", SC_HTTP_GET, "GET, HEAD",   FOR_ALL,
                                      false,           false,       show_partition};
static const route cluster_route = {"/v1/cluster", SC_HTTP_GET, "GET, HEAD", BY_METRICS,
                                    true,          false,       show_cluster};
#define OBLIVIOUS_METHODS "GET, HEAD, POST"
static const route oblivious_keys_route = {
    SC_OBLIVIOUS_PATH, SC_HTTP_GET, OBLIVIOUS_METHODS, FOR_ALL, false, false, show_oblivious_keys};
static const route oblivious_route = {
    SC_OBLIVIOUS_PATH, SC_HTTP_POST, OBLIVIOUS_METHODS, FOR_ALL, false, false, show_sealed};
static const route ui_route = {NULL, SC_HTTP_GET, "GET, HEAD", FOR_ALL, false, false, show_ui};
static const route extra_head = {NULL,  SC_HTTP_GET, "GET, HEAD", BY_EVENTS,
                                 false, false,       show_extra};
// What these show may be a stream.
static const route extra_get = {NULL, SC_HTTP_GET, "GET", BY_EVENTS, false, true, show_extra};
static const route extra_both = {NULL,  SC_HTTP_GET, "GET, POST", BY_EVENTS,
                                 false, true,        show_extra};
static const route extra_post = {NULL, SC_HTTP_POST, "POST", BY_EVENTS, false, false, show_extra};

/** Pages of a map in several parts, where it is. */
static const route *find_cluster_route(const sc_service_internal *service, const char *path)
{
    const sc_served_map *served = sc_served_now(service);
    if (served->partition_page && strcmp(partition_route.path, path) == 0) return &partition_route;
    if (served->view && strcmp(cluster_route.path, path) == 0) return &cluster_route;
    return NULL;
}

/** The gateway of Oblivious HTTP, where there is one. */
static const route *find_oblivious_route(const route_call *p, const char *path)
{
    if (!p->service->oblivious || strcmp(SC_OBLIVIOUS_PATH, path) != 0) return NULL;
    return sc_http_request_method(p->request) == SC_HTTP_POST ? &oblivious_route
                                                              : &oblivious_keys_route;
}

static bool is_path_of(const sc_extra_page *extra, const char *path)
{
    const size_t size = strlen(extra->path);
    if (strncmp(extra->path, path, size) != 0) return false;
    return path[size] == '\0' || (extra->is_folder && path[size] == '/');
}

/** Extra pages, where there are any: `starcloak serve` gives none. */
static const route *find_extra(route_call *p, const char *path)
{
    for (size_t i = 0; i < p->service->extra_count; i++) {
        const sc_extra_page *extra = &p->service->extra[i];
        if (!is_path_of(extra, path)) continue;
        p->extra = extra;
        if (extra->method == SC_HTTP_POST) return &extra_post;
        if (extra->takes_post) return &extra_both;
        return extra->takes_head ? &extra_head : &extra_get;
    }
    return NULL;
}

static const route *find_route(route_call *p, const char *path)
{
    const route *of_command = find_extra(p, path);
    if (of_command) return of_command;
    for (size_t i = 0; i < sizeof(routes) / sizeof(routes[0]); i++) {
        if (strcmp(routes[i].path, path) == 0) return &routes[i];
    }
    const route *sealed = find_oblivious_route(p, path);
    if (sealed) return sealed;
    if (sc_async_path_is(path)) return &async_route;
    const route *of_parts = find_cluster_route(p->service, path);
    if (of_parts) return of_parts;
    return p->service->ui && sc_ui_has(p->service->ui, path) ? &ui_route : NULL;
}

/** Whether the address tells the sender: not if it is that of a relay, which sends for all. What it
 * carries was counted with the request that carried it. */
static bool has_address_of_client(const route_call *p)
{
    return !sc_http_request_is_inner(p->request) && !sc_http_request_is_relayed(p->request);
}

/** Whether the sender is within the rate of its address. */
static bool is_within_rate(const route_call *p, sc_problem *problem)
{
    const sc_policy *policy = p->policy;
    if (policy->address_rate <= 0 || !has_address_of_client(p)) return true;
    const unsigned wait_s =
        sc_rate_limit_take(p->service->address_rates, sc_http_request_peer(p->request),
                           policy->address_rate, policy->address_burst, sc_clock_us());
    if (wait_s == 0) return true;
    sc_problem_set(problem, SC_PROBLEM_RATE, NULL, "too many requests from this address");
    problem->retry_after_s = wait_s;
    return false;
}

/** A number for a user, without a meaning outside of this process; not 0. */
static uint64_t number_of(const sc_service_internal *service, const sc_token *token)
{
    uint64_t number = 0;
    crypto_shorthash((unsigned char *)&number, (const unsigned char *)token->user, token->user_size,
                     service->listener_key);
    return number > 0 ? number : 1;
}

static bool may_use(route_call *p, gate whose, sc_problem *problem)
{
    if (whose == FOR_ALL) return true;
    if (!sc_http_request_is_admin(p->request)) {
        return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                              "only the admin listener has this page (setting 'admin')");
    }
    sc_token token;
    switch (whose == BY_EVENTS ? p->policy->events : p->policy->metrics) {
    case SC_ACCESS_OPEN:
        return true;
    case SC_ACCESS_TOKEN: {
        const bool is_known = sc_access_rules_identify(p->terms, p->request, &token, problem);
        if (is_known) p->user = number_of(p->service, &token);
        explicit_bzero(&token, sizeof token);
        return is_known;
    }
    case SC_ACCESS_LOCAL:
        return sc_request_is_local(p->request) ||
               sc_problem_set(
                   problem, SC_PROBLEM_FORBIDDEN, NULL,
                   "only clients on the same machine may read this, by localhost or 127.0.0.1");
    case SC_ACCESS_OFF:
        break;
    }
    return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL, "this page is switched off");
}

static bool is_method_of(const route_call *p, const route *wanted)
{
    const sc_http_method method = sc_http_request_method(p->request);
    return method == wanted->method || (method == SC_HTTP_DELETE && wanted == &async_route) ||
           (method == SC_HTTP_POST && p->extra && p->extra->takes_post) ||
           (method == SC_HTTP_HEAD && wanted->method == SC_HTTP_GET && !wanted->is_stream);
}

/** Whether there is a place for the request, and its address may send one. */
static bool is_within_limits(const route_call *p, const route *wanted, sc_problem *problem)
{
    const bool is_health = wanted && wanted->gate == FOR_ALL && wanted->is_unlimited;
    if (sc_http_request_is_reserve(p->request) && !is_health) {
        sc_problem_set(problem, SC_PROBLEM_OVERLOADED, NULL, "too many connections; retry");
        problem->retry_after_s = 1;
        return false;
    }
    const bool is_unlimited = wanted && wanted->is_unlimited &&
                              (wanted->gate == FOR_ALL || sc_http_request_is_admin(p->request));
    return is_unlimited || is_within_rate(p, problem);
}

/** Whether the request may go on to `wanted`; if not, `problem` says why. */
static bool is_admitted(route_call *p, const route *wanted, sc_problem *problem)
{
    if (!is_within_limits(p, wanted, problem)) return false;
    if (!wanted) {
        return sc_problem_set(problem, SC_PROBLEM_NOT_FOUND, NULL,
                              "no such page; /openapi.json lists all of them");
    }
    if (!is_method_of(p, wanted)) {
        return sc_problem_set(problem, SC_PROBLEM_METHOD, NULL, "allowed methods: %s",
                              wanted->allow);
    }
    return may_use(p, wanted->gate, problem);
}

void sc_route(void *context, unsigned loop, sc_http_request *request)
{
    sc_service_internal *service = context;
    sc_access_rules *terms = sc_credentials_hold(service->credentials);
    route_call p = {.service = service,
                    .policy = &terms->policy,
                    .terms = terms,
                    .loop = loop,
                    .request = request};
    const route *wanted = find_route(&p, sc_http_request_path(request));
    const bool is_shared =
        wanted && wanted->gate == FOR_ALL && sc_cross_origin_mark(service->cross_origin, request);
    sc_problem problem = {.field = NULL};
    bool is_taken = false;
    if (is_shared && sc_request_is_preflight(request)) {
        is_taken = is_within_limits(&p, wanted, &problem);
        if (is_taken) sc_preflight_reply(request, wanted->allow);
    } else {
        is_taken = is_admitted(&p, wanted, &problem);
        if (is_taken && wanted) wanted->show(&p);
    }
    if (!is_taken) {
        sc_refusals_add(service, problem.kind);
        sc_problem_reply(request, &problem, wanted ? wanted->allow : NULL);
    }
    sc_access_rules_release(terms);
}

// === Requests from this machine =================================================================
//
// service_internal.h has the reasons.

enum { PORT_DIGITS = 5 };

// --- The name ------------------------------------------------------------------------------------

/** "", ":" or ":8080". */
static bool is_port(const char *text)
{
    if (*text == '\0') return true;
    if (*text != ':') return false;
    const size_t digits = strspn(text + 1, "0123456789");
    return digits <= PORT_DIGITS && text[1 + digits] == '\0';
}

static bool is_ip4_of_here(const char *name)
{
    struct in_addr address;
    if (inet_pton(AF_INET, name, &address) != 1) return false;
    const uint32_t number = ntohl(address.s_addr);
    return number >> IN_CLASSA_NSHIFT == IN_LOOPBACKNET || number == INADDR_ANY;
}

static bool is_ip6_of_here(const char *name)
{
    struct in6_addr address;
    if (inet_pton(AF_INET6, name, &address) != 1) return false;
    if (IN6_IS_ADDR_V4MAPPED(&address)) return address.s6_addr[12] == IN_LOOPBACKNET;
    return IN6_IS_ADDR_LOOPBACK(&address) || IN6_IS_ADDR_UNSPECIFIED(&address);
}

bool sc__host_is_local(const char *host)
{
    if (!host) return false;
    const bool is_ip6 = *host == '[';
    const char *start = host + is_ip6;
    const size_t size = strcspn(start, is_ip6 ? "]" : ":");
    const char *behind = start + size;
    if (is_ip6) {
        if (*behind != ']') return false;
        behind++;
    }
    char name[INET6_ADDRSTRLEN];  // longer than "localhost"
    if (size >= sizeof name || !is_port(behind)) return false;
    memcpy(name, start, size);
    name[size] = '\0';
    if (is_ip6) return is_ip6_of_here(name);
    return strcasecmp(name, "localhost") == 0 || is_ip4_of_here(name);
}

bool sc__origin_is_local(const char *origin)
{
    static const char *const schemes[] = {"http://", "https://"};
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++) {
        const size_t size = strlen(schemes[i]);
        if (strncmp(origin, schemes[i], size) == 0) return sc__host_is_local(origin + size);
    }
    return false;  // "null", that of no page in particular
}

// --- The request ---------------------------------------------------------------------------------

/** Headers that proxies add: any of them means that the client is elsewhere. */
static const char *const of_proxies[] = {
    "Forwarded",          "Via",
    "X-Forwarded-For",    "X-Forwarded-Host",
    "X-Forwarded-Proto",  "X-Forwarded-Port",
    "X-Forwarded-Server", "X-Real-IP",
    "X-Client-IP",        "True-Client-IP",
    "CF-Connecting-IP",
};

/** Whether the browser's Sec-Fetch-Site is of our own page or of a typed address. Other clients do
 * not send it. */
static bool is_of_own_page(const char *site)
{
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

bool sc_request_is_local(const sc_http_request *request)
{
    if (!sc_http_request_is_local(request)) return false;
    for (size_t i = 0; i < sizeof of_proxies / sizeof of_proxies[0]; i++) {
        if (sc_http_request_header(request, of_proxies[i])) return false;
    }
    const char *origin = sc_http_request_header(request, "Origin");
    return is_of_own_page(sc_http_request_header(request, "Sec-Fetch-Site")) &&
           sc__host_is_local(sc_http_request_header(request, "Host")) &&
           (!origin || sc__origin_is_local(origin));
}
