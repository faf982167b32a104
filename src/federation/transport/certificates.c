/* All of X.509 is OpenSSL's; this file decides the content of a certificate. */
#include "federation/transport/certificates.h"

#include "base/file.h"

#include <assert.h>
#include <errno.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    SERIAL_BYTES = 16,
    DAY = 24 * 60 * 60,
    EARLY_DAYS = 1, /* clocks differ */
    DAYS = 3653,    /* ten years */
    NAME_MAX_SAN = 300
};

struct hr_authority {
    EVP_PKEY *key;
    X509 *certificate;
};

static hr_status fail_openssl(hr_error *err) {
    const unsigned long code = ERR_peek_last_error();
    const char *reason = ERR_reason_error_string(code);
    hr_status status =
        code == 0 || ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE
            ? hr_fail_memory(err)
            : hr_fail(err, HR_E_IO, "", "OpenSSL cannot make a certificate: %s", reason ? reason : "unknown");
    ERR_clear_error();
    return status;
}

/* ---- The content of a certificate ---- */

/* A random number that is positive and of full length, so that no two are alike. */
static bool set_serial(X509 *certificate) {
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof bytes) != 1) return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40);
    BIGNUM *number = BN_bin2bn(bytes, sizeof bytes, NULL);
    bool fine = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return fine;
}

static bool add_extension(X509 *certificate, X509 *issuer, int kind, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, kind, value);
    bool fine = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return fine;
}

/* Everything but names and uses. Owner: the caller. NULL on failure. */
static X509 *begin_certificate(EVP_PKEY *key, const char *subject) {
    X509 *made = X509_new();
    bool fine = made && X509_set_version(made, X509_VERSION_3) && set_serial(made) &&
                X509_gmtime_adj(X509_getm_notBefore(made), -EARLY_DAYS * DAY) &&
                X509_time_adj_ex(X509_getm_notAfter(made), DAYS, 0, NULL) && X509_set_pubkey(made, key) &&
                X509_NAME_add_entry_by_txt(X509_get_subject_name(made), "CN", MBSTRING_UTF8,
                                           (const unsigned char *)subject, -1, -1, 0) == 1;
    if (fine) return made;
    X509_free(made);
    return NULL;
}

static bool sign_authority(X509 *made, EVP_PKEY *key) {
    return X509_set_issuer_name(made, X509_get_subject_name(made)) &&
           add_extension(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add_extension(made, made, NID_key_usage, "critical,keyCertSign,cRLSign") &&
           add_extension(made, made, NID_subject_key_identifier, "hash") &&
           X509_sign(made, key, EVP_sha256()) > 0;
}

static bool sign_member(X509 *made, const hr_authority *authority, hr_certificate_use use, const char *name) {
    char subject[NAME_MAX_SAN];

    /* A server is dialled by name or by address. */
    ASN1_OCTET_STRING *address = use == HR_CERTIFICATE_SERVER ? a2i_IPADDRESS(name) : NULL;
    ERR_clear_error(); /* a name is no address */
    snprintf(subject, sizeof subject, "%s:%s", address ? "IP" : "DNS", name);
    ASN1_OCTET_STRING_free(address);
    return X509_set_issuer_name(made, X509_get_subject_name(authority->certificate)) &&
           add_extension(made, authority->certificate, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(made, authority->certificate, NID_key_usage, "critical,digitalSignature") &&
           add_extension(made, authority->certificate, NID_ext_key_usage,
                         use == HR_CERTIFICATE_SERVER ? "serverAuth" : "clientAuth") &&
           add_extension(made, authority->certificate, NID_authority_key_identifier, "keyid") &&
           add_extension(made, authority->certificate, NID_subject_alt_name, subject) &&
           X509_sign(made, authority->key, EVP_sha256()) > 0;
}

/* ---- Text ---- */

/* What was written into `bio`, ended by NUL. Owner: the caller. NULL when memory is short. */
static char *take_text(BIO *bio) {
    char *bytes = NULL;
    const long size = BIO_get_mem_data(bio, &bytes);
    char *text = size < 0 ? NULL : malloc((size_t)size + 1);
    if (!text) return NULL;
    if (size) memcpy(text, bytes, (size_t)size);
    text[size] = '\0';
    return text;
}

static hr_status write_pem(X509 *certificate, EVP_PKEY *key, hr_certificate *out, hr_error *err) {
    hr_certificate text = {0};
    BIO *first = BIO_new(BIO_s_mem()), *second = BIO_new(BIO_s_secmem());
    if (first && second && PEM_write_bio_X509(first, certificate) == 1 &&
        PEM_write_bio_PKCS8PrivateKey(second, key, NULL, NULL, 0, NULL, NULL) == 1) {
        text.certificate = take_text(first);
        text.key = take_text(second);
    }
    hr_status status = text.certificate && text.key ? HR_OK : fail_openssl(err);
    BIO_free(first);
    BIO_free(second);
    if (status) {
        hr_certificate_done(&text);
        return status;
    }
    *out = text;
    return HR_OK;
}

void hr_certificate_done(hr_certificate *certificate) {
    free(certificate->certificate);
    if (certificate->key) OPENSSL_cleanse(certificate->key, strlen(certificate->key));
    free(certificate->key);
    *certificate = (hr_certificate){0};
}

/* ---- The authority ---- */

hr_status hr_authority_make(const char *federation, hr_authority **out, hr_error *err) {
    assert(federation && out);
    ERR_clear_error();
    char subject[NAME_MAX_SAN];
    snprintf(subject, sizeof subject, "hedgerow federation %.40s", federation);
    hr_authority *authority = calloc(1, sizeof *authority);
    if (!authority) return hr_fail_memory(err);
    authority->key = EVP_EC_gen("P-256");
    if (authority->key) authority->certificate = begin_certificate(authority->key, subject);
    if (!authority->certificate || !sign_authority(authority->certificate, authority->key)) {
        hr_authority_free(authority);
        return fail_openssl(err);
    }
    *out = authority;
    return HR_OK;
}

static hr_status open_pem(const char *path, BIO **out, hr_error *err) {
    struct stat about;
    *out = stat(path, &about) ? NULL : BIO_new_file(path, "r");
    if (*out) return HR_OK;
    ERR_clear_error();
    hr_fail(err, HR_E_IO, "bring back the folder 'authority' and ca.pem of the federation for this command",
            "cannot read the file of the authority: %s", strerror(errno));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

static hr_status read_authority(hr_authority *authority, const char *certificate, const char *key,
                                hr_error *err) {
    BIO *first = NULL, *second = NULL;
    struct stat about;
    hr_status status = open_pem(certificate, &first, err);
    if (!status) status = open_pem(key, &second, err);
    if (!status && !stat(key, &about)) status = hr_file_check_secret(key, about.st_mode, err);
    if (!status) {
        authority->certificate = PEM_read_bio_X509(first, NULL, NULL, NULL);
        authority->key = PEM_read_bio_PrivateKey(second, NULL, NULL, NULL);
        if (!authority->certificate || !authority->key ||
            X509_check_private_key(authority->certificate, authority->key) != 1) {
            hr_fail(err, HR_E_FORMAT, "restore both files from one copy of the federation's folder",
                    "this is not the key of the certificate '%.200s'", certificate);
            status = hr_fail_at(err, HR_E_FORMAT, key, 0, 0, NULL);
        }
        ERR_clear_error();
    }
    BIO_free(first);
    BIO_free(second);
    return status;
}

hr_status hr_authority_read(const char *certificate, const char *key, hr_authority **out, hr_error *err) {
    assert(certificate && key && out);
    hr_authority *authority = calloc(1, sizeof *authority);
    if (!authority) return hr_fail_memory(err);
    hr_status status = read_authority(authority, certificate, key, err);
    if (status)
        hr_authority_free(authority);
    else
        *out = authority;
    return status;
}

void hr_authority_free(hr_authority *authority) {
    if (!authority) return;
    X509_free(authority->certificate);
    EVP_PKEY_free(authority->key);
    free(authority);
}

hr_status hr_authority_write(const hr_authority *authority, hr_certificate *out, hr_error *err) {
    assert(authority && out);
    return write_pem(authority->certificate, authority->key, out, err);
}

hr_status hr_authority_issue(const hr_authority *authority, hr_certificate_use use, const char *name,
                             hr_certificate *out, hr_error *err) {
    assert(authority && name && strlen(name) < NAME_MAX_SAN - 8 && out);
    ERR_clear_error();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = key ? begin_certificate(key, use == HR_CERTIFICATE_SERVER ? "broker" : name) : NULL;
    hr_status status = made && sign_member(made, authority, use, name) ? HR_OK : fail_openssl(err);
    if (!status) status = write_pem(made, key, out, err);
    X509_free(made);
    EVP_PKEY_free(key);
    return status;
}
