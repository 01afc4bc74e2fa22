// Run records, line by line. See run_reader.h; run_events.c and run_query.c have what each line
// says.
#include "record/run_internal.h"

#include "base/alloc.h"
#include "base/diag.h"

#include <xxhash.h>

// --- Life --------------------------------------------------------------------

static sc_err make_reader(const sc_map *map, const sc_vocabulary *vocabulary, sc_run_reader **out,
                          sc_diag *diag)
{
    sc_run_reader *reader = sc_calloc(1, sizeof *reader);
    if (!reader) return sc_fail_memory(diag, "opening the record");
    reader->map = map;
    reader->vocabulary = vocabulary;
    sc_item_pool_init(&reader->open, sizeof(sc__open_query));
    *out = reader;
    return SC_OK;
}

sc_err sc_run_reader_open(const sc_map *map, const sc_vocabulary *vocabulary, const char *path,
                          sc_run_reader **out, sc_diag *diag)
{
    sc_run_reader *reader = NULL;
    sc_err err = make_reader(map, vocabulary, &reader, diag);
    if (err) return err;
    err = sc_line_reader_open(&reader->source, path, diag);
    if (err) {
        sc_item_pool_fini(&reader->open);
        sc_free(reader);
        return err;
    }
    *out = reader;
    return SC_OK;
}

sc_err sc_run_reader_of(const sc_map *map, const sc_vocabulary *vocabulary, const sc_input *input,
                        sc_run_reader **out, sc_diag *diag)
{
    const sc_err err = make_reader(map, vocabulary, out, diag);
    if (!err) sc_line_reader_of(&(*out)->source, input);
    return err;
}

void sc_run_reader_free(sc_run_reader *reader)
{
    if (!reader) return;
    sc_line_reader_close(&reader->source);
    sc_json_tree_fini(&reader->document);
    sc_hash_fini(&reader->numbers);
    sc_item_pool_fini(&reader->open);
    sc_free(reader->places);
    sc_free(reader->segments.ids);
    sc_free(reader->border_nodes.ids);
    sc_free(reader->members);
    sc_free(reader->name);
    sc_free(reader);
}

void sc_run_reader_want_askers(sc_run_reader *reader)
{
    reader->wants_askers = true;
}

uint64_t sc_run_user(const char *name, size_t size)
{
    return XXH3_64bits(name, size);
}

const char *sc_run_reader_name(const sc_run_reader *reader)
{
    return reader->source.name;
}

uint64_t sc_run_reader_passed(const sc_run_reader *reader, uint64_t *total)
{
    *total = reader->source.total;
    return reader->source.passed;
}

// --- Lines -------------------------------------------------------------------------

static sc_err read_line(sc_run_reader *reader, sc_slice text, sc_run_line *out, sc_diag *diag)
{
    const sc__place place = {.name = reader->source.name,
                             .number = reader->source.line,
                             .doing = "reading the record",
                             .passes_unknown = true,
                             .diag = diag};
    if (reader->has_ended) return sc__line_fail(&place, "stands behind the end of the record");
    *out = (sc_run_line){.text = text, .number = reader->source.line};
    sc_json_tree_fini(&reader->document);
    const sc_err err = sc__line_load(&place, text, &reader->document);
    if (err) return err;
    const sc__fields fields = {.place = &place, .object = reader->document.root, .prefix = ""};
    return sc__run_event(reader, &fields, out);
}

sc_err sc_run_reader_next(sc_run_reader *reader, sc_run_line *line, sc_diag *diag)
{
    sc_slice text = {NULL, 0};
    do {
        const sc_err err = sc_line_reader_next(&reader->source, &text, diag);
        if (err) return err;
    } while (text.text && text.size == 0);
    if (text.text) return read_line(reader, text, line, diag);
    if (!reader->has_ended) {
        return sc_fail(diag, SC_EPARSE, "%s: has no end event: %s", reader->source.name,
                       reader->source.line == 0 ? "it is empty" : "the record is cut short");
    }
    *line = (sc_run_line){.kind = SC_RUN_END};
    return SC_OK;
}
