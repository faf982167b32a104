#include "federation/config/owner_policy.h"

#include "base/arena.h"
#include "federation/config/job_file.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(hr_policy, field)

enum {
    POLICY_COORDINATORS,
    POLICY_METHODS,
    POLICY_EPSILON,
    POLICY_DELTA,
    POLICY_OWNERS,
    POLICY_COALITION,
    POLICY_DAYS,
    POLICY_UNPROTECTED,
    POLICY_EPSILON_PER,
    POLICY_JOBS_PER,
    POLICY_APPROVE,
    POLICY_LIMITS,
    POLICY_KEYS
};
enum { DAYS = 30, DAYS_MAX = 3650 };

#define EPSILON_EXPECTED "a number above 0, at most 10000"
#define PERIODS_EXPECTED "a mapping of day, month or year to a number, such as {month: 2}"
#define COALITION_EXPECTED "an integer of owners from 1 to 255, or all"
#define APPROVE_EXPECTED "automatic or manual"
#define LIMITS_EXPECTED "a list of mappings, each with a coordinator and its limits"

static const char *const approve_words[] = {"automatic", "manual", NULL};

static const hr_field policy_fields[POLICY_KEYS] = {
    {.key = "coordinators",
     .kind = HR_FIELD_NAMES,
     .required = true,
     .offset = AT(coordinators),
     .min = 1,
     .max = HR_MEMBERS_MAX,
     .expected = "a list of 1 to 256 members such as [coordinator]"},
    {.key = "methods",
     .kind = HR_FIELD_WORDS,
     .required = true,
     .offset = AT(methods),
     .min = 1,
     .max = 100,
     .expected = "a list of 1 to 100 methods such as [inprivate]"},
    {.key = "epsilon",
     .kind = HR_FIELD_NUMBER,
     .required = true,
     .offset = AT(epsilon),
     .min = HR_ABOVE_ZERO,
     .max = 1e4,
     .expected = EPSILON_EXPECTED},
    {.key = "delta",
     .kind = HR_FIELD_NUMBER,
     .offset = AT(delta),
     .min = 0,
     .max = .1,
     .expected = "a number from 0 to 0.1"},
    {.key = "owners",
     .kind = HR_FIELD_INTEGER,
     .required = true,
     .offset = AT(owners),
     .min = 1,
     .max = HR_MEMBERS_MAX,
     .expected = "an integer from 1 to 256"},
    {.key = "coalition", .expected = COALITION_EXPECTED},
    {.key = "days",
     .kind = HR_FIELD_INTEGER,
     .offset = AT(days),
     .min = 1,
     .max = DAYS_MAX,
     .expected = "an integer of days from 1 to 3650"},
    {.key = "unprotected",
     .kind = HR_FIELD_WORDS,
     .offset = AT(unprotected),
     .min = 1,
     .max = 100,
     .expected = "a list of 1 to 100 of 'methods', such as [inprivate]"},
    {.key = "epsilon-per", .expected = PERIODS_EXPECTED},
    {.key = "jobs-per", .expected = PERIODS_EXPECTED},
    {.key = "approve",
     .kind = HR_FIELD_WORD,
     .offset = AT(limits.approve),
     .words = approve_words,
     .expected = APPROVE_EXPECTED},
    {.key = "limits", .expected = LIMITS_EXPECTED},
};
static const hr_field_table policy_table = {"policy", policy_fields, POLICY_KEYS};

static hr_status check_methods(const hr_fields *reader, const hr_yaml_node *methods,
                               const hr_yaml_node *unprotected, const hr_policy *policy) {
    for (const hr_yaml_node *node = methods->child; node; node = node->next) {
        const char *name = node->text;
        const bool of_jobs = !strcmp(name, HR_METHOD_AVERAGE) || !strcmp(name, HR_METHOD_EVALUATION) ||
                             !strcmp(name, HR_METHOD_BOUNDS); /* `hedgerow methods` does not list them */
        if (of_jobs || hr_method_find(name)) continue;
        return hr_keys_refuse(&reader->keys, node, "`hedgerow methods` lists them",
                              "methods: there is no method '%s'", name);
    }
    for (const hr_yaml_node *node = unprotected ? unprotected->child : NULL; node; node = node->next) {
        const hr_method_info *method = hr_method_find(node->text);
        if (!hr_names_hold(&policy->methods, node->text))
            return hr_keys_refuse(&reader->keys, node, "add it there, or remove it here",
                                  "unprotected: '%s' is not one of 'methods'", node->text);
        if (!method || !*method->flaws)
            return hr_keys_refuse(&reader->keys, node, "remove it",
                                  "unprotected: every job of '%s' has a guarantee", node->text);
    }
    return HR_OK;
}

/* ---- Periods ---- */

#define EPSILON_OF(key, period)                                                                              \
    { key, HR_FIELD_NUMBER, false, (period) * sizeof(double), HR_ABOVE_ZERO, 1e4, NULL, EPSILON_EXPECTED }
#define JOBS_OF(key, period)                                                                                 \
    {                                                                                                        \
        key, HR_FIELD_INTEGER, false, (period) * sizeof(size_t), 1, JOBS_MAX, NULL,                          \
            "an integer from 1 to 1000000"                                                                   \
    }

enum { JOBS_MAX = 1000000 };
static const hr_field epsilon_per_fields[HR_PERIODS] = {EPSILON_OF("day", HR_PERIOD_DAY),
                                                        EPSILON_OF("month", HR_PERIOD_MONTH),
                                                        EPSILON_OF("year", HR_PERIOD_YEAR)};
static const hr_field jobs_per_fields[HR_PERIODS] = {
    JOBS_OF("day", HR_PERIOD_DAY), JOBS_OF("month", HR_PERIOD_MONTH), JOBS_OF("year", HR_PERIOD_YEAR)};
static const hr_field_table epsilon_per_table = {"epsilon-per", epsilon_per_fields, HR_PERIODS};
static const hr_field_table jobs_per_table = {"jobs-per", jobs_per_fields, HR_PERIODS};

const char *hr_period_text(hr_period period) {
    return epsilon_per_fields[period].key;
}

/* Into an array of one number a period. An absent mapping limits nothing. */
static hr_status read_periods(const hr_fields *reader, const hr_yaml_node *map, const hr_field_table *table,
                              void *out) {
    const hr_yaml_node *found[HR_PERIODS] = {NULL};
    if (!map) return HR_OK;
    if (map->kind == HR_YAML_MAPPING && !map->count)
        return hr_keys_refuse(&reader->keys, map, "write a period and a number, such as {month: 2}",
                              "%s is empty", table->what);
    return hr_fields_read(reader, map, table, out, found);
}

/* ---- Limits of one coordinator ---- */

enum { EACH_COORDINATOR, EACH_EPSILON, EACH_EPSILON_PER, EACH_JOBS_PER, EACH_APPROVE, EACH_KEYS };
static const hr_field each_fields[EACH_KEYS] = {
    {.key = "coordinator",
     .kind = HR_FIELD_NAME,
     .required = true,
     .offset = offsetof(hr_coordinator_limits, coordinator),
     .expected = HR_NAME_EXPECTED},
    {.key = "epsilon",
     .kind = HR_FIELD_NUMBER,
     .offset = offsetof(hr_coordinator_limits, epsilon),
     .min = HR_ABOVE_ZERO,
     .max = 1e4,
     .expected = EPSILON_EXPECTED},
    {.key = "epsilon-per", .expected = PERIODS_EXPECTED},
    {.key = "jobs-per", .expected = PERIODS_EXPECTED},
    {.key = "approve",
     .kind = HR_FIELD_WORD,
     .offset = offsetof(hr_coordinator_limits, limits.approve),
     .words = approve_words,
     .expected = APPROVE_EXPECTED},
};
static const hr_field_table each_table = {"limits", each_fields, EACH_KEYS};

static hr_status read_limits(const hr_fields *reader, const hr_yaml_node *list, hr_policy *out) {
    if (!list) return HR_OK;
    if (list->kind != HR_YAML_SEQUENCE)
        return hr_keys_refuse_kind(&reader->keys, list, "limits", LIMITS_EXPECTED);
    hr_coordinator_limits *each = hr_arena_alloc(reader->keys.arena, list->count, sizeof *each);
    if (!each) return hr_fail_memory(reader->keys.err);
    out->each = each;
    for (const hr_yaml_node *map = list->child; map; map = map->next) {
        const hr_yaml_node *found[EACH_KEYS] = {NULL};
        hr_coordinator_limits *one = &each[out->each_count];
        *one = (hr_coordinator_limits){0};
        hr_status status = hr_fields_read(reader, map, &each_table, one, found);
        if (!status)
            status = read_periods(reader, found[EACH_EPSILON_PER], &epsilon_per_table, one->limits.epsilon);
        if (!status) status = read_periods(reader, found[EACH_JOBS_PER], &jobs_per_table, one->limits.jobs);
        if (status) return status;
        if (!hr_names_hold(&out->coordinators, one->coordinator))
            return hr_keys_refuse(&reader->keys, found[EACH_COORDINATOR],
                                  "add it there, or remove its limits: it may offer no job",
                                  "limits: '%s' is not one of 'coordinators'", one->coordinator);
        if (hr_policy_each(out, one->coordinator))
            return hr_keys_refuse(&reader->keys, found[EACH_COORDINATOR],
                                  "write all limits into one of the two", "limits: '%s' is listed twice",
                                  one->coordinator);
        out->each_count++;
    }
    return HR_OK;
}

/* ---- The policy ---- */

static hr_status read_coalition(const hr_fields *reader, const hr_yaml_node *node, hr_policy *out) {
    double number = 0;
    if (!node) return HR_OK;
    if (node->kind == HR_YAML_SCALAR && !strcmp(node->text, "all")) {
        out->coalition = HR_POLICY_ALL;
        return HR_OK;
    }
    hr_status status = hr_keys_number(&reader->keys, node, "coalition", &number);
    if (!status && !(number >= 1 && number < HR_MEMBERS_MAX && number == floor(number)))
        status = hr_keys_refuse(&reader->keys, node, HR_KEYS_SHOWN, "coalition: '%s' is not %s", node->text,
                                COALITION_EXPECTED);
    if (!status) out->coalition = (size_t)number;
    return status;
}

hr_status hr_policy_read(const hr_fields *reader, const hr_yaml_node *map, hr_policy *out) {
    const hr_yaml_node *found[POLICY_KEYS] = {NULL};
    hr_policy policy = {.days = DAYS};

    /* Today's files name the methods. Who wrote `paper: true` did not know which of them there would be. */
    for (const hr_yaml_node *key = map->kind == HR_YAML_MAPPING ? map->child : NULL; key;
         key = key->next->next)
        if (!strcmp(key->text, "paper"))
            return hr_keys_refuse(&reader->keys, key,
                                  "remove it; if the owner is to take part in jobs in paper mode, which have "
                                  "no guarantee, name their methods: 'unprotected: [inprivate]'",
                                  "the key 'paper' has been replaced by 'unprotected'");
    hr_status status = hr_fields_read(reader, map, &policy_table, &policy, found);
    if (!status) status = check_methods(reader, found[POLICY_METHODS], found[POLICY_UNPROTECTED], &policy);
    if (!status)
        status = read_periods(reader, found[POLICY_EPSILON_PER], &epsilon_per_table, policy.limits.epsilon);
    if (!status) status = read_periods(reader, found[POLICY_JOBS_PER], &jobs_per_table, policy.limits.jobs);
    if (!status) status = read_coalition(reader, found[POLICY_COALITION], &policy);
    if (!status) status = read_limits(reader, found[POLICY_LIMITS], &policy);
    if (status) return status;
    policy.coordinator_nodes = found[POLICY_COORDINATORS];
    *out = policy;
    return HR_OK;
}

hr_status hr_policy_check_members(const hr_policy *policy, const hr_membership *membership, const char *path,
                                  hr_error *err) {
    for (const hr_yaml_node *node = policy->coordinator_nodes->child; node; node = node->next) {
        if (hr_membership_by_name(membership, node->text, strlen(node->text)) != HR_NO_MEMBER) continue;
        hr_fail(err, HR_E_FORMAT, "write the name of a member as the federation file lists it",
                "coordinators: '%s' is no member of the federation '%s'", node->text, membership->federation);
        return hr_fail_at(err, HR_E_FORMAT, path, node->line, node->column, NULL);
    }
    return HR_OK;
}

const hr_coordinator_limits *hr_policy_each(const hr_policy *policy, const char *coordinator) {
    for (size_t i = 0; i < policy->each_count; i++)
        if (!strcmp(policy->each[i].coordinator, coordinator)) return &policy->each[i];
    return NULL;
}

bool hr_policy_is_manual(const hr_policy *policy, const char *coordinator) {
    const hr_coordinator_limits *each = hr_policy_each(policy, coordinator);
    return policy->limits.approve == HR_APPROVAL_MANUAL ||
           (each && each->limits.approve == HR_APPROVAL_MANUAL);
}
