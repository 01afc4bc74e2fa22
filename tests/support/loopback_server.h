/**
 * @file loopback_server.h
 * @brief A real HTTP server on the loopback, in a thread of its own, which remembers what it was
 * asked. What it answers is its owner's: area_server.h and point_server.h are providers made of it.
 */
#ifndef SC_TESTS_SUPPORT_LOOPBACK_SERVER_H
#define SC_TESTS_SUPPORT_LOOPBACK_SERVER_H

#include <event2/http.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct loopback_server loopback_server;

/** Answers a request, or leaves it. Called by the server's thread.
 *
 * @param question  how many were asked before */
typedef void (*loopback_answer)(void *context, struct evhttp_request *request, size_t question);

/** Start it on a free port; stop it with loopback_server_stop(). */
loopback_server *loopback_server_start(loopback_answer answer, void *context);
void loopback_server_stop(loopback_server *server);

/** "http://127.0.0.1:PORT". Lent. */
const char *loopback_server_address(const loopback_server *server);

/**
 * What it was asked, one address per line in the order of asking, without the host; the headers and
 * the body of the last question. Lent until the next such call.
 */
const char *loopback_server_asked(loopback_server *server);
const char *loopback_server_headers(loopback_server *server);
const char *loopback_server_body(loopback_server *server);
size_t loopback_server_count(loopback_server *server);
void loopback_server_forget(loopback_server *server);

// --- Answers ------------------------------------------------------------------------------------

/** 200 with a body. */
void loopback_send(struct evhttp_request *request, const char *body, size_t size);

/** Blanks, in pieces of 64 KiB; in chunks, without saying how many. */
void loopback_send_huge(struct evhttp_request *request, int pieces, bool in_chunks);

/** 302, to a place of its own. */
void loopback_redirect(struct evhttp_request *request);

/** Add a header to what will be answered. */
void loopback_set_header(struct evhttp_request *request, const char *name, const char *value);

/** The socket of its connection. */
int loopback_socket(struct evhttp_request *request);

#endif
