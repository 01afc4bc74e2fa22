/**
 * @file read_frames.h
 * @brief A reader of `positions` events, written from docs/ui.md: what a page makes of them.
 */
#ifndef SC_TESTS_UNIT_DEMO_READ_FRAMES_H
#define SC_TESTS_UNIT_DEMO_READ_FRAMES_H

#include <jansson.h>
#include <sodium.h>

#include "support/check.h"

typedef struct frame_reader {
    uint32_t count;
    json_int_t number;  ///< of the last frame used; 0: none
    int64_t *at;        ///< x and y of each in steps; -1, -1 off the road
    size_t used;        ///< frames
    size_t passed;      ///< frames that could not be used
} frame_reader;

static inline frame_reader frame_reader_new(uint32_t count)
{
    return (frame_reader){.count = count, .at = test_take(2 * (size_t)count + 1, sizeof(int64_t))};
}

static inline void frame_reader_free(frame_reader *reader)
{
    free(reader->at);
}

static inline uint64_t frame_number(const uint8_t **at, const uint8_t *end)
{
    uint64_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
        assert_true(*at < end && shift < 63);
        const uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return number;
    }
}

static inline int64_t frame_unfold(uint64_t number)
{
    return number % 2 ? -(int64_t)(number / 2) - 1 : (int64_t)(number / 2);
}

static inline void frame_apply(frame_reader *reader, const uint8_t *at, const uint8_t *end)
{
    uint32_t who = 0;
    while (at < end) {
        const uint64_t first = frame_number(&at, end);
        assert_true(who < reader->count);
        int64_t *place = &reader->at[2 * (size_t)who];
        if (first == 0) {
            const uint64_t staying = frame_number(&at, end);
            assert_true(staying > 0 && staying <= reader->count - who);
            who += (uint32_t)staying;
            continue;
        }
        who++;
        if (first == 1) {
            assert_true(place[0] >= 0);
            place[0] = place[1] = -1;
            continue;
        }
        const bool was_off = place[0] < 0;
        place[0] = (was_off ? 0 : place[0]) + frame_unfold(first - 2);
        place[1] = (was_off ? 0 : place[1]) + frame_unfold(frame_number(&at, end));
        assert_true(place[0] >= 0 && place[1] >= 0);
    }
}

/** The bytes of a frame; returns how many. */
static inline size_t frame_bytes(const json_t *event, uint8_t *out, size_t room)
{
    const char *text = json_string_value(json_object_get(event, "moves"));
    assert_non_null(text);
    size_t size = 0;
    assert_int_equal(sodium_base642bin(out, room, text, strlen(text), NULL, &size, NULL,
                                       sodium_base64_VARIANT_ORIGINAL),
                     0);
    return size;
}

/** Whether the event could be used. */
static inline bool frame_read(frame_reader *reader, const json_t *event)
{
    const json_int_t number = json_integer_value(json_object_get(event, "frame"));
    const bool is_base = json_is_true(json_object_get(event, "base"));
    if (!is_base && (reader->number == 0 || number != reader->number + 1)) {
        reader->passed++;
        return false;
    }
    const size_t room = 20 * (size_t)reader->count + 16;
    uint8_t *bytes = test_take(room, 1);
    const size_t size = frame_bytes(event, bytes, room);
    for (size_t i = 0; is_base && i < 2 * (size_t)reader->count; i++) {
        reader->at[i] = -1;
    }
    frame_apply(reader, bytes, bytes + size);
    free(bytes);
    reader->number = number;
    reader->used++;
    return true;
}

#endif
