// Door: binary HTTP messages, which clients and gateways read out of what is sealed.
//
// The input is a message. What is accepted keeps to its bounds, has nothing in it that could end a
// line in another protocol, and written in both forms, with padding, reads back as the same.
#include "door.h"

#include "oblivious/binary_http.h"

static bool is_same_text(sc_slice a, sc_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.text, b.text, a.size) == 0);
}

static bool are_same_fields(const sc_bhttp_field *a, const sc_bhttp_field *b, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!is_same_text(a[i].name, b[i].name) || !is_same_text(a[i].value, b[i].value)) {
            return false;
        }
    }
    return true;
}

static void check_text(sc_slice text, const char *never)
{
    for (size_t i = 0; i < text.size; i++) {
        DOOR_PROMISE(text.text[i] != '\0' && !strchr(never, text.text[i]),
                     "nothing ends a line elsewhere");
    }
}

static void check_message(const sc_bhttp_message *m)
{
    DOOR_PROMISE(m->header_count + m->trailer_count <= SC_BHTTP_FIELDS_MAX, "fields are bounded");
    DOOR_PROMISE(m->is_request || (m->status >= 200 && m->status <= 599), "a status is final");
    for (size_t i = 0; i < m->header_count; i++) {
        check_text(m->headers[i].name, "\r\n :");
        check_text(m->headers[i].value, "\r\n");
    }
    for (size_t i = 0; i < m->trailer_count; i++) {
        check_text(m->trailers[i].name, "\r\n :");
        check_text(m->trailers[i].value, "\r\n");
    }
    if (m->is_request) {
        check_text(m->method, "\r\n ");
        check_text(m->scheme, "\r\n :");
        check_text(m->authority, "\r\n @");
        check_text(m->path, "\r\n ");
    }
}

static void write_and_read(const sc_bhttp_message *m, sc_bhttp_form form, size_t padding)
{
    const size_t size = sc_bhttp_size(m, form) + padding;
    uint8_t *bytes = malloc(size);
    sc_bhttp_decoded again = {0};
    if (!bytes) abort();
    DOOR_PROMISE(!sc_bhttp_encode(m, form, bytes, size), "what is accepted can be written");
    DOOR_PROMISE(!sc_bhttp_decode(bytes, size, &again), "what is written is accepted");
    const sc_bhttp_message *n = &again.message;
    DOOR_PROMISE(m->is_request == n->is_request && m->status == n->status &&
                     is_same_text(m->method, n->method) && is_same_text(m->scheme, n->scheme) &&
                     is_same_text(m->authority, n->authority) && is_same_text(m->path, n->path) &&
                     m->header_count == n->header_count && m->trailer_count == n->trailer_count &&
                     m->content_size == n->content_size &&
                     are_same_fields(m->headers, n->headers, n->header_count) &&
                     are_same_fields(m->trailers, n->trailers, n->trailer_count) &&
                     (n->content_size == 0 || memcmp(m->content, n->content, n->content_size) == 0),
                 "and reads back as the same");
    sc_bhttp_decoded_fini(&again);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data, size);
    sc_bhttp_decoded read = {0};
    const sc_err err = sc_bhttp_decode(copy, size, &read);
    DOOR_PROMISE(!err || err == SC_EPARSE || err == SC_ELIMIT, "a small input takes little memory");
    if (!err) {
        check_message(&read.message);
        write_and_read(&read.message, SC_BHTTP_KNOWN_LENGTH, 0);
        write_and_read(&read.message, SC_BHTTP_INDETERMINATE_LENGTH, 5);
    }
    sc_bhttp_decoded_fini(&read);
    free(copy);
    return 0;
}
