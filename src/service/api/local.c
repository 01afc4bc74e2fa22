// Who is on this machine, and who only seems to be. See local.h.
#include "api/local.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <strings.h>

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

/** Any of these is the word of somebody in between. */
static const char *const of_proxies[] = {
    "Forwarded",          "Via",
    "X-Forwarded-For",    "X-Forwarded-Host",
    "X-Forwarded-Proto",  "X-Forwarded-Port",
    "X-Forwarded-Server", "X-Real-IP",
    "X-Client-IP",        "True-Client-IP",
    "CF-Connecting-IP",
};

/** Whether a browser says that our own page asks, or nobody's but the person in front of it. Other
 * clients say nothing. */
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
