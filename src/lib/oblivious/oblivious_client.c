// A client's side of Oblivious HTTP. See oblivious_client.h.
#include "oblivious/oblivious_client.h"

#include "base/alloc.h"
#include "base/bytes.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

void sc_http_date_write(int64_t t_s, char out[SC_OBLIVIOUS_DATE_SIZE])
{
    static const char days[][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char months[][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const time_t t = (time_t)t_s;
    struct tm parts;
    gmtime_r(&t, &parts);
    // Not strftime(), whose names are of the language in force.
    snprintf(out, SC_OBLIVIOUS_DATE_SIZE, "%s, %02u %s %04u %02u:%02u:%02u GMT",
             days[parts.tm_wday], (unsigned)parts.tm_mday % 100, months[parts.tm_mon],
             ((unsigned)parts.tm_year + 1900) % 10000, (unsigned)parts.tm_hour % 100,
             (unsigned)parts.tm_min % 100, (unsigned)parts.tm_sec % 100);
}

static sc_err seal(const sc_ohttp_config *config, const sc_bhttp_message *request, sc_bytes *sealed,
                   sc_ohttp_exchange *exchange)
{
    const size_t size = sc_ohttp_padded_size(sc_bhttp_size(request, SC_BHTTP_KNOWN_LENGTH));
    if (!sc_bytes_reserve(sealed, size + SC_OHTTP_REQUEST_EXTRA)) return SC_ENOMEM;
    uint8_t *plain = sc_malloc(size);
    if (!plain) return SC_ENOMEM;
    uint8_t random[SC_HPKE_KEY_SIZE];
    randombytes_buf(random, sizeof random);
    sc_err err = sc_bhttp_encode(request, SC_BHTTP_KNOWN_LENGTH, plain, size);
    if (!err) {
        err = sc_ohttp_seal_request(config, config->aeads[0], random, plain, size,
                                    (uint8_t *)sealed->data + sealed->size, exchange);
    }
    sodium_memzero(random, sizeof random);
    sc_free_wiped(plain, size, 1);
    if (!err) sealed->size += size + SC_OHTTP_REQUEST_EXTRA;
    return err;
}

sc_err sc_oblivious_seal(const sc_ohttp_config *config, const sc_bhttp_message *request,
                         int64_t date_s, sc_bytes *sealed, sc_ohttp_exchange *exchange)
{
    if (sodium_init() < 0 || config->aead_count == 0) return SC_EINVAL;
    if (request->header_count >= SC_BHTTP_FIELDS_MAX) return SC_ELIMIT;
    char date[SC_OBLIVIOUS_DATE_SIZE];
    sc_http_date_write(date_s, date);
    sc_bhttp_field fields[SC_BHTTP_FIELDS_MAX];
    if (request->header_count > 0) {
        memcpy(fields, request->headers, request->header_count * sizeof fields[0]);
    }
    fields[request->header_count] =
        (sc_bhttp_field){{"date", strlen("date")}, {date, strlen(date)}};
    sc_bhttp_message dated = *request;
    dated.is_request = true;
    dated.headers = fields;
    dated.header_count++;
    return seal(config, &dated, sealed, exchange);
}

sc_err sc_oblivious_open(const sc_ohttp_exchange *exchange, uint8_t *bytes, size_t size,
                         sc_bhttp_decoded *reply)
{
    const size_t extra = sc_ohttp_response_extra(exchange);
    if (size <= extra) return SC_EPARSE;
    uint8_t *text = bytes + extra - SC_AEAD_TAG_SIZE;
    size_t text_size = 0;
    sc_err err = sc_ohttp_open_response(exchange, bytes, size, text, &text_size);
    if (!err) err = sc_bhttp_decode(text, text_size, reply);
    if (!err && reply->message.is_request) {
        sc_bhttp_decoded_fini(reply);
        err = SC_EPARSE;
    }
    return err;
}
