/**
 * @file blind_rsa.h
 * @brief Blind RSA signatures (RFC 9474): a signer signs what it does not see.
 *
 *     client                                   signer
 *     sc_blind_rsa_blind()     -- blinded -->  sc_blind_rsa_sign()
 *     sc_blind_rsa_finalize()  <-- signed --
 *
 * What comes out is an ordinary RSASSA-PSS signature (SHA-384, MGF1 with SHA-384, a salt of 48
 * bytes), which the signer cannot recognise: the variants RSABSSA-SHA384-PSS-Deterministic, and
 * -Randomized if the message begins with SC_BLIND_RSA_PREFIX_SIZE random bytes (4.1,
 * PrepareRandomize). Messages that can be guessed need that prefix (7.3); tokens have a nonce
 * instead.
 *
 * Secret keys are used through OpenSSL, which blinds the operation against timing; what it computes
 * is checked with the public key before it leaves, since a single wrong bit in a signature by the
 * Chinese remainder theorem gives the key away (7.1).
 *
 * A key never changes, and any thread may use it. It must be used for nothing else (6.2).
 */
#ifndef SC_OBLIVIOUS_BLIND_RSA_H
#define SC_OBLIVIOUS_BLIND_RSA_H

#include <starcloak/err.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    SC_BLIND_RSA_SIZE_MIN = 256,  ///< of a modulus, in bytes
    SC_BLIND_RSA_SIZE_MAX = 512,
    SC_BLIND_RSA_SALT_SIZE = 48,
    SC_BLIND_RSA_PREFIX_SIZE = 32,
    SC_BLIND_RSA_SPKI_SIZE = 342,  ///< of a public key of 2048 bits, as RFC 9578 has it
    SC_BLIND_RSA_PEM_MAX = 8192,
};

/** A public key, with its secret one or without. */
typedef struct sc_blind_rsa_key sc_blind_rsa_key;

/** Make a key pair of 8 * `size` bits. Takes a second or so of 4096. SC_EINVAL, SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_generate(size_t size, sc_blind_rsa_key **out);

/** The public key of its modulus and exponent, most significant byte first. SC_EPARSE: they cannot
 * be one of 2048 to 4096 bits. SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_from_numbers(const uint8_t *n, size_t n_size, const uint8_t *e,
                                            size_t e_size, sc_blind_rsa_key **out);

/** The public key of a SubjectPublicKeyInfo in the one form that RFC 9578, 6.5 gives a key of 2048
 * bits, with the exponent 65537. SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_from_spki(const uint8_t *bytes, size_t size, sc_blind_rsa_key **out);

/** Write that form. SC_EINVAL: the key is not of 2048 bits with the exponent 65537. */
SC_CHECKED sc_err sc_blind_rsa_to_spki(const sc_blind_rsa_key *key,
                                       uint8_t out[SC_BLIND_RSA_SPKI_SIZE]);

/** A key pair of PKCS#8 in PEM, not encrypted. SC_EPARSE, SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_from_pem(const char *text, size_t size, sc_blind_rsa_key **out);

/** Write it so. Returns its size; wipe it. 0: there is no secret key, or no memory. */
size_t sc_blind_rsa_to_pem(const sc_blind_rsa_key *key, char out[SC_BLIND_RSA_PEM_MAX]);

/** NULL is fine. */
void sc_blind_rsa_key_free(sc_blind_rsa_key *key);

/** modulus_len: the size of everything below. */
size_t sc_blind_rsa_size(const sc_blind_rsa_key *key);

/** Whether it can sign. */
bool sc_blind_rsa_is_secret(const sc_blind_rsa_key *key);

/**
 * Blind (4.2). Salt and blinding factor are drawn within, as 7.4 wants: a client that could be
 * given them could be made to say who it is.
 *
 * @param blinded  of sc_blind_rsa_size(), for the signer
 * @param inverse  of sc_blind_rsa_size(), for sc_blind_rsa_finalize(); secret
 * @return SC_OK, SC_EINVAL (the key is none), SC_ENOMEM
 */
SC_CHECKED sc_err sc_blind_rsa_blind(const sc_blind_rsa_key *key, const uint8_t *message,
                                     size_t size, uint8_t *blinded, uint8_t *inverse);

/**
 * BlindSign (4.3): `signed_out` and `blinded` are of sc_blind_rsa_size().
 *
 * @return SC_OK, SC_EPARSE (a number that is too large), SC_EINVAL (there is no secret key),
 *         SC_EBROKEN (what came out is no signature), SC_ENOMEM
 */
SC_CHECKED sc_err sc_blind_rsa_sign(const sc_blind_rsa_key *key, const uint8_t *blinded,
                                    uint8_t *signed_out);

/** Finalize (4.4): the signature of `message`, if the signer did sign. SC_OK, SC_EPARSE (it did
 * not), SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_finalize(const sc_blind_rsa_key *key, const uint8_t *message,
                                        size_t size, const uint8_t *blind_signature,
                                        const uint8_t *inverse, uint8_t *signature);

/** RSASSA-PSS-VERIFY (4.5). SC_OK, SC_EPARSE (it is no signature), SC_ENOMEM. */
SC_CHECKED sc_err sc_blind_rsa_verify(const sc_blind_rsa_key *key, const uint8_t *message,
                                      size_t size, const uint8_t *signature);

#endif
