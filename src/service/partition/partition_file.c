// Cuts as files. See cut.h for the bytes.
//
// A file is a stranger's. The order of suspicion: is it one of ours at all; is it as long as it
// says; are its bytes those that were written; is it of this map; is every part one of its parts.
// Each refusal says what to do, which is nearly always to cut the map again.
#include "base/diag.h"
#include "partition/partition_internal.h"

#include <inttypes.h>
#include <string.h>
#include <xxhash.h>

static sc_err damaged(const sc_input *input, const char *what, sc_diag *diag)
{
    return sc_fail(diag, SC_EPARSE, "%s: damaged cut: %s; make it again with 'starcloak partition'",
                   input->name, what);
}

static sc_err check_kind(const sc_input *input, const sc__cut_header *header, sc_diag *diag)
{
    if (input->size < sizeof header->magic || memcmp(header->magic, SC_CUT_MAGIC, 6) != 0) {
        return sc_fail(diag, SC_EPARSE, "%s: is %s; make one with 'starcloak partition'",
                       input->name,
                       input->size == 0 ? "empty, and no cut of a map" : "not a cut of a map");
    }
    if (input->size < sizeof *header) return damaged(input, "it ends inside its header", diag);
    if (header->version != SC_CUT_VERSION) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: cut of format version %u, this program reads version %d; make it again "
                       "with 'starcloak partition'",
                       input->name, header->version, SC_CUT_VERSION);
    }
    return SC_OK;
}

static sc_err check_whole(const sc_input *input, const sc__cut_header *header, sc_diag *diag)
{
    const size_t image_size = sc__cut_image_size(header->star_count);
    uint64_t hash = 0;
    if (input->size != image_size + sizeof hash) {
        return sc_fail(diag, SC_EPARSE,
                       "%s: damaged cut: it is %zu bytes long, and one of %u stars has %zu; make "
                       "it again with 'starcloak partition'",
                       input->name, input->size, header->star_count, image_size + sizeof hash);
    }
    memcpy(&hash, input->data + image_size, sizeof hash);
    if (hash != XXH3_64bits(input->data, image_size)) {
        return damaged(input, "its hash does not match", diag);
    }
    return SC_OK;
}

static sc_err check_map(const sc_input *input, const sc__cut_header *header, const sc_map *map,
                        sc_diag *diag)
{
    if (header->map_checksum != sc_map_checksum(map)) {
        return sc_fail(diag, SC_EMISMATCH,
                       "%s: this is a cut of the map with the checksum %016" PRIx64
                       ", and the map at hand has %016" PRIx64
                       "; take that map, or cut this one with 'starcloak partition'",
                       input->name, header->map_checksum, sc_map_checksum(map));
    }
    if (header->star_count != sc_map_star_count(map)) {
        return damaged(input, "it has not as many stars as its map", diag);
    }
    return SC_OK;
}

sc_err sc__cut_read_input(const sc_input *input, const sc_map *map, sc_cut **out, sc_diag *diag)
{
    sc__cut_header header = {0};
    if (input->size > 0) {
        memcpy(&header, input->data, input->size < sizeof header ? input->size : sizeof header);
    }
    sc_err err = check_kind(input, &header, diag);
    if (!err) err = check_whole(input, &header, diag);
    if (!err) err = check_map(input, &header, map, diag);
    if (err) return err;

    // Mappings begin at a page, and the header's size is even: these are aligned.
    const uint16_t *part_of_star = (const void *)(input->data + sizeof header);
    sc_diag why = {""};
    err = sc_cut_new(map, part_of_star, header.parts, out, &why);
    if (err == SC_EINVAL) return damaged(input, why.message, diag);
    if (err) return sc_fail_memory(diag, "reading a cut");
    return SC_OK;
}

sc_err sc_cut_read(const char *path, const sc_map *map, sc_cut **out, sc_diag *diag)
{
    sc_file file = {0};
    sc_err err = sc_file_map(path, &file, diag);
    if (err) return err;
    err = sc__cut_read_input(&file.input, map, out, diag);
    sc_file_close(&file);
    return err;
}

sc_err sc_cut_write(const sc_cut *cut, const char *path, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    // Errors of writing stay with the stream until the commit, which reports them.
    fwrite(cut->image, 1, sc__cut_image_size(cut->image->star_count), file.stream);
    fwrite(&cut->checksum, sizeof cut->checksum, 1, file.stream);
    return sc_outfile_commit(&file, diag);
}
