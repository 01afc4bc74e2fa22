/**
 * @file url_secrets.h
 * @brief Secrets in addresses: a password before the host, a parameter that is called a token.
 *
 * What operators write is printed and repeated in messages; these parts of it must not be.
 */
#ifndef SC_BASE_URL_SECRETS_H
#define SC_BASE_URL_SECRETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/** Whether a parameter is called as secrets are, or "key" or "code" with a value as long as keys
 * are; hyphens and underlines do not count. */
bool sc_url_parameter_is_secret(const char *name, size_t size, size_t value_size);

/** Write a text that may hold addresses, as `nats://me:word@host,nats://other`, with `***` in the
 * place of each secret: what is before '@' (of a database only what is behind ':', since its user
 * is none), and values of such parameters, but for places as {key}. */
void sc_url_write_without_secrets(FILE *stream, const char *text);

#endif
