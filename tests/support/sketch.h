/**
 * @file sketch.h
 * @brief Small maps for tests: drawn as pictures, named, or made odd at random.
 *
 * A sketch is what was put into a builder, kept in plain arrays, so that the
 * slow reference versions can look at it without looking at the map.
 *
 * In a picture letters are nodes ('o' is one without a name), and - | / \ are
 * roads from one to the next. What straight lines cannot draw is added as pairs
 * of letters: "AA" is a loop at A, "AB" one more road between A and B. Nodes
 * are numbered as they are read; roads too, and those added come last.
 */
#ifndef SC_TESTS_SUPPORT_SKETCH_H
#define SC_TESTS_SUPPORT_SKETCH_H

#include <starcloak/map_build.h>

typedef struct sketch_edge {
    uint32_t from;
    uint32_t to;
    double length;  ///< metres; whole millimetres
    sc_road_class road_class;
} sketch_edge;

typedef struct sketch {
    sc_coords coords;
    bool unit_unknown;
    uint32_t node_count;
    uint32_t edge_count;
    double *x;
    double *y;
    sketch_edge *edges;
    char *letters;  ///< the name of each node
} sketch;

/** An empty sketch; release with sketch_free(). */
sketch sketch_new(sc_coords coords);
void sketch_free(sketch *s);

uint32_t sketch_add_node(sketch *s, double x, double y);
uint32_t sketch_add_edge(sketch *s, uint32_t from, uint32_t to, double length);

/** A picture as a map. One column is 10 m wide and one row 10 m high, also on the globe, near
 * 50 degrees north. Every road gets a length of its own: 10 m, 11 m, 12 m, ... */
sketch sketch_draw(sc_coords coords, const char *picture, const char *more);

/** The node of that letter. */
uint32_t sketch_node(const sketch *s, char letter);

/** A grid of n x m nodes, 100 m apart. */
sketch sketch_grid(sc_coords coords, uint32_t n, uint32_t m);

/**
 * Something odd: a few chains, rings, loops, repeated roads, lone nodes, roads
 * without length, nodes on top of each other; with or without coordinates,
 * sometimes at a pole or at the 180th meridian, sometimes tiny or huge.
 */
sketch sketch_odd(uint64_t seed);

/** Move a sketch of the globe so that the 180th meridian runs through its middle. */
void sketch_move_to_meridian(sketch *s);

/** A builder that holds the sketch. */
sc_builder *sketch_builder(const sketch *s);

/** The map of a sketch; it passes sc_map_check(). */
sc_map *sketch_map(const sketch *s);

/** Finish a builder, which must succeed, and free it. The map passes sc_map_check(). */
sc_map *finish_builder(sc_builder *builder);

/** Put an object on an edge of a builder. */
void put_object(sc_builder *builder, sc_edge_id edge, double fraction, const char *category,
                const char *name);

/** A small map that has a bit of everything, two categories of objects among it. */
sc_map *full_map(sc_coords coords);

/** The same with one-way streets, travel times and street names. */
sc_map *full_map_with_directions(sc_coords coords);

/** Four roads that meet at one star, and nothing else: four segments. */
sc_map *crossroads_map(void);

/** A named picture and what must come of it. */
typedef struct small_map {
    const char *name;
    const char *picture;
    const char *more;
    uint32_t segments;
    uint32_t stars;
    uint32_t pseudo_stars;
    uint32_t adjacent_pairs;  ///< of stars
} small_map;

/** All of them; the last has no name. */
extern const small_map small_maps[];

/** One of them, drawn. */
sketch sketch_named(const char *name);

#endif
