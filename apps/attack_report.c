/*
 * The result of an attack as tables with their means, or as JSON.
 */
#include "attack_report.h"

#include "attack_demands.h"
#include "base/json_write.h"
#include "format.h"
#include "table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const sc_entry meanings[] = {
    {"linkability", "The probability, for the adversary, that a member is on that segment. Over "
                    "all segments of a cloak these add up to 1."},
    {"entropy", "Entropy of the linkabilities, divided by its maximum, log2 of the number of "
                "segments: 1 is a cloak that tells nothing, 0 one that gives its members away."},
    {"error", "Standard error of the entropy, since replays are random. Too few replays make the "
              "entropy look lower than it is; 'bias' estimates by how much."},
    {"effective",
     "Two to the power of the entropy in bits: this many equally likely segments would hide a "
     "traveller as well. 'by density' is the same number for an adversary that knows the cloak and "
     "the traffic but replays nothing; a service can measure it."},
    {"truth", "The probability that the adversary gives to the segment on which a member really "
              "is, averaged over the members; 'rank' is that segment's place, 1 for the likeliest. "
              "If it is clearly lower than with a correct belief, the adversary is overconfident."},
    {"?", "An unexplained cloak: no replay gave anything like it, so the adversary knows only the "
          "density. It is left out of the means."},
    {"+-",
     "Half the interval of 95 % of the mean before it, by how cloaks, or travellers, differ."},
    {"own", "Queries of the adversary's own that it recognised in the cloak."},
    {"seen", "Tracking: cloaks of one traveller that were seen so far; in the table, 'cloaks'."},
    {"possible", "Rule: segments on which the member can be by its sigma_s; its l should be no "
                 "more than that. 'left' are those that the engine's demands leave, too."},
    {"placements", "Ways to place the members that are not the adversary's own on the segments. "
                   "All were replayed ('all') or some drawn at random ('drawn')."},
    {NULL, NULL},
};

static const sc_entry attacks[] = {
    {"replay", "Run the method again with one traveller alone on each segment, and compare what "
               "comes out with the cloak."},
    {"correlation", "The same with all members placed on segments of the cloak, in all ways or in "
                    "many drawn at random, by the density of travellers (default)."},
    {"injection",
     "Run the record's queries again, with queries of the adversary's own near its victims; it "
     "recognises its own in the victims' cloaks and knows their positions."},
    {"tracking", "Follow travellers from cloak to cloak: a traveller can only be on segments that "
                 "it can reach from where it may have been. No replays."},
    {"rule", "For each member by itself: exclude the segments on which it cannot be, since its "
             "cloak would reach too far from there, or since the engine would not have cloaked it "
             "there by what it demands (traffic; zones, if they are known). No replays."},
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
    case SC_TRIAL_RULE:
        fprintf(stream, ": %s member%s of %zu of %s cloak%s",
                sc_format_count(count, trial->row_count), plural(trial->row_count), trial->attacked,
                choice, plural(trial->choice));
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
    if (!sc_trial_has_replays(view->options->kind)) {
        fputs(sc_trial_knows_rules(view->options) ? "; sigma_s is known\n" : "\n", stream);
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

/** NaN for what is not known: a dash in text, and null in JSON. */
static double known(bool is_known, double value)
{
    return is_known ? value : (double)NAN;
}

static void put_row(sc_report *table, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    const bool is_known = !p->is_unexplained;
    char count[SC_FORMAT_SIZE] = "many";
    char placements[SC_FORMAT_SIZE + 16];
    if (p->placements != UINT64_MAX) sc_format_short(count, sizeof(count), p->placements);
    snprintf(placements, sizeof(placements), "%5s %s%s", count, p->is_enumerated ? "all" : "drawn",
             p->is_unexplained ? " ?" : "");
    const sc_cell cells[] = {
        sc_cell_id("cloak", NULL, 6, row->cloak),
        sc_cell_count("segments", NULL, 8, p->link_count),
        sc_cell_count("members", NULL, 7, row->members),
        sc_cell_count("own", NULL, 3, row->recognised),
        sc_cell_number("entropy", NULL, 7, known(is_known, p->normalised_entropy), 4),
        sc_cell_number("error", NULL, 6, known(is_known, p->normalised_error), 4),
        sc_cell_number("effective", NULL, 9, known(is_known, p->effective), 2),
        sc_cell_number("truth", NULL, 6, known(is_known, row->score.probability), 4),
        sc_cell_number("rank", NULL, 5, known(is_known, row->score.rank), 1),
        sc_cell_text("placements", NULL, 1, placements),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_mean_row(sc_report *table, const sc_trial_means *means)
{
    const bool is_known = means->explained > 0;
    const sc_cell cells[] = {
        sc_cell_text("cloak", NULL, 6, "mean"),
        sc_cell_number("segments", NULL, 8, means->segments, 1),
        sc_cell_number("members", NULL, 7, means->members, 1),
        sc_cell_number("own", NULL, 3, means->recognised, 1),
        sc_cell_number("entropy", NULL, 7, known(is_known, means->entropy), 4),
        sc_cell_number("error", NULL, 6, known(is_known, means->entropy_error), 4),
        sc_cell_number("effective", NULL, 9, known(is_known, means->effective), 2),
        sc_cell_number("truth", NULL, 6, known(is_known, means->probability), 4),
        sc_cell_number("rank", NULL, 5, known(is_known, means->rank), 1),
        sc_cell_text("placements", NULL, 1, ""),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_rows(sc_report *table, const sc_trial *trial)
{
    const size_t shown = rows_shown(trial);
    for (size_t i = 0; i < shown; i++) {
        put_row(table, &trial->rows[i]);
    }
    if (trial->row_count > shown) {
        char count[SC_FORMAT_SIZE];
        fprintf(table->stream, "%6s (and %s more; --cloaks-csv writes all)\n", "...",
                sc_format_count(count, trial->row_count - shown));
    }
    const sc_trial_means means = sc_trial_means_of(trial, 0);
    put_mean_row(table, &means);
}

/** " +- 0.01": half the interval of a mean, if it can be told. */
static const char *interval(char text[SC_FORMAT_SIZE], const sc_trial_means *means, double error,
                            int decimals)
{
    text[0] = '\0';
    if (means->explained > 1) {
        (void)snprintf(text, SC_FORMAT_SIZE, " +- %.*f", decimals, sc_trial_half_interval(error));
    }
    return text;
}

// --- Members one by one ---

static void put_member(sc_report *table, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    const size_t left = p->is_unexplained ? 0 : p->link_count - p->ruled_out;
    const sc_cell cells[] = {
        sc_cell_id("cloak", NULL, 6, row->cloak),
        sc_cell_count("segments", NULL, 8, p->link_count),
        sc_cell_count("l", NULL, 4, row->l),
        sc_cell_count("possible", NULL, 8, row->possible),
        sc_cell_count("left", NULL, 5, left),
        sc_cell_number("effective", NULL, 9, p->effective, 2),
        sc_cell_number("truth", NULL, 6, row->score.probability, 4),
        sc_cell_number("rank", NULL, 5, row->score.rank, 1),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_share(FILE *stream, const char *what, const sc_trial_share *share)
{
    fprintf(stream, "  %-43s %6.2f %%  (%.2f to %.2f)\n", what, 100 * share->share,
            100 * share->low, 100 * share->high);
}

/** Who is exposed; `what` they are counted in. */
static void put_exposure(FILE *stream, const sc_attack_view *view, const char *what)
{
    const sc_trial_exposure all = sc_trial_exposure_of(view->trial, 0);
    fprintf(stream, "\nOf %zu %s, with intervals of 95 %%:\n", all.above_half.all, what);
    put_share(stream, "true segment likelier than 1/2", &all.above_half);
    if (view->options->traffic > 2) {
        put_share(stream, "likelier than traffic allows", &all.above_bound);
    }
    put_share(stream, "fewer possible segments than l", &all.too_few);
    if (all.excluded.count > 0) {
        put_share(stream, "true segment excluded: assumptions are wrong", &all.excluded);
    }
}

static void put_members(sc_report *table, const sc_attack_view *view)
{
    const sc_trial *trial = view->trial;
    const size_t shown = rows_shown(trial);
    for (size_t i = 0; i < shown; i++) {
        put_member(table, &trial->rows[i]);
    }
    if (trial->row_count > shown) {
        char count[SC_FORMAT_SIZE];
        fprintf(table->stream, "%6s (and %s more; --cloaks-csv writes all)\n", "...",
                sc_format_count(count, trial->row_count - shown));
    }
    const sc_trial_means means = sc_trial_means_of(trial, 0);
    char truth[SC_FORMAT_SIZE];
    char effective[SC_FORMAT_SIZE];
    put_exposure(table->stream, view, "memberships");
    fprintf(table->stream,
            "The true segment gets probability %.4f%s\n"
            "(%.4f with a correct belief); %.2f of %.2f segments are excluded,\n"
            "and %.2f%s count.\n",
            means.probability, interval(truth, &means, means.probability_error, 4), means.expected,
            means.ruled_out, means.segments, means.effective,
            interval(effective, &means, means.effective_error, 2));
}

/** Half an interval of 95 %, if there are several rows to tell it from. */
static double half(const sc_trial_means *means, double error)
{
    return known(means->explained > 1, sc_trial_half_interval(error));
}

static void put_step(sc_report *table, size_t seen, const sc_trial_means *means)
{
    const bool is_known = means->explained > 0;
    const sc_cell cells[] = {
        sc_cell_count("cloaks", NULL, 6, seen),
        sc_cell_count("travellers", NULL, 10, means->count),
        sc_cell_number("segments", NULL, 8, means->segments, 1),
        sc_cell_number("entropy", NULL, 7, known(is_known, means->entropy), 4),
        sc_cell_number("effective", NULL, 9, known(is_known, means->effective), 2),
        sc_cell_number("+-", NULL, 5, half(means, means->effective_error), 2),
        sc_cell_number("by density", NULL, 10, known(is_known, means->by_density), 2),
        sc_cell_number("truth", NULL, 6, known(is_known, means->probability), 4),
        sc_cell_number("+-", NULL, 6, half(means, means->probability_error), 4),
        sc_cell_number("rank", NULL, 4, known(is_known, means->rank), 1),
    };
    sc_report_cells(table, cells, sizeof(cells) / sizeof(cells[0]));
}

static void put_steps(sc_report *table, const sc_trial *trial)
{
    for (size_t seen = 1; seen <= sc_trial_most_seen(trial); seen++) {
        const sc_trial_means means = sc_trial_means_of(trial, seen);
        put_step(table, seen, &means);
    }
    const sc_trial_means all = sc_trial_means_of(trial, 0);
    if (all.unexplained == 0) return;
    fprintf(table->stream,
            "\n%zu of %zu steps %s unexplained and left out of the means:\n"
            "no traveller can be there in time, so only the density is known.\n",
            all.unexplained, all.count, all.unexplained == 1 ? "is" : "are");
}

static void put_means(FILE *stream, const sc_trial_means *means)
{
    char truth[SC_FORMAT_SIZE];
    char effective[SC_FORMAT_SIZE];
    fprintf(stream, "Mean entropy %.4f", means->entropy);
    if (means->explained > 1) fprintf(stream, " (standard error %.4f)", means->mean_error);
    fprintf(stream, "; about %.4f too low: few replays.\n", means->bias < 0 ? -means->bias : 0.0);
    fprintf(stream,
            "The true segment gets probability %.4f%s\n"
            "(%.4f with a correct belief, %.4f if all segments were equally likely).\n"
            "%.2f segments are ruled out, and %.2f%s count; by density alone, %.2f.\n",
            means->probability, interval(truth, means, means->probability_error, 4),
            means->expected, means->by_chance, means->ruled_out, means->effective,
            interval(effective, means, means->effective_error, 2), means->by_density);
}

static void put_left_out(FILE *stream, const sc_trial *trial, const sc_trial_means *means)
{
    char most[SC_FORMAT_SIZE];
    if (means->unexplained > 0) {
        const bool is_one = means->unexplained == 1;
        fprintf(stream,
                "%zu cloak%s unexplained (?) and left out of the means: no replay gave\nanything "
                "like %s, so only the density is known.\n",
                means->unexplained, is_one ? " is" : "s are", is_one ? "it" : "them");
    }
    if (trial->passed_over > 0) {
        fprintf(stream, "%zu cloak%s with more than %s members %s skipped.\n", trial->passed_over,
                plural(trial->passed_over), sc_format_count(most, SC_ATTACK_MEMBERS_MAX),
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
    char error[SC_FORMAT_SIZE] = "-";
    const size_t columns = (size_t)(link->linkability / most * BAR_COLUMNS + 0.5);
    memset(bar, '#', columns);
    bar[columns] = '\0';
    if (is_explained) sc_format_decimal(error, link->error, 4);
    fprintf(stream, "%10" PRIu32 " %11.4f %8s%s%s\n", link->segment, link->linkability, error,
            columns > 0 ? "  " : "", bar);
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
    sc_report table = sc_report_begin(stream, false, 0);
    put_subject(stream, view);
    put_knowledge(stream, view);
    sc_attack_print_demands(stream, view->demands, view->options);
    if (view->options->kind == SC_TRIAL_TRACKING) {
        put_steps(&table, view->trial);
        put_exposure(stream, view, "steps");
    } else if (view->options->kind == SC_TRIAL_RULE) {
        put_members(&table, view);
    } else {
        put_rows(&table, view->trial);
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

static void put_json_share(sc_json_writer *json, const char *name, const sc_trial_share *share)
{
    sc_json_open_object(json, name);
    sc_json_put_count(json, "count", share->count);
    sc_json_put_count(json, "all", share->all);
    sc_json_put_rounded(json, "share", known(share->all > 0, share->share), 9);
    sc_json_put_rounded(json, "low", known(share->all > 0, share->low), 9);
    sc_json_put_rounded(json, "high", known(share->all > 0, share->high), 9);
    sc_json_close_object(json);
}

static void put_json_exposure(sc_json_writer *json, const sc_trial *trial, size_t seen)
{
    const sc_trial_exposure exposure = sc_trial_exposure_of(trial, seen);
    if (exposure.above_half.all == 0) return;
    sc_json_open_object(json, "exposure");
    put_json_share(json, "above_half", &exposure.above_half);
    put_json_share(json, "above_bound", &exposure.above_bound);
    put_json_share(json, "too_few", &exposure.too_few);
    put_json_share(json, "excluded", &exposure.excluded);
    sc_json_close_object(json);
}

static void put_json_means(sc_json_writer *json, const char *name, const sc_trial *trial,
                           size_t seen)
{
    const sc_trial_means of_seen = sc_trial_means_of(trial, seen);
    const sc_trial_means *means = &of_seen;
    const bool is_known = means->explained > 0;
    sc_json_open_object(json, name);
    sc_json_put_count(json, "cloaks", means->count);
    sc_json_put_rounded(json, "segments", means->segments, 9);
    sc_json_put_rounded(json, "members", means->members, 9);
    sc_json_put_rounded(json, "recognised", means->recognised, 9);
    sc_json_put_rounded(json, "normalised_entropy", known(is_known, means->entropy), 9);
    sc_json_put_rounded(json, "standard_error", known(is_known, means->entropy_error), 3);
    sc_json_put_rounded(json, "mean_standard_error", known(is_known, means->mean_error), 3);
    sc_json_put_rounded(json, "bias", known(is_known, means->bias), 3);
    sc_json_put_rounded(json, "effective", known(is_known, means->effective), 9);
    sc_json_put_rounded(json, "effective_by_density", known(is_known, means->by_density), 9);
    sc_json_put_rounded(json, "probability", known(is_known, means->probability), 9);
    sc_json_put_rounded(json, "by_chance", known(is_known, means->by_chance), 9);
    sc_json_put_rounded(json, "rank", known(is_known, means->rank), 9);
    sc_json_put_rounded(json, "ruled_out", known(is_known, means->ruled_out), 9);
    sc_json_put_rounded(json, "expected_probability", known(is_known, means->expected), 9);
    sc_json_put_rounded(json, "effective_standard_error", known(is_known, means->effective_error),
                        3);
    sc_json_put_rounded(json, "probability_standard_error",
                        known(is_known, means->probability_error), 3);
    sc_json_put_count(json, "enumerated", means->enumerated);
    sc_json_put_count(json, "explained", means->explained);
    sc_json_put_count(json, "unexplained", means->unexplained);
    sc_json_put_count(json, "replays", means->replays);
    put_json_exposure(json, trial, seen);
    sc_json_close_object(json);
}

static void put_json_links(sc_json_writer *json, const sc_posterior *p)
{
    sc_json_open_array(json, "links");
    for (size_t i = 0; i < p->link_count; i++) {
        sc_json_open_object(json, NULL);
        sc_json_put_count(json, "segment", p->links[i].segment);
        sc_json_put_rounded(json, "linkability", p->links[i].linkability, 9);
        sc_json_put_rounded(json, "standard_error", p->links[i].error, 3);
        sc_json_close_object(json);
    }
    sc_json_close_array(json);
}

static void put_json_row(sc_json_writer *json, const sc_trial_row *row)
{
    const sc_posterior *p = &row->posterior;
    sc_json_open_object(json, NULL);
    sc_json_put_count(json, "cloak", row->cloak);
    sc_json_put_count(json, "traveller", row->traveller);
    sc_json_put_count(json, "seen", row->seen);
    sc_json_put_count(json, "members", row->members);
    sc_json_put_count(json, "recognised", row->recognised);
    sc_json_put_rounded(json, "entropy_bits", p->entropy, 9);
    sc_json_put_rounded(json, "normalised_entropy", p->normalised_entropy, 9);
    sc_json_put_rounded(json, "standard_error", known(!p->is_unexplained, p->normalised_error), 3);
    sc_json_put_rounded(json, "bias", known(!p->is_unexplained, p->normalised_bias), 3);
    sc_json_put_rounded(json, "effective", p->effective, 9);
    sc_json_put_rounded(json, "effective_by_density", row->by_density, 9);
    sc_json_put_rounded(json, "probability", row->score.probability, 9);
    sc_json_put_rounded(json, "rank", row->score.rank, 9);
    sc_json_put_count(json, "ruled_out", p->ruled_out);
    sc_json_put_count(json, "placements", p->placements);
    sc_json_put_flag(json, "is_enumerated", p->is_enumerated);
    sc_json_put_count(json, "replays", p->replays);
    sc_json_put_count(json, "fruitful", p->fruitful);
    sc_json_put_flag(json, "is_unexplained", p->is_unexplained);
    sc_json_put_rounded(json, "expected_probability", row->expected, 9);
    if (row->l > 0) {
        sc_json_put_count(json, "l", row->l);
        sc_json_put_count(json, "possible", row->possible);
    }
    put_json_links(json, p);
    sc_json_close_object(json);
}

static void put_json_settings(sc_json_writer *json, const sc_attack_view *view)
{
    const sc_trial_options *options = view->options;
    const sc_adversary_options *adversary = &options->adversary;
    const bool is_injection = options->kind == SC_TRIAL_INJECTION;
    sc_json_put_string(json, "attack", sc_trial_kind_name(options->kind));
    sc_json_put_string(json, "density", view->density);
    sc_json_put_string(json, "method", sc_variant_name(adversary->engine.variant));
    sc_json_put_flag(json, "is_strict", adversary->engine.is_strict);
    sc_json_put_flag(json, "is_assumed", view->is_assumed);
    sc_json_put_string(json, "likeness", sc_attack_likeness_name(adversary->likeness));
    sc_json_put_count(json, "max_placements", adversary->max_placements);
    sc_json_put_count(json, "runs", adversary->runs);
    sc_json_put_count(json, "samples", adversary->samples);
    sc_json_put_count(json, "injected", is_injection ? options->injection.injected : 0);
    sc_json_put_count(json, "seed", options->seed);
    sc_json_put_count(json, "choice", view->trial->choice);
    sc_json_put_count(json, "victims", view->trial->victims);
    sc_json_put_count(json, "passed_over", view->trial->passed_over);
    sc_json_put_flag(json, "knows_rules", sc_trial_knows_rules(options));
    sc_json_put_count(json, "traffic", options->traffic);
    sc_attack_put_demands(json, view->demands, options);
}

void sc_attack_print_json(FILE *stream, const sc_attack_view *view)
{
    const sc_trial *trial = view->trial;
    sc_json_writer json = sc_json_writer_of_stream(stream);
    sc_json_open_object(&json, NULL);
    put_json_settings(&json, view);
    put_json_means(&json, "mean", trial, 0);
    if (view->options->kind == SC_TRIAL_TRACKING) {
        sc_json_open_array(&json, "by_seen");
        for (size_t seen = 1; seen <= sc_trial_most_seen(trial); seen++) {
            put_json_means(&json, NULL, trial, seen);
        }
        sc_json_close_array(&json);
    }
    sc_json_open_array(&json, "cloaks");
    for (size_t i = 0; i < trial->row_count; i++) {
        sc_json_break_line(&json);
        put_json_row(&json, &trial->rows[i]);
    }
    sc_json_put_text(&json, "\n]}\n");
}
