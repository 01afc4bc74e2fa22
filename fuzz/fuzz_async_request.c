// Door: what requests say about queries with a life of their own: the headers Prefer and
// Idempotency-Key, the parameters of a look, and the path with the id.
//
// The input is cut at line feeds into these four, in this order; a missing header is none. What is
// accepted is what was said: a key without another letter in it, times within their bounds, an id
// that is written as it was read.
#include "api/async_request.h"
#include "door.h"

#include <string.h>

enum { MAX_POLL_S = 30 };

/** The next line of the input, as a text of exactly its size; free() it. */
static char *take_line(const uint8_t **data, size_t *size)
{
    const uint8_t *end = *size > 0 ? memchr(*data, '\n', *size) : NULL;
    const size_t length = end ? (size_t)(end - *data) : *size;
    char *text = malloc(length + 1);
    if (!text) abort();
    size_t kept = 0;
    for (size_t i = 0; i < length; i++) {
        if ((*data)[i] != '\0') text[kept++] = (char)(*data)[i];
    }
    text[kept] = '\0';
    *data += length + (end != NULL);
    *size -= length + (end != NULL);
    // What lies behind its end must not be looked at.
    char *exact = (char *)door_copy((const uint8_t *)text, kept + 1);
    free(text);
    return exact;
}

static void check_refusal(const sc_problem *problem)
{
    DOOR_PROMISE(problem->detail[0] != '\0', "a refusal says why");
    for (const char *c = problem->detail; *c; c++) {
        DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "in words that can be printed");
    }
}

static void try_headers(const char *prefer, const char *key)
{
    sc_async_headers headers;
    sc_problem problem;
    if (!sc__async_headers_parse(prefer, key, &headers, &problem)) {
        DOOR_PROMISE(key != NULL, "a key is refused that is not there");
        check_refusal(&problem);
        return;
    }
    DOOR_PROMISE(headers.wait_s >= 0.0 && headers.wait_s < 1e9, "a time is out of bounds");
    DOOR_PROMISE(headers.has_wait || headers.wait_s == 0.0, "a time that nobody gave");
    if (!headers.key) return;
    DOOR_PROMISE(headers.key_size >= 1 && headers.key_size <= SC_ASYNC_KEY_MAX,
                 "the size of a key");
    for (size_t i = 0; i < headers.key_size; i++) {
        DOOR_PROMISE(headers.key[i] > ' ' && headers.key[i] <= '~',
                     "a key with an invisible letter");
    }
}

static void try_look(const char *search)
{
    sc_async_look look;
    sc_problem problem;
    if (!sc_async_look_parse(search, MAX_POLL_S, &look, &problem)) {
        check_refusal(&problem);
        return;
    }
    DOOR_PROMISE(look.wait_s >= 0.0 && look.wait_s <= MAX_POLL_S, "a wait is out of bounds");
    DOOR_PROMISE(!look.has_known || look.known < SC_ASYNC_STATE_COUNT,
                 "a state that does not exist");
}

static void try_path(const char *path, size_t size)
{
    sc_async_id id;
    if (!sc_async_path_read(path, size, &id)) return;
    char text[SC_ASYNC_ID_TEXT];
    sc_async_id_write(&id, text);
    DOOR_PROMISE(strcmp(path + strlen(sc_async_path), text) == 0, "an id is written in two ways");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    char *texts[4];
    for (unsigned i = 0; i < 4; i++) {
        texts[i] = take_line(&data, &size);
    }
    try_headers(texts[0], *texts[1] ? texts[1] : NULL);
    try_look(texts[2]);
    try_path(texts[3], SC_ASYNC_RANDOM_SIZE);
    try_path(texts[3], SC_ASYNC_ID_MAX);
    for (unsigned i = 0; i < 4; i++) {
        free(texts[i]);
    }
    return 0;
}
