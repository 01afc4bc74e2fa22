/**
 * @file settings_list.h
 * @brief Every setting of the service, once: its section, name, kind, bounds, default and meaning.
 *
 * From this list come the fields of sc_settings, what the configuration file may say, the flags of
 * `starcloak serve`, its help and its manual page. A kind is a macro that whoever reads the list
 * gives:
 *
 *   LIST(section, field, "name", "VALUE", "default", when, "help")     texts parted by commas
 *   TEXT(section, field, "name", "VALUE", "default", when, "help")     "" means none
 *   COUNT(section, field, "name", "VALUE", default, least, most, when, "help")
 *   NUMBER(section, field, "name", "VALUE", default, least, most, when, "help")
 *   SWITCH(section, field, "name", when, "help")                       off, unless it is said
 *   WORD(section, field, "name", "VALUE", "words", default, when, "help")   one of the words, by
 * place
 *
 * `when`: RELOAD, what a reload changes in a running service; START, what it does not.
 *
 * Used by: settings.c, settings_file.c, starcloak serve.
 */
#ifndef SC_SERVICE_SETTINGS_LIST_H
#define SC_SERVICE_SETTINGS_LIST_H

// clang-format off
#define SC_SETTINGS(LIST, TEXT, COUNT, NUMBER, SWITCH, WORD)                                          \
    TEXT(server, map, "map", "FILE.scm", "", START,                                                   \
         "the road network; may also be given as an argument (default: none)")                        \
    LIST(server, listen, "listen", "ADDRESS,...", "127.0.0.1:8080", START,                            \
         "where to listen: HOST:PORT, [IPV6]:PORT or unix:PATH, parted by commas; port 0 lets the "   \
         "system choose (default 127.0.0.1:8080; not needed where a service manager hands over "      \
         "sockets)")                                                                                  \
    TEXT(server, tls_certificate, "tls-certificate", "FILE.pem", "", START,                           \
         "speak TLS with this certificate, the whole chain (default: no TLS)")                        \
    TEXT(server, tls_key, "tls-key", "FILE.pem", "", START,                                           \
         "the key of the certificate (default: in the same file)")                                    \
    TEXT(server, client_ca, "client-ca", "FILE.pem", "", START,                                       \
         "clients must show a certificate that one of these has signed (default: none is asked for)") \
    COUNT(server, loops, "loops", "N", 2, 1, 64, START,                                               \
          "threads that speak HTTP (default 2)")                                                      \
    COUNT(server, max_connections, "max-connections", "N", 50000, 1, 10000000, START,                 \
          "connections at once; more wait until one closes (default 50000)")                          \
    COUNT(server, max_header_bytes, "max-header-bytes", "N", 16384, 512, 1048576, START,              \
          "of a request; more is refused (default 16384)")                                            \
    COUNT(server, max_body_bytes, "max-body-bytes", "N", 16384, 256, 16777216, START,                 \
          "of a request; more is refused (default 16384)")                                            \
    NUMBER(server, request_timeout_s, "request-timeout", "S", 10, 0.1, 3600, START,                   \
           "seconds within which a request must have come as a whole (default 10)")                   \
    NUMBER(server, idle_timeout_s, "idle-timeout", "S", 60, 0.1, 86400, START,                        \
           "seconds after which a connection without a request is closed (default 60)")               \
    NUMBER(server, write_timeout_s, "write-timeout", "S", 30, 0.1, 3600, START,                       \
           "seconds within which a client must take its reply (default 30)")                          \
    COUNT(server, max_listeners, "max-listeners", "N", 100, 0, 100000, START,                         \
          "clients that listen to events at once (default 100)")                                      \
    NUMBER(server, drain_s, "drain", "S", 30, 0, 86400, START,                                        \
           "how long to wait for pending queries when told to stop (default 30)")                     \
    NUMBER(server, drain_grace_s, "drain-grace", "S", 0, 0, 3600, START,                              \
           "how long /readyz says so before that, with connections still welcome, for balancers "     \
           "(default 0)")                                                                             \
    TEXT(server, user, "user", "NAME", "", START,                                                     \
         "whom to run as, once sockets and files are open (default: nobody, if started by root)")     \
    SWITCH(server, no_sandbox, "no-sandbox", START,                                                   \
           "let all system calls pass; for debuggers and odd kernels")                                \
    TEXT(tokens, token_keys, "token-keys", "FILE", "", START,                                         \
         "the keys that tokens are signed with, see 'starcloak token key' (default: a new one, which " \
         "nobody knows; a token for trying out is printed)")                                          \
    TEXT(tokens, revoked, "revoked", "FILE", "", START,                                               \
         "tokens that are no longer good, see 'starcloak token revoke' (default: none)")              \
    COUNT(policy, min_k, "min-k", "N", 2, 1, 1000000, RELOAD,                                         \
          "the fewest users that a query may ask to be hidden among (default 2)")                     \
    COUNT(policy, max_k, "max-k", "N", 1000, 1, 1000000, RELOAD, "the most (default 1000)")           \
    COUNT(policy, default_k, "default-k", "N", 5, 1, 1000000, RELOAD,                                 \
          "if a query does not say (default 5)")                                                      \
    COUNT(policy, min_l, "min-l", "N", 1, 1, 1000000, RELOAD,                                         \
          "the fewest segments of a cloak (default 1)")                                               \
    COUNT(policy, max_l, "max-l", "N", 10000, 1, 1000000, RELOAD, "the most (default 10000)")         \
    COUNT(policy, default_l, "default-l", "N", 3, 1, 1000000, RELOAD,                                 \
          "if a query does not say (default 3)")                                                      \
    COUNT(policy, min_hops, "min-hops", "N", 1, 0, 1000, RELOAD,                                      \
          "the fewest hops that a cloak may reach (default 1)")                                       \
    COUNT(policy, max_hops, "max-hops", "N", 16, 0, 1000, RELOAD,                                     \
          "the most (default 16)")                                                                    \
    COUNT(policy, default_hops, "default-hops", "N", 4, 0, 1000, RELOAD,                              \
          "if a query does not say (default 4)")                                                      \
    NUMBER(policy, min_wait_s, "min-wait", "S", 1, 0.001, 86400, RELOAD,                              \
           "the shortest time that a query may allow, seconds (default 1)")                           \
    NUMBER(policy, max_wait_s, "max-wait", "S", 3600, 0.001, 86400, RELOAD,                           \
           "the longest (default 3600)")                                                              \
    NUMBER(policy, default_wait_s, "default-wait", "S", 10, 0.001, 86400, RELOAD,                     \
           "if a query does not say (default 10)")                                                    \
    COUNT(policy, max_nearest, "max-nearest", "N", 100, 1, 1000, RELOAD,                              \
          "the most objects that a request may ask for (default 100)")                                \
    NUMBER(policy, max_radius_m, "max-radius", "M", 20000, 0, 100000, RELOAD,                         \
           "the widest range that it may ask for, metres (default 20000)")                            \
    NUMBER(policy, max_snap_m, "max-snap", "M", 250, 0, 1000000, RELOAD,                              \
           "a position farther from any road is refused, metres (default 250)")                       \
    NUMBER(policy, user_rate, "user-rate", "N", 1, 0, 1000000, RELOAD,                                \
           "queries per second of one user, on average; 0: no limit (default 1)")                     \
    NUMBER(policy, user_burst, "user-burst", "N", 5, 1, 1000000, RELOAD,                              \
           "that may come at once after a pause (default 5)")                                         \
    COUNT(policy, user_pending, "user-pending", "N", 1, 1, 1000000, RELOAD,                           \
          "queries of one user that may wait at once (default 1)")                                    \
    NUMBER(policy, address_rate, "address-rate", "N", 100, 0, 1000000, RELOAD,                        \
           "requests per second from one address, on average; 0: no limit (default 100)")             \
    NUMBER(policy, address_burst, "address-burst", "N", 200, 1, 1000000, RELOAD,                      \
           "that may come at once after a pause (default 200)")                                       \
    WORD(policy, events, "events", "WHO", "off local token open", 1, RELOAD,                          \
         "who may listen to cloaks as they leave: off, local, token or open (default local)")         \
    WORD(policy, metrics, "metrics", "WHO", "off local token open", 1, RELOAD,                        \
         "who may see the metrics: off, local, token or open (default local)")                        \
    WORD(engine, engine, "engine", "NAME", "basic bounded hybrid xstar sampling expansion", 0, START, \
         "how to search for company: basic (default), bounded or hybrid; or a method to compare "     \
         "with: xstar, sampling or expansion")                                                        \
    SWITCH(engine, strict, "strict", START,                                                           \
           "bounded and hybrid: take a star only if it is near to one taken before")                  \
    COUNT(engine, lambda, "lambda", "N", 1, 1, 1000, START,                                           \
          "bounded and hybrid: hops per level of the search (default 1)")                             \
    NUMBER(engine, alpha_s, "alpha", "S", 2, 0, 86400, START,                                         \
           "hybrid: seconds before its deadline at which a query is searched for without bounds "     \
           "(default 2)")                                                                             \
    COUNT(engine, cap, "cap", "N", 0, 0, 1048576, START,                                              \
          "combinations that one search keeps (default 0: 64, and 8 with sampling and expansion)")    \
    SWITCH(engine, paranoid, "paranoid", START,                                                       \
           "check every promise of every cloak once more before it leaves")                           \
    COUNT(engine, prune_threads, "prune-threads", "N", 1, 0, 256, START,                              \
          "threads that trim candidates; 0: the engine's own does it (default 1)")                    \
    COUNT(engine, max_pending, "max-pending", "N", 100000, 1, 10000000, START,                        \
          "queries that wait at once; more are refused (default 100000)")                             \
    NUMBER(engine, jitter_s, "jitter", "S", 0.2, 0, 3600, START,                                      \
           "a cloak leaves up to so many seconds after it is found, at random (default 0.2)")         \
    NUMBER(engine, guard_s, "guard", "S", 0.01, 0, 60, START,                                         \
           "a cloak leaves so many seconds before the first of its deadlines, or not (default 0.01)") \
    TEXT(engine, density, "density", "FILE.csv", "", START,                                           \
         "traffic by segment, see 'starcloak density'; the metrics then tell how many segments of a " \
         "cloak count (default: all are equally busy)")                                               \
    TEXT(provider, provider, "provider", "URL", "", START,                                            \
         "ask this provider, as 'starcloak lbs' or any that speaks the provider protocol (default: "  \
         "the built-in one, in the same process)")                                                    \
    WORD(provider, encoding, "encoding", "NAME", "compact geojson", 0, START,                         \
         "how it is asked: compact (default; it has the same map) or geojson (a map of its own)")     \
    TEXT(provider, provider_ca, "provider-ca", "FILE.pem", "", START,                                 \
         "who may have signed the provider's certificate (default: whom the system trusts)")          \
    TEXT(provider, provider_certificate, "provider-certificate", "FILE.pem", "", START,               \
         "show the provider this certificate (default: none)")                                        \
    TEXT(provider, provider_key, "provider-key", "FILE.pem", "", START,                               \
         "its key (default: in the same file)")                                                       \
    NUMBER(provider, provider_timeout_s, "provider-timeout", "S", 3, 0.01, 3600, START,               \
           "seconds for one try (default 3)")                                                         \
    NUMBER(provider, provider_deadline_s, "provider-deadline", "S", 10, 0.01, 3600, START,            \
           "seconds for a cloak, all tries together; then its queries have failed (default 10)")      \
    COUNT(provider, provider_connections, "provider-connections", "N", 8, 1, 1000, START,             \
          "kept open to the provider (default 8)")                                                    \
    NUMBER(provider, provider_slack, "provider-slack", "SHARE", 0, 0, 1, START,                       \
           "by what share its distances may differ from those of our map, which is needed if it has " \
           "a map of its own (default 0)")                                                            \
    LIST(provider, categories, "categories", "NAME,...", "", START,                                   \
         "categories that the provider has and the map has not, parted by commas (default: none)")    \
    COUNT(provider, breaker_failures, "breaker-failures", "N", 8, 0, 1000000, START,                  \
          "failures in a row after which it is left alone for a while; 0: never (default 8)")         \
    NUMBER(provider, breaker_pause_s, "breaker-pause", "S", 5, 0.01, 3600, START,                     \
           "how long (default 5)")                                                                    \
    COUNT(provider, clerks, "clerks", "N", 0, 0, 64, START,                                           \
          "threads that evaluate, check and filter replies; with a point provider, how many cloaks "  \
          "it is asked about at once (default 0: 1, and 16 with a point provider)")                   \
    TEXT(points, point_provider, "point-provider", "URL", "", START,                                  \
         "ask a provider that knows only the nearest objects of a point; the URL has {lon}, {lat}, "  \
         "{k} and, if it knows categories, {category} (default: none)")                               \
    WORD(points, point_distance, "point-distance", "KIND", "straight road", 0, START,                 \
         "how it measures: straight (default) or road")                                               \
    NUMBER(points, point_spacing_m, "point-spacing", "M", 200, 1, 100000, START,                      \
           "how far apart the points may be along a road, metres (default 200)")                      \
    COUNT(points, point_max_k, "point-max-k", "N", 1000, 1, 1000000, START,                           \
          "the most objects that it gives for one question (default 1000)")                           \
    TEXT(points, point_fields, "point-fields", "NAME=FIELD,...", "", START,                           \
         "where things are in its answers (default: list=results, key=id, lon=lon, lat=lat, "         \
         "distance=distance_m, category=category, name=name)")                                        \
    TEXT(objects, objects, "objects", "URL", "", START,                                               \
         "built in: take the objects from a PostgreSQL/PostGIS table, "                               \
         "postgresql://user@host/database (default: those of the map)")                               \
    TEXT(objects, objects_table, "objects-table", "NAME", "objects", START,                           \
         "the table, or SCHEMA.TABLE (default objects)")                                              \
    TEXT(objects, objects_key, "objects-key", "COLUMN", "id", START,                                  \
         "what an object is called by, different in each row (default id)")                           \
    TEXT(objects, objects_position, "objects-position", "COLUMN", "geom", START,                      \
         "where it is, a geometry or geography (default geom)")                                       \
    TEXT(objects, objects_category, "objects-category", "COLUMN", "category", START,                  \
         "what kind of object it is (default category)")                                              \
    TEXT(objects, objects_name, "objects-name", "COLUMN", "name", START,                              \
         "its name for people; '' if there is no such column (default name)")                         \
    NUMBER(objects, objects_snap_m, "objects-snap", "M", 1000, 0, 1000000, START,                     \
           "leave out objects farther than M metres from any road (default 1000)")                    \
    TEXT(objects, objects_channel, "objects-channel", "NAME", "", START,                              \
         "load the table again when a NOTIFY comes on this channel (default: none)")                  \
    NUMBER(objects, objects_refresh_s, "objects-refresh", "S", 0, 0, 31536000, START,                 \
           "load it again S seconds after the last time; 0: never (default 0)")                       \
    WORD(log, log_format, "log-format", "NAME", "logfmt json", 0, START,                              \
         "how log lines look: logfmt (default) or json")                                              \
    WORD(log, log_level, "log-level", "NAME", "error warning info debug", 2, RELOAD,                  \
         "what is logged: error, warning, info (default) or debug")
// clang-format on

#endif
