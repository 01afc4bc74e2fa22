// Checks of a provider's replies to sound messages: by themselves, against the map, against a plain
// evaluation, and against each other.
//
// Replies are compared by what the provider calls its objects and by their costs. Of objects that
// are equally far any may come first, and any may be the last of k.
#include "conformance/conformance_internal.h"

#include "base/alloc.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

/** The whole map is a cloak, too, but not one of a country. */
enum { WHOLE_MAP_MAX = 2000 };

/** Requests at the same time. */
enum { AT_ONCE = 8 };

// --- Lists --------------------------------------------------------------------------------------

static uint64_t identity_of(const sc_reply *reply, uint32_t object)
{
    const sc_object_table *table = &reply->table;
    char number[16];
    const char *key = number;
    if (table->keys) {
        key = table->strings + table->keys[object];
    } else {
        snprintf(number, sizeof number, "%lu", (unsigned long)object);
    }
    return XXH3_64bits(key, strlen(key));
}

static sc_err put(sc__probe_list *list, sc__probe_entry entry)
{
    if (!sc_grow(&list->entries, list->count, &list->capacity, sizeof *list->entries)) {
        return SC_ENOMEM;
    }
    list->entries[list->count++] = entry;
    return SC_OK;
}

/** The list of border node `b` for request `r`, in the order in which it was sent. */
static sc_err take_list(const sc_reply *reply, size_t r, size_t b, sc_metric metric,
                        sc__probe_list *out)
{
    const sc_metric other = metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    const size_t list = r * reply->border_node_count + b;
    out->count = 0;
    sc_err err = SC_OK;
    for (size_t i = reply->near_start[list]; i < reply->near_start[list + 1] && !err; i++) {
        const sc_near *near = &reply->nears[i];
        err = put(out, (sc__probe_entry){identity_of(reply, near->object),
                                         sc_near_cost(near, metric), sc_near_cost(near, other)});
    }
    return err;
}

static int compare_identities(const void *a, const void *b)
{
    const uint64_t x = ((const sc__probe_entry *)a)->identity;
    const uint64_t y = ((const sc__probe_entry *)b)->identity;
    return (x > y) - (x < y);
}

/** The objects on the segments for request `r`, by identity. */
static sc_err take_runs(const sc_reply *reply, size_t r, sc__probe_list *out)
{
    out->count = 0;
    sc_err err = SC_OK;
    for (size_t i = reply->run_start[r]; i < reply->run_start[r + 1]; i++) {
        for (uint32_t j = 0; j < reply->runs[i].count && !err; j++) {
            const uint32_t object = reply->runs[i].first + j;
            err = put(out, (sc__probe_entry){.identity = identity_of(reply, object)});
        }
    }
    if (!err && out->count > 0) {
        qsort(out->entries, out->count, sizeof *out->entries, compare_identities);
    }
    return err;
}

/** How far two costs may be apart and still be the same. */
static double tolerance(const sc__probe *probe, sc_metric metric, double cost)
{
    const sc_map *map = probe->options->map;
    const double unit = metric == SC_METRIC_TIME ? sc_map_time_unit_s(map) : sc_map_unit_m(map);
    const double elsewhere = metric == SC_METRIC_TIME ? 72.0 : 100.0;
    const double slack = probe->options->slack;
    return 2.0 * unit + slack * elsewhere + (1e-9 + slack) * cost;
}

// --- Words --------------------------------------------------------------------------------------

typedef struct place_words {
    char text[200];
} place_words;

static const char *unit_of(sc_metric metric)
{
    return metric == SC_METRIC_TIME ? "s" : "m";
}

/** "cloak 3, the 5 nearest by time": cloaks are counted from 1. */
static place_words words_of(size_t cloak, const sc_request *request)
{
    char what[96];
    if (request->type == SC_REQUEST_KNN) {
        snprintf(what, sizeof what, "the %lu nearest by %s", (unsigned long)request->k,
                 sc_metric_name(request->metric));
    } else {
        snprintf(what, sizeof what, "all within %.3f %s",
                 request->metric == SC_METRIC_TIME ? request->radius_s : request->radius_m,
                 unit_of(request->metric));
    }
    place_words words;
    snprintf(words.text, sizeof words.text, "cloak %zu, %s%s", cloak + 1, what,
             request->category_count > 0 ? " of some categories" : "");
    return words;
}

// --- Comparing ----------------------------------------------------------------------------------

/** Two answers to one request, and what the finding calls them. */
typedef struct comparison {
    const sc_reply *got;
    size_t got_request;
    const sc_reply *wanted;
    size_t wanted_request;
    const sc_request *request;
    const char *other;  ///< what `wanted` is: "a plain evaluation"
    size_t cloak;
} comparison;

static const sc__probe_entry *find_entry(const sc__probe_list *list, uint64_t identity)
{
    for (size_t i = 0; i < list->count; i++) {
        if (list->entries[i].identity == identity) return &list->entries[i];
    }
    return NULL;
}

/** Compare left, what came, with right. */
static sc_err compare_lists(const sc__probe *probe, const comparison *c, size_t b,
                            sc_finding *finding)
{
    const sc__probe_list *left = &probe->left;
    const sc__probe_list *right = &probe->right;
    const sc_metric metric = c->request->metric;
    const sc_metric second = metric == SC_METRIC_TIME ? SC_METRIC_DISTANCE : SC_METRIC_TIME;
    const place_words words = words_of(c->cloak, c->request);
    if (left->count != right->count) {
        return sc__finding_fails(finding,
                                 "%s, border node b%zu: %zu objects came; by %s there are %zu",
                                 words.text, b, left->count, c->other, right->count);
    }
    for (size_t i = 0; i < left->count; i++) {
        const double got = left->entries[i].cost;
        const double wanted = right->entries[i].cost;
        if (fabs(got - wanted) <= tolerance(probe, metric, wanted)) continue;
        return sc__finding_fails(
            finding, "%s, border node b%zu: object %zu is %.3f %s away; by %s %.3f %s", words.text,
            b, i + 1, got, unit_of(metric), c->other, wanted, unit_of(metric));
    }
    // What is as far as the last of k may be another object.
    const bool is_knn = c->request->type == SC_REQUEST_KNN;
    const double last = right->count > 0 ? right->entries[right->count - 1].cost : 0.0;
    for (size_t i = 0; i < left->count; i++) {
        const sc__probe_entry *entry = &left->entries[i];
        const sc__probe_entry *same = find_entry(right, entry->identity);
        if (!same) {
            if (is_knn && entry->cost >= last - tolerance(probe, metric, last)) continue;
            return sc__finding_fails(finding,
                                     "%s, border node b%zu: object %zu is not in the list of %s",
                                     words.text, b, i + 1, c->other);
        }
        if (fabs(entry->other - same->other) <= tolerance(probe, second, same->other)) continue;
        return sc__finding_fails(
            finding, "%s, border node b%zu: the way to object %zu has %.3f %s; by %s %.3f %s",
            words.text, b, i + 1, entry->other, unit_of(second), c->other, same->other,
            unit_of(second));
    }
    return SC_OK;
}

static sc_err compare(sc__probe *probe, const comparison *c, sc_finding *finding)
{
    sc_err err = take_runs(c->got, c->got_request, &probe->left);
    if (!err) err = take_runs(c->wanted, c->wanted_request, &probe->right);
    if (err) return err;
    bool is_same = probe->left.count == probe->right.count;
    for (size_t i = 0; i < probe->left.count && is_same; i++) {
        is_same = probe->left.entries[i].identity == probe->right.entries[i].identity;
    }
    if (!is_same) {
        return sc__finding_fails(finding, "%s: %zu objects on the segments; by %s %zu%s",
                                 words_of(c->cloak, c->request).text, probe->left.count, c->other,
                                 probe->right.count,
                                 probe->left.count == probe->right.count ? ", and other ones" : "");
    }
    for (size_t b = 0; b < c->got->border_node_count; b++) {
        err = take_list(c->got, c->got_request, b, c->request->metric, &probe->left);
        if (!err) {
            err = take_list(c->wanted, c->wanted_request, b, c->request->metric, &probe->right);
        }
        if (!err) err = compare_lists(probe, c, b, finding);
        if (err || finding->verdict != SC_VERDICT_PASS) return err;
    }
    return SC_OK;
}

/** Compare all requests of a cloak, which both answer in the same order. */
static sc_err compare_all(sc__probe *probe, size_t cloak, const sc_reply *got,
                          const sc_reply *wanted, const char *other, sc_finding *finding)
{
    sc_err err = SC_OK;
    for (size_t r = 0; r < probe->request_count && !err && !finding->verdict; r++) {
        err = compare(probe, &(comparison){got, r, wanted, r, &probe->requests[r], other, cloak},
                      finding);
    }
    return err;
}

/** The replies that came first, or why there are none. */
static const sc_reply *first_replies(const sc__probe *probe, sc_finding *finding)
{
    const sc_encoding encoding = probe->codec.encoding;
    if (probe->has_replies[encoding]) return probe->replies[encoding];
    sc__finding_skips(finding, "there are no replies to look at");
    return NULL;
}

// --- Each reply by itself -----------------------------------------------------------------------

static sc_err check_answered(sc__probe *probe, sc_finding *finding)
{
    const sc_encoding encoding = probe->codec.encoding;
    for (size_t i = 0; i < probe->cloak_count && !finding->verdict; i++) {
        const sc_relay relay =
            sc__probe_relay(probe, &probe->cloaks[i], probe->requests, probe->request_count);
        const sc_err err = sc__probe_ask(probe, &relay, &probe->replies[encoding][i], finding);
        if (err) return err;
        if (!finding->verdict) continue;
        char found[sizeof finding->found];
        memcpy(found, finding->found, sizeof found);
        return sc__finding_fails(finding, "cloak %zu: %.480s", i + 1, found);
    }
    probe->has_replies[encoding] = true;
    return SC_OK;
}

static sc_err check_media_type(sc__probe *probe, sc_finding *finding)
{
    const char *wanted = sc_encoding_media_type(probe->codec.encoding);
    const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[0], probe->requests, 1);
    sc_bytes message = {.data = NULL};
    sc_err err = sc_relay_encode(&probe->codec, &relay, &message, NULL);
    if (!err) {
        sc__probe_answer answer;
        sc__probe_post(probe, wanted, message.data, message.size, &answer);
        if (answer.status != 200) {
            sc__finding_fails(finding, "%s", sc__probe_answer_words(&answer).text);
        } else if (!sc_encoding_is_media_type(probe->codec.encoding, answer.type) ||
                   !strstr(answer.type, "version")) {
            sc__finding_fails(finding, "the reply's Content-Type is '%.100s'", answer.type);
        }
        sc__probe_answer_fini(&answer);
    }
    sc_bytes_fini(&message);
    return err;
}

static sc_err check_believable(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    for (size_t i = 0; replies && i < probe->cloak_count && !finding->verdict; i++) {
        const sc_relay relay =
            sc__probe_relay(probe, &probe->cloaks[i], probe->requests, probe->request_count);
        sc_diag diag = {.message = ""};
        const sc_err err = sc_filter_open(probe->filter, &relay, &replies[i], &diag);
        if (err == SC_ENOMEM) return err;
        if (err) sc__finding_fails(finding, "cloak %zu: %s", i + 1, diag.message);
        sc_filter_forget(probe->filter);
    }
    return SC_OK;
}

static sc_err check_exact(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    if (!replies) return SC_OK;
    if (!probe->lbs) {
        return sc__finding_skips(finding, "the provider's objects are not known here; give them "
                                          "with --objects to have them compared");
    }
    if (probe->options->slack > 0.0) {
        return sc__finding_skips(finding, "the provider has another map (--slack)");
    }
    sc_reply wanted;
    sc_reply_init(&wanted);
    sc_err err = SC_OK;
    for (size_t i = 0; i < probe->cloak_count && !err && !finding->verdict; i++) {
        const sc_relay relay =
            sc__probe_relay(probe, &probe->cloaks[i], probe->requests, probe->request_count);
        err = sc_lbs_evaluate(probe->lbs, probe->options->objects, &relay, &wanted, NULL);
        if (!err) err = compare_all(probe, i, &replies[i], &wanted, "a plain evaluation", finding);
    }
    sc_reply_fini(&wanted);
    return err;
}

// --- Replies against each other -----------------------------------------------------------------

/** Ask about each cloak with `requests`, and let `judge` look at the reply. */
static sc_err ask_each(sc__probe *probe, const sc_request *requests, size_t count,
                       sc_err (*judge)(sc__probe *, size_t, const sc_request *, const sc_reply *,
                                       sc_finding *),
                       sc_finding *finding)
{
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = SC_OK;
    for (size_t i = 0; i < probe->cloak_count && !err && !finding->verdict; i++) {
        const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[i], requests, count);
        err = sc__probe_ask(probe, &relay, &reply, finding);
        if (!err && !finding->verdict) err = judge(probe, i, requests, &reply, finding);
    }
    sc_reply_fini(&reply);
    return err;
}

/** Whether left begins with right, by cost. */
static bool begins_with(const sc__probe *probe, sc_metric metric)
{
    const sc__probe_list *left = &probe->left;
    const sc__probe_list *right = &probe->right;
    if (left->count < right->count) return false;
    for (size_t i = 0; i < right->count; i++) {
        const double wanted = right->entries[i].cost;
        if (fabs(left->entries[i].cost - wanted) > tolerance(probe, metric, wanted)) return false;
    }
    return true;
}

static sc_err judge_more(sc__probe *probe, size_t cloak, const sc_request *requests,
                         const sc_reply *reply, sc_finding *finding)
{
    sc_err err = SC_OK;
    for (size_t b = 0; b < reply->border_node_count && !err && !finding->verdict; b++) {
        err = take_list(reply, 0, b, requests[0].metric, &probe->right);
        if (!err) err = take_list(reply, 1, b, requests[1].metric, &probe->left);
        if (err || begins_with(probe, requests[0].metric)) continue;
        sc__finding_fails(finding,
                          "cloak %zu, border node b%zu: the %lu nearest do not begin as "
                          "the %lu nearest do",
                          cloak + 1, b, (unsigned long)requests[1].k, (unsigned long)requests[0].k);
    }
    return err;
}

static sc_err check_more(sc__probe *probe, sc_finding *finding)
{
    const sc_request requests[] = {{.type = SC_REQUEST_KNN, .k = 3},
                                   {.type = SC_REQUEST_KNN, .k = 7}};
    return ask_each(probe, requests, 2, judge_more, finding);
}

/** Ask for all as near as the k nearest were: at each border node these must come again. */
static sc_err check_range_of(sc__probe *probe, size_t cloak, const sc_request *nearest,
                             const sc_reply *reply, sc_finding *finding)
{
    double radius = 0.0;
    for (size_t b = 0; b < reply->border_node_count && radius <= 0.0; b++) {
        const size_t end = reply->near_start[b + 1];
        if (end > reply->near_start[b])
            radius = sc_near_cost(&reply->nears[end - 1], nearest->metric);
    }
    const bool is_time = nearest->metric == SC_METRIC_TIME;
    // A little more, so that rounding leaves out none.
    radius += tolerance(probe, nearest->metric, radius);
    sc_request range = {.type = SC_REQUEST_RANGE, .metric = nearest->metric};
    *(is_time ? &range.radius_s : &range.radius_m) = radius;
    const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[cloak], &range, 1);
    sc_reply within;
    sc_reply_init(&within);
    sc_err err = sc__probe_ask(probe, &relay, &within, finding);
    for (size_t b = 0; b < reply->border_node_count && !err && !finding->verdict; b++) {
        err = take_list(reply, 0, b, nearest->metric, &probe->right);
        if (!err) err = take_list(&within, 0, b, nearest->metric, &probe->left);
        if (err) break;
        sc__probe_list *right = &probe->right;
        const bool is_all = right->count < nearest->k;  // there are no more
        const double rim = tolerance(probe, nearest->metric, radius);
        while (right->count > 0 && right->entries[right->count - 1].cost > radius - rim) {
            right->count--;
        }
        const bool has_rim = is_all && probe->left.count > 0 &&
                             probe->left.entries[probe->left.count - 1].cost > radius - rim;
        if (begins_with(probe, nearest->metric) &&
            (!is_all || has_rim || probe->left.count == right->count)) {
            continue;
        }
        sc__finding_fails(
            finding,
            "cloak %zu, border node b%zu: within %.3f %s there are other objects than "
            "among the %lu nearest that are as near",
            cloak + 1, b, radius, unit_of(nearest->metric), (unsigned long)nearest->k);
    }
    sc_reply_fini(&within);
    return err;
}

static sc_err check_ranges(sc__probe *probe, sc_finding *finding)
{
    sc_err err = SC_OK;
    for (unsigned metric = 0; metric < SC_METRIC_COUNT && !err && !finding->verdict; metric++) {
        const sc_request nearest = {.type = SC_REQUEST_KNN, .k = 5, .metric = (sc_metric)metric};
        err = ask_each(probe, &nearest, 1, check_range_of, finding);
    }
    return err;
}

static int compare_costs(const void *a, const void *b)
{
    const double x = ((const sc__probe_entry *)a)->cost;
    const double y = ((const sc__probe_entry *)b)->cost;
    return (x > y) - (x < y);
}

/** Requests 0 and 1 are for one category each, request 2 for both. */
static sc_err judge_categories(sc__probe *probe, size_t cloak, const sc_request *requests,
                               const sc_reply *reply, sc_finding *finding)
{
    sc_err err = SC_OK;
    for (size_t b = 0; b < reply->border_node_count && !err && !finding->verdict; b++) {
        err = take_list(reply, 1, b, requests->metric, &probe->right);
        if (!err) err = take_list(reply, 0, b, requests->metric, &probe->left);
        for (size_t i = 0; i < probe->right.count && !err; i++) {
            err = put(&probe->left, probe->right.entries[i]);
        }
        if (!err) err = take_list(reply, 2, b, requests->metric, &probe->right);
        if (err) break;
        if (probe->left.count > 0) {
            qsort(probe->left.entries, probe->left.count, sizeof *probe->left.entries,
                  compare_costs);
        }
        if (probe->left.count == probe->right.count && begins_with(probe, requests->metric)) {
            continue;
        }
        sc__finding_fails(
            finding,
            "cloak %zu, border node b%zu: %zu objects of two categories together, and "
            "%zu of each apart",
            cloak + 1, b, probe->right.count, probe->left.count);
    }
    return err;
}

static sc_err check_categories(sc__probe *probe, sc_finding *finding)
{
    if (probe->categories[1] == SC_NONE) {
        return sc__finding_skips(finding, "fewer than two categories are known; name some with "
                                          "--categories");
    }
    sc_request requests[3] = {
        {.type = SC_REQUEST_RANGE, .radius_m = 1000.0, .category_count = 1},
        {.type = SC_REQUEST_RANGE, .radius_m = 1000.0, .category_count = 1},
        {.type = SC_REQUEST_RANGE, .radius_m = 1000.0, .category_count = 2},
    };
    for (size_t i = 0; i < 2; i++) {
        requests[i].categories[0] = probe->categories[i];
        requests[2].categories[i] = probe->categories[i];
    }
    requests[2] = sc_request_normalise(&requests[2]);
    return ask_each(probe, requests, 3, judge_categories, finding);
}

/** Request 0 is by distance, request 1 by time. */
static sc_err judge_metrics(sc__probe *probe, size_t cloak, const sc_request *requests,
                            const sc_reply *reply, sc_finding *finding)
{
    (void)requests;
    sc_err err = SC_OK;
    for (size_t b = 0; b < reply->border_node_count && !err && !finding->verdict; b++) {
        err = take_list(reply, 0, b, SC_METRIC_DISTANCE, &probe->left);
        if (!err) err = take_list(reply, 1, b, SC_METRIC_TIME, &probe->right);
        for (size_t i = 0; i < probe->left.count && !err; i++) {
            const sc__probe_entry *shortest = &probe->left.entries[i];
            const sc__probe_entry *soonest = find_entry(&probe->right, shortest->identity);
            if (!soonest) continue;
            if (shortest->cost <=
                    soonest->other + tolerance(probe, SC_METRIC_DISTANCE, soonest->other) &&
                soonest->cost <=
                    shortest->other + tolerance(probe, SC_METRIC_TIME, shortest->other)) {
                continue;
            }
            return sc__finding_fails(
                finding,
                "cloak %zu, border node b%zu: to one object the shortest way has %.3f m and %.3f "
                "s, and the fastest %.3f m and %.3f s",
                cloak + 1, b, shortest->cost, shortest->other, soonest->other, soonest->cost);
        }
    }
    return err;
}

static sc_err check_metrics(sc__probe *probe, sc_finding *finding)
{
    const sc_request requests[] = {
        {.type = SC_REQUEST_KNN, .k = 5},
        {.type = SC_REQUEST_KNN, .k = 5, .metric = SC_METRIC_TIME},
    };
    return ask_each(probe, requests, 2, judge_metrics, finding);
}

// --- One request or several, once or again ------------------------------------------------------

static sc_err check_alone(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = SC_OK;
    for (size_t i = 0; replies && i < probe->cloak_count; i++) {
        for (size_t r = 0; r < probe->request_count && !err && !finding->verdict; r++) {
            const sc_request *request = &probe->requests[r];
            const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[i], request, 1);
            err = sc__probe_ask(probe, &relay, &reply, finding);
            if (err || finding->verdict) break;
            err = compare(probe,
                          &(comparison){&reply, 0, &replies[i], r, request,
                                        "the same request among others", i},
                          finding);
        }
    }
    sc_reply_fini(&reply);
    return err;
}

static sc_err check_order(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    sc_request reversed[SC__PROBE_REQUESTS];
    const size_t count = probe->request_count;
    for (size_t r = 0; r < count; r++) {
        reversed[r] = probe->requests[count - 1 - r];
    }
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = SC_OK;
    for (size_t i = 0; replies && i < probe->cloak_count && !err && !finding->verdict; i++) {
        const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[i], reversed, count);
        err = sc__probe_ask(probe, &relay, &reply, finding);
        for (size_t r = 0; r < count && !err && !finding->verdict; r++) {
            err = compare(probe,
                          &(comparison){&reply, r, &replies[i], count - 1 - r, &reversed[r],
                                        "the same request in another order", i},
                          finding);
        }
    }
    sc_reply_fini(&reply);
    return err;
}

static sc_err check_again(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = SC_OK;
    for (size_t i = probe->cloak_count; replies && i-- > 0 && !err && !finding->verdict;) {
        const sc_relay relay =
            sc__probe_relay(probe, &probe->cloaks[i], probe->requests, probe->request_count);
        err = sc__probe_ask(probe, &relay, &reply, finding);
        if (err || finding->verdict) break;
        err = compare_all(probe, i, &reply, &replies[i], "the first reply", finding);
    }
    sc_reply_fini(&reply);
    return err;
}

/** Messages that are sent at the same time, and their answers. */
typedef struct crowd {
    const sc__probe *probe;
    sc_bytes messages[AT_ONCE];
    sc__probe_answer answers[AT_ONCE];
} crowd;

static sc_err post_one(void *context, unsigned thread, size_t item, const atomic_bool *is_over)
{
    (void)thread, (void)is_over;
    crowd *all = context;
    sc__probe_post(all->probe, sc_encoding_media_type(all->probe->codec.encoding),
                   all->messages[item].data, all->messages[item].size, &all->answers[item]);
    return SC_OK;
}

static sc_err judge_crowd(sc__probe *probe, const crowd *all, const sc_reply *replies,
                          sc_finding *finding)
{
    sc_reply reply;
    sc_reply_init(&reply);
    sc_err err = SC_OK;
    for (size_t i = 0; i < AT_ONCE && !err && !finding->verdict; i++) {
        const size_t cloak = i % probe->cloak_count;
        const sc__probe_answer *answer = &all->answers[i];
        const sc_relay relay =
            sc__probe_relay(probe, &probe->cloaks[cloak], probe->requests, probe->request_count);
        // One that is too busy may say so.
        if (answer->status == 429 || answer->status == 503) continue;
        if (answer->status != 200) {
            sc__finding_fails(finding, "of %d at once, one was answered with %s", (int)AT_ONCE,
                              sc__probe_answer_words(answer).text);
            break;
        }
        sc_diag diag = {.message = ""};
        err = sc_reply_decode(&probe->codec, &relay, answer->body.data, answer->body.size, &reply,
                              &diag);
        if (err && err != SC_ENOMEM) {
            err = sc__finding_fails(finding, "of %d at once: %s", (int)AT_ONCE, diag.message);
            break;
        }
        if (!err)
            err = compare_all(probe, cloak, &reply, &replies[cloak], "the first reply", finding);
    }
    sc_reply_fini(&reply);
    return err;
}

static sc_err check_at_once(sc__probe *probe, sc_finding *finding)
{
    const sc_reply *replies = first_replies(probe, finding);
    if (!replies) return SC_OK;
    crowd all = {.probe = probe};
    sc_err err = SC_OK;
    for (size_t i = 0; i < AT_ONCE && !err; i++) {
        const sc_relay relay = sc__probe_relay(probe, &probe->cloaks[i % probe->cloak_count],
                                               probe->requests, probe->request_count);
        err = sc_relay_encode(&probe->codec, &relay, &all.messages[i], NULL);
    }
    const sc_parallel work = {.item_count = AT_ONCE, .run = post_one, .context = &all};
    if (!err) err = sc_parallel_run(&work, AT_ONCE);
    if (!err) err = judge_crowd(probe, &all, replies, finding);
    for (size_t i = 0; i < AT_ONCE; i++) {
        sc_bytes_fini(&all.messages[i]);
        sc__probe_answer_fini(&all.answers[i]);
    }
    return err;
}

// --- Odd cloaks ---------------------------------------------------------------------------------

/** Ask about one cloak with all requests, and compare with a plain evaluation, if there is one. */
static sc_err check_cloak(sc__probe *probe, const sc__probe_cloak *cloak, sc_finding *finding)
{
    const sc_relay relay = sc__probe_relay(probe, cloak, probe->requests, probe->request_count);
    sc_reply reply;
    sc_reply wanted;
    sc_reply_init(&reply);
    sc_reply_init(&wanted);
    sc_diag diag = {.message = ""};
    sc_err err = sc__probe_ask(probe, &relay, &reply, finding);
    if (!err && !finding->verdict) {
        err = sc_filter_open(probe->filter, &relay, &reply, &diag);
        if (err && err != SC_ENOMEM) err = sc__finding_fails(finding, "%s", diag.message);
        sc_filter_forget(probe->filter);
    }
    if (!err && !finding->verdict && probe->lbs && probe->options->slack <= 0.0) {
        err = sc_lbs_evaluate(probe->lbs, probe->options->objects, &relay, &wanted, NULL);
        if (!err) err = compare_all(probe, 0, &reply, &wanted, "a plain evaluation", finding);
    }
    sc_reply_fini(&wanted);
    sc_reply_fini(&reply);
    return err;
}

static sc_err check_one_segment(sc__probe *probe, sc_finding *finding)
{
    sc__probe_cloak cloak;
    const sc_seg_id segment = probe->cloaks[0].segments[0];
    sc_err err = sc__probe_cloak_init(probe->options->map, &segment, 1, &cloak);
    if (!err) {
        err = check_cloak(probe, &cloak, finding);
        sc__probe_cloak_fini(&cloak);
    }
    return err;
}

static sc_err check_whole_map(sc__probe *probe, sc_finding *finding)
{
    const uint32_t count = sc_map_segment_count(probe->options->map);
    if (count > WHOLE_MAP_MAX) {
        return sc__finding_skips(finding, "the map has more than %d segments", (int)WHOLE_MAP_MAX);
    }
    sc_seg_id *segments = sc_malloc_array(count, sizeof *segments);
    if (!segments) return SC_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        segments[i] = i;
    }
    sc__probe_cloak cloak;
    sc_err err = sc__probe_cloak_init(probe->options->map, segments, count, &cloak);
    if (!err) {
        err = check_cloak(probe, &cloak, finding);
        sc__probe_cloak_fini(&cloak);
    }
    sc_free(segments);
    return err;
}

// --- Both encodings -----------------------------------------------------------------------------

sc_err sc__check_encodings_agree(sc__probe *probe, sc_finding *finding)
{
    if (!probe->has_replies[SC_ENCODING_COMPACT] || !probe->has_replies[SC_ENCODING_GEOJSON]) {
        return sc__finding_skips(finding, "only one encoding was answered");
    }
    sc_err err = SC_OK;
    for (size_t i = 0; i < probe->cloak_count && !err && !finding->verdict; i++) {
        err = compare_all(probe, i, &probe->replies[SC_ENCODING_GEOJSON][i],
                          &probe->replies[SC_ENCODING_COMPACT][i], "the compact reply", finding);
    }
    return err;
}

// --- The table ----------------------------------------------------------------------------------

const sc__check sc__answer_checks[] = {
    {"answered", "every cloak is answered with status 200 and a reply that can be read",
     "look up the status or the sentence in docs/provider-protocol.md; the schema says how a reply "
     "looks",
     check_answered, SC__EITHER},
    {"media-type", "replies have the media type of the request, with its version",
     "set the Content-Type of replies to that of the request: application/geo+json; version=2",
     check_media_type, SC__EITHER},
    {"believable", "replies pass all checks that the service makes",
     "docs/trust.md has the checks: each list nearest first, no object twice, no way shorter than "
     "the road, lists of neighbours in agreement; give all objects on the segments",
     check_believable, SC__EITHER},
    {"exact", "replies are those of a plain evaluation",
     "measure from the border node to the object along open roads, in whole millimetres and "
     "milliseconds; of ways that are equally good, take the least in the other measure",
     check_exact, SC__EITHER},
    {"one-segment", "a cloak of one segment is answered as well",
     "a cloak may have any number of segments, and few border nodes", check_one_segment,
     SC__EITHER},
    {"whole-map", "a cloak of the whole map, without border nodes, is answered as well",
     "a reply without border nodes has the objects on the segments alone", check_whole_map,
     SC__EITHER},
    {"more", "the 7 nearest begin with the 3 nearest", "give the nearest first, and none left out",
     check_more, SC__EITHER},
    {"ranges", "a range has the objects that are as near among the nearest",
     "use the same search for both; the rim of a range is within it", check_ranges, SC__EITHER},
    {"categories", "objects of two categories are those of each, together",
     "a request with several categories wants objects of any of them", check_categories,
     SC__EITHER},
    {"metrics", "the shortest way is the shortest, and the fastest the fastest",
     "both measures of an entry are of one way: the best in the request's metric", check_metrics,
     SC__EITHER},
    {"alone", "a request alone is answered as among others",
     "answer each request by itself, whatever stands beside it", check_alone, SC__EITHER},
    {"order", "answers are in the order of the requests",
     "requests come in random order; answer them in theirs", check_order, SC__EITHER},
    {"again", "the same message gets the same reply again",
     "keep no state between messages: StarCloak may send one again", check_again, SC__EITHER},
    {"at-once", "messages at the same time do not disturb each other",
     "share nothing between requests; say 503 with Retry-After where there are too many",
     check_at_once, SC__EITHER},
};
const size_t sc__answer_check_count = sizeof sc__answer_checks / sizeof sc__answer_checks[0];
