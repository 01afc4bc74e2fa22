// The list of revoked tokens: read, and asked. See revoked.h; revoked_add.c writes it.
#include "server/revoked_internal.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/hash.h"

#include <errno.h>
#include <inttypes.h>
#include <sodium.h>
#include <string.h>
#include <sys/stat.h>

/** Lines that revoke. Whoever revokes more should change the key. */
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

// --- Lines -----------------------------------------------------------------------

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

sc_err sc__revocation_parse(const sc_lines *lines, sc_slice line, sc__revocation *out,
                            sc_diag *diag)
{
    *out = (sc__revocation){.kind = SC__REVOKES_NOTHING};
    sc_slice word;
    sc_slice id;
    if (!sc_slice_field(&line, &word) || word.text[0] == '#') return SC_OK;
    const bool has_id = sc_slice_field(&line, &id);
    uint8_t serial[8];
    if (sc_slice_is(word, "serial")) {
        if (!has_id || !is_hex(id, 2 * sizeof serial) || !take_time(&line, "until", &out->time_s)) {
            return sc_lines_fail_line(
                lines, diag,
                "not 'serial', 16 hexadecimal digits, 'until' and a second since 1970");
        }
        hex_to_bytes(id, serial, sizeof serial);
        out->serial = big_endian(serial);
        out->kind = SC__REVOKES_TOKEN;
    } else if (sc_slice_is(word, "user")) {
        if (!has_id || !is_hex(id, (size_t)2 * SC__USER_HASH_SIZE) ||
            !take_time(&line, "before", &out->time_s)) {
            return sc_lines_fail_line(
                lines, diag, "not 'user', 32 hexadecimal digits, 'before' and a second since 1970");
        }
        hex_to_bytes(id, out->user_hash, sizeof out->user_hash);
        out->kind = SC__REVOKES_USER;
    } else {
        return sc_lines_fail_line(lines, diag,
                                  "begins with neither 'serial' nor 'user' nor '#', and a list of "
                                  "revoked tokens has no other lines");
    }
    return SC_OK;
}

// --- The whole list --------------------------------------------------------------

static sc_err add_user(sc_revoked *list, const sc__revocation *line)
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

static sc_err add(sc_revoked *list, const sc__revocation *line)
{
    uint32_t place = 0;
    switch (line->kind) {
    case SC__REVOKES_TOKEN:
        return sc_hash_put(&list->serials, serial_key(line->serial), 0, &place);
    case SC__REVOKES_USER:
        return add_user(list, line);
    case SC__REVOKES_NOTHING:
        break;
    }
    return SC_OK;
}

static sc_err parse_lines(const sc_input *input, sc_revoked *list, sc_diag *diag)
{
    sc_err err = SC_OK;
    sc_lines lines = sc_lines_of(input);
    for (sc_slice text; !err && sc_lines_next(&lines, &text);) {
        sc__revocation line;
        err = sc__revocation_parse(&lines, text, &line, diag);
        if (err) return err;
        if (sc_revoked_count(list) == REVOKED_MAX && line.kind != SC__REVOKES_NOTHING) {
            return sc_fail(diag, SC_ELIMIT,
                           "%s:%" PRIu64 ": more than %d tokens and users are revoked; a new key "
                           "in place of the old one revokes all tokens at once",
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

sc_err sc__revoked_file(const char *path, sc_input *out, sc_diag *diag)
{
    struct stat status;
    if (!path || (stat(path, &status) != 0 && errno == ENOENT)) {
        *out = (sc_input){.name = path};
        return SC_OK;
    }
    return sc__small_file_read(path, SC__REVOKED_FILE_MAX, out, NULL, diag);
}

sc_err sc_revoked_read(const char *path, sc_revoked **out, sc_diag *diag)
{
    sc_input file;
    sc_err err = sc__revoked_file(path, &file, diag);
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
    if (sc_hash_get(&revoked->serials, serial_key(token->serial), SC__NOT_THERE) != SC__NOT_THERE) {
        return true;
    }
    // Hashing is for lists that have users: most have none, and every request is looked up.
    for (size_t i = 0; revoked->users.count > 0 && i < keys->count; i++) {
        uint8_t hash[SC__USER_HASH_SIZE];
        sc__user_hash(keys, i, token->user, token->user_size, hash);
        const uint32_t place = sc_hash_get(&revoked->users, user_key(hash), SC__NOT_THERE);
        if (place != SC__NOT_THERE && token->issued_s < revoked->before[place]) return true;
    }
    return false;
}
