// NATS servers for tests. See nats_server.h.
//
// A server's port must be known before it starts: it is needed again when the server is started
// again, and by its companions. So a free one is looked for; if another program takes it in
// between, the server ends at once, and another is looked for.
#include "support/nats_server.h"

#include "support/check.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/** Tries of 10 ms each until a server must serve: 30 s, for a busy machine. */
enum { PATIENCE = 3000, PORTS_TRIED = 5 };

static struct sockaddr_in loopback(int port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
}

static int free_port(void)
{
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof address;
    assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&address, size) == 0 &&
                getsockname(fd, (struct sockaddr *)&address, &size) == 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void nap(void)
{
    (void)poll(NULL, 0, 10);
}

// --- Starting ------------------------------------------------------------------------------

static void become_server(const nats_server *server)
{
    // Should the test end without a word, so does the server.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    const int log = open(place_path(&server->folder, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log >= 0) {
        dup2(log, STDOUT_FILENO);
        dup2(log, STDERR_FILENO);
    }
    execlp("nats-server", "nats-server", "-c", place_path(&server->folder, "conf"), (char *)NULL);
    _exit(1);
}

static void start(nats_server *server)
{
    server->pid = fork();
    assert_true(server->pid >= 0);
    if (server->pid == 0) become_server(server);
}

/** The first line that it sends to a client: "INFO {...}"; empty if it does not run. */
static void ask_info(const nats_server *server, char *line, size_t size)
{
    line[0] = '\0';
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    const struct sockaddr_in address = loopback(server->port);
    if (connect(fd, (const struct sockaddr *)&address, sizeof address) == 0) {
        struct pollfd has_words = {.fd = fd, .events = POLLIN};
        if (poll(&has_words, 1, 1000) == 1) {
            const ssize_t got = read(fd, line, size - 1);
            line[got > 0 ? got : 0] = '\0';
        }
    }
    close(fd);
}

/** It serves and knows `count` servers, itself included (0: that does not matter); false: it has
 * ended. */
static bool await(nats_server *server, size_t count)
{
    for (int i = 0; i < PATIENCE; i++) {
        char line[4096];
        ask_info(server, line, sizeof line);
        if (strncmp(line, "INFO ", 5) == 0) {
            size_t known = 0;
            const char *urls = strstr(line, "\"connect_urls\":[");
            for (const char *c = urls; c && *c != ']'; c++) {
                known += *c == ',';
            }
            if (count == 0 || (urls && known + 1 >= count)) return true;
        }
        if (waitpid(server->pid, NULL, WNOHANG) == server->pid) {
            server->pid = 0;
            return false;
        }
        nap();
    }
    fail_msg("a NATS server did not serve in time");
    return false;
}

// --- Its configuration ---------------------------------------------------------------------

static void write_conf(const nats_server *server, const nats_manners *manners, const char *cluster)
{
    char text[4096];
    FILE *out = fmemopen(text, sizeof text, "w");
    assert_non_null(out);
    fprintf(out, "listen: \"127.0.0.1:%d\"\n", server->port);
    if (manners->max_payload) fprintf(out, "max_payload: %zu\n", manners->max_payload);
    if (manners->user) {
        fprintf(out, "authorization { user: \"%s\", password: \"%s\" }\n", manners->user,
                manners->password);
    }
    if (manners->certificate) {
        fprintf(out, "tls { cert_file: \"%s\", key_file: \"%s\" }\n", manners->certificate,
                manners->key);
    }
    fprintf(out, "%s", cluster);
    fclose(out);
    place_write_text(&server->folder, "conf", text);
}

static void choose_port(nats_server *server)
{
    server->port = free_port();
    snprintf(server->url, sizeof server->url, "nats://127.0.0.1:%d", server->port);
}

void nats_server_begin(nats_server *server, const nats_manners *manners)
{
    *server = (nats_server){.folder = place_new()};
    for (int i = 0; i < PORTS_TRIED; i++) {
        choose_port(server);
        write_conf(server, manners, "");
        start(server);
        if (await(server, 0)) return;
    }
    fail_msg("a NATS server did not start; is nats-server installed?");
}

/** One try; false: a server did not start, and none runs. */
static bool begin_all(nats_server *servers, size_t count)
{
    char routes[1024] = "";
    for (size_t i = 0; i < count; i++) {
        choose_port(&servers[i]);
        servers[i].route_port = free_port();
        const size_t used = strlen(routes);
        snprintf(routes + used, sizeof routes - used, "%s\"nats://127.0.0.1:%d\"", i ? ", " : "",
                 servers[i].route_port);
    }
    for (size_t i = 0; i < count; i++) {
        char cluster[2048];
        snprintf(cluster, sizeof cluster,
                 "cluster { name: test, listen: \"127.0.0.1:%d\", routes: [%s] }\n",
                 servers[i].route_port, routes);
        write_conf(&servers[i], &(nats_manners){0}, cluster);
        start(&servers[i]);
    }
    bool all = true;
    for (size_t i = 0; i < count && all; i++) {
        all = await(&servers[i], count);
    }
    for (size_t i = 0; i < count && !all; i++) {
        nats_server_kill(&servers[i]);
    }
    return all;
}

void nats_servers_begin(nats_server *servers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        servers[i] = (nats_server){.folder = place_new()};
    }
    for (int i = 0; i < PORTS_TRIED; i++) {
        if (begin_all(servers, count)) return;
    }
    fail_msg("NATS servers did not start; is nats-server installed?");
}

// --- What happens to it --------------------------------------------------------------------

void nats_server_kill(nats_server *server)
{
    if (server->pid == 0) return;
    kill(server->pid, SIGKILL);
    assert_int_equal(waitpid(server->pid, NULL, 0), server->pid);
    server->pid = 0;
}

void nats_server_again(nats_server *server)
{
    // Until the kernel lets go of the port.
    for (int i = 0; i < PATIENCE; i++) {
        start(server);
        if (await(server, 0)) return;
        nap();
    }
    fail_msg("a NATS server did not start again");
}

void nats_server_change(nats_server *server, const nats_manners *manners)
{
    write_conf(server, manners, "");
}

void nats_server_halt(nats_server *server)
{
    kill(server->pid, SIGSTOP);
}

void nats_server_go_on(nats_server *server)
{
    kill(server->pid, SIGCONT);
}

void nats_server_end(nats_server *server)
{
    nats_server_kill(server);
    if (server->folder.path[0]) place_free(&server->folder);
    *server = (nats_server){0};
}
