// Door: what a request says of itself where only this machine may look, and names of reports.
//
// The first byte says what the rest is: 'h' a Host header, 'o' an Origin header, 'n' the name of a
// file of a report, 'r' header lines of a request, which is made over a real socket. Whatever
// counts as local has a host that means this machine when it is read a second time, in another way,
// and no header of a proxy. What may be the name of a file leads nowhere else.
#include "door.h"

#include "api/service_internal.h"
#include "demo/reports.h"
#include "server/http_internal.h"
#include "socket.h"

#include <netdb.h>
#include <poll.h>
#include <strings.h>
#include <unistd.h>

// --- Names of this machine -----------------------------------------------------------------------

/** Whether a numeric address is one that only leads here. */
static bool is_address_of_here(const char *text)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    if (getaddrinfo(text, NULL, &hints, &found)) return false;
    const void *address = found->ai_addr;
    const struct sockaddr_in *ip4 = address;
    const struct sockaddr_in6 *ip6 = address;
    const bool is_unspecified = found->ai_family == AF_INET
                                    ? ip4->sin_addr.s_addr == INADDR_ANY
                                    : IN6_IS_ADDR_UNSPECIFIED(&ip6->sin6_addr);
    const bool is_here = is_unspecified || sc__http_peer_is_local(found->ai_addr);
    freeaddrinfo(found);
    return is_here;
}

/** Read from its end: a port if there is one, then a host. */
static void check_local(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.:[]";
    DOOR_PROMISE(text[strspn(text, letters)] == '\0', "a local host is plain text");
    char host[80];
    const size_t size = strlen(text);
    DOOR_PROMISE(size < sizeof host, "a local host is short");
    memcpy(host, text, size + 1);
    char *colon = strrchr(host, ':');
    if (colon && !strchr(colon, ']')) {
        DOOR_PROMISE(colon[1 + strspn(colon + 1, "0123456789")] == '\0', "a port is a number");
        *colon = '\0';
    }
    if (host[0] != '[') {
        DOOR_PROMISE(!strchr(host, ':'), "there is one port");
        DOOR_PROMISE(strcasecmp(host, "localhost") == 0 || is_address_of_here(host),
                     "a local host means this machine");
        return;
    }
    char *end = host + strlen(host) - 1;
    DOOR_PROMISE(*end == ']', "brackets are closed");
    *end = '\0';
    DOOR_PROMISE(strchr(host, ':') && is_address_of_here(host + 1),
                 "in brackets is an address of this machine");
}

static void try_host(const char *text)
{
    const bool is_local = sc__host_is_local(text);
    if (is_local) check_local(text);
    char origin[256];
    const int size = snprintf(origin, sizeof origin, "https://%s", text);
    if ((size_t)size >= sizeof origin) {
        DOOR_PROMISE(!is_local, "a local host is short");
    } else {
        DOOR_PROMISE(sc__origin_is_local(origin) == is_local,
                     "a host is as local as the page that it has");
    }
}

static void check_local_origin(const char *text)
{
    const char *host = strstr(text, "://");
    DOOR_PROMISE(host && strncmp(text, "http", 4) == 0, "a local page has been fetched");
    DOOR_PROMISE(host == text + 4 || (host == text + 5 && text[4] == 's'), "by HTTP");
    check_local(host + 3);
}

static void try_origin(const char *text)
{
    if (sc__origin_is_local(text)) check_local_origin(text);
}

// --- Requests ------------------------------------------------------------------------------------

static void handle(void *context, unsigned loop, sc_http_request *request)
{
    (void)context;
    (void)loop;
    const bool is_local = sc_request_is_local(request);
    if (is_local) {
        const char *origin = sc_http_request_header(request, "Origin");
        check_local(sc_http_request_header(request, "Host"));
        if (origin) check_local_origin(origin);
        const char *site = sc_http_request_header(request, "Sec-Fetch-Site");
        DOOR_PROMISE(!site || !strstr(site, "site"), "no other site's page is local");
    }
    const char *word = is_local ? "here" : "elsewhere";
    sc_http_reply(request, 200, "text/plain", word, strlen(word), NULL, 0);
}

/** Whether a header line has one of these names, ended by NULL. */
static bool is_named(const char *line, const char *const *names)
{
    for (; *names; names++) {
        const size_t size = strlen(*names);
        if (strncasecmp(line, *names, size) == 0 && line[size] == ':') return true;
    }
    return false;
}

/** What is asked with the lines of `text`, each of them whole; and whether a proxy is named. */
static size_t write_request(const char *text, char *out, bool *has_proxy)
{
    // A body would be waited for; and if the server hangs up first, ports run out.
    static const char *const left_out[] = {"Content-Length", "Transfer-Encoding", "Expect",
                                           "Connection", NULL};
    static const char *const of_proxies[] = {"Forwarded",
                                             "X-Forwarded-For",
                                             "X-Forwarded-Host",
                                             "X-Forwarded-Proto",
                                             "X-Forwarded-Port",
                                             "X-Forwarded-Server",
                                             "X-Real-IP",
                                             "X-Client-IP",
                                             "True-Client-IP",
                                             "CF-Connecting-IP",
                                             "Via",
                                             NULL};
    char *end = stpcpy(out, "GET / HTTP/1.1\r\n");
    for (size_t size = 0; *text != '\0'; text += size + (text[size] == '\n')) {
        size = strcspn(text, "\n");
        size_t kept = size;
        while (kept > 0 && text[kept - 1] == '\r') {
            kept--;
        }
        if (kept == 0 || is_named(text, left_out)) continue;
        *has_proxy = *has_proxy || is_named(text, of_proxies);
        end = stpcpy(mempcpy(end, text, kept), "\r\n");
    }
    return (size_t)(stpcpy(end, "\r\n") - out);
}

static void try_request(const char *text)
{
    static sc_http *http = NULL;
    enum { LONGEST = 4096 };  // beyond that it would be refused before all of it is said
    if (strlen(text) > LONGEST) return;
    if (!http) {
        sc_http_options options = sc_http_options_default();
        options.handle = handle;
        http = socket_serve(options);
    }
    bool has_proxy = false;
    char *request = malloc(2 * strlen(text) + 64);  // each line may get one byte more
    if (!request) abort();
    const size_t size = write_request(text, request, &has_proxy);
    const int fd = socket_dial(http);
    DOOR_PROMISE(send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size, "it can be said");
    free(request);

    char reply[2048];
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    DOOR_PROMISE(poll(&wait, 1, 10000) == 1, "it is answered in time");
    const ssize_t received = recv(fd, reply, sizeof reply, 0);
    close(fd);
    DOOR_PROMISE(received > 12 && memcmp(reply, "HTTP/1.1 ", 9) == 0, "by a reply");
    const bool is_here = memmem(reply, (size_t)received, "\r\n\r\nhere", 8);
    DOOR_PROMISE(!is_here || !has_proxy, "what a proxy passes on is not local");
}

// --- Reports -------------------------------------------------------------------------------------

static void try_name(const char *text)
{
    const char *type = sc__report_type(text);
    if (!type) return;
    DOOR_PROMISE(*text != '.', "nothing hidden is shown, and no way up");
    for (const char *c = text; *c; c++) {
        DOOR_PROMISE(*c > 0x20 && *c < 0x7f && !strchr("/\\%:;\"'<>&?#", *c),
                     "a name is a plain one of one folder");
    }
    DOOR_PROMISE(!strstr(type, "script"), "nothing is shown that would be run");
    DOOR_PROMISE(strchr(text, '.') != NULL, "a name has an ending");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    // Of exactly its size, so that a step beyond is seen; headers and paths have no NUL in them.
    char *text = strndup((const char *)data + 1, size - 1);
    if (!text) abort();
    switch (data[0]) {
    case 'h':
        try_host(text);
        break;
    case 'o':
        try_origin(text);
        break;
    case 'n':
        try_name(text);
        break;
    case 'r':
        try_request(text);
        break;
    default:
        break;
    }
    free(text);
    return 0;
}
