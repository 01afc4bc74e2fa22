// Door: cloaks of logs and records, as `starcloak density --cloaks` reads them.
//
// The input is the log of a small town (town.h). It is refused in one line, or it is read to its
// end; then every cloak has roads of the map, which ascend, and a user, and a line of its own.
#include "door.h"
#include "town.h"

#include "record/cloak_reader.h"

static void check_cloak(const sc_map *map, const sc_seen_cloak *cloak)
{
    DOOR_PROMISE(cloak->segment_count > 0 && cloak->user_count > 0, "a cloak is not empty");
    for (size_t i = 0; i < cloak->segment_count; i++) {
        DOOR_PROMISE(cloak->segments[i] < sc_map_segment_count(map), "it has roads of the map");
        DOOR_PROMISE(i == 0 || cloak->segments[i - 1] < cloak->segments[i], "which ascend");
    }
}

static sc_err read_all(const sc_map *map, sc_cloak_reader *reader, sc_diag *diag)
{
    uint64_t cloaks = 0;
    for (;;) {
        sc_seen_cloak cloak;
        const sc_err err = sc_cloak_reader_next(reader, &cloak, diag);
        if (err) return err;
        if (!cloak.segments) break;
        check_cloak(map, &cloak);
        cloaks++;
    }
    DOOR_PROMISE(cloaks + sc_cloak_reader_cut_lines(reader) <= sc_cloak_reader_lines(reader),
                 "each cloak is a line");
    return SC_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"day.jsonl", copy, size};
    sc_cloak_reader *reader = NULL;
    sc_diag diag = {""};
    if (sc_cloak_reader_of(town, &input, &reader, &diag)) abort();
    const sc_err err = read_all(town, reader, &diag);
    if (err) door_refused(err, &diag, &input, 1);
    sc_cloak_reader_free(reader);
    free(copy);
    return 0;
}
