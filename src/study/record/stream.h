/**
 * @file stream.h
 * @brief A stream of queries as a file: one JSON object per line (docs/records.md).
 *
 *     {"user":"u17","t":12.345,"lon":-122.4,"lat":37.77,"profile":{"k":5,"l":5,"sigma_s":4,
 *      "sigma_t":10.2},"request":{"type":"knn","k":5,"category":null}}
 *
 * or "edge" and "offset_m" instead of "lon" and "lat". What is missing or of the
 * wrong kind is refused with the line and the field; what is out of range is left
 * to sc_admission_admit(), which knows the limits.
 */
#ifndef SC_RECORD_STREAM_H
#define SC_RECORD_STREAM_H

#include <starcloak/admit.h>
#include <starcloak/relay.h>
#include <stdio.h>

/** A line of a stream. */
typedef struct sc_request_line {
    sc_ask ask;
    sc_request request;
    uint64_t line;  ///< where it stood, from 1
} sc_request_line;

/** All lines of a stream, in order. */
typedef struct sc_stream sc_stream;

/**
 * Read the stream at `path` ("-" is standard input; xz and gzip are unpacked). Categories are
 * names of `map`.
 *
 * @return SC_OK, SC_EIO, SC_EPARSE (a line that is not a query; `diag` names line and field, and
 *         no user and no position), SC_ENOMEM
 */
SC_CHECKED sc_err sc_stream_read(const sc_map *map, const char *path, sc_stream **out,
                                 sc_diag *diag);

/** The same from memory; `name` is what errors call it. */
SC_CHECKED sc_err sc_stream_parse(const sc_map *map, const char *text, size_t size,
                                  const char *name, sc_stream **out, sc_diag *diag);

/** The lines, lent until sc_stream_free(). */
const sc_request_line *sc_stream_lines(const sc_stream *stream, size_t *count);

/** NULL is fine. */
void sc_stream_free(sc_stream *stream);

/** Write one line of a stream. Users are UTF-8 without the character 0, as streams have them. */
void sc_stream_write(FILE *out, const sc_map *map, const sc_ask *ask, const sc_request *request);

/** Write `request` as records and streams have it, an object. */
void sc_request_write(FILE *out, const sc_map *map, const sc_request *request);

/** Write a moment as seconds with six decimals, exactly. */
void sc_time_write(FILE *out, sc_time t);

#endif
