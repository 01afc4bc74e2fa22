// Streams that only one key opens. See sealed_stream.h.
#include "report/sealed_stream.h"

#include "base/alloc.h"

#include <sodium.h>
#include <string.h>

static const char magic[] = "starcloak seal 1";

enum {
    MAGIC_SIZE = sizeof magic - 1,
    STREAM_KEY = crypto_secretstream_xchacha20poly1305_KEYBYTES,
    STREAM_HEAD = crypto_secretstream_xchacha20poly1305_HEADERBYTES,
    EXTRA = crypto_secretstream_xchacha20poly1305_ABYTES,
    SEALED_KEY = STREAM_KEY + crypto_box_SEALBYTES,
    HEAD_SIZE = MAGIC_SIZE + SEALED_KEY + STREAM_HEAD,
    SIZE_BYTES = 4,
};

struct sc_sealer {
    crypto_secretstream_xchacha20poly1305_state state;
};

sc_err sc_sealer_new(const sc_report_key *to, sc_bytes *head, sc_sealer **out)
{
    uint8_t key[STREAM_KEY];
    uint8_t sealed[SEALED_KEY];
    uint8_t stream_head[STREAM_HEAD];
    if (sodium_init() < 0 || !sc_bytes_reserve(head, HEAD_SIZE)) return SC_ENOMEM;
    sc_sealer *sealer = sc_calloc(1, sizeof *sealer);
    if (!sealer) return SC_ENOMEM;
    crypto_secretstream_xchacha20poly1305_keygen(key);
    const int failed = crypto_box_seal(sealed, key, sizeof key, to->bytes);
    crypto_secretstream_xchacha20poly1305_init_push(&sealer->state, stream_head, key);
    sodium_memzero(key, sizeof key);
    if (failed || !sc_bytes_append(head, magic, MAGIC_SIZE) ||
        !sc_bytes_append(head, sealed, sizeof sealed) ||
        !sc_bytes_append(head, stream_head, sizeof stream_head)) {
        sc_sealer_free(sealer);
        return failed ? SC_EINVAL : SC_ENOMEM;
    }
    *out = sealer;
    return SC_OK;
}

void sc_sealer_free(sc_sealer *sealer)
{
    if (!sealer) return;
    sodium_memzero(sealer, sizeof *sealer);
    sc_free(sealer);
}

static sc_err put_piece(sc_sealer *sealer, const uint8_t *bytes, size_t size, bool is_last,
                        sc_bytes *out)
{
    const size_t whole = size + EXTRA;
    const uint8_t prefix[SIZE_BYTES] = {(uint8_t)whole, (uint8_t)(whole >> 8),
                                        (uint8_t)(whole >> 16), (uint8_t)(whole >> 24)};
    if (!sc_bytes_reserve(out, SIZE_BYTES + whole) ||
        !sc_bytes_append(out, prefix, sizeof prefix)) {
        return SC_ENOMEM;
    }
    (void)crypto_secretstream_xchacha20poly1305_push(
        &sealer->state, out->data + out->size, NULL, bytes, size, prefix, sizeof prefix,
        is_last ? crypto_secretstream_xchacha20poly1305_TAG_FINAL
                : crypto_secretstream_xchacha20poly1305_TAG_MESSAGE);
    out->size += whole;
    return SC_OK;
}

sc_err sc_sealer_put(sc_sealer *sealer, const void *bytes, size_t size, bool is_last, sc_bytes *out)
{
    const uint8_t *at = bytes;
    while (size > SC_SEAL_PIECE) {
        const sc_err err = put_piece(sealer, at, SC_SEAL_PIECE, false, out);
        if (err) return err;
        at += SC_SEAL_PIECE;
        size -= SC_SEAL_PIECE;
    }
    return put_piece(sealer, at, size, is_last, out);
}

// --- Opening -------------------------------------------------------------------------------------

/** The state that goes with a head; SC_EPARSE, SC_EBROKEN. */
static sc_err open_head(const sc_report_key *secret, const uint8_t *bytes, size_t size,
                        crypto_secretstream_xchacha20poly1305_state *state)
{
    uint8_t key[STREAM_KEY];
    if (size < HEAD_SIZE || memcmp(bytes, magic, MAGIC_SIZE) != 0) return SC_EPARSE;
    const sc_report_key own = sc_report_key_public(SC_KEY_OPENING, secret);
    const uint8_t *sealed = bytes + MAGIC_SIZE;
    sc_err err = SC_OK;
    if (crypto_box_seal_open(key, sealed, SEALED_KEY, own.bytes, secret->bytes) != 0 ||
        crypto_secretstream_xchacha20poly1305_init_pull(state, sealed + SEALED_KEY, key) != 0) {
        err = SC_EBROKEN;
    }
    sodium_memzero(key, sizeof key);
    return err;
}

static sc_err open_pieces(crypto_secretstream_xchacha20poly1305_state *state, const uint8_t *at,
                          const uint8_t *end, uint8_t *room,
                          bool (*take)(void *context, const void *bytes, size_t size),
                          void *context, bool *is_whole)
{
    while (at < end) {
        if (*is_whole) return SC_EBROKEN;  // something was added
        if (end - at < SIZE_BYTES) return SC_OK;
        const size_t size =
            (size_t)at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
        if (size < EXTRA || size > SC_SEAL_PIECE + EXTRA) return SC_EBROKEN;
        if ((size_t)(end - at) - SIZE_BYTES < size) return SC_OK;
        unsigned char tag = 0;
        unsigned long long opened = 0;
        if (crypto_secretstream_xchacha20poly1305_pull(state, room, &opened, &tag, at + SIZE_BYTES,
                                                       size, at, SIZE_BYTES) != 0) {
            return SC_EBROKEN;
        }
        if (opened > 0 && !take(context, room, (size_t)opened)) return SC_EIO;
        *is_whole = tag == crypto_secretstream_xchacha20poly1305_TAG_FINAL;
        at += SIZE_BYTES + size;
    }
    return SC_OK;
}

sc_err sc_unseal(const sc_report_key *secret, const uint8_t *bytes, size_t size,
                 bool (*take)(void *context, const void *bytes, size_t size), void *context,
                 bool *is_whole)
{
    crypto_secretstream_xchacha20poly1305_state state;
    *is_whole = false;
    if (sodium_init() < 0) return SC_ENOMEM;
    sc_err err = open_head(secret, bytes, size, &state);
    if (err) return err;
    uint8_t *room = sc_malloc(SC_SEAL_PIECE);
    err = room ? open_pieces(&state, bytes + HEAD_SIZE, bytes + size, room, take, context, is_whole)
               : SC_ENOMEM;
    if (room) sodium_memzero(room, SC_SEAL_PIECE);
    sc_free(room);
    sodium_memzero(&state, sizeof state);
    return err;
}
