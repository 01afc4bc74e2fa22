// Sealing and unsealing messages with the keys of a cluster. See cluster_seal.h.
//
// A nonce is drawn at random for each message: with 24 bytes of it, no two of one key are ever the
// same, and processes need not agree on a counter.
#include "cluster/cluster_seal.h"

#include "cluster/cluster_key_internal.h"

#include <string.h>

enum {
    SENDER_SIZE = 8,
    NONCE_SIZE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG_SIZE = crypto_aead_xchacha20poly1305_ietf_ABYTES,
    SIGNATURE_SIZE = crypto_sign_BYTES,
    HEAD_SIZE = SENDER_SIZE + NONCE_SIZE,
    SUBJECT_MAX = 128,
};

_Static_assert((int)SC_SEAL_EXTRA == (int)HEAD_SIZE + (int)TAG_SIZE + (int)SIGNATURE_SIZE,
               "what the header promises");

size_t sc_seal_extra(sc_seal seal)
{
    return HEAD_SIZE + TAG_SIZE + (seal == SC_SEAL_BROADCAST ? (size_t)SIGNATURE_SIZE : 0);
}

// --- What a message is bound to ----------------------------------------------------------------

/** The sender and the subject. */
typedef struct binding {
    uint8_t bytes[SENDER_SIZE + SUBJECT_MAX];
    size_t size;
} binding;

/** False if the subject is longer than any of ours. */
static bool bind_to(binding *b, const uint8_t sender[SENDER_SIZE], const char *subject)
{
    const size_t size = strlen(subject);
    if (size > SUBJECT_MAX) return false;
    memcpy(b->bytes, sender, SENDER_SIZE);
    memcpy(b->bytes + SENDER_SIZE, subject, size);
    b->size = SENDER_SIZE + size;
    return true;
}

static void write_peer(uint8_t out[SENDER_SIZE], sc_peer peer)
{
    for (int i = 0; i < SENDER_SIZE; i++) {
        out[i] = (uint8_t)(peer >> (8 * i));
    }
}

static sc_peer read_peer(const uint8_t bytes[SENDER_SIZE])
{
    sc_peer peer = 0;
    for (int i = 0; i < SENDER_SIZE; i++) {
        peer |= (sc_peer)bytes[i] << (8 * i);
    }
    return peer;
}

// --- Which key ---------------------------------------------------------------------------------

/** The key between gateways and `peer`, which is `peer`'s own if that is a worker. False: this
 * process has none. */
static bool key_with(const sc_cluster_key *key, sc_peer peer, uint8_t out[SC__SEAL_KEY_SIZE])
{
    if (key->role == SC_CLUSTER_GATEWAY && sc_peer_is_worker(peer)) {
        sc__cluster_key_of_worker(key, sc__worker_number(peer), out);
        return true;
    }
    if (key->role == SC_CLUSTER_GATEWAY) {
        memcpy(out, key->gateways, SC__SEAL_KEY_SIZE);
        return true;
    }
    if (!sc_peer_is_worker(peer) || sc__worker_number(peer) != key->worker_number) return false;
    memcpy(out, key->own, SC__SEAL_KEY_SIZE);
    return true;
}

static bool key_to_seal(const sc_cluster_key *key, sc_seal seal, sc_peer self, sc_peer to,
                        uint8_t out[SC__SEAL_KEY_SIZE])
{
    const bool is_gateway = key->role == SC_CLUSTER_GATEWAY;
    switch (seal) {
    case SC_SEAL_TO_GATEWAYS:
        return sc_peer_is_worker(self) != is_gateway && key_with(key, self, out);
    case SC_SEAL_TO_WORKER:
        return is_gateway && sc_peer_is_worker(to) && key_with(key, to, out);
    case SC_SEAL_BROADCAST:
        if (!is_gateway) return false;
        memcpy(out, key->broadcast, SC__SEAL_KEY_SIZE);
        return true;
    }
    return false;
}

static bool key_to_unseal(const sc_cluster_key *key, sc_seal seal, sc_peer from,
                          uint8_t out[SC__SEAL_KEY_SIZE])
{
    switch (seal) {
    case SC_SEAL_TO_GATEWAYS:
        return key->role == SC_CLUSTER_GATEWAY && key_with(key, from, out);
    case SC_SEAL_TO_WORKER:
        if (key->role != SC_CLUSTER_WORKER || sc_peer_is_worker(from)) return false;
        memcpy(out, key->own, SC__SEAL_KEY_SIZE);
        return true;
    case SC_SEAL_BROADCAST:
        if (sc_peer_is_worker(from)) return false;
        memcpy(out, key->broadcast, SC__SEAL_KEY_SIZE);
        return true;
    }
    return false;
}

// --- Signatures --------------------------------------------------------------------------------

static void digest(crypto_sign_state *state, const binding *b, const uint8_t *plain, size_t size)
{
    crypto_sign_init(state);
    // Its size first: what ends in the subject cannot begin in the text.
    const uint8_t bound = (uint8_t)b->size;
    crypto_sign_update(state, &bound, 1);
    crypto_sign_update(state, b->bytes, b->size);
    crypto_sign_update(state, plain, size);
}

static void sign(const sc_cluster_key *key, const binding *b, const uint8_t *plain, size_t size,
                 uint8_t signature[SIGNATURE_SIZE])
{
    crypto_sign_state state;
    digest(&state, b, plain, size);
    crypto_sign_final_create(&state, signature, NULL, key->secret_key);
}

static bool is_signed(const sc_cluster_key *key, const binding *b, const uint8_t *plain,
                      size_t size, const uint8_t signature[SIGNATURE_SIZE])
{
    crypto_sign_state state;
    digest(&state, b, plain, size);
    return crypto_sign_final_verify(&state, signature, key->public_key) == 0;
}

// --- Messages ----------------------------------------------------------------------------------

bool sc_seal_message(const sc_cluster_key *key, sc_seal seal, sc_peer self, sc_peer to,
                     const char *subject, const void *plain, size_t size, uint8_t *out)
{
    uint8_t seal_key[SC__SEAL_KEY_SIZE];
    binding b;
    write_peer(out, self);
    if (!bind_to(&b, out, subject) || !key_to_seal(key, seal, self, to, seal_key)) return false;
    uint8_t *text = out + HEAD_SIZE;
    size_t text_size = size;
    if (seal == SC_SEAL_BROADCAST) {
        sign(key, &b, plain, size, text);
        if (size > 0) memcpy(text + SIGNATURE_SIZE, plain, size);
        plain = text;  // sealed in place
        text_size += SIGNATURE_SIZE;
    }
    randombytes_buf(out + SENDER_SIZE, NONCE_SIZE);
    crypto_aead_xchacha20poly1305_ietf_encrypt(text, NULL, plain, text_size, b.bytes, b.size, NULL,
                                               out + SENDER_SIZE, seal_key);
    sodium_memzero(seal_key, sizeof seal_key);
    return true;
}

size_t sc_unseal_message(const sc_cluster_key *key, sc_seal seal, const char *subject,
                         const uint8_t *sealed, size_t size, void *out, sc_peer *from)
{
    if (size < sc_seal_extra(seal)) return SIZE_MAX;
    uint8_t seal_key[SC__SEAL_KEY_SIZE];
    binding b;
    const sc_peer sender = read_peer(sealed);
    if (sender == SC_PEER_NONE || !bind_to(&b, sealed, subject) ||
        !key_to_unseal(key, seal, sender, seal_key)) {
        return SIZE_MAX;
    }
    const bool is_open = crypto_aead_xchacha20poly1305_ietf_decrypt(
                             out, NULL, NULL, sealed + HEAD_SIZE, size - HEAD_SIZE, b.bytes, b.size,
                             sealed + SENDER_SIZE, seal_key) == 0;
    sodium_memzero(seal_key, sizeof seal_key);
    if (!is_open) return SIZE_MAX;
    size_t plain_size = size - HEAD_SIZE - TAG_SIZE;
    if (seal == SC_SEAL_BROADCAST) {
        uint8_t *text = out;
        plain_size -= SIGNATURE_SIZE;
        if (!is_signed(key, &b, text + SIGNATURE_SIZE, plain_size, text)) return SIZE_MAX;
        memmove(text, text + SIGNATURE_SIZE, plain_size);
    }
    *from = sender;
    return plain_size;
}
