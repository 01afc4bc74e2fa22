// Names: a query is called by a keyed hash of who asked it and when, a user by a
// keyed hash of who it is.
//
// Both are BLAKE2b under keys of their own, derived from the one given. The id is
// made from the user's whole hash and the time, 40 bytes, so that a user's bytes
// are hashed once, however many they are, and no two pairs of user and time are
// written alike.
#include "engine/admission.h"

#include <sodium.h>

void sc__pseudonym_keys_derive(const uint8_t key[SC_KEY_SIZE], sc__pseudonym_keys *out)
{
    // What keeps these keys apart from any others made of the same one.
    static const char purpose[] = "SC-names";
    enum { OF_USERS = 1, OF_QUERIES = 2 };
    _Static_assert(sizeof purpose - 1 == crypto_kdf_CONTEXTBYTES, "the length libsodium wants");
    _Static_assert(crypto_kdf_KEYBYTES == SC_KEY_SIZE, "the length libsodium wants");

    // With these lengths it cannot fail.
    (void)crypto_kdf_derive_from_key(out->of_users, SC_KEY_SIZE, OF_USERS, purpose, key);
    (void)crypto_kdf_derive_from_key(out->of_queries, SC_KEY_SIZE, OF_QUERIES, purpose, key);
}

// The bytes of `value`, lowest first: gateways of one service may be machines of
// several kinds, and must agree.
static void write_u64(uint8_t out[8], uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t read_u64(const uint8_t bytes[8])
{
    uint64_t value = 0;
    for (int i = 0; i < 8; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

sc__pseudonyms sc__pseudonyms_of(const sc__pseudonym_keys *keys, const char *user, size_t user_size,
                                 sc_time t)
{
    enum { USER_HASH = 32 };
    uint8_t who_and_when[USER_HASH + 8];
    crypto_generichash(who_and_when, USER_HASH, (const uint8_t *)user, user_size, keys->of_users,
                       sizeof keys->of_users);
    write_u64(who_and_when + USER_HASH, (uint64_t)t);

    sc__pseudonyms name = {.user = read_u64(who_and_when)};
    crypto_generichash(name.id.bytes, sizeof name.id.bytes, who_and_when, sizeof who_and_when,
                       keys->of_queries, sizeof keys->of_queries);
    sodium_memzero(who_and_when, sizeof who_and_when);
    return name;
}

const char *sc_query_id_text(const sc_query_id *id, char out[SC_QUERY_ID_TEXT])
{
    return sodium_bin2hex(out, SC_QUERY_ID_TEXT, id->bytes, sizeof id->bytes);
}
