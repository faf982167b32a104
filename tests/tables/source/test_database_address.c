/* What is shown of an address, and whether it holds a password. */
#include "support/check.h"
#include "tables/source/database_address.h"

#include <hedgerow/data.h>

typedef struct address_case {
    const char *address, *shown;
    bool has_password;
} address_case;

static const address_case cases[] = {
    {"postgresql://host/db", "postgresql://host/db", false},
    {"postgres://me@host:5432/db", "postgres://me@host:5432/db", false},
    {"postgresql://me:secret@host/db", "postgresql://me@host/db", true},
    {"postgresql://:secret@host/db", "postgresql://@host/db", true},
    {"postgresql://me:@host/db", "postgresql://me@host/db", true},
    {"postgresql://me:se@cret@host/db", "postgresql://me@host/db", true},
    {"postgresql://me:se/cret@host/db", "postgresql://me@host/db", true},
    {"postgresql://me:se?cret@host/db", "postgresql://me@...", true},
    {"postgresql://me:se:cret@[::1]:5432/db?sslmode=require", "postgresql://me@[::1]:5432/db", true},
    {"postgresql://host/db?user=me&password=secret", "postgresql://host/db", true},
    {"postgresql://host/db?sslpassword=secret", "postgresql://host/db", true},
    {"postgresql:///db?host=/tmp&user=me", "postgresql:///db", false},
    {"postgresql://host?password=a@secret", "postgresql://host@...", true},
    {"postgresql://db/clinic?user=ann@corp&password=secret", "postgresql://db@...", true},
    {"postgresql://me:secret/db", "postgresql://...", false},
    {"postgresql://", "postgresql://", false},
    {"me:secret@host.csv", "me:secret@host.csv", false},
    {"./postgresql://x", "./postgresql://x", false},
};

static void test_database_address__shows_no_password(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char shown[HR_DATABASE_SHOWN];
        hr_database_show(cases[i].address, shown);
        assert_string_equal(shown, cases[i].shown);
        if (hr_data_address_has_password(cases[i].address) != cases[i].has_password)
            fail_msg("%s", cases[i].address);
    }
}

static void test_database_address__hides_a_secret_in_a_text(void **state) {
    (void)state;
    char text[] = "secret no secret, secretsecret", other[] = "as it is";
    hr_database_hide(text, "secret");
    assert_string_equal(text, "****** no ******, ************");
    hr_database_hide(other, NULL);
    hr_database_hide(other, "");
    assert_string_equal(other, "as it is");
}

static void test_database_address__signs_are_in_their_places(void **state) {
    (void)state;
    static const char *const plain[] = {
        "postgresql://", "postgresql://host/db", "postgresql://me:pw@host:5432,other/db",
        "postgresql://me:p%40?w@[::1]:5432/db?a=b", "postgres:///db?host=/tmp"};
    static const char *const others[] = {"postgresql://me:p@w@host/db",    "postgresql://me:p/w@host/db",
                                         "postgresql://me:pw/db",          "postgresql://host/db@x",
                                         "postgresql://host?password=p@w", "postgresql://host:5432,me:pw/db",
                                         "postgresql://[::1]:pw"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) assert_true(hr_database_is_plain(plain[i]));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (hr_database_is_plain(others[i])) fail_msg("%s", others[i]);
}

static void test_database_address__is_told_from_a_path(void **state) {
    (void)state;
    assert_true(hr_database_is_address("postgresql://x"));
    assert_true(hr_database_is_address("postgres://x"));
    static const char *const paths[] = {
        "", "-", "postgresql:/x", "postgresql.csv", "/postgresql://x", "sqlite://x"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) assert_false(hr_database_is_address(paths[i]));
}

static void test_database_address__long_ones_are_cut_off(void **state) {
    (void)state;
    char address[3000] = "postgresql://me:secret@", shown[HR_DATABASE_SHOWN];
    size_t size = strlen(address);
    memset(address + size, 'h', sizeof address - size - 1);
    hr_database_show(address, shown);
    assert_int_equal(strlen(shown), HR_DATABASE_SHOWN - 1);
    assert_null(strstr(shown, "secret"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_database_address__shows_no_password),
        cmocka_unit_test(test_database_address__hides_a_secret_in_a_text),
        cmocka_unit_test(test_database_address__signs_are_in_their_places),
        cmocka_unit_test(test_database_address__is_told_from_a_path),
        cmocka_unit_test(test_database_address__long_ones_are_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
