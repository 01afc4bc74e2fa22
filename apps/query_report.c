// Replies, printed. See query_report.h.
#include "query_report.h"

#include <jansson.h>
#include <string.h>

#include "format.h"

/** Widest column of categories; what is longer pushes the rest aside. */
enum { CATEGORY_MAX = 24 };

/** How much of a stranger's sentence a message repeats. */
enum { WORDS_SIZE = 301 };

/** Decimals of positions: about a decimetre on the globe, a centimetre on a plane. */
enum { DEGREE_DECIMALS = 6, PLANE_DECIMALS = 2 };

static const char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? text : "";
}

/** False if there is no such number. */
static bool number_of(const json_t *object, const char *name, double *out)
{
    const json_t *value = json_object_get(object, name);
    *out = json_number_value(value);
    return json_is_number(value);
}

// --- Objects --------------------------------------------------------------------------

/** One line of an answer. */
typedef struct row {
    const char *name;
    const char *category;
    double distance_m;
    bool has_position;
    bool is_planar;
    double x;
    double y;
} row;

/** False if it is no object as a service tells of them. */
static bool row_of(const json_t *object, row *out)
{
    const json_t *position = json_object_get(object, "position");
    *out = (row){.name = text_of(object, "name"), .category = text_of(object, "category")};
    if (number_of(position, "lon", &out->x) && number_of(position, "lat", &out->y)) {
        out->has_position = true;
    } else if (number_of(position, "x", &out->x) && number_of(position, "y", &out->y)) {
        out->has_position = true;
        out->is_planar = true;
    }
    return number_of(object, "distance_m", &out->distance_m);
}

static void put_heading(const row *first, int category_width)
{
    printf("\n%4s %12s  %-*s", "rank", "metres", category_width, "category");
    if (first->has_position) {
        printf(" %12s %11s", first->is_planar ? "x" : "longitude",
               first->is_planar ? "y" : "latitude");
    }
    puts("  name");
}

static void put_row(size_t rank, const row *r, int category_width)
{
    char number[SC_FORMAT_SIZE];
    const int missing = category_width - sc_text_columns(r->category);
    const int decimals = r->is_planar ? PLANE_DECIMALS : DEGREE_DECIMALS;
    printf("%4zu %12s  ", rank, sc_format_decimal(number, r->distance_m, 2));
    sc_print_text(stdout, r->category);
    printf("%*s", missing > 0 ? missing : 0, "");
    if (r->has_position) printf(" %12.*f %11.*f", decimals, r->x, decimals, r->y);
    fputs("  ", stdout);
    sc_print_text(stdout, r->name[0] != '\0' ? r->name : "-");
    putchar('\n');
}

/** False if one of them is no object; nothing is printed then. */
static bool measure(const json_t *objects, int *category_width)
{
    *category_width = (int)strlen("category");
    for (size_t i = 0; i < json_array_size(objects); i++) {
        row r;
        if (!row_of(json_array_get(objects, i), &r)) return false;
        const int columns = sc_text_columns(r.category);
        if (columns > *category_width) {
            *category_width = columns < CATEGORY_MAX ? columns : CATEGORY_MAX;
        }
    }
    return true;
}

static bool print_answer(const json_t *reply)
{
    double users = 0;
    double segments = 0;
    double wait_s = 0;
    int category_width = 0;
    const json_t *cloak = json_object_get(reply, "cloak");
    const json_t *objects = json_object_get(reply, "objects");
    if (!number_of(cloak, "users", &users) || !number_of(cloak, "segments", &segments) ||
        !number_of(reply, "wait_s", &wait_s) || !json_is_array(objects) ||
        !measure(objects, &category_width)) {
        return false;
    }
    char number[SC_FORMAT_SIZE];
    char other[SC_FORMAT_SIZE];
    char wait[SC_FORMAT_SIZE];
    printf("hidden among %s users on %s segments, after %s\n", sc_format_decimal(number, users, 0),
           sc_format_decimal(other, segments, 0), sc_format_seconds(wait, wait_s));
    if (json_array_size(objects) == 0) puts("\nNothing of the kind is within reach.");
    for (size_t i = 0; i < json_array_size(objects); i++) {
        row r;
        row_of(json_array_get(objects, i), &r);
        if (i == 0) put_heading(&r, category_width);
        put_row(i + 1, &r, category_width);
    }
    return true;
}

// --- What is no answer ----------------------------------------------------------------

static void tell_dropped(const sc_call *call, const json_t *reply)
{
    static const struct {
        const char *reason;
        const char *words;
    } known[] = {
        {"expired", "too little company came in time; wait longer (--max-wait), or hide among "
                    "fewer users (--k)"},
        {"infeasible", "there are not so many segments within reach; ask for fewer (--l), or let "
                       "the cloak reach farther (--max-hops)"},
    };
    const char *reason = text_of(reply, "reason");
    const char *words = reason;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        if (strcmp(reason, known[i].reason) == 0) words = known[i].words;
    }
    double wait_s = 0;
    char wait[SC_FORMAT_SIZE];
    number_of(reply, "wait_s", &wait_s);
    sc_call_note(call, "dropped after %s: %.300s", sc_format_seconds(wait, wait_s), words);
}

/** "TITLE: DETAIL (field)", of problem details (RFC 9457); false if these are none. */
static bool tell_problem(const sc_call *call, const sc_post_reply *reply, const json_t *problem)
{
    char title[WORDS_SIZE];
    char detail[WORDS_SIZE];
    char field[WORDS_SIZE];
    char later[64] = "";
    sc_format_text(title, sizeof(title), text_of(problem, "title"));
    sc_format_text(detail, sizeof(detail), text_of(problem, "detail"));
    sc_format_text(field, sizeof(field), text_of(problem, "field"));
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
                     "the address leads elsewhere (status %ld), and nobody else is to know a "
                     "position; give the address of the service itself",
                     status);
    } else {
        sc_call_note(call,
                     "what is at that address does not reply as a StarCloak service does "
                     "(status %ld)",
                     status);
    }
}

static int report(const sc_call *call, const sc_post_reply *reply, const json_t *words, bool json)
{
    const char *outcome = text_of(words, "outcome");
    if (json && words) {
        // Only ASCII, since a name may hold what a terminal obeys; and 15 digits, which give back
        // every decimal number as it was written.
        json_dumpf(words, stdout, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
        putchar('\n');
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
    json_t *words = json_loadb(reply->body, reply->size, 0, NULL);
    const int status = report(call, reply, words, json);
    json_decref(words);
    return status;
}
