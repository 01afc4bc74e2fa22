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
 *   WORD(section, field, "name", "VALUE", "words", default, when, who, "help")   a word's place
 *
 * `when`: RELOAD, what a reload changes in a running service; MAP, what it changes together with
 * the map that is served (served_map.h), which a gateway, a worker and a demonstration do not;
 * START, what it does not.
 * `who` has a flag for it: HTTP, processes that serve HTTP (serve, demo, gateway); RUN, those with
 * engines (serve, demo, worker); NATS, those of a cluster (gateway, worker); ALL. A file may have
 * them all: the processes of a cluster share one.
 */
#ifndef SC_API_SETTINGS_LIST_H
#define SC_API_SETTINGS_LIST_H

// clang-format off
#define SC_SETTINGS(LIST, TEXT, COUNT, NUMBER, SWITCH, WORD)                                          \
    TEXT(server, map, "map", "FILE.scm", "", MAP, ALL,                                                \
         "the road network; may also be given as an argument (default: none)")                        \
    LIST(server, listen, "listen", "ADDRESS,...", "127.0.0.1:8080", START, HTTP,                      \
         "where to listen: HOST:PORT, [IPV6]:PORT or unix:PATH, separated by commas; port 0 lets "    \
         "the system choose (default 127.0.0.1:8080; not needed if a service manager passes "         \
         "sockets)")                                                                                  \
    LIST(server, admin, "admin", "ADDRESS,...", "", START, HTTP,                                      \
         "where operators come in: metrics, events, the cluster, why the service is not ready, and "  \
         "the UI's live view are served there and nowhere else, by plain HTTP; addresses as for "     \
         "listen, or 'listen': the same addresses, for trying out (default: none)")                   \
    LIST(server, proxies, "proxies", "ADDRESS,...", "", START, HTTP,                                  \
         "proxies in front of listen: addresses, networks as 10.0.0.0/8, or unix; their connections " \
         "must begin with a PROXY protocol header, which says who the client is, unless forwarded "   \
         "names another way (default: none)")                                                         \
    WORD(server, forwarded, "forwarded", "HEADER", "off forwarded x-forwarded-for", 0, START, HTTP,   \
         "the header of requests in which proxies say who the client is, in place of the PROXY "      \
         "protocol: off (default), forwarded (RFC 7239) or x-forwarded-for; no other header counts, " \
         "and from others than proxies none does")                                                    \
    LIST(server, origins, "origins", "ORIGIN,...", "", START, HTTP,                                   \
         "origins whose pages may ask from a browser, such as https://app.example, separated by "     \
         "commas; the service's own page needs none (default: none)")                                 \
    TEXT(server, tls_certificate, "tls-certificate", "FILE.pem", "", START, HTTP,                     \
         "use TLS with this certificate and its chain (default: no TLS)")                             \
    TEXT(server, tls_key, "tls-key", "FILE.pem", "", START, HTTP,                                     \
         "the private key of tls-certificate (default: in the same file)")                            \
    TEXT(server, client_ca, "client-ca", "FILE.pem", "", START, HTTP,                                 \
         "clients must present a certificate signed by one of these authorities (default: no "        \
         "certificate is required)")                                                                  \
    COUNT(server, loops, "loops", "N", 0, 0, 64, START, HTTP,                                         \
          "threads for HTTP connections (default 0: 1 without TLS, with the provider built in and "   \
          "no other threads, which then does everything, and 2 otherwise)")                           \
    COUNT(server, max_connections, "max-connections", "N", 50000, 1, 10000000, START, HTTP,           \
          "connections at once; the oldest idle one makes room for another, and if all are busy, "    \
          "others than health checks are told 503 (default 50000)")                                   \
    COUNT(server, address_connections, "address-connections", "N", 1000, 0, 10000000, START, HTTP,    \
          "connections at once of one address, or of one /64 network of IPv6; the oldest idle one "   \
          "makes room, and if all are busy, more are refused; 0: no limit (default 1000)")            \
    NUMBER(server, handshake_rate, "handshake-rate", "N", 50, 0, 1000000, START, HTTP,                \
           "TLS handshakes per second of one address, on average; 0: no limit (default 50)")          \
    NUMBER(server, handshake_burst, "handshake-burst", "N", 200, 1, 1000000, START, HTTP,             \
           "TLS handshakes of one address that may begin at once after a pause (default 200)")        \
    COUNT(server, max_header_bytes, "max-header-bytes", "N", 16384, 512, 1048576, START, HTTP,        \
          "bytes that the headers of a request may have; larger ones are refused (default 16384)")    \
    COUNT(server, max_body_bytes, "max-body-bytes", "N", 16384, 256, 16777216, START, HTTP,           \
          "bytes that the body of a request may have; larger ones are refused (default 16384)")       \
    NUMBER(server, request_timeout_s, "request-timeout", "S", 10, 0.1, 3600, START, HTTP,             \
           "seconds within which a request must be complete (default 10)")                            \
    NUMBER(server, idle_timeout_s, "idle-timeout", "S", 60, 0.1, 86400, START, HTTP,                  \
           "seconds after which a connection without a request is closed (default 60)")               \
    NUMBER(server, write_timeout_s, "write-timeout", "S", 30, 0.1, 3600, START, HTTP,                 \
           "seconds within which a client must acknowledge 64 KiB of a reply, or the rest of it "     \
           "(default 30)")                                                                            \
    COUNT(server, send_buffer, "send-buffer", "BYTES", 65536, 4096, 16777216, START, HTTP,            \
          "bytes of a reply that the kernel keeps for a connection until the client acknowledges "    \
          "them (default 65536)")                                                                     \
    COUNT(server, address_bandwidth, "address-bandwidth", "BYTES", 16000000, 0, 1000000000000, START, \
          HTTP,                                                                                       \
          "bytes per second of large replies, as the map, to one address; 0: no limit (default "      \
          "16000000)")                                                                                \
    COUNT(server, max_listeners, "max-listeners", "N", 100, 0, 100000, START, HTTP,                   \
          "clients that may receive events at once (default 100)")                                    \
    NUMBER(server, drain_s, "drain", "S", 30, 0, 86400, START, ALL,                                   \
           "seconds to wait for pending queries when the process is told to stop (default 30)")       \
    NUMBER(server, drain_grace_s, "drain-grace", "S", 0, 0, 3600, START, HTTP,                        \
           "seconds before that in which /readyz already reports the stop but connections are "       \
           "still accepted, for load balancers (default 0)")                                          \
    TEXT(server, user, "user", "NAME", "", START, ALL,                                                \
         "the user to run as, once sockets and files are open (default: nobody, if started by "       \
         "root)")                                                                                     \
    SWITCH(server, no_sandbox, "no-sandbox", START, ALL,                                              \
           "do not filter system calls; for debuggers and kernels without seccomp")                   \
    SWITCH(server, no_ui, "no-ui", START, HTTP,                                                       \
           "do not serve the UI; the routes that it uses stay")                                       \
    TEXT(tokens, token_keys, "token-keys", "FILE", "", START, HTTP,                                   \
         "the keys that tokens are signed with, see 'starcloak token key' (default: a new random "    \
         "key; a token for a first try is printed)")                                                  \
    TEXT(tokens, revoked, "revoked", "FILE", "", START, HTTP,                                         \
         "the list of revoked tokens, see 'starcloak token revoke' (default: none)")                  \
    TEXT(tokens, jwt_keys, "jwt-keys", "FILE|URL", "", START, HTTP,                                   \
         "also accept JSON Web Tokens of your own login: its public keys, as a JSON Web Key Set in a "\
         "file, or at an https:// address (default: none)")                                           \
    TEXT(tokens, jwt_issuer, "jwt-issuer", "TEXT", "", START, HTTP,                                   \
         "what the claim iss of these tokens must be (required with jwt-keys)")                       \
    TEXT(tokens, jwt_audience, "jwt-audience", "TEXT", "", START, HTTP,                               \
         "what their claim aud must be or have, so that tokens for other services are refused "       \
         "(required with jwt-keys)")                                                                  \
    TEXT(tokens, jwt_user, "jwt-user", "CLAIM", "sub", START, HTTP,                                   \
         "the claim that says who the user is (default sub)")                                         \
    TEXT(tokens, jwt_ca, "jwt-ca", "FILE.pem", "", START, HTTP,                                       \
         "authorities for the address of jwt-keys (default: those of the system)")                    \
    NUMBER(tokens, jwt_refresh_s, "jwt-refresh", "S", 600, 10, 86400, START, HTTP,                    \
           "seconds between two questions for the keys at an address; a token with an unknown key "   \
           "brings the next forward (default 600)")                                                   \
    SWITCH(split, oblivious, "oblivious", START, HTTP,                                                \
           "take requests of Oblivious HTTP, which come sealed by a relay, so that who asks is not "  \
           "seen here and what is asked is not seen there; at /.well-known/ohttp-gateway")            \
    LIST(split, relays, "relays", "ADDRESS,...", "", START, HTTP,                                     \
         "relays that send for many clients: addresses, or networks as 10.0.0.0/8; limits per "       \
         "address are not for them (default: none)")                                                  \
    TEXT(split, oblivious_keys, "oblivious-keys", "FILE", "", START, HTTP,                            \
         "the keys that requests are sealed for, shared by all gateways; see 'starcloak "             \
         "oblivious keys' (default: made here and kept in memory)")                                   \
    NUMBER(split, oblivious_period_s, "oblivious-period", "S", 86400, 60, 31536000, START, HTTP,      \
           "seconds for which a key that is made here is published; it is honoured for half as "      \
           "long after that (default 86400)")                                                         \
    NUMBER(split, oblivious_window_s, "oblivious-window", "S", 60, 1, 86400, START, HTTP,             \
           "seconds by which the Date of a sealed request may differ from the service's, and for "    \
           "which it is remembered, so that a relay cannot send it twice (default 60)")               \
    COUNT(split, oblivious_replays, "oblivious-replays", "N", 262144, 1000, 67108864, START, HTTP,    \
          "sealed requests that are remembered, those of four windows; beyond that they are "         \
          "refused (default 262144)")                                                                 \
    TEXT(split, pass_issuer, "pass-issuer", "FILE|URL", "", START, HTTP,                              \
         "also accept the anonymous tokens (Privacy Pass) of this issuer, which count accounts "      \
         "without naming them: its directory, in a file or at an https:// address (default: none)")   \
    TEXT(split, pass_origin, "pass-origin", "NAME", "", START, HTTP,                                  \
         "the name of this service in these tokens, as cloak.example (required with pass-issuer)")    \
    TEXT(split, pass_issuer_name, "pass-issuer-name", "NAME", "", START, HTTP,                        \
         "the issuer's name in these tokens (default: the host of pass-issuer; required with a file)")\
    TEXT(split, pass_ca, "pass-ca", "FILE.pem", "", START, HTTP,                                      \
         "authorities for the address of pass-issuer (default: those of the system)")                 \
    COUNT(split, pass_epoch_s, "pass-epoch", "S", 3600, 2, 86400, START, HTTP,                        \
          "seconds for which such a token is good; an account gets one for each such epoch, counted " \
          "since 1970 (default 3600)")                                                                \
    TEXT(tokens, zone_key, "zone-key", "FILE", "", START, HTTP,                                       \
         "draw zones, roads that the cloaks of a traveller near home hold together, and seal them "   \
         "with this key, see 'starcloak token key'; keep it as long as zones are in use (default: "   \
         "there are no zones)")                                                                       \
    COUNT(tokens, zone_roads, "zone-roads", "N", 5, 2, 100, START, HTTP,                              \
          "roads that a zone has at least (default 5)")                                               \
    COUNT(policy, min_k, "min-k", "N", 2, 1, 1000000, RELOAD, HTTP,                                   \
          "the smallest k (users to be hidden among) that a query may ask for (default 2)")           \
    COUNT(policy, max_k, "max-k", "N", 100, 1, 1000000, RELOAD, HTTP,                                 \
          "the largest k that a query may ask for (default 100)")                                     \
    COUNT(policy, default_k, "default-k", "N", 5, 1, 1000000, RELOAD, HTTP,                           \
          "k of a query that does not give it (default 5)")                                           \
    COUNT(policy, min_l, "min-l", "N", 1, 1, 1000000, RELOAD, HTTP,                                   \
          "the smallest l (segments of a cloak) that a query may ask for (default 1)")                \
    COUNT(policy, max_l, "max-l", "N", 50, 1, 1000000, RELOAD, HTTP,                                  \
          "the largest l that a query may ask for (default 50)")                                      \
    COUNT(policy, default_l, "default-l", "N", 3, 1, 1000000, RELOAD, HTTP,                           \
          "l of a query that does not give it (default 3)")                                           \
    COUNT(policy, min_hops, "min-hops", "N", 1, 0, 1000, RELOAD, HTTP,                                \
          "the smallest max_hops (hops that a cloak may reach) that a query may give (default 1)")    \
    COUNT(policy, max_hops, "max-hops", "N", 8, 0, 1000, RELOAD, HTTP,                                \
          "the largest max_hops that a query may give (default 8)")                                   \
    COUNT(policy, default_hops, "default-hops", "N", 4, 0, 1000, RELOAD, HTTP,                        \
          "max_hops of a query that does not give it (default 4)")                                    \
    NUMBER(policy, min_wait_s, "min-wait", "S", 1, 0.001, 86400, RELOAD, HTTP,                        \
           "the smallest max_wait_s (time to wait for a cloak) that a query may give, seconds "       \
           "(default 1)")                                                                             \
    NUMBER(policy, max_wait_s, "max-wait", "S", 60, 0.001, 86400, RELOAD, HTTP,                       \
           "the largest max_wait_s that a query may give, seconds (default 60)")                      \
    NUMBER(policy, default_wait_s, "default-wait", "S", 10, 0.001, 86400, RELOAD, HTTP,               \
           "max_wait_s of a query that does not give it, seconds (default 10)")                       \
    COUNT(policy, max_nearest, "max-nearest", "N", 100, 1, 1000, RELOAD, HTTP,                        \
          "the largest number of objects that a request may ask for (default 100)")                   \
    NUMBER(policy, max_radius_m, "max-radius", "M", 20000, 0, 100000, RELOAD, HTTP,                   \
           "the largest radius that a request may ask for, metres (default 20000)")                   \
    NUMBER(policy, max_duration_s, "max-duration", "S", 1800, 0, 7200, RELOAD, HTTP,                  \
           "the largest radius in travel time that it may ask for, seconds (default 1800)")           \
    COUNT(policy, max_objects, "max-objects", "N", 2000, 0, 100000000, RELOAD, HTTP,                  \
          "refuse ranges in which more objects than this are expected; 0: no limit (default 2000)")   \
    NUMBER(policy, max_cost, "max-cost", "N", 300000, 0, 1e12, RELOAD, HTTP,                          \
           "refuse queries and cloaks that would cost the provider more steps than this, by an "      \
           "estimate: a million steps are about 0.2 s of a processor; 0: no limit (default 300000)")  \
    WORD(policy, default_metric, "default-metric", "NAME", "distance time", 1, RELOAD, HTTP,          \
         "the metric of a query that does not give it: time (default), by the quickest way, or "      \
         "distance, by the shortest; with a point-provider always distance")                          \
    NUMBER(policy, max_snap_m, "max-snap", "M", 250, 0, 1000000, RELOAD, HTTP,                        \
           "refuse positions farther than this from any road, metres (default 250)")                  \
    NUMBER(policy, user_rate, "user-rate", "N", 1, 0, 1000000, RELOAD, HTTP,                          \
           "queries per second of one user, on average; 0: no limit (default 1)")                     \
    NUMBER(policy, user_burst, "user-burst", "N", 5, 1, 1000000, RELOAD, HTTP,                        \
           "queries of one user that may arrive at once after a pause (default 5)")                   \
    COUNT(policy, user_pending, "user-pending", "N", 1, 1, 1000000, RELOAD, HTTP,                     \
          "queries of one user that may wait at once (default 1)")                                    \
    NUMBER(policy, lease_s, "lease", "S", 15, 0.1, 86400, RELOAD, HTTP,                               \
           "seconds after the last contact of its client for which a query that was asked "           \
           "asynchronously, or with an Idempotency-Key, goes on waiting (default 15)")                \
    NUMBER(policy, outcome_keep_s, "outcome-keep", "S", 60, 0, 86400, RELOAD, HTTP,                   \
           "seconds for which the outcome of such a query can be read again, from the first time "    \
           "on; twice as long if it never was (default 60)")                                          \
    NUMBER(policy, max_poll_s, "max-poll", "S", 30, 0, 3600, RELOAD, HTTP,                            \
           "the longest that a client may ask to wait for a change of such a query, seconds "         \
           "(default 30)")                                                                            \
    COUNT(policy, max_outcomes, "max-outcomes", "N", 50000, 1, 100000000, RELOAD, HTTP,               \
          "outcomes of such queries that are kept at once, with 4 KiB for each on average; where "    \
          "there are more, the one whose time is over next is forgotten (default 50000)")             \
    NUMBER(policy, user_cost, "user-cost", "N", 5000, 0, 1e12, RELOAD, HTTP,                          \
           "steps per second that the queries of one user may cost, on average, and those of a "      \
           "minute at once after a pause; 0: no limit (default 5000)")                                \
    NUMBER(policy, user_waiting, "user-waiting", "SHARE", 1, 0, 1000000, RELOAD, HTTP,                \
           "share of the time for which queries of one user may wait, those of ten times max-wait "   \
           "at once after a pause; k above the default counts in proportion; 0: no limit (default 1)")\
    NUMBER(policy, address_rate, "address-rate", "N", 100, 0, 1000000, RELOAD, HTTP,                  \
           "requests per second from one address, on average; 0: no limit (default 100)")             \
    NUMBER(policy, address_burst, "address-burst", "N", 200, 1, 1000000, RELOAD, HTTP,                \
           "requests from one address that may arrive at once after a pause (default 200)")           \
    WORD(policy, events, "events", "WHO", "off local token open", 1, RELOAD, HTTP,                    \
         "who may receive cloaks as events when they leave, of those who reach the admin listener: "  \
         "off, local, token or open (default local)")                                                                                    \
    WORD(policy, metrics, "metrics", "WHO", "off local token open", 1, RELOAD, HTTP,                  \
         "who may read the metrics, of those who reach the admin listener: off, local, token or "     \
         "open (default local)")                       \
    WORD(engine, engine, "engine", "NAME",                                                            \
         "basic bounded hybrid xstar sampling expansion patient", 6, START, ALL,                      \
         "how to search for cloaks: patient (default), basic, bounded or hybrid; or a method to "      \
         "compare with: xstar, sampling or expansion")                                                \
    SWITCH(engine, strict, "strict", START, ALL,                                                      \
           "bounded and hybrid: strict setting, take a star only if it is near one taken before; "    \
           "patient: a road counts for a member only if it can be its own by its max_hops "           \
           "(default with traffic, classes, continuity or zone-key)")                                 \
    SWITCH(engine, no_strict, "no-strict", START, ALL,                                                \
           "patient: count all roads of a cloak for every member, also with traffic, classes, "       \
           "continuity or zone-key")                                                                  \
    COUNT(engine, lambda, "lambda", "N", 1, 1, 1000, START, ALL,                                      \
          "bounded and hybrid: hops per level of the search (default 1)")                             \
    NUMBER(engine, alpha_s, "alpha", "S", 2, 0, 86400, START, ALL,                                    \
           "hybrid: seconds before a query's deadline from which on the search for it is unbounded; " \
           "patient: from which on it does not wait for a crowd (default 2)")                         \
    COUNT(engine, crowd, "crowd", "N", 4, 1, 1000, START, ALL,                                        \
          "patient: search once N times the k of a new query are around it; 1 searches at once "      \
          "(default 4)")                                                                              \
    COUNT(engine, k_spread, "k-spread", "N", 2, 0, 1000, START, ALL,                                  \
          "basic, bounded, hybrid and xstar: let queries gather at a star only if no k among them "   \
          "is more than N times another; patient and xstar: search for a query only among those "     \
          "whose k is at most N times its own; 0: whatever their k, as in the paper (default 2)")     \
    COUNT(engine, cap, "cap", "N", 0, 0, 1048576, START, ALL,                                         \
          "combinations that one search keeps; with patient, dead ends of one search (default 0: 64, " \
          "and 8 with sampling, expansion and patient)")                                              \
    SWITCH(engine, paranoid, "paranoid", START, HTTP,                                                 \
           "check every promise of every cloak once more before it leaves")                           \
    TEXT(engine, partition, "partition", "FILE.partition", "", MAP, ALL,                              \
         "the map in parts, see 'starcloak partition'; each part has an engine of its own "           \
         "(default: one part)")                                                                       \
    COUNT(engine, threads, "threads", "N", 0, 0, 1024, START, RUN,                                    \
          "threads with engines, which share the parts; 'starcloak serve' with 1 has one thread for " \
          "ledger and engine (default 0: 1, and with 'starcloak worker' one per processor)")          \
    COUNT(engine, prune_threads, "prune-threads", "N", 0, 0, 256, START, RUN,                         \
          "threads that prune candidates (default 0: the engine's thread does it)")                   \
    COUNT(engine, max_pending, "max-pending", "N", 100000, 1, 10000000, START, ALL,                   \
          "queries that wait at once; more are refused (default 100000)")                             \
    NUMBER(engine, jitter_s, "jitter", "S", 0.2, 0, 3600, START, HTTP,                                \
           "a cloak leaves at a random time up to this many seconds after it is found (default "      \
           "0.2)")                                                                                    \
    NUMBER(engine, guard_s, "guard", "S", 0.01, 0, 60, START, HTTP,                                   \
           "a cloak must leave this many seconds before the first deadline of its members, or it "    \
           "does not leave (default 0.01)")                                                           \
    NUMBER(engine, patience_s, "patience", "S", 0.5, 0.01, 60, START, ALL,                            \
           "seconds that a cloak waits for a reply of a gateway that has members of it, or of the "   \
           "worker that found it (default 0.5)")                                                      \
    WORD(engine, rare_requests, "rare-requests", "WHAT", "send drop", 0, START, HTTP,                 \
         "what to do with a request that its user has made before and few others make nearby, which " \
         "ties two cloaks to one user: send (default), or drop the query")                            \
    COUNT(engine, rare_users, "rare-users", "N", 5, 2, 1000, START, HTTP,                             \
          "rare-requests: with so many users, the one that asks included, a request is not rare "     \
          "(default 5)")                                                                              \
    NUMBER(engine, rare_window_s, "rare-window", "S", 60, 1, 3600, START, HTTP,                       \
           "rare-requests: seconds within which they made it (default 60)")                           \
    NUMBER(engine, rare_memory_s, "rare-memory", "S", 3600, 1, 86400, START, HTTP,                    \
           "rare-requests: seconds for which it is remembered, in memory alone, that a user has "     \
           "made a request (default 3600)")                                                           \
    TEXT(engine, density, "density", "FILE.csv", "", MAP, ALL,                                        \
         "traffic by segment, see 'starcloak density'; the patient engine then keeps 'traffic', and " \
         "the metrics show the effective segments of cloaks by it; the same table at all "            \
         "processes of a cluster (default: all segments are equally busy)")                           \
    WORD(engine, traffic, "traffic", "N", "auto 0 2 3 4", 0, START, ALL,                              \
         "patient with a density: each road that can be a member's is at most as likely as one of N, "\
         "2, 3 or 4; 0: not asked; auto: 2 where there is a density (default auto)")                  \
    TEXT(engine, classes, "classes", "FILE.csv", "", MAP, ALL,                                        \
         "classes of places, as clinics, by segment, see 'starcloak map classes': their roads do not "  \
         "count for l; the same table at all processes of a cluster (default: none)")                 \
    SWITCH(engine, continuity, "continuity", START, ALL,                                              \
           "patient: a road counts by the part of it that a user can have reached since its last "    \
           "cloak, which gateways keep in memory; the same at all processes of a cluster")            \
    NUMBER(engine, vmax_m_s, "vmax", "M/S", 33, 0.1, 1000, START, HTTP,                               \
           "with continuity: how fast users are at most, metres per second (default 33)")             \
    NUMBER(engine, tau_s, "tau", "S", 300, 0.001, 86400, START, HTTP,                                 \
           "with continuity: how long a cloak counts, and is kept, seconds (default 300)")            \
    TEXT(provider, provider, "provider", "URL", "", MAP, HTTP,                                        \
         "the URL of the provider: 'starcloak lbs' or another that implements the provider "          \
         "protocol (default: the built-in provider, in the same process)")                            \
    SWITCH(provider, provider_plain, "provider-plain", START, HTTP,                                   \
           "allow http:// to a provider on another machine, where all in between can read cloaks "    \
           "and answers (default: only https://, and http:// on this machine)")                       \
    WORD(provider, encoding, "encoding", "NAME", "compact geojson", 0, START, HTTP,                   \
         "encoding of messages to the provider: compact (default; it must have the same map) or "     \
         "geojson (it may have another map)")                                                         \
    TEXT(provider, provider_ca, "provider-ca", "FILE.pem", "", START, HTTP,                           \
         "the authorities that may have signed the provider's certificate (default: those of the "    \
         "system)")                                                                                   \
    TEXT(provider, provider_certificate, "provider-certificate", "FILE.pem", "", START, HTTP,         \
         "the certificate to present to the provider (default: none)")                                \
    TEXT(provider, provider_key, "provider-key", "FILE.pem", "", START, HTTP,                         \
         "the private key of provider-certificate (default: in the same file)")                       \
    NUMBER(provider, provider_timeout_s, "provider-timeout", "S", 3, 0.01, 3600, START, HTTP,         \
           "seconds for one try to ask the provider (default 3)")                                     \
    NUMBER(provider, provider_deadline_s, "provider-deadline", "S", 10, 0.01, 3600, START, HTTP,      \
           "seconds for all tries of a cloak together; after that its queries fail (default 10)")     \
    COUNT(provider, provider_connections, "provider-connections", "N", 8, 1, 1000, START, HTTP,       \
          "connections to the provider that are kept open (default 8)")                               \
    NUMBER(provider, provider_slack, "provider-slack", "SHARE", 0, 0, 1, START, HTTP,                 \
           "the share by which the provider's distances may differ from those of our map; needed "    \
           "if it has another map (default 0)")                                                       \
    LIST(provider, categories, "categories", "NAME,...", "", MAP, HTTP,                               \
         "categories that the provider has but the map does not, separated by commas (default: "      \
         "none)")                                                                                     \
    COUNT(provider, breaker_failures, "breaker-failures", "N", 8, 0, 1000000, START, HTTP,            \
          "consecutive failures after which the provider is suspended; 0: never (default 8)")         \
    NUMBER(provider, breaker_pause_s, "breaker-pause", "S", 5, 0.01, 3600, START, HTTP,               \
           "seconds for which the provider is suspended (default 5)")                                 \
    COUNT(provider, provider_threads, "provider-threads", "N", 0, 0, 64, START, HTTP,                 \
          "threads that evaluate, check and filter replies; with a point or area provider, how "      \
          "many cloaks it is asked about at once (default 0: the ledger's thread does it; with "      \
          "several engine threads as many as those; 16 with a point or area provider)")               \
    TEXT(provider, area_provider, "area-provider", "FILE.ini", "", START, HTTP,                       \
         "ask a provider that lists what is in a box, as OGC API Features, WFS or Overpass do; the "  \
         "file says how (default: none)")                                                             \
    TEXT(points, point_provider, "point-provider", "FILE.ini|URL", "", START, HTTP,                   \
         "ask a provider that knows only the nearest objects of a point; the file says how. For a "   \
         "simple one a URL is enough, with {lon}, {lat}, {k} and, if it knows categories, "           \
         "{category} (default: none)")                                                                \
    WORD(points, point_distance, "point-distance", "KIND", "straight road", 0, START, HTTP,           \
         "point provider by URL: how it measures distances, straight (default) or road")              \
    NUMBER(points, point_spacing_m, "point-spacing", "M", 200, 1, 100000, START, HTTP,                \
           "point provider by URL: how far apart the points may be along a road, metres (default "    \
           "200)")                                                                                    \
    COUNT(points, point_max_k, "point-max-k", "N", 1000, 1, 1000000, START, HTTP,                     \
          "point provider by URL: the largest number of objects that it gives for one question "      \
          "(default 1000)")                                                                           \
    TEXT(points, point_fields, "point-fields", "NAME=FIELD,...", "", START, HTTP,                     \
         "point provider by URL: the fields of its answers (default: list=results, key=id, lon=lon, " \
         "lat=lat, distance=distance_m, category=category, name=name)")                               \
    TEXT(objects, objects, "objects", "URL", "", START, HTTP,                                         \
         "built-in provider: take the objects from a PostgreSQL/PostGIS table, "                      \
         "postgresql://user@host/database (default: those of the map)")                               \
    TEXT(objects, objects_table, "objects-table", "NAME", "objects", START, HTTP,                     \
         "the table of objects, or SCHEMA.TABLE (default objects)")                                   \
    TEXT(objects, objects_key, "objects-key", "COLUMN", "id", START, HTTP,                            \
         "the column with the key, different in each row (default id)")                               \
    TEXT(objects, objects_position, "objects-position", "COLUMN", "geom", START, HTTP,                \
         "the column with the position, a geometry or geography (default geom)")                      \
    TEXT(objects, objects_category, "objects-category", "COLUMN", "category", START, HTTP,            \
         "the column with the category (default category)")                                           \
    TEXT(objects, objects_name, "objects-name", "COLUMN", "name", START, HTTP,                        \
         "the column with the name; '' if there is none (default name)")                              \
    NUMBER(objects, objects_snap_m, "objects-snap", "M", 1000, 0, 1000000, START, HTTP,               \
           "leave out objects farther than M metres from any road (default 1000)")                    \
    TEXT(objects, objects_channel, "objects-channel", "NAME", "", START, HTTP,                        \
         "load the objects again when a NOTIFY arrives on this channel (default: none)")              \
    NUMBER(objects, objects_refresh_s, "objects-refresh", "S", 0, 0, 31536000, START, HTTP,           \
           "load the objects again S seconds after the last load; 0: never (default 0)")              \
    LIST(cluster, nats, "nats", "URL,...", "nats://127.0.0.1:4222", START, NATS,                      \
         "NATS servers, nats://HOST:PORT or tls://HOST:PORT, separated by commas; other servers of "  \
         "their cluster are found automatically (default nats://127.0.0.1:4222)")                     \
    TEXT(cluster, nats_ca, "nats-ca", "FILE.pem", "", START, NATS,                                    \
         "use TLS with NATS servers, and trust those signed by one of these authorities (default: "   \
         "TLS only with tls://, and the authorities of the system)")                                  \
    TEXT(cluster, nats_certificate, "nats-certificate", "FILE.pem", "", START, NATS,                  \
         "the certificate to present to NATS servers (default: none)")                                \
    TEXT(cluster, nats_key, "nats-key", "FILE.pem", "", START, NATS,                                  \
         "the private key of nats-certificate (default: in the same file)")                           \
    TEXT(cluster, nats_credentials, "nats-credentials", "FILE.creds", "", START, NATS,                \
         "a file of NATS credentials to log in with (default: none)")                                 \
    TEXT(cluster, nats_user, "nats-user", "NAME", "", START, NATS,                                    \
         "the user to log in to NATS as, with nats-password (default: none)")                         \
    TEXT(cluster, nats_password, "nats-password", "FILE", "", START, NATS,                            \
         "the file whose first line is the password of nats-user (default: none)")                    \
    TEXT(cluster, cluster_name, "cluster-name", "NAME", "starcloak", START, NATS,                     \
         "the first part of all NATS subjects: clusters with different names may share NATS "         \
         "servers (default starcloak)")                                                               \
    TEXT(cluster, cluster_key, "cluster-key", "FILE", "", START, NATS,                                \
         "the key of this process, see 'starcloak cluster key': gateways share one, each worker has " \
         "its own; it encrypts messages (required)")                                                  \
    TEXT(cluster, name, "name", "NAME", "", START, NATS,                                              \
         "the name of this process in tables and metrics (default: of a worker that in its "          \
         "cluster-key, of a gateway the host's name and the process id)")                             \
    NUMBER(cluster, heartbeat_s, "heartbeat", "S", 0.5, 0.05, 60, START, NATS,                        \
           "seconds between two heartbeats; a process that misses three is considered dead "          \
           "(default 0.5)")                                                                           \
    NUMBER(cluster, uneven, "uneven", "RATIO", 1.25, 1.01, 100, START, NATS,                          \
           "parts move when the busiest worker has had this many times the mean load for "            \
           "repack-after seconds (default 1.25)")                                                     \
    NUMBER(cluster, repack_s, "repack-after", "S", 60, 1, 86400, START, NATS,                         \
           "seconds of uneven load after which parts move (default 60)")                              \
    TEXT(log, cloak_log, "cloak-log", "FILE.jsonl", "", START, HTTP,                                  \
         "append a line for each cloak that leaves, with its second, its segments and the number of " \
         "its users: 'starcloak density --cloaks' learns from it how busy roads are; made for the "   \
         "service's user alone, and opened again on SIGHUP (default: none)")                          \
    COUNT(log, cloak_log_max, "cloak-log-max", "MIB", 1024, 0, 16777216, START, HTTP,                 \
          "mebibytes that the cloak log may have; beyond, cloaks are left out of it until it is "     \
          "moved away; 0: no limit (default 1024)")                                                   \
    TEXT(log, report_log, "report-log", "FILE", "", START, HTTP,                                      \
         "count queries, cloaks, and what was asked and given, by day, in this file, and nothing of a " \
         "single query: 'starcloak report' makes a signed privacy report of it; made for the "        \
         "service's user alone (default: none)")                                                      \
    COUNT(log, report_days, "report-days", "N", 400, 1, 3660, START, HTTP,                            \
          "days that the report log keeps (default 400)")                                             \
    TEXT(log, record_positions, "record-true-positions", "FILE", "", START, HTTP,                     \
         "for an audit: record users, true positions, cloaks and outcomes for 'starcloak verify', "   \
         "sealed for the auditor's key, in this file, whose name gets the time of the start; "        \
         "/v1/about tells users, and the log tells each hour; only 'serve' (default: nothing is "     \
         "recorded)")                                                                                 \
    TEXT(log, record_until, "record-true-positions-until", "TIME", "", START, HTTP,                   \
         "when that ends by itself, in UTC, as 2026-11-18T20:45:00Z; a day ahead at most (required "  \
         "with record-true-positions)")                                                               \
    TEXT(log, record_key, "record-true-positions-key", "FILE.pub", "", START, HTTP,                   \
         "the auditor's public key, see 'starcloak audit key' (required with record-true-positions)") \
    COUNT(log, record_max, "record-true-positions-max", "MIB", 1024, 1, 1048576, START, HTTP,         \
          "mebibytes that the record may have; then it ends (default 1024)")                          \
    WORD(log, log_format, "log-format", "NAME", "logfmt json", 0, START, ALL,                         \
         "format of log lines: logfmt (default) or json")                                             \
    WORD(log, log_level, "log-level", "NAME", "error warning info debug", 2, RELOAD, ALL,             \
         "what is logged: error, warning, info (default) or debug")
// clang-format on

#endif
