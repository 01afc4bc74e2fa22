// Tokens, one after the other in one block. See tokens.h.
#include "client/tokens.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "guard/token.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct sc_tokens {
    uint32_t count;
    char (*texts)[SC_TOKEN_SIZE];
};

/** Room for `count` of them; NULL if memory is out. */
static sc_tokens *make_room(uint32_t count)
{
    sc_tokens *tokens = sc_calloc(1, sizeof *tokens);
    if (!tokens) return NULL;
    tokens->texts = sc_calloc(count, sizeof *tokens->texts);
    if (tokens->texts) return tokens;
    sc_free(tokens);
    return NULL;
}

void sc_tokens_free(sc_tokens *tokens)
{
    if (!tokens) return;
    explicit_bzero(tokens->texts, tokens->count * sizeof *tokens->texts);
    sc_free(tokens->texts);
    sc_free(tokens);
}

const char *sc_tokens_at(const sc_tokens *tokens, uint32_t i)
{
    return tokens->texts[i];
}

static sc_err issue_all(const sc_token_keys *keys, sc_tokens *tokens, uint32_t count,
                        double seconds, sc_diag *diag)
{
    const int64_t now_s = time(NULL);
    for (uint32_t i = 0; i < count; i++) {
        char user[32];
        snprintf(user, sizeof user, "load-%" PRIu32, i + 1);
        const sc_err err =
            sc_token_issue(keys, user, now_s, now_s + 1 + (int64_t)seconds, tokens->texts[i], diag);
        if (err) return err;
        tokens->count = i + 1;
    }
    return SC_OK;
}

sc_err sc_tokens_issue(const char *key_path, uint32_t count, double seconds, sc_tokens **out,
                       sc_diag *diag)
{
    sc_token_keys *keys = NULL;
    sc_tokens *tokens = NULL;
    sc_err err = sc_token_keys_read(key_path, &keys, diag);
    if (!err) tokens = make_room(count);
    if (!err && !tokens) err = sc_fail_memory(diag, "taking in tokens");
    if (tokens) err = issue_all(keys, tokens, count, seconds, diag);
    sc_token_keys_free(keys);
    if (err) {
        sc_tokens_free(tokens);
        return err;
    }
    *out = tokens;
    return SC_OK;
}

/** Whether it can stand in a header: printable, without blanks. */
static bool is_plain(sc_slice text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (text.text[i] <= ' ' || text.text[i] > '~') return false;
    }
    return true;
}

static sc_err read_all(const sc_input *input, uint32_t count, sc_tokens *tokens, sc_diag *diag)
{
    sc_lines lines = sc_lines_of(input);
    sc_slice line;
    while (tokens->count < count && sc_lines_next(&lines, &line)) {
        if (line.size == 0 || line.text[0] == '#') continue;
        if (line.size >= SC_TOKEN_SIZE || !is_plain(line)) {
            return sc_lines_fail_line(&lines, diag, "this is not a token");
        }
        memcpy(tokens->texts[tokens->count++], line.text, line.size);
    }
    if (tokens->count == count) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "%s: there are %" PRIu32 " tokens, and each of %" PRIu32
                   " travellers needs one; give --travellers %" PRIu32,
                   input->name, tokens->count, count, tokens->count);
}

sc_err sc_tokens_read(const char *path, uint32_t count, sc_tokens **out, sc_diag *diag)
{
    sc_file file;
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    sc_tokens *tokens = make_room(count);
    err = !tokens ? sc_fail_memory(diag, "taking in tokens")
                  : read_all(&file.input, count, tokens, diag);
    sc_file_close(&file);
    if (err) {
        sc_tokens_free(tokens);
        return err;
    }
    *out = tokens;
    return SC_OK;
}
