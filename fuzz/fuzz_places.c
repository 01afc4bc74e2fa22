// Door: names that the demo is asked for, GET /demo/places.
//
// The input is what follows the question mark. It is refused in one line, or it is a text within
// its limits; then what is found has the text in its name or category, the best first, and more is
// found only if more was asked for.
#include "door.h"

#include <starcloak/map_build.h>

#include "base/utf8.h"
#include "demo/place_search.h"

#include <ctype.h>

static const char *const names[] = {"Hauptstraße",  "Alte Hauptgasse", "Überhaupt", "ÄRMELWEG",
                                    "Rue de l'Été", "улица Мира",      "a",         "Ⱥß"};

static sc_map *build(void)
{
    sc_builder *builder = NULL;
    sc_map *map = NULL;
    if (sc_builder_new(SC_COORDS_PLANAR, &builder)) abort();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sc_node_id ends[2];
        sc_edge_id edge = 0;
        sc_category_id category = 0;
        for (size_t j = 0; j < 2; j++) {
            if (sc_builder_add_node(builder, (double)j * 100, (double)i, &ends[j])) abort();
        }
        if (sc_builder_add_edge(builder, ends[0], ends[1], SC_LENGTH_FROM_NODES, SC_ROAD_LOCAL,
                                &edge)) {
            abort();
        }
        if (sc_builder_set_edge_name(builder, edge, names[i], strlen(names[i]))) abort();
        if (sc_builder_add_category(builder, "post_office", 11, &category)) abort();
        if (sc_builder_add_object_on_edge(builder, edge, 0.5, category, names[i],
                                          strlen(names[i]) * (i % 2))) {
            abort();
        }
    }
    if (sc_builder_finish(builder, 100, NULL, &map, NULL, NULL)) abort();
    sc_builder_free(builder);
    return map;
}

static void check_refusal(const sc_problem *problem)
{
    DOOR_PROMISE(problem->field && problem->detail[0] != '\0', "a refusal says what and why");
    for (const char *at = problem->detail; *at != '\0'; at++) {
        DOOR_PROMISE(isprint((unsigned char)*at), "in one printable line");
    }
}

static void check_found(const sc_map *map, const sc__place_question *asked,
                        const sc_place_hit *hits, size_t count, bool more)
{
    DOOR_PROMISE(count <= asked->limit, "no more is found than was asked for");
    DOOR_PROMISE(!more || count == asked->limit, "all is found that there is room for");
    bool is_plain = true;
    for (size_t i = 0; i < asked->size; i++) {
        is_plain = is_plain && isalnum((unsigned char)asked->text[i]);
    }
    char text[SC_PLACE_SEARCH_TEXT_MAX + 1];
    memcpy(text, asked->text, asked->size);
    text[asked->size] = '\0';
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(i == 0 || hits[i - 1].rank <= hits[i].rank, "the best come first");
        DOOR_PROMISE(hits[i].segment < sc_map_segment_count(map), "all are on roads");
        const char *name = hits[i].object == SC_NONE ? sc_map_segment_name(map, hits[i].segment)
                                                     : sc_map_object_name(map, hits[i].object);
        if (is_plain && hits[i].rank <= SC_PLACE_HAS_TEXT) {
            DOOR_PROMISE(strcasestr(name, text), "and have the text in their name");
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *map = NULL;
    static sc_place_search *search = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!map) map = build();
    if (!search && sc_place_search_new(map, &search)) abort();
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    sc__place_question asked;
    sc_problem problem = {.field = NULL};
    if (!sc__place_question_read(text, &asked, &problem)) {
        check_refusal(&problem);
    } else {
        DOOR_PROMISE(asked.size >= 1 && asked.size <= SC_PLACE_SEARCH_TEXT_MAX, "a text is short");
        DOOR_PROMISE(asked.limit >= 1 && asked.limit <= SC_PLACE_SEARCH_LIMIT_MAX,
                     "a limit is one");
        for (size_t i = 0; i < asked.size;) {
            const size_t bytes = sc_utf8_size(asked.text + i, asked.size - i);
            DOOR_PROMISE(bytes > 0, "a text is UTF-8");
            i += bytes;
        }
        sc_place_hit hits[SC_PLACE_SEARCH_LIMIT_MAX];
        bool more = false;
        const size_t count =
            sc_place_search_find(search, asked.text, asked.size, asked.limit, hits, &more);
        check_found(map, &asked, hits, count, more);
    }
    free(text);
    return 0;
}
