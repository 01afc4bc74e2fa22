// Door: tokens, files of keys, lists of revoked tokens.
//
// The first byte says what the rest is: 't' the text of a token, 's' the bytes of one, to which the
// fuzzer adds the right tag, since no mutation finds it; 'k' a file of keys; 'r' a list of revoked
// tokens. A token that is let in says what a token can say, and its text is the only one that says
// so. Files are refused in one line that repeats nothing of them, or have what they may have.
#include "door.h"

#include "server/token_internal.h"

#include <sodium.h>

enum { TAG_SIZE = 16, BYTES_MAX = 24 + SC_TOKEN_USER_MAX + TAG_SIZE };

static sc_token_keys *fixed_keys(void)
{
    static sc_token_keys *keys = NULL;
    if (!keys && sc_token_keys_new(&keys)) abort();
    memset(keys->keys[0], 7, sizeof keys->keys[0]);
    return keys;
}

// --- Tokens ----------------------------------------------------------------------

/** Sign `said` and write it as a token. */
static void seal(const uint8_t *said, size_t size, char out[SC_TOKEN_SIZE])
{
    static const char mark[5] = {'s', 'c', 't', '1', '_'};
    uint8_t bytes[4 + BYTES_MAX];
    memcpy(bytes, mark, 4);
    memcpy(bytes + 4, said, size);
    crypto_generichash(bytes + 4 + size, TAG_SIZE, bytes, 4 + size, fixed_keys()->keys[0],
                       sizeof fixed_keys()->keys[0]);
    memcpy(out, mark, 5);
    sodium_bin2base64(out + 5, SC_TOKEN_SIZE - 5, bytes + 4, size + TAG_SIZE,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static void put_u64(uint8_t *out, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++) {
        out[i] = (uint8_t)(value >> (8 * i));
    }
}

static void check_accepted(const sc_token *token, const char *text)
{
    DOOR_PROMISE(token->user_size == strlen(token->user), "a user ends with its NUL");
    DOOR_PROMISE(sc__user_is_name(token->user, token->user_size), "a user is a name");
    DOOR_PROMISE(token->issued_s >= 0 && token->issued_s < token->expires_s,
                 "a token ends after it begins");
    uint8_t said[BYTES_MAX];
    char again[SC_TOKEN_SIZE];
    put_u64(said, (uint64_t)token->issued_s);
    put_u64(said + 8, (uint64_t)token->expires_s);
    put_u64(said + 16, token->serial);
    memcpy(said + 24, token->user, token->user_size);
    seal(said, 24 + token->user_size, again);
    DOOR_PROMISE(strcmp(again, text) == 0, "no other text says the same");
}

static void try_token(const char *text, bool is_sealed)
{
    sc_token token;
    const sc_err err = sc_token_check(fixed_keys(), text, &token);
    DOOR_PROMISE(!err || err == SC_EPARSE || err == SC_EBROKEN, "there are two ways to be refused");
    DOOR_PROMISE(!is_sealed || err != SC_EBROKEN, "what is signed is signed");
    if (!err) check_accepted(&token, text);
    sc_token seen;
    const sc_err read = sc_token_read(text, &seen);
    DOOR_PROMISE(err || !read, "what is let in can be read");
    if (!err) DOOR_PROMISE(seen.serial == token.serial, "and reads the same");
}

static void try_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    try_token(text, false);
    free(text);
}

static void try_bytes(const uint8_t *data, size_t size)
{
    char text[SC_TOKEN_SIZE];
    if (size > BYTES_MAX - TAG_SIZE) return;
    seal(data, size, text);
    try_token(text, true);
}

// --- Files -----------------------------------------------------------------------

/** A refusal names the file and its line, and repeats nothing that could be a key or a serial. */
static void check_refused(sc_err err, const sc_diag *diag, const sc_input *input)
{
    door_refused(err, diag, input, 1);
    size_t digits = 0;
    for (const char *c = diag->message; *c; c++) {
        DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "a terminal can be given a refusal");
        digits = strchr("0123456789abcdefABCDEF", *c) ? digits + 1 : 0;
        DOOR_PROMISE(digits < 10, "a refusal does not repeat what stands in the file");
    }
}

static void try_keys(const sc_input *input)
{
    sc_token_keys *keys = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__token_keys_parse(input, &keys, &diag);
    if (err) {
        DOOR_PROMISE(!keys, "a refusal leaves nothing behind");
        check_refused(err, &diag, input);
    } else {
        char text[SC_TOKEN_SIZE];
        sc_token token;
        DOOR_PROMISE(keys->count >= 1 && keys->count <= SC_TOKEN_KEYS_MAX, "there are some keys");
        DOOR_PROMISE(!sc_token_issue(keys, "ann", 1, 2, text, NULL), "the first one signs");
        DOOR_PROMISE(!sc_token_check(keys, text, &token), "and is accepted");
    }
    sc_token_keys_free(keys);
}

static void try_revoked(const sc_input *input)
{
    sc_revoked *list = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__revoked_parse(input, &list, &diag);
    if (err) {
        DOOR_PROMISE(!list, "a refusal leaves nothing behind");
        check_refused(err, &diag, input);
    } else {
        // The shortest line that revokes something has 32 bytes with its end.
        DOOR_PROMISE(sc_revoked_count(list) <= input->size / 31, "lines revoke once");
        sc_token token = {
            .issued_s = 1, .user = "ann", .user_size = 3, .serial = 0x1122334455667788};
        const bool is_revoked = sc_revoked_has(list, fixed_keys(), &token);
        DOOR_PROMISE(!is_revoked || sc_revoked_count(list) > 0, "an empty list revokes nothing");
        const bool is_named =
            input->size > 0 && (memmem(input->data, input->size, "1122334455667788", 16));
        const bool is_user = input->size > 0 && memmem(input->data, input->size, "user", 4);
        DOOR_PROMISE(!is_revoked || is_named || is_user, "only what stands there is revoked");
    }
    sc_revoked_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > DOOR_MAX_SIZE) return 0;
    uint8_t *copy = door_copy(data + 1, size - 1);
    const sc_input input = {"file.txt", copy, size - 1};
    switch (data[0]) {
    case 't':
        try_text(copy, input.size);
        break;
    case 's':
        try_bytes(copy, input.size);
        break;
    case 'k':
        try_keys(&input);
        break;
    case 'r':
        try_revoked(&input);
        break;
    default:
        break;
    }
    free(copy);
    return 0;
}
