/**
 * @file made_certificates.h
 * @brief Certificates made for a test, in files of a folder that is removed afterwards.
 *
 *     made_authority *house = made_authority_new("House");
 *     made_certificate c = made_certificate_new(house, "localhost");
 *     ... c.certificate, c.key: paths ...
 *     made_certificate_free(&c);
 *     made_authority_free(house);
 */
#ifndef SC_TESTS_SUPPORT_MADE_CERTIFICATES_H
#define SC_TESTS_SUPPORT_MADE_CERTIFICATES_H

#include "support/place.h"

typedef struct made_authority made_authority;

typedef struct made_certificate {
    place folder;
    char certificate[600];  ///< PEM
    char key[600];          ///< PEM
} made_certificate;

/** One that signs itself. */
made_authority *made_authority_new(const char *name);
void made_authority_free(made_authority *authority);

/** The file with its certificate, PEM. */
const char *made_authority_file(const made_authority *authority);

/** A certificate for `name`, also as the name of a host and for 127.0.0.1, signed by it. */
made_certificate made_certificate_new(made_authority *authority, const char *name);
void made_certificate_free(made_certificate *made);

/** Put others into the same files, as a renewal does. */
void made_certificate_renew(const made_certificate *made, made_authority *authority,
                            const char *name);

#endif
