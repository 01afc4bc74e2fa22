/**
 * @file binary_http.h
 * @brief HTTP messages as bytes (RFC 9292, message/bhttp): what Oblivious HTTP carries.
 *
 * Both forms are written and read: known length, where sections begin with their size, and
 * indeterminate length, where they end with a zero. Both may be followed by zeros, which hide how
 * long a message is.
 *
 * The decoder is strict. Beside what the RFC calls invalid it refuses what no message of ours has:
 * CONNECT, pseudo-fields of extensions, a method, scheme, authority or path with bytes that could
 * end a line elsewhere, and more than SC_BHTTP_FIELDS_MAX fields. It reads no byte twice and takes
 * memory for fields only, and for content that comes in several chunks.
 */
#ifndef SC_OBLIVIOUS_BINARY_HTTP_H
#define SC_OBLIVIOUS_BINARY_HTTP_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

enum {
    SC_BHTTP_FIELDS_MAX = 128,        ///< of a message, in all of its sections
    SC_BHTTP_INFORMATIONAL_MAX = 16,  ///< responses 1xx before the one that counts
};

/** A line of headers or trailers. Names are compared without regard to case. */
typedef struct sc_bhttp_field {
    sc_slice name;
    sc_slice value;
} sc_bhttp_field;

/** A request or a response; borrows all that it points at. */
typedef struct sc_bhttp_message {
    bool is_request;
    sc_slice method;  ///< of a request: these four
    sc_slice scheme;
    sc_slice authority;  ///< empty if a field "host" has it
    sc_slice path;       ///< with its query
    unsigned status;     ///< of a response: 200 to 599
    const sc_bhttp_field *headers;
    size_t header_count;
    const uint8_t *content;
    size_t content_size;
    const sc_bhttp_field *trailers;
    size_t trailer_count;
} sc_bhttp_message;

typedef enum sc_bhttp_form {
    SC_BHTTP_KNOWN_LENGTH,          ///< RFC 9292, 3.1
    SC_BHTTP_INDETERMINATE_LENGTH,  ///< RFC 9292, 3.2; content is one chunk
} sc_bhttp_form;

/** Bytes that sc_bhttp_encode() needs, without padding. */
size_t sc_bhttp_size(const sc_bhttp_message *message, sc_bhttp_form form);

/**
 * Write `message`, and fill the rest of `size` bytes with zeros, which are its padding (3.8).
 *
 * @param size  at least sc_bhttp_size()
 * @return SC_OK, or SC_EINVAL: sc_bhttp_decode() would not accept it, or `size` is too small
 */
SC_CHECKED sc_err sc_bhttp_encode(const sc_bhttp_message *message, sc_bhttp_form form, uint8_t *out,
                                  size_t size);

/** A message that was read, and the memory that belongs to it. */
typedef struct sc_bhttp_decoded {
    sc_bhttp_message message;  ///< points into what was read, and into the memory below
    sc_bhttp_field *fields;    ///< headers, then trailers
    size_t field_capacity;
    uint8_t *joined;  ///< content of several chunks, or NULL
} sc_bhttp_decoded;

/**
 * Read a message. Responses 1xx before the last one are checked and passed over.
 *
 * @param bytes  borrowed; must outlive `out`
 * @return SC_OK, SC_EPARSE (invalid), SC_ELIMIT (too many fields), SC_ENOMEM
 */
SC_CHECKED sc_err sc_bhttp_decode(const uint8_t *bytes, size_t size, sc_bhttp_decoded *out);

/** Wipe and release; harmless on zeros and twice. */
void sc_bhttp_decoded_fini(sc_bhttp_decoded *decoded);

/** The only value of the field `name` (lower case) among `count`; NULL: there is none, or several.
 */
const sc_slice *sc_bhttp_find(const sc_bhttp_field *fields, size_t count, const char *name);

#endif
