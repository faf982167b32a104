#include "federation/work/receipt_files.h"

#include "base/fail.h"
#include "base/file.h"
#include "federation/protocol/receipt.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char suffix[] = ".receipt";

enum { OWN_FOLDER = 0700, OWN_FILE = 0600 };

static hr_status fail_folder(const char *path, const char *what, hr_error *err) {
    hr_fail(err, HR_E_IO, "check the path, its permissions and the free space",
            "cannot %s the folder of receipts: %s", what, strerror(errno));
    return hr_fail_at(err, HR_E_IO, path, 0, 0, NULL);
}

/* FOLDER/NAME. Owner: the caller. */
static hr_status join_path(const char *folder, const char *name, char **out, hr_error *err) {
    hr_buffer b = {0};
    hr_buffer_format(&b, "%s/%s", folder, name);
    return hr_buffer_take(&b, out, err);
}

hr_status hr_receipt_folder(const char *journal, char **out, hr_error *err) {
    hr_buffer b = {0};
    hr_buffer_format(&b, "%s.receipts", journal);
    return hr_buffer_take(&b, out, err);
}

/* ---- Storing ---- */

static hr_status make_folder(const char *path, hr_error *err) {
    if (!mkdir(path, OWN_FOLDER)) {
        char *copy = strdup(path);
        if (!copy) return hr_fail_memory(err);
        hr_file_sync_folder(copy);
        free(copy);
        return HR_OK;
    }
    return errno == EEXIST ? HR_OK : fail_folder(path, "make", err);
}

/* NUMBER-DIGEST.receipt: names are in the order of the numbers, and two receipts never share one. */
static hr_status name_file(const char *folder, const hr_bytes *bytes, char **out, hr_error *err) {
    Hedgerow__Receipt *receipt = NULL;
    hr_digest digest;
    char name[64];
    hr_status status = hr_receipt_read(bytes->at, bytes->size, &receipt, err);
    if (status) return status;
    status = hr_receipt_digest(receipt, &digest, err);
    if (!status) {
        const uint8_t *d = digest.bytes;
        snprintf(name, sizeof name, "%010llu-%02x%02x%02x%02x%02x%02x%02x%02x%s",
                 (unsigned long long)receipt->number, d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], suffix);
        status = join_path(folder, name, out, err);
    }
    hr_message_unpacked_free(&receipt->base);
    return status;
}

hr_status hr_receipt_file_store(const char *folder, const char *owner, const hr_bytes *receipt,
                                hr_error *err) {
    char *own = NULL, *path = NULL;
    hr_status status = make_folder(folder, err);
    if (!status) status = join_path(folder, owner, &own, err);
    if (!status) status = make_folder(own, err);
    if (!status) status = name_file(own, receipt, &path, err);
    if (!status) status = hr_file_replace(path, "receipt", OWN_FILE, receipt->at, receipt->size, err);
    free(path);
    free(own);
    return status;
}

/* ---- Reading ---- */

static bool is_receipt_name(const char *name) {
    const size_t size = strlen(name);
    return size >= sizeof suffix && !strcmp(name + size - (sizeof suffix - 1), suffix);
}

static hr_status read_file(const char *path, hr_bytes *out, Hedgerow__Receipt **receipt, hr_error *err) {
    hr_buffer buffer = {0};
    hr_error why = {0};
    hr_status status = hr_file_read_path(path, &buffer, err);
    if (!status) status = hr_bytes_copy(buffer.bytes, buffer.size, out, err);
    hr_buffer_done(&buffer);
    if (status) return status;
    status = hr_receipt_read(out->at, out->size, receipt, &why);
    if (!status) return HR_OK;
    free(out->at);
    *out = (hr_bytes){0};
    if (status == HR_E_MEMORY) return hr_fail_memory(err);
    hr_fail(err, HR_E_FORMAT, "restore the file, or move it away", "this is no receipt of a ledger");
    return hr_fail_at(err, HR_E_FORMAT, path, 0, 0, NULL);
}

/* File names in a folder. */
typedef struct name_list {
    char **items;
    size_t count;
} name_list;

static void free_names(name_list *names) {
    for (size_t i = 0; i < names->count; i++) free(names->items[i]);
    free(names->items);
}

static int order_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static hr_status add_name(name_list *names, const char *name, hr_error *err) {
    char **longer = realloc(names->items, (names->count + 1) * sizeof *longer);
    if (!longer) return hr_fail_memory(err);
    names->items = longer;
    if (!(longer[names->count] = strdup(name))) return hr_fail_memory(err);
    names->count++;
    return HR_OK;
}

/* Of files of receipts, in order. */
static hr_status list_names(const char *folder, name_list *out, hr_error *err) {
    DIR *dir = opendir(folder);
    if (!dir) return fail_folder(folder, "read", err);
    hr_status status = HR_OK;
    for (const struct dirent *entry; !status && (entry = readdir(dir));)
        if (is_receipt_name(entry->d_name)) status = add_name(out, entry->d_name, err);
    closedir(dir);
    if (out->count) qsort(out->items, out->count, sizeof *out->items, order_names);
    return status;
}

static hr_status show_file(const char *folder, const char *name,
                           hr_status (*visit)(void *user, const hr_receipt_file *file), void *user,
                           hr_error *err) {
    Hedgerow__Receipt *receipt = NULL;
    hr_bytes bytes = {0};
    char *path = NULL;
    hr_status status = join_path(folder, name, &path, err);
    if (!status) status = read_file(path, &bytes, &receipt, err);
    if (!status) {
        const hr_receipt_file file = {path, receipt, bytes};
        status = visit(user, &file);
        hr_message_unpacked_free(&receipt->base);
    }
    free(bytes.at);
    free(path);
    return status;
}

hr_status hr_receipt_files_each(const char *folder,
                                hr_status (*visit)(void *user, const hr_receipt_file *file), void *user,
                                hr_error *err) {
    name_list names = {0};
    hr_status status = list_names(folder, &names, err);
    for (size_t i = 0; !status && i < names.count; i++)
        status = show_file(folder, names.items[i], visit, user, err);
    free_names(&names);
    return status;
}

/* ---- Terms ---- */

typedef struct last_receipt {
    hr_bytes bytes;
    hr_error *err;
} last_receipt;

static hr_status take_last(void *user, const hr_receipt_file *file) {
    last_receipt *last = user;
    return hr_bytes_copy(file->bytes.at, file->bytes.size, &last->bytes, last->err);
}

/* Empty: there is none. */
static hr_status read_last(const char *folder, ProtobufCBinaryData owner, hr_bytes *out, hr_error *err) {
    char name[HR_SETTING_TEXT_MAX + 1], *own = NULL;
    name_list names = {0};
    last_receipt last = {.err = err};
    struct stat there;
    snprintf(name, sizeof name, "%.*s", (int)owner.len, (const char *)owner.data);
    hr_status status = join_path(folder, name, &own, err);
    if (!status && (!stat(own, &there) || errno != ENOENT)) status = list_names(own, &names, err);
    if (!status && names.count) status = show_file(own, names.items[names.count - 1], take_last, &last, err);
    *out = last.bytes;
    free_names(&names);
    free(own);
    return status;
}

hr_status hr_receipt_files_show(const char *folder, hr_bytes *terms, hr_error *err) {
    ProtobufCMessage *unpacked = NULL;
    hr_bytes last[HR_MEMBERS_MAX] = {{0}}, packed = {0};
    ProtobufCBinaryData views[HR_MEMBERS_MAX];
    bool any = false;
    hr_status status =
        hr_message_unpack(&hedgerow__terms__descriptor, terms->at, terms->size, &unpacked, err);
    if (status) return status;
    Hedgerow__Terms offered = *(const Hedgerow__Terms *)unpacked;
    for (size_t i = 0; !status && i < offered.n_owners; i++) {
        status = read_last(folder, offered.owners[i], &last[i], err);
        views[i] = hr_data_of(last[i].at, last[i].size);
        any = any || last[i].size;
    }
    if (!status && any) {
        offered.last_receipts = views;
        offered.n_last_receipts = offered.n_owners;
        status = hr_message_pack(&offered.base, &packed, err);
    }
    if (packed.at) {
        free(terms->at);
        *terms = packed;
    }
    for (size_t i = 0; i < offered.n_owners; i++) free(last[i].at);
    hr_message_unpacked_free(unpacked);
    return status;
}
