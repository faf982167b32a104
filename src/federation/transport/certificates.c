/* All of X.509 is OpenSSL's; this file decides the content of a certificate. */
#include "federation/transport/certificates.h"

#include "base/file.h"
#include "base/text/calendar.h"

#include <assert.h>
#include <errno.h>
#include <openssl/crypto.h>
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
#include <time.h>

enum {
    SERIAL_BYTES = 16,
    DAY = 24 * 60 * 60,
    EARLY_DAYS = 1, /* clocks differ */
    NAME_MAX_SAN = 300,
    NAMES_MAX_SAN = 5 * NAME_MAX_SAN
};

struct hr_authority {
    EVP_PKEY *key;
    X509 *certificate;
};

/* Threads of libnats use OpenSSL until the process has ended. What they use is not freed when it exits,
 * before they have ended: so this is the first call of OpenSSL. */
__attribute__((constructor)) static void keep_openssl(void) {
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

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
static X509 *begin_certificate(EVP_PKEY *key, const char *subject, int days) {
    X509 *made = X509_new();
    bool fine = made && X509_set_version(made, X509_VERSION_3) && set_serial(made) &&
                X509_gmtime_adj(X509_getm_notBefore(made), -EARLY_DAYS * DAY) &&
                X509_time_adj_ex(X509_getm_notAfter(made), days, 0, NULL) && X509_set_pubkey(made, key) &&
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

/* A certificate is of no use without its authority's. */
static bool end_with_authority(X509 *made, const hr_authority *authority) {
    const ASN1_TIME *last = X509_get0_notAfter(authority->certificate);
    return ASN1_TIME_compare(X509_get0_notAfter(made), last) <= 0 || X509_set1_notAfter(made, last);
}

static bool sign_member(X509 *made, const hr_authority *authority, hr_certificate_use use, const char *name) {
    char subject[NAMES_MAX_SAN];
    const bool is_server = use == HR_CERTIFICATE_SERVER, is_cluster = is_server && strchr(name, ',');
    /* A server is dialled by name or by address. */
    ASN1_OCTET_STRING *address = is_server && !is_cluster ? a2i_IPADDRESS(name) : NULL;
    ERR_clear_error(); /* a name is no address */
    size_t size = 0;
    for (const char *at = name; at; at = is_cluster && strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        size += (size_t)snprintf(subject + size, sizeof subject - size, "%s%s:%.*s", size ? "," : "",
                                 address ? "IP" : "DNS", (int)strcspn(at, ","), at);
    ASN1_OCTET_STRING_free(address);
    return end_with_authority(made, authority) &&
           X509_set_issuer_name(made, X509_get_subject_name(authority->certificate)) &&
           add_extension(made, authority->certificate, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(made, authority->certificate, NID_key_usage, "critical,digitalSignature") &&
           add_extension(made, authority->certificate, NID_ext_key_usage,
                         is_cluster  ? "serverAuth,clientAuth"
                         : is_server ? "serverAuth"
                                     : "clientAuth") &&
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
    if (authority->key)
        authority->certificate = begin_certificate(authority->key, subject, HR_CERTIFICATE_DAYS);
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

/* Owner: the caller. NULL: none of them is of this key. */
static X509 *find_certificate(BIO *file, EVP_PKEY *key) {
    X509 *next;
    while ((next = PEM_read_bio_X509(file, NULL, NULL, NULL))) {
        if (X509_check_private_key(next, key) == 1) return next;
        X509_free(next);
    }
    return NULL;
}

static hr_status read_authority(hr_authority *authority, const char *certificate, const char *key,
                                hr_error *err) {
    BIO *first = NULL, *second = NULL;
    struct stat about;
    hr_status status = open_pem(certificate, &first, err);
    if (!status) status = open_pem(key, &second, err);
    if (!status && !stat(key, &about)) status = hr_file_check_secret(key, about.st_mode, err);
    if (!status) {
        authority->key = PEM_read_bio_PrivateKey(second, NULL, NULL, NULL);
        authority->certificate = authority->key ? find_certificate(first, authority->key) : NULL;
        if (!authority->certificate) {
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
                             int days, hr_certificate *out, hr_error *err) {
    assert(authority && name && strlen(name) < NAMES_MAX_SAN - 5 * 8 && out);
    ERR_clear_error();
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = key ? begin_certificate(key, use == HR_CERTIFICATE_SERVER ? "broker" : name, days) : NULL;
    hr_status status = made && sign_member(made, authority, use, name) ? HR_OK : fail_openssl(err);
    if (!status) status = write_pem(made, key, out, err);
    X509_free(made);
    EVP_PKEY_free(key);
    return status;
}

/* ---- Certificates in files ---- */

/* Calls `see` for each until it returns false. */
static void each_certificate(const char *path, bool (*see)(X509 *certificate, void *user), void *user) {
    struct stat about;
    BIO *file = stat(path, &about) || !S_ISREG(about.st_mode) ? NULL : BIO_new_file(path, "r");
    bool more = file;
    while (more) {
        X509 *next = PEM_read_bio_X509(file, NULL, NULL, NULL);
        more = next && see(next, user);
        X509_free(next);
    }
    BIO_free(file);
    ERR_clear_error();
}

static bool see_end(X509 *certificate, void *latest) {
    struct tm tm;
    int64_t *ends = latest;
    if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &tm) != 1) return true;
    const int64_t second = tm.tm_hour * 3600 + tm.tm_min * 60 + tm.tm_sec;
    const int64_t end =
        hr_calendar_days(tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday) * HR_DAY_SECONDS + second;
    if (end > *ends) *ends = end < HR_DATE_MAX ? end : HR_DATE_MAX;
    return true;
}

int64_t hr_certificate_ends(const char *path) {
    int64_t latest = 0;
    each_certificate(path, see_end, &latest);
    return latest;
}

static bool see_one(X509 *certificate, void *count) {
    (void)certificate;
    ++*(size_t *)count;
    return true;
}

size_t hr_certificate_count(const char *path) {
    size_t count = 0;
    each_certificate(path, see_one, &count);
    return count;
}

/* A certificate, and whether a key has signed it. */
typedef struct signed_by {
    EVP_PKEY *key;
    bool fits;
} signed_by;

static bool see_signature(X509 *certificate, void *user) {
    signed_by *s = user;
    s->fits = X509_verify(certificate, s->key) == 1;
    return false;
}

bool hr_authority_signed(const hr_authority *authority, const char *path) {
    signed_by s = {authority->key, false};
    each_certificate(path, see_signature, &s);
    return s.fits;
}
