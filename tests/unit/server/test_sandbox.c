// Becoming an ordinary user, in processes that can do without the one they were.
#include "server/sandbox.h"

#include <grp.h>
#include <pthread.h>
#include <pwd.h>
#include <sys/prctl.h>

#include "support/check.h"
#include "support/in_child.h"

static bool is_root(void)
{
    return geteuid() == 0;
}

static uid_t uid_of(const char *name)
{
    const struct passwd *entry = getpwnam(name);
    EXPECT(entry != NULL);
    return entry->pw_uid;
}

/** This process is `name`, in every respect, and cannot go back. */
static void expect_to_be(const char *name)
{
    const uid_t wanted = uid_of(name);
    uid_t user[3];
    gid_t group[3];
    EXPECT(getresuid(&user[0], &user[1], &user[2]) == 0);
    EXPECT(getresgid(&group[0], &group[1], &group[2]) == 0);
    for (int i = 0; i < 3; i++) {
        EXPECT(user[i] == wanted);
        EXPECT(group[i] != 0);
    }
    gid_t groups[64];
    const int count = getgroups(64, groups);
    EXPECT(count >= 0);
    for (int i = 0; i < count; i++) {
        EXPECT(groups[i] != 0);
    }
    EXPECT(setuid(0) == -1);
    EXPECT(prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0);
    char text[64];
    EXPECT(strcmp(sc_sandbox_user(text, sizeof text), name) == 0);
}

static void become_nobody_by_default(void)
{
    sc_diag diag = {""};
    EXPECT(sc_sandbox_become(NULL, &diag) == SC_OK);
    expect_to_be("nobody");
    // Now it is no longer root: who it is already, it may become; nobody else.
    EXPECT(sc_sandbox_become(NULL, &diag) == SC_OK);
    EXPECT(sc_sandbox_become("nobody", &diag) == SC_OK);
    EXPECT(sc_sandbox_become("root", &diag) == SC_EIO);
    EXPECT(strstr(diag.message, "only root") != NULL);
    EXPECT(sc_sandbox_become("0", &diag) == SC_EIO);
}

static void become_by_name(void)
{
    EXPECT(sc_sandbox_become("daemon", NULL) == SC_OK);
    expect_to_be("daemon");
}

static void become_by_number(void)
{
    char number[16];
    snprintf(number, sizeof number, "%u", (unsigned)uid_of("daemon"));
    EXPECT(sc_sandbox_become(number, NULL) == SC_OK);
    expect_to_be("daemon");
    EXPECT(sc_sandbox_become(number, NULL) == SC_OK);
}

static void *tell_user(void *user)
{
    *(uid_t *)user = geteuid();
    return NULL;
}

static void *wait_and_tell_user(void *ends)
{
    char word;
    EXPECT(read(*(int *)ends, &word, 1) == 1);
    EXPECT(geteuid() == uid_of("nobody"));
    return NULL;
}

static void become_in_all_threads(void)
{
    int ends[2];
    EXPECT(pipe(ends) == 0);
    pthread_t before;
    EXPECT(pthread_create(&before, NULL, wait_and_tell_user, ends) == 0);
    EXPECT(sc_sandbox_become("nobody", NULL) == SC_OK);
    EXPECT(write(ends[1], "x", 1) == 1);
    EXPECT(pthread_join(before, NULL) == 0);
    pthread_t after;
    uid_t user = 0;
    EXPECT(pthread_create(&after, NULL, tell_user, &user) == 0);
    EXPECT(pthread_join(after, NULL) == 0);
    EXPECT(user == uid_of("nobody"));
}

static void test_root_becomes_someone_else_for_good(void **state)
{
    (void)state;
    if (!is_root()) skip();
    assert_int_equal(in_child(become_nobody_by_default), 0);
    assert_int_equal(in_child(become_by_name), 0);
    assert_int_equal(in_child(become_by_number), 0);
}

static void test_all_threads_change_together(void **state)
{
    (void)state;
    if (!is_root()) skip();
    assert_int_equal(in_child(become_in_all_threads), 0);
}

static void test_a_user_that_does_not_exist_is_told(void **state)
{
    (void)state;
    const uid_t before = geteuid();
    sc_diag diag = {""};
    CHECK_REFUSED(sc_sandbox_become("starcloak-stranger", &diag), SC_EUNKNOWN, &diag,
                  "no user 'starcloak-stranger'");
    CHECK_REFUSED(sc_sandbox_become("4294967294", &diag), SC_EUNKNOWN, &diag, "4294967294");
    CHECK_REFUSED(sc_sandbox_become("4294967295", &diag), SC_EUNKNOWN, &diag, "4294967295");
    CHECK_REFUSED(sc_sandbox_become("", &diag), SC_EUNKNOWN, &diag, "no user ''");
    CHECK_REFUSED(sc_sandbox_become("no\nbody", &diag), SC_EUNKNOWN, &diag, "no user 'no");
    assert_null(strchr(diag.message, '\n'));
    assert_int_equal(geteuid(), before);
}

static void stay_who_one_is(void)
{
    if (is_root()) EXPECT(setuid(uid_of("nobody")) == 0);
    const uid_t before = geteuid();
    EXPECT(sc_sandbox_become(NULL, NULL) == SC_OK);
    sc_diag diag = {""};
    EXPECT(sc_sandbox_become("root", &diag) == SC_EIO);
    EXPECT(strstr(diag.message, "only root"));
    EXPECT(geteuid() == before);
}

static void test_whoever_is_not_root_stays_who_it_is(void **state)
{
    (void)state;
    assert_int_equal(in_child(stay_who_one_is), 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_root_becomes_someone_else_for_good),
    cmocka_unit_test(test_all_threads_change_together),
    cmocka_unit_test(test_a_user_that_does_not_exist_is_told),
    cmocka_unit_test(test_whoever_is_not_root_stays_who_it_is),
};
SC_SUITE(tests)
