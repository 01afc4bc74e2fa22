// Door: what a trusted proxy says of a client in a header of a request.
//
// The input is a letter (`f`: Forwarded, `x`: X-Forwarded-For), then the value of a header, up to a
// line feed, and that of the next line. What is accepted has no more hops than there may be; the
// client is the nearest that is no trusted proxy; and to add a hop at the right end, as a proxy
// does, is always accepted, and changes the client to that hop.
#include "door.h"

#include "server/http_internal.h"

#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static const char *const trusted[] = {"10.0.0.0/8", "fd00::/8"};

static bool is_trusted(const sc__http_proxies *proxies, const sc__http_hop *hop)
{
    return sc__http_proxies_have(proxies, (const struct sockaddr *)&hop->address);
}

static void check_client(const sc__http_hops *hops, const sc__http_proxies *proxies)
{
    const sc__http_hop *client = sc__http_hops_client(hops, proxies);
    const sc__http_hop *end = hops->hops + hops->count;
    if (!client) {
        if (hops->count > 0 && end[-1].has_address) abort();
        return;
    }
    if (client < hops->hops || client >= end || !client->has_address) abort();
    for (const sc__http_hop *hop = client + 1; hop < end; hop++) {
        if (!hop->has_address || !is_trusted(proxies, hop)) abort();
    }
    // A trusted one is the client only if nothing behind it has an address that may be believed.
    if (is_trusted(proxies, client) && client > hops->hops && client[-1].has_address) abort();
}

/** A proxy adds where the request came from, in the same line. */
static void check_addition(sc_http_forwarded header, const char *value, const sc__http_hops *before,
                           const sc__http_proxies *proxies)
{
    static char longer[DOOR_MAX_SIZE + 64];
    static sc__http_hops after;
    after = *before;
    after.count = 0;
    snprintf(longer, sizeof longer, "%s,%s", value,
             header == SC_HTTP_FORWARDED ? "for=\"[2001:db8::7]\"" : "2001:db8::7");
    if (before->count == SC__HTTP_MAX_HOPS) {
        if (sc__http_hops_read(header, longer, &after)) abort();
        return;
    }
    if (!sc__http_hops_read(header, longer, &after) || after.count != before->count + 1) abort();
    const sc__http_hop *client = sc__http_hops_client(&after, proxies);
    if (client != &after.hops[after.count - 1]) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE || (data[0] != 'f' && data[0] != 'x')) return 0;
    const sc_http_forwarded header = data[0] == 'f' ? SC_HTTP_FORWARDED : SC_HTTP_X_FORWARDED_FOR;
    char *text = malloc(size);
    memcpy(text, data + 1, size - 1);
    text[size - 1] = '\0';
    sc__http_proxies *proxies = NULL;
    if (sc__http_proxies_new(trusted, 2, &proxies, NULL)) abort();
    static sc__http_hops hops;
    hops.count = 0;
    char *first = text;
    char *second = strchr(text, '\n');
    if (second) *second++ = '\0';
    bool is_good = sc__http_hops_read(header, first, &hops);
    if (is_good) check_addition(header, first, &hops, proxies);
    if (is_good && second) is_good = sc__http_hops_read(header, second, &hops);
    if (hops.count > SC__HTTP_MAX_HOPS) abort();
    if (is_good) check_client(&hops, proxies);
    sc__http_proxies_free(proxies);
    free(text);
    return 0;
}
