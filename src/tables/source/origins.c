#include "tables/source/origins.h"

#include "base/fail.h"
#include "tables/source/database_address.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

static void free_origin(hr_origin *origin) {
    free(origin->shown);
    free(origin->address);
    free(origin->query);
}

/* ---- The content ---- */

typedef struct hr_content_tap {
    hr_byte_tap tap;
    XXH3_state_t *hash;
} hr_content_tap;

static void hash_text(hr_byte_tap *tap, const char *bytes, size_t size) {
    XXH3_128bits_update(((hr_content_tap *)(void *)tap)->hash, bytes, size);
}

static void free_tap(hr_origins *origins) {
    if (origins->tap) XXH3_freeState(origins->tap->hash);
    free(origins->tap);
    origins->tap = NULL;
}

void hr_origins_done(hr_origins *origins) {
    free_tap(origins);
    for (size_t i = 0; i < origins->count; i++) free_origin(&origins->items[i]);
    free(origins->items);
    *origins = (hr_origins){0};
}

/* ---- Whether two are one ---- */

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_same_content(const hr_origin *a, const hr_origin *b) {
    return a->has_content && b->has_content && a->content.high == b->content.high &&
           a->content.low == b->content.low;
}

static bool is_same_origin(const hr_origin *a, const hr_origin *b) {
    return a->device == b->device && a->file == b->file && same_text(a->address, b->address) &&
           same_text(a->query, b->query);
}

static const char why[] = "every record in it would count twice, and the guarantee is for records that "
                          "count once";

static hr_status refuse_repeat(const hr_origin *first, const hr_origin *second, hr_error *err) {
    static const char remedy[] = "give each table once";
    if (strcmp(first->shown, second->shown) == 0)
        return hr_fail(err, HR_E_ARGUMENT, remedy, "'%s' is given twice: %s", first->shown, why);
    return hr_fail(err, HR_E_ARGUMENT, remedy, "'%s' and '%s' are one file: %s", first->shown, second->shown,
                   why);
}

static hr_status refuse_equal(const hr_origin *first, const hr_origin *second, hr_error *err) {
    return hr_fail(err, HR_E_ARGUMENT,
                   "give each table once; only if they hold records of different people, train and evaluate "
                   "take them with --allow-equal-files",
                   "'%s' and '%s' have the same content: %s", first->shown, second->shown, why);
}

static hr_status refuse_known(const hr_origins *known, const hr_origin *origin, hr_error *err) {
    for (size_t i = 0; i < known->count; i++) {
        const hr_origin *item = &known->items[i];
        if (is_same_origin(item, origin)) return refuse_repeat(item, origin, err);
        if (!known->may_be_equal && has_same_content(item, origin)) return refuse_equal(item, origin, err);
    }
    return HR_OK;
}

hr_status hr_origins_refuse_repeats(const hr_origins *origins, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 1; origins && !status && i < origins->count; i++) {
        const hr_origins before = {
            .items = origins->items, .count = i, .may_be_equal = origins->may_be_equal};
        status = refuse_known(&before, &origins->items[i], err);
    }
    return status;
}

hr_status hr_origins_refuse_shared(const hr_origins *a, const hr_origins *b, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; a && b && !status && i < b->count; i++) status = refuse_known(a, &b->items[i], err);
    return status;
}

/* ---- Reading ---- */

hr_status hr_origins_read(hr_origins *origins, hr_byte_source *source, hr_error *err) {
    free_tap(origins);
    origins->tap = calloc(1, sizeof *origins->tap);
    if (!origins->tap) return hr_fail_memory(err);
    *origins->tap = (hr_content_tap){{hash_text}, XXH3_createState()};
    if (!origins->tap->hash) return hr_fail_memory(err);
    XXH3_128bits_reset(origins->tap->hash);
    hr_byte_source_tap(source, &origins->tap->tap);
    return HR_OK;
}

hr_status hr_origins_finish(hr_origins *origins, bool has_records, hr_error *err) {
    hr_origin *last = &origins->items[origins->count - 1];
    const hr_origins before = {
        .items = origins->items, .count = origins->count - 1, .may_be_equal = origins->may_be_equal};
    const XXH128_hash_t hash = XXH3_128bits_digest(origins->tap->hash);
    last->content = (hr_content){hash.high64, hash.low64};
    last->has_content = has_records;
    free_tap(origins);
    return origins->may_repeat ? HR_OK : refuse_known(&before, last, err);
}

/* ---- Adding ---- */

static bool copy_text(const char *text, char **out) {
    return !text || (*out = strdup(text)) != NULL;
}

/* Copies the texts of an origin. */
static hr_status add_origin(hr_origins *origins, const hr_origin *origin, hr_error *err) {
    hr_origin own = *origin;
    own.shown = own.address = own.query = NULL;
    hr_status status = origins->may_repeat ? HR_OK : refuse_known(origins, origin, err);
    if (status) return status;
    hr_origin *items = realloc(origins->items, (origins->count + 1) * sizeof *items);
    if (!items) return hr_fail_memory(err);
    origins->items = items;
    if (copy_text(origin->shown, &own.shown) && copy_text(origin->address, &own.address) &&
        copy_text(origin->query, &own.query)) {
        items[origins->count++] = own;
        return HR_OK;
    }
    free_origin(&own);
    return hr_fail_memory(err);
}

static hr_origin origin_of_file(const char *path, const struct stat *about, const char *query) {
    const char *shown = strcmp(path, "-") == 0 ? "standard input" : path;
    return (hr_origin){.shown = (char *)shown, /* never written: add_origin copies it */
                       .query = (char *)query,
                       .device = (uint64_t)about->st_dev,
                       .file = (uint64_t)about->st_ino};
}

hr_status hr_origins_add_file(hr_origins *origins, const hr_table_place *place, int file, const char *query,
                              hr_error *err) {
    struct stat about;
    if (!origins) return HR_OK;
    if (fstat(file, &about))
        return hr_fail(err, HR_E_IO, "check that it is a readable file", "cannot read the file: %s",
                       strerror(errno));
    const hr_origin origin = origin_of_file(place->path, &about, query);
    return add_origin(origins, &origin, err);
}

hr_status hr_origins_add_server(hr_origins *origins, const char *address, const char *query, hr_error *err) {
    char shown[HR_DATABASE_SHOWN];
    if (!origins) return HR_OK;
    hr_database_show(address, shown);
    const hr_origin origin = {.shown = shown, .address = (char *)address, .query = (char *)query};
    return add_origin(origins, &origin, err);
}

hr_status hr_origins_add_paths(hr_origins *origins, const char *const *paths, size_t count, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; !status && i < count; i++) {
        struct stat about;
        if (stat(paths[i], &about)) continue;
        const hr_origin origin = origin_of_file(paths[i], &about, NULL);
        status = add_origin(origins, &origin, err);
    }
    return status;
}

hr_status hr_origins_add_all(hr_origins *origins, const hr_origins *more, hr_error *err) {
    hr_status status = HR_OK;
    for (size_t i = 0; more && !status && i < more->count; i++)
        status = add_origin(origins, &more->items[i], err);
    return status;
}
