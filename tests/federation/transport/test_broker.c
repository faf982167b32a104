#include "federation/transport/broker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_name__fits_into_subjects_certificates_and_paths(void **state) {
    (void)state;
    const char *good[] = {"a", "coordinator", "north-2", "2nd", "abcdefghijklmnopqrstuvwxyz012345"};
    const char *bad[] = {"",    "-",   "-a", "A",   "a.b",      "a*",   ">",
                         "a b", "a/b", "..", "a_b", "\xc3\xa4", "a\nb", "abcdefghijklmnopqrstuvwxyz0123456"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        if (!hr_nats_name_fits(good[i])) fail_msg("'%s' should fit", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (hr_nats_name_fits(bad[i])) fail_msg("'%s' should not fit", bad[i]);
}

static void test_address__is_a_host_and_a_port(void **state) {
    (void)state;
    static const struct {
        const char *url, *host;
        unsigned port;
    } cases[] = {{"tls://localhost:4222", "localhost", 4222},
                 {"tls://broker.example.org:1", "broker.example.org", 1},
                 {"tls://127.0.0.1:65535", "127.0.0.1", 65535},
                 {"tls://[::1]:4222", "::1", 4222},
                 {"tls://[2001:db8::5]:14222", "2001:db8::5", 14222}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_broker_address address;
        memset(&address, 0xff, sizeof address);
        assert_int_equal(hr_broker_address_parse(cases[i].url, &address, NULL), HR_OK);
        assert_int_equal(address.count, 1);
        assert_string_equal(address.brokers[0].host, cases[i].host);
        assert_int_equal(address.brokers[0].port, cases[i].port);
    }
}

static void test_address__is_nothing_else(void **state) {
    (void)state;
    char longest[400] = "tls://";
    memset(longest + 6, 'a', 256);
    strcpy(longest + 6 + 256, ":4222");
    const char *bad[] = {"",
                         "localhost:4222",
                         "nats://localhost:4222",
                         "TLS://localhost:4222",
                         "tls://",
                         "tls://localhost",
                         "tls://localhost:",
                         "tls://localhost:0",
                         "tls://localhost:65536",
                         "tls://localhost:99999999999999999999",
                         "tls://localhost:-1",
                         "tls://localhost:+1",
                         "tls://localhost: 1",
                         "tls://localhost:4222/",
                         "tls://localhost:4222,tls://other:4222",
                         "tls://a:1,tls://b:1,tls://c:1,tls://d:1",
                         "tls://a:1,tls://b:1,tls://c:1,tls://d:1,tls://e:1,tls://f:1,tls://g:1",
                         "tls://a:1,tls://b:1,",
                         ",tls://a:1,tls://b:1",
                         "tls://a:1,,tls://b:1",
                         "tls://a:1, tls://b:1, tls://c:1",
                         "tls://a:1,tls://b:1,tls://10.0.0.3:1",
                         "tls://a:1,tls://b:1,tls://[::1]:1",
                         "tls://user@localhost:4222",
                         "tls://:4222",
                         "tls://local host:4222",
                         "tls://a\"b:4222",
                         "tls://a,DNS=b:4222",
                         "tls://[::1:4222",
                         "tls://[]:4222",
                         "tls://[::1]4222",
                         "tls://[localhost]:4222",
                         "tls://::1:4222",
                         longest};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        hr_broker_address address = {.count = 7};
        hr_error err = {0};
        if (hr_broker_address_parse(bad[i], &address, &err) != HR_E_ARGUMENT)
            fail_msg("'%s' should be refused", bad[i]);
        assert_int_equal(address.count, 7);
        assert_int_equal(err.status, HR_E_ARGUMENT);
        assert_true(err.message[0] && err.remedy[0]);
    }
}

/* What each user may do, word for word: a change that widens it must change this text. */
static void test_config__lets_members_do_what_they_must_and_nothing_else(void **state) {
    (void)state;
    const hr_broker_address address = {{{"localhost", 4222}}, 1};
    const char *members[] = {"south", "north"};
    char *text = NULL;
    const hr_broker_plan plan = {"demo", &address, members, 2};
    assert_int_equal(hr_broker_config(&plan, 0, &text, NULL), HR_OK);
    const char *expected =
        "  north {\n"
        "    users: [{ user: \"north\", permissions {\n"
        "      publish { allow: [\"fed.demo.*.north\", \"hedgerow.CONSUMER.INFO.demo.north\", "
        "\"hedgerow.CONSUMER.MSG.NEXT.demo.north\", \"$JS.ACK.demo.north.>\", \"hello.demo.north\"] }\n"
        "      subscribe { allow: [\"_INBOX_north.>\", \"hello.demo.*\"] }\n"
        "    } }]\n"
        "    exports: [{ stream: \"hello.demo.north\" }]\n"
        "    imports: [\n"
        "      { stream: { account: \"south\", subject: \"hello.demo.south\" } }\n"
        "      { service: { account: \"broker\", subject: \"fed.demo.*.north\" }, to: \"fed.demo.*.north\" "
        "}\n"
        "      { service: { account: \"broker\", subject: \"$JS.API.CONSUMER.INFO.demo.north\" }, "
        "to: \"hedgerow.CONSUMER.INFO.demo.north\" }\n"
        "      { service: { account: \"broker\", subject: \"$JS.API.CONSUMER.MSG.NEXT.demo.north\" }, "
        "to: \"hedgerow.CONSUMER.MSG.NEXT.demo.north\" }\n"
        "      { service: { account: \"broker\", subject: \"$JS.ACK.demo.north.>\" }, "
        "to: \"$JS.ACK.demo.north.>\" }\n"
        "    ]\n"
        "    limits { max_connections: 16, max_subscriptions: 1024 }\n"
        "  }\n"
        "}\n";
    const char *exported = "      { service: \"fed.demo.*.north\", accounts: [\"north\"] }\n"
                           "      { service: \"$JS.API.CONSUMER.INFO.demo.north\", accounts: [\"north\"] }\n"
                           "      { service: \"$JS.API.CONSUMER.MSG.NEXT.demo.north\", accounts: "
                           "[\"north\"], response: stream }\n"
                           "      { service: \"$JS.ACK.demo.north.>\", accounts: [\"north\"] }\n"
                           "    ]\n";
    assert_non_null(strstr(text, exported));
    const char *found = strstr(text, "  north {\n");
    assert_non_null(found);
    assert_string_equal(found, expected);
    assert_non_null(strstr(text, "verify_and_map: true\n"));
    assert_non_null(strstr(text, "host: \"localhost\"\nport: 4222\n"));
    assert_non_null(strstr(text, "\nhttp: \"127.0.0.1:8222\"\n"));
    free(text);
}

/* Its number differs from the broker's, and is one. */
static void test_config__has_a_port_for_programs_of_its_machine(void **state) {
    (void)state;
    static const struct {
        unsigned port;
        const char *http;
    } cases[] = {{1, "\nhttp: \"127.0.0.1:4001\"\n"},
                 {61535, "\nhttp: \"127.0.0.1:65535\"\n"},
                 {61536, "\nhttp: \"127.0.0.1:57536\"\n"},
                 {65535, "\nhttp: \"127.0.0.1:61535\"\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const hr_broker_address address = {{{"broker.example.org", cases[i].port}}, 1};
        char *text = NULL;
        const hr_broker_plan plan = {"demo", &address, NULL, 0};
        assert_int_equal(hr_broker_config(&plan, 0, &text, NULL), HR_OK);
        if (!strstr(text, cases[i].http)) fail_msg("%u: no %s", cases[i].port, cases[i].http);
        free(text);
    }
}

static void test_address__may_be_those_of_a_cluster(void **state) {
    (void)state;
    hr_broker_address address;
    assert_int_equal(hr_broker_address_parse("tls://a:1,tls://b.example:2,tls://c:3", &address, NULL), HR_OK);
    assert_int_equal(address.count, 3);
    assert_string_equal(address.brokers[1].host, "b.example");
    assert_int_equal(address.brokers[2].port, 3);
}

/* Each of a cluster has a name, ports and a store of its own, and takes the others alone as brokers. */
static void test_config__of_a_cluster_names_the_others(void **state) {
    (void)state;
    const hr_broker_address address = {{{"a.example", 4222}, {"localhost", 5222}, {"c.example", 4222}}, 3};
    const hr_broker_plan plan = {"demo", &address, NULL, 0};
    static const char *const words[] = {
        "server_name: \"hedgerow-demo-2\"\n",
        "host: \"localhost\"\nport: 5222\n",
        "http: \"127.0.0.1:9222\"\n",
        "store_dir: \"store-2\"\n",
        "  name: \"hedgerow-demo\"\n  host: \"localhost\"\n  port: 7222\n",
        "    verify_cert_and_check_known_urls: true\n",
        "  routes: [\"nats-route://a.example:6222\", \"nats-route://c.example:6222\"]\n"};
    char *text = NULL, name[HR_BROKER_CONFIG];
    assert_int_equal(hr_broker_config(&plan, 1, &text, NULL), HR_OK);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strstr(text, words[i])) fail_msg("no %s", words[i]);
    free(text);
    hr_broker_config_name(0, name);
    assert_string_equal(name, "nats.conf");
    hr_broker_config_name(1, name);
    assert_string_equal(name, "nats-2.conf");
}

/* Who is dialled from elsewhere must listen to elsewhere. */
static void test_config__listens_where_it_is_dialled(void **state) {
    (void)state;
    static const struct {
        const char *host, *listens;
    } cases[] = {{"localhost", "host: \"localhost\"\n"},
                 {"127.0.0.1", "host: \"127.0.0.1\"\n"},
                 {"::1", "host: \"::1\"\n"},
                 {"10.0.0.5", "host: \"0.0.0.0\"\n"},
                 {"broker.example.org", "host: \"0.0.0.0\"\n"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_broker_address address = {{{"", 4222}}, 1};
        char *text = NULL;
        snprintf(address.brokers[0].host, sizeof address.brokers[0].host, "%s", cases[i].host);
        const hr_broker_plan plan = {"demo", &address, NULL, 0};
        assert_int_equal(hr_broker_config(&plan, 0, &text, NULL), HR_OK);
        if (!strstr(text, cases[i].listens)) fail_msg("%s: no %s", cases[i].host, cases[i].listens);
        free(text);
    }
}

/* All shares of a federation fit into the store that its configuration grants. */
static void test_share__shrinks_with_the_members_and_never_below_a_message(void **state) {
    (void)state;
    static const struct {
        size_t members;
        int packets;
    } cases[] = {{2, 64}, {18, 64}, {19, 60}, {35, 17}, {36, 17}, {256, 17}};
    const hr_broker_address address = {{{"localhost", 4222}}, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = cases[i].members;
        const hr_broker_share share = hr_broker_share_of(n);
        const char *names[256] = {"a"};
        char *text = NULL;
        for (size_t j = 1; j < n; j++) names[j] = names[0];
        assert_int_equal(share.packets, cases[i].packets);
        assert_true(share.bytes >= (int64_t)share.packets * HR_PACKET_MAX);
        assert_true(share.store == share.bytes * (int64_t)(n * n));
        const hr_broker_plan plan = {"demo", &address, names, n};
        assert_int_equal(hr_broker_config(&plan, 0, &text, NULL), HR_OK);
        const int64_t granted = strtoll(strstr(text, "max_file_store: ") + 16, NULL, 10);
        assert_true(granted >= share.store && granted >= (int64_t)16 << 30);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name__fits_into_subjects_certificates_and_paths),
        cmocka_unit_test(test_address__is_a_host_and_a_port),
        cmocka_unit_test(test_address__is_nothing_else),
        cmocka_unit_test(test_config__lets_members_do_what_they_must_and_nothing_else),
        cmocka_unit_test(test_share__shrinks_with_the_members_and_never_below_a_message),
        cmocka_unit_test(test_config__has_a_port_for_programs_of_its_machine),
        cmocka_unit_test(test_address__may_be_those_of_a_cluster),
        cmocka_unit_test(test_config__of_a_cluster_names_the_others),
        cmocka_unit_test(test_config__listens_where_it_is_dialled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
