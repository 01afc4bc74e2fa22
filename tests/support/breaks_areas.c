// Ways to break what a record tells of areas. See breaks_areas.h.
#include "support/breaks_areas.h"

#include "support/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define GRID "{\"event\":\"tiles\""
#define AREA "{\"event\":\"area\","
#define NEED "{\"event\":\"areas\""
#define OBJECTS ",\"objects\":["

// --- Text ---------------------------------------------------------------------------------------

// The text with [from, to) replaced.
static char *replaced(const char *text, const char *from, const char *to, const char *by)
{
    const size_t before = (size_t)(from - text);
    const size_t size = before + strlen(by) + strlen(to) + 1;
    char *out = malloc(size);
    assert_non_null(out);
    snprintf(out, size, "%.*s%s%s", (int)before, text, by, to);
    return out;
}

static const char *find(const char *text, const char *what)
{
    const char *found = strstr(text, what);
    assert_non_null(found);
    return found;
}

// The end of the line, behind its line end.
static const char *line_end(const char *line)
{
    return find(line, "\n") + 1;
}

// The number behind `name` in a line.
static unsigned number_in(const char *line, const char *name)
{
    return (unsigned)strtoul(find(line, name) + strlen(name), NULL, 10);
}

// Replace the number behind `name` in a line.
static char *with_number(const char *text, const char *line, const char *name, unsigned number)
{
    char by[16];
    const char *at = find(line, name) + strlen(name);
    snprintf(by, sizeof by, "%u", number);
    return replaced(text, at, at + strspn(at, "0123456789"), by);
}

// The first area that was asked for and has an object.
static const char *full_area(const char *text)
{
    const char *line = find(text, AREA);
    while (!strstr(line, OBJECTS "{") || strstr(line, OBJECTS "{") > line_end(line)) {
        line = find(line + 1, AREA);
    }
    return line;
}

// What a cloak needed that took two rounds, or one; above level 0.
static const char *needed_in(const char *text, bool in_two)
{
    for (const char *line = find(text, NEED);; line = find(line + 1, NEED)) {
        const char *second = strstr(line, "},{\"tiles\":");
        const bool has_two = second && second < line_end(line);
        if (has_two == in_two && number_in(line, "\"level\":") > 1) return line;
    }
}

// --- The fixed tiles ----------------------------------------------------------------------------

static char *tell_the_tiles_twice(const char *text)
{
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(line_end(text) - text), text);
    return replaced(text, line_end(text), line_end(text), line);
}

static char *tell_the_tiles_late(const char *text)
{
    char line[512];
    snprintf(line, sizeof line, "%.*s", (int)(line_end(text) - text), text);
    char *without = replaced(text, text, line_end(text), "");
    const char *query = line_end(find(without, "{\"event\":\"query\""));
    char *out = replaced(without, query, query, line);
    free(without);
    return out;
}

static char *shrink_the_tiles(const char *text)
{
    return with_number(text, text, "\"side_x\":", number_in(text, "\"side_x\":") / 2);
}

// --- Areas --------------------------------------------------------------------------------------

static char *fetch_what_is_no_tile(const char *text)
{
    return with_number(text, find(text, AREA), "\"x\":", 1u << 20);
}

static char *list_far_objects(const char *text)
{
    const char *line = full_area(text);
    const unsigned x = number_in(line, "\"x\":");
    return with_number(text, line,
                       "\"x\":", x >= 4 ? 0 : (1u << number_in(line, "\"level\":")) - 1);
}

// Another tile, because of a cloak: as if that told where a member is.
static char *ask_for_one_more(const char *text)
{
    char line[200];
    const char *need = find(text, NEED);
    snprintf(line, sizeof line,
             AREA
             "\"area\":99999,\"cloak\":%u,\"level\":1,\"x\":0,\"y\":0,\"category\":null" OBJECTS
             "]}\n",
             number_in(need, "\"cloak\":"));
    return replaced(text, need, need, line);
}

static char *ask_for_another_cloak(const char *text)
{
    const char *line = find(text, AREA);
    return with_number(text, line, "\"cloak\":", number_in(line, "\"cloak\":") + 1000);
}

static char *say_that_it_is_unchanged(const char *text)
{
    const char *line = full_area(text);
    return replaced(text, find(line, OBJECTS), find(line, "]}\n") + 1, "");
}

static char *name_a_category(const char *text)
{
    const char *at = find(full_area(text), "\"category\":null");
    return replaced(text, at, at + strlen("\"category\":null"), "\"category\":\"bakery\"");
}

static char *move_an_object_off_the_map(const char *text)
{
    return with_number(text, find(full_area(text), OBJECTS), "\"edge\":", 1u << 30);
}

// --- Rounds -------------------------------------------------------------------------------------

static char *need_everything(const char *text)
{
    const char *line = needed_in(text, false);
    const char *from = find(line, "{\"level\":");
    return replaced(text, from, find(from, ",\"category\""),
                    "{\"level\":0,\"x\":[0,0],\"y\":[0,0]");
}

static char *need_other_tiles(const char *text)
{
    const char *line = needed_in(text, false);
    const char *from = find(line, "{\"level\":");
    return replaced(text, from, find(from, ",\"category\""),
                    "{\"level\":2,\"x\":[0,0],\"y\":[0,0]");
}

static char *need_five_tiles(const char *text)
{
    const char *line = needed_in(text, false);
    const char *from = find(line, "\"x\":[");
    return replaced(text, from, find(from, ",\"category\""), "\"x\":[0,1],\"y\":[0,2]");
}

static char *need_what_nobody_wants(const char *text)
{
    const char *at = find(find(text, NEED), "\"category\":null");
    return replaced(text, at, at + strlen("\"category\":null"), "\"category\":\"bakery\"");
}

static char *go_on_without_need(const char *text)
{
    const char *line = needed_in(text, false);
    const char *end = find(line, "]}\n");
    return replaced(text, end, end,
                    ",{\"tiles\":[{\"level\":0,\"x\":[0,0],\"y\":[0,0],\"category\":null}],"
                    "\"areas\":[]}");
}

// The whole map, where less would follow: the objects are all there, so nothing is lacking.
static char *go_on_too_far(const char *text)
{
    for (const char *line = find(text, NEED);; line = find(line + 1, NEED)) {
        const char *second = strstr(line, "},{\"tiles\":[{\"level\":");
        if (!second || second > line_end(line)) continue;
        if (number_in(second, "\"level\":") < 2) continue;
        const char *from = find(second, "{\"level\":");
        return replaced(text, from, find(from, ",\"category\""),
                        "{\"level\":0,\"x\":[0,0],\"y\":[0,0]");
    }
}

static char *stop_too_early(const char *text)
{
    char of_cloak[40];
    const char *line = needed_in(text, true);
    const char *second = find(line, "},{\"tiles\":") + 1;
    snprintf(of_cloak, sizeof of_cloak, ",\"cloak\":%u,\"level\"", number_in(line, "\"cloak\":"));
    char *out = replaced(text, second, find(second, "]}\n"), "");
    // As if what it asked for had been there before.
    for (const char *at = strstr(out, of_cloak); at; at = strstr(out, of_cloak)) {
        char *next = replaced(out, at, at + strlen(of_cloak), ",\"level\"");
        free(out);
        out = next;
    }
    return out;
}

static char *lack_an_area(const char *text)
{
    const char *at = find(find(text, NEED), "\"areas\":[") + strlen("\"areas\":[");
    return replaced(text, at, find(at, "]"), "");
}

static char *leave_it_out(const char *text)
{
    const char *line = find(text, NEED);
    return replaced(text, line, line_end(line), "");
}

static char *tell_it_twice(const char *text)
{
    const char *line = find(text, NEED);
    const size_t size = (size_t)(line_end(line) - line);
    char *copy = strndup(line, size);
    char *out = replaced(text, line, line, copy);
    free(copy);
    return out;
}

// --- Answers ------------------------------------------------------------------------------------

// The object that the first answer names is not in any area.
static char *answer_what_was_not_listed(const char *text)
{
    const char *at = find(text, "\"results\":[{\"poi\":\"") + strlen("\"results\":[{\"poi\":\"");
    return replaced(text, at, at + 1, "nothing like it ");
}

static char *answer_with_another_distance(const char *text)
{
    const char *at = find(find(text, "\"results\":[{"), "\"distance_m\":");
    return replaced(text, at, find(at, ","), "\"distance_m\":0.5");
}

#define BREAKAGE(go, promise, says)         \
    {                                       \
#go, go, SC_PROMISE_##promise, says \
    }

const area_breakage area_breakages[] = {
    BREAKAGE(tell_the_tiles_twice, AREAS, "told a second time"),
    BREAKAGE(tell_the_tiles_late, AREAS, "told after the first query"),
    BREAKAGE(shrink_the_tiles, AREAS, "do not hold all roads"),
    BREAKAGE(fetch_what_is_no_tile, AREAS, "is none of the fixed tiles"),
    BREAKAGE(list_far_objects, AREAS, "too far from its tile"),
    BREAKAGE(ask_for_one_more, AREAS, "was asked for, and no round needs it"),
    BREAKAGE(ask_for_another_cloak, AREAS, "not told behind the cloak"),
    BREAKAGE(say_that_it_is_unchanged, AREAS, "was not told before"),
    BREAKAGE(name_a_category, AREAS, "has an object of another category"),
    BREAKAGE(move_an_object_off_the_map, AREAS, "an edge that the map does not have"),
    BREAKAGE(need_everything, AREAS, "do not follow from the roads and the requests"),
    BREAKAGE(need_other_tiles, AREAS, "do not hold the roads of the cloak"),
    BREAKAGE(need_five_tiles, AREAS, "no span of up to four"),
    BREAKAGE(need_what_nobody_wants, AREAS, "no member asks for"),
    BREAKAGE(go_on_without_need, AREAS, "lack nothing"),
    BREAKAGE(go_on_too_far, AREAS, "do not follow from the roads and the round before"),
    BREAKAGE(stop_too_early, AREAS, "could belong to an answer"),
    BREAKAGE(lack_an_area, AREAS, "no area has a tile that it needs"),
    BREAKAGE(leave_it_out, AREAS, "no line tells which areas"),
    BREAKAGE(tell_it_twice, AREAS, "not told once"),
    BREAKAGE(answer_what_was_not_listed, ANSWERS, "not among what a plain search finds"),
    BREAKAGE(answer_with_another_distance, ANSWERS, "another distance"),
    {.name = NULL},
};
