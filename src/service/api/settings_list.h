/**
 * @file settings_list.h
 * @brief Every setting of the service, once: its section, name, kind, bounds, default and meaning.
 *
 * From this list come the fields of sc_settings, what the configuration file may say, the flags of
 * `starcloak serve`, its help and its manual page. A kind is a macro that the user of the list
 * defines:
 *
 *   LIST(section, field, "name", "VALUE", "default", when, who, "help")     texts parted by commas
 *   TEXT(section, field, "name", "VALUE", "default", when, who, "help")     "" means none
 *   COUNT(section, field, "name", "VALUE", default, least, most, when, who, "help")
 *   NUMBER(section, field, "name", "VALUE", default, least, most, when, who, "help")
 *   SWITCH(section, field, "name", when, who, "help")                       off, unless it is said
 *   WORD(section, field, "name", "VALUE", "words", default, when, who, "help")   one of the words,
 * by place
 *
 * `when`: RELOAD, what a reload changes in a running service; START, what it does not.
 * `who` has a flag for it: HTTP, processes that serve HTTP (serve, demo, gateway); RUN, those with
 * engines (serve, demo, worker); NATS, those of a cluster (gateway, worker); ALL. A file may have
 * them all: the processes of a cluster share one.
 */
#ifndef SC_API_SETTINGS_LIST_H
#define SC_API_SETTINGS_LIST_H

// clang-format off
#define SC_SETTINGS(LIST, TEXT, COUNT, NUMBER, SWITCH, WORD)                                          \
    TEXT(server, map, "map", "FILE.scm", "", START, ALL,                                              \
         "the road network; may also be given as an argument (default: none)")                        \
    LIST(server, listen, "listen", "ADDRESS,...", "127.0.0.1:8080", START, HTTP,                      \
         "where to listen: HOST:PORT, [IPV6]:PORT or unix:PATH, parted by commas; port 0 lets the "   \
         "system choose (default 127.0.0.1:8080; not needed where a service manager hands over "      \
         "sockets)")                                                                                  \
    TEXT(server, tls_certificate, "tls-certificate", "FILE.pem", "", START, HTTP,                     \
         "speak TLS with this certificate, the whole chain (default: no TLS)")                        \
    TEXT(server, tls_key, "tls-key", "FILE.pem", "", START, HTTP,                                     \
         "the key of the certificate (default: in the same file)")                                    \
    TEXT(server, client_ca, "client-ca", "FILE.pem", "", START, HTTP,                                 \
         "clients must show a certificate signed by one of these (default: none is asked "            \
         "for)")                                                                                      \
    COUNT(server, loops, "loops", "N", 2, 1, 64, START, HTTP,                                         \
          "threads that speak HTTP (default 2)")                                                      \
    COUNT(server, max_connections, "max-connections", "N", 50000, 1, 10000000, START, HTTP,           \
          "connections at once; more wait until one closes (default 50000)")                          \
    COUNT(server, max_header_bytes, "max-header-bytes", "N", 16384, 512, 1048576, START, HTTP,        \
          "of a request; more is refused (default 16384)")                                            \
    COUNT(server, max_body_bytes, "max-body-bytes", "N", 16384, 256, 16777216, START, HTTP,           \
          "of a request; more is refused (default 16384)")                                            \
    NUMBER(server, request_timeout_s, "request-timeout", "S", 10, 0.1, 3600, START, HTTP,             \
           "seconds within which a request must be complete (default 10)")                            \
    NUMBER(server, idle_timeout_s, "idle-timeout", "S", 60, 0.1, 86400, START, HTTP,                  \
           "seconds after which a connection without a request is closed (default 60)")               \
    NUMBER(server, write_timeout_s, "write-timeout", "S", 30, 0.1, 3600, START, HTTP,                 \
           "seconds within which a client must take its reply (default 30)")                          \
    COUNT(server, max_listeners, "max-listeners", "N", 100, 0, 100000, START, HTTP,                   \
          "clients that listen to events at once (default 100)")                                      \
    NUMBER(server, drain_s, "drain", "S", 30, 0, 86400, START, ALL,                                   \
           "how long to wait for pending queries when told to stop (default 30)")                     \
    NUMBER(server, drain_grace_s, "drain-grace", "S", 0, 0, 3600, START, HTTP,                        \
           "how long /readyz says so before that, with connections still welcome, for balancers "     \
           "(default 0)")                                                                             \
    TEXT(server, user, "user", "NAME", "", START, ALL,                                                \
         "whom to run as, once sockets and files are open (default: nobody, if started by root)")     \
    SWITCH(server, no_sandbox, "no-sandbox", START, ALL,                                              \
           "let all system calls pass; for debuggers and odd kernels")                                \
    SWITCH(server, no_ui, "no-ui", START, HTTP,                                                       \
           "do not serve the UI; the routes that it uses stay")                                       \
    TEXT(tokens, token_keys, "token-keys", "FILE", "", START, HTTP,                                   \
         "the keys that tokens are signed with, see 'starcloak token key' (default: a new one, "      \
         "which nobody knows; a token for trying out is printed)")                                    \
    TEXT(tokens, revoked, "revoked", "FILE", "", START, HTTP,                                         \
         "tokens that are no longer good, see 'starcloak token revoke' (default: none)")              \
    COUNT(policy, min_k, "min-k", "N", 2, 1, 1000000, RELOAD, HTTP,                                   \
          "the fewest users that a query may ask to be hidden among (default 2)")                     \
    COUNT(policy, max_k, "max-k", "N", 1000, 1, 1000000, RELOAD, HTTP,                                \
          "the most (default 1000)")                                                                  \
    COUNT(policy, default_k, "default-k", "N", 5, 1, 1000000, RELOAD, HTTP,                           \
          "if a query does not give it (default 5)")                                                  \
    COUNT(policy, min_l, "min-l", "N", 1, 1, 1000000, RELOAD, HTTP,                                   \
          "the fewest segments of a cloak (default 1)")                                               \
    COUNT(policy, max_l, "max-l", "N", 10000, 1, 1000000, RELOAD, HTTP,                               \
          "the most (default 10000)")                                                                 \
    COUNT(policy, default_l, "default-l", "N", 3, 1, 1000000, RELOAD, HTTP,                           \
          "if a query does not give it (default 3)")                                                  \
    COUNT(policy, min_hops, "min-hops", "N", 1, 0, 1000, RELOAD, HTTP,                                \
          "the fewest hops that a cloak may reach (default 1)")                                       \
    COUNT(policy, max_hops, "max-hops", "N", 16, 0, 1000, RELOAD, HTTP,                               \
          "the most (default 16)")                                                                    \
    COUNT(policy, default_hops, "default-hops", "N", 4, 0, 1000, RELOAD, HTTP,                        \
          "if a query does not give it (default 4)")                                                  \
    NUMBER(policy, min_wait_s, "min-wait", "S", 1, 0.001, 86400, RELOAD, HTTP,                        \
           "the shortest time that a query may allow, seconds (default 1)")                           \
    NUMBER(policy, max_wait_s, "max-wait", "S", 3600, 0.001, 86400, RELOAD, HTTP,                     \
           "the longest (default 3600)")                                                              \
    NUMBER(policy, default_wait_s, "default-wait", "S", 10, 0.001, 86400, RELOAD, HTTP,               \
           "if a query does not give it (default 10)")                                                \
    COUNT(policy, max_nearest, "max-nearest", "N", 100, 1, 1000, RELOAD, HTTP,                        \
          "the most objects that a request may ask for (default 100)")                                \
    NUMBER(policy, max_radius_m, "max-radius", "M", 20000, 0, 100000, RELOAD, HTTP,                   \
           "the widest range that it may ask for, metres (default 20000)")                            \
    NUMBER(policy, max_duration_s, "max-duration", "S", 1800, 0, 7200, RELOAD, HTTP,                  \
           "the widest range by travel time, seconds (default 1800)")                                 \
    WORD(policy, default_metric, "default-metric", "NAME", "distance time", 1, RELOAD, HTTP,          \
         "what is near if a query does not say it: time (default), by the quickest way, or "          \
         "distance, by the shortest; with a point-provider always distance")                          \
    NUMBER(policy, max_snap_m, "max-snap", "M", 250, 0, 1000000, RELOAD, HTTP,                        \
           "a position farther from any road is refused, metres (default 250)")                       \
    NUMBER(policy, user_rate, "user-rate", "N", 1, 0, 1000000, RELOAD, HTTP,                          \
           "queries per second of one user, on average; 0: no limit (default 1)")                     \
    NUMBER(policy, user_burst, "user-burst", "N", 5, 1, 1000000, RELOAD, HTTP,                        \
           "that may come at once after a pause (default 5)")                                         \
    COUNT(policy, user_pending, "user-pending", "N", 1, 1, 1000000, RELOAD, HTTP,                     \
          "queries of one user that may wait at once (default 1)")                                    \
    NUMBER(policy, address_rate, "address-rate", "N", 100, 0, 1000000, RELOAD, HTTP,                  \
           "requests per second from one address, on average; 0: no limit (default 100)")             \
    NUMBER(policy, address_burst, "address-burst", "N", 200, 1, 1000000, RELOAD, HTTP,                \
           "that may come at once after a pause (default 200)")                                       \
    WORD(policy, events, "events", "WHO", "off local token open", 1, RELOAD, HTTP,                    \
         "who may watch cloaks as they leave: off, local, token or open (default local)")             \
    WORD(policy, metrics, "metrics", "WHO", "off local token open", 1, RELOAD, HTTP,                  \
         "who may see the metrics: off, local, token or open (default local)")                        \
    WORD(engine, engine, "engine", "NAME", "basic bounded hybrid xstar sampling expansion", 0,        \
         START, ALL,                                                                                  \
         "how to search for company: basic (default), bounded or hybrid; or a method to compare "     \
         "with: xstar, sampling or expansion")                                                        \
    SWITCH(engine, strict, "strict", START, ALL,                                                      \
           "bounded and hybrid: take a star only if it is near to one taken before")                  \
    COUNT(engine, lambda, "lambda", "N", 1, 1, 1000, START, ALL,                                      \
          "bounded and hybrid: hops per level of the search (default 1)")                             \
    NUMBER(engine, alpha_s, "alpha", "S", 2, 0, 86400, START, ALL,                                    \
           "hybrid: seconds before its deadline at which a query is searched for without bounds "     \
           "(default 2)")                                                                             \
    COUNT(engine, cap, "cap", "N", 0, 0, 1048576, START, ALL,                                         \
          "combinations that one search keeps (default 0: 64, and 8 with sampling and expansion)")    \
    SWITCH(engine, paranoid, "paranoid", START, HTTP,                                                 \
           "check every promise of every cloak once more before it leaves")                           \
    TEXT(engine, partition, "partition", "FILE.partition", "", START, ALL,                            \
         "the map in parts, see 'starcloak partition'; each part has an engine of its own "           \
         "(default: one part)")                                                                       \
    COUNT(engine, threads, "threads", "N", 0, 0, 1024, START, RUN,                                    \
          "threads with engines, which share the parts; 'starcloak serve' with 1 has one thread for " \
          "ledger and engine (default 0: 1, and with 'starcloak worker' one per processor)")          \
    COUNT(engine, prune_threads, "prune-threads", "N", 0, 0, 256, START, RUN,                         \
          "threads that trim candidates; 0: the engine's own does it (default 0)")                    \
    COUNT(engine, max_pending, "max-pending", "N", 100000, 1, 10000000, START, ALL,                   \
          "queries that wait at once; more are refused (default 100000)")                             \
    NUMBER(engine, jitter_s, "jitter", "S", 0.2, 0, 3600, START, HTTP,                                \
           "a cloak leaves up to so many seconds after it is found, at random (default 0.2)")         \
    NUMBER(engine, guard_s, "guard", "S", 0.01, 0, 60, START, HTTP,                                   \
           "a cloak leaves so many seconds before the first of its deadlines, or not (default "       \
           "0.01)")                                                                                   \
    NUMBER(engine, patience_s, "patience", "S", 0.5, 0.01, 60, START, ALL,                            \
           "how long a cloak waits for a message of a gateway or worker that has members of it, or "  \
           "found it, seconds (default 0.5)")                                                         \
    TEXT(engine, density, "density", "FILE.csv", "", START, HTTP,                                     \
         "traffic by segment, see 'starcloak density'; the metrics then tell how many segments of "   \
         "a cloak count (default: all are equally busy)")                                             \
    TEXT(provider, provider, "provider", "URL", "", START, HTTP,                                      \
         "ask this provider, as 'starcloak lbs' or any that speaks the provider protocol "            \
         "(default: the built-in one, in the same process)")                                          \
    WORD(provider, encoding, "encoding", "NAME", "compact geojson", 0, START, HTTP,                   \
         "how it is asked: compact (default; it has the same map) or geojson (a map of its own)")     \
    TEXT(provider, provider_ca, "provider-ca", "FILE.pem", "", START, HTTP,                           \
         "who may have signed the provider's certificate (default: whom the system trusts)")          \
    TEXT(provider, provider_certificate, "provider-certificate", "FILE.pem", "", START, HTTP,         \
         "show the provider this certificate (default: none)")                                        \
    TEXT(provider, provider_key, "provider-key", "FILE.pem", "", START, HTTP,                         \
         "its key (default: in the same file)")                                                       \
    NUMBER(provider, provider_timeout_s, "provider-timeout", "S", 3, 0.01, 3600, START, HTTP,         \
           "seconds for one try (default 3)")                                                         \
    NUMBER(provider, provider_deadline_s, "provider-deadline", "S", 10, 0.01, 3600, START, HTTP,      \
           "seconds for a cloak, all tries together; then its queries have failed (default 10)")      \
    COUNT(provider, provider_connections, "provider-connections", "N", 8, 1, 1000, START, HTTP,       \
          "kept open to the provider (default 8)")                                                    \
    NUMBER(provider, provider_slack, "provider-slack", "SHARE", 0, 0, 1, START, HTTP,                 \
           "by what share its distances may differ from those of our map, which is needed if it "     \
           "has a map of its own (default 0)")                                                        \
    LIST(provider, categories, "categories", "NAME,...", "", START, HTTP,                             \
         "categories that the provider has and the map has not, parted by commas (default: none)")    \
    COUNT(provider, breaker_failures, "breaker-failures", "N", 8, 0, 1000000, START, HTTP,            \
          "consecutive failures after which it is not asked for a while; 0: never (default 8)")       \
    NUMBER(provider, breaker_pause_s, "breaker-pause", "S", 5, 0.01, 3600, START, HTTP,               \
           "how long (default 5)")                                                                    \
    COUNT(provider, provider_threads, "provider-threads", "N", 0, 0, 64, START, HTTP,                 \
          "threads that evaluate, check and filter replies; with a point provider, how many "         \
          "cloaks it is asked about at once (default 0: the ledger's thread does it; 1 with several " \
          "engine threads, 16 with a point provider)")                                                \
    TEXT(points, point_provider, "point-provider", "URL", "", START, HTTP,                            \
         "ask a provider that knows only the nearest objects of a point; the URL has {lon}, "         \
         "{lat}, {k} and, if it knows categories, {category} (default: none)")                        \
    WORD(points, point_distance, "point-distance", "KIND", "straight road", 0, START, HTTP,           \
         "how it measures: straight (default) or road")                                               \
    NUMBER(points, point_spacing_m, "point-spacing", "M", 200, 1, 100000, START, HTTP,                \
           "how far apart the points may be along a road, metres (default 200)")                      \
    COUNT(points, point_max_k, "point-max-k", "N", 1000, 1, 1000000, START, HTTP,                     \
          "the most objects that it gives for one question (default 1000)")                           \
    TEXT(points, point_fields, "point-fields", "NAME=FIELD,...", "", START, HTTP,                     \
         "where things are in its answers (default: list=results, key=id, lon=lon, lat=lat, "         \
         "distance=distance_m, category=category, name=name)")                                        \
    TEXT(objects, objects, "objects", "URL", "", START, HTTP,                                         \
         "built in: take the objects from a PostgreSQL/PostGIS table, "                               \
         "postgresql://user@host/database (default: those of the map)")                               \
    TEXT(objects, objects_table, "objects-table", "NAME", "objects", START, HTTP,                     \
         "the table, or SCHEMA.TABLE (default objects)")                                              \
    TEXT(objects, objects_key, "objects-key", "COLUMN", "id", START, HTTP,                            \
         "what an object is called by, different in each row (default id)")                           \
    TEXT(objects, objects_position, "objects-position", "COLUMN", "geom", START, HTTP,                \
         "where it is, a geometry or geography (default geom)")                                       \
    TEXT(objects, objects_category, "objects-category", "COLUMN", "category", START, HTTP,            \
         "what kind of object it is (default category)")                                              \
    TEXT(objects, objects_name, "objects-name", "COLUMN", "name", START, HTTP,                        \
         "its name for people; '' if there is no such column (default name)")                         \
    NUMBER(objects, objects_snap_m, "objects-snap", "M", 1000, 0, 1000000, START, HTTP,               \
           "leave out objects farther than M metres from any road (default 1000)")                    \
    TEXT(objects, objects_channel, "objects-channel", "NAME", "", START, HTTP,                        \
         "load the table again when a NOTIFY comes on this channel (default: none)")                  \
    NUMBER(objects, objects_refresh_s, "objects-refresh", "S", 0, 0, 31536000, START, HTTP,           \
           "load it again S seconds after the last time; 0: never (default 0)")                       \
    LIST(cluster, nats, "nats", "URL,...", "nats://127.0.0.1:4222", START, NATS,                      \
         "NATS servers, nats://HOST:PORT or tls://HOST:PORT, parted by commas; others of their "      \
         "cluster are found by themselves (default nats://127.0.0.1:4222)")                           \
    TEXT(cluster, nats_ca, "nats-ca", "FILE.pem", "", START, NATS,                                    \
         "speak TLS with them, and trust who is signed by one of these (default: TLS only with "      \
         "tls://, and whom the system trusts)")                                                       \
    TEXT(cluster, nats_certificate, "nats-certificate", "FILE.pem", "", START, NATS,                  \
         "show them this certificate (default: none)")                                                \
    TEXT(cluster, nats_key, "nats-key", "FILE.pem", "", START, NATS,                                  \
         "its key (default: in the same file)")                                                       \
    TEXT(cluster, nats_credentials, "nats-credentials", "FILE.creds", "", START, NATS,                \
         "who we are for them, as a file of NATS credentials (default: none)")                        \
    TEXT(cluster, nats_user, "nats-user", "NAME", "", START, NATS,                                    \
         "who we are for them, with a password (default: nobody)")                                    \
    TEXT(cluster, nats_password, "nats-password", "FILE", "", START, NATS,                            \
         "the file whose first line is the password (default: none)")                                 \
    TEXT(cluster, cluster_name, "cluster-name", "NAME", "starcloak", START, NATS,                     \
         "the first word of all subjects: clusters with different names may share NATS servers "      \
         "(default starcloak)")                                                                       \
    TEXT(cluster, cluster_key, "cluster-key", "FILE", "", START, NATS,                                \
         "the key that all processes of the cluster share, see 'starcloak cluster key'; it seals "    \
         "what they say to each other (required)")                                                    \
    TEXT(cluster, name, "name", "NAME", "", START, NATS,                                              \
         "how this process is called in tables and metrics (default: the host's name and the "        \
         "process's number)")                                                                         \
    NUMBER(cluster, heartbeat_s, "heartbeat", "S", 0.5, 0.05, 60, START, NATS,                        \
           "seconds between two signs of life; three that are missed mean death (default 0.5)")       \
    NUMBER(cluster, uneven, "uneven", "RATIO", 1.25, 1.01, 100, START, NATS,                          \
           "parts move when the busiest worker has so many times the mean load for long (default "    \
           "1.25)")                                                                                   \
    NUMBER(cluster, repack_s, "repack-after", "S", 60, 1, 86400, START, NATS,                         \
           "how long that is (default 60)")                                                           \
    WORD(log, log_format, "log-format", "NAME", "logfmt json", 0, START, ALL,                         \
         "how log lines look: logfmt (default) or json")                                              \
    WORD(log, log_level, "log-level", "NAME", "error warning info debug", 2, RELOAD, ALL,             \
         "what is logged: error, warning, info (default) or debug")
// clang-format on

#endif
