// Door: what a proxy in front says before a request, and the framing of requests.
//
// The input is a letter, then bytes. `p`: a header of the PROXY protocol. It is read as it is
// wanted, never beyond its end; what is whole and accepted names a client of a known kind. `f`: a
// client's bytes. Whether they are plain does not depend on how they were cut on their way.
#include "door.h"

#include "server/http_internal.h"

static void try_header(const uint8_t *bytes, size_t size)
{
    size_t read = 0;
    int want = 0;
    while ((want = sc__http_proxy_header_want(bytes, read)) > 0) {
        if (read + (size_t)want > size) return;
        read += (size_t)want;
    }
    if (want < 0) return;
    sc__http_proxy_client client = SC__HTTP_PROXY_UNKNOWN;
    struct sockaddr_storage address = {0};
    if (!sc__http_proxy_header_read(bytes, read, &client, &address)) return;
    const bool has_address = address.ss_family == AF_INET || address.ss_family == AF_INET6;
    if (has_address != (client == SC__HTTP_PROXY_ADDRESS)) abort();
}

static void try_framing(const uint8_t *bytes, size_t size)
{
    sc__http_framing whole = {.state = SC__HTTP_AT_START};
    sc__http_framing cut = whole;
    const bool is_plain = sc__http_framing_follow(&whole, (const char *)bytes, size);
    bool is_cut_plain = true;
    for (size_t i = 0; i < size && is_cut_plain; i++) {
        is_cut_plain = sc__http_framing_follow(&cut, (const char *)bytes + i, 1);
    }
    if (is_plain != is_cut_plain) abort();
    if (is_plain && (whole.state != cut.state || whole.left != cut.left)) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data + 1, size - 1);
    if (data[0] == 'p') try_header(copy, size - 1);
    if (data[0] == 'f') try_framing(copy, size - 1);
    free(copy);
    return 0;
}
