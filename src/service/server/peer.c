// Who is on the other side: a number to count by, which says nothing to anyone else.
//
// An owner of IPv6 has 2^64 addresses at least, so its network is what counts.
#include "server/http_internal.h"

#include <netinet/in.h>
#include <sodium.h>
#include <string.h>

enum { MAPPED_AT = 12, NETWORK_BYTES = 8 };

_Static_assert((int)SC__PEER_KEY_BYTES == (int)crypto_shorthash_KEYBYTES, "one key for the hash");

/** What of the address counts: a sort of it, then its bytes. */
typedef struct place {
    unsigned char sort;  ///< 0: this machine, by a unix socket; 4; 6
    unsigned char bytes[NETWORK_BYTES];
} place;

static place place_of_ip4(const void *address)
{
    place p = {.sort = 4};
    memcpy(p.bytes, address, sizeof(struct in_addr));
    return p;
}

static place place_of(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        return place_of_ip4(&((const struct sockaddr_in *)(const void *)address)->sin_addr);
    }
    if (address->sa_family != AF_INET6) return (place){0};
    const struct in6_addr *ip6 = &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
    if (IN6_IS_ADDR_V4MAPPED(ip6)) return place_of_ip4(ip6->s6_addr + MAPPED_AT);
    place p = {.sort = 6};
    memcpy(p.bytes, ip6->s6_addr, NETWORK_BYTES);
    return p;
}

uint64_t sc__peer_number(const struct sockaddr *address, const unsigned char *key)
{
    const place p = place_of(address);
    uint64_t number = 0;
    crypto_shorthash((unsigned char *)&number, (const unsigned char *)&p, sizeof p, key);
    return number;
}

bool sc__peer_is_local(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *ip6 = (const struct sockaddr_in6 *)(const void *)address;
        if (IN6_IS_ADDR_LOOPBACK(&ip6->sin6_addr)) return true;
    }
    const place p = place_of(address);
    return p.sort == 0 || (p.sort == 4 && p.bytes[0] == IN_LOOPBACKNET);
}
