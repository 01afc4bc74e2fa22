// TLS: certificates are read, checked, and exchanged while the server runs.
//
// What is offered: TLS 1.2 and 1.3, key agreement with forward secrecy over X25519, P-256 or P-384,
// authenticated encryption only, no compression, no renegotiation. A connection keeps the
// certificates that it began with; tickets of a former set are worth nothing with the next, so a
// client certificate that is no longer accepted cannot come back by resuming a session.
//
// One read of the socket per request: OpenSSL reads ahead, where it would read the head of a record
// first and then the rest, and a read that brought less than was asked for is not followed by one
// that brings nothing.
#include "server/http_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct sc__http_tls {
    const sc_tls_files *files;  ///< borrowed from the options

    pthread_mutex_t lock;  ///< of the one below; held for a few instructions
    SSL_CTX *context;
};

static const char ciphers_of_12[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
static const char ciphers_of_13[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
// Of those that OpenSSL would agree to, ffdhe8192 takes the server 133 ms of one processor, and a
// client nothing: it need only send a hello.
static const char groups[] = "X25519:P-256:P-384";
static const unsigned char session_domain[] = "starcloak";

// --- The socket under TLS ------------------------------------------------------------------------

static pthread_once_t socket_once = PTHREAD_ONCE_INIT;
static BIO_METHOD *socket_method;  ///< NULL if memory was out

/**
 * As OpenSSL's own, but that it asks the kernel only when there may be something. The connection is
 * the argument of a callback that there is not, since that is the one pointer of a BIO that takes
 * no memory.
 */
static int read_socket(BIO *bio, char *bytes, int room)
{
    sc__http_connection *connection = (sc__http_connection *)(void *)BIO_get_callback_arg(bio);
    // The kernel decrypts, record by record.
    if (BIO_get_ktls_recv(bio)) return BIO_meth_get_read(BIO_s_socket())(bio, bytes, room);
    BIO_clear_retry_flags(bio);
    if (connection->is_drained) {
        BIO_set_retry_read(bio);
        return -1;
    }
    ssize_t got = 0;
    do {
        got = recv(connection->fd, bytes, (size_t)room, 0);
    } while (got < 0 && errno == EINTR);
    if (got > 0) {
        // An end that an event has told of is not told again.
        connection->is_drained = got < room && !connection->has_hung_up;
    } else if (got == 0) {
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
        BIO_set_retry_read(bio);
    }
    return (int)got;
}

static void make_socket_method(void)
{
    const BIO_METHOD *theirs = BIO_s_socket();
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOCKET, "socket");
    if (!method || !BIO_meth_set_write(method, BIO_meth_get_write(theirs)) ||
        !BIO_meth_set_ctrl(method, BIO_meth_get_ctrl(theirs)) ||
        !BIO_meth_set_create(method, BIO_meth_get_create(theirs)) ||
        !BIO_meth_set_destroy(method, BIO_meth_get_destroy(theirs)) ||
        !BIO_meth_set_read(method, read_socket)) {
        BIO_meth_free(method);
        return;
    }
    socket_method = method;
}

/** Let TLS read and write by the connection's socket; false if memory is out. */
static bool use_socket(SSL *ssl, sc__http_connection *connection)
{
    pthread_once(&socket_once, make_socket_method);
    BIO *bio = socket_method ? BIO_new(socket_method) : NULL;
    if (!bio) return false;
    BIO_set_callback_arg(bio, (char *)connection);
    BIO_set_fd(bio, connection->fd, BIO_NOCLOSE);
    SSL_set_bio(ssl, bio, bio);
    return true;
}

// --- Certificates ------------------------------------------------------------------------------

/** Say what is wrong with a file, in OpenSSL's words, of which the first is the cause. */
static sc_err refuse(const char *what, const char *path, const char *advice, sc_diag *diag)
{
    const unsigned long code = ERR_peek_error();
    const char *reason = code == 0                ? NULL
                         : ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code))
                                                  : ERR_reason_error_string(code);
    ERR_clear_error();
    return sc_fail(diag, SC_EIO, "%s: cannot use this %s: %s; %s", path, what,
                   reason ? reason : "unknown reason", advice);
}

// OpenSSL would ask for a passphrase on the terminal.
// NOLINTNEXTLINE(readability-non-const-parameter): its type is OpenSSL's
static int give_no_passphrase(char *buffer, int room, int is_writing, void *context)
{
    (void)buffer;
    (void)room;
    (void)is_writing;
    (void)context;
    return 0;
}

static int choose_protocol(SSL *ssl, const unsigned char **out, unsigned char *out_size,
                           const unsigned char *offered, unsigned offered_size, void *context)
{
    static const unsigned char ours[] = "\x02h2\x08http/1.1";
    (void)ssl;
    (void)context;
    unsigned char *chosen = NULL;
    if (SSL_select_next_proto(&chosen, out_size, ours, sizeof ours - 1, offered, offered_size) !=
        OPENSSL_NPN_NEGOTIATED) {
        return SSL_TLSEXT_ERR_ALERT_FATAL;
    }
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

static bool set_up(SSL_CTX *context)
{
    SSL_CTX_set_options(context, SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION |
                                     SSL_OP_CIPHER_SERVER_PREFERENCE | SSL_OP_PRIORITIZE_CHACHA |
                                     SSL_OP_CLEANSE_PLAINTEXT | SSL_OP_ENABLE_KTLS |
                                     SSL_OP_IGNORE_UNEXPECTED_EOF);
    // Most connections wait, for a request or for a reply: they need no buffers then.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_default_passwd_cb(context, give_no_passphrase);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, ciphers_of_12) == 1 &&
           SSL_CTX_set_ciphersuites(context, ciphers_of_13) == 1 &&
           SSL_CTX_set1_groups_list(context, groups) == 1 &&
           SSL_CTX_set_num_tickets(context, 1) == 1 &&
           SSL_CTX_set_session_id_context(context, session_domain, sizeof session_domain - 1) == 1;
}

/** What must not be set, as for files of token keys: others may do nothing, and only the owner may
 * write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

sc_err sc_http_key_check(const char *path, sc_diag *diag)
{
    struct stat status;
    // A file that is not there is reported by who reads it.
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return SC_OK;
    if ((status.st_mode & MODE_FORBIDDEN) == 0) return SC_OK;
    return sc_fail(diag, SC_EIO,
                   "%s: others may read or change this private key (mode %04o); run 'chmod 600' on "
                   "it, or 640 with a group of its own",
                   path, (unsigned)status.st_mode & 07777);
}

sc_err sc_http_certificate_check(const char *path, sc_diag *diag)
{
    FILE *file = fopen(path, "re");
    if (!file) return sc_fail(diag, SC_EIO, "%s: cannot be read", path);
    sc_err err = SC_OK;
    for (X509 *one; !err && (one = PEM_read_X509(file, NULL, NULL, NULL)); X509_free(one)) {
        const bool is_over = X509_cmp_current_time(X509_get0_notAfter(one)) < 0;
        if (!is_over && X509_cmp_current_time(X509_get0_notBefore(one)) <= 0) continue;
        struct tm at = {0};
        (void)ASN1_TIME_to_tm(is_over ? X509_get0_notAfter(one) : X509_get0_notBefore(one), &at);
        char when[32] = "";
        (void)strftime(when, sizeof when, "%Y-%m-%d %H:%M UTC", &at);
        err = sc_fail(diag, SC_EINVAL, "%s: a certificate %s %s; %s", path,
                      is_over ? "has expired on" : "is not valid before", when,
                      is_over ? "renew it" : "wait, or set this machine's clock");
    }
    ERR_clear_error();
    fclose(file);
    return err;
}

static sc_err read_files(SSL_CTX *context, const sc_tls_files *files, sc_diag *diag)
{
    static const char wants_pem[] = "give a PEM file that this user can read";
    if (SSL_CTX_use_certificate_chain_file(context, files->certificate) != 1) {
        return refuse("certificate", files->certificate, wants_pem, diag);
    }
    const sc_err err = sc_http_key_check(files->key, diag);
    if (err) return err;
    if (SSL_CTX_use_PrivateKey_file(context, files->key, SSL_FILETYPE_PEM) != 1) {
        return refuse("key", files->key,
                      "give the PEM file of the certificate's key, without a passphrase", diag);
    }
    if (SSL_CTX_check_private_key(context) != 1) {
        return refuse("key", files->key, "give the key of the certificate", diag);
    }
    if (!files->client_ca) return SC_OK;

    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(files->client_ca);
    if (!names || SSL_CTX_load_verify_file(context, files->client_ca) != 1) {
        sk_X509_NAME_pop_free(names, X509_NAME_free);
        return refuse("list of authorities", files->client_ca, wants_pem, diag);
    }
    SSL_CTX_set_client_CA_list(context, names);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return SC_OK;
}

static sc_err make_context(const sc_tls_files *files, SSL_CTX **out, sc_diag *diag)
{
    ERR_clear_error();
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());
    if (!context || !set_up(context)) {
        SSL_CTX_free(context);
        ERR_clear_error();
        return sc_fail_memory(diag, "preparing TLS");
    }
    const sc_err err = read_files(context, files, diag);
    if (err) {
        SSL_CTX_free(context);
        return err;
    }
    *out = context;
    return SC_OK;
}

static sc_err check_authorities(const char *path, sc_diag *diag)
{
    ERR_clear_error();
    X509_STORE *store = X509_STORE_new();
    if (!store) return sc_fail_memory(diag, "preparing TLS");
    const bool is_read = X509_STORE_load_file(store, path) == 1;
    X509_STORE_free(store);
    return is_read ? SC_OK
                   : refuse("list of authorities", path, "give a PEM file that this user can read",
                            diag);
}

sc_err sc_http_tls_check(const sc_tls_files *files, sc_diag *diag)
{
    const sc_tls_files own = {.certificate = files->certificate, .key = files->key};
    SSL_CTX *context = NULL;
    sc_err err = files->client_ca ? check_authorities(files->client_ca, diag) : SC_OK;
    if (!err && own.certificate) err = make_context(&own, &context, diag);
    SSL_CTX_free(context);
    return err;
}

sc_err sc__http_tls_new(const sc_tls_files *files, sc__http_tls **out, sc_diag *diag)
{
    sc__http_tls *tls = sc_calloc(1, sizeof *tls);
    if (!tls) return sc_fail_memory(diag, "preparing TLS");
    tls->files = files;
    const sc_err err = make_context(files, &tls->context, diag);
    if (err) {
        sc_free(tls);
        return err;
    }
    pthread_mutex_init(&tls->lock, NULL);
    *out = tls;
    return SC_OK;
}

void sc__http_tls_free(sc__http_tls *tls)
{
    if (!tls) return;
    SSL_CTX_free(tls->context);
    pthread_mutex_destroy(&tls->lock);
    sc_free(tls);
}

sc_err sc__http_tls_reload(sc__http_tls *tls, sc_diag *diag)
{
    SSL_CTX *next = NULL;
    const sc_err err = make_context(tls->files, &next, diag);
    if (err) return err;
    pthread_mutex_lock(&tls->lock);
    SSL_CTX *former = tls->context;
    tls->context = next;
    pthread_mutex_unlock(&tls->lock);
    SSL_CTX_free(former);  // it lives on in the connections that began with it
    return SC_OK;
}

// --- Connections -------------------------------------------------------------------------------

bool sc__http_tls_chose_http2(const SSL *ssl)
{
    const unsigned char *chosen = NULL;
    unsigned size = 0;
    SSL_get0_alpn_selected(ssl, &chosen, &size);
    return size == 2 && memcmp(chosen, "h2", 2) == 0;
}

SSL *sc__http_tls_session(sc__http_tls *tls, sc__http_connection *connection)
{
    pthread_mutex_lock(&tls->lock);
    SSL *ssl = SSL_new(tls->context);
    pthread_mutex_unlock(&tls->lock);
    if (ssl && use_socket(ssl, connection)) {
        SSL_set_accept_state(ssl);
        return ssl;
    }
    SSL_free(ssl);
    ERR_clear_error();
    return NULL;
}
