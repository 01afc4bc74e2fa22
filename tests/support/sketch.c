// Small maps for tests. See sketch.h.
#include "support/sketch.h"

#include "support/check.h"

#include <math.h>
#include <stdio.h>

// Degrees of latitude per metre on a sphere of mean radius.
#define DEGREES_PER_M 8.993203637245385e-6

sketch sketch_new(sc_coords coords)
{
    return (sketch){.coords = coords};
}

void sketch_free(sketch *s)
{
    free(s->x);
    free(s->y);
    free(s->edges);
    free(s->letters);
    *s = (sketch){.coords = s->coords};
}

static void *grown(void *array, size_t count, size_t size)
{
    // Doubling whenever the count is a power of two.
    if (count & (count - 1)) return array;
    void *moved = realloc(array, (count > 0 ? 2 * count : 1) * size);
    if (!moved) abort();
    return moved;
}

uint32_t sketch_add_node(sketch *s, double x, double y)
{
    s->x = grown(s->x, s->node_count, sizeof *s->x);
    s->y = grown(s->y, s->node_count, sizeof *s->y);
    s->letters = grown(s->letters, s->node_count, 1);
    s->x[s->node_count] = x;
    s->y[s->node_count] = y;
    s->letters[s->node_count] = 'o';
    return s->node_count++;
}

uint32_t sketch_add_edge(sketch *s, uint32_t from, uint32_t to, double length)
{
    s->edges = grown(s->edges, s->edge_count, sizeof *s->edges);
    s->edges[s->edge_count] = (sketch_edge){from, to, length, SC_ROAD_LOCAL};
    return s->edge_count++;
}

// --- Pictures --------------------------------------------------------------------

enum { PICTURE_SIZE = 64 };

/** A picture as a field of characters, and the node at each place. */
typedef struct canvas {
    char at[PICTURE_SIZE][PICTURE_SIZE];
    uint32_t node[PICTURE_SIZE][PICTURE_SIZE];
} canvas;

static bool is_node(char c)
{
    return (c >= 'A' && c <= 'Z') || c == 'o';
}

static void place_nodes(sketch *s, canvas *c, const char *picture)
{
    int row = 0;
    int column = 0;
    for (; *picture; picture++) {
        if (*picture == '\n') {
            row++;
            column = 0;
            continue;
        }
        assert_true(row < PICTURE_SIZE - 1 && column < PICTURE_SIZE - 1);
        c->at[row][column] = *picture;
        if (is_node(*picture)) {
            double x = column * 10.0;
            double y = row * -10.0;
            if (s->coords == SC_COORDS_GEOGRAPHIC) {
                x = 8.0 + x * DEGREES_PER_M / cos(50.0 * 3.14159265358979 / 180.0);
                y = 50.0 + y * DEGREES_PER_M;
            }
            c->node[row][column] = sketch_add_node(s, x, y);
            s->letters[s->node_count - 1] = *picture;
        }
        column++;
    }
}

// Follow a road of the given stroke from a node to the next one.
static void follow(sketch *s, const canvas *c, int row, int column, char stroke, int down,
                   int right)
{
    const uint32_t from = c->node[row][column];
    int length = 0;
    do {
        row += down;
        column += right;
        if (row >= PICTURE_SIZE || column < 0 || column >= PICTURE_SIZE) return;
        length++;
    } while (c->at[row][column] == stroke);
    if (length == 1) return;
    if (!is_node(c->at[row][column])) fail_msg("a road of the picture leads nowhere");
    sketch_add_edge(s, from, c->node[row][column], 10.0 + s->edge_count);
}

uint32_t sketch_node(const sketch *s, char letter)
{
    for (uint32_t v = 0; v < s->node_count; v++) {
        if (s->letters[v] == letter) return v;
    }
    fail_msg("no node '%c' in the picture", letter);
    return SC_NONE;
}

sketch sketch_draw(sc_coords coords, const char *picture, const char *more)
{
    sketch s = sketch_new(coords);
    canvas *c = test_take(1, sizeof *c);
    place_nodes(&s, c, picture);
    for (int row = 0; row < PICTURE_SIZE; row++) {
        for (int column = 0; column < PICTURE_SIZE; column++) {
            if (!is_node(c->at[row][column])) continue;
            follow(&s, c, row, column, '-', 0, 1);
            follow(&s, c, row, column, '|', 1, 0);
            follow(&s, c, row, column, '\\', 1, 1);
            follow(&s, c, row, column, '/', 1, -1);
        }
    }
    free(c);
    for (; *more; more += more[0] == ' ' ? 1 : 2) {
        if (*more == ' ') continue;
        sketch_add_edge(&s, sketch_node(&s, more[0]), sketch_node(&s, more[1]),
                        10.0 + s.edge_count);
    }
    return s;
}

sketch sketch_grid(sc_coords coords, uint32_t n, uint32_t m)
{
    sketch s = sketch_new(coords);
    const bool on_globe = coords == SC_COORDS_GEOGRAPHIC;  // at the equator
    const double step = on_globe ? 100.0 * DEGREES_PER_M : 100.0;
    for (uint32_t row = 0; row < m; row++) {
        for (uint32_t column = 0; column < n; column++) {
            sketch_add_node(&s, (on_globe ? 8.0 : 0.0) + column * step, row * step);
        }
    }
    for (uint32_t row = 0; row < m; row++) {
        for (uint32_t column = 0; column < n; column++) {
            const uint32_t here = row * n + column;
            if (column + 1 < n) sketch_add_edge(&s, here, here + 1, 100.0);
            if (row + 1 < m) sketch_add_edge(&s, here, here + n, 100.0);
        }
    }
    return s;
}

const small_map small_maps[] = {
    {"street of three",
     "A   B   C\n"
     "|   |   |\n"
     "D---E---F\n"
     "|   |   |\n"
     "G   H   I\n",
     "", 8, 3, 0, 2},
    {"ring",
     "A--B\n"
     "|  |\n"
     "C--D\n",
     "", 1, 1, 1, 0},
    {"lone road", "A--B--C--D\n", "", 1, 1, 1, 0},
    {"loop alone", "A\n", "AA", 1, 1, 1, 0},
    {"loop on a junction",
     "A--B--C\n"
     "   |\n"
     "   D\n",
     "BB", 4, 1, 0, 0},
    {"loop at a dead end", "A--B\n", "BB", 2, 1, 0, 0},
    {"two roads between two nodes", "A--B\n", "AB", 1, 1, 1, 0},
    {"parallel segments", "A--B--C--D\n", "BC", 4, 2, 0, 1},
    {"theta",
     "  C\n"
     " / \\\n"
     "A---B\n"
     " \\ /\n"
     "  D\n",
     "", 3, 2, 0, 1},
    {"islands and a lone node",
     "A--B   C-D   F   G--H--I\n"
     "       |/           |\n"
     "       E            J\n",
     "", 5, 3, 2, 0},
    {"dumbbell", "A---B\n", "AA BB", 3, 2, 0, 1},
    {"long dumbbell with chains for loops",
     "A--B     E--F\n"
     "|  |     |  |\n"
     "C--D--o--G--H\n",
     "", 3, 2, 0, 1},
    {"double road to a dead end", "A--B--C\n", "AB", 2, 1, 0, 0},
    {"bouquet of loops", "A\n", "AA AA AA", 3, 1, 0, 0},
    {"two stars a chain apart",
     "A       D\n"
     " \\     /\n"
     "  B-o-C\n"
     " /     \\\n"
     "E       F\n",
     "", 5, 2, 0, 1},
    {NULL, NULL, NULL, 0, 0, 0, 0},
};

sketch sketch_named(const char *name)
{
    const small_map *small = small_maps;
    while (small->name && strcmp(small->name, name) != 0) {
        small++;
    }
    if (!small->name) fail_msg("no small map of the name '%s'", name);
    return sketch_draw(SC_COORDS_PLANAR, small->picture, small->more);
}

// --- From sketch to map ----------------------------------------------------------

void sketch_move_to_meridian(sketch *s)
{
    double west = s->x[0];
    double east = s->x[0];
    for (uint32_t v = 0; v < s->node_count; v++) {
        west = s->x[v] < west ? s->x[v] : west;
        east = s->x[v] > east ? s->x[v] : east;
    }
    for (uint32_t v = 0; v < s->node_count; v++) {
        s->x[v] += 180.0 - (west + east) / 2;
        if (s->x[v] > 180.0) s->x[v] -= 360.0;
    }
}

sc_builder *sketch_builder(const sketch *s)
{
    sc_builder *builder = NULL;
    CHECK_OK(sc_builder_new(s->coords, &builder), NULL);
    if (s->unit_unknown) sc_builder_set_unit_unknown(builder);
    sc_builder_set_source(builder, "a sketch");
    for (uint32_t v = 0; v < s->node_count; v++) {
        sc_node_id id = SC_NONE;
        CHECK_OK(sc_builder_add_node(builder, s->x[v], s->y[v], &id), NULL);
        assert_int_equal(id, v);
    }
    for (uint32_t e = 0; e < s->edge_count; e++) {
        const sketch_edge *edge = &s->edges[e];
        sc_edge_id id = SC_NONE;
        CHECK_OK(
            sc_builder_add_edge(builder, edge->from, edge->to, edge->length, edge->road_class, &id),
            NULL);
        assert_int_equal(id, e);
    }
    return builder;
}

sc_map *finish_builder(sc_builder *builder)
{
    sc_map *map = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_builder_finish(builder, HUGE_VAL, NULL, &map, NULL, &diag), &diag);
    sc_builder_free(builder);
    CHECK_OK(sc_map_check(map, &diag), &diag);
    return map;
}

sc_map *sketch_map(const sketch *s)
{
    return finish_builder(sketch_builder(s));
}

void put_object(sc_builder *builder, sc_edge_id edge, double fraction, const char *category,
                const char *name)
{
    sc_category_id id = SC_NONE;
    CHECK_OK(sc_builder_add_category(builder, category, strlen(category), &id), NULL);
    CHECK_OK(sc_builder_add_object_on_edge(builder, edge, fraction, id, name, strlen(name)), NULL);
}

static sc_builder *full_builder(sc_coords coords)
{
    sketch s = sketch_draw(coords,
                           "A--B--C   H--I\n"
                           "|  |  |   |  |\n"
                           "D--E--F   J--K   L\n",
                           "AB BB");
    sc_builder *builder = sketch_builder(&s);
    put_object(builder, 0, 0.5, "school", "Lindenschule");
    put_object(builder, 3, 0.25, "cafe", "");
    put_object(builder, 3, 0.75, "cafe", "Zum \"Eck\", innen");
    put_object(builder, 5, 1.0, "school",
               "S\xc3\xbc"
               "d");
    sketch_free(&s);
    return builder;
}

sc_map *crossroads_map(void)
{
    sketch s = sketch_draw(SC_COORDS_PLANAR,
                           "  o  \n"
                           "  |  \n"
                           "o-A-o\n"
                           "  |  \n"
                           "  o  ",
                           "");
    sc_map *map = sketch_map(&s);
    sketch_free(&s);
    assert_int_equal(sc_map_segment_count(map), 4);
    return map;
}

sc_map *full_map(sc_coords coords)
{
    return finish_builder(full_builder(coords));
}

sc_map *full_map_with_directions(sc_coords coords)
{
    sc_builder *builder = full_builder(coords);
    const uint32_t edges = sc_builder_edge_count(builder);
    for (sc_edge_id e = 0; e < edges; e += 2) {
        const double seconds = 1.0 + e;
        const double back = e % 3 == 1 ? SC_CLOSED_S : seconds + 0.5;
        CHECK_OK(sc_builder_set_edge_times(builder, e, e % 3 == 2 ? SC_CLOSED_S : seconds, back),
                 NULL);
    }
    for (sc_edge_id e = 1; e < edges; e += 3) {
        char name[32];
        const int size = snprintf(name, sizeof name,
                                  "Ringstra\xc3\x9f"
                                  "e %u, \"alt\"",
                                  e);
        CHECK_OK(sc_builder_set_edge_name(builder, e, name, (size_t)size), NULL);
    }
    return finish_builder(builder);
}
