// Secrets in addresses. See url_secrets.h.
#include "base/url_secrets.h"

#include <string.h>
#include <strings.h>

/** As long as keys are. */
enum { KEY_LEAST = 16 };

bool sc_url_parameter_is_secret(const char *name, size_t size, size_t value_size)
{
    static const char *const secrets[] = {
        "apikey", "accesstoken", "token",     "authtoken",    "password",
        "secret", "appkey",      "accesskey", "clientsecret", "subscriptionkey",
        "sig",    "signature",   "authkey",   "secretkey",    "apitoken",
        "pwd",    "passwd",      "jwt"};
    char plain[32];
    size_t used = 0;
    if ((size == 3 && strncasecmp(name, "key", 3) == 0) ||
        (size == 4 && strncasecmp(name, "code", 4) == 0)) {
        return value_size >= KEY_LEAST;
    }
    for (size_t i = 0; i < size; i++) {
        if (name[i] == '-' || name[i] == '_') continue;
        if (used + 1 == sizeof plain) return false;
        plain[used++] = name[i];
    }
    plain[used] = '\0';
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        if (strcasecmp(plain, secrets[i]) == 0) return true;
    }
    return false;
}

static bool ends_with(const char *start, const char *end, const char *word)
{
    const size_t size = strlen(word);
    return (size_t)(end - start) >= size && strncasecmp(end - size, word, size) == 0;
}

// What is before the '@' of a host. Returns what is left to be written: from '@' on, or all.
static const char *put_user(FILE *stream, const char *user, bool is_database)
{
    const size_t size = strcspn(user, "/?#,");
    const char *at = NULL;
    // A password may have an '@' itself.
    for (const char *c = memchr(user, '@', size); c;) {
        at = c;
        c = memchr(at + 1, '@', (size_t)(user + size - at - 1));
    }
    if (!at) return user;
    const char *colon = memchr(user, ':', (size_t)(at - user));
    if (is_database && !colon) return user;
    if (is_database) fwrite(user, 1, (size_t)(colon + 1 - user), stream);
    fputs("***", stream);
    return at;
}

// The name of a parameter, and its value if that is secret. Returns what is left to be written.
static const char *put_parameter(FILE *stream, const char *name)
{
    const size_t size = strcspn(name, "=&");
    if (name[size] != '=') return name;
    const char *value = name + size + 1;
    const size_t value_size = strcspn(value, "&");
    if (value_size == 0 || value[0] == '{' || !sc_url_parameter_is_secret(name, size, value_size)) {
        return name;
    }
    fwrite(name, 1, size + 1, stream);
    fputs("***", stream);
    return value + value_size;
}

void sc_url_write_without_secrets(FILE *stream, const char *text)
{
    bool is_address = false;
    for (const char *c = text; *c;) {
        if (strncmp(c, "://", 3) == 0) {
            const bool is_database =
                ends_with(text, c, "postgres") || ends_with(text, c, "postgresql");
            is_address = true;
            fputs("://", stream);
            c = put_user(stream, c + 3, is_database);
            continue;
        }
        fputc(*c, stream);
        c = is_address && (*c == '?' || *c == '&') ? put_parameter(stream, c + 1) : c + 1;
    }
}
