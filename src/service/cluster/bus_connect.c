// Making the connection to NATS: addresses, TLS, credentials, timeouts.
//
// Every option is enforced in full: with TLS the server's certificate must be good and be of the
// host that was named (Debian's library checks the name by itself), and a file that cannot be read
// ends the start. At the start a server that cannot be reached is an error, since most often an
// address is wrong; later the library tries again for ever.
//
// An address may hold a password ("nats://user:password@host"): errors only repeat its host.
#include "cluster/bus_internal.h"

#include "base/diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/** The name of a cluster is the first token of every subject. */
enum { CLUSTER_NAME_MAX = 63 };

/** A server that does not answer two questions in a row, one each second, is left for another: far
 * sooner than the two minutes of the library, since workers count as dead after a second or two. */
enum { PING_MS = 1000, PINGS_OUT = 2 };

/** A server that does not read delays a sending thread for at most so long; then the connection is
 * closed. */
enum { WRITE_MS = 1000 };

/** Between two tries to reach any server again; with jitter, so that not all come at once. */
enum { RECONNECT_MS = 100, JITTER_MS = 100 };

/** What is sent while there is no connection waits in that much; queries in it soon are too old. */
enum { RECONNECT_BYTES = 8 * 1024 * 1024 };

/** Messages of a subscription that wait for us; more are dropped by the library, and counted. */
enum { WAITING_MAX = 131072 };

// --- Checking the options ----------------------------------------------------------------------

static bool is_plain_name(const char *name)
{
    const size_t size = strlen(name);
    return size > 0 && size <= CLUSTER_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_") == size;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/** The part of an address that errors may show: what follows the scheme and the credentials. */
static const char *host_of(const char *url)
{
    const char *host = strstr(url, "://");
    host = host ? host + 3 : url;
    const char *at = strrchr(host, '@');
    return at ? at + 1 : host;
}

sc_err sc__bus_check(const sc_bus_options *options, sc_diag *diag)
{
    if (!options->cluster || !is_plain_name(options->cluster)) {
        return sc_fail(diag, SC_EINVAL,
                       "the cluster's name must be 1 to %d letters, digits, '-' and '_'",
                       CLUSTER_NAME_MAX);
    }
    if (options->server_count == 0) {
        return sc_fail(diag, SC_EINVAL, "no NATS server is named; name one, as nats://host:4222");
    }
    for (size_t i = 0; i < options->server_count; i++) {
        const char *url = options->servers[i];
        if (begins_with(url, "nats://") || begins_with(url, "tls://")) continue;
        const char *host = host_of(url);
        return sc_fail(diag, SC_EINVAL,
                       "a NATS server's address must begin with nats:// or tls://: %s",
                       sc_quote(host, strlen(host)).text);
    }
    if (!options->certificate != !options->key) {
        return sc_fail(diag, SC_EINVAL,
                       "a certificate for NATS needs its key, and a key its certificate");
    }
    if (options->password && !options->user) {
        return sc_fail(diag, SC_EINVAL, "a password for NATS needs a user");
    }
    if (!(options->timeout_s > 0 && options->timeout_s <= 3600)) {
        return sc_fail(diag, SC_EINVAL,
                       "the time to connect to NATS must be above 0 s and at most 3600 s");
    }
    return SC_OK;
}

static bool wants_tls(const sc_bus_options *options)
{
    if (options->ca || options->certificate) return true;
    for (size_t i = 0; i < options->server_count; i++) {
        if (begins_with(options->servers[i], "tls://")) return true;
    }
    return false;
}

// --- The library's options ---------------------------------------------------------------------

/** The library's text for its last error; valid until its next failure in this thread. */
static const char *why(natsStatus status)
{
    const char *text = nats_GetLastError(NULL);
    return text && *text ? text : natsStatus_GetText(status);
}

static sc_err fail_file(sc_diag *diag, natsStatus status, const char *what, const char *path)
{
    if (status == NATS_NO_MEMORY) return sc_fail_memory(diag, "connecting to NATS");
    return sc_fail(diag, SC_EIO, "%s: cannot be used as %s for NATS: %s", path, what, why(status));
}

static sc_err set_tls(natsOptions *nats, const sc_bus_options *options, sc_diag *diag)
{
    if (!wants_tls(options)) return SC_OK;
    natsStatus status = natsOptions_SetSecure(nats, true);
    if (status != NATS_OK)
        return sc_fail(diag, SC_EIO, "cannot set up TLS for NATS: %s", why(status));
    if (options->ca) {
        status = natsOptions_LoadCATrustedCertificates(nats, options->ca);
        if (status != NATS_OK) return fail_file(diag, status, "the authority", options->ca);
    }
    if (options->certificate) {
        status = natsOptions_LoadCertificatesChain(nats, options->certificate, options->key);
        if (status != NATS_OK) return fail_file(diag, status, "certificate", options->certificate);
    }
    return SC_OK;
}

static sc_err set_credentials(natsOptions *nats, const sc_bus_options *options, sc_diag *diag)
{
    natsStatus status = NATS_OK;
    if (options->credentials) {
        // The library reads it each time it connects, and would only fail then.
        if (access(options->credentials, R_OK) != 0) {
            return sc_fail(diag, SC_EIO, "%s: cannot read the credentials for NATS",
                           options->credentials);
        }
        status = natsOptions_SetUserCredentialsFromFiles(nats, options->credentials, NULL);
    }
    if (status == NATS_OK && options->user) {
        status = natsOptions_SetUserInfo(nats, options->user,
                                         options->password ? options->password : "");
    }
    return status == NATS_OK ? SC_OK : sc_fail_memory(diag, "connecting to NATS");
}

/** Settings other than the library's defaults. None of these fails but for memory. */
static natsStatus set_limits(natsOptions *nats, const sc_bus_options *options)
{
    natsStatus status = natsOptions_SetTimeout(nats, (int64_t)(options->timeout_s * 1000) + 1);
    if (status == NATS_OK && options->client) status = natsOptions_SetName(nats, options->client);
    if (status == NATS_OK) status = natsOptions_SetPingInterval(nats, PING_MS);
    if (status == NATS_OK) status = natsOptions_SetMaxPingsOut(nats, PINGS_OUT);
    if (status == NATS_OK) status = natsOptions_SetWriteDeadline(nats, WRITE_MS);
    if (status == NATS_OK) status = natsOptions_SetMaxReconnect(nats, -1);
    if (status == NATS_OK) status = natsOptions_SetReconnectWait(nats, RECONNECT_MS);
    if (status == NATS_OK) status = natsOptions_SetReconnectJitter(nats, JITTER_MS, JITTER_MS);
    if (status == NATS_OK) status = natsOptions_SetReconnectBufSize(nats, RECONNECT_BYTES);
    if (status == NATS_OK) status = natsOptions_SetMaxPendingMsgs(nats, WAITING_MAX);
    // One thread receives for all subscriptions: a worker may have hundreds of parts. Their order
    // stays, and that between subjects as well.
    if (status == NATS_OK) status = natsOptions_UseGlobalMessageDelivery(nats, true);
    // Messages were gathered before (outbox.h). To let them wait in the library's buffer would wake
    // another thread for each.
    if (status == NATS_OK) status = natsOptions_SetSendAsap(nats, true);
    return status;
}

static natsStatus set_handlers(natsOptions *nats, const sc__bus_handlers *handlers)
{
    natsStatus status =
        natsOptions_SetDisconnectedCB(nats, handlers->disconnected, handlers->context);
    if (status == NATS_OK) {
        status = natsOptions_SetReconnectedCB(nats, handlers->reconnected, handlers->context);
    }
    if (status == NATS_OK) {
        status = natsOptions_SetClosedCB(nats, handlers->closed, handlers->context);
    }
    if (status == NATS_OK) {
        status = natsOptions_SetErrorHandler(nats, handlers->failed, handlers->context);
    }
    return status;
}

static sc_err fail_to_connect(sc_diag *diag, natsStatus status, const sc_bus *bus)
{
    if (status == NATS_NO_MEMORY) return sc_fail_memory(diag, "connecting to NATS");
    const sc_quoted first = sc_quote(bus->host, strlen(bus->host));
    const char *others = bus->has_other_servers ? " nor any of the other servers" : "";
    if (status == NATS_CONNECTION_AUTH_FAILED || status == NATS_NOT_PERMITTED) {
        return sc_fail(diag, SC_ENET,
                       "NATS at %s%s refuses the connection; check user, password or credentials",
                       first.text, others);
    }
    if (status == NATS_SSL_ERROR || status == NATS_SECURE_CONNECTION_REQUIRED ||
        status == NATS_SECURE_CONNECTION_WANTED) {
        return sc_fail(diag, SC_ENET,
                       "cannot use TLS with NATS at %s%s: %s; check the certificates and the host "
                       "names in them",
                       first.text, others, why(status));
    }
    return sc_fail(
        diag, SC_ENET,
        "cannot reach NATS at %s%s: %s; check that it runs and that the address is right",
        first.text, others, why(status));
}

sc_err sc__bus_prepare(const sc_bus_options *options, const sc__bus_handlers *handlers, sc_bus *bus,
                       sc_diag *diag)
{
    sc_err err = SC_OK;
    natsOptions *nats = NULL;
    natsStatus status = natsOptions_Create(&nats);
    bus->nats = nats;
    if (status == NATS_OK) {
        // The library only reads them, although its type is not const.
        status = natsOptions_SetServers(nats, (const char **)(uintptr_t)options->servers,
                                        (int)options->server_count);
    }
    if (status == NATS_OK) status = set_limits(nats, options);
    if (status == NATS_OK) status = set_handlers(nats, handlers);
    if (status != NATS_OK) {
        err = sc_fail(diag, status == NATS_NO_MEMORY ? SC_ENOMEM : SC_EINVAL,
                      "the NATS library refuses its settings: %s", why(status));
    }
    if (!err) err = set_tls(nats, options, diag);
    if (!err) err = set_credentials(nats, options, diag);
    snprintf(bus->host, sizeof bus->host, "%s", host_of(options->servers[0]));
    bus->has_other_servers = options->server_count > 1;
    snprintf(bus->credentials, sizeof bus->credentials, "%s",
             options->credentials ? options->credentials : "");
    return err;
}

sc_err sc__bus_connect(sc_bus *bus, sc_diag *diag)
{
    // The library reads them each time that it connects, as the user that this process runs as by
    // now.
    if (*bus->credentials && access(bus->credentials, R_OK) != 0) {
        return sc_fail(diag, SC_EIO,
                       "%s: cannot be read; the user that this process runs as must be able to "
                       "read the credentials for NATS, since each reconnection needs them",
                       bus->credentials);
    }
    const natsStatus status = natsConnection_Connect(&bus->connection, bus->nats);
    natsOptions_Destroy(bus->nats);
    bus->nats = NULL;
    return status == NATS_OK ? SC_OK : fail_to_connect(diag, status, bus);
}
