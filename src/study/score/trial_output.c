// Rows of a trial as CSV and as GeoJSON.
//
// Columns are only ever added at the end: others read them by name or by place.
#include "base/diag.h"
#include "base/file.h"
#include "map/export_geojson.h"
#include "score/trial.h"

#include <inttypes.h>
#include <math.h>

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
    fprintf(out, ",%.9g,%.9g,%.9g,%.9g,%zu,%" PRIu64 ",%d,%" PRIu64 ",%" PRIu64 ",%d,%.9g",
            p->effective, row->by_density, row->score.probability, row->score.rank, p->ruled_out,
            p->placements, p->is_enumerated, p->replays, p->fruitful, p->is_unexplained,
            row->expected);
    if (row->l > 0) {
        fprintf(out, ",%" PRIu32 ",%zu\n", row->l, row->possible);
    } else {
        fputs(",,\n", out);
    }
}

sc_err sc_trial_write_cloaks(const sc_trial *trial, const char *path, sc_diag *diag)
{
    sc_outfile file;
    const sc_err err = sc_outfile_open(path, &file, diag);
    if (err) return err;
    fputs("cloak,traveller,seen,segments,members,recognised,entropy_bits,normalised_entropy,"
          "standard_error,bias,effective,effective_by_density,probability,rank,ruled_out,"
          "placements,is_enumerated,replays,fruitful,is_unexplained,expected_probability,"
          "l,possible\n",
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

// === Means over the rows of a trial =============================================================

static bool is_among(const sc_trial_row *row, size_t seen)
{
    return seen == 0 || row->seen == seen;
}

static void add_belief(sc_trial_means *sum, const sc_trial_row *row)
{
    const sc_posterior *posterior = &row->posterior;
    sum->explained++;
    sum->entropy += posterior->normalised_entropy;
    sum->entropy_error += posterior->normalised_error * posterior->normalised_error;
    sum->bias += posterior->normalised_bias;
    sum->effective += posterior->effective;
    sum->by_density += row->by_density;
    sum->probability += row->score.probability;
    sum->expected += row->expected;
    sum->by_chance += 1 / (double)posterior->link_count;
    sum->rank += row->score.rank;
    sum->ruled_out += (double)posterior->ruled_out;
}

static void add_row(sc_trial_means *sum, const sc_trial_row *row)
{
    const sc_posterior *posterior = &row->posterior;
    sum->count++;
    sum->enumerated += posterior->is_enumerated;
    sum->replays += posterior->replays;
    sum->segments += (double)posterior->link_count;
    sum->members += (double)row->members;
    sum->recognised += (double)row->recognised;
    if (posterior->is_unexplained) {
        sum->unexplained++;
    } else {
        add_belief(sum, row);
    }
}

static double entropy_of(const sc_trial_row *row)
{
    return row->posterior.normalised_entropy;
}

static double effective_of(const sc_trial_row *row)
{
    return row->posterior.effective;
}

static double probability_of(const sc_trial_row *row)
{
    return row->score.probability;
}

/** The standard error of a mean over `count` rows; those of one cloak or traveller stand next to
 * each other. */
static double error_of_mean(const sc_trial *trial, size_t seen,
                            double (*value_of)(const sc_trial_row *row), double mean, size_t count)
{
    const sc_trial_row *last = NULL;
    size_t groups = 0;
    double group = 0;  // the sum of deviations in it
    double squares = 0;
    for (size_t i = 0; i < trial->row_count; i++) {
        const sc_trial_row *row = &trial->rows[i];
        if (!is_among(row, seen) || row->posterior.is_unexplained) continue;
        if (!last || !sc_trial_rows_are_alike(last, row)) {
            squares += group * group;
            group = 0;
            groups++;
        }
        group += value_of(row) - mean;
        last = row;
    }
    squares += group * group;
    if (groups < 2) return 0;
    return sqrt(squares * (double)groups / (double)(groups - 1)) / (double)count;
}

static void divide(double *const *sums, size_t sum_count, size_t count)
{
    for (size_t i = 0; i < sum_count && count > 0; i++) {
        *sums[i] /= (double)count;
    }
}

sc_trial_means sc_trial_means_of(const sc_trial *trial, size_t seen)
{
    sc_trial_means means = {.count = 0};
    for (size_t i = 0; i < trial->row_count; i++) {
        if (is_among(&trial->rows[i], seen)) add_row(&means, &trial->rows[i]);
    }
    double *const of_all[] = {&means.segments, &means.members, &means.recognised};
    double *const of_explained[] = {&means.entropy,    &means.bias,        &means.effective,
                                    &means.by_density, &means.probability, &means.entropy_error,
                                    &means.expected,   &means.by_chance,   &means.rank,
                                    &means.ruled_out};
    divide(of_all, sizeof of_all / sizeof of_all[0], means.count);
    divide(of_explained, sizeof of_explained / sizeof of_explained[0], means.explained);
    means.entropy_error = sqrt(means.entropy_error);
    const size_t count = means.explained;
    means.mean_error = error_of_mean(trial, seen, entropy_of, means.entropy, count);
    means.effective_error = error_of_mean(trial, seen, effective_of, means.effective, count);
    means.probability_error = error_of_mean(trial, seen, probability_of, means.probability, count);
    return means;
}

size_t sc_trial_most_seen(const sc_trial *trial)
{
    size_t most = 0;
    for (size_t i = 0; i < trial->row_count; i++) {
        if (trial->rows[i].seen > most) most = trial->rows[i].seen;
    }
    return most;
}
