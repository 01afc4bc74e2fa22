/*
 * What a service replied to `starcloak query`: a table of objects, the reply as JSON, or a message
 * about what went wrong.
 *
 * The reply is not trusted: whatever is in it is printed so that a terminal obeys none of it, and a
 * reply of another form is reported as such.
 */
#include "query_http.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json_tree.h"
#include "format.h"
#include "nearest_report.h"

/** How much of a stranger's sentence a message repeats. */
enum { WORDS_SIZE = 301 };

static const char *get_text(const sc_json_value *object, const char *name)
{
    const char *text = sc_json_text_at(sc_json_member(object, name));
    return text ? text : "";
}

/** False if there is no such number. */
static bool get_number(const sc_json_value *object, const char *name, double *out)
{
    const sc_json_value *value = sc_json_member(object, name);
    *out = sc_json_number_at(value);
    return sc_json_is_number(value);
}

// --- Objects --------------------------------------------------------------------------

/** False if it is no object as a service tells of them. */
static bool row_of(const sc_json_value *object, sc_near_row *out)
{
    const sc_json_value *position = sc_json_member(object, "position");
    *out = (sc_near_row){.name = get_text(object, "name"),
                         .category = get_text(object, "category"),
                         .street = get_text(object, "street")};
    if (get_number(position, "lon", &out->x) && get_number(position, "lat", &out->y)) {
        out->has_position = true;
    } else if (get_number(position, "x", &out->x) && get_number(position, "y", &out->y)) {
        out->has_position = true;
        out->is_planar = true;
    }
    if (!get_number(object, "duration_s", &out->duration_s)) out->duration_s = SC_UNKNOWN_S;
    return get_number(object, "distance_m", &out->distance_m);
}

/** False if one of them is no object; nothing is printed then. */
static bool measure(const sc_json_value *objects, sc_near_widths *widths)
{
    for (size_t i = 0; i < sc_json_size(objects); i++) {
        sc_near_row row;
        if (!row_of(sc_json_at(objects, i), &row)) return false;
        sc_near_widths_add(widths, &row);
    }
    return true;
}

static bool print_answer(const sc_json_value *reply)
{
    double users = 0;
    double segments = 0;
    double wait_s = 0;
    sc_near_widths widths = {0};
    const sc_json_value *cloak = sc_json_member(reply, "cloak");
    const sc_json_value *objects = sc_json_member(reply, "objects");
    if (!get_number(cloak, "users", &users) || !get_number(cloak, "segments", &segments) ||
        !get_number(reply, "wait_s", &wait_s) || !sc_json_is_array(objects) ||
        !measure(objects, &widths)) {
        return false;
    }
    char number[SC_FORMAT_SIZE];
    char other[SC_FORMAT_SIZE];
    char wait[SC_FORMAT_SIZE];
    printf("hidden among %s users on %s segments, after %s\n", sc_format_decimal(number, users, 0),
           sc_format_decimal(other, segments, 0), sc_format_seconds(wait, wait_s));
    const char *street = get_text(reply, "street");
    if (street[0] != '\0') {
        fputs("you are on ", stdout);
        sc_print_text(stdout, street);
        putchar('\n');
    }
    if (sc_json_size(objects) == 0) puts("\nNo such object can be reached.");
    sc_report table = sc_report_begin(stdout, false, 0);
    for (size_t i = 0; i < sc_json_size(objects); i++) {
        sc_near_row row;
        row_of(sc_json_at(objects, i), &row);
        sc_near_put_row(&table, i + 1, &row, &widths, "metres");
    }
    return true;
}

// --- What is no answer ----------------------------------------------------------------

static void tell_dropped(const sc_call *call, const sc_json_value *reply)
{
    // The service knows what it demands, and what helps.
    const char *advice = get_text(reply, "advice");
    const char *words = *advice ? advice : get_text(reply, "reason");
    double wait_s = 0;
    char wait[SC_FORMAT_SIZE];
    get_number(reply, "wait_s", &wait_s);
    sc_call_note(call, "dropped after %s: %.500s", sc_format_seconds(wait, wait_s), words);
}

/** "TITLE: DETAIL (field)", of problem details (RFC 9457); false if these are none. */
static bool tell_problem(const sc_call *call, const sc_post_reply *reply,
                         const sc_json_value *problem)
{
    char title[WORDS_SIZE];
    char detail[WORDS_SIZE];
    char field[WORDS_SIZE];
    char later[64] = "";
    sc_format_text(title, sizeof(title), get_text(problem, "title"));
    sc_format_text(detail, sizeof(detail), get_text(problem, "detail"));
    sc_format_text(field, sizeof(field), get_text(problem, "field"));
    if (title[0] == '\0') return false;
    if (reply->retry_after_s > 0) {
        snprintf(later, sizeof(later), "; try again in %ld s", reply->retry_after_s);
    }
    sc_call_note(call, "%s%s%s%s%s%s%s", title, detail[0] != '\0' ? ": " : "", detail,
                 field[0] != '\0' ? " (" : "", field, field[0] != '\0' ? ")" : "", later);
    return true;
}

static void tell_stranger(const sc_call *call, long status)
{
    if (status >= 300 && status < 400) {
        sc_call_note(call,
                     "the service redirects to another address (status %ld), where the position is "
                     "not sent; give the address of the service itself",
                     status);
    } else {
        sc_call_note(call,
                     "the reply is not one of a StarCloak service (status %ld); check the address",
                     status);
    }
}

/** The character of UTF-8 at `*text`, escaped; steps over it. */
static void print_escaped(const char **text)
{
    const unsigned char *c = (const unsigned char *)*text;
    const size_t size = *c < 0xe0 ? 2 : *c < 0xf0 ? 3 : 4;
    uint32_t code = *c & (0x7fU >> size);
    for (size_t i = 1; i < size; i++) {
        code = code << 6 | (c[i] & 0x3fU);
    }
    *text += size;
    if (code >= 0x10000) {
        printf("\\u%04X", 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + (code & 0x3ff);
    }
    printf("\\u%04X", code);
}

/**
 * Print JSON that has been read without an error in one line, with numbers as they were sent. Only
 * ASCII, since a name may hold characters that a terminal obeys.
 */
static void print_compact(const char *text)
{
    bool is_string = false;
    while (*text != '\0') {
        if ((unsigned char)*text >= 0x80) {
            print_escaped(&text);
            continue;
        }
        if (*text == '"') is_string = !is_string;
        if (*text == '\\') putchar(*text++);
        if (*text == 0x7f) {
            fputs("\\u007F", stdout);
        } else if (is_string || !strchr(" \t\r\n", *text)) {
            putchar(*text);
        }
        text++;
    }
    putchar('\n');
}

/** What --draw-zone asks for; printed as it is, so nothing else may be in it. */
static bool is_zone(const char *text)
{
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    return strncmp(text, "scz1_", 5) == 0 && strspn(text, letters) == strlen(text);
}

static int report(const sc_call *call, const sc_post_reply *reply, const sc_json_value *words,
                  bool json)
{
    const char *outcome = get_text(words, "outcome");
    if (json && words) print_compact(reply->body);
    const char *zone = get_text(words, "zone");
    if (reply->status == 200 && is_zone(zone)) {
        if (!json) puts(zone);
        return SC_EXIT_OK;
    }
    if (reply->status == 200 && strcmp(outcome, "answered") == 0) {
        if (json || print_answer(words)) return SC_EXIT_OK;
    } else if (reply->status == 200 && strcmp(outcome, "dropped") == 0) {
        tell_dropped(call, words);
        return SC_EXIT_FAILURE;
    } else if (reply->status >= 400 && tell_problem(call, reply, words)) {
        return SC_EXIT_FAILURE;
    }
    tell_stranger(call, reply->status);
    return SC_EXIT_FAILURE;
}

int sc_query_report(const sc_call *call, const sc_post_reply *reply, bool json)
{
    sc_json_tree tree = {.root = NULL};
    sc_json_error error;
    const sc_err err = sc_json_tree_read(reply->body, reply->size, &tree, &error);
    if (err == SC_ENOMEM) return sc_call_fail(call, err, NULL);
    // A document that is a mere number or string is no reply of a service.
    const bool is_reply = !err && (sc_json_is_object(tree.root) || sc_json_is_array(tree.root));
    const int status = report(call, reply, is_reply ? tree.root : NULL, json);
    sc_json_tree_fini(&tree);
    return status;
}
