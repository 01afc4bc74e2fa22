// Adding to the list of revoked tokens. See revoked.h.
//
// The list is written anew and takes the place of the old one in one step. Two who add at the same
// time would each write what the other has not seen; so whoever adds holds a lock on the directory,
// which needs no file of its own and is let go when the process ends.
#include "server/revoked_internal.h"

#include "base/diag.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/** The directory of `path`, locked; -1 where that cannot be had: then nobody is waited for. */
static int lock_directory(const char *path)
{
    char directory[4096] = ".";
    const size_t size = (size_t)(sc_file_base_name(path) - path);
    if (size >= sizeof directory) return -1;
    if (size > 0) {
        memcpy(directory, path, size);
        directory[size] = '\0';
    }
    const int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) (void)flock(fd, LOCK_EX);
    return fd;
}

static bool is_same(const sc__revocation *a, const sc__revocation *b)
{
    if (a->kind != b->kind) return false;  // comments are never the same as what is added
    return a->kind == SC__REVOKES_TOKEN
               ? a->serial == b->serial
               : memcmp(a->user_hash, b->user_hash, sizeof a->user_hash) == 0;
}

static void put_line(FILE *stream, const sc__revocation *line)
{
    if (line->kind == SC__REVOKES_TOKEN) {
        fprintf(stream, "serial %016" PRIx64 " until %" PRId64 "\n", line->serial, line->time_s);
    } else {
        char hex[2 * SC__USER_HASH_SIZE + 1];
        sodium_bin2hex(hex, sizeof hex, line->user_hash, sizeof line->user_hash);
        fprintf(stream, "user %s before %" PRId64 "\n", hex, line->time_s);
    }
}

/** The lines that are still of use. What `added` says already is left to it. */
static sc_err copy_lines(FILE *stream, const sc_input *old, sc__revocation *added, int64_t now_s,
                         sc_diag *diag)
{
    sc_lines lines = sc_lines_of(old);
    for (sc_slice text; sc_lines_next(&lines, &text);) {
        sc__revocation line;
        const sc_err err = sc__revocation_parse(&lines, text, &line, diag);
        if (err) return err;
        if (line.kind == SC__REVOKES_TOKEN && line.time_s <= now_s) continue;
        if (is_same(&line, added)) {
            if (line.time_s > added->time_s) added->time_s = line.time_s;
            continue;
        }
        fwrite(text.text, 1, text.size, stream);
        fputc('\n', stream);
    }
    return SC_OK;
}

static sc_err put_all(FILE *stream, const sc_input *old, sc__revocation added, int64_t now_s,
                      sc_diag *diag)
{
    static const char heading[] = "# StarCloak: tokens that are no longer good. The service reads "
                                  "this when it starts, and on SIGHUP.\n";
    if (old->data) {
        const sc_err err = copy_lines(stream, old, &added, now_s, diag);
        if (err) return err;
    } else {
        fputs(heading, stream);
    }
    if (added.kind == SC__REVOKES_USER || added.time_s > now_s) put_line(stream, &added);
    return SC_OK;
}

static sc_err rewrite(const char *path, const sc__revocation *added, int64_t now_s, sc_diag *diag)
{
    sc_input old;
    sc_outfile out = {0};
    sc_err err = sc__revoked_file(path, &old, diag);
    if (err) return err;
    err = sc_outfile_open(path, &out, diag);
    if (!err) {
        err = put_all(out.stream, &old, *added, now_s, diag);
        if (!err) err = sc_outfile_commit(&out, diag);
        sc_outfile_abandon(&out);  // harmless after a commit
    }
    sc__small_file_free(&old);
    return err;
}

sc_err sc_revoked_add(const char *path, const sc_token_keys *keys, const sc_token *token,
                      const char *user, int64_t now_s, sc_diag *diag)
{
    sc__revocation added = {.kind = SC__REVOKES_USER, .time_s = now_s + 1};
    if (!user) {
        added = (sc__revocation){
            .kind = SC__REVOKES_TOKEN, .serial = token->serial, .time_s = token->expires_s};
    } else if (sc__user_is_name(user, strlen(user))) {
        sc__user_hash(keys, 0, user, strlen(user), added.user_hash);
    } else {
        return sc_fail(diag, SC_EINVAL,
                       "a user is 1 to %d bytes of UTF-8 without control characters",
                       SC_TOKEN_USER_MAX);
    }
    const int lock = lock_directory(path);
    const sc_err err = rewrite(path, &added, now_s, diag);
    if (lock >= 0) close(lock);
    return err;
}
