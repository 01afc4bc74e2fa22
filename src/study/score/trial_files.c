// Rows of a trial as CSV and as GeoJSON. See trial.h.
//
// Columns are only ever added at the end: others read them by name or by place.
#include "score/trial.h"

#include "base/diag.h"
#include "base/file.h"
#include "map/geojson_line.h"

#include <inttypes.h>

// --- Before ------------------------------------------------------------------

static sc_err check_coordinates(const sc_map *map, sc_diag *diag)
{
    if (sc_map_coords(map) != SC_COORDS_NONE) return SC_OK;
    return sc_fail(diag, SC_ENOCOORDS,
                   "the map has no coordinates, so GeoJSON cannot show it; write CSV instead");
}

sc_err sc_trial_files_check(const sc_trial_files *files, const sc_map *map, sc_diag *diag)
{
    sc_err err = files->geojson ? check_coordinates(map, diag) : SC_OK;
    if (!err && files->cloaks) err = sc_outfile_check(files->cloaks, diag);
    if (!err && files->links) err = sc_outfile_check(files->links, diag);
    if (!err && files->geojson) err = sc_outfile_check(files->geojson, diag);
    return err;
}

// --- CSV ---------------------------------------------------------------------

/** Where nothing was explained, no replay has said how sure anything is. */
static void write_certainty(FILE *out, const sc_posterior *p)
{
    if (p->is_unexplained) {
        fputs(",,", out);
    } else {
        fprintf(out, ",%.3g,%.3g", p->normalised_error, p->normalised_bias);
    }
}

static void write_cloak(FILE *out, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    fprintf(out, "%" PRIu64 ",%" PRIu64 ",%zu,%zu,%zu,%zu,%.9g,%.9g", row->cloak, row->traveller,
            row->seen, p->link_count, row->members, row->recognised, p->entropy,
            p->normalised_entropy);
    write_certainty(out, p);
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%zu,%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64 ",%d,%.9g\n",
            p->effective, row->by_density, row->score.probability, row->score.rank, p->ruled_out,
            p->placements, p->is_enumerated, p->replays, p->fruitful, p->is_unexplained,
            row->expected);
}

sc_err sc_trial_write_cloaks(const sc_trial *trial, const char *path, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fputs("cloak,traveller,seen,segments,members,recognised,entropy_bits,normalised_entropy,"
          "standard_error,bias,effective,effective_by_density,probability,rank,ruled_out,"
          "placements,is_enumerated,replays,fruitful,is_unexplained,expected_probability\n",
          file.stream);
    for (size_t i = 0; i < trial->row_count; i++) {
        write_cloak(file.stream, &trial->rows[i]);
    }
    return sc_outfile_commit(&file, diag);
}

sc_err sc_trial_write_links(const sc_trial *trial, const char *path, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fputs("cloak,traveller,seen,segment,linkability,standard_error\n", file.stream);
    for (size_t i = 0; i < trial->row_count; i++) {
        const sc_trial_row *row = &trial->rows[i];
        for (size_t j = 0; j < row->posterior.link_count; j++) {
            const sc_link *link = &row->posterior.links[j];
            fprintf(file.stream, "%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu32 ",%.9g,%.3g\n", row->cloak,
                    row->traveller, row->seen, link->segment, link->linkability, link->error);
        }
    }
    return sc_outfile_commit(&file, diag);
}

// --- GeoJSON -----------------------------------------------------------------

// "relative" is 1 where a segment is as likely as any: what a map is best coloured by.
static void write_link(FILE *out, const sc_map *map, const sc_trial_row *row, const sc_link *link)
{
    fprintf(out,
            "{\"type\":\"Feature\",\"properties\":{\"cloak\":%" PRIu64 ",\"traveller\":%" PRIu64
            ",\"seen\":%zu,\"segment\":%" PRIu32
            ",\"linkability\":%.9g,\"standard_error\":%.3g,\"relative\":%.6g,"
            "\"normalised_entropy\":%.9g},\"geometry\":",
            row->cloak, row->traveller, row->seen, link->segment, link->linkability, link->error,
            link->linkability * (double)row->posterior.link_count,
            row->posterior.normalised_entropy);
    sc_geojson_write_line(out, map, link->segment);
    fputc('}', out);
}

sc_err sc_trial_write_geojson(const sc_trial *trial, const sc_map *map, const char *path,
                              sc_diag *diag)
{
    sc_outfile file;
    sc_err err = check_coordinates(map, diag);
    if (!err) err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fprintf(file.stream, "{\"type\":\"FeatureCollection\",\"starcloak:coordinates\":\"%s\",",
            sc_map_coords(map) == SC_COORDS_GEOGRAPHIC ? "geographic" : "planar");
    fputs("\"features\":[", file.stream);
    const char *between = "\n";
    for (size_t i = 0; i < trial->row_count; i++) {
        const sc_trial_row *row = &trial->rows[i];
        for (size_t j = 0; j < row->posterior.link_count; j++) {
            fputs(between, file.stream);
            write_link(file.stream, map, row, &row->posterior.links[j]);
            between = ",\n";
        }
    }
    fputs("\n]}\n", file.stream);
    return sc_outfile_commit(&file, diag);
}
