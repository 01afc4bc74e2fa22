// Tokens, one after the other in one block. See tokens.h.
#include "demo/loadgen/tokens.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/text.h"
#include "server/token.h"

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

sc_err sc_tokens_gather(uint32_t count, sc_token_issuer issue, void *context, sc_tokens **out,
                        sc_diag *diag)
{
    sc_tokens *tokens = make_room(count);
    if (!tokens) return sc_fail_memory(diag, "taking in tokens");
    while (tokens->count < count) {
        const sc_err err = issue(context, tokens->count, tokens->texts[tokens->count], diag);
        if (err) {
            sc_tokens_free(tokens);
            return err;
        }
        tokens->count++;
    }
    *out = tokens;
    return SC_OK;
}

/** Who signs, and for how long. */
typedef struct issuing {
    sc_token_keys *keys;
    int64_t now_s;
    int64_t end_s;
} issuing;

static sc_err issue_by_key(void *context, uint32_t i, char *out, sc_diag *diag)
{
    const issuing *by = context;
    char user[32];
    snprintf(user, sizeof user, "load-%" PRIu32, i + 1);
    return sc_token_issue(by->keys, user, by->now_s, by->end_s, out, diag);
}

sc_err sc_tokens_issue(const char *key_path, uint32_t count, double seconds, sc_tokens **out,
                       sc_diag *diag)
{
    issuing by = {.now_s = time(NULL)};
    by.end_s = by.now_s + 1 + (int64_t)seconds;
    sc_err err = sc_token_keys_read(key_path, &by.keys, diag);
    if (!err) err = sc_tokens_gather(count, issue_by_key, &by, out, diag);
    sc_token_keys_free(by.keys);
    return err;
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
