// A server of one page. See page_server.h.
#include "support/page_server.h"

#include "api/problem_details.h"
#include "support/check.h"

#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

sc_http *page_server_start(sc_http_handler handle, void *context)
{
    static const char *const addresses[] = {"127.0.0.1:0"};
    sc_http_options options = sc_http_options_default();
    sc_http *http = NULL;
    sc_diag diag = {""};
    options.addresses = addresses;
    options.address_count = 1;
    options.is_admin_shared = true;
    options.loops = 1;
    options.handle = handle;
    options.context = context;
    options.problem = sc_problem_of_server;
    CHECK_OK(sc_http_new(&options, &http, &diag), &diag);
    CHECK_OK(sc_http_start(http, &diag), &diag);
    return http;
}

web_reply page_get(const sc_http *http, const char *path, const char *headers)
{
    return web_ask(sc_http_address(http, 0), "GET", path, headers, NULL);
}

/** The date is written over, so that heads of different moments are the same. */
static void hide_date(char *head)
{
    char *date = strstr(head, "\r\nDate: ");
    assert_non_null(date);
    for (char *at = date + strlen("\r\nDate: "); *at != '\r'; at++) {
        *at = '-';
    }
}

void page_check_head(const sc_http *http, const char *path, const web_reply *wanted)
{
    const int fd = web_connect(sc_http_address(http, 0));
    web_send(fd, "HEAD", path, "Connection: close\r\n", NULL);
    web_stream came = {0};
    web_stream_await_end(fd, &came);
    close(fd);
    hide_date(came.text);
    hide_date(wanted->head);
    assert_string_equal(came.text, wanted->head);
    free(came.text);
}

void page_check_unpacks(const web_reply *reply, const void *wanted, size_t size)
{
    z_stream stream = {.next_in = (Bytef *)reply->body, .avail_in = (uInt)reply->size};
    assert_int_equal(inflateInit2(&stream, 16 + MAX_WBITS), Z_OK);
    unsigned char *out = test_take(size + 1, 1);
    stream.next_out = out;
    stream.avail_out = (uInt)size + 1;
    assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
    assert_int_equal(stream.total_out, size);
    assert_memory_equal(out, wanted, size);
    inflateEnd(&stream);
    free(out);
}

void page_check_problem(web_reply *reply, int status, const char *word, const char *part)
{
    char type[64];
    snprintf(type, sizeof type, "\"urn:starcloak:problem:%s\"", word);
    if (reply->status != status) print_error("%s\n", reply->body);
    assert_int_equal(reply->status, status);
    assert_string_equal(web_header(reply, "Content-Type"), "application/problem+json");
    CHECK_CONTAINS(reply->body, type);
    CHECK_CONTAINS(reply->body, part);
    web_reply_free(reply);
}
