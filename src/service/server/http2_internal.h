/**
 * @file http2_internal.h
 * @brief What http2.c and http2_reply.c share: a session and its streams.
 */
#ifndef SC_HTTP_HTTP2_INTERNAL_H
#define SC_HTTP_HTTP2_INTERNAL_H

#include "server/http_internal.h"

#include <nghttp2/nghttp2.h>

struct sc__http2_stream {
    sc_http_request request;  ///< first: a request of HTTP/2 is in its stream
    TAILQ_ENTRY(sc__http2_stream) link;
    int32_t id;
    size_t unread;     ///< bytes of its request that have come
    int64_t since_us;  ///< when it was opened; then when it was answered, or enough was taken last
    bool is_whole;     ///< the request has come
    bool is_refused;   ///< by us: what still comes of it is thrown away
    bool has_path;
    bool has_host;
    bool is_answered;       ///< a reply was begun
    bool is_ended;          ///< nothing follows what waits to be sent
    bool is_waiting;        ///< nghttp2 was told that there is nothing to send for now
    bool is_paced;          ///< since its address has had its bytes
    uint64_t taken;         ///< bytes of the body that nghttp2 took
    uint64_t taken_before;  ///< of these, at `since_us`
    sc__http_buffer reply;  ///< what waits to be sent, from `reply_at`
    size_t reply_at;
    const char *lent;  ///< or this, in memory that stays
    size_t lent_size;
    size_t allowed;  ///< bytes of it that the address may have
};

struct sc__http2 {
    nghttp2_session *session;
    TAILQ_HEAD(streams, sc__http2_stream) streams;
    size_t count;
    size_t unread;   ///< bytes of requests that are not whole
    uint64_t taken;  ///< bytes of bodies that nghttp2 took
    uint64_t taken_before;
    int64_t broken_until_us;  ///< when none of its broken streams counts any more
    bool is_broken;           ///< too many were: the connection ends
    bool is_ending;           ///< the peer was told to open no more streams
};

#endif
