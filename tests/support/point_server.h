/**
 * @file point_server.h
 * @brief A provider that knows points only: a real HTTP server on the loopback, good or bad.
 *
 * It serves /nearest?lon=..&lat=..&k=..&category=.. over the objects of a point_world, in a thread
 * of its own, and remembers what it was asked. What it does wrong is set by its mode.
 */
#ifndef SC_TESTS_SUPPORT_POINT_SERVER_H
#define SC_TESTS_SUPPORT_POINT_SERVER_H

#include "support/point_world.h"

typedef struct point_server point_server;

/** Start it on a free port; the world is borrowed. Stop it with point_server_stop(). */
point_server *point_server_start(const point_world *world, point_mode mode);
void point_server_stop(point_server *server);

/** What to ask it with: an URL for it, and its own distance. The URL is lent by the server. */
sc_point_options point_server_options(const point_server *server);

/**
 * What it was asked, one address per line in the order of asking, without the host; the headers of
 * the last question. Lent until it is asked again.
 */
const char *point_server_asked(point_server *server);
const char *point_server_headers(point_server *server);
size_t point_server_count(point_server *server);
void point_server_forget(point_server *server);

#endif
