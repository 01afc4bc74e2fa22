// The key, the name and the NATS options of a process of a cluster, from its settings.
#include "cluster_setup.h"

#include "server/http.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** The longest password; a longer line is no password. */
enum { PASSWORD_SIZE = 1024 };

/** NULL instead of "". */
static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static sc_err fail(sc_diag *diag, sc_err err, const char *what, const char *why)
{
    snprintf(diag->message, sizeof diag->message, "%s: %s", what, why);
    return err;
}

/** The first word of a subject: no dot. */
static bool is_cluster_name(const char *text)
{
    return sc_peer_name_is_valid(text, strlen(text)) && !strchr(text, '.');
}

// --- Name ----------------------------------------------------------------------------------

static sc_err take_name(const sc_settings *s, sc_cluster_setup *out, sc_diag *diag)
{
    if (*s->name) {
        if (!sc_peer_name_is_valid(s->name, strlen(s->name))) {
            return fail(diag, SC_EINVAL, "name",
                        "up to 63 letters, digits, dashes, underscores and dots");
        }
        snprintf(out->name, sizeof out->name, "%s", s->name);
        return SC_OK;
    }
    if (*sc_cluster_key_worker(out->key)) {
        snprintf(out->name, sizeof out->name, "%s", sc_cluster_key_worker(out->key));
        return SC_OK;
    }
    char host[32] = "";
    if (gethostname(host, sizeof host - 1) != 0 || !sc_peer_name_is_valid(host, strlen(host))) {
        snprintf(host, sizeof host, "host");
    }
    snprintf(out->name, sizeof out->name, "%s-%d", host, (int)getpid());
    return SC_OK;
}

// --- NATS ----------------------------------------------------------------------------------

static sc_err read_password(const char *path, sc_cluster_setup *out, sc_diag *diag)
{
    FILE *file = fopen(path, "re");
    if (!file) {
        snprintf(diag->message, sizeof diag->message, "nats-password: %s: cannot read: %s", path,
                 strerror(errno));
        return SC_EIO;
    }
    struct stat status;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (status.st_mode & (S_IRWXO | S_IWGRP)) != 0) {
        fclose(file);
        snprintf(
            diag->message, sizeof diag->message,
            "%s: others may read or change this password (mode %04o); run 'chmod 600' on it, or "
            "640 with a group of its own",
            path, (unsigned)status.st_mode & 07777);
        return SC_EIO;
    }
    char line[PASSWORD_SIZE];
    // Nothing of it in a buffer that outlives us.
    setvbuf(file, NULL, _IONBF, 0);
    const bool is_read = fgets(line, sizeof line, file) != NULL;
    fclose(file);
    sc_err err = SC_OK;
    if (!is_read || line[0] == '\n' || strlen(line) + 1 == sizeof line) {
        err = fail(diag, SC_EPARSE, path, "its first line must be the password");
    } else {
        line[strcspn(line, "\r\n")] = '\0';
        out->password = strdup(line);
        if (!out->password) err = SC_ENOMEM;
    }
    explicit_bzero(line, sizeof line);
    return err;
}

static sc_err check(const sc_settings *s, sc_diag *diag)
{
    if (!*s->cluster_key) {
        return fail(diag, SC_EINVAL, "cluster-key",
                    "the file with the key of this process is missing; make the gateways' with "
                    "'starcloak cluster key FILE', and one for each worker with 'starcloak cluster "
                    "key --worker NAME --from FILE'");
    }
    if (!is_cluster_name(s->cluster_name)) {
        return fail(diag, SC_EINVAL, "cluster-name",
                    "up to 63 letters, digits, dashes and underscores");
    }
    if (*s->nats_key && !*s->nats_certificate) {
        return fail(diag, SC_EINVAL, "nats-key", "set nats-certificate too");
    }
    if (!*s->nats_user != !*s->nats_password) {
        return fail(diag, SC_EINVAL, *s->nats_user ? "nats-user" : "nats-password",
                    "nats-user and nats-password are needed together");
    }
    if (*s->nats_user && *s->nats_credentials) {
        return fail(diag, SC_EINVAL, "nats-credentials",
                    "give either nats-credentials or nats-user, not both");
    }
    return SC_OK;
}

sc_err sc_cluster_setup_check_files(const sc_settings *s, sc_diag *diag)
{
    const char *key = *s->nats_key ? s->nats_key : s->nats_certificate;
    sc_err err = *key ? sc_http_key_check(key, diag) : SC_OK;
    if (!err && *s->nats_certificate) err = sc_http_certificate_check(s->nats_certificate, diag);
    if (!err && *s->nats_ca) err = sc_http_certificate_check(s->nats_ca, diag);
    return err;
}

sc_err sc_cluster_setup_open(const sc_settings *s, sc_cluster_role role, sc_cluster_setup *out,
                             sc_diag *diag)
{
    sc_err err = check(s, diag);
    if (!err) err = sc_settings_parts(s->nats, &out->servers, &out->server_count);
    if (!err && out->server_count == 0) {
        err = fail(diag, SC_EINVAL, "nats", "name one server at least");
    }
    if (!err) err = sc_cluster_key_read(s->cluster_key, role, &out->key, diag);
    if (!err) err = take_name(s, out, diag);
    if (!err && *s->nats_password) err = read_password(s->nats_password, out, diag);
    if (err) return err;
    out->bus = (sc_bus_options){
        .servers = (const char *const *)out->servers,
        .server_count = out->server_count,
        .cluster = s->cluster_name,
        .client = out->name,
        .ca = or_null(s->nats_ca),
        .certificate = or_null(s->nats_certificate),
        .key = *s->nats_key ? s->nats_key : or_null(s->nats_certificate),
        .credentials = or_null(s->nats_credentials),
        .user = or_null(s->nats_user),
        .password = out->password,
        .timeout_s = 5.0,
        .cluster_key = out->key,
    };
    return SC_OK;
}

void sc_cluster_setup_forget_password(sc_cluster_setup *setup)
{
    if (!setup->password) return;
    explicit_bzero(setup->password, strlen(setup->password));
    free(setup->password);
    setup->password = NULL;
    setup->bus.password = NULL;
}

void sc_cluster_setup_close(sc_cluster_setup *setup)
{
    sc_cluster_setup_forget_password(setup);
    sc_cluster_key_free(setup->key);
    sc_settings_parts_free(setup->servers);
    *setup = (sc_cluster_setup){.key = NULL};
}
