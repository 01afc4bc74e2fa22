/**
 * @file lbs_scene.h
 * @brief A provider that really listens, a cloak to ask it about, and clients to ask with.
 *
 *     lbs_scene s;
 *     lbs_scene_open(&s);             // change s.options here
 *     lbs_scene_start(&s, sc__provider_evaluate);
 *     lbs_answer got = lbs_post(&s, "/", type, body.data, body.size);
 *     ...
 *     lbs_answer_free(&got);
 *     lbs_scene_close(&s);
 */
#ifndef SC_TESTS_SUPPORT_LBS_SCENE_H
#define SC_TESTS_SUPPORT_LBS_SCENE_H

#include "provider/provider_internal.h"
#include "support/odd_cloak.h"

enum { LBS_SCENE_REQUESTS = 3 };

typedef struct lbs_scene {
    sc_map *map;
    sc_objects *objects;  ///< cafes and, fewer, "hospital"s
    odd_cloak cloak;
    sc_request requests[LBS_SCENE_REQUESTS];
    sc_relay relay;
    sc_provider_options options;
    sc_provider *provider;
} lbs_scene;

/** A grid of roads on the globe, objects on it, a cloak in it; the provider is to be started. */
void lbs_scene_open(lbs_scene *s);

/** Start the provider on a free port; each evaluator answers with `answer`. */
void lbs_scene_start(lbs_scene *s, sc__answerer *answer);

/** Stops the provider, if it runs. */
void lbs_scene_close(lbs_scene *s);

/** The cloak as a message; release with sc_bytes_fini(). */
sc_bytes lbs_scene_message(const lbs_scene *s, sc_encoding encoding);

/** What must come back for a message: made without any of the provider's process. */
sc_bytes lbs_scene_reply(const lbs_scene *s, sc_encoding encoding, const sc_bytes *message);

/** What a client got. */
typedef struct lbs_answer {
    long status;  ///< 0: no reply at all
    char type[128];
    char allow[32];
    char retry_after[32];
    char *body;  ///< ended by NUL
    size_t size;
} lbs_answer;

/** Send a message, any bytes. Any thread. */
lbs_answer lbs_post(const lbs_scene *s, const char *path, const char *type, const void *body,
                    size_t size);

/** Ask with any method, without a body. Any thread. */
lbs_answer lbs_ask(const lbs_scene *s, const char *method, const char *path);

void lbs_answer_free(lbs_answer *answer);

/** The answer is a problem (RFC 9457) with that status, and its title contains `part`. Frees it. */
void lbs_check_problem(lbs_answer *answer, long status, const char *part);

/** A connection by hand, or -1 if it is refused. */
int lbs_connect(const lbs_scene *s);

#endif
