// What a provider of areas was asked, as lines of a record. See evaluate_internal.h.
//
// An area is written when a round has it and no line told it before, so a record holds all that its
// answers are made from. Those that were asked for because of a cloak have its number; what was
// there before the record began, or was fetched again in the background, has none.
#include "base/alloc.h"
#include "base/bytes.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/json_write.h"
#include "sim/evaluate_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/** A span, and the round that needs it. */
typedef struct needed {
    uint64_t round;
    sc_area_span span;
} needed;

/** An area, and the round that has it. */
typedef struct used {
    uint64_t round;
    uint64_t number;
} used;

struct sc_area_lines {
    sc_area_asker *asker;
    const sc_vocabulary *vocabulary;
    sc_area_watcher watcher;
    sc_bytes grid;
    sc_hash told;  ///< numbers of areas that lines have told
    bool is_out_of_memory;

    // Of the cloak at hand.
    uint64_t cloak;
    FILE *stream;  ///< into `text`
    char *text;
    size_t text_size;
    needed *needs;
    size_t need_count;
    size_t need_capacity;
    used *uses;
    size_t use_count;
    size_t use_capacity;
};

static void put_field(FILE *out, const char *name, uint64_t count)
{
    fprintf(out, "%s%" PRIu64, name, count);
}

static void put_category(FILE *out, const sc_area_lines *lines, sc_category_id category)
{
    fputs(",\"category\":", out);
    if (category == SC_NONE) {
        fputs("null", out);
    } else {
        sc_json_string(out, lines->vocabulary->names[category]);
    }
}

// --- Areas --------------------------------------------------------------------------------------

static void put_objects(FILE *out, const sc_area_tile *tile)
{
    fputs(",\"objects\":[", out);
    for (size_t i = 0; i < tile->count; i++) {
        const sc_object_row row = sc_area_tile_object(tile, i);
        fputs(i > 0 ? ",{\"poi\":" : "{\"poi\":", out);
        sc_json_string(out, row.key);
        fputs(",\"category\":", out);
        sc_json_string(out, row.category);
        put_field(out, ",\"edge\":", row.edge);
        // With 17 digits it reads back as the very same number.
        fprintf(out, ",\"offset_m\":%.17g}", row.offset_m);
    }
    fputs("]", out);
}

static void put_area(const sc_area_lines *lines, const sc_area_tile *tile, bool is_new)
{
    FILE *out = lines->stream;
    put_field(out, "{\"event\":\"area\",\"area\":", tile->number);
    if (tile->is_asked) put_field(out, ",\"cloak\":", lines->cloak);
    put_field(out, ",\"level\":", tile->level);
    put_field(out, ",\"x\":", tile->x);
    put_field(out, ",\"y\":", tile->y);
    put_category(out, lines, tile->category);
    if (tile->divisions > 0) put_field(out, ",\"divided\":", tile->divisions);
    if (is_new) put_objects(out, tile);
    fputs("}\n", out);
}

static void note_span(void *context, uint64_t round, const sc_area_span *span)
{
    sc_area_lines *lines = context;
    if (!sc_grow(&lines->needs, lines->need_count, &lines->need_capacity, sizeof *lines->needs)) {
        lines->is_out_of_memory = true;
        return;
    }
    lines->needs[lines->need_count++] = (needed){round, *span};
}

static void note_tile(void *context, uint64_t round, const sc_area_tile *tile)
{
    sc_area_lines *lines = context;
    bool is_written = false;
    for (size_t i = 0; i < lines->use_count; i++) {
        is_written = is_written || lines->uses[i].number == tile->number;
    }
    const size_t known = lines->told.count;
    uint32_t unused = 0;
    if (!sc_grow(&lines->uses, lines->use_count, &lines->use_capacity, sizeof *lines->uses) ||
        sc_hash_put(&lines->told, (sc_key){0, tile->number}, 0, &unused)) {
        lines->is_out_of_memory = true;
        return;
    }
    lines->uses[lines->use_count++] = (used){round, tile->number};
    const bool is_new = lines->told.count > known;
    // One that the provider says is unchanged was asked for all the same.
    if (lines->stream && (is_new || (tile->is_asked && !is_written))) put_area(lines, tile, is_new);
}

// --- Rounds -------------------------------------------------------------------------------------

static void put_span(const sc_area_lines *lines, const sc_area_span *span)
{
    FILE *out = lines->stream;
    put_field(out, "{\"level\":", span->level);
    put_field(out, ",\"x\":[", span->x[0]);
    put_field(out, ",", span->x[1]);
    put_field(out, "],\"y\":[", span->y[0]);
    put_field(out, ",", span->y[1]);
    fputs("]", out);
    put_category(out, lines, span->category);
    fputs("}", out);
}

static void put_round(const sc_area_lines *lines, uint64_t round)
{
    FILE *out = lines->stream;
    const char *between = "";
    fputs(round > 1 ? ",{\"tiles\":[" : "{\"tiles\":[", out);
    for (size_t i = 0; i < lines->need_count; i++) {
        if (lines->needs[i].round != round) continue;
        fputs(between, out);
        put_span(lines, &lines->needs[i].span);
        between = ",";
    }
    between = "";
    fputs("],\"areas\":[", out);
    for (size_t i = 0; i < lines->use_count; i++) {
        if (lines->uses[i].round != round) continue;
        put_field(out, between, lines->uses[i].number);
        between = ",";
    }
    fputs("]}", out);
}

void sc_area_lines_begin(sc_area_lines *lines, uint64_t cloak)
{
    lines->cloak = cloak;
    lines->need_count = 0;
    lines->use_count = 0;
    lines->is_out_of_memory = false;
    if (!lines->watcher.context) return;
    lines->stream = open_memstream(&lines->text, &lines->text_size);
    if (!lines->stream) lines->is_out_of_memory = true;
}

sc_err sc_area_lines_end(sc_area_lines *lines, sc_bytes *out)
{
    if (!lines->watcher.context) return SC_OK;
    if (lines->stream) {
        const uint64_t last = lines->need_count > 0 ? lines->needs[lines->need_count - 1].round : 0;
        put_field(lines->stream, "{\"event\":\"areas\",\"cloak\":", lines->cloak);
        fputs(",\"rounds\":[", lines->stream);
        for (uint64_t round = 1; round <= last; round++) {
            put_round(lines, round);
        }
        fputs("]}\n", lines->stream);
        if (fclose(lines->stream)) lines->is_out_of_memory = true;
        lines->stream = NULL;
    }
    bool is_fine = !lines->is_out_of_memory;
    // Of what was never asked, being refused before, there is nothing to tell.
    if (is_fine && lines->need_count > 0) {
        is_fine = sc_bytes_append(out, lines->text, lines->text_size);
    }
    free(lines->text);  // of open_memstream()
    lines->text = NULL;
    return is_fine ? SC_OK : SC_ENOMEM;
}

// --- Life ---------------------------------------------------------------------------------------

sc_slice sc_area_lines_start(sc_area_lines *lines)
{
    lines->watcher = (sc_area_watcher){.needs = note_span, .has = note_tile, .context = lines};
    sc_area_asker_watch(lines->asker, &lines->watcher);
    return (sc_slice){(const char *)lines->grid.data, lines->grid.size};
}

static bool write_grid(sc_area_lines *lines, const sc_area_grid *grid)
{
    char line[512];
    const int size =
        snprintf(line, sizeof line,
                 "{\"event\":\"tiles\",\"west\":%" PRId64 ",\"south\":%" PRId64
                 ",\"side_x\":%" PRId64 ",\"side_y\":%" PRId64 ",\"level\":%" PRIu32
                 ",\"snap_m\":%.6f,\"reach_m\":%.6f,\"by_category\":%s}\n",
                 grid->west, grid->south, grid->side_x, grid->side_y, grid->depth, grid->snap_m,
                 grid->reach_m, grid->names_categories ? "true" : "false");
    return sc_bytes_append(&lines->grid, line, (size_t)size);
}

sc_err sc_area_lines_new(const sc_area_provider *provider, sc_area_asker *asker,
                         const sc_vocabulary *vocabulary, sc_area_lines **out, sc_diag *diag)
{
    const sc_area_grid grid = sc_area_provider_grid(provider);
    sc_area_lines *lines = sc_calloc(1, sizeof *lines);
    if (!lines || !write_grid(lines, &grid)) {
        sc_area_lines_free(lines);
        return sc_fail_memory(diag, "recording areas");
    }
    lines->vocabulary = vocabulary;
    lines->asker = asker;
    *out = lines;
    return SC_OK;
}

void sc_area_lines_free(sc_area_lines *lines)
{
    if (!lines) return;
    if (lines->asker) sc_area_asker_watch(lines->asker, NULL);
    if (lines->stream) fclose(lines->stream);
    free(lines->text);
    sc_bytes_fini(&lines->grid);
    sc_hash_fini(&lines->told);
    sc_free(lines->needs);
    sc_free(lines->uses);
    sc_free(lines);
}
