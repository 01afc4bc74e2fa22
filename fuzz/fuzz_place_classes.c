// Door: tables of classes of places.
//
// The input is the table, of a small town (town.h). It is refused in one line, or there are as many
// classes as bits, each with a name of its own and a segment at least. Written, it reads back.
#include "door.h"
#include "town.h"

#include "map/place_classes_internal.h"

static void write_and_read(const sc_map *town, const sc_place_classes *classes)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) abort();
    fputs("class,segment\n", out);
    const uint32_t *bits = sc_place_classes_bits(classes);
    uint32_t marked = 0;
    for (uint32_t c = 0; c < sc_place_classes_count(classes); c++) {
        for (sc_seg_id s = 0; s < sc_place_classes_segment_count(classes); s++) {
            if (!(bits[s] >> c & 1)) continue;
            fprintf(out, "%s,%u\n", sc_place_classes_name(classes, c), s);
            marked |= UINT32_C(1) << c;
        }
        DOOR_PROMISE(marked >> c & 1, "a class has a segment");
    }
    fclose(out);

    const sc_input input = {"again.csv", (const uint8_t *)text, size};
    sc_place_classes *again = NULL;
    sc_diag diag = {""};
    DOOR_PROMISE(!sc__place_classes_read_input(town, &input, &again, &diag),
                 "what is written can be read");
    DOOR_PROMISE(sc_place_classes_count(again) == sc_place_classes_count(classes) &&
                     memcmp(sc_place_classes_bits(again), bits,
                            sc_place_classes_segment_count(classes) * sizeof *bits) == 0,
                 "what is written reads back equal");
    sc_place_classes_free(again);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    uint8_t *copy = door_copy(data, size);
    const sc_input input = {"classes.csv", copy, size};
    sc_place_classes *classes = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__place_classes_read_input(town, &input, &classes, &diag);
    if (err) {
        DOOR_PROMISE(!classes, "a refusal leaves nothing behind");
        door_refused(err, &diag, &input, 1);
    } else {
        DOOR_PROMISE(sc_place_classes_count(classes) <= SC_PLACE_CLASSES_MAX, "classes have bits");
        write_and_read(town, classes);
    }
    sc_place_classes_free(classes);
    free(copy);
    return 0;
}
