// Binary HTTP: the RFC's examples, both forms, and everything that is no message.
#include "oblivious/binary_http.h"

#include "support/check.h"
#include "support/oom.h"
#include "vectors.h"

static const char file[] = "binary_http.txt";

static sc_slice text(const char *from)
{
    return (sc_slice){from, strlen(from)};
}

static void check_text(sc_slice got, const char *wanted)
{
    assert_int_equal(got.size, strlen(wanted));
    assert_memory_equal(got.text, wanted, got.size);
}

static void check_field(const sc_bhttp_field *field, const char *name, const char *value)
{
    check_text(field->name, name);
    check_text(field->value, value);
}

static sc_err decode_hex(const char *digits, sc_bhttp_decoded *out)
{
    vector *v = vector_of_hex(digits);
    // In memory of its size, so that the address sanitizer sees a byte read too many.
    uint8_t *bytes = test_take(v->size > 0 ? v->size : 1, 1);
    memcpy(bytes, v->bytes, v->size);
    const sc_err err = sc_bhttp_decode(bytes, v->size, out);
    free(bytes);
    free(v);
    return err;
}

static void check_refused(const char *digits)
{
    sc_bhttp_decoded out = {.message.status = 7};
    const sc_err err = decode_hex(digits, &out);
    if (err != SC_EPARSE) fail_msg("%s: got %d", digits, err);
    assert_int_equal(out.message.status, 7);
}

static void check_accepted(const char *digits)
{
    sc_bhttp_decoded out = {0};
    const sc_err err = decode_hex(digits, &out);
    if (err) fail_msg("%s: got %d", digits, err);
    sc_bhttp_decoded_fini(&out);
}

// --- RFC 9292, section 5 -------------------------------------------------------------------------

static void check_example_request(const sc_bhttp_message *m)
{
    assert_true(m->is_request);
    check_text(m->method, "GET");
    check_text(m->scheme, "https");
    check_text(m->authority, "");
    check_text(m->path, "/hello.txt");
    assert_int_equal(m->header_count, 3);
    check_field(&m->headers[0], "user-agent",
                "curl/7.16.3 libcurl/7.16.3 OpenSSL/0.9.7l zlib/1.2.3");
    check_field(&m->headers[1], "host", "www.example.com");
    check_field(&m->headers[2], "accept-language", "en, mi");
    assert_int_equal(m->content_size, 0);
    assert_int_equal(m->trailer_count, 0);
}

/** Reads an example, lets `check` see it, and writes it again: the same bytes, with its padding. */
static void check_example(const char *section, sc_bhttp_form form, size_t padding,
                          void (*check)(const sc_bhttp_message *m))
{
    vector *v = vector_read(file, section, "message");
    sc_bhttp_decoded read = {0};
    assert_int_equal(sc_bhttp_decode(v->bytes, v->size, &read), SC_OK);
    check(&read.message);
    assert_int_equal(sc_bhttp_size(&read.message, form), v->size - padding);
    uint8_t *again = test_take(v->size, 1);
    memset(again, 0xff, v->size);
    assert_int_equal(sc_bhttp_encode(&read.message, form, again, v->size), SC_OK);
    assert_memory_equal(again, v->bytes, v->size);
    free(again);
    sc_bhttp_decoded_fini(&read);
    free(v);
}

static void test_requests_of_the_rfc_are_read_and_written(void **state)
{
    (void)state;
    check_example("request known", SC_BHTTP_KNOWN_LENGTH, 0, check_example_request);
    check_example("request indeterminate", SC_BHTTP_INDETERMINATE_LENGTH, 10,
                  check_example_request);
}

static void check_trailer_response(const sc_bhttp_message *m)
{
    assert_false(m->is_request);
    assert_int_equal(m->status, 200);
    assert_int_equal(m->header_count, 0);
    assert_int_equal(m->content_size, 29);
    assert_memory_equal(m->content, "This content contains CRLF.\r\n", 29);
    assert_int_equal(m->trailer_count, 1);
    check_field(m->trailers, "trailer", "text");
}

static void test_a_response_with_a_trailer_is_read_and_written(void **state)
{
    (void)state;
    check_example("response known", SC_BHTTP_KNOWN_LENGTH, 0, check_trailer_response);
}

static void test_informational_responses_are_passed_over(void **state)
{
    (void)state;
    static const char content[] = "Hello World! My content includes a trailing CRLF.\r\n";
    vector *v = vector_read(file, "response indeterminate", "message");
    sc_bhttp_decoded read = {0};
    assert_int_equal(sc_bhttp_decode(v->bytes, v->size, &read), SC_OK);
    const sc_bhttp_message *m = &read.message;
    assert_int_equal(m->status, 200);
    assert_int_equal(m->header_count, 8);
    check_field(&m->headers[0], "date", "Mon, 27 Jul 2009 12:28:53 GMT");
    check_field(&m->headers[7], "content-type", "text/plain");
    assert_int_equal(m->content_size, strlen(content));
    assert_memory_equal(m->content, content, strlen(content));
    check_text(*sc_bhttp_find(m->headers, m->header_count, "etag"), "\"34aa387-d-1568eb00\"");
    sc_bhttp_decoded_fini(&read);
    free(v);
}

/** The control data of both requests ends here; a message that ends with it has empty sections, as
 * in the example of RFC 9458. */
enum { CONTROL_END = 23 };

/** "Anything up to 12 bytes can be removed" (5.1), and no more. */
static void test_what_is_empty_at_the_end_can_be_cut_off(void **state)
{
    (void)state;
    vector *v = vector_read(file, "request indeterminate", "message");
    for (size_t cut = 0; cut <= v->size; cut++) {
        sc_bhttp_decoded read = {0};
        const sc_err err = sc_bhttp_decode(v->bytes, v->size - cut, &read);
        const bool is_control = v->size - cut == CONTROL_END;
        assert_int_equal(err, cut <= 12 || is_control ? SC_OK : SC_EPARSE);
        if (cut <= 12) check_example_request(&read.message);
        sc_bhttp_decoded_fini(&read);
    }
    free(v);
    v = vector_read(file, "request known", "message");
    for (size_t cut = 0; cut <= v->size; cut++) {
        sc_bhttp_decoded read = {0};
        const sc_err err = sc_bhttp_decode(v->bytes, v->size - cut, &read);
        const bool is_control = v->size - cut == CONTROL_END;
        assert_int_equal(err, cut <= 2 || is_control ? SC_OK : SC_EPARSE);
        sc_bhttp_decoded_fini(&read);
    }
    free(v);
}

// --- Content and padding -------------------------------------------------------------------------

static void test_chunks_are_joined(void **state)
{
    (void)state;
    sc_bhttp_decoded read = {0};
    // 200, no headers, chunks "ab", "c" (its size in two bytes), "def", a trailer, padding.
    vector *v = vector_of_hex("03 40c8 00 026162 400163 03646566 00 0178 0179 00 000000");
    assert_int_equal(sc_bhttp_decode(v->bytes, v->size, &read), SC_OK);
    assert_int_equal(read.message.content_size, 6);
    assert_memory_equal(read.message.content, "abcdef", 6);
    assert_int_equal(read.message.trailer_count, 1);
    check_field(read.message.trailers, "x", "y");
    sc_bhttp_decoded_fini(&read);
    free(v);
}

static void test_padding_is_zeros(void **state)
{
    (void)state;
    check_accepted("01 40c8 00 00 00");
    check_accepted("01 40c8 00 00 00 000000000000");
    check_refused("01 40c8 00 00 00 000000010000");
    check_refused("01 40c8 00 00 00 000000000001");
}

static sc_bhttp_message example(const sc_bhttp_field *headers, size_t count, const char *content)
{
    return (sc_bhttp_message){.is_request = true,
                              .method = text("POST"),
                              .scheme = text("https"),
                              .authority = text("cloak.example"),
                              .path = text("/v1/queries?x=1"),
                              .headers = headers,
                              .header_count = count,
                              .content = (const uint8_t *)content,
                              .content_size = strlen(content)};
}

static void test_what_is_written_is_read_again(void **state)
{
    (void)state;
    enum { SIZE = 40000 };
    static const sc_bhttp_field headers[] = {{{"content-type", 12}, {"application/json", 16}},
                                             {{"empty", 5}, {NULL, 0}}};
    char *content = test_take(SIZE, 1);
    // Around the sizes at which a length takes more bytes.
    static const size_t sizes[] = {0, 1, 63, 64, 16383, 16384, SIZE - 1};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(content, 'x', sizes[i]);
        content[sizes[i]] = '\0';
        for (int form = 0; form < 2; form++) {
            const sc_bhttp_message m = example(headers, 2, content);
            const size_t size = sc_bhttp_size(&m, (sc_bhttp_form)form);
            for (size_t more = 0; more < 3; more++) {
                uint8_t *bytes = test_take(size + more, 1);
                sc_bhttp_decoded read = {0};
                assert_int_equal(sc_bhttp_encode(&m, (sc_bhttp_form)form, bytes, size + more),
                                 SC_OK);
                assert_int_equal(sc_bhttp_decode(bytes, size + more, &read), SC_OK);
                check_text(read.message.authority, "cloak.example");
                check_text(read.message.path, "/v1/queries?x=1");
                assert_int_equal(read.message.content_size, sizes[i]);
                assert_int_equal(read.message.header_count, 2);
                check_field(&read.message.headers[1], "empty", "");
                sc_bhttp_decoded_fini(&read);
                free(bytes);
            }
        }
    }
    free(content);
}

static void test_too_little_room_is_refused(void **state)
{
    (void)state;
    const sc_bhttp_message m = example(NULL, 0, "{}");
    uint8_t out[128];
    const size_t size = sc_bhttp_size(&m, SC_BHTTP_KNOWN_LENGTH);
    assert_int_equal(sc_bhttp_encode(&m, SC_BHTTP_KNOWN_LENGTH, out, size - 1), SC_EINVAL);
}

// --- What is no message --------------------------------------------------------------------------

static void test_damaged_messages_are_refused(void **state)
{
    (void)state;
    static const char *const damaged[] = {
        "",
        "04 40c8 00 00 00",               // no such framing
        "41",                             // a number that is cut
        "01",                             // no status
        "01 3f 00 00 00",                 // status 63
        "01 40c7",                        // 199 is informational, and then there is nothing
        "01 4258 00 00 00",               // status 600
        "01 40c8 01 00 00",               // a header section that is a length and nothing
        "01 40c8 02 0000 00 00",          // a name of no bytes
        "01 40c8 04 0178 0279 00 00",     // a value that reaches beyond its section
        "01 40c8 05 0178 0179 00 00 00",  // a section that ends within a field
        "01 40c8 00 05 61 00",            // content that is not there
        "01 40c8 00 ffffffffffffffff",    // content of 2^62 - 1 bytes
        "03 40c8 00 ffffffffffffffff",
        "03 40c8 00 026162",        // chunks without their end
        "03 40c8 00 026162 05 61",  // a chunk that is cut
        "03 40c8 0178 0179",        // headers without their end
        "00 03474554 05687474",     // a request that is cut in its control data
    };
    for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++) {
        check_refused(damaged[i]);
    }
}

static void test_numbers_need_not_be_short(void **state)
{
    (void)state;
    check_accepted("4001 800000c8 c000000000000000 00 00");
}

static sc_err try_message(const sc_bhttp_message *m)
{
    uint8_t out[4096];
    return sc_bhttp_encode(m, SC_BHTTP_KNOWN_LENGTH, out, sizeof out);
}

/** Neither written nor read: the decoder is given what the encoder refuses, by changing one byte of
 * something that it accepts. */
static void test_what_could_end_a_line_elsewhere_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *method, *scheme, *authority, *path;
    } bad[] = {
        {"", "https", "", "/"},
        {"GE T", "https", "", "/"},
        {"G\r\nET", "https", "", "/"},
        {"CONNECT", "https", "a", "/"},
        {"GET", "", "", "/"},
        {"GET", "1https", "", "/"},
        {"GET", "ht tps", "", "/"},
        {"GET", "https", "a b", "/"},
        {"GET", "https", "a\nb", "/"},
        {"GET", "https", "u@a", "/"},
        {"GET", "https", "a", ""},
        {"GET", "https", "a", "x"},
        {"GET", "https", "a", "/ HTTP"},
        {"GET", "https", "a", "*"},
        {"GET", "https", "a", "/\x80"},
        {"GET", "https", "a", "/\x7f"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sc_bhttp_message m = {.is_request = true,
                                    .method = text(bad[i].method),
                                    .scheme = text(bad[i].scheme),
                                    .authority = text(bad[i].authority),
                                    .path = text(bad[i].path)};
        assert_int_equal(try_message(&m), SC_EINVAL);
    }
    const sc_bhttp_message asterisk = {
        .is_request = true, .method = text("OPTIONS"), .scheme = text("https"), .path = text("*")};
    assert_int_equal(try_message(&asterisk), SC_OK);
    check_accepted("00 03474554 056874747073 0161 012f");
    check_refused("00 03475420 056874747073 0161 012f");
    check_refused("00 03474554 056874742073 0161 012f");
    check_refused("00 03474554 056874747073 010a 012f");
    check_refused("00 03474554 056874747073 0161 0161");
    check_refused("00 03474554 056874747073 0161 00");
    check_refused("00 07434f4e4e454354 056874747073 0161 012f");
}

static void test_fields_that_http_does_not_have_are_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"", ":path", ":other", "a b", "a:", "a\n", "\x80", "a\x7f"};
    static const char *const values[] = {" a", "a ", "\ta", "a\t", "a\rb", "a\nb", " "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const sc_bhttp_field field = {text(names[i]), text("v")};
        const sc_bhttp_message m = {.status = 200, .headers = &field, .header_count = 1};
        const sc_bhttp_message t = {.status = 200, .trailers = &field, .trailer_count = 1};
        assert_int_equal(try_message(&m), SC_EINVAL);
        assert_int_equal(try_message(&t), SC_EINVAL);
    }
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const sc_bhttp_field field = {text("n"), text(values[i])};
        const sc_bhttp_message m = {.status = 200, .headers = &field, .header_count = 1};
        assert_int_equal(try_message(&m), SC_EINVAL);
    }
    const sc_bhttp_field zero = {text("n"), {"a\0b", 3}};
    const sc_bhttp_message m = {.status = 200, .headers = &zero, .header_count = 1};
    assert_int_equal(try_message(&m), SC_EINVAL);
    check_accepted("01 40c8 04 0178 0179 00 00");
    check_refused("01 40c8 04 013a 0179 00 00");
    check_refused("01 40c8 04 0178 0120 00 00");
    check_refused("01 40c8 04 0178 0100 00 00");
    check_refused("01 40c8 04 0178 010a 00 00");
    check_refused("01 40c8 00 00 04 0178 010d");
    // In a response that is passed over, too.
    check_accepted("01 4064 04 0178 0179 40c8 00 00 00");
    check_refused("01 4064 04 013a 0179 40c8 00 00 00");
}

static void test_a_status_that_is_none_is_not_written(void **state)
{
    (void)state;
    static const unsigned bad[] = {0, 99, 100, 199, 600, 70000};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const sc_bhttp_message m = {.status = bad[i]};
        assert_int_equal(try_message(&m), SC_EINVAL);
    }
}

static void test_there_are_bounds(void **state)
{
    (void)state;
    uint8_t bytes[4096] = {1, 0x40, 200};
    sc_bhttp_decoded read = {0};
    for (size_t count = SC_BHTTP_FIELDS_MAX; count <= SC_BHTTP_FIELDS_MAX + 1; count++) {
        size_t size = 3;
        bytes[size++] = (uint8_t)(0x40 | 4 * count >> 8);
        bytes[size++] = (uint8_t)(4 * count);
        for (size_t i = 0; i < count; i++, size += 4) {
            memcpy(bytes + size, (const uint8_t[]){1, 'x', 1, 'y'}, 4);
        }
        assert_int_equal(sc_bhttp_decode(bytes, size, &read),
                         count <= SC_BHTTP_FIELDS_MAX ? SC_OK : SC_ELIMIT);
        sc_bhttp_decoded_fini(&read);
    }
    for (size_t count = SC_BHTTP_INFORMATIONAL_MAX; count <= SC_BHTTP_INFORMATIONAL_MAX + 1;
         count++) {
        size_t size = 1;
        for (size_t i = 0; i < count; i++, size += 3) {
            memcpy(bytes + size, (const uint8_t[]){0x40, 102, 0}, 3);
        }
        memcpy(bytes + size, (const uint8_t[]){0x40, 200, 0, 0, 0}, 5);
        assert_int_equal(sc_bhttp_decode(bytes, size + 5, &read),
                         count <= SC_BHTTP_INFORMATIONAL_MAX ? SC_OK : SC_ELIMIT);
        sc_bhttp_decoded_fini(&read);
    }
}

static void test_a_field_is_found_if_there_is_one_of_it(void **state)
{
    (void)state;
    const sc_bhttp_field fields[] = {
        {text("Date"), text("today")}, {text("accept"), text("a")}, {text("ACCEPT"), text("b")}};
    check_text(*sc_bhttp_find(fields, 3, "date"), "today");
    assert_null(sc_bhttp_find(fields, 3, "dat"));
    assert_null(sc_bhttp_find(fields, 3, "accept"));
    assert_null(sc_bhttp_find(NULL, 0, "date"));
}

static void test_messages_without_memory(void **state)
{
    (void)state;
    // Fields, and content of two chunks.
    vector *v = vector_of_hex("03 40c8 0178 0179 00 0161 0162 00 0178 0179 00");
    FOR_EACH_FAILURE(n)
    {
        sc_bhttp_decoded read = {0};
        const sc_err err = sc_bhttp_decode(v->bytes, v->size, &read);
        const bool happened = oom_happened();
        sc_bhttp_decoded_fini(&read);
        if (!happened) break;
        assert_int_equal(err, SC_ENOMEM);
    }
    free(v);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_requests_of_the_rfc_are_read_and_written),
    cmocka_unit_test(test_a_response_with_a_trailer_is_read_and_written),
    cmocka_unit_test(test_informational_responses_are_passed_over),
    cmocka_unit_test(test_what_is_empty_at_the_end_can_be_cut_off),
    cmocka_unit_test(test_chunks_are_joined),
    cmocka_unit_test(test_padding_is_zeros),
    cmocka_unit_test(test_what_is_written_is_read_again),
    cmocka_unit_test(test_too_little_room_is_refused),
    cmocka_unit_test(test_damaged_messages_are_refused),
    cmocka_unit_test(test_numbers_need_not_be_short),
    cmocka_unit_test(test_what_could_end_a_line_elsewhere_is_refused),
    cmocka_unit_test(test_fields_that_http_does_not_have_are_refused),
    cmocka_unit_test(test_a_status_that_is_none_is_not_written),
    cmocka_unit_test(test_there_are_bounds),
    cmocka_unit_test(test_a_field_is_found_if_there_is_one_of_it),
    cmocka_unit_test(test_messages_without_memory),
};
SC_SUITE(tests)
