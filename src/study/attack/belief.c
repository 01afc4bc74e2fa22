// Linkabilities, their entropy, and the jackknife over batches.
//
// The estimate is a function of the sum of all rows: linkabilities are the sum's shares, and the
// entropy is theirs. Neither is a mean, so the spread of the rows does not tell the error of the
// estimate. Leaving out one row in turn does: with n rows, the estimates without one have 1/(n-1)
// of the variance that the whole estimate has, and 1/(n-1) more of its bias.
//
// 1. Whatever the rows, no number that comes out is NaN: a sum of nothing has the prior's shares,
//    for all rows and for all but one alike. So what rests on a single row has a large error. Of
//    the bias such a jump tells nothing, and it is left out there.
// 2. Rows are taken in units of their largest number, so that neither huge nor tiny ones are lost.
// 3. The time is O(rows * places): a row is left out by taking it off the sum.
#include "attack/belief.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

double sc__entropy(const double *p, size_t count)
{
    double entropy = 0;
    for (size_t i = 0; i < count; i++) {
        if (p[i] > 0) entropy -= p[i] * log2(p[i]);
    }
    // Rounding may lead a little beyond what is possible.
    return count > 1 ? fmin(fmax(entropy, 0), log2((double)count)) : 0;
}

double sc__entropy_normalised(double entropy, size_t count)
{
    return count > 1 ? fmin(entropy / log2((double)count), 1) : 0;
}

void sc_posterior_fini(sc_posterior *posterior)
{
    sc_free(posterior->links);
    *posterior = (sc_posterior){0};
}

// --- Estimates without one row -------------------------------------------------------------

/** Mean and squared distances from it, of values that come one after the other (Welford). */
typedef struct spread {
    size_t count;
    double mean;
    double squares;
} spread;

static void spread_add(spread *s, double value)
{
    const double off = value - s->mean;
    s->count++;
    s->mean += off / (double)s->count;
    s->squares += off * (value - s->mean);
}

/** The standard error of an estimate, by the spread of those without one row. */
static double jackknife_error(const spread *s)
{
    const double n = (double)s->count;
    return sqrt(s->squares * (n - 1) / n);
}

// --- All of it -----------------------------------------------------------------------------

/** What the estimates are made in. */
typedef struct workshop {
    const sc__likelihoods *likelihoods;
    const double *prior;
    double unit;    ///< the largest number of all rows; 1 if they are all zero
    double *sums;   ///< of all rows, in that unit
    double *p;      ///< the shares of the sums, then of those without a row
    spread *links;  ///< by place, over the rows left out
    spread normalised;
    double drift;  ///< of the normalised entropy, from that of all rows; summed over those left out
} workshop;

static bool open_workshop(workshop *w, const sc__likelihoods *likelihoods, const double *prior)
{
    const size_t places = likelihoods->place_count;
    *w = (workshop){
        .likelihoods = likelihoods,
        .prior = prior,
        .sums = sc_calloc(places, sizeof *w->sums),
        .p = sc_calloc(places, sizeof *w->p),
        .links = sc_calloc(places, sizeof *w->links),
    };
    return w->sums && w->p && w->links;
}

static void close_workshop(workshop *w)
{
    sc_free(w->sums);
    sc_free(w->p);
    sc_free(w->links);
}

static void sum_rows(workshop *w)
{
    const size_t places = w->likelihoods->place_count;
    const size_t count = w->likelihoods->batch_count * places;
    const double *rows = w->likelihoods->rows;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, rows[i]);
    }
    w->unit = largest > 0 ? largest : 1;
    for (size_t i = 0; i < count; i++) {
        w->sums[i % places] += rows[i] / w->unit;
    }
}

/** Turn `p` into its shares; into the prior, and say false, if it is nothing. */
static bool normalise(double *p, const double *prior, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += p[i];
    }
    for (size_t i = 0; i < count; i++) {
        p[i] = sum > 0 ? p[i] / sum : prior[i];
    }
    return sum > 0;
}

static void leave_out(workshop *w, size_t batch, double normalised_entropy)
{
    const size_t places = w->likelihoods->place_count;
    const double *row = w->likelihoods->rows + batch * places;
    for (size_t i = 0; i < places; i++) {
        w->p[i] = fmax(w->sums[i] - row[i] / w->unit, 0);
    }
    const bool is_something = normalise(w->p, w->prior, places);
    for (size_t i = 0; i < places; i++) {
        spread_add(&w->links[i], w->p[i]);
    }
    const double without = sc__entropy_normalised(sc__entropy(w->p, places), places);
    spread_add(&w->normalised, without);
    if (is_something) w->drift += without - normalised_entropy;
}

static void estimate(workshop *w, const sc_seg_id *segments, sc_posterior *out)
{
    const size_t places = w->likelihoods->place_count;
    if (places > 0) memcpy(w->p, w->sums, places * sizeof *w->p);
    out->is_unexplained = !normalise(w->p, w->prior, places);
    out->entropy = sc__entropy(w->p, places);
    out->normalised_entropy = sc__entropy_normalised(out->entropy, places);
    out->effective = fmin(exp2(out->entropy), (double)places);
    for (size_t i = 0; i < places; i++) {
        out->links[i] = (sc_link){.segment = segments[i], .linkability = w->p[i]};
        out->ruled_out += w->p[i] == 0;
    }
}

static void judge(workshop *w, sc_posterior *out)
{
    const size_t batches = w->likelihoods->batch_count;
    if (batches < 2) return;
    for (size_t batch = 0; batch < batches; batch++) {
        leave_out(w, batch, out->normalised_entropy);
    }
    for (size_t i = 0; i < out->link_count; i++) {
        out->links[i].error = jackknife_error(&w->links[i]);
    }
    out->normalised_error = jackknife_error(&w->normalised);
    out->normalised_bias = w->drift * (double)(batches - 1) / (double)batches;
}

sc_err sc__posterior_init(sc_posterior *out, const sc_seg_id *segments,
                          const sc__likelihoods *likelihoods, const double *prior)
{
    sc_posterior posterior = {
        .links = sc_malloc_array(likelihoods->place_count, sizeof *posterior.links),
        .link_count = likelihoods->place_count,
    };
    workshop w;
    if (!open_workshop(&w, likelihoods, prior) || !posterior.links) {
        close_workshop(&w);
        sc_free(posterior.links);
        return SC_ENOMEM;
    }
    sum_rows(&w);
    estimate(&w, segments, &posterior);
    judge(&w, &posterior);
    close_workshop(&w);
    *out = posterior;
    return SC_OK;
}
