// Door: JSON of any kind, as it is read wherever a stranger's text is (base/json_tree.h).
//
// A text is accepted here if and only if jansson accepts it, but for numbers of hundreds of digits.
// What is accepted is written by the writer (base/json_write.h), and that text reads back as the
// same.
#include "door.h"

#include "base/bytes.h"
#include "base/json_tree.h"
#include "base/json_write.h"

#include <jansson.h>

// Brackets within each other that are written again: by recursion, so not as many as are read.
enum { WRITTEN_DEPTH = 100 };

static bool write_value(sc_json_writer *out, const char *name, const sc_json_value *value,
                        unsigned depth);

static bool write_items(sc_json_writer *out, const sc_json_value *value, unsigned depth)
{
    bool is_whole = depth < WRITTEN_DEPTH;
    for (size_t i = 0; is_whole && i < sc_json_size(value); i++) {
        const char *name = sc_json_member_name(value, i);
        // Names are written as they are: those of the program, which need no escapes.
        is_whole = !name || strspn(name, "abcdefghijklmnopqrstuvwxyz_") == strlen(name);
        is_whole = is_whole && write_value(out, name, sc_json_at(value, i), depth + 1);
    }
    return is_whole;
}

// False if it was not written whole.
static bool write_value(sc_json_writer *out, const char *name, const sc_json_value *value,
                        unsigned depth)
{
    if (sc_json_is_object(value)) {
        sc_json_open_object(out, name);
        if (!write_items(out, value, depth)) return false;
        sc_json_close_object(out);
    } else if (sc_json_is_array(value)) {
        sc_json_open_array(out, name);
        if (!write_items(out, value, depth)) return false;
        sc_json_close_array(out);
    } else if (sc_json_is_string(value)) {
        sc_json_put_string(out, name, sc_json_text_at(value));
    } else if (sc_json_is_integer(value)) {
        sc_json_put_signed(out, name, sc_json_integer(value));
    } else if (sc_json_is_number(value)) {
        sc_json_put_number(out, name, sc_json_number_at(value));
    } else if (sc_json_is_flag(value)) {
        sc_json_put_flag(out, name, sc_json_is_true(value));
    } else {
        sc_json_put_null(out, name);
    }
    return true;
}

static bool is_same(const sc_json_value *a, const sc_json_value *b)
{
    if (sc_json_is_object(a) != sc_json_is_object(b) || sc_json_size(a) != sc_json_size(b)) {
        return false;
    }
    for (size_t i = 0; i < sc_json_size(a); i++) {
        const char *name = sc_json_member_name(a, i);
        if (name && strcmp(name, sc_json_member_name(b, i)) != 0) return false;
        if (!is_same(sc_json_at(a, i), sc_json_at(b, i))) return false;
    }
    const char *text = sc_json_text_at(a);
    if (text) return sc_json_is_string(b) && strcmp(text, sc_json_text_at(b)) == 0;
    return sc_json_number_at(a) == sc_json_number_at(b) &&
           sc_json_is_true(a) == sc_json_is_true(b) && sc_json_is_null(a) == sc_json_is_null(b);
}

static void write_and_read_back(const sc_json_value *root)
{
    sc_bytes bytes = {0};
    sc_json_writer out = sc_json_writer_of_secret(&bytes);
    if (write_value(&out, NULL, root, 0)) {
        sc_json_tree again;
        sc_json_error error;
        DOOR_PROMISE(!out.has_failed, "there is memory for small texts");
        DOOR_PROMISE(sc_json_tree_read((const char *)bytes.data, bytes.size, &again, &error) ==
                         SC_OK,
                     "what is written can be read");
        DOOR_PROMISE(is_same(root, again.root), "what is written reads back as the same");
        sc_json_tree_fini(&again);
    }
    sc_bytes_wipe(&bytes);
    sc_bytes_fini(&bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > DOOR_MAX_SIZE) return 0;
    sc_json_tree tree;
    sc_json_error error = {.fault = SC_JSON_FINE};
    char *text = malloc(size + 1);  // of exactly its size, but for one that is in front
    if (!text) return 0;
    memcpy(text + 1, data, size);
    json_t *wanted = json_loadb(text + 1, size, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
    const sc_err err = sc_json_tree_read(text + 1, size, &tree, &error);
    DOOR_PROMISE(err || wanted, "what is JSON here is JSON for jansson");
    // jansson passes over a NUL behind a number, and reads numbers of any length.
    const bool may_differ = memchr(text + 1, 0, size) || error.fault == SC_JSON_TOO_LARGE;
    DOOR_PROMISE(!err || !wanted || may_differ, "what is JSON for jansson is JSON here");
    if (!err) {
        DOOR_PROMISE(sc_json_tree_bytes(text + 1, size) <= 25 * size + 64, "the tree is bounded");
        write_and_read_back(tree.root);
        sc_json_tree_fini(&tree);
    } else {
        DOOR_PROMISE(err == SC_EPARSE && error.fault != SC_JSON_FINE, "a refusal has a reason");
        DOOR_PROMISE(error.byte >= 1 && error.byte <= size + 1, "a refusal has a place");
    }
    json_decref(wanted);
    free(text);
    return 0;
}
