// Binary HTTP: the decoder, the encoder, and what a valid message is. Sections are those of RFC
// 9292.
#include "oblivious/binary_http.h"

#include "base/alloc.h"

#include <string.h>
#include <strings.h>

/** Framing indicators (3.3): the lowest bit says response, the next one indeterminate length. */
enum { FRAMING_RESPONSE = 1, FRAMING_INDETERMINATE = 2, FRAMING_MAX = 3 };

// --- What is valid -------------------------------------------------------------------------------

static bool is_token_byte(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

/** A token of HTTP (RFC 9110, 5.6.2). A colon is none, so pseudo-fields are refused with it: those
 * of HTTP/2 by 3.6, those of extensions since none is known here. */
static bool is_token(sc_slice s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (!is_token_byte((unsigned char)s.text[i])) return false;
    }
    return s.size > 0;
}

/** RFC 3986, 3.1. */
static bool is_scheme(sc_slice s)
{
    for (size_t i = 0; i < s.size; i++) {
        const char c = s.text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        const bool is_other = (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
        if (!is_letter && (i == 0 || !is_other)) return false;
    }
    return s.size > 0;
}

/** Neither controls nor blanks nor bytes above ASCII, of which a URI has none. */
static bool is_visible(sc_slice s)
{
    for (size_t i = 0; i < s.size; i++) {
        const unsigned char c = (unsigned char)s.text[i];
        if (c <= 0x20 || c >= 0x7f) return false;
    }
    return true;
}

/** RFC 9113, 8.3.1, which 3.4 refers to: no user before the host, a path that begins with a slash,
 * or "*" for OPTIONS. CONNECT, which has neither scheme nor path, is nothing that could be
 * relayed. */
static bool is_request_control(const sc_bhttp_message *m)
{
    const bool is_asterisk = sc_slice_is(m->path, "*") && sc_slice_is(m->method, "OPTIONS");
    return is_token(m->method) && !sc_slice_is(m->method, "CONNECT") && is_scheme(m->scheme) &&
           is_visible(m->authority) &&
           !(m->authority.size > 0 && memchr(m->authority.text, '@', m->authority.size)) &&
           is_visible(m->path) && (is_asterisk || (m->path.size > 0 && m->path.text[0] == '/'));
}

static bool is_blank_byte(char c)
{
    return c == ' ' || c == '\t';
}

/** RFC 9113, 8.2.1, which 3.6 refers to. */
static bool is_value(sc_slice s)
{
    for (size_t i = 0; i < s.size; i++) {
        if (s.text[i] == '\0' || s.text[i] == '\r' || s.text[i] == '\n') return false;
    }
    return s.size == 0 || (!is_blank_byte(s.text[0]) && !is_blank_byte(s.text[s.size - 1]));
}

static bool is_field(const sc_bhttp_field *field)
{
    return is_token(field->name) && is_value(field->value);
}

static bool is_final(uint64_t status)
{
    return status >= 200 && status <= 599;
}

// --- Reading: numbers and texts ------------------------------------------------------------------

typedef struct reader {
    const uint8_t *next;
    size_t left;
} reader;

/** A variable-length integer (RFC 9000, section 16), which need not be of the shortest form. */
static bool read_number(reader *r, uint64_t *out)
{
    if (r->left == 0) return false;
    const size_t size = (size_t)1 << (r->next[0] >> 6);
    if (r->left < size) return false;
    uint64_t value = r->next[0] & 0x3f;
    for (size_t i = 1; i < size; i++) {
        value = value << 8 | r->next[i];
    }
    r->next += size;
    r->left -= size;
    *out = value;
    return true;
}

static bool take(reader *r, uint64_t size, const uint8_t **out)
{
    if (size > r->left) return false;
    *out = r->next;
    r->next += size;
    r->left -= (size_t)size;
    return true;
}

/** `size` bytes as a text. */
static bool take_text(reader *r, uint64_t size, sc_slice *out)
{
    const uint8_t *bytes = NULL;
    if (!take(r, size, &bytes)) return false;
    *out = (sc_slice){(const char *)bytes, (size_t)size};
    return true;
}

/** A text behind its length. */
static bool read_text(reader *r, sc_slice *out)
{
    uint64_t size = 0;
    return read_number(r, &size) && take_text(r, size, out);
}

// --- Reading: sections ---------------------------------------------------------------------------

/** What is being read. */
typedef struct decoding {
    reader rest;
    bool is_indeterminate;
    size_t field_count;  ///< of all sections, also those that are not kept
    size_t kept;         ///< fields in `out`
    sc_bhttp_decoded *out;
} decoding;

/** A field whose name has `name_size` bytes; it is kept if `keeps`. */
static sc_err read_field(decoding *d, reader *from, uint64_t name_size, bool keeps)
{
    sc_bhttp_field field;
    if (!take_text(from, name_size, &field.name) || !read_text(from, &field.value) ||
        !is_field(&field)) {
        return SC_EPARSE;
    }
    if (++d->field_count > SC_BHTTP_FIELDS_MAX) return SC_ELIMIT;
    if (!keeps) return SC_OK;
    if (!sc_grow(&d->out->fields, d->kept, &d->out->field_capacity, sizeof *d->out->fields)) {
        return SC_ENOMEM;
    }
    d->out->fields[d->kept++] = field;
    return SC_OK;
}

/** Fields up to the end of their section (3.1). */
static sc_err read_known_fields(decoding *d, bool keeps)
{
    uint64_t size = 0;
    reader section = {NULL, 0};
    if (!read_number(&d->rest, &size) || !take(&d->rest, size, &section.next)) return SC_EPARSE;
    section.left = (size_t)size;
    sc_err err = SC_OK;
    while (section.left > 0 && !err) {
        uint64_t name_size = 0;
        if (!read_number(&section, &name_size)) return SC_EPARSE;
        err = read_field(d, &section, name_size, keeps);
    }
    return err;
}

/** Fields up to a zero (3.2), which is no length of a name. */
static sc_err read_indeterminate_fields(decoding *d, bool keeps)
{
    sc_err err = SC_OK;
    while (!err) {
        uint64_t name_size = 0;
        if (!read_number(&d->rest, &name_size)) return SC_EPARSE;
        if (name_size == 0) return SC_OK;
        err = read_field(d, &d->rest, name_size, keeps);
    }
    return err;
}

/**
 * A section of fields; how many there were is set if they are kept.
 *
 * A message may end where a section would begin, and the section is empty then (3.8). The text of
 * 3.8 speaks of trailers and content; RFC 9458 has requests and responses in its example that end
 * behind the control data, as 3.1 allows ("before any of the length prefixes"), so that is taken
 * for headers too. Nothing else can be cut off unnoticed.
 */
static sc_err read_fields(decoding *d, bool keeps, size_t *count)
{
    if (d->rest.left == 0) return SC_OK;
    const size_t before = d->kept;
    const sc_err err =
        d->is_indeterminate ? read_indeterminate_fields(d, keeps) : read_known_fields(d, keeps);
    if (!err && keeps) *count = d->kept - before;
    return err;
}

/** Adds the sizes of the chunks in `from`, up to a zero. */
static bool measure_chunks(reader from, size_t *total, size_t *chunks)
{
    *total = *chunks = 0;
    for (;;) {
        uint64_t size = 0;
        const uint8_t *chunk = NULL;
        if (!read_number(&from, &size)) return false;
        if (size == 0) return true;
        if (!take(&from, size, &chunk)) return false;
        *total += (size_t)size;
        (*chunks)++;
    }
}

static sc_err read_chunks(decoding *d)
{
    sc_bhttp_message *m = &d->out->message;
    size_t total = 0;
    size_t chunks = 0;
    if (!measure_chunks(d->rest, &total, &chunks)) return SC_EPARSE;
    if (chunks > 1) {
        d->out->joined = sc_malloc(total);
        if (!d->out->joined) return SC_ENOMEM;
        m->content = d->out->joined;
    }
    for (size_t done = 0;;) {
        uint64_t size = 0;
        const uint8_t *chunk = NULL;
        if (!read_number(&d->rest, &size) || size == 0) break;  // both were seen when measuring
        if (!take(&d->rest, size, &chunk)) break;
        if (d->out->joined)
            memcpy(d->out->joined + done, chunk, (size_t)size);
        else
            m->content = chunk;
        done += (size_t)size;
    }
    m->content_size = total;
    return SC_OK;
}

static sc_err read_content(decoding *d)
{
    sc_bhttp_message *m = &d->out->message;
    if (d->rest.left == 0) return SC_OK;  // see read_fields()
    if (d->is_indeterminate) return read_chunks(d);
    uint64_t size = 0;
    if (!read_number(&d->rest, &size) || !take(&d->rest, size, &m->content)) return SC_EPARSE;
    m->content_size = (size_t)size;
    return SC_OK;
}

// --- Reading: messages ---------------------------------------------------------------------------

static sc_err read_request_control(decoding *d)
{
    sc_bhttp_message *m = &d->out->message;
    const bool is_there = read_text(&d->rest, &m->method) && read_text(&d->rest, &m->scheme) &&
                          read_text(&d->rest, &m->authority) && read_text(&d->rest, &m->path);
    return is_there && is_request_control(m) ? SC_OK : SC_EPARSE;
}

/** The status of the final response, and what comes before it (3.5). */
static sc_err read_response_control(decoding *d)
{
    for (size_t i = 0; i <= SC_BHTTP_INFORMATIONAL_MAX; i++) {
        uint64_t status = 0;
        if (!read_number(&d->rest, &status)) return SC_EPARSE;
        if (is_final(status)) {
            d->out->message.status = (unsigned)status;
            return SC_OK;
        }
        if (status < 100 || status > 199) return SC_EPARSE;
        const sc_err err = read_fields(d, false, NULL);
        if (err) return err;
    }
    return SC_ELIMIT;
}

/** What is left is zeros (3.8). */
static bool is_padding(const reader *r)
{
    uint8_t all = 0;
    for (size_t i = 0; i < r->left; i++) {
        all |= r->next[i];
    }
    return all == 0;
}

static sc_err read_message(decoding *d)
{
    sc_bhttp_message *m = &d->out->message;
    uint64_t framing = 0;
    if (!read_number(&d->rest, &framing) || framing > FRAMING_MAX) return SC_EPARSE;
    m->is_request = (framing & FRAMING_RESPONSE) == 0;
    d->is_indeterminate = (framing & FRAMING_INDETERMINATE) != 0;
    sc_err err = m->is_request ? read_request_control(d) : read_response_control(d);
    if (!err) err = read_fields(d, true, &m->header_count);
    if (!err) err = read_content(d);
    if (!err) err = read_fields(d, true, &m->trailer_count);
    if (!err && !is_padding(&d->rest)) err = SC_EPARSE;
    m->headers = d->out->fields;
    m->trailers = m->trailer_count > 0 ? d->out->fields + m->header_count : NULL;
    return err;
}

sc_err sc_bhttp_decode(const uint8_t *bytes, size_t size, sc_bhttp_decoded *out)
{
    sc_bhttp_decoded read = {0};
    decoding d = {.rest = {bytes, size}, .out = &read};
    const sc_err err = read_message(&d);
    if (err) {
        sc_bhttp_decoded_fini(&read);
        return err;
    }
    *out = read;
    return SC_OK;
}

void sc_bhttp_decoded_fini(sc_bhttp_decoded *decoded)
{
    sc_free_wiped(decoded->fields, decoded->field_capacity, sizeof *decoded->fields);
    sc_free_wiped(decoded->joined, decoded->message.content_size, 1);
    *decoded = (sc_bhttp_decoded){0};
}

const sc_slice *sc_bhttp_find(const sc_bhttp_field *fields, size_t count, const char *name)
{
    const sc_slice *found = NULL;
    const size_t size = strlen(name);
    for (size_t i = 0; i < count; i++) {
        if (fields[i].name.size != size || strncasecmp(fields[i].name.text, name, size) != 0) {
            continue;
        }
        if (found) return NULL;
        found = &fields[i].value;
    }
    return found;
}

// --- Writing -------------------------------------------------------------------------------------

static size_t number_size(uint64_t value)
{
    return value < 1u << 6 ? 1 : value < 1u << 14 ? 2 : value < 1u << 30 ? 4 : 8;
}

static size_t text_size(sc_slice text)
{
    return number_size(text.size) + text.size;
}

static size_t fields_size(const sc_bhttp_field *fields, size_t count)
{
    size_t size = 0;
    for (size_t i = 0; i < count; i++) {
        size += text_size(fields[i].name) + text_size(fields[i].value);
    }
    return size;
}

/** A section with its length, or with the zero at its end. */
static size_t section_size(const sc_bhttp_field *fields, size_t count, sc_bhttp_form form)
{
    const size_t size = fields_size(fields, count);
    return size + (form == SC_BHTTP_KNOWN_LENGTH ? number_size(size) : 1);
}

size_t sc_bhttp_size(const sc_bhttp_message *m, sc_bhttp_form form)
{
    const size_t control = m->is_request ? text_size(m->method) + text_size(m->scheme) +
                                               text_size(m->authority) + text_size(m->path)
                                         : number_size(m->status);
    const bool has_end = form == SC_BHTTP_INDETERMINATE_LENGTH && m->content_size > 0;
    return 1 + control + section_size(m->headers, m->header_count, form) +
           number_size(m->content_size) + m->content_size + (has_end ? 1 : 0) +
           section_size(m->trailers, m->trailer_count, form);
}

static uint8_t *put_number(uint8_t *p, uint64_t value)
{
    const size_t size = number_size(value);
    for (size_t i = 0; i < size; i++) {
        p[i] = (uint8_t)(value >> (8 * (size - 1 - i)));
    }
    // The first two bits say how many bytes there are: 1, 2, 4 or 8.
    p[0] |= (uint8_t)(size == 1 ? 0x00 : size == 2 ? 0x40 : size == 4 ? 0x80 : 0xc0);
    return p + size;
}

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t size)
{
    if (size > 0) memcpy(p, bytes, size);
    return p + size;
}

static uint8_t *put_text(uint8_t *p, sc_slice text)
{
    return put_bytes(put_number(p, text.size), text.text, text.size);
}

static uint8_t *put_fields(uint8_t *p, const sc_bhttp_field *fields, size_t count,
                           sc_bhttp_form form)
{
    if (form == SC_BHTTP_KNOWN_LENGTH) p = put_number(p, fields_size(fields, count));
    for (size_t i = 0; i < count; i++) {
        p = put_text(put_text(p, fields[i].name), fields[i].value);
    }
    return form == SC_BHTTP_KNOWN_LENGTH ? p : put_number(p, 0);
}

static bool is_valid(const sc_bhttp_message *m)
{
    for (size_t i = 0; i < m->header_count; i++) {
        if (!is_field(&m->headers[i])) return false;
    }
    for (size_t i = 0; i < m->trailer_count; i++) {
        if (!is_field(&m->trailers[i])) return false;
    }
    return m->header_count + m->trailer_count <= SC_BHTTP_FIELDS_MAX &&
           (m->is_request ? is_request_control(m) : is_final(m->status));
}

sc_err sc_bhttp_encode(const sc_bhttp_message *m, sc_bhttp_form form, uint8_t *out, size_t size)
{
    if (!is_valid(m) || size < sc_bhttp_size(m, form)) return SC_EINVAL;
    const unsigned framing = (m->is_request ? 0u : (unsigned)FRAMING_RESPONSE) |
                             (form == SC_BHTTP_KNOWN_LENGTH ? 0u : (unsigned)FRAMING_INDETERMINATE);
    uint8_t *p = put_number(out, framing);
    if (m->is_request) {
        p = put_text(put_text(p, m->method), m->scheme);
        p = put_text(put_text(p, m->authority), m->path);
    } else {
        p = put_number(p, m->status);
    }
    p = put_fields(p, m->headers, m->header_count, form);
    p = put_bytes(put_number(p, m->content_size), m->content, m->content_size);
    if (form == SC_BHTTP_INDETERMINATE_LENGTH && m->content_size > 0) p = put_number(p, 0);
    p = put_fields(p, m->trailers, m->trailer_count, form);
    memset(p, 0, size - (size_t)(p - out));
    return SC_OK;
}
