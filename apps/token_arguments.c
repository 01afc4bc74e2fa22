// Tokens from where people have them.
#include "token_arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/** More on one command line, or in one input, is a mistake. */
enum { TOKENS_MAX = 100000 };

/** Take `size` bytes of `text` down as one more. */
static sc_err take_down(sc_token_texts *texts, const char *text, size_t size, sc_diag *diag)
{
    char **larger = texts->count < TOKENS_MAX
                        ? realloc(texts->texts, (texts->count + 1) * sizeof(*larger))
                        : NULL;
    if (larger) texts->texts = larger;
    char *copy = larger ? strndup(text, size) : NULL;
    if (!copy) {
        snprintf(diag->message, sizeof(diag->message), "too many tokens at a time");
        return SC_ENOMEM;
    }
    texts->texts[texts->count++] = copy;
    return SC_OK;
}

/** A line of standard input, without blanks around it; empty lines are passed over. */
static sc_err take_line(sc_token_texts *texts, char *line, size_t size, sc_diag *diag)
{
    static const char blanks[] = " \t\r\n";
    const size_t before = strspn(line, blanks);
    while (size > before && strchr(blanks, line[size - 1])) {
        size--;
    }
    return size > before ? take_down(texts, line + before, size - before, diag) : SC_OK;
}

static sc_err read_lines(sc_token_texts *texts, sc_diag *diag)
{
    // Room for the longest token and some blanks; what is longer is none, and comes in pieces that
    // are none either.
    char line[2 * SC_TOKEN_SIZE];
    sc_err err = SC_OK;
    while (!err && fgets(line, sizeof(line), stdin)) {
        err = take_line(texts, line, strlen(line), diag);
    }
    explicit_bzero(line, sizeof(line));
    if (!err && ferror(stdin)) {
        snprintf(diag->message, sizeof(diag->message), "reading standard input failed: %s",
                 strerror(errno));
        err = SC_EIO;
    }
    return err;
}

sc_err sc_token_texts_add(sc_token_texts *texts, const char *argument, sc_diag *diag)
{
    if (strcmp(argument, "-") == 0) return read_lines(texts, diag);
    return take_down(texts, argument, strlen(argument), diag);
}

void sc_token_texts_fini(sc_token_texts *texts)
{
    for (size_t i = 0; i < texts->count; i++) {
        explicit_bzero(texts->texts[i], strlen(texts->texts[i]));
        free(texts->texts[i]);
    }
    free(texts->texts);
    *texts = (sc_token_texts){.texts = NULL};
}

/** A token may last longer than calendars reach. */
static const char *time_without_date(char out[SC_TIME_TEXT_SIZE], int64_t time_s)
{
    snprintf(out, SC_TIME_TEXT_SIZE, "second %" PRId64 " since 1970", time_s);
    return out;
}

const char *sc_time_text(char out[SC_TIME_TEXT_SIZE], int64_t time_s)
{
    struct tm utc;
    if (!gmtime_r(&(time_t){time_s}, &utc)) return time_without_date(out, time_s);
    strftime(out, SC_TIME_TEXT_SIZE, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return out;
}

const char *sc_time_text_rfc3339(char out[SC_TIME_TEXT_SIZE], int64_t time_s)
{
    struct tm utc;
    if (!gmtime_r(&(time_t){time_s}, &utc)) return time_without_date(out, time_s);
    strftime(out, SC_TIME_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return out;
}

const char *sc_token_file_option(const struct argp_state *state, const char *option,
                                 const char *argument)
{
    if (argument[0] == '\0') sc_usage_error(state, "%s: the name of the file is empty", option);
    if (strcmp(argument, "-") == 0) {
        sc_usage_error(state, "%s: a file is needed; standard input is not one", option);
    }
    return argument;
}
