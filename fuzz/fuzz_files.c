/* Files of federations, owners, jobs and coordinators: no input crashes, reading is a function of the bytes,
 * and what is read keeps to the ranges. */
#include "federation/config/coordinator_file.h"
#include "federation/config/federation_file.h"
#include "federation/config/job_file.h"
#include "federation/config/owner_file.h"
#include "federation/federated/federated_method.h"

#include "check.h"

#include <string.h>

static void check_refusal(hr_status status, const hr_error *err) {
    char message[2000];
    if (!status) return;
    CHECK(status == HR_E_FORMAT || status == HR_E_LIMIT);
    CHECK(err->status == status && err->message[0] && strcmp(err->file, "folder/file.yaml") == 0);
    CHECK(hr_error_format(err, message, sizeof message) < sizeof message);
}

static void check_name(const char *name) {
    CHECK(name && *name && *name != '-' && strlen(name) <= 32 &&
          strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name));
}

static void check_path(const char *path) {
    CHECK(path && (*path == '/' || (strncmp(path, "folder/", 7) == 0 && path[7])));
}

static void check_names(const hr_names *names) {
    CHECK(names->count >= 1 && names->count <= HR_MEMBERS_MAX);
    for (size_t i = 0; i < names->count; i++) {
        const hr_names before = {names->items, i};
        check_name(names->items[i]);
        CHECK(!hr_names_hold(&before, names->items[i]));
    }
}

static hr_status check_federation(const char *text, size_t size, hr_arena *arena, hr_error *err) {
    hr_federation_file file;
    hr_status status =
        hr_federation_file_parse(&(hr_file_text){"folder/file.yaml", text, size}, arena, &file, err);
    if (status) return status;
    const hr_membership *membership = &file.membership;
    check_name(membership->federation);
    CHECK(membership->count >= 2 && membership->count <= HR_MEMBERS_MAX);
    check_path(file.authority);
    CHECK(strncmp(file.url, "tls://", 6) == 0);
    for (size_t i = 0; i < membership->count; i++) {
        check_name(membership->members[i].name);
        CHECK(hr_membership_by_name(membership, membership->members[i].name,
                                    strlen(membership->members[i].name)) == i);
        CHECK(hr_membership_by_key(membership, membership->members[i].key.bytes) == i);
    }
    return status;
}

static hr_status check_owner(const char *text, size_t size, hr_arena *arena, hr_error *err) {
    hr_owner_file file;
    hr_status status =
        hr_owner_file_parse(&(hr_file_text){"folder/file.yaml", text, size}, arena, &file, err);
    if (status) return status;
    const char *const paths[] = {file.member.federation, file.member.key, file.data, file.schema,
                                 file.ledger};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) check_path(paths[i]);
    CHECK(!file.member.certificate == !file.member.certificate_key);
    check_name(file.member.name);
    check_names(&file.policy.coordinators);
    CHECK(file.policy.methods.count >= 1 && hr_method_find(file.policy.methods.items[0]));
    CHECK(file.policy.epsilon > 0 && file.policy.epsilon <= 1e4 && file.policy.delta >= 0 &&
          file.policy.delta <= .1);
    CHECK(file.policy.owners >= 1 && file.policy.owners <= HR_MEMBERS_MAX);
    return status;
}

static hr_status check_job(const char *text, size_t size, hr_arena *arena, hr_error *err) {
    hr_job_file file;
    hr_status status = hr_job_file_parse(&(hr_file_text){"folder/file.yaml", text, size},
                                         hr_federated_job_rules, arena, &file, err);
    if (status) return status;
    check_path(file.schema);
    CHECK(hr_method_find(file.options.method) && file.options.epsilon > 0 && file.options.delta >= 0);
    CHECK(file.rounds >= 1 && file.rounds <= 8 && file.deadline >= 1);
    CHECK(file.round_gain >= 0 && file.round_gain <= 1 && (file.round_gain > 0) == (file.vote_share > 0) &&
          file.vote_share < 1);
    CHECK(!file.member.certificate == !file.member.certificate_key &&
          (file.member.name || !file.member.certificate));
    const char *const paths[] = {file.member.federation, file.member.key, file.journal};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        if (file.member.name) check_path(paths[i]);
        CHECK(!file.member.name == !paths[i]);
    }
    if (file.member.name) check_names(&file.owners);
    return status;
}

static hr_status check_coordinator(const char *text, size_t size, hr_arena *arena, hr_error *err) {
    hr_coordinator_file file;
    hr_status status =
        hr_coordinator_file_parse(&(hr_file_text){"folder/file.yaml", text, size}, arena, &file, err);
    if (status) return status;
    check_path(file.member.federation);
    check_path(file.member.key);
    check_name(file.member.name);
    CHECK(!file.member.certificate == !file.member.certificate_key);
    CHECK(file.at_once >= 1 && file.at_once <= HR_COORDINATOR_JOBS_MAX);
    return status;
}

static void check_twice(hr_status (*check)(const char *text, size_t size, hr_arena *arena, hr_error *err),
                        const char *text, size_t size) {
    hr_arena *arena = hr_arena_new();
    hr_error err = {0}, again = {0};
    CHECK(arena);
    hr_status status = check(text, size, arena, &err);
    check_refusal(status, &err);
    CHECK(check(text, size, arena, &again) == status && memcmp(&err, &again, sizeof err) == 0);
    hr_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    check_twice(check_federation, (const char *)bytes, size);
    check_twice(check_owner, (const char *)bytes, size);
    check_twice(check_job, (const char *)bytes, size);
    check_twice(check_coordinator, (const char *)bytes, size);
    return 0;
}
