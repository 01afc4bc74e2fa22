/**
 * @file report_key.h
 * @brief Pairs of keys in files of the usual form (PEM; RFC 8410), which OpenSSL reads, too: one
 * that signs privacy reports (Ed25519), and one that opens what was sealed for its owner (X25519).
 */
#ifndef SC_REPORT_REPORT_KEY_H
#define SC_REPORT_REPORT_KEY_H

#include <starcloak/err.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SC_REPORT_KEY_SIZE = 32 };

typedef enum sc_key_kind {
    SC_KEY_SIGNING,  ///< Ed25519
    SC_KEY_OPENING,  ///< X25519
} sc_key_kind;

/** 32 bytes: a private key, or a public one. */
typedef struct sc_report_key {
    uint8_t bytes[SC_REPORT_KEY_SIZE];
} sc_report_key;

/**
 * Make a pair: `path` gets the private key, for its owner's eyes (0600), and `path` + ".pub" the
 * public one. Files that are there stay, and are a failure.
 *
 * @return SC_OK, SC_EIO, SC_ENOMEM
 */
SC_CHECKED sc_err sc_report_key_make(sc_key_kind kind, const char *path, sc_diag *diag);

/** Read a private key. One that others than its owner may read is refused. Wipe it when done.
 * @return SC_OK, SC_EIO, SC_EPARSE, SC_ENOMEM */
SC_CHECKED sc_err sc_report_key_read_private(sc_key_kind kind, const char *path, sc_report_key *out,
                                             sc_diag *diag);
SC_CHECKED sc_err sc_report_key_read_public(sc_key_kind kind, const char *path, sc_report_key *out,
                                            sc_diag *diag);

/** The public key of a private one. */
sc_report_key sc_report_key_public(sc_key_kind kind, const sc_report_key *secret);

/** The same for the text of a file. False: it is no such key. */
bool sc__report_key_parse(sc_key_kind kind, bool is_private, const char *text, size_t size,
                          sc_report_key *out);

#endif
