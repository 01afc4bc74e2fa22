// Strangers' bytes as an OpenStreetMap pbf file.
//
// An input that begins with NUL is a whole file. Any other is the content of one
// block, which is given its frame here: so the search reaches the elements without
// having to keep three nested lengths right.
//
// What the reader accepts must make a map that passes its own check; what it
// refuses must come with a sentence.
#include "osm_door.h"

// A number in five bytes of seven bits, the lowest first.
static void put_size(uint8_t *out, size_t size)
{
    for (int i = 0; i < 5; i++) {
        out[i] = (uint8_t)((size >> (7 * i) & 0x7f) | (i < 4 ? 0x80 : 0));
    }
}

// The file that has `block` as its only one; the caller frees it.
static uint8_t *frame_block(const uint8_t *block, size_t block_size, size_t *file_size)
{
    // An empty header; then a blob header and a raw blob, whose sizes are missing.
    static const char frame[] = "\0\0\0\x0d\x0a\x09OSMHeader\x18\2\x0a\0"
                                "\0\0\0\x0f\x0a\7OSMData\x18.....\x0a.....";
    enum { FRAME_SIZE = sizeof frame - 1 };
    uint8_t *file = malloc(FRAME_SIZE + block_size);
    if (!file) abort();
    memcpy(file, frame, FRAME_SIZE);
    put_size(file + FRAME_SIZE - 11, block_size + 6);
    put_size(file + FRAME_SIZE - 5, block_size);
    memcpy(file + FRAME_SIZE, block, block_size);
    *file_size = FRAME_SIZE + block_size;
    return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    uint8_t *framed = NULL;
    if (size > 0 && data[0] != 0) {
        framed = frame_block(data, size, &size);
        data = framed;
    }
    const sc_input input = {"in.osm.pbf", data, size};
    door_osm(&input);
    free(framed);
    return 0;
}
