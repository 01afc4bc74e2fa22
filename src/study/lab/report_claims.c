// The claims: first the paper's as wholes, then the statements they consist of by map, then each of
// these with its numbers.
#include "lab/report_internal.h"

static void put_verdict(FILE *page, const char *class, const char *text)
{
    fprintf(page, "<span class=\"v %s\">%s</span>", class, text);
}

static const char *class_of(sc_lab_verdict verdict)
{
    static const char *const classes[] = {
        [SC_LAB_HOLDS] = "holds", [SC_LAB_FAILS] = "fails", [SC_LAB_UNTOLD] = "untold"};
    return classes[verdict];
}

static bool has_claims_of_no_map(const sc_lab_claims *claims)
{
    for (size_t i = 0; i < claims->count; i++) {
        if (claims->all[i].map == SC_NONE) return true;
    }
    return false;
}

// A column for each map, and one for what is said of none in particular.
static void put_map_columns(FILE *page, const sc_lab_options *options, bool has_more)
{
    for (size_t i = 0; i < options->map_count; i++) {
        fputs("<th scope=\"col\">", page);
        sc__html_text(page, options->maps[i].name);
        fputs("</th>", page);
    }
    fputs(has_more ? "<th scope=\"col\">all maps</th></tr></thead>\n<tbody>\n"
                   : "</tr></thead>\n<tbody>\n",
          page);
}

// --- As wholes -------------------------------------------------------------------------

static void put_parts(FILE *page, const sc_lab_claims *claims, size_t number, uint32_t map)
{
    const sc_lab_tally tally = sc__paper_claim_tally(claims, number, map);
    const size_t held = tally.by_verdict[SC_LAB_HOLDS];
    const size_t told = held + tally.by_verdict[SC_LAB_FAILS];
    fputs("<td>", page);
    if (told > 0) {
        char text[80];
        snprintf(text, sizeof text, "%zu of %zu statement%s hold%s", held, told, sc__plural(told),
                 told == 1 ? "s" : "");
        const char *mixed = held > 0 ? "part" : "fails";
        put_verdict(page, held == told ? "holds" : mixed, text);
    } else if (tally.by_verdict[SC_LAB_UNTOLD] > 0) {
        put_verdict(page, "untold", "not told");
    }
    fputs("</td>", page);
}

static void put_wholes(FILE *page, const sc_lab_options *options, const sc_lab_claims *claims)
{
    static const char *const marks[] = {[SC_LAB_HOLDS] = "✓ holds",
                                        [SC_LAB_FAILS] = "✗ does not hold",
                                        [SC_LAB_UNTOLD] = "not told"};
    const bool has_more = has_claims_of_no_map(claims);
    fputs(
        "<div class=\"wide\"><table><caption>The paper’s eight claims. A statement counts once for "
        "each method it is about.</caption>\n<thead><tr><th scope=\"col\">Claim</th>"
        "<th scope=\"col\" class=\"words\">As the paper says it</th>"
        "<th scope=\"col\">Verdict</th>",
        page);
    put_map_columns(page, options, has_more);
    for (size_t number = 0; number < SC_LAB_PAPER_CLAIMS; number++) {
        const sc_lab_verdict verdict = sc__paper_claim_verdict(claims, number);
        fprintf(
            page, "<tr><th scope=\"row\"><a href=\"#claim-%zu\">%zu. %s</a></th><td>%s</td><td>",
            number + 1, number + 1, sc__paper_claim_title(number), sc__paper_claim_text(number));
        put_verdict(page, class_of(verdict), marks[verdict]);
        fputs("</td>", page);
        for (uint32_t map = 0; map < options->map_count; map++) {
            put_parts(page, claims, number, map);
        }
        if (has_more) put_parts(page, claims, number, SC_NONE);
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
}

// --- Their statements --------------------------------------------------------------------

// How a statement came out on one map, or with SC_NONE what is said of none in particular.
static void put_outcome(FILE *page, const sc_lab_claims *claims, const sc_lab_statement *statement,
                        uint32_t map)
{
    sc_lab_tally found = {{0}};
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (claim->statement == statement && claim->map == map) found.by_verdict[claim->verdict]++;
    }
    const size_t held = found.by_verdict[SC_LAB_HOLDS];
    const size_t told = held + found.by_verdict[SC_LAB_FAILS];
    fputs("<td>", page);
    if (told == 0) {
        if (found.by_verdict[SC_LAB_UNTOLD] > 0) put_verdict(page, "untold", "not told");
    } else if (held == told) {
        put_verdict(page, "holds", "✓ holds");
    } else if (held == 0) {
        put_verdict(page, "fails", "✗ does not hold");
    } else {
        char text[64];
        snprintf(text, sizeof text, "◐ holds for %zu of %zu", held, told);
        put_verdict(page, "part", text);
    }
    fputs("</td>", page);
}

static void put_overview(FILE *page, const sc_lab_options *options, const sc_lab_claims *claims)
{
    size_t count = 0;
    const sc_lab_statement *statements = sc__statements(&count);
    const bool has_more = has_claims_of_no_map(claims);
    fputs("<div class=\"wide\"><table><caption>The statements that they consist of. "
          "“Holds for 2 of 4”: for two of the four methods it is said of.</caption>\n"
          "<thead><tr><th scope=\"col\">Claim</th><th scope=\"col\" class=\"words\">In words</th>",
          page);
    put_map_columns(page, options, has_more);
    for (size_t i = 0; i < count; i++) {
        fprintf(page, "<tr><th scope=\"row\"><a href=\"#claim-%c\">%s</a></th><td>%s</td>",
                statements[i].id[0], statements[i].id, statements[i].text);
        for (uint32_t map = 0; map < options->map_count; map++) {
            put_outcome(page, claims, &statements[i], map);
        }
        if (has_more) put_outcome(page, claims, &statements[i], SC_NONE);
        fputs("</tr>\n", page);
    }
    fputs("</tbody></table></div>\n", page);
}

// --- One by one --------------------------------------------------------------------------

static void put_claim(FILE *page, const sc_lab_options *options, const sc_lab_claim *claim)
{
    fprintf(page, "<tr><th scope=\"row\">%s</th><td>", claim->statement->id);
    sc__html_text(page, claim->map == SC_NONE ? "all" : options->maps[claim->map].name);
    fputs("</td><td>", page);
    sc__html_text(page, claim->who);
    fputs("</td><td>", page);
    put_verdict(page, class_of(claim->verdict), sc__verdict_text(claim->verdict));
    fputs("</td><td>", page);
    sc__html_text(page, claim->found);
    fputs("</td></tr>\n", page);
}

static void put_details(FILE *page, const sc_lab_options *options, const sc_lab_claims *claims,
                        size_t number)
{
    const sc_lab_tally tally = sc__paper_claim_total(claims, number);
    fprintf(
        page,
        "<details id=\"claim-%zu\"><summary>Claim %zu: %s — %zu hold, %zu do not, %zu not told"
        "</summary>\n<div class=\"wide\"><table><caption>Claim %zu in numbers</caption>\n<thead>"
        "<tr><th scope=\"col\">Part</th><th scope=\"col\">Map</th><th scope=\"col\">Methods</th>"
        "<th scope=\"col\">Verdict</th><th scope=\"col\">Found</th></tr></thead>\n<tbody>\n",
        number + 1, number + 1, sc__paper_claim_title(number), tally.by_verdict[SC_LAB_HOLDS],
        tally.by_verdict[SC_LAB_FAILS], tally.by_verdict[SC_LAB_UNTOLD], number + 1);
    for (size_t i = 0; i < claims->count; i++) {
        const sc_lab_claim *claim = &claims->all[i];
        if (sc__is_of_paper_claim(claim, number)) put_claim(page, options, claim);
    }
    fputs("</tbody></table></div></details>\n", page);
}

static void put_rules(FILE *page, bool is_closed)
{
    fputs("<h3>How they are judged</h3>\n<ul>\n", page);
    for (size_t i = 0; i < sc__claim_rule_count(); i++) {
        fputs("<li>", page);
        sc__html_text(page, sc__claim_rule(i, is_closed));
        fputs("</li>\n", page);
    }
    fputs("</ul>\n", page);
}

void sc__report_put_claims(FILE *page, const sc_lab_findings *findings)
{
    const sc_lab_claims *claims = findings->claims;
    const sc_lab_options *options = findings->results->options;
    fputs("<section aria-labelledby=\"claims\">\n<h2 id=\"claims\">The paper’s claims</h2>\n"
          "<div class=\"tiles\">",
          page);
    const sc_lab_tally wholes = sc__paper_claims_by_verdict(claims);
    static const char *const texts[] = {[SC_LAB_HOLDS] = "hold",
                                        [SC_LAB_FAILS] = "do not hold",
                                        [SC_LAB_UNTOLD] = "cannot be told"};
    for (sc_lab_verdict verdict = SC_LAB_HOLDS; verdict <= SC_LAB_UNTOLD; verdict++) {
        fprintf(page, "<p class=\"%s\"><strong>%zu</strong> %s</p>", class_of(verdict),
                wholes.by_verdict[verdict], texts[verdict]);
    }
    fputs(
        "</div>\n<p>The claims of the paper’s evaluation, taken apart into statements that numbers "
        "decide, each judged on every map and for every method it is about "
        "(<a href=\"claims.csv\">claims.csv</a>). A claim holds if all of its statements that can "
        "be told do; one that does not hold is reported as such.</p>\n",
        page);
    put_wholes(page, options, claims);
    fputs("<h3>Statement by statement</h3>\n", page);
    put_overview(page, options, claims);
    fputs("<h3>In numbers</h3>\n", page);
    for (size_t i = 0; i < SC_LAB_PAPER_CLAIMS; i++) {
        put_details(page, options, claims, i);
    }
    put_rules(page, options->is_closed);
    fputs("</section>\n", page);
}
