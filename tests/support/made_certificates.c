// Certificates for tests. See made_certificates.h.
#include "support/made_certificates.h"

#include "support/check.h"

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct made_authority {
    EVP_PKEY *key;
    X509 *certificate;
    long next_serial;
    made_certificate files;
};

static void add_extension(X509 *certificate, X509 *issuer, int which, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, which, value);
    assert_non_null(extension);
    assert_int_equal(X509_add_ext(certificate, extension, -1), 1);
    X509_EXTENSION_free(extension);
}

static X509 *make(const char *name, EVP_PKEY *key, long serial)
{
    X509 *certificate = X509_new();
    assert_non_null(certificate);
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_set_pubkey(certificate, key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_ASC,
                               (const unsigned char *)name, -1, -1, 0);
    return certificate;
}

static void write_files(const made_certificate *made, X509 *certificate, EVP_PKEY *key)
{
    FILE *file = fopen(made->certificate, "w");
    assert_non_null(file);
    assert_int_equal(PEM_write_X509(file, certificate), 1);
    fclose(file);
    file = fopen(made->key, "w");
    assert_non_null(file);
    assert_int_equal(fchmod(fileno(file), S_IRUSR | S_IWUSR), 0);
    assert_int_equal(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL), 1);
    fclose(file);
}

static made_certificate make_folder(void)
{
    made_certificate made = {.folder = place_new()};
    snprintf(made.certificate, sizeof made.certificate, "%s/certificate.pem", made.folder.path);
    snprintf(made.key, sizeof made.key, "%s/key.pem", made.folder.path);
    return made;
}

made_authority *made_authority_new(const char *name)
{
    made_authority *a = test_take(1, sizeof *a);
    a->next_serial = 2;
    a->key = EVP_EC_gen("P-256");
    assert_non_null(a->key);
    a->certificate = make(name, a->key, 1);
    X509_set_issuer_name(a->certificate, X509_get_subject_name(a->certificate));
    add_extension(a->certificate, a->certificate, NID_basic_constraints, "critical,CA:TRUE");
    assert_true(X509_sign(a->certificate, a->key, EVP_sha256()) > 0);
    a->files = make_folder();
    write_files(&a->files, a->certificate, a->key);
    return a;
}

void made_authority_free(made_authority *authority)
{
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    made_certificate_free(&authority->files);
    free(authority);
}

const char *made_authority_file(const made_authority *authority)
{
    return authority->files.certificate;
}

void made_certificate_renew(const made_certificate *made, made_authority *authority,
                            const char *name)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    assert_non_null(key);
    X509 *certificate = make(name, key, authority->next_serial++);
    X509_set_issuer_name(certificate, X509_get_subject_name(authority->certificate));
    char names[128];
    snprintf(names, sizeof names, "DNS:%s,IP:127.0.0.1", name);
    add_extension(certificate, authority->certificate, NID_subject_alt_name, names);
    assert_true(X509_sign(certificate, authority->key, EVP_sha256()) > 0);
    write_files(made, certificate, key);
    X509_free(certificate);
    EVP_PKEY_free(key);
}

made_certificate made_certificate_new(made_authority *authority, const char *name)
{
    const made_certificate made = make_folder();
    made_certificate_renew(&made, authority, name);
    return made;
}

void made_certificate_free(made_certificate *made)
{
    place_free(&made->folder);
}
