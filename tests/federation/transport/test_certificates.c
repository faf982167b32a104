#include "federation/transport/certificates.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct office {
    hr_authority *authority;
    X509 *own;
} office;

static X509 *parse(const char *text) {
    BIO *bio = BIO_new_mem_buf(text, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(certificate);
    return certificate;
}

static EVP_PKEY *parse_key(const char *text) {
    BIO *bio = BIO_new_mem_buf(text, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);
    BIO_free(bio);
    assert_non_null(key);
    return key;
}

static office open_office(void) {
    office o = {0};
    hr_certificate own = {0};
    assert_int_equal(hr_authority_make("demo", &o.authority, NULL), HR_OK);
    assert_int_equal(hr_authority_write(o.authority, &own, NULL), HR_OK);
    o.own = parse(own.certificate);
    EVP_PKEY *key = parse_key(own.key);
    assert_int_equal(X509_check_private_key(o.own, key), 1);
    EVP_PKEY_free(key);
    hr_certificate_done(&own);
    assert_null(own.key);
    return o;
}

static void close_office(office *o) {
    X509_free(o->own);
    hr_authority_free(o->authority);
}

/* Owner: the caller. */
static X509 *issue(const office *o, hr_certificate_use use, const char *name) {
    hr_certificate issued = {0};
    assert_int_equal(hr_authority_issue(o->authority, use, name, HR_CERTIFICATE_DAYS, &issued, NULL), HR_OK);
    X509 *certificate = parse(issued.certificate);
    EVP_PKEY *key = parse_key(issued.key);
    assert_int_equal(X509_check_private_key(certificate, key), 1);
    assert_string_equal(EVP_PKEY_get0_type_name(key), "EC");
    assert_int_equal(EVP_PKEY_get_bits(key), 256);
    EVP_PKEY_free(key);
    hr_certificate_done(&issued);
    return certificate;
}

/* Whether who trusts `authority` alone, and is strict, takes the certificate for that purpose. */
static bool is_trusted(X509 *certificate, X509 *authority, int purpose) {
    X509_STORE *store = X509_STORE_new();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    assert_int_equal(X509_STORE_add_cert(store, authority), 1);
    assert_int_equal(X509_STORE_CTX_init(context, store, certificate, NULL), 1);
    X509_STORE_CTX_set_flags(context, X509_V_FLAG_X509_STRICT);
    X509_STORE_CTX_set_purpose(context, purpose);
    const bool trusted = X509_verify_cert(context) == 1;
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return trusted;
}

static void test_member__is_a_client_and_no_server(void **state) {
    (void)state;
    office o = open_office();
    X509 *north = issue(&o, HR_CERTIFICATE_CLIENT, "north");
    assert_true(is_trusted(north, o.own, X509_PURPOSE_SSL_CLIENT));
    assert_false(is_trusted(north, o.own, X509_PURPOSE_SSL_SERVER));
    assert_int_equal(X509_check_host(north, "north", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(north, "south", 0, 0, NULL), 0);
    X509_free(north);
    close_office(&o);
}

static void test_broker__is_a_server_of_its_host_and_no_client(void **state) {
    (void)state;
    office o = open_office();
    X509 *named = issue(&o, HR_CERTIFICATE_SERVER, "broker.example.org");
    assert_true(is_trusted(named, o.own, X509_PURPOSE_SSL_SERVER));
    assert_false(is_trusted(named, o.own, X509_PURPOSE_SSL_CLIENT));
    assert_int_equal(X509_check_host(named, "broker.example.org", 0, 0, NULL), 1);
    assert_int_equal(X509_check_host(named, "example.org", 0, 0, NULL), 0);
    X509_free(named);
    const char *addresses[] = {"127.0.0.1", "2001:db8::5"};
    for (size_t i = 0; i < 2; i++) {
        X509 *numbered = issue(&o, HR_CERTIFICATE_SERVER, addresses[i]);
        assert_int_equal(X509_check_ip_asc(numbered, addresses[i], 0), 1);
        assert_int_equal(X509_check_ip_asc(numbered, "127.0.0.2", 0), 0);
        X509_free(numbered);
    }
    close_office(&o);
}

/* Members cannot make members. */
static void test_member__is_no_authority(void **state) {
    (void)state;
    office o = open_office();
    X509 *north = issue(&o, HR_CERTIFICATE_CLIENT, "north");
    assert_int_equal(X509_check_ca(o.own), 1);
    assert_int_equal(X509_check_ca(north), 0);
    assert_int_equal(X509_get_pathlen(o.own), 0);
    X509_free(north);
    close_office(&o);
}

static void test_federations__do_not_trust_each_other(void **state) {
    (void)state;
    office ours = open_office(), theirs = open_office();
    X509 *north = issue(&ours, HR_CERTIFICATE_CLIENT, "north");
    assert_false(is_trusted(north, theirs.own, X509_PURPOSE_SSL_CLIENT));
    X509_free(north);
    close_office(&ours);
    close_office(&theirs);
}

static void test_certificates__have_their_own_keys_and_numbers(void **state) {
    (void)state;
    office o = open_office();
    X509 *first = issue(&o, HR_CERTIFICATE_CLIENT, "north"),
         *second = issue(&o, HR_CERTIFICATE_CLIENT, "north");
    assert_int_not_equal(ASN1_INTEGER_cmp(X509_get0_serialNumber(first), X509_get0_serialNumber(second)), 0);
    assert_int_equal(EVP_PKEY_eq(X509_get0_pubkey(first), X509_get0_pubkey(second)), 0);
    X509_free(first);
    X509_free(second);
    close_office(&o);
}

static void test_certificate__holds_from_yesterday_for_ten_years(void **state) {
    (void)state;
    office o = open_office();
    X509 *north = issue(&o, HR_CERTIFICATE_CLIENT, "north");
    int days = 0, seconds = 0;
    assert_int_equal(ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(north), NULL), 1);
    assert_int_equal(days, 1);
    assert_int_equal(ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(north)), 1);
    assert_in_range(days, 3652, 3653);
    X509_free(north);
    close_office(&o);
}

/* A certificate that was asked for longer than its authority holds. */
static void test_certificate__holds_as_asked_and_not_longer_than_its_authority(void **state) {
    (void)state;
    static const struct {
        int asked, least, most;
    } cases[] = {{1, 0, 1}, {90, 89, 90}, {2 * HR_CERTIFICATE_DAYS, 3652, 3653}, {-1, -1, -1}};
    office o = open_office();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hr_certificate issued = {0};
        int days = 0, seconds = 0;
        assert_int_equal(
            hr_authority_issue(o.authority, HR_CERTIFICATE_CLIENT, "north", cases[i].asked, &issued, NULL),
            HR_OK);
        X509 *north = parse(issued.certificate);
        assert_int_equal(ASN1_TIME_diff(&days, &seconds, NULL, X509_get0_notAfter(north)), 1);
        if (days < cases[i].least || days > cases[i].most)
            fail_msg("%d days asked: %d", cases[i].asked, days);
        assert_true(ASN1_TIME_compare(X509_get0_notAfter(north), X509_get0_notAfter(o.own)) <= 0);
        X509_free(north);
        hr_certificate_done(&issued);
    }
    close_office(&o);
}

/* What can be read of files that are no certificates. */
static void test_file__without_a_certificate__ends_never_and_is_signed_by_nobody(void **state) {
    (void)state;
    office o = open_office();
    const char *paths[] = {"/nowhere/at/all.pem", "/", "/dev/null", "/etc/passwd"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(hr_certificate_ends(paths[i]), 0);
        assert_int_equal(hr_certificate_count(paths[i]), 0);
        assert_false(hr_authority_signed(o.authority, paths[i]));
    }
    close_office(&o);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_member__is_a_client_and_no_server),
        cmocka_unit_test(test_broker__is_a_server_of_its_host_and_no_client),
        cmocka_unit_test(test_member__is_no_authority),
        cmocka_unit_test(test_federations__do_not_trust_each_other),
        cmocka_unit_test(test_certificates__have_their_own_keys_and_numbers),
        cmocka_unit_test(test_certificate__holds_from_yesterday_for_ten_years),
        cmocka_unit_test(test_certificate__holds_as_asked_and_not_longer_than_its_authority),
        cmocka_unit_test(test_file__without_a_certificate__ends_never_and_is_signed_by_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
