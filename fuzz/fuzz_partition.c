// Door: files of partitions, of a small town (town.h). For any bytes, reading ends: in an error of
// one line, or in a partition in which every star is in a part that there is, every question has an
// answer, and any query reaches its home first and then others in order, each once.
//
// The first byte says how the rest is taken: bit 0 mends magic, version, the map's checksum and the
// hash, so that mutations reach the checks behind them; bit 1 also the number of stars and the
// size, so that they reach the parts.
#include "door.h"
#include "town.h"

#include "partition/partition_internal.h"

#include <xxhash.h>

enum { MEND_HASH = 1, MEND_SIZE = 2 };

static uint8_t *mend(const uint8_t *data, size_t size, unsigned how, const sc_map *town,
                     size_t *mended_size)
{
    const size_t right_size = sc__partition_image_size(sc_map_star_count(town)) + sizeof(uint64_t);
    const size_t least = sizeof(sc__partition_header) + sizeof(uint64_t);
    *mended_size = how & MEND_SIZE ? right_size : size < least ? least : size;
    uint8_t *file = calloc(1, *mended_size);
    if (!file) abort();
    if (size > 0) memcpy(file, data, size < *mended_size ? size : *mended_size);

    sc__partition_header header;
    memcpy(&header, file, sizeof header);
    memcpy(header.magic, SC_PARTITION_MAGIC, sizeof header.magic);
    header.version = SC_PARTITION_VERSION;
    header.map_checksum = sc_map_checksum(town);
    if (how & MEND_SIZE) header.star_count = sc_map_star_count(town);
    memcpy(file, &header, sizeof header);
    const uint64_t hash = XXH3_64bits(file, *mended_size - sizeof hash);
    memcpy(file + *mended_size - sizeof hash, &hash, sizeof hash);
    return file;
}

static void check_reach(const sc_partition *partition, sc_partition_walker *walker,
                        sc_seg_id segment, uint32_t hops)
{
    size_t count = 0;
    const uint16_t *parts = sc_partition_reach(walker, segment, hops, &count);
    DOOR_PROMISE(count >= 1 && parts[0] == sc_partition_home(partition, segment),
                 "the home comes first");
    for (size_t i = 0; i < count; i++) {
        DOOR_PROMISE(parts[i] < sc_partition_part_count(partition), "a part in reach exists");
        DOOR_PROMISE(i == 0 || parts[i] != parts[0], "the home comes once");
        DOOR_PROMISE(i < 2 || parts[i - 1] < parts[i], "the others ascend");
    }
    DOOR_PROMISE(sc_partition_is_near(partition, segment, hops) == (count > 1),
                 "who is near reaches others");
}

static void ask_everything(const sc_partition *partition)
{
    const sc_map *town = sc_partition_map(partition);
    DOOR_PROMISE(sc_partition_part_count(partition) >= 1 &&
                     sc_partition_part_count(partition) <= SC_PARTITION_PARTS_MAX,
                 "there are as many parts as there may be");
    for (sc_star_id i = 0; i < sc_map_star_count(town); i++) {
        DOOR_PROMISE(sc_partition_part_of_star(partition, i) < sc_partition_part_count(partition),
                     "a star is in a part");
        DOOR_PROMISE(sc_partition_hops_to_other(partition, i) >= 1,
                     "another part is a hop away at least");
    }
    sc_partition_walker *walker = NULL;
    if (sc_partition_walker_new(partition, &walker)) abort();
    for (sc_seg_id s = 0; s < sc_map_segment_count(town); s++) {
        for (uint32_t hops = 0; hops < 5; hops++) {
            check_reach(partition, walker, s, hops);
        }
    }
    sc_partition_walker_free(walker);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sc_map *town = NULL;
    if (size < 1 || size > DOOR_MAX_SIZE) return 0;
    if (!town) town = town_build();

    const unsigned how = data[0];
    size_t file_size = size - 1;
    uint8_t *file = how & MEND_HASH ? mend(data + 1, size - 1, how, town, &file_size)
                                    : door_copy(data + 1, size - 1);
    const sc_input input = {"town.partition", file, file_size};
    sc_partition *partition = NULL;
    sc_diag diag = {""};
    const sc_err err = sc__partition_read_input(&input, town, &partition, &diag);
    if (err) {
        DOOR_PROMISE(!partition, "a refusal leaves nothing behind");
        door_refused(err, &diag, &input, 1);
    } else {
        uint64_t hash = 0;
        memcpy(&hash, file + file_size - sizeof hash, sizeof hash);
        DOOR_PROMISE(sc_partition_checksum(partition) == hash, "the file's hash is the checksum");
        ask_everything(partition);
    }
    sc_partition_free(partition);
    free(file);
    return 0;
}
