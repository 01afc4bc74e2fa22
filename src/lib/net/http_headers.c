// Headers of requests. See http_headers.h.
#include "net/http_headers.h"

#include "base/bytes.h"

#include <starcloak/bytes.h>
#include <string.h>

static bool add_line(struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl_slist_append(*list, line);
    if (longer) *list = longer;
    return longer != NULL;
}

bool sc_http_headers_add(struct curl_slist **list, const char *name, const char *value)
{
    sc_bytes line = {.data = NULL};
    const bool is_fine =
        sc_bytes_append(&line, name, strlen(name)) && sc_bytes_append(&line, ": ", 2) &&
        sc_bytes_append(&line, value, strlen(value) + 1) && add_line(list, (const char *)line.data);
    sc_bytes_wipe(&line);
    sc_bytes_fini(&line);
    return is_fine;
}

bool sc_http_headers_add_all(struct curl_slist **list, const struct curl_slist *others)
{
    for (; others; others = others->next) {
        if (!add_line(list, others->data)) return false;
    }
    return true;
}

void sc_http_headers_free(struct curl_slist *headers)
{
    for (const struct curl_slist *h = headers; h; h = h->next) {
        explicit_bzero(h->data, strlen(h->data));
    }
    curl_slist_free_all(headers);
}
