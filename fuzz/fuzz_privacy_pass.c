// Door: anonymous tokens: challenges, requests to an issuer and its responses, tokens, the fields
// of HTTP that carry them, directories of issuers, keys.
//
// The first byte says what the rest is: 'c' a challenge, 'q' a request to the issuer, 'r' its
// response, 't' a token, 'a' the value of Authorization, 'w' of WWW-Authenticate, 'd' a directory,
// 's' a public key, 'p' a file of a secret one. No token is good that was not issued; what is
// accepted, written, reads back as the same.
#include "door.h"

#include "base/bytes.h"
#include "oblivious/private_token_http.h"

#include <sodium.h>

/** An issuer with a key of this run; its making takes a moment, once. */
static const sc_pass_key *issuer(void)
{
    static sc_pass_key key;
    sc_blind_rsa_key *rsa = NULL;
    if (!key.rsa && (sodium_init() < 0 || sc_blind_rsa_generate(SC_PASS_MODULUS_SIZE, &rsa) ||
                     sc_pass_key_init(rsa, &key))) {
        abort();
    }
    return &key;
}

static void try_challenge(const uint8_t *data, size_t size)
{
    sc_pass_challenge challenge;
    sc_pass_challenge again;
    uint8_t bytes[SC_PASS_CHALLENGE_MAX];
    if (sc_pass_challenge_parse(data, size, &challenge)) return;
    DOOR_PROMISE(sc_pass_challenge_encode(&challenge, bytes) == size &&
                     memcmp(bytes, data, size) == 0,
                 "what is accepted has one form");
    DOOR_PROMISE(!sc_pass_challenge_parse(bytes, size, &again) &&
                     memcmp(&again, &challenge, sizeof again) == 0,
                 "and reads back as the same");
    DOOR_PROMISE(challenge.origins[0] == '\0' || !sc_pass_challenge_is_for(&challenge, ""),
                 "no origin is without a name");
}

static void try_request(const uint8_t *data, size_t size)
{
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t response[SC_PASS_RESPONSE_SIZE];
    sc_err err = sc_pass_issue(issuer(), data, size, response);
    DOOR_PROMISE(!err || err == SC_EPARSE, "a request is signed or refused");
    if (size != sizeof request) return;
    // With the type and the key mended, any number below the modulus is signed.
    memcpy(request, data, size);
    request[0] = 0;
    request[1] = 2;
    request[2] = issuer()->id[SC_PASS_KEY_ID_SIZE - 1];
    err = sc_pass_issue(issuer(), request, size, response);
    DOOR_PROMISE(!err || err == SC_EPARSE, "a request is signed or refused");
}

static void try_response(const uint8_t *data, size_t size)
{
    static sc_pass_pending pending;
    static bool is_begun = false;
    uint8_t request[SC_PASS_REQUEST_SIZE];
    uint8_t token[SC_PASS_TOKEN_SIZE];
    if (!is_begun && sc_pass_begin(issuer(), (const uint8_t *)"c", 1, request, &pending)) abort();
    is_begun = true;
    DOOR_PROMISE(sc_pass_finish(issuer(), &pending, data, size, token) == SC_EPARSE,
                 "no response is good that the issuer did not sign");
}

/** A token with the right key and challenge, so that the signature is looked at. */
static void try_token(const uint8_t *data, size_t size)
{
    static const uint8_t digest[SC_PASS_DIGEST_SIZE] = {1, 2, 3};
    uint8_t token[SC_PASS_TOKEN_SIZE];
    DOOR_PROMISE(sc_pass_verify(issuer(), digest, data, size) != SC_OK, "no token is forged");
    if (size != sizeof token) return;
    memcpy(token, data, size);
    token[0] = 0;
    token[1] = 2;
    memcpy(token + 2 + SC_PASS_NONCE_SIZE, digest, sizeof digest);
    memcpy(token + 2 + SC_PASS_NONCE_SIZE + sizeof digest, issuer()->id, SC_PASS_KEY_ID_SIZE);
    DOOR_PROMISE(sc_pass_verify(issuer(), digest, token, size) == SC_EBROKEN, "no token is forged");
}

static void try_authorization(const char *text, size_t size)
{
    uint8_t token[SC_PASS_TOKEN_SIZE];
    uint8_t again[SC_PASS_TOKEN_SIZE];
    char value[SC_PASS_AUTHORIZATION_SIZE];
    const sc_err err = sc_pass_authorization_parse(text, size, token);
    DOOR_PROMISE(!err || err == SC_EPARSE, "there is one way to be refused");
    if (err) return;
    DOOR_PROMISE(sc_pass_authorization_is_ours(text, size), "it is of the scheme");
    sc_pass_authorization_write(token, value);
    DOOR_PROMISE(!sc_pass_authorization_parse(value, strlen(value), again) &&
                     memcmp(again, token, sizeof token) == 0,
                 "what is accepted, written, reads back as the same");
}

static void try_authenticate(const char *text, size_t size)
{
    enum { ROOM = 4 };
    static sc_pass_offer offers[ROOM];
    static sc_pass_offer again[ROOM];
    size_t count = 0;
    const sc_err err = sc_pass_authenticate_parse(text, size, offers, ROOM, &count);
    DOOR_PROMISE(!err || err == SC_EPARSE || err == SC_ELIMIT, "there are two ways to be refused");
    for (size_t i = 0; i < count; i++) {
        char value[SC_PASS_AUTHENTICATE_SIZE];
        size_t read = 0;
        sc_pass_authenticate_write(&offers[i], value);
        DOOR_PROMISE(
            !sc_pass_authenticate_parse(value, strlen(value), again, ROOM, &read) && read == 1 &&
                again[0].challenge_size == offers[i].challenge_size &&
                memcmp(again[0].challenge, offers[i].challenge, offers[i].challenge_size) == 0 &&
                again[0].has_key == offers[i].has_key && again[0].max_age_s == offers[i].max_age_s,
            "what is accepted, written, reads back as the same");
    }
}

static void try_directory(const char *text, size_t size)
{
    static sc_pass_directory directory;
    static sc_pass_directory again;
    sc_bytes bytes = {0};
    const sc_err err = sc_pass_directory_parse(text, size, &directory);
    DOOR_PROMISE(err != SC_ENOMEM, "a small input does not take all memory");
    if (err) return;
    DOOR_PROMISE(!sc_pass_directory_write(&directory, &bytes) &&
                     !sc_pass_directory_parse((const char *)bytes.data, bytes.size, &again) &&
                     again.count == directory.count &&
                     memcmp(again.keys, directory.keys, again.count * sizeof *again.keys) == 0,
                 "what is accepted, written, reads back as the same");
    sc_bytes_fini(&bytes);
}

static void try_key(const uint8_t *data, size_t size)
{
    sc_pass_key key;
    if (sc_pass_key_parse(data, size, &key)) return;
    DOOR_PROMISE(size == sizeof key.spki && memcmp(key.spki, data, size) == 0,
                 "a public key has one form");
    sc_pass_key_fini(&key);
}

static void try_pem(const char *text, size_t size)
{
    sc_blind_rsa_key *key = NULL;
    char pem[SC_BLIND_RSA_PEM_MAX];
    const sc_err err = sc_blind_rsa_from_pem(text, size, &key);
    DOOR_PROMISE(!err || err == SC_EPARSE, "there is one way to be refused");
    if (err) return;
    DOOR_PROMISE(sc_blind_rsa_is_secret(key) && sc_blind_rsa_to_pem(key, pem) > 0,
                 "what is accepted is a key pair");
    sc_blind_rsa_key_free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    issuer();
    uint8_t *copy = door_copy(data + 1, size - 1);
    const char *text = (const char *)copy;
    size--;
    switch (data[0]) {
    case 'c':
        try_challenge(copy, size);
        break;
    case 'q':
        try_request(copy, size);
        break;
    case 'r':
        try_response(copy, size);
        break;
    case 't':
        try_token(copy, size);
        break;
    case 'a':
        try_authorization(text, size);
        break;
    case 'w':
        try_authenticate(text, size);
        break;
    case 'd':
        try_directory(text, size);
        break;
    case 's':
        try_key(copy, size);
        break;
    case 'p':
        try_pem(text, size);
        break;
    default:
        break;
    }
    free(copy);
    return 0;
}
