// Keys: made, kept in files, read from them. See token.h.
//
// What is wrong with a key file is told by its line, and never by what stands there.
#include "server/token_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEX_SIZE = 2 * SC__TOKEN_KEY_SIZE };

/** Comments and eight keys take a small part of it. */
enum { KEY_FILE_MAX = 65536 };

/** What must not be set: others may do nothing, and only the owner may write. */
enum { MODE_FORBIDDEN = S_IRWXO | S_IWGRP };

static const char no_randomness[] = "the system gives no random numbers";

sc_token_keys *sc_token_keys_hold(sc_token_keys *keys)
{
    atomic_fetch_add(&keys->others, 1);
    return keys;
}

void sc_token_keys_free(sc_token_keys *keys)
{
    if (!keys || atomic_fetch_sub(&keys->others, 1) > 0) return;
    sodium_memzero(keys, sizeof *keys);
    sc_free(keys);
}

sc_err sc_token_keys_new(sc_token_keys **out)
{
    // Harmless when repeated, and from any thread.
    if (sodium_init() < 0) return SC_EIO;
    sc_token_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return SC_ENOMEM;
    keys->count = 1;
    randombytes_buf(keys->keys[0], SC__TOKEN_KEY_SIZE);
    *out = keys;
    return SC_OK;
}

// --- Reading ---------------------------------------------------------------------

static sc_err parse_line(const sc_lines *lines, sc_slice line, sc_token_keys *keys, sc_diag *diag)
{
    sc_slice key;
    sc_slice more;
    if (!sc_slice_field(&line, &key) || key.text[0] == '#') return SC_OK;
    if (keys->count == SC_TOKEN_KEYS_MAX) {
        return sc_fail(diag, SC_EPARSE, "%s:%" PRIu64 ": more than %d keys; take old ones away",
                       lines->input->name, lines->line, SC_TOKEN_KEYS_MAX);
    }
    size_t size = 0;
    if (key.size != HEX_SIZE || sc_slice_field(&line, &more) ||
        sodium_hex2bin(keys->keys[keys->count], SC__TOKEN_KEY_SIZE, key.text, key.size, NULL, &size,
                       NULL) != 0 ||
        size != SC__TOKEN_KEY_SIZE) {
        return sc_lines_fail_line(lines, diag, "not a key, which is 64 hexadecimal digits");
    }
    keys->count++;
    return SC_OK;
}

sc_err sc__token_keys_parse(const sc_input *input, sc_token_keys **out, sc_diag *diag)
{
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_randomness);
    sc_token_keys *keys = sc_calloc(1, sizeof *keys);
    if (!keys) return sc_fail_memory(diag, "reading token keys");
    sc_err err = SC_OK;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice line; !err && sc_lines_next(&lines, &line);) {
        err = parse_line(&lines, line, keys, diag);
    }
    if (!err && keys->count == 0) {
        err = sc_fail(diag, SC_EPARSE,
                      "%s: holds no key; 'starcloak token key FILE' makes a file with one",
                      input->name);
    }
    if (err) {
        sc_token_keys_free(keys);
        return err;
    }
    *out = keys;
    return SC_OK;
}

sc_err sc_token_keys_read(const char *path, sc_token_keys **out, sc_diag *diag)
{
    sc_input file;
    mode_t mode = 0;
    sc_err err = sc__small_file_read(path, KEY_FILE_MAX, &file, &mode, diag);
    // A key file of that size is no key file.
    if (err) return err == SC_ELIMIT ? SC_EPARSE : err;
    if ((mode & MODE_FORBIDDEN) != 0) {
        err = sc_fail(diag, SC_EIO,
                      "%s: others than its owner may read or change it (mode %04o), and whoever "
                      "has a key can ask as anybody; do 'chmod 600' on it, or 640 for a group",
                      path, (unsigned)mode);
    } else {
        err = sc__token_keys_parse(&file, out, diag);
    }
    sc__small_file_free(&file);
    return err;
}

// --- Writing ---------------------------------------------------------------------

static sc_err fail_write(sc_diag *diag, const char *path, int why)
{
    if (why == EEXIST) {
        return sc_fail(diag, SC_EIO,
                       "%s: is there already, and keys are never replaced, since tokens depend on "
                       "them; choose another name",
                       path);
    }
    const char *hint = why == ENOENT                   ? "; its directory does not exist"
                       : why == EACCES || why == EROFS ? "; choose a place where you may write"
                                                       : "";
    return sc_fail(diag, SC_EIO, "%s: cannot write: %s%s", path, strerror(why), hint);
}

// All bytes, down to the disk; 0 or an errno.
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        const ssize_t put = write(fd, text, size);
        if (put < 0 && errno != EINTR) return errno;
        if (put > 0) {
            text += put;
            size -= (size_t)put;
        }
    }
    return fsync(fd) == 0 ? 0 : errno;
}

sc_err sc_token_keys_write(const char *path, sc_diag *diag)
{
    static const char heading[] = "# A key that signs StarCloak's tokens. Whoever has it can ask "
                                  "as anybody: keep it secret.\n";
    if (sodium_init() < 0) return sc_fail(diag, SC_EIO, "%s", no_randomness);
    const int fd = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    if (fd < 0) return fail_write(diag, path, errno);

    uint8_t key[SC__TOKEN_KEY_SIZE];
    char hex[HEX_SIZE + 1];
    char text[sizeof heading + sizeof hex];
    randombytes_buf(key, sizeof key);
    sodium_bin2hex(hex, sizeof hex, key, sizeof key);
    const int size = snprintf(text, sizeof text, "%s%s\n", heading, hex);
    int why = write_all(fd, text, (size_t)size);
    if (close(fd) != 0 && !why) why = errno;
    sodium_memzero(key, sizeof key);
    sodium_memzero(hex, sizeof hex);
    sodium_memzero(text, sizeof text);
    if (!why) return SC_OK;
    unlink(path);  // half a key would stand in the way of a whole one
    return fail_write(diag, path, why);
}
