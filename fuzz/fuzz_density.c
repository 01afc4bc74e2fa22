// Door: tables of how busy segments are.
//
// The input is the table, of a small town (town.h). It is refused in one line, or every segment has
// a weight that can be reckoned with: above 0, no sum of them overflows, and any cloak is worth
// something between one segment and all of its own; a road that is twice as busy has a larger whole
// number. Written as weights, it reads back the same.
#include "door.h"
#include "town.h"

#include "map/density_internal.h"

enum { TOWN_MAX_SEGMENTS = 64 };

static void check_worth(const sc_density *density, const sc_seg_id *segments, size_t count)
{
    const double worth = sc_density_effective(density, segments, count);
    DOOR_PROMISE(worth >= 1 && worth <= (double)count, "a cloak is worth some of its segments");
}

static void check_weights(const sc_map *town, const sc_density *density)
{
    const size_t count = sc_density_segment_count(density);
    DOOR_PROMISE(count == sc_map_segment_count(town), "every segment has a weight");
    DOOR_PROMISE(count <= TOWN_MAX_SEGMENTS, "the town is small");
    const uint32_t *numbers = sc_density_numbers(density);
    sc_seg_id segments[TOWN_MAX_SEGMENTS];
    double sum = 0;
    for (sc_seg_id s = 0; s < count; s++) {
        const double weight = sc_density_weight(density, s);
        DOOR_PROMISE(weight > 0 && isfinite(weight), "a weight is a number above 0");
        DOOR_PROMISE(numbers[s] >= 1 && numbers[s] <= SC_DENSITY_NUMBER_MAX,
                     "a weight is a whole number of few bits for engines");
        segments[s] = s;
        sum += weight;
    }
    DOOR_PROMISE(isfinite(sum) && isfinite(1 / sum), "weights can be summed and shared");
    for (sc_seg_id s = 1; s < count; s++) {
        const bool is_busier =
            sc_density_weight(density, s) > 2 * sc_density_weight(density, s - 1);
        DOOR_PROMISE(!is_busier || numbers[s] == 1 || numbers[s] > numbers[s - 1],
                     "a road that is twice as busy has a larger number");
    }
    for (size_t first = 0; first < count; first++) {
        check_worth(density, segments + first, count - first);
    }
}

static void write_and_read(const sc_map *town, const sc_density *density)
{
    char *text = NULL;
    size_t size = 0;
    const size_t count = sc_density_segment_count(density);
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs("weight,segment\n", out);
    bool is_tiny = false;
    for (sc_seg_id s = 0; s < count; s++) {
        fprintf(out, "%.17g,%u\n", sc_density_weight(density, s), s);
        is_tiny = is_tiny || sc_density_weight(density, s) < 1e-100;
    }
    fclose(out);

    const sc_input input = {"again.csv", (const uint8_t *)text, size};
    sc_density *again = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__density_read_input(town, &input, &again, &diag);
    // A millionth of the least weight that may be written is too little to be.
    DOOR_PROMISE(!err == !is_tiny, "what is written can be read");
    for (sc_seg_id s = 0; again && s < count; s++) {
        DOOR_PROMISE(sc_density_weight(again, s) == sc_density_weight(density, s),
                     "what is written reads back equal");
    }
    sc_density_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"density.csv", copy, size};
    sc_density *density = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__density_read_input(town, &input, &density, &diag);
    if (err) {
        DOOR_PROMISE(!density, "a refusal leaves nothing behind");
        door_refused(err, &diag, &input, 1);
        for (const char *c = diag.message; *c; c++) {
            DOOR_PROMISE(*c >= 0x20 && *c < 0x7f, "a terminal can be given a refusal");
        }
    } else {
        check_weights(town, density);
        write_and_read(town, density);
    }
    sc_density_free(density);
    free(copy);
    return 0;
}
