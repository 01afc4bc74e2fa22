// The text of requests, written without a library since there are thousands a second; and the
// tokens that they carry.
#include "demo/loadgen/request_text.h"

#include "base/alloc.h"
#include "base/diag.h"
#include "base/json_write.h"
#include "base/text.h"
#include "demo/loadgen/loadgen.h"
#include "server/token.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** A tenth of a millimetre on the globe: no answer differs by it. */
#define DECIMALS 9

/** Room for the head in front of a body. */
enum { HEAD_SIZE = 2048 };

struct sc__request_writer {
    const sc_map *map;
    const sc_target *target;
    uint32_t category_count;
    char **categories;  ///< names, quoted and escaped
};

static char *quoted(const char *name)
{
    const size_t size = strlen(name);
    char *text = sc_malloc(SC_JSON_ESCAPED(size) + 1);
    if (text) text[sc_json_escape(name, size, text)] = '\0';
    return text;
}

sc_err sc__request_writer_new(const sc_map *map, const sc_target *target, sc__request_writer **out)
{
    sc__request_writer *writer = sc_calloc(1, sizeof *writer);
    if (!writer) return SC_ENOMEM;
    writer->map = map;
    writer->target = target;
    writer->category_count = sc_map_category_count(map);
    writer->categories = sc_calloc(writer->category_count, sizeof *writer->categories);
    sc_err err = writer->categories ? SC_OK : SC_ENOMEM;
    for (uint32_t i = 0; !err && i < writer->category_count; i++) {
        writer->categories[i] = quoted(sc_map_category_name(map, i));
        if (!writer->categories[i]) err = SC_ENOMEM;
    }
    if (err) {
        sc__request_writer_free(writer);
        return err;
    }
    *out = writer;
    return SC_OK;
}

void sc__request_writer_free(sc__request_writer *writer)
{
    if (!writer) return;
    for (uint32_t i = 0; writer->categories && i < writer->category_count; i++) {
        sc_free(writer->categories[i]);
    }
    sc_free(writer->categories);
    sc_free(writer);
}

/** snprintf() behind what is there; what does not fit is cut. */
SC_PRINTF(3, 4)
static void append(char *out, size_t *size, const char *format, ...)
{
    const size_t room = SC__REQUEST_SIZE - HEAD_SIZE - *size;
    va_list arguments;
    va_start(arguments, format);
    const int count = vsnprintf(out + *size, room, format, arguments);
    va_end(arguments);
    if (count > 0) *size += (size_t)count < room ? (size_t)count : room - 1;
}

static void append_position(const sc__request_writer *writer, const sc__client_query *question,
                            char *out, size_t *size)
{
    const sc_coords coords = sc_map_coords(writer->map);
    if (coords == SC_COORDS_NONE) {
        append(out, size, "{\"edge\":%" PRIu32 ",\"offset_m\":%.*f}", question->edge, DECIMALS,
               question->offset_m);
        return;
    }
    double x = 0;
    double y = 0;
    const bool is_geographic = coords == SC_COORDS_GEOGRAPHIC;
    sc_map_edge_position(writer->map, question->edge, question->offset_m, &x, &y);
    append(out, size, "{\"%s\":%.*f,\"%s\":%.*f}", is_geographic ? "lon" : "x", DECIMALS, x,
           is_geographic ? "lat" : "y", DECIMALS, y);
}

/** Put the head in front of the body, which begins at out + HEAD_SIZE. */
static size_t put_head(const sc__request_writer *writer, const char *token, char *out,
                       size_t body_size)
{
    char head[HEAD_SIZE];
    const int size =
        snprintf(head, sizeof head,
                 "POST %s/v1/queries HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n"
                 "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                 writer->target->path, writer->target->host, token, body_size);
    // Path, host and token are bounded, together below HEAD_SIZE.
    const size_t head_size = size > 0 && size < HEAD_SIZE ? (size_t)size : 0;
    memmove(out + head_size, out + HEAD_SIZE, body_size);
    memcpy(out, head, head_size);
    return head_size + body_size;
}

size_t sc__request_writer_query(const sc__request_writer *writer, const char *token,
                                const sc__client_query *question, char *out)
{
    char *body = out + HEAD_SIZE;
    size_t size = 0;
    append(body, &size, "{\"position\":");
    append_position(writer, question, body, &size);
    append(body, &size,
           ",\"profile\":{\"k\":%" PRIu32 ",\"l\":%" PRIu32 ",\"max_hops\":%" PRIu32
           ",\"max_wait_s\":%.6f},\"request\":{\"type\":\"knn\",\"metric\":\"%s\",\"k\":%" PRIu32,
           question->profile.k, question->profile.l, question->profile.max_hops,
           (double)question->profile.max_wait_us * 1e-6, sc_metric_name(question->metric),
           question->nearest);
    if (question->category < writer->category_count) {
        append(body, &size, ",\"categories\":[%s]", writer->categories[question->category]);
    }
    append(body, &size, "}}");
    return put_head(writer, token, out, size);
}

size_t sc__request_writer_post(const sc__request_writer *writer, const char *token,
                               const char *body, size_t body_size, char *out)
{
    const size_t room = SC__REQUEST_SIZE - HEAD_SIZE;
    const size_t size = body_size < room ? body_size : room;
    memcpy(out + HEAD_SIZE, body, size);
    return put_head(writer, token, out, size);
}

/** A number as it is after having been written down. */
static double as_told(double number)
{
    char text[400];
    snprintf(text, sizeof text, "%.*f", DECIMALS, number);
    return strtod(text, NULL);
}

sc_err sc__request_writer_position(const sc__request_writer *writer, const sc_map *map,
                                   const sc__client_query *question, sc_edge_id *edge,
                                   double *offset_m)
{
    if (sc_map_coords(writer->map) == SC_COORDS_NONE) {
        *edge = question->edge;
        *offset_m = as_told(question->offset_m);
        return SC_OK;
    }
    double x = 0;
    double y = 0;
    sc_snap snap;
    sc_map_edge_position(writer->map, question->edge, question->offset_m, &x, &y);
    const sc_err err = sc_map_snap(map, as_told(x), as_told(y), HUGE_VAL, &snap);
    if (err) return err;
    *edge = snap.edge;
    *offset_m = snap.offset_m;
    return SC_OK;
}

// === Tokens =====================================================================================
//
// They lie one after the other in one block.

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
    if (!tokens) return sc_fail_memory(diag, "reading tokens");
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
            return sc_lines_fail_line(&lines, diag, "this is not a token; tokens begin with sct1_");
        }
        memcpy(tokens->texts[tokens->count++], line.text, line.size);
    }
    if (tokens->count == count) return SC_OK;
    return sc_fail(diag, SC_EINVAL,
                   "%s: the file has %" PRIu32 " tokens, but each of %" PRIu32
                   " travellers needs one; give --travellers %" PRIu32,
                   input->name, tokens->count, count, tokens->count);
}

sc_err sc_tokens_read(const char *path, uint32_t count, sc_tokens **out, sc_diag *diag)
{
    sc_file file;
    sc_err err = sc_file_open(path, &file, diag);
    if (err) return err;
    sc_tokens *tokens = make_room(count);
    err = !tokens ? sc_fail_memory(diag, "reading tokens")
                  : read_all(&file.input, count, tokens, diag);
    sc_file_close(&file);
    if (err) {
        sc_tokens_free(tokens);
        return err;
    }
    *out = tokens;
    return SC_OK;
}
