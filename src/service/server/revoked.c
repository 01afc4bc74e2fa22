// The list of revoked tokens: read, asked, and added to.
#include "server/revoked.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/text.h"
#include "server/token_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/** A million lines, and comments. */
enum { FILE_MAX = 128 << 20 };

#define NOT_FOUND UINT32_MAX

typedef enum revocation_kind {
    REVOKES_NOTHING,  ///< a comment, or blank
    REVOKES_TOKEN,
    REVOKES_USER,
} revocation_kind;

typedef struct revocation {
    revocation_kind kind;
    int64_t time_s;  ///< until, of a token; before, of a user
    uint64_t serial;
    uint8_t user_hash[SC__USER_HASH_SIZE];
} revocation;

// --- Reading and asking ------------------------------------------------------------------------

/** Lines that revoke. To revoke more, change the key. */
enum { REVOKED_MAX = 1000000 };

struct sc_revoked {
    sc_hash serials;  ///< of single tokens; values mean nothing
    sc_hash users;    ///< hashes of users; values are places in `before`
    int64_t *before;  ///< which of a user's tokens: those that were issued before
    size_t before_capacity;
};

static sc_key serial_key(uint64_t serial)
{
    return (sc_key){.low = serial};
}

static sc_key user_key(const uint8_t hash[SC__USER_HASH_SIZE])
{
    sc_key key;
    memcpy(&key.high, hash, sizeof key.high);
    memcpy(&key.low, hash + sizeof key.high, sizeof key.low);
    return key;
}

// --- Lines -------------------------------------------------------------------------------------

static bool is_hex(sc_slice field, size_t digits)
{
    if (field.size != digits) return false;
    for (size_t i = 0; i < digits; i++) {
        const char c = field.text[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'))) {
            return false;
        }
    }
    return true;
}

static void hex_to_bytes(sc_slice field, uint8_t *out, size_t size)
{
    sodium_hex2bin(out, size, field.text, field.size, NULL, NULL, NULL);
}

static uint64_t big_endian(const uint8_t bytes[8])
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value = value << 8 | bytes[i];
    }
    return value;
}

/** The rest of a line: `word`, a time, and nothing more. */
static bool take_time(sc_slice *line, const char *word, int64_t *out)
{
    sc_slice field;
    sc_slice time;
    sc_slice more;
    return sc_slice_field(line, &field) && sc_slice_is(field, word) &&
           sc_slice_field(line, &time) && sc_slice_i64(time, out) && *out >= 0 &&
           !sc_slice_field(line, &more);
}

/** Read the current line of `lines`. SC_OK, SC_EPARSE. */
static sc_err revocation_parse(const sc_lines *lines, sc_slice line, revocation *out, sc_diag *diag)
{
    *out = (revocation){.kind = REVOKES_NOTHING};
    sc_slice word;
    sc_slice id;
    if (!sc_slice_field(&line, &word) || word.text[0] == '#') return SC_OK;
    const bool has_id = sc_slice_field(&line, &id);
    uint8_t serial[8];
    if (sc_slice_is(word, "serial")) {
        if (!has_id || !is_hex(id, 2 * sizeof serial) || !take_time(&line, "until", &out->time_s)) {
            return sc_lines_fail_line(lines, diag,
                                      "the line must be 'serial', 16 hexadecimal digits, 'until' "
                                      "and a time in seconds since 1970");
        }
        hex_to_bytes(id, serial, sizeof serial);
        out->serial = big_endian(serial);
        out->kind = REVOKES_TOKEN;
    } else if (sc_slice_is(word, "user")) {
        if (!has_id || !is_hex(id, (size_t)2 * SC__USER_HASH_SIZE) ||
            !take_time(&line, "before", &out->time_s)) {
            return sc_lines_fail_line(lines, diag,
                                      "the line must be 'user', 32 hexadecimal digits, 'before' "
                                      "and a time in seconds since 1970");
        }
        hex_to_bytes(id, out->user_hash, sizeof out->user_hash);
        out->kind = REVOKES_USER;
    } else {
        return sc_lines_fail_line(
            lines, diag,
            "a line of a list of revoked tokens must begin with 'serial', 'user' or '#'");
    }
    return SC_OK;
}

// --- The whole list ----------------------------------------------------------------------------

static sc_err add_user(sc_revoked *list, const revocation *line)
{
    const size_t next = list->users.count;
    if (!sc_grow(&list->before, next, &list->before_capacity, sizeof *list->before)) {
        return SC_ENOMEM;
    }
    list->before[next] = line->time_s;
    uint32_t place = 0;
    const sc_err err = sc_hash_put(&list->users, user_key(line->user_hash), (uint32_t)next, &place);
    // Of several lines for one user the latest counts.
    if (!err && line->time_s > list->before[place]) list->before[place] = line->time_s;
    return err;
}

static sc_err add(sc_revoked *list, const revocation *line)
{
    uint32_t place = 0;
    switch (line->kind) {
    case REVOKES_TOKEN:
        return sc_hash_put(&list->serials, serial_key(line->serial), 0, &place);
    case REVOKES_USER:
        return add_user(list, line);
    case REVOKES_NOTHING:
        break;
    }
    return SC_OK;
}

static sc_err parse_lines(const sc_input *input, sc_revoked *list, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice text; !err && sc_lines_next(&lines, &text);) {
        revocation line;
        err = revocation_parse(&lines, text, &line, diag);
        if (err) return err;
        if (sc_revoked_count(list) == REVOKED_MAX && line.kind != REVOKES_NOTHING) {
            return sc_fail(diag, SC_ELIMIT,
                           "%s:%" PRIu64 ": the list has more than %d tokens and users; replace "
                           "the token key instead, which revokes all tokens",
                           input->name, lines.line, REVOKED_MAX);
        }
        err = add(list, &line);
        if (err) sc_fail_memory(diag, "reading the list of revoked tokens");
    }
    return err;
}

sc_err sc__revoked_parse(const sc_input *input, sc_revoked **out, sc_diag *diag)
{
    sc_revoked *list = sc_calloc(1, sizeof *list);
    if (!list) return sc_fail_memory(diag, "reading the list of revoked tokens");
    const sc_err err = parse_lines(input, list, diag);
    if (err) {
        sc_revoked_free(list);
        return err;
    }
    *out = list;
    return SC_OK;
}

/** The bytes of the list at `path`; without data, if it is NULL or there is no such file. */
static sc_err revoked_file(const char *path, sc_input *out, sc_diag *diag)
{
    struct stat status;
    if (!path || (stat(path, &status) != 0 && errno == ENOENT)) {
        *out = (sc_input){.name = path};
        return SC_OK;
    }
    return sc__small_file_read(path, FILE_MAX, out, NULL, diag);
}

sc_err sc_revoked_read(const char *path, sc_revoked **out, sc_diag *diag)
{
    sc_input file;
    sc_err err = revoked_file(path, &file, diag);
    if (err) return err;
    const sc_input nothing = {.name = "", .data = (const uint8_t *)""};
    err = sc__revoked_parse(file.data ? &file : &nothing, out, diag);
    sc__small_file_free(&file);
    return err;
}

void sc_revoked_free(sc_revoked *revoked)
{
    if (!revoked) return;
    sc_hash_fini(&revoked->serials);
    sc_hash_fini(&revoked->users);
    sc_free(revoked->before);
    sc_free(revoked);
}

size_t sc_revoked_count(const sc_revoked *revoked)
{
    return revoked->serials.count + revoked->users.count;
}

bool sc_revoked_has(const sc_revoked *revoked, const sc_token_keys *keys, const sc_token *token)
{
    if (sc_hash_get(&revoked->serials, serial_key(token->serial), NOT_FOUND) != NOT_FOUND) {
        return true;
    }
    // Hashing is for lists that have users: most have none, and every request is looked up.
    for (size_t i = 0; revoked->users.count > 0 && i < keys->count; i++) {
        uint8_t hash[SC__USER_HASH_SIZE];
        sc__user_hash(keys, i, token->user, token->user_size, hash);
        const uint32_t place = sc_hash_get(&revoked->users, user_key(hash), NOT_FOUND);
        if (place != NOT_FOUND && token->issued_s < revoked->before[place]) return true;
    }
    return false;
}

// --- Adding ------------------------------------------------------------------------------------
//
// The list is written again as a whole and replaces the old one in one step. Two processes that add
// at the same time would each write what the other has not seen; so adding holds a lock on the
// directory, which needs no file of its own and is released when the process ends.

/** The directory of `path`, locked; -1 where that is not possible: then there is no waiting. */
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

static bool is_same(const revocation *a, const revocation *b)
{
    if (a->kind != b->kind) return false;  // comments are never the same as what is added
    return a->kind == REVOKES_TOKEN ? a->serial == b->serial
                                    : memcmp(a->user_hash, b->user_hash, sizeof a->user_hash) == 0;
}

static void put_line(FILE *stream, const revocation *line)
{
    if (line->kind == REVOKES_TOKEN) {
        fprintf(stream, "serial %016" PRIx64 " until %" PRId64 "\n", line->serial, line->time_s);
    } else {
        char hex[2 * SC__USER_HASH_SIZE + 1];
        sodium_bin2hex(hex, sizeof hex, line->user_hash, sizeof line->user_hash);
        fprintf(stream, "user %s before %" PRId64 "\n", hex, line->time_s);
    }
}

/** The lines that are still of use. Those that `added` repeats are left out. */
static sc_err copy_lines(FILE *stream, const sc_input *old, revocation *added, int64_t now_s,
                         sc_diag *diag)
{
    sc_lines lines = sc_lines_of(old);
    for (sc_slice text; sc_lines_next(&lines, &text);) {
        revocation line;
        const sc_err err = revocation_parse(&lines, text, &line, diag);
        if (err) return err;
        if (line.kind == REVOKES_TOKEN && line.time_s <= now_s) continue;
        if (is_same(&line, added)) {
            if (line.time_s > added->time_s) added->time_s = line.time_s;
            continue;
        }
        fwrite(text.text, 1, text.size, stream);
        fputc('\n', stream);
    }
    return SC_OK;
}

static sc_err put_all(FILE *stream, const sc_input *old, revocation added, int64_t now_s,
                      sc_diag *diag)
{
    static const char heading[] =
        "# StarCloak: revoked tokens. The service reads this list when it starts, and on SIGHUP.\n";
    if (old->data) {
        const sc_err err = copy_lines(stream, old, &added, now_s, diag);
        if (err) return err;
    } else {
        fputs(heading, stream);
    }
    if (added.kind == REVOKES_USER || added.time_s > now_s) put_line(stream, &added);
    return SC_OK;
}

static sc_err rewrite(const char *path, const revocation *added, int64_t now_s, sc_diag *diag)
{
    sc_input old;
    sc_outfile out = {0};
    sc_err err = revoked_file(path, &old, diag);
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
    revocation added = {.kind = REVOKES_USER, .time_s = now_s + 1};
    if (!user) {
        added = (revocation){
            .kind = REVOKES_TOKEN, .serial = token->serial, .time_s = token->expires_s};
    } else if (sc__user_is_name(user, strlen(user))) {
        sc__user_hash(keys, 0, user, strlen(user), added.user_hash);
    } else {
        return sc_fail(
            diag, SC_EINVAL,
            "the name of a user must be 1 to %d bytes of UTF-8 without control characters",
            SC_TOKEN_USER_MAX);
    }
    const int lock = lock_directory(path);
    const sc_err err = rewrite(path, &added, now_s, diag);
    if (lock >= 0) close(lock);
    return err;
}
