// Over TLS, to the program's own provider: the right one is told and answers; to anyone else not a
// byte of a cloak is sent.
//
// Not for the thread sanitizer: each loop of the server has a table of descriptors of its own, and
// it takes them all for one.
#include "base/clock.h"
#include "courier/courier.h"
#include "provider/provider.h"
#include "support/check.h"
#include "support/errands.h"
#include "support/made_certificates.h"
#include "support/odd_town.h"
#include "support/place.h"

#include <stdio.h>

/** A town, a provider over TLS, and a courier. */
typedef struct scene {
    made_authority *house;   ///< signs for the provider
    made_authority *others;  ///< and for us
    made_certificate server;
    made_certificate client;
    const char *host;  ///< whom the courier believes to ask
    odd_town town;
    sc_provider_options provider_options;
    sc_provider *provider;
    char url[128];
    errand_box box;
    sc_courier_options options;
    sc_courier *courier;
} scene;

static void scene_open(scene *s)
{
    *s = (scene){.house = made_authority_new("House"),
                 .others = made_authority_new("Others"),
                 .host = "127.0.0.1",
                 .town = odd_town_new(13)};
    s->server = made_certificate_new(s->house, "elsewhere.example");  // and for 127.0.0.1
    s->client = made_certificate_new(s->others, "client.example");
    s->provider_options = sc_provider_options_default();
    s->provider_options.objects = s->town.objects;
    s->provider_options.http.loops = 1;
    s->provider_options.http.tls =
        (sc_tls_files){.certificate = s->server.certificate, .key = s->server.key};
    errand_box_init(&s->box);
    s->options = sc_courier_options_default();
    s->options.kind = SC_COURIER_HTTP;
    s->options.ca = made_authority_file(s->house);
    s->options.try_timeout_s = 60.0;
    s->options.back = errand_box_back;
    s->options.context = &s->box;
}

static void start(scene *s)
{
    sc_diag diag = {""};
    const char *const address = "127.0.0.1:0";
    s->provider_options.http.addresses = &address;
    s->provider_options.http.address_count = 1;
    CHECK_OK(sc_provider_new(s->town.map, &s->provider_options, &s->provider, &diag), &diag);
    CHECK_OK(sc_provider_start(s->provider, &diag), &diag);
    const char *port = strrchr(sc_http_address(sc_provider_http(s->provider), 0), ':');
    snprintf(s->url, sizeof s->url, "https://%s%s/", s->host, port);
    s->options.url = s->url;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    CHECK_OK(sc_courier_new(s->town.map, &s->options, &rng, &s->courier, &diag), &diag);
}

static void scene_close(scene *s)
{
    sc_courier_free(s->courier);
    sc_provider_free(s->provider);
    errand_box_fini(&s->box);
    odd_town_free(&s->town);
    made_certificate_free(&s->server);
    made_certificate_free(&s->client);
    made_authority_free(s->house);
    made_authority_free(s->others);
}

static sc_errand *run(scene *s, double seconds)
{
    const size_t before = errand_box_count(&s->box);
    sc_errand *e =
        errand_new(s->town.map, sc_courier_vocabulary(s->courier)->count, &s->town.rng, 3);
    e->deadline_us = sc_clock_us() + (int64_t)(seconds * 1e6);
    e->leave_by_us = e->deadline_us;
    CHECK_OK(sc_courier_send(s->courier, e), NULL);
    errand_box_await(&s->box, before + 1);
    return e;
}

static uint64_t requests_of(const scene *s)
{
    return sc_http_stats_of(sc_provider_http(s->provider)).requests;
}

static void test_a_provider_with_the_right_certificate_answers(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    start(&s);
    for (int i = 0; i < 5; i++) {
        sc_errand *e = run(&s, 60.0);
        errand_check(e, s.town.objects, &s.town.slow);
        errand_free(e);
    }
    assert_int_equal(requests_of(&s), 5);
    // The handshake was made once.
    assert_int_equal(sc_http_stats_of(sc_provider_http(s.provider)).accepted, 1);
    scene_close(&s);
}

static void check_none_is_told(scene *s)
{
    start(s);
    sc_errand *e = run(s, 60.0);
    errand_check_failed(e, SC_FAILURE_UNREACHABLE, "the provider cannot be asked");
    assert_int_equal(e->tries, 1);
    assert_int_equal(requests_of(s), 0);
    errand_free(e);
}

static void test_a_provider_that_no_authority_knows_is_not_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.ca = NULL;  // the system's
    check_none_is_told(&s);
    scene_close(&s);
}

static void test_a_provider_that_another_authority_knows_is_not_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.options.ca = made_authority_file(s.others);
    check_none_is_told(&s);
    scene_close(&s);
}

static void test_a_provider_of_another_name_is_not_told(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.host = "localhost";
    check_none_is_told(&s);
    scene_close(&s);
}

static void test_a_provider_that_wants_to_see_a_certificate_is_shown_ours(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.provider_options.http.tls.client_ca = made_authority_file(s.others);
    s.options.certificate = s.client.certificate;
    s.options.key = s.client.key;
    start(&s);
    sc_errand *e = run(&s, 60.0);
    errand_check(e, s.town.objects, &s.town.slow);
    errand_free(e);
    scene_close(&s);
}

static void test_without_a_certificate_that_it_wants_to_see_a_provider_does_not_answer(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.provider_options.http.tls.client_ca = made_authority_file(s.others);
    start(&s);
    sc_errand *e = run(&s, 0.3);
    assert_int_equal(errand_returns(e), 1);
    // On a slow machine the deadline may come before the handshake has failed, or has begun.
    assert_true(e->failure == SC_FAILURE_UNREACHABLE || e->failure == SC_FAILURE_TIMEOUT ||
                e->failure == SC_FAILURE_UNSENT);
    assert_int_equal(requests_of(&s), 0);
    errand_free(e);
    scene_close(&s);
}

static void renew(scene *s)
{
    sc_courier_files *files = NULL;
    sc_diag diag = {""};
    CHECK_OK(sc_courier_read_files(&s->options, &files, &diag), &diag);
    sc_courier_use_files(s->courier, files);
}

static void test_certificates_that_were_renewed_are_shown_by_new_connections(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    s.provider_options.http.tls.client_ca = made_authority_file(s.house);
    s.options.certificate = s.client.certificate;
    s.options.key = s.client.key;
    start(&s);
    sc_errand *e = run(&s, 0.3);
    assert_int_not_equal(e->failure, SC_FAILURE_NONE);
    errand_free(e);
    // A second set that is read before the first is used takes its place.
    renew(&s);
    made_certificate_renew(&s.client, s.house, "client.example");
    renew(&s);
    for (int i = 0; i < 3; i++) {
        e = run(&s, 60.0);
        errand_check(e, s.town.objects, &s.town.slow);
        errand_free(e);
    }
    assert_int_equal(requests_of(&s), 3);
    // Another time for nothing: it is freed with the courier.
    renew(&s);
    scene_close(&s);
}

static void test_files_that_are_missing_or_empty_are_refused_at_the_start(void **state)
{
    (void)state;
    scene s;
    scene_open(&s);
    start(&s);
    const place files = place_new();
    sc_courier *other = NULL;
    sc_rng rng;
    sc_rng_seed(&rng, 7);
    sc_diag diag = {""};
    sc_courier_options options = s.options;
    options.ca = place_write_text(&files, "nothing.pem", "");
    CHECK_REFUSED(sc_courier_new(s.town.map, &options, &rng, &other, &diag), SC_EIO, &diag,
                  "nothing.pem");
    options.ca = NULL;
    options.certificate = s.client.certificate;
    options.key = place_path(&files, "nowhere.key");
    CHECK_REFUSED(sc_courier_new(s.town.map, &options, &rng, &other, &diag), SC_EIO, &diag,
                  "nowhere.key");
    assert_null(other);
    place_free(&files);
    scene_close(&s);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_a_provider_with_the_right_certificate_answers),
    cmocka_unit_test(test_a_provider_that_no_authority_knows_is_not_told),
    cmocka_unit_test(test_a_provider_that_another_authority_knows_is_not_told),
    cmocka_unit_test(test_a_provider_of_another_name_is_not_told),
    cmocka_unit_test(test_a_provider_that_wants_to_see_a_certificate_is_shown_ours),
    cmocka_unit_test(test_certificates_that_were_renewed_are_shown_by_new_connections),
    cmocka_unit_test(test_without_a_certificate_that_it_wants_to_see_a_provider_does_not_answer),
    cmocka_unit_test(test_files_that_are_missing_or_empty_are_refused_at_the_start),
};
SC_SUITE(tests)
