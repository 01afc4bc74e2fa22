// Addresses are written without the secrets in them, and all else as it is.
#include "support/check.h"

#include "base/url_secrets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_secrets_are_not_written_and_all_else_is(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *wanted;
    } cases[] = {
        {"", ""},
        {"plain text, a@b?c&token=x", "plain text, a@b?c&token=x"},
        {"https://h/x?a=1&b={lon},{lat}", "https://h/x?a=1&b={lon},{lat}"},
        {"https://h", "https://h"},
        {"https://me:word@h/x", "https://***@h/x"},
        {"https://word@h", "https://***@h"},
        {"https://me:w@rd@h/x@y", "https://***@h/x@y"},
        {"postgresql://me@h/db", "postgresql://me@h/db"},
        {"postgresql://me:word@h/db?sslmode=require", "postgresql://me:***@h/db?sslmode=require"},
        {"postgres://me:@h/db?password=word", "postgres://me:***@h/db?password=***"},
        {"nats://a:b@h,nats://c@h2,tls://h3", "nats://***@h,nats://***@h2,tls://h3"},
        {"http://h?API-Key=word&lon={lon}", "http://h?API-Key=***&lon={lon}"},
        {"http://h?api_key={key}&token=", "http://h?api_key={key}&token="},
        {"http://h?key=fuel", "http://h?key=fuel"},
        {"http://h?key=0123456789abcdef&k=3", "http://h?key=***&k=3"},
        {"http://h?code=de&code=0123456789abcdef", "http://h?code=de&code=***"},
        {"http://h?sig=a%2F&Secret_Key=b&pwd=c", "http://h?sig=***&Secret_Key=***&pwd=***"},
        {"http://h?box=1,2,3&token=a,b&x", "http://h?box=1,2,3&token=***&x"},
        {"http://h?a&&?secret=x", "http://h?a&&?secret=***"},
        {"http://h?u=http://me:word@g/", "http://h?u=http://***@g/"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *got = NULL;
        size_t size = 0;
        FILE *stream = open_memstream(&got, &size);
        sc_url_write_without_secrets(stream, cases[i].text);
        assert_int_equal(fclose(stream), 0);
        assert_string_equal(got, cases[i].wanted);
        free(got);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_secrets_are_not_written_and_all_else_is),
};
SC_SUITE(tests)
