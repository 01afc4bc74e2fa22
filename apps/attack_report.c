/*
 * What an attack came to, for people. See attack_report.h.
 */
#include "attack_report.h"

#include "base/json_write.h"
#include "format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const sc_entry meanings[] = {
    {"linkability", "How likely the adversary takes it that a member is on that segment; of all "
                    "segments of a cloak together 1."},
    {"entropy", "Of the linkabilities, as a part of the most it can be, log2 of the number of "
                "segments: 1 is a cloak that tells nothing, 0 one that gives its members away."},
    {"error", "Standard error of the entropy, since replays are dice. Too few of them make the "
              "entropy look lower than it is: 'bias' says by how much, about."},
    {"effective", "Two to the power of the entropy in bits: as many segments, all alike, would "
                  "hide a traveller as well. By density alone it is that of someone who knows the "
                  "cloak and the traffic and replays nothing: what a service can measure."},
    {"truth",
     "What the adversary gives the segment on which a member really is, on average over "
     "the members; 'rank' is that segment's place, 1 for the likeliest. Clearly less than it "
     "would be if the adversary's belief were right, and the belief is overconfident."},
    {"?", "An unexplained cloak: no replay came to anything like it, so the adversary knows "
          "nothing but the density. It counts in no mean of what is believed."},
    {"own", "Queries of the adversary's own that it recognised in the cloak."},
    {"seen", "Tracking: cloaks of one traveller that were seen so far; in the table, 'cloaks'."},
    {"placements", "Ways to put the strangers onto the segments. All were replayed ('all') or "
                   "some drawn at random ('drawn')."},
    {NULL, NULL},
};

static const sc_entry attacks[] = {
    {"replay", "Run the method again with one traveller alone on each segment, and compare what "
               "comes out with the cloak."},
    {"correlation", "The same with all members placed on segments of the cloak, in all ways or in "
                    "many drawn at random, by the density of travellers (default)."},
    {"injection", "Ask the run's questions once more, with queries of the adversary's own near its "
                  "victims; it recognises them in the victims' cloaks and knows where they are."},
    {"tracking", "Follow travellers from cloak to cloak: who is on this segment now can only have "
                 "come from where it may have been. No replays."},
    {NULL, NULL},
};

const sc_topic sc_attack_topics[] = {{"Attacks", attacks}, {"Meanings", meanings}, {NULL, NULL}};

// --- For people -----------------------------------------------------------------------

/** Rows of cloaks that people are shown; the others are in the files. */
enum { ROWS_SHOWN = 20 };

static size_t rows_shown(const sc_trial *trial)
{
    return trial->row_count < ROWS_SHOWN ? trial->row_count : ROWS_SHOWN;
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

static void put_subject(FILE *stream, const sc_attack_view *view)
{
    const sc_trial *trial = view->trial;
    char count[SC_FORMAT_SIZE];
    char choice[SC_FORMAT_SIZE];
    sc_print_text(stream, strcmp(view->record, "-") == 0 ? "standard input" : view->record);
    fputs(" on ", stream);
    sc_print_text(stream, view->map);
    fprintf(stream, "\n  %s", sc_trial_kind_title(view->options->kind));
    sc_format_count(choice, trial->choice);
    switch (view->options->kind) {
    case SC_TRIAL_INJECTION:
        fprintf(stream, ": %" PRIu32 " for each of %s victim%s, of whom %zu found a cloak",
                view->options->injection.injected, sc_format_count(count, trial->victims),
                plural(trial->victims), trial->row_count + trial->passed_over);
        break;
    case SC_TRIAL_TRACKING:
        fprintf(stream, ": %" PRIu64 " of %s traveller%s cloaked more than once",
                trial->row_count > 0 ? trial->rows[trial->row_count - 1].traveller : 0, choice,
                plural(trial->choice));
        break;
    default:
        fprintf(stream, ": %s of %s cloak%s", sc_format_count(count, trial->row_count), choice,
                plural(trial->choice));
        break;
    }
    fputc('\n', stream);
}

static void put_knowledge(FILE *stream, const sc_attack_view *view)
{
    const sc_adversary_options *adversary = &view->options->adversary;
    char placements[SC_FORMAT_SIZE];
    char samples[SC_FORMAT_SIZE];
    fputs("  density ", stream);
    sc_print_text(stream, view->density);
    if (view->options->kind == SC_TRIAL_TRACKING) {
        fputs("\n", stream);
        return;
    }
    fprintf(stream, "; method %s%s%s; likeness %s\n", sc_variant_name(adversary->engine.variant),
            adversary->engine.is_strict ? ", strict" : "", view->is_assumed ? " (assumed)" : "",
            sc_attack_likeness_name(adversary->likeness));
    sc_format_count(samples, adversary->samples);
    if (view->options->kind == SC_TRIAL_REPLAY) {
        fprintf(stream, "  about %s replays of each cloak\n", samples);
    } else if (adversary->max_placements == 0) {
        fprintf(stream, "  %s placements of each cloak, drawn at random\n", samples);
    } else {
        fprintf(stream, "  up to %s placements: all, %u times or more; beyond: %s at random\n",
                sc_format_count(placements, adversary->max_placements), adversary->runs, samples);
    }
}

static void put_head(FILE *stream)
{
    fprintf(stream, "\n%6s %8s %7s %3s %7s %6s %9s %6s %5s %s\n", "cloak", "segments", "members",
            "own", "entropy", "error", "effective", "truth", "rank", "placements");
}

/** A number, or a dash if it is not known. */
static const char *or_dash(char out[SC_FORMAT_SIZE], bool is_known, int decimals, double value)
{
    snprintf(out, SC_FORMAT_SIZE, "-");
    if (is_known) snprintf(out, SC_FORMAT_SIZE, "%.*f", decimals, value);
    return out;
}

/** What is believed of one cloak, or of many. */
typedef struct belief {
    bool is_known;
    double entropy;
    double error;
    double effective;
    double truth;
    double rank;
} belief;

static void put_belief(FILE *stream, const belief *b)
{
    char entropy[SC_FORMAT_SIZE];
    char error[SC_FORMAT_SIZE];
    char effective[SC_FORMAT_SIZE];
    char truth[SC_FORMAT_SIZE];
    char rank[SC_FORMAT_SIZE];
    fprintf(stream, " %7s %6s %9s %6s %5s", or_dash(entropy, b->is_known, 4, b->entropy),
            or_dash(error, b->is_known, 4, b->error),
            or_dash(effective, b->is_known, 2, b->effective),
            or_dash(truth, b->is_known, 4, b->truth), or_dash(rank, b->is_known, 1, b->rank));
}

static void put_row(FILE *stream, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    char placements[SC_FORMAT_SIZE] = "";
    sc_format_short(placements, sizeof(placements), p->placements);
    if (p->placements == UINT64_MAX) snprintf(placements, sizeof(placements), "many");
    fprintf(stream, "%6" PRIu64 " %8zu %7zu %3zu", row->cloak, p->link_count, row->members,
            row->recognised);
    put_belief(stream, &(belief){.is_known = !p->is_unexplained,
                                 .entropy = p->normalised_entropy,
                                 .error = p->normalised_error,
                                 .effective = p->effective,
                                 .truth = row->score.probability,
                                 .rank = row->score.rank});
    fprintf(stream, " %5s %s%s\n", placements, p->is_enumerated ? "all" : "drawn",
            p->is_unexplained ? " ?" : "");
}

static void put_mean_row(FILE *stream, const sc_trial_means *means)
{
    fprintf(stream, "%6s %8.1f %7.1f %3.1f", "mean", means->segments, means->members,
            means->recognised);
    put_belief(stream, &(belief){.is_known = means->explained > 0,
                                 .entropy = means->entropy,
                                 .error = means->entropy_error,
                                 .effective = means->effective,
                                 .truth = means->probability,
                                 .rank = means->rank});
    fputc('\n', stream);
}

static void put_rows(FILE *stream, const sc_attack_view *view)
{
    const sc_trial *trial = view->trial;
    const size_t shown = rows_shown(trial);
    put_head(stream);
    for (size_t i = 0; i < shown; i++) {
        put_row(stream, &trial->rows[i]);
    }
    if (trial->row_count > shown) {
        char count[SC_FORMAT_SIZE];
        fprintf(stream, "%6s (and %s more; --cloaks-csv writes all)\n", "...",
                sc_format_count(count, trial->row_count - shown));
    }
    const sc_trial_means means = sc_trial_means_of(trial, 0);
    put_mean_row(stream, &means);
}

static void put_step(FILE *stream, size_t seen, const sc_trial_means *means)
{
    const bool is_known = means->explained > 0;
    char entropy[SC_FORMAT_SIZE];
    char effective[SC_FORMAT_SIZE];
    char by_density[SC_FORMAT_SIZE];
    char truth[SC_FORMAT_SIZE];
    char rank[SC_FORMAT_SIZE];
    fprintf(stream, "%6zu %10zu %8.1f  %9s %9s %10s %7s %6s\n", seen, means->count, means->segments,
            or_dash(entropy, is_known, 4, means->entropy),
            or_dash(effective, is_known, 2, means->effective),
            or_dash(by_density, is_known, 2, means->by_density),
            or_dash(truth, is_known, 4, means->probability),
            or_dash(rank, is_known, 1, means->rank));
}

static void put_steps(FILE *stream, const sc_trial *trial)
{
    fprintf(stream, "\n%6s %10s %8s  %9s %9s %10s %7s %6s\n", "cloaks", "travellers", "segments",
            "entropy", "effective", "by density", "truth", "rank");
    for (size_t seen = 1; seen <= sc_trial_most_seen(trial); seen++) {
        const sc_trial_means means = sc_trial_means_of(trial, seen);
        put_step(stream, seen, &means);
    }
    const sc_trial_means all = sc_trial_means_of(trial, 0);
    if (all.unexplained == 0) return;
    fprintf(stream,
            "\n%zu of %zu steps %s unexplained and left out of the means:\n"
            "by known speeds nobody came there in time, so the density is all that is left.\n",
            all.unexplained, all.count, all.unexplained == 1 ? "is" : "are");
}

static void put_means(FILE *stream, const sc_trial_means *means)
{
    fprintf(stream, "Mean entropy %.4f", means->entropy);
    if (means->explained > 1) fprintf(stream, " (standard error %.4f)", means->mean_error);
    fprintf(stream, "; for want of replays %.4f too low.\n", means->bias < 0 ? -means->bias : 0.0);
    fprintf(stream,
            "The true segment is given %.4f (%.4f if its belief were right);\n"
            "all alike it would be %.4f.\n"
            "%.2f segments are ruled out, and %.2f count; by density alone, %.2f.\n",
            means->probability, means->expected, means->by_chance, means->ruled_out,
            means->effective, means->by_density);
}

static void put_left_out(FILE *stream, const sc_trial *trial, const sc_trial_means *means)
{
    char most[SC_FORMAT_SIZE];
    if (means->unexplained > 0) {
        const bool is_one = means->unexplained == 1;
        fprintf(stream,
                "%zu cloak%s unexplained (?) and left out of the means: no replay came to\n"
                "anything like %s, so the density is all that is left.\n",
                means->unexplained, is_one ? " is" : "s are", is_one ? "it" : "them");
    }
    if (trial->passed_over > 0) {
        fprintf(stream, "%zu cloak%s with more than %s members %s passed over.\n",
                trial->passed_over, plural(trial->passed_over),
                sc_format_count(most, SC_ATTACK_MEMBERS_MAX),
                trial->passed_over == 1 ? "was" : "were");
    }
}

static void put_summary(FILE *stream, const sc_attack_view *view)
{
    const sc_trial_means means = sc_trial_means_of(view->trial, 0);
    char replays[SC_FORMAT_SIZE];
    char time[SC_FORMAT_SIZE];
    fputc('\n', stream);
    if (means.explained > 0) put_means(stream, &means);
    put_left_out(stream, view->trial, &means);
    fprintf(stream, "%s replays in %s, all placements of %zu of %zu cloak%s.\n",
            sc_format_count(replays, means.replays),
            sc_format_seconds(time, view->trial->replay_wall_s), means.enumerated, means.count,
            plural(means.count));
}

// --- Every segment --------------------------------------------------------------------

/** Of the likeliest segment of a cloak; the others' are shorter. */
enum { BAR_COLUMNS = 40 };

static int likeliest_first(const void *a, const void *b)
{
    const sc_link *left = a;
    const sc_link *right = b;
    const int order =
        (left->linkability < right->linkability) - (left->linkability > right->linkability);
    return order != 0 ? order : (left->segment > right->segment) - (left->segment < right->segment);
}

static void put_link(FILE *stream, const sc_link *link, bool is_explained, double most)
{
    char bar[BAR_COLUMNS + 1];
    char error[SC_FORMAT_SIZE];
    const size_t columns = (size_t)(link->linkability / most * BAR_COLUMNS + 0.5);
    memset(bar, '#', columns);
    bar[columns] = '\0';
    fprintf(stream, "%10" PRIu32 " %11.4f %8s%s%s\n", link->segment, link->linkability,
            or_dash(error, is_explained, 4, link->error), columns > 0 ? "  " : "", bar);
}

static sc_err put_links_of(FILE *stream, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    sc_link *links = malloc(p->link_count * sizeof(*links));
    if (!links) return SC_ENOMEM;
    memcpy(links, p->links, p->link_count * sizeof *links);
    qsort(links, p->link_count, sizeof *links, likeliest_first);
    fprintf(stream, "\ncloak %" PRIu64, row->cloak);
    if (row->traveller > 0) {
        fprintf(stream, ", number %zu of traveller %" PRIu64, row->seen, row->traveller);
    }
    fprintf(stream, "%s\n%10s %11s %8s\n",
            p->is_unexplained ? " (unexplained: by density alone)" : "", "segment", "linkability",
            "error");
    for (size_t i = 0; i < p->link_count; i++) {
        put_link(stream, &links[i], !p->is_unexplained, links[0].linkability);
    }
    free(links);
    return SC_OK;
}

static sc_err put_links(FILE *stream, const sc_trial *trial)
{
    sc_err err = SC_OK;
    for (size_t i = 0; i < rows_shown(trial) && !err; i++) {
        err = put_links_of(stream, &trial->rows[i]);
    }
    return err;
}

sc_err sc_attack_print_text(FILE *stream, const sc_attack_view *view)
{
    put_subject(stream, view);
    put_knowledge(stream, view);
    if (view->options->kind == SC_TRIAL_TRACKING) {
        put_steps(stream, view->trial);
    } else {
        put_rows(stream, view);
        put_summary(stream, view);
    }
    return view->shows_links ? put_links(stream, view->trial) : SC_OK;
}

// --- JSON ---------------------------------------------------------------------------------------
//
// What is not known is null: a mean over no cloak, how sure it is of one that no replay explains.

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
