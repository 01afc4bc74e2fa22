/**
 * @file sealed_stream.h
 * @brief Bytes that only the owner of a private key can read, written piece by piece.
 *
 *     "starcloak seal 1"                       16 bytes
 *     a key, drawn for this stream             80 bytes: crypto_box_seal() for the public key
 *     the head of the stream                   24 bytes: crypto_secretstream_xchacha20poly1305
 *     pieces: their size, little-endian        4 bytes, which is authenticated with
 *             the piece                        1 to SC_SEAL_PIECE bytes and 17 more
 *
 * The last piece says that it is the last. What is changed, left out, moved or added is noticed,
 * and a stream that was cut off is read up to there. Who writes cannot read what was written: the
 * key of the stream is in memory alone, and moves on with each piece.
 */
#ifndef SC_REPORT_SEALED_STREAM_H
#define SC_REPORT_SEALED_STREAM_H

#include "base/bytes.h"
#include "report/report_key.h"

enum { SC_SEAL_PIECE = 1 << 20 };

typedef struct sc_sealer sc_sealer;

/** @param to  of the kind SC_KEY_OPENING  @param head  appended to: the beginning of the stream
 * @return SC_OK, SC_ENOMEM, SC_EINVAL (a key that seals nothing) */
SC_CHECKED sc_err sc_sealer_new(const sc_report_key *to, sc_bytes *head, sc_sealer **out);

/** Wipe and free; NULL is fine. */
void sc_sealer_free(sc_sealer *sealer);

/**
 * Append the next pieces to `out`.
 *
 * @param is_last  nothing follows
 * @return SC_OK, SC_ENOMEM (then the stream cannot go on)
 */
SC_CHECKED sc_err sc_sealer_put(sc_sealer *sealer, const void *bytes, size_t size, bool is_last,
                                sc_bytes *out);

/**
 * Open a stream.
 *
 * @param take      gets what was sealed, piece by piece; false: it cannot be taken
 * @param is_whole  set: whether the last piece is there
 * @return SC_OK, SC_EPARSE (nothing sealed), SC_EBROKEN (for another key, or changed), SC_EIO (by
 *         `take`), SC_ENOMEM
 */
SC_CHECKED sc_err sc_unseal(const sc_report_key *secret, const uint8_t *bytes, size_t size,
                            bool (*take)(void *context, const void *bytes, size_t size),
                            void *context, bool *is_whole);

#endif
