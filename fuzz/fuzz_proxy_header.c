// Door: what a proxy in front says before a request, and the parser of requests.
//
// The input is a letter, then bytes. `p`: a header of the PROXY protocol. It is read as it is
// wanted, never beyond its end; what is whole and accepted names a client of a known kind. `f`: a
// client's bytes. What becomes of them does not depend on how they were cut on their way.
#include "door.h"

#include "server/http_internal.h"

#include <string.h>

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

/** What became of a request. */
typedef struct parsed {
    int status;
    bool is_whole;
    size_t body_size;
} parsed;

/** Give the parser `step` bytes at a time. */
static parsed parse(const uint8_t *bytes, size_t size, size_t step)
{
    sc_http http = {.options = sc_http_options_default()};
    sc__http_loop loop = {.http = &http};
    sc__http_connection connection = {.loop = &loop, .fd = -1};
    parsed result = {0};
    size_t end = 0;
    for (size_t at = 0; at < size && !result.status && end == 0; at += step) {
        const size_t part = size - at < step ? size - at : step;
        if (!sc__http_buffer_reserve(&loop, &connection.input, part, SC__HTTP_BLOCK)) abort();
        memcpy(connection.input.data + connection.input.size, bytes + at, part);
        connection.input.size += part;
        result.status = sc__http_parse(&connection, &end);
        if (end > connection.input.size) abort();
    }
    result.is_whole = end > 0;
    if (result.is_whole) result.body_size = connection.request.body_size;
    if (result.body_size > http.options.max_body_bytes) abort();
    sc__http_buffer_release(&loop, &connection.input);
    sc__http_blocks_free(&loop);
    return result;
}

static void try_request(const uint8_t *bytes, size_t size)
{
    const parsed whole = parse(bytes, size, size > 0 ? size : 1);
    const parsed cut = parse(bytes, size, 1);
    if (whole.status != cut.status || whole.is_whole != cut.is_whole ||
        whole.body_size != cut.body_size) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data + 1, size - 1);
    if (data[0] == 'p') try_header(copy, size - 1);
    if (data[0] == 'f') try_request(copy, size - 1);
    free(copy);
    return 0;
}
