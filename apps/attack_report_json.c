/*
 * What an attack came to, for programs. See attack_report.h.
 *
 * What is not known is null: a mean over no cloak, how sure it is of one that no replay explains.
 */
#include "attack_report.h"

#include <inttypes.h>

#include "base/json_write.h"

const char *sc_attack_likeness_name(sc_likeness likeness)
{
    return likeness == SC_LIKENESS_EXACT ? "exact" : "overlap";
}

/** `,"name":value`, or null if it is not known. */
static void put_json_number(FILE *stream, const char *name, bool is_known, int digits, double value)
{
    if (is_known) {
        fprintf(stream, ",\"%s\":%.*g", name, digits, value);
    } else {
        fprintf(stream, ",\"%s\":null", name);
    }
}

static void put_json_means(FILE *stream, const sc_trial_means *means)
{
    const bool is_known = means->explained > 0;
    fprintf(stream, "{\"cloaks\":%zu,\"segments\":%.9g,\"members\":%.9g,\"recognised\":%.9g",
            means->count, means->segments, means->members, means->recognised);
    put_json_number(stream, "normalised_entropy", is_known, 9, means->entropy);
    put_json_number(stream, "standard_error", is_known, 3, means->entropy_error);
    put_json_number(stream, "mean_standard_error", is_known, 3, means->mean_error);
    put_json_number(stream, "bias", is_known, 3, means->bias);
    put_json_number(stream, "effective", is_known, 9, means->effective);
    put_json_number(stream, "effective_by_density", is_known, 9, means->by_density);
    put_json_number(stream, "probability", is_known, 9, means->probability);
    put_json_number(stream, "by_chance", is_known, 9, means->by_chance);
    put_json_number(stream, "rank", is_known, 9, means->rank);
    put_json_number(stream, "ruled_out", is_known, 9, means->ruled_out);
    put_json_number(stream, "expected_probability", is_known, 9, means->expected);
    fprintf(stream,
            ",\"enumerated\":%zu,\"explained\":%zu,\"unexplained\":%zu,\"replays\":%" PRIu64 "}",
            means->enumerated, means->explained, means->unexplained, means->replays);
}

static void put_json_row(FILE *stream, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    fprintf(stream,
            "{\"cloak\":%" PRIu64 ",\"traveller\":%" PRIu64
            ",\"seen\":%zu,\"members\":%zu,\"recognised\":%zu,\"entropy_bits\":%.9g,"
            "\"normalised_entropy\":%.9g",
            row->cloak, row->traveller, row->seen, row->members, row->recognised, p->entropy,
            p->normalised_entropy);
    put_json_number(stream, "standard_error", !p->is_unexplained, 3, p->normalised_error);
    put_json_number(stream, "bias", !p->is_unexplained, 3, p->normalised_bias);
    fprintf(stream,
            ",\"effective\":%.9g,\"effective_by_density\":%.9g,\"probability\":%.9g,\"rank\":%.9g,"
            "\"ruled_out\":%zu,\"placements\":%" PRIu64 ",\"is_enumerated\":%s,\"replays\":%" PRIu64
            ",\"fruitful\":%" PRIu64
            ",\"is_unexplained\":%s,\"expected_probability\":%.9g,\"links\":[",
            p->effective, row->by_density, row->score.probability, row->score.rank, p->ruled_out,
            p->placements, p->is_enumerated ? "true" : "false", p->replays, p->fruitful,
            p->is_unexplained ? "true" : "false", row->expected);
    for (size_t i = 0; i < p->link_count; i++) {
        fprintf(stream, "%s{\"segment\":%" PRIu32 ",\"linkability\":%.9g,\"standard_error\":%.3g}",
                i > 0 ? "," : "", p->links[i].segment, p->links[i].linkability, p->links[i].error);
    }
    fputs("]}", stream);
}

static void put_json_settings(FILE *stream, const sc_attack_view *view)
{
    const sc_trial_options *options = view->options;
    const sc_adversary_options *adversary = &options->adversary;
    fprintf(stream, "{\"attack\":\"%s\",\"density\":", sc_trial_kind_name(options->kind));
    sc_json_string(stream, view->density);
    fprintf(stream,
            ",\"method\":\"%s\",\"is_strict\":%s,\"is_assumed\":%s,\"likeness\":\"%s\","
            "\"max_placements\":%" PRIu64 ",\"runs\":%" PRIu32 ",\"samples\":%" PRIu64
            ",\"injected\":%" PRIu32 ",\"seed\":%" PRIu64
            ",\"choice\":%zu,\"victims\":%zu,\"passed_over\":%zu",
            sc_variant_name(adversary->engine.variant),
            adversary->engine.is_strict ? "true" : "false", view->is_assumed ? "true" : "false",
            sc_attack_likeness_name(adversary->likeness), adversary->max_placements,
            adversary->runs, adversary->samples,
            options->kind == SC_TRIAL_INJECTION ? options->injection.injected : 0, options->seed,
            view->trial->choice, view->trial->victims, view->trial->passed_over);
}

void sc_attack_print_json(FILE *stream, const sc_attack_view *view)
{
    const sc_trial *trial = view->trial;
    const sc_trial_means means = sc_trial_means_of(trial, 0);
    put_json_settings(stream, view);
    fputs(",\"mean\":", stream);
    put_json_means(stream, &means);
    if (view->options->kind == SC_TRIAL_TRACKING) {
        fputs(",\"by_seen\":[", stream);
        for (size_t seen = 1; seen <= sc_trial_most_seen(trial); seen++) {
            const sc_trial_means of_seen = sc_trial_means_of(trial, seen);
            if (seen > 1) fputc(',', stream);
            put_json_means(stream, &of_seen);
        }
        fputc(']', stream);
    }
    fputs(",\"cloaks\":[", stream);
    for (size_t i = 0; i < trial->row_count; i++) {
        fputs(i > 0 ? ",\n" : "\n", stream);
        put_json_row(stream, &trial->rows[i]);
    }
    fputs("\n]}\n", stream);
}
