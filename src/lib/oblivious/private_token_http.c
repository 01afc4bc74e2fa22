// PrivateToken in HTTP fields, and directories of issuers.
//
// The grammar of WWW-Authenticate (RFC 9110, 11.6.1) is a list of challenges whose parameters are a
// list with the same commas: a word before a "=" is a parameter, any other one begins a challenge.
#include "oblivious/private_token_http.h"

#include "base/json_tree.h"
#include "base/json_write.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char scheme[] = "PrivateToken";

enum {
    BASE64 = sodium_base64_VARIANT_URLSAFE,
    KEY_TEXT = sodium_base64_ENCODED_LEN(SC_BLIND_RSA_SPKI_SIZE, sodium_base64_VARIANT_URLSAFE),
    TOKEN_TEXT = sodium_base64_ENCODED_LEN(SC_PASS_TOKEN_SIZE, sodium_base64_VARIANT_URLSAFE),
    CHALLENGE_TEXT =
        sodium_base64_ENCODED_LEN(SC_PASS_CHALLENGE_MAX, sodium_base64_VARIANT_URLSAFE),
};

_Static_assert(sizeof scheme + sizeof " token=\"\"" + TOKEN_TEXT <= SC_PASS_AUTHORIZATION_SIZE,
               "a token fits");
_Static_assert(sizeof scheme + sizeof " challenge=\"\", token-key=\"\", max-age=" + CHALLENGE_TEXT +
                       KEY_TEXT + 20 <=
                   SC_PASS_AUTHENTICATE_SIZE,
               "a challenge with its key fits");

/** All of a text, with its padding. */
static bool decode(const char *text, size_t size, uint8_t *out, size_t room, size_t *out_size)
{
    const char *end = NULL;
    return sodium_base642bin(out, room, text, size, NULL, out_size, &end, BASE64) == 0 &&
           end == text + size;
}

// --- Fields: words and parameters ----------------------------------------------------------------

typedef struct reader {
    const char *next;
    const char *end;
} reader;

typedef struct word {
    const char *text;
    size_t size;
} word;

static void skip_blanks(reader *r)
{
    while (r->next < r->end && (*r->next == ' ' || *r->next == '\t')) {
        r->next++;
    }
}

/** Blanks, and commas between or before elements of a list, of which there may be many (RFC 9110,
 * 5.6.1). */
static void skip_commas(reader *r)
{
    for (skip_blanks(r); r->next < r->end && *r->next == ','; skip_blanks(r)) {
        r->next++;
    }
}

/** Of a token, and the slash that base64 of other schemes has. */
static bool is_token_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~/", c));
}

static word read_word(reader *r)
{
    word w = {r->next, 0};
    while (r->next < r->end && is_token_byte(*r->next)) {
        r->next++;
    }
    w.size = (size_t)(r->next - w.text);
    return w;
}

static bool word_is(word w, const char *text)
{
    return w.size == strlen(text) && strncasecmp(w.text, text, w.size) == 0;
}

/** What stands between quotes. Nothing that is of use here has a backslash in it, so such a value
 * is read to its end as it stands. */
static bool read_quoted(reader *r, word *out)
{
    out->text = ++r->next;
    while (r->next < r->end && *r->next != '"') {
        const unsigned char c = (unsigned char)*r->next;
        if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
        r->next += *r->next == '\\' && r->end - r->next > 1 ? 2 : 1;
    }
    if (r->next >= r->end) return false;
    out->size = (size_t)(r->next++ - out->text);
    return true;
}

/** A value: quoted, or a token; base64 may end with "=", which clients do not always quote. */
static bool read_value(reader *r, word *out)
{
    if (r->next < r->end && *r->next == '"') return read_quoted(r, out);
    *out = read_word(r);
    while (r->next < r->end && *r->next == '=') {
        r->next++;
        out->size++;
    }
    return true;
}

/** One element of a list. */
typedef enum element { NOTHING_MORE, SCHEME, PARAMETER, WRONG } element;

/**
 * The next scheme, or the next parameter. Another scheme may have a text of base64 in the place of
 * its parameters (token68): that is taken for a parameter, or for a scheme without any, of which
 * neither means anything here.
 */
static element read_element(reader *r, word *name, word *value)
{
    skip_commas(r);
    if (r->next >= r->end) return NOTHING_MORE;
    *name = read_word(r);
    *value = (word){NULL, 0};
    const char *after_name = r->next;
    if (name->size == 0) return WRONG;
    skip_blanks(r);
    if (r->next >= r->end || *r->next == ',') return SCHEME;
    if (*r->next == '=') {
        r->next++;
        skip_blanks(r);
        if (!read_value(r, value)) return WRONG;
        skip_blanks(r);
        return r->next >= r->end || *r->next == ',' ? PARAMETER : WRONG;
    }
    // Another word follows: there must be a blank between them.
    return r->next > after_name ? SCHEME : WRONG;
}

// --- Authorization -------------------------------------------------------------------------------

void sc_pass_authorization_write(const uint8_t token[SC_PASS_TOKEN_SIZE],
                                 char out[SC_PASS_AUTHORIZATION_SIZE])
{
    char text[TOKEN_TEXT];
    sodium_bin2base64(text, sizeof text, token, SC_PASS_TOKEN_SIZE, BASE64);
    snprintf(out, SC_PASS_AUTHORIZATION_SIZE, "%s token=\"%s\"", scheme, text);
    sodium_memzero(text, sizeof text);
}

bool sc_pass_authorization_is_ours(const char *value, size_t size)
{
    reader r = {value, value + size};
    return word_is(read_word(&r), scheme);
}

sc_err sc_pass_authorization_parse(const char *value, size_t size,
                                   uint8_t token[SC_PASS_TOKEN_SIZE])
{
    reader r = {value, value + size};
    word name;
    word text;
    size_t token_size = 0;
    bool is_found = false;
    uint8_t read[SC_PASS_TOKEN_SIZE + 1];
    if (size > SC_PASS_HEADER_MAX || read_element(&r, &name, &text) != SCHEME ||
        !word_is(name, scheme)) {
        return SC_EPARSE;
    }
    element next = NOTHING_MORE;
    while ((next = read_element(&r, &name, &text)) == PARAMETER) {
        if (!word_is(name, "token")) continue;
        if (is_found || !decode(text.text, text.size, read, sizeof read, &token_size)) {
            return SC_EPARSE;
        }
        is_found = true;
    }
    sc_pass_token parsed;
    if (next != NOTHING_MORE || !is_found || sc_pass_token_parse(read, token_size, &parsed)) {
        return SC_EPARSE;
    }
    memcpy(token, read, SC_PASS_TOKEN_SIZE);
    sodium_memzero(read, sizeof read);
    return SC_OK;
}

// --- WWW-Authenticate ----------------------------------------------------------------------------

void sc_pass_authenticate_write(const sc_pass_offer *offer, char out[SC_PASS_AUTHENTICATE_SIZE])
{
    char challenge[CHALLENGE_TEXT];
    char key[KEY_TEXT];
    sodium_bin2base64(challenge, sizeof challenge, offer->challenge, offer->challenge_size, BASE64);
    size_t size =
        (size_t)snprintf(out, SC_PASS_AUTHENTICATE_SIZE, "%s challenge=\"%s\"", scheme, challenge);
    if (offer->has_key) {
        sodium_bin2base64(key, sizeof key, offer->key, sizeof offer->key, BASE64);
        size += (size_t)snprintf(out + size, SC_PASS_AUTHENTICATE_SIZE - size, ", token-key=\"%s\"",
                                 key);
    }
    if (offer->max_age_s >= 0) {
        snprintf(out + size, SC_PASS_AUTHENTICATE_SIZE - size, ", max-age=%lld",
                 (long long)offer->max_age_s);
    }
}

/** Seconds: digits, at most ten of them. */
static bool read_age(word text, int64_t *out)
{
    int64_t value = 0;
    if (text.size < 1 || text.size > 10) return false;
    for (size_t i = 0; i < text.size; i++) {
        if (text.text[i] < '0' || text.text[i] > '9') return false;
        value = 10 * value + (text.text[i] - '0');
    }
    *out = value;
    return true;
}

/** An offer that is being read. */
typedef struct reading {
    sc_pass_offer offer;
    bool is_ours;  ///< of our scheme
    bool is_bad;   ///< a parameter that cannot be read, or comes twice
    bool has_challenge;
    bool has_age;
} reading;

static void read_parameter(reading *r, word name, word value)
{
    size_t size = 0;
    if (word_is(name, "challenge")) {
        r->is_bad = r->is_bad || r->has_challenge ||
                    !decode(value.text, value.size, r->offer.challenge, sizeof r->offer.challenge,
                            &r->offer.challenge_size);
        r->has_challenge = true;
    } else if (word_is(name, "token-key")) {
        r->is_bad = r->is_bad || r->offer.has_key ||
                    !decode(value.text, value.size, r->offer.key, sizeof r->offer.key, &size) ||
                    size != sizeof r->offer.key;
        r->offer.has_key = true;
    } else if (word_is(name, "max-age")) {
        r->is_bad = r->is_bad || r->has_age || !read_age(value, &r->offer.max_age_s);
        r->has_age = true;
    }
}

/** Keeps an offer whose end was reached, if a client could meet it. */
static void finish(const reading *r, sc_pass_offer *out, size_t room, size_t *count)
{
    sc_pass_challenge challenge;
    if (r->is_ours && !r->is_bad && r->has_challenge && *count < room &&
        sc_pass_challenge_parse(r->offer.challenge, r->offer.challenge_size, &challenge) == SC_OK) {
        out[(*count)++] = r->offer;
    }
}

sc_err sc_pass_authenticate_parse(const char *value, size_t size, sc_pass_offer *out, size_t room,
                                  size_t *count)
{
    if (size > SC_PASS_HEADER_MAX) return SC_ELIMIT;
    reader r = {value, value + size};
    reading now = {.is_ours = false};
    size_t found = 0;
    bool is_within = false;
    for (;;) {
        word name;
        word text;
        const element next = read_element(&r, &name, &text);
        if (next == WRONG || (next == PARAMETER && !is_within)) return SC_EPARSE;
        if (next == PARAMETER) {
            read_parameter(&now, name, text);
            continue;
        }
        finish(&now, out, room, &found);
        if (next == NOTHING_MORE) break;
        now = (reading){.is_ours = word_is(name, scheme), .offer.max_age_s = -1};
        is_within = true;
    }
    *count = found;
    return SC_OK;
}

// --- Directories ---------------------------------------------------------------------------------

sc_err sc_pass_directory_write(const sc_pass_directory *directory, sc_bytes *out)
{
    char key[KEY_TEXT];
    sc_json_writer json = sc_json_writer_of(out);
    sc_json_open_object(&json, NULL);
    sc_json_put_string(&json, "issuer-request-uri", directory->request_uri);
    sc_json_open_array(&json, "token-keys");
    for (size_t i = 0; i < directory->count; i++) {
        const sc_pass_listed_key *listed = &directory->keys[i];
        sodium_bin2base64(key, sizeof key, listed->spki, sizeof listed->spki, BASE64);
        sc_json_open_object(&json, NULL);
        sc_json_put_count(&json, "token-type", SC_PASS_TYPE);
        sc_json_put_string(&json, "token-key", key);
        if (listed->not_before_s >= 0) {
            sc_json_put_signed(&json, "not-before", listed->not_before_s);
        }
        sc_json_close_object(&json);
    }
    sc_json_close_array(&json);
    sc_json_close_object(&json);
    return json.has_failed ? SC_ENOMEM : SC_OK;
}

/** One key; it is kept if it is of type 2. */
static sc_err read_listed_key(const sc_json_value *from, sc_pass_directory *out)
{
    const sc_json_value *type = sc_json_member(from, "token-type");
    const sc_json_value *text = sc_json_member(from, "token-key");
    const sc_json_value *not_before = sc_json_member(from, "not-before");
    sc_pass_listed_key *key = &out->keys[out->count];
    size_t size = 0;
    if (!sc_json_is_object(from) || !type || !sc_json_is_integer(type) || !text ||
        !sc_json_is_string(text)) {
        return SC_EPARSE;
    }
    if (sc_json_integer(type) != SC_PASS_TYPE) return SC_OK;
    if (out->count == SC_PASS_DIRECTORY_KEYS_MAX) return SC_ELIMIT;
    if (!decode(sc_json_text_at(text), sc_json_text_size(text), key->spki, sizeof key->spki,
                &size) ||
        size != sizeof key->spki) {
        return SC_EPARSE;
    }
    key->not_before_s = -1;
    if (not_before) {
        if (!sc_json_is_integer(not_before) || sc_json_integer(not_before) < 0) return SC_EPARSE;
        key->not_before_s = sc_json_integer(not_before);
    }
    out->count++;
    return SC_OK;
}

static sc_err read_directory(const sc_json_value *root, sc_pass_directory *out)
{
    const sc_json_value *uri = sc_json_member(root, "issuer-request-uri");
    const sc_json_value *keys = sc_json_member(root, "token-keys");
    if (!sc_json_is_object(root) || !uri || !sc_json_is_string(uri) || !keys ||
        !sc_json_is_array(keys) || sc_json_text_size(uri) == 0) {
        return SC_EPARSE;
    }
    if (sc_json_text_size(uri) > SC_PASS_URI_MAX) return SC_ELIMIT;
    memset(out, 0, sizeof *out);
    memcpy(out->request_uri, sc_json_text_at(uri), sc_json_text_size(uri));
    if (strlen(out->request_uri) != sc_json_text_size(uri)) return SC_EPARSE;
    sc_err err = SC_OK;
    for (size_t i = 0; i < sc_json_size(keys) && !err; i++) {
        err = read_listed_key(sc_json_at(keys, i), out);
    }
    return err;
}

sc_err sc_pass_directory_parse(const char *text, size_t size, sc_pass_directory *out)
{
    if (size > SC_PASS_DIRECTORY_MAX) return SC_ELIMIT;
    sc_json_tree tree = {0};
    sc_json_error error;
    sc_pass_directory read;
    sc_err err = sc_json_tree_read(text, size, &tree, &error);
    if (err) return err;
    err = read_directory(tree.root, &read);
    sc_json_tree_fini(&tree);
    if (!err) *out = read;
    return err;
}

const sc_pass_listed_key *sc_pass_directory_choose(const sc_pass_directory *directory,
                                                   int64_t now_s)
{
    for (size_t i = 0; i < directory->count; i++) {
        if (directory->keys[i].not_before_s <= now_s) return &directory->keys[i];
    }
    return NULL;
}
